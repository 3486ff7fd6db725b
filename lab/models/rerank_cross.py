"""Reranking with a cross-encoder of sentence-transformers. Needs the extra `models`, which brings torch."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np

from lab.kinds import LabError
from lab.models.embedders import cleaned
from lab.models.rerankers import Judged, Passage
from lab.models.st import INSTALL


class CrossEncoding:
    """`cross-encoder:<name>`: a name on the Hugging Face hub or a local folder, fetched at first use."""

    def __init__(self, name: str) -> None:
        if importlib.util.find_spec("sentence_transformers") is None:
            raise LabError(
                f"The reranker cross-encoder:{name} needs sentence-transformers, which is not installed.",
                "It is left out of the default install: torch takes several GB.",
                INSTALL,
            )
        self.name = name
        self.spec = f"cross-encoder:{name}"

    @functools.cached_property
    def _model(self) -> Any:
        from sentence_transformers import CrossEncoder

        try:
            return CrossEncoder(self.name)
        except (OSError, ValueError) as error:
            raise LabError(
                f"The model {self.name!r} could not be loaded ({str(error).splitlines()[0][:120]}).",
                "A cross-encoder on the Hugging Face hub, reachable once, or a local folder.",
                "Offline: --rerank units",
            ) from error

    def judge(self, question: str, passages: Sequence[Passage]) -> Judged:
        if not passages:
            return Judged(np.zeros(0))
        asked = cleaned([question])[0]
        pairs = [(asked, text) for text in cleaned([passage.whole for passage in passages])]
        scores = np.asarray(self._model.predict(pairs, show_progress_bar=False), dtype=np.float64)
        if scores.shape != (len(passages),) or not np.isfinite(scores).all():
            raise LabError(
                f"{self.spec} gave scores of shape {scores.shape} for {len(passages)} passages.",
                "One finite number each: a cross-encoder with one output.",
                "Choose another, such as cross-encoder:BAAI/bge-reranker-v2-m3",
            )
        return Judged(scores)
