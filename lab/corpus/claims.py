"""Links that a model claims, checked against the documents.

A claim becomes a link only where the sentence and the section it names are really there. Dates are read from
the sentence by rules, never taken from the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lab.corpus import naming
from lab.corpus.days import period
from lab.corpus.links import KINDS, Link, link_id
from lab.corpus.scan import scan, without
from lab.corpus.sections import sections
from lab.corpus.sentences import sentences
from lab.kinds import NO_SECTION, Document, Section
from lab.models.ollama_links import Claim

CONFIDENCE = 0.5
"""Below every rule's: such a link is not followed until somebody confirms it."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A claim that the documents do not bear out, and why."""

    source: str
    claim: Claim
    why: str


def readable(document: Document) -> str:
    """The text without what the scan finds suspect: what a model may be shown of it."""
    return without(document.text, ((found.first, found.last) for found in scan(document.text))).strip()


def catalogue(documents: Sequence[Document]) -> list[str]:
    """Lines "document#number: title › heading", one for each section that an announcement might change."""
    lines: dict[str, None] = {}
    for document in documents:
        if document.kind != "mail" and not naming.is_announcement(document):
            for section in sections(document):
                if section.number != NO_SECTION:
                    lines.setdefault(f"{document.id}#{section.number}: {document.title} › {section.title}")
    return list(lines)


def checked(
    document: Document, claims: Sequence[Claim], documents: Sequence[Document], known: Sequence[Link], by: str
) -> tuple[list[Link], list[Refused]]:
    """(links, refused claims) of a model's claims about one document, in order.

    A claim whose source section and target a `known` link already joins is left out silently: the rule's own
    link says more."""
    joined = {(link.source_document, link.source_section, link.target) for link in known}
    found: dict[str, Link] = {}
    refused = []
    for claim in claims:
        told = _link(document, claim, documents, by)
        if isinstance(told, str):
            refused.append(Refused(f"{document.id}@{document.edition}", claim, told))
        elif (told.source_document, told.source_section, told.target) not in joined:
            found.setdefault(told.id, told)
    return list(found.values()), refused


def _link(document: Document, claim: Claim, documents: Sequence[Document], by: str) -> Link | str:
    """The link, or why there is none."""
    if claim.kind not in KINDS:
        return f"{claim.kind!r} is no kind of link"
    place = next(_said(document, claim.sentence), None)
    if place is None:
        return "the document does not hold this sentence"
    target, _, number = claim.target.strip().partition("#")
    others = [other for other in documents if other.id == target and other.id != document.id]
    if not others:
        return f"there is no other document {target!r}"
    if number and not any(naming.section_at(other, number) for other in others):
        return f"{target} has no section {number!r}"
    section, sentence = place
    when = period(sentence, document.valid_from.year)
    link = Link(
        id="",
        kind=claim.kind,
        source_document=document.id,
        source_edition=document.edition,
        source_section=section.number,
        target_document=target,
        target_section=number or None,
        said_on=document.valid_from,
        valid_from=when.start or document.valid_from,
        valid_to=when.end,
        evidence=sentence,
        named_by="",
        old=claim.old if claim.old in sentence else "",
        new=claim.new if claim.new in sentence else "",
        confidence=CONFIDENCE,
        by=by,
    )
    return replace(link, id=link_id(link))


def _said(document: Document, text: str) -> Iterator[tuple[Section, str]]:
    """The document's own sentences that hold the words of `text`, whatever its white space."""
    wanted = " ".join(text.split())
    for section in sections(document):
        for sentence in sentences(section.text, document.language):
            if len(wanted) > 10 and wanted in " ".join(sentence.split()) and not scan(sentence):
                yield section, sentence
