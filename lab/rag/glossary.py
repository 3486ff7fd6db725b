"""What people say and what the handbook calls it: holiday, vacation → annual paid leave; tatil → the same.

The list is read from `glossary.txt` beside this file. Matching is by stem in English and by the word's
beginning in Turkish, whose endings follow it; of overlapping matches the longest counts."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources

from lab.text import fold, language_of, lexemes

FILE = "glossary.txt"
_WORD = re.compile(r"[^\W_]+")
_ENDING = re.compile(
    "m?(?:l[ae]r)?(?:[iu]?m|[iu]?n|s?[iu]|[iu]m[iu]z)?(?:[dt][ae]n?|[yn]?[aeiu]|n?[iu]n|m[ae]k|[iu]r|[iu]yor\\w*)?"
)
_INFINITIVE = re.compile("m[ae]k$")


@dataclass(frozen=True, slots=True)
class Entry:
    """`terms` are the handbook's words, `said` the everyday ones, each by language (`en`, `tr`)."""

    terms: dict[str, str]
    said: dict[str, tuple[str, ...]]


@functools.cache
def entries() -> tuple[Entry, ...]:
    """The list that came with the package, in its order."""
    text = resources.files("lab.rag").joinpath(FILE).read_text(encoding="utf-8")
    return tuple(_entry(line) for line in text.splitlines() if line.strip() and not line.startswith("#"))


def _entry(line: str) -> Entry:
    names, words = (part.split(" / ") for part in line.split(" | "))
    return Entry(
        {"en": names[0].strip(), "tr": names[1].strip()},
        {
            language: tuple(word.strip() for word in part.split(","))
            for language, part in zip(("en", "tr"), words, strict=True)
        },
    )


def terms() -> list[str]:
    """All that is ever searched beside a question."""
    return [entry.terms["en"] for entry in entries()]


def found(question: str) -> list[Entry]:
    """The entries of which the question uses an everyday word, in the order of the question."""
    language = "tr" if language_of(question) == "tr" else "en"
    tokens = _WORD.findall(question)
    matches = sorted(_matches(tokens, language), key=lambda match: (match[0] - match[1], match[0]))
    taken: set[int] = set()
    kept: dict[int, int] = {}
    for first, last, number in matches:
        if taken.isdisjoint(range(first, last)):
            taken |= set(range(first, last))
            kept[number] = min(first, kept.get(number, first))
    return [entries()[number] for number in sorted(kept, key=lambda number: kept[number])]


def _matches(tokens: list[str], language: str) -> Iterator[tuple[int, int, int]]:
    """(first token, one past the last, number of the entry) of every everyday phrase in the question."""
    read = [_stem(token) if language == "en" else fold(token) for token in tokens]
    phrases = _phrases(language)
    for first, word in enumerate(read):
        for number, phrase in phrases.get(word[:2], ()):
            words = read[first : first + len(phrase)]
            if len(words) == len(phrase) and all(
                part == word if language == "en" else _begins(word, part)
                for part, word in zip(phrase, words, strict=True)
            ):
                yield first, first + len(phrase), number


@functools.cache
def _phrases(language: str) -> dict[str, list[tuple[int, tuple[str, ...]]]]:
    """(number of the entry, its phrase's stems) by the first two letters of the phrase."""
    form = _stem if language == "en" else _beginning
    found: dict[str, list[tuple[int, tuple[str, ...]]]] = {}
    for number, entry in enumerate(entries()):
        for phrase in entry.said[language]:
            words = tuple(form(word) for word in _WORD.findall(phrase))
            found.setdefault(words[0][:2], []).append((number, words))
    return found


@functools.lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    """An English word's stem; a stop word ("off") as it is."""
    return (lexemes(word, "en") or [fold(word)])[0]


def _beginning(word: str) -> str:
    """What of a folded Turkish word stays before endings: "taşınmak" → "tasin", "ayrılık" → "ayrili"."""
    folded = _INFINITIVE.sub("", fold(word))
    return folded[:-1] if len(folded) > 4 and folded[-1] in "kpt" else folded


def _begins(word: str, beginning: str) -> bool:
    """Short beginnings take the commonest endings only: "zam" is in "zammim", "zamlar", not in "zaman"."""
    if not word.startswith(beginning):
        return False
    return len(beginning) > 3 or bool(_ENDING.fullmatch(word[len(beginning) :]))
