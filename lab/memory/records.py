"""Records of connected applications into the memory core: without a language model, each version once.

A record is one memory, the entity it describes, the entities it mentions and the relations between them. The
ledger `sync` knows the newest version of each; one transaction writes all of it, under the workspace's
lock."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import numpy as np

from lab.kinds import LabError
from lab.memory import bm25, hnsw, versions
from lab.memory.connect import owner, writer
from lab.memory.embeddings import forget_recent, forget_stored
from lab.memory.server import Server
from lab.memory.visibility import Connection, writing
from lab.models.embedders import Embedder

COLLECTION = "business"
"""Records, facts and private notes are searched together."""
BATCH = 2_000
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Entity:
    """What memories speak of. `id` is unique in the workspace: `type:key`."""

    id: str
    type: str
    name: str
    also: tuple[str, ...] = ()
    """Other names it is known by."""
    fuzzy: bool = True
    """Whether misspelt names may find it; never a code, whose neighbour is another's."""


@dataclass(frozen=True, slots=True)
class Link:
    """A typed relation from the record's subject to `entity` (`outward=False`: the other way round)."""

    relation: str
    entity: Entity
    outward: bool = True
    module: str | None = None
    """Who may follow it; None: who reads the record."""
    private: bool = False
    """Only the record's owner follows it."""


@dataclass(frozen=True, slots=True)
class Record:
    """One version of one record, as an application gives it. `version` is dated by the record itself."""

    source: str
    external_id: str
    version: datetime
    module: str
    content: str
    language: str
    subject: Entity | None = None
    links: tuple[Link, ...] = ()
    mentions: tuple[Entity, ...] = ()
    valid_from: date | None = None
    """First day on which it holds; None: the version's day."""
    valid_to: date | None = None
    owner: str | None = None
    """Whose private memory it is; None: the workspace's."""
    kind: str = "record"
    """`record`, `fact` (from a conversation) or `note`."""
    attribute: str | None = None

    @property
    def key(self) -> tuple[str, str]:
        return self.source, self.external_id

    @property
    def start(self) -> date:
        return self.valid_from or self.version.date()


@dataclass(frozen=True, slots=True)
class SyncReport:
    """Versions written, versions known already, and versions that a newer one closed."""

    written: int
    unchanged: int
    closed: int


def sync(
    server: Server,
    records: Sequence[Record],
    *,
    workspace: str,
    embedders: Sequence[Embedder] = (),
    maintain: bool = True,
    progress: Callable[[int], None] | None = None,
) -> SyncReport:
    """Writes what is new among `records`; a repeated call writes nothing. One record or 100,000: the same
    path.

    A newer version closes the one before from its own day on; an older one that comes late is filed before
    it. The same version with other words replaces what was known (superseded). Entities are added before,
    in a
    transaction of their own. A batch of 2,000 is written whole or not at all; `progress` is told its size.
    Raises LabError for a record without a time zone or with text that can't be stored."""
    written = unchanged = closed = 0
    for start in range(0, len(records), BATCH):
        part = records[start : start + BATCH]
        hashes = [_checked_hash(record) for record in part]
        with writer(server) as connection:
            with writing(connection, workspace):
                news = _news(connection, workspace, part, hashes)
            if news:
                vectors = [
                    (embedder, embedder.passages([record.content for record, _ in news]))
                    for embedder in embedders
                ]
                with writing(connection, workspace):
                    _upsert_entities(connection, workspace, [record for record, _ in news])
                with writing(connection, workspace):
                    _lock(connection, workspace)
                    done, ended = _write(connection, workspace, news, vectors)
                written += done
                closed += ended
                unchanged += len(part) - done
            else:
                unchanged += len(part)
        if progress:
            progress(len(part))
    if maintain and written > BATCH:
        analyze(server, workspace)
    return SyncReport(written, unchanged, closed)


def analyze(server: Server, workspace: str) -> None:
    """Vector indexes that have become due, and the planner's statistics. Called after a bulk load."""
    hnsw.maintain(server, workspace)
    with owner(server) as connection:
        connection.execute(
            "analyze memory, memory_vector, posting, lexeme_df, entity, entity_name, mention, name_gram, "
            "edge, edge_degree"
        )
        connection.commit()
        connection.autocommit = True
        # Index-only scans read pages that vacuum has marked.
        connection.execute("vacuum posting, mention, edge_degree, memory")


def forget(server: Server, source: str, external_id: str, *, workspace: str) -> int:
    """Deletes a record with all its versions and all that was derived of them: vectors, postings, counts,
    mentions, edges, names of entities nothing else speaks of, its ledger row, cached embeddings. Returns the
    versions deleted."""
    return forget_all(server, [(source, external_id)], workspace=workspace)


def forget_all(server: Server, keys: Sequence[tuple[str, str]], *, workspace: str) -> int:
    """`forget` for several records (source, external id) in one transaction."""
    with writer(server) as connection, writing(connection, workspace):
        _lock(connection, workspace)
        found = connection.execute(
            """select serial, content from memory
               where workspace = %s and collection = %s and document = any(%s)""",
            [workspace, COLLECTION, [_place(*key) for key in keys]],
        ).fetchall()
        _remove(connection, workspace, [serial for serial, _ in found])
        forget_stored(connection, [content for _, content in found])
        connection.execute(
            """delete from sync using unnest(%s::text[], %s::text[]) as gone (source, external_id)
               where workspace = %s and sync.source = gone.source and sync.external_id = gone.external_id""",
            [[source for source, _ in keys], [external_id for _, external_id in keys], workspace],
        )
    forget_recent([content for _, content in found])
    return len(found)


def keys(server: Server, workspace: str) -> list[tuple[str, str]]:
    """(source, external id) of every record synchronised into the workspace; for who writes there."""
    with writer(server) as connection, writing(connection, workspace):
        return connection.execute(
            "select source, external_id from sync where workspace = %s order by 1, 2", [workspace]
        ).fetchall()


def _remove(connection: Connection, workspace: str, serials: list[int]) -> None:
    if not serials:
        return
    touched = [
        entity
        for (entity,) in connection.execute(
            "select distinct entity from mention where memory = any(%s)", [serials]
        )
    ]
    _count_degrees(connection, workspace, serials, -1)
    bm25.remove(connection, workspace, serials)
    connection.execute("delete from memory where serial = any(%s)", [serials])
    connection.execute("delete from edge_degree where entity = any(%s) and n <= 0", [touched])
    connection.execute(
        """delete from name_gram g where entity = any(%s) and not exists (
               select from mention n where n.entity = g.entity and n.module = g.module and n.owner is
               null)""",
        [touched],
    )
    connection.execute(
        "delete from entity e where serial = any(%s) "
        "and not exists (select from mention n where n.entity = e.serial)",
        [touched],
    )


def _checked_hash(record: Record) -> str:
    if record.version.tzinfo is None:
        raise LabError(
            f"{record.source}/{record.external_id} has a version without a time zone.",
            "A datetime with tzinfo, e.g. datetime(2026, 3, 5, tzinfo=UTC).",
        )
    given = repr((record.content, record.module, record.owner, record.subject, record.links, record.mentions,
                  record.start, record.valid_to, record.kind, record.attribute, record.language))  # fmt: skip
    if _UNSTORABLE.search("".join(_texts(record))):
        raise LabError(
            f"{record.source}/{record.external_id} contains a NUL byte or half a character.",
            "Text in UTF-8.",
        )
    return hashlib.sha256(given.encode("utf-8", "surrogatepass")).hexdigest()


def _texts(record: Record) -> Iterator[str]:
    """All that is stored of it as text."""
    yield from (record.content, record.source, record.external_id, record.module, record.language)
    yield from (text for text in (record.owner, record.attribute) if text is not None)
    for link in record.links:
        yield from (link.relation, link.module or "")
    subject = (record.subject,) if record.subject else ()
    for entity in (*subject, *(link.entity for link in record.links), *record.mentions):
        yield from (entity.id, entity.type, entity.name, *entity.also)


def _place(source: str, external_id: str) -> str:
    return f"{source}/{external_id}"


def _lock(connection: Connection, workspace: str) -> None:
    connection.execute("select pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"lab.sync {workspace}"])


def _news(
    connection: Connection, workspace: str, records: Sequence[Record], hashes: Sequence[str]
) -> list[tuple[Record, str]]:
    """What the ledger does not know as its newest version; of equal ones in a call the last."""
    known = {
        (source, key): (version, digest)
        for source, key, version, digest in connection.execute(
            """select source, external_id, version, hash from sync
               join unnest(%s::text[], %s::text[]) as asked (source, external_id) using (source, external_id)
               where workspace = %s""",
            [[r.source for r in records], [r.external_id for r in records], workspace],
        )
    }
    new: dict[tuple[str, str, datetime], tuple[Record, str]] = {}
    for record, digest in zip(records, hashes, strict=True):
        if known.get(record.key) != (record.version, digest):
            new[*record.key, record.version] = record, digest
    return list(new.values())


def _entities(records: Sequence[Record]) -> dict[str, Entity]:
    found: dict[str, Entity] = {}
    for record in records:
        # The record that describes an entity names it best: the last word is the subject's.
        for entity in (*(link.entity for link in record.links), *record.mentions):
            found.setdefault(entity.id, entity)
    for record in records:
        if record.subject:
            found[record.subject.id] = record.subject
    return found


def _upsert_entities(connection: Connection, workspace: str, records: Sequence[Record]) -> None:
    """Adds what is missing and renames; repeating it changes nothing. In the order of ids: no deadlock."""
    subjects = {record.subject.id for record in records if record.subject}
    entities = sorted(_entities(records).values(), key=lambda entity: entity.id)
    if not entities:
        return
    connection.execute(
        """insert into entity as e (workspace, id, type, name)
           select %s, id, type, name
           from unnest(%s::text[], %s::text[], %s::text[], %s::boolean[]) as new (id, type, name, subject)
           where new.subject or not exists (select from entity o where o.workspace = %s and o.id = new.id)
           on conflict (workspace, id) do update set name = excluded.name where e.name <> excluded.name""",
        [
            workspace,
            [entity.id for entity in entities],
            [entity.type for entity in entities],
            [entity.name for entity in entities],
            [entity.id in subjects for entity in entities],
            workspace,
        ],
    )


def _write(
    connection: Connection,
    workspace: str,
    news: Sequence[tuple[Record, str]],
    vectors: Sequence[tuple[Embedder, np.ndarray]],
) -> tuple[int, int]:
    """Under the lock: (versions written, versions closed)."""
    places = sorted({_place(*record.key) for record, _ in news})
    stored = versions.stored(connection, workspace, COLLECTION, places)
    rows: list[dict[str, Any]] = []
    chosen: list[int] = []
    for at, (record, digest) in enumerate(news):
        place, edition = _place(*record.key), record.version.astimezone(UTC).isoformat()
        same = [old for old in stored.get(place, ()) if (old.edition, old.hash) == (edition, digest)]
        if any(old.believed for old in same):
            continue  # written by somebody meanwhile, or an old version seen before
        terms = bm25.terms(record.content, record.language)
        rows.append(
            {
                "id": "mem_"
                + hashlib.sha256(f"{place}\0{edition}\0{digest}\0{len(same)}".encode()).hexdigest()[:20],
                "kind": record.kind,
                "content": record.content,
                "content_hash": digest,
                "length": sum(terms.values()),
                "module": record.module,
                "visibility": "private" if record.owner else "workspace",
                "owner": record.owner,
                "valid_from": record.start.isoformat(),
                "valid_to": record.valid_to.isoformat() if record.valid_to else None,
                "document": place,
                "edition": edition,
                "labels": {"language": record.language, "attribute": record.attribute},
                "terms": terms,
            }
        )
        chosen.append(at)
    if not rows:
        return 0, 0
    serials = _insert_memories(connection, workspace, rows)
    ordered = [serials[row["id"]] for row in rows]
    for embedder, matrix in vectors:
        versions.place_vectors(connection, embedder, ordered, matrix[chosen])
    bm25.add(
        connection,
        workspace,
        [bm25.Posted(serial, row["terms"]) for serial, row in zip(ordered, rows, strict=True)],
    )
    _relate(
        connection, workspace, [(serial, news[at][0]) for serial, at in zip(ordered, chosen, strict=True)]
    )
    # A record with one version has nothing to settle: in a bulk load that is nearly all of them.
    times = Counter(row["document"] for row in rows)
    several = sorted(place for place, n in times.items() if n > 1 or place in stored)
    closed = versions.settle(connection, workspace, COLLECTION, several) if several else 0
    connection.execute(
        """insert into sync as s (workspace, source, external_id, version, hash)
           select distinct on (source, external_id) %s, source, external_id, version, hash
           from unnest(%s::text[], %s::text[], %s::timestamptz[], %s::text[]) with ordinality
                as new (source, external_id, version, hash, at)
           order by source, external_id, version desc, at desc
           on conflict (workspace, source, external_id) do update
           set version = excluded.version, hash = excluded.hash, synced_at = now()
           where excluded.version >= s.version""",
        [
            workspace,
            [news[at][0].source for at in chosen],
            [news[at][0].external_id for at in chosen],
            [news[at][0].version for at in chosen],
            [news[at][1] for at in chosen],
        ],
    )
    return len(rows), closed


def _insert_memories(
    connection: Connection, workspace: str, rows: Sequence[dict[str, Any]]
) -> dict[str, int]:
    columns = (
        "id, kind, content, content_hash, length, module, visibility, owner, valid_from, valid_to, "
        "document, edition, labels"
    )
    given = json.dumps([{k: v for k, v in row.items() if k != "terms"} for row in rows], ensure_ascii=False)
    return dict(
        connection.execute(
            f"""insert into memory (workspace, collection, source, verified, search_text, {columns})
                select %s, %s, 'import', true, content, {columns} from jsonb_to_recordset(%s::jsonb) as new (
                    id text, kind text, content text, content_hash text, length int, module text,
                    visibility text, owner text, valid_from date, valid_to date, document text, edition text,
                    labels jsonb)
                returning id, serial""",
            [workspace, COLLECTION, given],
        ).fetchall()
    )


def _relate(connection: Connection, workspace: str, written: Sequence[tuple[int, Record]]) -> None:
    """Mentions, names, trigrams, edges and degrees of freshly inserted memories."""
    entities = _entities([record for _, record in written])
    known: dict[str, int] = dict(
        connection.execute(
            "select id, serial from entity where workspace = %s and id = any(%s)", [workspace, list(entities)]
        ).fetchall()
    )
    versions.name(connection, workspace, [(known[key], entity) for key, entity in entities.items()])
    mentions: dict[tuple[int, int], tuple[str, str | None, bool]] = {}
    edges: dict[tuple[int, int, str, int], tuple[Any, ...]] = {}
    for serial, record in written:
        for entity in (*(link.entity for link in record.links), *record.mentions):
            mentions[serial, known[entity.id]] = record.module, record.owner, False
        if record.subject is None:
            continue
        own = known[record.subject.id]
        mentions[serial, own] = record.module, record.owner, True
        for link in record.links:
            ends = [(own, record.subject.type), (known[link.entity.id], link.entity.type)]
            (source, source_type), (target, target_type) = ends if link.outward else ends[::-1]
            private = link.private or record.owner is not None
            edges[serial, source, link.relation, target] = (
                source, source_type, link.relation, target, target_type, serial, link.module or record.module,
                "private" if private else "workspace", record.owner, record.start, record.valid_to,
            )  # fmt: skip
    versions.add_mentions(connection, workspace, mentions)
    versions.add_edges(connection, workspace, list(edges.values()))
    _count_degrees(connection, workspace, [serial for serial, _ in written], 1)
    versions.add_grams(connection, workspace, mentions, {known[key]: e for key, e in entities.items()})


def _count_degrees(connection: Connection, workspace: str, serials: Sequence[int], sign: int) -> None:
    connection.execute(
        """insert into edge_degree as d (workspace, entity, relation, outward, module, n)
           select %(workspace)s, entity, relation, outward, module, %(sign)s * count(*) from (
               select source as entity, relation, true as outward, module from edge
               where evidence = any(%(serials)s) and visibility = 'workspace'
               union all
               select target, relation, false, module from edge
               where evidence = any(%(serials)s) and visibility = 'workspace') both_ends
           group by entity, relation, outward, module
           on conflict (entity, relation, outward, module) do update set n = d.n + excluded.n""",
        {"workspace": workspace, "serials": list(serials), "sign": sign},
    )
