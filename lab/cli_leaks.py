"""`lab leaks`. Thin, as `lab.cli` is."""

from __future__ import annotations

from typing import Annotated

import typer

from lab.cli_say import Json, emit, out


def leaks(
    answers: Annotated[int, typer.Option(help="At least so many answers.", min=1)] = 13_000,
    mutations: Annotated[
        bool,
        typer.Option("--mutations", help="Also take the rule from one place at a time: each must be seen."),
    ] = False,
    worlds: Annotated[
        int,
        typer.Option(help="Also so many random worlds, each compared with a second statement of the rule."),
    ] = 0,
    as_json: Json = False,
) -> None:
    """Plant secrets, ask every read path as who may and who may not see them; exits with 1 on a leak."""
    from lab.workshop import leaks as leaking

    found = leaking.leaks(answers, mutations, worlds)
    if as_json:
        emit(found.to_json())
    else:
        for table in leaking.tables(found):
            out.print(table)
    if not found.ok:
        raise typer.Exit(1)
