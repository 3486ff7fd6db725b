"""Reading the memory core. Every function takes a `View`, which only `visibility.looking` gives.

What may be seen is decided by the database (policy `look` on memory): each statement reads `memory`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, LiteralString

import numpy as np
from pgvector import HalfVector
from psycopg import sql

from lab.kinds import Chunk, Label, Suspect
from lab.memory import bm25, hnsw
from lab.memory.embeddings import stored_space
from lab.memory.visibility import View


@dataclass(frozen=True, slots=True)
class Filter:
    """What a search leaves out besides what the rule hides."""

    exclude_scope: str | None = None
    documents: frozenset[str] | None = None
    editions: frozenset[str] | None = None
    tag: str | None = None
    """As `model.tag_key` gives it."""


_WHERE: LiteralString = """
    and (%(exclude_scope)s::text is null or m.labels->>'scope' is distinct from %(exclude_scope)s)
    and (%(documents)s::text[] is null or m.document = any(%(documents)s))
    and (%(editions)s::text[] is null or m.edition = any(%(editions)s))
    and (%(tag)s::text is null or %(tag)s = any(m.tag_keys))"""


def by_vector(
    view: View, space: str, query: np.ndarray, k: int | None, collection: str, where: Filter | None = None
) -> list[tuple[str, float]]:
    """(id, cosine similarity) of the `k` nearest visible memories, best first, ties by id; None: of all.

    Exact where what the roles read in this collection is small (`hnsw.FROM`), or all is asked for; else each
    large module through its HNSW index. Should that give fewer than `k`, exact again: never fewer than exist.
    LabError for a space that nothing was stored in, or a query of other dimensions."""
    number, dimensions = stored_space(view.connection, space, query)
    values = _values(view, collection, k, where) | {"space": number, "query": HalfVector(query)}
    if k is not None and (large := _large_modules(view, number, collection, k)):
        found = _approximate(view, values, dimensions, large)
        if len(found) >= k:
            return found
    statement: LiteralString = """
        select m.id, 1 - (v.vector <=> %(query)s::halfvec) as cosine
        from memory_vector v join memory m on m.serial = v.memory
        where v.workspace = %(workspace)s and v.space = %(space)s and v.collection = %(collection)s
              and v.module = any(%(modules)s)"""
    rows = view.connection.execute(
        statement + _WHERE + " order by v.vector <=> %(query)s::halfvec, m.id limit %(k)s", values
    )
    return [(key, float(cosine)) for key, cosine in rows]


@dataclass(frozen=True, slots=True)
class Near:
    """Memories near several queries: `scores[i]` is id → cosine similarity to query i, `parents` is id →
    parent's id of those that have one."""

    scores: tuple[dict[str, float], ...]
    parents: dict[str, str]


def by_vectors(view: View, space: str, queries: Sequence[np.ndarray], k: int, collection: str) -> Near:
    """`by_vector` for several queries in one statement, with the parents; beyond `k` visible memories one by
    one. LabError as there."""
    number = max(stored_space(view.connection, space, query)[0] for query in queries)
    cosines = sql.SQL(", ").join(
        sql.SQL("1 - (v.vector <=> {}::halfvec)").format(sql.Placeholder(f"query{at}"))
        for at in range(len(queries))
    )
    statement = sql.SQL(
        "select m.id, m.parent_id, {cosines} from memory_vector v join memory m on m.serial = v.memory"
        " where v.workspace = %(workspace)s and v.space = %(space)s and v.collection = %(collection)s"
        " and v.module = any(%(modules)s) order by m.serial limit %(k)s + 1"
    ).format(cosines=cosines)
    vectors = {f"query{at}": HalfVector(query) for at, query in enumerate(queries)}
    values = _values(view, collection, k, None) | {"space": number} | vectors
    rows = view.connection.execute(statement, values).fetchall()
    if len(rows) <= k:
        scores = tuple({row[0]: float(row[at + 2]) for row in rows} for at in range(len(queries)))
        return Near(scores, {row[0]: row[1] for row in rows if row[1] is not None})
    scores = tuple(dict(by_vector(view, space, query, k, collection)) for query in queries)
    return Near(scores, parents(view, list({key for found in scores for key in found})))


def _large_modules(view: View, space: int, collection: str, k: int) -> list[str]:
    """Readable modules to be searched by index; empty when exact is to be taken."""
    if k > 500:  # ef_search ends at 1,000
        return []
    rows = view.connection.execute(
        "select module, n from module_size where workspace = %s and collection = %s and module = any(%s)",
        [view.sight.workspace, collection, list(view.modules)],
    ).fetchall()
    if sum(n for _, n in rows) <= hnsw.FROM:
        return []
    names = {
        hnsw.index_name(view.sight.workspace, space, collection, module): module
        for module, n in rows
        if n > hnsw.FROM
    }
    return sorted(names[name] for name in hnsw.existing(view.connection, names))


def _approximate(
    view: View, values: dict[str, Any], dimensions: int, large: Sequence[str]
) -> list[tuple[str, float]]:
    """The large modules by their indexes, the rest exactly, joined by distance."""
    # Sorting off: the planner can't know how much the rule leaves, and would at times read and sort it all.
    view.connection.execute(
        "select set_config('hnsw.iterative_scan', 'strict_order', true), "
        "set_config('hnsw.ef_search', %s, true), set_config('enable_sort', 'off', true)",
        [str(min(1000, max(100, 2 * values["k"])))],
    )
    # A partial index is used where its predicate stands in the query as literals.
    part = sql.SQL(
        "(select m.id, v.vector::halfvec({dimensions}) <=> %(query)s::halfvec as distance"
        " from memory_vector v join memory m on m.serial = v.memory"
        " where v.workspace = {workspace} and v.space = {space}"
        " and v.collection = {collection} and v.module = {module}"
        + _WHERE
        + " order by v.vector::halfvec({dimensions}) <=> %(query)s::halfvec limit %(k)s)"
    )
    rest = sql.SQL(
        "(select m.id, v.vector <=> %(query)s::halfvec as distance"
        " from memory_vector v join memory m on m.serial = v.memory"
        " where v.workspace = %(workspace)s and v.space = %(space)s and v.collection = %(collection)s"
        " and v.module = any(%(small)s)" + _WHERE + " order by 2 limit %(k)s)"
    )
    parts = [
        part.format(
            dimensions=sql.Literal(dimensions),
            workspace=sql.Literal(values["workspace"]),
            space=sql.Literal(values["space"]),
            collection=sql.Literal(values["collection"]),
            module=sql.Literal(module),
        )
        for module in large
    ]
    rows = view.connection.execute(
        sql.SQL("select id, 1 - distance from ({parts}) found order by distance, id limit %(k)s").format(
            parts=sql.SQL(" union all ").join([*parts, rest])
        ),
        values | {"small": [module for module in values["modules"] if module not in large]},
    ).fetchall()
    view.connection.execute("select set_config('enable_sort', 'on', true)")
    return [(key, float(cosine)) for key, cosine in rows]


def by_words(
    view: View,
    question: str,
    language: str,
    k: int | None,
    collection: str,
    where: Filter | None = None,
    *,
    proven: bool = True,
) -> list[tuple[str, float]]:
    """(id, BM25 score > 0) of the `k` best visible memories sharing a lexeme with the question, best first.

    Up to `hnsw.FROM` memories frequencies and mean length are of what the asker sees. Beyond, they are of the
    modules he reads (editions and expired ones included, private memories never), and candidates come from a
    budget of postings; unless the first ten are proven exact, the budget is then lifted. With `proven` off it
    is not: what has only the commonest words of the question may be missing (of "ORD-2026-00017" all else of
    2026)."""
    lexemes = bm25.asked(question, language)
    if not lexemes or not view.modules:
        return []
    values = _values(view, collection, k, where) | {
        "lexemes": list(lexemes),
        "weights": list(lexemes.values()),
        "k1": bm25.K1,
        "b": bm25.B,
    }
    row = view.connection.execute(
        "select coalesce(sum(n), 0) from module_size "
        "where workspace = %(workspace)s and collection = %(collection)s and module = any(%(modules)s)",
        values,
    ).fetchone()
    if k is None or row is None or row[0] <= hnsw.FROM:
        rows = view.connection.execute(_with_filter(bm25.EXACT), values)
        return [(key, float(score)) for key, score in rows]
    budgeted = values | {"budget": bm25.BUDGET, "candidates": max(bm25.CANDIDATES, 2 * k)}
    found = view.connection.execute(_with_filter(bm25.BUDGETED), budgeted).fetchall()
    exact = len(found) == k and found[min(k, 10) - 1][1] >= found[0][2]
    if proven and not exact and not (found and found[0][2] == 0):  # 0: nothing was left out
        budgeted |= {"budget": 10**12, "candidates": 10**12}
        found = view.connection.execute(_with_filter(bm25.BUDGETED), budgeted).fetchall()
    return [(key, float(score)) for key, score, _ in found]


def _with_filter(statement: LiteralString) -> sql.Composed:
    return sql.SQL(statement).format(where=sql.SQL(_WHERE))


_CHUNK: LiteralString = """
    select m.id, m.collection, m.document, m.section, m.ordinal, m.content, m.search_text, m.module,
           m.edition, m.valid_from, m.valid_to, m.parent_id, m.labels
    from memory m where m.kind = 'chunk' and m.workspace = %(workspace)s"""


def fetch(view: View, ids: Sequence[str]) -> dict[str, Chunk]:
    """The visible ones of these chunks by id, in the order of `ids`."""
    rows = view.connection.execute(
        _CHUNK + " and m.id = any(%(ids)s)", {"workspace": view.sight.workspace, "ids": list(ids)}
    )
    found = {chunk.id: chunk for chunk in map(_chunk, rows)}
    return {key: found[key] for key in ids if key in found}


def children(view: View, parent_ids: Sequence[str], collection: str = "unit") -> dict[str, list[Chunk]]:
    """Visible chunks by the id of their parent, in document order; parents without any have no entry."""
    rows = view.connection.execute(
        _CHUNK
        + " and m.parent_id = any(%(parents)s) and m.collection = %(collection)s"
        + " order by m.parent_id, m.ordinal",
        {"workspace": view.sight.workspace, "parents": list(parent_ids), "collection": collection},
    )
    found: dict[str, list[Chunk]] = defaultdict(list)
    for chunk in map(_chunk, rows):
        assert chunk.parent is not None
        found[chunk.parent].append(chunk)
    return dict(found)


def parents(view: View, ids: Sequence[str]) -> dict[str, str]:
    """id → parent's id for the visible ones of `ids` that have one."""
    rows = view.connection.execute(
        "select m.id, m.parent_id from memory m "
        "where m.workspace = %s and m.id = any(%s) and m.parent_id is not null",
        [view.sight.workspace, list(ids)],
    )
    return dict(rows.fetchall())


def all_chunks(view: View, collection: str) -> list[Chunk]:
    """Every visible chunk of a collection, by document, edition and position."""
    rows = view.connection.execute(
        _CHUNK
        + " and m.collection = %(collection)s"
        + ' order by m.document collate "C", m.edition collate "C", m.ordinal',
        {"workspace": view.sight.workspace, "collection": collection},
    )
    return [_chunk(row) for row in rows]


def vectors(view: View, space: str, ids: Sequence[str]) -> dict[str, np.ndarray]:
    """id → (d,) float32 of length 1 for the visible ones of `ids` that have a vector in this space."""
    rows = view.connection.execute(
        """select m.id, v.vector from memory m join memory_vector v on v.memory = m.serial
           where m.workspace = %s and m.id = any(%s)
                 and v.space = (select id from embedding_space where name = %s)""",
        [view.sight.workspace, list(ids), space],
        binary=True,
    )
    found = {key: vector.to_numpy().astype(np.float32) for key, vector in rows}
    return {key: found[key] / np.linalg.norm(found[key]) for key in ids if key in found}


def count(view: View, collection: str) -> int:
    """How many memories of a collection are visible."""
    row = view.connection.execute(
        "select count(*) from memory m where m.workspace = %s and m.collection = %s",
        [view.sight.workspace, collection],
    ).fetchone()
    return int(row[0]) if row else 0


def _values(view: View, collection: str, k: int | None, where: Filter | None) -> dict[str, Any]:
    where = where or Filter()
    return {
        "workspace": view.sight.workspace,
        "modules": list(view.modules),
        "collection": collection,
        "k": k,
        "exclude_scope": where.exclude_scope,
        "documents": None if where.documents is None else sorted(where.documents),
        "editions": None if where.editions is None else sorted(where.editions),
        "tag": where.tag,
    }


def _chunk(row: Sequence[Any]) -> Chunk:
    (
        key,
        collection,
        document,
        section,
        ordinal,
        text,
        search_text,
        module,
        edition,
        start,
        end,
        parent,
        labels,
    ) = row
    label = Label(
        edition=edition,
        valid_from=start,
        valid_to=end,
        scope=labels["scope"],
        access=module,
        language=labels["language"],
        department=labels["department"],
    )
    return Chunk(
        id=key,
        chunker=collection,
        document=document,
        section=section,
        sections=tuple(labels["sections"]),
        ordinal=ordinal,
        title=labels["title"],
        heading=labels["heading"],
        text=text,
        search_text=search_text,
        label=label,
        parent=parent,
        suspect=tuple(Suspect(*found) for found in labels.get("suspect", ())),
    )
