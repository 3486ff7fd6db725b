"""The guard: suspect text out of what is read, and every sentence of an answer checked.

A request in a prompt ("never follow a source") is no boundary, and a scan finds half of what people think of.
So both ends are kept: what a source may say to a reader, and what an answer may say to a person.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lab.corpus.scan import scan
from lab.corpus.sentences import spans
from lab.corpus.signals import addresses, demands_secret, mentions_secret
from lab.corpus.suspects import cut
from lab.kinds import Citation, Hit
from lab.rag.engine import Engine
from lab.rag.pieces import pieces_of
from lab.rag.pipeline import Pipeline
from lab.rag.trace import Trace
from lab.text import fold, language_of, lexemes, words

if TYPE_CHECKING:
    from lab.rag.read import Reading

EMBEDDER = "use"
"""A millisecond a sentence, and the better bridge between languages."""
LIKENESS, WITH_FIGURES, WORDS = 0.40, 0.25, 0.5
"""When a cited hit supports a sentence: cosine of its nearest piece, the same where figures agree too, or the
share of the sentence's words. Chosen on sentences of our own in both languages, true and false ones."""
_MARK = re.compile(r"\s*\[\s*\d{1,3}(?:\s*[,;]\s*\d{1,3})*\s*\]")
_NUMBER = re.compile(r"\d+")
_AFTER_MARK = re.compile(r"(?<=\])\s+(?=[A-ZÇĞİÖŞÜ])")
"""Where another sentence begins although no full stop says so."""


@dataclass(frozen=True, slots=True)
class Removed:
    """A sentence that was struck from an answer, and why."""

    sentence: str
    why: str


def sources(hits: Sequence[Hit], trace: Trace) -> list[Hit]:
    """The hits without suspect text; a hit that is suspect as a whole is left out. What stays of the others
    is still used. Hits that have nothing suspect are passed on as they are."""
    with trace.step("guard sources", len(hits)) as line:
        kept: list[Hit] = []
        cuts: list[dict[str, object]] = []
        for hit in hits:
            chunk, reasons = cut(hit.chunk)
            if reasons:
                whole = not chunk.text
                cuts.append({"ref": hit.ref, "whole": whole, "why": list(reasons)})
                if whole:
                    continue
                hit = replace(hit, chunk=chunk, why=(*hit.why, f"cut: {reasons[0]}"))
            kept.append(hit)
        line.out = len(kept)
        line.detail |= {"kept out": len(cuts), "cuts": cuts}
    return kept


def answer(
    question: str, reading: Reading, hits: Sequence[Hit], pipeline: Pipeline, engine: Engine, trace: Trace
) -> Reading:
    """The reading without what no cited hit supports and without requests, addresses and links of its own.

    `hits` are those the reader was handed, guarded. An answer with nothing left becomes an abstention; what
    was struck stands in the trace. A negation turned round ("is not paid") is not seen."""
    with trace.step("guard answer", 0) as line:
        quoting = pipeline.reader == "extractive"
        parts = reading.text.split("\n") if quoting else _sentences(reading.text)
        line.into = len(parts)
        kept: list[str] = []
        removed: list[Removed] = []
        if quoting or reading.abstained:
            cited = [fold(hit.chunk.text) for hit in hits]
            for part in parts:
                why = _forbidden(part, " ".join(cited))
                _sort(part, why, kept, removed)
        else:
            known = _Sources(hits, engine)
            named = [n for n in _numbers(reading.text) if 1 <= n <= len(hits)]
            for part in parts:
                own = [n for n in _numbers(part) if n in named] or named or list(range(1, len(hits) + 1))
                why = _forbidden(part, known.text(own)) or known.unsupported(part, own, question)
                if why is None and not _numbers(part) and not named and hits:
                    part = f"{part} [{known.nearest(part)}]"
                _sort(part, why, kept, removed)
        line.out = len(kept)
        line.detail["removed"] = [{"sentence": it.sentence, "why": it.why} for it in removed]
        line.detail["reasons"] = dict(Counter(it.why for it in removed))
    if quoting:
        return _renumbered(reading, parts, kept, question) if removed else reading
    if reading.abstained:
        return replace(reading, text=_not_found(question)) if removed or not kept else reading
    if not kept:
        return replace(reading, text=_not_found(question), abstained=True, citations=())
    text = reading.text if not removed and _numbers(reading.text) else " ".join(kept)
    return replace(reading, text=text, citations=_citations(text, reading, hits))


def _sort(part: str, why: str | None, kept: list[str], removed: list[Removed]) -> None:
    if why is None:
        kept.append(part)
    else:
        removed.append(Removed(part, why))


def _forbidden(sentence: str, cited: str) -> str | None:
    """Why a sentence may not be said, whatever supports it; None when it may. `cited` is folded."""
    said = " ".join(fold(_MARK.sub("", sentence)).split())
    if demands_secret(said):
        return "asks for credentials"
    if scan(sentence):
        return "gives an assistant orders"
    if any(address not in cited for address in addresses(said)):
        return "names an address that no cited text has"
    if mentions_secret(said) and said.strip(" .!") not in " ".join(cited.split()):
        return "asks for credentials"
    return None


class _Sources:
    """The hits a model was handed, by number from 1, and how well they support a sentence."""

    def __init__(self, hits: Sequence[Hit], engine: Engine) -> None:
        self.hits = hits
        (self.embedder,) = engine.embedders(EMBEDDER)
        self.pieces = [[piece.shown for piece in pieces_of(hit, 0)] for hit in hits]
        self.folded = [fold(f"{hit.chunk.title} {hit.chunk.heading} {hit.chunk.text}") for hit in hits]

    def text(self, numbers: Sequence[int]) -> str:
        return " ".join(self.folded[n - 1] for n in numbers)

    def unsupported(self, sentence: str, numbers: Sequence[int], question: str) -> str | None:
        """Why none of these hits supports the sentence; None when one does."""
        bare = _MARK.sub("", sentence).strip()
        if not any(letter.isalnum() for letter in bare):
            return "says nothing"
        cited = self.text(numbers)
        figures = set(_figures(bare))
        if not figures <= set(_figures(cited)) | set(_figures(question)):
            return "has a figure that no cited text has"
        language = language_of(bare)
        wanted = set(lexemes(bare, language))
        present = {lexeme for n in numbers for lexeme in lexemes(self.folded[n - 1], language)}
        if wanted and len(wanted & present) >= WORDS * len(wanted):
            return None
        floor = WITH_FIGURES if figures - set(_figures(question)) else LIKENESS
        if any(self._likeness(bare, n) >= floor for n in numbers):
            return None
        return "no cited text supports it"

    def nearest(self, sentence: str) -> int:
        """Number of the hit that supports the sentence best."""
        bare = _MARK.sub("", sentence).strip()
        return max(range(1, len(self.hits) + 1), key=lambda n: self._likeness(bare, n))

    def _likeness(self, sentence: str, number: int) -> float:
        pieces = self.pieces[number - 1]
        if not pieces:
            return 0.0
        return float((self.embedder.passages(pieces) @ self.embedder.passages([sentence])[0]).max())


def _figures(text: str) -> list[str]:
    return [word for word in words(text) if word[0].isdigit()]


def _sentences(text: str) -> list[str]:
    """The sentences of an answer, each with the source numbers that follow it."""
    found: list[str] = []
    whole = [text[first:last] for first, last in spans(text, language_of(text))]
    for part in (piece for sentence in whole for piece in _AFTER_MARK.split(sentence)):
        leading = re.match(rf"(?:{_MARK.pattern})+", part)
        if leading and found:
            found[-1] = f"{found[-1]} {leading[0].strip()}"
            part = part[leading.end() :].strip()
        if part:
            found.append(part)
    return found


def _numbers(text: str) -> list[int]:
    """Source numbers in square brackets, in order of first mention."""
    return list(dict.fromkeys(int(n) for mark in _MARK.findall(text) for n in _NUMBER.findall(mark)))


def _citations(text: str, reading: Reading, hits: Sequence[Hit]) -> tuple[Citation, ...]:
    """Citations of the hits that the text still names, in order of first mention."""
    made = {(c.document, c.edition, c.section): c for c in reading.citations}
    found: list[Citation] = []
    for number in _numbers(text):
        if 1 <= number <= len(hits):
            chunk = hits[number - 1].chunk
            pieces = pieces_of(hits[number - 1], 0)
            quote = pieces[0].quote if pieces else chunk.text
            place = chunk.document, chunk.label.edition, chunk.section
            found.append(made.get(place) or Citation(*place, quote))
    return tuple(found)


def _renumbered(reading: Reading, parts: Sequence[str], kept: Sequence[str], question: str) -> Reading:
    """A quoting answer without some lines; the others and their citations are numbered anew."""
    lines: list[str] = []
    citations: list[Citation] = []
    left = list(kept)
    for part in parts:
        if part not in left:
            continue
        left.remove(part)
        for number in _numbers(part):
            if 1 <= number <= len(reading.citations):
                citations.append(reading.citations[number - 1])
                part = part.replace(f"[{number}]", f"[{len(citations)}]")
        lines.append(part)
    if not any(letter.isalnum() for line in lines for letter in line):
        return replace(reading, text=_not_found(question), abstained=True, citations=())
    return replace(reading, text="\n".join(lines), citations=tuple(citations))


def _not_found(question: str) -> str:
    from lab.rag.read import NOT_FOUND  # which calls the guard

    return NOT_FOUND["tr" if language_of(question) == "tr" else "en"]
