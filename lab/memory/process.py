"""The bundled PostgreSQL as an operating-system process: made, started, found again, stopped.

The programs are called directly with argument lists (no shell), so any path works. The server is detached
from the process that started it: notebooks share it, and Ctrl-C in one does not end it. A process is
signalled only when it is seen to be a PostgreSQL server of this very data directory; what a pid file says is
never enough.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from lab.kinds import LabError
from lab.memory.binaries import Account, install_for, program, run_options
from lab.memory.cluster import check_version

START_SECONDS = 30.0
STOP_SECONDS = 30.0
RECOVERY_SECONDS = 180.0
"""A server that is alive and replaying its log after a crash is given longer than one that does not start."""
_SOCKET_LIMIT = 100
"""Bytes; the kernel's limit for a socket address is 107 (Linux) or 103 (macOS)."""
_LOG_LIMIT = 8_000_000
DETACHED: dict[str, Any] = (
    {"creationflags": 0x00000008 | 0x00000200}  # DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP
    if os.name == "nt"
    else {"start_new_session": True}
)
_children: list[subprocess.Popen[bytes]] = []
"""Servers this process started, kept so that an ended one can be reaped instead of staying a zombie."""


@dataclass(frozen=True, slots=True)
class Postmaster:
    """A running server of a data directory, as its pid file and the process table agree on."""

    pid: int
    port: int
    host: str
    """Socket directory, or 127.0.0.1 where there are no Unix sockets."""
    process: psutil.Process


def postmaster(data: Path) -> Postmaster | None:
    """The live server of `data`; None for no or half a pid file, a dead or foreign pid."""
    for child in _children:
        child.poll()
    lines = _pid_file_lines(data)
    if len(lines) < 6 or not lines[0].lstrip("-").isdigit() or not lines[3].isdigit():
        return None
    try:
        process = psutil.Process(abs(int(lines[0])))
    except (psutil.NoSuchProcess, OverflowError, ValueError):
        return None
    if not serves(process, data):
        return None
    host = lines[4] or lines[5] or "127.0.0.1"
    return Postmaster(process.pid, int(lines[3]), host, process)


def serves(process: psutil.Process, data: Path) -> bool:
    """Whether it is a PostgreSQL process of this data directory.

    Every PostgreSQL process works inside its data directory, wherever that was moved since; only where the
    system does not let us see a working directory does the command line decide.
    """
    try:
        if process.status() == psutil.STATUS_ZOMBIE or not process.name().lower().startswith("postgres"):
            return False
        with contextlib.suppress(psutil.AccessDenied, OSError):
            if where := process.cwd():
                return os.path.samefile(where, data)
        words = process.cmdline()
        return any(flag == "-D" and Path(value) == data for flag, value in itertools.pairwise(words))
    except (psutil.Error, OSError):
        return False


def orphans(data: Path) -> list[int]:
    """Pids of PostgreSQL processes still at work in `data`: the children of a killed server need a moment."""
    return [process.pid for process in psutil.process_iter() if serves(process, data)]


def start(
    data: Path, log: Path, account: Account | None, answers: Callable[[Postmaster], bool]
) -> Postmaster:
    """Starts the server (or finds it) and returns it once `answers` says that a real connection was made.

    After a hard kill children and shared memory of the old server may linger: waits for them and tries again,
    START_SECONDS in all.
    """
    install = install_for(account, data.parent)
    check_version(data, install)
    deadline = time.monotonic() + START_SECONDS
    while True:
        if running := postmaster(data):
            if answers(running):
                return running
            if running.host.startswith("/") and not Path(running.host, f".s.PGSQL.{running.port}").exists():
                stop(data)  # alive, but its socket was swept away: nobody can ever reach it
        elif left := orphans(data):
            if time.monotonic() > deadline:
                raise LabError(
                    f"Processes of a server that is gone still use {data}: {left}.",
                    "They should have ended by themselves.",
                    f"End them (`kill {' '.join(map(str, left))}`), then `python start.py up`.",
                )
        else:
            _forget(data)
            mark = log.stat().st_size if log.exists() else 0
            sockets = None if os.name == "nt" else _socket_directory(account)
            child = _spawn(install, data, log, account, sockets)
            if found := _await(child, data, answers):
                return found
            said = _tail(log, mark)
            if sockets is not None and child.poll() is not None:
                _remove_socket_directory(sockets, data)
            passing = child.poll() is not None and ("shared memory block" in said or "lock file" in said)
            if not passing or time.monotonic() > deadline:
                raise _not_started(data, log, said)
        if time.monotonic() > deadline:
            raise _not_started(data, log, _tail(log, 0))
        time.sleep(0.1)


def stop(data: Path) -> bool:
    """Ends the server of `data` (open sessions are cut, nothing is lost). True if one was running."""
    found = postmaster(data)
    if found is None:
        return False
    try:
        if os.name == "nt":  # no SIGINT to a detached process there; pg_ctl has its own channel
            pg_ctl = program(install_for(None, data.parent), "pg_ctl")
            subprocess.run([pg_ctl, "stop", "-D", str(data), "-m", "fast"], capture_output=True, check=False)
        else:
            found.process.send_signal(signal.SIGINT)  # psutil compares start times: never a reused pid
    except psutil.NoSuchProcess:
        pass
    except psutil.AccessDenied:
        said = f"The server (pid {found.pid}) runs as another user."
        raise LabError(said, "", "Stop it as that user.") from None
    for pause in _pauses(STOP_SECONDS):
        # Its starter may be alive and never reap it: an ended server counts as gone although its
        # pid is taken.
        if not serves(found.process, data):
            _remove_socket_directory(Path(found.host), data)
            return True
        time.sleep(pause)
    raise LabError(
        f"The server (pid {found.pid}) did not end within {STOP_SECONDS:.0f} s.",
        "A large checkpoint may still be written.",
        "Wait a little, then `python start.py down` again.",
    )


def _spawn(
    install: Path, data: Path, log: Path, account: Account | None, sockets: Path | None
) -> subprocess.Popen[bytes]:
    settings = {
        "shared_buffers": "128MB",
        "max_connections": "60",
        "maintenance_work_mem": "128MB",
        "jit": "off",
        "fsync": "on",
        "timezone": "UTC",
        "log_timezone": "UTC",
        "logging_collector": "off",
        "log_checkpoints": "off",
        "cluster_name": "kraken-lab",
    }
    if sockets is None:
        settings |= {"listen_addresses": "127.0.0.1", "port": str(_free_port())}
    else:
        settings |= {"listen_addresses": "", "unix_socket_directories": str(sockets)}
    with contextlib.suppress(OSError):
        # Containers often have 64 MB there, too little for a parallel index build.
        if shutil.disk_usage("/dev/shm").free < 512 << 20:
            settings["dynamic_shared_memory_type"] = "mmap"
    arguments = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    command = [os.fspath(program(install, "postgres")), "-D", str(data), *arguments]
    if log.exists() and log.stat().st_size > _LOG_LIMIT:
        log.replace(log.with_suffix(".log.1"))
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
    output = os.open(log, flags, 0o600)
    try:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=data.parent,
            **run_options(account),
            **DETACHED,
        )
    finally:
        os.close(output)
    _children.append(child)
    return child


def _await(
    child: subprocess.Popen[bytes], data: Path, answers: Callable[[Postmaster], bool]
) -> Postmaster | None:
    """The server once it answers; None when it ended or took too long."""
    for pause in _pauses(RECOVERY_SECONDS):
        if child.poll() is not None:
            return None
        if (found := postmaster(data)) and _pid_file_lines(data)[7:8] == ["ready"] and answers(found):
            return found
        time.sleep(pause)
    return None


def _pauses(seconds: float) -> Iterator[float]:
    end, pause = time.monotonic() + seconds, 0.01
    while time.monotonic() < end:
        yield pause
        pause = min(pause * 1.3, 0.25)


def _socket_directory(account: Account | None) -> Path:
    """A new private directory with a short name, which the pid file remembers.

    New at each start, so that nobody can prepare it for us.
    """
    for base in (tempfile.gettempdir(), "/tmp", "/var/tmp"):
        if len(os.fsencode(base)) + len("/kraken-lab-12345678/.s.PGSQL.5432") <= _SOCKET_LIMIT:
            with contextlib.suppress(OSError):
                made = Path(tempfile.mkdtemp(prefix="kraken-lab-", dir=base))
                if account is not None:
                    os.chown(made, account.uid, account.gid)
                return made
    raise LabError(
        "No temporary directory with a short path can be written.", "", "Set TMPDIR=/tmp and start again."
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _forget(data: Path) -> None:
    """Removes a stale pid file and its socket directory; only called when no process works in `data`."""
    lines = _pid_file_lines(data)
    (data / "postmaster.pid").unlink(missing_ok=True)
    if len(lines) > 4 and lines[4].startswith("/"):
        _remove_socket_directory(Path(lines[4]), data)


def _remove_socket_directory(path: Path, data: Path) -> None:
    """Clears it away if it is this server's: the pid file of a copied data directory names another's."""
    if not path.name.startswith("kraken-lab-") or path.is_symlink():
        return
    with contextlib.suppress(OSError, IndexError):
        for lock in path.glob(".s.PGSQL.*.lock"):
            if lock.read_text(encoding="utf-8").splitlines()[1] != os.fspath(data):
                return
            lock.with_suffix("").unlink(missing_ok=True)
            lock.unlink()
        path.rmdir()


def _pid_file_lines(data: Path) -> list[str]:
    """pid, data directory, start time, port, socket directory, listen address, shared memory, state."""
    try:
        return [line.strip() for line in (data / "postmaster.pid").read_text("utf-8", "replace").splitlines()]
    except OSError:
        return []


def _tail(log: Path, mark: int) -> str:
    try:
        with log.open("rb") as file:
            file.seek(max(mark, log.stat().st_size - 3000))
            return file.read().decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _not_started(data: Path, log: Path, said: str) -> LabError:
    return LabError(
        f"The bundled PostgreSQL did not start on {data}. Its log ends:\n{said}\n",
        "A full disk or missing rights are the usual reasons.",
        f"See {log}, mend it, then `python start.py up`; `python start.py doctor` shows the whole picture.",
    )
