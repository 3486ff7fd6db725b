"""The exam of a mind: is the memory that answers a question in what the prompt is given, and at what price?

Each note is asked for in both languages. Nothing is tuned on these notes; there is one split."""

from __future__ import annotations

import functools
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

import yaml

from lab.memory.mind import Mind, recalled
from lab.memory.model import Memory
from lab.text import count_tokens, language_of

FEW, K = 10, 5
"""Memories of a short recall, and of a search."""
WAYS = ("recall", f"recall {FEW}", f"search {K}")


@dataclass(frozen=True, slots=True)
class Note:
    """A memory to store and, by language, a question that it answers. `by`: person or agent."""

    category: str
    key: str
    by: str
    priority: str
    tags: tuple[str, ...]
    content: str
    asked: Mapping[str, str]

    @property
    def language(self) -> str:
        return language_of(self.content)

    @property
    def place(self) -> str:
        return f"{self.category}/{self.key}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question by one way. `rank`: where the memory stands in what the prompt gets, None: not in it."""

    question: str
    way: str
    crossing: bool
    """Whether question and memory are of different languages."""
    rank: int | None
    tokens: int


@dataclass(frozen=True, slots=True)
class Measures:
    """Over some questions: shares in 0 … 1, mean reciprocal rank, mean tokens (cl100k_base)."""

    n: int
    found: float
    first: float
    mrr: float
    tokens: float


@functools.cache
def notes() -> tuple[Note, ...]:
    """All of them, in the file's order."""
    text = (resources.files(__package__) / "notes.yaml").read_text(encoding="utf-8")
    found = []
    for item in yaml.safe_load(text):
        category, key = item["place"].split("/")
        asked = {"en": item["en"], "tr": item["tr"]}
        found.append(
            Note(category, key, item["by"], item["priority"], tuple(item["tags"]), item["content"], asked)
        )
    return tuple(found)


def store(person: Mind, agent: Mind) -> int:
    """Stores the notes, each by whom it is from; how many. A repeated call changes nothing."""
    for note in notes():
        mind = agent if note.by == "agent" else person
        mind.store(note.category, note.key, note.content, tags=note.tags, priority=note.priority)
    return len(notes())


def run(mind: Mind) -> list[Outcome]:
    """Every question by every way, with the eyes of this mind's credential. What is stored besides the notes
    stands in the way, as it would."""
    ordered = mind.memories()
    whole = {WAYS[0]: ordered, WAYS[1]: ordered[:FEW]}
    tokens = {way: _tokens(listed) for way, listed in whole.items()}
    outcomes = []
    for note in notes():
        for spoken, question in note.asked.items():
            found = [item.memory for item in mind.search(question, k=K)]
            for way in WAYS:
                listed = whole.get(way, found)
                cost = tokens.get(way) or _tokens(listed)
                outcomes.append(Outcome(question, way, spoken != note.language, _rank(note, listed), cost))
    return outcomes


def measure(outcomes: Sequence[Outcome]) -> Measures:
    """Means over at least one outcome."""
    return Measures(
        len(outcomes),
        statistics.fmean(outcome.rank is not None for outcome in outcomes),
        statistics.fmean(outcome.rank == 1 for outcome in outcomes),
        statistics.fmean(1 / outcome.rank if outcome.rank else 0.0 for outcome in outcomes),
        statistics.fmean(outcome.tokens for outcome in outcomes),
    )


def by_group(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """`all`, and questions in the memory's own language (`same`) or in the other one (`other`)."""
    return {
        "all": list(outcomes),
        "same": [outcome for outcome in outcomes if not outcome.crossing],
        "other": [outcome for outcome in outcomes if outcome.crossing],
    }


def _rank(note: Note, listed: Sequence[Memory]) -> int | None:
    places = [f"{memory.category}/{memory.key}" for memory in listed]
    return places.index(note.place) + 1 if note.place in places else None


def _tokens(listed: Sequence[Memory]) -> int:
    return count_tokens(recalled("", len(listed), sum(memory.verified for memory in listed), listed))
