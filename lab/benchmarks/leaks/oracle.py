"""Who may see what, said a second time in plain Python: the examiner's own rule.

Nothing here knows the database's policies or how they are told who looks; a mistake in one of the two is
seen by the other. Everything is a value: what there is (`World`), who looks (`Eyes`), and what follows
(`Seen`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property

OF_A_MIND = "mind:"
"""Beginning of the module of a mind's memories, and of the role that reads it."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Whatever is remembered. `private` ones are their owner's alone; `ended_at`: since when the end of its
    validity is known."""

    serial: int
    workspace: str
    id: str
    kind: str
    collection: str
    module: str
    private: bool
    owner: str | None
    valid_from: date
    valid_to: date | None
    recorded_at: datetime
    superseded_at: datetime | None
    ended_at: datetime | None
    expires_at: datetime | None
    content: str = ""
    parent: str | None = None
    mind: str | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """`source` –relation→ `target`, told by the memory `evidence`."""

    serial: int
    workspace: str
    source: int
    relation: str
    target: int
    evidence: int
    module: str
    private: bool
    owner: str | None
    valid_from: date
    valid_to: date | None
    recorded_at: datetime
    superseded_at: datetime | None
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class Document:
    """One edition of a document."""

    workspace: str
    id: str
    edition: str
    module: str
    valid_from: date
    valid_to: date | None
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Link:
    """A document's edition changes another document."""

    workspace: str
    id: str
    source: str
    edition: str
    target: str
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class World:
    """All there is, of every workspace, at the moment `now`."""

    now: datetime
    rights: frozenset[tuple[str, str, str]]
    """(workspace, role, module it reads)."""
    memories: Mapping[int, Memory]
    entities: Mapping[int, tuple[str, str]]
    """Serial → (workspace, id)."""
    mentions: frozenset[tuple[int, int]]
    """(memory, entity)."""
    edges: tuple[Edge, ...] = ()
    documents: tuple[Document, ...] = ()
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Eyes:
    """Who looks, at which moment. `day` None: across all days. `known` None: with all that is known by now.
    `opens`: the minds of the credential that was shown."""

    workspace: str
    roles: frozenset[str]
    member: str | None = None
    day: date | None = None
    known: datetime | None = None
    opens: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Seen:
    """What of a world somebody may see."""

    world: World
    eyes: Eyes

    @cached_property
    def modules(self) -> frozenset[str]:
        """What the roles read here; a mind's module only with a key to the mind, whatever role is named."""
        own = {
            module
            for workspace, role, module in self.world.rights
            if workspace == self.eyes.workspace and role in self.eyes.roles
        }
        return frozenset(
            module
            for module in own
            if not module.startswith(OF_A_MIND) or module.removeprefix(OF_A_MIND) in self.eyes.opens
        )

    @cached_property
    def memories(self) -> frozenset[int]:
        """Serials: of the workspace, in a readable module, nobody else's private one, not expired, and of the
        asked time on both axes."""
        return frozenset(
            serial
            for serial, memory in self.world.memories.items()
            if self._open(memory)
            and (memory.expires_at is None or memory.expires_at > self.world.now)
            and self._then(memory)
        )

    @cached_property
    def ids(self) -> frozenset[str]:
        return frozenset(self.world.memories[serial].id for serial in self.memories)

    @cached_property
    def entities(self) -> frozenset[int]:
        """What a visible memory speaks of; what only hidden ones know is not there."""
        return frozenset(
            entity
            for memory, entity in self.world.mentions
            if memory in self.memories and self.world.entities[entity][0] == self.eyes.workspace
        )

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """Readable, nobody else's private one, of the asked time, both ends visible, and so is what tells
        it."""
        return tuple(
            edge
            for edge in self.world.edges
            if self._open(edge)
            and self._then(edge)
            and {edge.source, edge.target} <= self.entities
            and edge.evidence in self.memories
        )

    @cached_property
    def documents(self) -> tuple[Document, ...]:
        return tuple(
            document
            for document in self.world.documents
            if document.workspace == self.eyes.workspace
            and document.module in self.modules
            and self._known(document.recorded_at)
            and self._valid(document.valid_from, document.valid_to)
        )

    @cached_property
    def links(self) -> frozenset[str]:
        """Ids: both ends are documents in sight."""
        editions = {(document.id, document.edition) for document in self.documents}
        names = {document.id for document in self.documents}
        return frozenset(
            link.id
            for link in self.world.links
            if link.workspace == self.eyes.workspace
            and self._known(link.recorded_at)
            and (link.source, link.edition) in editions
            and link.target in names
        )

    @cached_property
    def neighbours(self) -> Mapping[int, frozenset[int]]:
        """Entity → those one step away, whichever way the edge points."""
        found: dict[int, set[int]] = defaultdict(set)
        for edge in self.edges:
            found[edge.source].add(edge.target)
            found[edge.target].add(edge.source)
        return {entity: frozenset(others) for entity, others in found.items()}

    def reach(self, starts: Iterable[int], hops: int) -> frozenset[int]:
        """Entities at most `hops` steps from the visible ones of `starts`, these included."""
        reached = edge = set(starts) & self.entities
        for _ in range(hops):
            edge = {other for entity in edge for other in self.neighbours.get(entity, ())} - reached
            reached = reached | edge
        return frozenset(reached)

    def _open(self, item: Memory | Edge) -> bool:
        return (
            item.workspace == self.eyes.workspace
            and item.module in self.modules
            and (not item.private or (item.owner is not None and item.owner == self.eyes.member))
        )

    def _then(self, item: Memory | Edge) -> bool:
        known = self.eyes.known
        if not self._known(item.recorded_at):
            return False
        if item.superseded_at is not None and (known is None or item.superseded_at <= known):
            return False
        # An end that became known later was not known then: it still held, as far as anybody knew.
        ended = not (item.ended_at is not None and known is not None and item.ended_at > known)
        return self._valid(item.valid_from, item.valid_to if ended else None)

    def _known(self, recorded: datetime) -> bool:
        return self.eyes.known is None or recorded <= self.eyes.known

    def _valid(self, first: date, end: date | None) -> bool:
        day = self.eyes.day
        return day is None or (first <= day and (end is None or day < end))
