"""The corpus says what the fact sheets in `data/facts/` say, each figure in its section and edition."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from lab.corpus.clean import sections
from lab.corpus.load import load_folder
from lab.kinds import Document
from lab.settings import ROOT

DATA = ROOT / "data"
EDITIONS = ("2025", "2026")
SECTION_COUNTS = {
    "hr-leave": 8,
    "hr-working-hours": 7,
    "hr-salary-bands": 8,
    "benefits": 8,
    "travel-expenses": 8,
    "code-of-conduct": 8,
    "it-security": 9,
    "announcement-meal-card": 3,
}
CHANGED_IN_2026 = {("hr-leave", "3"), ("travel-expenses", "4"), ("it-security", "2")}
OUT_OF_CORPUS = ("stock option", "company car", "adopt")


@dataclass(frozen=True, slots=True)
class Fact:
    document: str
    edition: str
    section: str
    topic: str
    find: tuple[str, ...]


def read_facts(file: Path) -> list[Fact]:
    """The facts of one file, in its order."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [Fact(**{**row, "find": tuple(row["find"])}) for row in rows]


FACTS = [fact for file in sorted((DATA / "facts").glob("*.jsonl")) for fact in read_facts(file)]


@functools.cache
def corpus() -> dict[tuple[str, str], Document]:
    return {(document.id, document.edition): document for document in load_folder(DATA)}


@functools.cache
def section_texts(document: str, edition: str) -> dict[str, str]:
    """Text by section number; a section number that occurs twice is an error of the corpus or the cleaner."""
    found = sections(corpus()[document, edition])
    texts = {section.number: section.text for section in found}
    assert len(texts) == len(found), f"{document}@{edition}: a section number occurs twice"
    return texts


def table(text: str) -> list[list[str]]:
    """Cells of a section's only table by row, the header and the separator first."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


@pytest.mark.parametrize("fact", FACTS, ids=lambda f: f"{f.document}@{f.edition}#{f.section} {f.topic}")
def test_each_fact_stands_in_its_section(fact: Fact) -> None:
    text = section_texts(fact.document, fact.edition)[fact.section]
    assert fact.find, "a fact without strings proves nothing"
    assert [span for span in fact.find if span not in text] == []


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("document", SECTION_COUNTS)
def test_each_handbook_section_has_facts_or_is_plain_prose(document: str, edition: str) -> None:
    told = {fact.section for fact in FACTS if (fact.document, fact.edition) == (document, edition)}
    silent = {"1"} if document == "hr-salary-bands" else set()
    assert told == {str(number) for number in range(1, SECTION_COUNTS[document] + 1)} - silent


def test_every_document_of_the_corpus_has_facts() -> None:
    assert {(fact.document, fact.edition) for fact in FACTS} == set(corpus())


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("document", SECTION_COUNTS)
def test_sections_are_numbered_through(document: str, edition: str) -> None:
    expected = [str(number) for number in range(1, SECTION_COUNTS[document] + 1)]
    assert [section.number for section in sections(corpus()[document, edition])] == expected


@pytest.mark.parametrize("document", SECTION_COUNTS)
def test_2026_changes_only_what_it_announces(document: str) -> None:
    before, after = (section_texts(document, edition) for edition in EDITIONS)
    changed = {(document, number) for number in before if before[number] != after.get(number)}
    assert changed == {key for key in CHANGED_IN_2026 if key[0] == document}


def test_out_of_corpus_topics_are_not_mentioned() -> None:
    texts = {key: f"{document.title}\n{document.text}".casefold() for key, document in corpus().items()}
    assert len(texts) >= 2 * len(SECTION_COUNTS)
    assert [(key, word) for key, text in texts.items() for word in OUT_OF_CORPUS if word in text] == []


@pytest.mark.parametrize("edition", EDITIONS)
def test_holiday_is_a_word_of_the_working_hours_only(edition: str) -> None:
    """A question that says "holiday" for annual leave must find hr-leave without the word."""
    assert "holiday" not in corpus()["hr-leave", edition].text.casefold()
    assert "holiday" in section_texts("hr-working-hours", edition)["5"].casefold()


@pytest.mark.parametrize("edition", EDITIONS)
def test_salary_bands_are_the_one_document_kept_from_staff(edition: str) -> None:
    handbook = {document: corpus()[document, edition] for document in SECTION_COUNTS}
    closed = {name for name, document in handbook.items() if document.access != "all"}
    assert closed == {"hr-salary-bands"}
    assert corpus()["hr-salary-bands", edition].access == "hr-only"
    naming = {document.id for document in corpus().values() if "115" in document.text}
    assert naming == {"hr-salary-bands"}, "a figure of the bands outside of them would look like a leak"


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_leave_table_survives_the_page_break_inside_it(edition: str) -> None:
    text = section_texts("hr-leave", edition)["3"]
    assert [row[0] for row in table(text)[2:]] == [*map(str, range(1, 15)), "15 or more"]
    assert "| 3 | 18 |\n| 4 | 18 |" in text


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_per_diem_tables_are_twins(edition: str) -> None:
    """Same columns but for the currency, same row keys, other figures."""
    domestic, abroad = (table(section_texts("travel-expenses", edition)[number]) for number in ("3", "4"))
    assert [cell.replace("TRY", "EUR") for cell in domestic[0]] == abroad[0]
    assert [row[0] for row in domestic] == [row[0] for row in abroad]
    assert len(domestic) == 6
    assert all(a[1] != b[1] and a[2] != b[2] for a, b in zip(domestic[2:], abroad[2:], strict=True))
