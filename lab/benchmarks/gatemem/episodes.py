"""Episodes and checkpoints as the benchmark publishes them (arXiv 2606.18829): JSON Lines, a domain a pair of
files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lab.kinds import LabError


@dataclass(frozen=True, slots=True)
class Principal:
    id: str
    role: str
    name: str


@dataclass(frozen=True, slots=True)
class Turn:
    id: str
    at: datetime
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A question by `asker` after the turn `turn`. `include` are patterns, `leaks` strings."""

    id: str
    turn: str
    asker: str
    type: str
    action: str
    query: str
    include: tuple[str, ...]
    leaks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Episode:
    id: str
    principals: tuple[Principal, ...]
    relationships: tuple[Mapping[str, str], ...]
    turns: tuple[Turn, ...]
    checkpoints: tuple[Checkpoint, ...]


def domains(folder: Path) -> list[str]:
    """Names of the domains in `folder`, sorted. LabError when there is none."""
    found = sorted(path.name.removesuffix(".episodes.jsonl") for path in folder.glob("*.episodes.jsonl"))
    if not found:
        raise LabError(
            f"{folder} holds no GateMem domain.",
            "NAME.episodes.jsonl and NAME.checkpoints.jsonl.",
            "lab bench gatemem DIR, with the folder of the downloaded data.",
        )
    return found


def load(folder: Path, domain: str) -> list[Episode]:
    """The episodes of a domain with their checkpoints in the order of turns. LabError for a damaged file."""
    asked: dict[str, list[Checkpoint]] = {}
    for row, where in _rows(folder / f"{domain}.checkpoints.jsonl"):
        try:
            asked.setdefault(row["episode_id"], []).append(
                Checkpoint(
                    row["checkpoint_id"], row["as_of_turn_id"], row["asker"]["principal_id"],
                    row["query_type"], row["expected_action"], row["query_text"],
                    tuple((row.get("judge_spec") or {}).get("include") or ()),
                    tuple(row.get("leak_targets") or ()),
                )
            )  # fmt: skip
        except (KeyError, TypeError, AttributeError) as error:
            raise _damaged(where, error) from error
    episodes = []
    for row, where in _rows(folder / f"{domain}.episodes.jsonl"):
        try:
            turns = tuple(
                Turn(t["turn_id"], _moment(t["timestamp"]), t["speaker"]["principal_id"], t["text"])
                for t in row["turns"]
            )
            order = {turn.id: at for at, turn in enumerate(turns)}
            episodes.append(
                Episode(
                    row["episode_id"],
                    tuple(
                        Principal(key := p["principal_id"], p.get("role", ""), p.get("display_name") or key)
                        for p in row["entities"]["principals"]
                    ),
                    tuple(
                        {key: str(value) for key, value in r.items() if isinstance(value, str)}
                        for r in row["entities"].get("relationships", ())
                    ),
                    turns,
                    tuple(sorted(asked.get(row["episode_id"], ()), key=lambda c: order[c.turn])),
                )
            )  # fmt: skip
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise _damaged(where, error) from error
    return episodes


def _moment(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _rows(path: Path) -> Iterator[tuple[Any, str]]:
    if not path.is_file():
        raise LabError(f"{path} is missing.", "A domain is a pair of files: episodes and checkpoints.")
    with path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    yield json.loads(line), f"{path}, line {number}"
                except json.JSONDecodeError as error:
                    raise _damaged(f"{path}, line {number}", error) from error


def _damaged(where: str, error: Exception) -> LabError:
    return LabError(f"{where}: {type(error).__name__}: {error}.", "The form in which GateMem is published.")
