"""Every way of reading, asked by who may not and by who may. A new one without an entry here fails."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from stock import Noise, document, lines, seen_by

from lab import memory
from lab.memory import search, write
from lab.memory.connect import writer
from lab.memory.search import Filter
from lab.memory.server import Server
from lab.memory.visibility import View, writing

HERE, ELSEWHERE = "leaks-here", "leaks-elsewhere"
WORD = "zirkonyum"  # occurs in what is hidden only
SECRET = f"Upper limit of managers 160 {WORD}\nRaises are decided in January {WORD}"
OPEN = "Annual leave is 22 days\nThe meal card has 400 TRY"
NOISE = Noise(16, "leaks")
BANDS = document("bands", SECRET, access="hr-only")
IDS = [chunk.id for chunk in lines(BANDS)]
PARENTS = [key for key in IDS if key.startswith("section")]
QUERY = NOISE.queries([SECRET.split("\n")[0]])[0]

# Each returns what it was given of the hidden document: text, ids, vectors or a number of rows.
READS: dict[str, Callable[[View], Any]] = {
    "by_vector": lambda view: [
        found
        for k in (1, 3, None)
        for where in (None, Filter(documents=frozenset({"bands"})))
        for found in search.by_vector(view, NOISE.space, QUERY, k, "unit", where)
        if "bands" in found[0]
    ],
    "by_vectors": lambda view: [
        key
        for k in (1, 2000)
        for near in (search.by_vectors(view, NOISE.space, [QUERY, -QUERY], k, "unit"),)
        for key in (*near.scores[0], *near.scores[1], *near.parents)
        if "bands" in key
    ],
    "by_words": lambda view: [
        found
        for question in (WORD, WORD.upper() + "’un", "manager limit")
        for language in ("en", "tr", "und")
        for found in search.by_words(view, question, language, 5, "unit")
    ],
    "fetch": lambda view: search.fetch(view, IDS),
    "children": lambda view: search.children(view, PARENTS),
    "parents": lambda view: search.parents(view, IDS),
    "all_chunks": lambda view: [c for c in search.all_chunks(view, "unit") if c.document == "bands"],
    "vectors": lambda view: search.vectors(view, NOISE.space, IDS),
    "count": lambda view: max(0, search.count(view, "unit") - len(OPEN.split("\n"))),
}


def public_functions() -> set[str]:
    return {
        name
        for name, item in vars(search).items()
        if inspect.isfunction(item) and item.__module__ == search.__name__ and not name.startswith("_")
    }


@pytest.fixture(scope="module")
def planted(server: Server) -> Server:
    for workspace in (HERE, ELSEWHERE):
        write.allow(server, workspace, "employee", {"all"})
        write.allow(server, workspace, "hr", {"all", "hr-only"})
    write.ingest(server, [document("open", OPEN), BANDS], lines, embedders=[NOISE], workspace=HERE)
    # The same ids with another tenant, who has nothing hidden.
    write.ingest(server, [document("open", OPEN)], lines, embedders=[NOISE], workspace=ELSEWHERE)
    return server


def test_every_read_is_covered_and_takes_a_view() -> None:
    assert public_functions() == set(READS)
    for name in READS:
        assert next(iter(inspect.signature(getattr(search, name)).parameters.values())).annotation == "View"


ASKED_ELSEWHERE = {
    "test_links_kept.py": {"links.listed", "links.following", "links.texts"},
    "test_mind.py": {
        f"mind_reads.{name}"
        for name in ("name_of", "counts", "get", "by_importance", "by_tag", "expiring", "search")
    },
    "test_anchors.py": {"anchors.anchors", "anchors.by_meaning"},
    "test_paths.py": {"paths.paths"},
    "test_locomo.py": {"talk.by_talk"},
    "test_leak_ways.py": {"gather.gather", "gather.fetch_found", "recall.hybrid"},
}
"""Reads of other modules, by the test file that asks them as who may and as who may not."""


def test_every_function_of_the_core_that_takes_a_view_is_asked_somewhere() -> None:
    found = set()
    for item in pkgutil.iter_modules(memory.__path__):
        module = importlib.import_module(f"{memory.__name__}.{item.name}")
        for name, value in vars(module).items():
            if inspect.isfunction(value) and value.__module__ == module.__name__ and name[0] != "_":
                first = next(iter(inspect.signature(value).parameters.values()), None)
                if first is not None and first.annotation == "View":
                    found.add(f"{item.name}.{name}")
    listed = {f"search.{name}" for name in READS}.union(*ASKED_ELSEWHERE.values())
    assert found == listed
    assert all((Path(__file__).parent / name).exists() for name in ASKED_ELSEWHERE)


@pytest.mark.parametrize("name", sorted(READS))
def test_hr_reads_it(planted: Server, name: str) -> None:
    """The positive control: an empty answer to everybody would otherwise pass."""
    with seen_by(planted, "hr", workspace=HERE) as view:
        assert READS[name](view)
    with seen_by(planted, "hr", workspace=HERE, as_of=date(2025, 6, 1)) as view:
        assert READS[name](view)


@pytest.mark.parametrize("name", sorted(READS))
def test_nobody_else_does(planted: Server, name: str) -> None:
    for roles, workspace, as_of in (
        (("employee",), HERE, None),
        (("employee",), HERE, date(2025, 6, 1)),
        (("employee", "nobody"), HERE, None),
        (("nobody",), HERE, None),
        ((), HERE, None),
        (("hr",), ELSEWHERE, None),
        (("hr",), "nowhere", None),
        (("hr",), HERE, date(2024, 6, 1)),  # before it was valid
    ):
        with seen_by(planted, *roles, workspace=workspace, as_of=as_of) as view:
            assert not READS[name](view), (roles, workspace, as_of)


@pytest.mark.parametrize("name", sorted(READS))
def test_not_after_the_block(planted: Server, name: str) -> None:
    with seen_by(planted, "hr", workspace=HERE) as view:
        view.connection.execute("select set_config('lab.roles', '', true)")
        assert not READS[name](view)


@pytest.mark.parametrize("name", sorted(READS))
@pytest.mark.parametrize(
    "hide",
    [
        "expires_at = now() - interval '1 minute'",
        "superseded_at = now()",
        "visibility = 'private', owner = 'ada'",
        "valid_to = '2025-01-02'",
    ],
)
def test_hidden_by_the_memory_alone(planted: Server, name: str, hide: str) -> None:
    """Vectors and postings don't know these: only the policy on memory does, which every read must meet."""
    with writer(planted) as connection, writing(connection, HERE):
        connection.execute(f"update memory set {hide} where document = 'bands'")
    try:
        with seen_by(planted, "hr", workspace=HERE, as_of=date(2025, 6, 1), member="can") as view:
            assert not READS[name](view)
        if "ada" in hide:
            with seen_by(planted, "hr", workspace=HERE, as_of=date(2025, 6, 1), member="ada") as view:
                assert READS[name](view)
    finally:
        with writer(planted) as connection, writing(connection, HERE):
            connection.execute(
                "update memory set expires_at = null, superseded_at = null, visibility = 'workspace', "
                "owner = null, valid_to = null where document = 'bands'"
            )


def test_removing_the_rule_is_noticed(planted: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutation: with the rule on memory opened, reads leak, and the tests above would see it."""
    from lab.memory.connect import owner

    with owner(planted) as connection:
        connection.execute("create policy hole on memory for select to lab_reader using (true)")
    try:
        with seen_by(planted, "employee", workspace=HERE) as view:
            leaking = {name for name in READS if READS[name](view)}
    finally:
        with owner(planted) as connection:
            connection.execute("drop policy hole on memory")
    # Vectors and postings carry the module themselves and stay closed.
    assert leaking == {"fetch", "children", "parents", "all_chunks", "count"}
