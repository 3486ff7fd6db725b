"""A small cooperative's documents for one notebook, in a workspace of its own: read, asked, climbed.

Each language has its own workspace, so that two notebooks may be open."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from functools import cached_property
from html import escape
from importlib import resources
from pathlib import Path

from lab.corpus.own import ALWAYS
from lab.evaluation import climb as climbing
from lab.evaluation import ledger as book
from lab.evaluation.gold import Question
from lab.evaluation.ledger import RungRow
from lab.evaluation.score import Scored
from lab.kinds import LabError, Sight
from lab.ladder.rungs import STACK
from lab.ladder.tickets import Words
from lab.memory import search, write
from lab.memory.connect import reader, writer
from lab.memory.visibility import looking
from lab.workshop import desk, goldsmith, html, own, pictures
from lab.workshop import report as reporting
from lab.workshop.desk.places import Place, ladder
from lab.workshop.lesson import Lesson, Shown
from lab.workshop.words import word

DAY = date(2026, 9, 20)
"""The day on which the exam is drafted."""
QUESTIONS = 32
_UNREAD = Words("passed over", "atlandı")
_NOBODY = Words("asked by", "soran")


class Garden:
    """The documents in `lab/workshop/garden` as somebody's own, in the lesson's language."""

    def __init__(self, lesson: Lesson) -> None:
        self.lesson, self.name = lesson, f"garden-{lesson.language}"

    @property
    def folder(self) -> Path:
        return Path(str(resources.files("lab.workshop").joinpath("garden")))

    @cached_property
    def place(self) -> Place:
        """The workspace; stored at first use."""
        return own.new(self.name, self.folder).place

    def files(self) -> Shown:
        """The files of the folder, and the one that labels them."""
        paths = sorted(path for path in self.folder.rglob("*") if path.is_file())
        rows = [
            [escape(path.relative_to(self.folder).as_posix()), f"{path.stat().st_size:,}"] for path in paths
        ]
        rules = (self.folder / "lab.yaml").read_text(encoding="utf-8")
        body = html.table(["", "bytes"], rows, (1,)) + html.folded(
            "lab.yaml", f"<pre>{escape(rules)}</pre>", True
        )
        return Shown(paths, body, "\n".join(path.name for path in paths))

    def new(self) -> Shown:
        """`lab new`: the documents as they were read, and what was passed over."""
        made = own.new(self.name, self.folder)
        self.__dict__["place"] = made.place
        rows = [
            [
                escape(document.source),
                f"<b>{escape(document.id)}</b>",
                escape(document.edition),
                escape(document.language),
                escape(document.access),
                "–"
                if document.valid_from == ALWAYS
                else f"{document.valid_from} – {document.valid_to or ''}",
            ]
            for document in made.loaded.documents
        ]
        spoken = self.lesson.language
        passed = [f"{item.source} {item.why}" for item in made.loaded.passed]
        body = html.table(["", "id", "edition", "", "access", word("as_of", spoken)], rows)
        body += "".join(html.note(f"{_UNREAD.of(spoken)}: {escape(text)}") for text in passed)
        return Shown(made, body, "\n".join(document.id for document in made.loaded.documents))

    def ask(self, question: str, role: str | None = None, as_of: str | None = None) -> Shown:
        """One question, as a role of the workspace (default: its owner). On every technique that can be built
        upon, so that it is answered alike before a climb of the workspace and after."""
        asked = desk.ask(
            question,
            role=role,
            as_of=date.fromisoformat(as_of) if as_of else DAY,
            where=self.place,
            kept=[name for name in STACK if name not in self.place.without],
        )
        note = f"{asked.role} · {asked.as_of}"
        return Shown(asked, html.answer(asked.answer, self.lesson.language, note), asked.answer.text)

    def readers(self) -> Shown:
        """Role → the documents it reads, as the database lets it, on any day."""
        found: dict[str, list[str]] = {}
        server = desk.ready()
        with reader(server) as connection:
            for role in write.roles(server, self.place.workspace):
                sight = Sight(frozenset({role}), None, workspace=self.place.workspace)
                with looking(connection, sight) as view:
                    chunks = search.all_chunks(view, "section")
                found[role] = sorted({f"{chunk.document}@{chunk.label.edition}" for chunk in chunks})
        rows = [[f"<b>{escape(role)}</b>", escape(", ".join(names))] for role, names in found.items()]
        text = "\n".join(f"{role}: {len(names)}" for role, names in found.items())
        return Shown(found, html.table([word("role", self.lesson.language), ""], rows), text)

    @cached_property
    def exam(self) -> dict[str, Question]:
        """The exam as it stands; drafted where there is none yet."""
        if not self.place.gold.exists():
            goldsmith.draft(self.name, QUESTIONS, day=DAY)
        return {question.id: question for question in desk.exam(self.place, desk.ready())}

    def draft(self) -> Shown:
        """`lab gold draft`, from the beginning: an exam of an earlier visit is put away."""
        self.place.gold.unlink(missing_ok=True)
        self.__dict__.pop("exam", None)
        return self.questions()

    def questions(self, *keys: str) -> Shown:
        """Questions of the exam: text, who asks, evidence."""
        chosen = [self.exam[key] for key in keys] if keys else list(self.exam.values())
        rows = [
            [
                f"<b>{escape(one.id)}</b>",
                escape(one.text),
                escape(one.role),
                escape("; ".join(f"{at.document}#{at.section}: {at.anchor}" for at in one.evidence) or "–"),
            ]
            for one in chosen
        ]
        spoken = self.lesson.language
        titles = ["", word("question", spoken), _NOBODY.of(spoken), word("evidence", spoken)]
        return Shown(chosen, html.table(titles, rows), "\n".join(f"{one.id}: {one.text}" for one in chosen))

    def reword(self, key: str, text: str) -> Shown:
        """Another wording for a question of the exam; the line is otherwise left as it is. LabError for an
        unknown question, or a text that makes no gold line."""
        if key not in self.exam:
            raise LabError(f"The exam has no question {key!r}.", "", "garden.questions() lists them.")
        lines = self.place.gold.read_text(encoding="utf-8").splitlines()
        edited = [
            json.dumps(value | {"text": text}, ensure_ascii=False) if value["id"] == key else line
            for line in lines
            for value in (json.loads(line),)
        ]
        before = self.place.gold.read_text(encoding="utf-8")
        self.place.gold.write_text("\n".join(edited) + "\n", encoding="utf-8")
        self.__dict__.pop("exam")
        try:
            return self.questions(key)
        except LabError:
            self.place.gold.write_text(before, encoding="utf-8")
            raise

    def check(self) -> Shown:
        """`lab gold check`."""
        found = goldsmith.check(self.name)
        lines = [f"{found.path.name}:{line}: {key}: {said}" for line, key, said in found.problems]
        lines.append(
            f"{len(found.questions)} questions, {found.as_drafted} of them as drafted, {len(lines)} wrong."
        )
        return Shown(found, "".join(html.note(escape(line)) for line in lines), "\n".join(lines))

    def climb(self) -> Shown:
        """The whole ladder on these documents; what was climbed on the same documents and questions is shown
        again."""
        rows = self.rows()
        return Shown(rows, html.scoreboard(rows, self.lesson.language), _reasons(rows))

    def rows(self) -> list[RungRow]:
        """The rungs of the newest climb; climbs where it would come out otherwise."""
        assert self.exam
        with writer(desk.ready()) as conn:
            run = book.latest(conn, rungs=len(ladder(self.place)), workspace=self.place.workspace)
            if run is not None and self._same(run):
                return book.rungs(conn, run.id)
        return [climbing.row(item, "all") for item in desk.climb(where=self.place)]

    def _same(self, run: book.Run) -> bool:
        stored = write.corpus_hash(desk.ready(), self.place.workspace)
        asked = climbing.file_hash(self.place.gold)
        return (run.corpus_hash, run.gold_hash, dict(run.versions)) == (stored, asked, book.versions())

    def scored(self) -> Mapping[str, list[Scored]]:
        """Rung → its questions."""
        rows = [row for row in self.rows() if row.measures]
        with writer(desk.ready()) as conn:
            run = book.latest(conn, rungs=len(ladder(self.place)), workspace=self.place.workspace)
            assert run is not None
            return {row.rung: book.questions(conn, run.id, row.rung) for row in rows}

    def slope(self) -> pictures.Picture:
        """hit@1, MRR and answers along this ladder."""
        return pictures.slope(self.scored(), self.rows())

    def report(self) -> Shown:
        """`lab report`: where the page stands, and its caveats."""
        made = reporting.report(self.name)
        lines = [*made.caveats, f"{', '.join(made.kept)} → {made.path.name}"]
        return Shown(
            made, "".join(html.note(escape(line)) for line in _without_home(lines, made)), made.path.name
        )


def _without_home(lines: list[str], made: reporting.Report) -> list[str]:
    """A built notebook must not tell on whose machine it was made."""
    return [line.replace(f"{made.path.parent}/", "") for line in lines]


def _reasons(rows: list[RungRow]) -> str:
    return "\n".join(f"{row.rung}: {row.reason}" for row in rows)
