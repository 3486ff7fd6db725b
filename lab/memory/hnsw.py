"""HNSW indexes where a collection has outgrown the exact scan: one a (workspace, space, collection, module).

One index over all modules fails where rights matter: who reads 2 % of it meets mostly what he may not see."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from psycopg import sql

from lab.memory.connect import owner, writer
from lab.memory.server import Server
from lab.memory.visibility import Connection, writing

FROM = 5_000
"""Vectors up to which the exact scan is taken: it is complete, and at 384 dimensions takes about 5 ms."""


def index_name(workspace: str, space: int, collection: str, module: str) -> str:
    """The index's name: a digest, since names of workspaces and modules may be long."""
    digest = hashlib.sha256("\0".join((workspace, str(space), collection, module)).encode()).hexdigest()[:16]
    return f"memory_vector_hnsw_{digest}"


def existing(connection: Connection, names: Iterable[str]) -> set[str]:
    """Those of `names` that are valid indexes."""
    rows = connection.execute(
        "select c.relname from pg_class c join pg_index i on i.indexrelid = c.oid "
        "where i.indrelid = 'memory_vector'::regclass and i.indisvalid and c.relname = any(%s)",
        [list(names)],
    )
    return {name for (name,) in rows}


def maintain(server: Server, workspace: str) -> list[str]:
    """Makes the indexes that are due, as the owner; returns their names. Writers wait, readers do not."""
    with writer(server) as connection, writing(connection, workspace):
        due = connection.execute(
            "select space, dimensions, collection, module from memory_vector where workspace = %s "
            "group by 1, 2, 3, 4 having count(*) > %s",
            [workspace, FROM],
        ).fetchall()
        names = {index_name(workspace, space, collection, module) for space, _, collection, module in due}
        missing = names - existing(connection, names)
    made = []
    for space, dimensions, collection, module in due:
        name = index_name(workspace, space, collection, module)
        if name not in missing:
            continue
        with owner(server) as connection:
            connection.execute("select pg_advisory_xact_lock(hashtextextended('lab.hnsw', 0))")
            connection.execute("set local maintenance_work_mem = '256MB'")
            connection.execute(
                sql.SQL(
                    "create index if not exists {name} on memory_vector "
                    "using hnsw ((vector::halfvec({dimensions})) halfvec_cosine_ops) "
                    "where workspace = {workspace} and space = {space} "
                    "and collection = {collection} and module = {module}"
                ).format(
                    name=sql.Identifier(name),
                    dimensions=sql.Literal(dimensions),
                    workspace=sql.Literal(workspace),
                    space=sql.Literal(space),
                    collection=sql.Literal(collection),
                    module=sql.Literal(module),
                )
            )
        made.append(name)
    return made
