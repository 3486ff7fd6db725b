"""All notebooks at once: built and run, or checked. Two run side by side, as two readers would."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tqdm.auto import tqdm

from lab.evaluation.ledger import RungRow
from lab.kinds import LabError
from lab.workshop import desk, figures, notebooks
from lab.workshop.notebooks import Problem
from lab.workshop.words import LANGUAGES

AT_ONCE = 2


def build(chosen: Sequence[str], language: str | None = None) -> list[Path]:
    """Make and run the chosen notebooks (none: all) in one language or both; the paths written.

    A notebook that fails leaves its file as it was, and LabError names it."""
    rows = _rows()
    jobs = [(name, spoken) for name in notebooks.wanted(chosen) for spoken in _languages(language)]

    def one(job: tuple[str, str]) -> Path:
        name, spoken = job
        made = notebooks.build(name, spoken, notebooks.figure_from(rows))
        path = notebooks.place(name, spoken)
        notebooks.write(_run(f"{spoken}/{name}", made), path)
        return path

    return _all(one, jobs)


def bare(chosen: Sequence[str], language: str) -> list[Path]:
    """Make the chosen notebooks without running them: what a participant starts with. The paths written."""
    rows, written = _rows(), []
    for name in notebooks.wanted(chosen):
        for spoken in _languages(language):
            path = notebooks.place(name, spoken)
            notebooks.write(notebooks.build(name, spoken, notebooks.figure_from(rows)), path)
            written.append(path)
    return written


def check(chosen: Sequence[str], run: bool = False) -> list[Problem]:
    """What is stale, half translated, or no longer supported by the ledger; with `run` also what fails, and
    outputs whose figures have changed."""
    rows = _rows()
    jobs = [(name, spoken) for name in notebooks.wanted(chosen) for spoken in LANGUAGES]

    def one(job: tuple[str, str]) -> list[Problem]:
        name, spoken = job
        try:
            found = notebooks.stale(name, spoken)
            if found:
                return found
            found = notebooks.prose(name, spoken, rows)
            if run:
                fresh = _run(f"{spoken}/{name}", notebooks.read(notebooks.place(name, spoken)))
                found += notebooks.differing(name, spoken, fresh)
            return found
        except LabError as error:
            return [Problem(f"{spoken}/{name}", str(error))]

    return [problem for found in _all(one, jobs) for problem in found]


def _run(place: str, made: Any) -> Any:
    try:
        return notebooks.run(made)
    except LabError as error:
        raise LabError(f"{place}: {error.happened}", error.expected, error.next_step) from None


def _rows() -> list[RungRow]:
    """The newest whole climb; climbs where there is none."""
    try:
        return figures.newest()
    except LabError:
        desk.say("climbing first: the notebooks' figures come from the ledger …")
        desk.climb()
        return figures.newest()


def _languages(language: str | None) -> tuple[str, ...]:
    if language is None:
        return LANGUAGES
    if language not in LANGUAGES:
        raise LabError(f"There are no notebooks in {language!r}.", f"The languages: {', '.join(LANGUAGES)}.")
    return (language,)


def _all(one: Any, jobs: Sequence[tuple[str, str]]) -> list[Any]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        done: Iterable[Any] = tqdm(
            pool.map(one, jobs),
            total=len(jobs),
            unit="notebook",
            file=sys.stderr,
            disable=desk.quiet(),
            delay=2,
        )
        return list(done)
