"""Links in the memory core: written at ingest, listed, decided by hand, followed from sections.

Who sees a link is decided by the database (policy `look` on link): only who may read both ends."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString

from psycopg.types.json import Jsonb

from lab.corpus.links import Link
from lab.kinds import Chunk, LabError
from lab.memory.connect import writer
from lab.memory.search import fetch
from lab.memory.server import Server
from lab.memory.visibility import Connection, View, writing

STATES = ("proposed", "confirmed", "undone")
_COLUMNS: LiteralString = (
    "id, kind, source_document, source_edition, source_section, target_document, target_section, said_on, "
    "valid_from, valid_to, evidence, named_by, old_value, new_value, confidence, proposed_by"
)
_OF: LiteralString = (
    "l.id, l.kind, l.source_document, l.source_edition, l.source_section, l.target_document, "
    "l.target_section, l.said_on, l.valid_from, l.valid_to, l.evidence, l.named_by, l.old_value, "
    "l.new_value, l.confidence, l.proposed_by"
)

_IN_USE: LiteralString = "(l.state = 'confirmed' or (l.state = 'proposed' and l.proposed_by = 'rules'))"
"""What a model proposed is followed only when somebody has confirmed it."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A link as stored, with what was decided about it."""

    link: Link
    state: str
    """One of STATES. An undone link is kept, so that the next ingest does not bring it back."""
    decided_by: str | None
    decided_at: datetime | None


def write(server: Server, links: Sequence[Link], workspace: str = "kraken") -> int:
    """`sync` in a transaction of its own, under the lock of an ingest."""
    with writer(server) as connection, writing(connection, workspace):
        connection.execute(
            "select pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"lab.ingest {workspace}"]
        )
        return sync(connection, workspace, links)


def sync(connection: Connection, workspace: str, links: Sequence[Link]) -> int:
    """Makes the workspace's proposed links exactly these; returns how many rows were written or removed.

    What was confirmed or undone stays so under the same id; a link no longer proposed goes unless it was
    undone. Nothing is written when nothing changed. Links of documents that are not stored are left out."""
    gone = connection.execute(
        "delete from link where workspace = %s and proposed_by = 'rules' and state <> 'undone' "
        "and id <> all(%s)",
        [workspace, [link.id for link in links]],
    ).rowcount
    return gone + _insert(connection, workspace, links)


def add(server: Server, links: Sequence[Link], workspace: str = "kraken") -> int:
    """Writes links beside those that are there, none removed; returns how many are new or changed."""
    with writer(server) as connection, writing(connection, workspace):
        return _insert(connection, workspace, links)


def _insert(connection: Connection, workspace: str, links: Sequence[Link]) -> int:
    """What was decided about a link stays. One that the rules found stays theirs; one that a model found
    becomes theirs when they find it too."""
    return connection.execute(
        f"""insert into link (workspace, {_COLUMNS})
            select %s, {_COLUMNS} from jsonb_to_recordset(%s) as new (
                id text, kind text, source_document text, source_edition text, source_section text,
                target_document text, target_section text, said_on date, valid_from date, valid_to date,
                evidence text, named_by text, old_value text, new_value text,
                confidence real, proposed_by text)
            where exists (select from document d where d.workspace = %s and d.id = new.source_document
                          and d.edition = new.source_edition)
            on conflict (workspace, id) do update set
                said_on = excluded.said_on, valid_to = excluded.valid_to,
                evidence = excluded.evidence, named_by = excluded.named_by,
                old_value = excluded.old_value, new_value = excluded.new_value,
                confidence = excluded.confidence, proposed_by = excluded.proposed_by
            where (excluded.proposed_by = 'rules' or link.proposed_by <> 'rules')
              and (link.said_on, link.valid_to, link.evidence, link.named_by, link.old_value,
                   link.new_value, link.confidence, link.proposed_by)
                  is distinct from (excluded.said_on, excluded.valid_to, excluded.evidence,
                                    excluded.named_by, excluded.old_value, excluded.new_value,
                                    excluded.confidence, excluded.proposed_by)""",
        [workspace, Jsonb([_row(link) for link in links]), workspace],
    ).rowcount


def decide(server: Server, key: str, state: str, by: str, workspace: str = "kraken") -> None:
    """Confirms a link or undoes it. LabError for an id that the workspace does not have."""
    if state not in STATES[1:]:
        raise LabError(f"A link can't be {state!r}.", "It is confirmed or undone.")
    with writer(server) as connection, writing(connection, workspace):
        changed = connection.execute(
            "update link set state = %s, decided_by = %s, decided_at = now() "
            "where workspace = %s and id = %s",
            [state, by, workspace, key],
        ).rowcount
    if not changed:
        raise unknown(key)


def unknown(key: str) -> LabError:
    return LabError(f"There is no link {key!r}.", "", "python start.py links")


def listed(view: View) -> list[Kept]:
    """Every visible link, undone ones too, by target, first day and source."""
    rows = view.connection.execute(
        f"""select {_OF}, l.state, l.decided_by, l.decided_at from link l where l.workspace = %s
            order by l.target_document collate "C", l.target_section collate "C", l.valid_from,
                     l.source_document collate "C", l.source_edition collate "C", l.id""",
        [view.sight.workspace],
    )
    return [Kept(_link(row[:16]), *row[16:]) for row in rows]


def following(view: View, places: Collection[tuple[str, str]]) -> list[Link]:
    """The visible links in use (see `_IN_USE`) that begin or end at these (document, section) places or hang
    together with one that does, whatever their dates: `lab.corpus.standing` says which of them hold on a day.
    By first day and source."""
    if not places:
        return []
    documents, numbers = zip(*sorted(places), strict=True)
    rows = view.connection.execute(
        f"""with recursive place (document, section) as (
                select * from unnest(%s::text[], %s::text[])
                union
                select e.document, e.section from place p join link l
                    on l.workspace = %s and {_IN_USE}
                    and ((l.source_document = p.document and l.source_section = p.section)
                         or (l.target_document = p.document
                             and (l.target_section is null or l.target_section = p.section)))
                cross join lateral (values (l.source_document, l.source_section),
                                           (l.target_document, l.target_section)) as e (document, section)
                where e.section is not null)
            select {_OF} from link l where l.workspace = %s and {_IN_USE} and exists (
                select from place p
                where (l.source_document = p.document and l.source_section = p.section)
                   or (l.target_document = p.document
                       and (l.target_section is null or l.target_section = p.section)))
            order by l.valid_from, l.source_document collate "C", l.source_edition collate "C", l.id""",
        [list(documents), list(numbers), view.sight.workspace, view.sight.workspace],
    )
    return [_link(row) for row in rows]


def texts(view: View, collection: str, places: Collection[tuple[str, str | None]]) -> list[Chunk]:
    """The visible chunks of a collection that touch these (document, section) places; section None: all of
    the document. By document, edition and position."""
    if not places:
        return []
    documents, numbers = zip(*sorted(places, key=lambda place: (place[0], place[1] or "")), strict=True)
    rows = view.connection.execute(
        """select m.id from memory m where m.workspace = %s and m.kind = 'chunk' and m.collection = %s
           and exists (select from unnest(%s::text[], %s::text[]) as p (document, section)
                       where p.document = m.document
                             and (p.section is null or m.labels->'sections' ? p.section))
           order by m.document collate "C", m.edition collate "C", m.ordinal""",
        [view.sight.workspace, collection, list(documents), list(numbers)],
    ).fetchall()
    return list(fetch(view, [key for (key,) in rows]).values())


def _row(link: Link) -> dict[str, Any]:
    return {
        "id": link.id,
        "kind": link.kind,
        "source_document": link.source_document,
        "source_edition": link.source_edition,
        "source_section": link.source_section,
        "target_document": link.target_document,
        "target_section": link.target_section,
        "said_on": link.said_on.isoformat(),
        "valid_from": link.valid_from.isoformat(),
        "valid_to": link.valid_to.isoformat() if link.valid_to else None,
        "evidence": link.evidence,
        "named_by": link.named_by,
        "old_value": link.old,
        "new_value": link.new,
        "confidence": link.confidence,
        "proposed_by": link.by,
    }


def _link(row: Sequence[Any]) -> Link:
    values = [*row[:14], round(float(row[14]), 2), row[15]]
    return Link(*values)
