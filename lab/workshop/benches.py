"""The benchmarks as the command line starts them: on the lab's own database, with progress."""

from __future__ import annotations

from lab.benchmarks.business.report import Report, bench, tables
from lab.memory import migrate, server
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


__all__ = ["business", "tables"]
