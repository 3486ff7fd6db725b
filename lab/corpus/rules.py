"""Labels and rights of somebody's own documents: a small YAML file (`lab.yaml`) in their folder."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import yaml

from lab.kinds import LabError

NAMES = ("lab.yaml", "lab.yml", "kraken.yaml", "kraken.yml")
UNLABELLED = "unlabelled"
"""The module of a document that nothing says who may read: only its owner does."""
OWNER = "owner"
"""The role of whoever brought the documents: it reads every module of the workspace."""
LABELS = ("access", "edition", "valid_from", "valid_to", "language", "scope", "department", "id")
SCOPES = ("domestic", "international", "none")
MEANINGS = ("department", "access", "edition", "none")
_NAME = re.compile(r"[^\W_][\w.-]{0,39}$")
_EXAMPLE = "For example: rules: [{files: 'board/**', access: board}], roles: {member: [all]}, access: all"


@dataclass(frozen=True, slots=True)
class Rule:
    """Files that match one of the globs get these labels."""

    globs: tuple[str, ...]
    labels: Mapping[str, str]
    line: int

    def matches(self, path: str) -> bool:
        return any(matches(glob, path) for glob in self.globs)


@dataclass(frozen=True, slots=True)
class Rules:
    """What a folder's file says; without a file everything is unlabelled."""

    source: str = ""
    """Name of the file; empty where there is none."""
    defaults: Mapping[str, str] = field(default_factory=dict)
    folders: str = "department"
    """What the name of a document's first folder says: one of MEANINGS."""
    roles: Mapping[str, frozenset[str]] = field(default_factory=dict)
    ignore: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()

    def labels(self, path: str) -> dict[str, str]:
        """The labels of the file at `path` (with forward slashes, relative to the folder), as far as the file
        says any. The folder's name stands below the rules, and of two rules the later one holds."""
        found = dict(self.defaults)
        first, inside, _ = path.partition("/")
        if inside and self.folders != "none":
            found[self.folders] = name_of(first) if self.folders != "department" else first
        for rule in self.rules:
            if rule.matches(path):
                found |= rule.labels
        return found

    def ignores(self, path: str) -> bool:
        return any(matches(glob, path) for glob in self.ignore)

    def decides(self, path: str, label: str) -> bool:
        """Whether a rule or the folder's name (not only the default) says this label of the file."""
        named = self.folders == label and "/" in path
        return named or any(label in rule.labels and rule.matches(path) for rule in self.rules)


def read_rules(folder: Path) -> Rules:
    """The rules of a folder. LabError with file and line for anything that can't be understood: a label that
    is not read would be a right that is not kept."""
    found = [name for name in NAMES if (folder / name).is_file()]
    if not found:
        return Rules()
    if len(found) > 1:
        raise LabError(f"{folder} has {' and '.join(found)}.", "One of them.", f"Remove {found[1]}.")
    return parse(_text(folder / found[0]), found[0])


def parse(text: str, source: str) -> Rules:
    """The rules in `text`; `source` names it in errors."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        problem = getattr(error, "problem", None) or "it can't be read"
        raise LabError(f"{source}:{line} is not YAML: {problem}.", _EXAMPLE) from error
    if node is None:
        return Rules(source)
    values: dict[str, object] = {}
    for key, value, line in _pairs(node, source):
        if key == "rules":
            values["rules"] = tuple(_rule(item, source) for item in _items(value, source, key))
        elif key == "roles":
            values["roles"] = {
                _role(name, source, at): frozenset(_words(modules, source, name))
                for name, modules, at in _pairs(value, source)
            }
        elif key == "ignore":
            values["ignore"] = tuple(
                unicodedata.normalize("NFC", glob) for glob in _words(value, source, key)
            )
        elif key == "folders":
            values["folders"] = _one_of(_word(value, source, key), MEANINGS, f"{source}:{line}: folders")
        elif key in LABELS and key not in ("id", "edition"):
            values.setdefault("defaults", {})[key] = _label(key, value, source)  # type: ignore[index]
        else:
            expected = ", ".join(("rules", "roles", "ignore", "folders", *LABELS[:1], *LABELS[2:-1]))
            raise LabError(
                f"{source}:{line} has an unknown key {key!r}.", f"Expected one of {expected}.", _EXAMPLE
            )
    return Rules(source, **values)  # type: ignore[arg-type]


def matches(glob: str, path: str) -> bool:
    """Whether a path with forward slashes matches: `*` and `?` within a folder, `**` across; a glob without a
    slash is looked for in every folder, one that ends in a slash is the folder with all in it.

    Case and the spelling of accents (NFC, NFD) make no difference: a right must not hang on them."""
    return bool(_compiled(glob).match(_plain(path)))


def name_of(text: str) -> str:
    """A folder's name as a label: without what separates references (space @ # / :)."""
    return re.sub(r"[\s@#/:]+", "-", unicodedata.normalize("NFC", text)).strip("-") or "none"


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def _compiled(glob: str) -> re.Pattern[str]:
    plain = _plain(glob.strip()).removeprefix("./")
    if plain.endswith("/"):
        plain += "**"
    pattern = "" if "/" in plain else "(?:.*/)?"
    for part in re.findall(r"\*\*/|\*\*|\*|\?|[^*?]+", plain):
        pattern += {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(part, re.escape(part))
    return re.compile(pattern + r"\Z", re.DOTALL)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise LabError(f"{path} can't be read: {error}", "A YAML file in UTF-8.", _EXAMPLE) from error


def _rule(node: yaml.Node, source: str) -> Rule:
    globs: tuple[str, ...] = ()
    labels: dict[str, str] = {}
    line = node.start_mark.line + 1
    for key, value, at in _pairs(node, source):
        if key == "files":
            globs = tuple(_words(value, source, key))
        elif key in LABELS:
            labels[key] = _label(key, value, source)
        else:
            raise LabError(
                f"{source}:{at} has an unknown key {key!r}.",
                f"Expected files, {', '.join(LABELS)}.",
                _EXAMPLE,
            )
    if not globs or not labels:
        lacks = "files" if not globs else "a label"
        raise LabError(
            f"{source}:{line}: this rule lacks {lacks}.", "Files and at least one label.", _EXAMPLE
        )
    return Rule(globs, labels, line)


def _label(key: str, node: yaml.Node, source: str) -> str:
    value, where = _word(node, source, key), f"{source}:{node.start_mark.line + 1}: {key}"
    if key in ("valid_from", "valid_to"):
        try:
            return date.fromisoformat(value).isoformat()
        except ValueError:
            raise LabError(f"{where} {value!r} is no date.", "YYYY-MM-DD, like 2025-01-01.") from None
    if key == "scope":
        return _one_of(value, SCOPES, where)
    if key in ("access", "edition", "id", "language") and not _NAME.match(value):
        raise LabError(f"{where} {value!r} is no name.", "Up to 40 letters, digits, - _ and .")
    return value.lower() if key == "language" else value


def _role(name: str, source: str, line: int) -> str:
    if name == OWNER or name.startswith("mind:") or not _NAME.match(name):
        raise LabError(
            f"{source}:{line}: {name!r} can't be a role here.",
            f"Letters, digits, - _ and . ({OWNER} reads everything as it is.)",
        )
    return name


def _one_of(value: str, known: Sequence[str], where: str) -> str:
    if value not in known:
        raise LabError(f"{where} {value!r} is not known.", f"Expected one of {', '.join(known)}.")
    return value


def _pairs(node: yaml.Node, source: str) -> Iterator[tuple[str, yaml.Node, int]]:
    """(key, value, line) of a map. LabError for another node, and for a key that stands twice."""
    line = node.start_mark.line + 1
    if not isinstance(node, yaml.MappingNode):
        raise LabError(f"{source}:{line}: a map was expected here.", "Lines `key: value`.", _EXAMPLE)
    seen: set[str] = set()
    for key, value in node.value:
        name, at = str(key.value), key.start_mark.line + 1
        if name in seen:
            raise LabError(f"{source}:{at}: {name!r} stands twice.", "Each key once.")
        seen.add(name)
        yield name, value, at


def _items(node: yaml.Node, source: str, key: str) -> list[yaml.Node]:
    if not isinstance(node, yaml.SequenceNode):
        raise LabError(f"{source}:{node.start_mark.line + 1}: {key} is no list.", "Lines `- …`.", _EXAMPLE)
    return list(node.value)


def _words(node: yaml.Node, source: str, key: str) -> list[str]:
    """One word or a list of them."""
    nodes = node.value if isinstance(node, yaml.SequenceNode) else [node]
    return [_word(item, source, key) for item in nodes]


def _word(node: yaml.Node, source: str, key: str) -> str:
    if not isinstance(node, yaml.ScalarNode) or not str(node.value).strip():
        raise LabError(
            f"{source}:{node.start_mark.line + 1}: {key} needs one value.",
            "A word, a date or a glob.",
            _EXAMPLE,
        )
    return " ".join(unicodedata.normalize("NFC", str(node.value)).split())
