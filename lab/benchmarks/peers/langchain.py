"""langchain-postgres: `PGVectorStore` with an HNSW index, plain and hybrid (full text with a GIN index)."""

from __future__ import annotations

import importlib
from typing import Any

from lab.benchmarks.peers.kinds import Texts
from lab.benchmarks.peers.mem0 import INSTALL
from lab.kinds import LabError
from lab.memory.server import Server

BATCH = 1_000


class Langchain:
    def __init__(self, server: Server, hybrid: bool) -> None:
        self._server, self._hybrid = server, hybrid
        self._table = "langchain_hybrid" if hybrid else "langchain_plain"
        try:
            self._v2: Any = importlib.import_module("langchain_postgres")
            self._hybrid_of: Any = importlib.import_module("langchain_postgres.v2.hybrid_search_config")
            self._indexes: Any = importlib.import_module("langchain_postgres.v2.indexes")
            self._core: Any = importlib.import_module("langchain_core.embeddings")
            self._sqlalchemy: Any = importlib.import_module("sqlalchemy")
        except ImportError as error:
            raise LabError(
                "langchain-postgres is not installed.", "The package langchain-postgres.", INSTALL
            ) from error

    def _words(self, k: int = 10) -> Any:
        """One a question: a configuration that is kept goes on searching the first question's words."""
        return self._hybrid_of.HybridSearchConfig(
            tsv_column="content_tsv",
            tsv_lang="pg_catalog.english",
            fusion_function=self._hybrid_of.reciprocal_rank_fusion,
            primary_top_k=k,
            secondary_top_k=k,
        )

    def write(self, texts: Texts) -> None:
        login = self._server.owner
        url = self._sqlalchemy.URL.create(
            "postgresql+psycopg",
            username=login["user"],
            password=login["password"],
            database=login["dbname"],
            query={name: str(login[name]) for name in ("host", "port") if login.get(name)},
        )
        self._engine = self._v2.PGEngine.from_connection_string(url)
        given = {"hybrid_search_config": self._words()} if self._hybrid else {}
        self._engine.init_vectorstore_table(
            self._table,
            texts.dimensions,
            schema_name="peers",
            metadata_columns=[self._v2.Column("whose", "TEXT"), self._v2.Column("place", "TEXT")],
            **given,
        )
        core = self._core

        class Vectors(core.Embeddings):  # type: ignore[misc, name-defined]
            def embed_documents(self, listed: list[str]) -> list[list[float]]:
                return [texts.vector(text) for text in listed]

            def embed_query(self, text: str) -> list[float]:
                return texts.vector(text)

        self._store = self._v2.PGVectorStore.create_sync(
            self._engine,
            Vectors(),
            self._table,
            schema_name="peers",
            metadata_columns=["whose", "place"],
            **({"hybrid_search_config": self._words()} if self._hybrid else {}),
        )
        for start in range(0, len(texts.chunks), BATCH):
            part = texts.chunks[start : start + BATCH]
            self._store.add_texts(
                [chunk.search_text for chunk in part],
                [{"whose": chunk.label.access, "place": chunk.id} for chunk in part],
            )
        self._store.apply_vector_index(self._indexes.HNSWIndex(name=f"{self._table}_hnsw"))
        if self._hybrid:
            self._store.apply_hybrid_search_index()

    def search(self, whose: str, question: str, k: int) -> list[str]:
        given = {"hybrid_search_config": self._words(k)} if self._hybrid else {}
        found = self._store.similarity_search(question, k, filter={"whose": whose}, **given)
        return [document.metadata["place"] for document in found]

    def close(self) -> None:
        if hasattr(self, "_engine"):
            self._engine._run_as_sync(self._engine.close())
