"""One question, straight through: scope, search, fuse, demote, cut, read. Every step writes one line into
the trace."""

from __future__ import annotations

from dataclasses import replace

from lab.kinds import Answer, Hit, Sight
from lab.rag import decompose, guard, letters, read, rerank, retrieve, supersede, widen
from lab.rag.engine import Engine
from lab.rag.pipeline import Pipeline
from lab.rag.trace import Trace

SERVICE = frozenset({"hr"})
"""Rights of the service itself. Only the full-context rung reads with them: one prompt for everybody knows
no asker."""


def ask(question: str, sight: Sight, pipeline: Pipeline, engine: Engine) -> Answer:
    """Answer one question as `sight` allows. LabError when a model or the database is not to be had."""
    trace = Trace()
    if pipeline.letters:
        question = letters.with_letters(question, trace)
    seen = sight if pipeline.edition else replace(sight, as_of=None)
    hits: list[Hit] = []

    def find(text: str) -> list[Hit]:
        return _found(text, seen, pipeline, engine, trace)

    def wide(text: str, found: list[Hit]) -> list[Hit]:
        return widen.widen(text, found, seen, pipeline, engine, trace) if pipeline.widen else found

    if pipeline.decompose and pipeline.searches:
        budget = decompose.Budget()
        parts = decompose.parts(question, pipeline, trace, budget)
        if len(parts) > 1:
            reading, hits = decompose.answer(question, parts, find, wide, pipeline, engine, trace, budget)
            return Answer(reading.text, reading.abstained, reading.citations, tuple(hits), tuple(trace.steps))
    if pipeline.full_context and engine.knows(seen):
        seen = replace(seen, roles=seen.roles | SERVICE)
        hits = retrieve.everything(seen, engine, trace)
    elif pipeline.searches:
        hits = wide(question, find(question))
    sources = hits if pipeline.full_context else hits[: pipeline.read]
    reading = read.read(question, sources, pipeline, engine, trace)
    return Answer(reading.text, reading.abstained, reading.citations, tuple(hits), tuple(trace.steps))


def _found(question: str, sight: Sight, pipeline: Pipeline, engine: Engine, trace: Trace) -> list[Hit]:
    """The hits of a question, or of one part of it, as they go to the reader."""
    hits = retrieve.search(question, sight, pipeline, engine, trace)
    if pipeline.guard:  # before anything else reads them; `read` guards once more what was put together since
        hits = guard.sources(hits, trace)
    if pipeline.rerank:
        hits = rerank.rerank(question, hits, pipeline, engine, trace)
    if pipeline.supersedes:
        hits = supersede.follow(hits, sight, pipeline, engine, trace)
        hits = guard.sources(hits, trace) if pipeline.guard else hits
    return hits
