"""Fusion of ranked lists: pure functions from scored ids to scored ids, best first.

Reciprocal rank fusion: Cormack, Clarke and Büttcher, SIGIR 2009. Normalised addition ("CombSUM" over
z-scores): Fox and Shaw, TREC-2 1994; z-scores as normalisation after Renda and Straccia, SAC 2003.
"""

from __future__ import annotations

import heapq
import zlib
from collections.abc import Mapping, Sequence

import numpy as np

Scores = Mapping[str, float]
RRF_K = 60.0


def ranked(scores: Scores) -> list[tuple[str, float]]:
    """(id, score) best first; ties in the order of a hash of their ids: the same on every machine, and
    blind to what the ids say (by name, the earlier edition of an unchanged section would always come
    first)."""
    return sorted(scores.items(), key=lambda item: _place(*item))


def zscored(scores: Scores) -> dict[str, float]:
    """The scores in units of their standard deviation around their mean; all 0 when they do not differ."""
    if not scores:
        return {}
    values = np.fromiter(scores.values(), dtype=np.float64)
    spread = values.std()
    if spread < 1e-12:
        return dict.fromkeys(scores, 0.0)
    return dict(zip(scores, ((values - values.mean()) / spread).tolist(), strict=True))


def add(parts: Sequence[tuple[Scores, float]], neutral: Sequence[frozenset[str]] = ()) -> dict[str, float]:
    """Weighted sum of z-scored lists.

    An id that a list does not hold gets that list's lowest z-score: being absent from a cut list is weak
    evidence against it, never better than being its last entry. `neutral[i]` names ids about which list i
    can say nothing (for words: texts of another language); they are left out of its mean and get 0 from it.
    """
    ids = {key for scores, _ in parts for key in scores}
    fused = dict.fromkeys(ids, 0.0)
    for at, (scores, weight) in enumerate(parts):
        silent = neutral[at] if at < len(neutral) else frozenset()
        normal = zscored({key: score for key, score in scores.items() if key not in silent})
        floor = min(normal.values(), default=0.0)
        for key in ids - silent:
            fused[key] += weight * normal.get(key, floor)
    return fused


def rrf(parts: Sequence[tuple[Scores, float]], k: float = RRF_K) -> dict[str, float]:
    """Weighted reciprocal rank fusion: sum over lists of weight / (k + rank), ranks from 1; absent ids add
    nothing."""
    fused: dict[str, float] = {}
    for scores, weight in parts:
        for rank, (key, _) in enumerate(ranked(scores), start=1):
            fused[key] = fused.get(key, 0.0) + weight / (k + rank)
    return fused


def beside(scores: Scores, others: Sequence[Scores], weight: float) -> dict[str, float]:
    """z-scores of a list, and `weight` times each id's best z-score in the other lists. Without others the
    list as it is. An id that a list does not hold is that list's last there."""
    if not others:
        return dict(scores)
    normal = [zscored(other) for other in others]
    floors = [min(other.values(), default=0.0) for other in normal]
    return {
        key: score + weight * max(other.get(key, floor) for other, floor in zip(normal, floors, strict=True))
        for key, score in zscored(scores).items()
    }


def best_of(
    scores: Scores, parent: Mapping[str, str], second: float = 0.0
) -> tuple[dict[str, float], dict[str, str]]:
    """Lift unit scores to their parents: the best unit counts (MaxP, Dai and Callan, SIGIR 2019), and the
    next best with the weight `second`; a parent of one unit counts it twice.

    Returns (parent → score, parent → the unit that won). Units without a parent are dropped.
    """
    winner: dict[str, str] = {}
    runner_up: dict[str, float] = {}
    for unit, score in scores.items():
        owner = parent.get(unit)
        if owner is None:
            continue
        best = winner.get(owner)
        if best is None:
            winner[owner] = unit
        elif _before(unit, score, best, scores[best]):
            winner[owner] = unit
            runner_up[owner] = max(runner_up.get(owner, scores[best]), scores[best])
        else:
            runner_up[owner] = max(runner_up.get(owner, score), score)
    lifted = {owner: scores[unit] for owner, unit in winner.items()}
    if second:
        lifted = {owner: best + second * runner_up.get(owner, best) for owner, best in lifted.items()}
    return lifted, winner


def top(scores: Scores, k: int) -> list[tuple[str, float]]:
    """The first `k` of `ranked`."""
    return heapq.nsmallest(k, scores.items(), key=lambda item: _place(*item))


def _before(key: str, score: float, other: str, than: float) -> bool:
    """Whether the first sorts before the second; the hash is computed for ties alone."""
    if abs(score - than) > 1e-8:
        return score > than
    return _place(key, score) < _place(other, than)


def _place(key: str, score: float) -> tuple[float, int]:
    """Sorts best first; ties in the order of a hash of their ids."""
    return -round(score, 9), zlib.crc32(key.encode("utf-8", "replace"))
