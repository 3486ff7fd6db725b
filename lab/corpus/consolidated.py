"""A document as it stands on a day: its own text with what links have changed in it, each change with its
source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from lab.corpus import standing
from lab.corpus.amounts import amounts, keys
from lab.corpus.links import Link
from lab.corpus.standing import Thread
from lab.kinds import Section

STATES = ("in force", "amended", "not in force")


@dataclass(frozen=True, slots=True)
class Note:
    """Why a section does not stand as it was printed."""

    kind: str
    source: str
    """`document@edition#section` of what changed it."""
    valid_from: date
    valid_to: date | None
    old: str
    new: str
    evidence: str
    """The sentence that says so, verbatim."""
    link: str
    """The link's id, for `lab links undo`."""


@dataclass(frozen=True, slots=True)
class Part:
    """A section on a day. `text` has the values that hold where the section states the old one exactly once;
    `printed` is the section as it stands in its edition."""

    number: str
    title: str
    text: str
    printed: str
    state: str
    """One of STATES."""
    notes: tuple[Note, ...]


def consolidate(
    document: str, sections: Sequence[Section], since: date, links: Sequence[Link], day: date
) -> list[Part]:
    """The sections of one edition (valid from `since`) of a document as they stand on `day`."""
    threads = [thread for thread in standing.threads(links) if thread.document == document]
    return [_part(section, since, threads, day) for section in sections]


def _part(section: Section, since: date, threads: Sequence[Thread], day: date) -> Part:
    text, notes, state = section.text, [], STATES[0]
    for thread in threads:
        link = thread.standing(day)
        if link is None or thread.section not in (None, section.number):
            continue
        if not standing.applies(thread.links[0], section.text, since):
            continue
        whole = thread.whole(day)
        new = thread.value(day)
        if keys(new) == keys(thread.base) and new:
            # A chain that has come back to what is printed: said, but nothing is changed.
            notes.append(_note(link, link.old, new))
            continue
        notes.append(_note(link, thread.base or link.old, new))
        text = text if whole else _with_value(text, thread.base, new)
        state = STATES[2] if whole else state if state == STATES[2] else STATES[1]
    return Part(section.number, section.title, text, section.text, state, tuple(notes))


def _note(link: Link, old: str, new: str) -> Note:
    return Note(link.kind, link.source, link.valid_from, link.valid_to, old, new, link.evidence, link.id)


def _with_value(text: str, old: str, new: str) -> str:
    """The text with the new number where it states the old value exactly once; else as it is."""
    wanted, number = keys(old), re.search(r"\d[\d.,]*\d|\d", new)
    places = [amount for amount in amounts(text) if amount.key in wanted]
    if len(places) != 1 or number is None or places[0].unit == "weekday":
        return text
    first, last = places[0].first, places[0].last
    written = re.sub(r"\d[\d.,]*\d|\d|\b[^\W\d_]+(?= )", number[0], text[first:last], count=1)
    return text[:first] + written + text[last:]
