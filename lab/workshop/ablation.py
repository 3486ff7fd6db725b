"""`lab ablate`: the ablation on the running database, into the ledger, and as a table."""

from __future__ import annotations

import time

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from lab.evaluation import ablate as ablating
from lab.evaluation import climb as climbing
from lab.evaluation import ledger as book
from lab.evaluation.ablate import Ablation
from lab.evaluation.climb import Climbed
from lab.evaluation.crew import Crew, processes
from lab.evaluation.gold import load_gold
from lab.evaluation.score import summary
from lab.kinds import LabError
from lab.memory import write
from lab.memory.connect import writer
from lab.settings import settings
from lab.workshop import desk
from lab.workshop.scoreboard import blank, cell

COLUMNS = (
    ("hit@1", "hit@1"),
    ("rec@5", "recall@5"),
    ("MRR", "mrr"),
    ("answers", "answers"),
    ("leaks", "leaks"),
    ("attacks", "attacks"),
    ("ms", "ms_p50"),
)


def ablate(rung: str | None = None, split: str = "all") -> Ablation:
    """Each technique taken alone out of a rung (default: the last kept one) over the questions of a split.
    Every row goes into the ledger as it is done, in a run of the kind `ablate`, which no climb reads."""
    if split not in desk.SPLITS:
        raise LabError(f"There is no split {split!r}.", f"The splits are {', '.join(desk.SPLITS)}.")
    questions = [q for q in load_gold(settings().gold) if split in ("all", q.split)]
    kept = desk.kept_or_stack()
    chosen = desk.chosen_rung(rung, None, None)
    clock, run = [time.monotonic()], list[int]()
    with desk.opened() as running:

        def done(item: Climbed) -> None:
            took, clock[0] = time.monotonic() - clock[0], time.monotonic()
            how = "skipped" if item.skipped else f"{len(item.scored)} questions in {took:.0f} s"
            desk.say(f"{item.rung.name}: {how}")
            with writer(running.server) as conn:
                if not run:
                    stored = write.corpus_hash(running.server, running.workspace)
                    run.append(book.start(conn, "ablate", split, stored, climbing.file_hash(settings().gold)))
                climbing.record(conn, run[0], item, "all")

        with processes(running.server, running.workspace) as own:
            return ablating.ablate(
                chosen.name,
                questions,
                Crew(running, own),
                kept=kept,
                start=desk.start_pipeline(),
                progress=desk.progress,
                done=done,
            )


def table(ablation: Ablation, split: str) -> RenderableType:
    """A row a technique: what is left without it, then each verdict in words with the questions it moved."""
    name = ablation.rung.name.removesuffix(" whole")
    board = blank(
        f"{name} without each of its techniques ({split}, n = {len(ablation.whole)})",
        "without",
        [*(title for title, _ in COLUMNS), "lost", "won"],
        "the technique is",
    )
    full = summary(ablation.whole)
    board.add_row("(nothing)", *(cell(key, full[key]) for _, key in COLUMNS), "", "", "")
    for item in ablation.without:
        left = summary(item.scored) if item.scored else {}
        cells = [cell(key, left.get(key)) for _, key in COLUMNS]
        counts = str(len(item.lost)), str(len(item.won))
        board.add_row(item.technique, *cells, *counts, item.effect)
    board.caption = "lost, won: questions worse and better without it, in rank or answer"
    return Group(board, _words(ablation))


def _words(ablation: Ablation) -> RenderableType:
    lines = Table.grid(padding=(0, 1))
    for item in ablation.without:
        said = [item.rung.changed]
        if item.comparison is None:
            said.append(item.skipped or "")
        else:
            said.append(item.comparison.words.partition(" · ")[2])
            if item.own is not None:
                said.append(f"on its own ticket: {item.own.words.partition(' · ')[2]}")
            said.append(f"lost: {' '.join(item.lost) or '–'}")
            said.append(f"won: {' '.join(item.won) or '–'}")
        lines.add_row(Text(item.technique, style="bold"), Text("\n".join(said)))
    return lines
