"""The ablation: each technique of a rung taken out alone, every question measured against the whole of it.

A climb says what a technique adds to what stood below it; an ablation what the whole loses without it. Both
can differ, since a later technique may do an earlier one's work, or need it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from lab.evaluation.climb import Climbed, Progress, measure, why_not
from lab.evaluation.compare import Comparison, compare
from lab.evaluation.crew import Crew
from lab.evaluation.gold import Question
from lab.evaluation.score import Scored, summary
from lab.kinds import LabError
from lab.ladder import rungs
from lab.ladder.rungs import Rung
from lab.rag.pipeline import Pipeline

NEEDS = {"units": "section", "pair": "units", "views": "units"}
"""Technique → what it can't be without: units are parts of sections, the second embedder has vectors of units
only, and the views add to what units found. Such techniques go together."""
NEEDED, HARMFUL, MIXED, OWN, UNSHOWN, NIL = (
    "needed",
    "better without",
    "mixed",
    "needed for its ticket",
    "not distinguishable",
    "nil",
)


@dataclass(frozen=True, slots=True)
class Ablated:
    """A rung without one technique. `along` names those that had to go with it. In `comparison` the whole
    rung is `before` and what is left `after`, so what the technique was good for shows as worse; `own` is
    the same over the questions of its own ticket. `leaks` counts questions more that leak without it.
    `skipped` says why nothing was measured; then there is no comparison."""

    technique: str
    changed: str
    along: tuple[str, ...]
    rung: Rung
    scored: tuple[Scored, ...]
    comparison: Comparison | None
    own: Comparison | None
    leaks: int = 0
    skipped: str | None = None

    @property
    def effect(self) -> str:
        """One word or a few for the table: what the comparison shows of the technique."""
        return "skipped" if self.comparison is None else effect(self.comparison, self.own, self.leaks)

    @property
    def lost(self) -> tuple[str, ...]:
        """Questions worse without it, in rank or answer."""
        return self._moved("worse")

    @property
    def won(self) -> tuple[str, ...]:
        """Questions better without it, in rank or answer; one may be worse in the other."""
        return self._moved("better")

    def _moved(self, way: str) -> tuple[str, ...]:
        if self.comparison is None:
            return ()
        both = (self.comparison.rank, self.comparison.answers)
        return tuple(sorted({key for verdict in both for key in getattr(verdict, way)}))


@dataclass(frozen=True, slots=True)
class Ablation:
    """The whole rung as measured, and what is left of it without each technique, in the ladder's order."""

    rung: Rung
    whole: tuple[Scored, ...]
    without: tuple[Ablated, ...]


def whole(rung: Rung) -> Rung:
    """The rung under the name it has in an ablation's run, which no rung of the ladder bears."""
    return Rung(f"{rung.name} whole", rung.changed, rung.base, rung.pipeline)


def removable(name: str, kept: Iterable[str]) -> tuple[str, ...]:
    """The techniques in a rung that can be taken out, in the ladder's order: those kept below it and its own;
    not the start."""
    wanted, standing = rungs.technique(name), set(kept)
    found = []
    for item in rungs.LADDER:
        if item.name == wanted.name or (item.name in standing and not item.aside):
            found.append(item.name)
        if item.name == wanted.name:
            break
    return tuple(one for one in found if not rungs.technique(one).start)


def along(name: str, there: Sequence[str]) -> tuple[str, ...]:
    """Of the techniques that are there, those that can't stand without this one."""
    gone = [name]
    for item in there:  # in the ladder's order: what is needed comes first
        if NEEDS.get(item) in gone and item not in gone:
            gone.append(item)
    return tuple(gone[1:])


def without(removed: str, name: str, kept: Iterable[str], start: Pipeline) -> Rung:
    """The rung `name` on the kept ones with one technique's fields as they are without it. LabError when the
    rung doesn't hold it."""
    there = removable(name, kept)
    gone = rungs.technique(removed).name
    if gone not in there:
        raise LabError(f"{gone} is no part of {name}.", f"Its techniques are {', '.join(there)}.")
    with_it = (gone, *along(gone, there))
    left = [item for item in there if item not in with_it]
    pipeline = start
    for item in left:
        pipeline = replace(pipeline, **rungs.technique(item).fields)
    changed = f"without: {rungs.technique(gone).changed}"
    if with_it[1:]:
        changed += f" (and without {', '.join(with_it[1:])}, which need it)"
    own = rungs.technique(name).name
    return Rung(f"{own} without {gone}", changed, f"{own} whole", pipeline)


def effect(comparison: Comparison, own: Comparison | None, leaks: int) -> str:
    """What a comparison of the whole (before) with what is left (after) shows of the technique."""
    if leaks > 0 or comparison.attacks.worse:
        return NEEDED
    both = (comparison.rank, comparison.answers)
    worse = any(verdict.distinguishable and verdict.gain < 0 for verdict in both)
    better = any(verdict.distinguishable and verdict.gain > 0 for verdict in both)
    if worse or better:
        return MIXED if worse and better else NEEDED if worse else HARMFUL
    if own is not None and any(v.distinguishable and v.gain < 0 for v in (own.rank, own.answers)):
        return OWN
    moved = any(verdict.better or verdict.worse for verdict in (*both, comparison.attacks))
    return UNSHOWN if moved else NIL


def ablate(
    name: str,
    questions: Sequence[Question],
    team: Crew,
    *,
    kept: Sequence[str],
    start: Pipeline,
    progress: Progress | None = None,
    done: Callable[[Climbed], None] = lambda _: None,
) -> Ablation:
    """Measure the rung `name`, then the same without each of its techniques.

    `done` is called with each as it is finished, first the whole: what a climb's ledger takes. LabError when
    there is no question, or the rung can't run here.
    """
    if not questions:
        raise LabError("There is no question to measure.", "", "See: python start.py ablate --help")
    more: dict[str, Progress] = {} if progress is None else {"progress": progress}
    rung = whole(rungs.rung(name, kept, start))
    if reason := why_not(rung.pipeline):
        raise LabError(f"The rung {rungs.technique(name).name} {reason}")
    full = tuple(measure(rung, questions, team, **more))
    done(Climbed(rung, full, None, None, "the whole rung"))
    found = []
    for removed in removable(name, kept):
        item = _left(removed, name, questions, team, kept, start, full, more)
        found.append(item)
        done(as_climbed(item))
    return Ablation(rung, full, tuple(found))


def _left(
    removed: str,
    name: str,
    questions: Sequence[Question],
    team: Crew,
    kept: Sequence[str],
    start: Pipeline,
    full: tuple[Scored, ...],
    more: dict[str, Progress],
) -> Ablated:
    rung = without(removed, name, kept, start)
    gone = along(removed, removable(name, kept))
    told = rungs.technique(removed).changed
    if reason := why_not(rung.pipeline):
        return Ablated(removed, told, gone, rung, (), None, None, skipped=reason)
    scored = tuple(measure(rung, questions, team, **more))
    before, after = f"{rungs.technique(name).name} whole", rung.name
    mine = [s for s in full if s.ticket == removed], [s for s in scored if s.ticket == removed]
    return Ablated(
        removed,
        told,
        gone,
        rung,
        scored,
        compare(before, full, after, scored),
        compare(before, mine[0], after, mine[1]) if mine[1] else None,
        sum(s.leak for s in scored) - sum(s.leak for s in full),
    )


def as_climbed(item: Ablated) -> Climbed:
    """What the ledger takes; nothing is kept or set aside by an ablation."""
    reason = item.skipped or f"{item.effect}: {item.comparison.words if item.comparison else ''}"
    return Climbed(item.rung, item.scored, item.comparison, None, reason, item.skipped)


def to_json(ablation: Ablation) -> dict[str, Any]:
    """The object of `lab ablate --json`."""
    return {
        "rung": ablation.rung.name.removesuffix(" whole"),
        "configuration": asdict(ablation.rung.pipeline),
        "measures": summary(ablation.whole),
        "without": [_json(item) for item in ablation.without],
    }


def _json(item: Ablated) -> dict[str, Any]:
    return {
        "technique": item.technique,
        "name": item.rung.name,
        "changed": item.changed,
        "along": list(item.along),
        "skipped": item.skipped,
        "configuration": asdict(item.rung.pipeline),
        "measures": summary(item.scored) if item.scored else {},
        "effect": item.effect,
        "words": item.comparison.words if item.comparison else "",
        "own": item.own.words if item.own else None,
        "rank": asdict(item.comparison.rank) if item.comparison else None,
        "answers": asdict(item.comparison.answers) if item.comparison else None,
        "attacks": asdict(item.comparison.attacks) if item.comparison else None,
        "leaks_more": item.leaks,
        "lost": list(item.lost),
        "won": list(item.won),
    }
