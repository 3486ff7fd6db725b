"""Exercises of 04_hybrid."""

from __future__ import annotations

from collections.abc import Sequence

from lab.evaluation.compare import Comparison, compare
from lab.ladder.tickets import Words
from lab.memory.bm25 import asked, terms
from lab.workshop.exercises import Exercise
from lab.workshop.lesson import Lesson


def against_base(lesson: Lesson) -> Comparison:
    """T4 against the rung it stands beside, over all questions of the newest climb."""
    base = next(row.configuration["base"] for row in lesson.board_rows() if row.rung == "T4")
    return compare(base, lesson.scored[base], "T4", lesson.scored["T4"])


def won(lesson: Lesson) -> tuple[str, ...]:
    """Questions whose rank is better with words."""
    return against_base(lesson).rank.better


def rank_only(_: object, __: object, language: str) -> str:
    """What a question that was won by its answer alone lacks."""
    said = Words(
        "Its rank did not get better; its answer may have.", "Sırası yükselmedi; yanıtı iyileşmiş olabilir."
    )
    return said.of(language)


def shared(question: str, passage: str, languages: Sequence[str] = ("tr", "en")) -> set[str]:
    """Lexemes that a question in the first language shares with a passage in the second."""
    return set(asked(question, languages[0])) & set(terms(passage, languages[1]))


def nothing_shared(_: Lesson) -> int:
    return len(
        shared("Hediyenin değeri en çok ne olabilir?", "Gifts of at most 800 TRY each may be accepted.")
    )


EXERCISES = (
    Exercise(
        "04_hybrid/1",
        Words(
            "How many lexemes does “Hediyenin değeri en çok ne olabilir?” share with "
            "“Gifts of at most 800 TRY each may be accepted.”?",
            "“Hediyenin değeri en çok ne olabilir?” sorusuyla “Gifts of at most 800 TRY each may be "
            "accepted.” cümlesinin kaç ortak kökü var?",
        ),
        Words(
            "shared(question, passage) gives them: from lab.workshop.exercises.n04_hybrid import shared",
            "shared(question, passage) ortak kökleri verir: from "
            "lab.workshop.exercises.n04_hybrid import shared",
        ),
        Words(
            "None: BM25 says nothing across languages, so such passages must be neither raised nor "
            "lowered by it.",
            "Ortak kökleri yok: diller arasında BM25 susar; böyle parçaları ne yükseltmeli ne alçaltmalı.",
        ),
        "from lab.workshop.exercises.n04_hybrid import shared\n"
        'found = shared("Hediyenin değeri en çok ne olabilir?", "Gifts of at most 800 TRY each '
        'may be accepted.")\n'
        "len(found)",
        nothing_shared,
        lambda value, right: int(value) == right,
        3,
    ),
    Exercise(
        "04_hybrid/2",
        Words(
            "Give the id of one question whose rank got better with BM25.",
            "BM25 ile sırası yükselen sorulardan birinin kimliğini yazın.",
        ),
        Words(
            "It is one of those won above. Compare lesson.run(id, 'views').rank and "
            "lesson.run(id, 'T4').rank.",
            "Yukarıda kazanılanlardan biri. lesson.run(kimlik, 'views').rank ile "
            "lesson.run(kimlik, 'T4').rank "
            "değerlerini karşılaştırın.",
        ),
        Words("Compare the two rungs question by question.", "İki basamağı soru soru karşılaştırın."),
        "from lab.workshop.exercises.n04_hybrid import against_base\nagainst_base(lesson).rank.better[0]",
        won,
        lambda value, right: value in right if isinstance(right, tuple) else value == right,
        "q14",
        say=rank_only,
    ),
)
