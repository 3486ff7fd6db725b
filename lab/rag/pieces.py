"""A hit cut into what an answer may quote: sentences, list items, table rows."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lab.corpus.blocks import blocks
from lab.corpus.sentences import spans
from lab.corpus.tables import cells, header_rows, row_pairs, row_text
from lab.kinds import Chunk, Hit
from lab.text import fold

_MARKER = re.compile(r"^(?:[-*+•‣▪◦·–—]|\d{1,3}[.)])\s+")
_LEANS = re.compile(
    r"(?:it|its|they|their|them|he|she|both|otherwise|bunlar\w*|onlar\w*|onun|onu|aksi)\b"
    r"|(?:this|these|those|that) (?:is|are|was|were|has|have|can|may|must|does|do|will|also|holds?"
    r"|applies|apply|means?|makes?)\b"
)
"""How a sentence begins (folded) that says little without the one before it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """`quote` is verbatim; `shown` is what an answer prints (a row with its header, an item with the line
    that leads into its list). `hit` is the hit's 0-based rank."""

    hit: int
    quote: str
    shown: str
    key: str | None = None
    """First cell of a table row, None for other pieces."""
    table: int = -1
    """Number of the table within the hit; -1 outside tables."""
    unit: str = ""
    """The piece by itself, as the unit of the same words is indexed; empty: as shown."""
    columns: tuple[tuple[str, str], ...] = ()
    """(column, value) of a row's cells."""

    @property
    def alone(self) -> str:
        return self.unit or self.shown


def pieces_of(hit: Hit, rank: int) -> list[Piece]:
    """The pieces of one hit in reading order. A row torn from its table has no header to be shown with.

    A sentence that begins with a pronoun is quoted with the one before it."""
    return [replace(piece, hit=rank) for piece in _cut(hit.chunk.text, hit.chunk.label.language)]


def unit_text(chunk: Chunk, piece: Piece) -> str:
    """The piece as units are embedded, with its title and heading: the same words give the same vector."""
    where = f"{chunk.title} › {chunk.heading}" if chunk.heading else chunk.title
    return f"[{where}] {piece.alone}"


@functools.lru_cache(maxsize=2048)
def _cut(text: str, language: str) -> tuple[Piece, ...]:
    found = _pieces(text, language)
    return tuple(piece for piece in found if any(letter.isalnum() for letter in piece.alone))


def _pieces(text: str, language: str) -> Iterator[Piece]:
    lines = text.split("\n")
    lead = ""
    for number, block in enumerate(blocks(lines)):
        own = [line.strip() for line in lines[block.first : block.last]]
        if block.kind == "table":
            count = header_rows(own)
            for row in own[count:]:
                values, pairs = cells(row), tuple(row_pairs(own[:count], row))
                shown = row_text(own[:count], row)
                yield Piece(0, row, shown, values[0] if values else "", number, columns=pairs)
        elif block.kind == "text":
            words = "\n".join(own)
            before = -1
            for first, last in spans(words, language):
                leans = before >= 0 and _LEANS.match(fold(words[first:last])) is not None
                quote = words[before if leans else first : last]
                yield Piece(0, quote, quote, unit=words[first:last])
                before = first
        elif block.kind not in ("heading", "rule"):
            words = "\n".join(own)
            item = _MARKER.sub("", " ".join(own), count=1)
            yield Piece(0, words, f"{lead} {item}" if lead and block.kind == "item" else item, unit=item)
        if block.kind == "text":
            lead = _leads(own, language)
        elif block.kind != "item":
            lead = ""


def _leads(lines: list[str], language: str) -> str:
    """The last sentence of a paragraph, if it ends in a colon and so leads into what follows."""
    words = " ".join(lines)
    if not words.endswith(":"):
        return ""
    first, last = list(spans(words, language))[-1]
    return words[first:last]
