"""Rows and columns of tables: which of them a question names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from lab.models.embedders import Embedder
from lab.rag import expect
from lab.rag.pieces import Piece
from lab.text import calm, words

KEY_LIKENESS = 0.55
"""Cosine from which a run of words of the question names a row key ("müdür" → Manager). Chosen on dev."""
TITLES = {
    "kidemli": "senior",
    "uzman": "specialist",
    "yonetici": "manager",
    "mudur": "manager",
    "direktor": "director",
}
"""Folded stems of Turkish job titles: an embedder as small as this one can't tell them apart."""


def named(question: str, pieces: Sequence[Piece], embedder: Embedder) -> np.ndarray:
    """+1 for rows whose key the question names, −1 for the other rows of those tables, 0 elsewhere; shape
    (n,)."""
    marks = np.zeros(len(pieces))
    tables: dict[tuple[int, int], list[int]] = defaultdict(list)
    for at, piece in enumerate(pieces):
        if piece.key is not None:
            tables[piece.hit, piece.table].append(at)
    for rows in tables.values():
        match = _matching([pieces[at].key or "" for at in rows], question, embedder)
        if match.any():
            marks[rows] = np.where(match, 1.0, -1.0)
    return marks


def _matching(keys: Sequence[str], question: str, embedder: Embedder) -> np.ndarray:
    """Which of one table's keys the question names; all False when it names none."""
    numbers = expect.numbers(question)
    covers = [expect.key_covers(key, numbers) for key in keys]
    if any(cover is not None for cover in covers):
        return np.array([bool(cover) for cover in covers])
    said, names = f" {_titled(question)} ", [_titled(key) for key in keys]
    spelled = np.array([bool(name) and f" {name} " in said for name in names])
    if spelled.any():  # "senior specialist" names that row, not also "specialist"
        longest = max(len(name) for name, there in zip(names, spelled, strict=True) if there)
        return np.array(
            [bool(there) and len(name) == longest for name, there in zip(names, spelled, strict=True)]
        )
    runs = expect.phrases(calm(question))
    if not runs:
        return np.zeros(len(keys), dtype=bool)
    likeness = (embedder.passages(keys) @ embedder.passages(runs).T).max(axis=1)
    best = float(likeness.max())
    match: np.ndarray = (likeness >= best - 1e-6) & (best > KEY_LIKENESS)
    return match


def _titled(text: str) -> str:
    """Folded words with Turkish job titles in English and English plurals of them cut: both sides alike."""
    return " ".join(_title(word) for word in words(text))


def _title(word: str) -> str:
    for stem, title in TITLES.items():
        if word.startswith((stem, title)):
            return title
    return word
