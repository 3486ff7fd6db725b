"""Documents into the memory core: what is new or changed is written, all else is left untouched."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from pgvector import HalfVector
from psycopg.types.json import Jsonb

from lab.corpus.links import Link
from lab.kinds import Chunk, Document
from lab.memory import bm25, hnsw
from lab.memory import links as keep_links
from lab.memory.connect import owner, writer
from lab.memory.embeddings import space_id
from lab.memory.rows import GIVEN, Row, as_json, prepare
from lab.memory.server import Server
from lab.memory.visibility import Connection, writing
from lab.models.embedders import Embedder

BATCH = 2_000
_DOCUMENT = "id edition source fingerprint kind title department language module valid_from valid_to".split()


@dataclass(frozen=True, slots=True)
class IngestReport:
    """Documents by what became of them, and how many chunks and vectors were written."""

    unchanged: int
    added: int
    changed: int
    removed: int
    chunks_written: int
    vectors_written: int


def ingest(
    server: Server,
    documents: Sequence[Document],
    chunks_of: Callable[[Document], list[Chunk]],
    *,
    embedders: Sequence[Embedder] = (),
    only: Mapping[str, Collection[str]] | None = None,
    workspace: str = "kraken",
    links: Sequence[Link] | None = None,
    progress: Callable[[str], None] | None = None,
) -> IngestReport:
    """Makes the workspace's documents exactly these. Embeds `search_text` in the space of each embedder;
    `only` narrows a space to some collections (a slow embedder that one index alone needs). `links` become
    the proposed links between them; None leaves those that are stored, but for documents that go.

    Unchanged chunks keep their row, vectors and postings; a chunk whose label alone changed (an edition that
    ended) is updated in place; a document that is gone takes all that was made of it along. Chunks of other
    chunkers, which a sweep stored, stay while their document is as it was. One transaction
    under a lock, after the embedding: a reader meanwhile, and a kill, meets the state before or after.
    Raises LabError for text that can't be stored, and for documents or chunks with the same id."""
    say = progress or (lambda _: None)
    rows = prepare(documents, chunks_of)
    narrowed = {space: frozenset(names) for space, names in (only or {}).items()}
    vectors = [
        _embedded(server, embedder, _narrowed(rows.values(), narrowed.get(embedder.space)), workspace)
        for embedder in embedders
    ]
    say(f"{len(documents)} documents, {len(rows)} chunks")
    with writer(server) as connection:
        with writing(connection, workspace):
            connection.execute(
                "select pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"lab.ingest {workspace}"]
            )
            before, touched_documents = _sync_documents(connection, workspace, documents)
            same = {(document.id, document.edition) for document in documents} - touched_documents
            touched_chunks, written = _sync_chunks(connection, workspace, rows, same)
            if links is not None:
                keep_links.sync(connection, workspace, links)
            placed = sum(
                _place_vectors(connection, workspace, embedder, known, narrowed.get(embedder.space))
                for embedder, known in zip(embedders, vectors, strict=True)
            )
    now = {(document.id, document.edition) for document in documents}
    changed = (touched_documents | touched_chunks) & now & before
    if written or placed or before - now:
        _maintain(server, workspace)
    return IngestReport(
        unchanged=len((now & before) - changed),
        added=len(now - before),
        changed=len(changed),
        removed=len(before - now),
        chunks_written=written,
        vectors_written=placed,
    )


def holds(
    server: Server, workspace: str, spaces: Collection[str], only: Mapping[str, Collection[str]] | None = None
) -> bool:
    """Whether the workspace has chunks and each of them (`only`: of a space's collections) a vector in every
    one of these spaces."""
    with writer(server) as connection, writing(connection, workspace):
        row = connection.execute(
            """select exists (select from memory m where m.workspace = %(workspace)s and m.kind = 'chunk')
                      and not exists (
                          select from memory m cross join unnest(%(spaces)s::text[]) wanted (name)
                          where m.workspace = %(workspace)s and m.kind = 'chunk'
                                and coalesce(%(only)s::jsonb -> wanted.name ? m.collection, true)
                                and not exists (select from memory_vector v
                                                join embedding_space s on s.id = v.space
                                                where v.memory = m.serial and s.name = wanted.name))""",
            {
                "workspace": workspace,
                "spaces": list(set(spaces)),
                "only": Jsonb({space: sorted(names) for space, names in (only or {}).items()}),
            },
        ).fetchone()
    return row is not None and bool(row[0])


def collections(server: Server, workspace: str) -> frozenset[str]:
    """The collections (chunkers, and `unit`) that documents are stored in."""
    with writer(server) as connection, writing(connection, workspace):
        rows = connection.execute(
            "select distinct collection from memory where workspace = %s and kind = 'chunk'", [workspace]
        )
        return frozenset(name for (name,) in rows)


def hash_of(files: Iterable[tuple[str, str]]) -> str:
    """SHA-256 hex over (path, fingerprint) pairs, in the order of the paths."""
    digest = hashlib.sha256()
    for source, fingerprint in sorted(files):
        digest.update(f"{source}\0{fingerprint}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def corpus_hash(server: Server, workspace: str) -> str:
    """Hash of the documents that are stored, whichever folder they came from."""
    with writer(server) as connection, writing(connection, workspace):
        rows = connection.execute(
            "select source, fingerprint from document where workspace = %s", [workspace]
        )
        return hash_of((source, fingerprint) for source, fingerprint in rows)


def roles(server: Server, workspace: str) -> dict[str, frozenset[str]]:
    """Role → modules it may read; without the roles of minds, which are opened with a credential."""
    with writer(server) as connection, writing(connection, workspace):
        rows = connection.execute(
            "select role, array_agg(module) from role_module "
            "where workspace = %s and left(role, 5) <> 'mind:' group by 1 order by 1",
            [workspace],
        ).fetchall()
    return {role: frozenset(modules) for role, modules in rows}


def allow(server: Server, workspace: str, role: str, modules: Collection[str]) -> None:
    """Lets a role read exactly these modules; none: nothing any more. Holds from the next question on."""
    allow_all(server, workspace, {role: modules})


def allow_all(server: Server, workspace: str, rights: Mapping[str, Collection[str]]) -> None:
    """`allow` for several roles in one transaction."""
    with writer(server) as connection, writing(connection, workspace):
        for role, modules in rights.items():
            connection.execute(
                "delete from role_module where workspace = %s and role = %s and module <> all(%s)",
                [workspace, role, list(modules)],
            )
            connection.execute(
                "insert into role_module select %s, %s, unnest(%s::text[]) on conflict do nothing",
                [workspace, role, sorted(modules)],
            )


def _embedded(
    server: Server, embedder: Embedder, rows: Iterable[Row], workspace: str
) -> dict[str, np.ndarray]:
    """search_text → vector of the chunks that have none in this embedder's space yet."""
    with writer(server) as connection, writing(connection, workspace):
        current = dict(
            connection.execute(
                """select m.id, m.index_hash from memory m join memory_vector v on v.memory = m.serial
                   join embedding_space s on s.id = v.space where m.workspace = %s and s.name = %s""",
                [workspace, embedder.space],
            ).fetchall()
        )
    texts = list(
        dict.fromkeys(row.chunk.search_text for row in rows if current.get(row.chunk.id) != row.index)
    )
    return dict(zip(texts, embedder.passages(texts), strict=True)) if texts else {}


def _sync_documents(
    connection: Connection, workspace: str, documents: Sequence[Document]
) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """(places stored before, places written or removed)."""
    columns = ", ".join(_DOCUMENT)
    known = {
        (row[0], row[1]): row
        for row in connection.execute(f"select {columns} from document where workspace = %s", [workspace])
    }
    given = {
        (d.id, d.edition): (
            d.id, d.edition, d.source, d.fingerprint, d.kind, d.title, d.department, d.language, d.access,
            d.valid_from, d.valid_to,
        )
        for d in documents
    }  # fmt: skip
    gone = sorted(known.keys() - given.keys())
    if gone:
        connection.execute(
            "delete from document where workspace = %s "
            "and (id, edition) in (select * from unnest(%s::text[], %s::text[]))",
            [workspace, [key for key, _ in gone], [edition for _, edition in gone]],
        )
    new = [row for place, row in given.items() if known.get(place) != row]
    if new:
        connection.execute(
            """insert into document
                   (workspace, id, edition, source, fingerprint, kind, title, department, language, module,
                    valid_from, valid_to)
               select %s, * from unnest(
                   %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[],
                   %s::text[], %s::text[], %s::date[], %s::date[])
               on conflict (workspace, id, edition) do update set
                   source = excluded.source, fingerprint = excluded.fingerprint, kind = excluded.kind,
                   title = excluded.title, department = excluded.department, language = excluded.language,
                   module = excluded.module, valid_from = excluded.valid_from, valid_to = excluded.valid_to,
                   updated_at = now()""",
            [workspace, *(list(column) for column in zip(*new, strict=True))],
        )
    return set(known), {(row[0], row[1]) for row in new} | set(gone)


def _sync_chunks(
    connection: Connection, workspace: str, rows: dict[str, Row], same: Collection[tuple[str, str]]
) -> tuple[set[tuple[str, str]], int]:
    """(places of which a chunk was written or removed, chunks written). `same`: documents that are as they
    were, of which chunks that other chunkers made are left."""
    made = {row.chunk.chunker for row in rows.values()}
    known, others = {}, set()
    for key, serial, content, index, document, edition, collection in connection.execute(
        "select id, serial, content_hash, index_hash, document, edition, collection from memory "
        "where workspace = %s and kind = 'chunk'",
        [workspace],
    ):
        known[key] = serial, content, index, (document, edition)
        if collection not in made and (document, edition) in same:
            others.add(key)
    gone = [
        key
        for key, (_, _, index, _) in known.items()
        if (key not in rows or rows[key].index != index) and key not in others
    ]
    new = [row for key, row in rows.items() if key not in known or known[key][2] != row.index]
    moved = [
        row
        for key, row in rows.items()
        if key in known and known[key][2] == row.index and known[key][1] != row.hash
    ]
    if gone:
        serials = [known[key][0] for key in gone]
        bm25.remove(connection, workspace, serials)
        connection.execute("delete from memory where serial = any(%s)", [serials])  # vectors go with it
    for start in range(0, len(new), BATCH):
        _insert(connection, workspace, new[start : start + BATCH])
    for start in range(0, len(moved), BATCH):
        _update(connection, workspace, moved[start : start + BATCH])
    places = {known[key][3] for key in gone} | {row.place for row in (*new, *moved)}
    return places, len(new) + len(moved)


def _insert(connection: Connection, workspace: str, rows: Sequence[Row]) -> None:
    columns = (
        "id, content, search_text, content_hash, index_hash, length, module, valid_from, valid_to, "
        "collection, document, edition, section, ordinal, parent_id, labels"
    )
    serials = dict(
        connection.execute(
            f"insert into memory (workspace, kind, source, verified, {columns}) "
            f"select %s, 'chunk', 'import', true, {columns} from {GIVEN} returning id, serial",
            [workspace, as_json(rows)],
        ).fetchall()
    )
    bm25.add(
        connection,
        workspace,
        [bm25.Posted(serials[row.chunk.id], row.terms) for row in rows],
    )


def _update(connection: Connection, workspace: str, rows: Sequence[Row]) -> None:
    """What vectors and postings do not depend on."""
    connection.execute(
        f"""update memory m set content = new.content, content_hash = new.content_hash,
                valid_from = new.valid_from, valid_to = new.valid_to, section = new.section,
                ordinal = new.ordinal, parent_id = new.parent_id, labels = new.labels, updated_at = now()
            from {GIVEN} where m.workspace = %s and m.id = new.id""",
        [as_json(rows), workspace],
    )


def _narrowed(rows: Iterable[Row], collections: frozenset[str] | None) -> list[Row]:
    return [row for row in rows if collections is None or row.chunk.chunker in collections]


def _place_vectors(
    connection: Connection,
    workspace: str,
    embedder: Embedder,
    known: dict[str, np.ndarray],
    collections: frozenset[str] | None,
) -> int:
    """Gives every chunk (of these collections) that has no vector in the embedder's space one; how many."""
    space = space_id(connection, embedder.space, embedder.dimensions)
    bare = connection.execute(
        """select m.serial, m.search_text from memory m where m.workspace = %s and m.kind = 'chunk'
           and (%s::text[] is null or m.collection = any(%s))
           and not exists (select from memory_vector v where v.memory = m.serial and v.space = %s)
           order by m.serial""",
        [workspace, *[None if collections is None else sorted(collections)] * 2, space],
    ).fetchall()
    # Somebody else's ingest may have finished since: then some are embedded here, mostly from the cache.
    late = list(dict.fromkeys(text for _, text in bare if text not in known))
    if late:
        known = known | dict(zip(late, embedder.passages(late), strict=True))
    for start in range(0, len(bare), BATCH):
        part = bare[start : start + BATCH]
        connection.execute(
            """insert into memory_vector
                   (memory, space, workspace, module, owner, collection, dimensions, vector)
               select m.serial, %s, m.workspace, m.module, case m.visibility when 'private' then m.owner end,
                      m.collection, %s, new.vector
               from unnest(%s::bigint[], %b::halfvec[]) as new (serial, vector)
               join memory m using (serial)""",
            [
                space,
                embedder.dimensions,
                [serial for serial, _ in part],
                [HalfVector(known[text]) for _, text in part],
            ],
        )
    return len(bare)


def _maintain(server: Server, workspace: str) -> None:
    """Statistics for the planner, and the indexes that have become due."""
    hnsw.maintain(server, workspace)
    with owner(server) as connection:
        connection.execute("analyze memory, memory_vector, posting, lexeme_df")
