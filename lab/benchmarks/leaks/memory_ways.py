"""The read paths of the memory core, each asked the hardest way: with the very ids, words and vector of what
is hidden."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from operator import itemgetter
from typing import Any

from lab.benchmarks.leaks.planted import HERE, TODAY
from lab.benchmarks.leaks.ways import Ask, Case, Told, Way, viewed
from lab.kinds import LabError
from lab.memory import anchors, audit, gather, links, mind_reads, paths, recall, search, talk
from lab.memory.anchors import Anchor
from lab.memory.mind import Mind
from lab.memory.records import COLLECTION
from lab.memory.visibility import View

COLLECTIONS = {
    "record": (COLLECTION,),
    "page": ("section", "unit", "fixed-300"),
    "mind": (mind_reads.COLLECTION,),
}
READABLE = (
    "role_module", "document", "memory", "memory_vector", "posting", "lexeme_df", "module_size", "link",
    "mind", "entity", "entity_name", "mention", "name_gram", "edge", "edge_degree",
)  # fmt: skip
"""Tables that the reading role may select from and that hold rows of somebody."""
EVENTS = ("invoice", "note")
"""Kinds whose memories or entities are hidden as a whole; an employee's name is known to all."""


def _collections(case: Case) -> tuple[str, ...]:
    return COLLECTIONS[case.target.store]


def _by_vector(view: View, case: Case) -> object:
    return [
        search.by_vector(view, case.place.embedder.space, case.vector, k, name)
        for name in _collections(case)
        for k in (3, 30)
    ]


def _by_vectors(view: View, case: Case) -> object:
    space, query = case.place.embedder.space, case.vector
    return [
        (near.scores, near.parents)
        for name in _collections(case)
        for k in (5, 500)
        for near in (search.by_vectors(view, space, [query, -query], k, name),)
    ]


def _by_talk(view: View, case: Case) -> object:
    near = [(case.place.embedder.space, case.vector)]
    return [
        talk.by_talk(view, text, near, "und", 20, name)
        for name in _collections(case)
        for text in (case.question, case.words)
    ]


def _by_words(view: View, case: Case) -> object:
    return [
        search.by_words(view, text, language, 20, name)
        for name in _collections(case)
        for text, language in ((case.question, "tr"), (case.words, "und"))
    ]


def _counted(count: Callable[[View, str], int]) -> Ask:
    """A count per collection, against the oracle's."""

    def ask(view: View, case: Case) -> Told:
        excess, found = 0, False
        for name in _collections(case):
            memories = case.place.world.memories
            may = sum(memories[serial].collection == name for serial in case.seen.memories)
            given = count(view, name)
            excess += max(0, given - may)
            found = found or given == may > 0
        return Told(excess=excess, found=found)

    return viewed(ask)


def _listed(view: View, case: Case) -> object:
    return [search.all_chunks(view, name) for name in COLLECTIONS["page"]]


def _parents_of(case: Case) -> list[str]:
    memories = case.place.world.memories
    return [parent for serial in case.target.serials if (parent := memories[serial].parent)]


def _anchored(view: View, case: Case) -> Told:
    about, asked = case.target.secret.about, case.target.secret.questions[:2]
    found = [anchor for text in (*asked, about + "x") for anchor in anchors.anchors(view, text)]
    return Told(repr([anchor.id for anchor in found]), frozenset(anchor.entity for anchor in found))


def _by_meaning(view: View, case: Case) -> Told:
    found = anchors.by_meaning(view, case.target.ids, (), 9)
    return Told(entities=frozenset(anchor.entity for anchor in found))


def _start(entity: int | None) -> Anchor:
    return Anchor(entity or 0, "", "", "", "exact", 1.0)


def _walked(view: View, case: Case) -> Told:
    """From next to the hidden entity, and from itself, as if its number had been guessed."""
    starts = [_start(case.target.near), _start(case.target.entity)]
    found = [
        path
        for start in starts
        for kinds, relations in (((), ()), (("invoice",), (("for_order",),)))
        for path in paths.paths(view, [start], kinds, relations, fan=10_000)
    ]
    reached = [hop for path in found for hop in path.hops]
    return Told(repr([hop.name for hop in reached]), frozenset(hop.node for hop in reached))


def _gathered(view: View, case: Case) -> object:
    walked = [paths.Path(_start(entity)) for entity in (case.target.entity, case.target.near) if entity]
    walked += [
        paths.Path(replace(path.start, type="customer")) for path in walked
    ]  # whose talk is read as well
    return gather.gather(view, walked, case.place.embedder.space, case.vector)


def _fetched(view: View, case: Case) -> object:
    near = dict.fromkeys(case.target.ids, 1.0)
    return gather.fetch_found(view, near, (), case.place.embedder.space, case.vector)


def _hybrid(view: View, case: Case) -> object:
    return recall.hybrid(view, case.words, case.place.embedder.space, case.vector)


def _recalled(case: Case) -> Told:
    place, question = case.place, case.question
    found = recall.recall(
        place.read, case.asker.sight, question, place.embedder.space, place.vector(question), today=TODAY
    )
    nodes = {anchor.entity for anchor in found.anchors}
    nodes |= {hop.node for path in found.paths for hop in path.hops}
    nodes |= {memory.node for memory in found.memories if memory.node is not None}
    return Told(f"{found.text}\n{found.memories!r}\n{[path.text for path in found.paths]}", frozenset(nodes))


def _followed(view: View, case: Case) -> object:
    places = {("closed-round", "1"), ("pay-policy", "2"), ("closed-salary", "1"), ("hint", "1")}
    return links.following(view, places)


def _texts(view: View, case: Case) -> object:
    closed = {f"closed-{kind}" for kind in ("salary", "limit", "invoice", "round")}
    return [links.texts(view, name, {(page, None) for page in closed}) for name in COLLECTIONS["page"]]


def _logged(case: Case) -> object:
    """What the log keeps of an answer: ids of what its asker may see, and the question."""
    place = case.place
    audit.answered(
        place.server, place.read, case.asker.sight, role=case.asker.role, question="?",
        memories=case.target.ids, rung="T3", detail={},
    )  # fmt: skip
    return audit.read(place.server, case.asker.sight.workspace, 1) if case.asker.sight.workspace else []


def _in_mind(ask: Callable[[View, Case, str], object]) -> Ask:
    return viewed(lambda view, case: ask(view, case, case.place.keys.mind))


def _mind_named(view: View, case: Case, mind: str) -> Told:
    name = mind_reads.name_of(view, mind)
    opened = mind in case.asker.opens and case.asker.sight.workspace == HERE
    return Told(excess=int(name is not None and not opened), found=name is not None)


def _mind_counted(view: View, case: Case, mind: str) -> Told:
    memories = case.place.world.memories
    may = sum(memories[serial].mind == mind for serial in case.seen.memories)
    given = max(mind_reads.counts(view, mind))
    return Told(excess=max(0, given - may), found=given == may > 0)


def _mind_searched(view: View, case: Case, mind: str) -> object:
    vectors = case.place.embedder.space, case.vector
    return [mind_reads.search(view, mind, case.words, 9, tag, vectors) for tag in (None, "plan")]


def in_mind_of(ask: Callable[[Mind, Case], object]) -> Ask:
    """An operation of a mind, by whoever holds a key; what is refused tells nothing."""

    def asked(case: Case) -> object:
        mind = case.place.minds.get(case.asker.secret)
        return ask(mind, case) if mind else []

    return lambda case: _refused(asked, case)


def _refused(ask: Ask, case: Case) -> object:
    try:
        return ask(case)
    except LabError as error:
        said = str(error)
        for key in case.target.ids:  # it may repeat what was asked for
            said = said.replace(key, "")
        return Told(said, found=False)


def _got(mind: Mind, case: Case) -> object:
    found = []
    for reference in (case.target.ids[0], "note/plan_0"):
        try:
            found.append(mind.get(reference))
        except LabError:  # names what was asked for
            continue
    return found


def raw(table: str) -> Ask:
    """A bare select: what stands in a table for these eyes, row by row against the oracle."""

    def ask(view: View, case: Case) -> Told:
        cursor = view.connection.execute(f"select * from {table}")  # one of READABLE
        names = [column.name for column in cursor.description or ()]
        rows = [dict(zip(names, row, strict=True)) for row in cursor]
        may, key = _rows(table, case)
        bad = sum(not _open(table, row, case) or (may is not None and key(row) not in may) for row in rows)
        speaks = case.seen.entities if table in _OF_ENTITIES else case.seen.memories
        due = bool(speaks if may is None else may)
        return Told(excess=bad, found=bool(rows) and (may is None or len(rows) - bad == len(may)), due=due)

    return viewed(ask)


Row = dict[str, Any]
_OF_ENTITIES = ("entity_name", "mention", "name_gram", "edge_degree")


def _open(table: str, row: Row, case: Case) -> bool:
    """By the columns that every table has in common. Rows of vectors, postings and mentions know module and
    owner of their memory, not its times: each read of them joins memory."""
    if row["workspace"] != case.asker.sight.workspace:
        return False
    if "module" in row and row["module"] not in case.seen.modules:
        return False
    if table == "entity_name" and row["entity"] not in case.seen.entities:
        return False
    mine = (None, case.asker.sight.member)
    return table not in ("memory_vector", "posting", "mention") or row["owner"] in mine


def _rows(table: str, case: Case) -> tuple[frozenset[Any] | None, Callable[[Row], Any]]:
    """The rows that the oracle lets these eyes see, and what tells them apart; None where it does not say."""
    seen, sight, world = case.seen, case.asker.sight, case.place.world
    match table:
        case "memory":
            return seen.memories, itemgetter("serial")
        case "edge":
            return frozenset(edge.serial for edge in seen.edges), itemgetter("serial")
        case "entity":
            return seen.entities, itemgetter("serial")
        case "link":
            return seen.links, itemgetter("id")
        case "document":
            places = frozenset((page.id, page.edition) for page in seen.documents)
            return places, itemgetter("id", "edition")
        case "mind":
            return case.asker.opens if sight.workspace == HERE else frozenset(), itemgetter("id")
        case "role_module":
            rights = frozenset(
                (role, module)
                for workspace, role, module in world.rights
                if workspace == sight.workspace and role in sight.roles and module in seen.modules
            )
            return rights, itemgetter("role", "module")
        case _:
            return None, itemgetter("workspace")


_SEARCH, _MIND = "lab.memory.search.", "lab.memory.mind_reads."
ANY = ("record", "page", "mind")


def _way(name: str, stores: tuple[str, ...], ask: Ask, **more: object) -> Way:
    return Way(name, (name,), stores, ask, **more)  # type: ignore[arg-type]


WAYS: tuple[Way, ...] = (
    _way(_SEARCH + "by_vector", ANY, viewed(_by_vector)),
    _way(_SEARCH + "by_vectors", ANY, viewed(_by_vectors), each=2),
    _way(_SEARCH + "by_words", ANY, viewed(_by_words)),
    _way("lab.memory.talk.by_talk", ("page",), viewed(_by_talk)),
    _way(_SEARCH + "fetch", ("page",), viewed(lambda view, case: search.fetch(view, case.target.ids))),
    _way(
        _SEARCH + "children",
        ("page",),
        viewed(lambda view, case: search.children(view, _parents_of(case))),
    ),
    _way(_SEARCH + "parents", ("page",), viewed(lambda view, case: search.parents(view, case.target.ids))),
    _way(_SEARCH + "all_chunks", ("page",), viewed(_listed), once=True),
    _way(
        _SEARCH + "vectors",
        ANY,
        viewed(lambda view, case: list(search.vectors(view, case.place.embedder.space, case.target.ids))),
    ),
    _way(_SEARCH + "count", ANY, _counted(lambda view, name: search.count(view, name)), once=True),
    _way("lab.memory.links.listed", ("link",), viewed(lambda view, case: links.listed(view)), once=True),
    _way("lab.memory.links.following", ("link",), viewed(_followed), once=True),
    _way("lab.memory.links.texts", ("page",), viewed(_texts), once=True),
    _way(_MIND + "name_of", ("mind",), _in_mind(_mind_named), once=True),
    _way(_MIND + "counts", ("mind",), _in_mind(_mind_counted), once=True),
    _way(
        _MIND + "get",
        ("mind",),
        _in_mind(lambda view, case, mind: mind_reads.get(view, mind, case.target.ids[0])),
    ),
    _way(
        _MIND + "by_importance",
        ("mind",),
        _in_mind(lambda view, case, mind: mind_reads.by_importance(view, mind)),
        once=True,
    ),
    _way(
        _MIND + "by_tag",
        ("mind",),
        _in_mind(lambda view, case, mind: mind_reads.by_tag(view, mind, "PLAN")),
        once=True,
    ),
    _way(
        _MIND + "expiring",
        ("mind",),
        _in_mind(lambda view, case, mind: mind_reads.expiring(view, mind, timedelta(weeks=9))),
        once=True,
    ),
    _way(_MIND + "search", ("mind",), _in_mind(_mind_searched)),
    *(
        _way(f"lab.memory.mind.Mind.{name}", ("mind",), in_mind_of(ask))
        for name, ask in (
            ("get", _got),
            ("recall", lambda mind, case: mind.recall()),
            ("memories", lambda mind, case: mind.memories()),
            ("search", lambda mind, case: mind.search(case.words)),
            ("by_tag", lambda mind, case: mind.by_tag("plan")),
            ("expiring", lambda mind, case: mind.expiring("9w")),
        )
    ),
    _way("lab.memory.anchors.anchors", ("record",), viewed(_anchored), kinds=("invoice",)),
    _way("lab.memory.anchors.by_meaning", ("record",), viewed(_by_meaning), kinds=("invoice",)),
    _way("lab.memory.paths.paths", ("record",), viewed(_walked), kinds=("invoice",)),
    _way("lab.memory.gather.gather", ("record",), viewed(_gathered)),
    _way("lab.memory.gather.fetch_found", ("record",), viewed(_fetched)),
    _way("lab.memory.recall.hybrid", ("record",), viewed(_hybrid)),
    _way("lab.memory.recall.recall", ("record",), _recalled, every=True),
    _way("lab.memory.audit.answered", ("page",), _logged, days=False),
    *(Way(f"select from {name}", (), ("record",), raw(name), once=True) for name in READABLE),
)
