"""`lab scan`: findings in a folder, and how good the scan is, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from lab.corpus.load import load_folder
from lab.corpus.suspects import Located, scanned
from lab.evaluation import scanning
from lab.evaluation.scanning import Line
from lab.settings import settings

SHOWN = 300
"""Characters of a finding in the table."""


def scan(folder: Path | None = None) -> tuple[Path, int, list[Located]]:
    """(the folder, documents in it, what is suspect in them). Needs no database."""
    source = (folder or settings().corpus).expanduser()
    documents = load_folder(source)
    return source, len(documents), list(scanned(documents))


def measured() -> list[Line]:
    """The scan over its own exam, gold/scan."""
    return scanning.measure(scanning.load())


def findings_json(source: Path, documents: int, found: Sequence[Located]) -> dict[str, Any]:
    """The object of `lab scan --json`. Spans count characters of the cleaned document."""
    return {
        "folder": str(source),
        "documents": documents,
        "findings": [
            {key: value for key, value in asdict(item).items() if key != "finding"}
            | {"span": [item.finding.first, item.finding.last]}
            | {key: getattr(item.finding, key) for key in ("text", "view", "kind", "reason")}
            for item in found
        ],
    }


def findings_table(found: Sequence[Located]) -> Table:
    table = Table(title="Suspect text", show_lines=True)
    for name in ("where", "why", "text"):
        table.add_column(name, overflow="fold")
    for item in found:
        finding = item.finding
        where = f"{item.document}@{item.edition}#{item.section}\n{item.where} {finding.first}–{finding.last}"
        why = f"{finding.reason}\n({finding.view})"
        words = finding.text if len(finding.text) <= SHOWN else finding.text[:SHOWN] + " …"
        table.add_row(Text(where), Text(why), Text(visible(words)))
    return table


def visible(text: str) -> str:
    """`text` with what no terminal shows written as its code."""
    return "".join(c if c.isprintable() or c == "\n" else f"<U+{ord(c):04X}>" for c in text)


def measure_table(lines: Sequence[Line]) -> Table:
    table = Table(title="The scan over gold/scan")
    for name in ("what", "language", "split", "found", "of", "share", "rest kept"):
        table.add_column(name, justify="left" if name in ("what", "language", "split") else "right")
    for line in lines:
        kept = "–" if line.what == "false alarms" else str(line.kept)
        split = "held out" if line.split == "test" else "tuned on"
        table.add_row(
            line.what, line.language, split, str(line.found), str(line.n), f"{line.share:.1%}", kept
        )
    return table
