"""LongMemEval's questions asked of the lab: each haystack a workspace, what the user said its memories."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from lab.benchmarks import kept
from lab.benchmarks.longmemeval import dataset
from lab.benchmarks.longmemeval.dataset import Question, Sitting
from lab.kinds import Chunk, Document, Label, LabError, Sight
from lab.memory import search, talk, write
from lab.memory.connect import reader
from lab.memory.server import Server
from lab.memory.visibility import looking
from lab.models.embedders import Embedder
from lab.text import language_of

COLLECTION, ROLE = "turn", "user"
AT = (5, 10)
WAYS = ("vector", "lab")
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question by one way: turns and sittings, best first; a sitting stands where its best turn does."""

    question: Question
    turns: tuple[str, ...]
    ms: float

    @property
    def sittings(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(place.rpartition("_")[0] for place in self.turns))


@dataclass(frozen=True, slots=True)
class Measures:
    """Means over questions. By `turn@5`, `session@10` …: whether some (`any`) or every (`all`) target is
    among the first, and nDCG."""

    n: int
    any: dict[str, float]
    all: dict[str, float]
    ndcg: dict[str, float]
    median_ms: float


@dataclass(frozen=True, slots=True)
class Report:
    """`left_out`: questions that the benchmark does not count. Measures by way and type of question."""

    questions: int
    left_out: int
    embedders: tuple[str, ...]
    measures: dict[str, dict[str, Measures]]
    run: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def ndcg(found: Sequence[str], targets: frozenset[str], k: int) -> float:
    """Binary, as the benchmark computes it: the first two places count 1, place i ≥ 2 counts 1 / log2 i."""
    gains = [1.0 if at < 2 else 1 / math.log2(at) for at in range(1, k + 1)]
    ideal = sum(gains[: len(targets)])
    got = sum(gain for gain, item in zip(gains, found, strict=False) if item in targets)
    return got / ideal if ideal else 0.0


def measure(outcomes: Sequence[Outcome]) -> Measures:
    """Means over at least one outcome."""
    some: dict[str, float] = {}
    every: dict[str, float] = {}
    gain: dict[str, float] = {}
    for level in ("turn", "session"):
        for k in AT:
            pairs = [
                (o.turns, o.question.targets) if level == "turn" else (o.sittings, o.question.target_sittings)
                for o in outcomes
            ]
            name = f"{level}@{k}"
            some[name] = statistics.fmean(bool(targets & set(found[:k])) for found, targets in pairs)
            every[name] = statistics.fmean(targets <= set(found[:k]) for found, targets in pairs)
            gain[name] = statistics.fmean(ndcg(found, targets, k) for found, targets in pairs)
    return Measures(len(outcomes), some, every, gain, statistics.median(o.ms for o in outcomes))


def bench(server: Server, path: Path, embedders: tuple[Embedder, ...], say: Say = lambda _: None) -> Report:
    """LabError for a file that can't be read as LongMemEval or in which no question counts."""
    given = dataset.load(path)
    if not given.counted:
        raise LabError(f"No question of {path} counts.", "Questions that something the user said answers.")
    outcomes: dict[str, list[Outcome]] = {way: [] for way in WAYS}
    for number, question in enumerate(given.counted, 1):
        workspace = store(server, given, question, embedders)
        for way, outcome in ask(server, workspace, question, embedders).items():
            outcomes[way].append(outcome)
        if number % 10 == 0:
            say(f"{number} of {len(given.counted)} questions")
    measures = {way: _by_type(listed) for way, listed in outcomes.items()}
    specs = tuple(embedder.spec for embedder in embedders)
    rows = {way: kept.Row(groups, {"embedders": list(specs)}) for way, groups in measures.items()}
    run = kept.keep(server, "bench longmemeval", given.fingerprint, rows)
    left_out = len(given.questions) - len(given.counted)
    return Report(len(given.questions), left_out, specs, measures, run)


def store(server: Server, given: dataset.Dataset, question: Question, embedders: tuple[Embedder, ...]) -> str:
    """The haystack's workspace; what is stored already is left as it is."""
    workspace = f"longmemeval-{given.fingerprint[:8]}-{question.id}"
    write.allow(server, workspace, ROLE, {ROLE})
    if not write.holds(server, workspace, {embedder.space for embedder in embedders}):
        chunks = {sitting.id: list(_chunks(sitting)) for sitting in question.sittings if sitting.turns}
        documents = [_document(sitting) for sitting in question.sittings if sitting.turns]
        write.ingest(
            server, documents, lambda item: chunks[item.id], embedders=embedders, workspace=workspace
        )
    return workspace


def ask(
    server: Server, workspace: str, question: Question, embedders: tuple[Embedder, ...]
) -> dict[str, Outcome]:
    """By plain vector search in the first space, and by the lab's search in conversations."""
    near = [(embedder.space, embedder.queries([question.text])[0]) for embedder in embedders]
    sight = Sight(frozenset({ROLE}), None, workspace=workspace)
    today = question.when.date()
    found: dict[str, Outcome] = {}
    with reader(server) as connection:
        for way in WAYS:
            start = time.perf_counter()
            with looking(connection, sight) as view:
                n = search.count(view, COLLECTION)
                if way == "vector":
                    listed = search.by_vector(view, *near[0], n, COLLECTION)
                else:
                    language = language_of(question.text)
                    listed = talk.by_talk(view, question.text, near, language, n, COLLECTION, today=today)
            ms = (time.perf_counter() - start) * 1000
            found[way] = Outcome(question, tuple(key.partition(":")[2] for key, _ in listed), ms)
    return found


def _by_type(outcomes: Sequence[Outcome]) -> dict[str, Measures]:
    types = sorted({outcome.question.type for outcome in outcomes})
    return {"all": measure(outcomes)} | {
        kind: measure([outcome for outcome in outcomes if outcome.question.type == kind]) for kind in types
    }


def _document(sitting: Sitting) -> Document:
    return Document(
        id=sitting.id, title=sitting.id, edition=str(sitting.when.year), department="", access=ROLE,
        language=_language(sitting), valid_from=sitting.when.date(), valid_to=None, kind="talk",
        source=sitting.id, text="\n".join(turn.text for turn in sitting.turns), fingerprint="",
    )  # fmt: skip


def _chunks(sitting: Sitting) -> Iterable[Chunk]:
    day = sitting.when.date()
    label = Label(str(day.year), day, None, "none", ROLE, _language(sitting), "")
    for at, turn in enumerate(sitting.turns):
        yield Chunk(
            id=f"{COLLECTION}:{turn.place}", chunker=COLLECTION, document=sitting.id, section=str(at),
            sections=(str(at),), ordinal=at, title=f"{day:%Y-%m-%d}", heading=ROLE, text=turn.text,
            search_text=turn.text, label=label,
        )  # fmt: skip


def _language(sitting: Sitting) -> str:
    return language_of(" ".join(turn.text for turn in sitting.turns)[:2000])


def tables(report: Report) -> list[Table]:
    """For people: one a way."""
    shown = []
    for way, groups in report.measures.items():
        table = Table(
            title=f"{way}: {report.questions} questions, {report.left_out} left out as the benchmark does"
        )
        table.add_column("questions")
        table.add_column("n", justify="right")
        names = [f"{level}@{k}" for level in ("session", "turn") for k in AT]
        for name in names:
            table.add_column(f"{name} any / all / nDCG", justify="right")
        table.add_column("ms", justify="right")
        for kind, m in groups.items():
            cells = (f"{m.any[name]:.1%} / {m.all[name]:.1%} / {m.ndcg[name]:.3f}" for name in names)
            table.add_row(kind, str(m.n), *cells, f"{m.median_ms:.1f}")
        shown.append(table)
    return shown
