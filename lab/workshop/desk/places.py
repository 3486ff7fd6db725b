"""Where the desk works: the lab's own corpus, or a workspace of somebody's own documents."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from lab.corpus.rules import OWNER, read_rules
from lab.evaluation.gold import Question, load_gold
from lab.evaluation.leaks import EVERYTHING, READS, Reads
from lab.kinds import LabError
from lab.ladder import rungs
from lab.memory import homes, server, write
from lab.settings import settings

FOLDER = "workspaces"
_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}$")


@dataclass(frozen=True, slots=True)
class Place:
    """A corpus, its exam, and the workspace of the memory core that holds both apart from all others."""

    workspace: str
    corpus: Path
    gold: Path
    name: str = ""
    """Name of a workspace of own documents; empty for the lab's."""
    role: str = "employee"
    """Who asks, unless somebody else is named."""
    without: tuple[str, ...] = ()
    """Rungs that this corpus is too large for."""

    @property
    def own(self) -> bool:
        return bool(self.name)

    @property
    def folder(self) -> Path:
        """Where the files of a workspace of own documents stand."""
        return self.gold.parent

    @property
    def option(self) -> str:
        """What a command needs to be told, with a space before it."""
        return f" --workspace {self.name}" if self.own else ""


def place(name: str | None = None) -> Place:
    """The workspace of that name; None: the lab's own. LabError for one that was never made."""
    if not name:
        return Place(settings().workspace, settings().corpus, settings().gold)
    path = folder_of(name) / "workspace.json"
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
        return Place(
            workspace_of(name),
            Path(known["folder"]),
            path.parent / "gold.jsonl",
            name,
            OWNER,
            tuple(known["without"]),
        )
    except FileNotFoundError:
        there = ", ".join(names()) or "none yet"
        raise LabError(
            f"There is no workspace {name!r}.", f"Workspaces: {there}.", f"python start.py new {name} DIR"
        ) from None
    except (ValueError, KeyError, TypeError):
        raise LabError(
            f"{path} can't be read.", "", f"Make it anew: python start.py new {name} DIR"
        ) from None


def keep(found: Place) -> None:
    """Remembers a workspace; whole or not at all."""
    found.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    known = {"folder": str(found.corpus), "without": list(found.without)}
    beside = found.folder / "workspace.new"
    beside.write_text(json.dumps(known, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    beside.replace(found.folder / "workspace.json")


def names() -> list[str]:
    """The workspaces of own documents there are."""
    return sorted(path.parent.name for path in (server.home() / FOLDER).glob("*/workspace.json"))


def named(name: str) -> str:
    """The name, if a workspace can have it; else LabError."""
    if not _NAME.match(name) or name == settings().workspace:
        raise LabError(
            f"{name!r} can't be the name of a workspace.",
            "Up to 40 of a–z, 0–9 and -, beginning with a letter; not that of the lab's own.",
            "python start.py new my-club DIR",
        )
    return name


def folder_of(name: str) -> Path:
    """Where a workspace keeps its files: exam, report, what it is made of."""
    home = server.home()
    homes.make(home)
    return home / FOLDER / named(name)


def workspace_of(name: str) -> str:
    """Its name in the memory core, where no benchmark and no mind can have the same."""
    return f"own:{name}"


def exam(where: Place, found: server.Server) -> list[Question]:
    """The questions of a place. LabError for a missing or malformed file, and for a role that nobody has."""
    if where.own and not where.gold.exists():
        raise LabError(
            f"{where.name} has no questions yet.",
            f"A gold file: {where.gold}",
            f"python start.py gold draft {where.name}",
        )
    questions = load_gold(where.gold)
    known = write.roles(found, where.workspace)
    for question in questions:
        if question.role not in known:
            raise LabError(
                f"{where.gold.name}: {question.id} is asked by {question.role!r}, "
                f"a role that {where.name} does not have.",
                f"The roles are {', '.join(sorted(known))}.",
                f"Correct it in {where.gold}.",
            )
    return questions


def rights(where: Place) -> Reads:
    """The examiner's table: read from the rules' file, not from the database that it examines."""
    if not where.own:
        return READS
    return dict(read_rules(where.corpus).roles) | {OWNER: frozenset({EVERYTHING})}


def ladder(where: Place) -> tuple[str, ...]:
    """The rungs that are climbed there."""
    return tuple(name for name in rungs.NAMES if name not in where.without)
