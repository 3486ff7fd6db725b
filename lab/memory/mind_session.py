"""A credential at work in one mind: its connections, its sight, its lock, its lines in the log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from typing import Literal, Self

import psycopg

from lab.kinds import LabError, Sight
from lab.memory import audit, mind_rows, model
from lab.memory.connect import Pool, pool
from lab.memory.credentials import MODULE, Credential, identify
from lab.memory.embeddings import Cached, forget_recent
from lab.memory.mind_rows import Vector, embedded_part
from lab.memory.model import Memory
from lab.memory.server import Server
from lab.memory.visibility import Connection, View, looking, writing
from lab.models.embedders import Embedder, blend
from lab.settings import settings


class Refused(LabError):
    """What the credential may not do, or what is not there: which of the two is not told. Logged."""


class Session:
    """What every operation of a `Mind` stands on. For several threads."""

    def __init__(
        self, credential: Credential, mind: str, workspace: str, pools: tuple[Pool, Pool], embedder: Cached
    ) -> None:
        self.credential, self.id, self.workspace = credential, mind, workspace
        self._readers, self._writers = pools
        self._embedder = embedder

    @classmethod
    def open(
        cls,
        server: Server,
        secret: str,
        mind: str | None = None,
        *,
        workspace: str | None = None,
        embedder: Embedder | None = None,
        connections: int = 4,
    ) -> Self:
        """The mind that the credential opens; `mind` says which where there are several. Default embedder:
        the first of the settings. Up to `connections` threads read, and as many write, at once.

        LabError for a secret that is unknown or revoked, and for a mind it does not open."""
        own = workspace or settings().workspace
        made = embedder or blend(settings().embedder)[0]
        pools = pool(server, "reader", size=connections), pool(server, "writer", size=connections)
        try:
            with pools[1].connection() as connection:
                credential = identify(connection, own, secret)
            chosen = cls(
                credential,
                _chosen(credential, mind),
                own,
                pools,
                made if isinstance(made, Cached) else Cached(made, server),
            )
            chosen._catch_up()
        except BaseException:
            for each in pools:
                each.close()
            raise
        return chosen

    def close(self) -> None:
        """Gives the connections back. The mind stays."""
        self._readers.close()
        self._writers.close()
        self._embedder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def sight(self) -> Sight:
        """Who looks: the mind's module and no other, as the credential's person."""
        return Sight(
            frozenset({MODULE + self.id}),
            date.today(),
            member=self.credential.member,
            workspace=self.workspace,
        )

    @contextmanager
    def _looking(self) -> Iterator[View]:
        with self._readers.connection() as connection:
            with looking(connection, self.sight, self.credential.secret) as view:
                if MODULE + self.id not in view.modules:
                    raise _closed()
                yield view

    @contextmanager
    def _writing(self, action: str, reference: str | None = None) -> Iterator[Connection]:
        """One transaction with the mind's lock. A refusal undoes it and is logged in one of its own."""
        if reference is not None:
            model.words(reference, "The reference")
        try:
            with self._writers.connection() as connection:
                with _refusing(action), writing(connection, self.workspace, self.credential.secret):
                    mind_rows.lock(connection, self.workspace, self.id)
                    if connection.execute("select %s = any(acting_minds())", [self.id]).fetchone() != (True,):
                        raise _closed()
                    yield connection
        except Refused:
            entry = replace(self._entry(action, []), asked=reference, detail={"outcome": "refused"})
            with self._writers.connection() as connection, writing(connection, self.workspace):
                audit.append(connection, self.workspace, entry)
            raise

    def _changed(
        self, connection: Connection, serial: int, before: Memory, after: Memory, vector: Vector | None
    ) -> tuple[Memory, Literal["unchanged", "updated"]]:
        if after == before:
            return before, "unchanged"
        moved = after.content != before.content
        return (
            mind_rows.change(connection, self.workspace, serial, before, after, vector if moved else None),
            "updated",
        )

    def _found(self, connection: Connection, reference: str) -> tuple[int, Memory]:
        known = mind_rows.find(connection, self.workspace, self.id, reference)
        if known is None:
            raise not_there(reference)
        return known

    def _may_change(self, memory: Memory) -> None:
        if self.credential.agent and memory.source != "agent":
            raise Refused(
                f"A person stored {memory.category}/{memory.key}; an agent can't change or delete it.",
                "",
                "Store under a key of your own, and let a person decide.",
            )

    def _vector(self, content: str) -> Vector:
        return Vector(self._embedder.space, self._embedder.passages([embedded_part(content)])[0])

    def _forget(self, before: Memory, after: Memory) -> None:
        if embedded_part(before.content) != embedded_part(after.content):
            forget_recent([embedded_part(before.content)])

    def _catch_up(self) -> None:
        """Memories that were stored with another embedder get their vectors in this one's space."""
        space = self._embedder.space
        with self._writing("open") as connection:
            bare = mind_rows.without_vector(connection, self.workspace, self.id, space)
        if not bare:
            return
        rows = self._embedder.passages([text for _, text in bare])  # outside the lock
        with self._writing("open") as connection:
            current = dict(mind_rows.without_vector(connection, self.workspace, self.id, space))
            for (serial, text), row in zip(bare, rows, strict=True):
                if current.get(serial) == text:
                    mind_rows.place(connection, self.workspace, self.id, serial, Vector(space, row))

    def _entry(self, action: str, ids: Sequence[str]) -> audit.Entry:
        return audit.Entry(self.credential.name, self.credential.kind, action, memories=ids, mind=self.id)

    def _log(self, connection: Connection, action: str, ids: Sequence[str], **detail: object) -> None:
        audit.append(connection, self.workspace, replace(self._entry(action, ids), detail=detail))

    def _log_read(
        self, action: str, memories: Sequence[Memory], asked: str | None = None, **detail: object
    ) -> None:
        entry = replace(
            self._entry(action, [memory.id for memory in memories]),
            asked=asked,
            as_of=self.sight.as_of,
            detail={name: value for name, value in detail.items() if value is not None},
        )
        with self._writers.connection() as connection, writing(connection, self.workspace):
            audit.append(connection, self.workspace, entry)


@contextmanager
def _refusing(action: str) -> Iterator[None]:
    """What the database's policies forbid, as a refusal: they stand behind the checks made here."""
    try:
        yield
    except psycopg.errors.InsufficientPrivilege as error:
        raise Refused(
            f"The database refused to {action}: {error.diag.message_primary}",
            "The credential's kind may not do this.",
        ) from error


def _chosen(credential: Credential, mind: str | None) -> str:
    if mind in credential.minds:
        return str(mind)
    if mind is None and len(credential.minds) == 1:
        return credential.minds[0]
    if mind is None and credential.minds:
        raise LabError(
            "This credential opens several minds.",
            f"One of {', '.join(credential.minds)}.",
            "Say which: --mind",
        )
    raise LabError(
        "This credential does not open that mind." if mind else "This credential opens no mind.",
        f"It opens {', '.join(credential.minds)}." if credential.minds else "",
    )


def not_there(reference: str) -> Refused:
    return Refused(f"There is no memory {reference[:100]!r} here.", "An id, mem_…, or category/key.")


def _closed() -> Refused:
    return Refused("This credential opens the mind no more.", "It was revoked, or its person left the mind.")
