"""Exercises of 02_filters."""

from __future__ import annotations

from datetime import date

from lab.kinds import LabError, Sight
from lab.ladder.tickets import Words
from lab.memory import search
from lab.memory.visibility import looking
from lab.rag.scope import scope_of
from lab.workshop.exercises import Exercise
from lab.workshop.lesson import Lesson


def rank_below(lesson: Lesson) -> int:
    """Where the right passage of q06 stands one rung below T1."""
    found = lesson.run("q06", "units").rank
    if found is None:
        raise LabError("The right passage is not among the hits.")
    return found


def no_scope(_: Lesson) -> str:
    return "What is the hotel limit for a manager?"


def says_nothing(value: str, _: str) -> bool:
    """Whether the text speaks of a hotel and of no scope. TypeError for what is no text."""
    if not isinstance(value, str):
        raise TypeError("a question is a text")
    return ("hotel" in value.casefold() or "otel" in value.casefold()) and scope_of(value).scope == "none"


def why_not(value: str, _: str, language: str) -> str:
    """What keeps a question from being the one that is sought."""
    found = scope_of(value)
    if found.scope == "none":
        return Words("It must speak of a hotel.", "Bir otelden söz etmeli.").of(language)
    said = Words("The scope can be told from “{word}”.", "Kapsam “{word}” sözünden anlaşılıyor.")
    return said.of(language).format(word=found.because)


def first_day(lesson: Lesson) -> date:
    """The first day on which six years of service give 24 days: when the newer table comes into force."""
    sight = Sight(frozenset({"employee"}), None, workspace=lesson.engine.workspace)
    with looking(lesson.engine.read, sight) as view:
        labels = [
            chunk.label
            for chunk in search.all_chunks(view, "section")
            if chunk.document == "hr-leave" and chunk.section == "3" and "| 6 | 24 |" in chunk.text
        ]
    return min(label.valid_from for label in labels)


EXERCISES = (
    Exercise(
        "02_filters/1",
        Words(
            "Before you run it: at which place does the right table stand for q06 on the rung units?",
            "Çalıştırmadan önce: q06 için doğru tablo, units basamağında kaçıncı sırada?",
        ),
        Words(
            "lesson.hits('q06', 'units') marks it with ✓.", "lesson.hits('q06', 'units') onu ✓ ile işaretler."
        ),
        Words("Run the question and read its rank.", "Soruyu çalıştırıp sırasını okuyun."),
        'lesson.run("q06", "units").rank',
        rank_below,
        lambda value, right: int(value) == right,
        10,
    ),
    Exercise(
        "02_filters/2",
        Words(
            "Write a question about a hotel from which no scope can be told, in either language.",
            "Kapsamı anlaşılamayan bir otel sorusu yazın (iki dilden biriyle).",
        ),
        Words(
            "No place, no currency, no word such as abroad.",
            "Yer adı, para birimi ya da yurt dışı gibi bir sözcük olmasın.",
        ),
        Words(
            "Where no scope can be told nothing is demoted: a missing word must not hide a table.",
            "Kapsam anlaşılmıyorsa hiçbir parça aşağı itilmez: eksik bir sözcük bir tabloyu gizlememeli.",
        ),
        'from lab.rag.scope import scope_of\nquestion = "What is the hotel limit for a manager?"\n'
        'question if scope_of(question).scope == "none" else None',
        no_scope,
        says_nothing,
        "Which hotel limit holds in Berlin?",
        say=why_not,
    ),
    Exercise(
        "02_filters/3",
        Words(
            "From which day on does an employee with six years of service have 24 days? A date, "
            'as "2026-06-15".',
            'Altı yıllık bir çalışanın izni hangi günden itibaren 24 gün? Tarihi "2026-06-15" '
            "biçiminde yazın.",
        ),
        Words(
            "The label of the section in the 2026 edition has a field valid_from.",
            "2026 baskısındaki bölümün etiketinde valid_from alanı var.",
        ),
        Words(
            "The section of the 2026 edition is valid from that day on, the one of 2025 until "
            "the day before.",
            "2026 baskısındaki bölüm o günden itibaren, 2025'teki bir gün öncesine kadar geçerli.",
        ),
        "from lab.workshop.exercises.n02_filters import first_day\nfirst_day(lesson)",
        first_day,
        lambda value, right: value == right or str(value) == right.isoformat(),
        date(2025, 1, 1),
    ),
)
