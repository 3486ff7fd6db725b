"""Which entities a question names: Turkish endings, misspellings, and nobody whom the asker may not know."""

from __future__ import annotations

from datetime import date

import pytest
from trade import AGAOGLU, EGE, FIRST, INVOICE, ISIK, ORDER, SELLER, moment, opened, seen

from lab.memory.anchors import anchors, by_meaning
from lab.memory.names import bases, grams, spell
from lab.memory.periods import as_of, periods
from lab.memory.records import Entity, Record
from lab.memory.server import Server
from lab.memory.vocabulary import asked

WHERE = "anchors"
NOTE = Record(
    "notes", "n1", moment("2026-01-02"), "sales", "Gizli Ortak ile konuştum.", "tr",
    mentions=(Entity("customer:C9", "customer", "Zeberced Madencilik"),), owner="ada", kind="note",
)  # fmt: skip


@pytest.fixture(scope="module")
def filled(server: Server) -> Server:
    opened(server, WHERE, [*FIRST, NOTE])
    return server


def named(server: Server, question: str, *roles: str, member: str | None = None) -> list[tuple[str, str]]:
    with seen(server, WHERE, *roles or ("owner",), member=member) as view:
        return [(anchor.id, anchor.how) for anchor in anchors(view, question)]


@pytest.mark.parametrize(
    ("question", "entity", "how"),
    [
        ("Ağaoğlu Tekstil telefonu", AGAOGLU, "exact"),
        ("Ağaoğlu Tekstil'in telefonu kaç?", AGAOGLU, "exact"),  # cut at the apostrophe
        ("Ağaoğlu Tekstil’den gelen sipariş", AGAOGLU, "exact"),
        ("ağaoğlu tekstilin telefonu", AGAOGLU, "ending"),
        ("AĞAOĞLU TEKSTİLDEKİ yetkili kim", AGAOGLU, "ending"),
        ("agaoglu tekstile ne sattık", AGAOGLU, "ending"),
        ("Işıl Çağların firması", ISIK, "ending"),
        ("IŞIL ÇAĞLAR'IN firması", ISIK, "exact"),
        ("Who handles Burak Koç's customers", SELLER, "exact"),
        ("Ağaoğluyla görüştük mü", AGAOGLU, "similar"),  # one word of the name, with an ending
        ("Agaoglu Tekstl ile görüştük mü", AGAOGLU, "similar"),  # a slip of the pen
        ("Ege Gda'nın telefonu", EGE, "similar"),
        ("ORD-2026-1 siparişi", ORDER, "exact"),
        ("ord-2026-1'in toplamı", ORDER, "exact"),
        ("INV-2026-1'deki tutar", INVOICE, "exact"),
    ],
)
def test_names_as_people_write_them(filled: Server, question: str, entity: Entity, how: str) -> None:
    assert named(filled, question) == [(entity.id, how)]


@pytest.mark.parametrize(
    "question",
    [
        "Hava bugün nasıl?",
        "Kapadokya Mobilya'nın telefonu",
        "ORD-2026-2 siparişi",
        "Which suppliers do we have?",
        "",
    ],
)
def test_an_unknown_name_finds_nobody(filled: Server, question: str) -> None:
    assert named(filled, question) == []


def test_two_names_in_the_order_of_the_question(filled: Server) -> None:
    found = named(filled, "Ege Gıda mı Ağaoğlu Tekstil mi daha çok aldı?")
    assert [key for key, _ in found] == [EGE.id, AGAOGLU.id]


def test_a_name_is_found_only_by_who_may_know_it(filled: Server) -> None:
    assert named(filled, "INV-2026-1", "finance") == [(INVOICE.id, "exact")]
    for roles in (("sales",), ("visitor",), ("unknown",)):
        assert named(filled, "INV-2026-1 faturası", *roles) == []
    assert named(filled, "Ağaoğlu Tekstil", "sales") == [(AGAOGLU.id, "exact")]
    assert named(filled, "Ağaoğlu Tekstil", "visitor") == []
    assert named(filled, "Agaoglu Tekstl", "visitor") == []


def test_a_name_known_from_a_private_note_is_its_owners(filled: Server) -> None:
    assert named(filled, "Zeberced Madencilik", "sales", member="ada") == [("customer:C9", "exact")]
    for member in (None, "can"):
        assert named(filled, "Zeberced Madencilik", "sales", member=member) == []
        assert named(filled, "Zebercet Madencilik", "owner", member=member) == []


def test_by_meaning_names_what_near_memories_describe(filled: Server) -> None:
    with seen(filled, WHERE, "owner") as view:
        keys = [
            key
            for (key,) in view.connection.execute(
                "select id from memory where workspace = %s and content like 'Sipariş%%'", [WHERE]
            )
        ]
        assert [anchor.id for anchor in by_meaning(view, keys, ())] == [ORDER.id]
        assert by_meaning(view, keys, ("invoice",)) == []


@pytest.mark.parametrize(
    ("word", "base"),
    [
        ("agaoglunun", "agaoglu"), ("talebindeki", "talep"), ("kitabi", "kitap"), ("koltugu", "koltuk"),
        ("tekstilden", "tekstil"), ("acmenin", "acme"), ("evlerinden", "ev"), ("siparisinin", "siparis"),
        ("faturasindaki", "fatura"), ("mudurune", "mudur"), ("kayaninkiler", "kaya"),
    ],
)  # fmt: skip
def test_endings_come_off(word: str, base: str) -> None:
    assert base in set(bases(word, 2))


def test_spellings_and_letter_triples() -> None:
    assert spell("  Ağaoğlu   Tekstil A.Ş.") == "agaoglu tekstil a.s"
    assert spell("ORD-2026-00017") == "ord-2026-00017"
    assert grams("ege su") == {"_eg", "ege", "ge_", "_su", "su_"}


def test_what_is_asked_for_in_both_languages() -> None:
    turkish = asked("TCK-1 talebindeki siparişin faturası hangi bankadan ödendi?")
    english = asked("Which bank paid the invoice of the order in ticket TCK-1?")
    assert set(turkish.types) == {"ticket", "order", "invoice", "payment"}
    assert set(english.types) == {"ticket", "order", "invoice", "payment"}
    assert turkish.attributes == english.attributes
    assert asked("Ege Gıda'nın son siparişi").newest
    assert asked("the latest order of Ege Gıda").newest
    assert not asked("geçen ayki sipariş").newest


TODAY = date(2026, 11, 20)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("geçen ay", "2026-10-01", "2026-11-01"),
        ("last month", "2026-10-01", "2026-11-01"),
        ("eylülde", "2026-09-01", "2026-10-01"),
        ("Aralıkta", "2025-12-01", "2026-01-01"),  # the last December that has begun
        ("in September 2025", "2025-09-01", "2025-10-01"),
        ("Ocak 2026'da", "2026-01-01", "2026-02-01"),
        ("last quarter", "2026-07-01", "2026-10-01"),
        ("2026'nın ikinci çeyreğinde", "2026-04-01", "2026-07-01"),
        ("in the third quarter of 2026", "2026-07-01", "2026-10-01"),
        ("geçen hafta", "2026-11-09", "2026-11-16"),
        ("geçen yıl", "2025-01-01", "2026-01-01"),
        ("three months ago", "2026-08-20", "2026-08-21"),
        ("üç ay önce", "2026-08-20", "2026-08-21"),
        ("on 5 March 2026", "2026-03-05", "2026-03-06"),
        ("05.03.2026 günü", "2026-03-05", "2026-03-06"),
    ],
)
def test_periods(text: str, start: str, end: str) -> None:
    assert periods(text, TODAY) == [(date.fromisoformat(start), date.fromisoformat(end))]


def test_the_day_asked_about() -> None:
    assert as_of("1 Şubat 2026 itibarıyla fiyatı neydi?") == date(2026, 2, 1)
    assert as_of("What was the price as of February 1, 2026?") == date(2026, 2, 1)
    assert as_of("Which order came on 1 February 2026?") is None
    assert periods("Bu bir soru değil", TODAY) == []
