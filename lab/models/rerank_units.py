"""Reranking without a model call: the sentences and rows of a passage that lie nearest to the question.

MaxP of Dai and Callan (SIGIR 2019); with tokens in place of sentences and rows it would be the MaxSim of
ColBERT (Khattab and Zaharia, SIGIR 2020)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lab.kinds import LabError
from lab.models.embedders import Embedder
from lab.models.rerankers import Judged, Passage
from lab.text import calm


class Units:
    """Score: the cosine of the passage's nearest unit, taken by itself, without its title; the mean over the
    embedders. A passage without units is last."""

    spec = "units"

    def __init__(self, embedders: Sequence[Embedder]) -> None:
        if not embedders:
            raise LabError("The reranker units needs an embedder.", "", "Name one: --embedder use")
        self._embedders = tuple(embedders)

    def judge(self, question: str, passages: Sequence[Passage]) -> Judged:
        texts = [unit for passage in passages for unit in passage.units]
        total = np.full(len(passages), 0.0 if texts else -1.0)
        owner = np.repeat(np.arange(len(passages)), [len(passage.units) for passage in passages])
        for embedder in self._embedders if texts else ():
            nearest = np.full(len(passages), -1.0)
            cosines = embedder.passages(texts) @ embedder.queries([calm(question)])[0]
            np.maximum.at(nearest, owner, cosines)
            total += nearest / len(self._embedders)
        return Judged(total, 0, {"units": len(texts)})
