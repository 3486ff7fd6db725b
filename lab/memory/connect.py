"""Connections in one of the three roles, with pgvector's types known.

A block is a transaction: committed at its end, undone by an error.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, Literal

import psycopg
import psycopg_pool
from pgvector.psycopg import register_vector

from lab.kinds import LabError
from lab.memory.server import Server

Connection = psycopg.Connection[Any]
Role = Literal["owner", "reader", "writer"]


def reader(server: Server, *, vector: bool = True) -> AbstractContextManager[Connection]:
    """May read what the policies show it."""
    return _session(server.reader, vector, prepare=_plan_anew)


def writer(server: Server, *, vector: bool = True) -> AbstractContextManager[Connection]:
    """May write rows, but owns no table."""
    return _session(server.writer, vector)


def owner(server: Server, *, vector: bool = True) -> AbstractContextManager[Connection]:
    """Owns the schema: for migrations and maintenance only, never for questions."""
    return _session(server.owner, vector)


class Pool(psycopg_pool.ConnectionPool[Connection]):
    """A connection pool whose failures are LabErrors: no connection in time, or one that broke in use."""

    def getconn(self, timeout: float | None = None) -> Connection:
        try:
            return super().getconn(timeout)
        except psycopg_pool.PoolTimeout as error:
            try:
                psycopg.connect(**{**self._login, "connect_timeout": 3}).close()
            except psycopg.OperationalError as cause:
                raise _unreachable(cause) from error
            raise LabError(
                f"All {self.max_size} connections are in use: {str(error).strip()}",
                "Each is given back when its transaction ends.",
                "Try again, or let fewer threads work at once.",
            ) from error

    @contextlib.contextmanager
    def connection(self, timeout: float | None = None) -> Iterator[Connection]:
        with super().connection(timeout) as connection:
            try:
                yield connection
            except psycopg.Error as error:
                if (told := _told(error, connection)) is error:
                    raise
                raise told from error

    @property
    def _login(self) -> Mapping[str, Any]:
        return dict(self.kwargs) if isinstance(self.kwargs, Mapping) else {}


def pool(server: Server, role: Role, *, size: int = 4) -> Pool:
    """Up to `size` open connections of one role for `with pool.connection() as connection`. Close it, or use
    it in a `with`.

    A connection is tried before it is handed out, so that a restarted server is met by a new one. Raises
    LabError after 10 s without one.
    """
    login: Mapping[str, Any] = getattr(server, role)
    with _session(login, vector=False):
        pass  # a pool tries for a long time; a server that is not there is known at once
    made = Pool(
        kwargs=dict(login),
        min_size=1,
        max_size=size,
        timeout=10.0,
        configure=_ready_to_read if role == "reader" else _know_vectors,
        check=psycopg_pool.ConnectionPool.check_connection,
        name=f"lab-{role}",
        open=False,
    )
    try:
        made.open(wait=True, timeout=10.0)
    except psycopg_pool.PoolTimeout as error:
        made.close()
        raise _unreachable(error) from error
    return made


@contextlib.contextmanager
def _session(
    login: Mapping[str, Any], vector: bool, prepare: Callable[[Connection], None] = lambda _: None
) -> Iterator[Connection]:
    try:
        connection = psycopg.connect(**login)
    except psycopg.OperationalError as error:
        raise _unreachable(error) from error
    try:
        with connection:
            if vector:
                _know_vectors(connection)
            prepare(connection)
            yield connection
    except psycopg.Error as error:
        if (told := _told(error, connection)) is error:
            raise
        raise told from error


def _know_vectors(connection: Connection) -> None:
    register_vector(connection)
    connection.rollback()  # looking up the types opened a transaction; the caller's begins with the caller


def _plan_anew(connection: Connection) -> None:
    """Statements are planned for the asker who asks: a plan kept for all askers does not know what their
    rights leave, and takes several times as long."""
    connection.execute("set plan_cache_mode to force_custom_plan")
    connection.commit()


def _ready_to_read(connection: Connection) -> None:
    _know_vectors(connection)
    _plan_anew(connection)


def _told(error: psycopg.Error, connection: Connection) -> Exception:
    """What a person can act on: the server is gone, or has no room; else the error itself."""
    if isinstance(error, psycopg.OperationalError) and connection.broken:
        return _unreachable(error)
    # A file that may not grow (a quota, a limit of the account) has no code of its own.
    if error.sqlstate == "53100" or any(sign in str(error) for sign in ("File too large", "quota exceeded")):
        return LabError(
            f"The database has no room: {str(error).strip()}",
            "Nothing of this batch was written; what was confirmed before stands.",
            "Free some disk and run it again; what is stored already is not written twice.",
        )
    return error


def _unreachable(error: Exception) -> LabError:
    if any(sign in str(error) for sign in ("too many clients", "connection slots", "too many connections")):
        return LabError(
            f"The database takes no more connections: {str(error).strip()}",
            "Each running command, notebook and test holds a few.",
            "End some of them and try again; nothing was written.",
        )
    return LabError(
        f"The database does not answer: {str(error).strip()}",
        "It was stopped, or its machine is gone.",
        "Start it with `python start.py up`; `python start.py doctor` says what is wrong.",
    )
