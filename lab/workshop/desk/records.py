"""The desk: what the ledger holds, and what is learned from the exam."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from lab.evaluation import learn as learning
from lab.evaluation import ledger as book
from lab.evaluation.compare import Comparison
from lab.evaluation.compare import compare as compare_scored
from lab.evaluation.gold import load_gold
from lab.kinds import LabError
from lab.ladder import rungs
from lab.memory.connect import writer
from lab.rag import calibration, learned
from lab.settings import ROOT, settings
from lab.workshop.desk.ladder import checked
from lab.workshop.desk.places import Place, place
from lab.workshop.desk.store import opened, progress, ready, start_pipeline

CALIBRATED = ("fixed", "T2", "pair")
"""Rungs whose readers are calibrated: one for each kind of chunk and embedders."""


def compare(first: str, second: str, split: str = "all", where: Place | None = None) -> Comparison:
    """The two rungs of the newest climb that holds both."""
    names = [rungs.technique(name).name for name in (first, second)]
    checked(split)
    here = where or place()
    with writer(ready()) as conn:
        run = book.newest_with_all(conn, names, here.workspace)
        if run is None:
            raise LabError(
                f"No run in the ledger holds both {names[0]} and {names[1]}.",
                "",
                f"python start.py climb --rungs {','.join(names)}{here.option}",
            )
        found = [[s for s in book.questions(conn, run, name) if split in ("all", s.split)] for name in names]
    if not all(found):
        raise LabError(
            f"{names[0]} or {names[1]} was skipped in run {run}.",
            "",
            "python start.py climb --json shows why.",
        )
    return compare_scored(names[0], found[0], names[1], found[1])


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """The object of `lab compare --json`."""
    return asdict(comparison) | {
        "words": comparison.words,
        "won": list(comparison.rank.better),
        "lost": list(comparison.rank.worse),
        "distinguishable": comparison.rank.distinguishable,
    }


def ledger(run: int | None = None) -> dict[str, Any]:
    """The newest runs, and the rungs of one: the newest, or the named one."""
    with writer(ready()) as conn:
        found = book.runs(conn)
        chosen = run if run is not None else (found[0].id if found else None)
        rows = book.rungs(conn, chosen) if chosen is not None else []
    if run is not None and not rows:
        raise LabError(f"The ledger has no run {run}.", "", "python start.py ledger")
    return {"runs": [asdict(item) for item in found], "run": chosen, "rungs": [asdict(row) for row in rows]}


def calibrate(folder: Path | None = None) -> dict[str, Any]:
    """Fit on dev, and store with the package (or in `folder`): the reader's weights and its model of support,
    an entry for each kind of chunk and embedders; the working points of what a search for a part finds."""
    target = folder or ROOT / "lab" / "rag"
    questions = [q for q in load_gold(settings().gold) if q.split == "dev"]
    points, entries, reports = dict(calibration.points()), dict(learned.entries()), {}
    with opened() as running:
        for name in CALIBRATED:
            # Without decompose: each part is read by itself, as a question is.
            pipeline = replace(
                rungs.rung(name, rungs.STACK, start_pipeline()).pipeline,
                edition=True,
                abstains=False,
                decompose="",
            )
            handed = learning.handed(progress(name, questions, len(questions)), pipeline, running)
            entry, report = learning.learn(handed, pipeline, running)
            entries[learned.key(entry.second, pipeline.chunker)] = entry
            reports[name] = asdict(report)
            outcomes = [(calibration.best_cosines(hits), not question.abstain) for question, hits in handed]
            points[calibration.key(pipeline)] = calibration.fit(outcomes)
    calibration.write(points, target / calibration.FILE)
    learned.write(entries, target / learned.FILE)
    return {"points": {name: asdict(point) for name, point in points.items()}, "cross-validated": reports}
