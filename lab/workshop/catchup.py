"""Bringing a participant to the start of a notebook, and back to a fresh copy of it."""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path

from lab.evaluation import ledger as book
from lab.ladder import rungs
from lab.memory import server
from lab.memory.connect import writer
from lab.workshop import bookbinder, desk, notebooks
from lab.workshop.words import LANGUAGES


def catch_up(number: str) -> list[str]:
    """Makes ready what the notebooks before this one leave behind: the corpus stored and a whole climb in the
    ledger, which holds every rung they measure. The participant's files are not touched. Returns what was
    done, a line each. LabError for an unknown notebook."""
    (name,) = notebooks.wanted([number])
    done = []
    report = desk.ingest(None)
    if report["chunks_written"]:
        done.append(f"{report['documents']} documents stored")
    with writer(server.up()) as conn:
        known = book.latest(conn, rungs=len(rungs.NAMES))
    if known is None:
        desk.climb()
        done.append("the ladder climbed")
    done.append(f"{name} can begin: notebooks/en/{name}.ipynb, notebooks/tr/{name}.ipynb")
    return done


def reset(number: str, language: str | None = None) -> list[Path]:
    """Puts a fresh notebook in place of the participant's, whose file is kept beside it under a dated name.
    Returns the paths of the fresh ones. LabError for an unknown notebook or language."""
    written = []
    for spoken in LANGUAGES if language is None else (language,):
        for name in notebooks.wanted([number]):
            path = notebooks.place(name, spoken)
            if path.exists():
                shutil.copy2(path, _kept(path))  # not moved: should the making fail, all is as it was
            written += bookbinder.bare([name], spoken)
    return written


def _kept(path: Path) -> Path:
    stamp = datetime.now().strftime("%Y-%m-%d-%H%M%S")
    found, number = path.with_name(f"{path.stem}.{stamp}.ipynb"), 1
    while found.exists():
        number += 1
        found = path.with_name(f"{path.stem}.{stamp}-{number}.ipynb")
    return found
