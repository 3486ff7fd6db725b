"""The gold set: questions with their evidence and the check of an answer.

One JSON object a line (`gold/kraken.jsonl`), described by `gold/schema.json`, which
`python -m lab.evaluation.gold` writes from the model below.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError, model_validator

from lab.evaluation.answers import contains_text, occurs, violations
from lab.kinds import LabError

MAX_LINE = 20_000
"""Bytes of one line; the longest question of the set has about a tenth of it."""
MAX_ERRORS = 20
"""So many errors of a file are listed at once."""

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=80)]
Phrase = Annotated[str, StringConstraints(min_length=1, max_length=120)]


class Evidence(BaseModel):
    """Where the answer stands. The edition is the one in force on the question's `as_of`."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    document: Name
    section: Annotated[
        str, StringConstraints(pattern=r"^(0|[1-9][0-9]{0,3})(\.[0-9]{1,3}){0,5}$", max_length=20)
    ]
    """Number of the section, as in "3" or "3.1"; "0" for a mail."""
    anchor: Annotated[str, StringConstraints(min_length=3, max_length=80, pattern=r"^\S(.*\S)?$")]
    """Verbatim words of the cleaned section: a phrase or a table row. Any chunk that holds them is a hit."""


class Question(BaseModel):
    """One question of the exam and what a right answer to it is."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    id: Name
    language: Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}$")]
    """`en`, `tr`; of own documents also others, `und` where it is not known."""
    type: Name
    ticket: Literal["T1", "T2", "T3", "T4", "T5", "T6", "T7", "T8"] | None = None
    text: Annotated[str, StringConstraints(min_length=3, max_length=1000, pattern=r"^\S(.|\n)*\S$")]
    role: Annotated[str, StringConstraints(pattern=r"^[^\W_][\w.-]{0,39}$")] = "employee"
    """One of the workspace's; of the lab's corpus `employee`, `hr`, `finance` or `intern`."""
    as_of: date
    """The day that is asked about, which need not be the day of asking."""
    evidence: tuple[Evidence, ...] = ()
    contains: tuple[tuple[Phrase, ...], ...] = ()
    """Every group is needed; within a group any one alternative will do. In a `multi-part` question
    `evidence[i]` and `contains[i]` belong to part i."""
    excludes: tuple[Phrase, ...] = ()
    """Must not occur anywhere in the answer."""
    earlier: tuple[Phrase, ...] = ()
    """Superseded figures: only in a sentence that calls them earlier (`answers.is_marked_earlier`)."""
    abstain: bool = False
    attack: bool = False
    ascii: bool = False
    """Turkish typed without its letters (`izin hakkim kac gun`)."""
    split: Literal["dev", "test"]

    @model_validator(mode="after")
    def _is_consistent(self) -> Question:
        problems = tuple(_contradictions(self))
        if problems:
            raise ValueError("; ".join(problems))
        return self


def _contradictions(question: Question) -> Iterator[str]:
    if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in question.text.replace("\n", "")):
        yield "'text' holds a control character or half of a surrogate pair"
    if question.ascii and question.language != "tr":
        yield "'ascii' is for Turkish questions, but 'language' is \"en\""
    if question.ascii and not question.text.isascii():
        yield "'ascii' is true, but 'text' has letters outside ASCII"
    if question.abstain:
        for name in ("contains", "evidence", "earlier"):
            if getattr(question, name):
                yield f"'abstain' is true, so {name!r} must be empty"
    else:
        for name in ("contains", "evidence"):
            if not getattr(question, name):
                yield f"{name!r} is empty, but 'abstain' is false"
    if len(set(question.evidence)) != len(question.evidence):
        yield "'evidence' names the same place twice"
    phrases = [phrase for group in question.contains for phrase in group]
    if not all(question.contains):
        yield "a group in 'contains' is empty"
    for phrase in (*phrases, *question.excludes, *question.earlier):
        if not any(letter.isalnum() for letter in phrase):
            yield f"{phrase!r} has neither a letter nor a digit, so it can match nothing"
    for group in question.contains:
        if group and all(any(occurs(bad, good) for bad in question.excludes) for good in group):
            yield f"'excludes' forbids every alternative of {list(group)}"


_MARK = re.compile(r"\[\s*\d{1,3}(?:\s*[,;]\s*\d{1,3})*\s*\]")


def answer_ok(question: Question, answer_text: str, abstained: bool) -> bool:
    """Whether the answer is right.

    Where the question is to be abstained from: it abstained. Elsewhere: it did not, and each group of
    `contains` has an alternative in the text. In both cases nothing of `excludes` occurs, and each figure of
    `earlier` stands only where it is called earlier. How phrases and numbers match: `lab.evaluation.answers`.
    Citation marks are no part of what is said: the 2 of "[2]" is not two days.
    """
    answer_text = _MARK.sub(" ", answer_text)
    if abstained != question.abstain or violations(question.excludes, question.earlier, answer_text):
        return False
    return all(contains_text(group, answer_text) for group in question.contains)


def load_gold(path: Path) -> list[Question]:
    """The questions of a JSON Lines file in its order.

    Blank lines are skipped; a byte order mark and `\\r\\n` are accepted. Raises LabError naming `file:line`,
    what is wrong and what was expected, for up to MAX_ERRORS errors of the file at once.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise LabError(
            f"The gold file {path} can't be read: {error.strerror or error}.",
            "Expected a JSON Lines file, one question a line.",
            "Name it with `lab measure --gold FILE`; the lab's own is gold/kraken.jsonl.",
        ) from error
    questions: list[Question] = []
    errors: list[str] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(raw.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        found = _question(line)
        if isinstance(found, Question):
            first = seen.setdefault(found.id, number)
            if first == number:
                questions.append(found)
                continue
            found = [f"id {found.id!r} is already used in line {first}"]
        errors += [f"{path.name}:{number}: {message}" for message in found]
    if not errors and not questions:
        errors = [f"{path.name}:1: the file is empty"]
    if errors:
        hidden = len(errors) - MAX_ERRORS
        more = [f"… and {hidden} more"] if hidden > 0 else []
        raise LabError(
            "\n".join(errors[:MAX_ERRORS] + more),
            "\nExpected one question a line, as gold/schema.json describes it.",
            f"Mend these lines of {path} and run again.",
        )
    return questions


def _question(line: bytes) -> Question | list[str]:
    """The question of one line, or what is wrong with it."""
    if len(line) > MAX_LINE:
        return [f"the line has {len(line):,} bytes, expected at most {MAX_LINE:,} (one question a line)"]
    try:
        text = line.decode("utf-8").strip()
    except UnicodeDecodeError as error:
        return [f"byte {error.start + 1} (0x{line[error.start]:02x}) is not UTF-8, expected a UTF-8 file"]
    try:
        value = json.loads(text, object_pairs_hook=_unique_keys)
    except json.JSONDecodeError as error:
        return [f"broken JSON at column {error.colno}: {error.msg}, expected one JSON object"]
    except (ValueError, RecursionError) as error:
        return [str(error) if isinstance(error, ValueError) else "JSON nested too deeply"]
    if not isinstance(value, dict):
        return [f"expected a JSON object {{…}}, found {_found(value)}"]
    try:
        return Question.model_validate_json(text)
    except ValidationError as error:
        return [_message(dict(detail)) for detail in error.errors(include_url=False)]


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError(f"key {key!r} stands twice, expected once")
    return dict(pairs)


def _message(detail: dict[str, Any]) -> str:
    """One pydantic error in the words of the file: which key, what was expected, what was found."""
    kind = detail["type"]
    if kind == "value_error":
        return str(detail["msg"]).removeprefix("Value error, ")
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in detail["loc"]).lstrip(
        "."
    )
    if kind == "missing":
        return f"key {place!r} is missing"
    if kind == "extra_forbidden":
        return f"unknown key {place!r}, expected one of {', '.join(sorted(_keys(detail['loc'])))}"
    return f"{place!r}: {str(detail['msg']).lower()}, found {_found(detail['input'])}"


def _keys(place: tuple[int | str, ...]) -> list[str]:
    return list((Evidence if place[0] == "evidence" else Question).model_fields)


def _found(value: object) -> str:
    shown = json.dumps(value, ensure_ascii=False, default=str)
    return shown if len(shown) <= 60 else shown[:57] + "…"


def schema() -> str:
    """JSON Schema of one line, as gold/schema.json keeps it. Rules between keys are the loader's alone."""
    described = Question.model_json_schema()
    described["title"] = "One line of a gold file"
    return json.dumps(described, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    target = Path(__file__).resolve().parents[2] / "gold" / "schema.json"
    target.write_text(schema(), encoding="utf-8", newline="\n")
    print(f"written: {target}")
