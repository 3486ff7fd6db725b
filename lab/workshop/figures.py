"""README's table, picture and figures in prose, written from the newest climb in the ledger, or checked
against it.

A figure in prose stands between `<!--f:T2.published.mrr-->` and `<!--/f-->`: rung, group (`all`, `dev`,
`test`, `published`, `en`, `tr`), measure. Times are shown in the table and not compared: they belong to the
machine that measured them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from lab.evaluation import ledger
from lab.evaluation.ledger import RungRow
from lab.kinds import LabError
from lab.ladder.rungs import NAMES
from lab.memory import server
from lab.memory.connect import writer
from lab.settings import ROOT
from lab.workshop.scoreboard import COLUMNS, cell, verdict

README = ROOT / "README.md"
PICTURE = ROOT / "docs" / "ladder.svg"
TABLE = re.compile(r"(<!-- ladder:start -->\n).*?(<!-- ladder:end -->)", re.DOTALL)
FIGURE = re.compile(r"(<!--f:([\w.@-]+)-->)(.*?)(<!--/f-->)")
_DESCRIBED = re.compile(r"figures: (.*?)</dc:description>", re.DOTALL)
_TIMES = {"ms_p50"}
_LINES = (
    ("hit@1", "hit@1", "#0072B2", "o"),
    ("mrr", "MRR", "#D55E00", "s"),
    ("answers", "answers", "#009E73", "^"),
)
"""Measure, name, colour (Okabe and Ito's colour-blind safe set), marker."""


def refresh(check: bool = False) -> list[str]:
    """Bring README.md and docs/ladder.svg up to date; returns what was stale, a line each. With `check`
    nothing is written."""
    rows = newest()
    text = README.read_text(encoding="utf-8")
    stale: list[str] = []
    fresh = _table_in(text, rows, stale)
    fresh = _figures_in(fresh, rows, stale)
    picture = described(rows)
    drawn = PICTURE.read_text(encoding="utf-8") if PICTURE.exists() else ""
    found = _DESCRIBED.search(drawn)
    if found is None or not _same_picture(found[1], picture):
        stale.append(f"{PICTURE.name}: drawn from other figures")
    if not check:
        PICTURE.parent.mkdir(exist_ok=True)
        save(draw(rows), PICTURE, picture)
    if not check and fresh != text:
        README.write_text(fresh, encoding="utf-8", newline="\n")
    return stale


def newest() -> list[RungRow]:
    """The rungs of the newest climb over all rungs and questions. LabError when the newest is not."""
    with writer(server.up()) as conn:
        run = ledger.latest(conn, rungs=len(NAMES))
        rows = ledger.rungs(conn, run.id) if run else []
    if run is None or run.split != "all" or {row.rung for row in rows} != set(NAMES):
        raise LabError(
            "The newest climb in the ledger is not over all rungs and all questions.",
            "",
            "python start.py climb, then: python start.py readme",
        )
    return rows


def markdown(rows: Sequence[RungRow]) -> str:
    """The ladder table: a row a rung, the rung's change, its measures over all questions, its verdict."""
    titles = ["rung", "what changes", *[title for title, _ in COLUMNS], "verdict"]
    lines = ["| " + " | ".join(titles) + " |", "|---|---|" + "---:|" * len(COLUMNS) + "---|"]
    for row in rows:
        cells = [cell(key, row.measures.get(key)) for _, key in COLUMNS]
        lines.append("| " + " | ".join([f"**{row.rung}**", row.changed, *cells, verdict(row)]) + " |")
    return "\n".join(lines) + "\n"


def agree(then: str, now: str) -> bool:
    """Whether two printed figures tell the same. Processors round differently and can swap two nearly equal
    hits, so shares may differ by 0.02, sizes by 2 %, counts by one; but nothing is as good as 0 and 0 as
    nothing."""
    if then == now:
        return True
    try:
        a, b = (float(text.replace(",", "")) for text in (then, now))
    except ValueError:
        return False
    if 0 in (a, b):
        return False
    counts = "." not in then + now
    return abs(a - b) <= (max(1.0, 0.02 * max(a, b)) if counts else 0.02)


def _cells(table: str) -> list[list[str]]:
    """The table's cells without its times."""
    at = 2 + [key for _, key in COLUMNS].index("ms_p50")
    rows = [
        [part.strip() for part in line.strip().strip("|").split("|")] for line in table.strip().splitlines()
    ]
    return [row[:at] + row[at + 1 :] for row in rows]


def _same_table(then: str, now: str) -> bool:
    old, new = _cells(then), _cells(now)
    return [len(row) for row in old] == [len(row) for row in new] and all(
        agree(a, b)
        for first, second in zip(old, new, strict=True)
        for a, b in zip(first, second, strict=True)
    )


def _table_in(text: str, rows: Sequence[RungRow], stale: list[str]) -> str:
    found = TABLE.search(text)
    if found is None:
        raise LabError(
            "README.md has no ladder table.",
            "Expected the lines <!-- ladder:start --> and <!-- ladder:end -->.",
        )
    now, then = markdown(rows), found[0].removeprefix(found[1]).removesuffix(found[2])
    if not _same_table(then, now):
        stale.append("README.md: the ladder table")
    return TABLE.sub(lambda match: match[1] + now + match[2], text)


def _figures_in(text: str, rows: Sequence[RungRow], stale: list[str]) -> str:
    def replaced(match: re.Match[str]) -> str:
        now = value(match[2], rows)
        if not agree(match[3], now):
            stale.append(f"README.md: {match[2]} is {now}, not {match[3]}")
        return f"{match[1]}{now}{match[4]}"

    return FIGURE.sub(replaced, text)


def value(name: str, rows: Sequence[RungRow]) -> str:
    """The figure of a name such as `T2.published.mrr`, as the tables print it. LabError for a name the
    ledger does not know."""
    rung, group, measure = [*name.split(".", 2), "", ""][:3]
    row = next((row for row in rows if row.rung == rung), None)
    measures: Mapping[str, Any] | None = None
    if row is not None:
        places = {"all": row.measures, "published": row.by.get("published", {}).get("q01-q23")}
        for kind in ("split", "language", "ticket", "type"):
            places |= row.by.get(kind, {})
        measures = places.get(group)
    if not measures or measure not in measures:
        raise LabError(
            f"The ledger has no figure {name!r}.", "Expected rung.group.measure, e.g. T2.published.mrr."
        )
    return cell(measure, measures[measure])


def described(rows: Sequence[RungRow]) -> str:
    """What the picture shows, in words: kept in the file so that a check can read it."""
    shown = [
        (row.rung, [cell(key, row.measures.get(key)) for key, *_ in _LINES]) for row in rows if row.measures
    ]
    return "; ".join(f"{rung} {' '.join(values)}" for rung, values in shown)


def _same_picture(then: str, now: str) -> bool:
    old, new = then.replace(";", " ;").split(), now.replace(";", " ;").split()
    return len(old) == len(new) and all(agree(a, b) for a, b in zip(old, new, strict=True))


def draw(rows: Sequence[RungRow]) -> Figure:
    """hit@1, MRR and answers along the ladder. Rungs set aside stand beside the line, as hollow marks."""
    measured = [row for row in rows if row.measures]
    figure = Figure(figsize=(9, 4.2), layout="constrained")
    axes = figure.add_subplot()
    places = range(len(measured))
    for key, name, colour, marker in _LINES:
        values = [row.measures.get(key) for row in measured]
        line = [
            (x, y)
            for x, y, row in zip(places, values, measured, strict=True)
            if y is not None and row.kept is not False
        ]
        aside = [
            (x, y)
            for x, y, row in zip(places, values, measured, strict=True)
            if y is not None and row.kept is False
        ]
        axes.plot([x for x, _ in line], [y for _, y in line], color=colour, marker=marker, label=name, lw=2)
        axes.plot(
            [x for x, _ in aside], [y for _, y in aside], color=colour, marker=marker, mfc="none", ms=8, lw=0
        )
    axes.set_xticks(list(places), [row.rung + ("\n(aside)" if row.kept is False else "") for row in measured])
    axes.set_ylim(0, 1)
    axes.grid(axis="y", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(
        f"The ladder over {measured[0].measures['n']} questions, English and Turkish", loc="left", fontsize=11
    )
    axes.legend(frameon=False, ncols=3, loc="lower right")
    return figure


def save(figure: Figure, path: Path, description: str) -> None:
    """Write an SVG that is the same for the same figures: no date, fixed ids."""
    with rc_context({"svg.hashsalt": "kraken-lab", "svg.fonttype": "path"}):
        figure.savefig(path, format="svg", metadata={"Date": None, "Description": f"figures: {description}"})
