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
    rows = _rows()
    text = README.read_text(encoding="utf-8")
    stale: list[str] = []
    fresh = _table_in(text, rows, stale)
    fresh = _figures_in(fresh, rows, stale)
    picture = described(rows)
    drawn = PICTURE.read_text(encoding="utf-8") if PICTURE.exists() else ""
    found = _DESCRIBED.search(drawn)
    if found is None or found[1] != picture:
        stale.append(f"{PICTURE.name}: drawn from other figures")
        if not check:
            PICTURE.parent.mkdir(exist_ok=True)
            save(draw(rows), PICTURE, picture)
    if not check and fresh != text:
        README.write_text(fresh, encoding="utf-8", newline="\n")
    return stale


def _rows() -> list[RungRow]:
    with writer(server.up()) as conn:
        run = ledger.latest(conn)
        rows = ledger.rungs(conn, run.id) if run else []
    if run is None or run.split != "all":
        raise LabError(
            "The newest climb in the ledger is not over all questions.", "", "lab climb, then: lab readme"
        )
    return rows


def markdown(rows: Sequence[RungRow]) -> str:
    """The ladder table: a row a rung, the rung's change, its measures over all questions, its verdict."""
    titles = ["rung", "what changes", *[title for title, _ in COLUMNS], "verdict"]
    lines = ["| " + " | ".join(titles) + " |", "|---|---|" + "---:|" * len(COLUMNS) + "---|"]
    for row in rows:
        cells = [cell(key, row.measures.get(key)) for _, key in COLUMNS]
        said = "skipped" if not row.measures else verdict(row.kept, row.reason == "the start")
        lines.append("| " + " | ".join([f"**{row.rung}**", row.changed, *cells, said]) + " |")
    return "\n".join(lines) + "\n"


def _comparable(table: str) -> str:
    """The table without its times."""
    at = 2 + [key for _, key in COLUMNS].index("ms_p50")
    return "\n".join(
        "|".join(part for i, part in enumerate(line.strip("|").split("|")) if i != at)
        for line in table.splitlines()
    )


def _table_in(text: str, rows: Sequence[RungRow], stale: list[str]) -> str:
    found = TABLE.search(text)
    if found is None:
        raise LabError(
            "README.md has no ladder table.",
            "Expected the lines <!-- ladder:start --> and <!-- ladder:end -->.",
        )
    now, then = markdown(rows), found[0].removeprefix(found[1]).removesuffix(found[2])
    if _comparable(now) != _comparable(then):
        stale.append("README.md: the ladder table")
        return TABLE.sub(lambda match: match[1] + now + match[2], text)
    return text


def _figures_in(text: str, rows: Sequence[RungRow], stale: list[str]) -> str:
    def replaced(match: re.Match[str]) -> str:
        now = value(match[2], rows)
        if now != match[3]:
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
        axes.plot(*zip(*line, strict=True), color=colour, marker=marker, label=name, linewidth=2)
        if aside:
            axes.scatter(*zip(*aside, strict=True), facecolors="none", edgecolors=colour, marker=marker, s=60)
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
