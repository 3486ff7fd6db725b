"""Text that gives orders to assistants, found in code before anything is read by one.

Nothing here protects by itself: phrases are endless, and the check of the answer (`lab.rag.guard`) decides.
A finding is a reason to keep a sentence out of prompts and to show it to a person.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lab.corpus.signals import TEMPLATE, accused, signs
from lab.corpus.views import View, views

LONGEST = 1_200
"""Characters of a sentence; longer ones are judged in parts."""
NEAR = 2
"""So many sentences on, an assistant that was spoken to is still meant."""
MARKED = 3_000
"""Characters between two marks of a chat template that are taken as one finding."""

_END = re.compile(r"(?<=[.!?…])[\"'”’»)\]]*\s+|\n\s*\n|\n(?=\s*(?:[|#>]|[-*•]\s))|(?<=-->)\s*|\s*(?=<!--)")
_JOINT = re.compile(r"\w[\u00ad\u200b-\u200f\u2060-\u206f\ufeff\U000e0000-\U000e007f]+\w")
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class Finding:
    """`text[first:last]` of what was scanned is suspect. `kind`: `assistant`, `override`, `role`, `template`,
    `credentials` or `hidden`."""

    first: int
    last: int
    text: str
    view: str
    """The view in which it was legible."""
    kind: str
    reason: str


def scan(text: str) -> tuple[Finding, ...]:
    """The findings in `text`, in order, none overlapping another. Spans cover whole sentences, table rows,
    or what a hidden part stands in. Linear in the length of the text."""
    return _remembered_long(text) if len(text) > 20_000 else _remembered(text)


@functools.lru_cache(maxsize=8192)
def _remembered(text: str) -> tuple[Finding, ...]:
    return _scan(text)


@functools.lru_cache(maxsize=2)
def _remembered_long(text: str) -> tuple[Finding, ...]:
    """A document is scanned once for all its chunkers."""
    return _scan(text)


def _scan(text: str) -> tuple[Finding, ...]:
    found: list[Finding] = []
    judged: set[str] = set()
    for view in views(text):
        for first, last, kind, reason in _in_view(view, text, judged):
            first, last = (first, last) if view.part else _whole_rows(text, first, last)
            if last > first and not any(first < other.last and other.first < last for other in found):
                found.append(Finding(first, last, text[first:last], view.name, kind, reason))
    return tuple(sorted(found, key=lambda finding: finding.first))


def _whole_rows(text: str, first: int, last: int) -> tuple[int, int]:
    """The span, and where it begins or ends in a table row, that row to its ends."""
    for at in (first, last):
        start = text.rfind("\n", max(0, at - LONGEST), at) + 1
        if text[start : start + 8].lstrip().startswith("|"):
            end = text.find("\n", at, at + LONGEST)
            first, last = min(first, start), max(last, end if end >= 0 else min(len(text), at + LONGEST))
    return first, last


def _in_view(view: View, text: str, judged: set[str]) -> Iterator[tuple[int, int, str, str]]:
    spoken_at, spoken = -NEAR - 1, (0, 0)
    marks = (
        [match.span() for match in TEMPLATE.finditer(view.text)]
        if "<" in view.text or "[" in view.text
        else []
    )
    for first, last in _paired(marks):
        yield *view.place(first, last), "template", "holds marks of a chat template"
    for number, (first, last) in enumerate(_sentences(view.text)):
        sentence = " ".join(view.text[first:last].split())
        if not sentence:
            continue
        before = spoken_at
        if (said := signs_of(sentence)) is not None and said:
            spoken_at, spoken = number, (first, last)
        near = number - before <= NEAR and before != number
        if not near and (sentence in judged or not _WORD.search(sentence)):
            continue
        place = view.place(first, last)
        hidden = view.hidden and (not view.name.startswith("invisible") or _concealed(view, text, place))
        verdict = accused(sentence, hidden, near)
        if verdict is None and view.name.startswith("invisible tag") and len(_WORD.findall(sentence)) > 2:
            verdict = "hidden", "is written in characters that nobody sees"
        if verdict is None:
            judged.add(sentence)
            continue
        if near and before >= 0 and accused(sentence, hidden, False) is None:
            first = spoken[0] if spoken_at != number else first
            place = view.place(first, last)
        yield *place, *verdict


def _concealed(view: View, text: str, place: tuple[int, int]) -> bool:
    """Whether invisible characters stand within words there; an emoji's joiners do not count."""
    return view.name.startswith("invisible tag") or bool(_JOINT.search(text, *place))


@functools.lru_cache(maxsize=8192)
def signs_of(sentence: str) -> bool:
    """Whether an assistant is spoken to in a folded sentence."""
    return signs(sentence).spoken_to


def _paired(marks: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Runs of marks that stand near each other, from the first to the end of the last."""
    run: tuple[int, int] | None = None
    for first, last in marks:
        if run and first - run[1] <= MARKED:
            run = run[0], last
        else:
            if run:
                yield run
            run = first, last
    if run:
        yield run


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """(first, last) of sentences and table rows; a line end within a paragraph parts nothing."""
    here = 0
    for end in _END.finditer(text):
        if end.end() > here:
            yield from _parts(here, end.start())
            here = end.end()
    yield from _parts(here, len(text))


def _parts(first: int, last: int) -> Iterator[tuple[int, int]]:
    while last - first > LONGEST:
        yield first, first + LONGEST
        first += LONGEST
    if last > first:
        yield first, last


def without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """`text` without these spans; what stood around them is parted by one space, or keeps its line end."""
    parts, here = [], 0
    for first, last in sorted(spans):
        if last <= here:
            continue
        parts.append(text[here : max(first, here)])
        here = last
    kept = parts and [*parts, text[here:]]
    if not kept:
        return text
    clean = kept[0]
    for part in kept[1:]:
        left, right = clean.rstrip(" \t"), part.lstrip(" \t")
        if left.endswith("\n") and right.startswith("\n"):
            right = right[1:]  # a line that is gone leaves none behind
        gap = "" if not left or not right or left.endswith("\n") or right.startswith("\n") else " "
        clean = left + gap + right
    return clean.strip("\n") if not text.startswith("\n") else clean
