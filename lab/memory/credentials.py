"""Minds and the keys to them: a person's, which opens the minds of that person, and an agent's, which opens
one mind. The database looks a secret up itself; here it is drawn, and its hash stored."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass, field
from typing import Literal

import psycopg

from lab.kinds import LabError
from lab.memory.connect import writer
from lab.memory.server import Server
from lab.memory.visibility import Connection, writing

MODULE = "mind:"
"""Prefix of a mind's module, which is also the name of the one role that reads it."""
_SECRET = re.compile(r"lab_[ha]_[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True)
class Credential:
    """Who shows a secret, as the database knows him."""

    name: str
    kind: Literal["human", "agent"]
    member: str | None
    """The person; None for an agent."""
    secret: str = field(repr=False)
    minds: tuple[str, ...] = ()
    """What it opens, sorted."""

    @property
    def agent(self) -> bool:
        return self.kind == "agent"


def create_mind(server: Server, workspace: str, name: str, members: tuple[str, ...]) -> str:
    """A new mind of these people; its id, `m_…`."""
    mind = f"m_{secrets.token_hex(6)}"
    with writer(server) as connection, writing(connection, workspace):
        connection.execute(
            "insert into mind (workspace, id, name, members) values (%s, %s, %s, %s)",
            [workspace, mind, _name(name), sorted({_name(member) for member in members})],
        )
        connection.execute(
            "insert into role_module (workspace, role, module) values (%s, %s, %s)",
            [workspace, MODULE + mind, MODULE + mind],
        )
    return mind


def issue_human(server: Server, workspace: str, name: str, member: str) -> str:
    """A new person's credential; the secret, which is stored nowhere. LabError when the name is taken."""
    return _issue(server, workspace, _name(name), "human", member=_name(member))


def issue_agent(server: Server, workspace: str, name: str, mind: str) -> str:
    """The same for an agent of one mind. LabError when there is no such mind."""
    return _issue(server, workspace, _name(name), "agent", mind=mind)


def revoke(server: Server, workspace: str, name: str) -> None:
    """From now on the credential opens nothing, also where it is in use. LabError when there is none."""
    with writer(server) as connection, writing(connection, workspace):
        revoked = connection.execute(
            "update credential set revoked_at = coalesce(revoked_at, now()) "
            "where workspace = %s and name = %s",
            [workspace, _name(name)],
        )
        if revoked.rowcount == 0:
            raise LabError(f"There is no credential {name!r}.", "", "`lab mind list` names them.")


def names(server: Server, workspace: str) -> list[tuple[str, str, str, bool]]:
    """(name, kind, member or mind, still valid) of every credential, by name."""
    with writer(server) as connection, writing(connection, workspace):
        return connection.execute(
            "select name, kind, coalesce(member, mind), revoked_at is null from credential "
            "where workspace = %s order by name",
            [workspace],
        ).fetchall()


def minds(server: Server, workspace: str) -> list[tuple[str, str, tuple[str, ...]]]:
    """(id, name, members) of every mind, by name. What is in them is not told."""
    with writer(server) as connection, writing(connection, workspace):
        rows = connection.execute(
            "select id, name, members from mind where workspace = %s order by name, id", [workspace]
        ).fetchall()
    return [(mind, name, tuple(members)) for mind, name, members in rows]


def identify(connection: Connection, workspace: str, secret: str) -> Credential:
    """Whose secret it is. LabError for one that is unknown here or revoked; which of them is not told."""
    if _SECRET.fullmatch(secret):
        with writing(connection, workspace, secret):
            row = connection.execute("select name, kind, member, acting_minds() from acting_as()").fetchone()
        if row is not None:
            name, kind, member, opened = row
            return Credential(name, kind, member, secret, tuple(sorted(opened)))
    raise LabError(
        "This credential opens nothing here.",
        "The secret of a person or an agent of this workspace, lab_h_… or lab_a_….",
        '`lab mind new "Name of the mind" --member you` makes a mind and shows its credential.',
    )


def _issue(
    server: Server, workspace: str, name: str, kind: str, member: str | None = None, mind: str | None = None
) -> str:
    secret = f"lab_{kind[0]}_{secrets.token_urlsafe(32)}"
    try:
        with writer(server) as connection, writing(connection, workspace):
            connection.execute(
                "insert into credential (workspace, name, kind, member, mind, secret_hash) "
                "values (%s, %s, %s, %s, %s, %s)",
                [workspace, name, kind, member, mind, hashlib.sha256(secret.encode()).digest()],
            )
    except psycopg.errors.UniqueViolation:
        raise LabError(
            f"There is a credential {name!r} already.",
            "Names are given once, so that the log stays true.",
            "Choose another name; a lost secret is revoked and issued anew under another name.",
        ) from None
    except psycopg.errors.ForeignKeyViolation:
        raise LabError(f"There is no mind {mind!r}.", "", "`lab mind list` names them.") from None
    return secret


def _name(value: str) -> str:
    name = value.strip()
    if not name or len(name) > 100 or not name.isprintable():
        raise LabError(f"{value[:100]!r} is no name.", "1 to 100 printable characters.")
    return name
