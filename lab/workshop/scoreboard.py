"""What a terminal shows: the scoreboard, an answer with its trace, a comparison, the ledger. Rich
renderables only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from lab.evaluation.climb import START
from lab.evaluation.compare import Comparison
from lab.evaluation.ledger import RungRow
from lab.kinds import Answer
from lab.workshop.desk import Asked

COLUMNS = (
    ("hit@1", "hit@1"),
    ("rec@5", "recall@5"),
    ("MRR", "mrr"),
    ("nDCG", "ndcg@10"),
    ("answers", "answers"),
    ("abst.", "abstentions"),
    ("leaks", "leaks"),
    ("attacks", "attacks"),
    ("stale", "stale"),
    ("tokens", "prompt_tokens"),
    ("calls", "calls"),
    ("ms", "ms_p50"),
)
_COUNTS = {"leaks", "attacks", "stale"}
_WHOLE = {"prompt_tokens", "ms_p50"}


def cell(name: str, value: float | int | None) -> str:
    """A measure as the tables print it: shares with three decimals, counts and sizes whole, – where nothing
    was measured."""
    if value is None:
        return "–"
    if name in _COUNTS:
        return str(value)
    if name in _WHOLE:
        return f"{value:,.0f}"
    return f"{value:.1f}" if name == "calls" else f"{value:.3f}"


def verdict(row: RungRow) -> str:
    """One word: start, kept, aside, skipped, or – where nothing was judged."""
    if not row.measures:
        return "skipped"
    if row.reason == START:
        return "start"
    return {True: "kept", False: "aside", None: "–"}[row.kept]


def blank(title: str, first: str, measures: Sequence[str], last: str) -> Table:
    """A table without rows: a name in front, a column a measure, words at the end."""
    board = Table(
        title=title,
        title_justify="left",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    board.add_column(first, style="bold", no_wrap=True)
    for measure in measures:
        board.add_column(measure, justify="right", no_wrap=True)
    board.add_column(last, no_wrap=True)
    return board


def table(rows: Sequence[RungRow], split: str) -> RenderableType:
    """The scoreboard: a row a rung, a column a measure. Narrow enough for a terminal of 100 columns."""
    titles = [title for title, _ in COLUMNS]
    board = blank(f"The ladder, measured on the gold set ({split})", "rung", titles, "verdict")
    for row in rows:
        cells = [cell(key, row.measures.get(key)) for _, key in COLUMNS]
        said = verdict(row)
        board.add_row(row.rung, *cells, said, style="dim" if said in ("aside", "skipped") else "")
    n = max((int(row.measures["n"]) for row in rows if row.measures), default=0)
    board.caption = f"n = {n} questions · ms: median of one question, embedding it included"
    return board


def reasons(rows: Sequence[RungRow]) -> RenderableType:
    """What each rung changes and why it was kept, set aside or skipped: one entry a rung."""
    lines = Table.grid(padding=(0, 1))
    for row in rows:
        lines.add_row(Text(row.rung, style="bold"), Text(f"{row.changed}. {row.reason}"))
    return lines


def answer(asked: Asked, trace: bool = False) -> RenderableType:
    """An answer and its citations; with `trace` also the first hits and every step."""
    result = asked.answer
    parts: list[RenderableType] = [Text(result.text, style="bold yellow" if result.abstained else "bold")]
    for number, citation in enumerate(result.citations, start=1):
        hit = next(
            h
            for h in result.hits
            if (h.chunk.document, h.chunk.section) == (citation.document, citation.section)
        )
        where = " › ".join(part for part in (hit.chunk.title, hit.chunk.heading) if part)
        ref = f"{citation.document}@{citation.edition}#{citation.section}"
        parts.append(Text(f"[{number}] {ref}  {where}", style="cyan"))
    took = sum(step.ms for step in result.trace)
    parts.append(Text(f"{asked.rung} · {asked.role} · {asked.as_of} · {took:,.0f} ms", style="dim"))
    if trace:
        parts += _behind(result)
    return Group(*parts)


def _behind(result: Answer) -> list[RenderableType]:
    hits = Table(title="hits", title_justify="left", pad_edge=False)
    for title in ("#", "section", "heading", "score", "why"):
        hits.add_column(title, overflow="fold")
    for rank, hit in enumerate(result.hits[:10], start=1):
        hits.add_row(
            str(rank), hit.ref, escape(hit.chunk.heading), f"{hit.score:.3f}", escape("; ".join(hit.why))
        )
    if len(result.hits) > 10:
        hits.caption = f"and {len(result.hits) - 10} more"
    steps = Table(title="trace", title_justify="left", pad_edge=False)
    for title in ("step", "in", "out", "ms", "tokens", "calls", "detail"):
        steps.add_column(title, overflow="fold")
    for step in result.trace:
        detail = ", ".join(f"{key}: {value}" for key, value in step.detail.items() if value != "")
        steps.add_row(
            step.name,
            str(step.into),
            str(step.out),
            f"{step.ms:.1f}",
            str(step.tokens),
            str(step.calls),
            escape(detail[:200]),
        )
    return [hits, steps]


def comparison(result: Comparison) -> RenderableType:
    """Two rungs against each other: verdicts in words, questions won and lost, cost."""
    grid = Table(title=f"{result.after} against {result.before}", title_justify="left", pad_edge=False)
    for title in ("measure", "verdict", "won", "lost"):
        grid.add_column(title, overflow="fold")
    for verdict_ in (result.rank, result.answers):
        grid.add_row(
            verdict_.measure,
            verdict_.words,
            " ".join(verdict_.better) or "–",
            " ".join(verdict_.worse) or "–",
        )
    for name, (before, after) in result.cost.items():
        grid.add_row(name, f"{before:,.1f} → {after:,.1f}", "", "")
    return grid


def ledger(book: Mapping[str, Any]) -> RenderableType:
    """The newest runs, and one of them with its rungs and their reasons."""
    if not book["runs"]:
        return Text("The ledger is empty. Next: python start.py climb")
    runs = Table(title="runs", title_justify="left", pad_edge=False, box=box.SIMPLE_HEAD)
    for title in ("run", "started", "what", "of", "split", "corpus", "gold", "python"):
        runs.add_column(title)
    for run in book["runs"]:
        runs.add_row(
            str(run["id"]),
            str(run["started_at"])[:19],
            run["what"],
            run["workspace"],
            run["split"],
            run["corpus_hash"][:10],
            run["gold_hash"][:10],
            run["versions"].get("python", "?"),
        )
    rows = [RungRow(**row) for row in book["rungs"]]
    split = next((run["split"] for run in book["runs"] if run["id"] == book["run"]), "")
    return Group(runs, Text(f"run {book['run']}", style="bold"), table(rows, split), reasons(rows))
