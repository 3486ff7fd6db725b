"""A gold file begun from the documents: candidate questions with quoted anchors, for a person to edit."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import zip_longest

from pydantic import ValidationError

from lab.corpus.rules import OWNER
from lab.corpus.sections import sections
from lab.corpus.tables import cells, header_of, row_text
from lab.evaluation.anchors import Anchors, in_force, split_of, unanswered
from lab.evaluation.facts import Fact, facts
from lab.evaluation.gold import Evidence, Question, answer_ok
from lab.evaluation.score import squeezed
from lab.evaluation.wordings import asked, copies
from lab.kinds import Document
from lab.text import fold

MOST = 60
LONGEST_ANCHOR = 80
TO_HIDE = 6
"""Questions asked once more by somebody who may not read the answer."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What a model suggests for a passage."""

    question: str
    quote: str
    answer: str


Model = Callable[[str, str], Suggestion | None]
"""(passage, language) → a suggestion."""


@dataclass(frozen=True, slots=True)
class Draft:
    """Questions of the schema, and how many candidates were dropped, by reason."""

    questions: tuple[Question, ...]
    dropped: Mapping[str, int]


def draft(
    documents: Sequence[Document],
    roles: Mapping[str, frozenset[str]],
    day: date,
    most: int = MOST,
    model: Model | None = None,
) -> Draft:
    """At most `most` questions, spread over documents and kinds, the same for the same documents.

    `day` is asked about, or the last day on which a document was in force. Each anchor stands in its section
    and nowhere else that day; quoting its sentence or row is a right answer; no question copies it. With a
    `model` its suggestions pass the same checks and stand in place of the rules'."""
    anchors, dropped = Anchors(documents), defaultdict[str, int](int)
    titles = Counter(section.title for document in documents for section in sections(document))
    numbers: dict[str, int] = defaultdict(int)
    found: list[tuple[Question, Fact]] = []
    hidden: list[Question] = []
    texts: set[tuple[str, date]] = set()
    unknown = unanswered(documents, anchors, day, max(1, most // 8))
    room = most - len(unknown)
    for fact in _spread(documents):
        if len(found) >= room:
            break
        of = fact.document.title if titles[fact.section.title] > 1 else ""
        made, why = _made(fact, of, anchors, roles, day, model)
        if made is None:
            dropped[why] += 1
        elif (fold(made.text), made.as_of) in texts:
            dropped["asked already"] += 1
        else:
            texts.add((fold(made.text), made.as_of))
            key = f"{made.type}-{fact.document.id}"[:70].strip("-")
            numbers[key] += 1
            name = f"{key}-{numbers[key]}"
            made = made.model_copy(update={"id": name, "split": split_of(name)})
            found.append((made, fact))
            if len(hidden) < min(TO_HIDE, most // 8) and (other := _denied(made, fact, roles)):
                hidden.append(other)
    questions = [question for question, _ in found]
    questions = questions[: max(0, room - len(hidden))] + hidden[:room] + unknown
    return Draft(tuple(questions), dict(dropped))


def problems(questions: Iterable[Question], documents: Sequence[Document]) -> Iterator[tuple[str, str]]:
    """(question, what is wrong) for each anchor that does not stand in its section, or elsewhere too."""
    anchors = Anchors(documents)
    known = {document.id for document in documents}
    for question in questions:
        for evidence in question.evidence:
            if evidence.document not in known:
                yield question.id, f"there is no document {evidence.document!r}"
                continue
            places = anchors.places(evidence.anchor, question.as_of)
            own = (evidence.document, evidence.section)
            if own not in places:
                yield (
                    question.id,
                    (
                        f"{evidence.anchor!r} does not stand in {evidence.document}#{evidence.section} "
                        f"as it is on {question.as_of}"
                        + (f", but in {places[0][0]}#{places[0][1]}" if places else "")
                    ),
                )
            elif len(places) > 1:
                yield (
                    question.id,
                    f"{evidence.anchor!r} stands {len(places)} times; quote more of the sentence",
                )


def _spread(documents: Sequence[Document]) -> Iterator[Fact]:
    """The facts of all documents: the first of each document, then the second of each, kinds taking turns."""
    order = sorted(documents, key=lambda document: hashlib.sha256(document.id.encode()).digest())
    rows = [_turns(facts(document)) for document in order]
    for row in zip_longest(*rows):
        yield from (fact for fact in row if fact is not None)


def _turns(found: Sequence[Fact]) -> list[Fact]:
    by_kind: dict[str, list[Fact]] = defaultdict(list)
    for fact in found:
        by_kind[fact.kind].append(fact)
    return [fact for row in zip_longest(*by_kind.values()) for fact in row if fact is not None]


def _made(
    fact: Fact,
    of: str,
    anchors: Anchors,
    roles: Mapping[str, frozenset[str]],
    day: date,
    model: Model | None,
) -> tuple[Question | None, str]:
    """The question of a fact, or None with the reason."""
    own_day = _day(fact.document, day)
    value, source, kind = fact.value, fact.source, fact.kind
    if model is None:
        text = asked(fact, of)
    else:
        suggested = model(fact.section.text[:4000], fact.document.language)
        if suggested is None or squeezed(suggested.quote) not in squeezed(fact.section.text):
            return None, "the model's quotation stands nowhere"
        text, value, source, kind = suggested.question.strip(), suggested.answer, suggested.quote, "model"
        if copies(text, source):
            return None, "the question copies its sentence"
    if not text:
        return None, "no question but a copy of its sentence"
    anchor = _anchor(source, value, anchors, (fact.document.id, fact.section.number), own_day)
    if anchor is None:
        return None, "its words stand elsewhere too"
    try:
        made = Question(
            id="x",
            language=fact.document.language,
            type=kind if own_day == day else "as-of",
            text=text,
            role=_asker(fact.document.access, roles),
            as_of=own_day,
            evidence=(Evidence(document=fact.document.id, section=fact.section.number, anchor=anchor),),
            contains=((_said(value),),),
            split="dev",
        )
    except ValidationError:
        return None, "it does not fit the schema"
    quoted = row_text(header_of(fact.section.text, source), source) if source.startswith("|") else source
    return (
        (made, "") if answer_ok(made, quoted, False) else (None, "quoting its sentence would not answer it")
    )


def _said(value: str) -> str:
    """What an answer must hold: the value without brackets and signs that no answer is matched by."""
    return " ".join(value.strip(" .,;:()[]").split())[:120]


def _day(document: Document, day: date) -> date:
    if in_force(document, day):
        return day
    if document.valid_to is not None and document.valid_to <= day:
        return document.valid_to - timedelta(days=1)
    return document.valid_from


def _anchor(source: str, value: str, anchors: Anchors, own: tuple[str, str], day: date) -> str | None:
    """The shortest words around the value that stand in this section alone; of a row its first cells."""
    for text in _windows(source, value):
        if 3 <= len(text) <= LONGEST_ANCHOR and anchors.places(text, day) == [own]:
            return text
    return None


def _windows(source: str, value: str) -> Iterator[str]:
    if source.startswith("|"):
        ends = [match.end() for match in re.finditer(r"(?<!\\)\|", source)][1:]
        whole = len(cells(source))
        yield from (source[:end].strip() for end in ends if value in source[:end] or end == ends[whole - 1])
        yield from (source[:end].strip() for end in reversed(ends))
        return
    at = source.find(value)
    spans = [match.span() for match in re.finditer(r"\S+", source)]
    first = next((i for i, (_, end) in enumerate(spans) if end > max(at, 0)), 0)
    last = next((i for i, (_, end) in enumerate(spans) if end >= max(at, 0) + len(value)), first)
    for grow in range(2, len(spans) + 1):
        left, right = max(0, first - grow), min(len(spans) - 1, last + grow // 2)
        yield source[spans[left][0] : spans[right][1]].strip()
        if left == 0 and right == len(spans) - 1:
            return


def _asker(module: str, roles: Mapping[str, frozenset[str]]) -> str:
    """The role that reads the module and the least besides; the owner where no other does."""
    able = [role for role, modules in roles.items() if module in modules and role != OWNER]
    return min(able, key=lambda role: (len(roles[role]), role), default=OWNER)


def _denied(question: Question, fact: Fact, roles: Mapping[str, frozenset[str]]) -> Question | None:
    """The same question by somebody who may not read its answer."""
    barred = sorted(role for role, modules in roles.items() if fact.document.access not in modules)
    value = _said(fact.value)
    if not barred or len(re.sub(r"\D", "", value)) < 2 or question.type == "model":
        return None
    name = f"access-{question.id}"[:80].strip("-")
    try:
        return Question(
            id=name,
            language=question.language,
            type="access",
            text=question.text,
            role=barred[0],
            as_of=question.as_of,
            excludes=(value,),
            abstain=True,
            split=split_of(name),
        )
    except ValidationError:
        return None
