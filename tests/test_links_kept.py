"""Links in the memory core: written once, decided by hand, seen by who may read both ends."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import psycopg
import pytest
from stock import document, seen_by
from test_links import CARE, CHAIN, SENT, book, mail

from lab.corpus.chunk import chunk_all
from lab.corpus.links import propose
from lab.corpus.load import load_folder
from lab.kinds import Document, LabError
from lab.memory import links as keep
from lab.memory import write
from lab.memory.connect import owner, reader, writer
from lab.memory.server import Server
from lab.memory.visibility import View, writing
from lab.settings import ROOT
from lab.workshop import linkage

SECRET = "zirkonyum"
BANDS = book(
    "bands",
    "Salary Bands",
    f"## 1. Scope\nHR.\n\n## 3. Bands\nA chief earns 140 TRY, {SECRET}.",
    access="hr-only",
)
RAISE = mail("raise", f"This mail updates section 3 of the Salary Bands policy: from 1 March 2026 a chief "
f"earns 150 TRY "
             f"instead of 140 TRY, {SECRET}.")  # fmt: skip
"""Everybody may read this mail, but not what it changes."""
CLOSED = replace(
    mail("closed", f"This mail updates section 2 of the Care policy: from 1 March 2026 chiefs get 130 TRY "
    f"instead of "
         f"90 TRY, {SECRET}."),
    access="hr-only",
)  # fmt: skip
"""Only HR may read this mail, but everybody what it changes."""
STOCK = (CARE, *CHAIN, BANDS, RAISE, CLOSED)


def store(server: Server, workspace: str, *documents: Document) -> None:
    write.ingest(server, documents, chunk_all, workspace=workspace, links=propose(documents))


def ids(server: Server, workspace: str, role: str = "hr", as_of: date | None = None) -> set[str]:
    with seen_by(server, role, workspace=workspace, as_of=as_of) as view:
        return {kept.link.source_document for kept in keep.listed(view)}


def rows(server: Server, workspace: str) -> list[tuple[str, str]]:
    with writer(server) as connection, writing(connection, workspace):
        return sorted(connection.execute("select xmin::text || ctid::text, link::text from link").fetchall())


@pytest.fixture
def workspace(server: Server, request: pytest.FixtureRequest) -> str:
    name = str(request.node.name)
    write.allow(server, name, "employee", {"all"})
    write.allow(server, name, "hr", {"all", "hr-only"})
    return name


@pytest.fixture(scope="module")
def planted(server: Server) -> tuple[Server, str]:
    name = "links-planted"
    write.allow(server, name, "employee", {"all"})
    write.allow(server, name, "hr", {"all", "hr-only"})
    store(server, name, *STOCK)
    return server, name


# Written, kept, decided -------------------------------------------------------------------------------------


def test_an_ingest_writes_the_links_and_a_second_one_nothing(server: Server, workspace: str) -> None:
    store(server, workspace, *STOCK)
    before = rows(server, workspace)
    assert len(before) == 4
    store(server, workspace, *STOCK)
    assert rows(server, workspace) == before
    assert keep.write(server, propose(STOCK), workspace) == 0


def test_what_is_stored_is_what_was_proposed(server: Server, workspace: str) -> None:
    store(server, workspace, *STOCK)
    with seen_by(server, "hr", workspace=workspace) as view:
        kept = keep.listed(view)
    assert {one.link for one in kept} == set(propose(STOCK))
    assert {(one.state, one.decided_by, one.decided_at) for one in kept} == {("proposed", None, None)}


def test_links_of_a_removed_document_go_with_it(server: Server, workspace: str) -> None:
    store(server, workspace, *STOCK)
    assert ids(server, workspace) == {"pool-up", "pool-down", "raise", "closed"}
    write.ingest(server, [CARE, CHAIN[0], BANDS], chunk_all, workspace=workspace)  # without proposing anew
    assert ids(server, workspace) == {"pool-up"}
    store(server, workspace, CARE, BANDS)
    assert rows(server, workspace) == []


def test_an_undone_link_stays_undone_and_leads_nowhere(server: Server, workspace: str) -> None:
    store(server, workspace, *STOCK)
    wrong = next(link for link in propose(STOCK) if link.source_document == "pool-up")
    place = {("care", "4")}
    with seen_by(server, "employee", workspace=workspace) as view:
        assert [link.source_document for link in keep.following(view, place)] == ["pool-up", "pool-down"]
    kept = linkage.decide(wrong.id, "undone", "employee", server, workspace)
    assert (kept.state, kept.decided_by) == ("undone", "employee")
    for _ in range(2):
        with seen_by(server, "employee", workspace=workspace) as view:
            assert keep.following(view, place) == []  # and with it what only changed that announcement
            assert "undone" in {one.state for one in keep.listed(view)}
        store(server, workspace, *STOCK)
    # Another wording of the same announcement is the same link; it stays undone.
    again = mail("pool-up", CHAIN[0].text.replace("This mail updates", "With this mail HR updates"),
                 sent=date(2026, 6, 8), title="Swimming from July")  # fmt: skip
    store(server, workspace, CARE, again)
    with seen_by(server, "employee", workspace=workspace) as view:
        assert [(one.link.id, one.state) for one in keep.listed(view)] == [(wrong.id, "undone")]
    assert linkage.decide(wrong.id, "confirmed", "employee", server, workspace).state == "confirmed"
    with seen_by(server, "employee", workspace=workspace) as view:
        assert [link.source_document for link in keep.following(view, place)] == ["pool-up"]


def test_an_unknown_id_and_an_unknown_decision_are_refused(server: Server, workspace: str) -> None:
    with pytest.raises(LabError, match="There is no link 'lnk_nothing'"):
        keep.decide(server, "lnk_nothing", "undone", "me", workspace)
    with pytest.raises(LabError, match="can't be 'gone'"):
        keep.decide(server, "lnk_nothing", "gone", "me", workspace)


def test_a_link_that_is_no_longer_stated_goes(server: Server, workspace: str) -> None:
    store(server, workspace, CARE, CHAIN[0])
    other = replace(CHAIN[0], text="The swimming pool is closed on Mondays.", fingerprint="other")
    store(server, workspace, CARE, other)
    assert rows(server, workspace) == []


def test_links_missing_after_a_kill_come_with_the_next_ingest(server: Server, workspace: str) -> None:
    write.ingest(server, STOCK, chunk_all, workspace=workspace)  # as an older version left it: no links
    assert rows(server, workspace) == []
    store(server, workspace, *STOCK)
    assert len(rows(server, workspace)) == 4


def test_documents_and_links_are_written_together_or_not_at_all(
    server: Server, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> int:
        raise RuntimeError("killed")

    monkeypatch.setattr(keep, "sync", broken)
    with pytest.raises(RuntimeError, match="killed"):
        store(server, workspace, *STOCK)
    with writer(server) as connection, writing(connection, workspace):
        assert connection.execute("select count(*) from document").fetchone() == (0,)


def test_following_goes_through_chains_and_whole_documents(server: Server, workspace: str) -> None:
    other = mail(
        "new", "The new handbook replaces the Care policy from 1 January 2027.", sent=date(2026, 12, 1)
    )
    renamed = replace(CARE, title="Care for Staff")
    documents = (renamed, *CHAIN, replace(other, text=other.text.replace("Care", "Care for Staff")))
    unnamed = [
        replace(d, text=d.text.replace("the Care policy", "the Care for Staff policy")) for d in documents
    ]
    store(server, workspace, *unnamed)
    for place in (("care", "4"), ("pool-up", "0"), ("pool-down", "0")):
        with seen_by(server, "employee", workspace=workspace) as view:
            assert [link.source_document for link in keep.following(view, {place})] == [
                "pool-up",
                "pool-down",
                "new",
            ], place
    with seen_by(server, "employee", workspace=workspace) as view:
        assert [link.source_document for link in keep.following(view, {("care", "1")})] == ["new"]
        assert keep.following(view, set()) == []


# Who sees what ----------------------------------------------------------------------------------------------

READS: dict[str, Callable[[View], Any]] = {
    "listed": keep.listed,
    "following": lambda view: keep.following(
        view, {("bands", "3"), ("raise", "0"), ("closed", "0"), ("care", "2")}
    ),
    "texts": lambda view: keep.texts(view, "section", {("bands", "3"), ("closed", None)}),
}


def hidden(found: Any) -> list[str]:
    return [str(one) for one in found if SECRET in str(one)]


@pytest.mark.parametrize("name", sorted(READS))
def test_hr_reads_it_and_nobody_else(planted: tuple[Server, str], name: str) -> None:
    server, workspace = planted
    day = date(2026, 6, 1)
    with seen_by(server, "hr", workspace=workspace, as_of=day) as view:
        assert len(hidden(READS[name](view))) == 2
    for roles, place, as_of in (
        (("employee",), workspace, day),
        (("employee",), workspace, None),
        (("employee", "nobody"), workspace, None),
        ((), workspace, None),
        (("hr",), "elsewhere", None),
        (("hr",), workspace, date(2024, 6, 1)),
    ):
        with seen_by(server, *roles, workspace=place, as_of=as_of) as view:
            assert hidden(READS[name](view)) == [], (roles, place, as_of)


def test_every_read_of_links_is_covered_and_takes_a_view() -> None:
    found = {
        name
        for name, item in vars(keep).items()
        if inspect.isfunction(item) and item.__module__ == keep.__name__ and not name.startswith("_")
    }
    writes = {"write", "add", "sync", "decide", "unknown"}
    assert found - writes == set(READS)
    for name in READS:
        assert next(iter(inspect.signature(getattr(keep, name)).parameters.values())).annotation == "View"


def test_a_link_to_a_document_that_becomes_closed_is_closed_at_once(server: Server, workspace: str) -> None:
    store(server, workspace, CARE, *CHAIN)
    assert ids(server, workspace, "employee") == {"pool-up", "pool-down"}
    write.ingest(server, [replace(CARE, access="hr-only"), *CHAIN], chunk_all, workspace=workspace)
    assert ids(server, workspace, "employee") == {"pool-down"}  # its two ends are still open
    assert ids(server, workspace, "hr") == {"pool-up", "pool-down"}


def test_removing_the_rule_is_noticed(planted: tuple[Server, str]) -> None:
    """The mutation: with the rule on link opened, it leaks, and the tests above would see it."""
    server, workspace = planted
    with owner(server) as connection:
        connection.execute("create policy hole on link for select to lab_reader using (true)")
    try:
        with seen_by(server, "employee", workspace=workspace) as view:
            assert hidden(keep.listed(view))
    finally:
        with owner(server) as connection:
            connection.execute("drop policy hole on link")


def test_before_its_day_of_announcement_a_link_is_not_there(planted: tuple[Server, str]) -> None:
    server, workspace = planted
    assert ids(server, workspace, "employee", date(2026, 6, 7)) == set()
    assert ids(server, workspace, "employee", date(2026, 6, 8)) == {"pool-up"}
    assert ids(server, workspace, "employee", date(2026, 9, 7)) == {"pool-up", "pool-down"}


def test_the_reading_role_cannot_write_links(planted: tuple[Server, str]) -> None:
    for statement in ("delete from link", "update link set state = 'undone', decided_at = now()"):
        with reader(planted[0]) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(statement)


# Consolidated texts, the graph ------------------------------------------------------------------------------


def test_the_consolidated_text_is_read_with_the_role(planted: tuple[Server, str]) -> None:
    server, workspace = planted
    day = date(2026, 8, 1)
    found = linkage.consolidated("bands", day, "hr", server, workspace)
    assert found.parts[1].text == f"A chief earns 150 TRY, {SECRET}."
    messages = []
    for document_id in ("bands", "no-such-document"):
        with pytest.raises(LabError) as error:
            linkage.consolidated(document_id, day, "employee", server, workspace)
        messages.append(str(error.value).replace(document_id, "…"))
    assert messages[0] == messages[1]  # hidden and absent look the same
    with pytest.raises(LabError, match="There is no role 'boss'"):
        linkage.consolidated("care", day, "boss", server, workspace)


def test_a_change_the_role_may_not_read_does_not_show(planted: tuple[Server, str]) -> None:
    server, workspace = planted
    day = date(2026, 8, 1)
    for role, text in (("employee", "The daily voucher is 90 TRY. No cash."),
                       ("hr", "The daily voucher is 130 TRY. No cash.")):  # fmt: skip
        parts = linkage.consolidated("care", day, role, server, workspace).parts
        assert parts[1].text == text
        assert (SECRET in str(parts)) == (role == "hr")
    plain = linkage.consolidated_json(linkage.consolidated("care", day, "employee", server, workspace))
    assert SECRET not in str(plain)
    listed = linkage.links_json(linkage.links("employee", server, workspace))
    assert SECRET not in str(listed)
    with pytest.raises(LabError, match="There is no link"):
        linkage.decide(
            next(link.id for link in propose(STOCK) if link.source_document == "raise"),
            "undone", "employee", server, workspace,
        )  # fmt: skip


def test_two_days_side_by_side(planted: tuple[Server, str]) -> None:
    server, workspace = planted
    left, right = (linkage.consolidated("care", day, "employee", server, workspace)
                   for day in (date(2026, 6, 30), date(2026, 8, 1)))  # fmt: skip
    assert linkage.diff(left, right) == [
        (
            "4",
            "Swimming",
            "A swimming pool is paid up to 300 TRY a month.",
            "A swimming pool is paid up to 400 TRY a month.",
        )
    ]
    assert [words for same, *words in linkage.changed(*linkage.diff(left, right)[0][2:]) if not same] == [
        ["300 ", "400 "]
    ]
    assert linkage.diff(right, right) == []


def test_editions_are_consolidated_each_by_itself(server: Server, workspace: str) -> None:
    old = replace(CARE, edition="2025", valid_to=date(2027, 1, 1))
    new = replace(CARE, edition="2027", valid_from=date(2027, 1, 1), source="2027/care.md",
                  text=CARE.text.replace("up to 300 TRY", "up to 420 TRY"))  # fmt: skip
    store(server, workspace, old, new, CHAIN[0])
    seen = [
        linkage.consolidated("care", day, "employee", server, workspace).parts[3]
        for day in (date(2026, 6, 30), date(2026, 7, 1), date(2027, 1, 1))
    ]
    assert [(part.text.split("up to ")[1], part.state) for part in seen] == [
        ("300 TRY a month.", "in force"),
        ("400 TRY a month.", "amended"),
        ("420 TRY a month.", "in force"),
    ]


def test_the_graph_has_the_chain(planted: tuple[Server, str]) -> None:
    server, workspace = planted
    drawn = linkage.graph(linkage.links("employee", server, workspace))
    assert set(drawn.edges) == {("pool-up#0", "care#4"), ("pool-down#0", "pool-up#0")}
    edge = drawn.edges["pool-down#0", "pool-up#0"]
    assert (edge["kind"], edge["values"], edge["valid_from"]) == (
        "repeals",
        "400 TRY → 300 TL",
        date(2026, 10, 1),
    )
    assert drawn.nodes["care#4"]["document"] == "care"
    whole = linkage.graph(propose(load_folder(ROOT / "data")))
    assert whole.in_degree("benefits#2") == 1  # two editions, one announcement
    assert whole.edges["mail-uzaktan-2026#0", "hr-working-hours#6"]["values"] == "2 gün → 3 gün; Perşembe → "


def test_the_sent_day_is_what_a_link_remembers(server: Server, workspace: str) -> None:
    store(server, workspace, CARE, document("x", "nothing"), mail("v", "Section 2 of the Care policy is "
    "cancelled "
          "from 1 May 2026."))  # fmt: skip
    with seen_by(server, "employee", workspace=workspace) as view:
        (kept,) = keep.listed(view)
    assert (kept.link.said_on, kept.link.valid_from) == (SENT, date(2026, 5, 1))
