"""What all tests share: one PostgreSQL for the whole run, in a home of its own, and the corpus in it."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.corpus.chunk import chunk_all
from lab.corpus.links import propose
from lab.corpus.load import load_folder
from lab.evaluation import ledger
from lab.evaluation.gold import load_gold
from lab.ladder.rungs import NAMES, technique
from lab.ladder.tickets import tickets
from lab.memory import server as servers
from lab.memory import write
from lab.memory.connect import writer
from lab.memory.migrate import migrate
from lab.models.embedders import blend
from lab.rag import engine as engines
from lab.rag.engine import Engine, cached
from lab.settings import ROOT, settings
from lab.workshop import desk

WORKSPACE = "kraken"


@pytest.fixture(scope="session")
def server() -> Iterator[servers.Server]:
    """A bundled server with the lab's schema; stopped and removed at the end."""
    home = Path(tempfile.mkdtemp(prefix="lab-tests-"))
    os.chmod(home, 0o711)  # as root the server runs as another account, which must get through
    try:
        ready = servers.up(home)
        migrate(ready)
        yield ready
    finally:
        servers.down(home)
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def corpus(server: servers.Server) -> servers.Server:
    """The same server with the whole Kraken Air corpus, embedded by `use` alone: a quarter of a minute."""
    write.ingest(
        server,
        load_folder(ROOT / "data"),
        chunk_all,
        embedders=cached(blend("use"), server),
        workspace=WORKSPACE,
        links=propose(load_folder(ROOT / "data")),
    )
    return server


@pytest.fixture(scope="session")
def engine(corpus: servers.Server) -> Iterator[Engine]:
    with engines.engine(corpus, WORKSPACE) as running:
        yield running


@pytest.fixture(scope="session")
def engine_of_pair(corpus: servers.Server) -> Iterator[Engine]:
    """With the vectors of the rung `pair` too, half a minute more: for tests marked slow."""
    second = blend(str(technique("pair").fields["second"]))
    write.ingest(
        corpus,
        load_folder(ROOT / "data"),
        chunk_all,
        embedders=cached((*blend("use"), *second), corpus),
        only={part.space: frozenset({"unit"}) for part in second},
        workspace=WORKSPACE,
    )
    with engines.engine(corpus, WORKSPACE) as running:
        yield running


@pytest.fixture(scope="session")
def short_exam(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first exam, the questions that tickets were seen on, and a third of the other dev questions: enough
    to climb with."""
    shown = {key for item in tickets() for key in (item.shown.en, item.shown.tr)} | {"acc-01"}
    dev = [question for question in load_gold(settings().gold) if question.split == "dev"]
    chosen = {
        question.id
        for at, question in enumerate(dev)
        if question.id.startswith("q") or question.id in shown or at % 3 == 0
    }
    path = tmp_path_factory.mktemp("gold") / "short.jsonl"
    lines = settings().gold.read_text(encoding="utf-8").splitlines()
    path.write_text("".join(f"{line}\n" for line in lines if json.loads(line)["id"] in chosen), "utf-8")
    return path


@pytest.fixture(scope="module")
def climbed(corpus: servers.Server, short_exam: Path) -> Iterator[Path]:
    """The home of the same server with a whole climb of the short exam; the settings lead there meanwhile."""
    assert corpus.data is not None
    home = corpus.data.parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LAB_HOME", str(home))
        patch.setenv("LAB_GOLD", str(short_exam))
        settings.cache_clear()
        with writer(corpus) as conn:
            known = ledger.latest(conn, rungs=len(NAMES))
        if known is None:
            desk.climb()
        yield home
    settings.cache_clear()
