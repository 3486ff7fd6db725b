"""Workspaces of own documents on the real database: apart from each other and the lab's, rights."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from stock import seen_by

from lab.cli import app
from lab.kinds import LabError
from lab.ladder.rungs import NAMES
from lab.memory import search, write
from lab.memory.server import Server
from lab.settings import settings
from lab.workshop import desk, own
from lab.workshop.desk import places

RULES = """access: all
roles: {member: [all], board: [all, board]}
rules: [{files: 'board/**', access: board}]
"""
CLUB = {
    "lab.yaml": RULES,
    "rules.md": "# Rules\n\n## Rent\n\nA full plot costs 70 GBP a year.\n\n## Taps\n\nEach serves six.\n",
    "board/pay.md": "# Pay\n\n## Caretaker\n\nThe caretaker receives 220 GBP a month.\n",
}


def put(folder: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def home(corpus: Server) -> Iterator[Server]:
    """The tests' server, and settings that lead to it."""
    assert corpus.data is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LAB_HOME", str(corpus.data.parent))
        settings.cache_clear()
        yield corpus
    settings.cache_clear()


@pytest.fixture(autouse=True)
def one_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second one takes seconds to load, and these tests are not about it."""
    monkeypatch.setattr(own, "MOST_UNITS", 0)


@pytest.fixture
def club(home: Server, tmp_path: Path) -> Iterator[Path]:
    folder = put(tmp_path / "club", CLUB)
    own.new("club", folder)
    yield folder
    own.drop("club")


CARETAKER = "What does the caretaker receive a month?"


class TestRights:
    def test_the_owner_and_the_board_read_what_members_do_not(self, club: Path) -> None:
        where = desk.place("club")
        for role in (None, "board"):
            assert "220" in desk.ask(CARETAKER, role=role, where=where).answer.text
        refused = desk.ask(CARETAKER, role="member", where=where).answer
        assert "220" not in refused.text
        assert all(hit.chunk.document != "board-pay" for hit in refused.hits)
        assert "70" in desk.ask("What does a full plot cost a year?", role="member", where=where).answer.text

    def test_nothing_of_one_workspace_is_seen_from_another(
        self, club: Path, home: Server, tmp_path: Path
    ) -> None:
        """The same roles, the same ids: only the workspace differs."""
        other = {**CLUB, "board/pay.md": "# Pay\n\n## Caretaker\n\nThe caretaker receives 555 GBP a month.\n"}
        own.new("rival", put(tmp_path / "rival", other))
        try:
            texts = {}
            for workspace in ("own:club", "own:rival", "kraken"):
                with seen_by(home, "owner", "board", "hr", "employee", workspace=workspace) as view:
                    texts[workspace] = "\n".join(chunk.text for chunk in search.all_chunks(view, "section"))
                    ids = [chunk.id for chunk in search.all_chunks(view, "unit")]
                    for found in (search.by_words(view, CARETAKER, "en", 50, "unit"),):
                        assert {key for key, _ in found} <= set(ids)
            assert ("220" in texts["own:club"], "555" in texts["own:club"]) == (True, False)
            assert ("220" in texts["own:rival"], "555" in texts["own:rival"]) == (False, True)
            assert "caretaker" not in texts["kraken"]
            assert "Kraken" not in texts["own:club"] + texts["own:rival"]
            for name, mine, theirs in (("club", "220", "555"), ("rival", "555", "220")):
                said = desk.ask(CARETAKER, where=desk.place(name)).answer
                assert mine in said.text
                assert theirs not in said.text + "".join(hit.chunk.text for hit in said.hits)
        finally:
            own.drop("rival")

    def test_without_rules_nobody_but_the_owner_reads(self, home: Server, tmp_path: Path) -> None:
        made = own.new("plain", put(tmp_path, {"a.md": "# Pay\n\nThe caretaker receives 220 GBP a month.\n"}))
        try:
            assert made.unlabelled == ["a.md"]
            assert write.roles(home, "own:plain") == {"owner": frozenset({"unlabelled"})}
            assert "220" in desk.ask(CARETAKER, where=desk.place("plain")).answer.text
            with pytest.raises(LabError, match="no role 'employee'"):
                desk.ask(CARETAKER, role="employee", where=desk.place("plain"))
        finally:
            own.drop("plain")

    def test_a_right_that_is_taken_is_gone_with_the_next_reading(self, club: Path, home: Server) -> None:
        put(club, {"lab.yaml": RULES.replace("board: [all, board]", "board: [all]")})
        own.new("club")
        refused = desk.ask(CARETAKER, role="board", where=desk.place("club")).answer
        assert "220" not in refused.text
        put(club, {"lab.yaml": RULES.replace("member: [all], ", "")})
        own.new("club")
        assert set(write.roles(home, "own:club")) == {"owner", "board"}

    def test_a_reading_that_fails_leaves_nobody_more_rights(
        self, club: Path, home: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        swapped = RULES.replace(
            "{member: [all], board: [all, board]}", "{member: [all, board], board: [all]}"
        )
        put(club, {"lab.yaml": swapped})

        def fails(*_: object) -> None:
            raise LabError("The disk is full.")

        monkeypatch.setattr(desk, "keep", fails)
        with pytest.raises(LabError, match="disk"):
            own.new("club")
        assert write.roles(home, "own:club")["member"] == {"all"}
        assert write.roles(home, "own:club")["board"] == {"all"}


class TestCommands:
    def test_each_writes_one_object(self, club: Path, capsys: pytest.CaptureFixture[str]) -> None:
        def said(*words: str) -> Any:
            capsys.readouterr()
            app([*words, "--json"], standalone_mode=False)
            return json.loads(capsys.readouterr().out)

        made = said("new", "club", str(club))
        assert (made["documents"], made["unchanged"], made["modules"]) == (2, 2, {"all": 1, "board": 1})
        assert made["roles"] == {"member": ["all"], "board": ["all", "board"]}
        assert said("workspaces")["workspaces"][0]["folder"] == str(club)
        asked = said("ask", CARETAKER, "--in", "club", "--as", "board")
        assert "220" in asked["answer"]
        assert "220" not in said("ask", CARETAKER, "--in", "club", "--as", "member")["answer"]
        drafted = said("gold", "draft", "club")
        assert drafted["questions"] > 3
        assert said("gold", "check", "club")["as_drafted"] == drafted["questions"]
        measured = said("measure", "--workspace", "club", "--rung", "section")
        assert measured["measures"]["n"] == drafted["questions"]
        assert measured["measures"]["leaks"] == 0

    def test_what_a_person_reads_names_what_to_do_next(
        self, club: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        put(club, {"empty.md": ""})
        app(["new", "club"], standalone_mode=False)
        out = capsys.readouterr().out
        assert "Passed over: empty.md is empty" in out
        assert "python start.py gold draft club" in out


class TestWorkspaces:
    def test_the_second_reading_writes_nothing_and_a_removed_file_is_gone(self, club: Path) -> None:
        again = own.new("club", club)
        assert (again.report.unchanged, again.report.chunks_written, again.report.vectors_written) == (
            2,
            0,
            0,
        )
        (club / "rules.md").unlink()
        assert own.new("club").report.removed == 1
        answer = desk.ask("What does a full plot cost a year?", where=desk.place("club")).answer
        assert "70" not in answer.text

    def test_a_name_stands_for_one_folder(self, club: Path, tmp_path: Path) -> None:
        with pytest.raises(LabError, match="club stands for"):
            own.new("club", tmp_path)
        for name in ("Club", "../x", "kraken", "", "a" * 41):
            with pytest.raises(LabError, match="name of a workspace"):
                own.new(name, club)
        with pytest.raises(LabError, match=r"no workspace 'nobody'") as raised:
            desk.place("nobody")
        assert "club" in raised.value.expected
        with pytest.raises(LabError, match="no workspace 'nobody' yet"):
            own.new("nobody")
        assert [row["workspace"] for row in own.listed()] == ["club"]

    def test_what_is_dropped_is_gone_and_the_exam_stays(self, home: Server, tmp_path: Path) -> None:
        own.new("brief", put(tmp_path, CLUB))
        gold = desk.place("brief").gold
        gold.write_text("{}\n", encoding="utf-8")
        done = own.drop("brief")
        assert done[0] == "2 documents removed"
        kept = next(gold.parent.parent.glob("brief.*/gold.jsonl"))
        assert kept.read_text(encoding="utf-8") == "{}\n"
        assert write.roles(home, "own:brief") == {}
        with seen_by(home, "owner", workspace="own:brief") as view:
            assert search.count(view, "unit") == 0
        with pytest.raises(LabError, match="no workspace"):
            desk.place("brief")

    def test_rungs_too_large_for_a_corpus_are_left_out_with_the_reason(
        self, home: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(own, "MOST_TOKENS", 10)
        made = own.new("large", put(tmp_path, CLUB))
        try:
            assert set(made.place.without) == {"pair", "T3"}
            assert [line[:4] for line in made.left_out] == ["pair", "T3: "]
            where = desk.place("large")
            assert places.ladder(where) == tuple(name for name in NAMES if name not in ("pair", "T3"))
            assert "pair" not in desk.kept_or_stack(where)
            assert desk.chosen_rung(None, None, None, where=where).pipeline.second == ""
        finally:
            own.drop("large")
