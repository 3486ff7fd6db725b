"""`lab bench peers`: every peer writes the same conversations and answers the same questions, in one run."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.table import Table

from lab.benchmarks import kept
from lab.benchmarks.locomo import dataset, exam
from lab.benchmarks.peers.kinds import Maker, Texts
from lab.benchmarks.peers.langchain import Langchain
from lab.benchmarks.peers.mem0 import Mem0
from lab.benchmarks.peers.ours import Lab
from lab.benchmarks.peers.raw import Raw
from lab.kinds import LabError
from lab.memory.connect import owner
from lab.memory.server import Server
from lab.models.embedders import Embedder
from lab.text import language_of

K = 10
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Measures:
    """`rows_per_second` written, indexes included and embedding not; milliseconds of a filtered search
    without the question's embedding; rows returned of K asked for; share of questions with some evidence in
    them."""

    n: int
    rows_per_second: float
    median_ms: float
    p95_ms: float
    rows: float
    fewest_rows: int
    any: float


@dataclass(frozen=True, slots=True)
class Report:
    """`missing`: peers that are not installed, and what to do."""

    texts: int
    embedder: str
    measures: dict[str, Measures]
    missing: dict[str, str]
    run: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def peers(server: Server, space: str) -> dict[str, Maker]:
    """In the order in which they run."""
    return {
        "pgvector": partial(Raw, server),
        "mem0": partial(Mem0, server),
        "langchain": partial(Langchain, server, False),
        "langchain hybrid": partial(Langchain, server, True),
        "lab": partial(Lab, server, space),
    }


def bench(
    server: Server,
    path: Path,
    embedder: Embedder,
    *,
    questions: int = 300,
    makers: Mapping[str, Maker] | None = None,
    say: Say = lambda _: None,
) -> Report:
    """About `questions` are asked, evenly over the file. LabError for a file that is not LoCoMo."""
    given = dataset.load(path)
    asked = [(c, question) for c in given.conversations for question in c.questions if question.evidence]
    asked = asked[:: max(1, len(asked) // questions)]
    texts = _texts(given, [question.text for _, question in asked], embedder)
    measures: dict[str, Measures] = {}
    missing: dict[str, str] = {}
    for name, make in (makers or peers(server, embedder.space)).items():
        _clear(server, make=True)
        try:
            peer = make()
        except LabError as error:
            missing[name] = f"{error.happened} {error.next_step}"
            say(f"{name}: {missing[name]}")
            continue
        try:
            start = time.perf_counter()
            peer.write(texts)
            rate = len(texts.chunks) / (time.perf_counter() - start)
            for item, question in asked[:10]:
                peer.search(item.id, question.text, K)
            times, rows, hits = [], [], []
            for item, question in asked:
                start = time.perf_counter()
                found = peer.search(item.id, question.text, K)
                times.append((time.perf_counter() - start) * 1000)
                rows.append(len(found))
                hits.append(any(exam.key_of(item, place) in found for place in question.evidence))
        finally:
            peer.close()
            _clear(server, make=False)
        times.sort()
        measures[name] = Measures(
            len(asked), rate, statistics.median(times), times[min(len(times) - 1, int(0.95 * len(times)))],
            statistics.fmean(rows), min(rows), statistics.fmean(hits),
        )  # fmt: skip
        say(f"{name}: {rate:,.0f} rows/s, {measures[name].median_ms:.1f} ms")
    rows_kept = {
        name: kept.Row({"all": found}, {"embedder": embedder.spec}) for name, found in measures.items()
    }
    run = kept.keep(server, "bench peers", given.fingerprint, rows_kept)
    return Report(len(texts.chunks), embedder.spec, measures, missing, run)


def _texts(given: dataset.Dataset, questions: list[str], embedder: Embedder) -> Texts:
    documents, chunks = [], []
    for item in given.conversations:
        language = language_of(" ".join(turn.text for s in item.sessions[:5] for turn in s.turns))
        documents += exam.documents(item, language)
        for session in item.sessions:
            chunks += exam.turns(item, session, language)
    said = list(dict.fromkeys(chunk.search_text for chunk in chunks))
    vectors = dict(zip(said, embedder.passages(said), strict=True))
    vectors |= dict(zip(questions, embedder.queries(questions), strict=True))
    return Texts(documents, chunks, vectors, embedder.dimensions)


def _clear(server: Server, make: bool) -> None:
    """Drops the peers' schema, and makes it anew."""
    with owner(server) as connection:
        connection.execute("drop schema if exists peers cascade")
        if make:
            connection.execute("create schema peers")
        connection.commit()


def tables(report: Report) -> list[Table]:
    """For people."""
    table = Table(title=f"{report.texts:,} turns, {report.embedder}, a filtered top {K}")
    for column in ("peer", "n", "rows/s", "ms", "p95", "rows", "fewest", "any evidence"):
        table.add_column(column, justify="left" if column == "peer" else "right")
    for name, m in report.measures.items():
        table.add_row(
            name, str(m.n), f"{m.rows_per_second:,.0f}", f"{m.median_ms:.1f}", f"{m.p95_ms:.1f}",
            f"{m.rows:.1f}", str(m.fewest_rows), f"{m.any:.1%}",
        )  # fmt: skip
    for name, why in report.missing.items():
        table.add_row(name, why, *[""] * 6)
    return [table]
