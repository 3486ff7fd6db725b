"""Search in conversations: a turn is judged together with what was said just before and after it.

A turn is a chunk whose document is the sitting, whose position is its place in it and whose heading is who
said it. Often the words of a question stand in the turn that asks, and the answer in the next. The score of a
turn is the sum of z-scored cosines and BM25, to which its neighbours' scores are added with falling weight,
and what is due to the speaker and the day that a question names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
from pgvector import HalfVector
from psycopg import sql

from lab.memory import hnsw, search
from lab.memory.embeddings import stored_space
from lab.memory.names import bases
from lab.memory.periods import periods
from lab.memory.visibility import View
from lab.text import STOP_EN, STOP_TR, fold, words

CANDIDATES = 200
"""Turns taken from each search where there are more than `hnsw.FROM`; their neighbours come with them."""
SHORTEST = 3
"""Letters of a short form ("Mel") that is taken for a name."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What each part counts, in standard deviations of one list. Chosen on the first five conversations of
    LoCoMo and nowhere else."""

    vectors: tuple[float, ...] = (1.0, 0.3)
    """By space, in the order given; a further one counts as the last."""
    words: float = 1.0
    before: tuple[float, ...] = (0.6, 0.4)
    """Of the score of the turn one before, two before, …"""
    after: tuple[float, ...] = (0.3, 0.2)
    speaker: float = 1.0
    """For the turns of somebody named in the question, unless all who speak are."""
    period: float = 2.0
    """For the turns of a sitting within a period that the question names."""


@dataclass(frozen=True, slots=True)
class Turns:
    """Visible turns in the order in which they were said, and their cosines: (spaces, n) float64."""

    ids: tuple[str, ...]
    sittings: tuple[str, ...]
    ordinals: np.ndarray
    speakers: tuple[str, ...]
    days: tuple[date, ...]
    cosines: np.ndarray


def by_talk(
    view: View,
    question: str,
    near: Sequence[tuple[str, np.ndarray]],
    language: str,
    k: int,
    collection: str,
    weights: Weights = Weights(),
    today: date | None = None,
) -> list[tuple[str, float]]:
    """(id, score) of the `k` best visible turns, best first, ties in the order of saying: never fewer than
    `k` where so many are seen. `near`: spaces and the question's vector in each, at least one; a turn without
    a vector in the first is not found.

    Relative times count from `today`, without it from the asked day or the last day talked about. LabError
    as in `by_vector`."""
    if not view.modules or k <= 0:
        return []
    if _few(view, collection):
        turns = _turns(view, near, collection, None)
        spoken = dict(search.by_words(view, question, language, None, collection)) if weights.words else {}
    else:
        spoken = dict(search.by_words(view, question, language, max(CANDIDATES, k), collection))
        space, vector = near[0]
        close = [key for key, _ in search.by_vector(view, space, vector, max(CANDIDATES, k), collection)]
        reach = max(len(weights.before), len(weights.after))
        turns = _turns(view, near, collection, _neighbours(view, [*spoken, *close], reach, collection))
    if not turns.ids:
        return []
    scores = _scored(turns, question, spoken, weights, today or view.sight.as_of or max(turns.days))
    order = np.argsort(-np.round(scores, 9), kind="stable")[:k]
    return [(turns.ids[at], float(scores[at])) for at in order]


def _scored(
    turns: Turns, question: str, spoken: dict[str, float], weights: Weights, today: date
) -> np.ndarray:
    """(n,) the score of each turn."""
    last = weights.vectors[-1] if weights.vectors else 0.0
    total = np.zeros(len(turns.ids))
    for at, row in enumerate(turns.cosines):
        total += (weights.vectors[at] if at < len(weights.vectors) else last) * _normal(row)
    if weights.words:
        total += weights.words * _normal(np.array([spoken.get(key, 0.0) for key in turns.ids]))
    total = smoothed(total, turns, weights.before, weights.after)
    if weights.speaker and (named := _named(question, turns.speakers)):
        total += weights.speaker * np.array([speaker in named for speaker in turns.speakers])
    if weights.period and (spans := periods(question, today)):
        total += weights.period * np.array(
            [any(first <= day < end for first, end in spans) for day in turns.days]
        )
    return total


def smoothed(scores: np.ndarray, turns: Turns, before: Sequence[float], after: Sequence[float]) -> np.ndarray:
    """(n,) each score with those of the turns around it in the same sitting; a gap in the positions (a turn
    that is not seen) is a gap."""
    total = scores.copy()
    sittings = np.unique(turns.sittings, return_inverse=True)[1]
    for step in range(1, min(len(scores), 1 + max(len(before), len(after)))):
        for apart in range(1, step + 1):  # with gaps, a neighbour stands nearer in the list than in the talk
            beside = (sittings[apart:] == sittings[:-apart]) & (
                turns.ordinals[apart:] - turns.ordinals[:-apart] == step
            )
            if step <= len(before):
                total[apart:] += before[step - 1] * scores[:-apart] * beside
            if step <= len(after):
                total[:-apart] += after[step - 1] * scores[apart:] * beside
    return total


def _normal(values: np.ndarray) -> np.ndarray:
    spread = float(values.std())
    normal: np.ndarray = (values - values.mean()) / spread if spread > 1e-12 else np.zeros_like(values)
    return normal


def _named(question: str, speakers: Sequence[str]) -> frozenset[str]:
    """The speakers that the question names, by a name of theirs, its short form ("Mel") or with a Turkish
    ending ("Ayşenin"); none where it names all of them, which tells nothing."""
    asked = {word for word in words(question) if len(word) >= SHORTEST} - STOP_EN - STOP_TR
    readings = asked | {base for word in asked for base in bases(word)}
    everybody = frozenset(speakers)
    found = frozenset(
        speaker
        for speaker in everybody
        if any(
            name in readings or any(name.startswith(word) for word in asked)
            for name in fold(speaker).split()
            if len(name) >= SHORTEST
        )
    )
    return found if found != everybody else frozenset()


def _few(view: View, collection: str) -> bool:
    row = view.connection.execute(
        "select coalesce(sum(n), 0) <= %s from module_size "
        "where workspace = %s and collection = %s and module = any(%s)",
        [hnsw.FROM, view.sight.workspace, collection, list(view.modules)],
    ).fetchone()
    return row is not None and bool(row[0])


def _turns(
    view: View, near: Sequence[tuple[str, np.ndarray]], collection: str, ids: Sequence[str] | None
) -> Turns:
    """All visible turns, or those of `ids`."""
    spaces = [stored_space(view.connection, space, vector)[0] for space, vector in near]
    cosines = sql.SQL(", ").join(
        sql.SQL("1 - ({v}.vector <=> {query}::halfvec)").format(
            v=sql.Identifier(f"v{at}"), query=sql.Placeholder(f"query{at}")
        )
        for at in range(len(near))
    )
    further = sql.SQL("").join(
        sql.SQL(" left join memory_vector {v} on {v}.memory = m.serial and {v}.space = {space}").format(
            v=sql.Identifier(f"v{at}"), space=sql.Placeholder(f"space{at}")
        )
        for at in range(1, len(near))
    )
    statement = sql.SQL(
        "select m.id, m.document || '@' || m.edition, m.ordinal, m.labels->>'heading', m.valid_from,"
        " {cosines}"
        " from memory_vector v0 join memory m on m.serial = v0.memory{further}"
        " where v0.workspace = %(workspace)s and v0.space = %(space0)s and v0.collection = %(collection)s"
        " and v0.module = any(%(modules)s) and m.workspace = %(workspace)s"
        " and m.collection = %(collection)s and m.module = any(%(modules)s)"
        " and (%(ids)s::text[] is null or m.id = any(%(ids)s))"
    ).format(cosines=cosines, further=further)
    values: dict[str, Any] = {
        "workspace": view.sight.workspace,
        "collection": collection,
        "modules": list(view.modules),
        "ids": None if ids is None else list(ids),
    }
    values |= {f"space{at}": space for at, space in enumerate(spaces)}
    values |= {f"query{at}": HalfVector(vector) for at, (_, vector) in enumerate(near)}
    rows = view.connection.execute(statement, values).fetchall()
    rows.sort(key=lambda row: (row[1], row[2], row[0]))
    return Turns(
        ids=tuple(row[0] for row in rows),
        sittings=tuple(row[1] for row in rows),
        ordinals=np.array([row[2] for row in rows], dtype=np.int64),
        speakers=tuple(row[3] or "" for row in rows),
        days=tuple(row[4] for row in rows),
        # A turn without a vector in a further space: neither near nor far.
        cosines=np.array([[0.0 if c is None else c for c in row[5:]] for row in rows], float).T.reshape(
            len(near), len(rows)
        ),
    )


def _neighbours(view: View, ids: Sequence[str], reach: int, collection: str) -> list[str]:
    """These turns and the visible ones up to `reach` places from them, each once."""
    rows = view.connection.execute(
        """select distinct n.id from memory m
           join memory n on n.workspace = m.workspace and n.collection = m.collection
                         and n.document = m.document and n.edition = m.edition
                         and n.ordinal between m.ordinal - %(reach)s and m.ordinal + %(reach)s
           where m.workspace = %(workspace)s and m.collection = %(collection)s and m.id = any(%(ids)s)""",
        {"workspace": view.sight.workspace, "collection": collection, "ids": list(ids), "reach": reach},
    )
    return [key for (key,) in rows]
