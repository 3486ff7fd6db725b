"""Reading a mind. Every function takes a `View`, which only `visibility.looking` gives, and the mind's id.

What may be seen is decided by the database (policy `look` on memory): expired memories are met nowhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, LiteralString

import numpy as np

from lab.memory import search as indexes
from lab.memory.model import PRIORITIES, Memory, tag_key
from lab.memory.search import Filter
from lab.memory.visibility import View

COLLECTION = "mind"
COLUMNS: LiteralString = (
    "m.id, m.mind_id, m.category, m.key, m.content, m.tags, m.priority, m.source, m.verified, m.confidence, "
    "m.expires_at, m.created_at, m.updated_at"
)
WORDS = 0.5
"""Weight of the words beside the vectors."""
POOL = 50
"""Memories each of the two searches hands to the other, at least."""
_OF_MIND: LiteralString = (
    "select " + COLUMNS + " from memory m where m.workspace = %(workspace)s and m.mind_id = %(mind)s "
)


@dataclass(frozen=True, slots=True)
class Found:
    """A memory found for a question, with its score and the scores it is made of (`bm25`, `cosine`)."""

    memory: Memory
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)


def memory_of(row: Sequence[Any]) -> Memory:
    """The memory of a row of COLUMNS."""
    (
        key,
        mind,
        category,
        name,
        content,
        tags,
        priority,
        source,
        verified,
        confidence,
        expires,
        made,
        changed,
    ) = row
    return Memory(
        key, mind, category, name, content, tuple(tags), priority, source, verified, round(confidence, 6),
        expires, made, changed,
    )  # fmt: skip


def name_of(view: View, mind: str) -> str | None:
    """What the mind is called; None where it can't be opened."""
    row = view.connection.execute(
        "select name from mind where workspace = %s and id = %s", [view.sight.workspace, mind]
    ).fetchone()
    return row[0] if row else None


def counts(view: View, mind: str) -> tuple[int, int]:
    """(memories, of them verified)."""
    row = view.connection.execute(
        "select count(*), count(*) filter (where m.verified) from memory m "
        "where m.workspace = %s and m.mind_id = %s",
        [view.sight.workspace, mind],
    ).fetchone()
    return (int(row[0]), int(row[1])) if row else (0, 0)


def get(view: View, mind: str, reference: str) -> Memory | None:
    """By id, or by `category/key`."""
    category, _, key = reference.rpartition("/")
    rows = _select(
        view,
        mind,
        "and (m.id = %(id)s or (m.category = %(category)s and m.key = %(key)s))",
        {"id": reference, "category": category, "key": key},
    )
    return rows[0] if rows else None


def by_importance(view: View, mind: str, limit: int | None = None) -> list[Memory]:
    """Critical → low, then newest first."""
    return _select(
        view,
        mind,
        "order by array_position(%(priorities)s::text[], m.priority), m.updated_at desc, m.id "
        "limit %(limit)s",
        {"priorities": list(PRIORITIES), "limit": limit},
    )


def by_tag(view: View, mind: str, tag: str) -> list[Memory]:
    """Those with the tag, whatever its case, newest first."""
    return _select(
        view, mind, "and %(tag)s = any(m.tag_keys) order by m.updated_at desc, m.id", {"tag": tag_key(tag)}
    )


def expiring(view: View, mind: str, within: timedelta) -> list[Memory]:
    """Those that will have expired by then, soonest first."""
    return _select(
        view, mind, "and m.expires_at <= now() + %(within)s order by m.expires_at, m.id", {"within": within}
    )


def search(
    view: View,
    mind: str,
    question: str,
    k: int,
    tag: str | None = None,
    vectors: tuple[str, np.ndarray] | None = None,
) -> list[Found]:
    """The `k` best by words and, given (space, query vector), by meaning; with `tag` only among those that
    have it.

    Score: half BM25 over its best, half the cosine scaled to 0 … 1 over what was found; ties by id."""
    where = Filter(tag=None if tag is None else tag_key(tag))
    pool = max(POOL, 5 * k)
    # Asked in both languages: a short note's own is a guess.
    words = dict(indexes.by_words(view, question, "und", pool, COLLECTION, where))
    cosines: dict[str, float] = {}
    if vectors is not None and _is_stored(view, vectors[0]):
        cosines = dict(indexes.by_vector(view, *vectors, pool, COLLECTION, where))
    scores = _blend(words, cosines)
    best = sorted(scores, key=lambda key: (-scores[key], key))[:k]
    found = {memory.id: memory for memory in _select(view, mind, "and m.id = any(%(ids)s)", {"ids": best})}
    return [
        Found(
            found[key],
            scores[key],
            {name: given[key] for name, given in (("bm25", words), ("cosine", cosines)) if key in given},
        )
        for key in best
        if key in found
    ]


def _select(view: View, mind: str, condition: LiteralString, values: dict[str, Any]) -> list[Memory]:
    rows = view.connection.execute(
        _OF_MIND + condition, values | {"workspace": view.sight.workspace, "mind": mind}
    )
    return [memory_of(row) for row in rows]


def _is_stored(view: View, space: str) -> bool:
    """Before the first memory the space may not be known; `by_vector` takes that for a mistake."""
    return view.connection.execute("select from embedding_space where name = %s", [space]).rowcount > 0


def _blend(words: Mapping[str, float], cosines: Mapping[str, float]) -> dict[str, float]:
    most = max(words.values(), default=1.0)
    low, high = min(cosines.values(), default=0.0), max(cosines.values(), default=1.0)
    scaled = {key: (cosine - low) / (high - low) if high > low else 1.0 for key, cosine in cosines.items()}
    return {
        key: WORDS * words.get(key, 0.0) / most + (1 - WORDS) * scaled.get(key, 0.0)
        for key in words.keys() | scaled.keys()
    }
