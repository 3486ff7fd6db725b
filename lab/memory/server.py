"""The database the lab runs on: the bundled PostgreSQL, or any server named by LAB_DATABASE_URL.

`up()` finds or starts it and hands out how to connect in three roles: the *owner* has the schema and runs
migrations, the *writer* and the *reader* are what the application uses. None of them is a superuser or may
bypass row-level security; reader and writer own nothing.

The bundled server outlives the process that started it, so that notebooks and commands share one; only
`down()` stops it. Idle it costs some 30 MB of memory and no processor time.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from lab.kinds import LabError
from lab.memory import cluster, homes, process, roles
from lab.memory.binaries import account_for, reachable
from lab.settings import ROOT, settings


@dataclass(frozen=True)
class Server:
    """How to connect, as keyword arguments for `psycopg.connect`, once per role."""

    owner: Mapping[str, Any] = field(repr=False)  # passwords stay out of tracebacks and logs
    reader: Mapping[str, Any] = field(repr=False)
    writer: Mapping[str, Any] = field(repr=False)
    bundled: bool
    data: Path | None
    """Data directory of the bundled server; None for a server of one's own."""


@dataclass(frozen=True)
class Status:
    """What a person wants to know about the database; taken without starting or changing anything."""

    running: bool
    bundled: bool
    version: str | None = None
    """PostgreSQL's version, "18.4"."""
    pid: int | None = None
    address: str | None = None
    """Socket path, or host:port."""
    home: Path | None = None
    data: Path | None = None
    data_bytes: int | None = None
    """Bytes on disk: the data directory, or the database of a server of one's own."""
    extensions: Mapping[str, str] = field(default_factory=dict)
    roles: Mapping[str, bool] = field(default_factory=dict)
    """Role name → bound by row-level security (neither superuser nor bypassing)."""
    problem: str | None = None
    """Why it cannot be used, in one sentence; None when it can."""


def home() -> Path:
    """Where the bundled server keeps data, passwords and log: LAB_HOME, else `.lab` in the repository.

    As root PostgreSQL runs as `nobody`; where that account cannot reach the repository (a clone under /root),
    a directory `/var/tmp/kraken-lab-<digest of the path>` is taken instead.
    """
    if chosen := settings().home:
        return homes.absolute(chosen)
    return homes.default(ROOT)


def up(home: Path | None = None, *, database_url: str | None = None) -> Server:
    """The server, ready: started if need be, with roles, database `lab` and extension `vector`. Safe to call
    at any time, from several processes at once; about 20 ms when all is there.

    `home` names another home for a bundled server (then LAB_DATABASE_URL is not looked at); `database_url`
    names a server of one's own. There the database of the URL is used and the three roles are made; their
    passwords are derived from the URL's, kept in `home/passwords.json` (0600), and set anew (ALTER ROLE)
    whenever a login with them fails. Raises LabError with what to do when it cannot be had.
    """
    where, url = _where(home, database_url)
    if ready := _ready(where, url):
        return ready
    homes.make(where)
    with homes.lock(where):
        return _ready(where, url) or (_up_external(where, url) if url else _up_bundled(where))


def identity(server: Server) -> str:
    """Which database this is: the same from every machine that reaches it, another for every other one."""
    with psycopg.connect(**server.reader) as connection:
        row = connection.execute(
            """select s.system_identifier || '/' || d.oid from pg_control_system() s, pg_database d
               where d.datname = current_database()"""
        ).fetchone()
    assert row is not None
    return str(row[0])


def down(home: Path | None = None) -> bool:
    """Stops the bundled server of this home, and nothing else. True if one was running."""
    where = _where(home, None)[0]
    if not os.path.exists(where / "data"):  # also where we may not look
        return False
    with homes.lock(where):
        return process.stop(where / "data")


def status(home: Path | None = None, *, database_url: str | None = None) -> Status:
    """What is there now. Never raises, never starts anything."""
    where, url = _where(home, database_url)
    data = where / "data"
    found = None if url else process.postmaster(data)
    known: dict[str, Any] = {"bundled": url is None, "home": where}
    if url is None:
        known["data"] = data
        known["data_bytes"] = _size(data)
        if found is None:
            return Status(running=False, problem="The bundled server is not running.", **known)
        known |= {"pid": found.pid, "address": _address_text(found.host, found.port)}
    try:
        login = _server(where, url, found).reader
        with psycopg.connect(**login) as connection:
            info = connection.info
            known["address"] = _address_text(info.host, info.port)
            known["version"] = f"{info.server_version // 10000}.{info.server_version % 10000}"
            known["extensions"] = dict(
                connection.execute("select extname, extversion from pg_extension").fetchall()
            )
            known["roles"] = dict(
                connection.execute(
                    "select rolname, not (rolsuper or rolbypassrls) from pg_roles where rolname = any(%s)",
                    [list(roles.ROLES)],
                ).fetchall()
            )
            if url:
                row = connection.execute("select pg_database_size(current_database())").fetchone()
                known["data_bytes"] = row[0] if row else None
        return Status(running=True, **known)
    except (psycopg.Error, LabError, KeyError) as error:
        said = "The roles are not set up yet." if isinstance(error, KeyError) else str(error).strip()
        return Status(running=found is not None, problem=said, **known)


def _where(home_: Path | None, url: str | None) -> tuple[Path, str | None]:
    if home_ is not None:
        return homes.absolute(home_), url
    return home(), url or settings().database_url


def _scope(url: str | None) -> str:
    return hashlib.sha256(url.encode()).hexdigest()[:16] if url else "bundled"


def _ready(where: Path, url: str | None) -> Server | None:
    """The fast path: everything was prepared before, and the reader can log in now."""
    found = None if url else process.postmaster(where / "data")
    if not url and found is None:
        return None
    if roles.load(where, _scope(url)).get(roles.READY) != roles.LAYOUT:
        return None
    with contextlib.suppress(psycopg.Error):
        server = _server(where, url, found)
        with psycopg.connect(**server.reader):
            return server
    return None


def _server(where: Path, url: str | None, found: process.Postmaster | None) -> Server:
    passwords = roles.load(where, _scope(url))
    address = _external_address(url) if url else {**_address(found), "dbname": roles.DATABASE}
    owner, reader, writer = (
        {**address, "user": role, "password": passwords[role]}
        for role in (roles.OWNER, roles.READER, roles.WRITER)
    )
    return Server(owner, reader, writer, bundled=not url, data=None if url else where / "data")


def _up_bundled(where: Path) -> Server:
    data = where / "data"
    if data.is_dir() and not any(data.iterdir()):
        data.rmdir()
    account = account_for(data)
    if not reachable(where, account):
        raise LabError(
            f"As root the lab runs PostgreSQL as the account `nobody`, which cannot reach {where}.",
            "Every directory above it must be passable for others.",
            "Set LAB_HOME to such a directory (as /var/tmp/kraken-lab), or start as an ordinary user.",
        )
    cluster.sweep(where)
    known = roles.load(where, "bundled")
    if data.exists() and (data / "PG_VERSION").exists() and roles.SUPERUSER not in known:
        raise _lost_key(where)
    passwords = {**roles.fresh_passwords(), **known, roles.READY: roles.LAYOUT}
    try:
        if not known:  # before the data directory exists, so that none is ever without a key
            roles.save(where, "bundled", {**passwords, roles.READY: ""})
        if not data.exists():
            cluster.initialise(data, passwords[roles.SUPERUSER], account)

        def answers(found: process.Postmaster) -> bool:
            login = {**_address(found), "user": roles.SUPERUSER, "password": passwords[roles.SUPERUSER]}
            try:
                psycopg.connect(**login, dbname="postgres").close()
            except psycopg.OperationalError as error:
                if "password authentication failed" in str(error):
                    raise _lost_key(where) from None
                return False
            return True

        found = process.start(data, where / "postgres.log", account, answers)
        roles.provision_bundled(_address(found), passwords)
        if known != passwords:
            roles.save(where, "bundled", passwords)
    except OSError as error:
        raise LabError(
            f"The database could not be set up in {where}: {error}",
            "",
            "Free some space, mend the rights or set LAB_HOME to another place, then `python start.py up`.",
        ) from error
    return _server(where, None, found)


def _up_external(where: Path, url: str) -> Server:
    address = _external_address(url)
    passwords = {**roles.derived_passwords(address.get("password")), **roles.load(where, _scope(url))}
    try:
        with psycopg.connect(**address, autocommit=True) as connection:
            roles.provision_external(connection, passwords)
    except psycopg.OperationalError as error:
        raise LabError(
            f"The server of LAB_DATABASE_URL does not answer: {str(error).strip()}",
            "",
            "Check the address and the password, or unset LAB_DATABASE_URL to use the bundled server.",
        ) from error
    roles.save(where, _scope(url), {**passwords, roles.READY: roles.LAYOUT})
    return _server(where, url, None)


def _external_address(url: str) -> dict[str, Any]:
    try:
        parts = dict(conninfo_to_dict(url))
    except psycopg.ProgrammingError:  # its text repeats the URL, password and all
        raise LabError(
            "LAB_DATABASE_URL cannot be read.",
            "Special characters in the password must be percent-encoded.",
            "Write it as postgresql://user:password@host:5432/database.",
        ) from None
    # What libpq would fill in from the user's name must not change when another role logs in.
    if "dbname" not in parts and parts.get("user"):
        parts["dbname"] = parts["user"]
    return {"connect_timeout": 10, **parts}


def _address(found: process.Postmaster | None) -> dict[str, Any]:
    if found is None:
        raise LabError("The bundled server is not running.", "", "Start it with `python start.py up`.")
    return {"host": found.host, "port": found.port, "connect_timeout": 10, "client_encoding": "utf8"}


def _address_text(host: str, port: int) -> str:
    return f"{host}/.s.PGSQL.{port}" if host.startswith("/") else f"{host}:{port}"


def _lost_key(where: Path) -> LabError:
    return LabError(
        f"{where / 'passwords.json'} does not fit the database beside it.",
        "It was lost or comes from elsewhere.",
        f'Bring it back, or begin anew: `python start.py down`, `mv "{where / "data"}" "{where / "old"}"`.',
    )


def _size(folder: Path) -> int | None:
    if not os.path.isdir(folder):
        return None
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            total += path.lstat().st_size if path.is_file() else 0
    return total
