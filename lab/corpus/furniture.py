"""Page furniture: running headers, confidentiality lines and page numbers that a page break left in the
text."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from lab.corpus.blocks import HEADING, TERMINAL, fenced, is_delimiter, is_row, tabled

_PAGE_WORDS = "page|sayfa|seite|página|pagina|strona|sida|side|쪽|페이지"
_EDITION = re.compile(
    r"[^|]+(?:\|[^|]+)*\|\s*(?:edition|sürüm|baskı|version|revision|issue|ausgabe|auflage|v)\.?\s*[\w.-]*\d[\w.-]*$",
    re.I,
)
_PAGE_OF = re.compile(rf"\W*(?:{_PAGE_WORDS})\s*:?\s*\d+\s*(?:of|/|von|de|di|-)\s*\d+\W*$", re.I)
_PAGE_OF_WITHIN = re.compile(
    rf"(?:.*[|–—·-]\s*)?(?:{_PAGE_WORDS})\s*\d+\s*(?:of|/|von|de|di)\s*\d+(?:\s*[|–—·-].*)?$", re.I
)
_PAGE = re.compile(
    rf"(?:(?:{_PAGE_WORDS})\s*\d+|\d+\s*(?:{_PAGE_WORDS})|[-–—]\s*\d+\s*[-–—]|\d+(?:\s*/\s*\d+)?)$", re.I
)
_SECRET = re.compile(
    r"(?:(?:STRICTLY|COMPANY|ÇOK|ŞİRKETE ÖZEL)\s+)?"
    r"(?:CONFIDENTIAL|GİZLİ|GIZLI|VERTRAULICH|CONFIDENTIEL)\b\s*([-–—:|/·•(]?)"
)
_RULE = re.compile(r"\s*([-*_])(?:\s*\1){2,}\s*$")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+(?!\d+\s*[-–—]$)\S")
_WRAPPING = re.compile(r"^(?:<!--|[*_~\s>])+|(?:-->|[*_~\s])+$")
_DIGITS = re.compile(r"\d+")
FORM_FEED = "\f"


def bare(line: str) -> str:
    """The line without emphasis marks, comment marks and doubled spaces; a line too long for furniture as
    it is."""
    if len(line) > 400:
        return line
    return " ".join(_WRAPPING.sub("", line).split())


class _Page:
    """The lines of a document with what is known of each."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        code = fenced(lines)
        self.table = tabled(lines, code)
        self.bare = [bare(line) for line in lines]
        self.key = [_DIGITS.sub("#", text) for text in self.bare]
        self.blank = [not line.strip() for line in lines]
        self.open = [
            not (
                inside
                or self.blank[i]
                or is_row(lines[i])
                or HEADING.match(lines[i])
                or _ITEM.match(lines[i])
            )
            for i, inside in enumerate(code)
        ]
        self.code = code
        self.furniture = [False] * len(lines)

    def neighbour(self, i: int, step: int, skip: frozenset[str] = frozenset()) -> int | None:
        """The nearest line above (-1) or below (1) that is neither blank nor furniture nor has a key in
        `skip`."""
        i += step
        while 0 <= i < len(self.lines):
            if not self.blank[i] and not self.furniture[i] and not (self.key[i] in skip and self.open[i]):
                return i
            i += step
        return None

    def touches_furniture(self, i: int) -> bool:
        for step in (-1, 1):
            j = i + step
            while 0 <= j < len(self.lines) and self.blank[j] and FORM_FEED not in self.lines[j]:
                j += step
            if 0 <= j < len(self.lines) and (self.furniture[j] or FORM_FEED in self.lines[j]):
                return True
        return False

    def at_an_end(self, i: int) -> bool:
        return self.neighbour(i, -1) is None or self.neighbour(i, 1) is None

    def alone(self, i: int) -> bool:
        """Whether blank lines, furniture or the document's ends are on both sides."""
        return all(not 0 <= j < len(self.lines) or self.blank[j] or self.furniture[j] for j in (i - 1, i + 1))

    def splits(self, above: int | None, below: int | None) -> bool:
        """Whether one sentence or one table goes on across the gap."""
        if above is None or below is None:
            return False
        if self.table[above] and self.table[below]:
            return not (below + 1 < len(self.lines) and is_delimiter(self.lines[below + 1]))
        if self.code[above] or self.code[below] or self.table[above] or self.table[below]:
            return False
        start = self.lines[below].strip()[0]
        return (
            not TERMINAL.search(self.lines[above].rstrip())
            and not HEADING.match(self.lines[above])
            and not _ITEM.match(self.lines[below])
            and start.isalpha()
            and not start.isupper()
        )


def furniture(lines: Sequence[str]) -> list[bool]:
    """For each line whether it is page furniture. Never a line of fenced code, a table row, a heading or a
    list item.

    By pattern: `… | … | Edition 2025` (Sürüm), `Page n of m` (Sayfa n / m), and `CONFIDENTIAL …` (GİZLİ …)
    where it stands like furniture. By recurrence: a line that, digits aside, comes back three times at page
    breaks. A page break shows itself by other furniture, by a form feed, or by cutting a sentence or table
    in two while the text around the line is another each time (so that a paragraph that is merely repeated
    stays).
    """
    page = _Page(lines)
    places: dict[str, list[int]] = defaultdict(list)
    for i, key in enumerate(page.key):
        if page.open[i]:
            places[key].append(i)
    _by_pattern(page, places)
    found = True
    while found:
        found = _secrets(page, places) | _recurring(page, places)
    for i, line in enumerate(lines):  # a drawn line at the page's edge, if it underlines no heading
        if _RULE.match(line) and not page.code[i] and (i == 0 or page.blank[i - 1] or page.furniture[i - 1]):
            page.furniture[i] = page.touches_furniture(i)
    return page.furniture


def _by_pattern(page: _Page, places: dict[str, list[int]]) -> None:
    outside = {page.bare[i] for i in range(len(page.lines)) if page.open[i] and not page.table[i]}
    for i, text in enumerate(page.bare):
        if not page.open[i] or len(text) > 200:
            continue
        if _EDITION.match(text):
            page.furniture[i] = not page.table[i] or text in outside
        elif not page.table[i]:
            page.furniture[i] = bool(
                _PAGE_OF.match(text) or (len(places[page.key[i]]) > 1 and _PAGE_OF_WITHIN.match(text))
            )


def _secrets(page: _Page, places: dict[str, list[int]]) -> bool:
    found = False
    for i, text in enumerate(page.bare):
        match = _SECRET.match(text) if page.open[i] and not page.furniture[i] and len(text) <= 200 else None
        if match is None or page.table[i]:
            continue
        marked = bool(match[1]) or not TERMINAL.search(text) or len(places[page.key[i]]) > 1
        if page.touches_furniture(i) or (page.alone(i) and marked):
            page.furniture[i] = found = True
    return found


def _recurring(page: _Page, places: dict[str, list[int]]) -> bool:
    often = {key for key, where in places.items() if len(where) >= 3 and len(key) <= 200}
    skip = frozenset(often)
    found = False
    for key in often:
        where = [i for i in places[key] if not page.furniture[i] and not page.table[i]]
        if len(where) < 3:
            continue
        at_breaks = {i for i in where if page.touches_furniture(i)}
        if len({page.neighbour(i, -1, skip) for i in at_breaks}) >= 3:  # breaks, not lines at one break
            chosen = [i for i in where if i in at_breaks or page.at_an_end(i)]
        elif _cuts(page, where, skip):
            chosen = where
        else:
            continue
        for i in chosen:
            page.furniture[i] = True
        found = True
    return found


def _cuts(page: _Page, where: list[int], skip: frozenset[str]) -> bool:
    text = page.bare[where[0]]
    number = _PAGE.match(text)
    if not number and (len(text) < 10 or " " not in text or text[0].islower() or TERMINAL.search(text)):
        return False
    gaps = [(page.neighbour(i, -1, skip), page.neighbour(i, 1, skip)) for i in where]
    above = {page.lines[i] if i is not None else None for i, _ in gaps}
    below = {page.lines[i] if i is not None else None for _, i in gaps}
    if len(above) < len(where) or len(below) < len(where):
        return False
    if number:
        counts = [int(_DIGITS.findall(page.bare[i])[0]) for i in where]
        if any(later - earlier != 1 for earlier, later in pairwise(counts)):
            return False
    return any(page.splits(a, b) for a, b in gaps)
