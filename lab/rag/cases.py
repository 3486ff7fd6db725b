"""Turkish case endings on place names, with and without apostrophe. All letters folded (ı is i, ü is u)."""

from __future__ import annotations

import re
from collections.abc import Iterator

DESTINATION, ORIGIN, LOCATION, BARE = "destination", "origin", "location", "bare"

_ENDINGS: tuple[tuple[str, str], ...] = (
    (r"(?:s[iu]n|n)?[dt][ae]n", ORIGIN),  # -dan, -den
    (
        r"(?:s[iu]n|n)?[dt][ae](?:ki(?:l[ae]r)?(?:n?[iu]n?|n?[dt]?[ae]n?)?)?",
        LOCATION,
    ),  # -da, -daki, -dakilerin
    (r"y[ae]|[ae]|(?:s[iu]n|n)[ae]|y?[ae] (?:kadar|dogru)", DESTINATION),  # -a, -ya, -sina
    (r"y?[iu]|n?[iu]n|y?l[ae]|l[iu](?:l[ae]r)?|(?:s[iu])?n[iu]|s[iu]", BARE),  # -i, -in, -le, -li, -sini
)
_WHOLE = tuple((re.compile(pattern), role) for pattern, role in _ENDINGS)
_LONGEST = 9


def role_of(ending: str) -> str | None:
    """What a folded ending says of a place ("ya" → destination); None when it is no case ending."""
    return next((role for pattern, role in _WHOLE if pattern.fullmatch(ending)), None)


def stems(word: str, shortest: int = 4) -> Iterator[tuple[str, str]]:
    """(stem, role) for each way to read a folded word as a name with a case ending, longest stem first."""
    for cut in range(len(word) - 1, max(shortest, len(word) - _LONGEST) - 1, -1):
        if role := role_of(word[cut:]):
            yield word[:cut], role
