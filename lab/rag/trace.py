"""The trace: one line a step, written while a question runs. Holds what the asker may see, never what
rights cut."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from lab.kinds import Step


@dataclass
class Line:
    """The step being timed; the step's own code fills in what it counted."""

    name: str
    into: int
    out: int = 0
    tokens: int = 0
    calls: int = 0
    detail: dict[str, object] = field(default_factory=dict)


@dataclass
class Trace:
    """Collects steps in order. One per question; not shared between threads."""

    steps: list[Step] = field(default_factory=list)

    @contextmanager
    def step(self, name: str, into: int) -> Iterator[Line]:
        line = Line(name, into)
        start = time.perf_counter()
        yield line
        took = (time.perf_counter() - start) * 1000
        self.steps.append(Step(name, into, line.out, took, line.tokens, line.calls, line.detail))

    @property
    def ms(self) -> float:
        return sum(step.ms for step in self.steps)
