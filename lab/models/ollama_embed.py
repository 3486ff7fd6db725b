"""Embeddings from an Ollama server: `ollama:bge-m3`."""

from __future__ import annotations

import functools
import re
import weakref
from collections.abc import Sequence

import numpy as np

from lab.kinds import LabError
from lab.models.embedders import cleaned, unit_rows
from lab.models.ollama_client import address, client, speaking
from lab.models.prompts import prefixes

BATCH = 32


class OllamaEmbedder:
    """`ollama:<model>`. The space carries the weights' digest: a pulled update is another space."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.spec = f"ollama:{model}"
        self._client = client()
        weakref.finalize(self, self._client.close)
        self._before_query, self._before_passage = prefixes(model)

    @functools.cached_property
    def space(self) -> str:
        with speaking(self._client, self.model):
            digests = {entry.model: entry.digest or "" for entry in self._client.list().models}
        digest = digests.get(self.model) or digests.get(f"{self.model}:latest")
        if not digest:
            raise LabError(
                f"Ollama at {address(self._client)} does not have the model {self.model!r}.",
                "",
                f"ollama pull {self.model}",
            )
        slug = re.sub(r"[^a-z0-9.]+", "-", self.model.lower()).strip("-")
        return f"ollama-{slug}-{digest.removeprefix('sha256:')[:12]}"

    @functools.cached_property
    def dimensions(self) -> int:
        return int(self._embed(["x"]).shape[1])

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        return self._rows(texts, self._before_passage)

    def queries(self, texts: Sequence[str]) -> np.ndarray:
        return self._rows(texts, self._before_query)

    def _rows(self, texts: Sequence[str], prefix: str) -> np.ndarray:
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        # Some servers refuse an empty input; a space is the same to every tokenizer in use.
        whole = [(prefix + text) or " " for text in cleaned(texts)]
        batches = [self._embed(whole[start : start + BATCH]) for start in range(0, len(whole), BATCH)]
        return unit_rows(np.concatenate(batches), texts, self.spec)

    def _embed(self, texts: list[str]) -> np.ndarray:
        with speaking(self._client, self.model):
            # truncate=False: the server would otherwise embed the beginning of a long text and say nothing.
            reply = self._client.embed(model=self.model, input=texts, truncate=False)
        rows = np.asarray(reply.embeddings, dtype=np.float64)
        if rows.ndim != 2 or len(rows) != len(texts):
            raise LabError(
                f"{self.spec} gave {len(reply.embeddings)} vectors for {len(texts)} texts.",
                "An embedding model; a chat model gives none.",
                "ollama pull bge-m3",
            )
        return rows
