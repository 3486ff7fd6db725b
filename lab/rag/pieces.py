"""A hit cut into what an answer may quote: sentences, list items, table rows."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lab.corpus.blocks import blocks
from lab.corpus.sentences import sentences
from lab.corpus.tables import cells, header_rows, row_text
from lab.kinds import Hit

_MARKER = re.compile(r"^(?:[-*+•‣▪◦·–—]|\d{1,3}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Piece:
    """`quote` is verbatim; `shown` is what an answer prints (a row with its header). `hit` is the hit's
    0-based rank."""

    hit: int
    quote: str
    shown: str
    key: str | None = None
    """First cell of a table row, None for other pieces."""
    table: int = -1
    """Number of the table within the hit; -1 outside tables."""


def pieces_of(hit: Hit, rank: int) -> list[Piece]:
    """The pieces of one hit in reading order. A row torn from its table has no header to be shown with."""
    return [replace(piece, hit=rank) for piece in _cut(hit.chunk.text, hit.chunk.label.language)]


@functools.lru_cache(maxsize=2048)
def _cut(text: str, language: str) -> tuple[Piece, ...]:
    found = _pieces(text, language)
    return tuple(piece for piece in found if any(letter.isalnum() for letter in piece.quote))


def _pieces(text: str, language: str) -> Iterator[Piece]:
    lines = text.split("\n")
    for number, block in enumerate(blocks(lines)):
        own = [line.strip() for line in lines[block.first : block.last]]
        if block.kind == "table":
            count = header_rows(own)
            for row in own[count:]:
                values = cells(row)
                yield Piece(0, row, row_text(own[:count], row), values[0] if values else "", number)
        elif block.kind == "text":
            for sentence in sentences("\n".join(own), language):
                yield Piece(0, sentence, sentence)
        elif block.kind not in ("heading", "rule"):
            text = "\n".join(own)
            yield Piece(0, text, _MARKER.sub("", " ".join(own), count=1))
