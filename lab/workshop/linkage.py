"""Links and consolidated texts for the command line and the notebooks. Everything is read with a role."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

import networkx as nx

from lab.corpus.claims import Refused, catalogue, checked, readable
from lab.corpus.consolidated import Part, consolidate
from lab.corpus.links import KINDS, Link
from lab.corpus.links import propose as rules
from lab.corpus.load import load_folder
from lab.corpus.naming import is_announcement
from lab.kinds import Chunk, Document, LabError, Section, Sight
from lab.memory import links as keep
from lab.memory import server, write
from lab.memory.connect import reader
from lab.memory.links import Kept
from lab.memory.server import Server
from lab.memory.visibility import View, looking
from lab.models.ollama_links import claimed
from lab.settings import settings


@dataclass(frozen=True, slots=True)
class Consolidated:
    """A document in one edition, as a role may read it on a day."""

    document: str
    title: str
    edition: str
    as_of: date
    parts: tuple[Part, ...]


def links(role: str = "employee", found: Server | None = None, workspace: str | None = None) -> list[Kept]:
    """Every link of which the role may read both ends, undone ones too. LabError for an unknown role."""
    own, place = found or server.up(), workspace or settings().workspace
    with reader(own) as connection, looking(connection, _sight(own, place, role, None)) as view:
        return keep.listed(view)


def decide(
    key: str, state: str, role: str = "employee", found: Server | None = None, workspace: str | None = None
) -> Kept:
    """Confirms or undoes a link that the role may see, and returns it. LabError for an id it does not see."""
    own, place = found or server.up(), workspace or settings().workspace
    if key not in {kept.link.id for kept in links(role, own, place)}:
        raise keep.unknown(key)
    keep.decide(own, key, state, role, place)
    return next(kept for kept in links(role, own, place) if kept.link.id == key)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a model was asked and what came of it: links that are new, claims refused, prompt tokens."""

    documents: int
    links: tuple[Link, ...]
    refused: tuple[Refused, ...]
    prompt_tokens: int


def propose(
    model: str,
    folder: Path | None = None,
    found: Server | None = None,
    workspace: str | None = None,
    progress: Callable[[Sequence[Document]], Iterable[Document]] = iter,
) -> Asked:
    """Lets a model (`ollama:NAME`) look at each announcement and mail for links that the rules missed, and
    stores what the documents bear out; none is followed before it is confirmed. LabError for another spec."""
    name = model.removeprefix("ollama:")
    if name == model or not name:
        raise LabError(f"{model!r} can't propose links.", "ollama:<model>, e.g. ollama:gemma3:4b.")
    own, place = found or server.up(), workspace or settings().workspace
    documents = load_folder((folder or settings().corpus).expanduser())
    known, lines = rules(documents), catalogue(documents)
    spoken = [one for one in documents if one.kind == "mail" or is_announcement(one)]
    links: list[Link] = []
    refused: list[Refused] = []
    tokens = 0
    for one in progress(spoken):
        reply = claimed(name, readable(one), one.valid_from.isoformat(), lines, KINDS)
        borne, denied = checked(one, reply.claims, documents, known, model)
        links, refused, tokens = [*links, *borne], [*refused, *denied], tokens + reply.prompt_tokens
        keep.add(own, borne, place)  # one after the other: what a model took minutes for is not lost
    return Asked(len(spoken), tuple(links), tuple(refused), tokens)


def consolidated(
    document: str,
    as_of: date | None = None,
    role: str = "employee",
    found: Server | None = None,
    workspace: str | None = None,
) -> Consolidated:
    """The text of a document in force on a day (default: today), amended sections with their sources.

    LabError when there is none that the role may read on that day: in the same words whether it is hidden,
    not valid, or not there."""
    own, place, day = found or server.up(), workspace or settings().workspace, as_of or date.today()
    with reader(own) as connection, looking(connection, _sight(own, place, role, day)) as view:
        chunks = keep.texts(view, "section", {(document, None)})
        if not chunks:
            raise LabError(
                f"There is no document {document!r} that the role {role} may read on {day.isoformat()}.",
                "",
                "Another day or role: --as-of 2025-06-15 --as hr",
            )
        return _consolidated(view, document, chunks, day)


def diff(left: Consolidated, right: Consolidated) -> list[tuple[str, str, str, str]]:
    """(section number, title, text on the left day, on the right day) of the sections that differ, in the
    order of the right; "" where a day has no such section."""
    before = {part.number: part for part in left.parts}
    after = {part.number: part for part in right.parts}
    found = []
    for number in [*after, *(number for number in before if number not in after)]:
        one, two = before.get(number), after.get(number)
        texts = tuple(_in_force(part) if part else "" for part in (one, two))
        if texts[0] != texts[1]:
            shown = two or one
            assert shown is not None
            found.append((number, shown.title, texts[0], texts[1]))
    return found


def changed(left: str, right: str) -> list[tuple[bool, str, str]]:
    """(same, words on the left, on the right) of two texts, for showing them side by side."""
    one, two = re.findall(r"\S+\s*", left), re.findall(r"\S+\s*", right)
    blocks = difflib.SequenceMatcher(None, one, two, autojunk=False).get_opcodes()
    return [(tag == "equal", "".join(one[a:b]), "".join(two[c:d])) for tag, a, b, c, d in blocks]


def graph(found: Iterable[Link | Kept]) -> nx.DiGraph:
    """An edge from each changing place to the place it changes. Nodes are `document#section`, with
    `document`; edges carry kind, evidence, values, dates, confidence, and the state where it is known. Of the
    copies that editions make of one announcement the newest is drawn."""
    drawn: nx.DiGraph = nx.DiGraph()
    for item in found:
        link, state = (item.link, item.state) if isinstance(item, Kept) else (item, "proposed")
        source = f"{link.source_document}#{link.source_section}"
        for node, document in ((source, link.source_document), (link.target, link.target_document)):
            drawn.add_node(node, document=document)
        values = f"{link.old} → {link.new}" if link.old or link.new else ""
        known = drawn.get_edge_data(source, link.target)
        if known and values and values not in known["values"] and known["edition"] == link.source_edition:
            values = f"{known['values']}; {values}"
        drawn.add_edge(
            source,
            link.target,
            id=link.id,
            kind=link.kind,
            edition=link.source_edition,
            values=values,
            valid_from=link.valid_from,
            valid_to=link.valid_to,
            evidence=link.evidence,
            confidence=link.confidence,
            state=state,
        )
    return drawn


def links_json(found: Sequence[Kept]) -> dict[str, Any]:
    """The object of `lab links --json`."""
    return {
        "links": [
            asdict(kept.link)
            | {"source": kept.link.source, "target": kept.link.target, "state": kept.state}
            | {"decided_by": kept.decided_by, "decided_at": kept.decided_at}
            for kept in found
        ]
    }


def consolidated_json(found: Consolidated, other: Consolidated | None = None) -> dict[str, Any]:
    """The object of `lab consolidated --json`; with another day also what differs."""
    plain = asdict(found)
    if other is not None:
        plain["diff"] = {
            "as_of": other.as_of,
            "edition": other.edition,
            "sections": [
                dict(zip(("number", "title", "text", "other"), row, strict=True))
                for row in diff(found, other)
            ],
        }
    return plain


def _sight(found: Server, workspace: str, role: str, day: date | None) -> Sight:
    known = write.roles(found, workspace)
    if role not in known:
        raise LabError(f"There is no role {role!r}.", f"The roles are {', '.join(sorted(known))}.")
    return Sight(frozenset({role}), day, workspace=workspace)


def _consolidated(view: View, document: str, chunks: Sequence[Chunk], day: date) -> Consolidated:
    newest = max(chunk.label.valid_from for chunk in chunks)
    own = [chunk for chunk in chunks if chunk.label.valid_from == newest]
    sections: dict[str, Section] = {}
    for chunk in own:
        known = sections.get(chunk.section)
        text = f"{known.text}\n\n{chunk.text}" if known else chunk.text
        sections[chunk.section] = Section(chunk.section, chunk.heading, text)
    found = keep.following(view, {(document, number) for number in sections})
    parts = consolidate(document, list(sections.values()), newest, found, day)
    return Consolidated(document, own[0].title, own[0].label.edition, day, tuple(parts))


def _in_force(part: Part) -> str:
    if part.state == "not in force":
        return "\n".join(f"[{note.evidence}]" for note in part.notes)
    return part.text + "".join(f"\n[{note.evidence}]" for note in part.notes if part.text == part.printed)
