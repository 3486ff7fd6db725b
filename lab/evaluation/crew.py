"""Questions measured by several processes at once: each has an engine of its own, all share one database.

A process gets the same questions on every rung, and remembers what it found for them (`lab.rag.memo`)."""

from __future__ import annotations

import itertools
import multiprocessing
import multiprocessing.connection
import os
import sys
import threading
import types
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from lab.evaluation.gold import Question
from lab.evaluation.leaks import READS, Reads
from lab.evaluation.score import Scored, score
from lab.kinds import LabError, Sight
from lab.ladder.rungs import Rung
from lab.memory.server import Server
from lab.rag.ask import ask
from lab.rag.engine import Engine, engine
from lab.rag.memo import Memo

MOST = 4
"""Processes at most: a workshop's laptop has other work to do."""
AT_A_TIME = 4
"""Questions handed over together."""
Processes = tuple[ProcessPoolExecutor, ...]
"""Pools of one process each: so it is known who is asked what."""
_own = ExitStack()
_engine: Engine | None = None


def size() -> int:
    """How many processes are used: the cores this process may run on, at most MOST."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(MOST, cores))


@dataclass
class Crew:
    """Runs a rung over questions, in this process when there are no others."""

    engine: Engine
    processes: Processes = ()
    reads: Reads = field(default_factory=lambda: READS)
    """The examiner's table of rights."""

    def run(self, rung: Rung, questions: Sequence[Question]) -> Iterable[Scored]:
        """The outcomes in the order of the questions, as they come. LabError when a process was killed."""
        if not self.processes:
            return (outcome(self.engine, rung, question, self.reads) for question in questions)
        return self._shared(rung, questions)

    def _shared(self, rung: Rung, questions: Sequence[Question]) -> Iterator[Scored]:
        count = len(self.processes)
        try:
            shares = [
                pool.map(
                    _outcome,
                    itertools.repeat(rung),
                    questions[at::count],
                    itertools.repeat(self.reads),
                    chunksize=AT_A_TIME,
                )
                for at, pool in enumerate(self.processes)
            ]
            for at in range(len(questions)):
                yield next(shares[at % count])
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
    with processes(running.server, running.workspace, workers) as found:
        yield Crew(running, found)


@contextmanager
def processes(server: Server, workspace: str, workers: int | None = None) -> Iterator[Processes]:
    """The processes of a crew, none for a crew of one. They come up at once, in the background: a first start
    reads the corpus in meanwhile."""
    count = size() if workers is None else workers
    with ExitStack() as stack:
        # Not forked: a child would share the parent's database connection.
        found = [
            stack.enter_context(
                ProcessPoolExecutor(
                    1,
                    mp_context=multiprocessing.get_context("spawn"),
                    initializer=_start,
                    initargs=(server, workspace),
                )
            )
            for _ in range(count if count > 1 else 0)
        ]
        try:
            # Each process has one core to itself; numpy in each would else use all, and they would wait
            # for each other. Read when numpy is loaded, so it has to stand in what they inherit.
            with _environment("OMP_NUM_THREADS", "1"), _without_main():
                for pool in found:
                    pool.submit(_up)
            yield tuple(found)
        except BaseException:
            for pool in found:
                pool.shutdown(wait=False, cancel_futures=True)
            raise


def outcome(running: Engine, rung: Rung, question: Question, reads: Reads = READS) -> Scored:
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
        reads=reads,
    )


def _start(server: Server, workspace: str) -> None:
    global _engine
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    _engine = _own.enter_context(engine(server, workspace, Memo()))


def _end_with_the_parent() -> None:
    """Waits for the parent's end. One that was killed tells nobody: its processes would wait for work, and
    keep their connections, for ever."""
    if (parent := multiprocessing.parent_process()) is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


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


def _outcome(rung: Rung, question: Question, reads: Reads) -> Scored:
    assert _engine is not None
    return outcome(_engine, rung, question, reads)
