"""The benchmark of the core on a small world: it measures what it says, and its storm sees what it must."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from lab.benchmarks.business import exam, world
from lab.benchmarks.business.exam import Loaded
from lab.benchmarks.business.questions import Question
from lab.benchmarks.core import reading, report, storm, writing
from lab.benchmarks.core.targets import Line, p95
from lab.evaluation import ledger
from lab.kinds import LabError, Sight
from lab.memory.connect import reader, writer
from lab.memory.recall import Recalled
from lab.memory.server import Server
from lab.models.embedders import Embedder, blend
from lab.rag.engine import cached

ROWS, THREADS, SECONDS = 500, 8, 3.0


@pytest.fixture(scope="module")
def embedder(server: Server) -> Embedder:
    return cached(blend("use"), server)[0]


@pytest.fixture(scope="module")
def written(server: Server, embedder: Embedder) -> tuple[Loaded, list[Line]]:
    return writing.writing(server, embedder, world.build(ROWS))


@pytest.fixture(scope="module")
def asked(written: tuple[Loaded, list[Line]]) -> Sequence[Question]:
    return exam.exam(written[0], "dev", 1)


def test_a_verdict_follows_from_figure_and_target() -> None:
    fast, slow = Line("x", 24.9, "ms", 25), Line("x", 25.1, "ms", 25)
    assert (fast.verdict, slow.verdict, Line("x", 1.0).verdict) == ("reached", "missed", "")
    few = Line("x", 599.0, "/s", 600, most=False)
    assert (few.verdict, few.aim, few.figure) == ("missed", "≥ 600 /s", "599 /s")
    assert Line("x", 0.0, "", 0).reached is True
    assert (fast.figure, Line("x", 31_234.0, "/s").figure) == ("24.9 ms", "31,234 /s")
    assert p95([float(number) for number in range(100)]) == 95.0


def test_all_is_written_and_a_second_load_is_refused(
    server: Server, embedder: Embedder, written: tuple[Loaded, list[Line]]
) -> None:
    loaded, lines = written
    assert [line.unit for line in lines] == ["s", "/s", "/s"]
    assert all(line.measured > 0 for line in lines)
    with pytest.raises(LabError, match="bulk load: 0 written"):
        writing.writing(server, embedder, loaded.world)


@pytest.mark.slow
def test_reading_is_measured_for_who_sees_little_and_who_sees_all(
    server: Server, embedder: Embedder, written: tuple[Loaded, list[Line]], asked: Sequence[Question]
) -> None:
    lines = {line.what: line for line in reading.reading(server, written[0], embedder, asked)}
    assert lines["answer in context"].measured >= 0.9
    assert 0 < lines["share of memories that hr sees"].measured < 0.15
    assert lines["recall@10 against exact, hr"].measured == 1.0  # few rows: no index is asked
    assert lines["context a question, mean"].reached
    with reader(server) as connection:
        connection.autocommit = True
        vector = embedder.queries(["vergi numarası"])
        nobody = reading.near(connection, written[0], "nobody", embedder.space, list(vector))
    assert nobody.share == 0


@pytest.mark.slow
def test_threads_meet_no_error_no_secret_and_no_old_value(
    server: Server, embedder: Embedder, written: tuple[Loaded, list[Line]], asked: Sequence[Question]
) -> None:
    seen = storm.storm(server, written[0], embedder, asked, threads=THREADS, seconds=SECONDS)
    assert (seen.errors, seen.leaks, seen.stale, seen.back) == ([], [], [], [])
    assert seen.counts["recalls"] > 0
    assert seen.counts["writes"] > 0
    assert {line.verdict for line in storm.lines(seen, THREADS, SECONDS)[:1]} == {"reached"}


@pytest.mark.slow
def test_the_storm_notices_leaks_old_values_and_errors(
    server: Server,
    embedder: Embedder,
    written: tuple[Loaded, list[Line]],
    asked: Sequence[Question],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loaded = written[0]
    secret = next(value for value, module in storm.secrets(loaded.world).items() if module == "hr")
    whole = storm.recall

    def wrong(connection: Any, sight: Sight, question: str, *rest: Any, **more: Any) -> Recalled:
        if question.startswith("STM-"):
            return replace(whole(connection, sight, question, *rest, **more), text="STM-00-0")
        if sight.roles == {"owner"}:
            raise ValueError("planted")
        return replace(whole(connection, sight, question, *rest, **more), text=f"maaş {secret} TL")

    monkeypatch.setattr(storm, "recall", wrong)
    seen = storm.storm(server, loaded, embedder, asked, threads=THREADS, seconds=SECONDS)
    assert any(error.startswith("ValueError: planted") for error in seen.errors)
    assert f"sales: {secret}" in seen.leaks
    assert not any(leak.startswith("hr:") for leak in seen.leaks)  # they may know it
    assert f"nobody: {secret}" in seen.leaks
    assert seen.stale


def test_the_report_goes_into_the_ledger(server: Server) -> None:
    lines = [Line("quick", 1.0, "ms", 2), Line("slow", 3.0, "ms", 2)]
    made = report.Report(500, 512, {"reading": lines, "writing": lines[:1]}, ())
    report.keep(server, made)
    with writer(server) as connection:
        run = ledger.latest(connection, "bench core")
        assert run is not None
        rows = ledger.rungs(connection, run.id)
    assert [(row.rung, row.reason) for row in rows] == [
        ("reading", "missed: slow"),
        ("writing", "every target reached"),
    ]
    assert rows[0].measures == {"quick": 1.0, "slow": 3.0}
    assert made.to_json()["parts"]["reading"][1]["reached"] is False
    assert report.tables(made)[0].row_count == 5


@pytest.mark.parametrize(("rows", "threads"), [(10, 8), (500, 1), (500, 1_000)])
def test_sizes_that_cannot_be_had_are_refused(
    server: Server, embedder: Embedder, rows: int, threads: int
) -> None:
    with pytest.raises(LabError, match=r"can't be made|can't be had"):
        report.bench(server, embedder, rows=rows, threads=threads, seconds=1)
