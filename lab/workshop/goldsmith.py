"""The exam of one's own documents: begun by rules, edited by a person, checked."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from lab.corpus.own import load_own
from lab.evaluation import draft as drafting
from lab.evaluation.draft import Suggestion
from lab.evaluation.gold import Question, load_gold
from lab.kinds import Document, LabError
from lab.memory import write
from lab.settings import settings
from lab.workshop import desk
from lab.workshop.desk.places import Place, place

DRAFTED = "drafted.jsonl"
"""What was drafted, untouched: tells which lines of the exam nobody has looked at yet."""


@dataclass(frozen=True, slots=True)
class Drafted:
    """Where the draft was written, its questions, and what was dropped on the way, by reason."""

    path: Path
    questions: tuple[Question, ...]
    dropped: dict[str, int]
    beside: bool
    """An exam that somebody had edited was there: it was left alone."""

    @property
    def types(self) -> dict[str, int]:
        return dict(Counter(question.type for question in self.questions))


def draft(name: str, most: int = drafting.MOST, model: str | None = None, day: date | None = None) -> Drafted:
    """Drafts questions over the documents of a workspace into its gold file. An exam that was edited since it
    was drafted is never written over: the new draft then stands beside it. LabError for no question."""
    where = place(name)
    documents = _documents(where)
    roles = write.roles(desk.ready(), where.workspace)
    spec = _model(model) if model else None
    made = drafting.draft(documents, roles, day or date.today(), max(8, most), spec)
    if not any(question.evidence for question in made.questions):
        raise LabError(
            f"Nothing in {name} could be asked for by rules.",
            "Tables, amounts, dates, times or definitions; or a model: --model ollama:gemma3:4b",
            f"Write questions yourself, one a line, into {where.gold}",
        )
    text = "".join(question.model_dump_json(exclude_defaults=True) + "\n" for question in made.questions)
    edited = where.gold.exists() and where.gold.read_text(encoding="utf-8") != _drafted(where)
    path = where.gold.with_name("gold.new.jsonl") if edited else where.gold
    path.write_text(text, encoding="utf-8", newline="\n")
    if not edited:
        (where.folder / DRAFTED).write_text(text, encoding="utf-8", newline="\n")
    return Drafted(path, made.questions, dict(made.dropped), edited)


@dataclass(frozen=True, slots=True)
class Checked:
    """An exam against its documents. `problems`: (line, question, what is wrong)."""

    path: Path
    questions: tuple[Question, ...]
    as_drafted: int
    problems: tuple[tuple[int, str, str], ...]


def check(name: str) -> Checked:
    """Whether the exam is well formed, its roles exist, and each anchor stands in its section and nowhere
    else. LabError, with the line, for what is malformed."""
    where = place(name)
    questions = desk.exam(where, desk.ready())
    lines = _lines(where.gold)
    found = [(lines.get(key, 0), key, said) for key, said in drafting.problems(questions, _documents(where))]
    return Checked(where.gold, tuple(questions), as_drafted(where, questions), tuple(sorted(found)))


def as_drafted(where: Place, questions: Sequence[Question]) -> int:
    """How many of the questions stand as they were drafted: nobody has looked at them, as far as can be
    seen."""
    return len(drafted_ids(where, questions))


def drafted_ids(where: Place, questions: Sequence[Question]) -> frozenset[str]:
    """Ids of these questions."""
    path = where.folder / DRAFTED
    if not path.exists():
        return frozenset()
    known = {question.id: question for question in load_gold(path)}
    return frozenset(question.id for question in questions if known.get(question.id) == question)


def _drafted(where: Place) -> str | None:
    path = where.folder / DRAFTED
    return path.read_text(encoding="utf-8") if path.exists() else None


def _documents(where: Place) -> tuple[Document, ...]:
    return load_own(where.corpus, settings().own_mb).documents


def _lines(path: Path) -> dict[str, int]:
    """Question → its line, for a file that is known to be well formed."""
    order = [number for number, line in enumerate(path.read_bytes().split(b"\n"), start=1) if line.strip()]
    return {question.id: number for number, question in zip(order, load_gold(path), strict=True)}


def _model(spec: str) -> drafting.Model:
    from lab.models import ollama_draft

    name = ollama_draft.named(spec)

    @functools.lru_cache(maxsize=4096)
    def suggested(passage: str, language: str) -> Suggestion | None:
        found = ollama_draft.suggest(name, passage, language)
        return Suggestion(*found) if found else None

    return suggested
