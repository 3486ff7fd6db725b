"""The log of reads and writes: each row's hash covers the row and the hash before it, so that a row changed,
removed, moved or slipped in breaks the chain. The database appends (trigger `audit_append`) and locks the
chain's end until the transaction ends; here the chain is recomputed from the rows alone.

Rows cut off at the end leave a chain that holds. Their number and hash are known elsewhere: in the table
`audit_head`, which the writing role can't change, and wherever an earlier end was noted (`End`)."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any, LiteralString

from lab.kinds import LabError, Sight
from lab.memory.connect import writer
from lab.memory.search import fetch
from lab.memory.server import Server
from lab.memory.visibility import Connection, looking, writing

LONGEST = 2_000
"""Characters kept of what was asked."""
_COLUMNS: LiteralString = (
    "workspace, number, at, actor, kind, action, mind, asked, memories, as_of, rung, detail::text, "
    "previous, hash"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """What is logged of one read or write: ids of memories, never their words."""

    actor: str
    """Name of the credential, or the role asked as."""
    kind: str
    """`human`, `agent`, or `role` where no credential was shown."""
    action: str
    asked: str | None = None
    """The asker's own words, at most LONGEST characters."""
    memories: Sequence[str] = ()
    """Ids of what was answered or written, as far as the asker may see it."""
    mind: str | None = None
    as_of: date | None = None
    rung: str | None = None
    detail: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Line:
    """An entry as it stands in the log."""

    workspace: str
    number: int
    at: datetime
    actor: str
    kind: str
    action: str
    mind: str | None
    asked: str | None
    memories: tuple[str, ...]
    as_of: date | None
    rung: str | None
    detail: str
    """JSON, letter by letter as it was hashed."""
    previous: bytes
    hash: bytes


@dataclass(frozen=True, slots=True)
class End:
    """An end of the chain as it once was."""

    number: int
    hash: str
    """64 hexadecimal digits."""

    def __str__(self) -> str:
        return f"{self.number}:{self.hash}"


@dataclass(frozen=True, slots=True)
class Report:
    """What `verify` found; no problems: the log is as it was written."""

    rows: int
    head: End | None
    """The end that was verified, to be kept elsewhere; None for an empty log."""
    problems: tuple[str, ...]


def append(connection: Connection, workspace: str, entry: Entry) -> None:
    """Adds a row within the caller's transaction, as its last step: from here until its end others wait."""
    connection.execute(
        """insert into audit (workspace, actor, kind, action, mind, asked, memories, as_of, rung, detail)
           values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s::json)""",
        [
            workspace,
            _kept(entry.actor),
            entry.kind,
            entry.action,
            entry.mind,
            None if entry.asked is None else _kept(entry.asked),
            list(entry.memories),
            entry.as_of,
            None if entry.rung is None else _kept(entry.rung),
            json.dumps(entry.detail, sort_keys=True, default=str),
        ],
    )


def record(server: Server, workspace: str, entry: Entry) -> None:
    """Adds a row in a transaction of its own."""
    with writer(server, vector=False) as connection, writing(connection, workspace):
        append(connection, workspace, entry)


def answered(
    server: Server,
    looker: Connection,
    sight: Sight,
    *,
    role: str,
    question: str,
    memories: Sequence[str],
    rung: str,
    detail: Mapping[str, object],
) -> None:
    """Logs a question that was answered to `sight`. Of `memories` only those its roles may see, of whichever
    day: a rung may read with rights of its own, and the lower ones look across all editions. `looker`: a
    connection of the reading role."""
    with looking(looker, replace(sight, as_of=None)) as view:
        seen = fetch(view, memories)
    entry = Entry(role, "role", "ask", question, list(seen), as_of=sight.as_of, rung=rung, detail=detail)
    record(server, sight.workspace, entry)


def read(server: Server, workspace: str, last: int = 50) -> list[Line]:
    """The newest rows, oldest of them first."""
    with writer(server, vector=False) as connection, writing(connection, workspace):
        rows = connection.execute(
            "select " + _COLUMNS + " from audit where workspace = %s order by number desc limit %s",
            [workspace, last],
        ).fetchall()
    return [_line(row) for row in reversed(rows)]


def verify(server: Server, workspace: str, known: Iterable[End] = ()) -> Report:
    """Recomputes the chain from its first row and compares its end with `audit_head` and with the ends known
    from elsewhere."""
    with writer(server, vector=False) as connection:
        with connection.transaction():
            # One snapshot: rows appended meanwhile are after the head that is read here.
            connection.execute("set transaction isolation level repeatable read, read only")
            with writing(connection, workspace):
                row = connection.execute(
                    "select number, hash from audit_head where workspace = %s", [workspace]
                ).fetchone()
                head = End(row[0], bytes(row[1]).hex()) if row else None
                with connection.cursor(name="audit") as cursor:
                    cursor.itersize = 1_000
                    cursor.execute(
                        "select " + _COLUMNS + " from audit where workspace = %s order by number", [workspace]
                    )
                    return check(map(_line, cursor), head, known)


def check(lines: Iterable[Line], head: End | None, known: Iterable[End] = ()) -> Report:
    """The same over lines in order of their number, from wherever they come."""
    noted: dict[int, list[End]] = {}
    for one in known:
        noted.setdefault(one.number, []).append(one)
    problems: list[str] = []
    rows, number, before = 0, 0, b""
    for line in lines:
        rows += 1
        if line.number != number + 1:
            gone = (
                f"row {number + 1} is"
                if line.number == number + 2
                else f"rows {number + 1} to {line.number - 1} are"
            )
            problems.append(f"{gone} missing")
        if line.previous != before:
            problems.append(f"row {line.number} does not follow the row before it")
        if digest(line) != line.hash:
            problems.append(f"row {line.number} was changed")
        problems += [
            f"row {line.number} is not the one noted earlier"
            for one in noted.pop(line.number, ())
            if one.hash != line.hash.hex()
        ]
        number, before = line.number, line.hash
    end = head.number if head else 0
    if number < end:
        problems.append(f"the log ends at row {number} but was at row {end}: its end was cut off")
    elif number != end or (head is not None and rows and before.hex() != head.hash):
        problems.append(f"the log's end, row {number}, is not the one that was appended last")
    problems += [
        f"row {number} was noted earlier and is missing: the log's end was cut off"
        for number in sorted(noted)
        if number > 0
    ]
    return Report(rows, End(number, before.hex()) if rows else None, tuple(problems))


def digest(line: Line) -> bytes:
    """The hash a row must have: SHA-256 of the hash before it and of all other columns, each with its length
    in bytes in front (`-` for null)."""
    parts = (
        line.workspace,
        str(line.number),
        line.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        line.actor,
        line.kind,
        line.action,
        line.mind,
        line.asked,
        "".join(map(_part, line.memories)),
        line.as_of.isoformat() if line.as_of else None,
        line.rung,
        line.detail,
    )
    return hashlib.sha256(line.previous + "".join(map(_part, parts)).encode()).digest()


def parse_end(text: str) -> End:
    """An end from what `str` made of it. LabError when it is none."""
    match = re.fullmatch(r"\s*(\d{1,18}):([0-9a-f]{64})\s*", text)
    if match is None:
        raise LabError(f"{text[:100]!r} is no end of a log.", "NUMBER:HASH, as `lab audit verify` prints it.")
    return End(int(match[1]), match[2])


def _part(value: str | None) -> str:
    return "-" if value is None else f"{len(value.encode())}:{value}"


def _line(row: Sequence[Any]) -> Line:
    (
        workspace, number, at, actor, kind, action, mind, asked, memories, as_of, rung, detail, previous, own,
    ) = row  # fmt: skip
    return Line(
        workspace, number, at, actor, kind, action, mind, asked, tuple(memories), as_of, rung, detail,
        bytes(previous), bytes(own),
    )  # fmt: skip


def _kept(text: str) -> str:
    """What can be stored of it: a log must not fail for a question's odd letters."""
    clean = text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
    return clean if len(clean) <= LONGEST else clean[: LONGEST - 1] + "…"
