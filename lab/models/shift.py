"""Language shift: Turkish vectors moved by the mean difference between English and Turkish names.

A small multilingual embedder keeps some of a text's language in its vector, so that texts of one language lie
nearer to each other than to their translations. The mean difference over parallel names estimates that part;
adding it to Turkish vectors takes it out (centring by language, as in Libovický, Rosa and Fraser, "How
language-neutral is multilingual BERT?", 2019)."""

from __future__ import annotations

import datetime
import functools
import hashlib
import json
from collections.abc import Callable, Sequence
from importlib import resources

import numpy as np

from lab.models.embedders import SHIFT, Embedder, unit_rows
from lab.text import language_of

NAMES = 150
"""Territories and languages taken, each, before equal names ("Angola") are dropped."""
DAYS = (1, 3, 5, 10, 30, 60)


@functools.cache
def parallel_phrases() -> tuple[tuple[str, str], ...]:
    """(English, Turkish) names of territories, languages and a few durations, from CLDR by way of Babel."""
    from babel import Locale
    from babel.dates import format_timedelta

    english, turkish = Locale("en"), Locale("tr")
    pairs: list[tuple[str, str]] = []
    for kind in ("territories", "languages"):
        ours, theirs = getattr(english, kind), getattr(turkish, kind)
        codes = sorted(ours)[:NAMES]
        pairs += [
            (ours[code], theirs[code]) for code in codes if code in theirs and ours[code] != theirs[code]
        ]
    for days in DAYS:
        span = datetime.timedelta(days=days)
        one, other = (
            format_timedelta(span, granularity="day", threshold=400, locale=it) for it in (english, turkish)
        )
        pairs.append((one, other))
    return tuple(pairs)


FILE = "offsets.json"


@functools.cache
def shipped() -> dict[str, list[float]]:
    """`<space> <passage|query>` → offset, as `python tools/make_offsets.py` computed them. The space's name
    holds model, version and phrases, so that an offset is never taken for another model's."""
    text = resources.files("lab.models").joinpath(FILE).read_text(encoding="utf-8")
    return dict(json.loads(text))


class Shifted:
    """`<base>-shift`: the base's vectors, those of Turkish texts moved towards English, all others unchanged.

    Of a base that the package has no offsets for, the phrases are embedded once, at the first Turkish text;
    behind a cache they cost nothing again."""

    def __init__(self, base: Embedder) -> None:
        self.base = base
        self.spec = base.spec + SHIFT

    @functools.cached_property
    def space(self) -> str:
        # The phrases are part of the model: other phrases (another CLDR) give other vectors.
        phrases = hashlib.sha256(repr(parallel_phrases()).encode("utf-8")).hexdigest()[:8]
        return f"{self.base.space}{SHIFT}-{phrases}"

    @property
    def dimensions(self) -> int:
        return self.base.dimensions

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        return self._moved(texts, self.base.passages(texts), lambda: self.passage_offset)

    def queries(self, texts: Sequence[str]) -> np.ndarray:
        return self._moved(texts, self.base.queries(texts), lambda: self.query_offset)

    @functools.cached_property
    def passage_offset(self) -> np.ndarray:
        """(d,) English minus Turkish, as passages."""
        return self._offset("passage", self.base.passages)

    @functools.cached_property
    def query_offset(self) -> np.ndarray:
        """(d,) English minus Turkish, as queries."""
        return self._offset("query", self.base.queries)

    def _offset(self, role: str, embed: Callable[[Sequence[str]], np.ndarray]) -> np.ndarray:
        """From the package for the bundled embedders (half a minute saved at the first start), else
        computed."""
        kept = shipped().get(f"{self.space} {role}")
        return offset(embed) if kept is None else np.asarray(kept, dtype=np.float32)

    def _moved(self, texts: Sequence[str], rows: np.ndarray, by: Callable[[], np.ndarray]) -> np.ndarray:
        turkish = np.array([language_of(text) == "tr" for text in texts], dtype=bool)
        if not turkish.any():
            return rows
        moved = rows.copy()
        moved[turkish] += by()
        return unit_rows(moved, texts, self.spec)


def offset(embed: Callable[[Sequence[str]], np.ndarray]) -> np.ndarray:
    """(d,) mean of the English phrases' vectors minus mean of the Turkish ones'."""
    english, turkish = zip(*parallel_phrases(), strict=True)
    mean: np.ndarray = embed(english).mean(axis=0) - embed(turkish).mean(axis=0)
    return mean
