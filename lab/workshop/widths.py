"""`lab parents`: what is found and what is read, side by side on the mail questions."""

from __future__ import annotations

from rich.table import Table

from lab.corpus.load import load_folder
from lab.evaluation import parents
from lab.evaluation.gold import load_gold
from lab.evaluation.parents import Row
from lab.kinds import LabError
from lab.settings import settings
from lab.workshop import desk


def compared(rung: str | None = None, split: str = "dev", everything: bool = False) -> list[Row]:
    """The rows of `parents.compare` over the mail questions of a split (`everything`: over all questions), on
    the named rung or the last kept one."""
    if split not in desk.SPLITS:
        raise LabError(f"There is no split {split!r}.", f"The splits are {', '.join(desk.SPLITS)}.")
    questions = [q for q in load_gold(settings().gold) if split in ("all", q.split)]
    if not everything:
        mails = frozenset(d.id for d in load_folder(settings().corpus) if d.kind == parents.MAIL)
        questions = parents.about_mail(questions, mails)
    if not questions:
        raise LabError("No question here is answered by a mail.", "", "See: python start.py parents --all")
    chosen = desk.chosen_rung(rung, None, None)
    with desk.opened() as running:
        rows = parents.compare(chosen.pipeline, questions, running)
        return list(desk.progress("parents", rows, len(parents.variants(chosen.pipeline))))


def table(rows: list[Row]) -> Table:
    """The rows as the terminal shows them."""
    board = Table(title=f"{rows[0].n} questions", title_justify="left", pad_edge=False)
    for name in ("variant", "found", "read"):
        board.add_column(name)
    for name in ("hit@1", "rec@5", "answers", "tokens"):
        board.add_column(name, justify="right")
    for row in rows:
        figures = [row.hit_at_1, row.recall_at_5, row.answers]
        shown = ["–" if value is None else f"{value:.3f}" for value in figures]
        tokens = "–" if row.prompt_tokens is None else f"{row.prompt_tokens:,.0f}"
        board.add_row(row.variant, row.found, row.read, *shown, tokens)
    return board
