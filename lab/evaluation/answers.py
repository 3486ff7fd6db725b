"""Whether words and figures occur in an answer, in English and Turkish.

Both sides are folded (`lab.text.fold`: case, İ/ı, Turkish letters), then cut into words and numbers.

- A **number** matches as a whole: `22` is not in `220`, `2.022` or `22.5`. Thousands may be written with
  a comma, a point or a no-break space (`1,250` = `1.250` = `1250`), decimals with a point or a comma
  (`132.5` = `132,5` = `132.50`). A separator is read as thousands when three digits follow each one and
  the number does not start with 0. Times (`16:00`) and dates are one piece each, so no figure is found
  inside a date. A unit may touch (`400TL`, `%30`).
- A **word** matches as a whole; the last word of a phrase, from four letters on, may carry an ending (`31
  Mart` is in `31 Martta`), because Turkish writes case endings on to the word. An apostrophe always ends
  a word (`TL'dir`).
- A **phrase** matches its pieces in order with nothing between them but spaces and punctuation. An e-mail
  address is one piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lab.text import fold

_PIECE = re.compile(
    r"(?P<mail>[a-z0-9._%+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+)"
    r"|(?P<day>\d{4}-\d{2}-\d{2}(?!\d))"
    r"|(?P<time>\d{1,2}:\d{2}(?!\d))"
    r"|(?P<number>\d+(?:[.,]\d+)*)"
    r"|(?P<word>[^\W\d_]+\d*)"
)
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*")
_NO_BREAK = re.compile(r"(?<=\d)[\u00a0\u202f](?=\d{3}(?!\d))")
_ENDING_FROM = 4
_SENTENCE = re.compile(r"(?<=[.!?…])\s+(?=[^\W\d_a-zçğıöşü])|\n+")

_EARLIER = (
    "earlier", "previous", "previously", "formerly", "former", "before", "until", "till", "old", "was",
    "were", "used to", "instead of", "rather than", "no longer", "replaced", "replaces", "superseded",
    "amended", "raised from", "up from", "down from", "önce", "önceki", "önceden", "öncesi",
    "öncesinde", "eski", "eskiden", "yerine", "idi", "iken", "değişti", "geçerli değil", "yürürlükten",
)  # fmt: skip
_AWAY = ("from", "den", "dan", "ten", "tan")


def number(text: str) -> str:
    """The canonical form of a written number: no thousands separators, decimal point, no closing zeros.

    `1.250,50` → `1250.5`, `132,50` → `132.5`, `0.125` → `0.125`, `0850` → `0850`."""
    thousands = _THOUSANDS.match(text)
    head, tail = ("", text)
    if thousands and (len(text) == thousands.end() or text[thousands.end()] in ".,"):
        head, tail = re.sub(r"\D", "", thousands.group()), text[thousands.end() :]
    whole, *rest = re.split(r"[.,]", head + tail)
    if len(rest) == 1:
        decimals = rest[0].rstrip("0")
        return f"{whole}.{decimals}" if decimals else whole
    return ".".join([whole, *rest])


def pieces(text: str) -> list[str]:
    """Folded words, canonical numbers, times, dates and addresses of a text, in order."""
    found = []
    # Before the fold, which makes plain spaces of no-break ones.
    text = _NO_BREAK.sub(",", text)
    for match in _PIECE.finditer(fold(text)):
        piece = match.group()
        found.append(number(piece) if match.lastgroup == "number" else piece)
    return found


def occurs(phrase: str, text: str) -> bool:
    """Whether the phrase occurs in the text, by the rules above."""
    return bool(_places(pieces(phrase), pieces(text)))


def contains_text(alternatives: Iterable[str], text: str) -> bool:
    """Whether any of the alternatives occurs in the text."""
    present = pieces(text)
    return any(_places(pieces(phrase), present) for phrase in alternatives)


def _places(wanted: list[str], present: list[str]) -> list[int]:
    if not wanted:
        return []
    size = len(wanted)
    return [
        start
        for start in range(len(present) - size + 1)
        if present[start : start + size - 1] == wanted[:-1] and _ends(present[start + size - 1], wanted[-1])
    ]


def _ends(present: str, wanted: str) -> bool:
    if present == wanted:
        return True
    return wanted.isalpha() and len(wanted) >= _ENDING_FROM and present.startswith(wanted)


def is_marked_earlier(figure: str, sentence: str) -> bool:
    """Whether the sentence calls the figure an earlier one.

    It does with `until`, `was`, `instead of`, `önceki`, `yerine`, … anywhere in it, with `from` right before
    the figure, or with the ablative within two pieces after it (`330 TL'den 400 TL'ye`)."""
    present, wanted = pieces(sentence), pieces(figure)
    if any(_places(pieces(word), present) for word in _EARLIER):
        return True
    return all(
        "from" in present[max(0, start - 2) : start]
        or any(_is_ablative(piece) for piece in present[start + len(wanted) : start + len(wanted) + 2])
        for start in _places(wanted, present)
    )


def _is_ablative(piece: str) -> bool:
    return piece in _AWAY[1:] or (len(piece) > 4 and piece.endswith(_AWAY[1:]))


def violations(excludes: Iterable[str], earlier: Iterable[str], text: str) -> tuple[str, ...]:
    """What must not stand in the answer but does.

    These are phrases of `excludes`, and figures of `earlier` in a sentence that doesn't call them earlier."""
    found = [phrase for phrase in excludes if occurs(phrase, text)]
    sentences = _SENTENCE.split(text)
    found += [
        figure
        for figure in earlier
        if any(occurs(figure, part) and not is_marked_earlier(figure, part) for part in sentences)
    ]
    return tuple(found)
