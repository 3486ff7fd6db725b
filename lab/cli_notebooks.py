"""`lab notebooks …`, `lab catchup` and `lab reset`. Thin, as `lab.cli` is."""

from __future__ import annotations

from typing import Annotated

import typer

from lab.cli_say import Json, emit, err, out

books = typer.Typer(help="The notebooks, made from one source in two languages.", no_args_is_help=True)

Names = Annotated[list[str] | None, typer.Argument(metavar="[NAME …]", help="e.g. 02 05; default: all.")]


@books.command("build")
def books_build(
    names: Names = None,
    language: Annotated[str | None, typer.Option("--lang", help="en or tr. Default: both.")] = None,
) -> None:
    """Make the notebooks from their sources and run them, so that their outputs are real."""
    from lab.workshop import bookbinder

    for path in bookbinder.build(names or [], language):
        out.print(f"{path} written.", markup=False)


@books.command("check")
def books_check(
    names: Names = None,
    run: Annotated[bool, typer.Option("--run", help="Also run them and compare the outputs.")] = False,
    as_json: Json = False,
) -> None:
    """Fail on a stale or half-translated notebook, and on a figure that the ledger no longer supports."""
    from lab.workshop import bookbinder

    problems = [str(problem) for problem in bookbinder.check(names or [], run)]
    if as_json:
        emit({"problems": problems, "ok": not problems})
    else:
        for line in problems:
            err.print(line, markup=False, soft_wrap=True)
        out.print("The notebooks agree with their sources and the ledger." if not problems else "Not yet.")
    if problems:
        raise typer.Exit(1)


def catchup(
    number: Annotated[str, typer.Argument(metavar="N", help="The notebook to begin with, e.g. 05.")],
    as_json: Json = False,
) -> None:
    """Make ready what the notebooks before N leave behind. Your own files are not touched."""
    from lab.workshop import catchup as catching

    done = catching.catch_up(number)
    if as_json:
        emit({"done": done})
    else:
        out.print("\n".join(done), markup=False)


def reset(
    number: Annotated[str, typer.Argument(metavar="N", help="The notebook to begin anew, e.g. 05.")],
    language: Annotated[str | None, typer.Option("--lang", help="en or tr. Default: both.")] = None,
    as_json: Json = False,
) -> None:
    """Put a fresh copy of notebook N in place; yours is kept beside it under a dated name."""
    from lab.workshop import catchup as catching

    written = [str(path) for path in catching.reset(number, language)]
    if as_json:
        emit({"written": written})
    else:
        out.print("\n".join(written), markup=False)
