"""The reading step: an answer from the hits, by the offline extractive reader or by a language model.

The extractive reader quotes: the pieces of the hits that `rank` finds to answer best, up to three, those far
below the first left out; a row with its header, each with its citation. How well the hits support an answer
decides what is said (`support`): the quotes, "not sure" with the nearest section, or that nothing was found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lab.kinds import Chunk, Citation, Hit
from lab.models.readers import Source, build_prompt, reader
from lab.rag import expect, guard, rank, supersede, support
from lab.rag.engine import Engine
from lab.rag.learned import Learned, learned
from lab.rag.memo import reading
from lab.rag.pieces import Piece, pieces_of, unit_text
from lab.rag.pipeline import Pipeline
from lab.rag.trace import Trace
from lab.text import count_tokens, language_of

EXTRACTIVE = "extractive"
EMBEDDER = rank.EMBEDDER
QUOTES = 3
FAR = 4.0
"""A piece whose score is this far below the first is not quoted: its share is under a fiftieth of the
first's. On dev, leaving such pieces out costs no answer."""
NOT_FOUND = {
    "en": "I found nothing in the documents you may read that answers this.",
    "tr": "Okuyabildiğiniz belgelerde bu soruyu yanıtlayan bir şey bulamadım.",
}
UNSURE = {
    "en": "I am not sure that the documents you may read answer this. The nearest section: {where} [1]",
    "tr": "Okuyabildiğiniz belgelerin bunu yanıtladığından emin değilim. En yakın bölüm: {where} [1]",
}


@dataclass(frozen=True, slots=True)
class Reading:
    """`abstained` with a citation is "not sure", without one a refusal (`lab.kinds.Answer.state`)."""

    text: str
    abstained: bool
    citations: tuple[Citation, ...]


def read(question: str, hits: Sequence[Hit], pipeline: Pipeline, engine: Engine, trace: Trace) -> Reading:
    """The answer to the question from these hits. Writes the prompt's tokens into the trace for every
    reader: they are what a language model would be sent, counted with one tokenizer.

    With `guard` no reader is handed suspect text, and its answer is checked."""
    if pipeline.guard:
        hits = guard.sources(hits, trace)
        found = _read(question, hits, pipeline, engine, trace)
        return guard.answer(question, found, hits, pipeline, engine, trace)
    return _read(question, hits, pipeline, engine, trace)


def _read(question: str, hits: Sequence[Hit], pipeline: Pipeline, engine: Engine, trace: Trace) -> Reading:
    sources = [_source(number, hit) for number, hit in enumerate(hits, start=1)]
    if pipeline.reader != EXTRACTIVE:
        return _by_model(question, hits, sources, pipeline, trace)

    def extracted() -> Reading:
        return _extracted(question, hits, sources, pipeline, engine, trace)

    if pipeline.full_context:  # on no other rung, and large
        return extracted()
    handed = tuple((hit.chunk, hit.score, hit.marks) for hit in hits)
    return engine.once(("read", question, handed, reading(pipeline)), trace, extracted)


def _extracted(
    question: str,
    hits: Sequence[Hit],
    sources: Sequence[Source],
    pipeline: Pipeline,
    engine: Engine,
    trace: Trace,
) -> Reading:
    with trace.step("read", len(hits)) as line:
        line.tokens = count_tokens(build_prompt(question, sources))
        own = learned(pipeline)
        found = ranked(question, hits, engine, own)
        if found is None:
            line.detail |= {"support": None, "state": support.REFUSED}
            return _not_found(question)
        state, value = support.ANSWERED, None
        if own.support is not None:
            value = own.support.support(found.features(question, hits, engine))
            state = own.support.state(value) if pipeline.abstains else state
        line.detail |= {"support": None if value is None else round(value, 3), "state": state}
        if state == support.REFUSED:
            return _not_found(question)
        chosen = found.chosen(question, hits)
        if state == support.UNSURE and chosen:
            return _unsure(question, hits[chosen[0].hit], chosen[0])
        line.out = len(chosen)
    return quoted(hits, chosen) if chosen else _not_found(question)


def extract(
    question: str, hits: Sequence[Hit], engine: Engine, pipeline: Pipeline | None = None
) -> list[Piece]:
    """Up to QUOTES pieces, the best first, no wording twice, none far below the first."""
    found = ranked(question, hits, engine, learned(pipeline or Pipeline(chunker="section")))
    return found.chosen(question, hits) if found else []


@dataclass(frozen=True, slots=True)
class Ranked:
    """The pieces of the hits with the ranker's features and scores."""

    pieces: Sequence[Piece]
    found: dict[str, np.ndarray]
    scores: np.ndarray

    def features(self, question: str, hits: Sequence[Hit], engine: Engine) -> dict[str, float]:
        (embedder,) = engine.embedders(EMBEDDER)
        return support.features(question, self.pieces, hits, self.found, self.scores, embedder)

    def chosen(self, question: str, hits: Sequence[Hit]) -> list[Piece]:
        """What is quoted, best first. A piece that states what holds may be placed by the links between
        documents however far below it was ranked."""
        order = np.argsort(-self.scores, kind="stable")
        near = [self.pieces[at] for at in order if self.scores[at] >= self.scores.max() - FAR]
        kept: list[Piece] = []
        for piece in supersede.settle(question, hits, near, [self.pieces[at] for at in order]):
            if len(kept) < QUOTES and not any(
                piece.alone in other.shown or other.shown in piece.shown for other in kept
            ):
                kept.append(piece)
        return kept


def ranked(question: str, hits: Sequence[Hit], engine: Engine, own: Learned) -> Ranked | None:
    """None where the hits hold no piece."""
    pieces = [piece for at, hit in enumerate(hits) for piece in pieces_of(hit, at)]
    if not pieces:
        return None
    found = rank.features(question, pieces, hits, engine, own.second)
    return Ranked(pieces, found, rank.scored(found, own.weights))


def read_of(chunk: Chunk) -> list[str]:
    """The texts that the reader embeds of a chunk: stored beforehand, a question costs no passage."""
    hit = Hit(chunk, 0.0)
    found: list[str] = []
    for piece in pieces_of(hit, 0):
        found += [piece.alone, piece.shown, unit_text(chunk, piece), *support.said(piece, hit)]
        if piece.key:
            found.append(piece.key)
    return found


def _by_model(
    question: str, hits: Sequence[Hit], sources: Sequence[Source], pipeline: Pipeline, trace: Trace
) -> Reading:
    """A language model's answer. Citations come from the hits it names by number, never from its words."""
    with trace.step("read", len(hits)) as line:
        found = reader(pipeline.reader).read(question, sources)
        line.tokens = count_tokens(build_prompt(question, sources))
        line.calls, line.out = found.calls, len(found.cited)
        line.detail |= {"model": pipeline.reader, "answer tokens": found.answer_tokens}
        line.detail |= {"prompt tokens by the model": found.prompt_tokens}
    citations = tuple(_cite(hits[number - 1]) for number in found.cited)
    refused = not citations and expect.says_unknown(found.text)
    return Reading(found.text, refused, citations)


def _cite(hit: Hit) -> Citation:
    """The hit as a whole: its first piece stands for it, since the model's own words are no quotation."""
    pieces = pieces_of(hit, 0)
    quote = pieces[0].quote if pieces else hit.chunk.text
    return Citation(hit.chunk.document, hit.chunk.label.edition, hit.chunk.section, quote)


def quoted(hits: Sequence[Hit], pieces: Sequence[Piece]) -> Reading:
    """The answer that quotes these pieces, a line and a citation each."""
    lines, citations = [], []
    for number, piece in enumerate(pieces, start=1):
        chunk = hits[piece.hit].chunk
        lines.append(f"{piece.shown} [{number}]")
        citations.append(Citation(chunk.document, chunk.label.edition, chunk.section, piece.quote))
    return Reading("\n".join(lines), False, tuple(citations))


def _not_found(question: str) -> Reading:
    return Reading(NOT_FOUND["tr" if language_of(question) == "tr" else "en"], True, ())


def _unsure(question: str, hit: Hit, nearest: Piece) -> Reading:
    """Names the nearest section and cites it; none of its words is given as the answer."""
    chunk = hit.chunk
    where = f"{chunk.title} ({chunk.label.edition})"
    if chunk.heading:
        where = f"{chunk.title} ({chunk.label.edition}), {chunk.section} {chunk.heading}"
    text = UNSURE["tr" if language_of(question) == "tr" else "en"].format(where=where)
    cited = Citation(chunk.document, chunk.label.edition, chunk.section, nearest.quote)
    return Reading(text, True, (cited,))


def _source(number: int, hit: Hit) -> Source:
    chunk = hit.chunk
    heading = " – ".join(part for part in (chunk.heading, supersede.told(hit)) if part)
    return Source(
        number, chunk.ref, chunk.title, heading, chunk.label.edition, chunk.label.valid_from, chunk.text
    )
