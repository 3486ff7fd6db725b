"""Reranking without a model call: the sentences and rows of a passage that lie nearest to the question.

Late interaction in the manner of ColBERT's MaxSim (Khattab and Zaharia, SIGIR 2020), with sentences and rows
in place of tokens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lab.kinds import LabError
from lab.models.embedders import Embedder
from lab.models.rerankers import Judged, Passage
from lab.text import calm

BEST = (1.0, 0.5)
"""Weights of a passage's nearest unit, its second nearest, … Chosen on the dev questions."""


class Units:
    """The mean over the embedders of each one's standardised scores. A passage without units is last."""

    spec = "units"

    def __init__(self, embedders: Sequence[Embedder]) -> None:
        if not embedders:
            raise LabError("The reranker units needs an embedder.", "", "Name one: --embedder use")
        self._embedders = tuple(embedders)

    def judge(self, question: str, passages: Sequence[Passage]) -> Judged:
        texts = [unit for passage in passages for unit in passage.units]
        ends = np.cumsum([len(passage.units) for passage in passages], dtype=int)
        total = np.zeros(len(passages))
        full = np.array([bool(passage.units) for passage in passages], dtype=bool)
        for embedder in self._embedders if texts else ():
            cosines = embedder.passages(texts) @ embedder.queries([calm(question)])[0]
            own = np.zeros(len(passages))
            for at, (passage, end) in enumerate(zip(passages, ends, strict=True)):
                nearest = np.sort(cosines[end - len(passage.units) : end])[::-1][: len(BEST)]
                if len(nearest):
                    weights = np.array(BEST[: len(nearest)])
                    own[at] = float(nearest @ weights / weights.sum())
            spread = own[full].std()
            if spread > 1e-9:
                total[full] += (own[full] - own[full].mean()) / spread / len(self._embedders)
        total[~full] = total[full].min(initial=0.0) - 1.0
        return Judged(total, 0, {"units": len(texts)})
