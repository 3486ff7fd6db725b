"""`lab sweep`: a sweep's file on the running database, its cells into the ledger, the ranking as a table."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from tqdm.auto import tqdm

from lab.corpus.load import load_folder
from lab.evaluation import sweep_run as running
from lab.evaluation.fleet import fleet
from lab.evaluation.gold import Question, load_gold
from lab.evaluation.score import Scored
from lab.evaluation.sweep import Placed, Sweep, ranking, shared
from lab.evaluation.sweep_file import load_sweep
from lab.evaluation.sweep_run import Where
from lab.kinds import LabError
from lab.memory import server, write
from lab.models.embedders import blend
from lab.settings import settings
from lab.workshop import desk
from lab.workshop.scoreboard import blank, cell

COLUMNS = (
    ("hit@1", "hit@1"),
    ("rec@5", "recall@5"),
    ("MRR", "mrr"),
    ("answers", "answers"),
    ("leaks", "leaks"),
    ("ms", "ms_p50"),
)
SAID = 12
"""Cells whose verdicts are shown in words; all of them are in `--json` and in the ledger."""


@dataclass(frozen=True, slots=True)
class Swept:
    """A sweep that is done. `found` cells stood in the ledger already; `seconds` are of this run alone."""

    sweep: Sweep
    placed: tuple[Placed, ...]
    questions: int
    found: int
    seconds: float
    storing: float


@dataclass(frozen=True, slots=True)
class Planned:
    """What a sweep would do. `found` names cells that the ledger holds; `new` chunkers not stored yet."""

    sweep: Sweep
    questions: int
    found: tuple[str, ...]
    new: tuple[str, ...]


def _read(path: Path, gold: Path) -> tuple[Sweep, list[Question]]:
    sweep = load_sweep(path, lambda name: desk.chosen_rung(name, None, None), desk.start_pipeline())
    questions = [q for q in load_gold(gold) if sweep.split in ("all", q.split)]
    if not questions:
        raise LabError(f"{gold} has no question in the split {sweep.split}.", "", "Set `split: all`.")
    return sweep, questions


def plan(path: Path, gold: Path | None = None) -> Planned:
    """The cells of a file and what they share; nothing is stored or measured."""
    sweep, questions = _read(path, gold or settings().gold)
    where = Where(server.up(), settings().workspace, gold or settings().gold, sweep.split)
    found = running.known(sweep.everything, questions, where)
    stored = write.collections(where.server, where.workspace)
    new = [name for name in shared(sweep.everything).chunkers if name not in stored]
    names = [item.name for item in sweep.everything if item.digest in found]
    return Planned(sweep, len(questions), tuple(names), tuple(new))


def sweep(
    path: Path,
    gold: Path | None = None,
    *,
    corpus: Path | None = None,
    scheduler: str | None = None,
    workers: int | None = None,
    again: bool = False,
) -> Swept:
    """Measure every cell of a file that the ledger does not hold (`again`: all of them), and rank them.

    `corpus` is the folder of the stored documents. LabError, before anything runs, for a file that is not
    sound, and for a folder that is not what is stored."""
    chosen = gold or settings().gold
    plan, questions = _read(path, chosen)
    with fleet(scheduler, workers) as team, desk.opened() as engine:
        where = Where(engine.server, engine.workspace, chosen, plan.split)
        with running.alone(where.server, where.workspace):
            outcomes: dict[str, list[Scored]] = {}
            if not again:
                outcomes = running.known(plan.everything, questions, where)
            found = len(outcomes)
            left = [item for item in plan.everything if item.digest not in outcomes]
            if found:
                desk.say(f"{found} of {len(plan.everything)} cells stand in the ledger")
            clock = time.monotonic()
            if left:
                documents = load_folder(corpus or settings().corpus)
                if write.hash_of((d.source, d.fingerprint) for d in documents) != where.hashes()[0]:
                    folder = corpus or settings().corpus
                    raise LabError(
                        f"The documents of {folder} are not those that are stored.",
                        "The same: a sweep cuts them anew.",
                        f"python start.py ingest {folder}, or name theirs with --corpus.",
                    )
                parts, second = blend(settings().embedder), desk.seconds()
                only: dict[str, frozenset[str] | None] = dict.fromkeys(p.space for p in parts)
                only |= desk.narrowed(parts, second)
                with _bar("embedding", None, "text") as bar:
                    running.store(left, documents, where, team, always=only, tick=bar.update)
            storing = time.monotonic() - clock
            with _bar(path.stem, len(left) * len(questions), "q") as bar:
                running.measure(
                    plan,
                    left,
                    questions,
                    where,
                    team,
                    outcomes,
                    tick=bar.update,
                    done=lambda item: bar.write(f"done: {item.name}", sys.stderr),
                )
            placed = tuple(ranking(plan, outcomes))
            return Swept(plan, placed, len(questions), found, time.monotonic() - clock, storing)


def _bar(name: str, total: int | None, unit: str) -> Any:
    """Shown after two seconds; into a file goes a line a cell instead."""
    return tqdm(
        desc=name, total=total, unit=unit, file=sys.stderr, leave=False, delay=2, disable=desk.quiet()
    )


def to_json(swept: Swept) -> dict[str, Any]:
    """The object of `lab sweep --json`."""
    from lab.evaluation import sweep as sweeping

    return sweeping.to_json(swept.sweep, swept.placed) | {
        "questions": swept.questions,
        "found": swept.found,
        "seconds": round(swept.seconds, 2),
        "storing_seconds": round(swept.storing, 2),
    }


def plan_json(planned: Planned) -> dict[str, Any]:
    """The object of `lab sweep --dry-run --json`."""
    prefixes = shared(planned.sweep.everything)
    return {
        "base": planned.sweep.base,
        "baseline": planned.sweep.baseline.name,
        "split": planned.sweep.split,
        "questions": planned.questions,
        "cells": [item.name for item in planned.sweep.everything],
        "found": list(planned.found),
        "chunkers": list(prefixes.chunkers),
        "new_chunkers": list(planned.new),
        "vectors": [list(pair) for pair in prefixes.vectors],
        "searches": prefixes.searches,
    }


def plan_table(planned: Planned) -> RenderableType:
    """The shared prefixes, then a line a cell."""
    prefixes = shared(planned.sweep.everything)
    lines = Table.grid(padding=(0, 1))
    new = f" ({', '.join(planned.new)} to be made)" if planned.new else ""
    lines.add_row("base", Text(planned.sweep.base))
    lines.add_row("questions", Text(f"{planned.questions} ({planned.sweep.split})"))
    lines.add_row("chunkers", Text(", ".join(prefixes.chunkers) + new))
    lines.add_row("vectors", Text(", ".join(f"{spec} of {name}" for spec, name in prefixes.vectors)))
    lines.add_row("searches", Text(f"{prefixes.searches} for {prefixes.cells} cells"))
    cells = Table.grid(padding=(0, 1))
    for item in planned.sweep.everything:
        notes = ["the baseline"] if item == planned.sweep.baseline else []
        notes += ["in the ledger"] if item.name in planned.found else []
        cells.add_row(Text(item.name, style="bold"), Text(", ".join(notes)))
    return Group(lines, cells)


def table(swept: Swept) -> RenderableType:
    """The ranking: a row a cell, the ties with the best first; then verdicts in words."""
    plan = swept.sweep
    judged = "dev" if plan.split == "all" else plan.split
    board = blank(
        f"{len(swept.placed)} cells on {plan.base}, by {plan.rank_by} ({judged})",
        "cell",
        ["place", *(title for title, _ in COLUMNS)],
        "verdict",
    )
    board.columns[0].no_wrap, board.columns[0].style = False, ""
    for item in swept.placed:
        place = "=1" if item.tied and sum(p.tied for p in swept.placed) > 1 else str(item.place)
        cells = [cell(key, item.judged[key]) for _, key in COLUMNS]
        board.add_row(Text(item.cell.name), place, *cells, item.effect, style="" if item.tied else "dim")
    n = int(swept.placed[0].judged["n"] or 0)
    board.caption = (
        f"n = {n} · verdict: against {plan.baseline.name} · may be chance: p < 0.05 alone, not among all\n"
        f"=1: not distinguishable from the best (permutation test, Holm over {len(swept.placed)} cells)"
    )
    return Group(board, _words(swept.placed))


def _words(placed: Sequence[Placed]) -> RenderableType:
    lines = Table.grid(padding=(0, 1))
    for item in [p for p in placed if p.against][:SAID]:
        assert item.against is not None
        lines.add_row(Text(item.cell.name, style="bold"), Text(item.against.words.partition(" · ")[2]))
    return lines
