"""What was found once for a question is not looked for again: a climb asks it on every rung, and most rungs
change nothing in how it is searched or read.

Kept in a process of a climb or a sweep alone. Nobody who asks a question is ever answered from it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from lab.kinds import Step
from lab.rag.pipeline import Pipeline
from lab.rag.trace import Trace

MOST = 1024
"""Results kept, the least recently used dropped first."""
_PLAIN = Pipeline()
T = TypeVar("T")


@dataclass
class Memo:
    """Results by what they depend on, each with the lines it wrote into the trace: whoever gets it gets these
    too, with the milliseconds they took."""

    most: int = MOST
    parts: bool = False
    """Keep also what each embedder found, large as it is: for pipelines run one after another on one
    question."""
    _kept: OrderedDict[Hashable, tuple[Any, tuple[Step, ...]]] = field(default_factory=OrderedDict)

    def once(self, key: Hashable, trace: Trace, make: Callable[[], T]) -> T:
        """What `make` returned for an equal key, or what it returns now. An error is not kept."""
        if key in self._kept:
            self._kept.move_to_end(key)
            value: T
            value, steps = self._kept[key]
            trace.steps.extend(steps)
            return value
        first = len(trace.steps)
        value = make()
        self._kept[key] = value, tuple(trace.steps[first:])
        if len(self._kept) > self.most:
            self._kept.popitem(last=False)
        return value


def searching(pipeline: Pipeline) -> Pipeline:
    """The pipeline with all that a search does not read put to its default. A field that is new counts."""
    return replace(
        pipeline,
        scope=_PLAIN.scope,
        edition=_PLAIN.edition,
        reader=_PLAIN.reader,
        abstains=_PLAIN.abstains,
        letters=_PLAIN.letters,
        rewrite=_PLAIN.rewrite,
        rerank=_PLAIN.rerank,
        widen=_PLAIN.widen,
        decompose=_PLAIN.decompose,
        supersedes=_PLAIN.supersedes,
        guard=_PLAIN.guard,
        read=_PLAIN.read,
    )


def reading(pipeline: Pipeline) -> Pipeline:
    """The same for what reads the hits; what was done to them before shows in the hits."""
    return replace(
        searching(pipeline),
        reader=pipeline.reader,
        abstains=pipeline.abstains,
        full_context=_PLAIN.full_context,
        hybrid=_PLAIN.hybrid,
        fusion=_PLAIN.fusion,
        views=_PLAIN.views,
        k=_PLAIN.k,
    )
