"""All there is in a database, past every rule: for the examiner, as superuser of a server of his own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import LiteralString

import psycopg

from lab.benchmarks.leaks.oracle import Document, Edge, Link, Memory, World
from lab.memory import roles
from lab.memory.server import Server
from lab.memory.visibility import Connection

_OWN: LiteralString = " where %(own)s::text is null or workspace = %(own)s"


@contextmanager
def superuser(server: Server, home: Path) -> Iterator[Connection]:
    """A connection that no policy binds, to the bundled server of `home`; commits at the end."""
    password = roles.load(home, "bundled")[roles.SUPERUSER]
    login = {**server.owner, "user": roles.SUPERUSER, "password": password}
    with psycopg.connect(**login, options="-c search_path=lab,public") as connection:
        yield connection


def taken(connection: Connection, workspace: str | None = None) -> World:
    """Everything, of every workspace or of one."""
    own = {"own": workspace}
    row = connection.execute("select now()").fetchone()
    assert row is not None
    return World(
        now=row[0],
        rights=frozenset(
            connection.execute("select workspace, role, module from role_module" + _OWN, own).fetchall()
        ),
        memories={
            row[0]: Memory(*row)
            for row in connection.execute(
                """select serial, workspace, id, kind, collection, module, visibility = 'private', owner,
                          valid_from, valid_to, recorded_at, superseded_at, closed_at, expires_at, content,
                          parent_id, mind_id from memory"""
                + _OWN,
                own,
            )
        },
        entities={
            serial: (workspace, key)
            for serial, workspace, key in connection.execute(
                "select serial, workspace, id from entity" + _OWN, own
            )
        },
        mentions=frozenset(connection.execute("select memory, entity from mention" + _OWN, own).fetchall()),
        edges=tuple(
            Edge(*row)
            for row in connection.execute(
                """select serial, workspace, source, relation, target, evidence, module,
                          visibility = 'private', owner, valid_from, valid_to, recorded_at, superseded_at,
                          closed_at from edge"""
                + _OWN,
                own,
            )
        ),
        documents=tuple(
            Document(*row)
            for row in connection.execute(
                "select workspace, id, edition, module, valid_from, valid_to, recorded_at from document"
                + _OWN,
                own,
            )
        ),
        links=tuple(
            Link(*row)
            for row in connection.execute(
                "select workspace, id, source_document, source_edition, target_document, recorded_at "
                "from link" + _OWN,
                own,
            )
        ),
    )
