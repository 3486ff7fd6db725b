"""How well the hits support an answer, and what follows: answered, not sure, or refused.

Support is the logit of a small logistic model that tells, on the dev questions, those with an answer in the
corpus from those without. It reads only what the reader was handed, so it does not depend on how that was
found: how much of the ranker's softmax one piece has, how near the nearest piece lies, and how far the
question's words are covered by words of the hits (soft matching of words by their vectors, as in BERTScore,
Zhang et al., ICLR 2020; here above what an average piece covers, so that words which stand everywhere count
little).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lab.kinds import Hit
from lab.models.embedders import Embedder
from lab.rag.pieces import Piece
from lab.text import STOP_EN, STOP_TR, calm, fold

ANSWERED, UNSURE, REFUSED = "answered", "unsure", "refused"
LOST, LOST_OUTRIGHT = 0.05, 0.02
"""Shares of the rightly answered dev questions that the two thresholds may cost: below the first an answer is
only "not sure", below the second it is refused."""
PENALTY = 3.0
SHORTEST = 3
"""Letters from which a word counts."""


@dataclass(frozen=True, slots=True)
class Model:
    """Logistic model over the features of `features`, each centred and scaled; thresholds in its logits."""

    centre: Mapping[str, float]
    spread: Mapping[str, float]
    weight: Mapping[str, float]
    intercept: float
    answer: float
    """From here on the pieces are given as the answer."""
    refuse: float
    """Below this not even the nearest section is named."""

    def support(self, found: Mapping[str, float]) -> float:
        """The logit of these features."""
        parts = (
            self.weight[name] * (found[name] - self.centre[name]) / self.spread[name] for name in self.weight
        )
        return self.intercept + sum(parts)

    def state(self, support: float) -> str:
        if support >= self.answer:
            return ANSWERED
        return UNSURE if support >= self.refuse else REFUSED


@functools.lru_cache(maxsize=8192)
def content(text: str) -> tuple[str, ...]:
    """The words of a text that carry meaning, in order, none twice."""
    found = re.findall(r"[^\W_]+", calm(text))
    stop = STOP_EN | STOP_TR
    return tuple(dict.fromkeys(word for word in found if len(word) >= SHORTEST and fold(word) not in stop))


def features(
    question: str,
    pieces: Sequence[Piece],
    hits: Sequence[Hit],
    found: Mapping[str, np.ndarray],
    scores: np.ndarray,
    embedder: Embedder,
) -> dict[str, float]:
    """Feature → number for the question as a whole. `found` and `scores` are the ranker's, by piece."""
    share = np.exp(scores - scores.max())
    covered, least = coverage(question, pieces, hits, embedder)
    result = {
        "share": float(share.max() / share.sum()),
        "nearest": float(found["unit"].max()),
        "words": float(found["words"].max()),
        "covered": covered,
        "least": least,
    }
    if "second" in found:
        result["second"] = float(found["second"].max())
    return result


def coverage(
    question: str, pieces: Sequence[Piece], hits: Sequence[Hit], embedder: Embedder
) -> tuple[float, float]:
    """(sum over the question's words of how much better their best piece covers them than the mean piece
    does, how well the worst covered word is covered). A piece covers a word by the cosine of its nearest
    word, title and heading included."""
    asked = content(question)
    if not asked:
        return 0.0, 0.0
    held = [said(piece, hits[piece.hit]) for piece in pieces]
    known = sorted({word for words in held for word in words})
    if not known:
        return 0.0, 0.0
    at = {word: number for number, word in enumerate(known)}
    near = embedder.passages(asked) @ embedder.passages(known).T
    by_piece = np.zeros((len(held), len(asked)), dtype=near.dtype)
    spoken = [number for number, words in enumerate(held) if words]
    columns = np.array([at[word] for words in held for word in words])
    first = np.cumsum([0, *(len(held[number]) for number in spoken[:-1])])
    by_piece[spoken] = np.maximum.reduceat(near[:, columns], first, axis=1).T
    best = by_piece.max(axis=0)
    return float((best - by_piece.mean(axis=0)).sum()), float(best.min())


def said(piece: Piece, hit: Hit) -> tuple[str, ...]:
    """The content words of a piece with its title and heading."""
    return content(f"{piece.shown} {hit.chunk.heading} {hit.chunk.title}")


def fit(
    outcomes: Sequence[tuple[Mapping[str, float], bool, bool]], names: Sequence[str], penalty: float = PENALTY
) -> Model:
    """The model from (features, has an answer, would be answered rightly) of questions.

    Both classes weigh alike, however many questions each has. The thresholds are the support below which
    `LOST` and `LOST_OUTRIGHT` of the rightly answered lie. LabError when one of the classes is empty."""
    from scipy.optimize import minimize

    from lab.kinds import LabError

    known = np.array([has for _, has, _ in outcomes], dtype=bool)
    right = np.array([ok for _, _, ok in outcomes], dtype=bool)
    if not known.any() or known.all() or not right.any():
        raise LabError(
            "There is nothing to calibrate on.",
            "Dev questions with an answer and without one, some of them answered rightly.",
            "python start.py ingest",
        )
    rows = np.array([[found[name] for name in names] for found, _, _ in outcomes], dtype=float)
    centre, spread = rows.mean(axis=0), np.maximum(rows.std(axis=0), 1e-9)
    rows = np.column_stack([(rows - centre) / spread, np.ones(len(rows))])
    weight = np.where(known, 0.5 / known.mean(), 0.5 / (~known).mean())
    sign = np.where(known, 1.0, -1.0)

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        margin = sign * (rows @ w)
        slope = -sign / (1 + np.exp(np.minimum(margin, 500))) * weight
        shrunk = np.append(w[:-1], 0.0)
        value = float((weight * np.logaddexp(0, -margin)).sum() + penalty * (shrunk @ shrunk) / 2)
        return value, rows.T @ slope + penalty * shrunk

    best = minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B").x
    logits = np.sort((rows @ best)[right])
    named = list(names)
    return Model(
        dict(zip(named, centre.tolist(), strict=True)),
        dict(zip(named, spread.tolist(), strict=True)),
        dict(zip(named, best[:-1].tolist(), strict=True)),
        float(best[-1]),
        float(logits[int(LOST * len(logits))]),
        float(logits[int(LOST_OUTRIGHT * len(logits))]),
    )
