"""Makes the environment: uv where it is on the search path, else venv and pip."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from lab.install.plan import (
    Place,
    check_path,
    foreign_tests,
    interpreter_works,
    known_extras,
    read_stamp,
    todo,
    without_dependencies,
    write_stamp,
)
from lab.install.trouble import Trouble, explain, explain_os, no_ensurepip

Say = Callable[[str], None]
HEARTBEAT = 15.0
"""Seconds between two signs of life while an installer works."""
_OURS = b"start.py made the .venv beside this file; it may delete and remake it.\n"
_WAITING = "another start.py is setting up; waiting for it"


@dataclass(frozen=True)
class Job:
    """One set-up under way: where, whom to tell, and the lock it holds."""

    place: Place
    say: Say
    lock: BinaryIO


def uv_command() -> str | None:
    """The path of uv, or None when it is absent or LAB_INSTALLER=pip asks to do without."""
    return None if os.environ.get("LAB_INSTALLER") == "pip" else shutil.which("uv")


def base_python() -> str:
    """The interpreter to make environments from: this one, or the one behind the environment it is of."""
    return str(getattr(sys, "_base_executable", None) or sys.executable)


@contextlib.contextmanager
def locked(path: Path, say: Say) -> Iterator[BinaryIO]:
    """Lets one process at a time through; yields the open lock file.

    On POSIX the lock lasts until the last process that inherited the file has ended, so an installer that
    outlives a killed start.py keeps the next one waiting instead of writing into its environment.
    """
    with path.open("a+b") as file:
        if sys.platform == "win32":
            import msvcrt

            told = False
            while True:
                file.seek(1 << 20)  # a byte nobody writes: locked bytes cannot be written on Windows
                try:
                    msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
                    break
                except OSError:
                    if not told:
                        say(_WAITING)
                        told = True
                    time.sleep(0.5)
            yield file
        else:
            import fcntl

            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say(_WAITING)
                fcntl.flock(file, fcntl.LOCK_EX)
            yield file


def _clean_environment() -> dict[str, str]:
    """The process's own, without the settings that send packages elsewhere than into .venv."""
    elsewhere = {"PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV"}
    kept = {name: value for name, value in os.environ.items() if name not in elsewhere}
    return {
        **kept,
        "PIP_USER": "0",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_INPUT": "1",
        "PIP_PROGRESS_BAR": "off",
    }


def run(job: Job, command: list[str], working_on: str) -> None:
    """Runs an installer quietly, with a sign of life now and then. Raises `Trouble` with why it failed."""
    lines: list[str] = []
    process = subprocess.Popen(
        command,
        cwd=job.place.root,
        env=_clean_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        pass_fds=() if os.name == "nt" else (job.lock.fileno(),),
    )
    assert process.stdout is not None
    reader = threading.Thread(target=lines.extend, args=(process.stdout,), daemon=True)
    reader.start()
    try:
        while True:
            try:
                process.wait(timeout=HEARTBEAT)
                break
            except subprocess.TimeoutExpired:
                job.say(f"still {working_on}" + (f": {lines[-1].strip()[:70]}" if lines else ""))
    except BaseException:
        process.terminate()
        process.wait()
        raise
    reader.join(timeout=5)
    process.stdout.close()
    if process.returncode != 0:
        raise _failure(job, lines)


def _failure(job: Job, lines: list[str]) -> Trouble:
    """The reason in a sentence. All that was said goes to a file, the end of a riddle to the screen."""
    with contextlib.suppress(OSError):
        job.place.log.write_text("".join(lines), encoding="utf-8")
    reason = explain("".join(lines), job.place.root)
    if reason is None:
        sys.stderr.write("".join(f"    {line.rstrip()[:300]}\n" for line in lines[-12:]))
        reason = (
            "The installer failed; its last lines are above."
            " Run it again, set LAB_INSTALLER=pip to go without uv, or delete .venv and begin anew."
        )
    return Trouble(reason)


def _make_venv(job: Job) -> None:
    venv, uv = str(job.place.venv), uv_command()
    if uv:
        run(job, [uv, "venv", "--no-project", "--python", base_python(), venv], "making .venv")
        return
    if importlib.util.find_spec("ensurepip") is None or importlib.util.find_spec("venv") is None:
        raise Trouble(no_ensurepip())
    run(job, [base_python(), "-m", "venv", venv], "making .venv")


def _install(job: Job, extras: frozenset[str]) -> None:
    uv, python = uv_command(), str(job.place.command("python"))
    if uv:
        install = [uv, "pip", "install", "--python", python]
    else:
        if subprocess.run([python, "-c", "import pip"], capture_output=True, check=False).returncode != 0:
            run(job, [python, "-m", "ensurepip"], "adding pip")  # uv, which made it, adds none
        install = [python, "-m", "pip", "install", "--no-compile"]
    names = ",".join(sorted(extras))
    job.say("installing packages" + (f" with {names}" if names else ""))
    project = f".[{names}]" if names else "."
    run(job, [*install, "-c", "constraints.txt", "-e", project], "installing packages")
    alone = without_dependencies(job.place, extras)
    if alone:
        job.say(f"installing {', '.join(alone)}")
        run(job, [*install, "--no-deps", *alone], "installing packages")
    for folder in foreign_tests(job.place):
        shutil.rmtree(folder, ignore_errors=True)


def _clear_away(job: Job) -> None:
    """Removes an environment of ours that is of no use; somebody else's is put aside, not deleted."""
    venv = job.place.venv
    if not venv.is_symlink() and not venv.exists():
        return
    job.lock.seek(0)
    if job.lock.read(len(_OURS)) == _OURS and not venv.is_symlink():
        shutil.rmtree(venv)
        return
    aside = next(p for n in range(1, 1000) if not (p := venv.with_name(f".venv-old-{n}")).exists())
    job.say(f"there is a .venv that start.py did not make: putting it aside as {aside.name}")
    venv.rename(aside)


def _make(job: Job, why: str) -> None:
    with_what = "uv" if uv_command() else "pip"
    job.say(f"making .venv with {with_what} for Python {sys.version_info[0]}.{sys.version_info[1]} ({why})")
    _clear_away(job)
    job.lock.truncate(0)
    job.lock.write(_OURS)
    job.lock.flush()
    _make_venv(job)


def prepare(root: Path, extras: frozenset[str], say: Say) -> bool:
    """Brings the environment to hold the project with these extras (those added before stay).

    Returns whether anything had to be done. Raises `Trouble`.
    """
    place = Place(root)
    if todo(place, extras)[0] == "nothing":  # before the lock: a folder that cannot be written still runs
        return False
    check_path(root)
    try:
        with locked(place.lock, say) as lock:
            job = Job(place, say, lock)
            step, why = todo(place, extras)  # another process may have done it meanwhile
            if step == "nothing":
                return False
            if step == "make":
                _make(job, why)
            else:
                say(f"updating .venv ({why})")
                stamp = read_stamp(place)
                extras |= frozenset(stamp.extras if stamp else ()) & known_extras(place)
                place.stamp.unlink()
            _install(job, extras)
            if not interpreter_works(place):
                raise Trouble("The environment was made, but its Python is not there. Run it again.")
            write_stamp(place, extras)
    except OSError as problem:
        raise Trouble(explain_os(problem, root)) from problem
    say("ready")
    return True
