"""Rerankers by spec: `units`, `gemma-likelihood`, `ollama:<model>`, `cross-encoder:<name or path>`."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from lab.kinds import LabError
from lab.models.embedders import Embedder

KNOWN = ("units", "gemma-likelihood", "ollama:<model>", "cross-encoder:<Hugging Face name or folder>")


@dataclass(frozen=True, slots=True)
class Passage:
    """What is judged against a question: a text with the place it stands in, and its sentences and rows."""

    where: str
    """Title and heading, as a reader would see them."""
    text: str
    units: tuple[str, ...]

    @property
    def whole(self) -> str:
        return f"{self.where}\n{self.text.strip()}" if self.where else self.text.strip()


@dataclass(frozen=True, slots=True)
class Judged:
    """Scores (n,) float64, the higher the better, comparable within one question only. `calls` counts calls
    of a language model over a server; `detail` is what the trace shows."""

    scores: np.ndarray
    calls: int = 0
    detail: dict[str, Any] = field(default_factory=dict)


class Reranker(Protocol):
    @property
    def spec(self) -> str: ...

    def judge(self, question: str, passages: Sequence[Passage]) -> Judged:
        """A score for each passage, in their order; none for none. LabError when the model can't be had."""
        ...


def reranker(spec: str, embedders: Sequence[Embedder] = ()) -> Reranker:
    """The reranker of a spec; `units` compares with these embedders, the others need none.

    LabError for an unknown spec and for one whose package is not installed. Loads no weights yet."""
    if spec.strip() == "units":
        from lab.models.rerank_units import Units

        return Units(tuple(embedders))
    return _model(spec.strip())


@functools.cache
def _model(spec: str) -> Reranker:
    kind, _, name = spec.partition(":")
    if spec == "gemma-likelihood":
        from lab.models.rerank_gemma import GemmaLikelihood

        return GemmaLikelihood()
    if kind == "ollama" and name:
        from lab.models.rerank_ollama import OllamaReranker

        return OllamaReranker(name)
    if kind == "cross-encoder" and name:
        from lab.models.rerank_cross import CrossEncoding

        return CrossEncoding(name)
    raise LabError(
        f"There is no reranker {spec!r}.",
        f"Known: {', '.join(KNOWN)}.",
        "Try: python start.py ask --rerank units …",
    )
