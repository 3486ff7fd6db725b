"""Notebooks from one source: `notebooks/src/NN_name.py` → `notebooks/en` and `notebooks/tr`, with the outputs
of a real run.

A source is Python in the percent format. Code cells are shared; markdown cells are tagged `en` or `tr`, each
English one followed by its Turkish twin. `{{T2.published.mrr}}` in prose is a figure of the newest whole
climb (see `lab.workshop.figures.value`)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import nbformat

from lab.evaluation.ledger import RungRow
from lab.kinds import LabError
from lab.settings import ROOT
from lab.workshop import figures
from lab.workshop.words import LANGUAGES

FOLDER = ROOT / "notebooks"
SECONDS = 300
"""A notebook that runs longer is stopped."""
_FIGURE = re.compile(r"\{\{\s*([\w.@-]+)\s*\}\}")
_OPENS = re.compile(r'Lesson\("(\w+)", "en"\)')
_TIME = re.compile(r'<span class="t">.*?</span>|[\d.,]+ ?(?:ms|s|sn)\b')
_NUMBER = re.compile(r"(?<![\w.#@-])[+-]?\d[\d,]*(?:\.\d+)?(?![\w@#-])")
_BAR = re.compile(r"^[^\n]*\d%\|[^\n]*\[\d+:\d\d<")
_VIEW, _STATE = "application/vnd.jupyter.widget-view+json", "application/vnd.jupyter.widget-state+json"
_HIDDEN = re.compile(r"<style>.*?</style>|<svg.*?</svg>|<[^>]+>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something a check found: where, and what is wrong."""

    place: str
    what: str

    def __str__(self) -> str:
        return f"{self.place}: {self.what}"


def names() -> list[str]:
    """The sources' names in their order."""
    return sorted(path.stem for path in (FOLDER / "src").glob("[0-9][0-9]_*.py"))


def place(name: str, language: str) -> Path:
    """Where the built notebook stands."""
    return FOLDER / language / f"{name}.ipynb"


def wanted(chosen: Sequence[str]) -> list[str]:
    """The sources meant by names or their numbers ("02"); all for none. LabError for an unknown one."""
    known = names()
    found = []
    for word in chosen:
        matches = [name for name in known if word in (name, name[:2], name.split("_", 1)[1])]
        if not matches:
            raise LabError(f"There is no notebook {word!r}.", f"There are {', '.join(known)}.")
        found += matches
    return found or known


def build(name: str, language: str, figure: Callable[[str], str]) -> Any:
    """The notebook of one language, without outputs. `figure` gives what a name in prose stands for.

    LabError for a markdown cell without its twin."""
    import jupytext

    source = jupytext.read(FOLDER / "src" / f"{name}.py", fmt="py:percent")
    cells: list[Any] = []
    for cell in _paired(name, source.cells):
        tags = cell.metadata.get("tags", [])
        if cell.cell_type == "markdown":
            if language not in tags:
                continue
            text = _FIGURE.sub(lambda found: f"<!--f:{found[1]}-->{figure(found[1])}<!--/f-->", cell.source)
            made = nbformat.v4.new_markdown_cell(text)
        else:
            made = nbformat.v4.new_code_cell(_OPENS.sub(rf'Lesson("\1", "{language}")', cell.source))
        made["id"] = f"{name[:2]}-{len(cells):02d}"
        cells.append(made)
    made = nbformat.v4.new_notebook(cells=cells)
    made.metadata = {
        "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return made


def _paired(name: str, cells: Sequence[Any]) -> Sequence[Any]:
    """The cells, once each English markdown cell was seen to be followed by a Turkish one."""
    waiting = False
    for number, cell in enumerate(cells, start=1):
        tags = cell.metadata.get("tags", []) if cell.cell_type == "markdown" else []
        spoken = [language for language in LANGUAGES if language in tags]
        right = spoken == ["tr"] if waiting else (spoken == ["en"] or cell.cell_type != "markdown")
        if not right or (waiting and not cell.source.strip()):
            raise LabError(
                f"notebooks/src/{name}.py, cell {number}: half translated.",
                'A markdown cell tagged ["en"], then its twin tagged ["tr"].',
            )
        waiting = spoken == ["en"]
    if waiting:
        raise LabError(f"notebooks/src/{name}.py: the last English cell has no Turkish twin.")
    return cells


def figure_from(rows: Sequence[RungRow]) -> Callable[[str], str]:
    """What a figure's name stands for in the newest climb."""
    return lambda name: figures.value(name, rows)


def run(notebook: Any) -> Any:
    """The notebook with the outputs of a fresh kernel. LabError names the cell that failed."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError

    fresh = nbformat.from_dict(notebook)
    client = NotebookClient(
        fresh,
        timeout=SECONDS,
        kernel_name="python3",
        resources={"metadata": {"path": str(FOLDER)}},
        extra_arguments=["--log-level=40"],  # it would say that it speaks over TCP, at each start
    )
    try:
        client.execute()
    except CellExecutionError as error:
        raise LabError("A cell failed.", re.sub(r"\x1b\[[\d;]*m", "", str(error))) from None
    except CellTimeoutError as error:
        raise LabError(f"A cell ran longer than {SECONDS} s.", str(error)) from None
    for cell in fresh.cells:
        cell.metadata.pop("execution", None)  # when it ran: another one each time
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if not _passing(output)]
    _drop_orphans(fresh)
    return fresh


def _passing(output: Any) -> bool:
    """Whether it only told of work under way: stderr, and where a progress bar stood when it was closed."""
    plain = output.get("data", {}).get("text/plain", "")
    return output.get("name") == "stderr" or bool(_BAR.search(plain if isinstance(plain, str) else plain[0]))


def _drop_orphans(notebook: Any) -> None:
    """Forget the state of widgets that no output shows any longer, and of what hung on them alone."""
    held = notebook.metadata.get("widgets", {}).get(_STATE, {}).get("state", {})
    shown = [
        output.get("data", {}).get(_VIEW) for cell in notebook.cells for output in cell.get("outputs", [])
    ]
    waiting, reached = [view["model_id"] for view in shown if view], set()
    while waiting:
        if (model := waiting.pop()) in held and model not in reached:
            reached.add(model)
            waiting += re.findall(r"IPY_MODEL_(\w+)", json.dumps(held[model]))
    for model in set(held) - reached:
        del held[model]
    if held == {}:
        notebook.metadata.pop("widgets", None)


def write(notebook: Any, path: Path) -> None:
    """As nbformat writes it, in UTF-8 with Unix line ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = nbformat.writes(notebook, version=4)
    path.write_text(text.rstrip("\n") + "\n", encoding="utf-8", newline="\n")


def read(path: Path) -> Any:
    """A notebook from disk. LabError where there is none."""
    if not path.exists():
        raise LabError(
            f"{path.relative_to(FOLDER.parent)} is missing.",
            "",
            f"python start.py notebooks build {path.stem}",
        )
    return nbformat.read(path, as_version=4)


def stale(name: str, language: str) -> list[Problem]:
    """Where the committed notebook is not what its source makes. Figures in prose are left out: they are
    compared with the ledger by `prose`."""
    committed = read(place(name, language))
    made = build(name, language, lambda _: "")
    here = f"{language}/{name}"
    old = [(cell.cell_type, _without_figures(cell.source)) for cell in committed.cells]
    new = [(cell.cell_type, _without_figures(cell.source)) for cell in made.cells]
    if old != new:
        return [Problem(here, f"stale; python start.py notebooks build {name}")]
    empty = [cell.id for cell in committed.cells if cell.cell_type == "code" and cell.execution_count is None]
    return [Problem(here, f"cell {cell} was never run") for cell in empty]


def prose(name: str, language: str, rows: Sequence[RungRow]) -> list[Problem]:
    """Figures in the prose that the ledger no longer supports."""
    found = []
    for cell in read(place(name, language)).cells:
        if cell.cell_type == "markdown":
            for match in figures.FIGURE.finditer(cell.source):
                now = figures.value(match[2], rows)
                if not figures.agree(match[3], now):
                    found.append(Problem(f"{language}/{name}", f"{match[2]} is {now}, not {match[3]}"))
    return found


def differing(name: str, language: str, fresh: Any) -> list[Problem]:
    """Figures in the committed outputs that a fresh run does not show again; times aside."""
    committed = read(place(name, language))
    found = []
    for old, new in zip(committed.cells, fresh.cells, strict=True):
        before, after = list(_numbers(old)), list(_numbers(new))
        same = len(before) == len(after) and all(map(figures.agree, before, after))
        if not same:
            moved = next(
                ((a, b) for a, b in zip(before, after, strict=False) if not figures.agree(a, b)), None
            )
            what = f"{moved[0]} is now {moved[1]}" if moved else f"{len(before)} figures, now {len(after)}"
            found.append(Problem(f"{language}/{name}, cell {old.id}", f"the output has changed: {what}"))
    return found


def _numbers(cell: Any) -> Iterator[str]:
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        text = data.get("text/html") or data.get("text/plain") or output.get("text", "")
        text = text if isinstance(text, str) else "".join(text)
        yield from _NUMBER.findall(unescape(_HIDDEN.sub(" ", _TIME.sub(" ", text))))


def _without_figures(text: str) -> str:
    return figures.FIGURE.sub(lambda match: match[1] + match[4], text)
