"""Exercises of 01_chunks_and_gold."""

from __future__ import annotations

from lab.ladder.tickets import Words
from lab.workshop.exercises import Exercise
from lab.workshop.lesson import Lesson

FEW = ("q01", "q04", "q07", "q19", "q20")
"""Questions whose ranks the notebook lists."""


def ranks(lesson: Lesson, rung: str = "fixed") -> list[int | None]:
    """Where the right passage of each of FEW stands on a rung of the newest climb."""
    by_id = {item.id: item for item in lesson.scored[rung]}
    return [min((rank for rank in by_id[key].ranks if rank), default=None) for key in FEW]


def mrr(lesson: Lesson) -> float:
    """Mean reciprocal rank over FEW on `fixed`."""
    found = [1 / rank if rank else 0.0 for rank in ranks(lesson)]
    return sum(found) / len(found)


def most_helped(lesson: Lesson) -> str:
    """The type of question whose MRR gains most from `fixed` to `section`."""
    rows = {row.rung: row.by["type"] for row in lesson.board_rows() if row.measures}
    gains: dict[str, float] = {
        kind: after["mrr"] - rows["fixed"][kind]["mrr"]
        for kind, after in rows["section"].items()
        if after.get("mrr") is not None and rows["fixed"][kind].get("mrr") is not None
    }
    return max(sorted(gains), key=gains.__getitem__)


EXERCISES = (
    Exercise(
        "01_chunks_and_gold/1",
        Words(
            "What is the MRR of the five questions listed above? Two decimals are enough.",
            "Yukarıda sıralanan beş sorunun MRR'si kaç? Noktadan sonra iki hane yeter.",
        ),
        Words(
            "1/rank for each question, 0 where the passage was not found; then the mean.",
            "Her soru için 1/sıra, bulunamadıysa 0; sonra ortalaması.",
        ),
        Words("The mean of 1/rank.", "1/sıra değerlerinin ortalaması."),
        "from lab.workshop.exercises.n01_chunks_and_gold import ranks\n"
        "sum(1 / r if r else 0 for r in ranks(lesson)) / 5",
        mrr,
        lambda value, right: abs(float(value) - right) < 0.006,
        1.5,
    ),
    Exercise(
        "01_chunks_and_gold/2",
        Words(
            "Which type of question gains most MRR when chunks are cut at headings instead of every 300 "
            "characters?",
            "Parçalar her 300 karakterde değil de başlıklarda kesilince MRR'si en çok artan soru türü "
            "hangisi?",
        ),
        Words(
            "{row.rung: row.by['type'] for row in lesson.board_rows() if row.measures} gives "
            "for each rung and "
            "type the measures; 'mrr' is one of them.",
            "{row.rung: row.by['type'] for row in lesson.board_rows() if row.measures} her "
            "basamak ve tür için "
            "ölçüleri verir; 'mrr' bunlardan biri.",
        ),
        Words("Take the difference for each type.", "Her tür için farkı alın."),
        'by = {row.rung: row.by["type"] for row in lesson.board_rows() if row.measures}\n'
        'gain = {t: m["mrr"] - by["fixed"][t]["mrr"] for t, m in by["section"].items() '
        'if m.get("mrr") is not None}\n'
        "max(gain, key=gain.get)",
        most_helped,
        lambda value, right: str(value).strip().casefold() == right,
        "out-of-corpus",
    ),
)
