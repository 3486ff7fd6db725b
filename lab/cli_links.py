"""`lab links …` and `lab consolidated …`. Thin, as `lab.cli` is."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from lab.cli_say import Json, emit, out
from lab.kinds import LabError

links = typer.Typer(
    invoke_without_command=True,
    help="What amends what: the links that the rules found, with their sentences.",
)

Role = Annotated[str, typer.Option("--as", help="Who looks: employee, hr, finance or intern.")]
Id = Annotated[str, typer.Argument(metavar="ID", help="As `lab links` shows it.")]


@links.callback()
def links_list(context: typer.Context, role: Role = "employee", as_json: Json = False) -> None:
    """List the links between documents that a role may see."""
    if context.invoked_subcommand is not None:
        return
    from lab.workshop import desk, linkage

    desk.up()
    found = linkage.links(role)
    if as_json:
        emit(linkage.links_json(found))
    elif not found:
        out.print("No links. They are found when documents are stored: python start.py ingest")
    else:
        for kept in found:
            out.print(_line(kept))


def _line(kept: Any) -> Text:
    link = kept.link
    until = f" until {link.valid_to.isoformat()}" if link.valid_to else ""
    values = f": {link.old or '–'} → {link.new or '–'}" if link.old or link.new else ""
    text = Text(f"{link.id}  ", style="" if kept.state != "undone" else "dim")
    text.append(f"{link.source} {link.kind} {link.target}", style="bold")
    text.append(
        f" from {link.valid_from.isoformat()}{until}{values}  ({kept.state}, {link.confidence:.2f})\n"
    )
    return text.append(f"  “{link.evidence}”", style="italic")


@links.command("undo")
def links_undo(key: Id, role: Role = "employee", as_json: Json = False) -> None:
    """Take a wrong link out of use. It stays listed, and the next ingest does not bring it back."""
    _decide(key, "undone", role, as_json)


@links.command("confirm")
def links_confirm(key: Id, role: Role = "employee", as_json: Json = False) -> None:
    """Say that a link is right; this also takes an undoing back."""
    _decide(key, "confirmed", role, as_json)


def _decide(key: str, state: str, role: str, as_json: bool) -> None:
    from lab.workshop import desk, linkage

    desk.up()
    kept = linkage.decide(key, state, role)
    if as_json:
        emit(linkage.links_json([kept])["links"][0])
    else:
        out.print(Text(f"{kept.link.source} {kept.link.kind} {kept.link.target}: {kept.state}."))


@links.command("propose")
def links_propose(
    model: Annotated[str, typer.Option(help="ollama:<model>, e.g. ollama:gemma3:4b.")],
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="Default: the Kraken Air corpus in data/.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Let a model look for links that the rules missed. None is followed before you confirm it."""
    from lab.workshop import desk, linkage

    desk.up()
    asked = linkage.propose(
        model, folder, progress=lambda listed: desk.progress("links", listed, len(listed))
    )
    if as_json:
        emit(asdict(asked))
        return
    for link in asked.links:
        out.print(Text(f"{link.id}  {link.source} {link.kind} {link.target}\n  “{link.evidence}”"))
    for refused in asked.refused:
        out.print(
            Text(f"refused, {refused.why}: {refused.source} “{refused.claim.sentence[:100]}”", style="dim")
        )
    out.print(
        f"{asked.documents} announcements read, {len(asked.links)} links proposed, "
        f"{len(asked.refused)} claims refused. In use once confirmed: lab links confirm ID"
    )


def consolidated(
    document: Annotated[str, typer.Argument(metavar="DOC", help="A document's id, e.g. benefits.")],
    as_of: Annotated[str | None, typer.Option(help="The day, YYYY-MM-DD. Default: today.")] = None,
    diff: Annotated[str | None, typer.Option(help="Another day, to be shown beside it.")] = None,
    role: Role = "employee",
    as_json: Json = False,
) -> None:
    """Show a document's text in force on a day, amended sections marked with their source."""
    from lab.workshop import desk, linkage

    days = [_day(as_of)] if diff is None else [_day(as_of), _day(diff)]
    desk.up()
    found = [linkage.consolidated(document, day, role) for day in days]
    if as_json:
        emit(linkage.consolidated_json(*found))
    elif len(found) == 2:
        out.print(_side_by_side(found[0], found[1]))
    else:
        out.print(_text(found[0]))


def _text(found: Any) -> Text:
    text = Text(f"{found.title}, edition {found.edition}, as of {found.as_of.isoformat()}\n", style="bold")
    for part in found.parts:
        text.append(f"\n{part.number}. {part.title}".rstrip(), style="bold")
        text.append("\n" if part.state == "in force" else f"  [{part.state}]\n", style="bold red")
        for note in part.notes:
            until = f" until {note.valid_to.isoformat()}" if note.valid_to else ""
            values = f": {note.old or '–'} → {note.new or '–'}" if note.old or note.new else ""
            said = f"{note.kind} from {note.valid_from.isoformat()}{until} by {note.source}{values}"
            text.append(f"  {said} ({note.link})\n  “{note.evidence}”\n", style="italic")
        text.append(part.text + "\n", style="strike" if part.state == "not in force" else "")
    return text


def _side_by_side(left: Any, right: Any) -> Table | Text:
    from lab.workshop import linkage

    rows = linkage.diff(left, right)
    if not rows:
        return Text(f"{left.title}: the same text on {left.as_of} and {right.as_of}.")
    table = Table(title=left.title, show_lines=True)
    table.add_column("§")
    for side in (left, right):
        table.add_column(f"{side.as_of.isoformat()} (edition {side.edition})", ratio=1)
    for number, title, one, two in rows:
        cells = (Text(f"{title}\n", style="bold"), Text(f"{title}\n", style="bold"))
        for same, before, after in linkage.changed(one, two):
            cells[0].append(before, style="" if same else "red")
            cells[1].append(after, style="" if same else "green")
        table.add_row(number, *cells)
    return table


def _day(text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        raise LabError(f"{text!r} is not a date.", "Expected YYYY-MM-DD, e.g. 2025-06-15.") from None
