"""The run: every path, every asker, thousands of answers; what was told is judged by the oracle."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from lab.benchmarks.leaks import discovery, memory_ways, rag_ways
from lab.benchmarks.leaks.planted import COUNTS
from lab.benchmarks.leaks.stage import Stage
from lab.benchmarks.leaks.ways import Asker, Case, Target, Way, entitled, judge, sampled, told
from lab.kinds import LabError

ANSWERS = 13_000
"""At least so many; the original counted 12,560."""
SHOWN = 20
Say = Callable[[str], None]
WAYS = (*memory_ways.WAYS, *rag_ways.WAYS)


@dataclass(frozen=True, slots=True)
class Leak:
    way: str
    asker: str
    about: str
    what: str


@dataclass(slots=True)
class Line:
    """One path. `due`: answers in which the asker was entitled to the secret; `got`: where he had it."""

    way: str
    answers: int = 0
    leaks: int = 0
    due: int = 0
    got: int = 0
    by_design: bool = False
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """No leak, and the entitled do get it; where it leaks by design, the leak is seen."""
        return self.got > 0 and (self.leaks > 0 if self.by_design else self.leaks == 0)


@dataclass(frozen=True, slots=True)
class Report:
    secrets: dict[str, int]
    askers: tuple[str, ...]
    lines: tuple[Line, ...]
    leaks: tuple[Leak, ...]
    uncovered: tuple[str, ...]
    """Functions of the package that read and that no path asks."""
    unkept: tuple[str, ...]
    """Statements that read past the rule where nobody allowed it."""
    seconds: float

    @property
    def answers(self) -> int:
        return sum(line.answers for line in self.lines)

    @property
    def leaked(self) -> int:
        """Answers with a leak, but for those that leak by design."""
        return sum(line.leaks for line in self.lines if not line.by_design)

    @property
    def due(self) -> int:
        return sum(line.due for line in self.lines)

    @property
    def got(self) -> int:
        return sum(line.got for line in self.lines)

    @property
    def ok(self) -> bool:
        return not self.uncovered and not self.unkept and all(line.ok for line in self.lines)

    def to_json(self) -> dict[str, Any]:
        return {
            "secrets": sum(self.secrets.values()),
            "by_kind": self.secrets,
            "callers": len(self.askers),
            "paths": len(self.lines),
            "answers": self.answers,
            "leaks": self.leaked,
            "positive_controls": {"due": self.due, "found": self.got},
            "uncovered": list(self.uncovered),
            "raw_reads": list(self.unkept),
            "ok": self.ok,
            "seconds": round(self.seconds, 1),
            "lines": [asdict(line) | {"ok": line.ok} for line in self.lines],
            "shown": [asdict(leak) for leak in self.leaks[:SHOWN]],
        }


@dataclass
class Tally:
    """Leaks as they are met; the first ones are kept word for word."""

    leaks: list[Leak] = field(default_factory=list)

    def add(self, leak: Leak) -> None:
        if len(self.leaks) < 1_000:
            self.leaks.append(leak)


def uncovered(ways: Sequence[Way]) -> tuple[str, ...]:
    """Functions that read and that none of these asks. LabError for a path that covers what is not there."""
    found, covered = discovery.reads(), {name for way in ways for name in way.covers}
    if gone := sorted(covered - found):
        raise LabError(
            f"The leak test asks {', '.join(gone)}, which reads nothing or is gone.",
            "Every path names functions that take a view or a sight, or open one.",
            "Change the path in lab/benchmarks/leaks or lab/workshop/leaks.py.",
        )
    return tuple(sorted(found - covered))


def run(
    stage: Stage, ways: Sequence[Way] = WAYS, answers: int = ANSWERS, say: Say = lambda _: None
) -> Report:
    """All paths, with at least `answers` answers as far as there are secrets to ask for; nothing ends the run
    but an error."""
    start, each = time.perf_counter(), enough(stage, ways, answers)
    tally, lines = Tally(), []
    for number, way in enumerate(ways, 1):
        line = Line(way.name, by_design=way.open_by_design)
        began = time.perf_counter()
        for case in cases(stage, way, each):
            answer(way, case, line, tally)
        line.seconds = round(time.perf_counter() - began, 3)
        lines.append(line)
        if number % 10 == 0:
            say(f"{number} of {len(ways)} paths, {sum(one.answers for one in lines):,} answers")
    return Report(
        dict(Counter(target.secret.kind for target in _whole(stage))),
        tuple(asker.name for asker in stage.askers),
        tuple(lines),
        tuple(tally.leaks),
        uncovered(ways),
        discovery.unkept(),
        time.perf_counter() - start,
    )


def enough(stage: Stage, ways: Sequence[Way], answers: int) -> int:
    """Of how many secrets of each kind every asker asks every path, for so many answers."""
    for each in range(1, max(COUNTS.values())):
        if sum(1 for way in ways for _ in cases(stage, way, each)) >= answers:
            return each
    return max(COUNTS.values())


def cases(stage: Stage, way: Way, each: int) -> Iterator[Case]:
    """Who asks this path for what: the same each time."""
    own = [target for target in stage.place.of(*way.stores) if target.secret.kind in way.kinds]
    most = min(each, way.each or each)
    few = [
        target
        for store in way.stores
        for target in sampled([one for one in own if one.store == store], list(COUNTS), most)
    ]
    for number, asker in enumerate(stage.askers):
        if way.takes(asker):
            yield from (
                Case(stage.place, asker, target) for target in _asked(way, number, own, few, asker, stage)
            )


def _asked(
    way: Way, number: int, own: Sequence[Target], few: Sequence[Target], asker: Asker, stage: Stage
) -> Sequence[Target]:
    if way.every and number == 0:
        return own
    if not way.once:
        return few
    # It lists what it sees: asked once, for something the asker may have where there is such a thing.
    seen = stage.place.seen(way.eyes(asker))
    return [next((target for target in own if entitled(seen, target)), own[0])]


def answer(way: Way, case: Case, line: Line, tally: Tally) -> bool:
    """One answer, judged and counted; whether it leaked."""
    verdict = judge(case.place, case.place.seen(way.eyes(case.asker)), case.target, told(way.ask(case)))
    line.answers += 1
    line.due += verdict.due
    line.got += verdict.due and verdict.got
    if verdict.leaks:
        line.leaks += 1
        if not way.open_by_design:
            about = f"{case.target.secret.kind} of {case.target.secret.about}"
            tally.add(Leak(way.name, case.asker.name, about, "; ".join(verdict.leaks[:3])))
    return bool(verdict.leaks)


def _whole(stage: Stage) -> list[Target]:
    return [*stage.place.of("record"), *stage.place.of("mind")]
