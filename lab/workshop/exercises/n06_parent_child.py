"""Exercises of 06_parent_child."""

from __future__ import annotations

from lab.ladder.tickets import Words
from lab.workshop.exercises import Exercise
from lab.workshop.lesson import Lesson


def prompt(lesson: Lesson, widen: str) -> int:
    """Prompt tokens of t6-01 when hits are read in this way."""
    return sum(step.tokens for step in lesson.run("t6-01", widen=widen).answer.trace)


def times(lesson: Lesson) -> float:
    """How many times the tokens of small reading large reading takes."""
    return prompt(lesson, "parent+line") / prompt(lesson, "unit+line")


EXERCISES = (
    Exercise(
        "06_parent_child/1",
        Words(
            "How many times the prompt tokens does reading parents take, against reading units? Roughly.",
            "Bölümün tamamını okumak, birimleri okumanın kaç katı istem tokenı harcıyor? Aşağı yukarı.",
        ),
        Words(
            "Both traces stand above; look at the step read.",
            "İki iz de yukarıda; read adımına bakın.",
        ),
        Words("Divide the tokens of the two runs.", "İki çalıştırmanın token sayılarını bölün."),
        "from lab.workshop.exercises.n06_parent_child import prompt\n"
        'prompt(lesson, "parent+line") / prompt(lesson, "unit+line")',
        times,
        lambda value, right: abs(float(value) - right) <= 0.15 * right,
        0.1,
    ),
)
