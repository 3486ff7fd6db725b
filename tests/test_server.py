"""The database's life: started, shared, killed, healed, stopped; roles; a server of one's own; migrations."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from lab.kinds import LabError
from lab.memory import binaries, cluster, connect, homes, process
from lab.memory import server as servers
from lab.memory.migrate import migrate

AS_ROOT = pytest.mark.skipif(
    os.name == "nt" or os.geteuid() != 0, reason="only root hands the server to another account"
)
ROOT = Path(__file__).resolve().parent.parent


@contextlib.contextmanager
def new_home(name: str = "home") -> Iterator[Path]:
    """A home under the system's temporary directory, its server stopped and its files removed at the end."""
    base = Path(tempfile.mkdtemp(prefix="lab-test-"))
    base.chmod(0o711)  # pytest's own tmp_path is closed to the account the server runs as under root
    try:
        yield base / name
    finally:
        servers.down(base / name)
        shutil.rmtree(base, ignore_errors=True)


@pytest.fixture(scope="module")
def shared() -> Iterator[Path]:
    with new_home() as home:
        servers.up(home)
        yield home


@pytest.fixture
def home() -> Iterator[Path]:
    with new_home() as home:
        yield home


def pid_of(home: Path) -> int:
    found = process.postmaster(home / "data")
    assert found is not None
    return found.pid


def one(login: object, query: str) -> object:
    with psycopg.connect(**login) as connection:  # type: ignore[arg-type]
        row = connection.execute(query).fetchone()
        return row and row[0]


# --- start, find, stop -------------------------------------------------------------------------------------


def test_fresh_start_in_a_path_with_space_apostrophe_and_turkish_letters() -> None:
    with new_home("Ayşe'nin evi çöğüş İıŞ") as home:
        server = servers.up(home)
        assert server.bundled
        assert server.data == home / "data"
        logins = (server.owner, server.reader, server.writer)
        assert [one(each, "select current_user") for each in logins] == [
            "lab_owner",
            "lab_reader",
            "lab_writer",
        ]
        assert one(server.reader, "select '[1,2]'::halfvec <-> '[1,4]'::halfvec") == 2.0
        assert one(server.reader, "select lower('ÇĞÖŞÜ')") == "çğöşü"
        assert one(server.reader, "show fsync") == "on"
        assert one(server.reader, "show listen_addresses") == ""
        assert servers.down(home) is True
        assert servers.down(home) is False
        assert servers.up(home).reader["password"] == server.reader["password"]


def test_second_up_finds_the_same_server_fast(shared: Path) -> None:
    before = pid_of(shared)
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        servers.up(shared)
        times.append(time.perf_counter() - begin)
    assert pid_of(shared) == before
    assert sorted(times)[2] < 0.15


def test_secrets_and_sockets_are_private(shared: Path) -> None:
    server = servers.up(shared)
    for path, mode in (
        (shared / "passwords.json", 0o600),
        (shared / "postgres.log", 0o600),
        (shared / "data", 0o700),
        (Path(server.reader["host"]), 0o700),
    ):
        assert path.stat().st_mode & 0o777 == mode, path
    assert sorted(path.name for path in shared.iterdir()) == [
        "data",
        "lock",
        "passwords.json",
        "postgres.log",
    ]
    for wrong in ({"password": "yanlış"}, {"user": "postgres"}):
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(**{**server.reader, **wrong})


def test_the_server_outlives_its_starter_and_ctrl_c(home: Path) -> None:
    code = "import sys; from pathlib import Path; from lab.memory import server; server.up(Path(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", code, home], cwd=ROOT, check=True)
    running = psutil.Process(pid_of(home))
    assert os.getsid(running.pid) == running.pid
    if os.geteuid() == 0:
        assert running.uids().real == binaries.account_for(home / "none").uid  # type: ignore[union-attr]
    assert one(servers.up(home).reader, "select 1") == 1


def test_processes_at_once_share_one_server(home: Path) -> None:
    code = (
        "import sys, psycopg; from pathlib import Path; from lab.memory import server, process\n"
        "home = Path(sys.argv[1]); login = server.up(home).writer\n"
        "who = psycopg.connect(**login).execute('select current_user').fetchone()[0]\n"
        "print(who, process.postmaster(home / 'data').pid)"
    )
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code, home], cwd=ROOT, stdout=subprocess.PIPE, encoding="utf-8"
        )
        for _ in range(3)
    ]
    said = {child.communicate(timeout=120)[0].strip() for child in started}
    assert [child.returncode for child in started] == [0, 0, 0]
    assert said == {f"lab_writer {pid_of(home)}"}


def test_down_stops_only_its_own(shared: Path, home: Path) -> None:
    servers.up(home)
    other = pid_of(shared)
    sockets = Path(servers.up(home).reader["host"])
    assert servers.down(home) is True
    assert psutil.pid_exists(other)
    assert one(servers.up(shared).reader, "select 1") == 1
    assert process.orphans(home / "data") == []
    assert not sockets.exists()


def test_down_while_the_starter_lives_on(home: Path) -> None:
    """A notebook that started the server and still runs must not make another process wait for it."""
    code = (
        "import sys, time; from pathlib import Path; from lab.memory import server\n"
        "server.up(Path(sys.argv[1])); print('up', flush=True); time.sleep(300)"
    )
    starter = subprocess.Popen([sys.executable, "-c", code, home], cwd=ROOT, stdout=subprocess.PIPE)
    try:
        assert starter.stdout is not None
        assert starter.stdout.readline() == b"up\n"
        begin = time.monotonic()
        assert servers.down(home) is True
        assert time.monotonic() - begin < 10
        assert starter.poll() is None
        assert one(servers.up(home).reader, "select 1") == 1
    finally:
        starter.kill()
        starter.communicate()


def test_status_tells_without_starting(shared: Path, home: Path) -> None:
    stopped = servers.status(home)
    assert (stopped.running, stopped.pid, stopped.version) == (False, None, None)
    assert stopped.problem
    assert not home.exists()
    told = servers.status(shared)
    assert told.running
    assert told.bundled
    assert told.problem is None
    assert told.pid == pid_of(shared)
    assert str(told.version).startswith("18.")
    assert told.address == f"{servers.up(shared).reader['host']}/.s.PGSQL.5432"
    assert (told.data_bytes or 0) > 20_000_000
    assert told.extensions["vector"] >= "0.8"
    assert told.roles == {"lab_owner": True, "lab_reader": True, "lab_writer": True}


# --- hard ends ---------------------------------------------------------------------------------------------


def test_killed_server_is_started_again_with_its_data(home: Path) -> None:
    server = servers.up(home)
    with connect.owner(server) as connection:
        connection.execute("create table kept as select 330 as kota")
    pid = pid_of(home)
    busy = psycopg.connect(**server.reader)  # a backend in the middle of work
    thread = threading.Thread(target=_sleep, args=[busy])
    thread.start()
    time.sleep(0.2)
    os.kill(pid, signal.SIGKILL)
    again = servers.up(home)
    thread.join(10)
    assert pid_of(home) != pid
    assert one(again.owner, "select kota from kept") == 330
    assert not Path(server.reader["host"]).exists()  # the old socket directory was cleared away
    assert [p for p in process.orphans(home / "data") if parent(p) not in (pid_of(home), None)] == [
        pid_of(home)
    ]


def parent(pid: int) -> int | None:
    """None for one that has ended meanwhile, as a server's helpers do at any time."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).ppid()
    return None


def _sleep(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    with contextlib.suppress(psycopg.Error):
        connection.execute("select pg_sleep(60)")


def test_surviving_children_of_a_killed_server_are_waited_for(home: Path) -> None:
    """A stopped (SIGSTOP) child cannot leave: the start waits for it instead of failing or harming it."""
    servers.up(home)
    pid = pid_of(home)
    child = next(p for p in psutil.Process(pid).children() if "checkpointer" in " ".join(p.cmdline()))
    child.suspend()
    os.kill(pid, signal.SIGKILL)
    waker = threading.Timer(1.5, child.resume)
    waker.start()
    begin = time.monotonic()
    server = servers.up(home)
    waker.join()
    assert time.monotonic() - begin > 1.0
    assert one(server.reader, "select 1") == 1
    assert not process.serves(child, home / "data")


@pytest.mark.parametrize("innocent", ["sleep", "other server"])
def test_pid_file_that_names_an_innocent_process(home: Path, shared: Path, innocent: str) -> None:
    servers.up(home)
    servers.down(home)
    other = subprocess.Popen(["sleep", "300"])
    sharing, sockets = pid_of(shared), Path(servers.up(shared).reader["host"], ".s.PGSQL.5432")
    inode = sockets.stat().st_ino
    try:
        pid = other.pid if innocent == "sleep" else sharing
        lines = (shared / "data/postmaster.pid").read_text(encoding="utf-8").splitlines()
        lines[0] = str(pid)
        (home / "data/postmaster.pid").write_text("\n".join(lines) + "\n", encoding="utf-8")
        assert servers.down(home) is False
        assert servers.status(home).running is False
        (home / "data/postmaster.pid").write_text("\n".join(lines) + "\n", encoding="utf-8")
        assert one(servers.up(home).reader, "select 1") == 1
        assert pid_of(home) != pid
        assert servers.down(home) is True
        assert other.poll() is None
        assert pid_of(shared) == sharing
        assert sockets.stat().st_ino == inode  # nor was the other server's door taken away
        assert one(servers.up(shared).reader, "select 1") == 1
    finally:
        other.kill()
        other.wait()


@pytest.mark.parametrize(
    "content", ["", "12", "çöp\n\n\n\n\n\n", "99999999999999999999\na\n1\n5432\n/tmp\n\n\n"]
)
def test_broken_pid_files_are_healed(home: Path, content: str) -> None:
    servers.up(home)
    servers.down(home)
    (home / "data/postmaster.pid").write_text(content, encoding="utf-8")
    assert one(servers.up(home).reader, "select 1") == 1


def test_half_an_initdb_is_healed(home: Path) -> None:
    """Killed in the middle of the very first start: the next one begins anew and leaves no halves behind."""
    code = "import sys; from pathlib import Path; from lab.memory import server; server.up(Path(sys.argv[1]))"
    first = subprocess.Popen([sys.executable, "-c", code, home], cwd=ROOT, start_new_session=True)
    end = time.monotonic() + 30
    while not list(home.glob("data.half-*/data/PG_VERSION")) and time.monotonic() < end:
        time.sleep(0.005)
    first.kill()
    first.wait()
    assert list(home.glob("data.half-*"))
    assert not (home / "data").exists()
    assert one(servers.up(home).reader, "select 1") == 1
    assert not list(home.glob("data.half-*"))


def test_a_swept_socket_directory_is_healed(home: Path) -> None:
    old = servers.up(home)
    shutil.rmtree(old.reader["host"])
    assert one(servers.up(home).reader, "select 1") == 1


def test_a_moved_home_is_still_known_as_ones_own(home: Path) -> None:
    servers.up(home)
    pid = pid_of(home)
    moved = home.rename(home.with_name("taşındı"))
    try:
        assert one(servers.up(moved).reader, "select 1") == 1
        assert pid_of(moved) == pid
    finally:
        assert servers.down(moved) is True


# --- what cannot be healed says what to do -----------------------------------------------------------------


def test_data_of_another_major_version(home: Path) -> None:
    servers.up(home)
    servers.down(home)
    (home / "data/PG_VERSION").write_text("16\n", encoding="utf-8")
    with pytest.raises(LabError, match="PostgreSQL 16; the bundled server is PostgreSQL 18") as caught:
        servers.up(home)
    assert "mv " in caught.value.next_step
    (home / "data/PG_VERSION").write_text("18\n", encoding="utf-8")


def test_a_foreign_directory_is_not_overwritten(home: Path) -> None:
    (home / "data").mkdir(parents=True)
    (home / "data/tez.txt").write_text("dokunma", encoding="utf-8")
    with pytest.raises(LabError, match="not a PostgreSQL data directory"):
        servers.up(home)
    assert (home / "data/tez.txt").read_text(encoding="utf-8") == "dokunma"


def test_a_server_that_does_not_start_shows_its_log(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    servers.up(home)
    servers.down(home)
    temporary = home.parent / "tmp"
    temporary.mkdir()
    temporary.chmod(0o711)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    with (home / "data/postgresql.conf").open("a", encoding="utf-8") as file:
        file.write("\nno_such_setting = 1\n")
    begin = time.monotonic()
    with pytest.raises(LabError, match="no_such_setting"):
        servers.up(home)
    assert time.monotonic() - begin < 10
    assert list(temporary.iterdir()) == []


def test_a_lost_or_foreign_password_file_is_named(home: Path, shared: Path) -> None:
    server = servers.up(home)
    kept = (home / "passwords.json").rename(home / "kept.json")
    with pytest.raises(LabError, match=r"passwords\.json does not fit"):
        servers.up(home)
    shutil.copy(shared / "passwords.json", home / "passwords.json")
    with pytest.raises(LabError, match=r"passwords\.json does not fit"):
        servers.up(home)
    kept.replace(home / "passwords.json")
    assert servers.up(home) == server


def test_no_wheel_for_this_platform(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setattr(binaries, "PACKAGE", "no_such_package_of_ours")
    binaries.package_dir.cache_clear()
    try:
        with pytest.raises(LabError, match="LAB_DATABASE_URL"):
            servers.up(home)
    finally:
        monkeypatch.undo()
        binaries.package_dir.cache_clear()


def test_unwritable_home() -> None:
    with pytest.raises(LabError, match="cannot be made or used"):
        servers.up(Path("/proc/lab-home"))


@pytest.mark.skipif(
    os.name == "nt" or os.geteuid() != 0, reason="only root hands the server to another account"
)
def test_as_root_a_closed_place_is_left_or_refused() -> None:
    closed = Path(tempfile.mkdtemp(prefix="lab-closed-"))  # 0700, like /root
    try:
        elsewhere = homes.default(closed)
        assert elsewhere.parent == Path("/var/tmp")
        assert elsewhere.name.startswith("kraken-lab-")
        with pytest.raises(LabError, match="cannot reach") as caught:
            servers.up(closed / "home")
        assert "LAB_HOME" in caught.value.next_step
        closed.chmod(0o755)
        assert homes.default(closed) == closed / ".lab"
    finally:
        shutil.rmtree(closed)


@pytest.mark.skipif(
    os.name == "nt" or os.geteuid() != 0, reason="only root hands the server to another account"
)
def test_as_root_a_fallback_home_prepared_by_somebody_else_is_refused() -> None:
    trap = Path(tempfile.mkdtemp(prefix="kraken-lab-test-", dir="/var/tmp"))
    try:
        os.chown(trap, 65534, 65534)
        with pytest.raises(LabError, match="made by another user"):
            servers.up(trap)
        link = trap.with_name(trap.name + "-link")
        link.symlink_to(trap)
        with pytest.raises(LabError, match="made by another user"):
            servers.up(link)
        link.unlink()
    finally:
        shutil.rmtree(trap)


@AS_ROOT
def test_as_root_programs_out_of_reach_are_copied_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a virtual environment below /root."""
    closed = Path(tempfile.mkdtemp(prefix="lab-closed-"))
    try:
        original = binaries.package_dir()
        shutil.copytree(original, closed / original.name, symlinks=True)
        libraries = original.with_name(original.name + ".libs")
        if libraries.is_dir():
            shutil.copytree(libraries, closed / libraries.name, symlinks=True)
        monkeypatch.setattr(binaries, "package_dir", lambda: closed / original.name)
        server = servers.up(home)
        program = psutil.Process(pid_of(home)).exe()
        assert Path(program).is_relative_to(home / "programs")
        assert one(server.reader, "select '[1,2]'::halfvec <-> '[1,4]'::halfvec") == 2.0
        before = sorted((home / "programs").iterdir())
        servers.down(home)
        servers.up(home)
        assert sorted((home / "programs").iterdir()) == before
        assert len(before) == 1
    finally:
        shutil.rmtree(closed)


# --- roles -------------------------------------------------------------------------------------------------


def test_roles_are_bound(shared: Path) -> None:
    server = servers.up(shared)
    with psycopg.connect(**server.reader) as connection:
        rows = connection.execute(
            "select rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication "
            "from pg_roles where rolname like 'lab\\_%' order by 1"
        ).fetchall()
    assert rows == [(name, *[False] * 5) for name in ("lab_owner", "lab_reader", "lab_writer")]
    assert (
        one(server.reader, "select pg_catalog.pg_get_userbyid(datdba) from pg_database where datname = 'lab'")
        == "lab_owner"
    )
    assert (
        one(server.reader, "select count(*) from pg_auth_members where member::regrole::text like 'lab\\_%'")
        == 0
    )


@pytest.mark.parametrize("role", ["reader", "writer"])
@pytest.mark.parametrize(
    "statement",
    [
        "create table lab.x (y int)", "create table public.x (y int)", "create schema x",
        "create table x (y int)",
        "create role x", "set role lab_owner", "drop table lab.t",
        "alter table lab.t disable row level security",
        "create database x", "copy (select 1) to program 'true'", "select pg_read_file('PG_VERSION')",
    ],
)  # fmt: skip
def test_reader_and_writer_may_create_and_take_nothing(
    shared: Path, tmp_path: Path, role: connect.Role, statement: str
) -> None:
    server = servers.up(shared)
    with connect.owner(server) as connection:
        connection.execute("create schema if not exists lab; create table if not exists lab.t (y int)")
        connection.execute("grant usage on schema lab to lab_reader, lab_writer")
    with psycopg.connect(**getattr(server, role), autocommit=True) as connection:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(statement)


def test_temporary_tables_are_the_writers_only(shared: Path) -> None:
    server = servers.up(shared)
    with connect.writer(server) as connection:
        connection.execute("create temporary table pg_temp.x (y int)")
    with pytest.raises(psycopg.errors.InsufficientPrivilege), connect.reader(server) as connection:
        connection.execute("create temporary table x (y int)")


def test_row_level_security_binds_reader_and_writer(shared: Path) -> None:
    server = servers.up(shared)
    with connect.owner(server) as connection:
        connection.execute(
            "create schema if not exists lab; create table lab.secret as select 'bordro' as text"
        )
        connection.execute("alter table lab.secret enable row level security, force row level security")
        connection.execute("grant usage on schema lab to lab_reader, lab_writer")
        connection.execute("grant select on lab.secret to lab_reader, lab_writer")
    for login in (server.owner, server.reader, server.writer):
        assert one(login, "select count(*) from lab.secret") == 0
    with connect.owner(server) as connection:
        connection.execute("create policy open on lab.secret using (true)")
    assert one(server.reader, "select text from secret") == "bordro"  # and the schema is on the search path


# --- connections -------------------------------------------------------------------------------------------


def test_sessions_commit_roll_back_and_know_vectors(shared: Path) -> None:
    server = servers.up(shared)
    with connect.owner(server) as connection:
        assert connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        connection.execute("create schema if not exists lab; create table lab.v (v halfvec(2))")
    with pytest.raises(ZeroDivisionError), connect.owner(server) as connection:
        connection.execute("insert into lab.v values ('[1,2]')")
        raise ZeroDivisionError
    with connect.owner(server) as connection:
        assert connection.execute("select count(*) from v").fetchone() == (0,)
        connection.execute("insert into v values ('[1,2]')")
    with connect.pool(server, "owner") as pool, pool.connection() as connection:
        row = connection.execute("select v from v").fetchone()
        assert row is not None
        assert row[0].to_list() == [1.0, 2.0]


def test_a_dead_database_says_what_to_do(home: Path) -> None:
    server = servers.up(home)
    pool = connect.pool(server, "reader")
    with pytest.raises(LabError) as during, connect.reader(server) as connection:
        servers.down(home)
        connection.execute("select 1")
    with pytest.raises(LabError) as after, connect.writer(server):
        pass
    with pytest.raises(LabError) as pooled, connect.pool(server, "reader"):
        pass
    for caught in (during, after, pooled):
        assert "start.py up" in caught.value.next_step
        assert "doctor" in caught.value.next_step
    pool.close()


def test_a_pool_survives_a_reconnect(shared: Path) -> None:
    server = servers.up(shared)
    with connect.pool(server, "reader", size=1) as pool:
        with pool.connection() as connection:
            pid = connection.info.backend_pid
        with psycopg.connect(**server.reader, autocommit=True) as killer:
            killer.execute("select pg_terminate_backend(%s)", [pid])
        with pool.connection() as connection:
            assert connection.execute("select 1").fetchone() == (1,)
            assert connection.info.backend_pid != pid


# --- a server of one's own ---------------------------------------------------------------------------------


@pytest.fixture
def foreign(home: Path) -> Iterator[dict[str, object]]:
    """A plain PostgreSQL that knows nothing of the lab, with its administrator's login."""
    with new_home("foreign") as place:
        place.mkdir()
        account = binaries.account_for(place / "data")
        place.chmod(0o711)
        cluster.initialise(place / "data", "yönetici", account)

        def answers(found: process.Postmaster) -> bool:
            with contextlib.suppress(psycopg.OperationalError):
                psycopg.connect(
                    host=found.host, port=found.port, user="postgres", password="yönetici"
                ).close()
                return True
            return False

        found = process.start(place / "data", place / "postgres.log", account, answers)
        yield {
            "host": found.host,
            "port": found.port,
            "user": "postgres",
            "password": "yönetici",
            "dbname": "postgres",
        }


def prepare(
    foreign: dict[str, object], extra: str = "createrole", owner: bool = True, extension: bool = True
) -> str:
    """Role `ayşe` and database `ders 1`; returns the URL's conninfo."""
    with psycopg.connect(**foreign, autocommit=True) as connection:  # type: ignore[arg-type]
        connection.execute(f"create role \"ayşe\" login password 'gizli' {extra}")
        connection.execute('create database "ders 1"' + (' owner "ayşe"' if owner else ""))
    if extension:
        with psycopg.connect(**{**foreign, "dbname": "ders 1"}, autocommit=True) as connection:  # type: ignore[arg-type]
            connection.execute("create extension vector")
    return make_conninfo(**{**foreign, "user": "ayşe", "password": "gizli", "dbname": "ders 1"})  # type: ignore[arg-type]


def test_own_server_needs_no_superuser(home: Path, foreign: dict[str, object], tmp_path: Path) -> None:
    url = prepare(foreign)
    server = servers.up(home, database_url=url)
    assert (server.bundled, server.data) == (False, None)
    assert not (home / "data").exists()
    for login, name in (
        (server.owner, "lab_owner"),
        (server.reader, "lab_reader"),
        (server.writer, "lab_writer"),
    ):
        assert one(login, "select current_user || ' ' || current_database()") == f"{name} ders 1"
        assert login["password"] != "gizli"
    (tmp_path / "0001_first.sql").write_text(
        "create table lab.v (v halfvec(2)); grant select on lab.v to lab_reader;", "utf-8"
    )
    assert migrate(server, tmp_path) == ["0001_first"]
    assert one(server.reader, "select count(*) from v") == 0
    begin = time.perf_counter()
    assert servers.up(home, database_url=url) == server
    assert time.perf_counter() - begin < 0.2
    told = servers.status(home, database_url=url)
    assert told.running
    assert not told.bundled
    assert told.roles["lab_reader"]
    assert (told.data_bytes or 0) > 1_000_000
    with new_home("other machine") as second:  # the same URL gives the same passwords: nobody is locked out
        assert servers.up(second, database_url=url).reader == server.reader
    with psycopg.connect(**foreign, autocommit=True) as connection:  # type: ignore[arg-type]
        connection.execute("alter role lab_reader password 'unutuldu'")
    assert one(servers.up(home, database_url=url).reader, "select 1") == 1  # set anew
    assert servers.down(home) is False
    assert one(server.reader, "select 1") == 1


@pytest.mark.parametrize(
    ("extra", "owner", "before"),
    [
        ("nocreaterole", True, ""),
        ("createrole", False, ""),
        ("createrole", True, "create role lab_reader login"),
    ],
)
def test_own_server_with_too_few_rights(
    home: Path, foreign: dict[str, object], extra: str, owner: bool, before: str
) -> None:
    url = prepare(foreign, extra, owner)
    if before:
        with psycopg.connect(**foreign, autocommit=True) as connection:  # type: ignore[arg-type]
            connection.execute(before)
    with pytest.raises(LabError, match="may not prepare database") as caught:
        servers.up(home, database_url=url)
    assert 'ALTER ROLE "ayşe" CREATEROLE' in caught.value.next_step
    assert "gizli" not in str(caught.value)
    # what the message tells an administrator to do is enough
    with psycopg.connect(**foreign, autocommit=True) as connection:  # type: ignore[arg-type]
        connection.execute('alter role "ayşe" createrole; alter database "ders 1" owner to "ayşe"')
        if before:
            connection.execute('grant lab_reader to "ayşe" with admin option')
    assert one(servers.up(home, database_url=url).reader, "select 1") == 1


def test_own_server_without_the_extension(home: Path, foreign: dict[str, object]) -> None:
    url = prepare(foreign, extension=False)
    with pytest.raises(LabError, match="pgvector could not be created") as caught:
        servers.up(home, database_url=url)
    assert "CREATE EXTENSION vector;" in caught.value.next_step
    with psycopg.connect(**foreign, autocommit=True) as connection:  # type: ignore[arg-type]
        assert (
            connection.execute("select from pg_roles where rolname like 'lab%'").rowcount == 0
        )  # all or nothing
    # a schema of the operator's choice is found too
    with psycopg.connect(**{**foreign, "dbname": "ders 1"}, autocommit=True) as connection:  # type: ignore[arg-type]
        connection.execute(
            'create schema "Ek"; create extension vector schema "Ek"; grant usage on schema "Ek" to public'
        )
    with connect.reader(servers.up(home, database_url=url)) as connection:
        assert connection.execute("select '[1,2]'::halfvec <-> '[1,4]'::halfvec").fetchone() == (2.0,)


def test_own_server_with_a_reader_that_bypasses_the_policies(home: Path, foreign: dict[str, object]) -> None:
    url = prepare(foreign)
    with psycopg.connect(**foreign, autocommit=True) as connection:  # type: ignore[arg-type]
        connection.execute("create role lab_reader login bypassrls")
    with pytest.raises(LabError, match="bypass row-level security"):
        servers.up(home, database_url=url)


def test_own_server_that_is_away(home: Path) -> None:
    with pytest.raises(LabError, match="does not answer"):
        servers.up(home, database_url="postgresql://ayse:gizli@127.0.0.1:9/ders")
    with pytest.raises(LabError, match="cannot be read") as caught:
        servers.up(home, database_url="postgresql://ayse:gizli@[::1/ders")
    assert "gizli" not in str(caught.value)
    told = servers.status(home, database_url="postgresql://ayse:gizli@127.0.0.1:9/ders")
    assert not told.running
    assert told.problem


# --- migrations --------------------------------------------------------------------------------------------


@pytest.fixture
def database(shared: Path) -> servers.Server:
    """The shared server with an empty schema."""
    server = servers.up(shared)
    with connect.owner(server) as connection:
        connection.execute("drop schema if exists lab cascade")
    return server


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_migrations_are_applied_once_and_in_order(database: servers.Server, tmp_path: Path) -> None:
    write(tmp_path, "0002_row.sql", "insert into şehir values ('İzmir');")
    write(tmp_path, "0001_table.sql", "create table şehir (ad text);\ngrant select on şehir to lab_reader;")
    assert migrate(database, tmp_path) == ["0001_table", "0002_row"]
    assert migrate(database, tmp_path) == []
    write(tmp_path, "0010_more.sql", "insert into şehir values ('Iğdır');")
    assert migrate(database, tmp_path) == ["0010_more"]
    assert one(database.reader, "select string_agg(ad, ',') from lab.şehir") == "İzmir,Iğdır"
    assert one(database.reader, "select tableowner from pg_tables where tablename = 'şehir'") == "lab_owner"
    assert one(
        database.reader, "select string_agg(number || name, ' ' order by number) from schema_migration"
    ) == ("10001_table 20002_row 100010_more")


def test_a_changed_or_missing_applied_file_is_refused(database: servers.Server, tmp_path: Path) -> None:
    path = write(tmp_path, "0001_table.sql", "create table a (b int);\n")
    migrate(database, tmp_path)
    path.write_bytes(b"create table a (b int);\r\n")  # only the line ends differ
    assert migrate(database, tmp_path) == []
    write(tmp_path, "0001_table.sql", "create table a (b bigint);\n")
    write(tmp_path, "0002_next.sql", "create table c (d int);\n")
    with pytest.raises(LabError, match="0001_table was changed"):
        migrate(database, tmp_path)
    assert one(database.owner, "select to_regclass('lab.c')") is None
    path.unlink()
    with pytest.raises(LabError, match="newer than this checkout"):
        migrate(database, tmp_path)


def test_a_failing_file_leaves_nothing(database: servers.Server, tmp_path: Path) -> None:
    write(tmp_path, "0001_good.sql", "create table good (b int);")
    bad = write(tmp_path, "0002_bad.sql", "create table half (b int);\n-- yarım\nselect yok from half;")
    with pytest.raises(LabError, match=r"0002_bad\.sql, line 3 failed"):
        migrate(database, tmp_path)
    assert one(database.owner, "select to_regclass('lab.half')") is None
    bad.write_text("create table half (b int);", encoding="utf-8")
    assert migrate(database, tmp_path) == ["0002_bad"]


def test_file_names_are_checked(database: servers.Server, tmp_path: Path) -> None:
    write(tmp_path, "0001_a.sql", "select 1")
    write(tmp_path, "0001_b.sql", "select 1")
    with pytest.raises(LabError, match="share number 0001"):
        migrate(database, tmp_path)
    (tmp_path / "0001_b.sql").rename(tmp_path / "son.sql")
    with pytest.raises(LabError, match="not named like a migration"):
        migrate(database, tmp_path)


def test_migrations_at_once(database: servers.Server, tmp_path: Path) -> None:
    for number in range(1, 6):
        write(
            tmp_path,
            f"{number:04}_t.sql",
            f"create table t{number}  as select 1 as a from (select pg_sleep(0.05)) as s;",
        )
    done: list[list[str]] = []
    threads = [threading.Thread(target=lambda: done.append(migrate(database, tmp_path))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(done) == 4
    assert sorted(name for names in done for name in names) == [f"{number:04}_t" for number in range(1, 6)]
