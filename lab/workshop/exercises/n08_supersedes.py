"""Exercises of 08_supersedes."""

from __future__ import annotations

from datetime import date, timedelta

from lab.kinds import LabError
from lab.ladder.tickets import Words
from lab.workshop.exercises import Exercise
from lab.workshop.lesson import Lesson

GYM = "What does the company pay towards a gym membership each month?"


def first_day_of(lesson: Lesson, source: str) -> date:
    """First day on which what this document announces holds."""
    days: list[date] = [
        kept.link.valid_from for kept in lesson.links().value if kept.link.source_document == source
    ]
    if not days:
        raise LabError(f"No link begins at {source}.", "", "python start.py ingest")
    return min(days)


def last_day_of_750(lesson: Lesson) -> date:
    """The day before the cancellation holds."""
    return first_day_of(lesson, "announcement-gym-cancelled") - timedelta(days=1)


def amending_benefits(lesson: Lesson) -> int:
    """Links that end at the benefits policy."""
    return sum(kept.link.target_document == "benefits" for kept in lesson.links().value)


EXERCISES = (
    Exercise(
        "08_supersedes/1",
        Words(
            'What is the last day on which the gym support is 750? A date, as "2026-08-10".',
            'Spor desteğinin 750 olduğu son gün hangisi? Tarihi "2026-08-10" biçiminde yazın.',
        ),
        Words(
            "In the table of links: from when does announcement-gym-cancelled hold?",
            "Bağların tablosuna bakın: announcement-gym-cancelled hangi günden itibaren geçerli?",
        ),
        Words("The day before the next link begins.", "Sonraki bağın başladığı günden bir önceki gün."),
        "from lab.workshop.exercises.n08_supersedes import last_day_of_750\nlast_day_of_750(lesson)",
        last_day_of_750,
        lambda value, right: value == right or str(value) == right.isoformat(),
        date(2026, 7, 1),
    ),
    Exercise(
        "08_supersedes/2",
        Words(
            "How many links amend the benefits policy (the document benefits)?",
            "Kaç bağ Yan Haklar politikasını (benefits belgesini) değiştiriyor?",
        ),
        Words(
            "Count the entries of lesson.links().value whose link.target_document is 'benefits'.",
            "lesson.links().value içinde link.target_document alanı 'benefits' olanları sayın.",
        ),
        Words(
            "The links that begin elsewhere and lead to that document.",
            "Başka bir belgeden çıkıp o belgeye varan bağlar.",
        ),
        'sum(kept.link.target_document == "benefits" for kept in lesson.links().value)',
        amending_benefits,
        lambda value, right: int(value) == right,
        0,
    ),
)
