"""A question of several parts: each is searched and read by itself; the answer says which part is missing.

The loop is search → enough? → next wording, within hard limits. It is enough when the reader answers from the
hits; a language model is not asked for that, there the support of the hits decides (`calibration`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
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
UNSURE = {
    "en": "About this part I am not sure: “{part}”",
    "tr": "Şu kısımdan emin değilim: “{part}”",
}
Find = Callable[[str], list[Hit]]
"""The hits of one text, from the search to the guard of sources."""
Widened = Callable[[str, list[Hit]], list[Hit]]
"""The hits of one text as they are read."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was found for a part. `reading` is None where a language model reads all parts at once; `enough`
    says whether the hits answer the part."""

    part: Part
    hits: list[Hit]
    reading: Reading | None
    enough: bool
    support: float | None


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

    def look(part: Part, wording: str) -> Found:
        hits = widened(wording, in_context(find(wording), whole))
        return _judged(part, wording, hits, pipeline, engine, trace)

    found = [_looped(at, part, look, pipeline, trace, budget) for at, part in enumerate(parts, start=1)]
    with trace.step("interleave", sum(len(it.hits) for it in found)) as line:
        # All that was handed to the reader stays, so that what is cited is among the hits.
        handed = len(interleaved([it.hits[: pipeline.read] for it in found]))
        hits = interleaved([it.hits for it in found])[: max(pipeline.k, handed)]
        line.out = len(hits)
        line.detail["searches"] = SEARCHES - budget.searches
    if pipeline.reader == read.EXTRACTIVE:
        return _joined(question, found, pipeline, trace), hits
    return _read_at_once(question, found, pipeline, engine, trace), hits


def interleaved(lists: Sequence[Sequence[Hit]]) -> list[Hit]:
    """The lists' hits in turn, no chunk twice."""
    chosen: dict[str, Hit] = {}
    for rank in range(max(map(len, lists), default=0)):
        for hits in lists:
            if rank < len(hits):
                chosen.setdefault(hits[rank].chunk.id, hits[rank])
    return list(chosen.values())


def in_context(hits: Sequence[Hit], whole: Sequence[Hit]) -> list[Hit]:
    """A part's hits with their scores for the whole question added, best first; what the whole question did
    not find counts as its last hit."""
    if not whole:
        return list(hits)
    scores = {hit.chunk.id: hit.score for hit in whole}
    floor = min(scores.values())
    added = [replace(hit, score=hit.score + CONTEXT * scores.get(hit.chunk.id, floor)) for hit in hits]
    return sorted(added, key=lambda hit: -hit.score)


def _looped(
    number: int,
    part: Part,
    look: Callable[[Part, str], Found],
    pipeline: Pipeline,
    trace: Trace,
    budget: Budget,
) -> Found:
    """What the best wording found; the next one is tried only while it is not enough."""
    best = Found(part, [], None, False, None)
    tried: list[str] = []
    wording: str | None = part.search
    while wording is not None and len(tried) < ROUNDS and budget.searches > 0:
        budget.searches -= 1
        tried.append(wording)
        found = look(part, wording)
        if not best.hits or _better(found, best):
            best = found
        with trace.step("enough?", len(found.hits)) as line:
            line.out = len(best.hits)
            line.detail |= {"part": number, "round": len(tried), "enough": found.enough}
            line.detail["support"] = None if found.support is None else round(found.support, 2)
            if found.enough:
                break
            wording = part.text if part.text not in tried else None
            if wording is None and budget.calls > 0 and pipeline.decompose.startswith("ollama:"):
                budget.calls -= 1
                line.calls += 1
                other, line.tokens = planner.reword(part.search, pipeline.decompose.partition(":")[2])
                wording = other if other not in tried else None
    return best


def _better(found: Found, best: Found) -> bool:
    if found.enough or best.support is None:
        return found.enough
    return found.support is not None and found.support > best.support


def _judged(
    part: Part, wording: str, hits: list[Hit], pipeline: Pipeline, engine: Engine, trace: Trace
) -> Found:
    """The part read from these hits, where that takes no language model. What a prompt of its own would have
    cost is not counted: all parts share one."""
    handed = hits[: pipeline.read]
    if pipeline.reader != read.EXTRACTIVE:
        support = calibration.support(handed, pipeline) if pipeline.abstains else None
        return Found(part, hits, None, bool(hits) and (support is None or support >= 0), support)
    own = Trace()
    reading = read.read(wording, handed, pipeline, engine, own)
    trace.steps += [replace(step, tokens=0) for step in own.steps]
    values = [step.detail.get("support") for step in own.steps if step.name == "read"]
    support = next((float(value) for value in values if isinstance(value, int | float)), None)
    return Found(part, hits, reading, not reading.abstained, support)


def _joined(question: str, found: Sequence[Found], pipeline: Pipeline, trace: Trace) -> Reading:
    """One block a part, in the order of the question; a part without an answer is named."""
    language = "tr" if language_of(question) == "tr" else "en"
    blocks: list[str] = []
    citations: list[Citation] = []
    with trace.step("join", len(found)) as line:
        line.tokens = count_tokens(build_prompt(question, _sources(found, pipeline)))
        for it in found:
            if it.reading is None or (it.reading.abstained and not it.reading.citations):
                blocks.append(note(MISSING, it.part, language))
                continue
            text = renumbered(it.reading.text, len(it.reading.citations), len(citations))
            unsure = f"{note(UNSURE, it.part, language)}\n" if it.reading.abstained else ""
            blocks.append(unsure + text)
            citations += it.reading.citations
        line.out = sum(it.enough for it in found)
        line.detail["missing"] = len(found) - line.out
    if not citations and not line.out:
        return Reading(read.NOT_FOUND[language], True, ())
    return Reading("\n\n".join(blocks), not line.out, tuple(citations))


def _read_at_once(
    question: str, found: Sequence[Found], pipeline: Pipeline, engine: Engine, trace: Trace
) -> Reading:
    """A language model gets one prompt with the sources of all parts; parts without support are named."""
    sources = interleaved([it.hits[: pipeline.read] for it in found])
    reading = read.read(question, sources, pipeline, engine, trace)
    if reading.abstained:
        return reading
    language = "tr" if language_of(question) == "tr" else "en"
    notes = [note(MISSING, it.part, language) for it in found if not it.enough]
    return replace(reading, text="\n\n".join([reading.text, *notes]))


def note(words: Mapping[str, str], part: Part, language: str) -> str:
    """The line that names a part without an answer."""
    return words[language].format(part=part.text.strip(" ?.,;"))


def renumbered(text: str, own: int, before: int) -> str:
    """Citation marks at line ends, [1] to [own], counted on from `before`."""

    def mark(match: re.Match[str]) -> str:
        number = int(match[1])
        return f"[{number + before}]" if 1 <= number <= own else match[0]

    return re.sub(r"\[(\d{1,2})\](?=(?:\[\d{1,2}\])*[ \t]*$)", mark, text, flags=re.MULTILINE)


def _sources(found: Sequence[Found], pipeline: Pipeline) -> list[Source]:
    chunks = [hit.chunk for hit in interleaved([it.hits[: pipeline.read] for it in found])]
    return [
        Source(at, c.ref, c.title, c.heading, c.label.edition, c.label.valid_from, c.text)
        for at, c in enumerate(chunks, start=1)
    ]
