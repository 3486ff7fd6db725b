"""The words of `python start.py …`."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from lab.install.environment import Say, prepare
from lab.install.plan import Place, known_extras, todo
from lab.install.trouble import Trouble

HELP = """\
python start.py                       environment, database, corpus, the whole climb, the scoreboard
python start.py test [pytest …]       the tests
python start.py jupyter [--lang tr]   the notebooks, in JupyterLab; what follows goes to jupyter lab
python start.py install [--extra X]…  only the environment; extras: {extras}
python start.py COMMAND …             a command of the lab, e.g. ask "…", doctor, compare T1 T2

The environment is the folder .venv beside start.py: made on the first start, only checked on later ones.
What is said about it goes to stderr. uv makes it if it is on the search path (LAB_INSTALLER=pip: never).
When an installation fails, .venv/install.log holds every word of it.
"""

OFFLINE = ("--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate")
"""JupyterLab otherwise asks two hosts for news at its start, and asks its reader whether it may."""


def _teller() -> Say:
    began = time.monotonic()

    def say(text: str) -> None:
        print(f"[{time.monotonic() - began:6.1f} s] {text}", file=sys.stderr, flush=True)

    return say


def become(command: Sequence[str | Path], *, folder: Path | None = None, root: Path) -> int:
    """Hands the terminal over to `command`; its exit code is ours. On POSIX this does not return."""
    words = [str(word) for word in command]
    sys.stdout.flush()
    sys.stderr.flush()
    if folder is not None:
        os.chdir(folder)
    if os.name != "nt":
        os.execv(words[0], words)
    # Windows reads paths of packages and files in its own code page unless told.
    paths = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))
    return subprocess.call(words, env={"PYTHONUTF8": "1", **os.environ, "PYTHONPATH": paths})


def wanted_extras(words: Sequence[str], place: Place) -> frozenset[str]:
    """The extras in `--extra a --extra=b,c`. Raises `Trouble` for an unknown one or any other word."""
    known = known_extras(place)
    extras: list[str] = []
    rest = list(words)
    while rest:
        word, equals, value = rest.pop(0).partition("=")
        if word != "--extra" or (not equals and not rest):
            raise Trouble(
                f"`install` does not know `{word}`. Say: start.py install --extra {'|'.join(sorted(known))}"
            )
        extras += (value if equals else rest.pop(0)).split(",")
    unknown = sorted(set(extras) - known)
    if unknown:
        raise Trouble(f"There is no extra `{unknown[0]}`; there are: {', '.join(sorted(known))}.")
    return frozenset(extras)


LANGUAGES = ("en", "tr")


def notebook(
    folder: Path, words: Sequence[str], environment: Mapping[str, str]
) -> tuple[Path, tuple[str, ...]]:
    """(the notebook to open, the words for jupyter): the first one in the language that `--lang` or LAB_LANG
    asks for, else in the system's. Raises `Trouble` for a language that there are no notebooks in."""
    rest = list(words)
    asked = environment.get("LAB_LANG", "")
    for at, word in enumerate(rest):
        if word == "--lang" or word.startswith("--lang="):
            asked = word.partition("=")[2] or "".join(rest[at + 1 : at + 2])
            del rest[at : at + (1 if "=" in word else 2)]
            break
    if asked and asked not in LANGUAGES:
        raise Trouble(f"There are no notebooks in `{asked}`; there are: {', '.join(LANGUAGES)}.")
    system = next(
        (environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), ""
    )
    language = asked or ("tr" if system.lower().startswith("tr") else "en")
    return folder / language / "00_start.ipynb", tuple(rest)


def _dispatch(place: Place, words: Sequence[str], say: Say) -> int:
    root = place.root
    first, rest = (words[0], words[1:]) if words else ("start", [])
    if first in ("-h", "--help"):
        print(HELP.format(extras=", ".join(sorted(known_extras(place)))), flush=True)
        if todo(place, frozenset())[0] != "nothing":
            print(
                "The lab's own commands are listed here once the environment is made: python start.py install"
            )
            return 0
        return become([place.command("lab"), "--help"], root=root)
    if first == "install":
        extras = wanted_extras(rest, place)
        if "models" in extras:
            say("models brings torch: several GB on Linux")
        if not prepare(root, extras, say):
            say("the environment is complete")
        return 0
    prepare(root, frozenset({"test"} if first == "test" else ()), say)
    if first == "test":
        return become([place.command("python"), "-m", "pytest", *rest], folder=root, root=root)
    if first == "jupyter":
        opened, more = notebook(root / "notebooks", rest, os.environ)
        book: list[str | Path] = [place.command("jupyter"), "lab", opened]
        book += [f"--ServerApp.root_dir={root / 'notebooks'}", *OFFLINE, *more]
        return become(book, folder=root, root=root)
    return become([place.command("lab"), first, *rest], root=root)


def main(root: str, words: Sequence[str]) -> int:
    """Runs `python start.py` with these words; returns the exit code, where it returns."""
    place = Place(Path(root))
    try:
        return _dispatch(place, words, _teller())
    except Trouble as trouble:
        print(f"start.py: {trouble}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of a pipe, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("start.py: interrupted; run it again to go on.", file=sys.stderr)
        return 130
