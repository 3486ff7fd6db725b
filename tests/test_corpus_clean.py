"""Cleaning: furniture, page breaks, wraps, fences, tables; and sections of what is left."""

from __future__ import annotations

import unicodedata
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.corpus.clean import clean, sections
from lab.corpus.load import load_folder
from lab.kinds import NO_SECTION, Document

DATA = Path(__file__).resolve().parent.parent / "data"


def document(text: str, kind: str = "handbook", title: str = "Guide") -> Document:
    day = date(2025, 1, 1)
    return Document("guide", title, "2025", "HR", "all", "en", day, None, kind, "guide.md", clean(text), "")


EN_BREAK = "Page 1 of 4\n\nKraken Air | Leave | Edition 2025\n\nCONFIDENTIAL – for staff only"
TR_BREAK = "Sayfa 1 / 4\n\nKraken Air | İzin | Sürüm 2025\n\nGİZLİ – yalnızca çalışanlar içindir"


@pytest.mark.parametrize("furniture", [EN_BREAK, TR_BREAK])
@pytest.mark.parametrize("around", ["\n\n", "\n"])
def test_a_sentence_cut_by_a_page_break_is_whole_again(furniture: str, around: str) -> None:
    text = f"Geciken güncellemeyi\nkuran cihaz{around}{furniture}{around}14 günü aşınca\nağdan çıkar."
    assert clean(text) == "Geciken güncellemeyi kuran cihaz 14 günü aşınca ağdan çıkar."


@pytest.mark.parametrize("furniture", [EN_BREAK, TR_BREAK])
def test_a_table_cut_by_a_page_break_is_whole_again(furniture: str) -> None:
    text = f"| A | B |\n|---|---|\n| 1 | 2 |\n\n{furniture}\n\n| 3 | 4 |\n\nEnd."
    assert clean(text) == "| A | B |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\nEnd."


def test_a_header_repeated_on_the_next_page_stands_once_and_another_table_stays_apart() -> None:
    table = "| A | B |\n|---|---|\n| 1 | 2 |"
    assert clean(f"{table}\n\n{EN_BREAK}\n\n| A | B |\n|---|---|\n| 3 | 4 |") == f"{table}\n| 3 | 4 |"
    two = "| A | |\n| x | y |\n|---|---|\n| 1 | 2 |"
    assert clean(f"{two}\n{TR_BREAK}\n{two}") == f"{two}\n| 1 | 2 |"
    other = "| C | D |\n|---|---|\n| 3 | 4 |"
    assert clean(f"{table}\n\n{EN_BREAK}\n\n{other}") == f"{table}\n\n{other}"


def test_paragraphs_headings_and_lists_around_a_page_break() -> None:
    assert clean(f"One ends.\n\n{EN_BREAK}\n\nTwo begins.") == "One ends.\n\nTwo begins."
    assert clean(f"No stop\n\n{EN_BREAK}\n\n## 2. Next\n\nText.") == "No stop\n\n## 2. Next\n\nText."
    assert clean(f"- one\n- two\n\n{TR_BREAK}\n\n- three") == "- one\n- two\n- three"
    assert clean(f"{EN_BREAK}\n\nText.\n\n{EN_BREAK}") == "Text."


def test_furniture_like_lines_in_code_tables_and_sentences_stay() -> None:
    code = f"```\n{EN_BREAK}\n```"
    assert clean(code) == code
    table = "| Kraken Air | Leave | Edition 2025 |\n|---|---|---|\n| CONFIDENTIAL | Page 1 of 4 | x |"
    assert clean(table) == table
    assert clean("Papers marked\nCONFIDENTIAL go into the locked box.\nSee Page 1 of 4 there.") == (
        "Papers marked CONFIDENTIAL go into the locked box. See Page 1 of 4 there."
    )
    assert (
        clean("CONFIDENTIAL papers go into the locked box.") == "CONFIDENTIAL papers go into the locked box."
    )


def test_furniture_of_another_house_goes_by_recurrence() -> None:
    pages = [f"Sentence {word} runs on\nand reaches foot {word}" for word in ("one", "two", "three", "four")]
    rest = [f"of page {word} and ends." for word in ("alpha", "beta", "gamma", "delta")]
    text = "\n\n".join(
        f"{page}\n\n- {i} -\n\nNordwind Handbuch 20{20 + i}\n\n{end}"
        for i, (page, end) in enumerate(zip(pages, rest, strict=True), start=1)
    )
    cleaned = clean(text)
    assert "Nordwind" not in cleaned
    assert "- 2 -" not in cleaned
    assert cleaned.split("\n\n")[1] == "Sentence two runs on and reaches foot two of page beta and ends."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "metin\n\nSAYFA 1 / 3\n\nKRAKEN AİR | İZİN | SÜRÜM 2025\n\nGİZLİ: İÇ KULLANIM\n\nsürer.",
            "metin sürer.",
        ),
        ("a\n\n*Page 1 of 2*\n\n**Kraken Air | Leave | Edition 2025**\n\nb.", "a b."),
        ("a\n\n---\n    Page 1 of 2\n---\n\nb.", "a b."),
        ("The entitle-\n\nPage 1 of 2\n\nment. An entitlement.", "The entitlement. An entitlement."),
        ("- one goes on\n\nPage 1 of 2\n\n  and ends\n- two", "- one goes on and ends\n- two"),
        ("CONFIDENTIAL – papers are kept\nin the safe.", "CONFIDENTIAL – papers are kept in the safe."),
        ("- Sayfa 1 / 2", "- Sayfa 1 / 2"),
    ],
)
def test_dress_of_furniture(text: str, expected: str) -> None:
    assert clean(text) == expected


def test_form_feeds_are_page_breaks() -> None:
    text = "\f".join(
        f"ACME GmbH Intern {i}\n\nAbsatz {word} endet." for i, word in enumerate(("a", "b", "c", "d"))
    )
    assert clean(text) == "\n\n".join(f"Absatz {word} endet." for word in "abcd")


def test_repeated_paragraphs_are_not_furniture() -> None:
    once = "Ask your manager about it first\nand then write to the desk."
    text = "\n\n".join(f"## {i}. Part\n\n{once}\n\nNote" for i in range(1, 6))
    assert clean(text).count("Ask your manager about it first and then write to the desk.") == 5
    assert clean(text).count("\nNote") == 5


def test_hard_wraps() -> None:
    assert clean("One line\nand  the\tnext.\n\n\n\nNew.") == "One line and the next.\n\nNew."
    items = "- first item\n  goes on\n- second\n    - nested\n      too\n1. one\n2. two\n   more"
    assert clean(items) == "- first item goes on\n- second\n    - nested too\n1. one\n2. two more"
    assert clean("Bunun dayanağı yönetmeliğin\n6. maddesidir ve\n1. bölümde anlatılır.") == (
        "Bunun dayanağı yönetmeliğin 6. maddesidir ve 1. bölümde anlatılır."
    )
    assert clean("> quoted\n> on two lines") == "> quoted on two lines"


def test_hyphens_at_a_line_end() -> None:
    assert clean("The entitle-\nment grows. An entitlement is a right.").startswith("The entitlement grows.")
    assert clean("Rules for part-\ntimers.") == "Rules for part-timers."
    assert clean("All two-\nand three-day trips.") == "All two- and three-day trips."
    assert clean("Be\u00ad\ntrieb") == "Betrieb"
    assert clean("between 10:00–\n16:00") == "between 10:00–16:00"


def test_code_and_tables_are_untouched() -> None:
    text = "~~~ sh\n# no heading\na  b\n\n\n```\n~~~\n\n| a  |  b |\n|:--|--:|\n| x\\|y | 2 |"
    assert clean(text) == text
    assert clean("a | b\n--|--\n1 | 2") == "| a | b |\n| --|-- |\n| 1 | 2 |"


def test_encodings_of_the_same_text_are_one() -> None:
    text = "Şifre değişir.\n\nİkinci ölçü."
    variants = [
        unicodedata.normalize("NFD", text),
        "\ufeff" + text.replace("\n", "\r\n"),
        text.replace("\n", "\r"),
    ]
    assert [clean(variant) for variant in variants] == [text] * 3
    assert clean("a\x00b") == "ab"


def test_german_korean_and_a_line_of_200000_characters() -> None:
    assert (
        clean("Der Urlaub be-\nträgt 20 Tage.\nEr verfällt.") == "Der Urlaub be-trägt 20 Tage. Er verfällt."
    )
    assert clean("연차 휴가는\n15일입니다.") == "연차 휴가는 15일입니다."
    assert clean("休暇は\n十五日です。") == "休暇は十五日です。"
    for unit in ("word ", "- ", "_", "|", "#", "Sayfa 1 / ", '".', " "):
        clean("a" + unit * (200_000 // len(unit)) + "b")


def test_sections_by_numbered_headings() -> None:
    code = "```\n# not this\n## 9. nor this\n```"
    text = f"Before.\n\n## 1. Scope\n\nAll.\n\n{code}\n\n## 2. İzin\nBody.\n\n## 3. Empty"
    found = sections(document(text))
    assert [(s.number, s.title) for s in found] == [
        (NO_SECTION, ""),
        ("1", "Scope"),
        ("2", "İzin"),
        ("3", "Empty"),
    ]
    assert found[1].text == f"All.\n\n{code}"
    assert [found[0].text, found[2].text, found[3].text] == ["Before.", "Body.", ""]


def test_sections_of_other_shapes() -> None:
    text = "# Guide\n\nIntro.\n\n## First\n\na\n\n### Deep\n\nb\n\n"
    text += "## 2. Second\n\nc\n\n### Notes\n\nd\n\nUnder\n-----\n\ne"
    found = [(s.number, s.title, s.text) for s in sections(document(text))]
    assert found == [
        (NO_SECTION, "", "Intro."),
        ("1", "First", "a"),
        ("1.1", "First › Deep", "b"),
        ("2", "Second", "c"),
        ("2.1", "Second › Notes", "d"),
        ("5", "Under", "e"),
    ]
    numbers = [
        s.number
        for s in sections(
            document("### 3.1 A\n\nx\n\n## Madde 4 – B\n\nx\n\n## § 5 C ##\n\nx\n\n## 90 days\n\nx")
        )
    ]
    assert numbers == ["3.1", "4", "5", "6"]
    assert sections(document("## 1. Not for mail\n\nHi.", kind="mail"))[0].text == "## 1. Not for mail\n\nHi."
    assert sections(document("")) == []


LINES = st.sampled_from(
    """Some words here/and they go on./- item/  more/| a | b |/|---|---|/| 1 | 2 |/## 2. Head/```/# x
Page 3 of 9/Kraken Air | T | Edition 2025/GİZLİ – iç/6. madde/1. one/> q/---//""".replace("\n", "/").split(
        "/"
    )
)


@settings(max_examples=150, deadline=None)
@given(st.lists(LINES, max_size=25))
def test_cleaning_keeps_the_words_in_order_and_drops_only_furniture(lines: list[str]) -> None:
    furniture = {
        "Page 3 of 9",
        "Kraken Air | T | Edition 2025",
        "GİZLİ – iç",
        "---",
        "|---|---|",
        "| a | b |",
        "> q",
    }
    # A word of its own for each line of prose: lines that come back at page breaks are furniture by right.
    lines = [line + " " + "abcdefghijklmnopqrstuvwxyz"[i] if line[:1].isalpha() and "|" not in line
             and line not in furniture else line for i, line in enumerate(lines)]  # fmt: skip
    kept = iter(clean("\n".join(lines)).split())
    wanted = [word for line in lines if line not in furniture for word in line.split()]
    assert all(word in kept for word in wanted)


@pytest.mark.skipif(not DATA.exists(), reason="the corpus is not there")
def test_the_corpus_is_clean() -> None:
    for loaded in load_folder(DATA):
        raw = (DATA / loaded.source).read_text(encoding="utf-8") if loaded.kind == "handbook" else ""
        for mark in ("| Edition 20", "| Sürüm 20", "CONFIDENTIAL", "GİZLİ", "Page 1 of", "Sayfa 1 /"):
            assert mark not in loaded.text, (loaded.source, mark)
        if raw:
            assert any(mark in raw for mark in ("| Edition 20", "| Sürüm 20")), (
                "the test must have something to find"
            )
        assert clean(loaded.text) == loaded.text
        for line in loaded.text.split("\n") if raw else ():
            assert line == "" or line[0] in "#-|" or line[-1] in ".:?!,", (loaded.source, line)
