"""Chunkers by name: `fixed-N`, `section`, `section-N`, N a size in characters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from lab.corpus.chunk import by_section, chunk_all, fixed
from lab.corpus.suspects import marked
from lab.kinds import Chunk, Document, LabError

KNOWN = ("fixed-N", "section", "section-N")
STOCK = frozenset({"fixed-300", "section"})
"""What every ingest makes; sections also in their units."""
SMALLEST, LARGEST = 50, 10_000
_NAME = re.compile(r"(fixed|section)-([1-9]\d{0,5})")


def chunker(name: str) -> Callable[[Document], list[Chunk]]:
    """The chunker of that name; its chunks bear it. LabError for a name or size that is none."""
    if name == "section":
        return lambda document: marked(document, by_section(document))
    match = _NAME.fullmatch(name)
    if match is None or not SMALLEST <= int(match[2]) <= LARGEST:
        raise LabError(
            f"There is no chunker {name!r}.",
            f"Known: {', '.join(KNOWN)}, N from {SMALLEST} to {LARGEST:,} characters.",
        )
    kind, size = match[1], int(match[2])
    if kind == "fixed":
        return lambda document: marked(document, fixed(document, size))

    def sections(document: Document) -> list[Chunk]:
        found = marked(document, by_section(document, size))
        return [replace(c, id=f"{name}:{c.id.partition(':')[2]}", chunker=name) for c in found]

    return sections


def chunk_with(names: Iterable[str]) -> Callable[[Document], list[Chunk]]:
    """What `chunk_all` makes of a document, and the chunks of these chunkers besides."""
    more = [chunker(name) for name in sorted(set(names) - STOCK)]
    return lambda document: [*chunk_all(document), *(chunk for cut in more for chunk in cut(document))]
