"""The published file of LongMemEval-S: a question, and the sittings among which those that answer it stand.

As in the benchmark's retrieval test, what the user said is searched, and of an answering sitting the turns
marked `has_answer` are the evidence. The file is read where the user has it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from lab.kinds import LabError

_WHERE = "https://github.com/xiaowu0162/LongMemEval, longmemeval_s.json"
_WHEN = "%Y/%m/%d (%a) %H:%M"


@dataclass(frozen=True, slots=True)
class Turn:
    """What the user said. `place` is `<sitting>_<turn>`, turns counted from 1 with the assistant's."""

    place: str
    text: str
    evidence: bool


@dataclass(frozen=True, slots=True)
class Sitting:
    id: str
    when: datetime
    evidence: bool
    """Whether it is one that answers the question."""
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    type: str
    text: str
    when: datetime
    sittings: tuple[Sitting, ...]

    @property
    def abstention(self) -> bool:
        """Whether it has no answer; the benchmark's retrieval figures leave these out."""
        return "_abs" in self.id

    @property
    def targets(self) -> frozenset[str]:
        """Places of the turns that answer."""
        return frozenset(turn.place for s in self.sittings if s.evidence for turn in s.turns if turn.evidence)

    @property
    def target_sittings(self) -> frozenset[str]:
        return frozenset(sitting.id for sitting in self.sittings if sitting.evidence)


@dataclass(frozen=True, slots=True)
class Dataset:
    questions: tuple[Question, ...]
    fingerprint: str
    """SHA-256 hex of the file."""

    @property
    def counted(self) -> tuple[Question, ...]:
        """Without abstention, and without questions that nothing the user said answers: as the benchmark."""
        return tuple(q for q in self.questions if not q.abstention and q.targets)


def load(path: Path) -> Dataset:
    """LabError for a file that is missing or not in the published form."""
    if not path.is_file():
        raise LabError(f"There is no file {path}.", "LongMemEval-S as published.", f"Get it from {_WHERE}.")
    raw = path.read_bytes()
    try:
        questions = tuple(_question(item) for item in json.loads(raw.decode("utf-8")))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise LabError(
            f"{path} can't be read as LongMemEval: {type(error).__name__} {error}.",
            "A JSON list of questions with `haystack_sessions` and `answer_session_ids`.",
            f"Get it from {_WHERE}.",
        ) from error
    return Dataset(questions, hashlib.sha256(raw).hexdigest())


def _question(item: Mapping[str, Any]) -> Question:
    answering = frozenset(item["answer_session_ids"])
    sittings: dict[str, Sitting] = {}
    for key, when, turns in zip(
        item["haystack_session_ids"], item["haystack_dates"], item["haystack_sessions"], strict=True
    ):
        said = tuple(
            Turn(f"{key}_{at}", turn["content"].strip(), bool(turn.get("has_answer")))
            for at, turn in enumerate(turns, 1)
            if turn["role"] == "user" and turn["content"].strip()
        )
        # A sitting that stands in the haystack twice is one.
        sittings.setdefault(key, Sitting(key, datetime.strptime(when, _WHEN), key in answering, said))
    return Question(
        str(item["question_id"]),
        str(item["question_type"]),
        str(item["question"]).strip(),
        datetime.strptime(item["question_date"], _WHEN),
        tuple(sittings.values()),
    )
