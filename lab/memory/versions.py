"""The tables behind `records`: versions in their order, vectors, names, mentions, edges. For the writer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from pgvector import HalfVector

from lab.kinds import LabError
from lab.memory.embeddings import space_id
from lab.memory.names import grams, spell
from lab.memory.visibility import Connection
from lab.models.embedders import Embedder

if TYPE_CHECKING:
    from lab.memory.records import Entity


@dataclass(frozen=True, slots=True)
class Stored:
    """A version, believed or superseded by other words for the same moment."""

    serial: int
    edition: str
    hash: str
    believed: bool


def stored(
    connection: Connection, workspace: str, collection: str, places: Sequence[str]
) -> dict[str, list[Stored]]:
    """The versions by record, oldest first."""
    found: dict[str, list[Stored]] = defaultdict(list)
    for place, *rest in connection.execute(
        """select document, serial, edition, content_hash, superseded_at is null from memory
           where workspace = %s and collection = %s and document = any(%s)
           order by document, edition::timestamptz, serial""",
        [workspace, collection, list(places)],
    ):
        found[place].append(Stored(*rest))
    return dict(found)


def settle(connection: Connection, workspace: str, collection: str, places: Sequence[str]) -> int:
    """Brings each record's versions into order: of one moment the last written is believed, and each version
    ends on the day on which the next begins. Edges end with their evidence. Returns how many were closed."""
    replaced = [
        serial
        for (serial,) in connection.execute(
            """update memory m set superseded_at = now(), updated_at = now()
               from (select serial, max(serial) over (partition by document, edition) as last from memory
                     where workspace = %(workspace)s and collection = %(collection)s
                           and document = any(%(places)s) and superseded_at is null) believed
               where m.serial = believed.serial and believed.serial < believed.last
               returning m.serial""",
            {"workspace": workspace, "collection": collection, "places": list(places)},
        )
    ]
    closed = [
        serial
        for (serial,) in connection.execute(
            """update memory m set valid_to = next.day, closed_at = now(), updated_at = now()
               from (select serial, lead(valid_from) over (partition by document
                                                           order by edition::timestamptz) as day
                     from memory where workspace = %(workspace)s and collection = %(collection)s
                           and document = any(%(places)s) and superseded_at is null) next
               where m.serial = next.serial and next.day is not null
                     and (m.valid_to is null or m.valid_to > next.day)
               returning m.serial""",
            {"workspace": workspace, "collection": collection, "places": list(places)},
        )
    ]
    if replaced or closed:
        connection.execute(
            """update edge e set valid_to = m.valid_to, closed_at = m.closed_at, superseded_at =
            m.superseded_at
               from memory m where m.serial = e.evidence and m.serial = any(%s)""",
            [replaced + closed],
        )
    return len(replaced) + len(closed)


def place_vectors(
    connection: Connection, embedder: Embedder, serials: Sequence[int], vectors: np.ndarray
) -> None:
    """One row of `vectors` a memory, in the embedder's space."""
    space = space_id(connection, embedder.space, embedder.dimensions)
    if vectors.shape != (len(serials), embedder.dimensions):
        raise LabError(
            f"{embedder.spec} gave vectors of shape {vectors.shape} for {len(serials)} texts.",
            f"Its space {embedder.space} has {embedder.dimensions} dimensions.",
            "Choose another embedder: LAB_EMBEDDER=use",
        )
    connection.execute(
        """insert into memory_vector (memory, space, workspace, module, owner, collection, dimensions, vector)
           select m.serial, %s, m.workspace, m.module, m.owner, m.collection, %s, new.vector
           from unnest(%s::bigint[], %b::halfvec[]) as new (serial, vector) join memory m using (serial)""",
        [space, embedder.dimensions, list(serials), [HalfVector(row) for row in vectors]],
    )


def name(connection: Connection, workspace: str, entities: Iterable[tuple[int, Entity]]) -> None:
    """The folded spellings by which entities are found."""
    rows = {
        (spell(spelling), serial)
        for serial, entity in entities
        for spelling in (entity.name, *entity.also)
        if spell(spelling)
    }
    ordered = sorted(rows)
    connection.execute(
        """insert into entity_name (workspace, name, entity) select %s, * from unnest(%s::text[],
        %s::bigint[])
           on conflict do nothing""",
        [workspace, [row[0] for row in ordered], [row[1] for row in ordered]],
    )


def add_mentions(
    connection: Connection,
    workspace: str,
    mentions: Mapping[tuple[int, int], tuple[str, str | None, bool]],
) -> None:
    """(memory, entity) → (module, owner, whether the memory describes the entity)."""
    connection.execute(
        """insert into mention (workspace, memory, entity, module, owner, subject)
           select %s, * from unnest(%s::bigint[], %s::bigint[], %s::text[], %s::text[], %s::boolean[])""",
        [
            workspace,
            [memory for memory, _ in mentions],
            [entity for _, entity in mentions],
            *(list(column) for column in zip(*mentions.values(), strict=True)),
        ]
        if mentions
        else [workspace, [], [], [], [], []],
    )


def add_edges(connection: Connection, workspace: str, edges: Sequence[tuple[Any, ...]]) -> None:
    if not edges:
        return
    connection.execute(
        """insert into edge (workspace, source, source_type, relation, target, target_type, evidence, module,
                             visibility, owner, valid_from, valid_to)
           select %s, * from unnest(%s::bigint[], %s::text[], %s::text[], %s::bigint[], %s::text[],
                                    %s::bigint[], %s::text[], %s::text[], %s::text[], %s::date[], %s::date[])
           on conflict do nothing""",
        [workspace, *(list(column) for column in zip(*edges, strict=True))],
    )


def add_grams(
    connection: Connection,
    workspace: str,
    mentions: Mapping[tuple[int, int], tuple[str, str | None, bool]],
    entities: Mapping[int, Entity],
) -> None:
    """Letter triples of the names, in each module that speaks of them openly."""
    wanted = {
        (module, entity)
        for (_, entity), (module, owner, _) in mentions.items()
        if owner is None and entities[entity].fuzzy
    }
    have = set(
        connection.execute(
            "select distinct module, entity from name_gram where entity = any(%s)",
            [list({entity for _, entity in wanted})],
        ).fetchall()
    )
    names: dict[int, list[str]] = defaultdict(list)
    for entity, spelling in connection.execute(
        "select entity, name from entity_name where entity = any(%s)",
        [list({entity for _, entity in wanted - have})],
    ):
        names[entity].append(spelling)
    rows = [
        (gram, module, spelling, entity)
        for module, entity in sorted(wanted - have)
        for spelling in names[entity]
        for gram in sorted(grams(spelling))
    ]
    if rows:
        connection.execute(
            """insert into name_gram (workspace, gram, module, name, entity)
               select %s, * from unnest(%s::text[], %s::text[], %s::text[], %s::bigint[])
               on conflict do nothing""",
            [workspace, *(list(column) for column in zip(*rows, strict=True))],
        )
