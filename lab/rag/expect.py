"""What kind of answer a question expects: a figure, an address, a row of a table. Rules in English and
Turkish."""

from __future__ import annotations

import re

from lab.rag.number_words import LARGEST, number_words
from lab.text import fold, words

_FIGURE = re.compile(
    r"\b(?:"
    r"how (?:many|much|long|often|old|far|high|late|early)|when|until|what (?:time|rate|amount|percentage)"
    r"|limit|max\w*"
    r"|most|least|rate|amount|percent|deadline|age|kac\w*|ne kadar\w*|ne zaman|hangi (?:gun|tarih|saat)\w*"
    r"|en (?:cok|fazla|az|gec)|yuzde\w*|limit\w*|ust sinir\w*|tutar\w*|oran\w*|sure\w*)\b"
)
_ADDRESS = re.compile(
    r"\b(?:e-?mail|mail|e-?posta|address|adres\w*|where (?:do|can|should|to)|kime|nereye|whom?|who)\b"
)
_AMBIGUOUS = frozenset({"one", "bir", "on"})
"""Number words that are more often something else: "one" and "bir" as articles, "on" as a preposition."""
_ORDINALS = {
    word: number
    for line in (
        "first second third fourth fifth sixth seventh eighth ninth tenth",
        "birinci ikinci ucuncu dorduncu besinci altinci yedinci sekizinci dokuzuncu onuncu",
    )
    for number, word in enumerate(line.split(), start=1)
}
_YEAR_OF = re.compile(rf"\b({'|'.join(_ORDINALS)})(?: full)? (?:year|yil)")


def numbers(text: str) -> frozenset[int]:
    """The whole numbers a question names, in digits or words, the ordinal of a year too ("in her second
    year"); single "one", "bir" and "on" are not read as numbers."""
    tokens, known, found = words(text), number_words(), set()
    found |= {_ORDINALS[match[1]] for match in _YEAR_OF.finditer(fold(text))}
    at = 0
    while at < len(tokens):
        pair = tuple(tokens[at : at + 2])
        if len(pair) == 2 and pair in known:
            found.add(known[pair])
            at += 2
            continue
        token = tokens[at]
        if token.isdigit() and len(token) < 6:
            found.add(int(token))
        elif token not in _AMBIGUOUS and (token,) in known:
            found.add(known[(token,)])
        at += 1
    return frozenset(found)


def wants_figure(question: str) -> bool:
    return bool(_FIGURE.search(fold(question)))


def wants_address(question: str) -> bool:
    return bool(_ADDRESS.search(fold(question)))


def key_covers(key: str, named: frozenset[int]) -> bool | None:
    """Whether a numeric row key ("7", "5–9", "15 or more") covers one of the numbers; None when the key is
    no number."""
    if match := re.fullmatch(r"(\d+)\s*[–-]\s*(\d+)", key):
        return any(int(match[1]) <= number <= int(match[2]) for number in named)
    if match := re.fullmatch(
        r"(\d+)\s*(?:\+|or more|and more|and over|ve üzeri|ve fazlası|veya daha fazla)", key
    ):
        return any(int(match[1]) <= number <= LARGEST for number in named)
    return int(key) in named if key.isdigit() else None


_UNKNOWN = re.compile(
    r"\b(?:do(?:es)? not know|don't know|cannot (?:find|answer)|can't (?:find|answer)"
    r"|no information|not (?:mentioned|stated|covered)"
    r"|bilmiyorum|bilgi yok\w*|bulamadim|bulunmuyor|yer almiyor|belirtilmemis\w*|cevap veremem|yanitlayamam)"
)


def says_unknown(answer: str) -> bool:
    """Whether a model's answer says, in English or Turkish, that it does not know."""
    return bool(_UNKNOWN.search(fold(answer)))


def phrases(text: str, longest: int = 2) -> list[str]:
    """Runs of one to `longest` words of the text, for matching against the keys of rows; short words are
    glue."""
    found = [word for word in re.findall(r"[^\W\d_]+", text) if len(word) > 3]
    return [
        " ".join(found[at : at + size])
        for size in range(1, longest + 1)
        for at in range(len(found) - size + 1)
    ]
