"""The exam: an episode is played turn by turn into the lab's database; each question is asked after its turn.

Every form of a turn is a record whose module is the circle that reads it; a principal's role opens the
circles he is in. What is forgotten goes through `records.forget_all`. So the database, not this module,
decides what is returned."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from lab.benchmarks.gatemem.episodes import Checkpoint, Episode, Turn
from lab.benchmarks.gatemem.people import People, people
from lab.benchmarks.gatemem.rights import Rights, related
from lab.kinds import Sight
from lab.memory import records, search, write
from lab.memory.connect import reader
from lab.memory.gather import fetch_found
from lab.memory.recall import Recipe, hybrid
from lab.memory.records import Record
from lab.memory.server import Server
from lab.memory.visibility import Connection, looking
from lab.models.embedders import Embedder
from lab.text import count_tokens, fold, language_of

TOP = 10
"""Memories returned by every arm."""
ARMS: Mapping[str, str] = {
    "plain": "vector search over all turns, no rights",
    "hybrid": "the lab's hybrid search over all turns, no rights",
    "relations": "vector search over the turns of the asker's rooms",
    "rules": "hybrid search; relationships, restrictions and deletions",
    "closed": "as rules; what was not understood remains with its speaker",
}
EVERYTHING = "everything"
ANSWERS = frozenset({"yes", "no", "evet", "hayir"})
"""Leak targets that are no strings of a memory: any text holds them."""
SOURCE = "episode"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question by one arm. `leaked` and `returned` are the strings that stood in the context."""

    checkpoint: Checkpoint
    episode: str
    leaked: tuple[str, ...]
    asked_for: tuple[str, ...]
    """The leak targets counted."""
    returned: tuple[str, ...]
    tokens: int

    @property
    def targets(self) -> int:
        return len(self.asked_for)


@dataclass
class Stage:
    """A workspace while an episode is played: what of each turn is stored for whom."""

    server: Server
    workspace: str
    embedder: Embedder
    people: People
    stored: dict[int, dict[str, frozenset[str]]] = field(default_factory=dict)
    circles: set[frozenset[str]] = field(default_factory=set)

    def bring(self, turns: Sequence[Turn], wanted: Mapping[int, Mapping[str, frozenset[str]]]) -> None:
        """Makes the memories those that are `wanted`: forgets what is no longer, writes what is new."""
        stale: list[tuple[str, str]] = []
        fresh: list[Record] = []
        for at, forms in wanted.items():
            before = self.stored.get(at, {})
            if before == forms:
                continue
            stale += [
                (SOURCE, _key(turns[at], text, who)) for text, who in before.items() if forms.get(text) != who
            ]
            fresh += [
                Record(SOURCE, _key(turns[at], text, who), turns[at].at, circle(who), text, language_of(text))
                for text, who in forms.items()
                if before.get(text) != who
            ]  # fmt: skip
            self.stored[at] = dict(forms)
        if stale:
            records.forget_all(self.server, stale, workspace=self.workspace)
        if fresh:
            records.sync(
                self.server, fresh, workspace=self.workspace, embedders=[self.embedder], maintain=False
            )
        self._admit({who for forms in wanted.values() for who in forms.values()})

    def _admit(self, circles: set[frozenset[str]]) -> None:
        new = circles - self.circles
        if not new:
            return
        self.circles |= new
        admitted = {
            role(who): {circle(c) for c in self.circles if who in c} for who in frozenset[str]().union(*new)
        }
        admitted[EVERYTHING] = {circle(c) for c in self.circles}
        write.allow_all(self.server, self.workspace, admitted)

    def clear(self) -> None:
        """Forgets all that is stored in the workspace, and whoever was admitted."""
        known = records.keys(self.server, self.workspace)
        if known:
            records.forget_all(self.server, known, workspace=self.workspace)
        write.allow_all(
            self.server, self.workspace, dict.fromkeys(write.roles(self.server, self.workspace), ())
        )


def role(principal: str) -> str:
    return f"principal:{principal}"


def workspace(episode: Episode) -> str:
    """What the names of the episode's workspaces begin with."""
    return "gatemem-" + hashlib.sha256(episode.id.encode()).hexdigest()[:12]


def circle(readers: frozenset[str]) -> str:
    """The module of what exactly these may read."""
    return "circle-" + hashlib.sha256("\0".join(sorted(readers)).encode()).hexdigest()[:16]


def _key(turn: Turn, text: str, who: frozenset[str]) -> str:
    return f"{turn.id}/{hashlib.sha256((circle(who) + text).encode()).hexdigest()[:12]}"


def play(
    server: Server, embedder: Embedder, episode: Episode, say: Callable[[str], None] = lambda _: None
) -> tuple[dict[str, list[Asked]], Rights]:
    """Arm → the questions of `episode` in their order; and what the rules made of its turns."""
    who = people(episode)
    name = workspace(episode)
    stages = {arm: Stage(server, f"{name}-{arm}", embedder, who) for arm in ("open", "rules", "closed")}
    rights = {"rules": Rights(who), "closed": Rights(who, closed=True)}
    asked: dict[str, list[Asked]] = {arm: [] for arm in ARMS}
    turns, heard = episode.turns, 0
    order = {turn.id: at for at, turn in enumerate(turns)}
    for stage in stages.values():
        stage.clear()
    embedder.passages([turn.text for turn in turns])
    try:
        with reader(server) as connection:
            connection.autocommit = True
            for checkpoint in episode.checkpoints:
                until = order[checkpoint.turn] + 1
                if until > heard:
                    for turn in turns[heard:until]:
                        for state in rights.values():
                            state.hear(turn)
                    stages["open"].bring(
                        turns, {at: {turns[at].text: related(who, turns[at])} for at in range(heard, until)}
                    )
                    for arm, state in rights.items():
                        stages[arm].bring(turns, {at: state.variants(at) for at in range(until)})
                    heard = until
                vector = embedder.queries([checkpoint.query])[0]
                for arm in ARMS:
                    stage = stages.get(arm, stages["open"])
                    eyes = Sight(
                        frozenset({role(checkpoint.asker) if arm in ("relations", *rights) else EVERYTHING}),
                        turns[until - 1].at.date(),
                        workspace=stage.workspace,
                    )
                    lines = ask(
                        connection,
                        eyes,
                        checkpoint.query,
                        embedder.space,
                        vector,
                        arm not in ("plain", "relations"),
                    )
                    asked[arm].append(score(episode, checkpoint, lines))
    finally:
        for stage in stages.values():
            stage.clear()
    return asked, rights["rules"]


def ask(
    connection: Connection, eyes: Sight, query: str, space: str, vector: np.ndarray, mixed: bool
) -> list[str]:
    """The contents of the first ten memories that `eyes` see, best first."""
    with looking(connection, eyes) as view:
        if not view.modules:
            return []
        if mixed:
            near = dict(list(hybrid(view, query, space, vector, Recipe()).items())[:TOP])
        else:
            near = dict(search.by_vector(view, space, vector, TOP, records.COLLECTION))
        found = {item.id: item.content for item in fetch_found(view, near, (), space, vector)}
    return [found[key] for key in near]


def score(episode: Episode, checkpoint: Checkpoint, lines: Sequence[str]) -> Asked:
    """By string on the context, whatever the case; `include` are patterns, leak targets whole words."""
    context = fold("\n".join(lines))
    targets = [target for target in checkpoint.leaks if fold(target) not in ANSWERS]
    return Asked(
        checkpoint,
        episode.id,
        tuple(t for t in targets if re.search(rf"(?<!\w){re.escape(fold(t))}(?!\w)", context)),
        tuple(targets),
        tuple(p for p in checkpoint.include if _stands(p, context)),
        count_tokens("\n".join(lines)),
    )


def _stands(pattern: str, context: str) -> bool:
    if fold(pattern) in context:
        return True
    try:
        return re.search(fold(pattern), context) is not None
    except re.error:
        return False
