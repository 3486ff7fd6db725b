"""The leak test: that it finds the paths by itself, that nothing leaks, and that it would see it."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import lab
from lab.benchmarks.leaks import discovery, mutations, planted, run
from lab.benchmarks.leaks import stage as stages
from lab.benchmarks.leaks.stage import Stage
from lab.kinds import LabError
from lab.workshop import leak_ways
from lab.workshop.leaks import WAYS

CALLERS = (
    "sales, a caller without a person", "finance, a member", "hr, a member", "visitor", "nobody",
    "owner, a caller without a person", "the owner of another tenant", "ada",
    "eve, who names ada's mind", "a robot whose key was revoked",
)  # fmt: skip

RUNGS = ("units", "T3", "T8")
DEAR = ("lab.workshop.desk.", "lab.workshop.lesson.Lesson.ask", "lab.workshop.lesson.Lesson.hits")
"""What asks as others do, and opens a database or draws an answer each time: for the whole run."""
ASKED = [
    replace(way, every=False)
    for way in WAYS
    if not way.name.startswith(("ask on ", *DEAR)) or way.name.removeprefix("ask on ") in RUNGS
]


def test_every_path_is_asked_and_every_raw_read_is_known() -> None:
    assert run.uncovered(WAYS) == ()
    assert discovery.unkept() == ()
    assert set(discovery.KEEPERS) >= set(discovery.raw_reads())
    assert len(discovery.reads()) > 60


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The package's own code, to be changed."""
    root = tmp_path / "lab"
    shutil.copytree(Path(lab.__file__).parent, root, ignore=shutil.ignore_patterns("__pycache__", "*.npz"))
    return root


@pytest.mark.parametrize(
    ("place", "code", "name"),
    [
        ("memory/search.py", "def peek(view: View) -> None: ...", "lab.memory.search.peek"),
        ("rag/guard.py", "def peek(sight: Sight) -> None: ...", "lab.rag.guard.peek"),
        ("workshop/words.py", "def peek(c, s):\n    with looking(c, s): ...", "lab.workshop.words.peek"),
        ("workshop/minds.py", "def peek(mind):\n    return mind.recall()", "lab.workshop.minds.peek"),
        ("workshop/board.py", "def _peek(s):\n    return Sight(s)", "lab.workshop.board._peek"),
    ],
)
def test_a_new_path_is_found(copied: Path, place: str, code: str, name: str) -> None:
    path = copied / place
    path.write_text(path.read_text("utf-8") + f"\n\n{code}\n", "utf-8")
    assert discovery.reads(copied) - discovery.reads() == {name}


def test_a_new_raw_read_is_found(copied: Path) -> None:
    path = copied / "rag" / "fuse.py"
    code = (
        'def peek(connection):\n    return connection.execute("select content from lab.memory").fetchall()\n'
    )
    path.write_text(path.read_text("utf-8") + f"\n\n{code}", "utf-8")
    assert discovery.unkept(copied) == ("lab.rag.fuse.peek: memory",)


def test_a_path_that_is_gone_is_named() -> None:
    with pytest.raises(LabError, match="which reads nothing or is gone"):
        run.uncovered([*WAYS, replace(WAYS[0], covers=("lab.memory.search.gone",))])


def test_the_company_has_865_secrets() -> None:
    secrets = planted.company().secrets
    assert Counter(secret.kind for secret in secrets) == planted.COUNTS
    assert sum(planted.COUNTS.values()) == 865
    assert len({secret.value for secret in secrets}) == 865


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    """A small company and some of the callers."""
    with stages.built(rows=planted.FEW) as built, leak_ways.settled(built):
        yield replace(built, askers=tuple(asker for asker in built.askers if asker.name in CALLERS))


@pytest.mark.slow
def test_nothing_leaks_and_the_entitled_have_it(stage: Stage) -> None:
    assert len(stage.askers) == len(CALLERS)
    report = run.run(stage, ASKED, answers=1)
    wrong = [line.way for line in report.lines if not line.ok]
    assert (report.leaked, wrong) == (0, [])
    assert report.answers > 1_000
    assert report.got >= 0.95 * report.due > 0
    # T3 reads with the service's rights: set aside for it, and the run must see that it does.
    assert {line.way for line in report.lines if line.by_design and line.leaks} == {"ask on T3"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["lab.memory.search.by_words", "lab.memory.paths.paths", "lab.memory.recall.hybrid",
     "lab.memory.mind.Mind.search", "lab.rag.widen.widen", "lab.workshop.trade.Trade.nearest"],
)  # fmt: skip
def test_a_path_without_the_rule_is_seen(stage: Stage, name: str) -> None:
    own = [way for way in WAYS if name in way.covers]
    assert mutations.first_leak(stage, own) == ""
    with mutations.holed(stage), mutations.without_rule(name):
        assert mutations.first_leak(stage, own)


def test_conditions_of_a_policy() -> None:
    text = "((a = 1) AND ((b IS NULL) OR (c AND d)) AND (EXISTS ( SELECT 1 WHERE (x AND y))))"
    assert mutations.conditions(text) == [
        "(a = 1)", "((b IS NULL) OR (c AND d))", "(EXISTS ( SELECT 1 WHERE (x AND y)))",
    ]  # fmt: skip
