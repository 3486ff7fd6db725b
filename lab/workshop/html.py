"""What a notebook shows: answers, hits, traces, comparisons and scoreboards as HTML. All text is escaped;
colours come from JupyterLab's theme, so that light and dark both read well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from lab.evaluation.compare import Comparison
from lab.evaluation.ledger import RungRow
from lab.kinds import Answer, Citation, Hit, Step
from lab.workshop.scoreboard import COLUMNS, cell, verdict
from lab.workshop.words import word

SHOWN = 10
"""Hits that are listed."""
_BLUE, _ORANGE, _GREEN = "#0072B2", "#D55E00", "#009E73"
STYLE = f"""<style>
.kl {{ font-size: 13px; line-height: 1.45; max-width: 62em; overflow-x: auto; }}
.kl table {{ border-collapse: collapse; margin: .4em 0; font-size: 12px; }}
.kl th, .kl td {{ text-align: left; padding: 2px 8px; border-bottom: 1px solid rgba(128,128,128,.3);
  vertical-align: top; white-space: normal; }}
.kl td.n, .kl th.n {{ text-align: right; white-space: nowrap; }}
.kl .said {{ border-left: 4px solid {_BLUE}; padding: .3em .8em; margin: .3em 0; white-space: pre-wrap; }}
.kl .none {{ border-left-color: {_ORANGE}; }}
.kl .dim {{ opacity: .7; }}
.kl mark {{ background: rgba(240,228,66,.55); color: inherit; padding: 0 1px; }}
.kl summary {{ cursor: pointer; }}
.kl pre {{ white-space: pre-wrap; margin: .3em 0 .6em 1.2em; font-size: 12px; }}
.kl .up {{ color: {_GREEN}; }} .kl .down {{ color: {_ORANGE}; }}
.kl .right {{ border-left: 4px solid {_GREEN}; padding: .2em .8em; }}
.kl .wrong {{ border-left: 4px solid {_ORANGE}; padding: .2em .8em; }}
.kl .plain {{ border-left: 4px solid rgba(128,128,128,.5); padding: .2em .8em; }}
</style>"""


def page(*parts: str) -> str:
    """Parts as one block with the lab's style."""
    return STYLE + '<div class="kl">' + "".join(parts) + "</div>"


def table(titles: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """A table of cells that are HTML already; columns in `numbers` (0-based) stand to the right."""

    def line(tag: str, cells: Sequence[str]) -> str:
        return "".join(
            f'<{tag} class="n">{text}</{tag}>' if at in numbers else f"<{tag}>{text}</{tag}>"
            for at, text in enumerate(cells)
        )

    body = "".join(f"<tr>{line('td', cells)}</tr>" for cells in rows)
    return f"<table><thead><tr>{line('th', titles)}</tr></thead><tbody>{body}</tbody></table>"


def answer(result: Answer, language: str, note: str = "") -> str:
    """The answer, and each citation opening its section with the quoted words marked."""
    said = f'<div class="said{" none" if result.abstained else ""}">{escape(result.text)}</div>'
    sources = [source(number, quote, result.hits) for number, quote in enumerate(result.citations, start=1)]
    tail = f'<div class="dim">{escape(note)}</div>' if note else ""
    return said + "".join(sources) + tail


def source(number: int, citation: Citation, hits: Sequence[Hit]) -> str:
    """One citation: a line that opens to its section, the quoted span marked."""
    ref = f"{citation.document}@{citation.edition}#{citation.section}"
    hit = next((hit for hit in hits if hit.ref == ref and citation.quote in hit.chunk.text), None)
    hit = hit or next((hit for hit in hits if hit.ref == ref), None)
    where = "" if hit is None else " › ".join(part for part in (hit.chunk.title, hit.chunk.heading) if part)
    text = citation.quote if hit is None else hit.chunk.text
    return (
        f"<details><summary>[{number}] <b>{escape(ref)}</b> {escape(where)}</summary>"
        f"<pre>{marked(text, citation.quote)}</pre></details>"
    )


def marked(text: str, quote: str) -> str:
    """The escaped text with the first occurrence of the quote marked; unmarked where it does not occur."""
    at = text.find(quote) if quote else -1
    if at < 0:
        return escape(text)
    end = at + len(quote)
    return f"{escape(text[:at])}<mark>{escape(text[at:end])}</mark>{escape(text[end:])}"


def hits(found: Sequence[Hit], language: str, right: Sequence[bool] = ()) -> str:
    """The first hits, each score under its own name (cosine, bm25, …), and why a hit moved. `right` marks
    those that hold the answer."""
    named = list(dict.fromkeys(name for hit in found[:SHOWN] for name in hit.scores))
    rows = []
    for rank, hit in enumerate(found[:SHOWN], start=1):
        mark = " ✓" if rank <= len(right) and right[rank - 1] else ""
        rows.append(
            [
                f"{rank}{mark}",
                f"<b>{escape(hit.ref)}</b>",
                escape(hit.chunk.heading),
                *(f"{hit.scores[name]:.3f}" if name in hit.scores else "–" for name in named),
                escape("; ".join(hit.why)),
            ]
        )
    titles = ["#", word("section", language), "", *map(escape, named), ""]
    return table(titles, rows, (0, *range(3, 3 + len(named))))


def trace(steps: Sequence[Step], language: str) -> str:
    """Every step: how many hits went in and came out, milliseconds, tokens, calls, and what it noted."""
    rows = [
        [
            escape(step.name),
            str(step.into),
            str(step.out),
            timed(f"{step.ms:.1f}"),
            f"{step.tokens:,}" if step.tokens else "",
            str(step.calls) if step.calls else "",
            escape(", ".join(f"{key}: {value}" for key, value in step.detail.items() if value != ""))[:400],
        ]
        for step in steps
    ]
    titles = ["", "in", "out", word("ms", language), word("tokens", language), word("calls", language), ""]
    return table(titles, rows, (1, 2, 3, 4, 5))


def timed(text: str) -> str:
    """A time: it belongs to the machine, and no check compares it."""
    return f'<span class="t">{text}</span>'


def _measured(key: str, value: Any) -> str:
    text = escape(cell(key, value))
    return timed(text) if key == "ms_p50" else text


def folded(title: str, body: str, opened: bool = False) -> str:
    """A block that opens at a click."""
    return f"<details{' open' if opened else ''}><summary>{escape(title)}</summary>{body}</details>"


def scoreboard(rows: Sequence[RungRow], language: str) -> str:
    """A row a rung, a column a measure, the verdict at the end."""
    titles = [word("rung", language), *[escape(title) for title, _ in COLUMNS], word("verdict", language)]
    lines = [
        [
            f"<b>{escape(row.rung)}</b>",
            *[_measured(key, row.measures.get(key)) for _, key in COLUMNS],
            escape(verdict(row)),
        ]
        for row in rows
    ]
    return table(titles, lines, tuple(range(1, 1 + len(COLUMNS))))


def comparison(result: Comparison, before: RungRow, after: RungRow, language: str, reason: str) -> str:
    """What a rung changed: measures before and after, questions won and lost, the verdict."""
    lines = []
    for title, key in COLUMNS:
        old, new = before.measures.get(key), after.measures.get(key)
        moved = [cell(key, old), cell(key, new), _moved(old, new)]
        lines.append([escape(title), *(map(timed, moved) if key == "ms_p50" else moved)])
    titles = [word("measure", language), escape(result.before), escape(result.after), ""]
    won = escape(" ".join(_either(result, "better")) or "–")
    lost = escape(" ".join(_either(result, "worse")) or "–")
    return (
        table(titles, lines, (1, 2, 3))
        + f'<div><span class="up">{word("better", language)}:</span> {won}</div>'
        + f'<div><span class="down">{word("worse", language)}:</span> {lost}</div>'
        + f"<div><b>{word('verdict', language)}:</b> {escape(reason)}</div>"
    )


def _either(result: Comparison, side: str) -> list[str]:
    """Questions whose rank or answer moved to that side, in their order."""
    found: tuple[str, ...] = getattr(result.rank, side) + getattr(result.answers, side)
    return list(dict.fromkeys(found))


def _moved(old: Any, new: Any) -> str:
    if old is None or new is None or old == new:
        return ""
    return f"{new - old:+,.3f}" if isinstance(new, float) else f"{new - old:+,d}"


def note(text: str, kind: str = "plain") -> str:
    """One remark, marked `right`, `wrong` or `plain`."""
    return f'<div class="{kind}">{text}</div>'


def facts(pairs: Mapping[str, object]) -> str:
    """Names and values, a line each."""
    return table(
        ["", ""], [[f"<b>{escape(str(key))}</b>", escape(str(value))] for key, value in pairs.items()]
    )
