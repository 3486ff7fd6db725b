"""A mind to practise in, for one notebook: opened as its person and as an agent, and gone with the process.

It lives in a workspace of its own, so that nothing here is met by `lab mind` or by another notebook."""

from __future__ import annotations

import atexit
import hashlib
import json
import secrets
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from html import escape
from typing import TypeVar

from lab.benchmarks.mind import exam
from lab.evaluation import ledger as book
from lab.evaluation.compare import paired
from lab.evaluation.ledger import RungRow
from lab.kinds import LabError
from lab.ladder.tickets import Words
from lab.memory import audit, credentials, migrate
from lab.memory import server as servers
from lab.memory.connect import writer
from lab.memory.mind import KEEP, Keep, Mind
from lab.memory.mind_end import remove_mind
from lab.memory.model import Memory
from lab.text import count_tokens
from lab.workshop import html
from lab.workshop.lesson import Lesson, Shown
from lab.workshop.words import word

WORKSPACE = "workshop"
PERSON, AGENT = "İpek", Words("assistant", "asistan")
_TITLE = Words("İpek's notes", "İpek'in notları")
_FIELDS = ("content", "tags", "priority", "source", "verified", "confidence", "expires_at")
T = TypeVar("T")


class Keeper:
    """A mind as one credential opens it. Every operation is shown; what is refused is shown too and not
    raised, so that a notebook goes on: then `value` is the error."""

    def __init__(self, mind: Mind, language: str) -> None:
        self.mind, self.language = mind, language

    def store(
        self,
        category: str,
        key: str,
        content: str,
        *,
        tags: Iterable[str] = (),
        priority: str = "normal",
        confidence: float | None = None,
        expires: str | datetime | timedelta | None = None,
    ) -> Shown:
        """`Mind.store`, and the memory as it stands now."""
        return self._try(
            lambda: self.mind.store(
                category, key, content, tags=tags, priority=priority, confidence=confidence, expires=expires
            ),
            self._memory,
        )

    def update(
        self,
        reference: str,
        *,
        content: str | None = None,
        tags: Iterable[str] | None = None,
        priority: str | None = None,
        confidence: float | None = None,
        expires: str | datetime | timedelta | Keep | None = KEEP,
    ) -> Shown:
        """`Mind.update`, and every field that is not what it was."""

        def act() -> tuple[Memory, Memory]:
            before = self.mind.get(reference)
            return before, self.mind.update(
                reference, content=content, tags=tags, priority=priority, confidence=confidence,
                expires=expires,
            )  # fmt: skip

        return self._try(act, lambda both: self._changed(*both))

    def verify(self, reference: str) -> Shown:
        """`Mind.verify`, and the memory as it stands now."""
        return self._try(lambda: self.mind.verify(reference), self._memory)

    def get(self, reference: str) -> Shown:
        """One memory."""
        return self._try(lambda: self.mind.get(reference), self._memory)

    def delete(self, reference: str) -> Shown:
        """`Mind.delete`; `value` is None."""
        said = word("deleted", self.language)
        return self._try(
            lambda: self.mind.delete(reference), lambda _: Shown(None, html.note(escape(said)), said)
        )

    def recall(self, limit: int | None = None) -> Shown:
        """The mind as text for a prompt, letter by letter, and how many tokens it is."""

        def shown(text: str) -> Shown:
            cost = f"{count_tokens(text):,} {word('tokens', self.language)}"
            return Shown(text, f"<pre>{escape(text)}</pre><div class='dim'>{cost}</div>", text)

        return self._try(lambda: self.mind.recall(limit), shown)

    def search(self, question: str, tag: str | None = None, k: int = 5) -> Shown:
        """The `k` best memories with the scores they are made of."""
        found = self.mind.search(question, tag, k)
        rows = [
            [
                str(rank),
                f"<b>{escape(_place(item.memory))}</b>",
                escape(item.memory.content),
                *(f"{item.scores[name]:.3f}" if name in item.scores else "–" for name in ("bm25", "cosine")),
            ]
            for rank, item in enumerate(found, start=1)
        ]
        text = "\n".join(f"{rank}  {_place(item.memory)}" for rank, item in enumerate(found, start=1))
        return Shown(found, html.table(["#", "", "", "bm25", "cosine"], rows, (0, 3, 4)), text)

    def expiring(self, within: str | timedelta = "7d") -> Shown:
        """What will have expired by then, soonest first."""
        found = self.mind.expiring(within)
        rows = [
            [f"<b>{escape(_place(memory))}</b>", escape(memory.content), html.timed(_left(memory))]
            for memory in found
        ]
        shown = html.table([""] * 3, rows) if rows else html.note("–")
        return Shown(found, shown, "\n".join(map(_place, found)) or "–")

    def _try(self, act: Callable[[], T], show: Callable[[T], Shown]) -> Shown:
        try:
            return show(act())
        except LabError as error:
            title = f"<b>{word('refusal', self.language)}</b> "
            return Shown(error, html.note(title + escape(str(error)), "wrong"), str(error))

    def _memory(self, memory: Memory) -> Shown:
        facts: dict[str, object] = {
            _place(memory): memory.content,
            "source": memory.source,
            "verified": memory.verified,
            "confidence": f"{memory.confidence:g}",
            "priority": memory.priority,
            "tags": ", ".join(memory.tags) or "–",
        }
        ends = f"<div>expires_at: {html.timed(_left(memory))}</div>" if memory.expires_at else ""
        mark = "verified" if memory.verified else "unverified"
        return Shown(memory, html.facts(facts) + ends, f"{_place(memory)} [{mark}]: {memory.content}")

    def _changed(self, before: Memory, after: Memory) -> Shown:
        rows = [
            [f"<b>{name}</b>", *(escape(_said(getattr(memory, name))) for memory in (before, after))]
            for name in changed(before, after)
        ]
        titles = ["", word("base", self.language), word("after", self.language)]
        text = "\n".join(changed(before, after)) or "–"
        return Shown(after, html.table(titles, rows) if rows else html.note("–"), text)


class Practice:
    """İpek's mind with what is to be seen in it. `person` and `agent` open it; it is removed when the process
    ends, and what a killed one left behind is removed a day later."""

    def __init__(self, lesson: Lesson) -> None:
        self.lesson, self._server = lesson, servers.up()
        migrate.migrate(self._server)
        _sweep(self._server)
        spoken, stamp = lesson.language, f"{date.today():%Y%m%d}.{secrets.token_hex(4)}"
        self._names = f"{PERSON}.{stamp}", f"{AGENT.of(spoken)}.{stamp}"
        member, agent = self._names
        self.id = credentials.create_mind(self._server, WORKSPACE, _TITLE.of(spoken), (member,))
        self._secret = credentials.issue_human(self._server, WORKSPACE, member, member)
        key = credentials.issue_agent(self._server, WORKSPACE, agent, self.id)
        self._open = [
            Mind.open(self._server, secret, self.id, workspace=WORKSPACE, connections=2)
            for secret in (self._secret, key)
        ]
        self.person, self.agent = (Keeper(mind, spoken) for mind in self._open)
        atexit.register(self.close)

    def __repr__(self) -> str:
        return _TITLE.of(self.lesson.language)

    def __enter__(self) -> Practice:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Removes the mind with all that was stored in it, revokes its credentials. May be called again."""
        atexit.unregister(self.close)
        if not self._open:
            return
        for mind in self._open:
            mind.close()
        self._open = []
        remove_mind(self._server, WORKSPACE, self.id, self._secret)
        credentials.revoke(self._server, WORKSPACE, self._names[0])

    def rights(self) -> Shown:
        """What each kind of credential may do, found out by trying; `value`: action → kind → whether it was
        let."""
        found: dict[str, dict[str, bool]] = {}
        for title, act in _TRIALS:
            found[title.en] = {}
            for kind, keeper in (("person", self.person), ("agent", self.agent)):
                self.person.mind.store("note", "trial_of_person", "Said by a person.")
                self.agent.mind.store("note", "trial_of_agent", "Noted by an agent.")
                try:
                    act(keeper.mind)
                    found[title.en][kind] = True
                except LabError:
                    found[title.en][kind] = False
                for memory in self.person.mind.memories():
                    if memory.key.startswith("trial_"):
                        self.person.mind.delete(memory.id)
        spoken = self.lesson.language
        rows = [
            [title.of(spoken), *("✓" if found[title.en][kind] else "✗" for kind in ("person", "agent"))]
            for title, _ in _TRIALS
        ]
        titles = ["", word("person", spoken), word("agent", spoken)]
        text = "\n".join(f"{row[0]}: {row[1]} {row[2]}" for row in rows)
        return Shown(found, html.table(titles, rows), text)

    def log(self, last: int = 12) -> Shown:
        """The newest lines of the log that are about this mind, oldest first."""
        lines = [line for line in audit.read(self._server, WORKSPACE, 1_000) if line.mind == self.id][-last:]
        rows = [
            [
                escape(line.actor.partition(".")[0]),
                line.kind,
                line.action,
                escape(_outcome(line.detail)),
                escape(line.asked or ""),
            ]
            for line in lines
        ]
        text = "\n".join(f"{row[0]} {row[2]} {row[3]}".rstrip() for row in rows)
        return Shown(lines, html.table([""] * 5, rows), text)

    def fill(self) -> Shown:
        """Stores the exam's notes beside what is here, each by whom it is from; `value`: how many."""
        count = exam.store(self.person.mind, self.agent.mind)
        said = word("stored", self.lesson.language, n=count)
        return Shown(count, html.note(escape(said)), said)

    def effect(self) -> Shown:
        """Asks the exam's questions of all that is stored, writes it to the ledger and shows it; `value`: way
        → group → measures."""
        self.fill()
        outcomes = exam.run(self.agent.mind)
        ways = {way: [outcome for outcome in outcomes if outcome.way == way] for way in exam.WAYS}
        found = {
            way: {group: exam.measure(some) for group, some in exam.by_group(listed).items()}
            for way, listed in ways.items()
        }
        short, searched = (ways[way] for way in exam.WAYS[1:])
        verdict = paired(
            "found",
            [
                (one.question, float(one.rank is not None), float(other.rank is not None))
                for one, other in zip(short, searched, strict=True)
            ],
        )
        reason = f"{exam.WAYS[2]} against {exam.WAYS[1]}: {verdict.words}"
        self._log(found, reason)
        spoken = self.lesson.language
        rows = [
            [
                f"<b>{way}</b>",
                *(f"{groups[name].found:.3f}" for name in ("all", "same", "other")),
                f"{groups['all'].first:.3f}",
                f"{groups['all'].mrr:.3f}",
                f"{groups['all'].tokens:,.0f}",
            ]
            for way, groups in found.items()
        ]
        titles = ["", *(word(name, spoken) for name in ("in_prompt", "same_language", "other_language")),
                  "hit@1", "MRR", word("tokens", spoken)]  # fmt: skip
        body = html.table(titles, rows, tuple(range(1, 7)))
        body += f"<div><b>{word('verdict', spoken)}:</b> {escape(verdict.words)}</div>"
        return Shown(found, body, reason)

    def _log(self, found: dict[str, dict[str, exam.Measures]], reason: str) -> None:
        asked, told = (
            _digest(q for n in exam.notes() for q in n.asked.values()),
            _digest(note.content for note in exam.notes()),
        )
        with writer(self._server) as conn:
            run = book.start(conn, "mind", "all", told, asked)
            for way, groups in found.items():
                book.write(
                    conn,
                    RungRow(
                        run,
                        way,
                        "what of a mind is put into the prompt",
                        {},
                        None,
                        reason if way == exam.WAYS[2] else "",
                        _figures(groups["all"]),
                        {"language": {name: _figures(groups[name]) for name in ("same", "other")}},
                    ),
                    [],
                )


def changed(before: Memory, after: Memory) -> list[str]:
    """Names of the fields that differ, when they were written aside."""
    return [name for name in _FIELDS if getattr(before, name) != getattr(after, name)]


_NEW = "Another text."
_TRIALS: tuple[tuple[Words, Callable[[Mind], object]], ...] = (
    (Words("store", "saklamak"), lambda mind: mind.store("note", "trial_new", _NEW)),
    (
        Words("store with confidence 1", "1 güvenle saklamak"),
        lambda mind: mind.store("note", "trial_new", _NEW, confidence=1.0),
    ),
    (
        Words("update what an agent stored", "ajanın sakladığını değiştirmek"),
        lambda mind: mind.update("note/trial_of_agent", content=_NEW),
    ),
    (
        Words("update what a person stored", "kişinin sakladığını değiştirmek"),
        lambda mind: mind.update("note/trial_of_person", content=_NEW),
    ),
    (
        Words("store over what a person stored", "kişinin sakladığının üstüne yazmak"),
        lambda mind: mind.store("note", "trial_of_person", _NEW),
    ),
    (Words("verify", "doğrulamak"), lambda mind: mind.verify("note/trial_of_agent")),
    (
        Words("delete what an agent stored", "ajanın sakladığını silmek"),
        lambda mind: mind.delete("note/trial_of_agent"),
    ),
    (
        Words("delete what a person stored", "kişinin sakladığını silmek"),
        lambda mind: mind.delete("note/trial_of_person"),
    ),
)


def _sweep(server: servers.Server) -> None:
    """Removes practice minds of earlier days: their processes were killed."""
    today = f"{date.today():%Y%m%d}"
    for mind, _, members in credentials.minds(server, WORKSPACE):
        for member in members:
            if member.count(".") == 2 and member.split(".")[1] < today:
                name = f"sweep.{secrets.token_hex(8)}"
                secret = credentials.issue_human(server, WORKSPACE, name, member)
                remove_mind(server, WORKSPACE, mind, secret)
                credentials.revoke(server, WORKSPACE, name)


def _place(memory: Memory) -> str:
    return f"{memory.category}/{memory.key}"


def _left(memory: Memory) -> str:
    """How long until it expires, to a tenth of the unit."""
    if memory.expires_at is None:
        return "–"
    seconds = (memory.expires_at - datetime.now(UTC)).total_seconds()
    return f"{seconds / 86_400:.1f} d" if seconds > 86_400 else f"{seconds:.1f} s"


def _said(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _outcome(detail: str) -> str:
    return str(json.loads(detail).get("outcome", ""))


def _figures(measures: exam.Measures) -> dict[str, float]:
    return {
        "n": measures.n,
        "in context": measures.found,
        "hit@1": measures.first,
        "mrr": measures.mrr,
        "prompt_tokens": measures.tokens,
        "calls": 0.0,
    }


def _digest(texts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()
