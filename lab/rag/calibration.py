"""When to abstain: how near the hits must lie to the question, chosen on the dev questions and kept with
the package.

Support is the sum, over the embedders, of the best hit's cosine in standard deviations from its mean on
dev, minus the threshold; below 0 the reader abstains. Means, deviations and threshold belong to one
embedder spec and one kind of index, because cosines of different models, and of sentences against sections,
are not comparable.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np

from lab.kinds import Hit, LabError
from lab.rag.pipeline import Pipeline

FILE = "calibration.json"
REFUSED = 0.1
"""Share of the dev questions with an answer that may be refused. The best cosine separates known from
unknown questions only so far: a higher share refuses more unknown ones and costs more answers than it
saves."""


@dataclass(frozen=True, slots=True)
class Point:
    """`centre` and `spread` of the best cosine by embedder spec; `threshold` in standard deviations."""

    centre: Mapping[str, float]
    spread: Mapping[str, float]
    threshold: float


def key(pipeline: Pipeline) -> str:
    return f"{pipeline.embedders} · {pipeline.chunker} · {pipeline.index}"


@functools.cache
def points() -> dict[str, Point]:
    """The working points that came with the package, by `key`."""
    text = resources.files("lab.rag").joinpath(FILE).read_text(encoding="utf-8")
    return {name: Point(**value) for name, value in json.loads(text).items()}


def best_cosines(hits: Sequence[Hit]) -> dict[str, float]:
    """The best cosine among the hits for each embedder spec; empty without hits or vectors."""
    best: dict[str, float] = {}
    for hit in hits:
        for name, value in hit.scores.items():
            stage, _, spec = name.partition(" ")
            if stage == "cosine" and value > best.get(spec, -2.0):
                best[spec] = value
    return best


def support(hits: Sequence[Hit], pipeline: Pipeline) -> float | None:
    """Support of these hits above the threshold; None where nothing was calibrated, and then nobody
    abstains for it."""
    known, best = points(), best_cosines(hits)
    point = known.get(key(pipeline))
    if point is None or not set(point.centre) <= set(best):
        return None
    return _summed(best, point) - point.threshold


def _summed(best: Mapping[str, float], point: Point) -> float:
    return float(sum((best[spec] - point.centre[spec]) / point.spread[spec] for spec in point.centre))


def fit(outcomes: Sequence[tuple[Mapping[str, float], bool]]) -> Point:
    """The working point from (best cosines, has an answer) pairs: the highest threshold that refuses at most
    `REFUSED` of the questions that have an answer. LabError when none has one."""
    known = np.array([has for _, has in outcomes], dtype=bool)
    if not known.any():
        raise LabError(
            "There is nothing to calibrate on.",
            "Dev questions that find something.",
            "python start.py ingest",
        )
    specs = sorted(outcomes[0][0])
    values = np.array([[best[spec] for spec in specs] for best, _ in outcomes])
    point = Point(
        dict(zip(specs, values.mean(axis=0).tolist(), strict=True)),
        dict(zip(specs, np.maximum(values.std(axis=0), 1e-9).tolist(), strict=True)),
        0.0,
    )
    sums = np.sort([_summed(best, point) for (best, _), has in zip(outcomes, known, strict=True) if has])
    return Point(point.centre, point.spread, round(float(sums[int(REFUSED * len(sums))]), 4))


def write(found: Mapping[str, Point], path: Path) -> None:
    """Store working points as the package's own file."""
    plain = {
        name: {
            "centre": {k: round(v, 6) for k, v in p.centre.items()},
            "spread": {k: round(v, 6) for k, v in p.spread.items()},
            "threshold": p.threshold,
        }
        for name, p in sorted(found.items())
    }
    path.write_text(json.dumps(plain, indent=2, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
    points.cache_clear()
