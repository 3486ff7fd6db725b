"""The desk: the database, documents into it, and an engine on both."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from tqdm.auto import tqdm

from lab.corpus.chunk import chunk_all
from lab.corpus.links import propose
from lab.corpus.load import load_folder
from lab.corpus.mail import DEFAULT_ACCESS
from lab.evaluation.fleet import Dask, Fleet, embedded
from lab.kinds import Document, LabError
from lab.ladder import rungs
from lab.memory import migrate, server, write
from lab.models.embedders import Embedder, blend
from lab.rag import glossary
from lab.rag.engine import Engine, cached, engine
from lab.rag.pipeline import Pipeline
from lab.rag.read import EMBEDDER as READER_EMBEDDER
from lab.rag.read import read_of
from lab.settings import settings
from lab.workshop.desk.places import Place, place

T = TypeVar("T")


def say(text: str) -> None:
    """Progress for people: to stderr, so that `--json` stays clean."""
    print(text, file=sys.stderr, flush=True)


def ready() -> server.Server:
    """The running server, with the schema of this checkout."""
    found = server.up()
    for name in migrate.migrate(found):
        say(f"database: schema {name} applied")
    return found


def up() -> dict[str, Any]:
    """Start the database and migrate it; returns where it is and its version."""
    ready()
    status = server.status()
    return {
        "version": status.version,
        "where": status.address,
        "bundled": status.bundled,
        "extensions": dict(status.extensions),
    }


def folder_hash(folder: Path) -> str:
    """Hash of a folder's documents, as `write.corpus_hash` gives it for what is stored."""
    return write.hash_of((document.source, document.fingerprint) for document in load_folder(folder))


def ingest(
    folder: Path | None = None,
    embedder: str | None = None,
    where: Place | None = None,
    team: Fleet | None = None,
) -> dict[str, Any]:
    """Load, chunk, embed and store a folder; returns what changed. A place of own documents is read anew.
    `team`: workers that embed."""
    if where is not None and where.own:
        from lab.workshop.own import store_anew  # builds on this module

        return store_anew(where)
    source = (folder or settings().corpus).expanduser()
    documents = load_folder(source)
    say(f"{len(documents)} documents in {source}; embedding what is new …")
    if closed := [document.source for document in documents if document.access == DEFAULT_ACCESS]:
        say(f"no role reads these yet, since they name no X-Kraken-Access: {', '.join(closed)}")
    if isinstance(team, Dask):
        _embed_with(team, documents, place(), embedder)
    report = keep(documents, place(), embedder)
    return asdict(report) | {"documents": len(documents), "folder": str(source)}


def keep(documents: Sequence[Document], where: Place, embedder: str | None = None) -> write.IngestReport:
    """Makes a place's documents exactly these: chunked, embedded, stored, with what the reader will quote."""
    found = ready()
    parts, second = blend(embedder or settings().embedder), seconds(where)
    report = write.ingest(
        found,
        documents,
        chunk_all,
        embedders=cached(tuple(dict.fromkeys((*parts, *second))), found),
        only=narrowed(parts, second),
        workspace=where.workspace,
        links=propose(documents),
    )
    # What the reader will quote: a thousand short texts at once instead of thirty at each question.
    (reading,) = cached(blend(READER_EMBEDDER), found)
    chunks = [chunk for document in documents for chunk in chunk_all(document) if chunk.chunker != "unit"]
    reading.passages(sorted({text for chunk in chunks for text in read_of(chunk)}))
    for part in cached((*parts, *second), found):  # what the glossary searches beside a question
        part.queries(glossary.terms())
    return report


def _embed_with(team: Fleet, documents: Sequence[Document], where: Place, embedder: str | None) -> None:
    """Let workers embed the chunks of these documents and what a reader quotes of them: an ingest finds it in
    the cache."""
    found = ready()
    parts, second = blend(embedder or settings().embedder), seconds(where)
    only = narrowed(parts, second)
    chunks = [chunk for document in documents for chunk in chunk_all(document)]
    work = [
        (part.spec, [c.search_text for c in chunks if c.chunker in only.get(part.space, {c.chunker})])
        for part in dict.fromkeys((*parts, *second))
    ]
    work.append((READER_EMBEDDER, [t for c in chunks if c.chunker != "unit" for t in read_of(c)]))
    for spec, texts in work:
        total = len(set(texts))
        with tqdm(desc=spec, total=total, unit="text", file=sys.stderr, leave=False, disable=quiet()) as bar:
            for count in embedded(team, spec, texts, found, where.workspace):
                bar.update(count)


def seconds(where: Place | None = None) -> tuple[Embedder, ...]:
    """Embedders that some rung adds to the ladder's own; those that are not installed here are left out."""
    found: list[Embedder] = []
    for technique in rungs.LADDER:
        if where is not None and technique.name in where.without:
            continue
        if spec := technique.fields.get("second"):
            with contextlib.suppress(LabError):
                found += blend(spec)
    return tuple(found)


def narrowed(parts: Sequence[Embedder], second: Sequence[Embedder]) -> dict[str, frozenset[str]]:
    """A second embedder joins where sections are found by their units, so only units are embedded with it."""
    own = {part.space for part in parts}
    return {part.space: frozenset({"unit"}) for part in second if part.space not in own}


def start_pipeline(embedder: str | None = None, reader: str | None = None) -> Pipeline:
    """What the first rung runs; embedder and reader are chosen here for the whole ladder."""
    return Pipeline(embedder=embedder or settings().embedder, reader=reader or settings().reader)


@contextmanager
def opened(embedder: str | None = None, where: Place | None = None) -> Iterator[Engine]:
    """An engine on a running database that holds the corpus; ingests it when nothing is stored in this
    embedder's spaces."""
    found, here = ready(), where or place()
    spec = embedder or settings().embedder
    parts, second = blend(spec), seconds(here)
    spaces = [part.space for part in (*parts, *second)]
    if not write.holds(found, here.workspace, spaces, narrowed(parts, second)):
        say("storing the corpus (once) …")
        ingest(None, spec, here)
    with engine(found, here.workspace) as running:
        yield running


def quiet() -> bool | None:
    """What tqdm takes as `disable`: no bars into a file, but bars in a notebook."""
    return False if "ipykernel" in sys.modules else None


def progress(name: str, items: Iterable[T], total: int) -> Iterable[T]:
    """A bar on stderr for anything over two seconds."""
    bar: Iterable[T] = tqdm(
        items,
        desc=f"{name:>8}",
        total=total,
        unit="q",
        file=sys.stderr,
        leave=False,
        delay=2,
        disable=quiet(),
    )
    return bar
