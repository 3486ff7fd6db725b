"""What `lab mind` and `lab audit` do, as plain functions that the command line and the notebooks share."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from lab.kinds import LabError
from lab.memory import audit, audit_ends, credentials, migrate
from lab.memory import server as servers
from lab.memory.mind import Mind
from lab.memory.mind_reads import Found
from lab.memory.model import Memory
from lab.settings import settings


def _server() -> servers.Server:
    found = servers.up()
    migrate.migrate(found)
    return found


def opened(secret: str | None, mind: str | None = None) -> Mind:
    """The mind a credential opens, to be used in a `with`."""
    if not secret:
        raise LabError(
            "No credential was shown.",
            "A mind is opened with the secret of a person or an agent.",
            "Give it with --as or in LAB_CREDENTIAL; `lab mind new NAME --member YOU` makes a mind and one.",
        )
    return Mind.open(_server(), secret, mind)


def new(name: str, member: str) -> dict[str, Any]:
    """A mind of one person, and that person's credential where there is none yet: then with its secret, which
    is stored nowhere."""
    server, workspace = _server(), settings().workspace
    known = [
        own
        for own, kind, whose, valid in credentials.names(server, workspace)
        if kind == "human" and whose == member.strip() and valid
    ]
    secret = None if known else credentials.issue_human(server, workspace, member, member)
    mind = credentials.create_mind(server, workspace, name, (member,))
    return {
        "mind": mind,
        "name": name.strip(),
        "credential": known[0] if known else member.strip(),
        "secret": secret,
    }


def key(name: str, mind: str) -> dict[str, Any]:
    """A credential for an agent of one mind."""
    secret = credentials.issue_agent(_server(), settings().workspace, name, mind)
    return {"mind": mind, "credential": name.strip(), "secret": secret}


def revoke(name: str) -> None:
    credentials.revoke(_server(), settings().workspace, name)


def listed() -> dict[str, Any]:
    """Minds and credentials of the workspace; no secrets, no memories."""
    server, workspace = _server(), settings().workspace
    return {
        "minds": [
            {"id": mind, "name": name, "members": list(members)}
            for mind, name, members in credentials.minds(server, workspace)
        ],
        "credentials": [
            {"name": name, "kind": kind, "of": whose, "valid": valid}
            for name, kind, whose, valid in credentials.names(server, workspace)
        ],
    }


def memory_json(memory: Memory) -> dict[str, Any]:
    return {
        name: value.isoformat() if hasattr(value, "isoformat") else value
        for name, value in asdict(memory).items()
    }


def found_json(found: Sequence[Found]) -> dict[str, Any]:
    """The object of `lab mind search --json`."""
    return {
        "memories": [
            memory_json(item.memory) | {"score": item.score, "scores": dict(item.scores)} for item in found
        ]
    }


def shown(memories: Sequence[Memory]) -> RenderableType:
    """Memories for people, one after the other."""
    if not memories:
        return Text("Nothing.")
    lines: list[RenderableType] = []
    for memory in memories:
        mark = "verified" if memory.verified else "unverified"
        head = (
            f"{memory.id}  {memory.category}/{memory.key}  ({memory.priority}, {mark}, {memory.confidence:g})"
        )
        lines += [Text(head, style="bold"), Text("  " + "\n  ".join(memory.content.splitlines()))]
        if memory.tags:
            lines.append(Text(f"  Tags: {', '.join(memory.tags)}", style="dim"))
        if memory.expires_at:
            lines.append(Text(f"  Expires: {memory.expires_at.isoformat(timespec='minutes')}", style="dim"))
    return Group(*lines)


# The log ----------------------------------------------------------------------------------------------------


def log(last: int) -> list[audit.Line]:
    return audit.read(_server(), settings().workspace, last)


def line_json(line: audit.Line) -> dict[str, Any]:
    return {
        "number": line.number,
        "at": line.at.isoformat(),
        "actor": line.actor,
        "kind": line.kind,
        "action": line.action,
        "mind": line.mind,
        "asked": line.asked,
        "memories": list(line.memories),
        "as_of": line.as_of.isoformat() if line.as_of else None,
        "rung": line.rung,
        "detail": json.loads(line.detail),
        "hash": line.hash.hex(),
    }


def log_table(lines: Sequence[audit.Line]) -> RenderableType:
    table = Table(box=None, header_style="bold")
    for heading in ("#", "when (UTC)", "who", "what", "asked", "memories"):
        table.add_column(heading, overflow="fold")
    for line in lines:
        outcome = json.loads(line.detail).get("outcome")
        memories = ", ".join(line.memories[:3]) + (
            f" and {len(line.memories) - 3} more" if len(line.memories) > 3 else ""
        )
        table.add_row(
            str(line.number),
            line.at.strftime("%Y-%m-%d %H:%M:%S"),
            Text(f"{line.actor} ({line.kind})"),
            line.action + (f" {line.rung}" if line.rung else "") + (f": {outcome}" if outcome else ""),
            Text(line.asked or ""),
            Text(memories),
        )
    return table


def verify(head: str | None = None) -> audit.Report:
    """The log recomputed, and compared with the end noted at the last verification and with `head`. A log
    without problems has its end noted."""
    server, workspace, home = _server(), settings().workspace, servers.home()
    home.mkdir(parents=True, exist_ok=True)
    known = list(audit_ends.noted(home, server, workspace))
    if head is not None:
        known.append(audit.parse_end(head))
    report = audit.verify(server, workspace, known)
    if not report.problems and report.head is not None:
        audit_ends.note(home, server, workspace, report.head)
    return report
