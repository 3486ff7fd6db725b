"""A sweep: many pipelines over the same questions, each against one baseline, and a ranking that names ties.

Among many cells the best one looks better than it is, and some verdict falls by chance. What is called
better, worse or best here holds after Holm's correction over all cells (Holm, Scandinavian Journal of
Statistics 1979).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from lab.evaluation.compare import ALPHA, Comparison, Verdict, compare, paired
from lab.evaluation.score import Scored, summary
from lab.ladder.rungs import Rung
from lab.rag.memo import searching
from lab.rag.pipeline import Pipeline

RANKED_BY = ("mrr", "hit@1", "recall@5", "ndcg@10", "answers")
BASELINE = "baseline"
BETTER, WORSE, MIXED, CHANCE, UNSHOWN, SAME, LEAKS = (
    "better",
    "worse",
    "mixed",
    "may be chance",
    "not distinguishable",
    "the same",
    "leaks",
)


@dataclass(frozen=True, slots=True)
class Cell:
    """One pipeline of a sweep; `name` says what it sets."""

    name: str
    pipeline: Pipeline

    @property
    def digest(self) -> str:
        """16 hex digits of the SHA-256 over every field of the pipeline."""
        fields = json.dumps(asdict(self.pipeline), sort_keys=True)
        return hashlib.sha256(fields.encode()).hexdigest()[:16]

    def rung(self, base: str) -> Rung:
        """As it is measured and as the ledger keeps it."""
        return Rung(self.name, self.name, base, self.pipeline)


@dataclass(frozen=True, slots=True)
class Sweep:
    """`base` says in words what the cells change; `baseline` is what each is compared with, one of the cells
    or none of them. `split` is dev, test or all."""

    base: str
    baseline: Cell
    cells: tuple[Cell, ...]
    split: str
    rank_by: str

    @property
    def everything(self) -> tuple[Cell, ...]:
        """All that is measured, the baseline first."""
        return (self.baseline, *(cell for cell in self.cells if cell != self.baseline))


def collections(pipeline: Pipeline) -> tuple[tuple[str, str], ...]:
    """(embedder spec, collection) pairs whose vectors a pipeline compares."""
    if not pipeline.searches:
        return ()
    found = "unit" if pipeline.index == "units" else pipeline.chunker
    pairs = [(spec, found) for spec in pipeline.embedders.split("+")]
    if pipeline.views:
        pairs.append((pipeline.embedder.split("+")[0], pipeline.chunker))
    return tuple(pairs)


@dataclass(frozen=True, slots=True)
class Shared:
    """What cells have in common and is made once: chunkers; vectors by (embedder, collection); searches, each
    a way to ask the index, of `cells` that differ only in what is done with the hits."""

    chunkers: tuple[str, ...]
    vectors: tuple[tuple[str, str], ...]
    searches: int
    cells: int


def shared(cells: Sequence[Cell]) -> Shared:
    """The prefixes of these cells, in the order in which they occur."""
    searched = [cell.pipeline for cell in cells if cell.pipeline.searches]
    ways = {
        (searching(p), p.rewrite, p.letters, p.decompose, p.edition) for p in searched
    }  # a question that is read in another way, or on another day, is another search
    return Shared(
        tuple(dict.fromkeys(p.chunker for p in searched)),
        tuple(dict.fromkeys(pair for p in searched for pair in collections(p))),
        len(ways),
        len(cells),
    )


@dataclass(frozen=True, slots=True)
class Placed:
    """A cell in the ranking. `place` counts from 1; cells tied with the best have place 1. `against` compares
    with the baseline (None: it is the baseline), `best` with the cell on top, by the ranking's measure.
    Verdicts are over the questions `judged`; `measures` over all that were measured."""

    cell: Cell
    place: int
    tied: bool
    judged: Mapping[str, float | int | None]
    measures: Mapping[str, float | int | None]
    against: Comparison | None
    effect: str
    best: Verdict


def judged(sweep: Sweep, scored: Sequence[Scored]) -> list[Scored]:
    """The questions on which verdicts fall: of all, the dev questions (nothing is chosen on test), else those
    of the split. All where the gold file has no dev question."""
    chosen = [s for s in scored if s.split == "dev"] if sweep.split == "all" else list(scored)
    return chosen or list(scored)


def ranking(sweep: Sweep, outcomes: Mapping[str, Sequence[Scored]]) -> list[Placed]:
    """The measured cells (`outcomes` by digest), best first; the baseline among them.

    A tie is a cell that can't be told from the best one: paired permutation test on the ranking's measure,
    Holm-corrected over all cells. A cell that leaks more than the baseline stands below all that don't."""
    cells = [cell for cell in sweep.everything if cell.digest in outcomes]
    over = {cell.digest: judged(sweep, outcomes[cell.digest]) for cell in cells}
    base = over[sweep.baseline.digest]
    compared = {
        cell.digest: compare(sweep.baseline.name, base, cell.name, over[cell.digest])
        for cell in cells
        if cell != sweep.baseline
    }
    leaking = {
        cell.digest
        for cell in cells
        if sum(s.leak for s in outcomes[cell.digest]) > sum(s.leak for s in outcomes[sweep.baseline.digest])
    }
    verdicts = [(key, v) for key, c in compared.items() for v in (c.rank, c.answers)]
    stands = holm([v.p for _, v in verdicts])
    holding: dict[str, list[Verdict]] = {}
    for (key, verdict), holds in zip(verdicts, stands, strict=True):
        if holds:
            holding.setdefault(key, []).append(verdict)
    figures = {key: summary(found) for key, found in over.items()}
    cells.sort(key=lambda c: (c.digest in leaking, -(figures[c.digest][sweep.rank_by] or 0.0)))
    top = over[cells[0].digest]
    from_best = [_by(sweep.rank_by, top, over[cell.digest]) for cell in cells]
    told = [False, *holm([v.p for v in from_best[1:]])]
    placed, place = [], 1
    for at, (cell, best, apart) in enumerate(zip(cells, from_best, told, strict=True)):
        tied = not apart and cell.digest not in leaking
        place = 1 if tied else at + 1
        placed.append(
            Placed(
                cell,
                place,
                tied,
                figures[cell.digest],
                summary(outcomes[cell.digest]),
                compared.get(cell.digest),
                _effect(compared.get(cell.digest), holding.get(cell.digest, []), cell.digest in leaking),
                best,
            )
        )
    return placed


def _by(measure: str, first: Sequence[Scored], second: Sequence[Scored]) -> Verdict:
    """The two paired by the ranking's measure."""
    before = {s.id: value for s in first if (value := _value(measure, s)) is not None}
    after = [
        (s.id, before[s.id], value)
        for s in second
        if (value := _value(measure, s)) is not None and s.id in before
    ]
    return paired(measure, after)


def _value(measure: str, scored: Scored) -> float | None:
    if measure == "answers":
        return None if scored.must_abstain else float(scored.ok)
    return None if scored.retrieval is None else scored.retrieval[measure]


def _effect(comparison: Comparison | None, holding: Sequence[Verdict], leaks: bool) -> str:
    if leaks:
        return LEAKS
    if comparison is None:
        return BASELINE
    ways = {verdict.gain > 0 for verdict in holding}
    if ways:
        return MIXED if len(ways) > 1 else BETTER if True in ways else WORSE
    both = (comparison.rank, comparison.answers)
    if any(verdict.distinguishable for verdict in both):
        return CHANCE
    return UNSHOWN if any(v.better or v.worse for v in both) else SAME


def holm(ps: Sequence[float], alpha: float = ALPHA) -> list[bool]:
    """For each p whether it stands among all of them at this level (Holm's step-down procedure)."""
    stands = [False] * len(ps)
    for at, i in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
        if ps[i] > alpha / (len(ps) - at):
            break
        stands[i] = True
    return stands


def to_json(sweep: Sweep, placed: Sequence[Placed]) -> dict[str, Any]:
    """The object of `lab sweep --json`, without what the run itself adds."""
    return {
        "base": sweep.base,
        "baseline": sweep.baseline.name,
        "split": sweep.split,
        "rank_by": sweep.rank_by,
        "ties": [item.cell.name for item in placed if item.tied],
        "cells": [
            {
                "name": item.cell.name,
                "place": item.place,
                "tied": item.tied,
                "effect": item.effect,
                "words": item.against.words if item.against else "",
                "against_best": item.best.words,
                "judged": item.judged,
                "measures": item.measures,
                "won": list(item.against.rank.better) if item.against else [],
                "lost": list(item.against.rank.worse) if item.against else [],
                "configuration": asdict(item.cell.pipeline),
            }
            for item in placed
        ],
    }
