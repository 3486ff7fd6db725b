"""The ticket board's logic: plain functions on a lesson. The widgets only show what these return."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from pydantic import ValidationError

from lab.evaluation.gold import Question, answer_ok, load_gold
from lab.evaluation.ledger import RungRow
from lab.kinds import Hit, LabError
from lab.ladder import rungs
from lab.ladder.tickets import Ticket
from lab.rag.pipeline import Pipeline
from lab.text import language_of
from lab.workshop import desk, participant
from lab.workshop.lesson import Lesson, Run
from lab.workshop.words import word

OPEN, REPRODUCED, DIAGNOSED, FIXED = "open", "reproduced", "diagnosed", "fixed"
STATES = (OPEN, REPRODUCED, DIAGNOSED, FIXED)
NOWHERE = 0
"""The guess that the right passage is not among the hits."""


@dataclass(frozen=True, slots=True)
class Badge:
    """A ticket's effect as the newest climb measured it: its own questions answered right before and after,
    and the verdict on its rung. None where it was not measured."""

    before: float | None
    after: float | None
    verdict: str


@dataclass(frozen=True, slots=True)
class Seen:
    """A question of a ticket that was run. It `failed` when its answer is wrong or the right passage is not
    the first hit. `said` compares the guess with what came out."""

    run: Run
    failed: bool
    said: str


def state(ticket: Ticket) -> str:
    """Where the participant stands with a ticket."""
    found = participant.tickets().get(ticket.id, OPEN)
    return found if found in STATES else OPEN


def _reach(ticket: Ticket, reached: str) -> None:
    if STATES.index(reached) > STATES.index(state(ticket)):
        participant.remember({ticket.id: reached})


def badge(ticket: Ticket, rows: list[RungRow]) -> Badge:
    """From the rows of a climb: the ticket's own questions on the rung below and on its rung."""
    row = next((row for row in rows if row.rung == ticket.rung and row.measures), None)
    if row is None:
        return Badge(None, None, "–")
    base = next((other for other in rows if other.rung == row.configuration.get("base")), None)
    return Badge(_own(base, ticket), _own(row, ticket), row.reason)


def _own(row: RungRow | None, ticket: Ticket) -> float | None:
    found = row.by.get("ticket", {}).get(ticket.id, {}) if row else {}
    value = found.get("answers")
    return None if value is None else float(value)


def below(ticket: Ticket) -> str:
    """The rung on which the ticket was seen: the last kept one below its own."""
    return rungs.rung(ticket.rung, desk.kept_or_stack()).base or ticket.rung


def reproduce(lesson: Lesson, ticket: Ticket, guess: int | None = None) -> Seen:
    """Runs the ticket's question on the rung below. A failure that was seen makes the ticket `reproduced`; a
    proposal needs none."""
    seen = _seen(lesson, ticket, below(ticket), guess)
    if seen.failed or ticket.proposal:
        _reach(ticket, REPRODUCED)
    return seen


def diagnose(ticket: Ticket, choice: int) -> bool:
    """Whether this cause is the right one; right after the failure was reproduced makes it `diagnosed`."""
    right = choice == ticket.cause
    if right and state(ticket) != OPEN:
        _reach(ticket, DIAGNOSED)
    return right


def fix(lesson: Lesson, ticket: Ticket, guess: int | None = None) -> Seen:
    """Runs the question on the ticket's rung. A right answer to a diagnosed ticket makes it `fixed`."""
    seen = _seen(lesson, ticket, ticket.rung, guess)
    if (not seen.failed or ticket.proposal) and state(ticket) in (DIAGNOSED, FIXED):
        _reach(ticket, FIXED)
    return seen


def _seen(lesson: Lesson, ticket: Ticket, rung: str, guess: int | None) -> Seen:
    question = lesson.gold[ticket.shown.of(lesson.language)]
    run = lesson.run(question.id, rung)
    right = answer_ok(question, run.answer.text, run.answer.abstained)
    failed = not right or (bool(question.evidence) and run.rung.pipeline.searches and run.rank != 1)
    truth = lesson.place(run)
    if guess is None:
        return Seen(run, failed, truth)
    return Seen(run, failed, word("guessed", lesson.language, guess=guess or "–", truth=truth))


def toggles() -> dict[str, tuple[Any, ...]]:
    """The fields of a pipeline that a board offers, with the values to choose from. Every field that a rung
    of the ladder sets is among them."""
    plain = asdict(Pipeline())
    found: dict[str, list[Any]] = {}
    for technique in rungs.LADDER:
        for name, value in technique.fields.items():
            if name not in ("documents", "full_context"):
                found.setdefault(name, [plain[name]]).append(value)
    return {name: tuple(dict.fromkeys(values)) for name, values in found.items()}


def wrong_answer(
    lesson: Lesson,
    run: Run,
    hit: Hit | None,
    expected: str,
    anchor: str = "",
) -> Mapping[str, Any]:
    """A wrong answer as a line of the participant's own exam: question, role, day, the section that holds the
    answer (None: nothing does, and it should have refused) and what it should have said.

    Returns the line as written. LabError when it would be no valid gold line."""
    quote = anchor.strip() or (_anchor(hit, expected) if hit else "")
    line: dict[str, Any] = {
        "id": _free_id(),
        "language": "tr" if language_of(run.question) == "tr" else "en",
        "type": "filed",
        "ticket": None,
        "text": run.question.strip(),
        "role": run.role,
        "as_of": run.as_of.isoformat(),
        "evidence": [],
        "contains": [],
        "excludes": [],
        "abstain": hit is None,
        "attack": False,
        "ascii": False,
        "split": "dev",
    }
    if hit is not None:
        if quote not in hit.chunk.text or not quote:
            raise LabError(
                f"{quote!r} does not stand in {hit.ref}.",
                "An anchor is copied from the section, word for word.",
            )
        line["evidence"] = [
            {"document": hit.chunk.document, "section": hit.chunk.section, "anchor": quote},
        ]
        line["contains"] = [[part.strip()] for part in expected.split(";") if part.strip()]
    try:
        Question.model_validate_json(json.dumps(line))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "line"
        raise LabError(f"This makes no gold line: {place}: {first['msg']}", "See gold/README.md.") from None
    participant.append_gold(line)
    return line


def _anchor(hit: Hit, expected: str) -> str:
    """The shortest line or sentence of the section that holds the expected words, at most 80 letters."""
    wanted = expected.split(";")[0].strip().casefold()
    parts = [part.strip() for part in re.split(r"\n|(?<=[.!?])\s+", hit.chunk.text)]
    holding = sorted((part for part in parts if wanted and wanted in part.casefold()), key=len)
    if not holding:
        return ""
    found = holding[0]
    if len(found) <= 80:
        return found
    at = found.casefold().find(wanted)
    start = max(0, at - 30)
    return found[start : start + 80].strip()


def _free_id() -> str:
    path = participant.own_gold()
    used = {question.id for question in load_gold(path)} if path.exists() else set()
    number = 1
    while f"own-{number}" in used:
        number += 1
    return f"own-{number}"


def day(text: str | date | None) -> date:
    """A day from a date, ISO text or nothing (today). LabError for anything else."""
    if text is None or text == "":
        return date.today()
    if isinstance(text, date):
        return text
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise LabError(f"{text!r} is not a date.", "Expected YYYY-MM-DD, e.g. 2025-06-15.") from None
