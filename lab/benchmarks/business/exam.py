"""The business exam: the world into a workspace of its own, then every question by recall and by plain vector
search over the same memories in the same run."""

from __future__ import annotations

import hashlib
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import accumulate

import numpy as np

from lab.benchmarks.business import world as worlds
from lab.benchmarks.business.questions import TYPES, Question, questions
from lab.benchmarks.business.world import ROLES, TODAY, World
from lab.kinds import Sight
from lab.memory import records, search, write
from lab.memory.connect import reader, writer
from lab.memory.gather import Found, fetch_found
from lab.memory.recall import Recalled, Recipe, recall
from lab.memory.server import Server
from lab.memory.visibility import Connection, looking, writing
from lab.models.embedders import Embedder
from lab.text import count_tokens, fold

TOP, MOST = 10, 100
"""Memories of plain vector search; the most of them where a budget ends the list."""
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A world in the database. `between`: a moment after its first state and before the later versions."""

    world: World
    workspace: str
    between: datetime
    seconds: dict[str, float]
    """By stage: embedding, first, replay, later."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question by one method. `every`: the evidence of every hop stands in the context."""

    question: Question
    answered: bool
    every: bool
    tokens: int
    ms: float
    database_ms: float


@dataclass(frozen=True, slots=True)
class Measures:
    """Over some questions: shares in 0 … 1, mean tokens, milliseconds."""

    n: int
    answered: float
    every: float
    tokens: float
    median_ms: float
    p95_ms: float
    database_median_ms: float
    database_p95_ms: float


def load(server: Server, embedder: Embedder, rows: int, seed: int = 7, say: Say = lambda _: None) -> Loaded:
    """Builds and stores the world; what is stored already is not written again."""
    world = worlds.build(rows, seed)
    # Two worlds never share a workspace, whatever becomes of the generator.
    digest = hashlib.sha256(
        "\n".join(record.content for record in world.first + world.later).encode()
    ).hexdigest()
    workspace = f"business-{rows}-{seed}-{digest[:8]}"
    for role, modules in ROLES.items():
        write.allow(server, workspace, role, modules)
    say(f"a world of {len(world.first):,} memories and {len(world.later)} later versions")
    seconds: dict[str, float] = {}

    def timed(stage: str, listed: Sequence[records.Record]) -> records.SyncReport:
        start = time.perf_counter()
        done = 0

        def on(count: int) -> None:
            nonlocal done
            done += count
            if len(listed) > 10_000:
                say(f"{stage}: {done:,} of {len(listed):,}")

        report = records.sync(server, listed, workspace=workspace, embedders=[embedder], progress=on)
        seconds[stage] = time.perf_counter() - start
        return report

    known = between(server, workspace)
    if known is None:
        start = time.perf_counter()
        embed(embedder, [record.content for record in world.first], say)
        seconds["embedding"] = time.perf_counter() - start
        report = timed("first", world.first)
        say(f"{report.written:,} written in {seconds['first']:.0f} s")
        known = datetime.now(UTC)
        timed("later", world.later)
        known = between(server, workspace) or known
    timed("replay", world.first)
    return Loaded(world, workspace, known, seconds)


def embed(embedder: Embedder, contents: Sequence[str], say: Say = lambda _: None) -> None:
    """Has them embedded, so that they come from the cache when they are stored."""
    for at in range(0, len(contents), 4_000):
        embedder.passages(contents[at : at + 4_000])
        if len(contents) > 10_000:
            say(f"embedding: {min(at + 4_000, len(contents)):,} of {len(contents):,}")


def between(server: Server, workspace: str) -> datetime | None:
    """When the first of the later versions was learnt, less a moment; None before."""
    with writer(server) as connection, writing(connection, workspace):
        row = connection.execute(
            "select min(closed_at) - interval '1 millisecond' from memory "
            "where workspace = %s and document not like 'facts%%' and closed_at is not null",
            [workspace],
        ).fetchone()
    return row[0] if row else None


def sight(loaded: Loaded, question: Question | None = None, role: str = "owner") -> Sight:
    return Sight(
        frozenset({role}), TODAY, workspace=loaded.workspace, known_at=question.known_at if question else None
    )


def run(
    server: Server,
    loaded: Loaded,
    embedder: Embedder,
    asked: Sequence[Question],
    recipe: Recipe = Recipe(),
    say: Say = lambda _: None,
) -> tuple[list[Outcome], list[Outcome]]:
    """(by recall, by plain vector search). The question's embedding is computed past every cache and
    counted in
    `ms` of both."""
    base = getattr(embedder, "base", embedder)
    base.queries([asked[0].text])  # loads the weights
    ours, plain = [], []
    with reader(server) as connection:
        connection.autocommit = True
        for warm in asked[:10]:
            by_recall(connection, loaded, warm, embedder.space, base.queries([warm.text])[0], recipe)
            by_vector(connection, loaded, warm, embedder.space, base.queries([warm.text])[0])
        for number, question in enumerate(asked, 1):
            start = time.perf_counter()
            vector = base.queries([question.text])[0]
            embedding = (time.perf_counter() - start) * 1000
            outcome, _ = by_recall(connection, loaded, question, embedder.space, vector, recipe)
            ours.append(replace(outcome, ms=outcome.ms + embedding))
            other = by_vector(connection, loaded, question, embedder.space, vector)
            plain.append(replace(other, ms=other.ms + embedding))
            if number % 50 == 0:
                say(f"{number} of {len(asked)} questions")
    return ours, plain


def by_recall(
    connection: Connection,
    loaded: Loaded,
    question: Question,
    space: str,
    vector: np.ndarray,
    recipe: Recipe,
    role: str = "owner",
) -> tuple[Outcome, Recalled]:
    start = time.perf_counter()
    found = recall(
        connection, sight(loaded, question, role), question.text, space, vector, today=TODAY, recipe=recipe
    )
    ms = (time.perf_counter() - start) * 1000
    places = {memory.place for memory in found.memories}
    return (
        Outcome(
            question,
            holds(found.text, question.answer),
            set(question.evidence) <= places,
            found.tokens,
            ms,
            found.ms["database"],
        ),
        found,
    )


def by_vector(
    connection: Connection,
    loaded: Loaded,
    question: Question,
    space: str,
    vector: np.ndarray,
    budget: int | None = None,
) -> Outcome:
    """The ten nearest memories by cosine, as a list; with `budget` as many of them as have so many tokens."""
    start = time.perf_counter()
    top = TOP if budget is None else MOST
    found = nearest(connection, sight(loaded, question), space, vector, top)
    if budget is not None:
        spent = accumulate(count_tokens(item.line) + 1 for item in found)
        found = [item for item, cost in zip(found, spent, strict=True) if cost <= budget]
    ms = (time.perf_counter() - start) * 1000
    text = "\n".join(item.line for item in found)
    return Outcome(
        question,
        holds(text, question.answer),
        set(question.evidence) <= {item.place for item in found},
        count_tokens(text),
        ms,
        ms,
    )


def nearest(
    connection: Connection, eyes: Sight, space: str, vector: np.ndarray, top: int = TOP
) -> list[Found]:
    """The memories nearest by cosine, nearest first."""
    with looking(connection, eyes) as view:
        listed = search.by_vector(view, space, vector, top, records.COLLECTION)
        known = {item.id: item for item in fetch_found(view, dict(listed), (), space, vector)}
    return [known[key] for key, _ in listed]


def holds(context: str, answer: str) -> bool:
    """Whether the answer stands in the context, whatever its case."""
    return fold(answer) in fold(context)


def measure(outcomes: Sequence[Outcome]) -> Measures:
    times = sorted(outcome.ms for outcome in outcomes)
    inside = sorted(outcome.database_ms for outcome in outcomes)

    def p95(values: Sequence[float]) -> float:
        return values[min(len(values) - 1, int(0.95 * len(values)))]

    return Measures(
        len(outcomes),
        statistics.fmean(outcome.answered for outcome in outcomes),
        statistics.fmean(outcome.every for outcome in outcomes),
        statistics.fmean(outcome.tokens for outcome in outcomes),
        statistics.median(times),
        p95(times),
        statistics.median(inside),
        p95(inside),
    )


def by_group(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """By type, by language, and all."""
    groups = {kind: [o for o in outcomes if o.question.type == kind] for kind in TYPES}
    groups |= {
        language: [o for o in outcomes if o.question.language == language] for language in ("tr", "en")
    }
    return {name: listed for name, listed in (groups | {"all": list(outcomes)}).items() if listed}


def exam(loaded: Loaded, split: str, per_type: int = 20) -> list[Question]:
    return questions(loaded.world, split, loaded.between, per_type)
