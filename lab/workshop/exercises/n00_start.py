"""Exercises of 00_start."""

from __future__ import annotations

from datetime import date

from lab.kinds import LabError, Sight
from lab.ladder.tickets import Words
from lab.memory import search
from lab.memory.visibility import looking
from lab.workshop.exercises import Exercise
from lab.workshop.lesson import Lesson

DAY = date(2025, 6, 15)


def sections_for(lesson: Lesson, role: str) -> int:
    """Sections that a role may read on DAY."""
    sight = Sight(frozenset({role}), DAY, workspace=lesson.engine.workspace)
    with looking(lesson.engine.read, sight) as view:
        return search.count(view, "section")


def hidden_sections(lesson: Lesson) -> int:
    """Sections that hr may read and an employee may not."""
    return sections_for(lesson, "hr") - sections_for(lesson, "employee")


def first_right_rung(lesson: Lesson) -> str:
    """The lowest measured rung on which q01 is answered rightly. LabError where there is none."""
    for name, scored in lesson.scored.items():
        if any(item.id == "q01" and item.ok for item in scored):
            return name
    raise LabError("No rung answers q01.", "", "python start.py climb")


EXERCISES = (
    Exercise(
        "00_start/1",
        Words(
            "How many sections of the handbook may hr read on 15 June 2025 that an employee may not?",
            "15 Haziran 2025'te el kitabının kaç bölümünü hr okuyabiliyor da employee okuyamıyor?",
        ),
        Words(
            "The document is hr-salary-bands. sections_for(lesson, role) counts what a role sees: "
            "from lab.workshop.exercises.n00_start import sections_for",
            "Belgenin adı hr-salary-bands. sections_for(lesson, role) bir rolün gördüğü bölümleri sayar: "
            "from lab.workshop.exercises.n00_start import sections_for",
        ),
        Words(
            "Count what each role sees; the difference is the document labelled hr-only.",
            "İki rolün gördüklerini sayın; fark, hr-only etiketli belgedir.",
        ),
        "from lab.workshop.exercises.n00_start import sections_for\n"
        'sections_for(lesson, "hr") - sections_for(lesson, "employee")',
        hidden_sections,
        lambda value, right: int(value) == right,
        0,
    ),
    Exercise(
        "00_start/2",
        Words(
            "Which is the lowest rung that answers q01 rightly? Give its name.",
            "q01'i doğru yanıtlayan en alttaki basamak hangisi? Adını yazın.",
        ),
        Words(
            "Go up the ladder: lesson.ask('q01', rung='fixed'), then the next rung. The exam "
            "counts an answer "
            "as right when it says 22, whatever else it says.",
            "Merdiveni basamak basamak çıkın: lesson.ask('q01', rung='fixed'), sonra bir sonraki basamak. "
            "Sınav, başka ne derse desin 22 diyen yanıtı doğru sayar.",
        ),
        Words(
            "The ledger knows every question on every rung: lesson.scored.",
            "Kayıt defteri her soruyu her basamakta biliyor: lesson.scored.",
        ),
        '[name for name, scored in lesson.scored.items() if any(s.id == "q01" and s.ok for s in scored)][0]',
        first_right_rung,
        lambda value, right: str(value).strip().casefold() == right.casefold(),
        "bare",
    ),
)
