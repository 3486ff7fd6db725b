"""What the reader learned on the dev questions, kept with the package: weights of the ranker, the model of
support. Written by `lab calibrate`."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path

from lab.rag.pipeline import Pipeline
from lab.rag.rank import EMBEDDER
from lab.rag.support import Model

FILE = "learned.json"
BASE = "section"
"""The kind of chunk whose entry serves the kinds that have none of their own."""


@dataclass(frozen=True, slots=True)
class Learned:
    """One reader's entry. `second` is the embedder it reads beside its own, empty for none."""

    weights: Mapping[str, float]
    support: Model | None
    second: str = ""


NOTHING = Learned({"unit": 1.0}, None)
"""What reads where nothing was learned: the nearest piece, and no abstention."""


@functools.cache
def entries() -> dict[str, Learned]:
    """The entries that came with the package, by `key`."""
    text = resources.files("lab.rag").joinpath(FILE).read_text(encoding="utf-8")
    return {
        name: Learned(
            entry["weights"], Model(**entry["support"]) if entry["support"] else None, entry["second"]
        )
        for name, entry in json.loads(text).items()
    }


def key(second: str, chunker: str) -> str:
    return f"{EMBEDDER}{'+' + second if second else ''} · {chunker}"


def second(pipeline: Pipeline) -> str:
    """The embedder the reader can use beside its own: the pipeline's, where it has embedded every unit."""
    return pipeline.second if pipeline.index == "units" else ""


def learned(pipeline: Pipeline) -> Learned:
    """The entry for a pipeline: its own, else that of sections, else that of the reader's embedder alone.

    What else the pipeline does (rerank, widen, follow links) needs no entry: the reader sees only what it is
    handed."""
    known, other = entries(), second(pipeline)
    names = (key(other, pipeline.chunker), key(other, BASE), key("", pipeline.chunker), key("", BASE))
    return next((known[name] for name in names if name in known), NOTHING)


def write(found: Mapping[str, Learned], path: Path) -> None:
    """Store the entries as the package's own file, numbers rounded to six places."""
    plain = {name: asdict(entry) for name, entry in sorted(found.items())}
    rounded = json.loads(json.dumps(plain), parse_float=lambda number: round(float(number), 6))
    path.write_text(json.dumps(rounded, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
    entries.cache_clear()
