"""A sweep as a YAML file: read, checked line by line, and made into its cells. Nothing runs before it is
sound.

    base: T8                 # a rung, or fields; default: the last kept rung
    set: {abstains: false}   # what every cell changes, the baseline too
    grid:                    # every combination of these is a cell
      chunker: [fixed, section]
      size: [300, 600]
      find:                  # several fields that change together
        - {name: whole, index: chunk, views: false}
        - {name: units, index: units, views: true}
    skip:                    # combinations left out
      - {chunker: fixed, index: units}
    baseline: {chunker: fixed, size: 300}
    split: all
    rank_by: mrr
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

import yaml

from lab.evaluation.sweep import BASELINE, RANKED_BY, Cell, Sweep
from lab.evaluation.sweep_fields import NAMES, impossible, made, problem
from lab.kinds import LabError
from lab.ladder.rungs import Rung
from lab.rag.pipeline import Pipeline

KEYS = ("base", "set", "grid", "skip", "baseline", "split", "rank_by")
SPLITS = ("dev", "test", "all")
LARGEST = 2_000
"""Cells at most."""
NAME = "name"


@dataclass(frozen=True, slots=True)
class _Choice:
    """One value of an axis: what it sets, how a cell's name shows it, the line it stands in."""

    shown: str
    fields: Mapping[str, Any]
    line: int


@dataclass
class _Reading:
    """The file while it is read; errors are gathered and told together."""

    file: str
    errors: list[str] = field(default_factory=list)

    def wrong(self, line: int, text: str) -> None:
        self.errors.append(f"{self.file}:{line}: {text}")

    def stop(self) -> NoReturn:
        raise LabError(
            "\n".join(self.errors), "\nNothing was run.", "An example: docs/sweep.yaml (lab sweep --help)"
        )


def load_sweep(path: Path, rung: Callable[[str | None], Rung], start: Pipeline) -> Sweep:
    """The sweep of a YAML file. `rung` gives a rung by name (None: the default one); `start` is what a base
    of fields begins with. LabError names every line that is wrong, with the values that are valid."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise LabError(
            f"The sweep {path} can't be read: {why}.", "", "An example: docs/sweep.yaml"
        ) from error
    reading = _Reading(path.name)
    top = _root(text, reading)
    unknown = [key for key in top if key not in KEYS]
    for key in unknown:
        reading.wrong(top[key][0], f"unknown key {key!r}, expected one of {', '.join(KEYS)}")
    base, told = _base(top.get("base"), reading, rung, start)
    always = _fields(top.get("set"), reading)
    axes = _axes(top.get("grid"), reading)
    skips = _list(top.get("skip"), reading)
    own = _fields(top.get("baseline"), reading)
    split = _one_of("split", top.get("split"), SPLITS, "dev", reading)
    rank_by = _one_of("rank_by", top.get("rank_by"), RANKED_BY, "mrr", reading)
    if not axes and not reading.errors:
        reading.wrong(1, "there is no 'grid': expected fields of the pipeline, each with a list of values")
    if reading.errors:
        reading.stop()
    cells = _cells(base, always, axes, skips, reading)
    baseline = _baseline(base, always, own, top.get("baseline"), cells, reading)
    if reading.errors:
        reading.stop()
    assert baseline is not None
    return Sweep(told, baseline, tuple(cells), split, rank_by)


Value = tuple[int, yaml.Node]
"""Line (from 1) and node of a value."""


def _root(text: str, reading: _Reading) -> dict[str, Value]:
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        reading.wrong(line, f"broken YAML: {error.problem}")
        reading.stop()
    except yaml.YAMLError as error:
        reading.wrong(1, f"broken YAML: {error}")
        reading.stop()
    if not isinstance(node, yaml.MappingNode):
        reading.wrong(1, f"expected a mapping with the keys {', '.join(KEYS)}")
        reading.stop()
    return _mapping(node, reading)


def _mapping(node: yaml.MappingNode, reading: _Reading) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for key, value in node.value:
        name, line = str(key.value), key.start_mark.line + 1
        if name in found:
            reading.wrong(line, f"key {name!r} stands twice, expected once")
        found[name] = line, value
    return found


def _plain(node: yaml.Node) -> Any:
    """The value of a node; None (`~`, nothing) is the empty text, as in "no reranker"."""
    value = yaml.safe_load(yaml.serialize(node, Dumper=yaml.SafeDumper))
    return "" if value is None else value


def _base(
    value: Value | None, reading: _Reading, rung: Callable[[str | None], Rung], start: Pipeline
) -> tuple[Pipeline, str]:
    """The pipeline the cells change, and its name in words."""
    if value is not None and isinstance(value[1], yaml.MappingNode):
        changes = _fields(value, reading)
        fields, wrong = made(start, changes)
        if wrong:
            reading.wrong(value[0], wrong)
            return start, ""
        return replace(start, **fields), _words(changes)
    name = None if value is None else str(_plain(value[1]))
    try:
        found = rung(name)
    except LabError as error:
        reading.wrong(value[0] if value else 1, f"{error.happened} {error.expected}".strip())
        return start, ""
    return found.pipeline, found.name


def _fields(value: Value | None, reading: _Reading, named: bool = False) -> dict[str, Any]:
    """field → value of a mapping; what is wrong is noted and left out."""
    if value is None:
        return {}
    line, node = value
    if not isinstance(node, yaml.MappingNode):
        reading.wrong(line, "expected a mapping of fields, such as {chunker: section, k: 5}")
        return {}
    found: dict[str, Any] = {}
    for name, (where, item) in _mapping(node, reading).items():
        if named and name == NAME:
            found[NAME] = str(_plain(item))
        elif _known(name, where, reading) and _good(name, item, reading):
            found[name] = _plain(item)
    return found


def _known(name: str, line: int, reading: _Reading) -> bool:
    if name not in NAMES:
        reading.wrong(line, f"unknown field {name!r}, expected one of {', '.join(NAMES)}")
    return name in NAMES


def _good(name: str, node: yaml.Node, reading: _Reading) -> bool:
    value = _plain(node)
    if wrong := problem(name, value):
        reading.wrong(node.start_mark.line + 1, f"{name}: {value!r}: {wrong}")
    return wrong is None


def _list(value: Value | None, reading: _Reading) -> list[tuple[int, dict[str, Any]]]:
    """The mappings of a list, each with its line."""
    if value is None:
        return []
    line, node = value
    if not isinstance(node, yaml.SequenceNode):
        reading.wrong(line, "expected a list of mappings, such as [{chunker: fixed, index: units}]")
        return []
    items = [(item.start_mark.line + 1, item) for item in node.value]
    return [(item[0], _fields(item, reading)) for item in items]


def _one_of(name: str, value: Value | None, known: Sequence[str], default: str, reading: _Reading) -> str:
    if value is None:
        return default
    found = str(_plain(value[1]))
    if found not in known:
        reading.wrong(value[0], f"{name}: {found!r}: expected one of {', '.join(known)}")
    return found


def _axes(value: Value | None, reading: _Reading) -> list[list[_Choice]]:
    """The axes of the grid, each the list of its choices."""
    if value is None:
        return []
    line, node = value
    if not isinstance(node, yaml.MappingNode):
        reading.wrong(line, "grid: expected fields of the pipeline, each with a list of values")
        return []
    axes = []
    for name, (where, items) in _mapping(node, reading).items():
        if not isinstance(items, yaml.SequenceNode) or not items.value:
            reading.wrong(where, f"{name}: expected a list of values, such as {name}: [1, 2]")
            continue
        together = all(isinstance(item, yaml.MappingNode) for item in items.value)
        if not together and not _known(name, where, reading):
            continue
        axis = [
            _together(name, item, reading) if together else _single(name, item, reading)
            for item in items.value
        ]
        axes.append([choice for choice in axis if choice is not None])
    return axes


def _single(name: str, item: yaml.Node, reading: _Reading) -> _Choice | None:
    if not _good(name, item, reading):
        return None
    value = _plain(item)
    return _Choice(_words({name: value}), {name: value}, item.start_mark.line + 1)


def _together(name: str, item: yaml.Node, reading: _Reading) -> _Choice | None:
    line = item.start_mark.line + 1
    found = _fields((line, item), reading, named=True)
    shown = found.pop(NAME, None)
    return _Choice(f"{name}={shown}" if shown else _words(found), found, line)


def _words(fields: Mapping[str, Any]) -> str:
    def shown(value: Any) -> str:
        return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value) or "none"

    return " ".join(f"{name}={shown(value)}" for name, value in fields.items())


def _cells(
    base: Pipeline,
    always: Mapping[str, Any],
    axes: Sequence[Sequence[_Choice]],
    skips: Sequence[tuple[int, Mapping[str, Any]]],
    reading: _Reading,
) -> list[Cell]:
    cells: dict[Pipeline, Cell] = {}
    bad: dict[str, list[tuple[str, int]]] = {}
    skipped = [0] * len(skips)
    for choices in itertools.islice(itertools.product(*axes), LARGEST + 1):
        fields = {name: value for choice in choices for name, value in choice.fields.items()}
        line = max(choice.line for choice in choices)
        if sum(len(choice.fields) for choice in choices) > len(fields):
            reading.wrong(line, f"one field is set by two axes: {' '.join(c.shown for c in choices)}")
            return []
        fields = {**always, **fields}
        name = " ".join(choice.shown for choice in choices)
        out = [at for at, (_, skip) in enumerate(skips) if skip and skip.items() <= fields.items()]
        for at in out:
            skipped[at] += 1
        if out:
            continue
        set_, wrong = made(base, fields)
        pipeline = base if wrong else replace(base, **set_)
        if reason := wrong or impossible(pipeline):
            bad.setdefault(reason, []).append((name, line))
        elif pipeline in cells:
            reading.wrong(line, f"the cells {cells[pipeline].name!r} and {name!r} are the same")
        else:
            cells[pipeline] = Cell(name, pipeline)
    for reason, found in bad.items():
        more = f" and {len(found) - 1} more" if found[1:] else ""
        reading.wrong(found[0][1], f"{found[0][0]}{more}: {reason} (leave it out with 'skip')")
    for count, (line, skip) in zip(skipped, skips, strict=True):
        if not count:
            reading.wrong(line, f"skip {_words(skip) or 'nothing'}: no combination of the grid is that")
    if len(cells) > LARGEST:
        reading.wrong(1, f"more than {LARGEST:,} cells")
    if not cells and not reading.errors:
        reading.wrong(1, "no cell is left after 'skip'")
    return list(cells.values())


def _baseline(
    base: Pipeline,
    always: Mapping[str, Any],
    own: Mapping[str, Any],
    value: Value | None,
    cells: Sequence[Cell],
    reading: _Reading,
) -> Cell | None:
    """What every cell is compared with: the cell of the grid it equals, else one more pipeline."""
    line = value[0] if value else 1
    fields, wrong = made(base, {**always, **own})
    pipeline = base if wrong else replace(base, **fields)
    if reason := wrong or impossible(pipeline):
        reading.wrong(line, f"the baseline: {reason}")
        return None
    return next((cell for cell in cells if cell.pipeline == pipeline), Cell(BASELINE, pipeline))
