"""Who looks. The only place that tells the database, which then applies the rule itself (policy `look`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus

from lab.kinds import LabError, Sight

Connection = psycopg.Connection[Any]
SETTINGS = ("lab.workspace", "lab.roles", "lab.member", "lab.as_of", "lab.known_at", "lab.credential")


@dataclass(frozen=True, slots=True)
class View:
    """A connection for as long as it looks with somebody's eyes; what every search takes.

    Kept beyond its block it sees nothing: the settings end with the block."""

    connection: Connection
    sight: Sight
    modules: tuple[str, ...]
    """What the roles may read, sorted; empty for unknown roles."""


@contextmanager
def looking(connection: Connection, sight: Sight, credential: str = "") -> Iterator[View]:
    """One transaction in which `connection` sees what `sight` may see. Several searches in it see one state.
    A mind's memories are seen with a credential's secret only, whatever the roles.

    Raises LabError when the connection's role is not bound by the rule (superuser, owner, writer)."""
    fresh = connection.info.transaction_status == TransactionStatus.IDLE
    with connection.transaction():
        if fresh:  # one snapshot for all that is read, whatever is ingested meanwhile
            connection.execute("set transaction isolation level repeatable read, read only")
        _check(connection)
        before = _current(connection)
        _tell(
            connection,
            {
                "lab.workspace": sight.workspace,
                "lab.roles": _array(sight.roles),
                "lab.member": sight.member or "",
                "lab.as_of": "all" if sight.as_of is None else sight.as_of.isoformat(),
                "lab.known_at": "" if sight.known_at is None else sight.known_at.isoformat(),
                "lab.credential": credential,
            },
        )
        modules = connection.execute("select distinct module from role_module order by 1").fetchall()
        yield View(connection, sight, tuple(module for (module,) in modules))
        # Within a caller's own transaction the settings would outlive the block. (An error undoes them.)
        _tell(connection, before)


@contextmanager
def writing(connection: Connection, workspace: str, credential: str = "") -> Iterator[Connection]:
    """One transaction in which the writer's role has the rows of one workspace. With a credential's secret:
    only those of its minds, within what its kind may do; without: only those that belong to no mind."""
    with connection.transaction():
        before = _current(connection)
        given = {"lab.workspace": workspace, "lab.credential": credential}
        _tell(connection, dict.fromkeys(SETTINGS, "") | given)
        yield connection
        _tell(connection, before)


def _check(connection: Connection) -> None:
    """Other roles have policies of their own or none: with them the rule would not be the asker's."""
    row = connection.execute(
        "select current_user, row_security_active('memory') and not has_table_privilege('memory', 'insert')"
    ).fetchone()
    assert row is not None
    if not row[1]:
        raise LabError(
            f"The database role {row[0]} is not bound by the rule of who sees what.",
            "Questions are asked as lab_reader.",
            "Connect with lab.memory.connect.reader(server).",
        )


def _current(connection: Connection) -> dict[str, str]:
    row = connection.execute(
        "select " + ", ".join(["coalesce(current_setting(%s, true), '')"] * len(SETTINGS)), SETTINGS
    ).fetchone()
    assert row is not None
    return dict(zip(SETTINGS, row, strict=True))


def _tell(connection: Connection, values: Mapping[str, str]) -> None:
    """Transaction-local, so that a connection given back to a pool has forgotten whose eyes it was."""
    connection.execute(
        "select " + ", ".join(["set_config(%s, %s, true)"] * len(SETTINGS)),
        [part for name in SETTINGS for part in (name, _clean(values[name]))],
    )


def _array(roles: frozenset[str]) -> str:
    """A PostgreSQL array literal; '' for no roles, which reads as null: nothing seen."""
    quoted = ['"' + role.replace("\\", "\\\\").replace('"', '\\"') + '"' for role in sorted(roles)]
    return "{" + ",".join(quoted) + "}" if quoted else ""


def _clean(value: str) -> str:
    if "\0" in value or not value.isprintable():
        raise LabError(f"{value!r} is no name of a workspace, role or member.", "Printable characters.")
    return value
