"""A sweep run: its chunks and vectors stored once, its cells measured in blocks, each cell into the ledger as
it is done. What the ledger holds of the same corpus, questions and lab is not run again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from lab.corpus.chunkers import chunk_with
from lab.evaluation import ledger
from lab.evaluation.climb import Climbed, file_hash, record
from lab.evaluation.compare import compare
from lab.evaluation.fleet import Block, Fleet, embedded
from lab.evaluation.gold import Question
from lab.evaluation.score import Scored
from lab.evaluation.sweep import Cell, Sweep, collections, judged
from lab.kinds import Document, LabError
from lab.memory import write
from lab.memory.connect import writer
from lab.memory.server import Server
from lab.models.embedders import blend
from lab.rag import retrieve
from lab.rag.engine import cached
from lab.rag.read import EMBEDDER as READER
from lab.rag.read import read_of

WHAT = "sweep"
QUESTIONS = 16
"""Questions of a block: what a killed worker loses at most, times CELLS."""
CELLS = 8
"""Cells of a block: they share what they search, and are done together."""
_LOOSE = ("python", "machine")
"""Versions that workers may differ in."""


@dataclass(frozen=True, slots=True)
class Where:
    """What a run belongs to: figures of another corpus, other questions or another lab are not its own."""

    server: Server
    workspace: str
    gold: Path
    split: str

    def hashes(self) -> tuple[str, str, str]:
        """Of the stored documents and of the gold file, and the workspace: as the ledger takes them."""
        return write.corpus_hash(self.server, self.workspace), file_hash(self.gold), self.workspace


@contextmanager
def alone(server: Server, workspace: str) -> Iterator[None]:
    """One sweep of a workspace at a time; a killed one gives way at once. LabError when another runs."""
    with writer(server) as conn:
        conn.commit()
        conn.autocommit = True
        row = conn.execute(
            "select pg_try_advisory_lock(hashtextextended(%s, 0))", [f"lab.sweep {workspace}"]
        ).fetchone()
        if row is None or not row[0]:
            raise LabError(f"Another sweep of {workspace} is running.", "", "Wait for it, or stop it.")
        yield


def store(
    cells: Sequence[Cell],
    documents: Sequence[Document],
    where: Where,
    team: Fleet,
    *,
    always: Mapping[str, frozenset[str] | None],
    tick: Callable[[int], None] = lambda _: None,
) -> write.IngestReport:
    """Store what the cells search, beside what is stored: the chunks of their chunkers, and each collection's
    vectors. `always` says what is kept in any case: space → its collections, None for all.

    The team embeds; what the extractive reader quotes is embedded too."""
    pipelines = [cell.pipeline for cell in cells if cell.pipeline.searches]
    chunks_of = chunk_with({pipeline.chunker for pipeline in pipelines})
    chunks = [chunk for document in documents for chunk in chunks_of(document)]
    wanted: dict[str, set[str] | None] = {k: None if v is None else set(v) for k, v in always.items()}
    parts = {}
    for spec, collection in {pair for pipeline in pipelines for pair in collections(pipeline)}:
        for part in blend(spec):
            parts[part.space] = part
            found = wanted.setdefault(part.space, set())
            if found is not None:
                found.add(collection)
    for space, part in parts.items():
        only = wanted[space]
        texts = [c.search_text for c in chunks if only is None or c.chunker in only]
        for count in embedded(team, part.spec, texts, where.server, where.workspace):
            tick(count)
    quoted = [text for c in chunks if c.chunker != "unit" for text in read_of(c)]
    for count in embedded(team, READER, quoted, where.server, where.workspace):
        tick(count)
    return write.ingest(
        where.server,
        documents,
        chunks_of,
        embedders=cached(tuple(parts.values()), where.server),
        only={space: names for space, names in wanted.items() if names is not None},
        workspace=where.workspace,
    )


def known(cells: Sequence[Cell], questions: Sequence[Question], where: Where) -> dict[str, list[Scored]]:
    """digest → outcomes of the cells that the ledger holds for the same corpus, gold file, split and lab."""
    by_configuration = {_configuration(cell): cell for cell in cells}
    ids = {question.id for question in questions}
    found: dict[str, list[Scored]] = {}
    with writer(where.server) as conn:
        for run, row in _rows(conn, where):
            cell = by_configuration.get(_frozen(row.configuration))
            if cell is not None and cell.digest not in found:
                scored = ledger.questions(conn, run, row.rung)
                if {s.id for s in scored} == ids:
                    found[cell.digest] = scored
    order = {question.id: at for at, question in enumerate(questions)}
    return {key: sorted(scored, key=lambda s: order[s.id]) for key, scored in found.items()}


def _rows(conn: ledger.Connection, where: Where) -> Iterator[tuple[int, ledger.RungRow]]:
    versions = _strict(ledger.versions())
    for run in ledger.of_kind(conn, WHAT, where.split, *where.hashes()):
        if _strict(run.versions) == versions:
            for row in ledger.rungs(conn, run.id):
                yield run.id, row


def _strict(versions: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in versions.items() if name not in _LOOSE}


def _configuration(cell: Cell) -> tuple[tuple[str, object], ...]:
    return _frozen(asdict(cell.pipeline))


def _frozen(configuration: Mapping[str, object]) -> tuple[tuple[str, object], ...]:
    return tuple(sorted((k, v) for k, v in configuration.items() if k != "base"))


def grouped(cells: Sequence[Cell]) -> list[list[Cell]]:
    """The cells in groups that share chunks, vectors and index, at most CELLS each, in the order in which
    they were given."""
    prefixes: dict[object, list[Cell]] = defaultdict(list)
    for cell in cells:
        p = cell.pipeline
        prefixes[p.searches, p.chunker, p.index, p.embedder, p.second].append(cell)
    return [group[at : at + CELLS] for group in prefixes.values() for at in range(0, len(group), CELLS)]


def measure(
    sweep: Sweep,
    cells: Sequence[Cell],
    questions: Sequence[Question],
    where: Where,
    team: Fleet,
    outcomes: dict[str, list[Scored]],
    *,
    tick: Callable[[int], None] = lambda _: None,
    done: Callable[[Cell], None] = lambda _: None,
) -> None:
    """Measure these cells, put each into `outcomes` by digest and into the ledger once it is whole.

    Those that share chunks, vectors and index are measured together; the baseline comes first, since every
    row says how it compares. `tick` gets how many (question, cell) pairs a block finished."""
    if not cells:
        return
    for texts, spec in _questions(cells, questions):
        for _ in embedded(team, spec, texts, where.server, where.workspace, queries=True):
            pass
    groups = grouped(sorted(cells, key=lambda cell: cell != sweep.baseline))
    shares = [questions[at : at + QUESTIONS] for at in range(0, len(questions), QUESTIONS)]
    blocks = [(at, i) for at in range(len(groups)) for i in range(len(shares))]
    tasks = [Block(tuple(cell.rung(sweep.base) for cell in groups[at]), tuple(shares[i])) for at, i in blocks]
    with writer(where.server) as conn:
        run = _run(conn, sweep, cells, where)
        conn.commit()
    parts: dict[int, dict[int, list[list[Scored]]]] = defaultdict(dict)
    waiting: list[Cell] = []
    for task, found in team.each(tasks, where.server, where.workspace):
        at, share = blocks[task]
        parts[at][share] = found
        tick(len(groups[at]) * len(shares[share]))
        if len(parts[at]) < len(shares):
            continue
        whole = parts.pop(at)
        for i, cell in enumerate(groups[at]):
            outcomes[cell.digest] = [s for share in range(len(shares)) for s in whole[share][i]]
            waiting.append(cell)
        if sweep.baseline.digest in outcomes:
            for cell in waiting:
                _write(cell, sweep, outcomes, where, run)
                done(cell)
            waiting = []


def _questions(cells: Sequence[Cell], questions: Sequence[Question]) -> Iterator[tuple[list[str], str]]:
    """(texts, embedders) that are asked, so that a block finds them embedded."""
    wanted: dict[str, dict[str, None]] = defaultdict(dict)
    ways = {(p.letters, p.decompose, p.rewrite, p.embedders): p for c in cells if (p := c.pipeline).searches}
    for p in ways.values():
        for question in questions:
            wanted[p.embedders] |= dict.fromkeys(retrieve.asked(question.text, p))
    for spec, texts in wanted.items():
        yield list(texts), spec


def _run(conn: ledger.Connection, sweep: Sweep, cells: Sequence[Cell], where: Where) -> int:
    """The newest run that holds other cells of this sweep and nothing else, and is of the same corpus, gold
    and lab, so that a killed sweep stays one run; else a new one."""
    left = {(cell.name, _configuration(cell)) for cell in sweep.everything if cell not in cells}
    runs: dict[int, set[tuple[str, object]]] = defaultdict(set)
    for run, row in _rows(conn, where):
        runs[run].add((row.rung, _frozen(row.configuration)))
    fitting = [run for run, rows in runs.items() if rows <= left]
    return max(fitting) if fitting else ledger.start(conn, WHAT, where.split, *where.hashes())


def _write(
    cell: Cell, sweep: Sweep, outcomes: Mapping[str, Sequence[Scored]], where: Where, run: int
) -> None:
    scored = tuple(outcomes[cell.digest])
    comparison, reason = None, "the baseline"
    if cell != sweep.baseline:
        base = judged(sweep, outcomes[sweep.baseline.digest])
        comparison = compare(sweep.baseline.name, base, cell.name, judged(sweep, scored))
        reason = comparison.words
    with writer(where.server) as conn:
        record(conn, run, Climbed(cell.rung(sweep.base), scored, comparison, None, reason), "all")
