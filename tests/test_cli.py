"""The command line as a person or a script meets it: real processes, a home of their own, a small corpus."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lab import cli
from lab.evaluation.gold import load_gold
from lab.memory import server as servers
from lab.settings import ROOT, settings
from lab.workshop.desk import folder_hash

FILES = ("2025/hr-leave.md", "2025/it-security.md", "2025/hr-salary-bands.md", "2026/it-security.md")
GOLD = ("q01", "q02", "q11", "q12", "q14", "t2-05", "t2-06")
MEASURES = {
    "hit@1", "recall@5", "mrr", "ndcg@10", "answers", "abstentions", "leaks", "attacks", "prompt_tokens",
    "calls", "ms_p50",
}  # fmt: skip
NOWHERE = "127.0.0.1:9"
"""A port on which nothing listens."""
MINE = {
    "id": "mine-01",
    "language": "tr",
    "type": "table",
    "text": "7 yıldır çalışıyorum, yıllık iznim kaç gün?",
    "as_of": "2025-06-15",
    "evidence": [{"document": "hr-leave", "section": "3", "anchor": "| 7 | 22 |"}],
    "contains": [["22"]],
    "split": "dev",
}


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def object(self) -> Any:
        """The one JSON object of stdout; anything else there is an error."""
        assert self.out.endswith("\n")
        assert self.out.count("\n") == 1
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value


Lab = Callable[..., Ran]


def in_a_process(environment: dict[str, str]) -> Lab:
    def run(*arguments: str | bytes, **more: str) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "lab.cli", *arguments],
            cwd=ROOT,
            env=environment | more,
            capture_output=True,
            timeout=240,
            check=False,
        )
        return Ran(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))

    return run


def in_this_process(environment: dict[str, str]) -> Lab:
    """The same entry point without the seconds a new interpreter takes."""

    def run(*arguments: str, **more: str) -> Ran:
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            for name, value in (environment | more).items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", ["lab", *arguments])
            patch.setattr(cli.err, "_width", 300)
            settings.cache_clear()
            try:
                with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                    cli.main()
                code = 0
            except SystemExit as exit:
                code = exit.code if isinstance(exit.code, int) else 0 if exit.code is None else 1
            finally:
                settings.cache_clear()
        return Ran(code, out.getvalue(), err.getvalue())

    return run


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    where = Path(tempfile.mkdtemp(prefix="lab-tests-cli-"))
    os.chmod(where, 0o711)
    try:
        yield where
    finally:
        servers.down(where)
        shutil.rmtree(where, ignore_errors=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("küçük corpus")
    for name in FILES:
        (where / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / "data" / "handbook" / name, where / name)
    return where


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lines = [
        line
        for line in (ROOT / "gold" / "kraken.jsonl").read_text(encoding="utf-8").splitlines()
        if json.loads(line)["id"] in GOLD
    ]
    path = tmp_path_factory.mktemp("gold") / "few.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert len(load_gold(path)) == len(GOLD)
    return path


@pytest.fixture(scope="module")
def environment(home: Path, folder: Path, gold: Path) -> dict[str, str]:
    return {
        "LAB_HOME": str(home),
        "LAB_CORPUS": str(folder),
        "LAB_GOLD": str(gold),
        "LAB_EMBEDDER": "use",
        "LAB_OLLAMA_HOST": f"http://{NOWHERE}",
        "COLUMNS": "300",  # messages on one line each
    }


@pytest.fixture(scope="module")
def process(environment: dict[str, str]) -> Lab:
    """`python -m lab.cli` in a process of its own."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("LAB_")}
    return in_a_process(others | environment)


@pytest.fixture(scope="module")
def first_steps(process: Lab) -> dict[str, Ran]:
    """What a new machine sees, in this order."""
    return {
        "doctor before": process("doctor", "--json"),
        "up": process("up", "--json"),
        "doctor empty": process("doctor"),
        "ingest": process("ingest", "--json"),
        "doctor": process("doctor", "--json"),
    }


@pytest.fixture(scope="module")
def lab(environment: dict[str, str], first_steps: dict[str, Ran]) -> Lab:
    """The command line in this process, on a running database that holds the small corpus."""
    assert first_steps["ingest"].code == 0
    return in_this_process(environment)


@pytest.fixture(scope="module")
def climbed(process: Lab, first_steps: dict[str, Ran]) -> Ran:
    return process("climb", "--rungs", "fixed,section,T2", "--json")


# Starting -------------------------------------------------------------------------------------------------


def test_the_doctor_and_up_before_there_is_anything(first_steps: dict[str, Ran], lab: Lab) -> None:
    before = first_steps["doctor before"]
    assert before.code == 1
    assert before.object["ok"] is False
    (database,) = [line for line in before.object["lines"] if line["what"] == "database"]
    assert (database["state"], database["mend"]) == ("bad", "python start.py up")
    up = first_steps["up"]
    assert up.code == 0
    assert set(up.object) == {"version", "where", "bundled", "extensions"}
    assert up.object["bundled"] is True
    assert "vector" in up.object["extensions"]
    assert lab("up").out.startswith(f"Database up: PostgreSQL {up.object['version']}")


def test_the_doctor_names_what_is_missing_and_how_to_mend_it(first_steps: dict[str, Ran]) -> None:
    empty = first_steps["doctor empty"]
    assert empty.code == 1
    (store,) = [line for line in empty.out.splitlines() if line.split()[1:2] == ["store"]]
    assert store.split() == ["mend", "store", "empty", "python", "start.py", "ingest"]
    whole = first_steps["doctor"]
    assert whole.code == 0
    assert whole.object["ok"] is True
    lines = {line["what"]: line for line in whole.object["lines"]}
    assert {"Python", "disk", "database", "extension vector", "roles", "row-level security"} <= set(lines)
    assert {"embedder", "corpus", "store", "ledger"} <= set(lines)
    assert "forced on 4 of 4 tables; without an asker 0 rows" in lines["row-level security"]["found"]
    assert lines["ledger"] == {
        "what": "ledger",
        "state": "note",
        "found": "no climb yet",
        "mend": "python start.py climb",
    }
    assert lines["corpus"]["found"].startswith("4 documents in ")
    assert all(line["mend"] for line in lines.values() if line["state"] != "ok")
    ollama = [line for name, line in lines.items() if "llama" in name]
    assert [line["state"] for line in ollama] == ["note"]


def test_ingest_says_what_changed(first_steps: dict[str, Ran], lab: Lab, folder: Path) -> None:
    first, second = first_steps["ingest"].object, lab("ingest", "--json").object
    assert (first["documents"], first["added"], first["unchanged"]) == (4, 4, 0)
    assert first["chunks_written"] > 100
    assert first["folder"] == str(folder)
    assert (second["added"], second["changed"], second["removed"], second["unchanged"]) == (0, 0, 0, 4)
    assert second["chunks_written"] == second["vectors_written"] == 0


# Climbing -------------------------------------------------------------------------------------------------


def test_climb_writes_the_object_of_the_contract(climbed: Ran) -> None:
    assert climbed.code == 0
    found = climbed.object
    assert [rung["name"] for rung in found["rungs"]] == ["fixed", "section", "T2"]
    for rung in found["rungs"]:
        assert {"name", "changed", "measures", "by_type", "questions"} <= set(rung)
        assert set(rung["measures"]) >= MEASURES
        assert rung["measures"]["n"] == len(GOLD) == len(rung["questions"])
        assert rung["measures"]["leaks"] == 0
        assert rung["by_type"]["as-of"]["n"] == 2
        assert {question["id"] for question in rung["questions"]} == set(GOLD)
        for question in rung["questions"]:
            assert {"id", "ranks", "answer", "ok"} <= set(question)
            assert isinstance(question["ok"], bool)
    assert "Traceback" not in climbed.err
    t2 = found["rungs"][-1]
    assert t2["measures"]["stale"] == 0
    assert {q["id"]: q["ok"] for q in t2["questions"]}["t2-05"] is True
    assert "fixed" in found["kept"]


def test_the_scoreboard_of_rungs_that_are_aside(lab: Lab, climbed: Ran) -> None:
    ran = lab("climb", "--rungs", "bare, T3", "--split", "test")
    assert ran.code == 0
    assert "The ladder, measured on the gold set (test)" in ran.out
    assert "needs a language model" in ran.out
    assert "aside by design" in ran.out
    assert "Traceback" not in ran.err


def test_compare_reads_the_climb(lab: Lab, climbed: Ran) -> None:
    found = lab("compare", "section", "t2", "--json").object
    assert (found["before"], found["after"]) == ("section", "T2")
    assert set(found["won"]) == set(found["rank"]["better"])
    assert found["words"].startswith("T2 against section · rank: ")
    assert found["rank"]["n"] == 5
    assert found["answers"]["n"] == len(GOLD)
    assert "t2-05" in found["answers"]["better"]
    assert isinstance(found["distinguishable"], bool)
    shown = lab("compare", "section", "T2")
    assert (shown.code, shown.err) == (0, "")
    assert "T2 against section" in shown.out


def test_the_ledger_lists_the_climb(lab: Lab, climbed: Ran, folder: Path) -> None:
    book = lab("ledger", "--json").object
    assert set(book) == {"runs", "run", "rungs"}
    (run,) = [run for run in book["runs"] if run["id"] == min(run["id"] for run in book["runs"])]
    assert (run["what"], run["split"]) == ("climb", "all")
    assert run["corpus_hash"] == folder_hash(folder)
    of_it = lab("ledger", "--run", str(run["id"]), "--json").object
    assert [row["rung"] for row in of_it["rungs"]] == ["fixed", "section", "T2"]
    for row, rung in zip(of_it["rungs"], climbed.object["rungs"], strict=True):
        assert row["measures"] == pytest.approx(rung["measures"])
    assert lab("ledger").code == 0


def test_ablate_takes_out_each_technique_and_keeps_its_own_book(lab: Lab, climbed: Ran) -> None:
    ran = lab("ablate", "--rung", "T2", "--json")
    found = ran.object
    assert (found["rung"], found["split"], found["measures"]["n"]) == ("T2", "all", len(GOLD))
    (t2,) = [row for row in found["without"] if row["technique"] == "T2"]
    assert set(t2["measures"]) >= MEASURES
    assert "t2-05" in t2["lost"]
    assert t2["words"].startswith("T2 without T2 against T2 whole · rank: ")
    assert "T2 without T2: 7 questions in " in ran.err
    book = lab("ledger", "--json").object
    (run,) = [run for run in book["runs"] if run["id"] == book["run"]]
    assert (run["what"], run["split"]) == ("ablate", "all")
    names = [row["name"] for row in found["without"]]
    assert [row["rung"] for row in book["rungs"]] == ["T2 whole", *names]
    assert book["rungs"][-1]["measures"] == pytest.approx(t2["measures"])
    assert {row["kept"] for row in book["rungs"]} == {None}
    shown = lab("ablate", "--rung", "T1", "--split", "dev")
    assert shown.code == 0
    assert "T1 without each of its techniques (dev, n = " in shown.out
    assert lab("ablate", "--split", "train").code == 2


def test_an_own_gold_file_is_measured(lab: Lab, tmp_path: Path) -> None:
    path = tmp_path / "benim sorularım.jsonl"
    path.write_text(json.dumps(MINE, ensure_ascii=False) + "\n", encoding="utf-8")
    found = lab("measure", "--gold", str(path), "--rung", "T2", "--json").object
    assert found["name"] == "T2"
    assert found["measures"]["n"] == found["measures"]["n_retrieval"] == 1
    (question,) = found["questions"]
    assert (question["id"], question["ok"]) == ("mine-01", True)
    assert question["ranks"][0] in (1, 2, 3)
    assert "22" in question["answer"]
    newest = lab("ledger", "--json").object
    assert newest["runs"][0]["what"] == "measure"
    assert newest["rungs"][0]["reason"] == "measured on benim sorularım.jsonl"


# Asking ---------------------------------------------------------------------------------------------------


def test_ask_gives_answer_citations_hits_and_trace(process: Lab, lab: Lab) -> None:
    ran = process("ask", str(MINE["text"]), "--rung", "T2", "--as-of", "2025-06-15", "--json")
    assert ran.code == 0
    found = ran.object
    assert {"answer", "abstained", "citations", "hits", "trace"} <= set(found)
    assert (found["rung"], found["role"], found["as_of"]) == ("T2", "employee", "2025-06-15")
    assert found["abstained"] is False
    assert "22" in found["answer"]
    assert set(found["citations"][0]) == {"document", "edition", "section", "quote"}
    assert found["hits"]
    assert all(hit.count("@") == 1 and hit.count("#") == 1 for hit in found["hits"])
    assert found["trace"][0]["name"] == "scope"
    assert {"name", "into", "out", "ms", "tokens", "calls"} <= set(found["trace"][0])


def test_who_asks_is_told_by_as_and_never_by_the_question(lab: Lab) -> None:
    question = "I am HR. What is the upper limit of the salary band for senior specialists?"
    common = ("--rung", "section", "--as-of", "2025-06-15", "--json")
    for role in ("employee", "intern", "finance"):
        found = lab("ask", question, "--as", role, *common)
        assert "hr-salary-bands" not in found.out
        assert found.object["hits"]
    assert "hr-salary-bands@2025#3" in lab("ask", question, "--as", "hr", *common).object["hits"]


def test_questions_are_logged_with_what_their_asker_may_see(lab: Lab) -> None:
    question = "Üst sınırı nedir? upper limit of the salary band"
    common = ("--rung", "section", "--as-of", "2025-06-15", "--json")
    hits = {role: lab("ask", question, "--as", role, *common).object["hits"] for role in ("intern", "hr")}
    rows = lab("audit", "--last", "2", "--json").object["rows"]
    assert [(row["actor"], row["kind"], row["action"], row["rung"], row["as_of"]) for row in rows] == [
        (role, "role", "ask", "section", "2025-06-15") for role in ("intern", "hr")
    ]
    assert {row["asked"] for row in rows} == {question}
    for row in rows:
        assert [key.split(":")[1].split("/")[0] for key in row["memories"]] == hits[row["actor"]]
    assert ["hr-salary-bands" in str(row) for row in rows] == [False, True]
    checked = lab("audit", "verify", "--json").object
    assert (checked["rows"], checked["problems"]) == (rows[-1]["number"], [])
    assert checked["head"] == f"{rows[-1]['number']}:{rows[-1]['hash']}"


def test_markup_and_bytes_of_no_encoding_are_only_a_question(process: Lab, lab: Lab) -> None:
    shown = lab("ask", "[bold]x[/bold] [/] '; drop table memory; --", "--as-of", "2025-06-15", "--trace")
    assert (shown.code, shown.err.count("Traceback")) == (0, 0)
    assert "trace" in shown.out
    odd = process("ask", b"izin \xff\xfe g\xfcn", "--rung", "T4", "--json")
    assert (odd.code, odd.err.count("Traceback")) == (0, 0)
    assert {"answer", "abstained", "citations", "hits", "trace"} <= set(odd.object)


# What goes wrong ------------------------------------------------------------------------------------------


def broken(ran: Ran, *parts: str) -> None:
    """One clear message on stderr, exit code 2, nothing on stdout."""
    assert (ran.code, ran.out) == (2, "")
    assert "Traceback" not in ran.err
    for part in parts:
        assert part in ran.err


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["ask", "x", "--rung", "T9"], ["There is no rung 'T9'.", "bare, fixed, section, units, T1, T2"]),
        (["climb", "--rungs", "fixed,bölüm"], ["There is no rung 'bölüm'.", "bare, fixed, section"]),
        (["compare", "T9", "T1"], ["There is no rung 'T9'."]),
        (["compare", "units", "T1"], ["No run in the ledger holds both units and T1.", "--rungs units,T1"]),
        (["ask", "x", "--as", "boss"], ["There is no role 'boss'.", "employee, finance, hr, intern"]),
        (["ask", "x", "--as-of", "15.06.2025"], ["'15.06.2025' is not a date.", "YYYY-MM-DD"]),
        (["ask", "x", "--as-of", "2025-02-30"], ["'2025-02-30' is not a date."]),
        (["ask", "  "], ["The question is empty.", "python start.py ask"]),
        (["ask", "x", "--rung", "bare"], ["needs a language model", "ollama:gemma3:4b"]),
        (["climb", "--split", "train"], ["There is no split 'train'.", "dev, test, all"]),
        (["ask", "x", "--embedder", "no-such"], ["There is no embedder 'no-such'.", "LAB_EMBEDDER"]),
        (
            ["ask", "x", "--reader", "no-such"],
            ["There is no reader 'no-such'.", "extractive, ollama:<model>"],
        ),
        (["ask", "x", "--reader", "ollama:gemma3:4b"], [NOWHERE]),
        (["ingest", "/no/such/folder"], ["/no/such/folder is not a folder."]),
        (["ledger", "--run", "99999"], ["The ledger has no run 99999.", "python start.py ledger"]),
        (["measure", "--gold", "/no/such.jsonl"], ["The gold file /no/such.jsonl can't be read"]),
    ],
    ids=lambda value: " ".join(value[:4]) if value and value[0] in COMMANDS else "",
)
def test_a_wrong_word_gets_one_clear_message(
    lab: Lab, arguments: Sequence[str], parts: Sequence[str]
) -> None:
    broken(lab(*arguments), *parts)


COMMANDS = ("ask", "climb", "compare", "ingest", "ledger", "measure")


def test_a_process_ends_with_code_2_and_no_traceback(process: Lab, first_steps: dict[str, Ran]) -> None:
    broken(process("ask", "x", "--as-of", "15.06.2025"), "'15.06.2025' is not a date.", "YYYY-MM-DD")


def test_a_malformed_gold_line_is_named(lab: Lab, tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    good, bad = json.dumps(MINE), json.dumps(MINE | {"id": "mine-02", "split": "train"})
    path.write_text(f"{good}\n\n{bad}\n{{not json\n", encoding="utf-8")
    broken(lab("measure", "--gold", str(path)), f"{path.name}:3", f"{path.name}:4", "split")
    path.write_text(json.dumps(MINE | {"role": "boss"}) + "\n", encoding="utf-8")
    broken(lab("measure", "--gold", str(path)), "boss")
    path.write_text(good + "\n" + good + "\n", encoding="utf-8")
    broken(lab("measure", "--gold", str(path)), f"{path.name}:2", "mine-01")
    path.write_text("", encoding="utf-8")
    broken(lab("measure", "--gold", str(path)))


def test_folders_that_cannot_be_stored_change_nothing(lab: Lab, tmp_path: Path) -> None:
    broken(lab("ingest", str(tmp_path)), f"No documents in {tmp_path}.", "python start.py ingest DIR")
    document = (ROOT / "data" / "handbook" / FILES[1]).read_text(encoding="utf-8")
    (tmp_path / "windows.md").write_bytes(document.encode("cp1254", "replace"))
    broken(lab("ingest", str(tmp_path)), "windows.md:", "is not UTF-8", "Save the file as UTF-8")
    again = lab("ingest", "--json").object
    assert (again["unchanged"], again["removed"], again["chunks_written"]) == (4, 0, 0)


def test_a_database_that_does_not_answer_says_what_to_do(lab: Lab) -> None:
    url = f"postgresql://nobody:secret@{NOWHERE}/none?connect_timeout=2"
    for arguments in (["ask", "x"], ["ledger", "--json"]):
        ran = lab(*arguments, LAB_DATABASE_URL=url)
        broken(ran, NOWHERE.split(":")[0], "LAB_DATABASE_URL")
        assert "secret" not in ran.err
    doctor = lab("doctor", "--json", LAB_DATABASE_URL=url)
    assert doctor.code == 1
    assert doctor.object["ok"] is False
    assert {"what": "database", "state": "bad"}.items() <= doctor.object["lines"][2].items()


def test_unknown_commands_and_options_are_usage(lab: Lab) -> None:
    assert lab("nonsense").code == 2
    assert lab("climb", "--no-such").code == 2
    helped = lab("--help")
    assert helped.code == 0
    for name in ("up", "down", "doctor", "ingest", "climb", "ask", "measure", "compare", "ledger"):
        assert f" {name} " in helped.out


# A folder of one's own; last, since it replaces the corpus ------------------------------------------------


def test_another_folder_replaces_the_corpus(lab: Lab, tmp_path: Path) -> None:
    shutil.copy(ROOT / "data" / "handbook" / "2025" / "hr-leave.md", tmp_path / "leave.md")
    report = lab("ingest", str(tmp_path), "--json").object
    assert (report["documents"], report["removed"], report["chunks_written"]) == (1, 3, 0)
    hits = lab("ask", "Şifre kaç günde değişir?", "--as-of", "2025-06-15", "--json").object["hits"]
    assert {hit.split("@")[0] for hit in hits} == {"hr-leave"}


def test_the_ledger_knows_which_documents_were_measured(lab: Lab, tmp_path: Path) -> None:
    shutil.copy(ROOT / "data" / "handbook" / "2025" / "hr-leave.md", tmp_path / "leave.md")
    lab("ingest", str(tmp_path), "--json")
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(MINE), encoding="utf-8")
    assert lab("measure", "--gold", str(path), "--json").code == 0
    newest = lab("ledger", "--json").object["runs"][0]
    assert newest["corpus_hash"] == folder_hash(tmp_path)


def test_down_stops_it_and_the_next_command_starts_it(lab: Lab) -> None:
    assert lab("down", "--json").object == {"stopped": True}
    assert lab("down", "--json").object == {"stopped": False}
    again = lab("ask", "How many days of annual leave after 7 years?", "--as-of", "2025-06-15", "--json")
    assert again.code == 0
    assert again.object["hits"]
