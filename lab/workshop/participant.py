"""What is kept of a participant, on this machine only: a pseudonym, the state of the tickets, own questions,
and one event line for each check, hint and solution."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import filelock

from lab.kinds import LabError
from lab.memory import homes, server

EVENTS = "events.jsonl"
OWN_GOLD = "own-questions.jsonl"
_TICKETS = "tickets.json"
_NAME = "pseudonym"


@dataclass(frozen=True, slots=True)
class Event:
    """One check, hint or solution. `outcome`: right, wrong, not attempted, not checkable, hint, solution."""

    who: str
    exercise: str
    outcome: str
    at: str
    """UTC, ISO 8601, to the second."""


def folder() -> Path:
    """Where a participant's files are, made at first sight: `workshop` in the lab's home."""
    where = server.home()
    homes.make(where)
    own = where / "workshop"
    own.mkdir(mode=0o700, exist_ok=True)
    return own


def pseudonym() -> str:
    """A name that says nothing of the person, made once; `LAB_PARTICIPANT` names another."""
    if chosen := os.environ.get("LAB_PARTICIPANT", "").strip():
        return chosen[:40]
    path = folder() / _NAME
    with _held():
        if not path.exists():
            path.write_text(f"kraken-{secrets.token_hex(3)}\n", encoding="utf-8")
        return path.read_text(encoding="utf-8").strip()


def log(exercise: str, outcome: str) -> Event:
    """Appends one event line and returns it."""
    event = Event(pseudonym(), exercise, outcome, datetime.now(UTC).isoformat(timespec="seconds"))
    line = json.dumps({name: getattr(event, name) for name in Event.__slots__}, ensure_ascii=False)
    with _held(), (folder() / EVENTS).open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    return event


def events() -> Iterator[Event]:
    """All events in the order they came. A torn last line, as a full disk leaves it, is passed over."""
    path = folder() / EVENTS
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            yield Event(**json.loads(line))
        except (ValueError, TypeError):
            continue


def tickets() -> dict[str, str]:
    """Ticket → its state, for those that were touched."""
    path = folder() / _TICKETS
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return {str(key): str(value) for key, value in found.items()}
    except (ValueError, AttributeError):
        raise LabError(
            f"{path} can't be read: it is no JSON object.",
            "",
            "Remove it; the tickets then stand open again.",
        ) from None


def remember(states: Mapping[str, str]) -> None:
    """Keeps the state of these tickets beside that of the others."""
    with _held():
        _write(folder() / _TICKETS, tickets() | dict(states))


def own_gold() -> Path:
    """The participant's own questions; the file need not exist yet."""
    return folder() / OWN_GOLD


def append_gold(line: Mapping[str, Any]) -> None:
    """Adds one gold line to the participant's own file."""
    with _held(), own_gold().open("a", encoding="utf-8") as file:
        file.write(json.dumps(dict(line), ensure_ascii=False) + "\n")


def _write(path: Path, value: object) -> None:
    """Whole or not at all."""
    beside = path.with_suffix(".new")
    beside.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    beside.replace(path)


def _held() -> filelock.BaseFileLock:
    """Two notebooks may be open."""
    return filelock.FileLock(folder() / ".lock", timeout=30, is_singleton=True)
