#!/usr/bin/env python3
"""python start.py: makes the environment beside this file, then runs the lab in it.

The work is in lab/install (standard library only). This file keeps to words that Python 2.7 can read as well,
so that an old interpreter ends in one clear sentence, not in a syntax error.
"""

import os
import platform
import subprocess
import sys

ROOT = os.path.dirname(os.path.abspath(__file__))
OLDEST, TOO_NEW = (3, 11), (3, 14)


def wrong_version(version, implementation="CPython", free_threaded=False):
    """What is wrong with an interpreter of this (major, minor), as half a sentence; None when it fits."""
    found = "{0} {1}.{2}".format(implementation, version[0], version[1])
    if implementation != "CPython":
        return "this is " + found
    if not OLDEST <= tuple(version[:2]) < TOO_NEW:
        return "this is Python {0}.{1}".format(version[0], version[1])
    if free_threaded:
        return (
            "this is the free-threaded build of Python {0}.{1}, for which some packages are missing".format(
                *version[:2]
            )
        )
    return None


def other_pythons(path=None):
    """Commands on the search path that run a fitting Python, newest first; each was tried, not only found."""
    folders = (os.environ.get("PATH", "") if path is None else path).split(os.pathsep)
    probe = "import sys, venv; sys.exit(not ({0!r} <= sys.version_info[:2] < {1!r}))".format(OLDEST, TOO_NEW)
    fitting = []
    for name in ["python3.{0}".format(minor) for minor in range(TOO_NEW[1] - 1, OLDEST[1] - 1, -1)] + [
        "python3"
    ]:
        for folder in folders:
            command = os.path.join(folder, name)
            if os.path.isfile(command) and os.access(command, os.X_OK):
                try:
                    with open(os.devnull, "w") as nowhere:
                        works = subprocess.call([command, "-c", probe], stdout=nowhere, stderr=nowhere) == 0
                except OSError:
                    works = False
                if works:
                    fitting.append(name)
                    break
    return fitting


def way_out(pythons, uv):
    """The next step for somebody whose Python does not fit, given what is on the search path."""
    if pythons:
        return "Run it as: {0} start.py".format(pythons[0])
    if uv:
        return "Run it as: uv run --no-project --python 3.12 start.py"
    return "Install one of them (python.org, or your package manager) and run it as: python3.12 start.py"


def on_path(name):
    """Whether a command of this name is on the search path."""
    folders = os.environ.get("PATH", "").split(os.pathsep)
    return any(os.access(os.path.join(folder, name), os.X_OK) for folder in folders)


def fits():
    """Says on stderr what is wrong with this interpreter and what to do. True when nothing is."""
    free_threaded = not getattr(sys, "_is_gil_enabled", lambda: True)()
    wrong = wrong_version(sys.version_info, platform.python_implementation(), free_threaded)
    if wrong:
        said = "Kraken Lab runs on CPython 3.11, 3.12 or 3.13; {0} ({1}). {2}\n"
        sys.stderr.write(said.format(wrong, sys.executable, way_out(other_pythons(), on_path("uv"))))
    return not wrong


if __name__ == "__main__":
    if not fits():
        sys.exit(1)
    sys.path.insert(0, ROOT)
    from lab.install.main import main

    sys.exit(main(ROOT, sys.argv[1:]))
