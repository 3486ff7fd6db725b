"""What in a document can be asked for: rows of tables, amounts, days, times and definitions, by rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lab.corpus.blocks import blocks
from lab.corpus.sections import sections
from lab.corpus.sentences import sentences
from lab.corpus.tables import header_rows, row_pairs
from lab.kinds import Document, Section

ROWS = 6
"""Rows of one table that are asked for: of 3,500 prices not all."""
SHORTEST, LONGEST = 20, 320
"""Letters of a sentence that is asked for."""
_MONTHS = (
    "january february march april may june july august september october november december "
    "januar februar märz mai juni juli oktober dezember "
    "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık"
).split()
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_NUMBER = r"\d{1,3}(?:[.,\u00a0]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d+)?"
_DAY = re.compile(rf"(?<!\w)\d{{1,2}}\.? (?:{_MONTH})(?: \d{{4}})?(?!\d)", re.I)
_TIME = re.compile(r"(?<![\d.:])\d{1,2}:\d{2}(?![\d:])")
_MONEY = re.compile(
    rf"[£€$₺] ?(?:{_NUMBER})|(?:{_NUMBER}) ?(?:EUR|TL|TRY|USD|GBP|CHF|Euro|euros?|pounds?|원)(?![^\W\d_])"
    rf"|(?:{_NUMBER}) ?[€₺]"
)
_SHARE = re.compile(rf"(?:{_NUMBER}) ?(?:%|per ?cent|Prozent)|yüzde (?:{_NUMBER})|%(?:{_NUMBER})", re.I)
_COUNT = re.compile(
    rf"(?<![\w.,:/-])(?:{_NUMBER})[ \u00a0-]?(?!(?:bis|to|and|und|ve|ile|or|oder|of|in|on|at|am|im|by)\b)"
    r"(?:°[A-Z]|[^\W\d_]{1,16})"
)
_SPAN = re.compile(
    r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|sekunden?|minuten?|stunden?|tagen?|tage|wochen?"
    r"|monaten?|monate|jahren?|jahre|saniye|dakika|saat|gün|hafta|ay|yıl)$",
    re.I,
)
_MEANS = (
    re.compile(
        r"(?:An? |The )?(?P<what>[^,;:.]{3,50}?) (?:means|is defined as|refers to|denotes) (?P<is>.{8,})"
    ),
    re.compile(
        r"(?:Eine? |Der |Die |Das )?(?P<what>[^,;:.]{3,50}?) (?:bedeutet|heißt|bezeichnet) (?P<is>.{8,})"
    ),
    re.compile(r"(?P<what>[^,;:.]{3,50}?), (?P<is>.{8,}?) (?:demektir|anlamına gelir)"),
)


@dataclass(frozen=True, slots=True)
class Fact:
    """Something a document states. `source` is its sentence or row, verbatim; `value` what is asked for, a
    span of it (of a row: a cell); `subject` what the value belongs to."""

    document: Document
    section: Section
    kind: str
    """`table`, `money`, `span`, `count`, `share`, `day`, `time` or `term`."""
    source: str
    value: str
    subject: str
    column: str = ""


def facts(document: Document) -> list[Fact]:
    """What the document states, in its order; at most one fact a sentence or row."""
    return [fact for section in sections(document) for fact in _in(document, section)]


def _in(document: Document, section: Section) -> Iterator[Fact]:
    lines = section.text.split("\n")
    for block in blocks(lines):
        own = lines[block.first : block.last]
        if block.kind == "table":
            yield from _rows(document, section, [line.strip() for line in own])
        elif block.kind in ("text", "item"):
            for sentence in sentences("\n".join(own), document.language):
                if SHORTEST <= len(sentence) <= LONGEST and (fact := _stated(document, section, sentence)):
                    yield fact


def _rows(document: Document, section: Section, rows: list[str]) -> Iterator[Fact]:
    count = header_rows(rows)
    body = rows[count:]
    step = max(1, len(body) // ROWS)
    for at, row in enumerate(body[::step][:ROWS]):
        pairs = row_pairs(rows[:count], row)
        if len(pairs) < 2 or not re.search(r"[^\W\d_]{2}", pairs[0][1]):
            continue
        told = [(name, value) for name, value in pairs[1:] if name and re.search(r"\d", value)]
        if told:
            name, value = told[at % len(told)]
            yield Fact(document, section, "table", row, value, pairs[0][1], name)


def _stated(document: Document, section: Section, sentence: str) -> Fact | None:
    for pattern in _MEANS:
        if match := pattern.match(sentence):
            said = " ".join(re.findall(r"[^\W_]+", match["is"])[:3])
            return Fact(document, section, "term", sentence, said, match["what"])
    for kind, pattern in (
        ("money", _MONEY),
        ("share", _SHARE),
        ("day", _DAY),
        ("time", _TIME),
        ("count", _COUNT),
    ):
        if match := pattern.search(sentence):
            value = match[0].strip()
            if kind == "count" and _SPAN.search(value):
                kind = "span"
            return Fact(
                document, section, kind, sentence, value, section.title.split(" › ")[-1] or document.title
            )
    return None
