"""Embeddings computed once: a cache in PostgreSQL by content hash and vector space."""

from __future__ import annotations

import hashlib
import sys
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
import psycopg
from pgvector import HalfVector
from tqdm.auto import tqdm

from lab.kinds import LabError
from lab.memory.connect import writer
from lab.memory.server import Server
from lab.models import bundled
from lab.models.embedders import Embedder

BATCH = 64
"""Texts embedded before they are stored: what a killed run loses at most."""
RECENT = 16_384
"""Texts kept in the process (512 dimensions: 32 MB): a reader meets the same sentences and words again and
again."""
_LOOK_UP = 2000
_ALIVE: weakref.WeakSet[Cached] = weakref.WeakSet()
"""Every cache of the process: what one is told to forget, all forget."""


class Cached:
    """An embedder whose vectors are looked up first and stored after; itself an `Embedder` of the same space.

    Vectors are rounded to half precision before they are handed out, so that the first run and every later
    one get the same numbers. For several threads and processes; duplicates in one call are computed once."""

    def __init__(self, base: Embedder, server: Server, *, progress: bool = True) -> None:
        self.base = base
        self._server = server
        self._progress = progress
        self._lock = threading.RLock()
        self._recent: OrderedDict[tuple[str, str], np.ndarray] = OrderedDict()
        self._space: int | None = None
        self._open: tuple[psycopg.Connection[Any], ExitStack] | None = None
        _ALIVE.add(self)

    @property
    def spec(self) -> str:
        return self.base.spec

    @property
    def space(self) -> str:
        return self.base.space

    @property
    def dimensions(self) -> int:
        return self.base.dimensions

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        """(n, d) float32, rows of length 1, in the order of `texts`.

        LabError for vectors of another shape, not finite, or all zero."""
        return self._remembered("passage", texts, self.base.passages)

    def queries(self, texts: Sequence[str]) -> np.ndarray:
        """Like `passages`, for questions."""
        return self._remembered("query", texts, self.base.queries)

    def close(self) -> None:
        """Gives back the connection; the next call opens another."""
        with self._lock:
            if self._open:
                self._open[1].close()
            self._open = None

    def _remembered(
        self, role: str, texts: Sequence[str], compute: Callable[[Sequence[str]], np.ndarray]
    ) -> np.ndarray:
        """Recent texts come from the process's memory, the others from the database or the model."""
        with self._lock:
            found = {text: self._recent[role, text] for text in texts if (role, text) in self._recent}
            if new := [text for text in dict.fromkeys(texts) if text not in found]:
                found |= self._found(role, new, compute)
            for text, row in found.items():
                self._recent[role, text] = row
                self._recent.move_to_end((role, text))
            while len(self._recent) > RECENT:
                self._recent.popitem(last=False)
        return self._rows([found[text] for text in texts])

    def _rows(self, vectors: Sequence[np.ndarray]) -> np.ndarray:
        return np.stack(vectors) if vectors else np.zeros((0, self.dimensions), np.float32)

    def _found(
        self, role: str, texts: Sequence[str], compute: Callable[[Sequence[str]], np.ndarray]
    ) -> dict[str, np.ndarray]:
        keys = {text: _key(role, text) for text in texts}
        try:
            return self._through_cache(keys, compute)
        except psycopg.OperationalError:
            if self._open is None or not self._open[0].broken:
                raise
            self.close()  # the server was restarted since
            return self._through_cache(keys, compute)

    def _through_cache(
        self, keys: dict[str, bytes], compute: Callable[[Sequence[str]], np.ndarray]
    ) -> dict[str, np.ndarray]:
        connection = self._connection()
        with connection.transaction():
            space = self._space_id(connection)
            stored = _stored(connection, space, list(keys.values()))
        found = {text: stored[key] for text, key in keys.items() if key in stored}
        missing = [text for text in keys if text not in found]
        came = bundled.vectors(self.space) if missing else {}
        known = [text for text in missing if keys[text][: bundled.KEY] in came]
        if known:
            rows = np.stack([came[keys[text][: bundled.KEY]] for text in known])
            found |= self._kept(connection, space, keys, known, rows)
            missing = [text for text in missing if text not in found]
        quiet = not self._progress or len(missing) <= BATCH
        with tqdm(
            total=len(missing),
            desc=f"embedding {self.spec}",
            unit="text",
            delay=2,
            file=sys.stderr,
            leave=False,
            disable=quiet or ("ipykernel" not in sys.modules and not sys.stderr.isatty()),
        ) as bar:
            for start in range(0, len(missing), BATCH):
                batch = missing[start : start + BATCH]
                found |= self._kept(connection, space, keys, batch, self._checked(compute(batch), batch))
                bar.update(len(batch))
        return found

    def _kept(
        self,
        connection: psycopg.Connection[Any],
        space: int,
        keys: dict[str, bytes],
        texts: Sequence[str],
        rows: np.ndarray,
    ) -> dict[str, np.ndarray]:
        """Text → vector as the cache hands it out; stored on the way."""
        # By key: two processes that store the same texts in two orders would wait for each other.
        order = sorted(range(len(texts)), key=lambda at: keys[texts[at]])
        with connection.transaction():
            connection.execute(
                """insert into embedding (space, key, dimensions, vector)
                   select %s, key, %s, vector from unnest(%s::bytea[], %b::halfvec[]) as new (key, vector)
                   on conflict do nothing""",
                [
                    space,
                    self.dimensions,
                    [keys[texts[at]] for at in order],
                    [HalfVector(rows[at]) for at in order],
                ],
            )
        return {text: _unit(row) for text, row in zip(texts, rows, strict=True)}

    def _connection(self) -> psycopg.Connection[Any]:
        if self._open is None:
            stack = ExitStack()
            connection = stack.enter_context(writer(self._server))
            weakref.finalize(self, stack.close)
            self._open = connection, stack
        return self._open[0]

    def _space_id(self, connection: psycopg.Connection[Any]) -> int:
        if self._space is None:
            self._space = space_id(connection, self.space, self.dimensions)
        return self._space

    def _checked(self, vectors: np.ndarray, texts: Sequence[str]) -> np.ndarray:
        """(n, d) float16; finite, of the right shape."""
        rows = np.asarray(vectors, dtype=np.float32)
        if rows.shape != (len(texts), self.dimensions):
            raise LabError(
                f"{self.spec} gave vectors of shape {rows.shape} for {len(texts)} texts.",
                f"Its space {self.space} has {self.dimensions} dimensions.",
                "Choose another embedder: LAB_EMBEDDER=use",
            )
        bad = np.flatnonzero(~np.isfinite(rows).all(axis=1) | ~rows.any(axis=1))
        if len(bad):
            raise LabError(
                f"{self.spec} gave no usable vector for {texts[int(bad[0])][:60]!r}.",
                "Finite numbers, not all zero.",
                "Choose another embedder: LAB_EMBEDDER=use",
            )
        halves: np.ndarray = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)
        return halves


def space_id(connection: psycopg.Connection[Any], name: str, dimensions: int) -> int:
    """The number of a vector space, made at first sight. LabError when it is known with other dimensions."""
    connection.execute(
        "insert into embedding_space (name, dimensions) "
        "select %s, %s where not exists (select from embedding_space where name = %s) on conflict do nothing",
        [name, dimensions, name],
    )
    row = connection.execute("select id, dimensions from embedding_space where name = %s", [name]).fetchone()
    assert row is not None
    if row[1] != dimensions:
        raise LabError(
            f"The vector space {name} has {row[1]} dimensions, not {dimensions}.",
            "A space is one model in one version; vectors of two models are never mixed.",
            "An embedder whose vectors change must change the name of its space.",
        )
    return int(row[0])


def stored_space(connection: psycopg.Connection[Any], space: str, query: np.ndarray) -> tuple[int, int]:
    """(number, dimensions) of a vector space that the query is of; else LabError."""
    row = connection.execute("select id, dimensions from embedding_space where name = %s", [space]).fetchone()
    if row is None:
        raise LabError(
            f"Nothing is stored in the vector space {space}.",
            "",
            "Store the corpus in it: python start.py ingest",
        )
    number, dimensions = row
    if query.shape != (dimensions,):
        raise LabError(
            f"The query has shape {query.shape}.",
            f"The space {space} has {dimensions} dimensions.",
            "python start.py doctor",
        )
    return int(number), int(dimensions)


def forget_recent(texts: Sequence[str]) -> None:
    """Drops these passages from every cache of the process; those in the database go with `forget_stored`."""
    for cache in list(_ALIVE):
        with cache._lock:
            for text in texts:
                cache._recent.pop(("passage", text), None)


def forget_stored(connection: psycopg.Connection[Any], texts: Sequence[str]) -> None:
    """Drops these passages from the cache, in every space. Who still uses one embeds it again."""
    connection.execute(
        "delete from embedding where space in (select id from embedding_space) and key = any(%s)",
        [[_key("passage", text) for text in texts]],
    )


def _stored(
    connection: psycopg.Connection[Any], space: int, keys: Sequence[bytes]
) -> dict[bytes, np.ndarray]:
    found: dict[bytes, np.ndarray] = {}
    for start in range(0, len(keys), _LOOK_UP):
        rows = connection.execute(
            "select key, vector from embedding where space = %s and key = any(%s)",
            [space, list(keys[start : start + _LOOK_UP])],
            binary=True,  # as text a vector takes many times as long to read
        )
        found |= {bytes(key): _unit(vector.to_numpy()) for key, vector in rows}
    return found


def _unit(row: np.ndarray) -> np.ndarray:
    """(d,) float32 of length 1: rounding to half precision moved the length by about 1e-4."""
    wide = row.astype(np.float32)
    unit: np.ndarray = wide / np.linalg.norm(wide)
    return unit


def _key(role: str, text: str) -> bytes:
    return hashlib.sha256(f"{role}\0{text}".encode("utf-8", "surrogatepass")).digest()
