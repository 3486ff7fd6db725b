"""The world: a trading company's records and conversations, the same for the same seed and size.

Two states: `first` is what was synchronised at the beginning, `later` the versions that came afterwards."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta

from lab.benchmarks.business import lexicon as lex
from lab.memory.facts import Message, extract
from lab.memory.records import Entity, Link, Record
from lab.text import fold

TODAY = date(2026, 11, 20)
START = date(2025, 9, 1)
MODULES = ("all", "sales", "finance", "hr", "support", "purchasing")
ROLES: dict[str, frozenset[str]] = {
    "owner": frozenset(MODULES),
    "sales": frozenset({"all", "sales", "support"}),
    "finance": frozenset({"all", "sales", "finance"}),
    "hr": frozenset({"all", "hr"}),
}


@dataclass
class Thing:
    """A generated business object: its entity, language and facts by attribute; `at` its day."""

    entity: Entity
    language: str
    at: date
    data: dict[str, str] = field(default_factory=dict)
    refs: dict[str, Thing] = field(default_factory=dict)
    record: Record | None = None

    @property
    def name(self) -> str:
        return self.entity.name


@dataclass
class Said:
    """A value stated in a conversation, for the gold: whose, about what, and the key of its fact."""

    customer: Thing
    order: Thing | None
    attribute: str
    value: str
    fact: tuple[str, str]
    corrected: bool
    """Whether an earlier value was taken back; `value` is the latest."""


@dataclass
class World:
    things: dict[str, list[Thing]]
    first: list[Record]
    later: list[Record]
    changed: list[tuple[Thing, str, str, str]]
    """(thing, attribute, value at first, value now) of records that have a later version."""
    said: list[Said]
    secrets: list[tuple[str, str]]
    """(module or owner that may know it, the value)."""


def money(amount: float) -> str:
    """12450.5 → "12.450,50"."""
    return f"{amount:,.2f}".translate(str.maketrans(",.", ".,"))


def day(when: date) -> str:
    return when.strftime("%d.%m.%Y")


def at(when: date, hour: int = 9) -> datetime:
    return datetime.combine(when, time(hour), UTC)


def counts(rows: int) -> dict[str, int]:
    """How many of each, for about `rows` memories."""
    share = {
        "customer": 0.02,
        "person": 0.03,
        "product": 0.012,
        "order": 0.325,
        "invoice": 0.235,
        "payment": 0.16,
        "ticket": 0.075,
        "talk": 0.04,
    }
    return {kind: max(12, round(rows * part)) for kind, part in share.items()} | {
        "employee": min(1500, max(24, rows // 250)),
        "supplier": min(280, max(8, rows // 350)),
    }


def build(rows: int = 2_000, seed: int = 7) -> World:
    """A world of about `rows` memories. Below 100,000; names of people and companies are unique."""
    draw = random.Random(seed)
    n = counts(rows)
    things: dict[str, list[Thing]] = {}
    world = World(things, [], [], [], [], [])
    tr_people = draw.sample(
        [f"{a} {b}" for a in lex.TR_FIRST for b in lex.TR_LAST], 2 * n["employee"] // 3 + n["person"] // 2 + 9
    )
    en_people = draw.sample(
        [f"{a} {b}" for a in lex.EN_FIRST for b in lex.EN_LAST], n["employee"] // 3 + n["person"] // 2 + 9
    )
    tr_firms = draw.sample(
        [f"{a} {b}" for a in lex.TR_COMPANY for b in lex.TR_TRADE], n["customer"] * 3 // 5 + 1
    )
    en_firms = draw.sample(
        [f"{a} {b}" for a in lex.EN_COMPANY for b in lex.EN_TRADE], n["customer"] * 2 // 5 + 1
    )
    used: set[str] = set()

    def digits(k: int) -> str:
        while (number := "".join(draw.choices("0123456789", k=k))) in used or number[0] == "0":
            pass
        used.add(number)
        return number

    def phone(turkish: bool) -> str:
        number = digits(7)
        return (
            f"+90 5{draw.randint(10, 59)} {number[:3]} {number[3:]}"
            if turkish
            else f"+44 7{draw.randint(100, 999)} {number}"
        )

    def person(turkish: bool) -> str:
        return (tr_people if turkish else en_people).pop()

    def mail(name: str, host: str) -> str:
        return f"{fold(name).replace(' ', '.')}@{host}"

    employees = things["employee"] = []
    for i in range(n["employee"]):
        turkish = i % 3 != 2
        name, department = person(turkish), lex.DEPARTMENTS[i % len(lex.DEPARTMENTS)]
        title = draw.choice(lex.TITLES)
        thing = Thing(
            Entity(f"employee:EMP-{i:04}", "employee", name, (f"EMP-{i:04}",)),
            "tr" if turkish else "en",
            START,
        )
        side = 0 if turkish else 1
        thing.data = {
            "code": f"EMP-{i:04}",
            "department": department[side],
            "title": title[side],
            "phone": phone(turkish),
            "mail": mail(name, "krakentrade.example"),
            "desk": f"D-{digits(5)}",
        }
        if i >= len(lex.DEPARTMENTS):
            thing.refs["manager"] = employees[
                i % len(lex.DEPARTMENTS) + len(lex.DEPARTMENTS) * draw.randrange(0, max(1, i // 40))
            ]
        employees.append(thing)
    suppliers = things["supplier"] = []
    for i in range(n["supplier"]):
        turkish = i % 2 == 0
        word = (lex.TR_COMPANY if turkish else lex.EN_COMPANY)[(i // 2) % 35]
        name = f"{word} {lex.SUPPLIER_TAIL[(i // 70) % 4 + (0 if turkish else 4)]}"
        thing = Thing(
            Entity(f"supplier:SUP-{i:04}", "supplier", name, (f"SUP-{i:04}",)),
            "tr" if turkish else "en",
            START,
        )
        thing.data = {
            "code": f"SUP-{i:04}",
            "phone": phone(turkish),
            "iban": f"TR{digits(12)}",
            "city": draw.choice(lex.TR_CITY if turkish else lex.EN_CITY),
            "lead": str(draw.randint(3, 60)),
        }
        suppliers.append(thing)
    products = things["product"] = []
    for i in range(n["product"]):
        turkish = i % 2 == 0
        model = f"{'ABCDEFGHKLMNPRSTVXYZ'[i % 20]}{chr(65 + i // 400)}{100 + 7 * (i // 20)}"
        kind = lex.PRODUCTS[(i * 7 + i // 20) % len(lex.PRODUCTS)][0 if turkish else 1]
        thing = Thing(
            Entity(f"product:PRD-{i:04}", "product", f"{kind} {model}", (model, f"PRD-{i:04}"), fuzzy=False),
            "tr" if turkish else "en",
            START,
        )
        thing.data = {
            "code": f"PRD-{i:04}",
            "price": money(draw.randint(20_000, 2_000_000) / 100),
            "stock": str(draw.randint(3, 900)),
            "warranty": str(draw.choice((12, 18, 24, 30, 36))),
        }
        thing.refs["supplier"] = suppliers[draw.randrange(len(suppliers))]
        products.append(thing)
    customers = things["customer"] = []
    sellers = [e for e in employees if e.data["department"] in ("satış", "sales")]
    for i in range(n["customer"]):
        turkish = i % 5 < 3
        name = (tr_firms if turkish else en_firms).pop()
        full = f"{name} {'A.Ş.' if turkish else 'Ltd'}"
        thing = Thing(
            Entity(f"customer:CUS-{i:05}", "customer", name, (full, f"CUS-{i:05}")),
            "tr" if turkish else "en",
            START + timedelta(days=draw.randrange(30)),
        )
        thing.data = {
            "code": f"CUS-{i:05}",
            "full": full,
            "tax": digits(10),
            "iban": f"TR{digits(14)}",
            "web": f"www.{fold(name).replace(' ', '-')}.example",
            "phone": phone(turkish),
            "city": draw.choice(lex.TR_CITY if turkish else lex.EN_CITY),
            "limit": money(draw.randint(50, 5000) * 1000 + draw.randint(1, 999)),
        }
        thing.refs["manager"] = draw.choice(sellers)
        customers.append(thing)
    people = things["person"] = []
    for i in range(n["person"]):
        customer = customers[i % len(customers)]
        turkish = customer.language == "tr"
        if not (tr_people if turkish else en_people):
            continue
        name = person(turkish)
        thing = Thing(Entity(f"person:{name}", "person", name), customer.language, customer.at)
        thing.data = {
            "phone": phone(turkish),
            "mail": mail(name, customer.data["web"][4:]),
            "title": draw.choice(lex.TITLES)[0 if turkish else 1],
        }
        thing.refs["customer"] = customer
        people.append(thing)
    span = (TODAY - START).days - 50
    orders = things["order"] = []
    for i in range(n["order"]):
        customer = draw.choice(customers)
        when = START + timedelta(days=30 + draw.randrange(span))
        chosen = draw.sample(products, draw.randint(1, 2))
        amounts = [draw.randint(1, 40) for _ in chosen]
        code = f"ORD-{when.year}-{i:05}"
        thing = Thing(Entity(f"order:{code}", "order", code, fuzzy=False), customer.language, when)
        side = 0 if customer.language == "tr" else 1
        thing.data = {
            "code": code,
            "total": money(draw.randint(100_000, 90_000_000) / 100),
            "status": draw.choice(lex.ORDER_STATUS)[side],
            "delivery": day(when + timedelta(days=draw.randint(4, 25))),
            "carrier": f"KRG{digits(8)}",
            "lines": ", ".join(f"{k} × {p.name}" for k, p in zip(amounts, chosen, strict=True)),
        }
        thing.refs = {"customer": customer} | {f"product{k}": p for k, p in enumerate(chosen)}
        orders.append(thing)
    invoices = things["invoice"] = []
    for i, order in enumerate(draw.sample(orders, min(n["invoice"], len(orders)))):
        when = order.at + timedelta(days=draw.randint(1, 9))
        code = f"INV-{when.year}-{i:05}"
        thing = Thing(Entity(f"invoice:{code}", "invoice", code, fuzzy=False), order.language, when)
        thing.data = {
            "code": code,
            "amount": money(draw.randint(100_000, 90_000_000) / 100),
            "due": day(when + timedelta(days=draw.choice((15, 30, 45, 60)))),
        }
        thing.refs = {"order": order, "customer": order.refs["customer"]}
        order.refs["invoice"] = thing
        invoices.append(thing)
    payments = things["payment"] = []
    for i, invoice in enumerate(draw.sample(invoices, min(n["payment"], len(invoices)))):
        when = min(TODAY, invoice.at + timedelta(days=draw.randint(3, 40)))
        code = f"PAY-{when.year}-{i:05}"
        thing = Thing(Entity(f"payment:{code}", "payment", code, fuzzy=False), invoice.language, when)
        thing.data = {
            "code": code,
            "amount": invoice.data["amount"],
            "bank": draw.choice(lex.BANKS),
            "receipt": f"DKT{digits(9)}",
        }
        thing.refs = {"invoice": invoice}
        invoice.refs["payment"] = thing
        payments.append(thing)
    tickets = things["ticket"] = []
    helpers = [e for e in employees if e.data["department"] in ("destek", "support")]
    for i in range(n["ticket"]):
        # Complaints come mostly after the invoice.
        order = draw.choice(invoices).refs["order"] if draw.random() < 0.8 else draw.choice(orders)
        when = min(TODAY, order.at + timedelta(days=draw.randint(5, 40)))
        code = f"TCK-{i:05}"
        thing = Thing(Entity(f"ticket:{code}", "ticket", code, fuzzy=False), order.language, when)
        side = 0 if order.language == "tr" else 1
        subject = draw.choice(lex.SUBJECTS)
        thing.data = {
            "code": code,
            "subject": subject[side],
            "subject_tr": subject[0],
            "subject_en": subject[1],
            "priority": draw.choice((("düşük", "low"), ("normal", "normal"), ("acil", "urgent")))[side],
        }
        thing.refs = {"order": order, "customer": order.refs["customer"], "employee": draw.choice(helpers)}
        tickets.append(thing)
    from lab.benchmarks.business import say

    for kind, listed in things.items():
        for thing in listed:
            thing.record = say.record(kind, thing)
            world.first.append(thing.record)
    for customer in customers:
        world.first.append(say.limit(customer))
        world.secrets.append(("finance", customer.data["limit"]))
    for employee in employees:
        salary = money(draw.randint(30_000, 250_000) + draw.randint(1, 99) / 100)
        world.first.append(say.salary(employee, salary))
        world.secrets.append(("hr", salary))
    for invoice in invoices:
        world.secrets.append(("finance", invoice.data["amount"]))
    for i in range(max(5, rows // 250)):
        customer, keeper = draw.choice(customers), draw.choice(sellers)
        word = f"ZK{digits(6)}"
        world.first.append(say.note(i, customer, keeper, word))
        world.secrets.append((f"@{keeper.data['code']}", word))
    _change(world, draw, phone)
    _talk(world, draw, n["talk"])
    return world


def _change(world: World, draw: random.Random, phone: Callable[[bool], str]) -> None:
    """Later versions of some records."""
    from lab.benchmarks.business import say

    plans: tuple[tuple[str, str, Callable[[Thing], str]], ...] = (
        ("product", "price", lambda thing: money(draw.randint(20_000, 2_000_000) / 100)),
        ("customer", "phone", lambda thing: phone(thing.language == "tr")),
        ("customer", "iban", lambda thing: f"TR{draw.randrange(10**13, 10**14)}"),
        ("employee", "desk", lambda thing: f"D-{draw.randrange(10_000, 99_999)}"),
    )
    taken: set[str] = set()
    for kind, attribute, make in plans:
        free = [t for t in world.things[kind] if t.entity.id not in taken]
        for thing in draw.sample(free, min(len(free) // 3, 60)):
            taken.add(thing.entity.id)
            before, now = thing.data[attribute], make(thing)
            when = date(2026, 4, 1) + timedelta(days=draw.randrange(200))
            newer = replace_data(thing, attribute, now)
            record = say.record(kind, newer)
            world.later.append(replace(record, version=at(when), valid_from=when))
            world.changed.append((thing, attribute, before, now))


def replace_data(thing: Thing, attribute: str, value: str) -> Thing:
    return Thing(thing.entity, thing.language, thing.at, thing.data | {attribute: value}, thing.refs)


def _talk(world: World, draw: random.Random, conversations: int) -> None:
    """Conversations, through the rules of lab.memory.facts; what was said goes into the gold."""
    from lab.benchmarks.business import say

    people: dict[str, list[Thing]] = {}
    for person in world.things["person"]:
        people.setdefault(person.refs["customer"].entity.id, []).append(person)
    orders: dict[str, list[Thing]] = {}
    for order in world.things["order"]:
        orders.setdefault(order.refs["customer"].entity.id, []).append(order)
    stated: set[str] = set()
    messages: list[Message] = []
    for i in range(conversations):
        customer = draw.choice(world.things["customer"])
        if customer.entity.id not in people or customer.entity.id not in orders:
            continue
        sender, order = draw.choice(people[customer.entity.id]), draw.choice(orders[customer.entity.id])
        topic = draw.choice(say.TOPICS)
        named = draw.random() < 0.6  # whether the order's number is in the chat
        about = order.data["code"] if named else customer.entity.id
        key = f"{about}#{topic.attribute}"
        if key in stated:
            continue
        stated.add(key)
        corrected = draw.random() < 0.35
        values = [say.value(topic, draw) for _ in range(2 if corrected else 1)]
        if len(set(values)) < len(values):
            continue
        side = 0 if customer.language == "tr" else 1
        when = at(min(TODAY, order.at + timedelta(days=2)), 8 + i % 9)
        source = draw.choice(("whatsapp", "mail"))
        lines = [draw.choice(say.OPENERS)[side]]
        lines[0] += (
            " "
            + draw.choice(topic.lines)[side].format(v=values[0])
            + (f" ({order.data['code']})" if named else "")
        )
        lines.append(draw.choice(say.FILLERS)[side])
        if corrected:
            lines.append(draw.choice(say.CORRECTIONS)[side].format(v=values[1]))
        for k, line in enumerate(lines):
            messages.append(
                Message(
                    source,
                    f"{source}-{i:05}-{k}",
                    f"t{i}",
                    when + timedelta(minutes=40 * k),
                    sender.entity,
                    line,
                    customer.language,
                    "support",
                    customer.entity,
                )
            )
        world.said.append(
            Said(customer, order if named else None, topic.attribute, values[-1], ("facts", key), corrected)
        )
    world.first += extract(
        messages,
        [product.entity for product in world.things["product"]] if len(world.things["product"]) < 100 else (),
    )


__all__ = ["ROLES", "TODAY", "Entity", "Link", "Said", "Thing", "World", "build"]
