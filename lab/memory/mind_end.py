"""The end of a mind, with everything that was remembered in it. Its lines in the log stay."""

from __future__ import annotations

from lab.memory import mind_rows
from lab.memory.connect import writer
from lab.memory.credentials import MODULE
from lab.memory.mind_reads import COLUMNS, memory_of
from lab.memory.server import Server
from lab.memory.visibility import writing


def remove_mind(server: Server, workspace: str, mind: str, secret: str) -> int:
    """Deletes the mind's memories, expired ones too, with all that was made of them, then the mind and its
    agents' credentials. Returns the memories deleted.

    `secret`: of one of its people; with an agent's, or one that does not open it, nothing is deleted: 0."""
    with writer(server) as connection:
        with writing(connection, workspace, secret):
            allowed = connection.execute(
                "select acting_kind() = 'human' and %s = any(acting_minds())", [mind]
            ).fetchone()
            if allowed != (True,):
                return 0
            mind_rows.lock(connection, workspace, mind)
            rows = connection.execute(
                "select m.serial, " + COLUMNS + " from memory m where m.workspace = %s and m.mind_id = %s",
                [workspace, mind],
            ).fetchall()
            for serial, *columns in rows:
                mind_rows.remove(connection, workspace, serial, memory_of(columns))
        with writing(connection, workspace):
            connection.execute("delete from mind where workspace = %s and id = %s", [workspace, mind])
            connection.execute(
                "delete from role_module where workspace = %s and module = %s", [workspace, MODULE + mind]
            )
    return len(rows)
