"""`lab ablate`. Thin, as `lab.cli` is."""

from __future__ import annotations

from typing import Annotated

import typer

from lab.cli_say import Json, emit, out


def ablate(
    rung: Annotated[
        str | None, typer.Option(help="Whose techniques are taken out. Default: the last kept one.")
    ] = None,
    split: Annotated[str, typer.Option(help="dev, test or all: the questions measured.")] = "all",
    as_json: Json = False,
) -> None:
    """Take each technique out of a rung, alone, and show what every question loses or wins without it."""
    from lab.evaluation.ablate import to_json
    from lab.workshop import ablation

    found = ablation.ablate(rung, split)
    if as_json:
        emit(to_json(found) | {"split": split})
    else:
        out.print(ablation.table(found, split))
