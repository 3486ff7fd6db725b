"""The read paths of a question: what `lab.rag` finds, fetches beside, follows, and every rung of the
ladder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from lab.benchmarks.leaks.ways import Ask, Case, Told, Way
from lab.kinds import Answer, Chunk, Hit, Label, Sight
from lab.ladder import rungs
from lab.rag import ask as asking
from lab.rag import retrieve, supersede, widen
from lab.rag.pipeline import Pipeline
from lab.rag.trace import Trace

MODEL = ("bare",)
"""Rungs that read nothing, and need a language model."""
SERVICE = ("T3",)
"""Rungs that read with the service's own rights: set aside for it."""
DAY = date(2026, 6, 1)


def _on(sight: Sight) -> Sight:
    """The day asked about, where the asker names none: some rungs follow links by it."""
    return replace(sight, as_of=sight.as_of or DAY)


def _rung(name: str) -> Pipeline:
    return rungs.rung(name, rungs.STACK).pipeline


def on_rung(name: str) -> Ask:
    """One question on a rung: answer, citations, hits and trace are what is told."""
    pipeline = _rung(name)

    def ask(case: Case) -> Told:
        answer = asking.ask(case.question, _on(case.asker.sight), pipeline, case.place.engine)
        return of_answer(answer, case.question)

    return ask


def of_answer(answer: Answer, question: str) -> Told:
    """All that an answer shows, without the question."""
    return Told(repr(answer).replace(question, ""))


def _searched(case: Case) -> Told:
    trace = Trace()
    hits = retrieve.search(case.question, case.asker.sight, _rung("T4"), case.place.engine, trace)
    return Told(repr((hits, trace.steps)).replace(case.question, ""))


def _everything(case: Case) -> object:
    return retrieve.everything(case.asker.sight, case.place.engine, Trace())


def _widened(case: Case) -> object:
    """A hit put together by hand, as a broken search might: its id leads to the hidden section."""
    own = next(key for key in case.target.ids if key.startswith("section:"))
    stem, _, ordinal = own.rpartition("/")
    label = Label("2026", date(2026, 1, 1), None, "none", "all", "en", "Test")
    page = stem.partition(":")[2].partition("@")[0]
    number = stem.rpartition("#")[2]
    hit = Hit(
        Chunk(
            id=f"{stem}/{int(ordinal) + 1}", chunker="section", document=page, section=number,
            sections=(number,),
            ordinal=int(ordinal) + 1, title="", heading="", text="Nothing of it.", search_text="",
            label=label,
        ),
        1.0,
    )  # fmt: skip
    found = [
        widen.widen(
            case.question,
            [hit],
            case.asker.sight,
            replace(_rung("T6"), widen=mode),
            case.place.engine,
            Trace(),
        )
        for mode in widen.MODES
    ]
    return repr(found).replace(hit.chunk.id, "").replace(f"{page}@2026#", "")


def _followed(case: Case) -> object:
    """From the page that everybody reads: the one that changes it is closed."""
    place = case.place
    own = next(m for m in place.world.memories.values() if m.id.startswith("section:pay-policy@2026#2/"))
    if case.asker.sight.workspace != place.workspace:
        return []
    label = Label("2026", date(2026, 1, 1), None, "none", "all", "en", "Test")
    chunk = Chunk(
        id=own.id, chunker="section", document="pay-policy", section="2", sections=("2",), ordinal=1,
        title="Pay policy", heading="Pay", text=own.content, search_text=own.content, label=label,
    )  # fmt: skip
    trace = Trace()
    sight = _on(case.asker.sight)
    found = supersede.follow([Hit(chunk, 1.0)], sight, _rung("T8"), place.engine, trace)
    return repr((found, trace.steps)).replace(own.id, "").replace("pay-policy@2026#", "")


def _knows(case: Case) -> Told:
    knows = case.place.engine.knows(case.asker.sight)
    return Told(excess=int(knows and not case.seen.modules), found=knows)


def _rungs() -> Iterator[Way]:
    for name in rungs.NAMES:
        if name not in MODEL:
            yield Way(
                f"ask on {name}",
                ("lab.rag.ask.ask", *THROUGH),
                ("page",),
                on_rung(name),
                kinds=("salary", "limit", "invoice"),
                days=_rung(name).edition,
                open_by_design=name in SERVICE,
            )


THROUGH = ("lab.evaluation.crew.outcome", "lab.evaluation.learn.handed")
"""They ask as the asker of a gold question, by `ask` alone."""
WAYS: tuple[Way, ...] = (
    Way("lab.rag.retrieve.search", ("lab.rag.retrieve.search",), ("page",), _searched),
    Way("lab.rag.retrieve.everything", ("lab.rag.retrieve.everything",), ("page",), _everything, once=True),
    Way("lab.rag.widen.widen", ("lab.rag.widen.widen",), ("page",), _widened),
    Way("lab.rag.supersede.follow", ("lab.rag.supersede.follow",), ("link",), _followed, once=True),
    Way("lab.rag.engine.Engine.knows", ("lab.rag.engine.Engine.knows",), ("page",), _knows, once=True),
    *_rungs(),
)
