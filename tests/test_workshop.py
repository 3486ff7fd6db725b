"""The workshop: lessons, exercises, tickets, board, notebooks and pictures, over a real climb."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from lab.evaluation.gold import load_gold
from lab.kinds import LabError
from lab.ladder import rungs
from lab.ladder.tickets import ticket, tickets
from lab.workshop import board, catchup, exercises, html, notebooks, participant, pictures
from lab.workshop.exercises import Outcome
from lab.workshop.lesson import Lesson
from lab.workshop.words import word


@pytest.fixture(scope="module")
def lesson(climbed: Path) -> Iterator[Lesson]:
    made = Lesson("00_start", "en")
    yield made
    made._open.close()


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each test is a participant of its own."""
    monkeypatch.setattr(participant, "folder", lambda: tmp_path)
    return tmp_path


class TestTickets:
    def test_eight_tickets_each_with_a_rung_and_a_question_in_both_languages(self, lesson: Lesson) -> None:
        assert [item.id for item in tickets()] == [f"T{number}" for number in range(1, 9)]
        for item in tickets():
            assert item.rung in rungs.NAMES
            assert lesson.gold[item.shown.en].language == "en"
            assert lesson.gold[item.shown.tr].language == "tr"
            assert len(item.causes) == 3
            for text in (item.title, item.scenario, item.lesson, *item.causes):
                assert text.en
                assert text.tr
                assert text.en != text.tr

    def test_an_unknown_ticket_is_named_with_those_there_are(self) -> None:
        assert ticket("t1").id == "T1"
        with pytest.raises(LabError, match=r"T9.*T1, T2"):
            ticket("T9")


class TestBoard:
    def test_a_ticket_goes_from_open_to_fixed_in_order_only(self, lesson: Lesson) -> None:
        item = ticket("T1")
        assert board.state(item) == "open"
        assert board.diagnose(item, item.cause)
        assert board.state(item) == "open"  # nothing was seen yet
        seen = board.reproduce(lesson, item, guess=1)
        assert seen.failed
        assert seen.said.startswith("You guessed 1; the right passage is hit number")
        assert board.state(item) == "reproduced"
        assert not board.diagnose(item, (item.cause + 1) % 3)
        assert board.state(item) == "reproduced"
        assert board.diagnose(item, item.cause)
        assert board.state(item) == "diagnosed"
        assert not board.fix(lesson, item).failed
        assert board.state(item) == "fixed"
        board.reproduce(lesson, item)
        assert board.state(item) == "fixed"  # it never falls back

    @pytest.mark.parametrize(
        ("name", "language"), [("T1", "en"), ("T2", "en"), ("T2", "tr"), ("T8", "en"), ("T8", "tr")]
    )
    def test_a_failure_can_be_seen_below_and_is_gone_on_its_rung(
        self, lesson: Lesson, name: str, language: str
    ) -> None:
        spoken = Lesson("00_start", language)
        spoken.__dict__["engine"] = lesson.engine
        assert board.reproduce(spoken, ticket(name)).failed
        assert not board.fix(spoken, ticket(name)).failed

    def test_the_badge_is_read_from_the_ledger(self, lesson: Lesson) -> None:
        rows = lesson.board_rows()
        mark = board.badge(ticket("T2"), rows)
        row = next(row for row in rows if row.rung == "T2")
        assert mark.after == row.by["ticket"]["T2"]["answers"]
        assert mark.verdict == row.reason
        assert board.badge(ticket("T2"), []) == board.Badge(None, None, "–")

    def test_toggles_hold_every_field_that_a_rung_sets(self) -> None:
        offered = board.toggles()
        for technique in rungs.LADDER:
            for name, value in technique.fields.items():
                if name not in ("documents", "full_context"):
                    assert value in offered[name]

    def test_a_wrong_answer_becomes_a_line_of_ones_own_exam(self, lesson: Lesson, own_folder: Path) -> None:
        run = lesson.run("İzin devri ne zamana kadar kullanılır?", "T2", as_of="2025-06-15")
        hit = next(hit for hit in run.answer.hits if hit.ref == "hr-leave@2025#7")
        first = board.wrong_answer(lesson, run, hit, "31 March")
        board.wrong_answer(lesson, run, None, "")
        written = load_gold(participant.own_gold())
        assert [question.id for question in written] == ["own-1", "own-2"]
        assert written[0].language == "tr"
        assert written[0].evidence[0].anchor in hit.chunk.text
        assert "31 March" in written[0].evidence[0].anchor
        assert written[0].contains == (("31 March",),)
        assert written[1].abstain
        assert first["as_of"] == "2025-06-15"

    def test_what_makes_no_gold_line_is_refused_and_nothing_is_written(self, lesson: Lesson) -> None:
        run = lesson.run("Until when?", "T2", as_of="2025-06-15")
        with pytest.raises(LabError, match="word for word"):
            board.wrong_answer(lesson, run, run.answer.hits[0], "no such words anywhere")
        with pytest.raises(LabError, match="gold line"):
            board.wrong_answer(lesson, run, run.answer.hits[0], "", anchor=run.answer.hits[0].chunk.text[:20])
        assert not participant.own_gold().exists()

    def test_a_day_is_a_date_or_iso_text(self) -> None:
        assert board.day("2025-06-15").isoformat() == "2025-06-15"
        with pytest.raises(LabError, match="YYYY-MM-DD"):
            board.day("15.06.2025")


class TestLesson:
    def test_a_gold_question_is_asked_as_its_own_asker_on_its_own_day(self, lesson: Lesson) -> None:
        done = lesson.run("acc-01", "T2")
        assert (done.role, done.as_of.isoformat()) == ("hr", "2025-06-15")
        assert done.rank is not None
        assert done.right[done.rank - 1]

    def test_a_toggle_changes_one_field_and_an_unknown_one_is_named(self, lesson: Lesson) -> None:
        assert lesson.rung("T2", k=4).pipeline == replace(lesson.rung("T2").pipeline, k=4)
        with pytest.raises(LabError, match="no field 'magic'"):
            lesson.rung("T2", magic=True)
        with pytest.raises(LabError, match="de"):
            Lesson("00_start", "de")

    def test_what_is_shown_escapes_what_documents_and_askers_say(self, lesson: Lesson) -> None:
        shown = lesson.ask("<script>alert(1)</script> leave days?", "T2", as_of="2025-06-15")
        assert "<script>" not in shown._repr_html_()
        assert "&lt;script&gt;" in shown._repr_html_()

    def test_nobody_is_shown_in_hits_or_trace_what_his_rights_cut(self, lesson: Lesson) -> None:
        asked = "What is the upper limit of the senior specialist band?"
        for rung in ("T2", rungs.NAMES[-1]):
            hidden = lesson.ask(asked, rung, role="employee", as_of="2025-06-15")._repr_html_()
            open_ = lesson.ask(asked, rung, role="hr", as_of="2025-06-15")._repr_html_()
            assert "hr-salary-bands" not in hidden
            assert "hr-salary-bands" in open_

    def test_the_quoted_words_are_marked_in_their_section(self) -> None:
        assert html.marked("a < b. Take 22 days.", "22 days") == "a &lt; b. Take <mark>22 days</mark>."
        assert html.marked("İzin 22 gündür", "yok") == "İzin 22 gündür"

    def test_chunks_of_a_hidden_document_are_not_shown(self, lesson: Lesson) -> None:
        assert lesson.chunks("section", "hr-salary-bands", "3").value == []
        assert len(lesson.chunks("section", "hr-salary-bands", "3", role="hr").value) == 1


class TestExercises:
    @pytest.mark.parametrize("name", exercises.all_exercises())
    @pytest.mark.parametrize("language", ["en", "tr"])
    def test_its_solution_is_right_and_a_wrong_value_is_not(
        self, lesson: Lesson, name: str, language: str
    ) -> None:
        own = Lesson(name.split("/")[0], language)
        for cached in ("engine", "scored"):
            own.__dict__[cached] = getattr(lesson, cached)
        handle = exercises.handle(name, own)
        right = handle.exercise.answer(own)
        value = right[0] if isinstance(right, tuple) else right
        assert handle.check(value).what == "right"
        assert handle.check(handle.exercise.wrong).what == "wrong"
        assert handle.check(...).what == "not attempted"
        assert handle.check(None).what == "not attempted"
        assert handle.exercise.hint.of(language) in handle.hint().remark
        scope: dict[str, object] = {"lesson": own}
        *lines, last = handle.exercise.code.split("\n")
        exec("\n".join(lines), scope)
        assert handle.check(_first(eval(last, scope), right)).what == "right"

    def test_what_cannot_be_judged_is_neither_right_nor_wrong(self, lesson: Lesson) -> None:
        outcome = exercises.handle("00_start/1", lesson).check("sekiz")
        assert outcome.what == "not checkable"
        assert "ValueError" in outcome.remark

    def test_each_check_hint_and_solution_leaves_one_line(self, lesson: Lesson, own_folder: Path) -> None:
        handle = exercises.handle("00_start/1", lesson)
        handle.check(...)
        handle.check(0)
        handle.hint()
        shown: Outcome = handle.solution()
        assert "sections_for" in shown.markup
        lines = (own_folder / participant.EVENTS).read_text(encoding="utf-8").splitlines()
        assert [json.loads(line)["outcome"] for line in lines] == [
            "not attempted",
            "wrong",
            "hint",
            "solution",
        ]
        assert set(json.loads(lines[0])) == {"who", "exercise", "outcome", "at"}
        (own_folder / participant.EVENTS).write_text("\n".join([*lines, '{"who": "torn']), encoding="utf-8")
        assert len(list(participant.events())) == 4

    def test_an_unknown_exercise_is_named(self, lesson: Lesson) -> None:
        with pytest.raises(LabError, match="00_start/99"):
            lesson.exercise(99)


def _first(value: object, right: object) -> object:
    return value[0] if isinstance(value, tuple) and isinstance(right, tuple) else value


class TestNotebooks:
    @pytest.mark.parametrize("name", notebooks.names())
    def test_both_languages_are_built_from_the_source_as_committed(self, name: str) -> None:
        for language in ("en", "tr"):
            assert notebooks.stale(name, language) == []

    @pytest.mark.parametrize("name", notebooks.names())
    def test_no_notebook_defines_what_the_package_should_own(self, name: str) -> None:
        for cell in notebooks.build(name, "en", lambda _: "0").cells:
            if cell.cell_type == "code":
                for forbidden in (
                    "def ",
                    "class ",
                    "sys.path",
                    "pip install",
                    "http://",
                    "https://",
                    "pyplot",
                ):
                    assert forbidden not in cell.source

    def test_a_half_translated_source_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(notebooks, "FOLDER", tmp_path)
        (tmp_path / "src").mkdir()
        source = tmp_path / "src" / "01_x.py"
        whole = (
            '# %% [markdown] tags=["en"]\n# Hello\n\n# %% [markdown] tags=["tr"]\n# Merhaba\n\n# %%\n1 + 1\n'
        )
        source.write_text(whole, encoding="utf-8")
        made = notebooks.build("01_x", "tr", lambda _: "")
        assert [cell.source for cell in made.cells] == ["Merhaba", "1 + 1"]
        source.write_text(whole.replace('# %% [markdown] tags=["tr"]\n# Merhaba\n\n', ""), encoding="utf-8")
        with pytest.raises(LabError, match="half translated"):
            notebooks.build("01_x", "en", lambda _: "")
        source.write_text(whole.replace("# Merhaba\n", ""), encoding="utf-8")
        with pytest.raises(LabError, match="half translated"):
            notebooks.build("01_x", "en", lambda _: "")

    def test_progress_leaves_nothing_in_a_notebook_and_widgets_do(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(notebooks, "FOLDER", tmp_path)
        (tmp_path / "src").mkdir()
        (tmp_path / "src" / "01_x.py").write_text(
            "# %%\nfrom tqdm.notebook import tqdm\nimport ipywidgets\n"
            "for _ in tqdm(range(3)):\n    pass\n"
            "ipywidgets.VBox([ipywidgets.IntSlider(7)])\n",
            encoding="utf-8",
        )
        ran = notebooks.run(notebooks.build("01_x", "en", lambda _: ""))
        (shown,) = ran.cells[0].outputs
        assert "VBox" in shown.data["text/plain"]
        ((_, held),) = ran.metadata.widgets.items()
        kinds = sorted(model["model_name"] for model in held["state"].values())
        assert kinds == ["IntSliderModel", "LayoutModel", "LayoutModel", "SliderStyleModel", "VBoxModel"]

    def test_a_failing_cell_is_named_and_a_changed_figure_is_found(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(notebooks, "FOLDER", tmp_path)
        (tmp_path / "src").mkdir()
        source = tmp_path / "src" / "01_x.py"
        source.write_text('# %%\nprint("hit@1 0.512 in 31 ms, 233 questions")\n', encoding="utf-8")
        ran = notebooks.run(notebooks.build("01_x", "en", lambda _: ""))
        notebooks.write(ran, notebooks.place("01_x", "en"))
        assert notebooks.stale("01_x", "en") == []
        assert notebooks.differing("01_x", "en", ran) == []
        slower = json.loads(json.dumps(ran).replace("31 ms", "4400 ms"))
        assert notebooks.differing("01_x", "en", notebooks.nbformat.from_dict(slower)) == []
        worse = json.loads(json.dumps(ran).replace("0.512", "0.712"))
        (problem,) = notebooks.differing("01_x", "en", notebooks.nbformat.from_dict(worse))
        assert "0.512 is now 0.712" in str(problem)
        source.write_text("# %%\n1 / 0\n", encoding="utf-8")
        assert "stale" in str(notebooks.stale("01_x", "en")[0])
        with pytest.raises(LabError, match="ZeroDivisionError"):
            notebooks.run(notebooks.build("01_x", "en", lambda _: ""))

    def test_reset_keeps_the_old_file_under_a_dated_name(
        self, climbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(notebooks, "FOLDER", tmp_path)
        (tmp_path / "src").mkdir()
        (tmp_path / "src" / "01_x.py").write_text("# %%\n1 + 1\n", encoding="utf-8")
        mine = notebooks.place("01_x", "en")
        mine.parent.mkdir()
        mine.write_text("mine", encoding="utf-8")
        assert catchup.reset("01", "en") == [mine]
        kept = [path for path in mine.parent.iterdir() if path != mine]
        assert [path.read_text(encoding="utf-8") for path in kept] == ["mine"]
        assert [cell.source for cell in notebooks.read(mine).cells] == ["1 + 1"]

    def test_an_unknown_notebook_is_named(self) -> None:
        with pytest.raises(LabError, match="99"):
            notebooks.wanted(["99"])


class TestPictures:
    def test_each_picture_is_drawn_whole(self, lesson: Lesson, tmp_path: Path) -> None:
        rows = lesson.board_rows()
        answer = lesson.run("q01", "T2").answer
        vectors = np.random.default_rng(1).normal(size=(9, 4))
        for number, figure in enumerate(
            (
                pictures.slope(lesson.scored, rows),
                pictures.heat(lesson.scored),
                pictures.cost(rows),
                pictures.tokens(rows, 8192),
                pictures.where_time_goes(answer),
                pictures.map_of(vectors, ["İ", "ı", "ş"] * 3, vectors[0]),
            )
        ):
            assert isinstance(figure, Figure)
            path = tmp_path / f"{number}.png"
            figure.savefig(path)
            assert path.stat().st_size > 4_000
            assert figure._repr_png_().startswith(b"\x89PNG")

    def test_the_picture_of_links_shows_every_document(self, lesson: Lesson) -> None:
        kept = lesson.links().value
        axes = pictures.links(kept).axes[0]
        places = {text.get_text(): text.get_position() for text in axes.texts}
        for one in kept:
            for name in (one.link.source_document, one.link.target.removesuffix("#0")):
                x, y = places[name]
                assert axes.get_xlim()[0] < x < axes.get_xlim()[1]
                assert axes.get_ylim()[0] < y < axes.get_ylim()[1]

    def test_the_interval_holds_the_mean_and_narrows_with_n(self) -> None:
        few, many = np.array([0.0, 1.0] * 10), np.array([0.0, 1.0] * 200)
        for values in (few, many):
            low, high = pictures.interval(values)
            assert low < 0.5 < high
        assert np.diff(pictures.interval(many))[0] < np.diff(pictures.interval(few))[0]
        with pytest.raises(ValueError, match="needs values"):
            pictures.interval(np.array([]))


def test_words_are_there_in_both_languages() -> None:
    assert word("week", "tr", week=3) == "3. hafta"
    assert word("week", "en", week=3) == "Week 3"
