"""`lab ablate`. Thin, as `lab.cli` is."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer
from rich.console import Console

out = Console(width=None if sys.stdout.isatty() else 110)


def ablate(
    rung: Annotated[
        str | None, typer.Option(help="Whose techniques are taken out. Default: the last kept one.")
    ] = None,
    split: Annotated[str, typer.Option(help="dev, test or all: the questions measured.")] = "all",
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on stdout, nothing else there.")
    ] = False,
) -> None:
    """Take each technique out of a rung, alone, and show what every question loses or wins without it."""
    from lab.evaluation.ablate import to_json
    from lab.workshop import ablation

    found = ablation.ablate(rung, split)
    if as_json:
        sys.stdout.write(json.dumps(to_json(found) | {"split": split}, ensure_ascii=False) + "\n")
    else:
        out.print(ablation.table(found, split))
