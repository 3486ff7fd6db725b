"""Questions measured by several processes at once: each has an engine of its own, all share one database."""

from __future__ import annotations

import multiprocessing
import os
import sys
import types
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from lab.evaluation.gold import Question
from lab.evaluation.score import Scored, score
from lab.kinds import LabError, Sight
from lab.ladder.rungs import Rung
from lab.memory.server import Server
from lab.rag.ask import ask
from lab.rag.engine import Engine, engine

MOST = 4
"""Processes at most: a workshop's laptop has other work to do."""
_own = ExitStack()
_engine: Engine | None = None


def size() -> int:
    """How many processes are used: the cores this process may run on, at most MOST."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(MOST, cores))


@dataclass
class Crew:
    """Runs a rung over questions, in this process when `pool` is None."""

    engine: Engine
    pool: ProcessPoolExecutor | None = field(default=None)

    def run(self, rung: Rung, questions: Sequence[Question]) -> Iterable[Scored]:
        """The outcomes in the order of the questions, as they come. LabError when a process was killed."""
        if self.pool is None:
            return (outcome(self.engine, rung, question) for question in questions)
        return self._shared(rung, questions)

    def _shared(self, rung: Rung, questions: Sequence[Question]) -> Iterator[Scored]:
        assert self.pool is not None
        try:
            yield from self.pool.map(_outcome, [rung] * len(questions), questions, chunksize=4)
        except BrokenProcessPool:
            raise LabError(
                "A process that measured questions was ended from outside.",
                "Rungs that were finished stand in the ledger.",
                "python start.py climb",
            ) from None


@contextmanager
def crew(running: Engine, workers: int | None = None) -> Iterator[Crew]:
    """A crew of `workers` processes (default `size()`); 1 measures in this process. They end with the
    block."""
    with processes(running.server, running.workspace, workers) as pool:
        yield Crew(running, pool)


@contextmanager
def processes(
    server: Server, workspace: str, workers: int | None = None
) -> Iterator[ProcessPoolExecutor | None]:
    """The processes of a crew, None for a crew of one. They come up at once, in the background: a first start
    reads the corpus in meanwhile."""
    count = size() if workers is None else workers
    if count < 2:
        yield None
        return
    # Not forked: a child would share the parent's database connection.
    with ProcessPoolExecutor(
        count,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_start,
        initargs=(server, workspace),
    ) as pool:
        try:
            # Each process has one core to itself; numpy in each would else use all, and they would wait
            # for each other. Read when numpy is loaded, so it has to stand in what they inherit.
            with _environment("OMP_NUM_THREADS", "1"), _without_main():
                for _ in range(count):
                    pool.submit(_up)
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def outcome(running: Engine, rung: Rung, question: Question) -> Scored:
    """One question on one rung, asked as its own asker on its own date, and scored."""
    sight = Sight(frozenset({question.role}), question.as_of, member=None, workspace=running.workspace)
    answer = ask(question.text, sight, rung.pipeline, running)
    return score(
        question,
        answer,
        searched=rung.pipeline.searches,
        read=rung.pipeline.read,
        prompt_tokens=sum(step.tokens for step in answer.trace),
        calls=sum(step.calls for step in answer.trace),
        ms=sum(step.ms for step in answer.trace),
    )


def _start(server: Server, workspace: str) -> None:
    global _engine
    _engine = _own.enter_context(engine(server, workspace))


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ.setdefault(name, value)
    yield
    if before is None:
        del os.environ[name]


@contextmanager
def _without_main() -> Iterator[None]:
    """A new process would run the caller's script again, which need not be written for that; nothing of it is
    wanted here."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _up() -> None:
    """Nothing to do: a process is made when there is work for it."""


def _outcome(rung: Rung, question: Question) -> Scored:
    assert _engine is not None
    return outcome(_engine, rung, question)
