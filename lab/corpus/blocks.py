"""Lines of Markdown into blocks: as much of CommonMark as handbooks and mail need, in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["heading", "text", "item", "table", "code", "quote", "rule"]

HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
DELIMITER = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
TERMINAL = re.compile(r"[.!?…:;。！？][\"'”’»)\]*_]*$")
_FENCE = re.compile(r"\s*(`{3,}(?=[^`]*$)|~{3,})")
_RULE = re.compile(r" {0,3}([-*_=])(?:[ \t]*\1){2,}[ \t]*$")
_BULLET = re.compile(r"(\s*)[-*•‣▪◦·][ \t]+\S")
# Also met in prose, so they open no item inside a paragraph.
_LATE_BULLET = re.compile(r"(\s*)(?:[+–—]|[a-zçğıöşü]\))[ \t]+\S")
_ORDERED = re.compile(r"(\s*)(\d{1,9})[.)][ \t]+\S")


@dataclass(frozen=True, slots=True)
class Block:
    """Lines `first` to `last` (exclusive). An underlined heading has two lines; an item is one list item."""

    kind: Kind
    first: int
    last: int


def is_row(line: str) -> bool:
    """Whether the line is a table row with its outer pipe."""
    return line.lstrip().startswith("|") and line.count("|") > 1


def is_delimiter(line: str) -> bool:
    """Whether the line is the `|---|---|` between a table's header and its body."""
    return "|" in line and "-" in line and DELIMITER.match(line) is not None


def fenced(lines: Sequence[str]) -> list[bool]:
    """For each line whether it belongs to fenced code, fences included. An unclosed fence runs to the end."""
    mask, fence = [], ""
    for line in lines:
        match = _FENCE.match(line)
        mask.append(bool(fence or match))
        if not fence and match:
            fence = match[1]
        elif fence and match and match[1].startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
    return mask


def tabled(lines: Sequence[str], code: Sequence[bool]) -> list[bool]:
    """For each line whether it is a table row; rows without outer pipes count if a delimiter row vouches
    for them."""
    mask = [is_row(line) and not inside for line, inside in zip(lines, code, strict=True)]
    for i in range(1, len(lines)):
        if code[i] or mask[i] or not is_delimiter(lines[i]) or "|" not in lines[i - 1] or code[i - 1]:
            continue
        mask[i - 1] = mask[i] = True
        j = i + 1
        while j < len(lines) and "|" in lines[j] and not code[j]:
            mask[j] = True
            j += 1
    return mask


class _Lists:
    """Decides whether a line opens a list item: a wrapped "6. madde" in a paragraph or an item is none."""

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}
        self.open = False

    def close(self) -> None:
        self.numbers.clear()
        self.open = False

    def opens(self, line: str, before: str, inside: Kind | None) -> bool:
        """`before` is the line above if no blank line parts them, `inside` the kind of its block."""
        if _BULLET.match(line):
            return True
        if match := _LATE_BULLET.match(line):
            lettered = match[0].lstrip()[1] == ")"
            return inside is None or (inside == "item" and (lettered or bool(_LATE_BULLET.match(before))))
        if not (match := _ORDERED.match(line)):
            return False
        indent, number = len(match[1].expandtabs(4)), int(match[2])
        text_is_lower = line[match.end() - 1].islower()
        after_item = inside == "item" and number == 1 and indent == 0
        follows = number in (self.numbers.get(indent, -2) + 1, self.numbers.get(indent, -2))
        starts = number == 1 and before.rstrip()[-1:] in (
            (":", ";", ",") if text_is_lower else (":", ";", ",", ".")
        )
        if inside is None or (inside == "item" and follows) or after_item or starts:
            self.numbers = {key: value for key, value in self.numbers.items() if key < indent} | {
                indent: number
            }
            return True
        return False


def blocks(lines: Sequence[str]) -> Iterator[Block]:
    """The blocks of `lines` in order; every non-blank line belongs to exactly one."""
    code = fenced(lines)
    table = tabled(lines, code)
    lists = _Lists()
    i, n = 0, len(lines)
    while i < n:
        line, first = lines[i], i
        if not line.strip():
            i += 1
            continue
        indented = line.startswith(("    ", "\t"))
        if code[i]:
            opening = _FENCE.match(line)
            i += 1
            while i < n and code[i] and not _closes(lines[i], opening):
                i += 1
            i = min(i + 1, n) if i < n and code[i] else i
            yield Block("code", first, i)
        elif table[i]:
            while i < n and table[i]:
                i += 1
            yield Block("table", first, i)
        elif HEADING.match(line):
            lists.close()
            i += 1
            yield Block("heading", first, i)
        elif _RULE.match(line):
            i += 1
            yield Block("rule", first, i)
        elif line.lstrip().startswith(">"):
            while i < n and lines[i].lstrip().startswith(">") and not code[i]:
                i += 1
            yield Block("quote", first, i)
        else:
            kind: Kind = "item" if lists.opens(line, "", None) else "text"
            if kind == "text" and indented and not lists.open:
                while i < n and lines[i].startswith(("    ", "\t")) and lines[i].strip() and not code[i]:
                    i += 1
                yield Block("code", first, i)
                continue
            if kind == "item":
                lists.open = True
            elif not line[0].isspace():
                lists.close()
            i += 1
            while i < n:
                if _ends(lines, i, code, table):
                    break
                if lists.opens(lines[i], lines[i - 1], kind):
                    yield Block(kind, first, i)
                    kind, first, lists.open = "item", i, True
                i += 1
            if kind == "text" and _underlined(lines, first, i, code):
                lists.close()
                i += 1
                yield Block("heading", first, i)
            else:
                yield Block(kind, first, i)


def _closes(line: str, opening: re.Match[str] | None) -> bool:
    match = _FENCE.match(line)
    return bool(
        opening and match and match[1].startswith(opening[1]) and not line.strip().strip(opening[1][0])
    )


def _ends(lines: Sequence[str], i: int, code: Sequence[bool], table: Sequence[bool]) -> bool:
    line = lines[i]
    return bool(
        not line.strip()
        or code[i]
        or table[i]
        or HEADING.match(line)
        or _RULE.match(line)
        or line.lstrip().startswith(">")
    )


def _underlined(lines: Sequence[str], first: int, i: int, code: Sequence[bool]) -> bool:
    """Whether the one line `first` is a heading by the `===` or `---` under it, and not a sentence above a
    rule."""
    if i >= len(lines) or i - first != 1 or code[i] or len(lines[first]) > 100:
        return False
    rule = _RULE.match(lines[i])
    return bool(
        rule and rule[1] in "-=" and " " not in lines[i].strip() and not TERMINAL.search(lines[first])
    )
