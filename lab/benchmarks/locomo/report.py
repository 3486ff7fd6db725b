"""`lab bench locomo`: runs the exam, shows it, and writes it into the run ledger."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from lab.benchmarks import kept
from lab.benchmarks.locomo import dataset, exam
from lab.benchmarks.locomo.exam import Measures
from lab.memory.server import Server
from lab.models.embedders import Embedder


@dataclass(frozen=True, slots=True)
class Report:
    """Measures by arm and by group of questions, all of one run."""

    turns: int
    oddities: dataset.Oddities
    embedders: tuple[str, ...]
    measures: dict[str, dict[str, Measures]]
    run: int
    """Number in the ledger."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def bench(
    server: Server,
    path: Path,
    embedders: tuple[Embedder, ...],
    *,
    ablate: bool = False,
    say: Callable[[str], None] = lambda _: None,
) -> Report:
    """LabError for a file that can't be read as LoCoMo."""
    given = dataset.load(path)
    loaded = exam.load(server, given, embedders, say)
    arms = exam.arms(loaded, ablate)
    outcomes = exam.run(server, loaded, arms, say)
    measures = {
        name: {group: exam.measure(some) for group, some in exam.by_group(listed).items()}
        for name, listed in outcomes.items()
    }
    specs = tuple(embedder.spec for embedder in embedders)
    rows = {
        arm.name: kept.Row(
            measures[arm.name],
            {"embedders": list(specs), "weights": asdict(arm.weights) if arm.weights else None},
        )
        for arm in arms
    }
    run = kept.keep(server, "bench locomo", given.fingerprint, rows)
    turns = sum(len(s.turns) for c in given.conversations for s in c.sessions)
    return Report(turns, given.oddities, specs, measures, run)


def tables(report: Report) -> list[Table]:
    """For people: groups of questions, and the arms on the conversations no weight was chosen on."""
    odd = report.oddities
    main = Table(
        title=f"{report.turns:,} turns, {odd.questions:,} questions, {' + '.join(report.embedders)}",
        caption=f"Of the evidence ids {odd.rewritten} were rewritten, {odd.unreadable} could not be read, "
        f"{odd.unknown} name no turn; {odd.without_evidence} questions have none and count as missed.",
    )
    for column in ("questions", "n", "any in 10", "all", "tokens", "ms", "p95", "vector: any", "all", "ms"):
        main.add_column(column, justify="left" if column == "questions" else "right")
    plain = report.measures["vector"]
    for name, m in report.measures["lab"].items():
        p = plain[name]
        main.add_row(
            name, str(m.n), f"{m.any:.1%}", f"{m.all:.1%}", f"{m.tokens:.0f}", f"{m.median_ms:.1f}",
            f"{m.p95_ms:.1f}", f"{p.any:.1%}", f"{p.all:.1%}", f"{p.median_ms:.1f}",
        )  # fmt: skip
    if len(report.measures) <= 2:
        return [main]
    held = f"{exam.FITTED + 1}-" if f"{exam.FITTED + 1}-" in plain else "all"
    arms = Table(title=f"Arms, questions {held}")
    for column in ("arm", "any in 10", "all", "tokens", "ms"):
        arms.add_column(column, justify="left" if column == "arm" else "right")
    for name, groups in report.measures.items():
        m = groups[held]
        arms.add_row(name, f"{m.any:.1%}", f"{m.all:.1%}", f"{m.tokens:.0f}", f"{m.median_ms:.1f}")
    return [main, arms]
