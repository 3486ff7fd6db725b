"""Measures that need no library."""

from __future__ import annotations

from collections.abc import Sequence


def auc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """Area under the ROC curve: how often a positive scores above a negative, ties by half (Mann and Whitney,
    1947). None when either is empty."""
    if not positive or not negative:
        return None
    wins = sum((p > n) + 0.5 * (p == n) for p in positive for n in negative)
    return wins / (len(positive) * len(negative))
