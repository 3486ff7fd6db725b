"""`lab leaks`: the whole leak test on a server of its own, written to the lab's ledger and shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table
from tqdm.auto import tqdm

from lab.benchmarks.leaks import mutations, run, snapshot, stage
from lab.benchmarks.leaks import worlds as random_worlds
from lab.benchmarks.leaks.mutations import Mutation
from lab.benchmarks.leaks.planted import COUNTS
from lab.benchmarks.leaks.run import Report
from lab.evaluation import ledger
from lab.evaluation.ledger import RungRow
from lab.memory import migrate, server
from lab.memory.connect import reader, writer
from lab.workshop import leak_ways
from lab.workshop.desk import say

WAYS = (*run.WAYS, *leak_ways.WAYS)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was found: the run, and the mutations where they were asked for."""

    report: Report
    mutations: tuple[Mutation, ...]
    worlds: int = 0
    """Random worlds in which database and oracle were compared."""
    differences: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return self.report.ok and not self.differences and all(one.ok for one in self.mutations)

    def to_json(self) -> dict[str, Any]:
        found = self.report.to_json() | {"ok": self.ok}
        if self.worlds:
            found["worlds"] = {"compared": self.worlds, "differences": list(self.differences)}
        if self.mutations:
            found["mutations"] = _states(self.mutations) | {
                "each": [mutation.to_json() for mutation in self.mutations]
            }
        return found


def leaks(answers: int = run.ANSWERS, mutated: bool = False, worlds: int = 0) -> Outcome:
    """Plants, asks every path, with `mutated` takes the rule from one place after the other, and compares so
    many random `worlds` with the oracle."""
    with stage.built(say) as built, leak_ways.settled(built):
        report = run.run(built, WAYS, answers, say)
        changed = tuple(mutations.mutate(built, WAYS, say)) if mutated else ()
        wrong = tuple(_compare(built, worlds))
    found = Outcome(report, changed, worlds, wrong)
    _log(found)
    return found


def _compare(built: stage.Stage, count: int) -> Iterator[str]:
    """What differs in the first `count` worlds, seed by seed."""
    with snapshot.superuser(built.server, built.home) as admin, reader(built.server) as read:
        for seed in tqdm(range(count), desc="worlds", disable=None if count else True):
            plan, looks = random_worlds.drawn(seed)
            for wrong in random_worlds.differences(built.server, admin, read, f"world-{seed}", plan, looks):
                yield f"world {seed}: {wrong}"


def tables(found: Outcome) -> list[Table]:
    """Path by path, what was told and should not have been, and the mutations."""
    report = found.report
    lines = Table(
        "path", "answers", "leaks", "entitled", "found", title=_title(report), title_justify="left"
    )  # fmt: skip
    for line in report.lines:
        leaked = f"{line.leaks} by design" if line.by_design else str(line.leaks)
        mark = "" if line.ok else " ✗"
        lines.add_row(line.way + mark, f"{line.answers:,}", leaked, str(line.due), str(line.got))
    made = [lines]
    if report.leaks or report.uncovered or report.unkept:
        wrong = Table("path", "asker", "what", title="wrong", title_justify="left")
        for leak in report.leaks[: run.SHOWN]:
            wrong.add_row(leak.way, leak.asker, leak.what)
        for name in report.uncovered:
            wrong.add_row(name, "", "reads, and nobody asks it here")
        for name in report.unkept:
            wrong.add_row(name, "", "reads past the rule")
        made.append(wrong)
    if found.worlds:
        title = f"{found.worlds:,} random worlds: {len(found.differences)} differences from the oracle"
        compared = Table("database and oracle differ", title=title, title_justify="left")
        for difference in found.differences[: run.SHOWN]:
            compared.add_row(difference)
        made.append(compared)
    if found.mutations:
        changed = Table("without the rule", "", "told by", title=_counted(found), title_justify="left")
        for mutation in found.mutations:
            changed.add_row(mutation.name, mutation.state, mutation.by)
        made.append(changed)
    return made


def _title(report: Report) -> str:
    kinds = ", ".join(f"{report.secrets[kind]} {kind}" for kind in COUNTS)
    return (
        f"{sum(report.secrets.values())} secrets ({kinds}), {len(report.askers)} callers, "
        f"{len(report.lines)} paths, {report.answers:,} answers: {report.leaked} leaks; "
        f"the entitled had it {report.got:,} of {report.due:,} times ({report.seconds:.0f} s)"
    )


def _states(listed: Sequence[Mutation]) -> dict[str, int]:
    return {
        state: sum(mutation.state == state for mutation in listed)
        for state in ("caught", "implied", "missed")
    }


def _counted(found: Outcome) -> str:
    return f"{len(found.mutations)} mutations: " + ", ".join(
        f"{count} {state}" for state, count in _states(found.mutations).items()
    )


def _log(found: Outcome) -> None:
    own = server.up()
    migrate.migrate(own)
    measures = {key: value for key, value in found.report.to_json().items() if isinstance(value, int | float)}
    if found.worlds:
        measures |= {"worlds": found.worlds, "differences": len(found.differences)}
    if found.mutations:
        measures["mutations"] = len(found.mutations)
        measures |= _states(found.mutations)
    reason = "" if found.ok else "; ".join(leak.what for leak in found.report.leaks[:3]) or "not all was seen"
    with writer(own) as connection:
        number = ledger.start(connection, "bench leaks", "all", "planted", "planted")
        row = RungRow(number, "leaks", "every read path", {}, None, reason, measures, {})
        ledger.write(connection, row, [])
