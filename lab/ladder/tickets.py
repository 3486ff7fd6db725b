"""The eight tickets: what somebody saw, what was behind it, and the rung that answers it. Their texts are in
`tickets.yaml`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

import yaml

from lab.kinds import LabError


@dataclass(frozen=True, slots=True)
class Words:
    """One text in both languages of the lab."""

    en: str
    tr: str

    def of(self, language: str) -> str:
        """The text in Turkish for `tr`, in English for any other language."""
        return self.tr if language == "tr" else self.en

    @classmethod
    def read(cls, value: Mapping[str, str]) -> Words:
        """From a mapping with `en` and `tr`; folded lines become one."""
        return cls(value["en"].strip(), value["tr"].strip())


@dataclass(frozen=True, slots=True)
class Ticket:
    """A failure that was seen. `rung` is the technique that answers it; `shown` the gold question it was seen
    on, by language; of the `causes` to choose from, `cause` (0-based) is right; `lesson` is what stays."""

    id: str
    week: int
    rung: str
    title: Words
    scenario: Words
    shown: Words
    causes: tuple[Words, ...]
    cause: int
    lesson: Words
    proposal: bool = False
    """Nothing fails on the rung below, or no longer: the technique is proposed and measured all the same."""


@functools.cache
def tickets() -> tuple[Ticket, ...]:
    """All tickets, by week."""
    text = resources.files("lab.ladder").joinpath("tickets.yaml").read_text(encoding="utf-8")
    return tuple(sorted(map(_ticket, yaml.safe_load(text)), key=lambda item: item.week))


def ticket(name: str) -> Ticket:
    """The ticket of that id; case does not matter. LabError lists the ids there are."""
    for item in tickets():
        if item.id.casefold() == name.strip().casefold():
            return item
    known = ", ".join(item.id for item in tickets())
    raise LabError(f"There is no ticket {name!r}.", f"The tickets are {known}.")


def _ticket(value: Mapping[str, Any]) -> Ticket:
    right = [at for at, cause in enumerate(value["causes"]) if cause.get("right")]
    if len(right) != 1:
        raise LabError(f"Ticket {value['id']} has {len(right)} right causes.", "Exactly one.")
    return Ticket(
        id=value["id"],
        week=value["week"],
        rung=value["rung"],
        title=Words.read(value["title"]),
        scenario=Words.read(value["scenario"]),
        shown=Words.read(value["shown"]),
        causes=tuple(Words.read(cause) for cause in value["causes"]),
        cause=right[0],
        lesson=Words.read(value["lesson"]),
        proposal=bool(value.get("proposal")),
    )
