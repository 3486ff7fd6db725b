"""Which functions of the package read somebody's memories: found in the code, so that a new one cannot be
forgotten.

Two things are looked for. A *read path* takes a `View` or a `Sight`, opens one (`looking`) or makes one
(`Sight(…)`); in the workshop, which people touch, also whatever calls one. A *raw read* is a statement that
names one of the tables of somebody's rows and stands in a function that takes no view: it must be one of
KEEPERS."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import lab

FOLDERS = ("memory", "rag", "evaluation", "workshop")
"""Of the package. `corpus` and `models` know no database; a benchmark reads its own world alone, and is
looked at only for what the workshop reads through it."""
PASSING = "lab.workshop."
"""Where whoever calls a read path is one."""
EXERCISES = "lab.workshop.exercises."
EXAMINER = "lab.workshop.leak_ways."
OPENERS = ("looking", "_looking", "Sight")
NO_PATH: Mapping[str, str] = {
    "lab.memory.visibility.looking": "gives the view, reads nothing",
    "lab.memory.mind_session.Session.sight": "says who looks",
    "lab.memory.mind_session.Session._looking": "opens the view in which the operations of Mind read",
    "lab.workshop.board.fix": "asks a gold question through Lesson.run, and climbs",
    "lab.workshop.board.reproduce": "asks a gold question through Lesson.run",
    "lab.workshop.desk.records.calibrate": "asks the gold questions as their askers, and keeps weights alone",
    "lab.workshop.doctor._rights": "counts what nobody sees: none",
    "lab.workshop.doctor._store": "tells whoever runs the lab how many sections it holds",
    "lab.workshop.exercises.n02_filters.first_day": "an employee's view of one page; gives a date",
    "lab.workshop.trade.Trade.effect": "the exam, as the owner of its own world; gives shares",
    "lab.workshop.trade.Trade.without": "the exam, as the owner of its own world; gives shares",
    "lab.workshop.widgets.QuestionBox._on_ask": "a button: asks through Lesson.run",
    "lab.workshop.widgets.TicketBoard._on_fix": "a button for board.fix",
    "lab.workshop.widgets.TicketBoard._on_reproduce": "a button for board.reproduce",
    "lab.workshop.gardening.Garden.readers": "role by role, names of the documents of a folder of one's own",
    "lab.workshop.trade.Trade.times": "as the owner, what Trade.run gives",
    "lab.workshop.trade.Trade.vectors": "as the owner, what Trade.nearest gives",
    "lab.workshop.practice.Keeper.update": "a write; what it reads first is Mind.get",
    "lab.workshop.practice.Practice.effect": "the exam of its own mind; gives shares",
    "lab.workshop.practice.Practice.rights": "tries what its own two keys may do",
}
"""Functions that are found and are no path of their own, each with why. Answers to exercises that only call
a lesson are left out as well: the lesson's own paths are asked."""
TABLES = (
    "document", "memory", "memory_vector", "embedding", "posting", "lexeme_df", "module_size", "link", "mind",
    "entity", "entity_name", "mention", "name_gram", "edge", "edge_degree", "sync", "audit",
)  # fmt: skip
"""Tables with rows of somebody."""
_WRITES = "writes, as the writer's role, and gives no words back"
_OF_A_VIEW = "statements that functions with a view run"
_EXAMINER = "the examiner's"
KEEPERS: Mapping[str, str] = {
    "lab.benchmarks.business.exam.between": "one moment of its own world",
    "lab.benchmarks.core.storm._lost": "counts in its own world",
    "lab.benchmarks.leaks.planted._out_of_time": _EXAMINER,
    "lab.benchmarks.leaks.snapshot.taken": _EXAMINER,
    "lab.benchmarks.leaks.worlds._store": _EXAMINER,
    "lab.memory.audit.read": "the log: questions and ids, for whoever runs the lab",
    "lab.memory.audit.verify": "the log's chain",
    "lab.memory.bm25": _OF_A_VIEW,
    "lab.memory.mind_reads": _OF_A_VIEW,
    "lab.memory.search": _OF_A_VIEW,
    "lab.memory.credentials.minds": "names of minds, for whoever runs the lab; nothing of what is in them",
    "lab.memory.embeddings._stored": "vectors by the hash of a text that is known already",
    "lab.memory.records.keys": "names of synchronised records, for the writer that prunes them",
    "lab.corpus.restrictions": "words, no statement: what a text may ask to forget",
    "lab.memory.write.collections": "names of chunkers",
    "lab.memory.write.corpus_hash": "one hash over all documents",
    "lab.memory.write.holds": "whether there is anything",
    "lab.workshop.doctor._rights": "counts as the reading role, to see that it is bound",
    "lab.workshop.exercises.n09_security": "a lesson's statement, as the reading role",
} | dict.fromkeys(
    (
        "lab.memory.bm25.add", "lab.memory.bm25.remove", "lab.memory.embeddings.forget_stored",
        "lab.memory.hnsw.maintain",
        "lab.memory.links.sync", "lab.memory.links._insert",
        "lab.memory.mind_end.remove_mind", "lab.memory.mind_rows.find",
        "lab.memory.mind_rows.change", "lab.memory.mind_rows.remove", "lab.memory.mind_rows.forget",
        "lab.memory.mind_rows.without_vector", "lab.memory.mind_rows.place", "lab.memory.records.forget",
        "lab.memory.records.forget_all",
        "lab.memory.records._remove", "lab.memory.records._news", "lab.memory.records._upsert_entities",
        "lab.memory.records._relate", "lab.memory.records._count_degrees", "lab.memory.versions.stored",
        "lab.memory.versions.settle", "lab.memory.versions.place_vectors", "lab.memory.versions.add_grams",
        "lab.memory.write._embedded", "lab.memory.write._sync_documents", "lab.memory.write._sync_chunks",
        "lab.memory.write._place_vectors",
    ),
    _WRITES,
)  # fmt: skip
"""Who may read those tables without a view, and why. (The reading role is bound by the policies whoever
runs the statement; these are what runs as another role.)"""
_READS = re.compile(
    rf"\b(?:from|join|using|table)\s+(?:only\s+)?(?:lab\.)?({'|'.join(TABLES)})\b", re.IGNORECASE
)


@dataclass(slots=True)
class _Function:
    """A function or method as the code has it. `calls`: dotted names, as far as imports tell them."""

    name: str
    node: ast.FunctionDef
    calls: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    """The same for what it names without calling it."""

    @property
    def public(self) -> bool:
        return not any(part.startswith("_") for part in self.name.split("."))


def reads(folder: Path | None = None) -> frozenset[str]:
    """Dotted names of the read paths, public ones and private ones that nobody in the package calls by name.
    `folder`: of another copy of the package."""
    functions = _functions(folder or Path(lab.__file__).parent)
    direct = {name for name, one in functions.items() if _reads(one.node)}
    found, before = set(direct), 0
    while before != len(found):  # who calls one, until nobody is new
        before = len(found)
        found |= {name for name, one in functions.items() if name.startswith(PASSING) and one.calls & found}
    called = {call for one in functions.values() for call in one.calls | one.names}
    return frozenset(
        name
        for name in found
        if name.startswith(tuple(f"lab.{part}." for part in FOLDERS))
        and (functions[name].public or name not in called)
        and (name in direct or not name.startswith(EXERCISES))
        and not name.startswith(EXAMINER)
        and name not in NO_PATH
    )


def raw_reads(folder: Path | None = None) -> Mapping[str, frozenset[str]]:
    """Function → tables that a statement of its own reads although it takes no view; the module's name where
    the statement stands outside of functions."""
    root = folder or Path(lab.__file__).parent
    found: dict[str, set[str]] = {}
    for path in sorted(root.rglob("*.py")):
        module = _module(root, path)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for name, node in _statements(tree, module):
            if tables := set(_READS.findall(node)):
                found.setdefault(name, set()).update(map(str.lower, tables))
    return {name: frozenset(tables) for name, tables in found.items()}


def unkept(folder: Path | None = None) -> tuple[str, ...]:
    """Raw reads by nobody of KEEPERS, as `function: tables`."""
    found = raw_reads(folder)
    return tuple(f"{name}: {', '.join(sorted(found[name]))}" for name in sorted(set(found) - set(KEEPERS)))


def _statements(tree: ast.Module, module: str) -> Iterator[tuple[str, str]]:
    """(function, text) of every piece of text outside of docstrings and of functions that take a view."""

    def walk(node: ast.AST, where: str) -> Iterator[tuple[str, str]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef):
                if not _takes(child, ("View",)):
                    yield from walk(child, f"{where}.{child.name}")
            elif isinstance(child, ast.ClassDef):
                yield from walk(child, f"{where}.{child.name}")
            elif isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                continue  # a docstring
            elif isinstance(child, ast.Constant) and isinstance(child.value, str):
                yield where, child.value
            else:
                yield from walk(child, where)

    yield from walk(tree, module)


def _functions(root: Path) -> dict[str, _Function]:
    return {
        one.name: one
        for part in (*FOLDERS, "benchmarks/business", "benchmarks/mind")
        for path in sorted((root / part).rglob("*.py"))
        for one in _of_file(path, _module(root, path))
    }


def _module(root: Path, path: Path) -> str:
    return ".".join(("lab", *path.relative_to(root).with_suffix("").parts)).removesuffix(".__init__")


def _of_file(path: Path, module: str) -> Iterator[_Function]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    known = _names(tree, module)
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        where = f"{module}.{node.name}" if isinstance(node, ast.ClassDef) else module
        for one in inner:
            if isinstance(one, ast.FunctionDef):
                calls = {
                    _called(call.func, known, where) for call in ast.walk(one) if isinstance(call, ast.Call)
                }
                names = {known.get(used.id, "") for used in ast.walk(one) if isinstance(used, ast.Name)}
                yield _Function(f"{where}.{one.name}", one, calls, names)


def _names(tree: ast.Module, module: str) -> dict[str, str]:
    """Names of the module → what they stand for, dotted. A `mind` of anything is a `Mind`, a `lesson` a
    `Lesson`."""
    known = {"mind": "lab.memory.mind.Mind", "lesson": "lab.workshop.lesson.Lesson"}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            known |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
    own = (node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef))
    return known | {node.name: f"{module}.{node.name}" for node in own}


def _called(function: ast.expr, known: Mapping[str, str], where: str) -> str:
    """Dotted name of what is called; "" where the code does not tell."""
    parts = ast.unparse(function).split(".")
    if parts[0] == "self" and len(parts) == 2:
        return f"{where}.{parts[1]}"
    if parts[0] in ("self", "case", "place") and len(parts) == 3:
        parts = parts[1:]
    return ".".join((known.get(parts[0], ""), *parts[1:]))


def _reads(function: ast.FunctionDef) -> bool:
    return _takes(function, ("View", "Sight")) or any(
        isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in OPENERS
        for node in ast.walk(function)
    )


def _takes(function: ast.FunctionDef, kinds: tuple[str, ...]) -> bool:
    given = function.args
    return any(
        one.annotation is not None and ast.unparse(one.annotation).split(".")[-1] in kinds
        for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)
    )
