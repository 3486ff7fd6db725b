"""Random worlds: rights, records, private facts and edges, both axes of time. Each is stored in a workspace
of its own and looked at with random eyes; what is seen must be what the oracle says, path by path."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Set
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from random import Random
from typing import Any

import numpy as np

from lab.benchmarks.leaks import snapshot
from lab.benchmarks.leaks.hashed import Hashed
from lab.benchmarks.leaks.oracle import Eyes, Seen, World
from lab.kinds import Sight
from lab.memory import anchors, gather, paths, recall, records, search, write
from lab.memory.anchors import Anchor
from lab.memory.records import COLLECTION, Entity, Link, Record
from lab.memory.server import Server
from lab.memory.visibility import Connection, View, looking

MODULES = ("all", "finance", "hr")
ROLES = ("clerk", "boss")
MEMBERS = ("ada", "bora")
DAYS = tuple(date(2026, month, 1) for month in (1, 3, 5))
"""Days on which something may begin or end, and on which it is looked at."""
THINGS = 4


@dataclass(frozen=True, slots=True)
class Fact:
    """A record about one thing, perhaps with a relation to another. Numbers point into MODULES, MEMBERS and
    DAYS; None: of everybody, or open."""

    about: int
    module: int
    owner: int | None = None
    start: int = 0
    end: int | None = None
    other: int | None = None
    edge_module: int | None = None
    edge_private: bool = False
    fate: str = ""
    """One of FATES: what happens to it after it was stored."""


FATES: Mapping[str, str] = {
    "": "",
    "expired": "update memory set expires_at = now() - interval '1 day' where {}",
    "expires": "update memory set expires_at = now() + interval '1 day' where {}",
    "superseded": "update memory set superseded_at = now() - interval '10 days' where {}",
    "late": "update memory set recorded_at = now() - interval '5 days' where {}",
    "closed": "update memory set valid_to = '2026-02-01', closed_at = now() - interval '5 days' where {}",
    "edge superseded": "update edge set superseded_at = now() - interval '10 days' where {}",
    "edge closed": "update edge set valid_to = '2026-02-01', closed_at = now() - interval '5 days' where {}",
    "edge late": "update edge set recorded_at = now() - interval '5 days' where {}",
    "edge own": "update edge set visibility = 'private', owner = 'ada' where {}",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """A world to be: which role reads which modules, and the facts."""

    rights: tuple[frozenset[int], ...]
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """Eyes on a world. `known`: days ago; None: all that is known by now."""

    roles: frozenset[int]
    member: int | None
    day: int | None
    known: int | None
    elsewhere: bool = False


def drawn(seed: int) -> tuple[Plan, tuple[Look, ...]]:
    """A world and who looks at it; the same for the same seed."""
    random = Random(seed)

    def maybe(size: int) -> int | None:
        return random.randrange(size) if random.random() < 0.6 else None

    def some(size: int) -> frozenset[int]:
        return frozenset(number for number in range(size) if random.random() < 0.6)

    facts = [
        Fact(
            random.randrange(THINGS), random.randrange(len(MODULES)), maybe(len(MEMBERS)),
            random.randrange(2), maybe(len(DAYS)), maybe(THINGS), maybe(len(MODULES)), random.random() < 0.5,
            random.choice(list(FATES)),
        )
        for _ in range(random.randint(1, 7))
    ]  # fmt: skip
    looks = [
        Look(
            some(len(ROLES)), maybe(len(MEMBERS)), maybe(len(DAYS)),
            random.choice([None, None, 1, 7, 15, 25]), random.random() < 0.1,
        )
        for _ in range(3)
    ]  # fmt: skip
    return Plan(tuple(some(len(MODULES)) for _ in ROLES), tuple(facts)), tuple(looks)


def things() -> list[Entity]:
    """What the facts are about."""
    return [Entity(f"thing:{number}", "thing", f"Ting{number}{'abcd'[number]}") for number in range(THINGS)]


def differences(
    server: Server, admin: Connection, reader: Connection, name: str, plan: Plan, looks: tuple[Look, ...]
) -> list[str]:
    """What somebody sees too much or too little of, in words; empty where database and oracle agree. `admin`:
    a superuser's connection; `name`: of a workspace that is new."""
    _store(server, admin, name, plan)
    world = snapshot.taken(admin, name)
    admin.commit()
    found: list[str] = []
    for look in looks:
        sight = _sight(look, name, world.now)
        seen = Seen(world, Eyes(sight.workspace, sight.roles, sight.member, sight.as_of, sight.known_at))
        with looking(reader, sight) as view:
            found += [f"{look}: {wrong}" for wrong in _wrong(view, world, seen)]
        found += [f"{look}: {wrong}" for wrong in _recalled(reader, sight, world, seen)]
    return found


def _store(server: Server, admin: Connection, name: str, plan: Plan) -> None:
    for role, modules in zip(ROLES, plan.rights, strict=False):
        write.allow(server, name, role, {MODULES[number] for number in modules})
    listed = things()
    stored = [_record(number, fact, listed) for number, fact in enumerate(plan.facts)]
    records.sync(server, stored, workspace=name, embedders=[Hashed()])
    admin.execute("update memory set recorded_at = now() - interval '20 days' where workspace = %s", [name])
    admin.execute("update edge set recorded_at = now() - interval '20 days' where workspace = %s", [name])
    for number, fact in enumerate(plan.facts):
        if fact.fate:
            where = "workspace = %s and document = %s"
            if fact.fate.startswith("edge"):
                where = "evidence in (select serial from memory where workspace = %s and document = %s)"
            admin.execute(FATES[fact.fate].format(where).encode(), [name, f"w/{number}"])
    admin.commit()


def _record(number: int, fact: Fact, listed: list[Entity]) -> Record:
    owner = None if fact.owner is None else MEMBERS[fact.owner]
    links: tuple[Link, ...] = ()
    if fact.other is not None and fact.other != fact.about:
        module = None if fact.edge_module is None else MODULES[fact.edge_module]
        private = fact.edge_private and owner is not None
        links = (Link("near", listed[fact.other], module=module, private=private),)
    start = DAYS[fact.start]
    end = None if fact.end is None or DAYS[fact.end] <= start else DAYS[fact.end]
    return Record(
        "w", str(number), datetime(2026, 1, 1).astimezone() + timedelta(hours=number), MODULES[fact.module],
        f"{listed[fact.about].name} fact zirkon{number}.", "en", listed[fact.about], links,
        valid_from=start, valid_to=end, owner=owner,
    )  # fmt: skip


def _sight(look: Look, name: str, now: datetime) -> Sight:
    return Sight(
        frozenset(ROLES[number] for number in look.roles),
        None if look.day is None else DAYS[look.day],
        None if look.member is None else MEMBERS[look.member],
        f"{name}-elsewhere" if look.elsewhere else name,
        None if look.known is None else now - timedelta(days=look.known),
    )


def _wrong(view: View, world: World, seen: Seen) -> list[str]:
    """Every read of the core that takes a view."""
    embedder, memories = Hashed(), world.memories
    ids = {one.id for one in memories.values()}
    by_id = {one.id: one.content for one in memories.values()}
    entities = seen.entities
    pairs: dict[str, tuple[Set[Any], Set[Any]]] = {
        "memory": (_serials(view, "memory"), seen.memories),
        "entity": (_serials(view, "entity"), entities),
        "edge": (_serials(view, "edge"), {edge.serial for edge in seen.edges}),
        "count": ({search.count(view, COLLECTION)}, {len(seen.memories)}),
        "fetch_found": (_found(view, ids), seen.ids),
    }
    vector = embedder.queries(["fact"])[0]
    pairs["by_vector"] = (
        {key for key, _ in search.by_vector(view, embedder.space, vector, None, COLLECTION)}, seen.ids,
    )  # fmt: skip
    words = {key for key, _ in search.by_words(view, "fact", "en", None, COLLECTION)}
    pairs["by_words"] = (words, seen.ids)
    pairs["vectors"] = (set(search.vectors(view, embedder.space, list(ids))), seen.ids)
    pairs["hybrid"] = (set(recall.hybrid(view, "fact", embedder.space, vector)), seen.ids)
    names = {one.entity for name in _names(world) for one in anchors.anchors(view, name)}
    pairs["anchors"] = (names, entities)
    for serial in world.entities:
        walked = paths.paths(view, [Anchor(serial, "", "thing", "", "exact", 1.0)], (), (), fan=10_000)
        reached = {node for path in walked for node in path.nodes}
        if serial in entities:
            pairs[f"paths from {serial}"] = (reached | {serial}, seen.reach([serial], paths.HOPS))
        elif reached - {serial}:
            pairs[f"paths from the hidden {serial}"] = (reached, set())
        told = {one.id for one in gather.gather(view, walked, embedder.space, vector)}
        pairs[f"gather from {serial}"] = (told - seen.ids, set())
    return [
        f"{name}: too much {sorted(map(str, got - may))}, too little {sorted(map(str, may - got))} of {by_id}"
        for name, (got, may) in pairs.items()
        if got != may
    ]


def _recalled(reader: Connection, sight: Sight, world: World, seen: Seen) -> list[str]:
    embedder = Hashed()
    question = " ".join(sorted(_names(world)))
    vector: np.ndarray = embedder.queries([question])[0]
    found = recall.recall(reader, sight, question, embedder.space, vector, today=DAYS[-1])
    got = {memory.id for memory in found.memories}
    nodes = {node for path in found.walked for node in path.nodes} | {one.entity for one in found.anchors}
    told = {one.content for one in world.memories.values() if one.content in found.text}
    may = {world.memories[serial].content for serial in seen.memories}
    return [
        f"recall: {what}"
        for what in itertools.chain(got - seen.ids, map(str, nodes - seen.entities), told - may)
    ]


def _serials(view: View, table: str) -> set[int]:
    rows = view.connection.execute(f"select serial from {table}".encode()).fetchall()
    return {serial for (serial,) in rows}


def _found(view: View, ids: set[str]) -> set[str]:
    embedder = Hashed()
    near = dict.fromkeys(ids, 1.0)
    vector = embedder.queries(["fact"])[0]
    return {one.id for one in gather.fetch_found(view, near, (), embedder.space, vector)}


def _names(world: World) -> set[str]:
    return {
        f"Ting{number}{'abcd'[number]}" for number in range(THINGS)
        if any(key == f"thing:{number}" for _, key in world.entities.values())
    }  # fmt: skip
