"""The read path of business memory in six named steps, without a language model and in one transaction:
anchors, hybrid search, paths, ranking, visibility (in every statement, by the database), compression."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TypeVar

import numpy as np

from lab.kinds import Sight
from lab.memory import ranking, search
from lab.memory.anchors import Anchor, anchors, by_meaning
from lab.memory.gather import Found, fetch_found, gather
from lab.memory.paths import HOPS, Path, paths
from lab.memory.periods import as_of, periods
from lab.memory.records import COLLECTION
from lab.memory.visibility import Connection, View, looking
from lab.memory.vocabulary import Asked, asked
from lab.text import count_tokens, language_of

T = TypeVar("T")
BUDGET = 1_000
"""Tokens (cl100k_base) of the text that `recall` writes."""
K = 30
"""Memories taken from each of the two searches."""
NODES = 150
"""Nodes of the walk whose memories are read."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Which steps are taken; one is left out at a time to see what it is worth."""

    anchors: bool = True
    endings: bool = True
    meaning: bool = True
    words: bool = True
    vectors: bool = True
    paths: bool = True
    periods: bool = True
    newest: bool = True
    concepts: bool = True
    """Whether attributes and words are looked for in the memories found."""
    budget: int = BUDGET


@dataclass(frozen=True, slots=True)
class Recalled:
    """What a question got. `text` is what a model would read; `memories` stand in it, in their order."""

    text: str
    tokens: int
    anchors: tuple[Anchor, ...]
    paths: tuple[Path, ...]
    memories: tuple[Found, ...]
    asked: Asked
    as_of: date | None
    ms: dict[str, float] = field(default_factory=dict)
    """Milliseconds by step."""
    near: Mapping[str, float] = field(default_factory=dict)
    """What step 2 found: memory id → score, best first."""
    walked: tuple[Path, ...] = ()
    """What step 3 reached, in the order of the walk."""
    ranked: ranking.Ranked = field(default_factory=lambda: ranking.Ranked((), ()))
    """What step 4 made of it."""


def recall(
    connection: Connection,
    sight: Sight,
    question: str,
    space: str,
    vector: np.ndarray,
    *,
    today: date,
    recipe: Recipe = Recipe(),
) -> Recalled:
    """Answers `question` with what `sight` may see, from memories in the vector space `space`; `vector` is
    the
    question's in it, `today` what relative times count from.

    A day asked about in the question ("as of 1 February 2026") takes the place of the sight's."""
    ms: dict[str, float] = {}

    def timed(name: str, step: Callable[[], T]) -> T:
        start = time.perf_counter()
        result = step()
        ms[name] = ms.get(name, 0.0) + (time.perf_counter() - start) * 1000
        return result

    wish = asked(question)
    reach = HOPS if wish.types or wish.relations else 1  # where nothing beyond is asked for, the neighbours
    day = as_of(question)
    if day:
        sight = replace(sight, as_of=day)
    spans = [] if day or not recipe.periods else periods(question, today)
    start = time.perf_counter()
    with looking(connection, sight) as view:
        named = timed("anchors", lambda: anchors(view, question)) if recipe.anchors else []
        if not recipe.endings:
            named = [anchor for anchor in named if anchor.how == "exact"]
        near = timed("hybrid", lambda: hybrid(view, words_of(question, wish, named), space, vector, recipe))
        starts = named
        if recipe.meaning:
            starts = timed("anchors", lambda: _with_meaning(view, named, list(near), wish))
        walked = (
            timed(
                "paths",
                lambda: paths(view, starts, wish.types, wish.relations, hops=reach if recipe.paths else 0),
            )
            if starts
            else []
        )
        walked = ranking.promising(walked, wish, NODES)
        found = timed("gather", lambda: gather(view, walked, space, vector))
        if recipe.paths and (
            turns := ranking.turn(wish, walked, found, spans, starts, wish.newest and recipe.newest)
        ):
            onward = timed("paths", lambda: _onward(view, turns, wish))
            new = [path for path in onward if path.hops[-1].node not in {item.node for item in found}]
            found += timed("gather", lambda: gather(view, ranking.promising(new, wish, NODES), space, vector))
            walked = [*walked, *onward]
        found += timed("gather", lambda: fetch_found(view, near, {item.id for item in found}, space, vector))
    ms["database"] = (time.perf_counter() - start) * 1000
    ranked = timed(
        "ranking",
        lambda: ranking.rank(
            wish, walked, found, near, spans,
            named=[anchor for anchor in starts if anchor.how != "meaning"],
            newest=wish.newest and recipe.newest, concepts=recipe.concepts,
        ),
    )  # fmt: skip
    chosen, memories, text = timed("compression", lambda: compress(starts, ranked, recipe.budget))
    ms["whole"] = (time.perf_counter() - start) * 1000
    return Recalled(
        text, count_tokens(text), tuple(starts), tuple(chosen), tuple(memories), wish, sight.as_of, ms,
        near, tuple(walked), ranked,
    )  # fmt: skip


def words_of(question: str, wish: Asked, named: Sequence[Anchor]) -> str:
    """What is searched by words: where somebody is named, the names and what is neither a type nor an
    attribute.
    Those words stand in thousands of records; paths and ranking see to them."""
    if not named:
        return question
    names = {word for anchor in named for word in anchor.words}
    rest = ranking.concepts_of(wish, named).whole
    return " ".join(word for word in wish.words if word in names or word in rest)


def hybrid(
    view: View, words: str, space: str, vector: np.ndarray, recipe: Recipe = Recipe()
) -> dict[str, float]:
    """Step 2: memory id → score in 0 … 1, best first: the mean of both searches' scores, each divided by its
    best. Which is which is of no matter to the rule: both are bound by it."""
    scores: dict[str, float] = {}
    lists = []
    if recipe.vectors:
        lists.append(search.by_vector(view, space, vector, K, COLLECTION))
    if recipe.words:
        language = language_of(words)
        lists.append(search.by_words(view, words, language, K, COLLECTION, proven=False))
    for listed in lists:
        top = max((score for _, score in listed), default=0.0)
        for key, score in listed:
            if top > 0:
                scores[key] = scores.get(key, 0.0) + score / top / len(lists)
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0])))


def _onward(view: View, turns: Sequence[Path], wish: Asked) -> list[Path]:
    """A walk from the end of each of `turns`, its paths beginning where the turn began."""
    found: list[Path] = []
    for turn in turns:
        start = Anchor(turn.nodes[-1], "", turn.types[-1], turn.hops[-1].name, "turn", 1.0)
        found += [
            Path(turn.start, (*turn.hops, *path.hops))
            for path in paths(view, [start], wish.types, wish.relations)
            if path.hops and not set(path.nodes[1:]) & set(turn.nodes)
        ]
    return found


def _with_meaning(view: View, named: list[Anchor], near: Sequence[str], wish: Asked) -> list[Anchor]:
    """The named ones; without any, those behind the nearest memories. Where a type is asked for by no code (a
    complaint told by its subject), the walk finds it."""
    if named:
        return named
    return by_meaning(view, near[:10], wish.types)


def compress(
    starts: Iterable[Anchor], ranked: ranking.Ranked, budget: int = BUDGET
) -> tuple[list[Path], list[Found], str]:
    """Step 6: anchors, the best paths with the memories of all their hops, the best memories however
    found, further paths, the rest; each memory once, within `budget` tokens. Returns the paths, the
    memories and the text."""
    names = ", ".join(dict.fromkeys(f"{anchor.name} ({anchor.type})" for anchor in starts))
    head = [f"About: {names}"] if names else []
    spent = sum(map(count_tokens, head)) + 6
    lines: list[str] = []
    told: list[str] = []
    taken: dict[str, Found] = {}
    chosen: list[Path] = []

    def room(items: Sequence[Found], extra: str = "") -> bool:
        nonlocal spent
        new = [item for item in items if item.id not in taken]
        cost = sum(count_tokens(item.line) + 1 for item in new) + (count_tokens(extra) + 1 if extra else 0)
        if spent + cost > budget:
            return False
        spent += cost
        for item in new:
            taken[item.id] = item
            told.append(item.line)
        return True

    def tell(listed: Sequence[tuple[Path, tuple[Found, ...]]]) -> None:
        for path, items in listed:
            line = path.text if path.hops else ""
            if room(items, line):
                chosen.append(path)
                if line:
                    lines.append(line)

    tell(ranked.paths[: ranking.FIRST])
    for item in ranked.rest[: ranking.BEST]:
        if item.id not in taken:
            room([item])
    tell(ranked.paths[ranking.FIRST : ranking.PATHS])
    missed = 0
    for item in ranked.rest:
        if item.id not in taken and not room([item]):
            missed += 1
            if missed > 3:
                break
    return chosen, list(taken.values()), "\n".join((*head, *lines, *told))
