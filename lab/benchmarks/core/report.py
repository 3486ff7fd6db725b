"""`lab bench core`: writes, reads and lets many threads loose, and holds each figure beside its target."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from lab.benchmarks.business import exam, world
from lab.benchmarks.business.report import LARGEST, SMALLEST
from lab.benchmarks.core import reading, storm, writing
from lab.benchmarks.core.targets import Line
from lab.evaluation import ledger
from lab.evaluation.ledger import RungRow
from lab.kinds import LabError
from lab.memory.connect import writer
from lab.memory.server import Server
from lab.models.embedders import Embedder

MOST_THREADS = 48
"""The bundled server takes 60 connections."""


@dataclass(frozen=True, slots=True)
class Report:
    """Lines by part (writing, reading, threads); what went wrong under load, in words."""

    rows: int
    memories: int
    parts: Mapping[str, Sequence[Line]]
    problems: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "rows": self.rows,
            "memories": self.memories,
            "parts": {name: [line.to_json() for line in lines] for name, lines in self.parts.items()},
            "problems": list(self.problems),
        }


def bench(
    server: Server,
    embedder: Embedder,
    *,
    rows: int,
    threads: int,
    seconds: float,
    per_type: int = 20,
    say: Callable[[str], None] = lambda _: None,
) -> Report:
    """Measures on `server`, which should be empty; `embedder` may keep its cache elsewhere. 0 seconds: no
    threads. LabError for sizes that can't be had."""
    if not SMALLEST <= rows <= LARGEST:
        raise LabError(f"A world of {rows} rows can't be made.", f"{SMALLEST} to {LARGEST}.")
    if not 2 <= threads <= MOST_THREADS:
        raise LabError(f"{threads} threads can't be had.", f"2 to {MOST_THREADS}.")
    made = world.build(rows)
    memories = len(made.first) + len(made.later)
    say(f"a world of {memories:,} memories")
    loaded, lines = writing.writing(server, embedder, made, say)
    parts: dict[str, Sequence[Line]] = {"writing": lines}
    asked = exam.exam(loaded, "dev", per_type)
    say(f"{len(asked)} questions")
    parts["reading"] = reading.reading(server, loaded, embedder, asked)
    problems: tuple[str, ...] = ()
    if seconds > 0:
        seen = storm.storm(server, loaded, embedder, asked, threads=threads, seconds=seconds, say=say)
        parts["threads"] = storm.lines(seen, threads, seconds)
        problems = tuple([*seen.errors, *seen.leaks, *seen.stale, *seen.back][:50])
    return Report(rows, memories, parts, problems)


def keep(server: Server, report: Report) -> None:
    """Into the run ledger, a row a part."""
    with writer(server) as connection:
        run = ledger.start(connection, "bench core", "dev", "", "")
        for name, lines in report.parts.items():
            missed = [line.what for line in lines if line.reached is False]
            ledger.write(
                connection,
                RungRow(
                    run,
                    name,
                    f"{report.memories:,} memories",
                    {"rows": report.rows},
                    None,
                    f"missed: {'; '.join(missed)}" if missed else "every target reached",
                    {line.what: line.measured for line in lines},
                    {},
                ),
                [],
            )


def tables(report: Report) -> list[Table]:
    """For people."""
    table = Table(title=f"The memory core at {report.memories:,} memories, as a role bound by the rule")
    for column in ("measured", "figure", "target", "verdict"):
        table.add_column(column, justify="right" if column in ("figure", "target") else "left")
    for name, lines in report.parts.items():
        table.add_section()
        table.add_row(f"[bold]{name}[/bold]")
        for line in lines:
            table.add_row(line.what, line.figure, line.aim, line.verdict)
    return [table]
