"""Vectors of the bundled documents and questions, computed beforehand: a first start need not wait for them.

Made by `python tools/make_vectors.py` with the model itself. A text that was changed since has another key
and is embedded as any other."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib import resources

import numpy as np

FILE = "vectors.npz"
KEY = 16
"""First bytes of a text's key that are kept: enough to tell a few thousand texts apart."""


@functools.cache
def vectors(space: str) -> Mapping[bytes, np.ndarray]:
    """First KEY bytes of a key (`lab.memory.embeddings`) → (d,) float16 of length 1; empty for a space that
    none came with. The space's name holds the model's version, so that no other model's vectors are taken."""
    file = resources.files("lab.models").joinpath(FILE)
    if not file.is_file():
        return {}
    with file.open("rb") as opened, np.load(opened) as arrays:
        if f"{space} keys" not in arrays:
            return {}
        keys, rows = arrays[f"{space} keys"], arrays[f"{space} vectors"]
    return {key.tobytes(): row for key, row in zip(keys, rows, strict=True)}
