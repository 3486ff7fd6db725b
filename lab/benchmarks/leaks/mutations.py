"""Mutation runs: the rule is taken away in one place at a time, and the leak test must say so.

Two kinds. From a *path*: for the time of its calls the database hides nothing and every module is read,
while all other paths stay as they are. From a *table*: one condition of one policy is left out, for all
paths. Both happen in the stage's own database."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from types import ModuleType
from typing import Any

from psycopg import sql

from lab.benchmarks.leaks.discovery import reads
from lab.benchmarks.leaks.memory_ways import READABLE
from lab.benchmarks.leaks.run import Line, Tally, answer, cases
from lab.benchmarks.leaks.stage import Stage
from lab.benchmarks.leaks.ways import Way
from lab.memory.connect import owner
from lab.memory.visibility import Connection, View

EACH = 2
"""Secrets of each kind asked for; the first leak ends a run."""
HOLE = "lab.hole"
QUICK = (
    "select from ",
    "lab.memory.anchors.",
    "lab.memory.paths.",
    "lab.memory.gather.",
    "lab.memory.links.",
)
"""Paths asked of a condition that a bare select of its table does not miss."""
IMPLIED = {
    "entity: workspace": "a memory in sight mentions it, and both are of one workspace",
    "entity_name: workspace": "its entity is in sight",
    "edge: workspace": "the memory that tells it is in sight",
    "link: workspace": "its documents are of its workspace, and in sight",
    "mind: workspace": "a key opens minds of its own workspace only",
    "mention: workspace": "its module is read here, and every read joins its memory",
}
"""Conditions that only repeat what another one says: without them nothing more is seen. That is tried too."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """`path` or `table: condition`; `kind`: path, policy; how it ended, and what told."""

    name: str
    kind: str
    state: str
    """`caught`, `implied` or `missed`."""
    by: str = ""

    @property
    def ok(self) -> bool:
        return self.state != "missed"

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def mutate(stage: Stage, ways: Sequence[Way], say: Callable[[str], None] = lambda _: None) -> list[Mutation]:
    """Every mutation, one after the other; each is undone before the next."""
    found: list[Mutation] = []
    with holed(stage):
        for name in sorted(reads()):
            own = [way for way in ways if name in way.covers]
            with without_rule(name):
                found.append(_ended(name, "path", first_leak(stage, own)))
            say(f"{name}: {found[-1].state}")
    quick = [way for way in ways if way.name.startswith(QUICK)]
    for table, policy, restrictive, parts in _policies(stage):
        for at, part in enumerate(parts):
            name = f"{table}: {_called(part)}"
            own = [way for way in ways if way.name == f"select from {table}"]
            with without_condition(stage, table, policy, [*parts[:at], *parts[at + 1 :]]):
                leak = first_leak(stage, own) or first_leak(stage, [way for way in quick if way not in own])
            found.append(_ended(name if not restrictive else f"{name} (minds)", "policy", leak))
            say(f"{name}: {found[-1].state}")
    return found


def _ended(name: str, kind: str, leak: str) -> Mutation:
    if leak:
        return Mutation(name, kind, "caught", leak)
    return Mutation(name, kind, "implied" if name in IMPLIED else "missed", IMPLIED.get(name, ""))


def first_leak(stage: Stage, ways: Sequence[Way]) -> str:
    """Asks until somebody is told what he may not know; "" when nobody is."""
    for way in ways:
        if way.open_by_design:
            continue
        line, tally = Line(way.name), Tally()
        for case in cases(stage, way, EACH):
            if answer(way, case, line, tally):
                leak = tally.leaks[0]
                return f"{leak.way}, {leak.asker}: {leak.what}"
    return ""


@contextmanager
def holed(stage: Stage) -> Iterator[None]:
    """Policies that let everything through while the setting HOLE is open, and nothing else."""
    opened = sql.SQL("current_setting({}, true) = 'open'").format(sql.Literal(HOLE))
    with owner(stage.server) as connection:
        for table in READABLE:
            connection.execute(
                sql.SQL("create policy hole on {} for select to lab_reader using ({})").format(
                    sql.Identifier(table), opened
                )
            )
        minds = _text(connection, "role_module", "minds")
        shut = sql.SQL("alter policy minds on role_module using ({} or {})")
        connection.execute(shut.format(sql.SQL(minds), opened))
    try:
        yield
    finally:
        with owner(stage.server) as connection:
            for table in READABLE:
                connection.execute(sql.SQL("drop policy hole on {}").format(sql.Identifier(table)))
            _alter(connection, "role_module", "minds", minds)


@contextmanager
def without_rule(name: str) -> Iterator[None]:
    """The function of that dotted name reads without the rule: the view it takes, or opens, shows all."""
    module, _, function = _place(name)
    with ExitStack() as stack:
        if "View" not in _annotations(module, function):  # it opens its own view
            real = module.looking
            stack.enter_context(_replaced(real, _open_looking(real), only=[module]))
        else:
            real = getattr(module, function)
            stack.enter_context(_replaced(real, _open_view(real)))
        yield


def _annotations(module: ModuleType, function: str) -> Collection[str]:
    return vars(module)[function].__annotations__.values() if function in vars(module) else ()


def _place(name: str) -> tuple[ModuleType, str, str]:
    """(module in which the rule is to be removed, class or "", function)."""
    module, _, function = name.rpartition(".")
    owner_ = ""
    if module.rpartition(".")[2][:1].isupper():
        module, _, owner_ = module.rpartition(".")
    where = RULED_BY.get(name, module)
    return importlib.import_module(where), owner_, function


RULED_BY = {
    f"{place}.{function}": ruled
    for ruled, place, functions in (
        ("lab.rag.retrieve", "lab.rag.ask", "ask"),
        ("lab.rag.retrieve", "lab.evaluation.crew", "outcome"),
        ("lab.rag.retrieve", "lab.evaluation.learn", "handed"),
        ("lab.rag.retrieve", "lab.workshop.desk.questions", "ask"),
        ("lab.rag.retrieve", "lab.workshop.lesson.Lesson", "run ask hits trace"),
        ("lab.memory.mind_session", "lab.memory.mind.Mind", "get recall memories search by_tag expiring"),
        ("lab.memory.mind_session", "lab.workshop.practice.Keeper", "get recall search expiring"),
        ("lab.memory.recall", "lab.workshop.trade.Trade", "run anchors hybrid paths ranking rights context"),
        ("lab.benchmarks.business.exam", "lab.workshop.trade.Trade", "nearest"),
    )
    for function in functions.split()
}
"""Where a function that neither takes nor opens a view has its view opened."""


def _open(view: View) -> View:
    connection = view.connection
    connection.execute("select set_config(%s, 'open', true)", [HOLE])
    modules = connection.execute("select distinct module from role_module order by 1").fetchall()
    return View(connection, view.sight, tuple(module for (module,) in modules))


def _shut(view: View) -> None:
    view.connection.execute("select set_config(%s, '', true)", [HOLE])


def _open_view(real: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(real)
    def opened(view: View, *args: Any, **more: Any) -> Any:
        try:
            return real(_open(view), *args, **more)
        finally:
            _shut(view)

    return opened


def _open_looking(real: Callable[..., Any]) -> Callable[..., Any]:
    @contextmanager
    def opened(*args: Any, **more: Any) -> Iterator[View]:
        with real(*args, **more) as view:
            yield _open(view)
            _shut(view)

    return opened


@contextmanager
def _replaced(real: object, other: object, only: Sequence[ModuleType] | None = None) -> Iterator[None]:
    """Under every name by which a module of the package knows it."""
    known = [module for name, module in list(sys.modules.items()) if name.startswith("lab.") and module]
    places = [
        (module, name)
        for module in (known if only is None else only)
        for name, value in list(vars(module).items())
        if value is real
    ]
    for module, name in places:
        setattr(module, name, other)
    try:
        yield
    finally:
        for module, name in places:
            setattr(module, name, real)


def _policies(stage: Stage) -> list[tuple[str, str, bool, list[str]]]:
    """(table, policy, whether restrictive, its conditions) of every policy of the reading role."""
    with owner(stage.server) as connection:
        rows = connection.execute(
            """select c.relname, p.polname, not p.polpermissive, pg_get_expr(p.polqual, p.polrelid)
               from pg_policy p join pg_class c on c.oid = p.polrelid
               where 'lab_reader'::regrole = any(p.polroles) and c.relnamespace = 'lab'::regnamespace
               order by 1, 2"""
        ).fetchall()
    return [(table, policy, restrictive, conditions(text)) for table, policy, restrictive, text in rows]


def _text(connection: Connection, table: str, policy: str) -> str:
    row = connection.execute(
        "select pg_get_expr(polqual, polrelid) from pg_policy where polrelid = %s::regclass and polname = %s",
        [table, policy],
    ).fetchone()
    assert row is not None
    return str(row[0])


def conditions(text: str) -> list[str]:
    """The parts of an expression that `and` joins at its top, as PostgreSQL writes it: "((a) AND (b))"."""
    inner = text.strip()
    while inner.startswith("(") and _closes(inner) == len(inner) - 1:
        inner = inner[1:-1].strip()
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(inner):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and inner[at:].startswith(" AND "):
            parts.append(inner[start:at])
            start = at + 5
    return [part.strip() for part in (*parts, inner[start:])]


def _closes(text: str) -> int:
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return at
    return -1


def _called(condition: str) -> str:
    """A short name for a condition: the column it begins with, or the table it asks."""
    bare = condition.lstrip("( ")
    for sign, name in (
        ("SELECT true", "evidence in sight" if "evidence" in bare else "spoken of in sight"),
        ("EXISTS", "source in sight" if "source_document" in bare else "target in sight"),
        ("SELECT seen_every_edition", "day"),
        ("CASE", "key"),
        ('"left"', "key"),
    ):
        if bare.startswith(sign):
            return name
    return bare.split()[0].split(".")[-1]


@contextmanager
def without_condition(stage: Stage, table: str, policy: str, kept: Sequence[str]) -> Iterator[None]:
    """The policy with these conditions alone."""
    with owner(stage.server) as connection:
        before = _text(connection, table, policy)
        _alter(connection, table, policy, " and ".join(f"({part})" for part in kept) or "true")
    try:
        yield
    finally:
        with owner(stage.server) as connection:
            _alter(connection, table, policy, before)


def _alter(connection: Connection, table: str, policy: str, text: str) -> None:
    # The text is PostgreSQL's own, of the policy as it stood.
    connection.execute(
        sql.SQL("alter policy {} on {} using ({})").format(
            sql.Identifier(policy), sql.Identifier(table), sql.SQL(text)
        )
    )
