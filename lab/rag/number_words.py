"""Numbers as words, 1 to 60, in English and Turkish: years of service, nights and days go no further."""

from __future__ import annotations

import functools

from lab.text import words

LARGEST = 60
_UNITS = {
    "en": "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen",
    "tr": "bir iki üç dört beş altı yedi sekiz dokuz on",
}
_TENS = {
    "en": {20: "twenty", 30: "thirty", 40: "forty", 50: "fifty", 60: "sixty"},
    "tr": {10: "on", 20: "yirmi", 30: "otuz", 40: "kırk", 50: "elli", 60: "altmış"},
}


@functools.cache
def number_words() -> dict[tuple[str, ...], int]:
    """Folded words → number; compounds both apart and joined ("on iki" and "oniki", "twenty one")."""
    known: dict[tuple[str, ...], int] = {}
    for language, listed in _UNITS.items():
        units = listed.split()
        spoken = {number: [word] for number, word in enumerate(units, start=1)}
        for ten, word in _TENS[language].items():
            spoken[ten] = [word]
            for unit in range(1, 10):
                spoken.setdefault(ten + unit, [word, units[unit - 1]])
        for number, parts in spoken.items():
            if number <= LARGEST:
                known[tuple(words(" ".join(parts)))] = number
                known[tuple(words("".join(parts)))] = number
    return known
