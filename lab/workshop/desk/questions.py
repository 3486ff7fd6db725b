"""The desk: one question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from lab.evaluation import climb as climbing
from lab.kinds import Answer, LabError, Sight
from lab.memory import audit, write
from lab.rag import ask as asking
from lab.workshop.desk.ladder import chosen_rung
from lab.workshop.desk.places import Place, place
from lab.workshop.desk.store import opened


@dataclass(frozen=True, slots=True)
class Asked:
    """An answer with what was asked for: rung, role and day may all have been defaults."""

    answer: Answer
    rung: str
    role: str
    as_of: date


def ask(
    question: str,
    *,
    rung: str | None = None,
    role: str | None = None,
    as_of: date | None = None,
    embedder: str | None = None,
    reader: str | None = None,
    rerank: str | None = None,
    rewrite: str | None = None,
    where: Place | None = None,
    kept: Sequence[str] | None = None,
) -> Asked:
    """One question on one rung (default: the last kept one), as a role (default: the place's), on a day
    (default: today). `kept` are the techniques it stands on (default: those of the newest climb)."""
    if not question.strip():
        raise LabError(
            "The question is empty.", "", 'Try: python start.py ask "How many days of leave after 7 years?"'
        )
    here = where or place()
    role = role or here.role
    chosen = chosen_rung(rung, embedder, reader, rerank, rewrite, here, kept)
    reason = climbing.why_not(chosen.pipeline)
    if reason:
        raise LabError(f"The rung {chosen.name} {reason}")
    with opened(embedder, here) as running:
        known = write.roles(running.server, running.workspace)
        if role not in known:
            raise LabError(f"There is no role {role!r}.", f"The roles are {', '.join(sorted(known))}.")
        day = as_of or date.today()
        sight = Sight(frozenset({role}), day, workspace=running.workspace)
        answer = asking.ask(question, sight, chosen.pipeline, running)
        audit.answered(
            running.server,
            running.read,
            sight,
            role=role,
            question=question,
            memories=[hit.chunk.id for hit in answer.hits],
            rung=chosen.name,
            detail={"abstained": answer.abstained},
        )
        return Asked(answer, chosen.name, role, day)


def answer_json(asked: Asked) -> dict[str, Any]:
    """The object of `lab ask --json`."""
    answer = asked.answer
    return {
        "answer": answer.text,
        "abstained": answer.abstained,
        "citations": [asdict(citation) for citation in answer.citations],
        "hits": [hit.ref for hit in answer.hits],
        "trace": [asdict(step) for step in answer.trace],
        "rung": asked.rung,
        "role": asked.role,
        "as_of": asked.as_of.isoformat(),
    }
