"""What the environment should hold, what it holds, and so what is to be done."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
import sysconfig
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from lab.install.trouble import Trouble

Step = Literal["nothing", "update", "make"]


@dataclass(frozen=True)
class Place:
    """The project's folder and the paths of its environment."""

    root: Path

    @property
    def venv(self) -> Path:
        return self.root / ".venv"

    @property
    def stamp(self) -> Path:
        return self.venv / "kraken-lab.json"

    @property
    def lock(self) -> Path:
        return self.root / ".venv.lock"

    @property
    def log(self) -> Path:
        return self.venv / "install.log"

    @property
    def constraints(self) -> Path:
        return self.root / "constraints.txt"

    def command(self, name: str) -> Path:
        """An executable of the environment."""
        return (
            self.venv
            / ("Scripts" if os.name == "nt" else "bin")
            / (name + (".exe" if os.name == "nt" else ""))
        )


@dataclass(frozen=True)
class Stamp:
    """Written when an installation is complete, removed before the next; where it lacks, one was cut off."""

    wants: str
    """`wants()` at that time."""
    python: str
    """`python_tag()` of the interpreter it was made with."""
    root: str
    """Scripts in an environment hold its path, so a moved one is of no use."""
    extras: tuple[str, ...]


def project_table(root: Path) -> dict[str, Any]:
    """pyproject.toml, read."""
    with (root / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)


def wants(place: Place) -> str:
    """Digest of all that decides which packages are installed; settings of linters and tests are no part."""
    table = project_table(place.root)
    own = {key: table.get("tool", {}).get(key) for key in ("hatch", "kraken-lab")}
    text = json.dumps([table.get("project"), table.get("build-system"), own], sort_keys=True)
    return hashlib.sha256(text.encode() + b"\0" + place.constraints.read_bytes()).hexdigest()


def python_tag() -> str:
    """Implementation, minor version and machine: what compiled packages are bound to."""
    major, minor = sys.version_info[:2]
    return f"{platform.python_implementation().lower()}-{major}.{minor}-{platform.machine()}"


def read_stamp(place: Place) -> Stamp | None:
    """The stamp, or None when there is none that can be read."""
    try:
        raw = json.loads(place.stamp.read_text(encoding="utf-8"))
        return Stamp(raw["wants"], raw["python"], raw["root"], tuple(raw["extras"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_stamp(place: Place, extras: frozenset[str]) -> None:
    """Leaves the stamp in one step, so that a killed process leaves none rather than half of one."""
    stamp = Stamp(wants(place), python_tag(), str(place.root), tuple(sorted(extras)))
    draft = place.stamp.with_suffix(".part")
    draft.write_text(json.dumps(asdict(stamp), indent=1) + "\n", encoding="utf-8")
    draft.replace(place.stamp)


def interpreter_works(place: Place) -> bool:
    """Whether the Python that the environment was made from is still there."""
    if not place.command("python").exists():  # on POSIX a link to it
        return False
    try:
        lines = (place.venv / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    homes = [line.partition("=")[2].strip() for line in lines if line.partition("=")[0].strip() == "home"]
    return bool(homes) and Path(homes[0]).is_dir()


def todo(place: Place, extras: frozenset[str]) -> tuple[Step, str]:
    """The step to be taken so that the environment holds the project with these extras, and why."""
    if not place.venv.is_dir():
        return "make", "the first start takes a minute or two"
    stamp = read_stamp(place)
    if stamp is None:
        return "make", "the last set-up did not finish"
    if not interpreter_works(place):
        return "make", "the Python it was made with is gone"
    if stamp.python != python_tag():
        return "make", f"it was made with {stamp.python}"
    if stamp.root != str(place.root):
        return "make", "the project's folder was moved"
    if stamp.wants != wants(place):
        return "update", "the project's requirements changed"
    missing = sorted(extras - set(stamp.extras))
    if missing:
        return "update", "adding " + ", ".join(missing)
    return "nothing", ""


def known_extras(place: Place) -> frozenset[str]:
    """The names that pyproject.toml offers."""
    return frozenset(project_table(place.root)["project"].get("optional-dependencies", {}))


def _own_table(place: Place) -> dict[str, Any]:
    table: dict[str, Any] = project_table(place.root).get("tool", {}).get("kraken-lab", {})
    return table


def without_dependencies(place: Place, extras: frozenset[str]) -> list[str]:
    """Requirements of these extras that are installed alone, as `[tool.kraken-lab.no-deps]` names them."""
    by_extra: dict[str, list[str]] = _own_table(place).get("no-deps", {})
    return [requirement for extra in sorted(extras) for requirement in by_extra.get(extra, [])]


def foreign_tests(place: Place) -> list[Path]:
    """Folders of test suites that the packages of `[tool.kraken-lab] without-tests` brought into .venv."""
    base = {"base": str(place.venv), "platbase": str(place.venv)}
    packages = Path(sysconfig.get_path("platlib", "venv", vars=base))
    names: list[str] = _own_table(place).get("without-tests", [])
    return [
        folder for name in names for folder in sorted((packages / name).rglob("tests")) if folder.is_dir()
    ]


def check_path(root: Path) -> None:
    """Raises `Trouble` for the few folder names in which no environment can be made."""
    text = str(root)
    if os.pathsep in text:
        raise Trouble(
            f"{text} has a `{os.pathsep}` in its name, which no Python environment bears. Move the project."
        )
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise Trouble(
            f"The name of the folder {text!a} is not valid UTF-8. Rename it, or run with LC_ALL=C.UTF-8."
        ) from None
