"""A question of several parts: each is searched and read by itself; the answer says which part is missing.

The loop is search → enough? → next wording, within hard limits. "Enough" is the support of the hits above the
working point that the dev questions gave (`calibration`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lab.kinds import Citation, Hit
from lab.models.readers import Source, build_prompt
from lab.rag import calibration, planner, read
from lab.rag.engine import Engine
from lab.rag.pipeline import Pipeline
from lab.rag.read import Reading
from lab.rag.split import Part, split
from lab.rag.trace import Trace
from lab.text import count_tokens, language_of

RULES = "rules"
ROUNDS = 3
"""Wordings that are tried for one part."""
SEARCHES = 8
"""Searches for one question, over all parts and rounds."""
CALLS = 3
"""Calls of a planning model for one question: one to plan, the others for other wordings."""
CONTEXT = 1.0
"""Weight of a hit's score for the whole question beside its score for a part. Chosen on the dev questions."""
MISSING = {
    "en": "For this part I found nothing in the documents you may read: “{part}”",
    "tr": "Şu kısım için okuyabildiğiniz belgelerde bir şey bulamadım: “{part}”",
}
Find = Callable[[str], list[Hit]]
"""The hits of one text, from the search to the guard of sources."""
Widened = Callable[[str, list[Hit]], list[Hit]]
"""The hits of one text as they are read."""


@dataclass
class Budget:
    """What one question may still spend."""

    searches: int = SEARCHES
    calls: int = CALLS


def parts(question: str, pipeline: Pipeline, trace: Trace, budget: Budget) -> list[Part]:
    """The parts of the question, one when it is not to be taken apart; a model's plan that can't be read
    gives way to the rules, and the trace says so."""
    with trace.step("decompose", 1) as line:
        found, line.detail["by"] = split(question), RULES
        kind, _, model = pipeline.decompose.partition(":")
        if kind == "ollama":
            budget.calls -= 1
            line.calls += 1
            plan, tokens = planner.plan(question, model)
            line.tokens += tokens
            if plan is None:
                line.detail["by"] = f"{RULES}: the reply of {model} was no plan"
            else:
                found, line.detail["by"] = plan, pipeline.decompose
        line.out = len(found)
        if len(found) > 1:
            line.detail["parts"] = [part.search for part in found]
    return found


def answer(
    question: str,
    parts: Sequence[Part],
    find: Find,
    widened: Widened,
    pipeline: Pipeline,
    engine: Engine,
    trace: Trace,
    budget: Budget,
) -> tuple[Reading, list[Hit]]:
    """(what is answered, the hits of all parts in turn: the best of each, then the second of each, …)."""
    budget.searches -= 1
    whole = find(question)
    found = [
        _searched(at, part, whole, find, pipeline, trace, budget) for at, part in enumerate(parts, start=1)
    ]
    found = [widened(part.search, hits) for part, hits in zip(parts, found, strict=True)]
    with trace.step("interleave", sum(map(len, found))) as line:
        hits = interleaved(found)
        line.out = min(len(hits), pipeline.k)
        line.detail["searches"] = SEARCHES - budget.searches
    if pipeline.reader == read.EXTRACTIVE:
        reading = _read_each(question, parts, found, pipeline, engine, trace)
    else:
        reading = _read_at_once(question, parts, found, pipeline, engine, trace)
    return reading, hits[: pipeline.k]


def interleaved(lists: Sequence[Sequence[Hit]]) -> list[Hit]:
    """The lists' hits in turn, no chunk twice."""
    chosen: dict[str, Hit] = {}
    for rank in range(max(map(len, lists), default=0)):
        for hits in lists:
            if rank < len(hits):
                chosen.setdefault(hits[rank].chunk.id, hits[rank])
    return list(chosen.values())


def texts(question: str) -> list[str]:
    """What the rules would have embedded for a question, itself first."""
    found = split(question)
    return list(dict.fromkeys([question, *(text for part in found for text in (part.search, part.text))]))


def in_context(hits: Sequence[Hit], whole: Sequence[Hit]) -> list[Hit]:
    """A part's hits with their scores for the whole question added, best first; what the whole question did
    not find counts as its last hit."""
    if not whole:
        return list(hits)
    scores = {hit.chunk.id: hit.score for hit in whole}
    floor = min(scores.values())
    added = [replace(hit, score=hit.score + CONTEXT * scores.get(hit.chunk.id, floor)) for hit in hits]
    return sorted(added, key=lambda hit: -hit.score)


def _searched(
    number: int,
    part: Part,
    whole: Sequence[Hit],
    find: Find,
    pipeline: Pipeline,
    trace: Trace,
    budget: Budget,
) -> list[Hit]:
    """The hits of the wording with the best support; the next one is tried only while it is not enough."""
    best: list[Hit] = []
    highest: float | None = None
    tried: list[str] = []
    wording: str | None = part.search
    while wording is not None and len(tried) < ROUNDS and budget.searches > 0:
        budget.searches -= 1
        tried.append(wording)
        hits = in_context(find(wording), whole)
        with trace.step("enough?", len(hits)) as line:
            support = calibration.support(hits[: pipeline.read], pipeline) if pipeline.abstains else None
            enough = bool(hits) and (support is None or support >= 0)
            line.detail |= {"part": number, "round": len(tried), "enough": enough}
            line.detail["support"] = "unknown" if support is None else round(support, 2)
            if not best or (support is not None and (highest is None or support > highest)):
                best, highest = hits, support
            line.out = len(best)
            if enough:
                break
            wording = part.text if part.text not in tried else None
            if wording is None and budget.calls > 0 and pipeline.decompose.startswith("ollama:"):
                budget.calls -= 1
                line.calls += 1
                other, line.tokens = planner.reword(part.search, pipeline.decompose.partition(":")[2])
                wording = other if other not in tried else None
    return best


def _read_each(
    question: str,
    parts: Sequence[Part],
    found: Sequence[Sequence[Hit]],
    pipeline: Pipeline,
    engine: Engine,
    trace: Trace,
) -> Reading:
    """One block a part, each read from its own hits. The prompt is counted once, with the sources of all."""
    blocks: list[str] = []
    citations: list[Citation] = []
    said: set[str] = set()
    missing = 0
    for part, hits in zip(parts, found, strict=True):
        own = Trace()
        reading = read.read(part.search, hits[: pipeline.read], pipeline, engine, own)
        trace.steps += [replace(step, tokens=0) for step in own.steps]
        if reading.abstained:
            missing += 1
            blocks.append(missing_note(part, question))
            continue
        block = renumbered(reading.text, len(reading.citations), len(citations))
        blocks.append(block)
        citations += reading.citations
        said.add(block)
    with trace.step("join", len(parts)) as line:
        line.out = len(said)
        line.tokens = count_tokens(build_prompt(question, _sources(found, pipeline)))
        line.detail["missing"] = missing
    if not said:
        nothing = read.NOT_FOUND["tr" if language_of(question) == "tr" else "en"]
        return Reading(nothing, True, ())
    return Reading("\n\n".join(blocks), False, tuple(citations))


def _read_at_once(
    question: str,
    parts: Sequence[Part],
    found: Sequence[Sequence[Hit]],
    pipeline: Pipeline,
    engine: Engine,
    trace: Trace,
) -> Reading:
    """A language model gets one prompt with the sources of all parts; parts without support are named."""
    sources = interleaved([hits[: pipeline.read] for hits in found])
    reading = read.read(question, sources, pipeline, engine, trace)
    if reading.abstained:
        return reading
    weak = [part for part, hits in zip(parts, found, strict=True) if _weak(hits, pipeline)]
    notes = [missing_note(part, question) for part in weak]
    return replace(reading, text="\n\n".join([reading.text, *notes]))


def _weak(hits: Sequence[Hit], pipeline: Pipeline) -> bool:
    support = calibration.support(hits[: pipeline.read], pipeline) if pipeline.abstains else None
    return not hits or (support is not None and support < 0)


def missing_note(part: Part, question: str) -> str:
    """The line that says, in the question's language, that this part was not found."""
    return MISSING["tr" if language_of(question) == "tr" else "en"].format(part=part.text.strip(" ?.,;"))


def renumbered(text: str, own: int, before: int) -> str:
    """Citation marks at line ends, [1] to [own], counted on from `before`."""

    def mark(match: re.Match[str]) -> str:
        number = int(match[1])
        return f"[{number + before}]" if 1 <= number <= own else match[0]

    return re.sub(r"\[(\d{1,2})\](?=(?:\[\d{1,2}\])*[ \t]*$)", mark, text, flags=re.MULTILINE)


def _sources(found: Sequence[Sequence[Hit]], pipeline: Pipeline) -> list[Source]:
    chunks = [hit.chunk for hit in interleaved([hits[: pipeline.read] for hits in found])]
    return [
        Source(at, c.ref, c.title, c.heading, c.label.edition, c.label.valid_from, c.text)
        for at, c in enumerate(chunks, start=1)
    ]
