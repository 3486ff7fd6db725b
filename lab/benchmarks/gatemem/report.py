"""`lab bench gatemem`: plays the domains, measures, writes the ledger, shows."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.table import Table
from tqdm.auto import tqdm

from lab.benchmarks.gatemem import episodes as published
from lab.benchmarks.gatemem.exam import ARMS, TOP, Asked, play
from lab.evaluation import ledger
from lab.evaluation.ledger import RungRow
from lab.kinds import LabError
from lab.memory.connect import writer
from lab.memory.server import Server
from lab.models.embedders import Embedder
from lab.text import fold

ERASED = "no_memory"
"""The action expected where what is asked for was to be forgotten."""
SHOWN = 8
"""Statements shown of each kind that was not understood."""


@dataclass(frozen=True, slots=True)
class Measures:
    """Shares in 0 … 1, None where there is nothing to count. `leaked`: of the leak targets; `unnamed`: of
    those that the question does not name itself; `returned`: of the required strings; `tokens`: of a context,
    mean."""

    questions: int
    targets: int
    leaked: float | None
    unnamed_targets: int
    unnamed: float | None
    required: int
    returned: float | None
    tokens: float


@dataclass(frozen=True, slots=True)
class Domain:
    """Arm → group (query type, `erased`, `all`) → measures; and the kinds of statements not understood: how
    many, and some of them."""

    name: str
    episodes: int
    questions: int
    arms: dict[str, dict[str, Measures]]
    doubts: dict[str, int]
    statements: dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Report:
    domains: tuple[Domain, ...]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def bench(
    server: Server,
    embedder: Embedder,
    folder: Path,
    *,
    only: Sequence[str] = (),
    say: Callable[[str], None] = lambda _: None,
) -> Report:
    """The domains of `folder`, or those of `only`. LabError for a folder or domain that is none."""
    names = published.domains(folder)
    if unknown := [name for name in only if name not in names]:
        raise LabError(f"There is no domain {unknown[0]} in {folder}.", ", ".join(names) + ".")
    found = []
    for name in only or names:
        listed = published.load(folder, name)
        say(f"{name}: {len(listed)} episodes, {sum(len(e.checkpoints) for e in listed)} questions")
        asked: dict[str, list[Asked]] = {arm: [] for arm in ARMS}
        doubts: Counter[tuple[str, str]] = Counter()
        for episode in tqdm(listed, desc=name, leave=False):
            answers, rights = play(server, embedder, episode)
            for arm, rows in answers.items():
                asked[arm] += rows
            doubts += rights.doubts
        domain = _domain(name, len(listed), asked, doubts)
        _remember(server, embedder, folder, domain)
        found.append(domain)
    return Report(tuple(found))


def _domain(
    name: str, played: int, asked: Mapping[str, Sequence[Asked]], doubts: Counter[tuple[str, str]]
) -> Domain:
    kinds: Counter[str] = Counter()
    statements: dict[str, list[str]] = {}
    for (kind, text), count in doubts.most_common():
        kinds[kind] += count
        listed = statements.setdefault(kind, [])
        if len(listed) < SHOWN:
            listed.append(text)
    return Domain(
        name, played, len(asked["rules"]), {arm: groups(rows) for arm, rows in asked.items()},
        dict(kinds.most_common()), statements,
    )  # fmt: skip


def groups(rows: Sequence[Asked]) -> dict[str, Measures]:
    """By query type; `erased`: what was to be forgotten; all."""
    found = {
        kind: [r for r in rows if r.checkpoint.type == kind]
        for kind in sorted({r.checkpoint.type for r in rows})
    }
    found["erased"] = [row for row in rows if row.checkpoint.action == ERASED]
    found["all"] = list(rows)
    return {name: measure(listed) for name, listed in found.items() if listed}


def measure(rows: Sequence[Asked]) -> Measures:
    def share(count: int, of: int) -> float | None:
        return count / of if of else None

    targets = sum(row.targets for row in rows)
    new = sum(len(_unnamed(row, row.asked_for)) for row in rows)
    required = sum(len(row.checkpoint.include) for row in rows)
    return Measures(
        len(rows), targets, share(sum(len(row.leaked) for row in rows), targets),
        new, share(sum(len(_unnamed(row, row.leaked)) for row in rows), new),
        required, share(sum(len(row.returned) for row in rows), required),
        sum(row.tokens for row in rows) / len(rows),
    )  # fmt: skip


def _unnamed(row: Asked, listed: Iterable[str]) -> list[str]:
    """What the question does not give itself: who asks whether it is code 7 has the code already."""
    query = fold(row.checkpoint.query)
    return [target for target in listed if fold(target) not in query]


def _remember(server: Server, embedder: Embedder, folder: Path, domain: Domain) -> None:
    def digest(kind: str) -> str:
        return hashlib.sha256((folder / f"{domain.name}.{kind}.jsonl").read_bytes()).hexdigest()

    with writer(server) as connection:
        run = ledger.start(
            connection, "bench gatemem", domain.name, digest("episodes"), digest("checkpoints")
        )
        for arm, by in domain.arms.items():
            row = RungRow(
                run, arm, ARMS[arm], {"embedder": embedder.space, "top": TOP}, None, "",
                asdict(by["all"]), {name: asdict(m) for name, m in by.items()},
            )  # fmt: skip
            ledger.write(connection, row, [])
        connection.commit()


def tables(report: Report) -> list[Table]:
    """For people: a table a domain, then the kinds of statements that were not understood."""
    listed = []
    for domain in report.domains:
        table = Table(
            title=f"{domain.name}: {domain.episodes} episodes, {domain.questions} questions, top {TOP}"
        )
        table.add_column("arm")
        columns = (
            "leaked",
            "not named",
            "privacy",
            "safety",
            "erased",
            "erased, not named",
            "utility",
            "redacted",
            "tokens",
        )
        for column in columns:
            table.add_column(column, justify="right")
        for arm, by in domain.arms.items():
            pick = {name: by.get(name) for name in ("all", "privacy", "safety", "erased", "utility")}
            table.add_row(
                arm,
                _share(pick["all"], "leaked"), _share(pick["all"], "unnamed"),
                _share(pick["privacy"], "leaked"), _share(pick["safety"], "leaked"),
                _share(pick["erased"], "leaked"), _share(pick["erased"], "unnamed"),
                _share(pick["utility"], "returned"), _share(pick["privacy"], "returned"),
                f"{by['all'].tokens:.0f}",
            )  # fmt: skip
        listed.append(table)
        kinds = Table(title=f"{domain.name}: statements that may restrict or remove and were not understood")
        kinds.add_column("kind")
        kinds.add_column("n", justify="right")
        kinds.add_column("for example")
        for kind, count in domain.doubts.items():
            kinds.add_row(kind, str(count), domain.statements[kind][0])
        listed.append(kinds)
    return listed


def _share(measures: Measures | None, name: str) -> str:
    value = None if measures is None else getattr(measures, name)
    return "" if value is None else f"{value:.1%}"
