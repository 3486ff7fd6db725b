"""How a name in a question may be written: Turkish case endings, softened consonants, letter triples.

All letters folded (ı is i, ü is u, ğ is g)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.text import fold

_CASE = re.compile(
    r"(?:l[ae]r)?(?:[iu]m[iu]z|[iu]n[iu]z|s[iu]|[iu])?"  # plural, possessive
    r"(?:n?[iu]n|n?[dt][ae](?:n|ki(?:l[ae]r)?(?:n?[iu]n?|n[dt]?[ae]n?)?)?|[yn]?[iuae]|y?l[ae]|c[ae])?"  # case
    r"(?:ki|k[iu]ler(?:in)?|dir|m[iu])?"
)
_HARD = {"b": "p", "c": "c", "d": "t", "g": "k"}
LONGEST = 12


_SUFFIX = re.compile(r"(?<=[^\W_]{2})['’‘ʼ´`][^\W\d_]+|(?<=\d)['’‘ʼ´`][^\W\d_]+")
_TOKEN = re.compile(r"[^\W_]+(?:[-/.&][^\W_]+)*")


def tokens(text: str) -> list[str]:
    """The words of `text` as written, cut at an apostrophe that an ending follows; codes whole."""
    return _TOKEN.findall(_SUFFIX.sub(" ", text))


def spell(name: str) -> str:
    """The spelling under which a name is kept: "Ağaoğlu  Tekstil A.Ş." → "agaoglu tekstil a.s"."""
    return " ".join(fold(token) for token in tokens(name))


def bases(word: str, shortest: int = 3) -> Iterator[str]:
    """Readings of a folded word as a name with an ending, the longest first: "agaoglunun" → "agaoglu",
    "talebindeki" → "talebi", …, "talep". The word itself is not among them."""
    for cut in range(len(word) - 1, max(shortest, len(word) - LONGEST) - 1, -1):
        if _CASE.fullmatch(word[cut:]):
            yield word[:cut]
            if (last := word[cut - 1]) in "bdg" and word[cut] in "aeiu":
                yield word[: cut - 1] + _HARD[last]


def grams(name: str) -> set[str]:
    """Letter triples of each word, its edges marked: "ege" → {"_eg", "ege", "ge_"}."""
    return {
        edged[at : at + 3]
        for word in re.findall(r"[^\W_]+", name)
        for edged in [f"_{word}_"]
        for at in range(len(edged) - 2)
    }
