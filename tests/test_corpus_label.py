"""Labels: scope from headings and from the currency of table headers, never from stray words."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from lab.corpus.label import label
from lab.kinds import Document

TABLE = "| Title | Per diem ({0}) |\n|---|---|\n| Manager | 1 |"
LIRA, EURO, BARE = TABLE.format("TRY"), TABLE.format("EUR"), TABLE.format("days")
DOCUMENT = Document(
    id="guide",
    title="Guide",
    edition="2025",
    department="Finance",
    access="hr-only",
    language="tr",
    valid_from=date(2025, 1, 1),
    valid_to=date(2026, 1, 1),
    kind="handbook",
    source="guide.md",
    text="",
    fingerprint="",
)


def scope(heading: str, text: str = "", rest: str = "") -> str:
    return label(replace(DOCUMENT, text=f"{rest}\n\n{text}"), text, heading).scope


def test_the_documents_own_facts_are_carried() -> None:
    found = label(DOCUMENT, "", "")
    assert (found.edition, found.valid_from, found.valid_to) == ("2025", date(2025, 1, 1), date(2026, 1, 1))
    assert (found.access, found.language, found.department, found.scope) == (
        "hr-only",
        "tr",
        "Finance",
        "none",
    )


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("Domestic Travel", "domestic"),
        ("International Travel", "international"),
        ("Working abroad", "international"),
        ("Yurt İçi Seyahat", "domestic"),
        ("YURT DIŞI SEYAHATLER", "international"),
        ("Yurtdışı görevlendirme", "international"),
        ("Yurt içinde konaklama", "domestic"),
        ("Uluslararası Görev", "international"),
        ("Iç Hat Uçuşları", "domestic"),
        ("Domestic and International Travel", "none"),
        ("Receipts", "none"),
        ("Domesticated animals", "none"),
        ("", "none"),
    ],
)
def test_the_heading_decides(heading: str, expected: str) -> None:
    assert scope(heading, "Whoever goes abroad, yurt dışı or in Turkey, asks first.") == expected


def test_a_heading_of_two_subjects_needs_the_currency() -> None:
    assert scope("Uzaktan Erişim ve Yurt Dışı Seyahatler", "Yurt dışında VPN açılır.") == "none"
    assert scope("International Per Diem and Hotels", EURO) == "international"
    assert scope("Domestic Per Diem and Hotels", LIRA) == "domestic"
    assert scope("Domestic Per Diem and Hotels", EURO) == "none"


def test_currency_tells_twins_apart_and_nothing_else() -> None:
    assert scope("Rates", LIRA, rest=EURO) == "domestic"
    assert scope("Rates", EURO, rest=LIRA) == "international"
    assert scope("Harcırah", TABLE.format("avro"), rest=TABLE.format("TL")) == "international"
    assert scope("Salary bands", LIRA) == "none"
    assert scope("Rates", LIRA, rest="Paid in EUR abroad.") == "none"
    assert scope("Rates", BARE, rest=f"{LIRA}\n\n{EURO}") == "none"
    assert scope("Rates", f"{LIRA}\n\n{EURO}") == "none"


def test_a_currency_in_the_body_of_a_table_says_nothing() -> None:
    body = "| Title | Per diem |\n|---|---|\n| Manager | 85 EUR |"
    assert scope("Rates", body, rest=LIRA) == "none"
