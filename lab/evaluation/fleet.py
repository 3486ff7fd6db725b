"""Work for a sweep or an ingest, done in this process or by Dask workers, here or on other machines.

The same function does it in both, so both give the same numbers. A worker needs the lab and LAB_DATABASE_URL:
no password travels with the work, and a worker that has another lab or another database refuses it.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import psycopg

from lab.evaluation import ledger
from lab.evaluation.crew import outcome
from lab.evaluation.gold import Question
from lab.evaluation.score import Scored
from lab.kinds import LabError
from lab.ladder.rungs import Rung
from lab.memory import server as servers
from lab.memory.server import Server
from lab.rag import retrieve
from lab.rag.engine import Engine, engine
from lab.rag.memo import Memo
from lab.settings import settings

WAIT = 30
"""Seconds for a scheduler to answer and for its first worker."""
TIMED = 9
"""Questions on which the time to embed one is measured, once a worker."""
AGAIN = "What was finished stands; the same command goes on from there."
_local = threading.local()
"""A worker's engine: one per thread, since an engine is not shared between threads."""


class Task(Protocol):
    def run(self, running: Engine) -> Any: ...


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts to embed into the cache of the database; gives how many. `queries`: as questions."""

    spec: str
    texts: tuple[str, ...]
    queries: bool = False

    def run(self, running: Engine) -> int:
        for part in running.embedders(self.spec):
            (part.queries if self.queries else part.passages)(self.texts)
        return len(self.texts)


@dataclass(frozen=True, slots=True)
class Block:
    """Questions on several rungs; gives for each rung its outcomes. What one rung found for a question is
    not looked for again by the next (`lab.rag.memo`)."""

    rungs: tuple[Rung, ...]
    questions: tuple[Question, ...]

    def run(self, running: Engine) -> list[list[Scored]]:
        shared = replace(running, memo=Memo(parts=True))
        found: list[list[Scored]] = [[] for _ in self.rungs]
        for question in self.questions:
            for at, rung in enumerate(self.rungs):
                scored = outcome(shared, rung, question)
                found[at].append(replace(scored, ms=scored.ms + _embedding(rung, self.questions, running)))
        return found


def _embedding(rung: Rung, questions: Sequence[Question], running: Engine) -> float:
    """Milliseconds that embedding one question takes here, measured once a thread: the questions themselves
    are embedded beforehand."""
    if not rung.pipeline.searches:
        return 0.0
    known: dict[str, float] = _local.__dict__.setdefault("ms", {})
    spec = rung.pipeline.embedders
    if spec not in known:
        texts = [text for q in questions[:TIMED] for text in retrieve.asked(q.text, rung.pipeline)]
        known[spec] = running.question_ms(spec, texts[:TIMED])
    return known[spec]


@dataclass(frozen=True, slots=True)
class Passport:
    """What a worker must agree with. `home` is that of a bundled server, which only its own machine
    reaches."""

    database: str
    home: str | None
    workspace: str
    lab: str


def passport(server: Server, workspace: str) -> Passport:
    home = str(server.data.parent) if server.data else None
    return Passport(servers.identity(server), home, workspace, ledger.versions()["lab"])


class Fleet(Protocol):
    """Does tasks; gives (position, result) as each is done. Earlier tasks go first."""

    def each(self, tasks: Sequence[Task], server: Server, workspace: str) -> Iterator[tuple[int, Any]]: ...


class Here:
    """This process alone."""

    def each(self, tasks: Sequence[Task], server: Server, workspace: str) -> Iterator[tuple[int, Any]]:
        with engine(server, workspace) as running:
            for at, task in enumerate(tasks):
                yield at, task.run(running)


@dataclass
class Dask:
    """The workers of a scheduler. A worker that dies loses only the task it was at: another does it."""

    client: Any

    def each(self, tasks: Sequence[Task], server: Server, workspace: str) -> Iterator[tuple[int, Any]]:
        distributed = _distributed()
        shown = passport(server, workspace)
        futures = {
            self.client.submit(work, task, shown, pure=False, priority=-at): at
            for at, task in enumerate(tasks)
        }
        try:
            for future in distributed.as_completed(list(futures), loop=self.client.loop):
                yield futures[future], self._result(future)
        finally:
            for future in futures:
                future.release()

    def _result(self, future: Any) -> Any:
        distributed = _distributed()
        if future.status == "error":
            error = future.exception()
            if isinstance(error, distributed.KilledWorker):
                raise LabError("One task after another of the same kind lost its worker.", str(error), AGAIN)
            raise error
        if future.status != "finished":
            raise LabError("The scheduler is gone, or has given up the work.", "", AGAIN)
        try:
            return future.result(timeout=WAIT)
        except (OSError, TimeoutError, distributed.CancelledError) as error:
            raise LabError("The scheduler is gone.", "", AGAIN) from error


def work(task: Task, shown: Passport) -> Any:
    """What a worker does. LabError when its lab or its database is another one than the sender's."""
    try:
        return task.run(_engine(shown))
    except psycopg.OperationalError:
        _close()  # the server was restarted since
        return task.run(_engine(shown))


def _engine(shown: Passport) -> Engine:
    if getattr(_local, "shown", None) != shown:
        _close()
        if (own := ledger.versions()["lab"]) != shown.lab:
            raise LabError(
                f"A worker has another lab ({own}) than this one ({shown.lab}).", "The same files."
            )
        server = _reached(shown)
        if servers.identity(server) != shown.database:
            raise LabError(
                "A worker is connected to another database.",
                "The one of the sender.",
                "Set LAB_DATABASE_URL.",
            )
        _local.stack = ExitStack()
        _local.engine = _local.stack.enter_context(engine(server, shown.workspace))
        _local.shown = shown
    found: Engine = _local.engine
    return found


def _reached(shown: Passport) -> Server:
    if shown.home is None:
        if settings().database_url is None:
            raise LabError(
                "A worker has no LAB_DATABASE_URL.", "The one of the sender.", "Set it, start it again."
            )
        return servers.up()
    if not (Path(shown.home) / "data").exists():
        raise LabError(
            "A worker on another machine can't reach the bundled database.",
            "Many machines share a server of your own.",
            "Set LAB_DATABASE_URL, here and for every worker.",
        )
    return servers.up(Path(shown.home))


def _close() -> None:
    if stack := getattr(_local, "stack", None):
        stack.close()
    _local.stack = _local.shown = None


def _distributed() -> Any:
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise LabError(
            "Workers need the package distributed, which is not installed.",
            "",
            "python start.py install --extra cluster",
        ) from None


@contextmanager
def fleet(scheduler: str | None = None, workers: int | None = None) -> Iterator[Fleet]:
    """This process; or the workers of a Dask scheduler (`tcp://host:8786`); or that many workers started
    here, which end with the block. LabError when the scheduler doesn't answer or has no worker."""
    if scheduler and workers:
        raise LabError("Both a scheduler and workers of one's own were asked for.", "One of them.")
    if workers is not None and workers < 1:
        raise LabError(f"There can't be {workers} workers.", "1 or more.")
    if not scheduler and workers is None:
        yield Here()
        return
    distributed = _distributed()
    with ExitStack() as stack:
        address: Any = scheduler
        if workers is not None:
            address = stack.enter_context(
                distributed.LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address=None,
                    host="127.0.0.1",
                    silence_logs=50,
                )
            )
        try:
            client = stack.enter_context(distributed.Client(address, timeout=WAIT, set_as_default=False))
            client.wait_for_workers(1, timeout=WAIT)
        except (OSError, TimeoutError, ValueError) as error:
            raise LabError(
                f"No scheduler with workers answers at {scheduler}.",
                f"An address such as tcp://host:8786 ({error}).",
                "Start one with `dask scheduler`, and `dask worker tcp://host:8786` on each machine.",
            ) from error
        yield Dask(client)


def embedded(
    team: Fleet, spec: str, texts: Sequence[str], server: Server, workspace: str, *, queries: bool = False
) -> Iterator[int]:
    """Embed texts into the cache, a batch a task; gives how many as each batch is done."""
    unique = sorted(set(texts))
    tasks = [Texts(spec, tuple(unique[at : at + BATCH]), queries) for at in range(0, len(unique), BATCH)]
    for _, count in team.each(tasks, server, workspace):
        yield count


BATCH = 128
"""Texts of one task."""
__all__ = ["Block", "Dask", "Fleet", "Here", "Passport", "Texts", "embedded", "fleet", "passport", "work"]
