"""A trading company's memories for one notebook: the read path step by step, rights, times, and its exam.

The world is the business benchmark's, in that benchmark's own workspace: stored once, met by no other
notebook."""

from __future__ import annotations

import atexit
import contextlib
import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cached_property
from html import escape

from lab.benchmarks.business import exam
from lab.benchmarks.business.exam import Measures, Outcome
from lab.benchmarks.business.questions import Question
from lab.benchmarks.business.world import ROLES, TODAY
from lab.evaluation import ledger as book
from lab.evaluation.compare import paired
from lab.evaluation.ledger import RungRow
from lab.kinds import LabError
from lab.memory import migrate
from lab.memory import server as servers
from lab.memory.connect import reader, writer
from lab.memory.gather import Found
from lab.memory.recall import Recalled, Recipe, recall
from lab.models.embedders import blend
from lab.rag.engine import cached
from lab.workshop import html
from lab.workshop.benches import EMBEDDER
from lab.workshop.desk import say
from lab.workshop.lesson import Lesson, Shown
from lab.workshop.words import word

ROWS = 2_000
SHOWN = 8
"""Lines of a list that are shown."""
WAYS = ("vector 10", "vector 1000", "recall")
"""The ten nearest memories; the nearest up to the budget of a recall; the read path."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with whose eyes it was asked, and what it got. `answer` where the exam knows it."""

    question: str
    role: str
    as_of: date | None
    found: Recalled
    answer: str | None
    evidence: tuple[str, ...]

    @property
    def told(self) -> bool:
        """Whether the answer stands in the text."""
        return self.answer is not None and exam.holds(self.found.text, self.answer)


class Trade:
    """What notebook 11 asks and looks at. The world is stored at first use; the connection ends with the
    process, or with `close`."""

    def __init__(self, lesson: Lesson, rows: int = ROWS) -> None:
        self.lesson, self.server = lesson, servers.up()
        migrate.migrate(self.server)
        (self.embedder,) = cached(blend(EMBEDDER), self.server)
        self.loaded = exam.load(self.server, self.embedder, rows, say=say)
        self._open = contextlib.ExitStack()
        self._connection = self._open.enter_context(reader(self.server))
        self._connection.autocommit = True
        atexit.register(self._open.close)

    def __repr__(self) -> str:
        things = ((kind, len(listed)) for kind, listed in self.loaded.world.things.items())
        return ", ".join(f"{count} {kind}" for kind, count in things)

    def __enter__(self) -> Trade:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives the connection back; the world stays."""
        atexit.unregister(self._open.close)
        self._open.close()

    @property
    def before(self) -> datetime:
        """A moment after the first state was synchronised and before its later versions were."""
        return self.loaded.between

    @cached_property
    def _known(self) -> dict[str, Question]:
        return {question.id: question for question in exam.exam(self.loaded, "dev")}

    def question(self, kind: str, number: int = 0) -> str:
        """A dev question of the exam in the lesson's language: `direct`, `two hops`, `chain`, … LabError for
        a kind or number that there is none of."""
        return self._pick([item for item in self._known.values() if item.type == kind], number, kind)

    def moved(self, number: int = 0) -> str:
        """The same of those whose answer is another one since the later versions were synchronised."""
        return self._pick([item for item in self._known.values() if item.known_at], number, "moved")

    def _pick(self, listed: Sequence[Question], number: int, kind: str) -> str:
        own = [question.text for question in listed if question.language == self.lesson.language]
        if not 0 <= number < len(own):
            kinds = ", ".join(dict.fromkeys(question.type for question in self._known.values()))
            raise LabError(f"There is no question {number} of the kind {kind!r}.", f"The kinds: {kinds}.")
        return own[number]

    def run(
        self,
        question: str,
        role: str = "owner",
        as_of: str | date | None = TODAY,
        known: datetime | None = None,
        recipe: Recipe = Recipe(),
    ) -> Asked:
        """A question through the six steps. `as_of` None: every day, what has ended marked as such. `known`:
        what the company knew at that moment."""
        day = date.fromisoformat(as_of) if isinstance(as_of, str) else as_of
        sight = replace(exam.sight(self.loaded, role=role), as_of=day, known_at=known)
        found = recall(
            self._connection, sight, question, self.embedder.space, self.embedder.queries([question])[0],
            today=TODAY, recipe=recipe,
        )  # fmt: skip
        asked = next((item for item in self._known.values() if item.text == question), None)
        if asked is None:
            return Asked(question, role, found.as_of, found, None, ())
        return Asked(question, role, found.as_of, found, asked.answer, asked.evidence)

    def nearest(self, question: str, role: str = "owner") -> list[Found]:
        """What plain vector search finds: the ten nearest memories, nearest first."""
        vector = self.embedder.queries([question])[0]
        return exam.nearest(self._connection, exam.sight(self.loaded, role=role), self.embedder.space, vector)

    def vectors(self, question: str) -> Shown:
        """The ten nearest memories; ✓ marks those on which the answer rests."""
        found, right = self.nearest(question), self.run(question).evidence
        rows = [
            [f"{rank}{' ✓' if item.place in right else ''}", escape(item.content), f"{item.cosine:.3f}"]
            for rank, item in enumerate(found, start=1)
        ]
        return Shown(found, html.table(["#", "", "cosine"], rows, (0, 2)), "\n".join(i.line for i in found))

    # The steps ---------------------------------------------------------------------------------------------

    def anchors(self, question: str, role: str = "owner") -> Shown:
        """Step 1: whom and what the question names, and how it was recognised."""
        found = self.run(question, role).found
        rows = [
            [escape(" ".join(sorted(one.words)) or "–"), f"<b>{escape(one.name)}</b>", one.type, one.how]
            for one in found.anchors
        ]
        wish = found.asked
        body = html.table([""] * 4, rows) if rows else html.note("–")
        asked = ", ".join(wish.types) or "–"
        body += f"<div>{word('wanted', self.lesson.language)}: <b>{escape(asked)}</b></div>"
        return Shown(found.anchors, body, "\n".join(f"{one.name} ({one.how})" for one in found.anchors))

    def hybrid(self, question: str, role: str = "owner") -> Shown:
        """Step 2: the best by words and vectors together."""
        found = self.run(question, role).found
        known = {item.id: item for item in found.ranked.rest}
        best = [(known[key], score) for key, score in found.near.items() if key in known][:SHOWN]
        rows = [[f"{score:.3f}", escape(item.content)] for item, score in best]
        return Shown(found.near, html.table(["", ""], rows, (0,)), "\n".join(item.line for item, _ in best))

    def paths(self, question: str, role: str = "owner") -> Shown:
        """Step 3: how many nodes the walk reached in so many hops, and the first ways to each."""
        found = self.run(question, role).found
        levels: dict[int, list[str]] = {}
        for path in found.walked:
            levels.setdefault(len(path.hops), []).append(path.text)
        rows = [
            [str(hops), str(len(ways)), "<br>".join(escape(way) for way in ways[:3])]
            for hops, ways in sorted(levels.items())
        ]
        spoken = self.lesson.language
        titles = [word("hops", spoken), word("nodes", spoken), ""]
        return Shown(found.walked, html.table(titles, rows, (0, 1)), "\n".join(p.text for p in found.walked))

    def ranking(self, question: str, role: str = "owner") -> Shown:
        """Step 4: the best three ways, with the memories that tell of them."""
        best = self.run(question, role).found.ranked.paths[:3]
        rows = [
            [
                str(rank),
                f"<b>{escape(path.text)}</b><br>" + "<br>".join(escape(item.content) for item in items),
            ]
            for rank, (path, items) in enumerate(best, start=1)
        ]
        return Shown(best, html.table(["", ""], rows, (0,)), "\n".join(path.text for path, _ in best))

    def rights(self, question: str, roles: Sequence[str] = (*ROLES, "nobody")) -> Shown:
        """Step 5, which is in every step: the same question with the eyes of several roles; `value`: role →
        what it got."""
        found = {role: self.run(question, role) for role in roles}
        rows = [
            [
                f"<b>{escape(role)}</b>",
                escape(", ".join(sorted(ROLES.get(role, ()))) or "–"),
                str(len(asked.found.anchors)),
                str(len(asked.found.walked)),
                str(len(asked.found.memories)),
                "✓" if asked.told else "✗",
            ]
            for role, asked in found.items()
        ]
        spoken = self.lesson.language
        titles = [word("role", spoken), word("modules", spoken), word("anchors", spoken),
                  word("nodes", spoken), word("memories", spoken), word("answer", spoken)]  # fmt: skip
        text = "\n".join(f"{role}: {'✓' if asked.told else '✗'}" for role, asked in found.items())
        return Shown(found, html.table(titles, rows, (2, 3, 4)), text)

    def context(
        self,
        question: str,
        role: str = "owner",
        as_of: str | date | None = TODAY,
        known: datetime | None = None,
        lines: int = SHOWN,
    ) -> Shown:
        """Step 6: what a model would read, its first lines, the exam's answer marked."""
        asked = self.run(question, role, as_of, known)
        told = asked.found.text.splitlines()
        shown = html.marked("\n".join(told[:lines]), asked.answer or "")
        spoken = self.lesson.language
        note = f"{len(asked.found.memories)} {word('memories', spoken)}, {asked.found.tokens:,} "
        note += f"{word('tokens', spoken)} · {asked.role} · {asked.as_of or word('every_day', spoken)}"
        rest = f"<div class='dim'>… +{len(told) - lines}</div>" if len(told) > lines else ""
        body = f"<div><b>{escape(question)}</b></div><pre>{shown}</pre>{rest}<div class='dim'>{note}</div>"
        return Shown(asked, body, asked.found.text)

    def times(self, question: str, then: str | date) -> Shown:
        """The record on which the answer rests, on four ways of looking: today; as it was true on a day;
        today with what was known before the later versions came; every day, the earlier version marked.
        `value`: the versions of the last way, newest first."""
        spoken = self.lesson.language
        day = date.fromisoformat(then) if isinstance(then, str) else then
        ways: tuple[tuple[str, date | None, datetime | None], ...] = (
            (word("today", spoken), TODAY, None),
            (day.isoformat(), day, None),
            (word("known_then", spoken), TODAY, self.before),
            (word("every_day", spoken), None, None),
        )
        seen: list[tuple[str, list[Found]]] = []
        for name, when, known in ways:
            asked = self.run(question, as_of=when, known=known)
            own = [item for item in asked.found.memories if item.place in asked.evidence]
            seen.append((name, sorted(own, key=lambda item: item.start, reverse=True)))
        versions = seen[-1][1]
        moved = _moved(versions)
        rows = [
            [f"<b>{escape(name)}</b>", "<br>".join(_lit(item.line, moved) for item in own) or "–"]
            for name, own in seen
        ]
        body = f"<div><b>{escape(question)}</b></div>" + html.table(["", ""], rows)
        return Shown(versions, body, "\n".join(item.line for item in versions))

    # The exam ----------------------------------------------------------------------------------------------

    def effect(self, split: str = "test", per_type: int = 10) -> Shown:
        """The exam by three ways, written to the ledger and shown; `value`: way → kind of question →
        measures. Some ten seconds."""
        asked = exam.exam(self.loaded, split, per_type)
        ours, plain = exam.run(self.server, self.loaded, self.embedder, asked)
        long = [
            exam.by_vector(
                self._connection, self.loaded, question, self.embedder.space,
                self.embedder.queries([question.text])[0], Recipe().budget,
            )
            for question in asked
        ]  # fmt: skip
        ways = dict(zip(WAYS, (plain, long, ours), strict=True))
        found = {way: _measured(outcomes) for way, outcomes in ways.items()}
        verdict = paired(
            "answers in context",
            [
                (one.question.id, float(one.answered), float(other.answered))
                for one, other in zip(long, ours, strict=True)
            ],
        )
        reason = f"recall against {WAYS[1]}: {verdict.words}"
        self._log(split, asked, found, reason)
        spoken = self.lesson.language
        rows = [
            [name, str(measures.n), *(f"{found[way][name].answered:.3f}" for way in WAYS)]
            for name, measures in found[WAYS[0]].items()
        ]
        rows.append([word("tokens", spoken), "", *(f"{found[way]['all'].tokens:,.0f}" for way in WAYS)])
        body = html.table([word("kind", spoken), "n", *WAYS], rows, (1, 2, 3, 4))
        body += f"<div><b>{word('verdict', spoken)}:</b> {escape(verdict.words)}</div>"
        return Shown(found, body, reason)

    def without(self, *steps: str, per_type: int = 3) -> Shown:
        """What each step is worth: answers in context on dev when it alone is left out (a field of `Recipe`:
        `anchors`, `words`, `vectors`, `paths`, `periods`, …); `value`: step → kind → share."""
        asked = exam.exam(self.loaded, "dev", per_type)
        vectors = {question.id: self.embedder.queries([question.text])[0] for question in asked}

        def share(recipe: Recipe) -> dict[str, float]:
            outcomes = [
                exam.by_recall(
                    self._connection, self.loaded, question, self.embedder.space, vectors[question.id], recipe
                )[0]
                for question in asked
            ]
            return {name: measures.answered for name, measures in _measured(outcomes).items()}

        found = {"–": share(Recipe())} | {step: share(replace(Recipe(), **{step: False})) for step in steps}
        rows = [[name, *(f"{shares[name]:.3f}" for shares in found.values())] for name in found["–"]]
        titles = [word("kind", self.lesson.language), word("whole", self.lesson.language), *steps]
        text = "\n".join(f"{step}: {shares['all']:.3f}" for step, shares in found.items())
        return Shown(found, html.table(titles, rows, tuple(range(1, len(titles)))), text)

    def _log(
        self, split: str, asked: Sequence[Question], found: dict[str, dict[str, Measures]], reason: str
    ) -> None:
        exam_hash = hashlib.sha256("\n".join(question.text for question in asked).encode()).hexdigest()
        with writer(self.server) as conn:
            run = book.start(conn, "business", split, self.loaded.workspace, exam_hash)
            for way, groups in found.items():
                row = RungRow(
                    run,
                    way,
                    f"{len(self.loaded.world.first):,} business memories",
                    {"workspace": self.loaded.workspace},
                    None,
                    reason if way == WAYS[-1] else "",
                    _figures(groups["all"]),
                    {"type": {name: _figures(measures) for name, measures in groups.items()}},
                )
                book.write(conn, row, [])


def _moved(versions: Sequence[Found]) -> set[str]:
    """Words that only one of the two newest versions has; none where there is one version."""
    if len(versions) < 2:
        return set()
    return set(versions[0].content.split()) ^ set(versions[1].content.split())


def _lit(line: str, words: Collection[str]) -> str:
    """The line with these words marked."""
    return " ".join(
        f"<mark>{escape(part)}</mark>" if part in words else escape(part) for part in line.split()
    )


def _measured(outcomes: Sequence[Outcome]) -> dict[str, Measures]:
    return {name: exam.measure(listed) for name, listed in exam.by_group(outcomes).items()}


def _figures(measures: Measures) -> dict[str, float]:
    return {
        "n": measures.n,
        "answers": measures.answered,
        "every hop": measures.every,
        "prompt_tokens": measures.tokens,
        "calls": 0.0,
        "ms_p50": measures.median_ms,
    }
