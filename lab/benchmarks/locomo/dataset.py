"""The published file of LoCoMo: conversations in dated sessions, and questions with the turns that hold the
evidence. The file is read where the user has it; nothing of it comes with the lab."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from lab.kinds import LabError

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_SESSION = re.compile(r"session_(\d+)")
_PLACE = re.compile(r"D:?(\d+):(\d+)")
_WHERE = "https://github.com/snap-research/locomo, data/locomo10.json (CC BY-NC 4.0)"


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody said. `place` is the published id, `D<session>:<turn>`."""

    place: str
    speaker: str
    text: str
    caption: str
    """What a shared picture shows, as the file says; empty without one."""


@dataclass(frozen=True, slots=True)
class Session:
    """One sitting. `when` is the local time at which it began."""

    number: int
    when: datetime
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """`evidence` are places of turns, normalised; none of them need exist."""

    id: str
    text: str
    answer: str
    category: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """`number` counts from 1 in the order of the file."""

    id: str
    number: int
    speakers: tuple[str, str]
    sessions: tuple[Session, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Oddities:
    """What the file's evidence ids needed, in numbers of questions and ids."""

    questions: int
    without_evidence: int
    """Questions that name none: counted as missed."""
    rewritten: int
    """Ids written otherwise than `D<session>:<turn>` (several in one string, `D:11:26`, `D30:05`)."""
    unreadable: int
    """Ids of which nothing could be read; left out."""
    unknown: int
    """Ids, as normalised, of turns that are not in the conversation: kept, and so never found."""


@dataclass(frozen=True, slots=True)
class Dataset:
    conversations: tuple[Conversation, ...]
    oddities: Oddities
    fingerprint: str
    """SHA-256 hex of the file."""


def load(path: Path) -> Dataset:
    """LabError for a file that is missing or not in the published form."""
    if not path.is_file():
        raise LabError(f"There is no file {path}.", "LoCoMo as published.", f"Get it from {_WHERE}.")
    raw = path.read_bytes()
    try:
        given = json.loads(raw.decode("utf-8"))
        conversations, counts = _read(given)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise LabError(
            f"{path} can't be read as LoCoMo: {type(error).__name__} {error}.",
            "A JSON list of conversations with `conversation`, `qa` and `sample_id`.",
            f"Get it from {_WHERE}.",
        ) from error
    return Dataset(conversations, counts, hashlib.sha256(raw).hexdigest())


def places(evidence: Sequence[str]) -> tuple[tuple[str, ...], int, int]:
    """(normalised places in order, none twice; ids rewritten; ids of which nothing could be read)."""
    found: list[str] = []
    rewritten = unreadable = 0
    for given in evidence:
        read = [f"D{int(session)}:{int(turn)}" for session, turn in _PLACE.findall(given)]
        unreadable += not read
        rewritten += bool(read) and read != [given]
        found += read
    return tuple(dict.fromkeys(found)), rewritten, unreadable


def _read(given: Sequence[Mapping[str, Any]]) -> tuple[tuple[Conversation, ...], Oddities]:
    conversations: list[Conversation] = []
    asked = bare = rewritten = unreadable = unknown = 0
    for number, item in enumerate(given, 1):
        key, talk = str(item["sample_id"]), item["conversation"]
        sessions = tuple(_sessions(talk))
        known = {turn.place for session in sessions for turn in session.turns}
        questions: list[Question] = []
        for at, qa in enumerate(item["qa"], 1):
            evidence, changed, lost = places(qa.get("evidence") or [])
            rewritten, unreadable = rewritten + changed, unreadable + lost
            unknown += len(set(evidence) - known)
            bare += not evidence
            # An adversarial question has no answer in the conversation; the evidence is what misleads.
            answer = qa.get("answer", "")
            questions.append(
                Question(
                    f"{key}/{at:03}", str(qa["question"]).strip(), str(answer).strip(),
                    CATEGORIES[int(qa["category"])], evidence,
                )
            )  # fmt: skip
        asked += len(questions)
        speakers = (str(talk["speaker_a"]), str(talk["speaker_b"]))
        conversations.append(Conversation(key, number, speakers, sessions, tuple(questions)))
    return tuple(conversations), Oddities(asked, bare, rewritten, unreadable, unknown)


def _sessions(talk: Mapping[str, Any]) -> Iterator[Session]:
    numbers = sorted(int(match[1]) for name in talk if (match := _SESSION.fullmatch(name)))
    for number in numbers:
        turns = tuple(
            Turn(
                str(turn["dia_id"]),
                str(turn["speaker"]).strip(),
                str(turn["text"]).strip(),
                str(turn.get("blip_caption") or "").strip(),
            )
            for turn in talk[f"session_{number}"]
        )
        when = datetime.strptime(str(talk[f"session_{number}_date_time"]).strip(), "%I:%M %p on %d %B, %Y")
        if turns:
            yield Session(number, when, turns)
