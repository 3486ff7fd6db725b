"""`lab new`, `workspaces`, `drop`, `gold …`, `report`: one's own documents. Thin, as `lab.cli`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lab.cli_say import Json, emit, err, out

if TYPE_CHECKING:
    from lab.workshop.own import Made

In = Annotated[
    str | None,
    typer.Option("--workspace", "--in", metavar="NAME", help="Your own documents, as `lab new` named them."),
]


gold = typer.Typer(help="The exam of your own documents.", no_args_is_help=True)


def new(
    name: Annotated[str, typer.Argument(help="How you want to call it: a–z, 0–9 and -.")],
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="[DIR]", help="Your documents. Left out: the same folder, read anew."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Read a folder of your own documents into a workspace of its own: Markdown, text, HTML, mail, PDF, DOCX.

    A file lab.yaml in the folder says who may read what; without it only you do, as the role `owner`."""
    from lab.workshop import own

    made = own.new(name, folder)
    if as_json:
        emit(made.to_json())
    else:
        out.print("\n".join(_said(made)), markup=False, highlight=False, soft_wrap=True)


def workspaces(as_json: Json = False) -> None:
    """The workspaces of own documents there are."""
    from lab.workshop import own

    rows = own.listed()
    if as_json:
        emit({"workspaces": rows})
    else:
        lines = [f"{row['workspace']}  {row['questions']} questions  {row['folder']}" for row in rows]
        out.print(
            "\n".join(lines or ["None yet. Next: python start.py new NAME DIR"]), markup=False, soft_wrap=True
        )


def drop(name: str, as_json: Json = False) -> None:
    """Remove a workspace: its documents, all that was made of them, its roles. Your folder is not touched."""
    from lab.workshop import own

    done = own.drop(name)
    if as_json:
        emit({"done": done})
    else:
        out.print("\n".join(done), markup=False, soft_wrap=True)


def report(
    name: str,
    to: Annotated[Path | None, typer.Option("--to", help="Where to write it.")] = None,
    as_json: Json = False,
) -> None:
    """Write one HTML page on the newest climb of a workspace: which techniques are worth their cost there."""
    from lab.workshop import report as reporting

    made = reporting.report(name, to)
    if as_json:
        emit({"report": str(made.path), "kept": made.kept, "best": made.best, "caveats": made.caveats})
    else:
        out.print(f"Worth their cost: {', '.join(made.kept)}", markup=False, soft_wrap=True)
        out.print(f"Written: {made.path}", markup=False, soft_wrap=True)


@gold.command("draft")
def gold_draft(
    name: str,
    questions: Annotated[int, typer.Option(help="At most so many.")] = 60,
    model: Annotated[str | None, typer.Option(help="ollama:<model>. Left out: rules, offline.")] = None,
    as_json: Json = False,
) -> None:
    """Begin a gold file: candidate questions with quoted anchors, for you to edit."""
    from lab.workshop import goldsmith

    made = goldsmith.draft(name, questions, model)
    if as_json:
        emit(
            {
                "gold": str(made.path),
                "questions": len(made.questions),
                "types": made.types,
                "dropped": made.dropped,
                "left_alone": made.beside,
            }
        )
        return
    out.print(f"{len(made.questions)} questions drafted: {made.path}", markup=False, soft_wrap=True)
    if made.beside:
        out.print("Your edited exam was left alone; take over by hand what you like.")
    out.print("Read each: is it what people ask, is it answered there? Reword, delete, add.")
    out.print(f"Next: python start.py gold check {name}, then: python start.py climb --workspace {name}")


@gold.command("check")
def gold_check(name: str, as_json: Json = False) -> None:
    """Look at an edited gold file: each line, its role, each anchor in its section and nowhere else."""
    from lab.workshop import goldsmith

    found = goldsmith.check(name)
    if as_json:
        emit(
            {
                "questions": len(found.questions),
                "as_drafted": found.as_drafted,
                "problems": [
                    {"line": line, "id": key, "problem": said} for line, key, said in found.problems
                ],
            }
        )
    else:
        for line, key, said in found.problems:
            err.print(f"{found.path.name}:{line}: {key}: {said}", markup=False, soft_wrap=True)
        out.print(f"{len(found.questions)} questions, {found.as_drafted} of them as drafted.")
    if found.problems:
        raise typer.Exit(1)


def _said(made: Made) -> list[str]:
    found = made.to_json()
    of_kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(found["kinds"].items()))
    lines = [
        f"{found['documents']} documents ({of_kinds}): {found['added']} added, {found['changed']} changed, "
        f"{found['removed']} removed, {found['unchanged']} unchanged."
    ]
    passed = found["passed_over"]
    lines += [f"Passed over: {item['source']} {item['why']}" for item in passed[:20]]
    lines += [f"… and {len(passed) - 20} more (--json names all)"] if len(passed) > 20 else []
    if unlabelled := found["unlabelled"]:
        lines.append(
            f"Nothing says who may read {_some(unlabelled)}: only you do, as the role owner. "
            f"{'A file lab.yaml' if not found['rules'] else found['rules']} in the folder says who else may."
        )
    lines += [f"No role but owner reads the module {module}." for module in found["read_by_nobody_else"]]
    if found["undated"]:
        lines.append(f"{found['undated']} documents bear no date and hold on any day asked about.")
    lines += [f"Left out of the ladder: {line}." for line in found["rungs_left_out"]]
    name = found["workspace"]
    lines.append(f'Next: python start.py ask "…" --workspace {name}, or: python start.py gold draft {name}')
    return lines


def _some(names: Sequence[str]) -> str:
    return f"{len(names)} documents" if len(names) > 3 else ", ".join(names)
