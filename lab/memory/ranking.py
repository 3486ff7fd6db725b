"""Step 4 of the read path: which paths and memories answer the question. Pure; weights chosen on dev
questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from lab.memory.anchors import Anchor
from lab.memory.gather import Found
from lab.memory.names import tokens
from lab.memory.paths import Path
from lab.memory.vocabulary import ATTRIBUTES, WORDS, Asked, alike, readings
from lab.text import fold

FIRST, BEST, PATHS = 2, 4, 6
"""Paths written out before the best memories; those memories; paths in all."""
COVER, CONCEPTS, COSINE, HOP, DETOUR, PERIOD, NEWEST, NAMED, NEAR = (
    2.0,
    1.5,
    1.0,
    0.2,
    0.4,
    1.0,
    0.8,
    0.6,
    0.5,
)
"""DETOUR: for each node on the way of a type that was not asked for, and each turn to a sibling (a relation
taken there and back)."""
TOLD, NUMBER, STRANGE = 0.6, 1.0, 0.7
"""TOLD: said by or about a node that was reached; NUMBER: the words have the name or number of a named
anchor;
STRANGE: off for what was found by search alone where the question names somebody."""
EVENTS = ("order", "invoice", "payment", "ticket")
"""Types whose records have a day of their own, for periods and "the latest"."""
CLEAR = 0.15
"""By how much one of many must be more like the question for the others to be left."""
TURNS = ("ticket", "order", "invoice", "payment")
"""The order in which one event follows from another, for questions that go on from one of many."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """Paths with the memories of all their nodes, and every memory, best first."""

    paths: tuple[tuple[Path, tuple[Found, ...]], ...]
    rest: tuple[Found, ...]


def promising(walked: Sequence[Path], wish: Asked, limit: int) -> list[Path]:
    """The `limit` paths that meet most of the asked types over the fewest hops; anchors and their neighbours
    first."""
    if len(walked) <= limit:
        return list(walked)
    order = sorted(
        range(len(walked)),
        key=lambda at: (
            len(walked[at].hops) > 1,
            len(walked[at].hops) - 2 * len(set(wish.types) & set(walked[at].types)),
            at,
        ),
    )
    return [walked[at] for at in sorted(order[:limit])]


@dataclass(frozen=True, slots=True)
class Concepts:
    """What is looked for in a memory's words: asked attributes in either language, and words of the question
    that are neither a type nor the name of an anchor."""

    attributes: tuple[int, ...]
    words: tuple[tuple[str, ...], ...]
    """Of each word the beginnings that say the same."""
    whole: frozenset[str] = frozenset()
    """These words as they were asked."""

    def __len__(self) -> int:
        return 2 * len(self.attributes) + len(self.words)

    def met(self, content: str) -> frozenset[str]:
        """The met ones; an attribute counts twice."""
        folded = fold(content)
        found = {
            f"{number}/{twice}"
            for number in self.attributes
            if ATTRIBUTES[number].search(folded)
            for twice in (1, 2)
        }
        if self.words:
            stems = {token[:5] for token in map(fold, tokens(content))}
            found |= {word[0] for word in self.words if any(stem.startswith(word) for stem in stems)}
        return frozenset(found)


def concepts_of(wish: Asked, starts: Sequence[Anchor]) -> Concepts:
    """The question's attributes and other words."""
    names = {word for anchor in starts for word in anchor.words}
    words = [
        word
        for word in wish.words
        if word not in names and len(word) > 2 and not any(reading in WORDS for reading in readings(word))
    ]
    free = [word for word in words if not any(ATTRIBUTES[number].search(word) for number in wish.attributes)]
    return Concepts(wish.attributes, tuple(dict.fromkeys(map(alike, free))), frozenset(free))


def rank(
    wish: Asked,
    walked: Sequence[Path],
    found: Sequence[Found],
    near: Mapping[str, float],
    spans: Sequence[tuple[date, date]],
    *,
    named: Sequence[Anchor],
    newest: bool = True,
    concepts: bool = True,
) -> Ranked:
    """Paths by: asked types on them, the question's concepts in the memories of all their nodes, likeness
    of the
    end, other named anchors on the way, the period, the newest of a kind, few hops. Memories by likeness and
    concepts; those that have ended come after the others of their record."""
    looked = concepts_of(wish, named) if concepts else Concepts((), ())
    met = {item.id: looked.met(item.content) for item in found}
    size = max(1, len(looked))
    of_node: dict[int, list[Found]] = {}
    for item in found:
        if item.node is not None and item.subject:
            of_node.setdefault(item.node, []).append(item)
    wanted = set(wish.types)
    wishes = len(wanted) + len(wish.relations)
    starts = {anchor.entity for anchor in named}
    spelled = tuple(fold(anchor.name) for anchor in named)
    latest = _latest(walked, wish) if newest else set()

    def records(path: Path) -> tuple[Found, ...]:
        chosen: list[Found] = []
        for node in path.nodes:
            own = of_node.get(node, [])
            # An entity may have several records (a customer's limit): the one that meets the question most.
            chosen += sorted(own, key=lambda item: (item.ended, -len(met[item.id]), -len(item.content)))[:1]
        return tuple(chosen)

    def value(path: Path, items: tuple[Found, ...]) -> float:
        worth = -HOP * len(path.hops)
        worth -= DETOUR * sum(kind not in wanted for kind in path.types[1:-1])
        worth -= DETOUR * sum(
            one.relation == other.relation and one.outward != other.outward
            for one, other in pairwise(path.hops)
        )
        if wishes:
            gone = {hop.relation for hop in path.hops}
            fulfilled = len(wanted & set(path.types)) + sum(
                bool(gone & set(group)) for group in wish.relations
            )
            worth += COVER * fulfilled / wishes
        worth += CONCEPTS * len(frozenset().union(*(met[item.id] for item in items))) / size if items else 0
        if items and items[-1].node == path.nodes[-1]:
            worth += COSINE * items[-1].cosine + NEAR * near.get(items[-1].id, 0.0)
        worth += NAMED * (len(starts & set(path.nodes)) - 1)
        if spans and path.hops:
            dated = [hop.since for hop in path.hops if hop.type in EVENTS]
            first = [hop.since for hop in path.hops if hop.type == (wish.types or ("",))[0]] or dated[:1]
            worth += PERIOD * (1 if any(_within(day, spans) for day in first) else -1 if first else 0)
        return worth + NEWEST * len(latest & set(path.nodes))

    with_records = [(path, records(path)) for path in walked]
    ordered = sorted(
        ((value(path, items), at, path, items) for at, (path, items) in enumerate(with_records)),
        key=lambda entry: (-entry[0], entry[1]),
    )
    path_worth = {path.nodes[-1]: worth for worth, _, path, _ in ordered}
    best = max(path_worth.values(), default=1.0)

    def worth_of(item: Found) -> float:
        worth = COSINE * item.cosine + CONCEPTS * len(met[item.id]) / size + NEAR * near.get(item.id, 0.0)
        if item.node is None and starts and not item.names(spelled):
            worth -= STRANGE
        if item.kind != "record":
            worth += NUMBER * item.names(spelled) + TOLD * (item.node is not None)
        if item.node is not None:
            worth += 0.5 * path_worth.get(item.node, 0.0) / max(best, 0.1)
        if spans:
            worth += 0.3 * _within(item.start, spans)
        return worth - (1.0 if item.ended else 0.0)

    unique: dict[str, tuple[float, Found]] = {}
    for item in found:
        if item.id not in unique or worth_of(item) > unique[item.id][0]:
            unique[item.id] = worth_of(item), item
    rest = [item for _, item in sorted(unique.values(), key=lambda pair: (-pair[0], pair[1].id))]
    return Ranked(tuple((path, items) for _, _, path, items in ordered if items), tuple(rest))


def turn(
    wish: Asked,
    walked: Sequence[Path],
    found: Sequence[Found],
    spans: Sequence[tuple[date, date]],
    named: Sequence[Anchor],
    newest: bool,
) -> list[Path]:
    """Where the walk should set out anew: the question means one of many neighbours of an anchor (the
    complaint
    about a dead motor, the latest order) and asks for what lies behind it. At most two; [] where a number
    names
    it, or nothing lies behind."""
    kinds = [kind for kind in TURNS if kind in wish.types]
    if len(kinds) < 2 or any(anchor.type in EVENTS for anchor in named):
        return []
    kind = kinds[0]
    near = [path for path in walked if len(path.hops) == 1 and path.types[-1] == kind]
    if spans:
        near = [path for path in near if _within(path.hops[-1].since, spans)] or near
    if newest:
        return sorted(near, key=lambda path: path.hops[-1].since, reverse=True)[:1]
    looked = concepts_of(wish, named)
    likeness = {
        item.node: len(looked.met(item.content)) / max(1, len(looked)) + item.cosine
        for item in found
        if item.subject
    }
    order = sorted(near, key=lambda path: -likeness.get(path.nodes[-1], 0.0))[:2]
    scores = [likeness.get(path.nodes[-1], 0.0) for path in order]
    return order[:1] if len(order) == 2 and scores[0] - scores[1] >= CLEAR else order


def _latest(walked: Sequence[Path], wish: Asked) -> set[int]:
    """The node of the first asked event type that has the latest day, of each anchor."""
    kinds = [kind for kind in wish.types if kind in EVENTS]
    best: dict[tuple[int, str], tuple[date, int]] = {}
    for path in walked:
        if path.hops and len(path.hops) == 1 and path.hops[0].type in kinds:
            hop = path.hops[0]
            key = path.start.entity, hop.type
            best[key] = max(best.get(key, (date.min, 0)), (hop.since, hop.node))
    return {node for _, node in best.values()}


def _within(day: date, spans: Sequence[tuple[date, date]]) -> bool:
    return any(start <= day < end for start, end in spans)
