"""pgvector by hand, as its README says: a table, an HNSW index, an index on what is filtered by."""

from __future__ import annotations

from contextlib import ExitStack

import numpy as np
from psycopg import sql

from lab.benchmarks.peers.kinds import Texts
from lab.memory.connect import owner
from lab.memory.server import Server

TABLE = sql.Identifier("peers", "raw")


class Raw:
    def __init__(self, server: Server) -> None:
        self._stack = ExitStack()
        self._connection = self._stack.enter_context(owner(server))
        self._connection.autocommit = True

    def write(self, texts: Texts) -> None:
        self._texts = texts
        run = self._connection.execute
        run(
            sql.SQL(
                "create table {} (id text primary key, whose text not null, content text not null,"
                " embedding vector({}))"
            ).format(TABLE, sql.Literal(texts.dimensions))
        )
        with self._connection.cursor().copy(
            sql.SQL("copy {} (id, whose, content, embedding) from stdin").format(TABLE)
        ) as copy:
            for chunk in texts.chunks:
                vector = str(texts.vector(chunk.search_text))
                copy.write_row((chunk.id, chunk.label.access, chunk.search_text, vector))
        run(sql.SQL("create index on {} using hnsw (embedding vector_cosine_ops)").format(TABLE))
        run(sql.SQL("create index on {} (whose)").format(TABLE))
        run(sql.SQL("analyze {}").format(TABLE))

    def search(self, whose: str, question: str, k: int) -> list[str]:
        vector = np.asarray(self._texts.vectors[question], dtype=np.float32)
        rows = self._connection.execute(
            sql.SQL("select id from {} where whose = %s order by embedding <=> %s::vector limit %s").format(
                TABLE
            ),
            [whose, vector, k],
        )
        return [key for (key,) in rows]

    def close(self) -> None:
        self._stack.close()
