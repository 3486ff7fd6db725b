"""`lab sweep`. Thin, as `lab.cli` is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lab.cli_say import Json, emit, out

Scheduler = Annotated[
    str | None,
    typer.Option(help="tcp://host:8786, a Dask scheduler; its workers need the lab and LAB_DATABASE_URL."),
]
Workers = Annotated[int | None, typer.Option(help="So many Dask workers on this machine.")]


def sweep(
    file: Annotated[Path, typer.Argument(metavar="FILE.yaml", help="An example: docs/sweep.yaml")],
    gold: Annotated[Path | None, typer.Option(help="Default: gold/kraken.jsonl.")] = None,
    corpus: Annotated[
        Path | None, typer.Option(help="The folder of the stored documents. Default: data/.")
    ] = None,
    scheduler: Scheduler = None,
    workers: Workers = None,
    again: Annotated[bool, typer.Option("--again", help="Measure also what the ledger holds.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List the cells and what they share; run nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Measure every combination of a YAML file, each against a baseline; a killed sweep goes on where it
    was."""
    from lab.workshop import sweeps

    if dry_run:
        planned = sweeps.plan(file, gold)
        if as_json:
            emit(sweeps.plan_json(planned))
        else:
            out.print(sweeps.plan_table(planned))
        return
    swept = sweeps.sweep(file, gold, corpus=corpus, scheduler=scheduler, workers=workers, again=again)
    if as_json:
        emit(sweeps.to_json(swept))
    else:
        out.print(sweeps.table(swept))
