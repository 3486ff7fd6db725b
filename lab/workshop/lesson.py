"""What a notebook holds in its hand: questions asked, rungs measured, exercises."""

from __future__ import annotations

import atexit
import contextlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

from lab.corpus.scan import scan
from lab.evaluation import climb as climbing
from lab.evaluation import ledger as book
from lab.evaluation.climb import Climbed
from lab.evaluation.gold import Question, load_gold
from lab.evaluation.ledger import RungRow
from lab.evaluation.score import Scored, meets, ranks_of
from lab.kinds import Answer, Hit, LabError, Sight
from lab.ladder import rungs
from lab.ladder.rungs import Rung
from lab.ladder.tickets import ticket
from lab.memory import links, search, server
from lab.memory.connect import writer
from lab.memory.visibility import looking
from lab.rag import ask as asking
from lab.rag.engine import Engine
from lab.rag.pipeline import Pipeline
from lab.settings import settings
from lab.workshop import desk, exercises, html
from lab.workshop.words import LANGUAGES, word

DAY = date(2025, 6, 15)
"""The day on which the notebooks look at the corpus."""

if TYPE_CHECKING:  # they build on this module
    from lab.workshop.widgets import QuestionBox, TicketBoard


@dataclass(frozen=True)
class Shown:
    """A value with the way a notebook shows it."""

    value: Any
    markup: str
    text: str

    def _repr_html_(self) -> str:
        return html.page(self.markup)

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Run:
    """One question through one pipeline. `ranks`: for each evidence the place of the first hit that holds it;
    empty for a question that is in no gold set."""

    question: str
    role: str
    as_of: date
    rung: Rung
    answer: Answer
    ranks: tuple[int | None, ...] = ()
    right: tuple[bool, ...] = ()
    """For each hit whether it holds an evidence."""

    @property
    def rank(self) -> int | None:
        """The best of `ranks`."""
        return min((rank for rank in self.ranks if rank is not None), default=None)


class Lesson:
    """One notebook's tools, in its language. Database and corpus are made ready at first use; the connection
    ends with the process. LabError for another language than `en` and `tr`."""

    def __init__(self, name: str, language: str = "en") -> None:
        if language not in LANGUAGES:
            raise LabError(f"There is no lesson in {language!r}.", f"The languages: {', '.join(LANGUAGES)}.")
        self.name, self.language = name, language
        self._open = contextlib.ExitStack()
        atexit.register(self._open.close)

    def __repr__(self) -> str:
        return f"{self.name} ({self.language})"

    @cached_property
    def engine(self) -> Engine:
        """The connection with the reading role, and the embedders."""
        return self._open.enter_context(desk.opened())

    @cached_property
    def gold(self) -> dict[str, Question]:
        """The exam's questions by id."""
        return {question.id: question for question in load_gold(settings().gold)}

    def rung(self, name: str | None = None, **toggles: Any) -> Rung:
        """The rung as the ladder stands now (default: the last one kept), with some fields set otherwise.
        LabError for a field that no pipeline has."""
        found = desk.chosen_rung(name, None, None)
        if unknown := sorted(set(toggles) - set(asdict(found.pipeline))):
            raise LabError(
                f"A pipeline has no field {unknown[0]!r}.", f"It has {', '.join(asdict(found.pipeline))}."
            )
        if not toggles:
            return found
        changed = ", ".join(f"{key}={value!r}" for key, value in toggles.items())
        return replace(found, changed=changed, pipeline=replace(found.pipeline, **toggles))

    def run(
        self,
        question: str,
        rung: str | None = None,
        role: str | None = None,
        as_of: str | date | None = None,
        **toggles: Any,
    ) -> Run:
        """One question through a rung. `question` is a gold id or a text; a gold question is asked as its own
        asker on its own day unless told otherwise."""
        known = self.gold.get(question)
        text = known.text if known else question
        asker = role or (known.role if known else "employee")
        day = date.fromisoformat(as_of) if isinstance(as_of, str) else as_of
        day = day or (known.as_of if known else date.today())
        chosen = self.rung(rung, **toggles)
        if reason := climbing.why_not(chosen.pipeline):
            raise LabError(f"The rung {chosen.name} {reason}")
        sight = Sight(frozenset({asker}), day, workspace=self.engine.workspace)
        answer = asking.ask(text, sight, chosen.pipeline, self.engine)
        if known is None:
            return Run(text, asker, day, chosen, answer)
        right = tuple(any(meets(evidence, hit) for evidence in known.evidence) for hit in answer.hits)
        return Run(text, asker, day, chosen, answer, ranks_of(known, answer.hits), right)

    def ask(self, question: str, rung: str | None = None, **more: Any) -> Shown:
        """The answer with its sources, each opening its section; hits and trace folded below."""
        return self.show(self.run(question, rung, **more))

    def hits(self, question: str, rung: str | None = None, **more: Any) -> Shown:
        """The hits with every score under its own name; ✓ marks those that hold the answer."""
        done = self.run(question, rung, **more)
        found = done.answer.hits
        return Shown(done, self._asked(done) + html.hits(found, self.language, done.right), _listed(found))

    def trace(self, question: str, rung: str | None = None, **more: Any) -> Shown:
        """Every step of one question."""
        done = self.run(question, rung, **more)
        lines = [
            f"{step.name}: {step.into} → {step.out}" + (f", {step.tokens} tokens" if step.tokens else "")
            for step in done.answer.trace
        ]
        return Shown(done, self._asked(done) + html.trace(done.answer.trace, self.language), "\n".join(lines))

    def show(self, done: Run) -> Shown:
        """A run as the notebooks and the board show it."""
        answer, spoken = done.answer, self.language
        took = sum(step.ms for step in answer.trace)
        note = f"{done.rung.name} · {done.role} · {done.as_of} · {took:,.0f} ms"
        body = self._asked(done) + html.answer(answer, spoken, note)
        if done.ranks:
            body += html.note(self.place(done))
        if answer.hits and len(answer.hits) <= 3 * html.SHOWN:
            body += html.folded(word("hits", spoken), html.hits(answer.hits, spoken, done.right))
        body += html.folded(word("trace", spoken), html.trace(answer.trace, spoken))
        return Shown(done, body, answer.text)

    def place(self, done: Run) -> str:
        """Where the right passage stands, in words."""
        if done.rank is None:
            return word("lost", self.language, k=len(done.answer.hits))
        return word("found", self.language, rank=done.rank)

    def _asked(self, done: Run) -> str:
        return html.folded(done.question, html.facts(self._facts(done)))

    def _facts(self, done: Run) -> dict[str, object]:
        return {
            word("rung", self.language): f"{done.rung.name}: {done.rung.changed}",
            word("role", self.language): done.role,
            word("as_of", self.language): done.as_of,
        }

    def question(self, key: str) -> Shown:
        """A gold question: its text, asker, day, evidence with the quoted anchor, and what its answer must
        say."""
        found = self.gold[key]
        places = [f"{one.document}#{one.section}: {one.anchor}" for one in found.evidence]
        said = ["|".join(group) for group in found.contains]
        facts: dict[str, object] = {
            word("question", self.language): found.text,
            word("role", self.language): found.role,
            word("as_of", self.language): found.as_of,
            word("evidence", self.language): "; ".join(places) or "–",
            word("expected", self.language): "; ".join(said) or word("refused", self.language),
        }
        return Shown(found, html.facts(facts), found.text)

    def ticket(self, name: str) -> Shown:
        """A ticket: what was seen, the question it was seen on, and where you stand with it."""
        from lab.workshop import board

        found = ticket(name)
        text = self.gold[found.shown.of(self.language)].text
        title = f"{word('week', self.language, week=found.week)}: {found.title.of(self.language)}"
        facts = {
            word("example", self.language): text,
            word("rung", self.language): board.below(found),
            word("status", self.language): word(board.state(found), self.language),
        }
        story = f"<h4>{escape(title)}</h4><p>{escape(found.scenario.of(self.language))}</p>"
        return Shown(found, story + html.facts(facts), title)

    def shown(self, name: str) -> str:
        """Id of the gold question on which a ticket was seen, in this lesson's language."""
        return ticket(name).shown.of(self.language)

    def links(self, role: str = "employee") -> Shown:
        """What amends what, as far as the role may read both ends: each link with the sentence that states
        it."""
        with looking(
            self.engine.read, Sight(frozenset({role}), None, workspace=self.engine.workspace)
        ) as view:
            found = links.listed(view)
        rows = [
            [
                escape(kept.link.id),
                f"{escape(kept.link.source)} <b>{escape(kept.link.kind)}</b> {escape(kept.link.target)}",
                escape(" → ".join(filter(None, (kept.link.old, kept.link.new)))),
                f"{kept.link.valid_from} – {kept.link.valid_to or ''}",
                escape(kept.link.evidence),
                escape(kept.state),
            ]
            for kept in found
        ]
        text = "\n".join(f"{kept.link.source} {kept.link.kind} {kept.link.target}" for kept in found)
        return Shown(found, html.table([""] * 6, rows), text)

    def scan(self, text: str) -> Shown:
        """What the scan finds in a text, in which view, and why."""
        found = scan(text)
        rows = [[escape(one.kind), escape(one.view), escape(one.text), escape(one.reason)] for one in found]
        shown = html.table([""] * 4, rows) if rows else html.note("–")
        return Shown(found, shown, "\n".join(f"{one.kind}: {one.text}" for one in found) or "–")

    def chunks(
        self,
        chunker: str,
        document: str,
        section: str,
        role: str = "employee",
        as_of: str | date = DAY,
    ) -> Shown:
        """How a chunker (`fixed-300`, `section`, `unit`) cut a section, as a role sees it on a day; what is
        embedded of each."""
        day = date.fromisoformat(as_of) if isinstance(as_of, str) else as_of
        sight = Sight(frozenset({role}), day, workspace=self.engine.workspace)
        with looking(self.engine.read, sight) as view:
            found = [
                chunk
                for chunk in search.all_chunks(view, chunker)
                if chunk.document == document and section in chunk.sections
            ]
        rows = [[escape(chunk.id), f"<pre>{escape(chunk.search_text)}</pre>"] for chunk in found]
        return Shown(found, html.table(["", ""], rows), "\n".join(chunk.id for chunk in found))

    def pipeline(self, rung: str | None = None) -> Shown:
        """The fields of a rung's pipeline that differ from the first rung's: what the toggles are."""
        found = self.rung(rung)
        plain = asdict(Pipeline())
        fields = {key: value for key, value in asdict(found.pipeline).items() if value != plain[key]}
        return Shown(
            found, html.facts(fields), "\n".join(f"{key} = {value!r}" for key, value in fields.items())
        )

    def effect(self, *names: str) -> Shown:
        """Measures each named rung and the one it stands on over the whole gold set, writes both to the
        ledger, and shows what was gained and lost. Some seconds a rung."""
        wanted = [rungs.technique(name).name for name in names]
        kept = desk.kept_or_stack()
        bases = [base for name in wanted if (base := rungs.rung(name, kept).base)]
        climbed = {item.rung.name: item for item in desk.climb(",".join(dict.fromkeys([*bases, *wanted])))}
        shown = [self._effect(climbed[name], climbed) for name in wanted]
        return Shown([climbed[name] for name in wanted], *map("\n".join, zip(*shown, strict=True)))

    def _effect(self, item: Climbed, climbed: dict[str, Climbed]) -> tuple[str, str]:
        title = f"<h4>{escape(item.rung.name)}: {escape(item.rung.changed)}</h4>"
        if item.skipped:
            return title + html.note(escape(item.skipped)), f"{item.rung.name}: {item.skipped}"
        row = climbing.row(item, "all")
        base = climbed.get(item.rung.base or "")
        if item.comparison is None or base is None:
            return title + html.scoreboard([row], self.language), f"{item.rung.name}: {item.reason}"
        before = climbing.row(base, "all")
        body = html.comparison(item.comparison, before, row, self.language, item.reason)
        return title + body, f"{item.rung.name}: {item.reason}"

    def board_rows(self) -> list[RungRow]:
        """The rungs of the newest whole climb; climbs if there is none."""
        with writer(server.up()) as conn:
            run = book.latest(conn, rungs=len(rungs.NAMES))
            if run is not None:
                return book.rungs(conn, run.id)
        return [climbing.row(item, "all") for item in desk.climb()]

    def health(self) -> Shown:
        """What the lab stands on, and how to mend what is amiss; sizes and places are for `lab doctor`."""
        from lab.workshop import doctor

        lines = doctor.examine()
        rows = [[escape(line.state), f"<b>{escape(line.what)}</b>", escape(line.mend)] for line in lines]
        text = "\n".join(f"{line.state:6} {line.what}" for line in lines)
        return Shown(lines, html.table(["", "", ""], rows), text)

    def scoreboard(self, names: Sequence[str] | None = None) -> Shown:
        """The newest whole climb, a row a rung."""
        rows = [row for row in self.board_rows() if names is None or row.rung in names]
        text = "\n".join(f"{row.rung}: {row.reason}" for row in rows)
        return Shown(rows, html.scoreboard(rows, self.language), text)

    @cached_property
    def scored(self) -> dict[str, list[Scored]]:
        """Rung → its questions in the newest whole climb; rungs that were skipped are left out."""
        rows = [row for row in self.board_rows() if row.measures]
        with writer(server.up()) as conn:
            run = book.latest(conn, rungs=len(rungs.NAMES))
            assert run is not None
            return {row.rung: book.questions(conn, run.id, row.rung) for row in rows}

    def board(self, chosen: str = "T1") -> TicketBoard:
        """The ticket board, opened at one ticket."""
        from lab.workshop.widgets import TicketBoard

        return TicketBoard(self, chosen)

    def box(self, rung: str | None = None) -> QuestionBox:
        """A box for questions of one's own."""
        from lab.workshop.widgets import QuestionBox

        return QuestionBox(self, rung)

    def exercise(self, number: int) -> exercises.Handle:
        """The notebook's exercise of that number (from 1), with `check`, `hint` and `solution`."""
        return exercises.handle(f"{self.name}/{number}", self)


def _listed(found: Sequence[Hit]) -> str:
    return "\n".join(f"{rank:>2}  {hit.ref}" for rank, hit in enumerate(found[: html.SHOWN], start=1))
