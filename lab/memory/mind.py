"""A mind: what one person and their agents remember, opened with a credential."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from enum import Enum

from lab.kinds import LabError
from lab.memory import mind_reads, mind_rows, model
from lab.memory.embeddings import forget_recent
from lab.memory.mind_reads import Found
from lab.memory.mind_rows import embedded_part
from lab.memory.mind_session import Refused, Session, not_there
from lab.memory.model import Memory


class Keep(Enum):
    """`KEEP` leaves a field as it is, where None says something."""

    KEEP = "keep"


KEEP = Keep.KEEP


class Mind(Session):
    """Store, change and recall memories of one mind, as one credential may. For several threads.

    A write, its vector, its postings and its row in the log are one transaction; a read is logged before it
    is handed out. After a LabError nothing was written, save a row in the log where something was refused."""

    # Writing -----------------------------------------------------------------------------------------------

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
    ) -> Memory:
        """Stores a memory, or, where (category, key) is known, makes it exactly this: what is not given takes
        its default again. A retry stores nothing twice.

        A person's memory is verified, with confidence 1; an agent's is not, with 0.7. An agent can't store
        over what a person stored."""
        agent = self.credential.agent
        given = Memory(
            id=mind_rows.new_id(),
            mind_id=self.id,
            category=model.category(category),
            key=model.key(key),
            content=model.content(content),
            tags=model.tags(tags),
            priority=model.priority(priority),
            source="agent" if agent else "user",
            verified=not agent,
            confidence=(model.AGENTS if agent else model.PERSONS)
            if confidence is None
            else model.confidence(confidence, agent=agent),
            expires_at=None if expires is None else model.moment(expires),
            created_at=datetime.min,
            updated_at=datetime.min,
        )
        vector = self._vector(given.content)
        with self._writing("store") as connection:
            known = mind_rows.find(connection, self.workspace, self.id, f"{category}/{key}")
            if known is None:
                stored, outcome = mind_rows.insert(connection, self.workspace, given, vector), "added"
            else:
                serial, before = known
                self._may_change(before)
                after = replace(
                    given, id=before.id, created_at=before.created_at, updated_at=before.updated_at
                )
                stored, outcome = self._changed(connection, serial, before, after, vector)
            self._log(connection, "store", [stored.id], outcome=outcome)
        if known is not None:
            self._forget(known[1], stored)
        return stored

    def update(
        self,
        reference: str,
        *,
        content: str | None = None,
        tags: Iterable[str] | None = None,
        priority: str | None = None,
        confidence: float | None = None,
        expires: str | datetime | timedelta | Keep | None = KEEP,
    ) -> Memory:
        """Changes what is given and nothing else, by id or `category/key`; `expires=None`: never.

        One exception: new words of an agent are unverified, and no surer than an agent may be, whatever a
        person had said of the old ones. Expired memories can be changed too."""
        agent = self.credential.agent
        new = None if content is None else model.content(content)
        new_tags = None if tags is None else model.tags(tags)
        new_priority = None if priority is None else model.priority(priority)
        sure = None if confidence is None else model.confidence(confidence, agent=agent)
        ends = KEEP if expires is KEEP else None if expires is None else model.moment(expires)
        if ends is KEEP and all(item is None for item in (new, new_tags, new_priority, sure)):
            raise LabError("Nothing was given to change.", "Content, tags, priority, confidence or expiry.")
        vector = None if new is None else self._vector(new)
        with self._writing("update", reference) as connection:
            serial, before = self._found(connection, reference)
            self._may_change(before)
            after = replace(
                before,
                content=before.content if new is None else new,
                tags=before.tags if new_tags is None else new_tags,
                priority=before.priority if new_priority is None else new_priority,
                confidence=before.confidence if sure is None else sure,
                expires_at=before.expires_at if ends is KEEP else ends,
            )
            if agent and after.content != before.content:
                capped = model.AGENTS if after.confidence > model.AGENTS_MOST else after.confidence
                after = replace(after, verified=False, confidence=capped)
            changed, outcome = self._changed(connection, serial, before, after, vector)
            self._log(connection, "update", [changed.id], outcome=outcome)
        self._forget(before, changed)
        return changed

    def verify(self, reference: str) -> Memory:
        """A person stands by the memory. An agent can't."""
        with self._writing("verify", reference) as connection:
            if self.credential.agent:
                raise Refused(
                    "An agent's credential verifies nothing.",
                    "A person's does.",
                    "Ask a person of this mind: `lab mind verify`.",
                )
            serial, before = self._found(connection, reference)
            verified, outcome = self._changed(
                connection, serial, before, replace(before, verified=True), None
            )
            self._log(connection, "verify", [verified.id], outcome=outcome)
        return verified

    def delete(self, reference: str) -> None:
        """Removes the memory with its vectors, its postings and its cached embedding. An agent deletes only
        what agents stored. The log keeps the id."""
        with self._writing("delete", reference) as connection:
            serial, memory = self._found(connection, reference)
            self._may_change(memory)
            mind_rows.remove(connection, self.workspace, serial, memory)
            self._log(connection, "delete", [memory.id])
        forget_recent([embedded_part(memory.content)])

    # Reading -----------------------------------------------------------------------------------------------

    def get(self, reference: str) -> Memory:
        """One memory by id or `category/key`. LabError when it is not there, has expired or is another's."""
        model.words(reference, "The reference")
        with self._looking() as view:
            memory = mind_reads.get(view, self.id, reference)
        self._log_read("get", [memory] if memory else [], reference)
        if memory is None:
            raise not_there(reference)
        return memory

    def recall(self, limit: int | None = None) -> str:
        """The mind as text for a prompt: critical → low, then newest first; the header counts all."""
        if limit is not None and limit < 0:
            raise LabError(f"The limit is {limit}.", "0 or more.")
        with self._looking() as view:
            name = mind_reads.name_of(view, self.id) or self.id
            total, verified = mind_reads.counts(view, self.id)
            memories = mind_reads.by_importance(view, self.id, limit)
        self._log_read("recall", memories)
        return recalled(name, total, verified, memories)

    def memories(self, limit: int | None = None) -> list[Memory]:
        """What `recall` writes, as memories in its order."""
        with self._looking() as view:
            found = mind_reads.by_importance(view, self.id, limit)
        self._log_read("memories", found)
        return found

    def search(self, question: str, tag: str | None = None, k: int = 10) -> list[Found]:
        """The `k` best for a question by words and meaning, best first; with `tag` only among those that
        have it."""
        model.words(question, "The question")
        if not question.strip():
            raise LabError("The question is empty.", "Some words.")
        if k < 1:
            raise LabError(f"k is {k}.", "1 or more.")
        query = self._embedder.queries([embedded_part(question)])[0]
        with self._looking() as view:
            found = mind_reads.search(view, self.id, question, k, _tag(tag), (self._embedder.space, query))
        self._log_read("search", [item.memory for item in found], question, tag=tag)
        return found

    def by_tag(self, tag: str) -> list[Memory]:
        """Those with the tag, newest first; case does not count, İ I ı and i are one letter."""
        name = _tag(tag)
        assert name is not None
        with self._looking() as view:
            found = mind_reads.by_tag(view, self.id, name)
        self._log_read("by_tag", found, name)
        return found

    def expiring(self, within: str | timedelta = "7d") -> list[Memory]:
        """Those that will have expired by then, soonest first."""
        wait = model.span(within)
        with self._looking() as view:
            found = mind_reads.expiring(view, self.id, wait)
        self._log_read("expiring", found, str(within))
        return found


def recalled(name: str, total: int, verified: int, memories: Sequence[Memory]) -> str:
    """A mind as plain text. Each line of a content is indented, so that none can pass for an entry."""
    lines = [
        f"Mind: {name}",
        f"Memories: {total} total ({verified} verified, {total - verified} unverified)",
    ]
    for number, memory in enumerate(memories, 1):
        mark = "verified" if memory.verified else "unverified"
        lines += [
            "",
            f"[{number:03}] {memory.category} ({memory.priority.upper()}) [{mark}]",
            f"  {memory.key}",
        ]
        lines += [f"  {line}" for line in memory.content.splitlines()]
        if memory.tags:
            lines.append(f"  Tags: {', '.join(memory.tags)}")
    if len(memories) < total:
        lines += ["", "..."]
    return "\n".join(lines) + "\n"


def _tag(tag: str | None) -> str | None:
    return None if tag is None else next(iter(model.tags([tag])))
