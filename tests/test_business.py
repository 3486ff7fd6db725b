"""The business world: made alike each time, answered from the right records, and silent to who may not
know."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import numpy as np
import pytest

from lab.benchmarks.business import exam, world
from lab.benchmarks.business.exam import Loaded
from lab.benchmarks.business.lexicon import ending
from lab.kinds import Sight
from lab.memory.connect import reader
from lab.memory.facts import Message, attribute_of, corrects, extract
from lab.memory.recall import recall
from lab.memory.records import Entity
from lab.memory.server import Server
from lab.memory.visibility import Connection
from lab.models.embedders import Embedder, blend
from lab.rag.engine import cached
from lab.text import fold

ROWS = 600


@pytest.fixture(scope="module")
def embedder(server: Server) -> Embedder:
    return cached(blend("use"), server)[0]


@pytest.fixture(scope="module")
def loaded(server: Server, embedder: Embedder) -> Loaded:
    return exam.load(server, embedder, ROWS)


@pytest.fixture(scope="module")
def connection(server: Server) -> Iterator[Connection]:
    with reader(server) as opened:
        opened.autocommit = True
        yield opened


def said(
    connection: Connection,
    loaded: Loaded,
    embedder: Embedder,
    text: str,
    role: str,
    member: str | None = None,
) -> str:
    sight = Sight(frozenset({role}) if role else frozenset(), world.TODAY, member, loaded.workspace)
    vector: np.ndarray = embedder.queries([text])[0]
    return recall(connection, sight, text, embedder.space, vector, today=world.TODAY).text


def test_the_same_seed_makes_the_same_world() -> None:
    one, two = world.build(ROWS, 3), world.build(ROWS, 3)
    assert one.first == two.first
    assert one.later == two.later
    assert world.build(ROWS, 4).first != one.first
    assert abs(len(one.first) - ROWS) < 0.4 * ROWS
    names = [thing.name for things in one.things.values() for thing in things]
    assert len(names) == len(set(names))


def test_loading_again_writes_nothing(server: Server, embedder: Embedder, loaded: Loaded) -> None:
    again = exam.load(server, embedder, ROWS)
    assert set(again.seconds) == {"replay"}
    assert again.between == loaded.between


@pytest.mark.slow
def test_answers_stand_in_the_context_and_vectors_alone_find_few(
    server: Server, embedder: Embedder, loaded: Loaded
) -> None:
    asked = exam.exam(loaded, "dev", 6)
    assert {question.type for question in asked} == set(exam.TYPES)
    ours, plain = exam.run(server, loaded, embedder, asked)
    mine, theirs = exam.measure(ours), exam.measure(plain)
    assert mine.answered >= 0.95
    assert mine.every >= 0.9
    assert mine.tokens <= 1_100
    assert theirs.answered < 0.6


def test_the_splits_share_neither_things_nor_wordings(loaded: Loaded) -> None:
    dev, test = exam.exam(loaded, "dev", 8), exam.exam(loaded, "test", 8)
    assert not {question.text for question in dev} & {question.text for question in test}
    for kind in ("three hops", "chain", "record + chat"):
        ours, held = ({(q.answer, q.evidence) for q in split if q.type == kind} for split in (dev, test))
        assert not ours & held, kind


SECRETS = 12


def test_secrets_reach_only_those_who_may_know_them(
    connection: Connection, loaded: Loaded, embedder: Embedder
) -> None:
    """Each question is answered to the entitled one first: an empty answer to everybody would not pass."""
    things = loaded.world.things
    asked: list[tuple[str, str, str, str | None]] = []
    for customer in things["customer"][:SECRETS]:
        asked.append((f"{customer.name} kredi limiti nedir?", customer.data["limit"], "finance", None))
    for invoice in things["invoice"][:SECRETS]:
        asked.append(
            (f"What is the amount of invoice {invoice.name}?", invoice.data["amount"], "finance", None)
        )
        order = invoice.refs["order"]
        asked.append(
            (
                f"{order.name} siparişinin faturasının tutarı ne kadar?",
                invoice.data["amount"],
                "finance",
                None,
            )
        )
    salaries = {
        record.subject.name: record.content
        for record in loaded.world.first
        if record.external_id.startswith("salary/") and record.subject
    }
    for name, content in list(salaries.items())[:SECRETS]:
        amount = content.split(": ")[1].split(" ")[0]
        asked.append((f"{ending(name, 'gen')} maaşı ne kadar?", amount, "hr", None))
    notes = [record for record in loaded.world.first if record.kind == "note"]
    for note in notes[:SECRETS]:
        word = next(word for word in note.content.split() if word.startswith("ZK"))
        about = note.mentions[0].name
        asked.append((f"{about} teklifi hakkında ne not aldım?", word, "sales", note.owner))
    for question, secret, role, member in asked:
        assert secret in said(connection, loaded, embedder, question, role, member), question
        for other, who in (
            ("sales", None),
            ("sales", "EMP-9999"),
            ("visitor", None),
            ("", None),
            ("hr", None),
        ):
            if other == role and who == member:
                continue
            if other == role and member is None:
                continue
            assert secret not in said(connection, loaded, embedder, question, other, who), (question, other)


def test_what_a_member_may_not_see_changes_nothing_for_him(
    connection: Connection, loaded: Loaded, embedder: Embedder
) -> None:
    invoice = loaded.world.things["invoice"][0]
    known = said(connection, loaded, embedder, f"{invoice.name} faturası", "sales")
    unknown = said(connection, loaded, embedder, "INV-2031-77777 faturası", "sales")
    assert invoice.name not in known
    assert ("About" in known) == ("About" in unknown)


PERSON, FIRM = Entity("person:Can Er", "person", "Can Er"), Entity("customer:C1", "customer", "Ege Gıda")


def message(
    number: int, text: str, language: str = "tr", thread: str = "t", sender: Entity = PERSON
) -> Message:
    return Message(
        "whatsapp",
        f"w{number}",
        thread,
        datetime(2026, 3, 1, 9, number, tzinfo=UTC),
        sender,
        text,
        language,
        "sales",
        FIRM,
    )


@pytest.mark.parametrize(
    ("sentence", "key"),
    [
        ("Malı B12 numaralı rampaya indirin.", "delivery_place"),
        ("Please unload the goods at dock 4.", "delivery_place"),
        ("ÖDEMEYİ AYIN 15'İNDE YAPACAĞIZ", "payment_day"),
        ("We will pay on 15 March.", "payment_day"),
        ("İskontoyu %7 olarak uygulayın.", "discount"),
        ("Artık yetkilimiz Ayşe Hanım.", "contact"),
        ("Kolay gelsin.", None),
        ("Hello there.", None),
    ],
)
def test_what_a_sentence_states(sentence: str, key: str | None) -> None:
    found = attribute_of(sentence)
    assert (found.key if found else None) == key


def test_a_correction_is_a_newer_version_of_what_was_said() -> None:
    facts = extract(
        [
            message(1, "Merhaba. Malı B12 numaralı rampaya indirin (ORD-2026-7)."),
            message(2, "Pardon, doğrusu C40 olacak."),
            message(3, "Sorry, make that D9.", "en", thread="another"),
        ]
    )
    assert [(fact.external_id, fact.attribute) for fact in facts] == [
        ("ORD-2026-7#delivery_place", "delivery_place"),
        ("w1", None),
        ("ORD-2026-7#delivery_place", "delivery_place"),
        ("w3", None),  # nothing was said in this thread before
    ]
    assert "C40" in facts[2].content
    assert facts[2].version > facts[0].version
    assert facts[0].mentions == (PERSON, FIRM)
    assert corrects("Düzeltiyorum: 7")
    assert not corrects("Teşekkürler")


def test_a_fact_of_no_order_is_about_the_company() -> None:
    (fact,) = extract([message(1, "Our contact person is Ann now.", "en")])
    assert fact.external_id == "customer:C1#contact"
    assert (
        fact.content
        == "[Whatsapp, 2026-03-01, Can Er (Ege Gıda)] contact person: Our contact person is Ann now."
    )


@pytest.mark.parametrize(
    ("name", "case", "expected"),
    [
        ("Kaya", "gen", "Kaya'nın"),
        ("Ağaoğlu", "gen", "Ağaoğlu'nun"),
        ("Tekstil", "loc", "Tekstil'de"),
        ("Koç", "abl", "Koç'tan"),
        ("Gül", "dat", "Gül'e"),
        ("Işıklar Cam", "gen", "Işıklar Cam'ın"),
    ],
)
def test_turkish_endings_of_the_exam(name: str, case: str, expected: str) -> None:
    assert ending(name, case) == expected
    assert fold(ending(name, case, apostrophe=False)) == fold(expected.replace("'", ""))
