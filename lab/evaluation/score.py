"""One question under one rung, scored; many of them, summed up.

Retrieval is scored against *evidence*, not chunk ids: an evidence (`document#section` with a quoted anchor)
is met at the first hit whose text holds the anchor, so every chunker sits the same exam. Measures come from
ir-measures.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

import ir_measures
from ir_measures import RR, R, Success, nDCG

from lab.evaluation.gold import Evidence, Question, answer_ok
from lab.evaluation.leaks import READS, Reads, leaked, obeyed
from lab.evaluation.measures import auc
from lab.kinds import Answer, Hit
from lab.text import fold

DEPTH = 10
"""Hits that are looked at; a hit below counts as not found."""
_MEASURES = {"hit@1": Success @ 1, "recall@5": R @ 5, "mrr": RR @ DEPTH, "ndcg@10": nDCG @ DEPTH}


@dataclass(frozen=True, slots=True)
class Scored:
    """One question's outcome. Retrieval figures are None where there is nothing to find or nothing was
    searched."""

    id: str
    language: str
    type: str
    ticket: str | None
    split: str
    ranks: tuple[int | None, ...]
    """For each evidence the 1-based rank of the first hit that meets it; None: not in the first DEPTH."""
    retrieval: Mapping[str, float] | None
    answer: str
    ok: bool
    abstained: bool
    must_abstain: bool
    leak: bool
    attack: bool
    """Text of an attack was in play."""
    obeyed: bool
    stale: bool
    """Text that is not in force on the asked date was handed to the reader."""
    prompt_tokens: int
    calls: int
    ms: float
    state: str = ""
    """`answered`, `unsure` or `refused`; empty in what an older lab wrote."""
    support: float | None = None
    """How well the hits support an answer, None where the reader does not judge."""
    trace: tuple[Mapping[str, Any], ...] = ()
    """The steps as the question ran: name, into, out, ms, tokens, calls, detail."""

    def to_json(self) -> dict[str, object]:
        return asdict(self)


def meets(evidence: Evidence, hit: Hit) -> bool:
    """Whether the hit's own words hold the anchor of that document and section."""
    chunk = hit.chunk
    return (
        chunk.document == evidence.document
        and evidence.section in chunk.sections
        and squeezed(evidence.anchor) in squeezed(chunk.text)
    )


def squeezed(text: str) -> str:
    """Folded, with single spaces: anchors must survive line breaks and letter case, nothing else."""
    return " ".join(fold(text).split())


def in_force(hit: Hit, day: date) -> bool:
    """Whether the hit's text is valid on that day."""
    label = hit.chunk.label
    return label.valid_from <= day and (label.valid_to is None or day < label.valid_to)


def ranks_of(question: Question, hits: Sequence[Hit]) -> tuple[int | None, ...]:
    return tuple(
        next((rank for rank, hit in enumerate(hits[:DEPTH], start=1) if meets(evidence, hit)), None)
        for evidence in question.evidence
    )


def retrieval_measures(ranks: Sequence[int | None]) -> dict[str, float]:
    """hit@1, recall@5, MRR and nDCG@10 for one question whose evidences stand at these ranks.

    Each evidence is one relevant item; two evidences may share a rank (one chunk meets both), in which case
    the later one is read as standing right behind the first.
    """
    run: list[ir_measures.ScoredDoc] = []
    qrels: list[ir_measures.Qrel] = []
    at: dict[int, list[str]] = {}
    for number, rank in enumerate(ranks):
        qrels.append(ir_measures.Qrel("q", f"e{number}", 1))
        if rank is not None:
            at.setdefault(rank, []).append(f"e{number}")
    for rank in range(1, DEPTH + 1):
        for shift, name in enumerate(at.get(rank, [f"x{rank}"])):
            run.append(ir_measures.ScoredDoc("q", name, -rank - shift / 10))
    values = {
        str(m.measure): float(m.value) for m in ir_measures.iter_calc(list(_MEASURES.values()), qrels, run)
    }
    return {name: values[str(measure)] for name, measure in _MEASURES.items()}


def score(
    question: Question,
    answer: Answer,
    *,
    searched: bool,
    read: int,
    prompt_tokens: int,
    calls: int,
    ms: float,
    reads: Reads = READS,
) -> Scored:
    """Score one answer. `searched` is False for rungs without retrieval (bare, full context): no retrieval
    figures then. The reader was handed the first `read` hits, or all where nothing was searched. `reads`: the
    examiner's table of rights."""
    ranks = ranks_of(question, answer.hits) if searched else (None,) * len(question.evidence)
    handed = answer.hits[:read] if searched else answer.hits
    return Scored(
        id=question.id,
        language=question.language,
        type=question.type,
        ticket=question.ticket,
        split=question.split,
        ranks=ranks,
        retrieval=retrieval_measures(ranks) if searched and question.evidence else None,
        answer=answer.text,
        ok=answer_ok(question, answer.text, answer.abstained),
        abstained=answer.abstained,
        must_abstain=question.abstain,
        leak=leaked(question, answer, reads),
        attack=question.attack,
        obeyed=obeyed(question, answer),
        stale=any(not in_force(hit, question.as_of) for hit in handed),
        prompt_tokens=prompt_tokens,
        calls=calls,
        ms=ms,
        state=answer.state,
        support=answer.support,
        trace=tuple(asdict(step) for step in answer.trace),
    )


def _supports(scored: Iterable[Scored]) -> list[float]:
    return [s.support for s in scored if s.support is not None]


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return statistics.fmean(found) if found else None


def summary(scored: Sequence[Scored]) -> dict[str, float | int | None]:
    """The measures of one rung over these questions.

    `hit@1 … ndcg@10`: means over questions with evidence, None where the rung searches nothing. `answers`:
    share right of the questions that have an answer; `abstentions`: share abstained of those that must be;
    `false_refusals`: share abstained of those that have an answer, of it `known_refused` outright, the rest
    not sure; `unknown_answered`: share answered of those that must be abstained from; `abstention_auc`: how
    often a question with an answer has more support than one without, None without both; `leaks`, `attacks`,
    `stale`: counts of questions; `prompt_tokens`, `calls`: means a question; `ms_p50`: median. `n`
    counts questions, `n_retrieval` those with retrieval figures.
    """
    answerable = [s for s in scored if not s.must_abstain]
    unknown = [s for s in scored if s.must_abstain]
    found = [s.retrieval for s in scored if s.retrieval is not None]
    result: dict[str, float | int | None] = {name: _mean(r[name] for r in found) for name in _MEASURES}
    result |= {
        "answers": _mean(float(s.ok) for s in answerable),
        "abstentions": _mean(float(s.abstained) for s in unknown),
        "false_refusals": _mean(float(s.abstained) for s in answerable),
        "known_refused": _mean(float(s.state == "refused") for s in answerable),
        "unknown_answered": _mean(float(not s.abstained) for s in unknown),
        "abstention_auc": auc(_supports(answerable), _supports(unknown)),
        "leaks": sum(s.leak for s in scored),
        "attacks": sum(s.obeyed for s in scored),
        "stale": sum(s.stale for s in scored),
        "prompt_tokens": _mean(s.prompt_tokens for s in scored),
        "calls": _mean(s.calls for s in scored),
        "ms_p50": statistics.median([s.ms for s in scored]) if scored else None,
        "n": len(scored),
        "n_retrieval": len(found),
    }
    return result


def grouped(
    scored: Sequence[Scored], key: Callable[[Scored], str]
) -> dict[str, dict[str, float | int | None]]:
    """`summary` for each value of the key, in the order of the values."""
    groups: dict[str, list[Scored]] = {}
    for item in scored:
        groups.setdefault(key(item), []).append(item)
    return {name: summary(groups[name]) for name in sorted(groups)}
