"""Exercises of 03_full_context."""

from __future__ import annotations

from lab.ladder.tickets import Words
from lab.workshop.exercises import Exercise
from lab.workshop.lesson import Lesson


def times_the_tokens(lesson: Lesson) -> float:
    """Mean prompt tokens of T3 over those of the rung it stands beside."""
    rows = {row.rung: row for row in lesson.board_rows() if row.measures}
    base = rows[rows["T3"].configuration["base"]]
    return float(rows["T3"].measures["prompt_tokens"] / base.measures["prompt_tokens"])


def leaks(lesson: Lesson) -> int:
    """Questions whose prompt held what their asker may not read."""
    return next(int(row.measures["leaks"]) for row in lesson.board_rows() if row.rung == "T3")


EXERCISES = (
    Exercise(
        "03_full_context/1",
        Words(
            "How many times the tokens of views does T3 take? Roughly.",
            "T3, views basamağının kaç katı token harcıyor? Aşağı yukarı.",
        ),
        Words("The column tokens of both rows.", "İki satırın tokens sütunu."),
        Words("Divide the two.", "İkisini bölün."),
        'rows = {row.rung: row for row in lesson.board_rows()}\nbase = rows["T3"].configuration["base"]\n'
        'rows["T3"].measures["prompt_tokens"] / rows[base].measures["prompt_tokens"]',
        times_the_tokens,
        lambda value, right: abs(float(value) - right) <= 0.15 * right,
        2,
    ),
    Exercise(
        "03_full_context/2",
        Words(
            "In how many questions did the prompt of T3 hold something its asker may not read?",
            "T3'te kaç soruda istemin içinde soranın okumaması gereken bir şey vardı?",
        ),
        Words("The line leaks of the table above.", "Yukarıdaki tablonun leaks satırı."),
        Words(
            "Every question asked by somebody who is not hr.",
            "hr dışındakilerin sorduğu her soru.",
        ),
        'next(row.measures["leaks"] for row in lesson.board_rows() if row.rung == "T3")',
        leaks,
        lambda value, right: int(value) == right,
        0,
    ),
)
