"""Exercises of 07_agentic."""

from __future__ import annotations

from lab.ladder.tickets import Words
from lab.rag import decompose
from lab.rag.split import split
from lab.workshop.exercises import Exercise
from lab.workshop.lesson import Lesson


def two_parts(_: Lesson) -> str:
    return "How many days off for a wedding, and how many for moving house?"


def parts_of(value: str, _: str) -> bool:
    """Whether the rules take the text apart. TypeError for what is no text."""
    if not isinstance(value, str):
        raise TypeError("a question is a text")
    return len(split(value)) > 1


def most_searches(_: Lesson) -> int:
    return decompose.SEARCHES


EXERCISES = (
    Exercise(
        "07_agentic/1",
        Words(
            "Write a question that the rules take apart.",
            "Kuralların parçalara ayırdığı bir soru yazın.",
        ),
        Words("Two things asked in one sentence.", "Bir cümlede iki ayrı şey sorun."),
        Words("Each part asks something by itself.", "Her parça kendi başına bir şey soruyor."),
        'from lab.rag.split import split\n"How many days off for a wedding, and how many for moving house?"',
        two_parts,
        parts_of,
        "Are Tuesday and Thursday office days?",
    ),
    Exercise(
        "07_agentic/2",
        Words(
            "How many searches may one question cost at most?",
            "Bir soru en çok kaç aramaya mal olabilir?",
        ),
        Words(
            "from lab.rag import decompose; the constant is called SEARCHES.",
            "from lab.rag import decompose; sabitin adı SEARCHES.",
        ),
        Words(
            "A loop that judges itself needs a limit that does not.",
            "Kendini yargılayan bir döngünün, kendinden bağımsız bir sınırı olmalı.",
        ),
        "from lab.rag import decompose\ndecompose.SEARCHES",
        most_searches,
        lambda value, right: int(value) == right,
        1000,
    ),
)
