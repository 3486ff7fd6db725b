"""The exam: questions by type, in two languages, with the answer and the records it rests on.

`dev` and `test` ask about different things in different words."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from lab.benchmarks.business.lexicon import MONTHS_EN, MONTHS_TR, ending
from lab.benchmarks.business.wordings import WORDINGS
from lab.benchmarks.business.world import TODAY, Thing, World

TYPES = ("direct", "two hops", "three hops", "record + chat", "chain", "period", "latest value", "as of")


@dataclass(frozen=True, slots=True)
class Question:
    """`evidence`: the records of every hop, `application/its id`. `known_at`: what was known then is
    asked."""

    id: str
    type: str
    split: str
    language: str
    text: str
    answer: str
    evidence: tuple[str, ...]
    known_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """A thing that can be asked in several wordings; `fields` fill them."""

    wording: str
    answer: str
    evidence: tuple[str, ...]
    fields: dict[str, str]
    before: bool = False
    """Asked of the state before the later versions came."""


def place(thing: Thing) -> str:
    assert thing.record is not None
    return f"{thing.record.source}/{thing.record.external_id}"


def cases(world: World) -> dict[str, Callable[[], Iterator[Case]]]:
    """By type: everything that may be asked."""
    things = world.things
    moved = {(thing.entity.id, attribute) for thing, attribute, _, _ in world.changed}

    def one(wording: str, thing: Thing, attribute: str, *evidence: Thing, **fields: str) -> Iterator[Case]:
        if (thing.entity.id, attribute) not in moved:
            yield Case(wording, thing.data[attribute], tuple(map(place, evidence or (thing,))), fields)

    def direct() -> Iterator[Case]:
        for customer in things["customer"]:
            for attribute in ("tax", "iban", "web", "phone"):
                yield from one(f"customer {attribute}", customer, attribute, n=customer.name)
        for product in things["product"]:
            yield from one("product price", product, "price", n=product.name)
            yield from one("product warranty", product, "stock", n=product.name)
        for order in things["order"]:
            yield from one("order tracking", order, "carrier", n=order.name)
            yield from one("order total", order, "total", n=order.name)
        for invoice in things["invoice"]:
            yield from one("invoice amount", invoice, "amount", n=invoice.name)
        for employee in things["employee"]:
            yield from one("employee phone", employee, "phone", n=employee.name)

    def two() -> Iterator[Case]:
        for person in things["person"]:
            customer = person.refs["customer"]
            for attribute in ("tax", "iban", "web"):
                yield from one(f"employer {attribute}", customer, attribute, person, customer, n=person.name)
        for ticket in things["ticket"]:
            helper = ticket.refs["employee"]
            yield from one("ticket phone", helper, "phone", ticket, helper, n=ticket.name)
        for product in things["product"]:
            yield from one(
                "supplier phone",
                product.refs["supplier"],
                "phone",
                product,
                product.refs["supplier"],
                n=product.name,
            )
        for order in things["order"]:
            if invoice := order.refs.get("invoice"):
                yield from one("order due", invoice, "due", order, invoice, n=order.name)

    def three() -> Iterator[Case]:
        for person in things["person"]:
            customer = person.refs["customer"]
            manager = customer.refs["manager"]
            yield from one("seller mail", manager, "mail", person, customer, manager, n=person.name)
        for ticket in things["ticket"]:
            if boss := ticket.refs["employee"].refs.get("manager"):
                yield from one(
                    "boss phone", boss, "phone", ticket, ticket.refs["employee"], boss, n=ticket.name
                )
        for payment in things["payment"]:
            invoice = payment.refs["invoice"]
            order = invoice.refs["order"]
            yield from one("payment tracking", order, "carrier", payment, invoice, order, n=payment.name)
        newest: dict[str, Thing] = {}
        ties: set[str] = set()
        for order in things["order"]:
            key = order.refs["customer"].entity.id
            if key in newest and newest[key].at == order.at:
                ties.add(key)
            if key not in newest or newest[key].at < order.at:
                newest[key] = order
                ties.discard(key)
        for key, order in newest.items():
            if key not in ties and "invoice" in order.refs:
                invoice, customer = order.refs["invoice"], order.refs["customer"]
                yield from one("last due", invoice, "amount", customer, order, invoice, n=customer.name)

    def chat() -> Iterator[Case]:
        by_customer: dict[str, list[Thing]] = {}
        for order in things["order"]:
            by_customer.setdefault(order.refs["customer"].entity.id, []).append(order)
        own = {(s.order.entity.id, s.attribute) for s in world.said if s.order}
        for said in world.said:
            asked: Thing | None = said.order or next(
                (o for o in by_customer[said.customer.entity.id] if (o.entity.id, said.attribute) not in own),
                None,
            )
            if asked is not None:
                yield Case(
                    f"chat {said.attribute}",
                    said.value,
                    (place(asked), "/".join(said.fact)),
                    {"n": asked.name},
                )

    def chain() -> Iterator[Case]:
        groups: dict[tuple[str, str], list[Thing]] = {}
        for ticket in things["ticket"]:
            groups.setdefault((ticket.refs["customer"].entity.id, ticket.data["subject_tr"]), []).append(
                ticket
            )
        for group in groups.values():
            ticket = group[0]
            order = ticket.refs["order"]
            invoice = order.refs.get("invoice")
            if len(group) > 1 or invoice is None or "payment" not in invoice.refs:
                continue
            payment = invoice.refs["payment"]
            fields = {
                "n": ticket.refs["customer"].name,
                "s_tr": ticket.data["subject_tr"],
                "s_en": ticket.data["subject_en"],
            }
            yield Case(
                "chain", payment.data["receipt"], tuple(map(place, (ticket, order, invoice, payment))), fields
            )

    def period() -> Iterator[Case]:
        for kind, attribute in (("order", "code"), ("ticket", "code"), ("order", "total")):
            groups: dict[tuple[str, int, int], list[Thing]] = {}
            for thing in things[kind]:
                groups.setdefault(
                    (thing.refs["customer"].entity.id, thing.at.year, thing.at.month), []
                ).append(thing)
            for (_, year, month), group in groups.items():
                if len(group) > 1 or (year, month) == (TODAY.year, TODAY.month):
                    continue
                thing = group[0]
                fields = {
                    "n": thing.refs["customer"].name,
                    "m_tr": f"{MONTHS_TR[month - 1]} {year}",
                    "m_en": f"{MONTHS_EN[month - 1]} {year}",
                }
                last = (year, month) == (
                    (TODAY.replace(day=1) - timedelta(days=1)).year,
                    (TODAY.replace(day=1) - timedelta(days=1)).month,
                )
                wording = f"period {kind} {attribute}" + (" last" if last and attribute == "code" else "")
                yield Case(wording, thing.data[attribute], (place(thing),), fields)

    def latest() -> Iterator[Case]:
        for thing, attribute, _, now in world.changed:
            kind = thing.entity.type
            yield Case(f"{kind} {attribute}", now, (place(thing),), {"n": thing.name})
        for said in world.said:
            if said.corrected and said.order:
                yield Case(
                    f"chat {said.attribute}", said.value, ("/".join(said.fact),), {"n": said.order.name}
                )

    def as_of() -> Iterator[Case]:
        for thing, attribute, before, _ in world.changed:
            kind = thing.entity.type
            day = max(thing.at, date(2026, 2, 1)) + timedelta(days=len(thing.name))
            fields = {
                "n": thing.name,
                "d_tr": f"{day.day} {MONTHS_TR[day.month - 1]} {day.year}",
                "d_en": f"{day.day} {MONTHS_EN[day.month - 1]} {day.year}",
            }
            yield Case(f"as of {kind} {attribute}", before, (place(thing),), fields)
            yield Case(f"{kind} {attribute}", before, (place(thing),), {"n": thing.name}, before=True)

    return dict(zip(TYPES, (direct, two, three, chat, chain, period, latest, as_of), strict=True))


def questions(
    world: World, split: str, known_before: datetime, per_type: int = 20, seed: int = 11
) -> list[Question]:
    """`per_type` questions of each type and language, spread over the wordings; fewer where the world has
    fewer.
    `known_before`: a moment after the first state was synchronised and before the later one."""
    found: list[Question] = []
    for kind, listed in cases(world).items():
        by_wording: dict[str, list[Case]] = {}
        for case in listed():
            by_wording.setdefault(case.wording + (" known" if case.before else ""), []).append(case)
        half = {"dev": 0, "test": 1}[split]
        for language in ("tr", "en"):
            draw = random.Random(f"{seed} {kind} {split} {language}")
            pools = [cases_[half::2] for _, cases_ in sorted(by_wording.items())]
            for pool in pools:
                draw.shuffle(pool)
            picked = [pool[at] for at in range(per_type) for pool in pools if at < len(pool)][:per_type]
            for number, case in enumerate(picked):
                wording = draw.choice(WORDINGS[case.wording][split][language])
                found.append(
                    Question(
                        f"{kind.replace(' ', '-')}-{language}-{split}-{number}",
                        kind,
                        split,
                        language,
                        _fill(wording, case.fields),
                        case.answer,
                        case.evidence,
                        known_before if case.before else None,
                    )
                )
    return found


def _fill(wording: str, fields: dict[str, str]) -> str:
    """`{n}` is the name as it stands, `{n.gen}` with a Turkish ending, `{n-gen}` with one and no
    apostrophe."""
    name = fields["n"]
    for case in ("gen", "dat", "loc", "abl", "acc"):
        wording = wording.replace(f"{{n.{case}}}", ending(name, case)).replace(
            f"{{n-{case}}}", ending(name, case, apostrophe=False)
        )
        if "m_tr" in fields:
            wording = wording.replace(f"{{m_tr.{case}}}", ending(fields["m_tr"], case))
    return wording.format(**fields)
