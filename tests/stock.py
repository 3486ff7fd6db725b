"""Small documents, chunks and an embedder without a model, for tests of the memory core."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date

import numpy as np

from lab.kinds import Chunk, Document, Label, Sight
from lab.memory.connect import reader
from lab.memory.server import Server
from lab.memory.visibility import View, looking

START = date(2025, 1, 1)


def document(
    key: str,
    text: str,
    *,
    edition: str = "2025",
    access: str = "all",
    language: str = "en",
    valid_from: date = START,
    valid_to: date | None = None,
) -> Document:
    """A document whose lines are its chunks."""
    return Document(
        id=key,
        title=f"Title of {key}",
        edition=edition,
        department="Test",
        access=access,
        language=language,
        valid_from=valid_from,
        valid_to=valid_to,
        kind="handbook",
        source=f"{edition}/{key}.md",
        text=text,
        fingerprint=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
    )


def lines(of: Document, scopes: Mapping[str, str] | None = None) -> list[Chunk]:
    """One `section` chunk and one `unit` chunk a line; a line's scope by its first word."""
    label = Label(of.edition, of.valid_from, of.valid_to, "none", of.access, of.language, of.department)
    chunks = []
    for collection in ("section", "unit"):
        for number, line in enumerate(of.text.split("\n")):
            scope = (scopes or {}).get(line.split(" ")[0], "none")
            place = f"{of.id}@{of.edition}#{number + 1}"
            chunks.append(
                Chunk(
                    id=f"{collection}:{place}/{number}",
                    chunker=collection,
                    document=of.id,
                    section=str(number + 1),
                    sections=(str(number + 1),),
                    ordinal=number,
                    title=of.title,
                    heading="",
                    text=line,
                    search_text=line,
                    label=Label(
                        **{name: getattr(label, name) for name in label.__slots__} | {"scope": scope}
                    ),
                    parent=f"section:{place}/{number}" if collection == "unit" else None,
                )
            )
    return chunks


class Noise:
    """An embedder whose vectors are drawn by the text's hash: any number in no time, the same each time."""

    def __init__(self, dimensions: int = 32, name: str = "noise", *, broken: float | None = None) -> None:
        self.spec, self.space, self.dimensions = name, f"{name}-{dimensions}", dimensions
        self.broken = broken
        self.computed: list[str] = []

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        self.computed += texts
        rows = np.stack([self._draw(text) for text in texts])
        if self.broken is not None:
            rows[0, 0] = self.broken
        return rows

    def queries(self, texts: Sequence[str]) -> np.ndarray:
        return self.passages(texts)

    def _draw(self, text: str) -> np.ndarray:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        row = np.random.default_rng(seed).standard_normal(self.dimensions).astype(np.float32)
        return row / np.linalg.norm(row)


@contextmanager
def seen_by(
    server: Server,
    *roles: str,
    workspace: str,
    as_of: date | None = None,
    member: str | None = None,
) -> Iterator[View]:
    """What somebody with these roles sees, as the reading database role."""
    sight = Sight(frozenset(roles), as_of, member, workspace)
    with reader(server) as connection, looking(connection, sight) as view:
        yield view
