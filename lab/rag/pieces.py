"""A hit cut into what an answer may quote: sentences, list items, table rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lab.corpus.blocks import blocks
from lab.corpus.sentences import sentences
from lab.corpus.tables import cells, header_rows, row_text
from lab.kinds import Hit


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
    return [piece for piece in _pieces(hit, rank) if any(letter.isalnum() for letter in piece.quote)]


def _pieces(hit: Hit, rank: int) -> Iterator[Piece]:
    lines = hit.chunk.text.split("\n")
    for number, block in enumerate(blocks(lines)):
        own = [line.strip() for line in lines[block.first : block.last]]
        if block.kind == "table":
            count = header_rows(own)
            for row in own[count:]:
                values = cells(row)
                yield Piece(rank, row, row_text(own[:count], row), values[0] if values else "", number)
        elif block.kind == "text":
            for sentence in sentences("\n".join(own), hit.chunk.label.language):
                yield Piece(rank, sentence, sentence)
        elif block.kind not in ("heading", "rule"):
            text = " ".join(own)
            yield Piece(rank, text, text)
