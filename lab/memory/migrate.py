"""Numbered SQL files, applied once and in order by the schema's owner; applied ones never change."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from lab.kinds import LabError
from lab.memory import connect
from lab.memory.roles import LOCK, READER, SCHEMA, WRITER
from lab.memory.server import Server

MIGRATIONS = Path(__file__).parent / "migrations"


@dataclass(frozen=True, slots=True)
class Migration:
    number: int
    name: str
    """File name without its suffix, `0001_memory`."""
    text: str
    sha256: str
    """Of the text with `\\n` line ends, so that a checkout on Windows has the same."""


def read(folder: Path) -> list[Migration]:
    """The migrations of a folder by number. LabError on a name without a number or a number taken twice."""
    found: dict[int, Migration] = {}
    for path in sorted(folder.glob("*.sql")):
        match = re.fullmatch(r"(\d{4})_[a-z0-9_]+", path.stem)
        if match is None:
            raise LabError(
                f"{path} is not named like a migration.", "Expected NNNN_name.sql, as in 0001_memory.sql."
            )
        number = int(match[1])
        if number in found:
            raise LabError(
                f"Migrations {found[number].name} and {path.stem} share number {match[1]}.",
                "Each number is used once.",
                f"Give {path.name} the next free number.",
            )
        text = path.read_text(encoding="utf-8")  # universal newlines
        found[number] = Migration(number, path.stem, text, hashlib.sha256(text.encode()).hexdigest())
    return [found[number] for number in sorted(found)]


def migrate(server: Server, folder: Path = MIGRATIONS) -> list[str]:
    """Applies what is missing, each file in one transaction; returns the names applied now, in order.

    Several processes may do so at once: an advisory lock lets each file run once. Raises LabError when an
    applied file was changed, when the database knows a file this checkout lacks, or when a file fails (which
    then has left nothing behind).
    """
    migrations = read(folder)
    done: list[str] = []
    with connect.owner(server, vector=False) as connection:
        _check(_applied(connection), migrations, folder)
        connection.rollback()
        for migration in migrations:
            with connection.transaction():
                connection.execute("select pg_advisory_xact_lock(%s)", [LOCK])
                applied = _applied(connection)
                _check(applied, migrations, folder)
                if migration.number not in applied:
                    _apply(connection, migration, folder)
                    done.append(migration.name)
    return done


def _applied(connection: psycopg.Connection[Any]) -> dict[int, tuple[str, str]]:
    """number → (name, sha256) of what the database has had."""
    # Not to_regclass: after waiting for the lock it may still answer from what this session looked up before.
    exists = connection.execute(
        "select from pg_class c join pg_namespace n on n.oid = relnamespace "
        "where nspname = %s and relname = %s",
        [SCHEMA, "schema_migration"],
    )
    if exists.rowcount == 0:
        return {}
    rows = connection.execute("select number, name, sha256 from lab.schema_migration").fetchall()
    return {number: (name, sha256) for number, name, sha256 in rows}


def _check(applied: dict[int, tuple[str, str]], migrations: list[Migration], folder: Path) -> None:
    here = {migration.number: migration for migration in migrations}
    for number, (name, sha256) in sorted(applied.items()):
        if number not in here:
            raise LabError(
                f"The database has had migration {name}, which {folder} lacks.",
                "The database is newer than this checkout.",
                "Update the checkout (git pull), or use another database through LAB_HOME.",
            )
        if here[number].sha256 != sha256:
            raise LabError(
                f"Migration {here[number].name} was changed after it had been applied (as {name}).",
                "An applied file stays as it is; changes go into a new one.",
                f"Restore {folder / (here[number].name + '.sql')} (git checkout) and add the next number.",
            )


def _apply(connection: psycopg.Connection[Any], migration: Migration, folder: Path) -> None:
    connection.execute(sql.SQL("create schema if not exists {}").format(sql.Identifier(SCHEMA)))
    connection.execute(
        sql.SQL("grant usage on schema {} to {}, {}").format(*map(sql.Identifier, (SCHEMA, READER, WRITER)))
    )
    connection.execute(
        "create table if not exists lab.schema_migration ("
        "number integer primary key, name text not null, sha256 text not null, "
        "applied_at timestamptz not null default now())"
    )
    connection.execute(sql.SQL("grant select on lab.schema_migration to {}").format(sql.Identifier(READER)))
    try:
        connection.execute(migration.text.encode())
    except psycopg.Error as error:
        where = folder / f"{migration.name}.sql"
        line = ""
        if position := error.diag.statement_position:
            line = f", line {migration.text[: int(position)].count(chr(10)) + 1}"
        raise LabError(
            f"Migration {where}{line} failed: {error.diag.message_primary or error}",
            "Nothing of it was kept.",
            "Mend the file and run `python start.py up` again.",
        ) from error
    connection.execute(
        "insert into lab.schema_migration (number, name, sha256) values (%s, %s, %s)",
        [migration.number, migration.name, migration.sha256],
    )
