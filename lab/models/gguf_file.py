"""Reading a GGUF file (version 3, little-endian): its fields and where its tensors stand. A vocabulary of a
quarter of a million tokens takes a second, where the package `gguf` makes an array of each."""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lab.kinds import LabError

_PLAIN = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""Types of values by their number in the file, as `struct` names them; 9 is an array."""
_STRING = 8


@dataclass(frozen=True, slots=True)
class Tensor:
    """`shape` as numpy has it, the fastest dimension last; `kind` is the number of its quantisation."""

    name: str
    shape: tuple[int, ...]
    kind: int
    offset: int
    """Bytes from the beginning of the file."""


@dataclass(frozen=True, slots=True)
class Contents:
    fields: dict[str, Any]
    tensors: tuple[Tensor, ...]


def contents(path: Path) -> Contents:
    """The fields and tensors of a file. LabError when it is no GGUF file of a version known here."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        cursor = _Cursor(data)
        magic, version = cursor.take("I"), cursor.take("I")
        if magic != int.from_bytes(b"GGUF", "little") or version not in (2, 3):
            raise LabError(f"{path} is no GGUF file of version 2 or 3.", "", "Install its package again.")
        count, pairs = cursor.take("Q"), cursor.take("Q")
        fields = {cursor.text(): cursor.value(cursor.take("I")) for _ in range(pairs)}
        heads = []
        for _ in range(count):
            name = cursor.text()
            sizes = [cursor.take("Q") for _ in range(cursor.take("I"))]
            heads.append((name, tuple(reversed(sizes)), cursor.take("I"), cursor.take("Q")))
        step = int(fields.get("general.alignment", 32))
        start = -(-cursor.at // step) * step
    return Contents(
        fields, tuple(Tensor(name, shape, kind, start + offset) for name, shape, kind, offset in heads)
    )


def dequantised(path: Path, tensor: Tensor) -> np.ndarray:
    """The tensor as float32, in its shape."""
    import gguf

    kind = gguf.GGMLQuantizationType(tensor.kind)
    shape = gguf.quants.quant_shape_to_byte_shape(tensor.shape, kind)
    raw = np.memmap(path, np.uint8, "r", tensor.offset, tuple(int(size) for size in shape))
    plain: np.ndarray = gguf.quants.dequantize(raw, kind).astype(np.float32, copy=False)
    return plain.reshape(tensor.shape)


class _Cursor:
    def __init__(self, data: mmap.mmap) -> None:
        self.data, self.at = data, 0

    def take(self, kind: str) -> Any:
        (value,) = struct.unpack_from("<" + kind, self.data, self.at)
        self.at += struct.calcsize("<" + kind)
        return value

    def text(self) -> str:
        size = self.take("Q")
        self.at += size
        return self.data[self.at - size : self.at].decode("utf-8")

    def value(self, kind: int) -> Any:
        if kind == _STRING:
            return self.text()
        if kind in _PLAIN:
            return self.take(_PLAIN[kind])
        of, count = self.take("I"), self.take("Q")
        if of in _PLAIN:
            found = struct.unpack_from(f"<{count}{_PLAIN[of]}", self.data, self.at)
            self.at += struct.calcsize(f"<{count}{_PLAIN[of]}")
            return list(found)
        return [self.value(of) for _ in range(count)]
