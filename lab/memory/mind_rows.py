"""Writing a mind: one memory with its vector, its postings and the counts they change, in the transaction of
the caller, who holds the mind's lock and writes as its credential allows (`visibility.writing`)."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import LiteralString

import numpy as np
from pgvector import HalfVector

from lab.memory import bm25
from lab.memory.credentials import MODULE
from lab.memory.embeddings import forget_stored, space_id
from lab.memory.mind_reads import COLLECTION, COLUMNS, memory_of
from lab.memory.model import Memory, tag_key
from lab.memory.visibility import Connection
from lab.text import language_of

EMBEDDED = 4_000
"""Characters that are embedded: more than a model reads at once; the words of all of it are indexed."""
_RETURNED: LiteralString = " returning m.serial, " + COLUMNS


@dataclass(frozen=True, slots=True)
class Vector:
    """What a memory's text became in one space: (d,) float32 of length 1."""

    space: str
    values: np.ndarray


def embedded_part(content: str) -> str:
    """What of a memory is embedded."""
    return content[:EMBEDDED]


def new_id() -> str:
    return f"mem_{secrets.token_hex(8)}"


def lock(connection: Connection, workspace: str, mind: str) -> None:
    """One writer a mind, until the transaction ends: a retry meets what the first one stored."""
    connection.execute(
        "select pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"lab.mind {workspace} {mind}"]
    )


def find(connection: Connection, workspace: str, mind: str, reference: str) -> tuple[int, Memory] | None:
    """(serial, memory) by id or `category/key`; expired ones too: they can be changed and deleted."""
    category, _, key = reference.rpartition("/")
    row = connection.execute(
        "select m.serial, " + COLUMNS + " from memory m where m.workspace = %s and m.mind_id = %s "
        "and (m.id = %s or (m.category = %s and m.key = %s))",
        [workspace, mind, reference, category, key],
    ).fetchone()
    return (row[0], memory_of(row[1:])) if row else None


def insert(connection: Connection, workspace: str, memory: Memory, vector: Vector) -> Memory:
    terms = _terms(memory.content)
    row = connection.execute(
        """insert into memory as m
               (workspace, id, kind, mind_id, category, key, tags, tag_keys, priority, source, verified,
                confidence, content, search_text, content_hash, index_hash, length, module, collection,
                labels, expires_at, created_at, updated_at)
           select %(workspace)s, %(id)s, 'note', %(mind)s, %(category)s, %(key)s, %(tags)s, %(tag_keys)s,
                  %(priority)s, %(source)s, %(verified)s, %(confidence)s, %(content)s, %(content)s, %(hash)s,
                  %(hash)s, %(length)s, %(module)s, %(collection)s,
                  jsonb_build_object('language', %(language)s::text), %(expires)s, at, at
           from clock_timestamp() at"""
        + _RETURNED,
        _values(workspace, memory, terms) | {"id": memory.id, "mind": memory.mind_id},
    ).fetchone()
    assert row is not None
    _index(connection, workspace, row[0], memory.mind_id, terms, vector)
    return memory_of(row[1:])


def change(
    connection: Connection, workspace: str, serial: int, before: Memory, memory: Memory, vector: Vector | None
) -> Memory:
    """Writes what differs from `before`. The index follows the content (`vector` is of the new one) and
    nothing else."""
    moved = memory.content != before.content
    terms = _terms(memory.content)
    if moved:
        bm25.remove(connection, workspace, [serial])  # reads the old length: before the update
    row = connection.execute(
        """update memory m set tags = %(tags)s, tag_keys = %(tag_keys)s, priority = %(priority)s,
               source = %(source)s, verified = %(verified)s, confidence = %(confidence)s,
               expires_at = %(expires)s, content = %(content)s, search_text = %(content)s,
               content_hash = %(hash)s, index_hash = %(hash)s, length = %(length)s,
               labels = jsonb_build_object('language', %(language)s::text), updated_at = clock_timestamp()
           where m.workspace = %(workspace)s and m.serial = %(serial)s"""
        + _RETURNED,
        _values(workspace, memory, terms) | {"serial": serial},
    ).fetchone()
    assert row is not None
    if moved:
        assert vector is not None
        connection.execute("delete from memory_vector where memory = %s", [serial])
        _index(connection, workspace, serial, memory.mind_id, terms, vector)
        forget(connection, workspace, before)
    return memory_of(row[1:])


def remove(connection: Connection, workspace: str, serial: int, memory: Memory) -> None:
    """The memory and all that was made of it."""
    bm25.remove(connection, workspace, [serial])
    connection.execute("delete from memory where workspace = %s and serial = %s", [workspace, serial])
    forget(connection, workspace, memory)


def forget(connection: Connection, workspace: str, memory: Memory) -> None:
    """Drops the cached embedding of a text that no memory of these minds has any more.

    Whether others have the same text can't be seen from here, nor should it be: they embed it again."""
    text = embedded_part(memory.content)
    used = connection.execute(
        "select from memory m where m.workspace = %s and m.mind_id = any(acting_minds()) "
        "and left(m.search_text, %s) = %s limit 1",
        [workspace, EMBEDDED, text],
    )
    if used.rowcount == 0:
        forget_stored(connection, [text])


def without_vector(connection: Connection, workspace: str, mind: str, space: str) -> list[tuple[int, str]]:
    """(serial, text to embed) of memories that another embedder stored."""
    return connection.execute(
        """select m.serial, left(m.search_text, %s) from memory m where m.workspace = %s and m.mind_id = %s
           and not exists (select from memory_vector v join embedding_space s on s.id = v.space
                           where v.memory = m.serial and s.name = %s) order by m.serial""",
        [EMBEDDED, workspace, mind, space],
    ).fetchall()


def place(connection: Connection, workspace: str, mind: str, serial: int, vector: Vector) -> None:
    """Gives a memory its vector in one space, beside those in others."""
    connection.execute(
        """insert into memory_vector (memory, space, workspace, module, collection, dimensions, vector)
           select m.serial, %s, m.workspace, m.module, m.collection, %s, %s::halfvec
           from memory m where m.workspace = %s and m.mind_id = %s and m.serial = %s
           on conflict do nothing""",
        [
            space_id(connection, vector.space, len(vector.values)),
            len(vector.values),
            HalfVector(vector.values),
            workspace,
            mind,
            serial,
        ],
    )


def _index(
    connection: Connection, workspace: str, serial: int, mind: str, terms: dict[str, int], vector: Vector
) -> None:
    bm25.add(connection, workspace, [bm25.Posted(serial, terms)])
    place(connection, workspace, mind, serial, vector)


def _terms(content: str) -> dict[str, int]:
    return dict(bm25.asked(content, language_of(content)))


def _values(workspace: str, memory: Memory, terms: dict[str, int]) -> dict[str, object]:
    tags: Sequence[str] = memory.tags
    return {
        "workspace": workspace,
        "category": memory.category,
        "key": memory.key,
        "tags": list(tags),
        "tag_keys": [tag_key(tag) for tag in tags],
        "priority": memory.priority,
        "source": memory.source,
        "verified": memory.verified,
        "confidence": memory.confidence,
        "content": memory.content,
        "hash": hashlib.sha256(memory.content.encode()).hexdigest(),
        "length": sum(terms.values()),
        "module": MODULE + memory.mind_id,
        "collection": COLLECTION,
        "language": language_of(memory.content),
        "expires": memory.expires_at,
    }
