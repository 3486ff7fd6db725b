"""The lab itself as a peer: rights instead of a filter, words beside vectors, turns with neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

import numpy as np

from lab.benchmarks.peers.kinds import Texts
from lab.kinds import Chunk, Sight
from lab.memory import search, talk, write
from lab.memory.connect import reader
from lab.memory.server import Server
from lab.memory.visibility import looking
from lab.text import language_of

WORKSPACE = "peers"


class _Known:
    """The embedder of vectors that are there already."""

    spec = "known"

    def __init__(self, texts: Texts, space: str) -> None:
        self._texts, self.space, self.dimensions = texts, space, texts.dimensions

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        return np.stack([self._texts.vectors[text] for text in texts])

    def queries(self, texts: Sequence[str]) -> np.ndarray:
        return self.passages(texts)


class Lab:
    def __init__(self, server: Server, space: str) -> None:
        self._server, self._space = server, space
        self._stack = ExitStack()
        write.ingest(server, [], lambda _: [], workspace=WORKSPACE)

    def write(self, texts: Texts) -> None:
        self._texts = texts
        self._collection = texts.chunks[0].chunker
        by_document: dict[str, list[Chunk]] = {}
        for chunk in texts.chunks:
            by_document.setdefault(chunk.document, []).append(chunk)
        for whose in {chunk.label.access for chunk in texts.chunks}:
            write.allow(self._server, WORKSPACE, whose, {whose})
        write.ingest(
            self._server,
            texts.documents,
            lambda document: by_document.get(document.id, []),
            embedders=[_Known(texts, self._space)],
            workspace=WORKSPACE,
        )
        self._connection = self._stack.enter_context(reader(self._server))
        self._connection.autocommit = True

    def search(self, whose: str, question: str, k: int) -> list[str]:
        vector = self._texts.vectors[question]
        sight = Sight(frozenset({whose}), None, workspace=WORKSPACE)
        with looking(self._connection, sight) as view:
            language = language_of(question)
            near = [(self._space, vector)]
            found = talk.by_talk(view, question, near, language, k, self._collection)
            return list(search.fetch(view, [key for key, _ in found]))

    def close(self) -> None:
        self._stack.close()
        write.ingest(self._server, [], lambda _: [], workspace=WORKSPACE)
