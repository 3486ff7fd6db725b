"""Cleaning: what a page, a line width or an editor put into a text goes, what its author wrote stays."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from lab.corpus.blocks import HEADING, TERMINAL, Block, blocks, fenced, is_delimiter, is_row
from lab.corpus.furniture import furniture
from lab.corpus.sections import sections
from lab.corpus.tables import header_rows

__all__ = ["clean", "sections"]

_NEW_LINE = re.compile("\r\n|\r|\x85|\u2028|\u2029")
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f]")
_SPACES = re.compile(r"[ \t]+")
_ITEM_START = re.compile(r"\s*(?:[-*+•‣▪◦·–—]|\d{1,9}[.)]|[^\W\d_]\))\s")
_SUSPENDED = frozenset(str.split("and or to nor ve veya ya ile und oder bis"))
_WORDS = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\u3000-\u303f\uff00-\uff60]")


def clean(text: str) -> str:
    """`text` in NFC with `\\n` line ends, without page furniture, one line a paragraph or list item.

    What a page break cut in two (a sentence, a table) is whole again, and a table's header that was
    repeated on the next page stands once. A word hyphenated at a line's end loses the hyphen only if the
    document also has it without; else the hyphen stays ("part-timers"). Fenced and indented code and tables
    are kept as they are (rows without outer pipes get them, so that a row can be told by its first
    character). Blank lines are single, none at the ends. Invisible characters stay: they may hide something
    that must be found.
    """
    text = _NEW_LINE.sub("\n", unicodedata.normalize("NFC", text.removeprefix("\ufeff")))
    lines = _CONTROL.sub("", text).replace("\f", "\n\f\n").split("\n")
    code = fenced(lines)
    lines = [line if inside else line.rstrip(" \t\u00a0") for line, inside in zip(lines, code, strict=True)]
    lines = _without_pages(lines)
    return "\n".join(_rewrapped(lines, _vocabulary(text))).strip("\n")


def _without_pages(lines: Sequence[str]) -> list[str]:
    """The lines without furniture; a gap between two blocks is left as one blank line, within one as none."""
    drop = furniture(lines)
    code = fenced(lines)
    lengths = sorted(len(line) for i, line in enumerate(lines) if 0 < len(line) < 300 and not drop[i])
    width = lengths[int(len(lengths) * 0.9)] if lengths else 0
    kept: list[str] = []
    i = 0
    while i < len(lines):
        if code[i] or (lines[i].strip() and not drop[i]):
            kept.append(lines[i])
            i += 1
            continue
        first = i
        while i < len(lines) and not code[i] and (not lines[i].strip() or drop[i]):
            i += 1
        gap = range(first, i)
        if not any(drop[j] or "\f" in lines[j] for j in gap):
            kept.extend("" for _ in gap)
        elif kept and i < len(lines):
            i += _gap(kept, lines, i, drop[first] and drop[i - 1], width)
    return kept


def _gap(kept: list[str], lines: Sequence[str], below: int, tight: bool, width: int) -> int:
    """Closes a gap left by furniture: adds a blank line to `kept` or not; returns how many lines below to
    skip."""
    above, line = kept[-1], lines[below]
    if is_row(above) and is_row(line):
        first = len(kept)
        while first and is_row(kept[first - 1]):
            first -= 1
        repeated = _repeated(
            [row.strip() for row in kept[first:]], [row.strip() for row in lines[below : below + 9]]
        )
        if not repeated and any(is_row(row) and is_delimiter(row) for row in lines[below : below + 3]):
            kept.append("")  # another table
        return repeated
    if not tight and not _goes_on(above, line, width):
        kept.append("")
    return 0


def _repeated(table: Sequence[str], below: Sequence[str]) -> int:
    """How many lines of `below` only repeat the header of `table`."""
    delimiter = next((i for i, row in enumerate(table) if is_delimiter(row)), None)
    if delimiter is None:
        return 0
    counts = (header_rows(table), delimiter + 1)
    return next((count for count in counts if list(table[:count]) == list(below[:count])), 0)


def _goes_on(above: str, below: str, width: int) -> bool:
    """Whether the sentence (or list) above a page break goes on below it."""
    if (
        HEADING.match(above)
        or HEADING.match(below)
        or is_row(above)
        or is_row(below)
        or "```" in above + below
    ):
        return False
    item_above, item_below = _ITEM_START.match(above), _ITEM_START.match(below)
    if item_below:
        return bool(item_above) or above[:1].isspace()
    word = below.split()[0]
    lower = word[0].islower()
    if TERMINAL.search(above):
        return lower and above[-1] not in ":;"
    if item_above:
        return lower or below[0].isspace()
    return not word[0].isupper() or len(above) + 1 + len(word) > 0.8 * width


def _vocabulary(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORDS.findall(text))


def _rewrapped(lines: Sequence[str], vocabulary: frozenset[str]) -> Iterator[str]:
    end = 0
    for block in blocks(lines):
        if block.first > end and end:
            yield ""
        yield from _block(lines[block.first : block.last], block, vocabulary)
        end = block.last


def _block(lines: Sequence[str], block: Block, vocabulary: frozenset[str]) -> Iterator[str]:
    match block.kind:
        case "table":
            yield from (line if is_row(line) else _with_pipes(line) for line in lines)
        case "text" | "item":
            indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
            yield indent + _joined([line.strip() for line in lines], vocabulary)
        case "quote":
            yield from _quote(lines, vocabulary)
        case _:
            yield from lines


def _with_pipes(line: str) -> str:
    line = line.strip()
    return f"{'' if line.startswith('|') else '| '}{line}{'' if line.endswith('|') else ' |'}"


def _quote(lines: Sequence[str], vocabulary: frozenset[str]) -> Iterator[str]:
    run: list[str] = []
    for line in [*(line.strip().removeprefix(">").strip() for line in lines), ""]:
        if run and (not line or _ITEM_START.match(line)):
            yield "> " + _joined(run, vocabulary)
            run = []
        if line:
            run.append(line)


def _joined(lines: Sequence[str], vocabulary: frozenset[str]) -> str:
    parts = [lines[0]]
    for line in lines[1:]:
        above = parts[-1]
        if above.endswith("\u00ad"):
            parts[-1] = above[:-1]
        elif len(above) > 1 and above[-1] == "-" and above[-2].isalnum() and line[:1].isalnum():
            head = (_WORDS.findall(above[-80:-1]) or [""])[-1]
            tail = (_WORDS.findall(line[:80]) or [""])[0]
            if tail.casefold() in _SUSPENDED:
                parts.append(" ")
            elif line[0].islower() and (head + tail).casefold() in vocabulary:
                parts[-1] = above[:-1]
        elif above[-1:] == "–" and above[-2:-1].isdigit() and line[:1].isdigit():
            pass
        elif not (_UNSPACED.match(above[-1:]) and _UNSPACED.match(line[:1])):
            parts.append(" ")
        parts.append(line)
    return _SPACES.sub(" ", "".join(parts))
