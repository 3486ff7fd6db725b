"""What a sweep may set: the fields of `Pipeline`, their valid values, and which can't stand together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from lab.corpus.chunkers import KNOWN as CHUNKERS
from lab.corpus.chunkers import LARGEST, SMALLEST, chunker
from lab.evaluation.climb import why_not
from lab.kinds import LabError
from lab.models.embedders import blend
from lab.models.readers import reader
from lab.models.rerankers import KNOWN as RERANKERS
from lab.models.rerankers import reranker
from lab.rag.pipeline import Pipeline
from lab.rag.rewrite import parts
from lab.rag.widen import LINE, MODES

SIZE = "size"
"""No field: with it `chunker: fixed` is `fixed-300`, and so on."""
MOST = 100
"""Hits kept or read at most."""
FIELDS: dict[str, type] = {field.name: type(field.default) for field in fields(Pipeline)}
NAMES = (*FIELDS, SIZE)
_CHOICES = {
    "index": ("chunk", "units"),
    "fusion": ("z", "rrf"),
    "widen": ("", *MODES, *(mode + LINE for mode in MODES)),
}


def problem(name: str, value: Any) -> str | None:
    """What is wrong with a value of this field, with what is valid; None for a good one."""
    if name == SIZE:
        good = isinstance(value, int) and not isinstance(value, bool) and SMALLEST <= value <= LARGEST
        return None if good else f"expected characters, {SMALLEST} to {LARGEST}"
    kind = FIELDS[name]
    if kind is bool:
        return None if isinstance(value, bool) else "expected true or false"
    if kind is int:
        good = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST
        return None if good else f"expected a whole number, 1 to {MOST}"
    if not isinstance(value, str):
        return f'expected text (in quotes, "" for none){_valid(name)}'
    if name in _CHOICES:
        return None if value in _CHOICES[name] else f"expected one of {_listed(_CHOICES[name])}"
    return _told(lambda: _CHECKS[name](value))


def _told(check: Callable[[], object]) -> str | None:
    try:
        check()
    except LabError as error:
        return " ".join(part for part in (error.happened, error.expected) if part)
    return None


def _chunker(value: str) -> None:
    if value not in ("fixed", "section"):  # these may take the field `size`
        chunker(value)


def _decompose(value: str) -> None:
    kind, _, model = value.partition(":")
    if value not in ("", "rules") and not (kind == "ollama" and model):
        raise LabError(
            f"There is no way {value!r} to take a question apart.", "Known: rules, ollama:<model>."
        )


_CHECKS: dict[str, Callable[[str], object]] = {
    "chunker": _chunker,
    "embedder": blend,
    "second": lambda value: value and blend(value),
    "reader": lambda value: value == "extractive" or reader(value),
    "rewrite": parts,
    "rerank": lambda value: value in ("", "units") or reranker(value),
    "decompose": _decompose,
}


def _valid(name: str) -> str:
    known = {"chunker": CHUNKERS, "rerank": RERANKERS, **_CHOICES}.get(name)
    return f": {_listed(known)}" if known else ""


def _listed(values: tuple[str, ...]) -> str:
    return ", ".join(value or '""' for value in values)


def made(base: Pipeline, changes: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
    """The fields of `Pipeline` that these changes set, a size in the chunker's name; why that can't be."""
    found = {name: value for name, value in changes.items() if name != SIZE}
    named = str(found.get("chunker", base.chunker))
    size = changes.get(SIZE)
    if size is not None:
        if named not in ("fixed", "section"):
            return found, f"{SIZE} {size} with chunker {named!r}; expected fixed or section"
        found["chunker"] = f"{named}-{size}"
    elif named == "fixed":
        return found, f"chunker 'fixed' without a {SIZE}; expected one, or a name such as fixed-300"
    return found, None


def impossible(pipeline: Pipeline) -> str | None:
    """Why the values of a pipeline can't stand together or can't run here; None when they can."""
    if pipeline.searches:
        if pipeline.index == "units" and pipeline.chunker != "section":
            return f"index 'units' with chunker {pipeline.chunker!r}: only 'section' is stored in its units"
        if pipeline.views and pipeline.index != "units":
            return "views with index 'chunk': they add to what units found"
        if pipeline.widen and pipeline.chunker != "section":
            return f"widen with chunker {pipeline.chunker!r}: only 'section' is stored in its units"
        specs = pipeline.embedders.split("+")
        if len(set(specs)) < len(specs):
            return f"embedders {pipeline.embedders!r}: one is named twice"
    if pipeline.full_context and not pipeline.documents:
        return "full_context without documents: nothing can be put into the prompt"
    return why_not(pipeline)
