"""Step 1 of the read path: which entities a question names.

Exactly first, then with Turkish case endings removed, then by contained words and letter triples with a
minimum
score, last by meaning: what the nearest memories describe. Only entities the asker may know are found."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from rapidfuzz import fuzz

from lab.memory.names import bases, grams, spell, tokens
from lab.memory.visibility import View
from lab.memory.vocabulary import STOP, WORDS, readings
from lab.text import fold

LONGEST = 5
"""Words of a name."""
MINIMUM = 84.0
"""rapidfuzz ratio from which a misspelt name is taken for another; without one every name finds somebody."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """An entity a question starts from. `how`: exact, ending, similar or meaning."""

    entity: int
    id: str
    type: str
    name: str
    how: str
    score: float
    words: frozenset[str] = frozenset()
    """The question's folded words that named it."""


class Named(NamedTuple):
    """An entity as stored."""

    entity: int
    id: str
    type: str
    name: str

    def anchor(self, how: str, score: float, words: frozenset[str] = frozenset()) -> Anchor:
        return Anchor(self.entity, self.id, self.type, self.name, how, score, words)


def anchors(view: View, question: str) -> list[Anchor]:
    """The visible entities a question names, in the order of its words; none: []. A name within a longer one
    that was found ("Ege" in "Ege Tekstil") does not count."""
    written = tokens(question)
    folded = [fold(token) for token in written]
    spans = {(start, end): candidate for start, end, candidate in _spans(folded)}
    wanted = sorted({spelling for candidates in spans.values() for spelling in candidates})
    if not wanted:
        return []
    rows = view.connection.execute(
        """select n.name, e.serial, e.id, e.type, e.name from entity_name n join entity e on e.serial =
        n.entity
           where n.workspace = %s and n.name = any(%s) order by e.id""",
        [view.sight.workspace, wanted],
    ).fetchall()
    by_name: dict[str, list[Named]] = {}
    for name, *entity in rows:
        by_name.setdefault(name, []).append(Named(*entity))
    found: list[tuple[int, Anchor]] = []
    covered: set[int] = set()
    for (start, end), candidates in sorted(
        spans.items(), key=lambda item: (item[0][0] - item[0][1], item[0])
    ):
        if covered.intersection(range(start, end)):
            continue
        for spelling in candidates:
            if spelling in by_name:
                how = "exact" if spelling == candidates[0] else "ending"
                named = frozenset(folded[start:end])
                found += [(start, entity.anchor(how, 1.0, named)) for entity in by_name[spelling]]
                covered.update(range(start, end))
                break
    capital, small = _runs(written, folded, covered)
    for start, run in capital:
        found += [(start, anchor) for anchor in _similar(view, run)]
    if not found:
        for start, run in small:
            found += [(start, anchor) for anchor in _similar(view, run)]
    unique: dict[int, Anchor] = {}
    for _, anchor in sorted(found, key=lambda item: item[0]):
        unique.setdefault(anchor.entity, anchor)
    return list(unique.values())


def by_meaning(view: View, memories: Sequence[str], types: Sequence[str], limit: int = 3) -> list[Anchor]:
    """What the given memories (nearest first) describe; of the wanted types, if any are named."""
    rows = view.connection.execute(
        """select e.serial, e.id, e.type, e.name, array_position(%(ids)s, m.id)
           from memory m join mention n on n.memory = m.serial and n.subject
           join entity e on e.serial = n.entity
           where m.workspace = %(workspace)s and m.id = any(%(ids)s) order by 5, 2""",
        {"workspace": view.sight.workspace, "ids": list(memories)},
    ).fetchall()
    fitting = [row for row in rows if not types or row[2] in types]
    return [Named(*row[:4]).anchor("meaning", 1 / (1 + row[4])) for row in fitting[:limit]]


def _spans(folded: Sequence[str]) -> Iterator[tuple[int, int, list[str]]]:
    """(start, end, spellings to look up): as it stands, then the last word without its ending."""
    for start in range(len(folded)):
        for end in range(start + 1, min(len(folded), start + LONGEST) + 1):
            *head, last = folded[start:end]
            if not head and (last in STOP or last in WORDS or len(last) < 3):
                continue
            yield start, end, [" ".join((*head, form)) for form in (last, *bases(last))]


def _runs(
    written: Sequence[str], folded: Sequence[str], covered: set[int]
) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """Neighbouring words no name was found for that may be one, (start, words): capitalised ones, and any."""
    plain = [
        at in covered
        or folded[at] in STOP
        or len(folded[at]) < 3
        or re.search(r"\d", folded[at]) is not None  # a code's neighbour is another's
        or any(reading in WORDS for reading in readings(folded[at]))
        for at in range(len(folded))
    ]
    capital = [not dull and word[:1].isupper() for dull, word in zip(plain, written, strict=True)]
    return _joined(folded, capital), _joined(folded, [not dull for dull in plain])


def _joined(folded: Sequence[str], usable: Sequence[bool]) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for use, group in groupby(range(len(folded)), key=lambda at: usable[at]):
        if use:
            places = list(group)
            found.append((places[0], " ".join(folded[at] for at in places)))
    return found


def _similar(view: View, run: str) -> list[Anchor]:
    wanted = grams(run)
    rows = view.connection.execute(
        """with near as materialized (
               select g.name, g.entity, count(distinct g.gram) as hits from name_gram g
               where g.workspace = %(workspace)s and g.gram = any(%(grams)s)
               group by 1, 2 having count(distinct g.gram) >= %(least)s order by 3 desc, 1 limit 50)
           select n.name, e.serial, e.id, e.type, e.name from near n join entity e on e.serial = n.entity""",
        {"workspace": view.sight.workspace, "grams": sorted(wanted), "least": max(2, len(wanted) // 3)},
    ).fetchall()
    if not rows:
        return []
    last = run.split(" ")
    readings_ = [" ".join((*last[:-1], form)) for form in (last[-1], *bases(last[-1]))]
    scored = sorted(
        ((max(_score(reading, name) for reading in readings_), name, entity) for name, *entity in rows),
        key=lambda item: (-item[0], item[2][1]),
    )
    best = scored[0][0]
    if best < MINIMUM:
        return []
    close = [item for item in scored if item[0] >= best - 2][:3]
    return [
        Named(*entity).anchor("similar", score / 100, frozenset(run.split(" "))) for score, _, entity in close
    ]


def _score(asked: str, name: str) -> float:
    """Of the whole name; a name that contains the words asked counts a little less."""
    whole = fuzz.ratio(asked, name)
    part = 0.95 * fuzz.token_set_ratio(asked, name) if set(asked.split()) <= set(name.split()) else 0.0
    return max(whole, part)


__all__ = ["Anchor", "anchors", "by_meaning", "spell"]
