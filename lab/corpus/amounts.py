"""Values as a text states them: a number with its unit, or a day of the week, in English and Turkish.

Two values are equal when unit and number are, however they are written: "two days", "2 gün" and "2 günden"
are one, "1,250 TRY" and "1.250 TL" too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lab.corpus.blocks import blocks
from lab.corpus.tables import header_rows, row_pairs
from lab.text import fold

WORDS = {
    word: str(number)
    for line in (
        "one two three four five six seven eight nine ten eleven twelve",
        "bir iki uc dort bes alti yedi sekiz dokuz on onbir oniki",
    )
    for number, word in enumerate(line.split(), start=1)
}
_UNITS = (
    ("TRY", r"(?:try|tl|turkish lira)(?![a-z])|(?:turk )?lira|₺"),
    ("EUR", r"eur(?![a-z])|euro(?!p)|avro|€"),
    ("USD", r"usd(?![a-z])|(?:us )?dollar|dolar|\$"),
    ("%", r"%|per ?cent(?![a-z])"),
    ("working day", r"(?:working days?|business days?|is gun)"),
    ("calendar day", r"(?:calendar days?|takvim gun)"),
    ("day", r"(?:days?|gun(?!ey|es|cel))"),
    ("week", r"(?:weeks?|hafta)"),
    ("month", r"(?:months?|ay(?=(?:i|a|da|dan|in|lik|d[iu]r?)?(?![a-z])))"),
    ("year", r"(?:years?|yil)"),
    ("hour", r"(?:hours?|saat)"),
    ("minute", r"(?:minutes?|dakika)"),
    ("character", r"(?:characters?|karakter)"),
    ("visit", r"(?:visits?|muayene)"),
    ("ticket", r"(?:tickets?|bilet)"),
)
_NUMBER = r"\d{1,3}(?:[.,  \u00a0\u202f]\d{3})+(?!\d)(?:,\d+)?|\d+(?:[.,]\d+)?"
_VALUE = re.compile(
    rf"(?<![\w.,])(?:(?P<share>yuzde |% ?)(?P<percent>{_NUMBER})|(?P<sign>[€$₺]) ?(?P<money>{_NUMBER})"
    rf"|(?P<number>{_NUMBER}|{'|'.join(sorted(WORDS, key=len, reverse=True))})"
    rf"[ \u00a0\u202f-]?(?:(?:one-way|outpatient|gidis) )?"
    + "(?:"
    + "|".join(f"(?P<u{at}>{pattern})" for at, (_, pattern) in enumerate(_UNITS))
    + r"))(?P<ending>'?[a-z]*)"
)
_SIGNS = {"€": "EUR", "$": "USD", "₺": "TRY"}
_DAYS = re.compile(
    r"(?<!\w)(?:(monday|pazartesi)|(tuesday|sali)|(wednesday|carsamba)|(thursday|persembe)|(friday"
    r"|cuma(?!rtesi))"
    r"|(saturday|cumartesi)|(sunday|pazar(?!tesi)))(?:s|'\w+|leri\w*|y?[ie]|[dt][ae]n?|n?in|d[iu]r|ydi)?(?!\w)"
)
_HEADER_UNIT = re.compile(r"\((?:\w+ )?(try|tl|eur|usd|%)\)")
_BARE = re.compile(rf"(?<![\w.,])({_NUMBER}|{'|'.join(sorted(WORDS, key=len, reverse=True))})(?![\w%])")


@dataclass(frozen=True, slots=True)
class Amount:
    """`text[first:last]` states it, with its unit and any case ending."""

    unit: str
    number: str
    """Without thousands separators, with a decimal point; for a day of the week 1 (Monday) to 7."""
    first: int
    last: int

    @property
    def key(self) -> tuple[str, str]:
        return self.unit, self.number


def plain(text: str) -> str:
    """Folded letter by letter, apostrophes straight: positions stay those of `text`."""
    return "".join(
        "'" if letter in "’‘ʼ´`" else folded if len(folded := fold(letter)) == 1 else letter
        for letter in text
    )


def amounts(text: str) -> list[Amount]:
    """The values a running text states, in order. Numbers without a unit are none."""
    folded = plain(text)
    found = [_amount(match) for match in _VALUE.finditer(folded)]
    for match in _DAYS.finditer(folded):
        number = next(at for at, name in enumerate(match.groups(), start=1) if name)
        found.append(Amount("weekday", str(number), match.start(), match.end()))
    return sorted(found, key=lambda amount: amount.first)


def bare(text: str) -> list[Amount]:
    """Numbers that carry no unit ("330'dan 400 TL'ye"), with an empty unit."""
    return [
        Amount("", WORDS.get(match[1]) or canonical(match[1]), match.start(), match.end())
        for match in _BARE.finditer(plain(text))
    ]


def keys(text: str) -> frozenset[tuple[str, str]]:
    """(unit, number) of all values of a text, cells of tables included: a cell's unit stands in it or in its
    column's name, as in "Daily per diem (EUR)"."""
    found = {amount.key for amount in amounts(text)}
    if "|" in text:
        found |= set(_cells(text))
    return frozenset(found)


def canonical(number: str) -> str:
    """`1.250` and `1,250` → `1250`, `132,50` → `132.5`."""
    number = re.sub("[  \u00a0\u202f]", "", number)
    if re.fullmatch(r"[1-9]\d{0,2}(?:[.,]\d{3})+", number):
        return re.sub("[.,]", "", number)
    whole, _, rest = re.sub(r"[.,](?=\d{3}[.,])", "", number).replace(",", ".").partition(".")
    rest = rest.rstrip("0")
    return f"{whole}.{rest}" if rest else whole


def _amount(match: re.Match[str]) -> Amount:
    if match["percent"]:
        unit, number = "%", match["percent"]
    elif match["money"]:
        unit, number = _SIGNS[match["sign"]], match["money"]
    else:
        unit = next(name for at, (name, _) in enumerate(_UNITS) if match[f"u{at}"] is not None)
        number = match["number"]
    return Amount(unit, WORDS.get(number) or canonical(number), match.start(), match.end())


def _cells(text: str) -> Iterator[tuple[str, str]]:
    lines = text.split("\n")
    for block in blocks(lines):
        if block.kind != "table":
            continue
        own = [line.strip() for line in lines[block.first : block.last]]
        count = header_rows(own)
        for row in own[count:]:
            for column, value in row_pairs(own[:count], row):
                unit = _HEADER_UNIT.search(plain(column))
                if unit and (number := _BARE.fullmatch(value.strip())):
                    yield (
                        {"tl": "TRY"}.get(unit[1], unit[1].upper()),
                        WORDS.get(number[1]) or canonical(number[1]),
                    )
