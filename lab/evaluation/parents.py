"""Small finds, big reads: what is found and what is read, each as sentences, paragraphs or sections, side by
side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from lab.evaluation.crew import outcome
from lab.evaluation.gold import Question
from lab.evaluation.score import summary
from lab.ladder.rungs import Rung
from lab.rag.engine import Engine
from lab.rag.pipeline import Pipeline
from lab.rag.widen import LINE

MAIL = "mail"


@dataclass(frozen=True, slots=True)
class Row:
    """One variant over these questions. Rank figures are of what is read for the first hits, `answers` is the
    share right of those with an answer, `prompt_tokens` a mean."""

    variant: str
    found: str
    read: str
    n: int
    hit_at_1: float | None
    recall_at_5: float | None
    answers: float | None
    prompt_tokens: float | None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def variants(base: Pipeline) -> dict[str, tuple[str, str, Pipeline]]:
    """Name → (what is found, what is read, the pipeline), all of `base`'s other techniques kept."""
    units = replace(base, chunker="section", index="units", widen="")
    one = {"second": "", "index": "chunk"}  # a second embedder has units only
    return {
        "big only": ("section", "section", replace(units, **one)),  # type: ignore[arg-type]
        "small only": ("unit", "units", replace(units, widen="unit")),
        "both": ("unit", "section", units),
        "both, whole section": ("unit", "all parts of it", replace(units, widen="parent")),
        "neighbours": ("unit", "units and those beside", replace(units, widen="neighbours")),
        "paragraph": ("unit", "paragraphs", replace(units, widen="paragraph")),
        "small, line": ("unit", "units, context line", replace(units, widen=f"unit{LINE}")),
        "paragraph, line": ("unit", "paragraphs, context line", replace(units, widen=f"paragraph{LINE}")),
    }


def about_mail(questions: Sequence[Question], mails: frozenset[str]) -> list[Question]:
    """The questions that a mail answers, at least in part; `mails` are ids of documents."""
    return [q for q in questions if any(evidence.document in mails for evidence in q.evidence)]


def compare(base: Pipeline, questions: Sequence[Question], engine: Engine) -> Iterator[Row]:
    """One row a variant, as it is measured; every question as its own asker on its own day."""
    for name, (found, read, pipeline) in variants(base).items():
        rung = Rung(name, name, None, pipeline)
        total = summary([outcome(engine, rung, question) for question in questions])
        yield Row(
            name,
            found,
            read,
            len(questions),
            total["hit@1"],
            total["recall@5"],
            total["answers"],
            total["prompt_tokens"],
        )
