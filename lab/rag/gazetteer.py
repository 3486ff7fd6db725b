"""Places by name, from the package's own data. How it was made, and whose it is: GAZETTEER.md beside it."""

from __future__ import annotations

import functools
import gzip
import json
from dataclasses import dataclass
from importlib.resources import files

NEEDS_CONTEXT = 0
"""Also an ordinary word ("Nice", "Van"): only capitalised after "in" or "to", or before an apostrophe."""
NEEDS_INNER_CAPITAL = 1
"""A smaller city's other spelling: only when capitalised inside a sentence, or before an apostrophe."""
NEEDS_CAPITAL = 2
ANY_CASE = 3
"""Another spelling of a large city, or of a Turkish one."""
FAMOUS = 4
"""A country, a large city or a Turkish one by its usual name: also with a case ending and no apostrophe."""

LONGEST = 5
"""Words of the longest name looked up."""


@dataclass(frozen=True, slots=True)
class Gazetteer:
    """`places`: folded name → (scope, level); `blocked`: words that only look like an inflected place."""

    places: dict[str, tuple[str, int]]
    blocked: frozenset[str]


@functools.cache
def gazetteer() -> Gazetteer:
    """Loaded at the first call, about 30 ms."""
    data = json.loads(gzip.decompress((files("lab.rag") / "gazetteer.json.gz").read_bytes()))
    scopes = {"d": "domestic", "i": "international"}
    places = {
        name: (scopes[group[0]], int(group[1]))
        for group, names in data.items()
        if len(group) == 2 and group[1].isdigit()
        for name in names
    }
    return Gazetteer(places, frozenset(data["blocked"]))
