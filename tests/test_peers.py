"""Peers side by side, on a small file of our own: each gives one person's rows, or says what it lacks."""

from __future__ import annotations

import importlib
import json
import sys
from functools import partial
from pathlib import Path

import pytest
from test_locomo import EN, QA, QA_TR, TR, published

from lab.benchmarks.peers import report
from lab.benchmarks.peers.kinds import Maker
from lab.benchmarks.peers.langchain import Langchain
from lab.benchmarks.peers.mem0 import Mem0
from lab.benchmarks.peers.ours import WORKSPACE, Lab
from lab.benchmarks.peers.raw import Raw
from lab.evaluation import ledger
from lab.kinds import LabError
from lab.memory.connect import owner, writer
from lab.memory.server import Server
from lab.memory.visibility import writing
from lab.models.embedders import Embedder, blend
from lab.rag.engine import cached


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("peers") / "locomo.json"
    given = [published("talk-1", EN, QA), published("talk-2", TR, QA_TR)]
    file.write_text(json.dumps(given, ensure_ascii=False), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def embedder(server: Server) -> Embedder:
    return cached(blend("use"), server)[0]


def left(server: Server) -> tuple[int, int]:
    """(schemas of peers, memories of the lab's own run) that are still there."""
    with owner(server) as connection:
        schemas = connection.execute("select count(*) from pg_namespace where nspname = 'peers'").fetchone()
    with writer(server) as connection, writing(connection, WORKSPACE):
        memories = connection.execute(
            "select count(*) from memory where workspace = %s", [WORKSPACE]
        ).fetchone()
    assert schemas
    assert memories
    return int(schemas[0]), int(memories[0])


def check(server: Server, path: Path, embedder: Embedder, makers: dict[str, Maker]) -> report.Report:
    found = report.bench(server, path, embedder, makers=makers)
    for name in makers:
        measured = found.measures[name]
        # Questions with evidence: four of one person with eight turns, one of another with three; all of
        # theirs come back and nothing of the other's, so whatever has evidence in the talk is found.
        assert (measured.n, measured.rows, measured.fewest_rows) == (5, 7.0, 3), name
        assert measured.any == 4 / 5, name
        assert measured.rows_per_second > 0
    assert left(server) == (0, 0)
    return found


def test_the_lab_and_pgvector_give_all_rows_of_one_person(
    server: Server, path: Path, embedder: Embedder
) -> None:
    makers: dict[str, Maker] = {"pgvector": partial(Raw, server), "lab": partial(Lab, server, embedder.space)}
    found = check(server, path, embedder, makers)
    with writer(server) as connection:
        rows = ledger.rungs(connection, found.run)
    assert {row.rung for row in rows} == {"pgvector", "lab"}
    assert len(report.tables(found)) == 1


def test_langchain(server: Server, path: Path, embedder: Embedder) -> None:
    pytest.importorskip("langchain_postgres")
    check(server, path, embedder, {f"hybrid {of}": partial(Langchain, server, of) for of in (False, True)})


def test_a_peer_that_is_not_installed_is_told_and_the_others_run(
    server: Server, path: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("mem0", "langchain_postgres"):
        monkeypatch.setitem(sys.modules, name, None)
    said: list[str] = []
    found = report.bench(server, path, embedder, say=said.append)
    assert set(found.measures) == {"pgvector", "lab"}
    assert set(found.missing) == {"mem0", "langchain", "langchain hybrid"}
    assert all("install --extra peers" in why for why in found.missing.values())
    assert any(line.startswith("mem0: mem0 is not installed") for line in said)


def test_mem0_sends_nothing(server: Server, path: Path, embedder: Embedder) -> None:
    pytest.importorskip("openai")
    pytest.importorskip("qdrant_client")
    try:
        importlib.import_module("lab.benchmarks.peers.mem0")
        peer = Mem0(server)
    except LabError:
        pytest.skip("mem0 is not installed")
    peer.close()
    assert importlib.import_module("mem0.memory.telemetry").MEM0_TELEMETRY is False
    makers: dict[str, Maker] = {"mem0": partial(Mem0, server)}
    found = report.bench(server, path, embedder, makers=makers).measures["mem0"]
    # Below a similarity of 0.1 it leaves a row out, so that fewer may come than were asked for.
    assert found.fewest_rows <= 3
    assert found.rows <= 7.0
    assert left(server) == (0, 0)
