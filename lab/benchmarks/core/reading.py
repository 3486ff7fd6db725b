"""What reading costs under the rule: whole recalls, plain vector search, and the same for who sees little."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lab.benchmarks.business import exam
from lab.benchmarks.business.exam import Loaded, Outcome
from lab.benchmarks.business.questions import Question
from lab.benchmarks.core.targets import Line, median, p95
from lab.memory import records, search
from lab.memory.connect import reader
from lab.memory.recall import Recipe
from lab.memory.server import Server
from lab.memory.visibility import Connection, looking
from lab.models.embedders import Embedder

TOP = 10
FEW = "hr"
"""The role that sees some 2 % of the rows (at 100,000)."""
LIMITED = ("sales", "finance", "hr")
"""Roles that may not read everything."""


@dataclass(frozen=True, slots=True)
class Near:
    """Vector search of one role: share of the exact ten that were found, milliseconds a query, share of the
    memories that the role sees."""

    recall: float
    ms: tuple[float, ...]
    share: float


def whole(server: Server, loaded: Loaded, embedder: Embedder, asked: Sequence[Question]) -> list[Line]:
    """Latency of whole recalls, their context, and what they cost beside plain vector search."""
    ours, plain = exam.run(server, loaded, embedder, asked)
    inside = [outcome.database_ms for outcome in ours]
    return [
        Line("recall with graph, database part, median", median(inside), "ms", 25),
        Line("recall with graph, database part, p95", p95(inside), "ms", 60),
        Line("recall with query embedding, median", _ms(ours), "ms"),
        Line("plain vector top 10 with query embedding, median", _ms(plain), "ms"),
        Line("recall against plain vector top 10", _ms(ours) / _ms(plain), "×", 1.5),
        Line("context a question, mean", sum(o.tokens for o in ours) / len(ours), "tokens", 1_100),
        Line("answer in context", sum(o.answered for o in ours) / len(ours)),
    ]


def few(connection: Connection, loaded: Loaded, space: str, vectors: Sequence[np.ndarray]) -> list[Line]:
    """Vector search for who sees some 2 % of the rows, beside who sees all."""
    little = near(connection, loaded, FEW, space, vectors)
    everything = near(connection, loaded, "owner", space, vectors)
    return [
        Line(f"share of memories that {FEW} sees", little.share),
        Line(f"recall@{TOP} against exact, {FEW}", little.recall, "", 0.95, most=False),
        Line(f"recall@{TOP} against exact, who sees all", everything.recall),
        Line(f"vector search, {FEW}, median", median(little.ms), "ms"),
        Line("vector search, who sees all, median", median(everything.ms), "ms"),
        Line(f"vector search, {FEW} against who sees all", median(little.ms) / median(everything.ms), "×", 1),
    ]  # fmt: skip


def near(
    connection: Connection, loaded: Loaded, role: str, space: str, vectors: Sequence[np.ndarray]
) -> Near:
    """The `TOP` nearest as they are searched for, beside the exact ones, with the eyes of `role`."""
    eyes = exam.sight(loaded, role=role)
    found, times = [], []
    with looking(connection, eyes) as view:
        seen = search.count(view, records.COLLECTION)
    with looking(connection, exam.sight(loaded)) as view:
        there = search.count(view, records.COLLECTION)
    for vector in vectors:
        start = time.perf_counter()
        with looking(connection, eyes) as view:
            listed = search.by_vector(view, space, vector, TOP, records.COLLECTION)
        times.append((time.perf_counter() - start) * 1000)
        with looking(connection, eyes) as view:
            exact = search.by_vector(view, space, vector, None, records.COLLECTION)[:TOP]
        wanted = {key for key, _ in exact}
        found.append(len(wanted & {key for key, _ in listed}) / max(1, len(wanted)))
    return Near(sum(found) / len(found), tuple(times), seen / max(1, there))


def rights(
    connection: Connection,
    loaded: Loaded,
    space: str,
    asked: Sequence[Question],
    vectors: Sequence[np.ndarray],
) -> list[Line]:
    """The same questions by members with fewer rights and by one who may read everything, in turn."""
    times: dict[str, list[float]] = {role: [] for role in ("owner", *LIMITED)}
    for at, (question, vector) in enumerate(zip(asked, vectors, strict=True)):
        roles = list(times)
        for role in roles[at % len(roles) :] + roles[: at % len(roles)]:  # nobody always finds it warm
            outcome = _recalled(connection, loaded, question, space, vector, role)
            times[role].append(outcome.database_ms)
    everything = median(times["owner"])
    lines = [Line("recall by who may read everything, database part, median", everything, "ms")]
    for role in LIMITED:
        lines.append(
            Line(f"recall with the rights of {role} against it", median(times[role]) / everything, "×", 1.25)
        )
    return lines


def reading(server: Server, loaded: Loaded, embedder: Embedder, asked: Sequence[Question]) -> list[Line]:
    """All of it, on the reading role's connection."""
    base = getattr(embedder, "base", embedder)
    vectors = list(base.queries([question.text for question in asked]))
    lines = whole(server, loaded, embedder, asked)
    with reader(server) as connection:
        connection.autocommit = True
        lines += rights(connection, loaded, embedder.space, asked, vectors)
        lines += few(connection, loaded, embedder.space, vectors[:: max(1, len(vectors) // 60)])
    return lines


def _recalled(
    connection: Connection, loaded: Loaded, question: Question, space: str, vector: np.ndarray, role: str
) -> Outcome:
    return exam.by_recall(connection, loaded, question, space, vector, Recipe(), role)[0]


def _ms(outcomes: Sequence[Outcome]) -> float:
    return median([outcome.ms for outcome in outcomes])
