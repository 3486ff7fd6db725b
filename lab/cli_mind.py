"""`lab mind …` and `lab audit …`. Thin, as `lab.cli` is."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from lab.cli_say import Json, emit, out
from lab.kinds import LabError

mind = typer.Typer(
    no_args_is_help=True, help="Store, recall and search the memories of a person and their agents."
)
audit = typer.Typer(invoke_without_command=True, help="The log of reads and writes.")

Who = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="CREDENTIAL",
        envvar="LAB_CREDENTIAL",
        help="Secret of a person or an agent.",
        show_envvar=True,
    ),
]
Which = Annotated[str | None, typer.Option("--mind", help="Which mind, where the credential opens several.")]
Reference = Annotated[str, typer.Argument(metavar="MEMORY", help="Its id (mem_…) or category/key.")]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="A tag; may be given several times.")]
Priority = Annotated[str | None, typer.Option(help="critical, high, normal or low.")]
Confidence = Annotated[
    float | None, typer.Option(help="0 to 1. Default: 1 from a person, 0.7 from an agent.")
]


def _show(memories: Any, as_json: bool, *, one: bool = False) -> None:
    from lab.workshop import minds

    if as_json:
        emit(
            minds.memory_json(memories[0]) if one else {"memories": [minds.memory_json(m) for m in memories]}
        )
    else:
        out.print(minds.shown(memories))


def _text(given: str) -> str:
    """`-` reads stdin, which must be UTF-8."""
    if given != "-":
        return given
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise LabError(f"What was read is not UTF-8: {error}", "Text in UTF-8.") from None


@mind.command()
def new(
    name: Annotated[str, typer.Argument(help="What the mind is called.")],
    member: Annotated[str, typer.Option(help="The person whose mind it is.")],
    as_json: Json = False,
) -> None:
    """Make a mind, and its person's credential if there is none yet. The secret is shown once."""
    from lab.workshop import minds

    made = minds.new(name, member)
    if as_json:
        emit(made)
        return
    out.print(f"Mind {made['mind']}: {made['name']}", markup=False)
    if made["secret"]:
        out.print(f"Credential of {made['credential']}: {made['secret']}", markup=False, soft_wrap=True)
        out.print("It is shown this once. Give it with --as, or in the variable LAB_CREDENTIAL.")
    else:
        out.print(f"The credential {made['credential']} opens it.", markup=False)


@mind.command()
def key(
    name: Annotated[str, typer.Argument(help="What the agent is called in the log.")],
    of: Annotated[str, typer.Option("--mind", help="The one mind it opens.")],
    as_json: Json = False,
) -> None:
    """Make an agent's credential for one mind. The secret is shown once."""
    from lab.workshop import minds

    made = minds.key(name, of)
    if as_json:
        emit(made)
    else:
        out.print(
            f"Credential of the agent {made['credential']}: {made['secret']}", markup=False, soft_wrap=True
        )


@mind.command()
def revoke(
    name: Annotated[str, typer.Argument(help="Name of the credential.")], as_json: Json = False
) -> None:
    """A credential opens nothing from now on."""
    from lab.workshop import minds

    minds.revoke(name)
    if as_json:
        emit({"revoked": name})
    else:
        out.print(f"{name} opens nothing any more.", markup=False)


@mind.command("list")
def list_(as_json: Json = False) -> None:
    """Minds and credentials of the workspace."""
    from lab.workshop import minds

    known = minds.listed()
    if as_json:
        emit(known)
        return
    for item in known["minds"]:
        out.print(f"mind {item['id']}  {item['name']}  ({', '.join(item['members'])})", markup=False)
    for item in known["credentials"]:
        state = "" if item["valid"] else ", revoked"
        out.print(f"credential {item['name']}  ({item['kind']} of {item['of']}{state})", markup=False)


@mind.command()
def store(
    category: Annotated[
        str, typer.Argument(help="identity, preference, fact, project, skill, mistake, context or note.")
    ],
    key: Annotated[str, typer.Argument(help="snake_case; storing under it again updates.")],
    content: Annotated[str, typer.Argument(help="The words; - reads them from stdin.")],
    tag: Tags = None,
    priority: Priority = None,
    confidence: Confidence = None,
    expires: Annotated[str | None, typer.Option(help="7d, 12h, or a moment: 2027-06-28T00:00Z.")] = None,
    who: Who = None,
    which: Which = None,
    as_json: Json = False,
) -> None:
    """Store a memory, or replace the one that has this key."""
    from lab.workshop import minds

    with minds.opened(who, which) as own:
        memory = own.store(
            category, key, _text(content), tags=tag or (), priority=priority or "normal",
            confidence=confidence, expires=expires,
        )  # fmt: skip
    _show([memory], as_json, one=True)


@mind.command()
def update(
    memory: Reference,
    content: Annotated[str | None, typer.Option(help="New words; - reads them from stdin.")] = None,
    tag: Tags = None,
    no_tags: Annotated[bool, typer.Option("--no-tags", help="Take all tags away.")] = False,
    priority: Priority = None,
    confidence: Confidence = None,
    expires: Annotated[str | None, typer.Option(help="7d, 12h, a moment, or never.")] = None,
    who: Who = None,
    which: Which = None,
    as_json: Json = False,
) -> None:
    """Change what is given and nothing else."""
    from lab.memory.mind import KEEP
    from lab.workshop import minds

    with minds.opened(who, which) as own:
        changed = own.update(
            memory,
            content=None if content is None else _text(content),
            tags=[] if no_tags else tag,
            priority=priority,
            confidence=confidence,
            expires=KEEP if expires is None else None if expires == "never" else expires,
        )
    _show([changed], as_json, one=True)


@mind.command()
def get(memory: Reference, who: Who = None, which: Which = None, as_json: Json = False) -> None:
    """One memory."""
    from lab.workshop import minds

    with minds.opened(who, which) as own:
        found = own.get(memory)
    _show([found], as_json, one=True)


@mind.command()
def delete(memory: Reference, who: Who = None, which: Which = None, as_json: Json = False) -> None:
    """Remove a memory and all that was made of it."""
    from lab.workshop import minds

    with minds.opened(who, which) as own:
        own.delete(memory)
    if as_json:
        emit({"deleted": memory})
    else:
        out.print("Deleted.")


@mind.command()
def verify(memory: Reference, who: Who = None, which: Which = None, as_json: Json = False) -> None:
    """Stand by a memory. An agent can't."""
    from lab.workshop import minds

    with minds.opened(who, which) as own:
        verified = own.verify(memory)
    _show([verified], as_json, one=True)


@mind.command()
def recall(
    limit: Annotated[int | None, typer.Option(help="At most so many memories.")] = None,
    who: Who = None,
    which: Which = None,
    as_json: Json = False,
) -> None:
    """The mind as text for a prompt: critical to low, then newest first."""
    from lab.workshop import minds

    with minds.opened(who, which) as own:
        text = own.recall(limit)
    if as_json:
        emit({"text": text})
    else:
        sys.stdout.write(text)


@mind.command()
def search(
    question: str,
    tag: Annotated[str | None, typer.Option(help="Only among memories with this tag.")] = None,
    k: Annotated[int, typer.Option("-k", help="How many.")] = 10,
    who: Who = None,
    which: Which = None,
    as_json: Json = False,
) -> None:
    """Find memories by words and meaning, best first."""
    from lab.workshop import minds

    with minds.opened(who, which) as own:
        found = own.search(question, tag, k)
    if as_json:
        emit(minds.found_json(found))
    else:
        out.print(minds.shown([item.memory for item in found]))


@mind.command("tag")
def tag_(tag: str, who: Who = None, which: Which = None, as_json: Json = False) -> None:
    """Memories with a tag, newest first; case does not count."""
    from lab.workshop import minds

    with minds.opened(who, which) as own:
        found = own.by_tag(tag)
    _show(found, as_json)


@mind.command()
def expiring(
    within: Annotated[str, typer.Option(help="30m, 12h, 7d, 2w.")] = "7d",
    who: Who = None,
    which: Which = None,
    as_json: Json = False,
) -> None:
    """Memories that will have expired by then, soonest first."""
    from lab.workshop import minds

    with minds.opened(who, which) as own:
        found = own.expiring(within)
    _show(found, as_json)


@audit.callback(invoke_without_command=True)
def log(
    context: typer.Context,
    last: Annotated[int, typer.Option(min=1, help="How many rows, from the newest back.")] = 50,
    as_json: Json = False,
) -> None:
    """Who asked or wrote what, and which memories answered. Climbs are in `lab ledger`."""
    from lab.workshop import minds

    if context.invoked_subcommand is not None:
        return
    lines = minds.log(last)
    if as_json:
        emit({"rows": [minds.line_json(line) for line in lines]})
    else:
        out.print(minds.log_table(lines))


@audit.command("verify")
def verify_log(
    head: Annotated[str | None, typer.Option(help="An end noted earlier, NUMBER:HASH.")] = None,
    as_json: Json = False,
) -> None:
    """Recompute the chain of hashes: finds rows changed, removed, moved, slipped in, or cut off at the end.
    Exit code 1 when something is wrong."""
    from lab.workshop import minds

    report = minds.verify(head)
    if as_json:
        emit(
            {
                "rows": report.rows,
                "head": str(report.head) if report.head else None,
                "problems": report.problems,
            }
        )
    elif report.problems:
        for problem in report.problems:
            out.print(problem, markup=False)
    else:
        out.print(f"{report.rows} rows, unbroken. End: {report.head}", markup=False, soft_wrap=True)
        out.print("Keep the end elsewhere; lab audit verify --head … then finds a log written anew as well.")
    if report.problems:
        raise typer.Exit(1)
