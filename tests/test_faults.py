"""What goes wrong while records are written: nothing is lost, nothing is half there, and the error says what
to do. (A mind's faults are in test_mind.)"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from stock import Noise
from test_records import state
from trade import AGAOGLU, EGE, FIRST, NOISE, ORDER, ROLES, contents, opened, record, seen

from lab.kinds import LabError
from lab.memory import server as servers
from lab.memory import write
from lab.memory.connect import owner, pool, writer
from lab.memory.migrate import migrate
from lab.memory.records import Entity, Link, Record, sync
from lab.memory.server import Server

HERE = Path(__file__).resolve().parent


@contextmanager
def own_server() -> Iterator[tuple[Path, Server]]:
    home = Path(tempfile.mkdtemp(prefix="lab-faults-"))
    os.chmod(home, 0o711)
    try:
        server = servers.up(home)
        migrate(server)
        yield home, server
    finally:
        servers.down(home)
        shutil.rmtree(home, ignore_errors=True)


def waits_for(server: Server, table: str) -> None:
    """Until somebody waits for the table."""
    with owner(server) as watcher:
        watcher.autocommit = True
        for _ in range(600):
            row = watcher.execute(
                "select count(*) from pg_locks where relation = %s::regclass and not granted", [table]
            ).fetchone()
            if row and row[0] > 0:
                return
            time.sleep(0.05)
    raise AssertionError(f"nobody waits for {table}")


_CLIENT = """
import pathlib, sys
sys.path[:0] = {path!r}
from trade import FIRST, NOISE
from lab.memory import server
from lab.memory.records import sync
sync(server.up(pathlib.Path({home!r})), FIRST, workspace={workspace!r}, embedders=[NOISE])
"""


@pytest.mark.skipif(os.name == "nt", reason="kill -9")
def test_a_client_killed_within_a_sync_leaves_nothing_half_written(server: Server) -> None:
    where = "faults-client"
    opened(server, where, FIRST[:1])
    before = state(server, where)
    assert server.data is not None
    script = _CLIENT.format(path=[str(HERE), str(HERE.parent)], home=str(server.data.parent), workspace=where)
    with owner(server) as blocker:
        blocker.execute("lock table edge_degree in share mode")  # memories and vectors are written before
        with subprocess.Popen([sys.executable, "-c", script]) as client:
            waits_for(server, "edge_degree")
            client.send_signal(signal.SIGKILL)
            assert client.wait(10) == -signal.SIGKILL
        blocker.rollback()
    after = state(server, where)
    assert {table: after[table] for table in after if table != "entity"} == {
        table: before[table] for table in before if table != "entity"
    }  # entities are added before, in a transaction of their own; nobody sees one without a memory
    with seen(server, where, "owner") as view:
        row = view.connection.execute("select count(*) from entity").fetchone()
    assert row == (2,)  # the customer and his account manager
    assert opened(server, where, FIRST).written == len(FIRST) - 1
    opened(server, "faults-client-whole", FIRST[:1])
    opened(server, "faults-client-whole", FIRST)
    assert state(server, where) == state(server, "faults-client-whole")


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="kill -9")
def test_a_server_killed_within_a_sync_has_what_was_confirmed_and_no_more() -> None:
    with own_server() as (home, server):
        opened(server, "killed", FIRST[:2])
        before = state(server, "killed")
        errors: list[BaseException] = []

        def attempt() -> None:
            try:
                sync(server, FIRST, workspace="killed", embedders=[NOISE])
            except BaseException as error:
                errors.append(error)

        blocker = psycopg.connect(**server.owner)
        try:
            blocker.execute("lock table edge_degree in share mode")
            thread = threading.Thread(target=attempt)
            thread.start()
            waits_for(server, "edge_degree")
            pid = servers.status(home).pid
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
            thread.join(60)
        finally:
            blocker.close()
        assert [type(error) for error in errors] == [LabError]
        assert "does not answer" in str(errors[0])
        again = servers.up(home)
        after = state(again, "killed")
        assert all(after[table] == before[table] for table in before if table != "entity")
        assert opened(again, "killed", FIRST).written == len(FIRST) - 2
        assert opened(again, "killed", FIRST).written == 0


def _large(number: int) -> Record:
    """A record of 900 kB that does not compress and is one lexeme."""
    words = np.random.default_rng(number).bytes(450_000).hex()
    return record(Entity(f"order:L{number}", "order", f"L{number}", fuzzy=False), words)


_LIMITED = """
import pathlib, resource, sys
sys.path[:0] = {path!r}
from lab.memory import server
resource.setrlimit(resource.RLIMIT_FSIZE, (18_000_000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
server.up(pathlib.Path({home!r}))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="setrlimit")
def test_a_file_that_may_not_grow_is_an_error_and_nothing_is_half_written() -> None:
    """The server may write no file beyond 18 MB (its log's segments have 16): as on a full disk, a table
    can't be extended."""
    with own_server() as (home, server):
        opened(server, "full", FIRST)
        servers.down(home)
        script = _LIMITED.format(path=[str(HERE.parent)], home=str(home))
        subprocess.run([sys.executable, "-c", script], check=True)
        limited = servers.up(home)
        before = state(limited, "full")
        records = [_large(number) for number in range(12)]
        with pytest.raises(LabError, match="no room") as caught:
            opened(limited, "full", records)
        assert "Nothing of this batch was written" in str(caught.value)
        after = state(limited, "full")
        assert all(after[table] == before[table] for table in before if table != "entity")
        with seen(limited, "full", "owner") as view:
            assert len(contents(view)) == len(FIRST)  # reading goes on
        servers.down(home)
        assert opened(servers.up(home), "full", records).written == 12


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux") or os.geteuid() != 0, reason="mounts a file system")
def test_a_full_disk_is_an_error_and_nothing_is_half_written() -> None:
    """A real one: what `memory` stores its long texts in lies on a file system with 4 MB left."""
    with own_server() as (home, server):
        opened(server, "full", FIRST)
        disk = home / "disk"
        disk.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=24m,mode=777", "tmpfs", str(disk)], capture_output=True
        )
        if mounted.returncode:
            pytest.skip("no file system can be mounted here")
        try:
            ballast = disk / "ballast"
            ballast.write_bytes(bytes(20_000_000))
            place = disk / "space"
            place.mkdir(mode=0o700)
            assert server.data is not None
            info = server.data.stat()
            os.chown(place, info.st_uid, info.st_gid)
            _move_texts(home, server, place)
            before = state(server, "full")
            records = [_large(number) for number in range(4)]
            with pytest.raises(LabError, match="no room"):
                opened(server, "full", records)
            after = state(server, "full")
            assert all(after[table] == before[table] for table in before if table != "entity")
            ballast.unlink()
            assert opened(server, "full", records).written == 4
        finally:
            servers.down(home)
            subprocess.run(["umount", str(disk)], check=False)


def _move_texts(home: Path, server: Server, place: Path) -> None:
    """Puts the table onto the small disk, as the server's administrator."""
    from lab.memory import roles

    password = roles.load(home, "bundled")[roles.SUPERUSER]
    login = dict(server.owner) | {"user": roles.SUPERUSER, "password": password}
    with psycopg.connect(**login, autocommit=True) as connection:
        connection.execute(psycopg.sql.SQL("create tablespace small location {}").format(str(place)))
        connection.execute("alter table lab.memory set tablespace small")


BAD = ("a \0 b", "a \ud83d b")


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize(
    "field", ["content", "source", "external_id", "module", "name", "also", "relation", "attribute"]
)
def test_bad_text_is_named_wherever_it_stands(server: Server, field: str, bad: str) -> None:
    where = "faults-text"
    opened(server, where)
    before = state(server, where)
    good = record(ORDER, "Sipariş ORD-2026-1.", Link("placed_by", AGAOGLU))
    broken = {
        "name": lambda: replace(good, subject=replace(ORDER, name=bad)),
        "also": lambda: replace(good, links=(Link("placed_by", replace(AGAOGLU, also=(bad,))),)),
        "relation": lambda: replace(good, links=(Link(bad, AGAOGLU),)),
    }.get(field, lambda: replace(good, **{field: bad}))()
    with pytest.raises(LabError, match="NUL byte or half a character"):
        sync(server, [record(EGE, "Müşteri Ege Gıda."), broken], workspace=where, embedders=[NOISE])
    assert state(server, where) == before


@pytest.mark.parametrize("odd", ["'; drop table memory; --", '"', "%s %(x)s {}", "\\'", "a\nb", "İ'ye göre"])
def test_sql_in_names_is_text(server: Server, odd: str) -> None:
    where = "faults-sql"
    opened(server, where)
    odd_one = Entity(f"customer:{odd}", "customer", odd, (f"{odd} A.Ş.",))
    one = Record("shop " + odd, odd, FIRST[0].version, "sales", f"{odd}: 5.", "tr", odd_one,
                 (Link(odd, EGE),), attribute=odd)  # fmt: skip
    write.allow(server, where, odd.replace("\n", " "), ROLES["owner"])
    assert sync(server, [one], workspace=where, embedders=[NOISE]).written == 1
    assert sync(server, [one], workspace=where, embedders=[NOISE]).written == 0
    with seen(server, where, "owner") as view:
        assert f"{odd}: 5." in contents(view)
        row = view.connection.execute("select count(*) from edge where relation = %s", [odd]).fetchone()
    assert row == (1,)


def test_a_record_of_a_megabyte_is_found_by_its_last_word(server: Server) -> None:
    where = "faults-large"
    words = " ".join(f"kelime{number % 3000} ışıklı" for number in range(55_000))
    opened(server, where, [record(ORDER, f"{words} zürafa")])
    with seen(server, where, "owner") as view:
        from lab.memory import search

        found = search.by_words(view, "zürafa", "tr", 5, "business")
        assert len(found) == 1
        assert {len(content) for content in contents(view)} == {len(words) + 7}


class Short(Noise):
    """Says 16 dimensions and gives 12."""

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        return super().passages(texts)[:, :12]


def test_a_wrong_dimension_writes_nothing(server: Server) -> None:
    where = "faults-dimension"
    opened(server, where, FIRST[:1])
    before = state(server, where)
    other = Noise(24, "trade")
    other.space = NOISE.space
    for wrong in (other, Short(16, "trade")):
        with pytest.raises(LabError, match=r"dimensions"):
            sync(server, FIRST, workspace=where, embedders=[wrong])
    after = state(server, where)
    assert all(after[table] == before[table] for table in before if table != "entity")
    assert opened(server, where, FIRST).written == len(FIRST) - 1


def test_a_pool_that_is_all_in_use_says_so_and_goes_on(server: Server) -> None:
    with pool(server, "reader", size=1) as connections:
        connections.timeout = 0.2
        with connections.connection(), pytest.raises(LabError, match="All 1 connections are in use"):
            with connections.connection():
                pass
        with connections.connection() as connection:
            assert connection.execute("select 1").fetchone() == (1,)


def test_a_server_without_a_free_connection_writes_nothing(server: Server) -> None:
    where = "faults-crowd"
    opened(server, where, FIRST[:1])
    before = state(server, where)
    crowd: list[Any] = []
    try:
        with pytest.raises(psycopg.OperationalError):
            for _ in range(200):
                crowd.append(psycopg.connect(**server.reader))
        with pytest.raises(LabError, match="takes no more connections"):
            sync(server, FIRST, workspace=where, embedders=[NOISE])
    finally:
        for connection in crowd:
            connection.close()
    assert state(server, where) == before
    with writer(server) as connection:
        assert connection.execute("select 1").fetchone() == (1,)
