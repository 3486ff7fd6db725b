"""Exercises of 05_rerank."""

from __future__ import annotations

from lab.kinds import LabError
from lab.ladder.tickets import Words
from lab.rag import glossary
from lab.workshop.exercises import Exercise
from lab.workshop.lesson import Lesson


def with_units(lesson: Lesson) -> int:
    """Where the table of special leave stands for t5-02 among sections in force, reranked by their units."""
    found = lesson.run("t5-02", "section", edition=True, rerank="units").rank
    if found is None:
        raise LabError("The right passage is not among the hits.")
    return found


def everyday(_: Lesson) -> str:
    return "How long is my holiday?"


def uses_the_glossary(value: str, _: str) -> bool:
    """Whether an everyday word of the text stands in the glossary. TypeError for what is no text."""
    if not isinstance(value, str):
        raise TypeError("a question is a text")
    return bool(glossary.found(value))


EXERCISES = (
    Exercise(
        "05_rerank/1",
        Words(
            "Guess, then look further down: at which place does the table stand once the ten candidates are "
            "reranked by their units?",
            "Önce tahmin edin, sonra aşağıya bakın: on aday birimlerine göre yeniden sıralanınca tablo "
            "kaçıncı sırada?",
        ),
        Words("✓ marks the hits that hold the answer.", "Yanıtı içeren parçaların yanında ✓ var."),
        Words("Run it and read the rank.", "Çalıştırıp sırasını okuyun."),
        'lesson.run("t5-02", "section", edition=True, rerank="units").rank',
        with_units,
        lambda value, right: int(value) == right,
        11,
    ),
    Exercise(
        "05_rerank/2",
        Words(
            "Write a question with an everyday word that the glossary translates into the handbook's.",
            "Sözlüğün el kitabı diline çevirdiği gündelik bir sözcük içeren bir soru yazın.",
        ),
        Words("glossary.entries() lists what it knows.", "glossary.entries() bildiklerini sıralar."),
        Words(
            "What people call a holiday is annual paid leave in the handbook.",
            "İnsanların tatil dediğine el kitabı yıllık ücretli izin diyor.",
        ),
        'from lab.rag import glossary\nquestion = "How long is my holiday?"\n'
        "question if glossary.found(question) else None",
        everyday,
        uses_the_glossary,
        "Zxqv?",
    ),
)
