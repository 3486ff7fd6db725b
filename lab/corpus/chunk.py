"""Chunkers: fixed size, by section, and units (sentences, list items, table rows)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lab.corpus.blocks import blocks
from lab.corpus.label import label
from lab.corpus.sections import Span
from lab.corpus.sections import spans as section_spans
from lab.corpus.sentences import spans as sentence_spans
from lab.corpus.suspects import marked
from lab.corpus.tables import header_of, header_rows, row_pairs, row_text
from lab.kinds import NO_SECTION, Chunk, Document, Label, Section

__all__ = ["by_section", "chunk_all", "fixed", "header_of", "row_pairs", "units"]

LIMIT = 1500
_SPACE = re.compile(r"\s+")
_MARKER = re.compile(r"(?:[-*+•‣▪◦·–—]|>)[ \t]+")


@dataclass(frozen=True, slots=True)
class _Atom:
    """What a section is never cut within: `text[first:last]` of a document. `headers` are a table's header
    lines, `opening` says that the atom begins with them itself."""

    kind: str
    first: int
    last: int
    headers: tuple[str, ...] = ()
    opening: bool = False


@dataclass(frozen=True, slots=True)
class _Piece:
    span: Span
    atoms: tuple[_Atom, ...]

    @property
    def repeated(self) -> tuple[str, ...]:
        """Header lines that the piece needs and does not begin with."""
        return () if self.atoms[0].opening else self.atoms[0].headers


def chunk_all(document: Document) -> list[Chunk]:
    """The chunks of all chunkers: `fixed-300`, then `section`, then `unit`. What the scan finds suspect in
    the document is marked in each chunk that holds some of it."""
    return [
        *marked(document, fixed(document)),
        *marked(document, by_section(document)),
        *marked(document, units(document)),
    ]


def fixed(document: Document, size: int = 300) -> list[Chunk]:
    """The text, headings included, cut every `size` characters at the last white space; no overlap, no
    prefix.

    The naive splitter the ladder starts from: it tears tables from their headers and straddles headings. A
    word longer than `size` is cut. `section` is where a chunk begins; scope is known only if all its
    sections agree."""
    text = document.text
    marks = [(span.start, span.section, _label(document, span)) for span in section_spans(document)]
    if not marks or text[: marks[0][0]].strip():
        # A title line without text under it is no section, but this chunker cuts it as text too.
        blank = Section(NO_SECTION, "", "")
        marks.insert(0, (0, blank, label(document, "", "")))
    chunks: list[Chunk] = []
    here = 0
    for first, last in _cuts(text, 0, len(text), size):
        while here + 1 < len(marks) and marks[here + 1][0] <= first:
            here += 1
        end = here
        while end + 1 < len(marks) and marks[end + 1][0] < last:
            end += 1
        touched = marks[here : end + 1]
        scopes = {mark[2].scope for mark in touched}
        own = replace(touched[0][2], scope=scopes.pop() if len(scopes) == 1 else "none")
        section = touched[0][1]
        chunks.append(
            Chunk(
                id=f"fixed-{size}:{document.id}@{document.edition}#{section.number}/{len(chunks)}",
                chunker=f"fixed-{size}",
                document=document.id,
                section=section.number,
                sections=tuple(dict.fromkeys(mark[1].number for mark in touched)),
                ordinal=len(chunks),
                title=document.title,
                heading=section.title,
                text=text[first:last],
                search_text=text[first:last],
                label=own,
            )
        )
    return chunks


def by_section(document: Document, limit: int = LIMIT) -> list[Chunk]:
    """One chunk a section, `search_text` beginning with the line `[title › heading]`; `text` without the
    heading line.

    Longer sections, and documents without headings, are packed paragraph by paragraph up to `limit`
    characters; a longer paragraph is cut between sentences, a longer table between rows, each part
    beginning with the header rows (only a single row or header can then pass the limit). A heading with
    nothing under it is its own text, unless a deeper heading follows."""
    text = document.text
    chunks = []
    for ordinal, piece in enumerate(_pieces(document, limit)):
        words = text[piece.atoms[0].first : piece.atoms[-1].last]
        words = "\n".join([*piece.repeated, words])
        prefix = _prefix(document, piece.span)
        chunks.append(_chunk(document, "section", piece.span, ordinal, words, f"{prefix}\n{words}"))
    return chunks


def units(document: Document, limit: int = LIMIT) -> list[Chunk]:
    """Sentences, list items, table rows, and blocks of code whole; `parent` is the `by_section` chunk of
    the same `limit`.

    A row's `text` is the row as written (it begins with `|`), its `search_text` is `[title › heading]
    header: value; …`. Header rows are no units; a table of nothing else is one. Lines without a letter or
    digit are none either."""
    text = document.text
    chunks: list[Chunk] = []
    for number, piece in enumerate(_pieces(document, limit)):
        parent = f"section:{_ref(document, piece.span)}/{number}"
        prefix = _prefix(document, piece.span)
        for atom in piece.atoms:
            for words, search in _units(text, atom, document.language):
                if any(character.isalnum() for character in words):
                    unit = _chunk(document, "unit", piece.span, len(chunks), words, f"{prefix} {search}")
                    chunks.append(replace(unit, parent=parent))
    return chunks


def _units(text: str, atom: _Atom, language: str) -> Iterator[tuple[str, str]]:
    """(text, search text) of each unit in the atom."""
    words = text[atom.first : atom.last]
    if atom.kind == "table":
        rows = [row.strip() for row in words.split("\n")]
        body = rows[len(atom.headers) :] if atom.opening else rows
        yield from ((row, row_text(atom.headers, row)) for row in body)
        if not body:
            yield words, words
    elif atom.kind in ("text", "quote"):
        for first, last in sentence_spans(words, language):
            yield (
                words[first:last],
                _MARKER.sub("", words[first:last], count=1) if atom.kind == "quote" else words[first:last],
            )
    else:
        words = words.strip()
        match = _MARKER.match(words) if atom.kind == "item" else None
        yield words, words[match.end() :] if match else words


def _ref(document: Document, span: Span) -> str:
    return f"{document.id}@{document.edition}#{span.section.number}"


def _prefix(document: Document, span: Span) -> str:
    return f"[{document.title} › {span.section.title}]" if span.section.title else f"[{document.title}]"


def _label(document: Document, span: Span) -> Label:
    return label(document, span.section.text, span.section.title)


def _chunk(document: Document, chunker: str, span: Span, ordinal: int, text: str, search_text: str) -> Chunk:
    return Chunk(
        id=f"{chunker}:{_ref(document, span)}/{ordinal}",
        chunker=chunker,
        document=document.id,
        section=span.section.number,
        sections=(span.section.number,),
        ordinal=ordinal,
        title=document.title,
        heading=span.section.title,
        text=text,
        search_text=search_text,
        label=_label(document, span),
    )


def _pieces(document: Document, limit: int) -> Iterator[_Piece]:
    for span in section_spans(document):
        if not span.section.text:
            if not span.leads:
                yield _Piece(span, (_Atom("item", span.start, _end(document.text, span)),))
            continue
        if len(span.section.text) <= limit:
            yield _Piece(span, tuple(_atoms(document, span, 10**9)))
            continue
        pack: list[_Atom] = []
        for atom in _atoms(document, span, limit):
            needs = (
                sum(map(len, pack[0].headers)) + len(pack[0].headers) if pack and not pack[0].opening else 0
            )
            joins = not atom.headers or atom.opening or (bool(pack) and pack[-1].headers == atom.headers)
            if pack and (atom.last - pack[0].first + needs > limit or not joins):
                yield _Piece(span, tuple(pack))
                pack = []
            pack.append(atom)
        if pack:
            yield _Piece(span, tuple(pack))


def _end(text: str, span: Span) -> int:
    return span.start + len(text[span.start : max(span.first, span.last)].rstrip())


def _atoms(document: Document, span: Span, limit: int) -> Iterator[_Atom]:
    """The section's blocks; those longer than `limit` in parts that are not."""
    text = document.text
    lines = span.section.text.split("\n")
    starts = [span.first]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    for block in blocks(lines):
        first, last = starts[block.first], starts[block.last] - 1
        if block.kind == "table":
            rows = lines[block.first : block.last]
            count = header_rows([row.strip() for row in rows])
            headers = tuple(row.strip() for row in rows[:count])
            yield from _table(starts[block.first : block.last + 1], headers, limit)
        elif last - first <= limit:
            yield _Atom(block.kind, first, last)
        elif block.kind == "code":
            for i in range(block.first, block.last):
                for a, b in _cuts(text, starts[i], starts[i + 1] - 1, limit):
                    yield _Atom("code", a, b)
        else:
            for a, b in sentence_spans(text[first:last], document.language):
                for cut, end in _cuts(text, first + a, first + b, limit):
                    yield _Atom("text", cut, end)


def _table(starts: Sequence[int], headers: tuple[str, ...], limit: int) -> Iterator[_Atom]:
    """The table as one atom, or its rows in groups of at most `limit` characters with the header; the first
    group holds the header itself."""
    first, opening = 0, True
    size = sum(map(len, headers)) + len(headers)
    for i in range(len(headers) + 1, len(starts) - 1):
        if starts[i + 1] - 1 - starts[first] + (0 if opening else size) > limit:
            yield _Atom("table", starts[first], starts[i] - 1, headers, opening)
            first, opening = i, False
    yield _Atom("table", starts[first], starts[-1] - 1, headers, opening)


def _cuts(text: str, first: int, last: int, size: int) -> Iterator[tuple[int, int]]:
    """Consecutive spans of at most `size` characters without outer white space, cut at white space where
    there is any."""
    while first < last:
        while first < last and text[first].isspace():
            first += 1
        end = min(first + size, last)
        if end < last and not text[end].isspace():
            back = end
            while back > first and not text[back - 1].isspace():
                back -= 1
            end = back if back > first else end
        stop = end
        while stop > first and text[stop - 1].isspace():
            stop -= 1
        if stop > first:
            yield first, stop
        first = end
