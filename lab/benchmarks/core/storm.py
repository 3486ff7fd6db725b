"""Many threads at once: readers with different rights ask while writers correct, add and delete records.

What may not happen: an error, a secret in the context of who may not know it, a value older than the one
confirmed before the question was asked, or a record found after it was deleted."""

from __future__ import annotations

import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count

from lab.benchmarks.business import exam
from lab.benchmarks.business.exam import Loaded
from lab.benchmarks.business.questions import Question
from lab.benchmarks.business.world import TODAY, World
from lab.benchmarks.core.targets import Line, median, p95
from lab.kinds import Sight
from lab.memory import records
from lab.memory.connect import Pool, pool
from lab.memory.recall import recall
from lab.memory.records import Entity, Record
from lab.memory.server import Server
from lab.memory.visibility import looking
from lab.models.embedders import Embedder

ASKERS: tuple[tuple[str, ...], ...] = (("owner",), ("sales",), ("hr",), ())
"""Roles of the readers, in turn; the last may read nothing."""
KEPT, GONE = 4, 3
"""Records that each writer keeps correcting; of KEPT · GONE turns one adds a secret record and deletes it."""
_VALUE = re.compile(r"STMV-(\d+)")
_SECRET = re.compile(r"STMS-\d+-\d+|(?:\d{1,3}\.)*\d{1,3},\d{2}|ZK\d{6}")
Say = Callable[[str], None]


@dataclass
class Seen:
    """What happened; shared by all threads under `lock`."""

    errors: list[str] = field(default_factory=list)
    leaks: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    back: list[str] = field(default_factory=list)
    """Deleted records that were found."""
    counts: Counter[str] = field(default_factory=Counter)
    """recalls, values (asked for), secrets (told to who may know them), writes, deletions."""
    ms: list[float] = field(default_factory=list)
    """Of each recall, with the query's embedding."""
    confirmed: dict[str, int] = field(default_factory=dict)
    """Name of a record → the value that stands for certain."""
    deleted: list[tuple[str, str]] = field(default_factory=list)
    """(name, secret) of records whose deletion was confirmed."""
    lock: threading.Lock = field(default_factory=threading.Lock)


def secrets(world: World) -> Mapping[str, str]:
    """Secret → the module that may know it, or `@member`. What also stands in a record that others read (an
    order whose total happens to be another invoice's amount) is none."""
    hidden = {value: module for module, value in world.secrets}
    open_words = {
        value
        for record in world.first + world.later
        if record.module not in ("finance", "hr") and record.owner is None
        for value in _SECRET.findall(record.content)
    }
    return {value: module for value, module in hidden.items() if value not in open_words}


def storm(
    server: Server,
    loaded: Loaded,
    embedder: Embedder,
    asked: Sequence[Question],
    *,
    threads: int,
    seconds: float,
    say: Say = lambda _: None,
) -> Seen:
    """Lets `threads` threads work for `seconds`: a quarter of them write. Returns what was seen; raises
    nothing of what the threads met."""
    writers = max(1, threads // 4)
    readers = max(1, threads - writers)
    seen, hidden = Seen(), secrets(loaded.world)
    base = getattr(embedder, "base", embedder)
    base.queries(["a first one loads the weights"])
    stop = threading.Event()

    def guarded(work: Callable[[random.Random], None], number: int) -> None:
        draw = random.Random(number)
        while not stop.is_set():
            try:
                work(draw)
            except Exception as error:
                with seen.lock:
                    seen.errors.append(f"{type(error).__name__}: {error}")
                stop.wait(0.1)

    with pool(server, "reader", size=readers) as connections:
        crew = [
            threading.Thread(target=guarded, args=(_writer(server, loaded, embedder, seen, number), number))
            for number in range(writers)
        ] + [
            threading.Thread(
                target=guarded,
                args=(
                    _reader(connections, loaded, base, asked, ASKERS[number % len(ASKERS)], seen, hidden),
                    1_000 + number,
                ),
            )
            for number in range(readers)
        ]
        for thread in crew:
            thread.start()
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(10.0, left))
            if left > 10:
                say(f"{seen.counts['recalls']:,} recalls, {seen.counts['writes']:,} writes")
        stop.set()
        for thread in crew:
            thread.join()
    _lost(server, loaded, seen)
    return seen


def lines(seen: Seen, threads: int, seconds: float) -> list[Line]:
    return [
        Line(f"{threads} threads, {seconds:g} s: errors", len(seen.errors), "", 0),
        Line("secrets told to who may not know them", len(seen.leaks), "", 0),
        Line("secrets told to who may", seen.counts["secrets"], "", 1, most=False),
        Line("values older than the confirmed one, or lost", len(seen.stale), "", 0),
        Line("values asked for", seen.counts["values"], "", 1, most=False),
        Line("deleted records found", len(seen.back), "", 0),
        Line("recalls", seen.counts["recalls"] / seconds, "/s"),
        Line("recall under this load, median", median(seen.ms), "ms"),
        Line("recall under this load, p95", p95(seen.ms), "ms"),
        Line("writes, each confirmed alone", seen.counts["writes"] / seconds, "/s"),
    ]


def _writer(
    server: Server, loaded: Loaded, embedder: Embedder, seen: Seen, number: int
) -> Callable[[random.Random], None]:
    """One turn of a writer: corrects one of its records, or adds and deletes a secret one."""
    start = datetime(2026, 10, 1, tzinfo=UTC)
    values, turns = count(1), count()

    def put(record: Record) -> None:
        report = records.sync(
            server, [record], workspace=loaded.workspace, embedders=[embedder], maintain=False
        )
        if report.written != 1:
            raise AssertionError(f"{record.external_id}: {report.written} written")

    def turn(draw: random.Random) -> None:
        at = next(turns)
        if at % (KEPT * GONE) == KEPT * GONE - 1:
            name, secret = f"STG-{number:02}-{at:05}", f"STMS-{number}-{at}"
            entity = Entity(f"meter:{name}", "meter", name, fuzzy=False)
            text = f"Sayaç {name}, gizli değeri {secret}."
            put(Record("storm", name, start, "hr", text, "tr", entity))
            records.forget(server, "storm", name, workspace=loaded.workspace)
            with seen.lock:
                seen.deleted.append((name, secret))
                seen.counts["deletions"] += 1
            return
        name, value = f"STM-{number:02}-{at % KEPT}", next(values)
        entity = Entity(f"meter:{name}", "meter", name, fuzzy=False)
        text = f"Sayaç {name}, son okunan değeri STMV-{value}."
        version = start + timedelta(seconds=value)
        put(Record("storm", name, version, "all", text, "tr", entity))
        with seen.lock:
            seen.confirmed[name] = value
            seen.counts["writes"] += 1

    return turn


def _reader(
    connections: Pool,
    loaded: Loaded,
    base: Embedder,
    asked: Sequence[Question],
    roles: Sequence[str],
    seen: Seen,
    hidden: Mapping[str, str],
) -> Callable[[random.Random], None]:
    """One turn of a reader: a question of the exam, the value of a record that is being corrected, or a
    record that was deleted."""
    eyes = Sight(frozenset(roles), TODAY, workspace=loaded.workspace)

    def turn(draw: random.Random) -> None:
        with seen.lock:
            confirmed = dict(seen.confirmed)
            deleted = seen.deleted[-1:]
        name, least, gone = "", 0, ""
        kind = draw.random()
        if confirmed and kind < 0.3:
            name = draw.choice(sorted(confirmed))
            least, text = confirmed[name], f"{name} sayacının son okunan değeri nedir?"
        elif deleted and kind < 0.35:
            (meter, gone) = deleted[0]
            text = f"{meter} sayacının gizli değeri nedir?"
        else:
            text = draw.choice(asked).text
        start = time.perf_counter()
        vector = base.queries([text])[0]
        with connections.connection() as connection, looking(connection, eyes) as view:
            modules = set(view.modules)
            told = recall(connection, eyes, text, base.space, vector, today=TODAY).text
        took = (time.perf_counter() - start) * 1000
        found = [value for value in _SECRET.findall(told) if value in hidden]
        leaked = [value for value in found if hidden[value] not in modules]
        if not modules and told:
            leaked.append(told[:60])
        with seen.lock:
            seen.counts["recalls"] += 1
            seen.ms.append(took)
            seen.counts["secrets"] += len(found) - sum(value in found for value in leaked)
            seen.leaks += [f"{','.join(roles) or 'nobody'}: {value}" for value in leaked]
            if gone and gone in told:
                seen.back.append(gone)
            if least and modules:
                seen.counts["values"] += 1
                got = [int(value) for value in re.findall(rf"{name}, son okunan değeri STMV-(\d+)", told)]
                if not got or min(got) < least:
                    seen.stale.append(f"{name}: {got} in the context, {least} was confirmed")

    return turn


def _lost(server: Server, loaded: Loaded, seen: Seen) -> None:
    """After all is quiet: each record stands with its last confirmed value or one that followed."""
    with pool(server, "reader", size=1) as connections, connections.connection() as connection:
        with looking(connection, exam.sight(loaded)) as view:
            rows = view.connection.execute(
                "select document, content from memory where workspace = %s and document like %s",
                [loaded.workspace, "storm/STM-%"],
            ).fetchall()
    stands = {place.removeprefix("storm/"): int(_VALUE.findall(content)[0]) for place, content in rows}
    for name, value in seen.confirmed.items():
        if stands.get(name, 0) < value:
            seen.stale.append(f"{name}: {stands.get(name)} stands, {value} was confirmed")
