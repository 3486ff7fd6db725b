"""`lab report`: one self-contained HTML page on a workspace's newest climb. Nothing in it is fetched."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import jinja2
from matplotlib.figure import Figure

from lab.corpus.own import kinds, load_own
from lab.evaluation import ledger as book
from lab.evaluation.climb import file_hash
from lab.evaluation.compare import compare
from lab.evaluation.gold import Question
from lab.evaluation.ledger import Run, RungRow
from lab.evaluation.score import Scored
from lab.kinds import LabError
from lab.ladder.rungs import LADDER
from lab.memory import write
from lab.memory.connect import writer
from lab.settings import settings
from lab.workshop import desk, goldsmith, pictures
from lab.workshop.desk.places import Place, ladder, place
from lab.workshop.scoreboard import COLUMNS, cell, verdict

FEW = 30
"""Dev questions below which hardly any difference can be told from chance."""
SAID = 300
"""Letters of an answer that are shown."""


@dataclass(frozen=True, slots=True)
class Report:
    """Where the page was written, its caveats, the rungs that are worth their cost, and the last of them."""

    path: Path
    caveats: tuple[str, ...]
    kept: tuple[str, ...]
    best: str


def report(name: str, target: Path | None = None) -> Report:
    """Writes the page of the newest whole climb (default: `report.html` in the workspace's folder).
    LabError before the first."""
    where = place(name)
    found = desk.ready()
    with writer(found) as conn:
        run = book.latest(conn, rungs=len(ladder(where)), workspace=where.workspace)
        if run is None:
            raise LabError(
                f"{name} has not been climbed yet.", "", f"python start.py climb --workspace {name}"
            )
        rows = book.rungs(conn, run.id)
        scored = {row.rung: book.questions(conn, run.id, row.rung) for row in rows}
    questions = desk.exam(where, found)
    loaded = load_own(where.corpus, settings().own_mb)
    caveats = _caveats(where, run, rows, questions, write.corpus_hash(found, where.workspace))
    kept = [row.rung for row in rows if verdict(row) in ("start", "kept")]
    path = (target or where.folder / "report.html").expanduser()
    page = _template().render(
        name=name,
        documents=len(loaded.documents),
        kinds=", ".join(f"{count} {kind}" for kind, count in sorted(kinds(loaded.documents).items())),
        passed=loaded.passed,
        run={"id": run.id, "started": f"{run.started_at:%Y-%m-%d %H:%M}"},
        caveats=caveats,
        verdict=_verdict(rows, kept),
        rungs=_rungs(rows, scored),
        titles=["rung", *(title for title, _ in COLUMNS), "verdict"],
        board=[
            [row.rung, *(cell(key, row.measures.get(key)) for _, key in COLUMNS), verdict(row)]
            for row in rows
        ],
        pictures=_pictures(rows, scored),
        best=kept[-1],
        questions=_questions(where, questions, scored, kept),
    )
    try:
        path.write_text(page, encoding="utf-8", newline="\n")
    except OSError as error:
        raise LabError(
            f"{path} can't be written: {error.strerror}.", "A file.", "Name another: --to FILE"
        ) from error
    return Report(path, tuple(caveats), tuple(kept), kept[-1])


def _template() -> jinja2.Template:
    source = resources.files("lab.workshop").joinpath("report.html.j2").read_text(encoding="utf-8")
    # Titles, file names and answers come from documents: all of it is escaped.
    return jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(source)


def _caveats(
    where: Place, run: Run, rows: Sequence[RungRow], questions: Sequence[Question], corpus: str
) -> list[str]:
    found = []
    if drafted := goldsmith.as_drafted(where, questions):
        found.append(
            f"{drafted} of {len(questions)} questions stand as rules or a model drafted them: nobody has "
            "said that people ask this. They borrow words of the documents, which flatters search by words. "
            f"Edit {where.gold} before you trust a verdict."
        )
    dev = sum(question.split == "dev" for question in questions)
    if dev < FEW:
        found.append(f"Verdicts rest on {dev} dev questions: differences that are real may not show.")
    if run.gold_hash != file_hash(where.gold):
        found.append("The gold file has changed since this climb; climb again.")
    if run.corpus_hash != corpus:
        found.append("The documents have changed since this climb; climb again.")
    if leaks := {row.rung: row.measures["leaks"] for row in rows if row.measures.get("leaks")}:
        found.append(
            "Something was read that its asker may not read: "
            + ", ".join(f"{k} ({v})" for k, v in leaks.items())
        )
    if where.without:
        found.append(f"Not climbed, since the corpus is too large for them: {', '.join(where.without)}.")
    found.append(
        "The reader's weights and its abstention were learned on the lab's own corpus and the glossary's "
        "terms are those of its handbook: neither was fitted to these documents."
    )
    return found


def _verdict(rows: Sequence[RungRow], kept: Sequence[str]) -> str:
    start, last = (next(row for row in rows if row.rung == name) for name in (kept[0], kept[-1]))
    worth = ", ".join(kept[1:]) or "none: the first rung stands alone"
    moved = "; ".join(
        f"{title} {cell(key, start.measures.get(key))} → {cell(key, last.measures.get(key))}"
        for title, key in (("hit@1", "hit@1"), ("MRR", "mrr"), ("answers", "answers"), ("ms", "ms_p50"))
    )
    return f"Worth their cost on these documents: {worth}. From {start.rung} to {last.rung}: {moved}."


def _rungs(rows: Sequence[RungRow], scored: Mapping[str, Sequence[Scored]]) -> list[dict[str, Any]]:
    measured = {row.rung: row for row in rows}
    free = {item.name for item in LADDER if item.free}
    shown = []
    for row in rows:
        base = measured.get(str(row.configuration.get("base")))
        moved = (
            compare(base.rung, scored[base.rung], row.rung, scored[row.rung])
            if base and row.measures
            else None
        )
        shown.append(
            {
                "name": row.rung,
                "changed": row.changed,
                "verdict": verdict(row),
                "free": row.rung in free,
                "reason": _plainly(row.reason),
                "figures": row.reason.partition(" · ")[2],
                "base": base.rung if base else "",
                "tokens": _added(base, row, "prompt_tokens"),
                "ms": _added(base, row, "ms_p50"),
                "won": _either(moved.rank.better, moved.answers.better) if moved else [],
                "lost": _either(moved.rank.worse, moved.answers.worse) if moved else [],
            }
        )
    return shown


def _plainly(reason: str) -> str:
    """The reason without the verdict's word, which stands beside it, and without all the figures."""
    return reason.partition(" · ")[0].removeprefix("kept: ").removeprefix("aside: ")


def _either(first: Sequence[str], second: Sequence[str]) -> list[str]:
    return list(dict.fromkeys((*first, *second)))


def _added(base: RungRow | None, row: RungRow, key: str) -> str:
    if not row.measures:
        return "–"
    now = row.measures[key]
    if base is None or not base.measures:
        return f"{now:,.0f}"
    return f"{now - base.measures[key]:+,.0f}"


def _pictures(rows: Sequence[RungRow], scored: Mapping[str, Sequence[Scored]]) -> list[dict[str, str]]:
    drawn = [
        (
            "hit@1, MRR and answers along the ladder, with 95 % intervals; hollow: set aside",
            pictures.slope(scored, rows),
        ),
        ("where the right passage stands, a column a question", pictures.heat(scored)),
        ("answers against prompt tokens", pictures.cost(rows)),
        ("prompt tokens of each rung", pictures.tokens(rows)),
    ]
    return [{"title": title, "data": _png(figure)} for title, figure in drawn]


def _png(figure: Figure) -> str:
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=110)
    return base64.b64encode(data.getvalue()).decode("ascii")


def _questions(
    where: Place, questions: Sequence[Question], scored: Mapping[str, Sequence[Scored]], kept: Sequence[str]
) -> list[dict[str, Any]]:
    first = {item.id: item for item in scored[kept[0]]}
    best = {item.id: item for item in scored[kept[-1]]}
    untouched = goldsmith.drafted_ids(where, questions)
    return [
        {
            "id": question.id,
            "drafted": question.id in untouched,
            "text": question.text,
            "role": question.role,
            "as_of": question.as_of,
            "evidence": [f"{one.document}#{one.section}: {one.anchor}" for one in question.evidence],
            "first": _rank(first.get(question.id)),
            "best": _rank(best.get(question.id)),
            "ok": question.id in best and best[question.id].ok,
            "answer": _short(best[question.id].answer) if question.id in best else "not climbed",
        }
        for question in questions
    ]


def _short(text: str) -> str:
    return text if len(text) <= SAID else text[: SAID - 1] + "…"


def _rank(item: Scored | None) -> str:
    if item is None or item.retrieval is None:
        return "–"
    return " ".join("not found" if rank is None else str(rank) for rank in item.ranks)
