"""Ends of the log noted outside the database, so that a log cut off at its end, or written anew as a whole by
somebody who owns the database, is found out: `audit-ends.json` in the lab's home."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from lab.kinds import LabError
from lab.memory.audit import End, parse_end
from lab.memory.server import Server

FILE = "audit-ends.json"


def noted(home: Path, server: Server, workspace: str) -> tuple[End, ...]:
    """The end noted for this server's workspace; none before the first `note`.

    LabError for an unreadable file."""
    text = _known(home).get(_name(server, workspace))
    return () if text is None else (parse_end(text),)


def note(home: Path, server: Server, workspace: str, end: End) -> None:
    """Replaces the noted end; never half a file."""
    known = _known(home) | {_name(server, workspace): str(end)}
    handle, half = tempfile.mkstemp(prefix="audit-ends-", dir=home)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(known, file, indent=1, ensure_ascii=False)
            file.flush()
            os.fsync(file.fileno())
        os.replace(half, home / FILE)
    finally:
        Path(half).unlink(missing_ok=True)


def _known(home: Path) -> dict[str, str]:
    try:
        return dict(json.loads((home / FILE).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError) as error:
        raise LabError(
            f"{home / FILE} can't be read: {error}",
            "JSON, as `lab audit verify` wrote it.",
            "Restore it; without it a log cut off at its end may go unnoticed.",
        ) from error


def _name(server: Server, workspace: str) -> str:
    if server.bundled:
        return f"bundled/{workspace}"
    login = server.writer
    return f"{login.get('host')}:{login.get('port')}/{login.get('dbname')}/{workspace}"
