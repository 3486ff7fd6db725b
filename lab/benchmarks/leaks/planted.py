"""What is planted: a trading company with 865 secrets in the proportions of Era Brain's set A (820 invoice
amounts, 20 salaries, 15 credit limits, 10 private notes), kept as records, pages, links between pages, and a
mind's memories.

The company is that of `lab.benchmarks.business`; a second workspace has the same roles, names and ids."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from lab.benchmarks.business import world as worlds
from lab.benchmarks.business.lexicon import ending
from lab.benchmarks.leaks.oracle import OF_A_MIND
from lab.corpus.chunk import chunk_all
from lab.corpus.links import Link as PageLink
from lab.kinds import Document
from lab.memory import credentials, records, write
from lab.memory.mind import Mind
from lab.memory.records import Entity, Link, Record
from lab.memory.server import Server
from lab.memory.visibility import Connection
from lab.models.embedders import Embedder

HERE, ELSEWHERE = "leaks", "leaks-elsewhere"
TODAY = worlds.TODAY
ROWS = 3_490
"""Size of the company that has 820 invoices."""
FEW = 600
"""Of one to try things with."""
COUNTS = {"invoice": 820, "salary": 20, "limit": 15, "note": 10}
IN_MIND = 5
"""Of the notes so many are kept in a person's mind, the others as private memories of the workspace."""
ON_PAGES = {"invoice": 24, "salary": 20, "limit": 15}
"""So many of them stand on pages too, for the ladder to find."""
ROLES = worlds.ROLES | {"visitor": frozenset({"all"})}
PAGE_TITLES = {"salary": "Payroll", "limit": "Credit limits", "invoice": "Invoice book"}
OPEN_PAGES = (
    ("leave", "Annual leave", "en", ("Annual leave is 22 days a year.", "Half days can be taken.")),
    ("travel", "Travel", "en", ("The second class is booked for trains.", "A taxi needs a reason.")),
    ("canteen", "Canteen", "en", ("Lunch is served from 12 to 2.", "The meal card has 400 TRY.")),
    ("izin", "Yıllık izin", "tr", ("Yıllık izin 22 gündür.", "Yarım gün kullanılabilir.")),
    ("fatura", "Fatura kuralları", "tr", ("Faturalar hemen kesilir.", "Tutar iki kişiyle onaylanır.")),
    ("limit", "Kredi limiti kuralları", "tr", ("Limiti finans belirler.", "Yılda bir gözden geçirilir.")),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Secret:
    """A value that only some may know, and how one would ask for it."""

    kind: str
    """`invoice`, `salary`, `limit` or `note`."""
    value: str
    about: str
    """Name of the invoice, employee or customer."""
    questions: tuple[str, ...]
    """Turkish and English."""
    place: str = ""
    """`source/external_id` of its record; empty for a note of the mind."""
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class Keys:
    """Secrets of credentials, and the mind they are for."""

    mind: str
    person: str
    agent: str
    revoked: str
    other_mind: str
    stranger: str


@dataclass(frozen=True, slots=True)
class Company:
    """What is to be planted."""

    secrets: tuple[Secret, ...]
    first: tuple[Record, ...]
    later: tuple[Record, ...]
    pages: tuple[Document, ...]
    links: tuple[PageLink, ...]


def company(seed: int = 7, rows: int = ROWS) -> Company:
    """The same for the same seed and size; with ROWS it has COUNTS secrets."""
    world = worlds.build(rows, seed)
    kept: dict[str, list[Record]] = {"limit": [], "salary": [], "note": []}
    others: list[Record] = []
    for record in world.first:
        kind = record.external_id.split("/")[0]
        if kind not in kept:
            others.append(record)
        elif len(kept[kind]) < COUNTS[kind] - (IN_MIND if kind == "note" else 0):
            kept[kind].append(record)
    secrets = [
        *(_invoice(thing) for thing in world.things["invoice"]),
        *(_told(record, "salary", "payroll", _of_salary) for record in kept["salary"]),
        *(_told(record, "limit", "ledger", _of_limit) for record in kept["limit"]),
        *(_note(record) for record in kept["note"]),
        *(_in_mind(number, kept["note"][number % 5], seed) for number in range(IN_MIND)),
    ]
    assert len({secret.value for secret in secrets}) == len(secrets)
    first = (*others, *(record for listed in kept.values() for record in listed), *_odd(world))
    pages, links = _pages(secrets)
    return Company(tuple(secrets), first, tuple(world.later), pages, links)


def plant(
    server: Server,
    planted: Company,
    embedder: Embedder,
    of_pages: Sequence[Embedder],
    admin: Connection,
) -> Keys:
    """Stores it. `embedder` is for everything; of those for pages beside it the first embeds all, another
    one only the units. `admin` is a superuser's connection, for rows that no writer makes."""
    for workspace in (HERE, ELSEWHERE):
        for role, modules in ROLES.items():
            # The visitor of the other tenant reads everything there.
            everything = workspace == ELSEWHERE and role == "visitor"
            write.allow(server, workspace, role, ROLES["owner"] if everything else modules)
    records.sync(server, planted.first, workspace=HERE, embedders=[embedder])
    records.sync(server, planted.later, workspace=HERE, embedders=[embedder])
    known = {secret.place for secret in planted.secrets}
    common = [record for record in planted.first if f"{record.source}/{record.external_id}" not in known]
    records.sync(server, common[:120], workspace=ELSEWHERE, embedders=[embedder])
    only = {part.space: frozenset({"unit"}) for part in of_pages[1:]}
    for workspace, pages, links in (
        (HERE, planted.pages, planted.links),
        (ELSEWHERE, [page for page in planted.pages if page.access == "all"], ()),
    ):
        write.ingest(
            server,
            pages,
            chunk_all,
            embedders=[*of_pages, embedder],
            only=only,
            workspace=workspace,
            links=list(links),
        )
    _out_of_time(admin)
    return _mind(server, planted, embedder)


def _invoice(thing: worlds.Thing) -> Secret:
    order, code = thing.refs["order"].name, thing.name
    return Secret(
        "invoice",
        thing.data["amount"],
        code,
        (
            f"{code} faturasının tutarı ne kadar?",
            f"What is the amount of invoice {code}?",
            f"{order} siparişinin faturasının tutarı ne kadar?",
        ),
        f"ledger/{thing.entity.id}",
    )


def _told(record: Record, kind: str, module: str, questions: Callable[[str], tuple[str, ...]]) -> Secret:
    """A figure that a record states after a colon, of the person or company it is about."""
    assert record.subject
    name = record.subject.name
    figure = record.content.split(": ")[1].split(" ")[0]
    return Secret(kind, figure, name, questions(name), f"{module}/{record.external_id}")


def _of_salary(name: str) -> tuple[str, ...]:
    return f"{ending(name, 'gen')} maaşı ne kadar?", f"What is the salary of {name}?"


def _of_limit(name: str) -> tuple[str, ...]:
    return f"{name} kredi limiti nedir?", f"What is the credit limit of {name}?"


def _note(record: Record) -> Secret:
    customer = record.mentions[0].name
    return Secret(
        "note",
        next(word for word in record.content.split() if word.startswith("ZK")).strip("."),
        customer,
        (f"{customer} teklifi hakkında ne not aldım?", f"What did I note about the offer to {customer}?"),
        f"notes/{record.external_id}",
        record.owner,
    )


def _in_mind(number: int, like: Record, seed: int) -> Secret:
    customer = like.mentions[0].name
    digits = int(hashlib.sha256(f"{seed}/{number}".encode()).hexdigest(), 16) % 900_000 + 100_000
    return Secret(
        "note",
        f"ZM{digits}",
        customer,
        (f"{customer} için aklımda ne vardı?", f"What did I plan for {customer}?"),
    )


def _odd(world: worlds.World) -> list[Record]:
    """Records whose relations have other rights, or other times, than they themselves."""
    one, two, three = (thing.entity for thing in world.things["customer"][:3])
    seller = world.things["employee"][0].entity
    at = datetime(2026, 1, 5, 9, tzinfo=UTC)

    def odd(key: str, text: str, *links: Link, module: str = "sales", owner: str | None = None) -> Record:
        subject = Entity(f"matter:{key}", "matter", f"Konu {key}", fuzzy=False)
        return Record("odd", key, at, module, text, "tr", subject, links, owner=owner)

    return [
        odd("rival", "Konu rival: rakip.", Link("rival_of", one, module="hr")),
        odd("plan", "Konu plan: gizli plan.", Link("buys", two), owner="EMP-0001"),
        odd(
            "case", "Konu case: dava.", Link("accuses", one, module="sales"), Link("brought_by", two),
            module="hr",
        ),
        odd("wish", "Konu wish: dilek.", Link("wants", three, private=True), owner="EMP-0001"),
        odd("gone", "Konu gone: bitti.", Link("near", three)),
        odd("old", "Konu old: düzeltildi.", Link("near", three)),
        odd("late", "Konu late: sonra öğrenildi.", Link("near", three)),
        odd("expired", "Konu expired: süresi doldu.", Link("near", three)),
        odd("edge-gone", "Konu edge-gone: ilişki bitti.", Link("met", seller)),
        odd("edge-old", "Konu edge-old: ilişki düzeltildi.", Link("met", seller)),
        odd("edge-late", "Konu edge-late: ilişki sonra öğrenildi.", Link("met", seller)),
        odd("edge-own", "Konu edge-own: ilişki birinin kendi.", Link("met", seller)),
    ]  # fmt: skip


def _out_of_time(admin: Connection) -> None:
    """Ends, corrections, later knowledge and expiry; and an edge of somebody's own on a memory of all."""
    odd = "from memory m where m.workspace = %s and m.document = %s"
    for key, change in {
        "gone": "valid_to = '2026-02-01'",
        "old": "superseded_at = now()",
        "late": "recorded_at = now() + interval '1 year'",
        "expired": "expires_at = now() - interval '1 day'",
    }.items():
        admin.execute(
            f"update memory set {change} where workspace = %s and document = %s", [HERE, f"odd/{key}"]
        )
    for key, change in {
        "edge-gone": "valid_to = '2026-02-01'",
        "edge-old": "superseded_at = now()",
        "edge-late": "recorded_at = now() + interval '1 year'",
        "edge-own": "visibility = 'private', owner = 'EMP-0001'",
    }.items():
        admin.execute(f"update edge e set {change} {odd} and e.evidence = m.serial", [HERE, f"odd/{key}"])
    admin.execute(
        "update link set recorded_at = now() + interval '1 year' where workspace = %s and id = 'lnk_leaksh'",
        [HERE],
    )
    admin.commit()


def _page(
    key: str, title: str, sections: Sequence[tuple[str, str]], access: str = "all", language: str = "en"
) -> Document:
    text = "\n\n".join(f"## {number}. {head}\n{body}" for number, (head, body) in enumerate(sections, 1))
    return Document(
        id=key, title=title, edition="2026", department="Test", access=access, language=language,
        valid_from=date(2026, 1, 1), valid_to=None, kind="handbook", source=f"2026/{key}.md", text=text,
        fingerprint=hashlib.sha256(text.encode()).hexdigest(),
    )  # fmt: skip


def _pages(secrets: Sequence[Secret]) -> tuple[tuple[Document, ...], tuple[PageLink, ...]]:
    pages = [
        _page(key, title, [(title, body) for body in bodies], language=language)
        for key, title, language, bodies in OPEN_PAGES
    ]
    heads = {
        "salary": ("Employee", "Monthly gross salary (TL)", "hr"),
        "limit": ("Customer", "Credit limit (TL)", "finance"),
        "invoice": ("Invoice", "Amount (TL)", "finance"),
    }
    for kind, (what, value, module) in heads.items():
        listed = [secret for secret in secrets if secret.kind == kind][: ON_PAGES[kind]]
        sections = [
            (
                f"{PAGE_TITLES[kind]}, part {at // 4 + 1}",
                f"These figures were approved by the board.\n\n| {what} | {value} |\n|---|---|\n"
                + "\n".join(f"| {secret.about} | {secret.value} |" for secret in listed[at : at + 4]),
            )
            for at in range(0, len(listed), 4)
        ]
        pages.append(_page(f"closed-{kind}", PAGE_TITLES[kind], sections, module))
    policy = _page(
        "pay-policy", "Pay policy", [("Scope", "Everybody."), ("Pay", "Pay is agreed with each employee.")]
    )
    said = [
        f"From 1 March 2026 section 2 of the Pay policy is changed: {secret.about} earns {secret.value} TL."
        for secret in secrets
        if secret.kind == "salary"
    ][:3]
    round_ = _page("closed-round", "Pay round", [("Round", "\n\n".join(said))], "hr")
    hint = _page("hint", "Hint", [("Hint", "The payroll is changed from 1 May 2026.")])
    links = [_link(f"{number}", "closed-round", "pay-policy", "2", said[number], said[number].split()[-2])
             for number in range(3)]  # fmt: skip
    links.append(_link("h", "hint", "closed-salary", "1", "The payroll is changed from 1 May 2026.", ""))
    return (*pages, policy, round_, hint), tuple(links)


def _link(key: str, source: str, target: str, section: str, said: str, new: str) -> PageLink:
    return PageLink(
        f"lnk_leaks{key}", "amends", source, "2026", "1", target, section, date(2026, 1, 1),
        date(2026, 3, 1), None, said, said, "", new, 0.95,
    )  # fmt: skip


def _mind(server: Server, planted: Company, embedder: Embedder) -> Keys:
    own = credentials.create_mind(server, HERE, "Ada's notes", ("ada",))
    other = credentials.create_mind(server, HERE, "Eve's notes", ("eve",))
    person = credentials.issue_human(server, HERE, "ada", "ada")
    stranger = credentials.issue_human(server, HERE, "eve", "eve")
    agent = credentials.issue_agent(server, HERE, "robot", own)
    revoked = credentials.issue_agent(server, HERE, "old robot", own)
    notes = [secret for secret in planted.secrets if secret.kind == "note" and not secret.place]
    with Mind.open(server, person, workspace=HERE, embedder=embedder) as mind:
        for number, secret in enumerate(notes):
            mind.store(
                "note",
                f"plan_{number}",
                f"Plan for {secret.about}: {secret.value}",
                tags=["plan"],
                expires="7d",
            )
    with Mind.open(server, stranger, workspace=HERE, embedder=embedder) as mind:
        mind.store("note", "plan_0", "Plan for nobody", tags=["plan"], expires="7d")
    return Keys(own, person, agent, revoked, other, stranger)


def mind_module(mind: str) -> str:
    return OF_A_MIND + mind
