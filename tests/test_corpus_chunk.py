"""Chunkers: fixed, by section, units; sentences; tables."""

from __future__ import annotations

import time
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.corpus.chunk import by_section, chunk_all, fixed, header_of, row_pairs, units
from lab.corpus.clean import clean, sections
from lab.corpus.load import load_folder
from lab.corpus.sentences import sentences
from lab.kinds import NO_SECTION, Chunk, Document

DATA = Path(__file__).resolve().parent.parent / "data"


def document(
    text: str, kind: str = "handbook", language: str = "en", id: str = "guide", edition: str = "2025"
) -> Document:
    day = date(int(edition), 1, 1)
    return Document(id, "Guide", edition, "HR", "all", language, day, None, kind, f"{id}.md", clean(text), "")


def texts(chunks: list[Chunk]) -> list[str]:
    return [chunk.text for chunk in chunks]


TRAVEL = """## 3. Domestic

Paid a day.

| Title | Per diem (TRY) | Hotel (TRY) |
|---|---|---|
| Specialist | 750 | 3,500 |
| Manager | 950 | 5,000 |

- Day trips are paid half. No hotel then.
- Keep
  receipts.

## 4. Rules

Ask Dr. Ak first. See No. 5 at 10.30, or write to a.b@krakenair.example. Then go!"""


def test_section_chunks() -> None:
    first, second = by_section(document(TRAVEL))
    assert first.id == "section:guide@2025#3/0"
    assert second.id == "section:guide@2025#4/1"
    assert first.text.startswith("Paid a day.\n\n| Title |")
    assert first.text.endswith("- Keep receipts.")
    assert first.search_text == f"[Guide › Domestic]\n{first.text}"
    assert (first.chunker, first.section, first.sections, first.heading) == (
        "section",
        "3",
        ("3",),
        "Domestic",
    )
    assert (first.ordinal, second.ordinal, first.parent) == (0, 1, None)


def test_units() -> None:
    found = units(document(TRAVEL))
    assert texts(found) == [
        "Paid a day.",
        "| Specialist | 750 | 3,500 |",
        "| Manager | 950 | 5,000 |",
        "- Day trips are paid half. No hotel then.",
        "- Keep receipts.",
        "Ask Dr. Ak first.",
        "See No. 5 at 10.30, or write to a.b@krakenair.example.",
        "Then go!",
    ]
    assert (
        found[2].search_text == "[Guide › Domestic] Title: Manager; Per diem (TRY): 950; Hotel (TRY): 5,000"
    )
    assert found[3].search_text == "[Guide › Domestic] Day trips are paid half. No hotel then."
    assert [unit.parent for unit in found] == ["section:guide@2025#3/0"] * 5 + ["section:guide@2025#4/1"] * 3
    assert found[2].id == "unit:guide@2025#3/2"


def test_fixed_chunks_tear_tables_and_straddle_headings() -> None:
    body = "x" * 20 + " " + "word " * 40
    found = fixed(document(f"Intro {body}.\n\n## 1. One\n\n{body}.\n\n## 2. Two\n\n{body}."))
    assert all(len(chunk.text) <= 300 for chunk in found)
    assert found[0].id == "fixed-300:guide@2025#0/0"
    assert found[0].sections == (NO_SECTION, "1")
    assert "## 1. One" in found[0].text
    assert found[0].search_text == found[0].text
    assert found[-1].sections == ("2",)
    table = "| A | B |\n|---|---|\n" + "\n".join(f"| {n} | {n * n} |" for n in range(60))
    torn = fixed(document(table))
    assert "| A | B |" in torn[0].text
    assert "| A | B |" not in torn[1].text
    assert [len(chunk.text) for chunk in fixed(document("y" * 700))] == [300, 300, 100]
    assert fixed(document("one two", id="d"), size=4)[1].id == "fixed-4:d@2025#0/1"


def test_long_sections_are_packed_by_paragraphs() -> None:
    paragraphs = [f"P{i}. " + "word " * 60 for i in range(10)]
    found = by_section(document("## 1. Long\n\n" + "\n\n".join(paragraphs)))
    assert len(found) == 3
    assert all(
        len(chunk.text) <= 1500 and chunk.search_text.startswith("[Guide › Long]\n") for chunk in found
    )
    assert found[1].text.startswith("P4. ")
    mail = by_section(document("\n\n".join(paragraphs), kind="mail"))
    assert [chunk.section for chunk in mail] == [NO_SECTION] * 3
    assert mail[0].search_text.startswith("[Guide]\nP0. ")


def test_a_long_table_keeps_its_header_rows_in_every_part_and_is_fast() -> None:
    header = "| Title | Home | Abroad |\n|---|---|---|\n| (level) | TRY | EUR |"
    rows = [f"| Grade {n} | {n * 10} | {n} |" for n in range(3500)]
    big = document("## 1. Rates\n\nSee below.\n\n" + header + "\n" + "\n".join(rows) + "\n\nThat is all.")
    start = time.perf_counter()
    found, small = by_section(big), units(big)
    assert time.perf_counter() - start < 5
    parts = [chunk for chunk in found if "| Grade" in chunk.text]
    assert len(parts) > 50
    assert all(header in chunk.text and len(chunk.text) <= 1500 for chunk in parts)
    assert [line for chunk in parts for line in chunk.text.split("\n") if line.startswith("| Grade")] == rows
    assert texts(small) == ["See below.", *rows, "That is all."]
    assert small[7].search_text == "[Guide › Rates] Title (level): Grade 6; Home TRY: 60; Abroad EUR: 6"
    by_id = {chunk.id: chunk for chunk in found}
    assert all(unit.text in by_id[unit.parent or ""].text for unit in small)
    assert header_of(parts[5].text, rows[400]) in ((), tuple(header.split("\n")))
    assert header_of(big.text, rows[400]) == tuple(header.split("\n"))


def test_header_rows() -> None:
    two = ["| | Home | | Abroad | |", "| Grade | day | night | day | night |", "|---|---|---|---|---|"]
    assert row_pairs(two, "| A \\| B | 1 | 2 | 3 | 4 |") == [
        ("Grade", "A | B"),
        ("Home day", "1"),
        ("Home night", "2"),
        ("Abroad day", "3"),
        ("Abroad night", "4"),
    ]
    assert row_pairs(["| A | |"], "| 1 | 2 | 3 |") == [("A", "1"), ("", "2"), ("", "3")]
    assert row_pairs([], "| x | |") == [("", "x")]
    # A row of data that says "none" is no second header, nor is one above a single row or above words.
    for row in ("| Intern | none | – |", "| Intern | yok | yok |"):
        assert row in texts(
            units(document(f"| G | A | B |\n|---|---|---|\n{row}\n| X | 1 | 2 |\n| Y | 3 | 4 |"))
        )
    words = "| Day | Place |\n|---|---|\n| Tuesday | office |\n| Friday | home |\n| Monday | home |"
    assert len(units(document(words))) == 3


def test_tables_without_a_delimiter_and_without_outer_pipes() -> None:
    assert texts(units(document("| Grade | Days |\n| A | 1 |\n| B | 2 |"))) == ["| A | 1 |", "| B | 2 |"]
    found = units(document("Grade | Days\n--- | ---\nA | 1\nB | 2"))
    assert texts(found) == ["| A | 1 |", "| B | 2 |"]
    assert found[1].search_text == "[Guide] Grade: B; Days: 2"
    assert texts(units(document("| Only | header |\n|---|---|"))) == ["| Only | header |\n|---|---|"]


SENTENCES = {
    "en": [
        "Mr. Fox waits.|It is 132.5 at 10.30 p.m. on 1.1.2025.|E.g. A or i.e. B vs. Cebu.|Really?!|Yes.",
        "Use max. 5 e.g. Fridays.|(See No. 7.)|“Go.”|The U.S. Embassy.|The limit is 25.|All may ask.",
        "The answer is no.|Ask HR.|Write to ethics@krakenair.example.|hr@krakenair.example answers.|Go…",
    ],
    "tr": [
        "Bkz. 6. madde ve 1. bölüm.|Dr. Işık 31. Mart gününü bekler.|İzin 24 gündür.|Şifre 90 günde değişir.",
        "Bu kural 5. Madde'de yazılıdır.|Kalem, defter vb.|Hepsi verilir.|Süre 30 sn.|Sonra kilitlenir.",
        "Sn. Ağaoğlu A.Ş. Genel Müdürü olur.|II. Bölüm biter.|En çok 14.|Parola uzundur.|1.250,50 TRY.",
    ],
    "de": [
        "Der 3. Oktober ist frei.|Am 1. Mai z.B. Montag ruht die Arbeit.|Es sind 20 Tage.|Österreich auch."
    ],
    "ko": ["연차 휴가는 15일입니다.|3월 31일까지 사용합니다."],
    "ja": ["休暇は十五日です。|三月末までに使います。"],
}


@pytest.mark.parametrize(
    ("language", "marked"), [(k, case) for k, cases in SENTENCES.items() for case in cases]
)
def test_sentences(language: str, marked: str) -> None:
    glue = "" if language == "ja" else " "
    assert sentences(marked.replace("|", glue), language) == marked.split("|")


def test_ids_are_unique_across_documents_editions_and_repeated_paragraphs() -> None:
    repeated = "## 1. A\n\nSame.\n\nSame.\n\n## 1. A\n\nSame.\n\nSame."
    documents = [document(repeated, id=id, edition=year) for id in ("a", "b") for year in ("2025", "2026")]
    ids = [chunk.id for one in documents for chunk in chunk_all(one)]
    assert len(ids) == len(set(ids)) == 4 * (1 + 2 + 4)
    one, other = (chunk_all(documents[i]) for i in (0, 1))
    assert [chunk.search_text for chunk in one] == [chunk.search_text for chunk in other]


def test_a_heading_without_text_and_a_long_line() -> None:
    assert texts(by_section(document("## 1. Reserved\n\n## 2. Next\n\nText."))) == ["## 1. Reserved", "Text."]
    assert texts(by_section(document("## 1. Parent\n\n### 1.1 Child\n\nText."))) == ["Text."]
    for line in (
        "word " * 40_000,
        "z" * 200_000,
        "Dr. " * 50_000,
        "a. " * 60_000,
        "A. " * 60_000,
        "1. " * 60_000,
    ):
        chunks = chunk_all(document(line))
        assert all(len(chunk.text) <= 1500 for chunk in chunks)
        for chunker in ("fixed-300", "section", "unit"):
            joined = "".join("".join(c.text.split()) for c in chunks if c.chunker == chunker)
            assert joined == "".join(line.split())


def test_code_is_one_unit_and_long_code_is_cut_at_lines() -> None:
    code = "```sql\nselect 1;\n# not a heading\n```"
    assert texts(units(document(f"## 1. Q\n\nRun. Then:\n\n{code}"))) == ["Run.", "Then:", code]
    long = "```\n" + "\n".join(f"line {i} # x" for i in range(400)) + "\n```"
    found = by_section(document(f"## 1. Q\n\n{long}"))
    assert "\n".join(texts(found)) == long
    assert {chunk.section for chunk in found} == {"1"}


WORDS = st.text(alphabet="abçığİŞ .!?0123|-#`*>\t", min_size=0, max_size=60)
LINES = st.one_of(
    WORDS,
    st.sampled_from(
        ["", "## 1. Head", "### Sub", "| a | b |", "|---|---|", "| 1 | 2 |", "- item", "```", "> q", "2. two"]
    ),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(LINES, max_size=30), st.integers(20, 200))
def test_no_line_and_no_unit_is_lost(lines: list[str], limit: int) -> None:
    one = document("\n".join(lines))
    body = [line for section in sections(one) for line in section.text.split("\n") if line.strip()]
    chunks = by_section(one, limit)
    kept = "".join("".join(chunk.text.split()) for chunk in chunks)
    if all(len(section.text) <= limit for section in sections(one)):
        in_order = iter(chunk.text for chunk in chunks)
        assert all(section.text in in_order for section in sections(one) if section.text)
    assert all("".join(line.split()) in kept for line in body if len(line) <= limit)
    parents = {chunk.id: chunk for chunk in chunks}
    smalls = units(one, limit)
    for unit in smalls:
        assert unit.text in parents[unit.parent or ""].text
    for chunk in [*fixed(one), *smalls]:
        assert chunk.text in one.text
        assert chunk.text == chunk.text.strip()
    for chunk in chunks:
        assert all(line in one.text for line in chunk.text.split("\n"))
    said = "".join("".join(unit.text.split()) for unit in smalls)
    for line in body:
        if not line.lstrip().startswith("|") and any(c.isalnum() for c in line):
            pieces = [
                piece for piece in line.split() if any(c.isalnum() for c in piece) and len(piece) <= limit
            ]
            assert all(piece in said for piece in pieces)
    ids = [chunk.id for chunk in [*fixed(one), *chunks, *smalls]]
    assert len(ids) == len(set(ids))


@pytest.mark.skipif(not DATA.exists(), reason="the corpus is not there")
def test_the_corpus() -> None:
    documents = load_folder(DATA)
    chunks = [chunk for one in documents for chunk in chunk_all(one)]
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    whole = {(one.id, one.edition): one.text for one in documents}
    assert all(chunk.text in whole[chunk.document, chunk.label.edition] for chunk in chunks)
    of = {name: [c for c in chunks if c.chunker == name] for name in ("fixed-300", "section", "unit")}
    handbook = [c for c in of["section"] if c.label.edition == "2025"]
    assert {c.ref for c in handbook if c.document == "hr-leave"} == {
        f"hr-leave@2025#{n}" for n in range(1, 9)
    }
    assert len(handbook) == 59
    (row,) = [c for c in of["unit"] if c.ref == "hr-leave@2025#3" and c.text.startswith("| 7 |")]
    assert row.search_text.endswith("Years of service: 7; Annual paid leave (working days): 22")
    scoped = {
        (c.document, c.section, c.label.scope) for c in of["section"] + of["unit"] if c.label.scope != "none"
    }
    assert scoped == {("travel-expenses", "3", "domestic"), ("travel-expenses", "4", "international")}
    assert all("Edition" not in c.search_text and "Sürüm" not in c.search_text for c in of["section"])
