"""What the scan found in a document, marked in its chunks, and cut out of them."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lab.corpus.scan import Finding, scan, without
from lab.corpus.sections import spans as section_spans
from lab.kinds import NO_SECTION, Chunk, Document, Suspect

GAP = 50_000
"""Characters within which the next chunk of a document begins."""


@dataclass(frozen=True, slots=True)
class Located:
    """A finding with the place it has in a document. `where` is `text` or `title`."""

    document: str
    edition: str
    source: str
    section: str
    where: str
    finding: Finding


def located(document: Document) -> list[Located]:
    """The findings of one document, its title included, in order."""
    found = [
        Located(document.id, document.edition, document.source, NO_SECTION, "title", finding)
        for finding in scan(document.title)
    ]
    places = section_spans(document)
    for finding in scan(document.text):
        before = [span.section.number for span in places if span.start < finding.last]
        section = before[-1] if before else NO_SECTION
        found.append(Located(document.id, document.edition, document.source, section, "text", finding))
    return found


def marked(document: Document, chunks: Sequence[Chunk]) -> list[Chunk]:
    """The chunks of one chunker, in document order, each with the part of every finding that it holds.

    The document is scanned as a whole, so a sentence that a chunker tore apart is known in both halves."""
    findings = scan(document.text)
    if not findings:
        return list(chunks)
    result, here = [], 0
    for chunk in chunks:
        at, skipped = _place(document.text, chunk.text, here)
        if at < 0:
            own = tuple(Suspect(f.first, f.last, f.reason) for f in scan(chunk.text))
        else:
            here, size = at, len(chunk.text) - skipped
            own = tuple(
                Suspect(max(f.first - at, 0) + skipped, min(f.last - at, size) + skipped, f.reason)
                for f in findings
                if f.first < at + size and at < f.last
            )
        result.append(replace(chunk, suspect=own) if own else chunk)
    return result


def _place(text: str, words: str, here: int) -> tuple[int, int]:
    """(where the words stand in the text from `here` on, letters of them to skip first); -1 if nowhere.

    A part of a long table begins with header lines that stand further up."""
    skipped = 0
    while True:
        at = text.find(words[skipped:], here, here + len(words) + GAP)
        line = words.find("\n", skipped)
        if at >= 0 or line < 0:
            return at, skipped
        skipped = line + 1


def cut(chunk: Chunk) -> tuple[Chunk, tuple[str, ...]]:
    """(the chunk without what is suspect in text, title and heading; the reasons). The same chunk and no
    reason where nothing is. A chunk that was suspect as a whole has an empty text.

    Scans again besides reading the marks: a text may have been put together after it was stored."""
    marks = [(s.first, s.last, s.reason) for s in chunk.suspect if s.last <= len(chunk.text)]
    marks += [(f.first, f.last, f.reason) for f in scan(chunk.text)]
    title, heading = _clean(chunk.title), _clean(chunk.heading)
    if not marks and (title, heading) == (chunk.title, chunk.heading):
        return chunk, ()
    text = without(chunk.text, [(first, last) for first, last, _ in marks]) if marks else chunk.text
    if not any(letter.isalnum() for letter in text):
        text = ""
    search = chunk.search_text
    for before, after in ((chunk.text, text), (chunk.title, title), (chunk.heading, heading)):
        search = search.replace(before, after) if before != after else search
    search = _clean(search)
    reasons = tuple(dict.fromkeys(reason for _, _, reason in marks)) or ("its title is suspect",)
    clean = replace(chunk, text=text, search_text=search, title=title, heading=heading, suspect=())
    return clean, reasons


@functools.lru_cache(maxsize=4096)
def _clean(text: str) -> str:
    found = scan(text)
    return without(text, [(f.first, f.last) for f in found]) if found else text


def scanned(documents: Sequence[Document]) -> Iterator[Located]:
    """The findings of these documents, in their order."""
    for document in documents:
        yield from located(document)
