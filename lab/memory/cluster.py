"""The bundled server's data directory: made whole or not at all, used only by the version that wrote it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from lab.kinds import LabError
from lab.memory.binaries import Account, install_for, major_version, program, run_options


def initialise(data: Path, password: str, account: Account | None) -> None:
    """Makes `data` with the superuser `postgres`.

    Built aside and renamed, so that half a data directory is never seen. Raises LabError with what initdb
    said.
    """
    home = data.parent
    sweep(home)
    half = Path(tempfile.mkdtemp(prefix="data.half-", dir=home))  # 0700
    secret = half / "password"
    try:
        secret.touch(mode=0o600)
        secret.write_text(password + "\n", encoding="utf-8")
        if account is not None:
            for path in (half, secret):
                os.chown(path, account.uid, account.gid)
        command = [os.fspath(program(install_for(account, home), "initdb")), "-D", os.fspath(half / "data")]
        command += ["-U", "postgres", "--auth=scram-sha-256", f"--pwfile={secret}", "--encoding=UTF8"]
        command += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
        # Character classes of the text parser come from lc_ctype; not every system knows this one.
        done = _run([*command, "--lc-ctype=C.UTF-8"], home, account)
        if done.returncode and "locale" in done.stderr:
            done = _run(command, home, account)
        if done.returncode:
            raise LabError(
                f"initdb could not make {data}: {done.stderr.strip()[-1500:]}",
                "It needs about 60 MB of disk and a directory its account may write to.",
                "Free some space, or set LAB_HOME to another directory, then `python start.py up`.",
            )
        (half / "data").rename(data)
    finally:
        shutil.rmtree(half, ignore_errors=True)


def sweep(home: Path) -> None:
    """Removes what a killed `initialise` left.

    It is moved first: an initdb that outlived its starter then finds nothing and ends.
    """
    for half in home.glob("data.half-*"):
        gone = half.with_name(half.name.replace("half", "gone"))
        half.rename(gone)
    for gone in home.glob("data.gone-*"):
        shutil.rmtree(gone, ignore_errors=True)


def check_version(data: Path, install: Path) -> None:
    """Raises LabError unless the data directory was written by the major version that `install` is."""
    try:
        written = (data / "PG_VERSION").read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        raise LabError(
            f"{data} is not a PostgreSQL data directory.",
            "The lab keeps its database there and overwrites nothing.",
            f'Move it away (`mv "{data}" "{data}.old"`), or set LAB_HOME, then `python start.py up`.',
        ) from None
    ours = str(major_version(install))
    if written != ours:
        raise LabError(
            f"{data} was written by PostgreSQL {written}; the bundled server is PostgreSQL {ours}.",
            "No version reads another's files. Ingest the corpus anew; a ledger must be dumped before.",
            f'Move it away (`mv "{data}" "{data}.{written}"`), then `python start.py up`.',
        )


def _run(command: list[str], cwd: Path, account: Account | None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
        **run_options(account),
    )
