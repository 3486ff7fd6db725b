"""What is searched for a question: its text without what is no part of it, and other wordings beside it.

Specs, joined by `+`: `plain` leaves out dates and markup; `glossary` searches the handbook's own terms
beside; `ollama:<model>` has a model say the question in other words; `hyde:<model>` has it write a passage
that would answer it (Gao, Ma, Lin and Callan, "Precise zero-shot dense retrieval", ACL 2023)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lab.kinds import LabError
from lab.rag import glossary
from lab.rag.trace import Line, Trace
from lab.text import calm, words

OFFLINE = ("plain", "glossary")
MODELS = ("ollama", "hyde")
FEWEST = 3
"""Words a question must keep when something is left out of it."""


@dataclass(frozen=True, slots=True)
class Sought:
    """`text` stands for the question; of those `beside` it the best counts for each section."""

    text: str
    beside: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text, *self.beside)


def parts(spec: str) -> list[str]:
    """The specs joined by `+`, in order. LabError for one that is not known."""
    named = [part.strip() for part in spec.split("+") if part.strip()]
    for part in named:
        kind, _, model = part.partition(":")
        if part not in OFFLINE and not (kind in MODELS and model):
            raise LabError(
                f"There is no rewrite {part!r}.",
                f"Known: {', '.join(OFFLINE)}, ollama:<model>, hyde:<model>, joined by +.",
                'Try: python start.py ask "…" --rewrite plain+glossary',
            )
    return named


def offline(question: str, spec: str) -> Sought:
    """What is searched as far as no model has a say in it."""
    named = parts(spec)
    text = plain(question) if "plain" in named else question
    beside = [entry.terms["en"] for entry in glossary.found(question)] if "glossary" in named else []
    return Sought(calm(text), tuple(dict.fromkeys(beside)))


def rewritten(question: str, spec: str, trace: Trace) -> Sought:
    """What is searched for the question. A model that says nothing of use adds nothing."""
    if not spec:
        return Sought(calm(question))
    with trace.step("rewrite", 0) as line:
        sought = offline(question, spec)
        beside = [*sought.beside, *_from_models(question, parts(spec), line)]
        sought = Sought(sought.text, tuple(dict.fromkeys(beside)))
        line.detail |= {"searched": sought.text, "beside": list(sought.beside)}
    return sought


def _from_models(question: str, named: Sequence[str], line: Line) -> list[str]:
    asked = [part.partition(":") for part in named if part not in OFFLINE]
    if not asked:
        return []
    from lab.models.ollama_rewrite import other_words, passage

    found: list[str] = []
    for kind, _, model in asked:
        reply = (other_words if kind == "ollama" else passage)(model, question)
        line.calls += 1
        line.tokens += reply.prompt_tokens
        if not reply.texts:
            line.detail["unusable reply"] = kind
        found += [calm(text) for text in reply.texts]
    return found


# Dates: the rule of who sees what on which day has read them; in a question they draw texts that hold dates.
_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|ocak|[şs]ubat|mart|nisan|may[ıi]s|haziran|temmuz|a[ğg]ustos|eyl[üu]l|ekim|kas[ıi]m|aral[ıi]k"
)
_ENDING = "(?:['’]?[a-zçğıöşü]+)?"
_PREPOSITION = "(?:as of|as at|on|in|by|since|from|until|till|before|after|for|of|during)"
_YEAR = "20[0-4]\\d"
_SUM = r"(?!\s*(?:try|tl|lira|euros?|eur|avro|usd|₺|€|[$%]|days?\b|gün))"
_DATES = re.compile(
    "|".join(
        (
            rf"\b{_PREPOSITION}\s+(?:the\s+)?(?:\d{{1,2}}(?:st|nd|rd|th)?\s+)?(?:of\s+)?(?:{_MONTHS})"
            rf"\b(?:\s+\d{{1,2}}\b,?)?(?:\s+{_YEAR}\b)?",
            rf"\b(?:\d{{1,2}}\s+)?(?:{_MONTHS})\s+{_YEAR}{_ENDING}\b(?:\s+itibar\w*)?",
            rf"\b{_YEAR}{_ENDING}\s+(?:y[ıi]l[ıi]\w*\s+)?(?:{_MONTHS}){_ENDING}\b",
            rf"\b\d{{1,2}}\s+(?:{_MONTHS}){_ENDING}\b",
            rf"\b{_YEAR}-\d\d-\d\d\b",
            rf"\b(?:{_PREPOSITION}\s+)?{_YEAR}{_ENDING}\b{_SUM}(?:\s+y[ıi]l[ıi]\w*)?",
        )
    ),
    re.IGNORECASE,
)
_MARKUP = re.compile(r"<!--.*?(?:-->|\Z)|</?[a-z][^<>]*>", re.IGNORECASE | re.DOTALL)
_GAP = re.compile(r"(?:\s*,)+(?=\s*[.?!])|\s+(?=[,.?!])")


def plain(question: str) -> str:
    """The question without dates and markup; unchanged if hardly anything would be left."""
    text = _DATES.sub(" ", _MARKUP.sub(" ", question))
    text = " ".join(_GAP.sub("", " ".join(text.split())).split()).strip(" ,")
    return text if len(words(text)) >= FEWEST else question
