"""Ingest: changes and nothing else, one state or the other, never between; the vector cache."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from stock import Noise, document, lines, seen_by

from lab.corpus.chunk import chunk_all
from lab.kinds import Chunk, Document, LabError
from lab.memory import search, write
from lab.memory.connect import owner, writer
from lab.memory.embeddings import Cached
from lab.memory.server import Server
from lab.memory.visibility import writing
from lab.models.embedders import embedder

TABLES = ("document", "memory", "memory_vector", "posting", "lexeme_df", "module_size")
LEAVE = document("leave", "Annual leave is 22 days\nCarry over five days\nUnpaid leave is rare")
MEAL = document("meal", "The card has 330 TRY\nNo cash")


def rows(server: Server, workspace: str) -> dict[str, list[tuple[str, str]]]:
    """Every row with the transaction that wrote it, by table: equal before and after, nothing was touched."""
    with writer(server) as connection, writing(connection, workspace):
        return {
            table: sorted(
                connection.execute(f"select ctid::text, xmin::text || {table}::text from {table}").fetchall()
            )
            for table in TABLES
        }


def found(server: Server, workspace: str, words: str, as_of: date | None = None) -> list[str]:
    with seen_by(server, "employee", workspace=workspace, as_of=as_of) as view:
        return [key for key, _ in search.by_words(view, words, "en", 10, "unit")]


def everything(server: Server, workspace: str) -> dict[str, str]:
    with seen_by(server, "employee", workspace=workspace) as view:
        return {chunk.id: chunk.text for chunk in search.all_chunks(view, "unit")}


@pytest.fixture
def workspace(server: Server, request: pytest.FixtureRequest) -> str:
    write.allow(server, request.node.name, "employee", {"all"})
    return str(request.node.name)


def test_unchanged_documents_write_nothing(server: Server, workspace: str) -> None:
    noise = Noise()
    report = write.ingest(server, [LEAVE, MEAL], lines, embedders=[noise], workspace=workspace)
    assert (report.added, report.unchanged, report.chunks_written, report.vectors_written) == (2, 0, 10, 10)
    before = rows(server, workspace)
    assert all(before.values())
    noise.computed.clear()
    with owner(server) as connection:
        counted = (
            "select sum(n_tup_ins + n_tup_upd + n_tup_del) from pg_stat_user_tables where schemaname = 'lab'"
        )
        connection.execute("select pg_stat_force_next_flush()")
        writes = connection.execute(counted).fetchone()
    report = write.ingest(server, [MEAL, LEAVE], lines, embedders=[noise], workspace=workspace)
    assert report == write.IngestReport(2, 0, 0, 0, 0, 0)
    assert noise.computed == []
    assert rows(server, workspace) == before
    with owner(server) as connection:
        assert connection.execute(counted).fetchone() == writes


def test_a_changed_file_replaces_its_changed_chunks_and_nothing_else(server: Server, workspace: str) -> None:
    noise = Noise()
    write.ingest(server, [LEAVE, MEAL], lines, embedders=[noise], workspace=workspace)
    before = rows(server, workspace)
    noise.computed.clear()
    text = LEAVE.text.replace("Carry over five days", "Nothing is carried over")
    report = write.ingest(
        server, [document("leave", text), MEAL], lines, embedders=[noise], workspace=workspace
    )
    assert report == write.IngestReport(1, 0, 1, 0, 2, 2)
    assert noise.computed == ["Nothing is carried over"]
    after = rows(server, workspace)
    for table in ("memory", "memory_vector"):
        assert len(set(before[table]) - set(after[table])) == 2  # the section and the unit of one line
        assert len(after[table]) == len(before[table])
    assert found(server, workspace, "five") == []
    assert found(server, workspace, "carried") == ["unit:leave@2025#2/1"]
    assert everything(server, workspace)["unit:leave@2025#2/1"] == "Nothing is carried over"


def test_a_removed_document_disappears_from_every_search(server: Server, workspace: str) -> None:
    noise = Noise()
    write.ingest(server, [LEAVE, MEAL], lines, embedders=[noise], workspace=workspace)
    assert found(server, workspace, "card") == ["unit:meal@2025#1/0"]
    meal = [chunk.id for chunk in lines(MEAL)]
    report = write.ingest(server, [LEAVE], lines, embedders=[noise], workspace=workspace)
    assert report == write.IngestReport(1, 0, 0, 1, 0, 0)
    with seen_by(server, "employee", workspace=workspace) as view:
        for collection in ("unit", "section"):
            assert search.by_words(view, "card cash", "en", 9, collection) == []
            vector = search.by_vector(view, noise.space, noise.queries(["No cash"])[0], None, collection)
            assert {key for key, _ in vector} == {c.id for c in lines(LEAVE) if c.chunker == collection}
            assert all(chunk.document == "leave" for chunk in search.all_chunks(view, collection))
        assert search.fetch(view, meal) == {}
        assert search.children(view, meal) == {}
        assert search.vectors(view, noise.space, meal) == {}
    left = rows(server, workspace)
    assert [len(left[table]) for table in TABLES[:3]] == [1, 6, 6]
    assert not [row for table in ("posting", "lexeme_df") for row in left[table] if "card" in row[1]]


def test_an_edition_that_ends_keeps_its_vectors(server: Server, workspace: str) -> None:
    noise = Noise()
    write.ingest(server, [LEAVE], lines, embedders=[noise], workspace=workspace)
    before = rows(server, workspace)
    noise.computed.clear()
    ended = replace(LEAVE, valid_to=date(2026, 1, 1))
    new = document("leave", "Annual leave is 24 days", edition="2026", valid_from=date(2026, 1, 1))
    report = write.ingest(server, [ended, new], lines, embedders=[noise], workspace=workspace)
    assert report == write.IngestReport(0, 1, 1, 0, 8, 2)
    assert noise.computed == ["Annual leave is 24 days"]
    assert set(before["memory_vector"]) < set(rows(server, workspace)["memory_vector"])
    assert found(server, workspace, "annual", date(2025, 6, 1)) == ["unit:leave@2025#1/0"]
    assert found(server, workspace, "annual", date(2026, 1, 1)) == ["unit:leave@2026#1/0"]


def test_another_access_label_moves_the_chunks(server: Server, workspace: str) -> None:
    write.allow(server, workspace, "hr", {"hr-only"})
    write.ingest(server, [LEAVE], lines, embedders=[Noise()], workspace=workspace)
    report = write.ingest(
        server, [replace(LEAVE, access="hr-only")], lines, embedders=[Noise()], workspace=workspace
    )
    assert (report.changed, report.chunks_written, report.vectors_written) == (1, 6, 6)
    assert found(server, workspace, "leave") == []
    with seen_by(server, "hr", workspace=workspace) as view:
        assert len(search.by_words(view, "leave", "en", 9, "unit")) == 2


def test_spaces_stand_beside_each_other(server: Server, workspace: str) -> None:
    first, second = Noise(32), Noise(48, "other")
    write.ingest(server, [LEAVE], lines, embedders=[first], workspace=workspace)
    assert write.holds(server, workspace, [first.space])
    assert not write.holds(server, workspace, [first.space, second.space])
    report = write.ingest(server, [LEAVE], lines, embedders=[second], workspace=workspace)
    assert (report.unchanged, report.chunks_written, report.vectors_written) == (1, 0, 6)
    assert write.holds(server, workspace, [first.space, second.space])
    assert not write.holds(server, "nobody's", [first.space])
    with seen_by(server, "employee", workspace=workspace) as view:
        for noise in (first, second):
            query = noise.queries(["Carry over five days"])[0]
            key, cosine = search.by_vector(view, noise.space, query, 1, "unit")[0]
            assert (key, round(cosine, 3)) == ("unit:leave@2025#2/1", 1.0)
    # A text that changes while only one space is served leaves a gap in the other, and that is known.
    write.ingest(server, [document("leave", "New words")], lines, embedders=[first], workspace=workspace)
    assert write.holds(server, workspace, [first.space])
    assert not write.holds(server, workspace, [second.space])


def test_a_space_can_be_for_some_collections_only(server: Server, workspace: str) -> None:
    everywhere, units = Noise(32), Noise(48, "units")
    both, only = [everywhere.space, units.space], {units.space: ["unit"]}
    report = write.ingest(
        server, [LEAVE], lines, embedders=[everywhere, units], only=only, workspace=workspace
    )
    assert report.vectors_written == 6 + 3
    assert write.holds(server, workspace, both, only)
    assert not write.holds(server, workspace, both)
    with seen_by(server, "employee", workspace=workspace) as view:
        query = units.queries(["Carry over five days"])[0]
        assert len(search.by_vector(view, units.space, query, None, "unit")) == 3
        assert search.by_vector(view, units.space, query, None, "section") == []


def test_a_space_has_one_number_of_dimensions(server: Server, workspace: str) -> None:
    noise = Noise(32, "fixed")
    write.ingest(server, [LEAVE], lines, embedders=[noise], workspace=workspace)
    wrong = Noise(16, "fixed")
    wrong.space = noise.space
    with pytest.raises(LabError, match="has 32 dimensions, not 16"):
        write.ingest(server, [MEAL, LEAVE], lines, embedders=[wrong], workspace=workspace)
    assert everything(server, workspace).keys() == {c.id for c in lines(LEAVE) if c.chunker == "unit"}


@pytest.mark.parametrize(("bad", "said"), [("\0", "a NUL byte"), ("\ud83d", "half a character")])
def test_text_that_cannot_be_stored_is_named(server: Server, bad: str, said: str) -> None:
    odd = document("odd", f"First line\nsecond {bad} line")
    with pytest.raises(LabError, match=rf"2025/odd.md contains {said}.* after 'second '"):
        write.ingest(server, [odd], lines, workspace="never")
    assert rows(server, "never")["memory"] == []


def test_ids_used_twice_are_named(server: Server) -> None:
    with pytest.raises(LabError, match="2 documents are leave, edition 2025"):
        write.ingest(server, [LEAVE, LEAVE], lines, workspace="never")
    with pytest.raises(LabError, match="Two chunks have the id"):
        write.ingest(server, [LEAVE], lambda of: lines(of) * 2, workspace="never")


def test_a_word_as_long_as_a_page_is_stored(server: Server, workspace: str) -> None:
    long = "x9" * 20_000
    write.ingest(server, [document("long", f"short {long}")], lines, workspace=workspace)
    assert found(server, workspace, long) == ["unit:long@2025#1/0"]


# Killed and side by side -----------------------------------------------------------------------------------

_CLIENT = """
import sys
sys.path[:0] = {path!r}
from stock import Noise, document, lines
from lab.memory import server, write
import pathlib
ready = server.up(pathlib.Path({home!r}))
write.ingest(ready, [document("new", "only new words")], lines, embedders=[Noise()], workspace={workspace!r})
"""


@pytest.mark.skipif(os.name == "nt", reason="kill -9")
def test_a_client_killed_within_the_ingest_leaves_the_old_state(server: Server, workspace: str) -> None:
    assert server.data is not None
    write.ingest(server, [LEAVE, MEAL], lines, embedders=[Noise()], workspace=workspace)
    before = rows(server, workspace)
    here = Path(__file__).resolve().parent
    script = _CLIENT.format(
        path=[str(here), str(here.parent)], home=str(server.data.parent), workspace=workspace
    )
    with owner(server) as blocker:
        # Vectors are placed last: with their table locked the client waits when all else is written.
        blocker.execute("lock table memory_vector in share mode")
        with owner(server) as watcher, subprocess.Popen([sys.executable, "-c", script]) as client:
            watcher.autocommit = True
            for _ in range(300):
                waiting = watcher.execute(
                    "select count(*) from pg_locks where relation = 'memory_vector'::regclass and not granted"
                ).fetchone()
                if waiting == (1,):
                    break
                time.sleep(0.1)
            assert waiting == (1,)
            client.send_signal(signal.SIGKILL)
            assert client.wait(10) == -signal.SIGKILL
        blocker.rollback()
    assert rows(server, workspace) == before
    assert found(server, workspace, "new") == []
    report = write.ingest(
        server, [document("new", "only new words")], lines, embedders=[Noise()], workspace=workspace
    )
    assert (report.added, report.removed) == (1, 2)
    assert found(server, workspace, "new") == ["unit:new@2025#1/0"]


def _climb(server: Server, workspace: str, words: str, times: int) -> None:
    for number in range(times):
        documents = [document("a", f"{words} {number % 2}\nalways"), document(words, "own line")]
        write.ingest(server, documents, lines, embedders=[Noise()], workspace=workspace)


@pytest.mark.skipif(os.name == "nt", reason="fork")
def test_two_ingests_at_once_give_one_of_the_two_states(server: Server, workspace: str) -> None:
    spawn = multiprocessing.get_context("fork")
    both = [spawn.Process(target=_climb, args=(server, workspace, words, 6)) for words in ("left", "right")]
    for process in both:
        process.start()
    states = set()
    while any(process.is_alive() for process in both):
        states.add(frozenset(everything(server, workspace).values()))
    for process in both:
        process.join()
        assert process.exitcode == 0
    states.add(frozenset(everything(server, workspace).values()))
    possible = {
        frozenset({f"{words} {n}", "always", "own line"}) for words in ("left", "right") for n in (0, 1)
    }
    assert states - {frozenset()} <= possible
    with writer(server) as connection, writing(connection, workspace):
        kept = connection.execute("select lexeme, collection, df from lexeme_df order by 1, 2").fetchall()
        counted = connection.execute(
            "select lexeme, collection, count(*) from posting group by 1, 2 order by 1, 2"
        ).fetchall()
    assert kept == counted != []


# The cache -------------------------------------------------------------------------------------------------


def test_only_what_is_missing_is_computed(server: Server) -> None:
    noise = Noise(24, "cache")
    cached = Cached(noise, server)
    first = cached.passages(["bir", "iki", "bir", "üç"])
    assert noise.computed == ["bir", "iki", "üç"]
    assert first.shape == (4, 24)
    assert first.dtype == np.float32
    assert np.linalg.norm(first, axis=1) == pytest.approx(np.ones(4), abs=1e-6)
    assert (first[0] == first[2]).all()
    again = Cached(noise, server).passages(["üç", "dört", "bir"])
    assert noise.computed == ["bir", "iki", "üç", "dört"]
    assert (again[[0, 2]] == first[[3, 0]]).all()  # the same numbers from the cache as when computed
    assert cached.queries(["bir"]).shape == (1, 24)
    assert noise.computed[4:] == ["bir"]  # a query is not a passage
    cached.queries(["bir"])
    Cached(noise, server).queries(["bir"])
    assert len(noise.computed) == 5
    assert cached.passages([]).shape == (0, 24)
    assert (cached.spec, cached.space, cached.dimensions) == ("cache", "cache-24", 24)
    Cached(Noise(25, "cache"), server).passages(["bir"])  # another space, beside it


@pytest.mark.parametrize("broken", [float("nan"), float("inf")])
def test_numbers_that_are_none_are_refused(server: Server, broken: float) -> None:
    with pytest.raises(LabError, match="no usable vector for 'bir'"):
        Cached(Noise(24, f"broken-{broken}", broken=broken), server).passages(["bir"])
    assert np.isfinite(Cached(Noise(24, f"broken-{broken}"), server).passages(["bir"])).all()


def test_a_wrong_shape_is_refused(server: Server) -> None:
    noise = Noise(24, "shape")
    noise.dimensions = 24
    draw = noise._draw
    noise._draw = lambda text: draw(text)[:20]  # type: ignore[method-assign]
    with pytest.raises(LabError, match=r"shape \(1, 20\).*24 dimensions"):
        Cached(noise, server).passages(["bir"])


def test_the_cache_serves_threads_and_outlives_a_lost_connection(server: Server) -> None:
    noise = Noise(24, "threads")
    cached = Cached(noise, server)
    results: list[np.ndarray] = []
    texts = [f"text {n}" for n in range(200)]
    threads = [threading.Thread(target=lambda: results.append(cached.passages(texts))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all((result == results[0]).all() for result in results)
    assert len(noise.computed) == 200
    with writer(server) as connection:
        ended = connection.execute(
            "select pg_terminate_backend(pid, 5000) from pg_stat_activity "
            "where usename = 'lab_writer' and state = 'idle'"
        ).fetchall()
    assert (True,) in ended
    assert (cached.passages(texts) == results[0]).all()
    assert len(noise.computed) == 200


# The real embedder and chunkers ----------------------------------------------------------------------------


def test_the_real_embedder_and_chunkers(server: Server, workspace: str) -> None:
    text = (
        "## 1. Şifreler\nŞifreler en az 14 karakterdir. Her 90 günde bir değiştirilir.\n\n"
        "## 2. USB\nUSB bellek kullanmak yasaktır.\n"
    )
    policy = replace(document("guvenlik", text, language="tr"), title="Bilgi Güvenliği")
    use = Cached(embedder("use"), server)
    report = write.ingest(server, [policy], chunk_all, embedders=[use], workspace=workspace)
    chunks: list[Chunk] = chunk_all(policy)
    assert report == write.IngestReport(0, 1, 0, 0, len(chunks), len(chunks))
    with seen_by(server, "employee", workspace=workspace) as view:
        query = use.queries(["Is using a USB memory stick forbidden?"])[0]
        best, _ = search.by_vector(view, use.space, query, 1, "unit")[0]
        assert search.fetch(view, [best])[best].text == "USB bellek kullanmak yasaktır."
        stored = [c for name in ("fixed-300", "section", "unit") for c in search.all_chunks(view, name)]
    assert stored == chunks
    same: Document = replace(policy)
    assert write.ingest(server, [same], chunk_all, embedders=[use], workspace=workspace).unchanged == 1
