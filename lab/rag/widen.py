"""Units are found, something wider is read: what the reader is handed for a hit ("small to big").

Every mode is a spec of the pipeline's field `widen`, each also with "+line": document, section and date in
the place of the heading, for texts that have none, such as mails.

- `unit`: the best sentences and rows of the hit alone (small only);
- `neighbours`: those with the unit before and after;
- `paragraph`: the paragraphs, list items and tables they stand in;
- `parent`: the whole section, also where it was stored in several parts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lab.corpus.blocks import Block, blocks
from lab.corpus.suspects import cut
from lab.corpus.tables import header_rows
from lab.kinds import NO_SECTION, Chunk, Hit, LabError, Sight
from lab.memory import search as memory
from lab.memory.visibility import View, looking
from lab.rag.engine import Engine
from lab.rag.pipeline import Pipeline
from lab.rag.trace import Trace
from lab.text import calm, count_tokens

MODES = ("unit", "neighbours", "paragraph", "parent")
LINE = "+line"
BEST = 4
"""Units of a hit that are widened. Chosen on the dev questions."""
PARTS = 8
"""Stored parts on either side that are looked for as the rest of a section."""
_ORDINAL = re.compile(r"/(\d+)$")


@dataclass(frozen=True, slots=True)
class _Place:
    """A unit within the text of its parent: its span, its block, its ordinal in the document."""

    first: int
    last: int
    block: int
    ordinal: int


def widen(
    question: str, hits: Sequence[Hit], sight: Sight, pipeline: Pipeline, engine: Engine, trace: Trace
) -> list[Hit]:
    """The hits with the first `pipeline.read` of them as they are read; those behind unchanged.

    Looks with the asker's sight. With the pipeline's guard what is fetched is guarded like the hits. Chunks
    without stored units stay as they are. LabError for a spec that is none."""
    mode, line_too = _mode(pipeline.widen)
    first, rest = hits[: pipeline.read], hits[pipeline.read :]
    with trace.step("widen", len(first)) as line:
        before = sum(count_tokens(hit.chunk.text) for hit in first)
        with looking(engine.read, sight) as view:
            if mode == "parent":
                wide = [replace(hit, chunk=_whole(hit.chunk, view, pipeline.guard)) for hit in first]
            else:
                wide = _around(question, first, mode, view, pipeline, engine)
        if line_too:
            wide = [replace(hit, chunk=replace(hit.chunk, heading=_line(hit.chunk))) for hit in wide]
        wide = _once(wide)
        line.out = len(wide)
        line.detail |= {"mode": pipeline.widen, "tokens before": before}
        line.detail["tokens after"] = sum(count_tokens(hit.chunk.text) for hit in wide)
    return [*wide, *rest]


def _once(hits: Sequence[Hit]) -> list[Hit]:
    """Without repetitions: two parts of one section have one parent."""
    chosen: dict[str, Hit] = {}
    for hit in hits:
        chosen.setdefault(hit.chunk.id, hit)
    return list(chosen.values())


def _mode(spec: str) -> tuple[str, bool]:
    mode, plus, _ = spec.partition(LINE)
    if mode not in MODES or spec != mode + plus:
        raise LabError(
            f"There is no way {spec!r} to widen a hit.",
            f"Known: {', '.join(MODES)}, each also with {LINE}.",
            "Leave the field empty to read hits as they are.",
        )
    return mode, bool(plus)


def _line(chunk: Chunk) -> str:
    section = "" if chunk.section == NO_SECTION else f", § {chunk.section}"
    where = f"{chunk.document}{section}, {chunk.label.valid_from:%Y-%m-%d}"
    return f"{chunk.heading} ({where})" if chunk.heading else where


def _whole(chunk: Chunk, view: View, guarded: bool) -> Chunk:
    """The section that this chunk is a part of; itself when it is all of it."""
    match = _ORDINAL.search(chunk.id)
    if chunk.chunker != "section" or not match:
        return chunk
    own, stem = int(match[1]), chunk.id[: match.start()]
    near = [f"{stem}/{n}" for n in range(max(0, own - PARTS), own + PARTS + 1)]
    parts = memory.fetch(view, near)
    parts[chunk.id] = chunk  # as it stands: the guard may have cut it
    chosen = [parts[key] for key in near if key in parts]
    if len(chosen) < 2:
        return chunk
    if guarded:
        chosen = [cut(part)[0] for part in chosen]
    text = "\n\n".join(part.text for part in chosen if part.text)
    return replace(
        chunk,
        id=f"parent:{stem.partition(':')[2]}/{chosen[0].ordinal}",
        chunker="parent",
        text=text,
        suspect=(),
    )


def _around(
    question: str, hits: Sequence[Hit], mode: str, view: View, pipeline: Pipeline, engine: Engine
) -> list[Hit]:
    families = memory.children(view, [hit.chunk.id for hit in hits])
    units = [unit for family in families.values() for unit in family]
    scores = _scores(question, units, view, pipeline, engine)
    return [
        replace(hit, chunk=_narrowed(hit.chunk, families[hit.chunk.id], scores, mode))
        if hit.chunk.id in families
        else hit
        for hit in hits
    ]


def _scores(
    question: str, units: Sequence[Chunk], view: View, pipeline: Pipeline, engine: Engine
) -> dict[str, float]:
    """Unit → sum of its cosines to the question, each embedder's in its own standard deviations."""
    total = dict.fromkeys((unit.id for unit in units), 0.0)
    for embedder in engine.embedders(pipeline.embedders):
        vectors = memory.vectors(view, embedder.space, list(total))
        if not vectors:
            continue
        cosines = np.stack(list(vectors.values())) @ embedder.queries([calm(question)])[0]
        normal = (cosines - cosines.mean()) / max(float(cosines.std()), 1e-9)
        for key, value in zip(vectors, normal.tolist(), strict=True):
            total[key] += value
    return total


def _narrowed(chunk: Chunk, family: Sequence[Chunk], scores: Mapping[str, float], mode: str) -> Chunk:
    """The chunk cut down to its best units and what `mode` reads with them."""
    lines = chunk.text.split("\n")
    starts = [0]
    for text in lines:
        starts.append(starts[-1] + len(text) + 1)
    found = list(blocks(lines))
    places = _places(chunk.text, family, found, starts)
    ranked = sorted(
        (unit for unit in family if unit.ordinal in places), key=lambda unit: (-scores[unit.id], unit.ordinal)
    )
    best = [unit.ordinal for unit in ranked[:BEST]]
    if not best:
        return chunk
    order = sorted(places)
    at = {ordinal: number for number, ordinal in enumerate(order)}
    step = 1 if mode == "neighbours" else 0
    chosen = {
        order[n]
        for ordinal in best
        for n in range(max(0, at[ordinal] - step), min(len(order), at[ordinal] + step + 1))
    }
    if mode == "paragraph":
        held = {places[ordinal].block for ordinal in best}
        chosen |= {ordinal for ordinal in order if places[ordinal].block in held}
    chosen |= {
        lead for ordinal in chosen if (lead := _lead(chunk.text, places, order, ordinal, found)) is not None
    }
    text = _joined(chunk.text, [places[ordinal] for ordinal in sorted(chosen)], found, starts)
    where = f"{chunk.document}@{chunk.label.edition}#{chunk.section}"
    return replace(
        chunk,
        id=f"{mode}:{where}/{'.'.join(map(str, sorted(chosen)))}",
        chunker=mode,
        text=text,
        parent=chunk.id,
        suspect=(),  # what was suspect is cut before, or not looked for
    )


def _places(
    text: str, family: Sequence[Chunk], found: Sequence[Block], starts: Sequence[int]
) -> dict[int, _Place]:
    """Where each unit stands, by its ordinal; units that the text no longer holds have no place."""
    places: dict[int, _Place] = {}
    here = 0
    for unit in sorted(family, key=lambda unit: unit.ordinal):
        first = text.find(unit.text, here)
        if first < 0:
            continue
        here = first + len(unit.text)
        block = next(
            (n for n, block in enumerate(found) if starts[block.first] <= first < starts[block.last]), -1
        )
        places[unit.ordinal] = _Place(first, here, block, unit.ordinal)
    return places


def _lead(
    text: str, places: Mapping[int, _Place], order: Sequence[int], ordinal: int, found: Sequence[Block]
) -> int | None:
    """The unit that leads into the list this one is an item of ("There are three ways:")."""
    place = places[ordinal]
    if place.block < 0 or found[place.block].kind != "item":
        return None
    number = place.block
    while number >= 0 and found[number].kind == "item":
        number -= 1
    before = [other for other in order if other < ordinal and places[other].block == number]
    if not before or not text[: places[before[-1]].last].rstrip().endswith(":"):
        return None
    return before[-1]


def _joined(text: str, places: Sequence[_Place], found: Sequence[Block], starts: Sequence[int]) -> str:
    """The places' words in order; a row comes with its table's header, what stood apart stays apart."""
    out = ""
    before: _Place | None = None
    for place in places:
        block = found[place.block] if place.block >= 0 else None
        if before is not None and before.block == place.block and block is not None and block.kind == "table":
            out += "\n"
        elif before is not None:
            gap = text[before.last : place.first]
            out += gap if not gap.strip() else "\n\n"
        if block is not None and block.kind == "table" and (before is None or before.block != place.block):
            out += _header(text, block, starts, place)
        out += text[place.first : place.last]
        before = place
    return out


def _header(text: str, block: Block, starts: Sequence[int], place: _Place) -> str:
    """The header lines of a table, with a line end; empty when the place holds them itself."""
    rows = text[starts[block.first] : starts[block.last] - 1].split("\n")
    count = header_rows([row.strip() for row in rows])
    end = starts[block.first + count]
    return text[starts[block.first] : end] if count and place.first >= end else ""
