"""The read paths of the notebooks and the command line, as the leak test asks them: `lab ask`, lessons, links
and consolidated texts, the business notebook's steps and a mind's keeper.

Most of them take the name of a role and nothing else, so only who is a role can ask them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime
from functools import cache
from typing import Any

from lab.benchmarks.business import world as worlds
from lab.benchmarks.business.exam import Loaded
from lab.benchmarks.leaks.memory_ways import in_mind_of
from lab.benchmarks.leaks.planted import HERE, TODAY
from lab.benchmarks.leaks.stage import Stage
from lab.benchmarks.leaks.ways import Ask, Case, Told, Way
from lab.kinds import LabError
from lab.memory.anchors import Anchor
from lab.memory.mind import Mind
from lab.memory.paths import Path
from lab.memory.recall import Recalled
from lab.settings import settings
from lab.workshop import desk, linkage, trade
from lab.workshop.exercises.n00_start import sections_for
from lab.workshop.lesson import Lesson, Shown
from lab.workshop.practice import Keeper
from lab.workshop.trade import Trade

RUNG = "T8"
CLOSED = ("closed-salary", "closed-limit", "closed-invoice", "closed-round", "pay-policy")
_SETTINGS = ("LAB_HOME", "LAB_WORKSPACE", "LAB_DATABASE_URL")


@contextmanager
def settled(stage: Stage) -> Iterator[None]:
    """The stage is the lab: what the workshop opens is the planted database."""
    before = {name: os.environ.get(name) for name in _SETTINGS}
    os.environ.update(zip(_SETTINGS, (str(stage.home), HERE, ""), strict=True))
    settings.cache_clear()
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        settings.cache_clear()


def _day(case: Case) -> date:
    return case.asker.sight.as_of or TODAY


def _lesson(case: Case) -> Lesson:
    lesson = Lesson("leaks")
    lesson.__dict__["engine"] = case.place.engine  # the stage's own, which is open
    return lesson


def _trade(case: Case) -> Trade:
    """The notebook's, but of the planted company."""
    made = Trade.__new__(Trade)
    made.lesson, made.server = _lesson(case), case.place.server
    made.loaded = Loaded(_small(), HERE, datetime.now().astimezone(), {})
    made.__dict__ |= {"embedder": case.place.embedder, "_connection": case.place.read, "_known": {}}
    return made


@cache
def _small() -> worlds.World:
    return worlds.build(500, 7)


def _shown(shown: Shown, *asked: str) -> Told:
    """All that is shown and all that stands behind it, without what was asked."""
    text = f"{shown.value!r}\n{shown.markup}\n{shown.text}"
    for part in asked:
        text = text.replace(part, "")
    return Told(text)


def _asked(case: Case) -> Told:
    try:
        found = desk.ask(case.question, rung=RUNG, role=case.asker.role, as_of=_day(case))
    except LabError as error:
        return Told(str(error), found=False)
    return Told(repr(found).replace(case.question, ""))


def _in_lesson(show: Callable[[Lesson, Case], Shown]) -> Ask:
    return lambda case: _shown(show(_lesson(case), case), case.question)


def _ran(case: Case) -> Told:
    run = _lesson(case).run(case.question, RUNG, case.asker.role, _day(case))
    return Told(repr((run.answer, run.ranks)).replace(case.question, ""))


def _cut(lesson: Lesson, case: Case) -> Shown:
    """Each closed page's sections, one after the other."""
    found = [
        lesson.chunks(chunker, name, str(number), case.asker.role, _day(case))
        for chunker in ("section", "unit", "fixed-300")
        for name in CLOSED
        for number in range(1, 4)
    ]
    return Shown(
        [one.value for one in found],
        "".join(one.markup for one in found),
        "\n".join(one.text for one in found),
    )


def _counted(case: Case) -> Told:
    given = _at(_day(case), lambda: sections_for(_lesson(case), case.asker.role))
    memories = case.place.world.memories
    may = sum(memories[serial].collection == "section" for serial in case.seen.memories)
    return Told(excess=given - may, found=given == may > 0, due=may > 0)


def _at(day: date, act: Callable[[], int]) -> int:
    """The exercise counts on a day of the handbook; here on one of the planted pages."""
    from lab.workshop.exercises import n00_start

    before, n00_start.DAY = n00_start.DAY, day
    try:
        return act()
    finally:
        n00_start.DAY = before


def _consolidated(case: Case) -> Told:
    told = []
    for name in CLOSED:
        try:
            told.append(
                repr(linkage.consolidated(name, _day(case), case.asker.role, case.place.server, HERE))
            )
        except LabError as error:  # the same words whether it is hidden or not there
            told.append(str(error).replace(name, ""))
    return Told("\n".join(told))


def _decided(case: Case) -> Told:
    """Confirms the link, which whoever sees it may do: only a sight of it is told."""
    try:
        kept = linkage.decide(case.target.ids[0], "confirmed", case.asker.role, case.place.server, HERE)
    except LabError as error:
        return Told(str(error).replace(case.target.ids[0], ""), found=False)
    return Told(repr(kept))


def _listed(case: Case) -> Told:
    try:
        return Told(repr(linkage.links(case.asker.role, case.place.server, HERE)))
    except LabError as error:
        return Told(str(error), found=False)


def _in_trade(show: Callable[[Trade, Case, str], object]) -> Ask:
    def ask(case: Case) -> Told:
        found = show(_trade(case), case, case.question)
        told = _shown(found, case.question) if isinstance(found, Shown) else Told(repr(found))
        return replace(told, entities=frozenset(_entities(found)))

    return ask


def _entities(found: object) -> Iterator[int]:
    """Of all that was named and walked through."""
    match found:
        case Anchor():
            yield found.entity
        case Path():
            yield from (found.start.entity, *found.nodes[1:])
        case Recalled():
            yield from _entities((*found.anchors, *found.walked, *found.paths))
            yield from (memory.node for memory in found.memories if memory.node is not None)
        case trade.Asked():
            yield from _entities(found.found)
        case Shown():
            yield from _entities(found.value)
        case dict():
            yield from _entities(tuple(found.values()))
        case tuple() | list():
            for one in found:
                yield from _entities(one)


def _kept(show: Callable[[Keeper, Case], Shown]) -> Ask:
    def ask(mind: Mind, case: Case) -> object:
        return _shown(show(Keeper(mind, "en"), case), *case.target.ids)

    return in_mind_of(ask)


def _by_role(name: str, ask: Ask, store: str = "page", **more: Any) -> Way:
    return Way(f"lab.workshop.{name}", (f"lab.workshop.{name}",), (store,), ask, by_role=True, **more)


PAGES: dict[str, Any] = {"kinds": ("salary", "limit", "invoice")}
TRADED: dict[str, Any] = {"today": True, "store": "record", "kinds": ("invoice", "salary", "limit")}
WAYS: tuple[Way, ...] = (
    _by_role("desk.questions.ask", _asked, **PAGES, each=2),
    _by_role("lesson.Lesson.run", _ran, **PAGES),
    *(
        _by_role(f"lesson.Lesson.{name}", _in_lesson(show), **PAGES)
        for name, show in (
            ("ask", lambda own, case: own.ask(case.question, RUNG, role=case.asker.role, as_of=_day(case))),
            ("hits", lambda own, case: own.hits(case.question, RUNG, role=case.asker.role, as_of=_day(case))),
            (
                "trace",
                lambda own, case: own.trace(case.question, RUNG, role=case.asker.role, as_of=_day(case)),
            ),
        )
    ),
    _by_role("lesson.Lesson.chunks", _in_lesson(_cut), once=True),
    _by_role(
        "lesson.Lesson.links",
        _in_lesson(lambda lesson, case: lesson.links(case.asker.role)),
        "link",
        once=True,
        days=False,
    ),
    _by_role("exercises.n00_start.sections_for", _counted, once=True),
    _by_role("linkage.links", _listed, "link", once=True, days=False),
    _by_role("linkage.decide", _decided, "link", days=False),
    _by_role("linkage.consolidated", _consolidated, once=True),
    *(
        _by_role(f"trade.Trade.{name}", _in_trade(show), **TRADED, each=2)
        for name, show in (
            ("run", lambda own, case, question: own.run(question, case.asker.role)),
            ("nearest", lambda own, case, question: own.nearest(case.words, case.asker.role)),
            ("anchors", lambda own, case, question: own.anchors(question, case.asker.role)),
            ("hybrid", lambda own, case, question: own.hybrid(case.words, case.asker.role)),
            ("paths", lambda own, case, question: own.paths(question, case.asker.role)),
            ("ranking", lambda own, case, question: own.ranking(question, case.asker.role)),
            ("rights", lambda own, case, question: own.rights(question, (case.asker.role, "nobody"))),
            ("context", lambda own, case, question: own.context(question, case.asker.role)),
        )
    ),
    *(
        Way(
            f"lab.workshop.practice.Keeper.{name}",
            (f"lab.workshop.practice.Keeper.{name}",),
            ("mind",),
            _kept(show),
        )
        for name, show in (
            ("get", lambda keeper, case: keeper.get(case.target.ids[0])),
            ("recall", lambda keeper, case: keeper.recall()),
            ("search", lambda keeper, case: keeper.search(case.words)),
            ("expiring", lambda keeper, case: keeper.expiring("9w")),
        )
    ),
)
