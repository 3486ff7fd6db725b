"""Chunks as rows: what is stored of them, what makes two of them equal, and what can't be stored."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, LiteralString

from psycopg.types.json import Jsonb

from lab.kinds import Chunk, Document, LabError
from lab.memory import bm25


@dataclass(frozen=True, slots=True)
class Row:
    """A chunk as stored. Equal `hash`: nothing to do; equal `index`: its vectors and postings still hold."""

    chunk: Chunk
    hash: str
    index: str
    terms: Counter[str]

    @property
    def place(self) -> tuple[str, str]:
        return self.chunk.document, self.chunk.label.edition


def prepare(documents: Sequence[Document], chunks_of: Callable[[Document], list[Chunk]]) -> dict[str, Row]:
    """Chunk id → row, of all documents. LabError for text that can't be stored and for ids used twice."""
    places = Counter((document.id, document.edition) for document in documents)
    for (key, edition), n in places.items():
        if n > 1:
            sources = ", ".join(d.source for d in documents if (d.id, d.edition) == (key, edition))
            raise LabError(
                f"{n} documents are {key}, edition {edition}: {sources}.",
                "One each.",
                "Change the id of one.",
            )
    found: dict[str, Row] = {}
    for document in documents:
        _storable(document.title, document)
        for chunk in chunks_of(document):
            _storable(chunk.text + chunk.search_text + chunk.heading + chunk.id, document)
            if chunk.id in found:
                raise LabError(
                    f"Two chunks have the id {chunk.id}.", "Chunk ids are unique.", f"See {document.source}."
                )
            found[chunk.id] = _row(chunk)
    return found


def _storable(text: str, document: Document) -> None:
    """PostgreSQL keeps neither NUL nor half of a surrogate pair."""
    bad = next((c for c in text if c == "\0" or "\ud800" <= c <= "\udfff"), None)
    if bad is not None:
        at = text[: text.index(bad)].split("\n")[-1][-40:]
        name = "a NUL byte" if bad == "\0" else f"half a character (U+{ord(bad):04X})"
        raise LabError(
            f"{document.source} contains {name} after {at!r}.",
            "Text in UTF-8.",
            "Save the file as UTF-8 without it.",
        )


def _row(chunk: Chunk) -> Row:
    terms = bm25.terms(chunk.search_text, chunk.label.language)
    index = [chunk.search_text, chunk.chunker, chunk.label.access, sorted(terms.items())]
    stored = _stored(chunk)
    return Row(chunk, _digest([stored, index]), _digest(index), terms)


def _stored(chunk: Chunk) -> dict[str, Any]:
    label = chunk.label
    return {
        "id": chunk.id,
        "content": chunk.text,
        "search_text": chunk.search_text,
        "module": label.access,
        "valid_from": label.valid_from.isoformat(),
        "valid_to": label.valid_to.isoformat() if label.valid_to else None,
        "collection": chunk.chunker,
        "document": chunk.document,
        "edition": label.edition,
        "section": chunk.section,
        "ordinal": chunk.ordinal,
        "parent_id": chunk.parent,
        "labels": {
            "title": chunk.title,
            "heading": chunk.heading,
            "sections": list(chunk.sections),
            "scope": label.scope,
            "language": label.language,
            "department": label.department,
        }
        | ({"suspect": [[s.first, s.last, s.reason] for s in chunk.suspect]} if chunk.suspect else {}),
    }


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


GIVEN: LiteralString = """jsonb_to_recordset(%s) as new (
    id text, content text, search_text text, content_hash text, index_hash text, length int, module text,
    valid_from date, valid_to date, collection text, document text, edition text, section text, ordinal int,
    parent_id text, labels jsonb)"""


def as_json(rows: Sequence[Row]) -> Jsonb:
    return Jsonb(
        [
            _stored(row.chunk)
            | {"content_hash": row.hash, "index_hash": row.index, "length": sum(row.terms.values())}
            for row in rows
        ]
    )
