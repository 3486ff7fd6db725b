"""Gemma's tokenizer: byte-pair merging by the scores of a SentencePiece vocabulary (Kudo and Richardson,
EMNLP 2018), as llama.cpp does it for vocabularies of the kind "llama"."""

from __future__ import annotations

import functools
import heapq
import re
from collections.abc import Sequence

from lab.models.gemma_weights import Weights

GIVEN, BYTE = 4, 6
"""Types of tokens: those the maker gave as they are (runs of line ends and blanks), single bytes."""
BEGIN = 2
LONGEST = 200
"""Letters of a word beyond which it is cut: merging takes time by the square of it."""


class Tokenizer:
    """Text to token numbers. Not reversible where a text holds the blank's own sign ▁."""

    def __init__(self, weights: Weights) -> None:
        self._number = {token: at for at, token in enumerate(weights.tokens)}
        self._score = weights.scores
        given = [
            token
            for token, kind in zip(weights.tokens, weights.types, strict=True)
            if kind == GIVEN and token
        ]
        self._given = re.compile("|".join(re.escape(it) for it in sorted(given, key=len, reverse=True)))

    def encode(self, text: str) -> list[int]:
        """Token numbers of a text, without the one that begins a text; none for an empty text."""
        found: list[int] = []
        last = 0
        for match in self._given.finditer(text):
            found += self._plain(text[last : match.start()])
            found.append(self._number[match.group()])
            last = match.end()
        return found + self._plain(text[last:])

    def _plain(self, text: str) -> list[int]:
        # A merge never crosses the beginning of a word in this vocabulary, so words are cut one by one.
        return [
            token
            for word in re.findall(r"▁*[^▁]*", text.replace(" ", "▁"))
            for first in range(0, len(word), LONGEST)
            for token in self._word(word[first : first + LONGEST])
        ]

    @functools.lru_cache(maxsize=20_000)  # noqa: B019 - one tokenizer a process
    def _word(self, word: str) -> tuple[int, ...]:
        parts: list[str | None] = list(word)
        after = list(range(1, len(parts) + 1))
        before = list(range(-1, len(parts) - 1))
        waiting: list[tuple[float, int, int, str]] = []

        def offer(left: int) -> None:
            right = after[left] if left >= 0 else len(parts)
            if left < 0 or right >= len(parts):
                return
            pair = (parts[left] or "") + (parts[right] or "")
            if pair in self._number:
                heapq.heappush(waiting, (-self._score[self._number[pair]], left, right, pair))

        for at in range(len(parts) - 1):
            offer(at)
        while waiting:
            _, left, right, pair = heapq.heappop(waiting)
            if parts[left] is None or parts[right] is None or after[left] != right:
                continue
            if (parts[left] or "") + (parts[right] or "") != pair:
                continue
            parts[left], parts[right] = pair, None
            after[left] = after[right]
            if after[left] < len(parts):
                before[after[left]] = left
            offer(before[left])
            offer(left)
        return tuple(number for part in parts if part is not None for number in self._numbers(part))

    def _numbers(self, part: str) -> Sequence[int]:
        if part in self._number:
            return (self._number[part],)
        return [self._number[f"<0x{byte:02X}>"] for byte in part.encode("utf-8", "replace")]
