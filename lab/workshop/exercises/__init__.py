"""Exercises: a question in a notebook, its check, its hint and its solution, kept outside the lesson.

The right value is computed from the corpus, the gold set or the ledger when it is checked; none is written
down here."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from lab.kinds import LabError
from lab.ladder.tickets import Words
from lab.workshop import html, participant
from lab.workshop.words import word

if TYPE_CHECKING:
    from lab.workshop.lesson import Lesson

RIGHT, WRONG, NOT_ATTEMPTED, NOT_CHECKABLE = "right", "wrong", "not attempted", "not checkable"


@dataclass(frozen=True)
class Exercise:
    """`id`: notebook/number. `answer` computes a right value; `accepts(value, right)` judges one, and raises
    TypeError or ValueError for what can't be judged. `wrong` is a plausible wrong value: for the suite, and
    to show what an answer looks like."""

    id: str
    asks: Words
    hint: Words
    solution: Words
    """The way there, in words; the code stands in `code`."""
    code: str
    answer: Callable[[Lesson], Any]
    accepts: Callable[[Any, Any], bool]
    wrong: Any
    say: Callable[[Any, Any, str], str] | None = None
    """(value, right, language) → a remark on a wrong value."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """`what`: right, wrong, not attempted, not checkable. `remark` says why, in the lesson's language."""

    exercise: str
    what: str
    remark: str
    markup: str

    def _repr_html_(self) -> str:
        return html.page(self.markup)

    def __repr__(self) -> str:
        return f"{self.exercise}: {self.what}"


@dataclass(frozen=True)
class Handle:
    """An exercise in a lesson's hand. Showing it shows what is asked."""

    exercise: Exercise
    lesson: Lesson

    def check(self, value: Any) -> Outcome:
        """Judges a value. An ellipsis or None is not attempted; what can't be judged is said to be so."""
        spoken = self.lesson.language
        if value is ... or value is None:
            return self._outcome(NOT_ATTEMPTED, word("attempted", spoken), "plain")
        try:
            right = self.exercise.answer(self.lesson)
            accepted = self.exercise.accepts(value, right)
        except LabError as error:
            return self._outcome(NOT_CHECKABLE, f"{word('checkable', spoken)}: {error}", "plain")
        except (TypeError, ValueError, AttributeError, KeyError) as error:
            said = f"{word('checkable', spoken)}: {type(error).__name__}: {error}."
            form = word("such_as", spoken, example=repr(self.exercise.wrong))
            return self._outcome(NOT_CHECKABLE, f"{said} {form}", "plain")
        if accepted:
            return self._outcome(RIGHT, word("right", spoken), "right")
        remark = self.exercise.say(value, right, spoken) if self.exercise.say else ""
        return self._outcome(WRONG, f"{word('wrong', spoken)} {remark}".strip(), "wrong")

    def hint(self) -> Outcome:
        """A nudge."""
        said = self.exercise.hint.of(self.lesson.language)
        return self._outcome("hint", f"{word('hint', self.lesson.language)}: {said}", "plain")

    def solution(self) -> Outcome:
        """The way there, with code to run."""
        said = self.exercise.solution.of(self.lesson.language)
        outcome = self._outcome("solution", f"{word('solution', self.lesson.language)}: {said}", "plain")
        code = f"<pre>{escape(self.exercise.code)}</pre>"
        return Outcome(outcome.exercise, outcome.what, outcome.remark, outcome.markup + code)

    def _outcome(self, what: str, remark: str, kind: str) -> Outcome:
        participant.log(self.exercise.id, what)
        return Outcome(self.exercise.id, what, remark, html.note(escape(remark), kind))

    def _repr_html_(self) -> str:
        return html.page(html.note(escape(self.exercise.asks.of(self.lesson.language))))

    def __repr__(self) -> str:
        return self.exercise.asks.of(self.lesson.language)


@functools.cache
def all_exercises() -> dict[str, Exercise]:
    """Every exercise by id, in the order of notebooks and numbers."""
    found: dict[str, Exercise] = {}
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda item: item.name):
        for item in importlib.import_module(f"{__name__}.{module.name}").EXERCISES:
            if item.id in found:
                raise LabError(f"Two exercises are called {item.id}.")
            found[item.id] = item
    return found


def handle(name: str, lesson: Lesson) -> Handle:
    """The exercise of that id in a lesson's hand. LabError for an unknown one."""
    found = all_exercises().get(name)
    if found is None:
        raise LabError(f"There is no exercise {name!r}.", f"There are {', '.join(all_exercises())}.")
    return Handle(found, lesson)
