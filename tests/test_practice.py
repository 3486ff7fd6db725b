"""What the notebooks on memory show: a mind to practise in that leaves nothing behind, and a company's read
path step by step."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from time import sleep

import pytest

from lab.benchmarks.business import exam as business
from lab.benchmarks.business.world import TODAY
from lab.benchmarks.mind import exam
from lab.evaluation import ledger as book
from lab.kinds import LabError
from lab.ladder import rungs
from lab.memory import credentials
from lab.memory import server as servers
from lab.memory.connect import writer
from lab.memory.credentials import MODULE
from lab.memory.mind import Mind
from lab.memory.mind_end import remove_mind
from lab.memory.mind_session import Refused
from lab.memory.server import Server
from lab.memory.visibility import writing
from lab.settings import settings
from lab.text import count_tokens, language_of
from lab.workshop import practice as practices
from lab.workshop.lesson import Lesson
from lab.workshop.practice import WORKSPACE, Practice
from lab.workshop.trade import WAYS, Trade

ROWS = 600
DERIVED = ("memory_vector", "posting", "lexeme_df", "module_size", "role_module")


@pytest.fixture(scope="module")
def home(server: Server) -> Iterator[Path]:
    """The settings lead to the tests' own server meanwhile."""
    assert server.data is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LAB_HOME", str(server.data.parent))
        settings.cache_clear()
        assert servers.up().data == server.data
        yield server.data.parent
    settings.cache_clear()


@pytest.fixture
def practice(home: Path) -> Iterator[Practice]:
    with Practice(Lesson("10_memory", "en")) as made:
        yield made


def left(server: Server, mind: str) -> dict[str, int]:
    """Rows that a mind has in each derived table."""
    with writer(server) as connection, writing(connection, WORKSPACE):
        return {
            table: connection.execute(
                f"select from {table} where workspace = %s and module = %s", [WORKSPACE, MODULE + mind]
            ).rowcount
            for table in DERIVED
        }


class TestPractice:
    def test_it_leaves_nothing_behind_but_the_log(self, server: Server, home: Path) -> None:
        with Practice(Lesson("10_memory", "tr")) as made:
            made.fill()
            mind = made.id
            assert left(server, mind)["memory_vector"] == len(exam.notes())
            assert min(left(server, mind).values()) > 0
            assert mind in {key for key, _, _ in credentials.minds(server, WORKSPACE)}
        assert set(left(server, mind).values()) == {0}
        assert mind not in {key for key, _, _ in credentials.minds(server, WORKSPACE)}
        assert not any(valid for *_, valid in credentials.names(server, WORKSPACE))
        made.close()

    def test_what_a_killed_process_left_is_removed_on_another_day(self, server: Server, home: Path) -> None:
        old = credentials.create_mind(server, WORKSPACE, "old", ("İpek.20200101.0a",))
        other = credentials.create_mind(server, WORKSPACE, "somebody's", ("Ada",))
        secret = credentials.issue_human(server, WORKSPACE, "İpek.20200101.0a", "İpek.20200101.0a")
        with Mind.open(server, secret, old, workspace=WORKSPACE) as mind:
            mind.store("note", "left", "Left behind.")
        with Practice(Lesson("10_memory", "en")) as made:
            known = {key for key, _, _ in credentials.minds(server, WORKSPACE)}
            assert made.id in known
            assert old not in known
            assert other in known
        assert set(left(server, old).values()) == {0}

    def test_an_agents_secret_ends_no_mind(self, server: Server, practice: Practice) -> None:
        practice.person.store("note", "kept", "It stays.")
        agent = practice.agent.mind.credential.secret
        assert remove_mind(server, WORKSPACE, practice.id, agent) == 0
        assert remove_mind(server, WORKSPACE, practice.id, "lab_h_" + "x" * 43) == 0
        assert practice.person.mind.get("note/kept").content == "It stays."

    def test_a_refusal_is_shown_and_changes_nothing(self, practice: Practice) -> None:
        practice.person.store("fact", "day", "2 March", priority="high")
        refused = practice.agent.update("fact/day", content="9 <b>March</b>")
        assert isinstance(refused.value, Refused)
        assert "Refused." in refused.markup
        assert practice.person.mind.get("fact/day").content == "2 March"
        shown = practice.person.update("fact/day", priority="low", content="<b>9</b>")
        assert shown.text.split() == ["content", "priority"]
        assert "<b>9</b>" not in shown.markup
        assert "&lt;b&gt;9" in shown.markup

    def test_the_log_shows_what_was_done_and_what_was_refused(self, practice: Practice) -> None:
        practice.agent.store("fact", "day", "2 March")
        practice.agent.verify("fact/day")
        practice.person.verify("fact/day")
        assert practice.log(3).text.splitlines() == [
            "assistant store added",
            "assistant verify refused",
            "İpek verify updated",
        ]

    def test_an_agent_may_do_what_needs_no_person(self, practice: Practice) -> None:
        found = practice.rights().value
        assert all(kinds["person"] for kinds in found.values())
        assert {title for title, kinds in found.items() if kinds["agent"]} == {
            "store",
            "update what an agent stored",
            "delete what an agent stored",
        }
        assert len(found) == 8
        assert practice.person.mind.memories() == []

    def test_what_has_expired_is_recalled_no_more(self, practice: Practice) -> None:
        practice.person.store("context", "lift", "The lift is broken.", expires=timedelta(seconds=1))
        assert "context/lift" in practice.person.expiring("7d").text
        assert "The lift is broken." in practice.agent.recall().text
        sleep(1.2)
        assert practice.person.expiring("7d").text == "–"
        assert "lift" not in practice.agent.recall().text

    def test_the_effect_stands_in_the_ledger_and_moves_no_climb(
        self, server: Server, practice: Practice
    ) -> None:
        with writer(server) as conn:
            before = book.latest(conn)
        found = practice.effect().value
        with writer(server) as conn:
            run = book.latest(conn, "mind")
            assert run is not None
            rows = book.rungs(conn, run.id)
            assert book.latest(conn) == before
            assert not set(exam.WAYS) & set(rungs.NAMES)
        assert [row.rung for row in rows] == list(exam.WAYS)
        assert [row.measures["in context"] for row in rows] == [
            groups["all"].found for groups in found.values()
        ]
        whole, few, searched = (found[way]["all"] for way in exam.WAYS)
        assert (whole.n, whole.found) == (60, 1.0)
        assert searched.tokens < few.tokens < whole.tokens
        assert few.found < searched.found < 1
        assert found[exam.WAYS[2]]["other"].found < found[exam.WAYS[2]]["same"].found
        assert "better" in rows[2].reason


class TestNotes:
    def test_each_has_a_question_in_both_languages_and_half_are_turkish(self) -> None:
        notes = exam.notes()
        assert len({note.place for note in notes}) == len(notes) == 30
        for note in notes:
            assert {language: language_of(text) for language, text in note.asked.items()} == {
                "en": "en",
                "tr": "tr",
            }
        assert 10 <= sum(note.language == "tr" for note in notes) <= 20
        assert {note.by for note in notes} == {"person", "agent"}

    def test_a_search_that_brings_nothing_counts_as_missed(self) -> None:
        outcomes = [
            exam.Outcome("a", "search 5", False, 2, 100),
            exam.Outcome("b", "search 5", True, None, 300),
        ]
        assert exam.measure(outcomes) == exam.Measures(2, 0.5, 0.0, 0.25, 200.0)
        assert [len(group) for group in exam.by_group(outcomes).values()] == [2, 1, 1]


@pytest.fixture(scope="module")
def trade(home: Path) -> Iterator[Trade]:
    with Trade(Lesson("11_business_memory", "en"), ROWS) as made:
        yield made


class TestTrade:
    def test_rights_hold_in_every_step_and_an_unknown_role_meets_nothing(self, trade: Trade) -> None:
        asked = trade.question("chain")
        found = trade.rights(asked).value
        assert found["owner"].told
        assert "ticket" in {kind for path in found["owner"].found.walked for kind in path.types}
        assert not found["sales"].told
        nobody = found["nobody"].found
        assert (nobody.anchors, nobody.walked, nobody.memories, dict(nobody.near)) == ((), (), (), {})
        assert not any("ticket" in path.types for path in found["finance"].found.walked)
        for role, step in (
            ("nobody", "anchors"),
            ("nobody", "hybrid"),
            ("hr", "paths"),
            ("sales", "ranking"),
        ):
            shown = getattr(trade, step)(asked, role)
            assert found["owner"].answer not in shown.markup
        assert found["owner"].answer in trade.ranking(asked).markup
        assert trade.nearest(asked, "nobody") == []
        assert len(trade.nearest(asked)) == business.TOP

    def test_the_steps_are_those_of_the_recall(self, trade: Trade) -> None:
        asked = trade.run(trade.question("chain"))
        known = {item.id for item in asked.found.ranked.rest}
        assert {item.id for item in asked.found.memories} <= known
        assert set(asked.found.paths) <= set(asked.found.walked)
        assert asked.told
        assert set(asked.evidence) <= {item.place for item in asked.found.memories}
        assert asked.answer is not None
        assert f"<mark>{asked.answer}</mark>" in trade.context(asked.question, lines=60).markup

    def test_then_and_now(self, trade: Trade) -> None:
        question = trade.moved()
        now, then = (trade.times(question, day).value for day in (TODAY, "2026-02-17"))
        assert now == then  # the last way looks at every day
        assert [item.ended for item in now] == [False, True]
        assert now[0].start == now[1].end > date(2026, 4, 1)
        moved = (now[0].content, now[1].content)
        for way in ({"as_of": "2026-02-17"}, {"known": trade.before}):
            text = trade.context(question, **way).text
            assert moved[1] in text
            assert moved[0] not in text
        today = trade.context(question).text
        assert moved[0] in today
        assert moved[1] not in today

    def test_questions_are_the_exams_own_in_the_lessons_language(self, trade: Trade) -> None:
        dev = {question.text for question in business.exam(trade.loaded, "dev")}
        test = {question.text for question in business.exam(trade.loaded, "test")}
        for kind in ("direct", "chain", "as of"):
            assert language_of(trade.question(kind)) == "en"
            assert trade.question(kind) in dev - test
        with pytest.raises(LabError, match="two hops"):
            trade.question("gossip")

    def test_a_budget_ends_the_list_of_plain_vectors(self, trade: Trade) -> None:
        (question, *_) = business.exam(trade.loaded, "dev", 1)
        vector = trade.embedder.queries([question.text])[0]
        space = trade.embedder.space
        ten, long, short = (
            business.by_vector(trade._connection, trade.loaded, question, space, vector, budget)
            for budget in (None, 1_000, 150)
        )
        assert short.tokens <= 150 < ten.tokens < long.tokens <= 1_000

    def test_the_effect_stands_in_the_ledger(self, server: Server, trade: Trade) -> None:
        found = trade.effect("dev", 2).value
        with writer(server) as conn:
            run = book.latest(conn, "business")
            assert run is not None
            rows = book.rungs(conn, run.id)
        assert (run.split, [row.rung for row in rows]) == ("dev", list(WAYS))
        assert [row.measures["answers"] for row in rows] == [found[way]["all"].answered for way in WAYS]
        assert found["recall"]["all"].answered > found["vector 1000"]["all"].answered + 0.3
        assert found["recall"]["all"].n == 2 * 2 * len(business.TYPES)
        without = trade.without("paths", per_type=2).value
        assert without["–"]["all"] > without["paths"]["all"]
        assert without["paths"]["chain"] < without["–"]["chain"]

    def test_the_shown_text_is_what_was_counted(self, trade: Trade) -> None:
        asked = trade.context(trade.question("direct"))
        assert asked.value.found.tokens == count_tokens(asked.text)


def test_a_place_for_practice_is_not_the_labs_own() -> None:
    assert settings().workspace != WORKSPACE
    assert practices.PERSON == "İpek"
