"""The desk: what each command does, as plain functions that the command line and the notebooks share."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

from tqdm.auto import tqdm

from lab.corpus.chunk import chunk_all
from lab.corpus.links import propose
from lab.corpus.load import load_folder
from lab.corpus.mail import DEFAULT_ACCESS
from lab.evaluation import climb as climbing
from lab.evaluation import learn as learning
from lab.evaluation import ledger as book
from lab.evaluation.climb import Climbed
from lab.evaluation.compare import Comparison
from lab.evaluation.compare import compare as compare_scored
from lab.evaluation.crew import Crew, Processes, processes
from lab.evaluation.gold import load_gold
from lab.evaluation.ledger import RungRow
from lab.kinds import Answer, LabError, Sight
from lab.ladder import rungs
from lab.memory import audit, migrate, server, write
from lab.memory.connect import writer
from lab.models.embedders import Embedder, blend
from lab.rag import ask as asking
from lab.rag import calibration, glossary, learned
from lab.rag.engine import Engine, cached, engine
from lab.rag.pipeline import Pipeline
from lab.rag.read import EMBEDDER as READER_EMBEDDER
from lab.rag.read import read_of
from lab.settings import ROOT, settings

T = TypeVar("T")
SPLITS = ("dev", "test", "all")
CALIBRATED = ("fixed", "T2", "pair")
"""Rungs whose readers are calibrated: one for each kind of chunk and embedders."""


def say(text: str) -> None:
    """Progress for people: to stderr, so that `--json` stays clean."""
    print(text, file=sys.stderr, flush=True)


def _server() -> server.Server:
    found = server.up()
    for name in migrate.migrate(found):
        say(f"database: schema {name} applied")
    return found


def up() -> dict[str, Any]:
    """Start the database and migrate it; returns where it is and its version."""
    _server()
    status = server.status()
    return {
        "version": status.version,
        "where": status.address,
        "bundled": status.bundled,
        "extensions": dict(status.extensions),
    }


def folder_hash(folder: Path) -> str:
    """Hash of a folder's documents, as `write.corpus_hash` gives it for what is stored."""
    return write.hash_of((document.source, document.fingerprint) for document in load_folder(folder))


def ingest(folder: Path | None = None, embedder: str | None = None) -> dict[str, Any]:
    """Load, chunk, embed and store a folder; returns what changed."""
    source = (folder or settings().corpus).expanduser()
    documents = load_folder(source)
    say(f"{len(documents)} documents in {source}; embedding what is new …")
    if closed := [document.source for document in documents if document.access == DEFAULT_ACCESS]:
        say(f"no role reads these yet, since they name no X-Kraken-Access: {', '.join(closed)}")
    found = _server()
    spec = embedder or settings().embedder
    parts = blend(spec)
    second = seconds()
    report = write.ingest(
        found,
        documents,
        chunk_all,
        embedders=cached(tuple(dict.fromkeys((*parts, *second))), found),
        only=narrowed(parts, second),
        workspace=settings().workspace,
        links=propose(documents),
    )
    # What the reader will quote: a thousand short texts at once instead of thirty at each question.
    (reading,) = cached(blend(READER_EMBEDDER), found)
    chunks = [chunk for document in documents for chunk in chunk_all(document) if chunk.chunker != "unit"]
    reading.passages(sorted({text for chunk in chunks for text in read_of(chunk)}))
    for part in cached((*parts, *second), found):  # what the glossary searches beside a question
        part.queries(glossary.terms())
    return asdict(report) | {"documents": len(documents), "folder": str(source)}


def seconds() -> tuple[Embedder, ...]:
    """Embedders that some rung adds to the ladder's own; those that are not installed here are left out."""
    found: list[Embedder] = []
    for technique in rungs.LADDER:
        if spec := technique.fields.get("second"):
            with contextlib.suppress(LabError):
                found += blend(spec)
    return tuple(found)


def narrowed(parts: Sequence[Embedder], second: Sequence[Embedder]) -> dict[str, frozenset[str]]:
    """A second embedder joins where sections are found by their units, so only units are embedded with it."""
    own = {part.space for part in parts}
    return {part.space: frozenset({"unit"}) for part in second if part.space not in own}


def start_pipeline(embedder: str | None = None, reader: str | None = None) -> Pipeline:
    """What the first rung runs; embedder and reader are chosen here for the whole ladder."""
    return Pipeline(embedder=embedder or settings().embedder, reader=reader or settings().reader)


@contextmanager
def opened(embedder: str | None = None) -> Iterator[Engine]:
    """An engine on a running database that holds the corpus; ingests it when nothing is stored in this
    embedder's spaces."""
    found = _server()
    spec = embedder or settings().embedder
    parts, second = blend(spec), seconds()
    spaces = [part.space for part in (*parts, *second)]
    if not write.holds(found, settings().workspace, spaces, narrowed(parts, second)):
        say("storing the corpus (once) …")
        ingest(None, spec)
    with engine(found) as running:
        yield running


def quiet() -> bool | None:
    """What tqdm takes as `disable`: no bars into a file, but bars in a notebook."""
    return False if "ipykernel" in sys.modules else None


def progress(name: str, items: Iterable[T], total: int) -> Iterable[T]:
    """A bar on stderr for anything over two seconds."""
    bar: Iterable[T] = tqdm(
        items,
        desc=f"{name:>8}",
        total=total,
        unit="q",
        file=sys.stderr,
        leave=False,
        delay=2,
        disable=quiet(),
    )
    return bar


def kept_by_ledger() -> tuple[str, ...] | None:
    """Techniques that stand by the newest verdict on each; None before the first climb."""
    with writer(server.up()) as conn:
        if book.latest(conn) is None:
            return None
        verdicts = book.verdicts(conn)
    return tuple(name for name in rungs.STACK if verdicts.get(name, True))


def _split(split: str) -> str:
    if split not in SPLITS:
        raise LabError(f"There is no split {split!r}.", f"The splits are {', '.join(SPLITS)}.")
    return split


def climb(
    rungs: str | None = None,
    split: str = "all",
    stack: bool = False,
    embedder: str | None = None,
    reader: str | None = None,
    up: Processes = (),
    rerank: str | None = None,
    rewrite: str | None = None,
) -> list[Climbed]:
    """Climb, write the ledger, return the rungs. All questions are run, since verdicts fall on dev; `split`
    says over which the figures are reported and recorded. `up`: processes that are up already."""
    from lab.ladder.rungs import NAMES

    names = [name.strip() for name in rungs.split(",") if name.strip()] if rungs else list(NAMES)
    questions = load_gold(settings().gold)
    _split(split)
    with opened(embedder) as running:
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
                    hashes = stored, climbing.file_hash(settings().gold)
                    what = "climb" if not (embedder or reader or stack or rerank or rewrite) else "trial"
                    run.append(book.start(conn, what, split, *hashes))
                climbing.record(conn, run[0], item, split)

        with contextlib.nullcontext(up) if up else processes(running.server, running.workspace) as own:
            return climbing.climb(
                questions,
                Crew(running, own),
                start=start_pipeline(embedder, reader),
                names=names,
                known=None if len(names) == len(NAMES) else kept_by_ledger(),
                stack=stack,
                progress=progress,
                done=done,
                rerank=rerank,
                rewrite=rewrite,
            )


def start() -> tuple[list[RungRow], int | None]:
    """Store the corpus, climb, return the rungs. When the newest climb would come out the same now, its rungs
    and its run."""
    found, own = _server(), settings().workspace
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
    with writer(_server()) as conn:
        run = book.latest(conn, rungs=len(rungs.NAMES))
        if run is None or run.split != "all":
            return None
        same = (
            run.corpus_hash == write.corpus_hash(_server(), settings().workspace)
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


@dataclass(frozen=True, slots=True)
class Asked:
    """An answer with what was asked for: rung, role and day may all have been defaults."""

    answer: Answer
    rung: str
    role: str
    as_of: date


def ask(
    question: str,
    *,
    rung: str | None = None,
    role: str = "employee",
    as_of: date | None = None,
    embedder: str | None = None,
    reader: str | None = None,
    rerank: str | None = None,
    rewrite: str | None = None,
) -> Asked:
    """One question on one rung (default: the last kept one), as a role, on a day (default: today)."""
    if not question.strip():
        raise LabError(
            "The question is empty.", "", 'Try: python start.py ask "How many days of leave after 7 years?"'
        )
    chosen = chosen_rung(rung, embedder, reader, rerank, rewrite)
    reason = climbing.why_not(chosen.pipeline)
    if reason:
        raise LabError(f"The rung {chosen.name} {reason}")
    with opened(embedder) as running:
        known = write.roles(running.server, running.workspace)
        if role not in known:
            raise LabError(f"There is no role {role!r}.", f"The roles are {', '.join(sorted(known))}.")
        day = as_of or date.today()
        sight = Sight(frozenset({role}), day, workspace=running.workspace)
        answer = asking.ask(question, sight, chosen.pipeline, running)
        audit.answered(
            running.server,
            running.read,
            sight,
            role=role,
            question=question,
            memories=[hit.chunk.id for hit in answer.hits],
            rung=chosen.name,
            detail={"abstained": answer.abstained},
        )
        return Asked(answer, chosen.name, role, day)


def kept_or_stack() -> tuple[str, ...]:
    """What the ladder stands on: by the newest verdicts, else every technique that can be built upon."""
    _server()
    return kept_by_ledger() or rungs.STACK


def chosen_rung(
    name: str | None,
    embedder: str | None,
    reader: str | None,
    rerank: str | None = None,
    rewrite: str | None = None,
) -> rungs.Rung:
    """The named rung, or the last one the ladder kept, as it stands by the newest climb. `rerank` and
    `rewrite` are added to it, or take the place of its own."""
    kept = kept_or_stack()
    last = next(item for item in reversed(rungs.STACK) if item in kept)
    blend(start_pipeline(embedder, reader).embedder)  # an unknown spec is named before anything else
    found = rungs.rung(name or last, kept, start_pipeline(embedder, reader))
    own = found.pipeline
    return replace(found, pipeline=replace(own, rerank=rerank or own.rerank, rewrite=rewrite or own.rewrite))


def answer_json(asked: Asked) -> dict[str, Any]:
    """The object of `lab ask --json`."""
    answer = asked.answer
    return {
        "answer": answer.text,
        "abstained": answer.abstained,
        "citations": [asdict(citation) for citation in answer.citations],
        "hits": [hit.ref for hit in answer.hits],
        "trace": [asdict(step) for step in answer.trace],
        "rung": asked.rung,
        "role": asked.role,
        "as_of": asked.as_of.isoformat(),
    }


def measure(
    gold: Path,
    *,
    rung: str | None = None,
    split: str = "all",
    embedder: str | None = None,
    reader: str | None = None,
    rerank: str | None = None,
    rewrite: str | None = None,
) -> list[Climbed]:
    """Score one rung on a gold file and write it to the ledger."""
    _split(split)
    questions = [q for q in load_gold(gold) if split == "all" or q.split == split]
    if not questions:
        raise LabError(f"{gold} has no question in the split {split}.", "", "Use --split all.")
    chosen = chosen_rung(rung, embedder, reader, rerank, rewrite)
    reason = climbing.why_not(chosen.pipeline)
    if reason:
        raise LabError(f"The rung {chosen.name} {reason}")
    with opened(embedder) as running:
        scored = tuple(climbing.measure(chosen, questions, Crew(running), progress))
        item = Climbed(chosen, scored, None, None, f"measured on {gold.name}")
        with writer(running.server) as conn:
            stored = write.corpus_hash(running.server, running.workspace)
            run = book.start(conn, "measure", split, stored, climbing.file_hash(gold))
            climbing.record(conn, run, item, "all")
    return [item]


def compare(first: str, second: str, split: str = "all") -> Comparison:
    """The two rungs of the newest climb that holds both."""
    names = [rungs.technique(name).name for name in (first, second)]
    _split(split)
    with writer(_server()) as conn:
        run = book.newest_with_all(conn, names)
        if run is None:
            raise LabError(
                f"No run in the ledger holds both {names[0]} and {names[1]}.",
                "",
                f"python start.py climb --rungs {','.join(names)}",
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
    with writer(_server()) as conn:
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
