"""LoCoMo's questions asked of the lab: turns as memories, each conversation a module that one role reads."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

import numpy as np

from lab.benchmarks.locomo.dataset import CATEGORIES, Conversation, Dataset, Question, Session, Turn
from lab.kinds import Chunk, Document, Label, Sight
from lab.memory import search, talk, write
from lab.memory.connect import reader
from lab.memory.server import Server
from lab.memory.talk import Weights
from lab.memory.visibility import Connection, looking
from lab.models.embedders import Embedder
from lab.text import count_tokens, language_of

COLLECTION = "turn"
TOP = 10
FITTED = 5
"""The weights of `lab.memory.talk` were chosen on so many conversations, the first ones."""
Say = Callable[[str], None]

_NONE: tuple[float, ...] = ()
ABLATIONS: dict[str, Weights] = {
    "without words": Weights(words=0.0),
    "without the first embedder": Weights(vectors=(0.0, 1.0)),
    "without the second embedder": Weights(vectors=(1.0, 0.0)),
    "without turns before": Weights(before=_NONE),
    "without turns after": Weights(after=_NONE),
    "without neighbours": Weights(before=_NONE, after=_NONE),
    "without speakers": Weights(speaker=0.0),
    "without periods": Weights(period=0.0),
}


@dataclass(frozen=True, slots=True)
class Loaded:
    """A file's conversations in the database. `embedders`: the first is the one plain vector search uses."""

    dataset: Dataset
    workspace: str
    embedders: tuple[Embedder, ...]
    languages: dict[str, str]
    """By conversation."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question by one way. `found`: places of turns, best first. `ms` with the question's embedding."""

    question: Question
    conversation: int
    found: tuple[str, ...]
    tokens: int
    ms: float

    @property
    def any(self) -> bool:
        return bool(set(self.question.evidence) & set(self.found))

    @property
    def all(self) -> bool:
        """Whether every turn of the evidence was found; never without evidence."""
        return bool(self.question.evidence) and set(self.question.evidence) <= set(self.found)


@dataclass(frozen=True, slots=True)
class Measures:
    """Over some questions: shares in 0 … 1 with some or all of the evidence in the first ten, mean tokens of
    their text (cl100k_base), milliseconds."""

    n: int
    any: float
    all: float
    tokens: float
    median_ms: float
    p95_ms: float


def documents(conversation: Conversation, language: str) -> list[Document]:
    """One a session."""
    return [
        Document(
            id=sitting(conversation, session),
            title=f"{conversation.speakers[0]} and {conversation.speakers[1]}",
            edition=str(session.when.year),
            department="",
            access=conversation.id,
            language=language,
            valid_from=session.when.date(),
            valid_to=None,
            kind="talk",
            source=f"{conversation.id}/{session.number}",
            text="\n".join(map(said, session.turns)),
            fingerprint="",
        )
        for session in conversation.sessions
    ]


def turns(conversation: Conversation, session: Session, language: str) -> list[Chunk]:
    """One chunk a turn; who says it is its heading."""
    day = session.when.date()
    label = Label(str(session.when.year), day, None, "none", conversation.id, language, "")
    return [
        Chunk(
            id=key_of(conversation, turn.place),
            chunker=COLLECTION,
            document=sitting(conversation, session),
            section=str(at),
            sections=(str(at),),
            ordinal=at,
            title=f"{day:%Y-%m-%d}",
            heading=turn.speaker,
            text=said(turn),
            search_text=said(turn),
            label=label,
        )
        for at, turn in enumerate(session.turns)
    ]


def said(turn: Turn) -> str:
    """A turn as it is stored, embedded and shown: who, what, and what a shared picture shows."""
    return f"{turn.speaker}: {turn.text}" + (f" [{turn.caption}]" if turn.caption else "")


def sitting(conversation: Conversation, session: Session) -> str:
    return f"{conversation.id}/{session.number:03}"


def key_of(conversation: Conversation, place: str) -> str:
    return f"{COLLECTION}:{conversation.id}/{place}"


def load(
    server: Server, dataset: Dataset, embedders: tuple[Embedder, ...], say: Say = lambda _: None
) -> Loaded:
    """Stores the conversations in a workspace of the file's own; what is stored already is left as it is."""
    workspace = f"locomo-{dataset.fingerprint[:8]}"
    languages = {
        item.id: language_of(" ".join(turn.text for s in item.sessions[:5] for turn in s.turns))
        for item in dataset.conversations
    }
    chunks: dict[str, list[Chunk]] = {}
    given: list[Document] = []
    for item in dataset.conversations:
        language = languages[item.id]
        given += documents(item, language)
        for session in item.sessions:
            chunks[sitting(item, session)] = turns(item, session, language)
        write.allow(server, workspace, item.id, {item.id})
    if not write.holds(server, workspace, {embedder.space for embedder in embedders}):
        say(f"{sum(map(len, chunks.values())):,} turns are embedded and stored")
        write.ingest(
            server, given, lambda document: chunks[document.id], embedders=embedders, workspace=workspace
        )
    return Loaded(dataset, workspace, embedders, languages)


def eyes(loaded: Loaded, conversation: Conversation) -> Sight:
    """Of who took part in this conversation and no other."""
    return Sight(frozenset({conversation.id}), None, workspace=loaded.workspace)


@dataclass(frozen=True, slots=True)
class Arm:
    """A way to search. `weights` None: cosine of one embedder alone (its place in `Loaded.embedders`), or
    words alone (place None)."""

    name: str
    weights: Weights | None = None
    embedder: int | None = 0


def arms(loaded: Loaded, ablate: bool) -> list[Arm]:
    """Plain vector search, the lab's, and with `ablate` each part alone and left out."""
    found = [Arm("vector"), Arm("lab", Weights())]
    if ablate:
        found += [Arm(f"vector {item.spec}", None, at) for at, item in enumerate(loaded.embedders) if at]
        found += [Arm("words", None, None)]
        several = len(loaded.embedders) > 1
        found += [Arm(name, w) for name, w in ABLATIONS.items() if several or "embedder" not in name]
    return found


def run(
    server: Server, loaded: Loaded, chosen: Sequence[Arm], say: Say = lambda _: None
) -> dict[str, list[Outcome]]:
    """Every question by every arm, one question after the other. Questions are embedded past every cache, and
    an arm's `ms` hold the embeddings it uses."""
    bases = [getattr(embedder, "base", embedder) for embedder in loaded.embedders]
    asked = [(item, question) for item in loaded.dataset.conversations for question in item.questions]
    for base in bases:
        base.queries([asked[0][1].text])  # loads the weights
    outcomes: dict[str, list[Outcome]] = {arm.name: [] for arm in chosen}
    days = {
        key_of(item, turn.place): session.when.date()
        for item in loaded.dataset.conversations
        for session in item.sessions
        for turn in session.turns
    }
    with reader(server) as connection:
        connection.autocommit = True
        warm = [(bases[at], base.queries([asked[0][1].text])[0]) for at, base in enumerate(bases)]
        for arm in chosen:
            answer(connection, loaded, asked[0][0], asked[0][1].text, arm, [v for _, v in warm])
        for number, (item, question) in enumerate(asked, 1):
            vectors, costs = [], []
            for base in bases:
                start = time.perf_counter()
                vectors.append(base.queries([question.text])[0])
                costs.append((time.perf_counter() - start) * 1000)
            for arm in chosen:
                start = time.perf_counter()
                chunks = answer(connection, loaded, item, question.text, arm, vectors)
                ms = (time.perf_counter() - start) * 1000
                if arm.weights is not None:
                    ms += sum(costs)
                elif arm.embedder is not None:
                    ms += costs[arm.embedder]
                outcomes[arm.name].append(
                    Outcome(
                        question, item.number, tuple(chunk.id.partition("/")[2] for chunk in chunks),
                        count_tokens(context(chunks, days)), ms,
                    )
                )  # fmt: skip
            if number % 200 == 0:
                say(f"{number:,} of {len(asked):,} questions")
    return outcomes


def answer(
    connection: Connection,
    loaded: Loaded,
    conversation: Conversation,
    question: str,
    arm: Arm,
    vectors: Sequence[np.ndarray],
) -> list[Chunk]:
    """The first ten turns of one conversation by one arm, best first."""
    language = language_of(question)
    if language == "und":
        language = loaded.languages[conversation.id]
    near = [(embedder.space, vector) for embedder, vector in zip(loaded.embedders, vectors, strict=True)]
    with looking(connection, eyes(loaded, conversation)) as view:
        if arm.weights is not None:
            found = talk.by_talk(view, question, near, language, TOP, COLLECTION, arm.weights)
        elif arm.embedder is not None:
            space, vector = near[arm.embedder]
            found = search.by_vector(view, space, vector, TOP, COLLECTION)
        else:
            found = search.by_words(view, question, language, TOP, COLLECTION)
        return list(search.fetch(view, [key for key, _ in found]).values())


def context(chunks: Sequence[Chunk], days: dict[str, date]) -> str:
    """What a model would read: the turns in the order of saying, under the day of their sitting."""
    ordered = sorted(chunks, key=lambda chunk: (days[chunk.id], chunk.document, chunk.ordinal))
    parts = []
    for (_, day), group in groupby(ordered, key=lambda chunk: (chunk.document, days[chunk.id])):
        parts.append("\n".join([f"{day.day} {day:%B %Y}:", *(f"- {chunk.text}" for chunk in group)]))
    return "\n".join(parts)


def measure(outcomes: Sequence[Outcome]) -> Measures:
    """Means over at least one outcome."""
    times = sorted(outcome.ms for outcome in outcomes)
    return Measures(
        len(outcomes),
        statistics.fmean(outcome.any for outcome in outcomes),
        statistics.fmean(outcome.all for outcome in outcomes),
        statistics.fmean(outcome.tokens for outcome in outcomes),
        statistics.median(times),
        times[min(len(times) - 1, int(0.95 * len(times)))],
    )


def by_group(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """`all`; the conversations the weights were chosen on (`1-5`) and the others (`6-`); categories of both
    together and of the others alone. Groups without a question are left out."""
    held = [outcome for outcome in outcomes if outcome.conversation > FITTED]
    groups = {
        "all": list(outcomes),
        f"1-{FITTED}": [outcome for outcome in outcomes if outcome.conversation <= FITTED],
        f"{FITTED + 1}-": held,
    }
    for name in CATEGORIES.values():
        groups[name] = [outcome for outcome in outcomes if outcome.question.category == name]
    for name in CATEGORIES.values():
        groups[f"{FITTED + 1}-, {name}"] = [outcome for outcome in held if outcome.question.category == name]
    return {name: listed for name, listed in groups.items() if listed}
