"""Records: each version once, the newest in force, and nothing left of what is forgotten."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import trade
from stock import Noise
from trade import AGAOGLU, EGE, FIRST, NOISE, ORDER, SELLER, contents, opened, record, seen

from lab.kinds import LabError
from lab.memory.connect import writer
from lab.memory.embeddings import Cached
from lab.memory.records import Link, Record, forget, sync
from lab.memory.server import Server
from lab.memory.visibility import writing

TABLES = (
    "memory",
    "memory_vector",
    "posting",
    "lexeme_df",
    "module_size",
    "entity",
    "entity_name",
    "mention",
    "name_gram",
    "edge",
    "edge_degree",
    "sync",
)


def rows(server: Server, workspace: str, table: str) -> list[tuple[Any, ...]]:
    """All rows, without what differs from one writing to the next."""
    left_out = {
        "serial",
        "memory",
        "entity",
        "source",
        "target",
        "evidence",
        "recorded_at",
        "created_at",
        "updated_at",
        "synced_at",
        "workspace",
    }
    if table in ("memory", "sync"):
        left_out -= {"source"}
    with writer(server) as connection, writing(connection, workspace):
        cursor = connection.execute(f"select * from {table} where workspace = %s", [workspace])
        keep = [at for at, column in enumerate(cursor.description or ()) if column.name not in left_out]
        return sorted((tuple(str(row[at]) for at in keep) for row in cursor), key=str)


def state(server: Server, workspace: str) -> dict[str, list[tuple[Any, ...]]]:
    return {table: rows(server, workspace, table) for table in TABLES}


def test_a_replay_writes_nothing(server: Server) -> None:
    report = opened(server, "records-replay", FIRST)
    assert (report.written, report.unchanged, report.closed) == (8, 0, 0)
    before = state(server, "records-replay")
    again = opened(server, "records-replay", FIRST)
    assert (again.written, again.unchanged, again.closed) == (0, 8, 0)
    assert state(server, "records-replay") == before
    assert len(before["edge"]) == 6
    assert len(before["sync"]) == 8


def test_in_bulk_or_one_by_one_the_rows_are_the_same(server: Server) -> None:
    later = record(AGAOGLU, "Müşteri Ağaoğlu Tekstil A.Ş. Telefon: 222.", day="2026-03-01")
    opened(server, "records-bulk", [*FIRST, later])
    for one in [*FIRST, later]:
        opened(server, "records-single", [one])
    bulk, single = state(server, "records-bulk"), state(server, "records-single")
    for table in TABLES:
        if table in (
            "memory",
            "edge",
        ):  # when an end became known differs: at once, or with the later version
            continue
        assert bulk[table] == single[table], table
    assert len(bulk["memory"]) == len(single["memory"]) == 9


def test_the_newest_version_is_in_force_and_the_earlier_one_ends(server: Server) -> None:
    where = "records-versions"
    opened(server, where, FIRST)
    report = opened(
        server, where, [record(AGAOGLU, "Müşteri Ağaoğlu Tekstil A.Ş. Telefon: 222.", day="2026-03-01")]
    )
    assert (report.written, report.closed) == (1, 1)
    with seen(server, where, "owner") as view:
        phones = {text for text in contents(view) if "Telefon" in text}
    assert phones == {"Müşteri Ağaoğlu Tekstil A.Ş. Telefon: 222.", "Müşteri Ege Gıda. Telefon: 999."}


def test_a_version_that_comes_late_is_filed_before_the_newer_one(server: Server) -> None:
    where = "records-late"
    newer = record(EGE, "Telefon: 3.", day="2026-03-01")
    older = record(EGE, "Telefon: 2.", day="2026-02-01")
    oldest = record(EGE, "Telefon: 1.", day="2026-01-01")
    for one in (newer, oldest, older):
        opened(server, where, [one])
    found = {}
    for day in ("2026-01-15", "2026-02-15", "2026-03-15"):
        with seen(server, where, "owner", as_of=date.fromisoformat(day)) as view:
            found[day] = contents(view)
    assert found == {
        "2026-01-15": {"Telefon: 1."},
        "2026-02-15": {"Telefon: 2."},
        "2026-03-15": {"Telefon: 3."},
    }
    assert opened(server, where, [oldest, older, newer]).written == 0


def test_the_same_version_with_other_words_replaces_what_was_known(server: Server) -> None:
    where = "records-rewritten"
    first, second = record(EGE, "Telefon: 1."), record(EGE, "Telefon: 2.")
    opened(server, where, [first])
    opened(server, where, [second])
    with seen(server, where, "owner", as_of=None) as view:
        assert contents(view) == {"Telefon: 2."}
    opened(server, where, [first])  # and back
    with seen(server, where, "owner", as_of=None) as view:
        assert contents(view) == {"Telefon: 1."}


def test_both_axes_of_time(server: Server) -> None:
    """True then, and known then."""
    where = "records-time"
    opened(server, where, [record(ORDER, "Durum: hazırlanıyor.", Link("placed_by", AGAOGLU))])
    time.sleep(0.05)
    between = datetime.now(UTC)
    time.sleep(0.05)
    opened(server, where, [record(ORDER, "Durum: kargoda.", Link("placed_by", EGE), day="2026-03-01")])

    def look(as_of: date | None, known_at: datetime | None) -> tuple[set[str], int]:
        with seen(server, where, "owner", as_of=as_of, known_at=known_at) as view:
            edges = view.connection.execute("select count(*) from edge").fetchone()
            assert edges is not None
            return contents(view), edges[0]

    february, april = date(2026, 2, 1), date(2026, 4, 1)
    assert look(april, None) == ({"Durum: kargoda."}, 1)
    assert look(february, None) == ({"Durum: hazırlanıyor."}, 1)
    assert look(april, between) == ({"Durum: hazırlanıyor."}, 1)  # nobody knew of the later version
    assert look(april, between - timedelta(days=1)) == (set(), 0)
    assert look(date(2025, 1, 1), None) == (set(), 0)
    assert look(None, None) == ({"Durum: hazırlanıyor.", "Durum: kargoda."}, 2)


def test_twenty_parallel_retries_leave_one_record(server: Server) -> None:
    where = "records-parallel"
    opened(server, where)
    one = record(ORDER, "Sipariş ORD-2026-1.", Link("placed_by", AGAOGLU))

    def send(_: int) -> int:
        return sync(server, [one], workspace=where, embedders=[NOISE]).written

    with ThreadPoolExecutor(20) as pool:
        assert sum(pool.map(send, range(20))) == 1
    counts = {table: len(found) for table, found in state(server, where).items()}
    assert (counts["memory"], counts["edge"], counts["sync"], counts["entity"]) == (1, 1, 1, 2)
    assert {row[-1] for row in rows(server, where, "edge_degree")} == {"1"}


def test_what_is_forgotten_leaves_nothing_behind(server: Server) -> None:
    where = "records-forget"
    opened(server, where, FIRST[:4])
    before = state(server, where)
    opened(server, where, [record(ORDER, "Sipariş ORD-2026-1, zırhlı.", Link("placed_by", AGAOGLU))])
    opened(
        server,
        where,
        [record(ORDER, "Sipariş ORD-2026-1, zırhlı kamyon.", Link("placed_by", EGE), day="2026-02-01")],
    )
    assert state(server, where) != before
    assert forget(server, "shop", ORDER.id, workspace=where) == 2
    assert state(server, where) == before
    assert forget(server, "shop", ORDER.id, workspace=where) == 0


def test_caches_forget_with_a_record(server: Server) -> None:
    where, noise = "records-forget-caches", Noise(16, "records-forget")
    cached = Cached(noise, server)
    order = record(ORDER, "Sipariş ORD-2026-1, zırhlı.")
    sync(server, [order], workspace=where, embedders=[cached])
    Cached(noise, server).passages([order.content])
    assert noise.computed == [order.content]  # the database remembers it
    assert forget(server, "shop", ORDER.id, workspace=where) == 1
    cached.passages([order.content])
    assert noise.computed == [order.content] * 2  # neither the database nor the process does


def test_an_edge_needs_a_memory_that_mentions_both_ends(server: Server) -> None:
    where = "records-edge"
    opened(server, where, FIRST)
    with pytest.raises(Exception, match="foreign key"):
        with writer(server) as connection, writing(connection, where):
            connection.execute(
                """insert into edge (workspace, source, source_type, relation, target, target_type,
                evidence, module)
                   select %s, a.serial, 'customer', 'rival_of', b.serial, 'customer', m.serial, 'all'
                   from entity a, entity b, memory m where a.workspace = %s and b.workspace = %s
                        and a.id = %s and b.id = %s and m.workspace = %s and m.content like 'Çalışan%%'""",
                [where, where, where, AGAOGLU.id, EGE.id, where],
            )


def test_what_cannot_be_stored_is_said(server: Server) -> None:
    broken = record(SELLER, "bir \0 iki")
    with pytest.raises(LabError, match="NUL"):
        sync(server, [broken], workspace="records-bad")
    with pytest.raises(LabError, match="time zone"):
        sync(server, [replace(FIRST[0], version=datetime(2026, 1, 1))], workspace="records-bad")
    assert rows(server, "records-bad", "memory") == []


def test_a_record_without_a_subject_is_a_memory_all_the_same(server: Server) -> None:
    plain = Record("mail", "m1", trade.moment("2026-01-02"), "sales", "Selam", "tr", mentions=(EGE,))
    opened(server, "records-plain", [plain])
    with seen(server, "records-plain", "sales") as view:
        assert contents(view) == {"Selam"}
