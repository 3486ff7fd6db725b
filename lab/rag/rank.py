"""Which pieces answer: features of each piece against the question, and a linear score with weights fitted on
the dev questions.

The fit is listwise (softmax over the pieces of a question, Cao et al., ICML 2007), so the scores of one
question's pieces read as shares of a probability that one of them answers.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from lab.kinds import Hit
from lab.rag import expect, rows
from lab.rag.engine import Engine
from lab.rag.kinds_of_answer import KINDS, asked, offered
from lab.rag.pieces import Piece, unit_text
from lab.text import calm, language_of, lexemes

EMBEDDER = "use"
"""The reader's own embedder: a millisecond a sentence, and the better bridge between languages."""

FAR = 4.0
"""Deviations below the best hit that count; behind it all hits are alike."""


def features(
    question: str, pieces: Sequence[Piece], hits: Sequence[Hit], engine: Engine, second: str = ""
) -> dict[str, np.ndarray]:
    """Feature → one number for each piece, shape (n,). `second` names an embedder under which the units of
    these pieces are stored; it adds its own cosine, read from the cache."""
    found: dict[str, np.ndarray] = {}
    (own,) = engine.embedders(EMBEDDER)
    asks = own.queries([calm(question)])[0]
    chunks = [hits[piece.hit].chunk for piece in pieces]
    units = [unit_text(chunk, piece) for chunk, piece in zip(chunks, pieces, strict=True)]
    found["alone"] = own.passages([piece.alone for piece in pieces]) @ asks
    found["shown"] = own.passages([piece.shown for piece in pieces]) @ asks
    found["unit"] = own.passages(units) @ asks
    if second:
        (other,) = engine.embedders(second)
        found["second"] = other.passages(units) @ other.queries([calm(question)])[0]
    below = np.array([hit.score for hit in hits]) - max(hit.score for hit in hits)
    found["hit"] = np.maximum(below, -FAR)[[piece.hit for piece in pieces]]
    found["first"] = np.array([float(piece.hit == 0) for piece in pieces])
    found["row"] = rows.named(question, pieces, own)
    found["words"] = _shared_words(question, pieces, hits)
    wants, has = asked(question), np.array([offered(piece.shown) for piece in pieces], dtype=float)
    for at, kind in enumerate(KINDS):
        found[kind] = has[:, at] * wants[at]
    figures, addresses = np.array([_holds(piece.alone) for piece in pieces], dtype=float).T
    found["figure"] = expect.wants_figure(question) * figures
    found["mail"] = expect.wants_address(question) * addresses
    return found


@functools.lru_cache(maxsize=8192)
def _holds(text: str) -> tuple[bool, bool]:
    """(a figure, an address)."""
    return any(map(str.isdigit, text)), "@" in text


def _shared_words(question: str, pieces: Sequence[Piece], hits: Sequence[Hit]) -> np.ndarray:
    """Share of the question's words that stand in each piece, each weighted by how few of the pieces have it;
    words that no piece has count in full."""
    language = language_of(question)
    wanted = set(lexemes(question, language))
    if not wanted:
        return np.zeros(len(pieces))
    held = [wanted & _words_of(piece.shown, hits[piece.hit].chunk.label.language) for piece in pieces]
    counts = Counter(word for words in held for word in words)
    weight = {word: math.log(1 + len(pieces) / (1 + counts[word])) for word in wanted}
    whole = sum(weight.values())
    return np.array([sum(weight[word] for word in words) / whole for words in held])


@functools.lru_cache(maxsize=8192)
def _words_of(text: str, language: str) -> frozenset[str]:
    return frozenset(lexemes(text, language))


def scored(found: Mapping[str, np.ndarray], weights: Mapping[str, float]) -> np.ndarray:
    """The linear score of each piece, shape (n,). Features without a weight count nothing."""
    names = [name for name in weights if name in found]
    size = len(next(iter(found.values())))
    return sum((weights[name] * found[name] for name in names), np.zeros(size))


def fit(
    questions: Sequence[tuple[Mapping[str, np.ndarray], np.ndarray]], names: Sequence[str], penalty: float
) -> dict[str, float]:
    """Weights that give the answering pieces of each question the greatest share of the softmax.

    `questions`: (features, shape-(n,) mask of answering pieces); those without one are skipped. `penalty`:
    half the weight of the squared weights, in units of each feature's own deviation."""
    from scipy.optimize import minimize

    lists = [
        (np.stack([found[name] for name in names], axis=1), answers)
        for found, answers in questions
        if answers.any()
    ]
    spread = np.maximum(np.concatenate([rows - rows.mean(0) for rows, _ in lists]).std(axis=0), 1e-6)
    lists = [((rows - rows.mean(0)) / spread, answers) for rows, answers in lists]

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        total, slope = penalty * float(w @ w) / 2, penalty * w
        for rows_, answers in lists:
            score = rows_ @ w
            share = np.exp(score - score.max())
            share /= share.sum()
            right = share * answers
            total -= math.log(max(float(right.sum()), 1e-12))
            slope = slope + rows_.T @ (share - right / max(float(right.sum()), 1e-12))
        return total, slope

    best = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B")
    return dict(zip(names, (best.x / spread).tolist(), strict=True))
