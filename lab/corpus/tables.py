"""Markdown tables: cells, header rows, and a row written with its header."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lab.corpus.blocks import blocks, is_delimiter

_PIPE = re.compile(r"(?<!\\)\|")
_DIGIT = re.compile(r"\d")
_NO_VALUE = frozenset(
    str.split(
        "- – — n/a na none no nil free unlimited unpaid yok hayır hiç serbest ücretsiz sınırsız keine nein"
    )
)
"""Words that stand in a body cell for "no figure"; a row that has one is a row of data, not a header."""


def cells(row: str) -> list[str]:
    """The cells of a row, stripped, `\\|` unescaped; outer pipes give no cells."""
    row = row.strip()
    row = row[1:] if row.startswith("|") else row
    parts = _PIPE.split(row)
    if parts and not parts[-1].strip():
        parts.pop()
    return [part.strip().replace("\\|", "|") for part in parts]


def header_rows(rows: Sequence[str]) -> int:
    """How many of a table's first lines are its header, the `|---|` line included.

    Everything above the `|---|` line is header. The row just under it is too if it looks like a second
    header row: no digit in it, no "none"/"–" in it, at least two rows below, and in each column but the
    first where it says something every row below has a digit. A table without `|---|` has a header if its
    first row passes the same test; else it has none (0).
    """
    delimiter = next((i for i, row in enumerate(rows) if is_delimiter(row)), None)
    first = 0 if delimiter is None else delimiter + 1
    return first + _is_header(rows[first], rows[first + 1 :]) if first < len(rows) else first


def _is_header(row: str, body: Sequence[str]) -> bool:
    candidate = cells(row)
    if _DIGIT.search(row) or len(body) < 2 or any(cell.casefold() in _NO_VALUE for cell in candidate):
        return False
    columns = [i for i, cell in enumerate(candidate) if i and cell]
    if not columns:
        return False
    for other in body:
        values = cells(other)
        if any(i >= len(values) or not _DIGIT.search(values[i]) for i in columns):
            return False
    return True


def row_pairs(header_rows: Sequence[str], row: str) -> list[tuple[str, str]]:
    """(column name, value) of each non-empty cell of `row`; the name is "" where the header has none.

    `header_rows` are the header lines as written; a `|---|` line among them is skipped. Of several header
    rows the names are joined from top to bottom ("International per diem"); an empty cell of an upper row
    takes the name to its left, as a heading that spans columns does in Markdown.
    """
    rows = [cells(line) for line in header_rows if not is_delimiter(line)]
    width = max((len(names) for names in rows), default=0)
    columns: list[list[str]] = [[] for _ in range(width)]
    for depth, names in enumerate(rows):
        left = ""
        for i in range(width):
            name = names[i] if i < len(names) else ""
            if not name and i > 0 and depth < len(rows) - 1:
                name = left
            left = name
            if name and name not in columns[i]:
                columns[i].append(name)
    values = cells(row)
    return [(" ".join(columns[i]) if i < width else "", value) for i, value in enumerate(values) if value]


def row_text(header_rows: Sequence[str], row: str) -> str:
    """The row as `header: value; header: value`."""
    return "; ".join(f"{name}: {value}" if name else value for name, value in row_pairs(header_rows, row))


def header_of(text: str, row: str) -> tuple[str, ...]:
    """The header lines of the table in `text` that has the line `row`; empty if there is none."""
    lines = text.split("\n")
    for block in blocks(lines):
        if block.kind == "table":
            rows = [line.strip() for line in lines[block.first : block.last]]
            count = header_rows(rows)
            if row.strip() in rows[count:]:
                return tuple(rows[:count])
    return ()
