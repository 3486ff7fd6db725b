"""The ticket board in JupyterLab. It holds no logic: it shows what `board` and `lesson` return, in HTML and
Image widgets, which redraw whole (an Output widget may lose what a callback prints)."""

from __future__ import annotations

import io
from collections.abc import Callable
from html import escape
from typing import Any

import ipywidgets as w
from matplotlib.figure import Figure

from lab.evaluation.ledger import RungRow
from lab.kinds import LabError
from lab.ladder.tickets import Ticket, ticket, tickets
from lab.memory import write
from lab.workshop import board, html, participant, pictures
from lab.workshop.lesson import Lesson, Run
from lab.workshop.scoreboard import cell
from lab.workshop.words import word

_WIDE = w.Layout(width="98%")


def picture(figure: Figure) -> w.Image:
    """A figure as an image widget."""
    return w.Image(value=_png(figure), format="png", layout=w.Layout(max_width="100%", object_fit="contain"))


def _png(figure: Figure) -> bytes:
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=110)
    return data.getvalue()


class TicketBoard:
    """Eight tickets: guess, run, diagnose, fix. `view` is the widget."""

    def __init__(self, lesson: Lesson, chosen: str = "T1") -> None:
        self.lesson = lesson
        self._rows: list[RungRow] = lesson.board_rows()
        spoken = lesson.language
        self._choice = w.Dropdown(
            options=self._options(), value=ticket(chosen).id, description=self._say("ticket")
        )
        self._story = w.HTML(layout=_WIDE)
        self._guess = w.Dropdown(
            options=[(str(rank), rank) for rank in range(1, 11)] + [("–", board.NOWHERE)], value=1
        )
        self._reproduce = w.Button(description=self._say("run"), button_style="primary")
        self._causes = w.RadioButtons(layout=_WIDE)
        self._diagnose = w.Button(description=self._say("diagnosed"))
        self._fix = w.Button(description=self._say("fixed"))
        self._shown = w.HTML(layout=_WIDE)
        self._time = w.Image(format="png", layout=w.Layout(max_width="620px", display="none"))
        self._choice.observe(lambda _: self._open(), names="value")
        self._reproduce.on_click(lambda _: self._guarded(self._on_reproduce))
        self._diagnose.on_click(lambda _: self._guarded(self._on_diagnose))
        self._fix.on_click(lambda _: self._guarded(self._on_fix))
        guess = w.HBox([w.Label(word("guess", spoken)), self._guess, self._reproduce])
        ways = w.VBox([w.Label(word("cause", spoken)), self._causes, w.HBox([self._diagnose, self._fix])])
        self.view = w.VBox([self._choice, self._story, guess, ways, self._shown, self._time], layout=_WIDE)
        self._open()

    def _say(self, name: str) -> str:
        return word(name, self.lesson.language)

    @property
    def ticket(self) -> Ticket:
        """The one that is open."""
        return ticket(self._choice.value)

    def _options(self) -> list[tuple[str, str]]:
        spoken = self.lesson.language
        return [
            (f"{item.id} · {item.title.of(spoken)} · {word(board.state(item), spoken)}", item.id)
            for item in tickets()
        ]

    def _open(self) -> None:
        item, spoken = self.ticket, self.lesson.language
        mark = board.badge(item, self._rows)
        numbers = f"{cell('answers', mark.before)} → {cell('answers', mark.after)}"
        question = self.lesson.gold[item.shown.of(spoken)]
        self._story.value = html.page(
            f"<h4>{escape(word('week', spoken, week=item.week))}: {escape(item.title.of(spoken))}</h4>",
            f"<p>{escape(item.scenario.of(spoken))}</p>",
            f"<p><b>{self._say('question')}:</b> {escape(question.text)} "
            f"<span class='dim'>({question.role}, {question.as_of})</span></p>",
            f"<div class='dim'>{self._say('status')}: {word(board.state(item), spoken)} · {item.rung}: "
            f"{self._say('answers')} {numbers} · {escape(mark.verdict)}</div>",
        )
        self._causes.options = [(cause.of(spoken), at) for at, cause in enumerate(item.causes)]
        self._shown.value = ""
        self._time.layout.display = "none"

    def _guarded(self, act: Callable[[], None]) -> None:
        """A failure is shown where the answer would stand; the board goes on."""
        try:
            act()
        except LabError as error:
            self._shown.value = html.page(html.note(escape(str(error)), "wrong"))

    def _on_reproduce(self) -> None:
        self._after(board.reproduce(self.lesson, self.ticket, self._guess.value))

    def _on_fix(self) -> None:
        self._after(board.fix(self.lesson, self.ticket, self._guess.value))

    def _on_diagnose(self) -> None:
        right = board.diagnose(self.ticket, self._causes.value)
        if right and board.state(self.ticket) == board.OPEN:
            said = html.note(f"{self._say('right')} {self._say('first')}", "plain")
        elif right:
            lesson = escape(self.ticket.lesson.of(self.lesson.language))
            said = html.note(f"{self._say('right')} <b>{self._say('lesson')}:</b> {lesson}", "right")
        else:
            said = html.note(self._say("wrong"), "wrong")
        self._refresh()
        self._shown.value = html.page(said)

    def _after(self, seen: board.Seen) -> None:
        self._refresh()
        kind = "wrong" if seen.failed else "right"
        self._shown.value = html.page(html.note(escape(seen.said), kind), self.lesson.show(seen.run).markup)
        self._time.value = _png(pictures.where_time_goes(seen.run.answer))
        self._time.layout.display = ""

    def _refresh(self) -> None:
        """States may have changed; the choice stays."""
        kept = self._choice.value
        self._choice.options = self._options()
        self._choice.value = kept
        self._open()

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self.view._repr_mimebundle_(**options)


class QuestionBox:
    """A question of one's own with role, day and toggles, and the form that files a wrong answer as a ticket.
    `view` is the widget."""

    def __init__(self, lesson: Lesson, rung: str | None = None) -> None:
        self.lesson = lesson
        self.run: Run | None = None
        found = lesson.rung(rung)
        self._rung = found.name
        roles = sorted(write.roles(lesson.engine.server, lesson.engine.workspace))
        self._text = w.Text(description=self._say("question"), layout=_WIDE)
        self._role = w.Dropdown(options=roles, value="employee", description=self._say("role"))
        self._day = w.DatePicker(description=self._say("as_of"), value=board.day(None))
        self._toggles = {
            name: self._toggle(name, values, getattr(found.pipeline, name))
            for name, values in board.toggles().items()
        }
        self._ask = w.Button(description=self._say("ask"), button_style="primary")
        self._shown = w.HTML(layout=_WIDE)
        self._section = w.Dropdown(options=[("–", None)], description=self._say("section"))
        self._expected = w.Text(description=self._say("answer"), placeholder="400; remote days")
        self._file = w.Button(description=self._say("file"), disabled=True)
        self._filed = w.HTML()
        self._ask.on_click(lambda _: self._guarded(self._on_ask))
        self._file.on_click(lambda _: self._guarded(self._on_file))
        toggles = w.HBox(list(self._toggles.values()), layout=w.Layout(flex_flow="row wrap"))
        form = w.VBox(
            [
                w.Label(self._say("evidence")),
                self._section,
                w.Label(self._say("expected")),
                self._expected,
                self._file,
                self._filed,
            ]
        )
        fold = w.Accordion([toggles, form], titles=[self._say("toggles"), self._say("file")])
        self.view = w.VBox(
            [self._text, w.HBox([self._role, self._day, self._ask]), fold, self._shown], layout=_WIDE
        )

    def _say(self, name: str) -> str:
        return word(name, self.lesson.language)

    @staticmethod
    def _toggle(name: str, values: tuple[Any, ...], value: Any) -> w.ValueWidget:
        if all(isinstance(one, bool) for one in values):
            return w.Checkbox(value=bool(value), description=name, indent=False)
        options = list(dict.fromkeys([*values, value]))
        return w.Dropdown(options=[(str(one) or "–", one) for one in options], value=value, description=name)

    def _guarded(self, act: Callable[[], None]) -> None:
        try:
            act()
        except LabError as error:
            self._shown.value = html.page(html.note(escape(str(error)), "wrong"))

    def _on_ask(self) -> None:
        text = self._text.value.strip()
        if not text:
            return
        chosen = {name: toggle.value for name, toggle in self._toggles.items()}
        self.run = self.lesson.run(text, self._rung, self._role.value, board.day(self._day.value), **chosen)
        self._shown.value = html.page(self.lesson.show(self.run).markup)
        hits = self.run.answer.hits[: html.SHOWN]
        self._section.options = [("–", None), *((f"{hit.ref} {hit.chunk.heading}", hit) for hit in hits)]
        self._file.disabled = False
        self._filed.value = ""

    def _on_file(self) -> None:
        if self.run is None:
            return
        try:
            line = board.wrong_answer(self.lesson, self.run, self._section.value, self._expected.value)
        except LabError as error:
            self._filed.value = html.page(html.note(escape(str(error)), "wrong"))
            return
        said = word("filed", self.lesson.language, id=line["id"], file=participant.own_gold())
        self._filed.value = html.page(html.note(escape(said), "right"))

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self.view._repr_mimebundle_(**options)
