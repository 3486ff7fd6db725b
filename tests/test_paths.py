"""Walking relations with somebody's eyes: how far, and never along or through what he may not see."""

from __future__ import annotations

from datetime import date

import pytest
from trade import (
    AGAOGLU,
    EGE,
    FIRST,
    INVOICE,
    ISIK,
    ORDER,
    PAYMENT,
    SELLER,
    moment,
    opened,
    record,
    seen,
)

from lab.memory.anchors import anchors
from lab.memory.paths import Path, paths
from lab.memory.records import Entity, Link, Record
from lab.memory.server import Server

WHERE = "paths"
PARTNER = Entity("customer:C3", "customer", "Toros Cam")
HIDDEN = Entity("case:K1", "case", "Dava K1", fuzzy=False)
BEHIND = Entity("customer:C4", "customer", "Munzur Deri")
EXTRA = [
    # Read by sales, but this relation only by hr.
    record(PARTNER, "Toros Cam, Ege Gıda.", Link("rival_of", EGE, module="hr")),
    # Ada's own: Toros Cam will buy Ağaoğlu.
    record(PARTNER, "Toros Cam Ağaoğlu'nu alacak.", Link("buys", AGAOGLU), owner="ada", key="plan/1"),
    # Both records are hr's: the case stands between two customers whom sales knows.
    record(
        HIDDEN,
        "Dava K1: Ege Gıda, Munzur Deri.",
        Link("accuses", EGE),
        Link("brought_by", BEHIND),
        module="hr",
    ),
    record(BEHIND, "Müşteri Munzur Deri."),
]


@pytest.fixture(scope="module")
def filled(server: Server) -> Server:
    opened(server, WHERE, [*FIRST, *EXTRA])
    return server


def reached(
    server: Server, start: str, *roles: str, where: str = WHERE, member: str | None = None,
    types: tuple[str, ...] = (), as_of: date | None = date(2026, 6, 1), **limits: int,
) -> dict[str, Path]:  # fmt: skip
    """Name of the node → path, the start left out."""
    with seen(server, where, *roles, member=member, as_of=as_of) as view:
        found = paths(view, anchors(view, start), types, (), **limits)
        return {path.hops[-1].name: path for path in found if path.hops}


def test_three_hops_and_not_one_more(filled: Server) -> None:
    found = reached(filled, "Işıl Çağlar", "owner")
    assert found["ORD-2026-1"].text == "Işıl Çağlar →works_at→ Ağaoğlu Tekstil ←placed_by← ORD-2026-1"
    assert len(found["INV-2026-1"].hops) == 3
    assert "PAY-2026-1" not in found  # four
    assert set(reached(filled, "Işıl Çağlar", "owner", hops=1)) == {"Ağaoğlu Tekstil"}
    assert reached(filled, "Işıl Çağlar", "owner", hops=0) == {}


def test_it_ends_once_what_is_asked_was_met(filled: Server) -> None:
    found = reached(filled, "ORD-2026-1", "owner", types=("order", "invoice"))
    assert "INV-2026-1" in found
    assert "PAY-2026-1" not in found
    assert "PAY-2026-1" in reached(filled, "ORD-2026-1", "owner", types=("order", "payment"))


def test_limits_of_width_and_number(filled: Server) -> None:
    assert len(reached(filled, "Ağaoğlu Tekstil", "owner", hops=1)) == 3
    assert len(reached(filled, "Ağaoğlu Tekstil", "owner", hops=1, width=2)) == 2
    assert len(reached(filled, "Ağaoğlu Tekstil", "owner", total=2)) == 1  # the anchor counts


def test_a_relation_that_opens_wide_is_left_unless_named(server: Server) -> None:
    where = "paths-wide"
    orders = [
        record(
            Entity(f"order:O-{n}", "order", f"O-{n}", fuzzy=False), f"Sipariş O-{n}.", Link("placed_by", EGE)
        )
        for n in range(60)
    ]
    opened(server, where, [FIRST[1], FIRST[3], *orders])
    assert set(reached(server, "Ege Gıda", "owner", where=where)) == {"Burak Koç"}
    assert len(reached(server, "Ege Gıda", "owner", where=where, types=("order",), hops=1)) == 48
    assert len(reached(server, "Ege Gıda", "owner", where=where, fan=60, width=100, hops=1)) == 61


def test_the_module_of_the_evidence_decides(filled: Server) -> None:
    assert {"INV-2026-1", "PAY-2026-1"} <= set(reached(filled, "ORD-2026-1", "finance"))
    assert not {"INV-2026-1", "PAY-2026-1"} & set(reached(filled, "ORD-2026-1", "sales"))


def test_the_edge_has_a_module_of_its_own(filled: Server) -> None:
    assert "Ege Gıda" in reached(filled, "Toros Cam", "owner", hops=1)
    assert reached(filled, "Toros Cam", "sales", hops=1) == {}


def test_a_private_edge_is_its_owners(filled: Server) -> None:
    assert "Ağaoğlu Tekstil" in reached(filled, "Toros Cam", "sales", member="ada", hops=1)
    for member in (None, "can", ""):
        assert "Ağaoğlu Tekstil" not in reached(filled, "Toros Cam", "owner", member=member, hops=1)


def test_no_path_through_a_node_one_may_not_see(filled: Server) -> None:
    assert reached(filled, "Munzur Deri", "owner")["Ege Gıda"].text == (
        "Munzur Deri ←brought_by← Dava K1 →accuses→ Ege Gıda"
    )
    assert reached(filled, "Munzur Deri", "sales") == {}


@pytest.mark.parametrize("roles", [(), ("unknown",)])
def test_unresolved_rights_walk_nowhere(filled: Server, roles: tuple[str, ...]) -> None:
    assert reached(filled, "Ağaoğlu Tekstil", *roles) == {}
    with seen(filled, WHERE, *roles) as view:
        for table in ("entity", "entity_name", "mention", "name_gram", "edge", "edge_degree"):
            assert view.connection.execute(f"select count(*) from {table}").fetchone() == (0,), table


def test_even_a_raw_read_shows_only_what_may_be_seen(filled: Server) -> None:
    def ids(*roles: str, member: str | None = None) -> set[str]:
        with seen(filled, WHERE, *roles, member=member) as view:
            return {key for (key,) in view.connection.execute("select id from entity")}

    def relations(*roles: str, member: str | None = None) -> set[str]:
        with seen(filled, WHERE, *roles, member=member) as view:
            return {name for (name,) in view.connection.execute("select relation from edge")}

    everything = {
        entity.id for entity in (AGAOGLU, EGE, ISIK, SELLER, ORDER, INVOICE, PAYMENT, PARTNER, HIDDEN, BEHIND)
    }
    assert ids("owner") == everything
    assert ids("sales") == everything - {INVOICE.id, PAYMENT.id, HIDDEN.id}
    assert ids("visitor") == {SELLER.id}
    assert relations("sales") == {"account_manager", "works_at", "placed_by"}
    assert relations("sales", member="ada") == {"account_manager", "works_at", "placed_by", "buys"}
    assert relations("visitor") == set()


def test_an_edge_ends_with_its_evidence(server: Server) -> None:
    where = "paths-time"
    opened(
        server,
        where,
        [*FIRST, record(ISIK, "Işıl Çağlar, Ege Gıda.", Link("works_at", EGE), day="2026-03-01")],
    )
    assert set(reached(server, "Işıl Çağlar", "owner", where=where, hops=1)) == {"Ege Gıda"}
    assert set(reached(server, "Işıl Çağlar", "owner", where=where, hops=1, as_of=date(2026, 2, 1))) == {
        "Ağaoğlu Tekstil"
    }


def test_other_workspaces_are_not_met(server: Server, filled: Server) -> None:
    note = Record("notes", "x", moment("2026-01-02"), "all", "Ağaoğlu Tekstil", "tr", mentions=(AGAOGLU,))
    opened(server, "paths-other", [note])
    assert reached(server, "Ağaoğlu Tekstil", "owner", where="paths-other") == {}
