"""The directory in which the bundled server keeps data, passwords, log and lock; and who may use it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import filelock

from lab.kinds import LabError
from lab.memory.binaries import account_for, reachable

LOCK_SECONDS = 240.0


def default(root: Path) -> Path:
    """The home of the clone at `root`; see `lab.memory.server.home`."""
    own = absolute(root / ".lab")
    if os.name == "nt" or os.geteuid() != 0:
        return own
    if reachable(own.parent, account_for(own / "data")):
        return own
    return Path("/var/tmp") / f"kraken-lab-{hashlib.sha256(os.fsencode(own)).hexdigest()[:16]}"


def absolute(path: Path) -> Path:
    return path.expanduser().resolve()


def make(where: Path) -> None:
    """Creates it: passable for the server's account, writable for oneself; refuses another user's."""
    try:
        where.mkdir(parents=True, exist_ok=True)
        if os.name == "nt":
            return
        info = where.lstat()
        as_root = os.geteuid() == 0
        if not stat.S_ISDIR(info.st_mode) or (not as_root and info.st_uid != os.geteuid()):
            raise LabError(
                f"{where} belongs to another user.",
                "",
                "Set LAB_HOME to a directory of your own and start again.",
            )
        if as_root and info.st_uid != 0 and where.parent == Path("/var/tmp"):
            raise LabError(
                f"{where} was made by another user.", "It must be root's.", "Remove it, or set LAB_HOME."
            )
        where.chmod(0o711 if as_root else 0o700)
    except OSError as error:
        raise LabError(
            f"The directory {where} cannot be made or used: {error}",
            "",
            "Set LAB_HOME to a directory of your own.",
        ) from error


@contextlib.contextmanager
def lock(where: Path) -> Iterator[None]:
    held = filelock.FileLock(where / "lock", timeout=LOCK_SECONDS, mode=0o600)
    try:
        with held:
            yield
    except filelock.Timeout:
        raise LabError(
            f"Another process has held {where / 'lock'} for {LOCK_SECONDS:.0f} s.",
            "Starting or stopping takes seconds.",
            "Look for another `start.py` that hangs, end it, and try again.",
        ) from None
