"""Values a statement gives: codes, amounts, figures, names and quoted words, with the words that say of what.

No dictionary and no model: the shape of a word is enough to know that "kp_7F2-Q9" or "Deniz Tekstil" is
something that one can give away or take back."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lab.text import STOP_EN, STOP_TR, fold, lexemes

_SHAPES = re.compile(
    r"(?P<mail>[\w.+-]+@\w+(?:[.-]\w+)+)"
    r"|(?P<time>\b\d{1,2}[:.]\d{2}\s?(?:[AP]M|[ap]m)\b|\b\d{1,2}:\d{2}\b)"
    r"|(?P<quoted>(?<!\w)['\"‘“«](?P<inner>[^'\"‘’“”«»]{2,80}?)[.,;]?['\"’”»](?!\w))"
    r"|(?P<amount>(?:[$€£₺]\s?\d[\d.,]*\d|[$€£₺]\s?\d)|%\s?\d+(?:[.,]\d+)?|\d+(?:[.,]\d+)*\s?"
    r"(?:%|percent\b|yüzde\b|USD\b|EUR\b|GBP\b|TRY\b|TL\b|lira\b|euros?\b|dollars?\b|pounds?\b))"
    r"|(?P<code>(?=[\w-]*\d)(?=[\w-]*[A-Za-zÇĞİÖŞÜçğıöşü])\w+(?:[-_]\w+)*"
    r"|\d+(?:[-\s]\d{2,})+|\d{3,}(?![.,:]\d))"
    r"|(?P<name>[A-ZÇĞİÖŞÜ][\w&]*(?:[-’'][A-ZÇĞİÖŞÜ]\w+)*(?:\s+(?:of|de|von|and the)?\s*[A-ZÇĞİÖŞÜ][\w&]*)*)"
)
_CALENDAR = frozenset(
    """january february march april may june july august september october november december monday
    tuesday wednesday thursday friday saturday sunday ocak subat mart nisan mayis haziran temmuz agustos
    eylul ekim kasim aralik pazartesi sali carsamba persembe cuma cumartesi pazar i""".split()
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_DAYS = re.compile(r"\d{1,2}(?:st|nd|rd|th|am|pm|h|min)", re.I)
_WINDOW = 9
"""Words before a value in which the noun it is the value of is looked for."""


@dataclass(frozen=True, slots=True)
class Value:
    """`text` as written at `start` of its sentence; `kind`: code, amount, time, name, mail, phrase or quoted;
    `of`: lexemes of the words around it that say what it is the value of."""

    text: str
    kind: str
    start: int
    of: frozenset[str]


def values(sentence: str, language: str, known: frozenset[str] = frozenset()) -> list[Value]:
    """The values of `sentence` in their order. `known`: folded words that are no news (the people and rooms
    everybody knows by name). Days and single words that only open a sentence are none."""
    found: list[Value] = []
    for match in _SHAPES.finditer(sentence):
        kind, text, start = match.lastgroup or "", match[0], match.start()
        if match["quoted"]:
            kind, text, start = "quoted", match["inner"].strip(), match.start("inner")
        elif match["name"]:
            kind = "name"
            text, start = _trimmed(sentence, text, start, known)
            if not text:
                continue
        elif match["code"] and (_YEAR.fullmatch(text) or _DAYS.fullmatch(text) or _dated(sentence, match)):
            continue
        elif match["amount"]:
            kind = "amount"
        elif match["code"]:
            kind = "code"
        before = sentence[:start].split()[-_WINDOW:]
        after = sentence[start + len(text) :].split()[:3]
        of = frozenset(lexemes(" ".join((*before, "…", *after)), language))
        found.append(Value(text, kind, start, of))
    return sorted([*found, *_phrases(sentence, language, found)], key=lambda value: value.start)


_HOLDER = re.compile(
    r"\b(?:phrase|password|passphrase|passcode|word|keyword|location|spot|"
    r"hiding place|place|point|label|parola|"
    r"sifre|şifre|şifresi|parolası|yer|yeri|konum|konumu|nokta)"
    r"(?:\s(?:is|remains|stays|as|on file is|was|is now|is still|now|still|currently|reads))*[:\s]\s*"
    r"(?P<what>(?!(?:is|was|of|for|in|to|and|or|from|that|which|on|at|until|now|before|after|we|you|it|only|as)\b)"
    r"[a-zçğıöşü]+(?:\s(?!(?:from|and|or|but|for|until|because|before|after|when|while|with|now|as|is|are|was|so|"
    r"only|may|should|must|can|remains?|stays?|to|in|on|at|that|which|we|still|going|be)\b)[a-zçğıöşü-]+){1,4})"
)
"""What holds a value in plain words: "the phrase is grey heron", "the old spot under the stairs"."""


def _phrases(sentence: str, language: str, known: list[Value]) -> list[Value]:
    taken = [range(value.start, value.start + len(value.text)) for value in known]
    found = []
    for match in _HOLDER.finditer(sentence):
        if not any(match.start("what") in span for span in taken):
            of = frozenset(lexemes(sentence[max(0, match.start() - 60) : match.start("what")], language))
            found.append(Value(match["what"], "phrase", match.start("what"), of))
    return found


def _dated(sentence: str, match: re.Match[str]) -> bool:
    word = re.search(r"(\w+)\W*$", sentence[: match.start()])
    return bool(word and fold(word[1]) in _CALENDAR)


def _trimmed(sentence: str, text: str, start: int, known: frozenset[str]) -> tuple[str, int]:
    """The name without what is no news at its ends; "" when nothing is left."""
    parts = [(m[0], m.start()) for m in re.finditer(r"\S+", text)]
    opens = not sentence[:start].strip() or sentence[:start].rstrip()[-1:] in ".:;!?"

    def dull(word: str) -> bool:
        bare = fold(re.sub(r"['’]\w*$", "", word))
        short = word.isupper() and len(word) <= 4  # PIN, USD, TL: what it is, not which
        return (
            bare in known or bare in _CALENDAR or bare in STOP_EN or bare in STOP_TR or len(bare) < 2 or short
        )

    if opens and len(parts) > 1 and not dull(parts[0][0]) and dull(parts[1][0]):
        parts = parts[1:]
    if opens and len(parts) == 1 and not re.search(r"\w[A-Z]", parts[0][0]):
        return "", start

    while parts and dull(parts[0][0]):
        parts = parts[1:]
    while parts and dull(parts[-1][0]):
        parts = parts[:-1]
    if not parts:
        return "", start
    if opens and parts[0][1] == 0 and len(parts) == 1 and not re.search(r"\w[A-Z]", parts[0][0]):
        return "", start
    first = parts[0][1]
    last = parts[-1][1] + len(parts[-1][0])
    return text[first:last], start + first
