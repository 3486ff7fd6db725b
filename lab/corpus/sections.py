"""A cleaned document's sections: headings, their numbers, and where each section lies in the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lab.corpus.blocks import HEADING, blocks
from lab.kinds import NO_SECTION, Document, Section

_NUMBER = re.compile(
    r"(?:(?:section|article|chapter|bölüm|madde|abschnitt|artikel|§)\s*)(\d+(?:\.\d+)*)\s*[.):–—-]?\s*(.*)$"
    r"|(\d{1,3}(?:\.\d{1,2})+)[.):]?\s+(.*)$"
    r"|(\d{1,3})[.):](?:\s+(.*))?$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Span:
    """A section with its place: the heading line starts at `start`, the body is `text[first:last]`."""

    section: Section
    start: int
    first: int
    last: int
    leads: bool
    """Whether a deeper heading follows at once, or the heading only repeats the document's title: without a
    body of its own there is then nothing to find under it."""


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    text: str
    start: int
    end: int


def sections(document: Document) -> list[Section]:
    """The sections in order. Text before the first heading is a section NO_SECTION if there is any; a mail
    is one.

    Every heading opens a section, whatever its level; `#` inside fenced code is none. Its number is the one
    written ("## 3. …", "### 3.1 …", "## § 3 …"), else, under a numbered heading of a higher level, that
    number and a running one ("3.1"), else its place among the headings, or the next number that no heading
    has. A heading's title carries the titles above it ("International › Hotels"). A first and only `#`
    heading above others is the document's own title: text under it is NO_SECTION.
    """
    return [span.section for span in spans(document)]


def spans(document: Document) -> list[Span]:
    """`sections` with offsets into `document.text`; empty for a text of white space only."""
    text = document.text
    headings = [] if document.kind == "mail" else _headings(text)
    title = _title(headings, document.title)
    found = []
    first = headings[0].start if headings else len(text)
    if text[:first].strip():
        found.append(_span(text, Section(NO_SECTION, "", ""), 0, 0, first, False))
    written = {number for number, _ in map(_split, headings) if number}
    used: set[str] = set()
    above: list[tuple[int, str, str]] = []
    place = 0
    for i, heading in enumerate(headings):
        last = headings[i + 1].start if i + 1 < len(headings) else len(text)
        leads = i + 1 < len(headings) and headings[i + 1].level > heading.level
        if heading is title:
            if text[heading.end : last].strip():
                found.append(
                    _span(text, Section(NO_SECTION, "", ""), heading.start, heading.end, last, False)
                )
            continue
        place += 1
        while above and above[-1][0] >= heading.level:
            above.pop()
        number, name = _split(heading)
        number = number or _running(above[-1][1] if above else "", place, written | used)
        used.add(number)
        section = Section(number, " › ".join([*(upper for _, _, upper in above if upper), name]), "")
        above.append((heading.level, number, name))
        found.append(_span(text, section, heading.start, heading.end, last, leads))
    return found


def _span(text: str, section: Section, start: int, first: int, last: int, leads: bool) -> Span:
    while first < last and text[first] == "\n":
        first += 1
    while last > first and text[last - 1].isspace():
        last -= 1
    return Span(Section(section.number, section.title, text[first:last]), start, first, last, leads)


def _headings(text: str) -> list[_Heading]:
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    found = []
    for block in blocks(lines):
        if block.kind != "heading":
            continue
        line = lines[block.first].strip()
        if match := HEADING.match(line):
            level, name = len(match[1]), line[match.end() :].strip()
            closing = name.rstrip("#")
            name = closing.rstrip() if closing != name and (not closing or closing[-1].isspace()) else name
        else:
            level, name = 1 if "=" in lines[block.first + 1] else 2, line
        found.append(_Heading(level, name.strip(), starts[block.first], min(starts[block.last], len(text))))
    return found


def _title(headings: Sequence[_Heading], title: str) -> _Heading | None:
    """The heading that is the document's title, if there is one."""
    tops = [heading for heading in headings if heading.level == 1]
    if len(tops) != 1 or tops[0] is not headings[0] or _split(tops[0])[0]:
        return None
    return tops[0] if len(headings) > 1 or tops[0].text.casefold() == title.casefold() else None


def _split(heading: _Heading) -> tuple[str, str]:
    """(number as written or "", title)."""
    match = _NUMBER.match(heading.text)
    if not match:
        return "", heading.text
    groups = [group for group in match.groups() if group is not None]
    return groups[0], groups[1].strip() if len(groups) > 1 else ""


def _running(above: str, place: int, taken: set[str]) -> str:
    number = 1 if above else place
    prefix = f"{above}." if above else ""
    while f"{prefix}{number}" in taken:
        number += 1
    return f"{prefix}{number}"
