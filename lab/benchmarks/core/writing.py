"""What writing costs: all at once into an empty store, more with the indexes in place, and a replay."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from lab.benchmarks.business import exam
from lab.benchmarks.business.exam import Loaded
from lab.benchmarks.business.world import ROLES, World
from lab.benchmarks.core.targets import Line
from lab.kinds import LabError
from lab.memory import records, write
from lab.memory.records import Record
from lab.memory.server import Server
from lab.models.embedders import Embedder

WORKSPACE = "core"
LATER = 25
"""Every so manieth record is held back, to be written once the indexes are in place."""
AIMED_AT = 100_000
"""Rows for which the time of a bulk load was set."""
Say = Callable[[str], None]


def writing(
    server: Server, embedder: Embedder, world: World, say: Say = lambda _: None
) -> tuple[Loaded, list[Line]]:
    """Stores the world in the empty `WORKSPACE` of `server`, timing each stage. Embeddings are computed
    before and come from the cache. LabError when something is there already."""
    for role, modules in ROLES.items():
        write.allow(server, WORKSPACE, role, modules)
    exam.embed(embedder, [record.content for record in world.first + world.later], say)
    held = world.first[::LATER]
    bulk = [record for at, record in enumerate(world.first) if at % LATER]
    loading = _timed(server, embedder, bulk, say, "bulk load")
    batches = _timed(server, embedder, held, say, "batches with the indexes in place")
    later = _timed(server, embedder, world.later, say, "later versions")
    replaying = _timed(server, embedder, world.first, say, "replay", written=0)
    between = exam.between(server, WORKSPACE)
    assert between is not None
    loaded = Loaded(
        world,
        WORKSPACE,
        between,
        {"first": loading, "batches": batches, "later": later, "replay": replaying},
    )
    return loaded, [
        Line(f"bulk load of {len(bulk):,}, embeddings cached", loading, "s",
             180 * len(bulk) / AIMED_AT),
        Line("records in batches, indexes in place", len(held) / batches, "/s", 600, most=False),
        Line("unchanged replay", len(world.first) / replaying, "/s", 25_000, most=False),
    ]  # fmt: skip


def _timed(
    server: Server,
    embedder: Embedder,
    listed: Sequence[Record],
    say: Say,
    stage: str,
    written: int | None = None,
) -> float:
    """Seconds."""
    done = 0

    def on(count: int) -> None:
        nonlocal done
        done += count
        if done % 20_000 < count:
            say(f"{stage}: {done:,} of {len(listed):,}")

    start = time.perf_counter()
    report = records.sync(server, listed, workspace=WORKSPACE, embedders=[embedder], progress=on)
    seconds = time.perf_counter() - start
    expected = len(listed) if written is None else written
    if report.written != expected:
        raise LabError(f"{stage}: {report.written:,} written.", f"{expected:,}.")
    say(f"{stage}: {len(listed):,} in {seconds:.1f} s")
    return seconds
