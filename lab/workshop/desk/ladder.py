"""The desk: climbing, measuring, and the rung that the ladder stands on."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from lab.evaluation import climb as climbing
from lab.evaluation import ledger as book
from lab.evaluation.climb import Climbed
from lab.evaluation.crew import Crew, Processes, processes
from lab.evaluation.ledger import RungRow
from lab.kinds import LabError
from lab.ladder import rungs
from lab.memory import server, write
from lab.memory.connect import writer
from lab.models.embedders import blend
from lab.settings import settings
from lab.workshop.desk.places import Place, exam, ladder, place, rights
from lab.workshop.desk.store import ingest, opened, progress, ready, say, start_pipeline

SPLITS = ("dev", "test", "all")


def kept_by_ledger(where: Place | None = None) -> tuple[str, ...] | None:
    """Techniques that stand by the newest verdict on each; None before the first climb."""
    here = where or place()
    with writer(server.up()) as conn:
        if book.latest(conn, workspace=here.workspace) is None:
            return None
        verdicts = book.verdicts(conn, workspace=here.workspace)
    return tuple(name for name in rungs.STACK if verdicts.get(name, True) and name not in here.without)


def checked(split: str) -> str:
    """The split, if there is one of that name; else LabError."""
    if split not in SPLITS:
        raise LabError(f"There is no split {split!r}.", f"The splits are {', '.join(SPLITS)}.")
    return split


def kept_or_stack(where: Place | None = None) -> tuple[str, ...]:
    """What the ladder stands on: by the newest verdicts, else every technique that can be built upon."""
    ready()
    here = where or place()
    return kept_by_ledger(here) or tuple(name for name in rungs.STACK if name not in here.without)


def chosen_rung(
    name: str | None,
    embedder: str | None,
    reader: str | None,
    rerank: str | None = None,
    rewrite: str | None = None,
    where: Place | None = None,
    standing: Sequence[str] | None = None,
) -> rungs.Rung:
    """The named rung, or the last one the ladder kept, as it stands by the newest climb, or on `standing`.
    `rerank` and `rewrite` are added to it, or take the place of its own."""
    kept = standing or kept_or_stack(where)
    last = next(item for item in reversed(rungs.STACK) if item in kept)
    blend(start_pipeline(embedder, reader).embedder)  # an unknown spec is named before anything else
    found = rungs.rung(name or last, kept, start_pipeline(embedder, reader))
    own = found.pipeline
    return replace(found, pipeline=replace(own, rerank=rerank or own.rerank, rewrite=rewrite or own.rewrite))


def climb(
    rungs: str | None = None,
    split: str = "all",
    stack: bool = False,
    embedder: str | None = None,
    reader: str | None = None,
    up: Processes = (),
    rerank: str | None = None,
    rewrite: str | None = None,
    where: Place | None = None,
) -> list[Climbed]:
    """Climb, write the ledger, return the rungs. All questions are run, since verdicts fall on dev; `split`
    says over which the figures are reported and recorded. `up`: processes that are up already."""
    here = where or place()
    whole = ladder(here)
    names = [name.strip() for name in rungs.split(",") if name.strip()] if rungs else list(whole)
    checked(split)
    questions = exam(here, ready())
    with opened(embedder, here) as running:
        run: list[int] = []

        clock = [time.monotonic()]

        def done(item: Climbed) -> None:
            took, clock[0] = time.monotonic() - clock[0], time.monotonic()
            say(
                f"{item.rung.name}: "
                + ("skipped" if item.skipped else f"{len(item.scored)} questions in {took:.0f} s")
            )
            with writer(running.server) as conn:
                if not run:
                    stored = write.corpus_hash(running.server, running.workspace)
                    hashes = stored, climbing.file_hash(here.gold)
                    what = "climb" if not (embedder or reader or stack or rerank or rewrite) else "trial"
                    run.append(book.start(conn, what, split, *hashes, workspace=here.workspace))
                climbing.record(conn, run[0], item, split)

        with contextlib.nullcontext(up) if up else processes(running.server, running.workspace) as own:
            return climbing.climb(
                questions,
                Crew(running, own, rights(here)),
                start=start_pipeline(embedder, reader),
                names=names,
                known=_known(names, here),
                stack=stack,
                progress=progress,
                done=done,
                rerank=rerank,
                rewrite=rewrite,
            )


def _known(names: Sequence[str], where: Place) -> tuple[str, ...] | None:
    """What stands of the rungs that are not climbed now; None where all are."""
    if len(names) == len(rungs.NAMES):
        return None
    return kept_or_stack(where) if where.own else kept_by_ledger()


def start() -> tuple[list[RungRow], int | None]:
    """Store the corpus, climb, return the rungs. When the newest climb would come out the same now, its rungs
    and its run."""
    found, own = ready(), settings().workspace
    with contextlib.ExitStack() as stack:
        first = not write.holds(found, own, [part.space for part in blend(settings().embedder)])
        up = stack.enter_context(processes(found, own)) if first else ()
        ingest(None)
        if known := unchanged():
            return known[1], known[0]
        return [climbing.row(item, "all") for item in climb(up=up)], None


def climb_json(climbed: Sequence[Climbed], split: str) -> dict[str, Any]:
    """The object of `lab climb --json`."""
    kept = [item.rung.name for item in climbed if item.kept or item.reason == "the start"]
    return {"split": split, "kept": kept, "rungs": [climbing.to_json(item, split) for item in climbed]}


def unchanged() -> tuple[int, list[RungRow]] | None:
    """(run, its rungs) of the newest whole climb if it would come out the same now: same documents,
    questions, lab and packages, the default models. Else None."""
    with writer(ready()) as conn:
        run = book.latest(conn, rungs=len(rungs.NAMES))
        if run is None or run.split != "all":
            return None
        same = (
            run.corpus_hash == write.corpus_hash(ready(), settings().workspace)
            and run.gold_hash == climbing.file_hash(settings().gold)
            and dict(run.versions) == book.versions()
        )
        rows = book.rungs(conn, run.id)
    start = start_pipeline()
    configured = {(row.configuration.get("embedder"), row.configuration.get("reader")) for row in rows}
    whole = {row.rung for row in rows} == set(rungs.NAMES)
    return (run.id, rows) if same and whole and configured == {(start.embedder, start.reader)} else None


def rows_json(rows: Sequence[RungRow]) -> dict[str, Any]:
    """The object of `lab start --json`."""
    return {"rungs": [asdict(row) for row in rows]}


def measure(
    gold: Path | None,
    *,
    rung: str | None = None,
    split: str = "all",
    embedder: str | None = None,
    reader: str | None = None,
    rerank: str | None = None,
    rewrite: str | None = None,
    where: Place | None = None,
) -> list[Climbed]:
    """Score one rung on a gold file (None: the place's own) and write it to the ledger."""
    checked(split)
    here = where or place()
    file = gold or here.gold
    questions = [q for q in exam(replace(here, gold=file), ready()) if split == "all" or q.split == split]
    if not questions:
        raise LabError(f"{file} has no question in the split {split}.", "", "Use --split all.")
    chosen = chosen_rung(rung, embedder, reader, rerank, rewrite, here)
    reason = climbing.why_not(chosen.pipeline)
    if reason:
        raise LabError(f"The rung {chosen.name} {reason}")
    with opened(embedder, here) as running:
        scored = tuple(climbing.measure(chosen, questions, Crew(running, (), rights(here)), progress))
        item = Climbed(chosen, scored, None, None, f"measured on {file.name}")
        with writer(running.server) as conn:
            stored = write.corpus_hash(running.server, running.workspace)
            run = book.start(
                conn, "measure", split, stored, climbing.file_hash(file), workspace=here.workspace
            )
            climbing.record(conn, run, item, "all")
    return [item]
