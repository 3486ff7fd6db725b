"""Search as the pipeline says: vectors, words, fusion, scope, cut. Holds no SQL; every read has the asker's
sight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from lab.kinds import Chunk, Hit, Sight
from lab.memory import search as memory
from lab.memory.visibility import View, looking
from lab.models.embedders import Embedder
from lab.rag import fuse, letters, rewrite
from lab.rag.engine import Engine
from lab.rag.memo import searching
from lab.rag.pipeline import Pipeline
from lab.rag.rewrite import Sought
from lab.rag.scope import Scope, scope_of
from lab.rag.split import texts
from lab.rag.trace import Trace
from lab.text import language_of

POOL = 2000
"""Candidates a list has when more are visible. Below it every visible text is scored and z-scores are over
all."""
WORDS = 0.2
"""Weight of BM25 beside the vectors, both in standard deviations. Chosen on the dev questions."""
DEMOTION = 1.5
"""Standard deviations of the fused score by which a chunk of the other scope is lowered. Chosen on dev."""
SECOND_BEST = 0.25
"""Weight of a section's second-best unit. Chosen on dev, as the two below."""
WHOLE = 0.2
"""Weight of a section's whole text beside its units, both in standard deviations."""
BESIDE = 0.3
"""Weight of what is sought beside the question, in standard deviations."""
LOOKED_AT = 4
"""Times `k` chunks that are fetched, so that a demotion has something to bring up."""
_OTHER = {"domestic": "international", "international": "domestic"}


@dataclass(frozen=True, slots=True)
class _Found:
    """Scores by chunk: `total` for ranking, `named` for showing, `best` the unit that won for its chunk."""

    total: fuse.Scores
    named: Mapping[str, fuse.Scores]
    best: Mapping[str, str]


def search(question: str, sight: Sight, pipeline: Pipeline, engine: Engine, trace: Trace) -> list[Hit]:
    """The `pipeline.k` best hits for the question, best first, as `sight` allows."""
    scope = _scope(question, trace) if pipeline.scope else None
    sought = rewrite.rewritten(question, pipeline.rewrite, trace)
    key = "search", question, sought, sight, searching(pipeline)
    hits = engine.once(key, trace, lambda: _looked_at(question, sought, sight, pipeline, engine, trace))
    if scope is not None and scope.scope in _OTHER:
        hits = demote(hits, scope, trace)
    with trace.step("cut", len(hits)) as line:
        hits = hits[: pipeline.k]
        line.out = len(hits)
        line.detail["k"] = pipeline.k
    return hits


def _looked_at(
    question: str, sought: Sought, sight: Sight, pipeline: Pipeline, engine: Engine, trace: Trace
) -> list[Hit]:
    """More hits than are kept, before the scope moves them."""
    with looking(engine.read, sight) as view:
        found = _by_vectors(sought, view, pipeline, engine, trace)
        if pipeline.hybrid:
            found = _with_words(question, view, found, pipeline, trace)
        order = fuse.top(fuse.zscored(found.total), LOOKED_AT * pipeline.k)
        chunks = memory.fetch(view, [key for key, _ in order])
    return [_hit(chunks[key], score, found) for key, score in order if key in chunks]


def asked(question: str, pipeline: Pipeline) -> list[str]:
    """The texts that are embedded for a question: a climb embeds those of all questions beforehand."""
    read = letters.restored(question) if pipeline.letters else question
    parts = texts(read) if pipeline.decompose else [read]
    return [text for part in parts for text in rewrite.offline(part, pipeline.rewrite).texts]


def everything(sight: Sight, engine: Engine, trace: Trace) -> list[Hit]:
    """Every section that `sight` sees, in document order: the full-context prompt."""
    with trace.step("everything", 0) as line, looking(engine.read, sight) as view:
        hits = [Hit(chunk, 0.0) for chunk in memory.all_chunks(view, "section")]
        line.out = len(hits)
    return hits


def demote(hits: Sequence[Hit], scope: Scope, trace: Trace) -> list[Hit]:
    """Lower the chunks labelled with the other scope: a demotion, not a filter, so a wrong guess loses no
    text."""
    other = _OTHER[scope.scope]
    with trace.step("demote", len(hits)) as line:
        why = f"lowered: {other}, but the question says {scope.because!r}"
        moved = [
            replace(hit, score=hit.score - DEMOTION, why=(*hit.why, why))
            if hit.chunk.label.scope == other
            else hit
            for hit in hits
        ]
        line.out = len(moved)
        line.detail |= {"scope": scope.scope, "because": scope.because}
    return sorted(moved, key=lambda hit: -hit.score)


def _scope(question: str, trace: Trace) -> Scope:
    with trace.step("scope", 0) as line:
        scope = scope_of(question)
        line.detail |= {"scope": scope.scope, "because": scope.because}
    return scope


def _by_vectors(sought: Sought, view: View, pipeline: Pipeline, engine: Engine, trace: Trace) -> _Found:
    """Cosines of every embedder, z-scored and added; with an index of units the best unit counts for its
    chunk. What is sought beside the question is scored alike and the best of it added."""
    units = pipeline.index == "units"
    collection = "unit" if units else pipeline.chunker
    embedders = engine.embedders(pipeline.embedders)
    near: dict[str, memory.Near] = {}
    whole: tuple[fuse.Scores, ...] = ()
    for embedder in embedders:
        # A second embedder has vectors of units only: it is the slow one.
        beside = pipeline.chunker if pipeline.views and units and embedder is embedders[0] else ""
        key = "near", sought.texts, view.sight, embedder.space, collection, beside
        near[embedder.spec], more = engine.part(
            key, trace, partial(_near, embedder, sought, view, collection, beside, trace)
        )
        whole = whole or more
    family = {unit: parent for found in near.values() for unit, parent in found.parents.items()}
    with trace.step("fuse", sum(len(found.scores[0]) for found in near.values())) as line:
        totals: list[dict[str, float]] = []
        best: dict[str, str] = {}
        for at in range(len(sought.texts)):
            weighted = [(found.scores[at], 1.0) for found in near.values()]
            total = fuse.rrf(weighted) if pipeline.fusion == "rrf" else fuse.add(weighted)
            if units:
                total, winners = fuse.best_of(total, family, SECOND_BEST if pipeline.views else 0.0)
                best = best or winners
            if whole:
                total = fuse.add([(total, 1.0), (whole[at], WHOLE)])
            totals.append(total)
        total = fuse.beside(totals[0], totals[1:], BESIDE)
        named = {f"cosine {spec}": found.scores[0] for spec, found in near.items()}
        if units:
            named = {name: fuse.best_of(scores, family)[0] for name, scores in named.items()}
        line.out = len(total)
        line.detail["fusion"] = pipeline.fusion
    return _Found(total, named, best)


def _near(
    embedder: Embedder, sought: Sought, view: View, collection: str, beside: str, trace: Trace
) -> tuple[memory.Near, tuple[fuse.Scores, ...]]:
    """What is near in one collection, and the scores of another beside it (none where that is "")."""
    with trace.step(f"vector {embedder.spec}", 0) as line:
        vectors = list(embedder.queries(sought.texts))
        near = memory.by_vectors(view, embedder.space, vectors, POOL, collection)
        line.out = len(near.scores[0])
        more = memory.by_vectors(view, embedder.space, vectors, POOL, beside).scores if beside else ()
    return near, more


def _with_words(question: str, view: View, found: _Found, pipeline: Pipeline, trace: Trace) -> _Found:
    """BM25 fused in. Chunks that share no word for being in another language are neither raised nor lowered
    by it."""
    language = language_of(question)
    with trace.step("words", len(found.total)) as line:
        scores = dict(memory.by_words(view, question, language, POOL, pipeline.chunker))
        line.out = len(scores)
        line.detail["language"] = language
        if pipeline.fusion == "rrf":
            total = fuse.rrf([(found.total, 1.0), (scores, 1.0)])
        else:
            chunks = memory.fetch(view, list(found.total))
            silent = frozenset(
                key
                for key in found.total
                if key not in scores and (key not in chunks or chunks[key].label.language != language)
            )
            padded = dict.fromkeys((key for key in found.total if key not in silent), 0.0) | scores
            total = fuse.add([(found.total, 1.0), (padded, WORDS)], neutral=(frozenset(), silent))
    return _Found(total, {**found.named, "bm25": scores}, found.best)


def _hit(chunk: Chunk, score: float, found: _Found) -> Hit:
    scores = {name: scores[chunk.id] for name, scores in found.named.items() if chunk.id in scores}
    why = (f"found by {found.best[chunk.id]}",) if chunk.id in found.best else ()
    return Hit(chunk, score, {**scores, "fused": score}, why)
