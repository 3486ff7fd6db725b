"""Workspaces of one's own documents: made, read anew, listed, dropped."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from tqdm.auto import tqdm

from lab.corpus.chunk import units
from lab.corpus.own import ALWAYS, Loaded, kinds, load_own
from lab.corpus.rules import OWNER, UNLABELLED
from lab.kinds import LabError
from lab.ladder.rungs import LADDER
from lab.memory import write
from lab.memory.write import IngestReport
from lab.settings import settings
from lab.text import count_tokens
from lab.workshop import desk
from lab.workshop.desk import places
from lab.workshop.desk.places import Place

MOST_UNITS = 6_000
"""Sentences and rows up to which the second, slower embedder is used: some five minutes of embedding."""
MOST_TOKENS = 128_000
"""A window that holds everything: beyond it "all in one prompt" is no technique."""


@dataclass(frozen=True, slots=True)
class Made:
    """What was stored of a folder, and what a person must know of it."""

    place: Place
    loaded: Loaded
    report: IngestReport
    left_out: tuple[str, ...]
    """Rungs left out, each with the reason."""

    @property
    def unlabelled(self) -> list[str]:
        return [document.source for document in self.loaded.documents if document.access == UNLABELLED]

    @property
    def unread(self) -> list[str]:
        """Modules that no role but the owner's reads."""
        read = frozenset[str]().union(*self.loaded.roles.values())
        return sorted(self.loaded.modules - read - {UNLABELLED})

    def to_json(self) -> dict[str, Any]:
        documents = self.loaded.documents
        return asdict(self.report) | {
            "workspace": self.place.name,
            "folder": str(self.place.corpus),
            "documents": len(documents),
            "kinds": dict(kinds(documents)),
            "languages": dict(Counter(document.language for document in documents)),
            "rules": self.loaded.rules.source,
            "roles": {role: sorted(modules) for role, modules in self.loaded.roles.items()},
            "modules": dict(Counter(document.access for document in documents)),
            "unlabelled": self.unlabelled,
            "read_by_nobody_else": self.unread,
            "undated": sum(document.valid_from == ALWAYS for document in documents),
            "passed_over": [asdict(item) for item in self.loaded.passed],
            "rungs_left_out": list(self.left_out),
            "gold": str(self.place.gold),
        }


def new(name: str, folder: Path | None = None) -> Made:
    """Stores a folder in a workspace of its own; called again, reads the same folder anew. LabError when the
    name stands for another folder."""
    known = places.place(name) if places.named(name) in places.names() else None
    if folder is None:
        if known is None:
            raise LabError(
                f"There is no workspace {name!r} yet.", "Its folder.", f"python start.py new {name} DIR"
            )
        return _stored(known)
    source = folder.expanduser().resolve()
    if known is not None and known.corpus != source:
        raise LabError(
            f"{name} stands for {known.corpus}.",
            "One folder for each workspace.",
            f"Choose another name, or: python start.py drop {name}",
        )
    where = places.folder_of(name)
    return _stored(Place(places.workspace_of(name), source, where / "gold.jsonl", name, OWNER))


def store_anew(where: Place) -> dict[str, Any]:
    """The folder of a workspace read anew; returns what changed, as `desk.ingest` does."""
    made = _stored(where)
    return asdict(made.report) | {"documents": len(made.loaded.documents), "folder": str(where.corpus)}


def drop(name: str) -> list[str]:
    """Removes the documents, all that was made of them, and the roles of a workspace. Its exam and report
    stay, under a dated name; returns what was done, a line each."""
    where = places.place(name)
    found = desk.ready()
    for role in write.roles(found, where.workspace):
        write.allow(found, where.workspace, role, ())
    report = write.ingest(found, (), lambda _: [], workspace=where.workspace, links=())
    done = [f"{report.removed} documents removed"]
    (where.folder / "workspace.json").unlink()
    if left := sorted(path.name for path in where.folder.iterdir()):
        kept = where.folder.with_name(f"{name}.{datetime.now():%Y-%m-%d-%H%M%S}")
        where.folder.rename(kept)
        done.append(f"{', '.join(left)} kept in {kept}")
    return done


def _stored(where: Place) -> Made:
    loaded = load_own(where.corpus, settings().own_mb, _bar)
    desk.say(f"{len(loaded.documents)} documents in {where.corpus}; embedding what is new …")
    left_out = _too_large(loaded)
    where = replace(where, without=tuple(left_out))
    found = desk.ready()
    now = loaded.roles | {OWNER: loaded.modules | {UNLABELLED}}
    # Rights are taken before the documents change, and given after: meanwhile too few may read, not too many.
    for role, modules in write.roles(found, where.workspace).items():
        write.allow(found, where.workspace, role, modules & now.get(role, frozenset()))
    report = desk.keep(loaded.documents, where)
    for role, modules in now.items():
        write.allow(found, where.workspace, role, modules)
    places.keep(where)
    return Made(where, loaded, report, tuple(f"{name}: {why}" for name, why in left_out.items()))


def _too_large(loaded: Loaded) -> dict[str, str]:
    """Rung → why it is not climbed on this corpus."""
    found: dict[str, str] = {}
    count = sum(len(units(document)) for document in loaded.documents)
    if count > MOST_UNITS:
        why = f"{count:,} sentences and rows, more than the {MOST_UNITS:,} its slower embedder is used for"
        found |= {item.name: why for item in LADDER if item.fields.get("second")}
    tokens = sum(count_tokens(document.text) for document in loaded.documents)
    if tokens > MOST_TOKENS:
        why = f"{tokens:,} tokens do not fit into one prompt of {MOST_TOKENS:,}"
        found |= {item.name: why for item in LADDER if item.fields.get("full_context")}
    return found


def _bar(files: list[tuple[Path, str]]) -> Iterable[tuple[Path, str]]:
    bar: Iterable[tuple[Path, str]] = tqdm(
        files, desc="reading", unit="file", file=sys.stderr, leave=False, delay=2, disable=desk.quiet()
    )
    return bar


def listed() -> list[dict[str, Any]]:
    """The workspaces there are: name, folder, documents, questions."""
    rows = []
    for name in places.names():
        where = places.place(name)
        lines = where.gold.read_text(encoding="utf-8").splitlines() if where.gold.exists() else []
        rows.append(
            {
                "workspace": name,
                "folder": str(where.corpus),
                "gold": str(where.gold) if lines else "",
                "questions": sum(bool(line.strip()) for line in lines),
            }
        )
    return rows
