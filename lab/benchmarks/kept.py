"""What a bench measured, appended to the run ledger: one run, one row an arm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from lab.evaluation import ledger
from lab.memory.connect import writer
from lab.memory.server import Server


@dataclass(frozen=True, slots=True)
class Row:
    """An arm. `groups`: measures (a dataclass) by group of questions; `all` must be among them."""

    groups: Mapping[str, Any]
    configuration: Mapping[str, Any] = field(default_factory=dict)


def keep(server: Server, what: str, corpus_hash: str, rows: Mapping[str, Row], split: str = "all") -> int:
    """Writes the rows by name of the arm; returns the run's number."""
    with writer(server) as connection:
        run = ledger.start(connection, what, split, corpus_hash, corpus_hash)
        for name, row in rows.items():
            by = {group: asdict(measures) for group, measures in row.groups.items()}
            ledger.write(
                connection,
                ledger.RungRow(run, name, "", dict(row.configuration), None, "", by["all"], by),
                (),
            )
        connection.commit()
    return run
