"""Sentences of English, Turkish and German prose by one small rule; other languages by their full stops.

pysbd and its kin know no Turkish, where a full stop after a figure makes an ordinal ("6. madde", "1
Haziran" beside "1. Haziran"). The rule: a sentence ends at . ! ? … (and 。！？) before white space, unless
what follows starts in lower case, or the full stop belongs to an abbreviation, an initial, a roman numeral,
an ordinal or the number a sentence begins with. Full stops without white space after them (132.5, 10.30,
mail and web addresses) never end one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_STOP = re.compile(r"[.!?…]+[\"'”’»)\]*_]*(?=\s)|[。！？]+[」』”’]*|\n+")
_OPENING = "\"'“‘«([*_¿¡"
_TITLES = frozenset(str.split("mr mrs ms dr prof st sn av doç yrd öğr arş gör uzm hz"))
"""Before a name, if capitalised: "Sn. Ayşe" is a title, "30 sn. Sonra" seconds at the end of a sentence."""
_ABBREVIATIONS = frozenset(str.split("e.g i.e cf fig approx dept tel bkz örn yy cad mah çev bzw z.b d.h"))
"""The sentence goes on after these, capital letter or not. "etc." and "vb." are none: a capital ends them."""
_BEFORE_FIGURES = frozenset(str.split("no nr max min art sec vol pp p s sf ext madde"))
"""Abbreviations before a figure only: "No. 5", but "The answer is no. Ask again"."""
_AFTER_ORDINAL = str.split(
    "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık "
    "pazartesi salı çarşamba perşembe cuma cumartesi pazar hafta yüzyıl dönem "
    "madde bölüm kısım fıkra bent cadde sokak noter sınıf derece bölge uluslararası ulusal "
    "januar februar märz april mai juni juli august september oktober november dezember "
    "jahrhundert abschnitt kapitel"
)
"""What follows, capitalised, a Turkish or German ordinal ("31. Mart", "3. Abschnitt"), endings or not."""
_ROMAN = re.compile(r"[IVXLC]{2,}$")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]$")
_AHEAD = re.compile(r"\s*(\S{0,40})")
_LOWER_TR = str.maketrans({"I": "ı", "İ": "i"})


def sentences(text: str, language: str = "en") -> list[str]:
    """The sentences of `text` in order, each a verbatim span without outer white space; nothing is left out.

    Lines are never joined: a line end closes a sentence (cleaned paragraphs are one line)."""
    return [text[first:last] for first, last in spans(text, language)]


def spans(text: str, language: str = "en") -> Iterator[tuple[int, int]]:
    """(first, last) of each sentence within `text`."""
    start = 0
    for stop in _STOP.finditer(text):
        if stop[0][0] in "\n。！？" or _ends(text, start, stop, language):
            yield from _trimmed(text, start, stop.end())
            start = stop.end()
    yield from _trimmed(text, start, len(text))


def _trimmed(text: str, first: int, last: int) -> Iterator[tuple[int, int]]:
    while first < last and text[first].isspace():
        first += 1
    while last > first and text[last - 1].isspace():
        last -= 1
    if first < last:
        yield first, last


def _word(text: str, first: int, last: int) -> str:
    """The word that ends at `last`, without opening brackets; at most 40 characters are looked at."""
    parts = text[max(first, last - 40) : last].split()
    return parts[-1].lstrip(_OPENING) if parts and not text[last - 1].isspace() else ""


def _ends(text: str, start: int, stop: re.Match[str], language: str) -> bool:
    after = _AHEAD.match(text, stop.end())
    ahead = after[1].lstrip(_OPENING) if after else ""
    if not ahead:
        return True
    address = "@" in ahead or ahead.startswith(("http", "www."))
    if ahead[0].islower() and not address:
        return False
    if not stop[0].startswith(".") or stop[0].startswith(".."):
        return True
    before = _word(text, start, stop.start())
    if before.isdigit():
        opens = stop.start() - start < 50 and text[start : stop.start()].strip().lstrip(_OPENING) == before
        if opens and len(before) <= 3:
            return False
        return not (language in ("tr", "de") and len(before) <= 3 and _follows_ordinal(ahead))
    lower = before.translate(_LOWER_TR).lower() if language == "tr" else before.lower()
    if (lower in _TITLES and before[0].isupper()) or lower in _ABBREVIATIONS:
        return False
    if lower in _BEFORE_FIGURES and ahead[0].isdigit():
        return False
    if lower == "vs" and language != "tr":  # versus; in Turkish it is "and so on"
        return False
    if _INITIALS.match(before) and before[0].isupper():
        return False
    return not (_ROMAN.match(before) and language in ("tr", "de"))


def _follows_ordinal(word: str) -> bool:
    lower = re.split(r"['’\W]", word.translate(_LOWER_TR).lower())[0]
    return any(lower.startswith(word) for word in _AFTER_ORDINAL)
