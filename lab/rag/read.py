"""The reading step: an answer from the hits, by the offline extractive reader or by a language model.

The extractive reader quotes. It ranks the sentences and rows of the hits by the cosine of a fast embedder,
prefers rows whose key the question names and pieces of the kind it asks for, shows a row with its header,
and cites each quote. It abstains when the hits lie too far from the question; the working point comes from
the dev questions (`calibration`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lab.kinds import Citation, Hit
from lab.models.readers import Source, build_prompt, reader
from lab.rag import calibration, expect, guard, supersede
from lab.rag.engine import Engine
from lab.rag.pieces import Piece, pieces_of
from lab.rag.pipeline import Pipeline
from lab.rag.trace import Trace
from lab.text import calm, count_tokens, fold, language_of

EXTRACTIVE = "extractive"
EMBEDDER = "use"
"""The reader's own embedder: a millisecond a sentence, and the better bridge between languages."""
QUOTES = 3
ROW, FIGURE, ADDRESS, RANK = 4.0, 2.0, 2.0, 0.5
"""Weights, in standard deviations of the cosine: a row named by the question, a figure or an address where
one is asked for, the fused score of the hit. Chosen on the dev questions."""
KEY_LIKENESS = 0.55
"""Cosine from which a run of words of the question names a row key ("müdür" → Manager). Chosen on dev."""
NOT_FOUND = {
    "en": "I found nothing in the documents you may read that answers this.",
    "tr": "Okuyabildiğiniz belgelerde bu soruyu yanıtlayan bir şey bulamadım.",
}


@dataclass(frozen=True, slots=True)
class Reading:
    text: str
    abstained: bool
    citations: tuple[Citation, ...]


def read(question: str, hits: Sequence[Hit], pipeline: Pipeline, engine: Engine, trace: Trace) -> Reading:
    """The answer to the question from these hits. Writes the prompt's tokens into the trace for every
    reader: they are what a language model would be sent, counted with one tokenizer.

    With `guard` no reader is handed suspect text, and its answer is checked."""
    if pipeline.guard:
        hits = guard.sources(hits, trace)
        reading = _read(question, hits, pipeline, engine, trace)
        return guard.answer(question, reading, hits, pipeline, engine, trace)
    return _read(question, hits, pipeline, engine, trace)


def _read(question: str, hits: Sequence[Hit], pipeline: Pipeline, engine: Engine, trace: Trace) -> Reading:
    sources = [_source(number, hit) for number, hit in enumerate(hits, start=1)]
    if pipeline.reader != EXTRACTIVE:
        return _by_model(question, hits, sources, pipeline, trace)
    with trace.step("read", len(hits)) as line:
        line.tokens = count_tokens(build_prompt(question, sources))
        support = calibration.support(hits, pipeline) if pipeline.abstains else None
        line.detail["support"] = "unknown" if support is None else round(support, 2)
        if not hits or (support is not None and support < 0):
            return _not_found(question)
        quoted = extract(question, hits, engine)
        line.out = len(quoted)
    return _quoted(hits, quoted) if quoted else _not_found(question)


def extract(question: str, hits: Sequence[Hit], engine: Engine) -> list[Piece]:
    """Up to QUOTES pieces, the best first, no wording twice."""
    pieces = [piece for rank, hit in enumerate(hits) for piece in pieces_of(hit, rank)]
    if not pieces:
        return []
    (embedder,) = engine.embedders(EMBEDDER)
    asked = embedder.queries([calm(question)])[0]
    cosines = embedder.passages([piece.quote for piece in pieces]) @ asked
    scores = (cosines - cosines.mean()) / max(float(cosines.std()), 1e-9)
    if expect.wants_figure(question):
        scores = scores + FIGURE * np.array([any(c.isdigit() for c in piece.quote) for piece in pieces])
    if expect.wants_address(question):
        scores = scores + ADDRESS * np.array(["@" in piece.quote for piece in pieces])
    scores = scores + RANK * np.array([hits[piece.hit].score for piece in pieces])
    scores = scores + ROW * _rows(question, pieces, engine)
    chosen: dict[str, Piece] = {}
    for piece in supersede.settle(question, hits, [pieces[at] for at in np.argsort(-scores, kind="stable")]):
        chosen.setdefault(piece.shown, piece)
        if len(chosen) == QUOTES:
            break
    return list(chosen.values())


def _rows(question: str, pieces: Sequence[Piece], engine: Engine) -> np.ndarray:
    """+1 for rows whose key the question names, −1 for the other rows of those tables, 0 elsewhere; shape
    (n,)."""
    marks = np.zeros(len(pieces))
    tables: dict[tuple[int, int], list[int]] = defaultdict(list)
    for at, piece in enumerate(pieces):
        if piece.key is not None:
            tables[piece.hit, piece.table].append(at)
    if not tables:
        return marks
    named, runs, said = expect.numbers(question), expect.phrases(calm(question)), fold(question)
    (embedder,) = engine.embedders(EMBEDDER)
    for rows in tables.values():
        keys = [pieces[at].key or "" for at in rows]
        covers = [expect.key_covers(key, named) for key in keys]
        spelled = np.array([bool(key) and fold(key) in said for key in keys])
        if any(cover is not None for cover in covers):
            match = np.array([bool(cover) for cover in covers])
        elif spelled.any():  # "senior specialist" names that row, not also "specialist"
            longest = max(len(key) for key, there in zip(keys, spelled, strict=True) if there)
            match = spelled & np.array([len(key) == longest for key in keys])
        elif runs:
            asked = embedder.passages(runs)
            likeness = (embedder.passages(keys) @ asked.T).max(axis=1)
            match = (likeness >= likeness.max() - 1e-6) & (likeness.max() > KEY_LIKENESS)
        else:
            continue
        if match.any():
            marks[rows] = np.where(match, 1.0, -1.0)
    return marks


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


def _quoted(hits: Sequence[Hit], quoted: Sequence[Piece]) -> Reading:
    lines, citations = [], []
    for number, piece in enumerate(quoted, start=1):
        chunk = hits[piece.hit].chunk
        lines.append(f"{piece.shown} [{number}]")
        citations.append(Citation(chunk.document, chunk.label.edition, chunk.section, piece.quote))
    return Reading("\n".join(lines), False, tuple(citations))


def _not_found(question: str) -> Reading:
    return Reading(NOT_FOUND["tr" if language_of(question) == "tr" else "en"], True, ())


def _source(number: int, hit: Hit) -> Source:
    chunk = hit.chunk
    return Source(
        number, chunk.ref, chunk.title, chunk.heading, chunk.label.edition, chunk.label.valid_from, chunk.text
    )
