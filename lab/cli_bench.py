"""`lab bench …`: exams of other kinds than the ladder's."""

from __future__ import annotations

from typing import Annotated

import typer

from lab.cli_say import Json, emit, err, out

benches = typer.Typer(help="Exams of other kinds than the ladder's.", no_args_is_help=True)


@benches.command("business")
def bench_business(
    rows: Annotated[int, typer.Option(help="Size of the world, 500 to 100000.")] = 2_000,
    split: Annotated[str, typer.Option(help="dev, or the differently worded test.")] = "dev",
    ablate: Annotated[bool, typer.Option("--ablate", help="Also leave out each step in turn.")] = False,
    as_json: Json = False,
) -> None:
    """Business memory: questions over records and conversations, beside plain vector search."""
    from lab.workshop import benches as bench

    report = bench.business(rows, split, ablate)
    if as_json:
        emit(report.to_json())
    else:
        for table in bench.tables(report):
            out.print(table)


@benches.command("core")
def bench_core(
    rows: Annotated[int, typer.Option(help="Size of the world, 500 to 100000.")] = 10_000,
    threads: Annotated[int, typer.Option(help="Readers and writers at once, 2 to 48.")] = 32,
    seconds: Annotated[float, typer.Option(help="How long they work; 0: not at all.")] = 60,
    as_json: Json = False,
) -> None:
    """The memory core: what reads with rights, writes and many threads cost, each beside its target."""
    from lab.workshop import benches as bench

    report = bench.core(rows, threads, seconds)
    if as_json:
        emit(report.to_json())
        return
    for table in bench.core_report.tables(report):
        out.print(table)
    for problem in report.problems:
        err.print(problem, markup=False, highlight=False)
