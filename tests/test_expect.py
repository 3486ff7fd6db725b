"""What a question expects, in both languages."""

from __future__ import annotations

import pytest

from lab.rag import expect


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I joined four years ago", {4}),
        ("12 yıldır buradayım", {12}),
        ("on iki yıldır buradayım", {12}),
        ("oniki yildir buradayim", {12}),
        ("Yirmi dört saat içinde", {24}),
        ("DÖRT YIL", {4}),
        ("twenty-one nights", {21}),
        ("one of our managers spends a night on the road", set()),
        ("bir yönetici otele ne ödeyebilir", set()),
        ("in 2025, after 7 years", {2025, 7}),
    ],
)
def test_numbers(text: str, found: set[int]) -> None:
    assert expect.numbers(text) == found


@pytest.mark.parametrize(
    ("key", "named", "covered"),
    [
        ("7", {7}, True),
        ("7", {17}, False),
        ("5–9", {7}, True),
        ("5–9", {10}, False),
        ("15 or more", {16}, True),
        ("15 or more", {14}, False),
        ("15 ve üzeri", {20}, True),
        ("15 or more", {2025}, False),
        ("Manager", {7}, None),
    ],
)
def test_row_keys(key: str, named: set[int], covered: bool | None) -> None:
    assert expect.key_covers(key, frozenset(named)) is covered


@pytest.mark.parametrize(
    "text",
    [
        "How many days?",
        "By when must I report it?",
        "Kaç gün iznim var?",
        "kac gun iznim var",
        "En geç ne zaman?",
        "ÜST SINIR nedir?",
    ],
)
def test_a_figure_is_wanted(text: str) -> None:
    assert expect.wants_figure(text)


@pytest.mark.parametrize("text", ["May I work from Spain?", "Yurt dışından çalışabilir miyim?"])
def test_no_figure_is_wanted(text: str) -> None:
    assert not expect.wants_figure(text)


def test_an_address_is_wanted() -> None:
    assert expect.wants_address("Where do I send it?")
    assert expect.wants_address("Kime bildireyim?")
    assert not expect.wants_address("How many days?")


def test_phrases_are_runs_of_words_without_the_short_ones() -> None:
    runs = ["kıdemli", "uzman", "Ankara", "kıdemli uzman", "uzman Ankara"]
    assert expect.phrases("bir kıdemli uzman, Ankara") == runs


def test_a_model_that_does_not_know_is_heard() -> None:
    assert expect.says_unknown("I don't know; the sources do not say.")
    assert expect.says_unknown("Kaynaklarda bu konuda bilgi yok, BİLMİYORUM.")
    assert not expect.says_unknown("Yılda 22 gün izin vardır [1].")
