"""An embedder without a model, for thousands of texts in no time: texts that share words are near."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np

from lab.text import words


class Hashed:
    """Bags of words, each word hashed to one of the dimensions and a sign (feature hashing, Weinberger et
    al. 2009)."""

    spec, space, dimensions = "hashed", "hashed-128", 128

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        """(n, 128) float32, rows of length 1."""
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in words(text) or [text]:
                digest = zlib.crc32(word.encode("utf-8", "surrogatepass"))
                row[digest % self.dimensions] += 1.0 if digest & 0x8000_0000 else -1.0
            if not row.any():
                row[0] = 1.0
        scaled: np.ndarray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return scaled

    def queries(self, texts: Sequence[str]) -> np.ndarray:
        """Like `passages`."""
        return self.passages(texts)
