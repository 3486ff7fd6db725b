"""mem0 with its pgvector store, `add(…, infer=False)`: what is given is stored as it is, no model is called.

Its settings ask for a language model and an embedder all the same: both are named with a key that is never
used, and the vectors are the run's own. Telemetry is off."""

from __future__ import annotations

import importlib
import os
import shutil
import tempfile
from typing import Any

from psycopg.conninfo import make_conninfo

from lab.benchmarks.peers.kinds import Texts
from lab.kinds import LabError
from lab.memory.server import Server

INSTALL = "python start.py install --extra peers"


class _Vectors:
    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self._texts.vector(text)


class Mem0:
    def __init__(self, server: Server) -> None:
        self._server = server
        self._home = tempfile.mkdtemp(prefix="lab-mem0-")
        os.environ["MEM0_TELEMETRY"] = "False"  # read when the package is imported
        os.environ["MEM0_DIR"] = self._home
        try:
            self._mem0: Any = importlib.import_module("mem0")
        except ImportError as error:
            shutil.rmtree(self._home, ignore_errors=True)
            raise LabError("mem0 is not installed.", "The package mem0ai.", INSTALL) from error

    def write(self, texts: Texts) -> None:
        login = {**self._server.owner, "options": "-c search_path=peers,public"}
        self._memory = self._mem0.Memory.from_config(
            {
                "vector_store": {
                    "provider": "pgvector",
                    "config": {
                        "connection_string": make_conninfo(**login),
                        "collection_name": "mem0_peers",
                        "embedding_model_dims": texts.dimensions,
                    },
                },
                "llm": {"provider": "openai", "config": {"api_key": "never used"}},
                "embedder": {"provider": "openai", "config": {"api_key": "never used"}},
                "history_db_path": ":memory:",
            }
        )
        self._memory.embedding_model = _Vectors(texts)
        for chunk in texts.chunks:
            self._memory.add(
                chunk.search_text, user_id=chunk.label.access, metadata={"place": chunk.id}, infer=False
            )

    def search(self, whose: str, question: str, k: int) -> list[str]:
        found = self._memory.search(question, top_k=k, filters={"user_id": whose})
        return [item["metadata"]["place"] for item in found["results"]]

    def close(self) -> None:
        if hasattr(self, "_memory"):
            self._memory.vector_store.connection_pool.close()
        shutil.rmtree(self._home, ignore_errors=True)
