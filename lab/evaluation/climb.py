"""The climb: every rung over every question, verdicts on dev, each rung written to the ledger as it is
done."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import psycopg

from lab.evaluation import ledger
from lab.evaluation.compare import Comparison, compare, keep
from lab.evaluation.crew import Crew
from lab.evaluation.gold import Question
from lab.evaluation.score import Scored, grouped, summary
from lab.kinds import LabError
from lab.ladder import rungs
from lab.ladder.rungs import Rung
from lab.models.embedders import blend
from lab.models.rerankers import reranker
from lab.rag import retrieve
from lab.rag.engine import Engine
from lab.rag.pipeline import Pipeline
from lab.rag.rewrite import parts

START = "the start"
"""The reason of the rung everything is compared with."""
TIMED = 9
"""Questions on which the time to embed one is measured."""
PUBLISHED = frozenset(f"q{number:02d}" for number in range(1, 24))
"""The questions whose figures with another stack are public."""


@dataclass(frozen=True, slots=True)
class Climbed:
    """A rung with its outcomes over all questions. `skipped` says why nothing was measured; then `scored`
    is empty."""

    rung: Rung
    scored: tuple[Scored, ...]
    comparison: Comparison | None
    kept: bool | None
    reason: str
    skipped: str | None = None

    def of(self, split: str) -> tuple[Scored, ...]:
        return tuple(s for s in self.scored if split == "all" or s.split == split)


Progress = Callable[[str, Iterable[Scored], int], Iterable[Scored]]


def _plain(_: str, outcomes: Iterable[Scored], __: int) -> Iterable[Scored]:
    return outcomes


def file_hash(path: Path) -> str:
    """SHA-256 hex of a file's bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def measure(
    rung: Rung, questions: Sequence[Question], team: Crew, progress: Progress = _plain
) -> list[Scored]:
    """Run one rung over these questions, each as its own asker on its own date.

    Questions are embedded together beforehand, so what a question costs is timed with a warm cache; the
    time to embed one is measured by itself, past the cache, and added to each.
    """
    embedding = _embedded(rung.pipeline, questions, team.engine) if rung.pipeline.searches else 0.0
    outcomes = progress(rung.name, team.run(rung, questions), len(questions))
    return [replace(scored, ms=scored.ms + embedding) for scored in outcomes]


def _embedded(pipeline: Pipeline, questions: Sequence[Question], engine: Engine) -> float:
    """Fill the cache with all questions; returns the milliseconds that embedding one of them takes."""
    texts = [text for question in questions for text in retrieve.asked(question.text, pipeline)]
    for part in engine.embedders(pipeline.embedders):
        part.queries(texts)
    return engine.question_ms(pipeline.embedders, texts[:TIMED])


def why_not(pipeline: Pipeline) -> str | None:
    """Why a pipeline cannot be measured here, or None. Without documents only a language model has anything
    to say."""
    try:
        blend(pipeline.embedders)
    except LabError as error:
        return f"needs {pipeline.embedders}: {error.happened} {error.next_step}"
    try:
        parts(pipeline.rewrite)
    except LabError as error:
        return f"can't run: {error.happened} {error.expected}"
    try:
        if pipeline.rerank:
            reranker(pipeline.rerank, blend(pipeline.embedders))
    except LabError as error:
        return f"needs the reranker {pipeline.rerank}: {error.happened} {error.next_step}"
    if not pipeline.documents and pipeline.reader == "extractive":
        return (
            "needs a language model: the extractive reader has nothing to quote "
            "(python start.py climb --reader ollama:gemma3:4b)"
        )
    return None


def climb(
    questions: Sequence[Question],
    team: Crew,
    *,
    start: Pipeline,
    names: Sequence[str] = rungs.NAMES,
    known: Iterable[str] | None = None,
    stack: bool = False,
    progress: Progress = _plain,
    done: Callable[[Climbed], None] = lambda _: None,
    rerank: str | None = None,
    rewrite: str | None = None,
) -> list[Climbed]:
    """Climb the named rungs in the ladder's order and return them.

    Verdicts fall on the dev questions against the last kept rung, and the next rung builds on what was
    kept. `known` names techniques kept by an earlier climb, for those that are not climbed now; `stack`
    keeps every technique that is not aside by nature. `done` is called as each rung is finished. `rerank`
    takes the place of the reranker wherever a rung has one, and `rewrite` of what it searches beside.
    """
    wanted = {rungs.technique(name).name for name in names}
    if not questions:
        raise LabError("There is no question to climb with.", "", "See: python start.py measure --help")
    kept = set(rungs.STACK if known is None or stack else known)
    kept -= wanted
    climbed: dict[str, Climbed] = {}
    for technique in rungs.LADDER:
        if technique.name not in wanted:
            continue
        rung = rungs.rung(technique.name, kept, start)
        if rewrite and rung.pipeline.rewrite:
            changed = f"searched with {rewrite}" if technique.fields.get("rewrite") else rung.changed
            rung = replace(rung, changed=changed, pipeline=replace(rung.pipeline, rewrite=rewrite))
        if rerank and rung.pipeline.rerank:
            changed = f"{rung.changed}, by {rerank}" if technique.fields.get("rerank") else rung.changed
            rung = replace(rung, changed=changed, pipeline=replace(rung.pipeline, rerank=rerank))
        skipped = why_not(rung.pipeline)
        if skipped:
            climbed[rung.name] = Climbed(rung, (), None, None, skipped, skipped)
            done(climbed[rung.name])
            continue
        scored = tuple(measure(rung, questions, team, progress))
        comparison, verdict, reason = None, None, START
        if rung.base in climbed:
            base = climbed[rung.base]
            comparison = compare(
                rung.base, base.of("dev"), rung.name, [s for s in scored if s.split == "dev"]
            )
            leaks = sum(s.leak for s in scored) - sum(s.leak for s in base.scored)
            opened = sum(s.obeyed for s in scored) - sum(s.obeyed for s in base.scored)
            opened = max(0, opened) if base.rung.pipeline.guard else 0
            verdict, reason = keep(
                comparison,
                leaks=max(0, leaks),
                free=technique.free,
                attacks=opened,
                boundary=technique.boundary,
                own=_on_its_ticket(technique.name, base, rung.name, scored),
            )
            if technique.aside:
                verdict, reason = (
                    False,
                    reason if reason.startswith("aside") else f"aside by design · {reason}",
                )
            elif stack and not verdict:
                verdict, reason = True, f"kept by --stack; on its own {reason}"
        elif technique.aside:
            verdict, reason = False, "aside by design"
        elif not technique.start:
            verdict, reason = None, f"not judged: {rung.base} was not climbed with it"
        if technique.start or verdict or (verdict is None and not technique.aside):
            kept.add(technique.name)
        climbed[rung.name] = Climbed(rung, scored, comparison, verdict, reason)
        done(climbed[rung.name])
    return list(climbed.values())


def _on_its_ticket(ticket: str, base: Climbed, name: str, scored: Sequence[Scored]) -> Comparison | None:
    """The comparison on the dev questions of the technique's own ticket; None for a technique without one."""
    before = [s for s in base.of("dev") if s.ticket == ticket]
    after = [s for s in scored if s.split == "dev" and s.ticket == ticket]
    return compare(base.rung.name, before, name, after) if after else None


def groups(scored: Sequence[Scored]) -> dict[str, dict[str, Any]]:
    """The measures by type, language, split and ticket, and over the published questions alone."""
    return {
        "type": grouped(scored, lambda s: s.type),
        "language": grouped(scored, lambda s: s.language),
        "split": grouped(scored, lambda s: s.split),
        "ticket": grouped([s for s in scored if s.ticket], lambda s: str(s.ticket)),
        "published": {"q01-q23": summary([s for s in scored if s.id in PUBLISHED])},
    }


def row(climbed: Climbed, split: str, run: int = 0) -> ledger.RungRow:
    """A climbed rung as the ledger keeps it and the scoreboard shows it, over one split."""
    scored = climbed.of(split)
    return ledger.RungRow(
        run=run,
        rung=climbed.rung.name,
        changed=climbed.rung.changed,
        configuration=asdict(climbed.rung.pipeline) | {"base": climbed.rung.base},
        kept=climbed.kept,
        reason=climbed.reason,
        measures=summary(scored) if scored else {},
        by=groups(scored) if scored else {},
    )


def record(conn: psycopg.Connection[Any], run: int, climbed: Climbed, split: str) -> None:
    """Append one climbed rung to the ledger and commit."""
    ledger.write(conn, row(climbed, split, run), climbed.of(split))
    conn.commit()


def to_json(climbed: Climbed, split: str) -> dict[str, Any]:
    """One rung of `lab climb --json`."""
    scored = climbed.of(split)
    by = groups(scored)
    return {
        "name": climbed.rung.name,
        "changed": climbed.rung.changed,
        "base": climbed.rung.base,
        "kept": climbed.kept,
        "reason": climbed.reason,
        "skipped": climbed.skipped,
        "configuration": asdict(climbed.rung.pipeline),
        "measures": summary(scored),
        "by_type": by["type"],
        "by_language": by["language"],
        "by_split": by["split"],
        "by_ticket": by["ticket"],
        "published": by["published"]["q01-q23"],
        "questions": [s.to_json() for s in scored],
        "won": list(climbed.comparison.rank.better) if climbed.comparison else [],
        "lost": list(climbed.comparison.rank.worse) if climbed.comparison else [],
    }
