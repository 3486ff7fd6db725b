"""The benchmarks as the command line starts them: on the lab's own database, with progress."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from lab.benchmarks.business.report import Report, bench, tables
from lab.benchmarks.core import report as core_report
from lab.benchmarks.gatemem import report as gatemem_report
from lab.memory import homes, migrate, server
from lab.models.embedders import blend
from lab.rag.engine import cached
from lab.workshop.desk import say

EMBEDDER = "use"
"""Fast enough for 100,000 memories."""


def business(rows: int, split: str, ablate: bool = False) -> Report:
    """The business exam in a workspace of its own; the world is stored at the first run."""
    found = server.up()
    migrate.migrate(found)
    (embedder,) = cached(blend(EMBEDDER), found)
    return bench(found, embedder, rows=rows, split=split, ablate=ablate, say=say)


def core(rows: int, threads: int, seconds: float) -> core_report.Report:
    """The benchmark of the memory core, on a server of its own that is removed at the end: an empty store is
    what a bulk load is measured on. Embeddings are cached in the lab's own database, and the figures go
    into its ledger."""
    found = server.up()
    migrate.migrate(found)
    (embedder,) = cached(blend(EMBEDDER), found)
    with _empty_server() as empty:
        report = core_report.bench(empty, embedder, rows=rows, threads=threads, seconds=seconds, say=say)
    core_report.keep(found, report)
    return report


def gatemem(folder: Path, only: Sequence[str] = ()) -> gatemem_report.Report:
    """The domains of GateMem in `folder`, each episode in workspaces of its own that are empty again at the
    end; the figures go into the ledger."""
    found = server.up()
    migrate.migrate(found)
    (embedder,) = cached(blend(EMBEDDER), found)
    return gatemem_report.bench(found, embedder, folder, only=only, say=say)


@contextmanager
def _empty_server() -> Iterator[server.Server]:
    """A bundled server beside the lab's, without any row; what a killed run left behind is removed first."""
    home = server.home() / "bench-core"
    server.down(home)
    shutil.rmtree(home, ignore_errors=True)
    homes.make(home)
    try:
        empty = server.up(home)
        migrate.migrate(empty)
        yield empty
    finally:
        server.down(home)
        shutil.rmtree(home, ignore_errors=True)


__all__ = ["business", "core", "core_report", "gatemem", "gatemem_report", "tables"]
