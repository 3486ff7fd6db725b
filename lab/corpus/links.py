"""Links between documents: which section of which document changes which, by rules in English and Turkish.

Nothing is inferred from likeness: a link is proposed where a sentence says that something changes and what.
What it changes is either named ("section 2 of the Benefits policy", "6. bölümünü günceller", "our
announcement of 22 June 2026"), or it is the one section that states the old value about the same thing.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from lab.corpus import naming
from lab.corpus.amounts import keys
from lab.corpus.changes import Change, changes, ends, is_certain, stated
from lab.corpus.days import period
from lab.corpus.naming import Named, section_at
from lab.corpus.sections import sections
from lab.corpus.sentences import sentences
from lab.corpus.terms import shared, topics
from lab.kinds import Document, Section

KINDS = ("amends", "replaces", "repeals", "corrects")
CONFIDENCE = {"named": 0.95, "translated": 0.85, "topic": 0.7}
DOUBT = 0.25
"""Taken off where the target's section does not state the old value."""
TOPIC = 2
"""Words that a sentence without a named section must share with the one it is about; see `_by_topic`."""


@dataclass(frozen=True, slots=True)
class Link:
    """`source` changes `target` from `valid_from` on."""

    id: str
    kind: str
    """One of KINDS: *amends* a part, *replaces* the whole, *repeals* (ends it), *corrects*."""
    source_document: str
    source_edition: str
    source_section: str
    target_document: str
    target_section: str | None
    """None: the whole document. Its edition is the one in force on the day asked about."""
    said_on: date
    """First day of the document that states it: when it was announced."""
    valid_from: date
    valid_to: date | None
    """First day on which it no longer holds by its own words; None: until another link ends it."""
    evidence: str
    """The sentence that states the change, verbatim."""
    named_by: str
    """The sentence that names the target, verbatim: often the same; empty when found by topic."""
    old: str
    new: str
    """The values as written ("600 TRY"), "" where the sentence states none."""
    confidence: float
    by: str = "rules"

    @property
    def source(self) -> str:
        return f"{self.source_document}@{self.source_edition}#{self.source_section}"

    @property
    def target(self) -> str:
        return self.target_document + (f"#{self.target_section}" if self.target_section else "")


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence with its place: section, paragraph within it."""

    section: str
    paragraph: int
    text: str


def propose(documents: Sequence[Document]) -> list[Link]:
    """The links that the documents' own sentences state, by source and position; each id once."""
    found: dict[str, Link] = {}
    ordered = sorted(documents, key=lambda document: (document.valid_from, document.id, document.edition))
    for document in ordered:  # announcements that others name come first
        for link in _of(document, ordered, list(found.values())):
            found.setdefault(link.id, link)
    return list(found.values())


def link_id(link: Link) -> str:
    """Same ends, kind, values and first day, same id: what was decided about a link stays decided."""
    told = [
        link.kind, link.source, link.target, link.valid_from.isoformat(),
        *(str(sorted(keys(value))) for value in (link.old, link.new)),
    ]  # fmt: skip
    return "lnk_" + hashlib.sha256("\0".join(told).encode()).hexdigest()[:12]


def _of(document: Document, documents: Sequence[Document], known: Sequence[Link]) -> Iterator[Link]:
    said = list(_sentences(document))
    targets = [
        (at, name)
        for at, one in enumerate(said)
        for name in naming.named(one.text, document, documents, known)
    ]
    used: set[int] = set()
    for at, name in targets:
        alone = len({(n.document, n.section) for _, n in targets}) == 1
        for place, change in _changes(said, at, name, alone, documents):
            used.add(place)
            yield _link(document, said[place], said[at].text, name, change, documents, known)
    if document.kind == "mail" or naming.is_announcement(document):
        for at, one in enumerate(said):
            if at not in used and not targets:
                yield from _by_topic(document, one, documents)


def _sentences(document: Document) -> Iterator[_Said]:
    for section in sections(document):
        for number, paragraph in enumerate(re.split(r"\n\s*\n", section.text)):
            for text in sentences(paragraph, document.language):
                yield _Said(section.number, number, text)


def _changes(
    said: Sequence[_Said], at: int, name: Named, alone: bool, documents: Sequence[Document]
) -> list[tuple[int, Change]]:
    """(place, change) of what the sentence at `at` announces: in it and after it in its paragraph, else, if
    the document names one target only, wherever it states a change of a value that stands there."""
    here = said[at]
    following = [
        place
        for place in range(at, len(said))
        if (said[place].section, said[place].paragraph) == (here.section, here.paragraph)
    ]
    found = [(place, change) for place in following for change in changes(said[place].text)]
    if not found and alone and name.kind in ("amends", "corrects"):
        found = [
            (place, change)
            for place in range(len(said))
            for change in changes(said[place].text)
            if _holds(documents, name.document, name.section, change.old)
        ]
    if not found:
        kind = "repeals" if ends(here.text) and name.kind == "amends" else name.kind
        new = stated(here.text) if kind != "replaces" else ""
        found = [(at, Change("", new, kind))]
    return [
        (
            place,
            replace(change, kind=name.kind) if name.kind != "amends" and change.kind == "amends" else change,
        )
        for place, change in found
    ]


def _link(
    document: Document,
    said: _Said,
    named_by: str,
    name: Named,
    change: Change,
    documents: Sequence[Document],
    known: Sequence[Link],
) -> Link:
    year = document.valid_from.year
    when = period(said.text, year)
    if when.start is None and when.end is None:
        when = period(named_by, year)
    old = change.old
    if not old and (ended := naming.announced(known, name)):
        old = ended.new  # what it ends is what that announcement had set
    doubt = DOUBT if old and not _holds(documents, name.document, name.section, old) else 0.0
    return _with_id(
        Link(
            id="",
            kind=change.kind,
            source_document=document.id,
            source_edition=document.edition,
            source_section=said.section,
            target_document=name.document,
            target_section=name.section,
            said_on=document.valid_from,
            valid_from=when.start or document.valid_from,
            valid_to=when.end,
            evidence=said.text,
            named_by=named_by,
            old=old,
            new=change.new,
            confidence=round(CONFIDENCE[name.how] - doubt, 2),
        )
    )


def _by_topic(document: Document, said: _Said, documents: Sequence[Document]) -> Iterator[Link]:
    """A dated change from one value to another, in a mail that names no section. Its target is the section
    that states the old value in a sentence about the same, the one that shares most words with it."""
    for change in changes(said.text):
        when = period(said.text, document.valid_from.year)
        if not change.new or not (when.start or when.end):
            continue
        wanted = topics(said.text, document.language)
        scores: dict[tuple[str, str], int] = {}
        for other in documents:
            if other.id == document.id or other.kind == "mail" or naming.is_announcement(other):
                continue
            for section in sections(other):
                if score := _likeness(wanted, change.old, section, other):
                    place = (other.id, section.number)
                    scores[place] = max(score, scores.get(place, 0))
        best = sorted(scores.items(), key=lambda item: -item[1])
        if not best or best[0][1] < TOPIC or (len(best) > 1 and best[1][1] == best[0][1]):
            continue
        target, number = best[0][0]
        name = Named(target, number, "amends", "topic")
        yield _link(document, said, "", name, change, documents, ())


def _likeness(wanted: tuple[frozenset[str], ...], old: str, section: Section, document: Document) -> int:
    """Words shared with the section's heading and a sentence or row of it that states the old value; 0 when
    none does."""
    value = keys(old)
    best = 0
    for text in _pieces(section.text, document.language):
        if value <= keys(text):
            best = max(best, shared(wanted, topics(f"{section.title} {text}", document.language)))
    return best


@functools.lru_cache(maxsize=512)
def _pieces(text: str, language: str) -> tuple[str, ...]:
    """Paragraphs as sentences, tables whole."""
    return tuple(
        piece
        for paragraph in re.split(r"\n\s*\n", text)
        for piece in ([paragraph] if "|" in paragraph else sentences(paragraph, language))
    )


def _holds(documents: Sequence[Document], document: str, section: str | None, value: str) -> bool:
    """Whether any edition's section (None: any section) states the value."""
    wanted = keys(value)
    return bool(wanted) and any(
        wanted <= keys(part.text)
        for other in documents
        if other.id == document
        for part in ([section_at(other, section)] if section else sections(other))
        if part is not None
    )


def _with_id(link: Link) -> Link:
    return replace(link, id=link_id(link))


__all__ = ["KINDS", "Link", "is_certain", "link_id", "propose"]
