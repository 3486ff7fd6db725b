"""A read path as the leak test asks it, and how what it returned is judged.

A path is judged by what it gives: its text (any planted value in it), the ids of memories, links and pages,
the entities, and a number larger than what there is to be seen."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from lab.benchmarks.leaks.oracle import Eyes, Seen, World
from lab.benchmarks.leaks.planted import HERE, TODAY, Keys, Secret
from lab.kinds import Sight
from lab.memory.mind import Mind
from lab.memory.server import Server
from lab.memory.visibility import Connection, View, looking
from lab.models.embedders import Embedder
from lab.rag.engine import Engine

STORES = ("record", "page", "link", "mind")
_VALUE = re.compile(r"\d{1,3}(?:\.\d{3})*,\d\d|Z[KM]\d{6}")
_ID = re.compile(r"mem_[0-9a-f]{16,20}\b|lnk_\w+|(?:fixed-300|section|unit):[\w.-]+@[\w.-]+#[\w.]+/\d+")
_PAGE = re.compile(r"([\w-]+)@2026#")


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks; `secret` opens `opens`."""

    name: str
    sight: Sight
    secret: str = ""
    opens: frozenset[str] = frozenset()

    @property
    def eyes(self) -> Eyes:
        sight = self.sight
        return Eyes(sight.workspace, sight.roles, sight.member, sight.as_of, sight.known_at, self.opens)

    @property
    def role(self) -> str:
        return min(self.sight.roles, default="")


@dataclass(frozen=True, slots=True)
class Target:
    """A planted secret in one of STORES: where it stands there."""

    secret: Secret
    store: str
    ids: tuple[str, ...]
    """Of memories, of chunks (`section` first) or of links."""
    serials: tuple[int, ...] = ()
    entity: int | None = None
    """What the record describes."""
    near: int | None = None
    """An entity next to it."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a path gave away. `entities`: serials; `excess`: by how many a count exceeds what may be seen;
    `found`: whether the asker got what he asked for, where text and ids do not show it."""

    text: str = ""
    entities: frozenset[int] = frozenset()
    excess: int = 0
    found: bool | None = None
    due: bool | None = None
    """Whether he should have got something, where the secret alone does not say."""


@dataclass(frozen=True)
class Place:
    """A planted database, and all that is needed to ask it."""

    server: Server
    read: Connection
    engine: Engine
    world: World
    workspace: str
    targets: tuple[Target, ...]
    embedder: Embedder
    keys: Keys
    minds: Mapping[str, Mind] = field(default_factory=dict)
    """By secret; opened before some of the secrets were revoked."""

    def vector(self, text: str) -> np.ndarray:
        vector: np.ndarray = self.embedder.queries([text])[0]
        return vector

    def seen(self, eyes: Eyes) -> Seen:
        """What these may see, computed once."""
        if eyes not in self._seen:
            self._seen[eyes] = Seen(self.world, eyes)
        return self._seen[eyes]

    @cached_property
    def _seen(self) -> dict[Eyes, Seen]:
        return {}

    @cached_property
    def holders(self) -> Mapping[str, frozenset[int]]:
        """Planted value → memories whose words hold it, of every workspace."""
        values = {target.secret.value for target in self.targets}
        found: dict[str, set[int]] = {value: set() for value in values}
        for serial, memory in self.world.memories.items():
            for value in _VALUE.findall(memory.content):
                if value in found:
                    found[value].add(serial)
        return {value: frozenset(serials) for value, serials in found.items()}

    def of(self, *stores: str) -> list[Target]:
        return [target for target in self.targets if target.store in stores]

    @contextmanager
    def looking(self, asker: Asker) -> Iterator[View]:
        with looking(self.read, asker.sight, asker.secret) as view:
            yield view


@dataclass(frozen=True, slots=True)
class Case:
    """One question: who asks whom for what."""

    place: Place
    asker: Asker
    target: Target

    @property
    def seen(self) -> Seen:
        """What the oracle lets the asker see."""
        return self.place.seen(self.asker.eyes)

    @property
    def question(self) -> str:
        """In one language or the other, the same each time."""
        asked = self.target.secret.questions
        return asked[len(self.target.secret.value + self.asker.name) % len(asked)]

    @property
    def vector(self) -> np.ndarray:
        """The hidden memory's own: nothing can be nearer."""
        return self.place.vector(self.words)

    @property
    def words(self) -> str:
        """The hidden memory's own words."""
        return self.place.world.memories[self.target.serials[0]].content


Ask = Callable[[Case], object]


@dataclass(frozen=True, slots=True)
class Way:
    """A read path. `covers`: the functions it asks, as `discovery.reads` names them. `stores`: where it
    reads, and so which secrets it is asked for. `once`: it lists all it sees, and is asked once an asker."""

    name: str
    covers: tuple[str, ...]
    stores: tuple[str, ...]
    ask: Ask
    once: bool = False
    kinds: tuple[str, ...] = ("invoice", "salary", "limit", "note")
    each: int = 0
    """Secrets of each kind that it is asked for, where a run's own number is too many; 0: the run's."""
    every: bool = False
    """Asked for every secret by the asker who may see least of them."""
    days: bool = True
    """False: it looks across all days, as the rungs below the editions do."""
    open_by_design: bool = False
    """It reads with rights of its own: its leaks are shown, and must be seen, but are not counted."""

    by_role: bool = False
    """It takes the name of a role and no person, credential or moment: only who is a role can ask it."""
    today: bool = False
    """It takes no day either."""

    def takes(self, asker: Asker) -> bool:
        """Whether this asker can ask it at all."""
        sight = asker.sight
        return not self.by_role or (
            len(sight.roles) == 1
            and (sight.member, asker.secret, sight.known_at, sight.workspace) == (None, "", None, HERE)
            and (not self.today or sight.as_of == TODAY)
        )

    def eyes(self, asker: Asker) -> Eyes:
        """With what the oracle judges it."""
        return asker.eyes if self.days else replace(asker.eyes, day=None)


@dataclass(frozen=True, slots=True)
class Verdict:
    """`leaks`: what was told and should not have been. `due`: whether the asker should have got the secret;
    `got`: whether he did."""

    leaks: tuple[str, ...]
    due: bool
    got: bool


def viewed(ask: Callable[[View, Case], object]) -> Ask:
    """A path that takes a view, asked with the asker's."""

    def asked(case: Case) -> object:
        with case.place.looking(case.asker) as view:
            return ask(view, case)

    return asked


def told(found: object) -> Told:
    """Anything a path returned, as text: dataclasses and containers show all they hold."""
    return found if isinstance(found, Told) else Told(repr(found))


def judge(place: Place, seen: Seen, target: Target, given: Told) -> Verdict:
    """Values, ids, pages, entities and counts against what the oracle lets `seen` see."""
    values = {value for value in _VALUE.findall(given.text) if value in place.holders}
    ids = set(_ID.findall(given.text))
    leaks = [f"value {value}" for value in values if not place.holders[value] & seen.memories]
    leaks += [f"id {key}" for key in ids - seen.ids - seen.links]
    pages = {document.id for document in seen.documents}
    if not any(key.startswith(("fixed", "section", "unit")) for key in ids):  # else judged by the ids
        leaks += [f"page {page}" for page in set(_PAGE.findall(given.text)) - pages]
    leaks += [f"entity {place.world.entities[e][1]}" for e in given.entities - seen.entities]
    if given.excess > 0:
        leaks.append(f"{given.excess} too many")
    due = entitled(seen, target) if given.due is None else given.due
    if given.found is not None:
        got = given.found
    else:
        got = target.secret.value in values or bool(ids & set(target.ids)) or target.entity in given.entities
    return Verdict(tuple(sorted(leaks)), due, got)


def entitled(seen: Seen, target: Target) -> bool:
    """Whether the oracle lets them see it where it stands."""
    return any(key in seen.ids or key in seen.links for key in target.ids)


def sampled(targets: Sequence[Target], kinds: Sequence[str], each: int) -> list[Target]:
    """At most `each` of a kind, spread evenly: the same ones each time."""
    found: list[Target] = []
    for kind in kinds:
        own = [target for target in targets if target.secret.kind == kind]
        step = max(1, len(own) // each) if each else 1
        found += own[::step][:each]
    return found
