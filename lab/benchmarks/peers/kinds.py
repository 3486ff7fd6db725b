"""What a peer is: it stores texts of several people and finds those of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lab.kinds import Chunk, Document


@dataclass(frozen=True, slots=True)
class Texts:
    """What every peer is given. A chunk's `label.access` is whose it is: what a search is filtered by."""

    documents: Sequence[Document]
    chunks: Sequence[Chunk]
    vectors: Mapping[str, np.ndarray]
    """Text → vector, of all chunks and questions: embedded once, outside all that is timed."""
    dimensions: int

    def vector(self, text: str) -> list[float]:
        return [float(value) for value in self.vectors[text]]


class Peer(Protocol):
    """One way to store and search. `write` is called once, before any search."""

    def write(self, texts: Texts) -> None: ...

    def search(self, whose: str, question: str, k: int) -> list[str]:
        """Ids of up to `k` chunks of one person, best first."""
        ...

    def close(self) -> None:
        """Removes what was written."""
        ...


Maker = Callable[[], Peer]
"""LabError with the install command where the peer is not installed."""
