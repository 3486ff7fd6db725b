"""`lab bench business`: runs the exam and shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from rich.table import Table

from lab.benchmarks.business import exam
from lab.benchmarks.business.exam import Measures, Outcome
from lab.kinds import LabError
from lab.memory.recall import Recipe
from lab.memory.server import Server
from lab.models.embedders import Embedder

SMALLEST, LARGEST = 500, 100_000
STEPS = ("anchors", "endings", "meaning", "words", "vectors", "paths", "periods", "newest", "concepts")


@dataclass(frozen=True, slots=True)
class Report:
    """Measures by group for recall and for plain vector search, in one run; with `ablation` the share
    answered
    by group when a step is left out."""

    rows: int
    split: str
    memories: int
    seconds: dict[str, float]
    recall: dict[str, Measures]
    plain: dict[str, Measures]
    ablation: dict[str, dict[str, float]]
    missed: tuple[str, ...]
    """Questions whose answer was not in the context."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def bench(
    server: Server,
    embedder: Embedder,
    *,
    rows: int,
    split: str,
    per_type: int = 20,
    ablate: bool = False,
    say: Callable[[str], None] = lambda _: None,
) -> Report:
    """LabError for a size or split that does not exist."""
    if not SMALLEST <= rows <= LARGEST:
        raise LabError(f"A world of {rows} rows can't be made.", f"{SMALLEST} to {LARGEST}.")
    if split not in ("dev", "test"):
        raise LabError(f"There is no split {split}.", "dev or test.")
    loaded = exam.load(server, embedder, rows, say=say)
    asked = exam.exam(loaded, split, per_type)
    ours, plain = exam.run(server, loaded, embedder, asked, say=say)
    ablation = {}
    for step in STEPS if ablate else ():
        say(f"without {step}")
        without, _ = exam.run(server, loaded, embedder, asked, replace(Recipe(), **{step: False}))
        ablation[step] = {name: m.answered for name, m in _measures(without).items()}
    return Report(
        rows,
        split,
        len(loaded.world.first) + len(loaded.world.later),
        loaded.seconds,
        _measures(ours),
        _measures(plain),
        ablation,
        tuple(outcome.question.text for outcome in ours if not outcome.answered),
    )


def _measures(outcomes: Sequence[Outcome]) -> dict[str, Measures]:
    return {name: exam.measure(listed) for name, listed in exam.by_group(outcomes).items()}


def tables(report: Report) -> list[Table]:
    """For people."""
    main = Table(title=f"{report.memories:,} memories, split {report.split}")
    for column in ("questions", "n", "answer", "every hop", "tokens", "ms", "p95", "database ms", "p95",
                   "vector: answer", "every hop", "ms"):  # fmt: skip
        main.add_column(column, justify="left" if column == "questions" else "right")
    for name, m in report.recall.items():
        p = report.plain[name]
        main.add_row(
            name, str(m.n), f"{m.answered:.1%}", f"{m.every:.1%}", f"{m.tokens:.0f}", f"{m.median_ms:.0f}",
            f"{m.p95_ms:.0f}", f"{m.database_median_ms:.0f}", f"{m.database_p95_ms:.0f}", f"{p.answered:.1%}",
            f"{p.every:.1%}", f"{p.median_ms:.0f}",
        )  # fmt: skip
    if not report.ablation:
        return [main]
    steps = Table(title="Answers in context without one step (points lost)")
    steps.add_column("questions")
    for step in report.ablation:
        steps.add_column(step, justify="right")
    for name, m in report.recall.items():
        steps.add_row(name, *(f"{100 * (by[name] - m.answered):+.0f}" for by in report.ablation.values()))
    return [main, steps]
