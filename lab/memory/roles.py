"""The three login roles, their passwords and their database: who owns, who writes, who reads."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from lab.kinds import LabError

OWNER, READER, WRITER = "lab_owner", "lab_reader", "lab_writer"
ROLES = (OWNER, READER, WRITER)
SUPERUSER = "postgres"
DATABASE = "lab"
SCHEMA = "lab"
LOCK = 0x6B72616B656E
"""Advisory lock of one's own for whoever changes roles or schema."""
READY = "ready"
"""Key in the password file that says: roles, database and extension were made by this layout."""
LAYOUT = "1"


def load(home: Path, scope: str) -> dict[str, str]:
    """Passwords by role for one server (`bundled`, or a digest of a URL); empty when none are known."""
    try:
        known = json.loads((home / "passwords.json").read_text(encoding="utf-8"))
        return dict(known.get(scope, {}))
    except (FileNotFoundError, json.JSONDecodeError):
        return {}
    except PermissionError:
        raise LabError(
            f"{home / 'passwords.json'} belongs to another user.",
            "",
            "Set LAB_HOME to a directory of your own.",
        ) from None


def save(home: Path, scope: str, passwords: Mapping[str, str]) -> None:
    """Replaces one server's passwords in the file, which only its owner can read; never half a file."""
    path = home / "passwords.json"
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        known = {}
    handle, half = tempfile.mkstemp(prefix="passwords-", dir=home)  # created 0600
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump({**known, scope: dict(passwords)}, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        if os.name != "nt" and os.geteuid() == 0:
            owner = home.stat()
            os.chown(half, owner.st_uid, owner.st_gid)
        os.replace(half, path)
    finally:
        Path(half).unlink(missing_ok=True)


def fresh_passwords() -> dict[str, str]:
    return {role: secrets.token_urlsafe(24) for role in (*ROLES, SUPERUSER)}


def derived_passwords(password: str | None) -> dict[str, str]:
    """For a server of one's own: the same on every machine that has the same URL, so that they do not lock
    each other out.

    scrypt of the URL's password, salted by role; random where the URL has none.
    """
    if not password:
        return {role: secrets.token_urlsafe(24) for role in ROLES}
    return {
        role: hashlib.scrypt(
            password.encode(), salt=f"kraken-lab/{role}".encode(), n=2**14, r=8, p=1, dklen=24
        ).hex()
        for role in ROLES
    }


def provision_bundled(address: Mapping[str, Any], passwords: Mapping[str, str]) -> None:
    """Roles, database and extension on the bundled server, as its superuser. Safe to repeat."""
    login = {**address, "user": SUPERUSER, "password": passwords[SUPERUSER]}
    with psycopg.connect(**{**login, "dbname": "postgres"}, autocommit=True) as connection:
        make_roles(connection, passwords)
        if connection.execute("select from pg_database where datname = %s", [DATABASE]).rowcount == 0:
            connection.execute(
                sql.SQL("create database {} owner {}").format(sql.Identifier(DATABASE), sql.Identifier(OWNER))
            )
    with psycopg.connect(**{**login, "dbname": DATABASE}, autocommit=True) as connection:
        connection.execute(
            sql.SQL("revoke all on database {} from public").format(sql.Identifier(DATABASE))
        )  # also temporary tables for the reader
        prepare_database(connection, DATABASE)
        connection.execute(
            sql.SQL("grant temporary on database {} to {}").format(
                sql.Identifier(DATABASE), sql.Identifier(WRITER)
            )
        )


def provision_external(connection: psycopg.Connection[Any], passwords: Mapping[str, str]) -> None:
    """The same on somebody's server, with no more rights than CREATEROLE and owning the database."""
    database, user = connection.info.dbname, connection.info.user
    try:
        with connection.transaction():  # all or nothing, one at a time
            connection.execute("select pg_advisory_xact_lock(%s)", [LOCK])
            make_roles(connection, passwords)
            prepare_database(connection, database)
    except psycopg.errors.InsufficientPrivilege as error:
        quoted = sql.SQL(
            "ALTER ROLE {user} CREATEROLE; ALTER DATABASE {database} OWNER TO {user}; and, for lab roles "
            "of another's: GRANT lab_owner, lab_reader, lab_writer TO {user} WITH ADMIN OPTION;"
        ).format(user=sql.Identifier(user), database=sql.Identifier(database))
        raise LabError(
            f"The role {user} of LAB_DATABASE_URL may not prepare database {database}: {error}",
            "It needs CREATEROLE, must own the database, and must administer lab roles that exist already.",
            f"As an administrator: {quoted.as_string(connection)}",
        ) from error


def make_roles(connection: psycopg.Connection[Any], passwords: Mapping[str, str]) -> None:
    """Creates the roles that are missing and gives all three the known passwords.

    Raises LabError when one of them could ignore row-level security.
    """
    existing = {
        name: bool(above)
        for name, above in connection.execute(
            "select rolname, rolsuper or rolbypassrls from pg_roles where rolname = any(%s)", [list(ROLES)]
        )
    }
    for role in ROLES:
        if existing.get(role):
            raise LabError(
                f"Role {role} is a superuser or may bypass row-level security.",
                "The lab's roles must not be, or nothing would be hidden from anybody.",
                f"As an administrator: ALTER ROLE {role} NOSUPERUSER NOBYPASSRLS;",
            )
        verb = "alter" if role in existing else "create"
        # A verifier instead of the password itself: it then stands in no server log.
        encoding = connection.info.encoding
        verifier = connection.pgconn.encrypt_password(
            passwords[role].encode(encoding), role.encode(encoding), b"scram-sha-256"
        ).decode(encoding)
        connection.execute(
            sql.SQL(verb + " role {} login password {}").format(sql.Identifier(role), sql.Literal(verifier))
        )


def prepare_database(connection: psycopg.Connection[Any], database: str) -> None:
    """Extension `vector`, who may connect, and the schemas in which the roles look for names."""
    name = sql.Identifier(database)
    roles = sql.SQL(", ").join(map(sql.Identifier, ROLES))
    make_extension(connection)
    connection.execute(sql.SQL("grant connect on database {} to {}").format(name, roles))
    connection.execute(sql.SQL("grant create on database {} to {}").format(name, sql.Identifier(OWNER)))
    # A grant by somebody who may not grant is only a warning.
    for role, privilege in ((OWNER, "create"), *((role, "connect") for role in ROLES)):
        granted = connection.execute("select has_database_privilege(%s, %s, %s)", [role, database, privilege])
        if granted.fetchone() != (True,):
            raise psycopg.errors.InsufficientPrivilege(f"{role} could not be granted {privilege.upper()}")
    row = connection.execute(
        "select nspname from pg_extension e join pg_namespace n on n.oid = extnamespace "
        "where extname = 'vector'"
    ).fetchone()
    assert row is not None
    path = sql.SQL(", ").join(map(sql.Identifier, dict.fromkeys([SCHEMA, row[0], "public"])))
    for role in ROLES:
        connection.execute(
            sql.SQL("alter role {} in database {} set search_path = {}").format(
                sql.Identifier(role), name, path
            )
        )


def make_extension(connection: psycopg.Connection[Any]) -> None:
    """`vector`, at least 0.7 (halfvec, sparsevec). Raises LabError with the administrator's command."""
    refusals = (
        psycopg.errors.InsufficientPrivilege,
        psycopg.errors.FeatureNotSupported,
        psycopg.errors.UndefinedFile,
    )
    try:
        connection.execute("create extension if not exists vector")
    except refusals as error:
        raise LabError(
            f"The extension pgvector could not be created in database {connection.info.dbname}: {error}",
            "It must be installed on the server; creating it may need an administrator, once.",
            "As an administrator, in that database: CREATE EXTENSION vector;",
        ) from error
    row = connection.execute("select extversion from pg_extension where extname = 'vector'").fetchone()
    version = row[0] if row else "0"
    if tuple(int(part) for part in version.split(".")[:2]) < (0, 7):
        raise LabError(
            f"pgvector {version} is too old.",
            "0.7 or newer is needed (halfvec).",
            "ALTER EXTENSION vector UPDATE;",
        )
