"""One text in all the ways it can be read: as written, without what can't be seen, with look-alike letters
replaced, decoded.

A view keeps where each of its letters came from, so that what is found in it can be cut out of the original.
Time and memory grow with the length of the text.
"""

from __future__ import annotations

import base64
import binascii
import html
import itertools
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lab.text import fold

DEEPEST = 2
"""How often something decoded is searched for something hidden again."""
FARTHEST = 5_000
"""Characters within which a hidden element must be closed."""

_TAG_RUN = re.compile("[\U000e0020-\U000e007e]{4,}\U000e007f?")
_FLAG = "\U0001f3f4"
_BASE64 = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{20,}(?:\n[A-Za-z0-9+/_-]{4,})*={0,2}")
_HEX = re.compile(r"(?<![0-9a-z])(?:[0-9a-f]{2}){16,}(?![0-9a-z])", re.I)
_REFERENCE = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,24});", re.I)
_MARKS = re.compile(r"(?<=\w)(?:[*_~`]{1,3})(?=\w)|</?[a-z][a-z0-9]{0,15}(?:\s[^<>]{0,300})?/?>", re.I)
_SPACED = re.compile(r"(?<!\w)(?:[^\W\d_][ .·-]){4,}[^\W\d_](?!\w)")
_SPACER = re.compile(r"[ .·-]")
_OPENER = re.compile(r"<([a-z][a-z0-9]{0,15})\s([^<>]{0,600})>", re.I)
_HIDING = re.compile(
    r"(?<![\w-])color\s*[:=]\s*[\"']?\s*(?:white\b|#f{3}\b|#f{6}\b|transparent\b|rgba?\(\s*255\s*,\s*255\s*,\s*255)"
    r"|font-size\s*:\s*[01](?:\.\d+)?(?:px|pt|em|rem|%)?\s*(?=[;\"'!]|$)|opacity\s*:\s*0(?:\.0\d*)?\s*(?=[;\"'!]|$)"
    r"|display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|(?:^|\s)hidden(?=[\s=]|$)"
    r"|(?:^|\s)size\s*=\s*[\"']?0|(?:left|top|text-indent)\s*:\s*-\d{3,}",
    re.I,
)
_LOOK_ALIKE = dict(
    zip(
        "авеёкмнорстухіїјѕһԁԛԝԍӏьЬАВЕКМНОРСТУХІЈЅԚԜαβεικνορτυχγηωΑΒΕΖΗΙΚΜΝΟΡΤΥΧսոօսհցԱՍՕƖǀɑɡɩⅼ",
        "abeekmhopctyxiijshdqwgibbabekmhopctyxijsqwabeikvoptuxynwabezhikmnoptyxunouhguuoilagil",
        strict=True,
    )
)


@dataclass(frozen=True, slots=True)
class View:
    """`text` is folded. `hidden` says that whoever reads the original is not shown it like this."""

    name: str
    text: str
    hidden: bool
    place: Callable[[int, int], tuple[int, int]]
    """(first, last) in `text` → (first, last) in the original."""
    part: bool = False
    """A hidden part of the original, not all of it: what is found in it means the whole part."""


@dataclass(frozen=True, slots=True)
class _Reading:
    text: str
    place: Callable[[int, int], tuple[int, int]]


def views(text: str, depth: int = 0) -> Iterator[View]:
    """Every view of `text`: hidden parts first, then the whole as written and step by step calmed. A step
    that changes nothing gives no view."""
    reading = _Reading(text, lambda first, last: (first, last))
    yield from _within(_tag_runs(text), reading, "invisible tag characters", depth)
    steps: list[tuple[str, bool, _Reading]] = [("as written", False, reading)]
    for name, hidden, step in _STEPS:
        further = step(steps[-1][2])
        if further.text != steps[-1][2].text:
            steps.append((name, hidden or steps[-1][1], further))
    for _, _, calmed in steps if len(steps) < 2 else (steps[0], steps[-1]):
        yield from _within(_comments(calmed.text), calmed, "comment", depth)
        yield from _within(_unseen(calmed.text), calmed, "text styled to be unseen", depth)
        yield from _within(_encoded(calmed.text), calmed, "encoded text", depth)
    for name, hidden, calmed in steps:
        folded = _by_letter(calmed, _fold)
        yield View(name, folded.text, hidden, folded.place)


def _within(
    parts: Iterator[tuple[int, int, str]], reading: _Reading, name: str, depth: int
) -> Iterator[View]:
    """The views of parts that stand at (first, last) of a reading; whatever is found there, the whole part
    is meant."""
    if depth >= DEEPEST:
        return
    for first, last, inner in parts:
        whole = reading.place(first, last)
        for view in views(inner, depth + 1):
            yield View(name, view.text, True, lambda _, __, whole=whole: whole, True)  # type: ignore[misc]


def _tag_runs(text: str) -> Iterator[tuple[int, int, str]]:
    """Runs of tag characters, decoded. Those that spell the flag of a region are none."""
    for run in _TAG_RUN.finditer(text):
        inner = "".join(chr(ord(c) - 0xE0000) for c in run[0].rstrip("\U000e007f"))
        if not (text[max(0, run.start() - 1) : run.start()] == _FLAG and len(inner) <= 6):
            yield run.start(), run.end(), inner


def _comments(text: str) -> Iterator[tuple[int, int, str]]:
    at = text.find("<!--")
    while at >= 0:
        end = text.find("-->", at + 4)
        stop = len(text) if end < 0 else end + 3
        yield at, stop, text[at + 4 : stop if end < 0 else end]
        at = text.find("<!--", stop)
    for line in re.finditer(r"^\[//\]:[^\n(\"']{0,20}[(\"']([^\n]*)$", text, re.M):
        yield line.start(), line.end(), line[1]


def _unseen(text: str) -> Iterator[tuple[int, int, str]]:
    lower = text.lower() if len(text.lower()) == len(text) else text
    end = 0
    for opener in _OPENER.finditer(text):
        if opener.start() < end or not _HIDING.search(opener[2]):
            continue
        close = lower.find(f"</{opener[1].lower()}", opener.end(), opener.end() + FARTHEST)
        stop = min(len(text), opener.end() + FARTHEST) if close < 0 else close
        end = stop if close < 0 else (text.find(">", close, close + 20) + 1 or stop)
        yield opener.start(), end, text[opener.end() : stop]


def _encoded(text: str) -> Iterator[tuple[int, int, str]]:
    for found in _BASE64.finditer(text):
        packed = found[0].replace("\n", "").replace("-", "+").replace("_", "/").rstrip("=")
        if inner := _words(lambda p=packed: base64.b64decode(p + "=" * (-len(p) % 4))):  # type: ignore[misc]
            yield found.start(), found.end(), inner
    for found in _HEX.finditer(text):
        if inner := _words(lambda p=found[0]: bytes.fromhex(p)):  # type: ignore[misc]
            yield found.start(), found.end(), inner


def _words(decode: Callable[[], bytes]) -> str:
    """What was decoded, if it is text; else nothing."""
    try:
        text = decode().decode("utf-8")
    except (ValueError, binascii.Error):
        return ""
    return text if sum(c.isprintable() or c in "\n\t\r" for c in text) == len(text) else ""


def _by_letter(reading: _Reading, change: Callable[[str], str]) -> _Reading:
    """Each letter changed by itself."""
    text = reading.text
    table = {letter: change(letter) for letter in set(text)}
    if all(len(after) == 1 for after in table.values()):
        return _Reading("".join(map(table.__getitem__, text)), reading.place)
    return _joined(reading, [table[letter] for letter in text], range(len(text)))


def _replaced(reading: _Reading, pattern: re.Pattern[str], change: Callable[[str], str]) -> _Reading:
    """Each match of a pattern changed, the rest as it was."""
    text, parts, starts, here = reading.text, [], [], 0
    for match in pattern.finditer(text):
        parts += [text[here : match.start()], change(match[0])]
        starts += [here, match.start()]
        here = match.end()
    if not parts:
        return reading
    return _joined(reading, [*parts, text[here:]], [*starts, here])


def _joined(reading: _Reading, parts: list[str], starts: range | list[int]) -> _Reading:
    """Parts joined; part i came from the reading's letters from starts[i] on."""
    ends = list(itertools.accumulate(map(len, parts)))
    size, up = len(reading.text), reading.place

    def before(at: int) -> int:
        i = bisect_right(ends, at)
        if i >= len(parts):
            return size
        begin = ends[i] - len(parts[i])
        whole = starts[i + 1] - starts[i] if i + 1 < len(starts) else size - starts[i]
        return starts[i] + (at - begin if whole == len(parts[i]) else 0)

    def place(first: int, last: int) -> tuple[int, int]:
        # A part that was changed belongs to the span as a whole: up to where the next letter comes from.
        return up(before(first), max(before(first), _after(last)))

    def _after(last: int) -> int:
        i = bisect_right(ends, last - 1) if last else 0
        if i >= len(parts):
            return size
        whole = starts[i + 1] - starts[i] if i + 1 < len(starts) else size - starts[i]
        begin = ends[i] - len(parts[i])
        return starts[i] + (last - begin if whole == len(parts[i]) else whole)

    return _Reading("".join(parts), place)


def _fold(letter: str) -> str:
    """As `lab.text.fold`, but without making other letters of compatible ones: that is a step of its own."""
    if letter in "’‘ʼ´`":
        return "'"
    if unicodedata.normalize("NFKC", letter) == letter and unicodedata.category(letter) != "Cf":
        return letter if letter.isspace() else fold(letter)
    return letter.casefold()


def _seen(letter: str) -> str:
    code = ord(letter)
    if letter == "\n" or letter == "\t":
        return letter
    gone = (
        unicodedata.category(letter) in ("Cf", "Cc") or 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF
    )
    return "" if gone or letter in "\u034f\u115f\u1160\u3164\uffa0" else letter


def _without(letters: str) -> Callable[[_Reading], _Reading]:
    return lambda reading: _by_letter(reading, lambda c: "" if c in letters else c)


_STEPS: tuple[tuple[str, bool, Callable[[_Reading], _Reading]], ...] = (
    ("soft hyphens removed", False, _without("\u00ad")),
    ("invisible characters removed", True, lambda r: _by_letter(r, _seen)),
    ("character references decoded", False, lambda r: _replaced(r, _REFERENCE, html.unescape)),
    ("marks removed", False, lambda r: _replaced(r, _MARKS, lambda _: "")),
    (
        "compatible letters (NFKC)",
        False,
        lambda r: _by_letter(r, lambda c: unicodedata.normalize("NFKC", c)),
    ),
    ("look-alike letters replaced", True, lambda r: _by_letter(r, lambda c: _LOOK_ALIKE.get(c, c))),
    ("spaced letters joined", True, lambda r: _replaced(r, _SPACED, lambda m: _SPACER.sub("", m))),
)
"""Name, whether it uncovers what was concealed, and how. Soft hyphens, references and wide letters occur in
honest text too."""
