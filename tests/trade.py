"""A small trading company for tests of business memory: records by hand, one question each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime

from stock import Noise

from lab.kinds import Sight
from lab.memory import write
from lab.memory.connect import reader
from lab.memory.records import Entity, Link, Record, SyncReport, sync
from lab.memory.server import Server
from lab.memory.visibility import View, looking

NOISE = Noise(16, "trade")
TODAY = date(2026, 6, 1)
ROLES = {
    "owner": {"all", "sales", "finance", "hr"},
    "sales": {"all", "sales"},
    "finance": {"all", "sales", "finance"},
    "visitor": {"all"},
}

AGAOGLU = Entity("customer:C1", "customer", "Ağaoğlu Tekstil", ("Ağaoğlu Tekstil A.Ş.", "C1"))
EGE = Entity("customer:C2", "customer", "Ege Gıda")
ISIK = Entity("person:P1", "person", "Işıl Çağlar")
SELLER = Entity("employee:E1", "employee", "Burak Koç")
ORDER = Entity("order:ORD-2026-1", "order", "ORD-2026-1", fuzzy=False)
INVOICE = Entity("invoice:INV-2026-1", "invoice", "INV-2026-1", fuzzy=False)
PAYMENT = Entity("payment:PAY-2026-1", "payment", "PAY-2026-1", fuzzy=False)


def moment(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(hour=9, tzinfo=UTC)


def record(
    subject: Entity,
    content: str,
    *links: Link,
    day: str = "2026-01-10",
    module: str = "sales",
    owner: str | None = None,
    language: str = "tr",
    key: str | None = None,
) -> Record:
    return Record(
        "shop", key or subject.id, moment(day), module, content, language, subject, links, owner=owner
    )


FIRST = [
    record(AGAOGLU, "Müşteri Ağaoğlu Tekstil A.Ş. Telefon: 111.", Link("account_manager", SELLER)),
    record(EGE, "Müşteri Ege Gıda. Telefon: 999.", Link("account_manager", SELLER)),
    record(ISIK, "İlgili kişi Işıl Çağlar, Ağaoğlu Tekstil.", Link("works_at", AGAOGLU)),
    record(SELLER, "Çalışan Burak Koç, satış.", module="all"),
    record(ORDER, "Sipariş ORD-2026-1, Ağaoğlu Tekstil. Toplam: 500 TL.", Link("placed_by", AGAOGLU)),
    record(
        INVOICE,
        "Fatura INV-2026-1, sipariş ORD-2026-1. Tutar: 590 TL.",
        Link("for_order", ORDER),
        module="finance",
    ),
    record(
        PAYMENT, "Ödeme PAY-2026-1, fatura INV-2026-1. Dekont: D77.", Link("pays", INVOICE), module="finance"
    ),
    record(SELLER, "Burak Koç maaş: 90.000 TL.", module="hr", key="salary/E1"),
]


def opened(server: Server, workspace: str, records: Sequence[Record] = ()) -> SyncReport:
    """The roles and the records in a workspace."""
    for role, modules in ROLES.items():
        write.allow(server, workspace, role, modules)
    return sync(server, records, workspace=workspace, embedders=[NOISE])


@contextmanager
def seen(
    server: Server,
    workspace: str,
    *roles: str,
    as_of: date | None = TODAY,
    member: str | None = None,
    known_at: datetime | None = None,
) -> Iterator[View]:
    with reader(server) as connection:
        with looking(connection, Sight(frozenset(roles), as_of, member, workspace, known_at)) as view:
            yield view


def contents(view: View) -> set[str]:
    """What the view shows of business memories."""
    rows = view.connection.execute(
        "select content from memory where workspace = %s and collection = 'business'", [view.sight.workspace]
    )
    return {content for (content,) in rows}
