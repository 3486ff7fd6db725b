"""The exam of own documents: drafted by rules, edited by a person, checked, climbed, reported."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date
from html.parser import HTMLParser
from pathlib import Path

import pytest
from stock import document
from test_own import put

from lab.evaluation import ledger as book
from lab.evaluation.anchors import Anchors
from lab.evaluation.draft import Suggestion, draft, problems
from lab.evaluation.facts import facts
from lab.evaluation.gold import Question, answer_ok, load_gold
from lab.evaluation.score import squeezed
from lab.evaluation.wordings import asked, copies
from lab.kinds import Document, LabError
from lab.memory.connect import writer
from lab.memory.server import Server
from lab.models import ollama_draft
from lab.settings import settings
from lab.workshop import desk, goldsmith, own, report

DAY = date(2026, 5, 1)
ROLES = {
    "member": frozenset({"all"}),
    "board": frozenset({"all", "board"}),
    "owner": frozenset({"all", "board"}),
}
RENT = """## 1. Rent

| plot | yearly rent | deposit |
|---|---|---|
| half plot | 38 GBP | 50 GBP |
| full plot | 70 GBP | 80 GBP |

Rent is due on 1 October. A late payment costs 5 GBP. The notice is 3 months.
"""
AIDAT = """## 1. Aidat

Yıllık aidat 1.200 TL'dir. Sulama sabah 07:00'den önce yapılır.
"""
LOHN = """## 1. Pacht

Die Kaution beträgt 250 EUR. Der Verein bedeutet die Gemeinschaft aller Pächter.
"""
PAY = "## 1. Caretaker\n\nThe caretaker receives 220 GBP a month.\n"


def club() -> list[Document]:
    return [
        document("rent", RENT),
        document("aidat", AIDAT, language="tr"),
        document("pacht", LOHN, language="de"),
        document("pay", PAY, access="board"),
    ]


class TestFacts:
    def test_rows_amounts_days_times_and_terms(self) -> None:
        found = [(fact.kind, fact.value) for item in club() for fact in facts(item)]
        assert found == [
            ("table", "38 GBP"),
            ("table", "80 GBP"),
            ("day", "1 October"),
            ("money", "5 GBP"),
            ("span", "3 months"),
            ("money", "1.200 TL"),
            ("time", "07:00"),
            ("money", "250 EUR"),
            ("term", "die Gemeinschaft aller"),
            ("money", "220 GBP"),
        ]

    def test_of_3500_rows_a_few_are_asked_for(self) -> None:
        rows = "".join(f"| part {number} | {number} EUR |\n" for number in range(3500))
        found = facts(document("parts", f"## List\n\n| part | price |\n|---|---|\n{rows}"))
        assert len(found) == 6
        assert found[-1].subject == "part 2915"

    def test_questions_are_in_the_documents_language_and_no_copies(self) -> None:
        texts = {fact.value: asked(fact) for item in club() for fact in facts(item)}
        assert texts["80 GBP"] == "What is the deposit for full plot?"
        assert texts["5 GBP"] == "How much do you pay for a late payment?"
        assert texts["1.200 TL"] == "Yıllık aidat ne kadar?"
        assert texts["250 EUR"] == "Wie viel Geld wird fällig für: die Kaution?"
        assert texts["die Gemeinschaft aller"] == "Was ist mit „Verein“ gemeint?"

    def test_a_copy_is_known(self) -> None:
        said = "The depot is open on Saturdays from ten to noon."
        assert copies("The depot is open on which day?", said)
        assert copies("Noon, ten, Saturdays, open, depot?", said)
        assert not copies("When can I fetch a tool at the depot?", said)


class TestDraft:
    def test_each_question_has_one_place_and_its_sentence_answers_it(self) -> None:
        documents = club()
        made = draft(documents, ROLES, DAY)
        anchors = Anchors(documents)
        assert {question.type for question in made.questions} >= {"table", "money", "access", "out-of-corpus"}
        for question in made.questions:
            assert Question.model_validate_json(question.model_dump_json()) == question
            for one in question.evidence:
                assert anchors.places(one.anchor, question.as_of) == [(one.document, one.section)]
                text = next(item.text for item in documents if item.id == one.document)
                assert squeezed(one.anchor) in squeezed(text)
        assert list(problems(made.questions, documents)) == []
        assert draft(documents, ROLES, DAY) == made

    def test_who_may_read_asks_and_who_may_not_is_refused(self) -> None:
        made = {question.id: question for question in draft(club(), ROLES, DAY).questions}
        pay = made["money-pay-1"]
        assert (pay.role, made["money-rent-1"].role) == ("board", "member")
        denied = made["access-money-pay-1"]
        assert (denied.role, denied.text, denied.abstain, denied.excludes) == (
            "member",
            pay.text,
            True,
            ("220 GBP",),
        )
        assert not answer_ok(denied, "The caretaker receives 220 GBP.", False)

    def test_what_stands_twice_is_not_asked_for(self) -> None:
        twins = [document("a", "The key costs 5 GBP.\n"), document("b", "The key costs 5 GBP.\n")]
        made = draft(twins, ROLES, DAY)
        assert made.dropped == {"its words stand elsewhere too": 2}
        assert [question.type for question in made.questions if question.evidence] == []

    def test_an_ended_edition_is_asked_for_on_its_last_day(self) -> None:
        old = document(
            "fees",
            "The key costs 5 GBP.\n",
            edition="2024",
            valid_from=date(2024, 1, 1),
            valid_to=date(2025, 1, 1),
        )
        new = document("fees", "The key costs 9 GBP.\n", edition="2025", valid_from=date(2025, 1, 1))
        by_day = {q.as_of: q.contains for q in draft([old, new], ROLES, DAY).questions if q.evidence}
        assert by_day == {date(2024, 12, 31): (("5 GBP",),), DAY: (("9 GBP",),)}

    def test_what_the_documents_answer_is_not_asked_as_unknown(self) -> None:
        made = draft(
            [*club(), document("travel", "A passport is renewed in 3 weeks.\n")], ROLES, DAY, most=80
        )
        unknown = [question.text for question in made.questions if question.type == "out-of-corpus"]
        assert len(unknown) >= 3
        assert not any("passport" in text for text in unknown)

    def test_a_models_suggestions_pass_the_same_checks(self) -> None:
        def model(passage: str, language: str) -> Suggestion | None:
            if "Kaution" in passage:
                return Suggestion("Was muss man hinterlegen?", "Die Kaution beträgt 250 EUR.", "250 EUR")
            if "caretaker" in passage:
                return Suggestion(
                    "How is it that the caretaker receives 220 GBP?",
                    "The caretaker receives 220 GBP a month.",
                    "220",
                )
            return Suggestion("When?", "Words that stand nowhere", "nowhere")

        made = draft(club(), ROLES, DAY, model=model)
        (kept,) = [question for question in made.questions if question.evidence]
        assert (kept.text, kept.type, kept.contains) == (
            "Was muss man hinterlegen?",
            "model",
            (("250 EUR",),),
        )
        assert made.dropped["the question copies its sentence"] == 1
        assert made.dropped["the model's quotation stands nowhere"] >= 3

    def test_a_spec_that_drafts_nothing_is_named(self) -> None:
        assert ollama_draft.named("ollama:gemma3:4b") == "gemma3:4b"
        with pytest.raises(LabError, match="'extractive' names no model"):
            ollama_draft.named("extractive")


FILES = {
    "lab.yaml": "access: all\nroles: {member: [all], board: [all, board]}\n"
    "rules: [{files: 'board/**', access: board}]\n",
    "rent.md": f"# Rules\n\n{RENT}",
    "aidat.md": AIDAT,
    "board/pay.md": PAY,
}


@pytest.fixture(scope="module")
def workspace(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A workspace with a drafted and climbed exam."""
    assert server.data is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LAB_HOME", str(server.data.parent))
        patch.setattr(own, "MOST_UNITS", 0)
        settings.cache_clear()
        own.new("exam", put(tmp_path_factory.mktemp("exam") / "<b>club</b>", FILES))
        goldsmith.draft("exam", day=DAY)
        desk.climb(where=desk.place("exam"))
        yield "exam"
        own.drop("exam")
    settings.cache_clear()


class _Loads(HTMLParser):
    """What a browser would fetch for a page."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loads += [
            value or "" for key, value in attrs if key in ("src", "href", "srcset", "data", "action")
        ]


@pytest.mark.slow
class TestWorkspace:
    def test_the_climb_leaks_nothing_and_is_apart_from_the_labs(self, workspace: str) -> None:
        rows = desk.ledger()["rungs"]
        assert {row["measures"]["leaks"] for row in rows if row["measures"]} == {0}
        best = rows[-1]["measures"]
        assert best["n"] == len(load_gold(desk.place(workspace).gold))
        assert best["hit@1"] > 0.5
        assert "pair" not in {row["rung"] for row in rows}
        where = desk.place(workspace)
        assert desk.kept_by_ledger(where) is not None
        with writer(desk.ready()) as conn:
            newest = book.latest(conn, workspace=where.workspace)
            labs = book.latest(conn)
        assert newest is not None
        assert labs is None or labs.id != newest.id

    def test_two_rungs_of_a_workspace_are_compared(self, workspace: str) -> None:
        found = desk.compare("fixed", "units", where=desk.place(workspace))
        assert found.rank.n > 5

    def test_the_page_holds_everything_and_fetches_nothing(self, workspace: str) -> None:
        made = report.report(workspace)
        page = made.path.read_text(encoding="utf-8")
        seen = _Loads()
        seen.feed(page)
        assert seen.loads
        assert all(value.startswith("data:image/png;base64,") for value in seen.loads)
        assert not {"script", "link", "iframe"} & set(seen.tags)
        assert not re.search(r"@import|url\(|https?://", page)
        assert seen.tags.count("img") == 4
        for question in load_gold(desk.place(workspace).gold):
            assert question.id in page
        assert any("stand as rules or a model drafted them" in caveat for caveat in made.caveats)
        assert made.kept[0] == "fixed"
        assert f"Worth their cost on these documents: {', '.join(made.kept[1:]) or 'none'}" in page

    def test_what_documents_say_is_escaped_in_the_page(self, workspace: str) -> None:
        where = desk.place(workspace)
        before = where.gold.read_text(encoding="utf-8")
        line = json.loads(before.splitlines()[0]) | {"id": "mine", "text": "<script>alert(1)</script> rent?"}
        where.gold.write_text(before + json.dumps(line) + "\n", encoding="utf-8")
        made = report.report(workspace)
        page = made.path.read_text(encoding="utf-8")
        assert "<script>" not in page
        assert "&lt;script&gt;alert(1)" in page
        assert any("gold file has changed" in caveat for caveat in made.caveats)
        where.gold.write_text(before, encoding="utf-8")

    def test_an_edited_exam_is_never_written_over(self, workspace: str) -> None:
        where = desk.place(workspace)
        before = where.gold.read_text(encoding="utf-8")
        edited = before.replace("deposit", "down payment", 1)
        where.gold.write_text(edited, encoding="utf-8")
        again = goldsmith.draft(workspace, day=DAY)
        assert again.beside
        assert again.path.name == "gold.new.jsonl"
        assert where.gold.read_text(encoding="utf-8") == edited
        assert goldsmith.check(workspace).as_drafted == len(again.questions) - 1
        where.gold.write_text(before, encoding="utf-8")
        assert not goldsmith.draft(workspace, day=DAY).beside

    def test_a_broken_line_is_named_and_the_file_stays(self, workspace: str) -> None:
        where = desk.place(workspace)
        before = where.gold.read_text(encoding="utf-8")
        lines = before.splitlines()
        lines[1] = lines[1].replace('"text"', '"txt"')
        lines[2] = lines[2][:-5]
        broken = "\n".join(lines)
        where.gold.write_text(broken, encoding="utf-8")
        for command in (
            lambda: goldsmith.check(workspace),
            lambda: desk.climb(where=where),
            lambda: report.report(workspace),
        ):
            with pytest.raises(LabError, match=r"gold.jsonl:2: .*text") as raised:
                command()
            assert "gold.jsonl:3: broken JSON" in raised.value.happened
        goldsmith.draft(workspace, day=DAY)
        assert where.gold.read_text(encoding="utf-8") == broken
        where.gold.write_text(before, encoding="utf-8")

    def test_an_anchor_or_role_that_is_wrong_is_named_with_its_line(self, workspace: str) -> None:
        where = desk.place(workspace)
        before = where.gold.read_text(encoding="utf-8")
        line = json.loads(before.splitlines()[0])
        line["evidence"][0]["anchor"] = "no such words"
        where.gold.write_text("\n" + json.dumps(line) + "\n", encoding="utf-8")
        ((number, key, said),) = goldsmith.check(workspace).problems
        assert (number, key) == (2, line["id"])
        assert "'no such words' does not stand in" in said
        where.gold.write_text(json.dumps(line | {"role": "king"}), encoding="utf-8")
        with pytest.raises(LabError, match="asked by 'king'"):
            goldsmith.check(workspace)
        where.gold.write_text(before, encoding="utf-8")

    def test_before_the_first_exam_or_climb_the_next_command_is_named(
        self, workspace: str, tmp_path: Path
    ) -> None:
        own.new("fresh", put(tmp_path, FILES))
        try:
            with pytest.raises(LabError) as raised:
                desk.climb(where=desk.place("fresh"))
            assert raised.value.next_step == "python start.py gold draft fresh"
            goldsmith.draft("fresh", day=DAY)
            with pytest.raises(LabError, match="has not been climbed"):
                report.report("fresh")
        finally:
            own.drop("fresh")


def test_nothing_to_ask_for_is_said(workspace: str, tmp_path: Path) -> None:
    own.new("bare", put(tmp_path, {"a.md": "Words without a figure.\n"}))
    try:
        with pytest.raises(LabError, match="Nothing in bare"):
            goldsmith.draft("bare")
        assert not desk.place("bare").gold.exists()
    finally:
        own.drop("bare")
