"""What each principal may read of each turn, as the turns go by: relationships, restrictions, deletions.

The rules are in lab/corpus/RESTRICTIONS.md. Nothing here knows a query, an asker or what an examiner holds
for a leak."""

from __future__ import annotations

import functools
import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from lab.benchmarks.gatemem.episodes import Turn
from lab.benchmarks.gatemem.people import People, Ring
from lab.corpus import restrictions
from lab.corpus.restrictions import Deletion, Restriction, Scope
from lab.corpus.sentences import sentences
from lab.corpus.values import Value, values
from lab.text import fold, language_of, lexemes

WITHHELD, DELETED = "[withheld]", "[deleted]"
NEAR = 3
"""Turns back in which the speaker's own last words are looked for when a restriction speaks of none."""
TALKERS = frozenset({"agent", "assistant", "bot", "system"})
"""Roles that are in no room and answer those who are."""
COMMANDS = frozenset({"delete", "do not retain", "sil", "saklama"})
"""Rules that ask for something; the others tell what became of a value."""


@dataclass(slots=True)
class Statement:
    """A sentence of a turn. `readers` None: the room's; else who its own restriction leaves."""

    text: str
    speaker: str
    room: str | None
    language: str
    values: list[Value]
    words: frozenset[str]
    folded: str
    marks: frozenset[bytes]
    """Of every run of its words that a deletion could name."""
    named: frozenset[str]
    """Principals it mentions."""
    readers: frozenset[str] | None = None
    open: bool = False
    dropped: bool = False
    doubtful: bool = False
    """Sounds like a rule, and none was understood."""


@dataclass(slots=True)
class Rights:
    """The state after the turns heard so far. `closed`: what sounds like a restriction and is not understood
    remains with its speaker."""

    people: People
    closed: bool = False
    turns: list[list[Statement]] = field(default_factory=list)
    held: dict[str, frozenset[str]] = field(default_factory=dict)
    """Folded value → who may read it: a restriction follows its value."""
    erased: set[bytes] = field(default_factory=set)
    """SHA-256 of folded values: enough to know one when it is said again, not enough to say it."""
    last: str | None = None
    """The room of the turn before."""
    home: dict[str, str] = field(default_factory=dict)
    """Folded value → the room it was first said in."""
    gone: dict[str, set[str]] = field(default_factory=dict)
    """Principal → rooms his access to has ended."""
    doubts: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(kind, sentence) that may restrict or remove something and was not understood."""

    def hear(self, turn: Turn) -> None:
        language = language_of(turn.text)
        room = self.people.room(turn.text, turn.speaker)
        if room is None and self.people.principals[turn.speaker].role in TALKERS:
            room = self.last  # an answer is about what was spoken of
        self.last = room
        heard: list[Statement] = []
        removals: list[tuple[Statement, Deletion]] = []
        self.turns.append(heard)
        for text in sentences(turn.text, "tr" if language == "tr" else "en"):
            own = self.people.room(text, turn.speaker)
            said = Statement(
                text, turn.speaker, own if own is not None else room, language,
                values(text, language, self.people.known), frozenset(lexemes(text, language)),
                fold(text), _marks(text), self.people.mentioned(text),
            )  # fmt: skip
            self._place(said)
            heard.append(said)
            if restrictions.lost(text):
                self._end(said)
            if removal := restrictions.deletion(text, language):
                removals.append((said, removal))
            elif rule := restrictions.restriction(text):
                self._restrict(said, rule, heard)
            elif said.values and (cue := restrictions.cue(text)):
                said.doubtful = True
                self.doubts[f"a value beside “{cue}”", text] += 1
        if removals:
            self._remove(heard, removals)

    def _place(self, said: Statement) -> None:
        """What is about no room is about the one its values are known from."""
        own = [fold(value.text) for value in said.values if value.kind != "quoted"]
        if said.room is None:
            said.room = next((self.home[key] for key in own if key in self.home), None)
        if said.room is not None:
            for key in own:
                self.home.setdefault(key, said.room)

    # Restrictions ----------------------------------------------------------------------------------------

    def _restrict(self, said: Statement, rule: Restriction, heard: list[Statement]) -> None:
        if rule.scope == Scope.OPEN:
            said.open = True
            return
        readers = self._readers(said, rule)
        aims = [said]
        concrete = [value for value in said.values if value.kind != "quoted"]
        if rule.back or not concrete:
            earlier = heard[:-1] or self._last(said.speaker)
            aims = [*earlier, said] if rule.back else [*(s for s in earlier if s.values), said]
        for aim in aims:
            if aim.open:
                continue
            aim.readers = readers if aim.readers is None else aim.readers & readers
            for value in aim.values:
                if value.kind != "quoted" and not restrictions.stands_open(aim.text, value.start):
                    key = fold(value.text)
                    self.held[key] = self.held.get(key, readers) & readers | {said.speaker}

    def _readers(self, said: Statement, rule: Restriction) -> frozenset[str]:
        everyone = self._base(said, Ring.MINOR) | {said.speaker}
        inner = self._base(said, Ring.CORE) | {said.speaker}
        match rule.scope:
            case Scope.SELF:
                return frozenset({said.speaker})
            case Scope.CORE:
                return inner
        named = self.people.meant(rule.who, said.speaker)
        if rule.scope == Scope.ONLY:
            if not named - {said.speaker} and not restrictions.self_meant(rule.who):
                if not restrictions.is_place(rule.who):
                    self.doubts["who is meant by a restriction", said.text] += 1
                return inner
            return named | {said.speaker}
        if not named:
            self.doubts["who is kept out by a restriction", said.text] += 1
            return inner
        return everyone - (named - {said.speaker})

    def _last(self, speaker: str) -> list[Statement]:
        for turn in reversed(self.turns[-NEAR - 1 : -1]):
            if turn and turn[0].speaker == speaker:
                return turn
        return []

    def _end(self, said: Statement) -> None:
        named = self.people.mentioned(said.text) or frozenset({said.speaker})
        for who in named:
            for room in self.people.rooms_of(who) if said.room is None else [said.room]:
                if room in self.people.rooms and self.people.rooms[room].get(who) == Ring.OUTER:
                    self.gone.setdefault(who, set()).add(room)

    # Deletions -------------------------------------------------------------------------------------------

    def _remove(self, heard: list[Statement], removals: list[tuple[Statement, Deletion]]) -> None:
        explicit = [text for said, _ in removals for text in self._explicit(said)]
        for text in explicit:
            self.erased.add(_mark(text))
        standing = {
            fold(value.text)
            for said in heard
            for value in said.values
            if restrictions.stands(said.text, value.start)
        }
        for said, removal in removals:
            if removal.rule not in COMMANDS or not removal.about or explicit:
                continue
            aims = self._meant(said, removal)
            chosen = [text for text in aims if fold(text) not in standing]
            if removal.earlier and len(chosen) > 1 and len(chosen) == len(aims):
                chosen = chosen[:-1]
            self.erased.update(map(_mark, chosen))
            if chosen:
                continue
            whole = [
                s for turn in self.turns[:-1] for s in turn if removal.whole and removal.about <= s.words
            ]  # fmt: skip
            for s in whole:
                s.dropped = True
            if not whole:
                self.doubts["what a deletion removes", said.text] += 1

    def _explicit(self, said: Statement) -> list[str]:
        """Values that the deletion itself names: codes before amounts before quotations before names."""
        meant = [v for v in said.values if not restrictions.stands(said.text, v.start)]
        inner: list[Value] = []
        for value in meant:
            if value.kind == "quoted":
                parts = values(value.text.split("=")[-1], said.language, self.people.known)
                whole = Value(value.text, "code", value.start, value.of)
                inner += parts or ([whole] if "=" not in value.text else [])
            else:
                inner.append(value)
        for kinds in (("code", "mail", "phrase", "time"), ("amount",), ("name",)):
            if found := [v.text for v in inner if v.kind in kinds]:
                return found
        return []

    def _meant(self, said: Statement, removal: Deletion) -> list[str]:
        """Earlier values whose words best meet what is to go, oldest first."""
        met: dict[str, tuple[int, str]] = {}
        names = {lexeme for word in self.people.known for lexeme in lexemes(word, said.language)}
        about = removal.about - names
        for turn in self.turns[:-1]:
            for earlier in turn:
                if earlier.room not in (said.room, None):
                    continue
                for value in earlier.values:
                    if value.kind != "quoted" and (shared := len(value.of & about)):
                        key = fold(value.text)
                        met[key] = max(met.get(key, (0, "")), (shared, value.text))
        best = max((shared for shared, _ in met.values()), default=0)
        return [text for shared, text in met.values() if shared == best]

    # Reading ---------------------------------------------------------------------------------------------

    def _base(self, said: Statement, upto: Ring) -> frozenset[str]:
        if said.room is None:
            return frozenset(self.people.everybody)
        return self.people.members(said.room, upto)

    def _full(self, said: Statement) -> frozenset[str]:
        """Who reads the sentence as it was said."""
        outer = frozenset() if said.room is None else self.people.members(said.room) & said.named
        readers = self._base(said, Ring.MINOR) | outer | {said.speaker}
        if said.readers is not None:
            readers = said.readers
        elif self.closed and said.doubtful:
            readers = frozenset({said.speaker})
        return readers - self._ended(said)

    def _ended(self, said: Statement) -> frozenset[str]:
        return frozenset(
            who for who, rooms in self.gone.items() if said.room in rooms and who != said.speaker
        )

    def seen(self, turn: list[Statement], who: str) -> str:
        """What `who` may read of a turn; "" for nothing."""
        parts = []
        for said in turn:
            if said.dropped:
                continue
            # Wording that is safe for outsiders reaches them without the values beside it.
            wide = self.people.everybody if said.open else self._base(said, Ring.MINOR)
            wide -= self._ended(said)
            full = who in self._full(said)
            if not full and (who not in wide or (said.readers is not None and not said.values)):
                continue
            parts.append(self._masked(said, who, all_values=not full))
        told = " ".join(part for part in parts if _telling(part))
        return told

    def _masked(self, said: Statement, who: str, all_values: bool) -> str:
        text = said.text
        for value in sorted(said.values, key=lambda v: -v.start):
            if value.kind == "quoted":
                continue
            key, end = fold(value.text), value.start + len(value.text)
            if not all_values and who in self.held.get(key, (who,)):
                continue
            text = text[: value.start] + WITHHELD + text[end:]
        for key, readers in self.held.items():
            if key in said.folded and who not in readers:
                text = _struck(text, key, WITHHELD)
        return text if said.marks.isdisjoint(self.erased) else _erase(text, frozenset(self.erased))

    def variants(self, at: int) -> dict[str, frozenset[str]]:
        """Text → who reads the turn numbered `at` in that form."""
        found: dict[str, set[str]] = {}
        for who in self.people.principals:
            if text := self.seen(self.turns[at], who):
                found.setdefault(text, set()).add(who)
        return {text: frozenset(readers) for text, readers in found.items()}


def related(people: People, turn: Turn) -> frozenset[str]:
    """Who reads a turn by the relationships alone: all of its room, whatever was said."""
    room = people.room(turn.text, turn.speaker)
    return people.everybody if room is None else people.members(room) | {turn.speaker}


def _mark(text: str) -> bytes:
    return hashlib.sha256(fold(text).encode()).digest()


_RUN = re.compile(r"[^\s\"'‘’“”«»()]+")


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """(start, words) of every run of up to five words, longer ones first, also without what closes it."""
    spans = [match.span() for match in _RUN.finditer(text)]
    for size in range(5, 0, -1):
        for at in range(len(spans) - size + 1):
            first, piece = spans[at][0], text[spans[at][0] : spans[at + size - 1][1]]
            for cut in dict.fromkeys((piece, piece.rstrip(".,;:!?"), piece.rstrip(".,;:!?%"))):
                if cut:
                    yield first, cut


def _marks(text: str) -> frozenset[bytes]:
    return frozenset(_mark(piece) for _, piece in _pieces(text))


@functools.lru_cache(maxsize=4096)
def _erase(text: str, marks: frozenset[bytes]) -> str:
    """`text` with every run of up to five words that bears one of `marks` struck out."""
    for first, piece in _pieces(text):
        if _mark(piece) in marks:
            return _erase(text[:first] + DELETED + text[first + len(piece) :], marks)
    return text


def _struck(text: str, key: str, by: str) -> str:
    """`text` without a folded value, where folding keeps the places of letters."""
    folded = fold(text)
    if len(folded) != len(text):
        return text if key not in folded else by
    pattern = re.compile(rf"(?<!\w){re.escape(key)}(?!\w)")
    for match in reversed(list(pattern.finditer(folded))):
        text = text[: match.start()] + by + text[match.end() :]
    return text


def _telling(text: str) -> bool:
    return bool(re.search(r"\w", text.replace(WITHHELD, "").replace(DELETED, "")))
