"""Who is in which room, by an episode's relationships, and whom a word like "the parents" means."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from lab.benchmarks.gatemem.episodes import Episode, Principal
from lab.text import fold, words


class Ring(IntEnum):
    CORE, MINOR, OUTER = 0, 1, 2


_OUTER = frozenset(
    """contractor guest visitor vendor supplier neighbor neighbour sitter babysitter nanny cleaner
    housekeeper tutor coach handyman technician plumber electrician temp temporary intern external consultant
    caregiver carer driver courier freelancer agency landlord delivery assistant delegate trainee volunteer
    applicant observer contact building concierge porter desk friend service helper
    taseron misafir ziyaretci komsu bakici temizlikci usta danisman stajyer kurye
    vekil""".split()
)
_MINOR = frozenset(
    "child kid son daughter teen teenager minor student pupil toddler cocuk ogul kiz ergen ogrenci".split()
)
_GENERIC = frozenset(
    """project household family home house room team group case unit ward department dept account stream
    workspace org organization channel id proje aile ev oda ekip takim grup""".split()
)
_CORE_WORDS = frozenset(
    """core inner leadership adults adult grown grownups parents parent ebeveyn ebeveynler yetiskin
    yetiskinler cekirdek""".split()
)
_FAMILY = {
    "mum": "mother", "mom": "mother", "mama": "mother", "mommy": "mother", "dad": "father", "daddy": "father",
    "papa": "father", "grandma": "grandmother", "granny": "grandmother", "nana": "grandmother",
    "grandpa": "grandfather", "husband": "spouse", "wife": "spouse", "boss": "manager", "lawyer": "legal",
    "counsel": "legal", "ops": "operations", "doctor": "physician", "babysitter": "sitter",
    "anne": "mother", "annem": "mother", "baba": "father", "babam": "father", "mudur": "manager",
    "doktor": "doctor", "muhasebe": "finance", "finans": "finance", "guvenlik": "security", "hukuk": "legal",
    "satis": "sales", "avukat": "legal", "hemsire": "nurse", "bakici": "sitter",
}  # fmt: skip
_INNER = frozenset(
    """resident owner partner spouse husband wife parent mother father guardian adult
    sahip es ebeveyn anne baba veli yetiskin""".split()
)
_PLURAL_KIDS = frozenset("kids kid children child cocuklar cocuk minors teens boys girls".split())
_OUTSIDERS = frozenset(
    """outsiders guests contractors visitors helpers helper staff workers
    misafirler yabancilar externals""".split()
)
_ALL = frozenset("anyone anybody everyone everybody others else kimse baskasi herkes".split())
_ME = frozenset("me i myself us we ben bana bende benim biz bizde aramizda ikimizin".split())


@dataclass(frozen=True, slots=True)
class People:
    """`rooms`: room → member → ring. Without any room in the relationships, all are in one, named ""."""

    principals: Mapping[str, Principal]
    rooms: Mapping[str, Mapping[str, Ring]]
    titles: Mapping[str, tuple[str, ...]]
    """Room → the folded words that name it: "yard_elm" as a `yard_id` is "elm"."""
    labels: Mapping[str, frozenset[str]]
    """Principal → folded words of role and relationships."""

    @property
    def everybody(self) -> frozenset[str]:
        return frozenset(self.principals)

    @property
    def known(self) -> frozenset[str]:
        """Folded words that are no news: names of people and rooms."""
        names = {word for p in self.principals.values() for word in words(p.name)}
        return frozenset(names | {w for room in self.rooms for w in _name(room)} | _GENERIC)

    def members(self, room: str, upto: Ring = Ring.OUTER) -> frozenset[str]:
        return frozenset(who for who, ring in self.rooms[room].items() if ring <= upto)

    def rooms_of(self, principal: str) -> list[str]:
        return [room for room, members in self.rooms.items() if principal in members]

    def room(self, text: str, speaker: str) -> str | None:
        """The room `text` is about: one it names (the speaker's before others, the first before later ones),
        else the speaker's own if he has exactly one; None: about no room."""
        said = words(text)
        named = [room for room in self.rooms if self.titles[room] and set(self.titles[room]) <= set(said)]
        named.sort(key=lambda room: (speaker not in self.rooms[room], said.index(self.titles[room][0])))
        if named:
            return named[0]
        if len(self.rooms) == 1:
            return next(iter(self.rooms))
        own = self.rooms_of(speaker)
        return own[0] if len(own) == 1 else None

    def mentioned(self, text: str) -> frozenset[str]:
        """Principals whose first or full name stands in `text`, Turkish endings or none."""
        said = set(words(text))
        return frozenset(
            who for who, p in self.principals.items() if any(_called(w, _names(p.name)[0]) for w in said)
        )

    def meant(self, who: str, speaker: str) -> frozenset[str]:
        """Whom the words of a restriction mean; empty when nobody is recognised."""
        found: set[str] = set()
        for word in words(who):
            if word in _ME:
                found.add(speaker)
            if word in _ALL:
                found |= self.everybody - {speaker}
            if word in _CORE_WORDS:
                found |= {
                    p for room in self.rooms_of(speaker) or self.rooms for p in self.members(room, Ring.CORE)
                }
            if word in _PLURAL_KIDS:
                found |= {p for m in self.rooms.values() for p, ring in m.items() if ring == Ring.MINOR}
            if word in _OUTSIDERS:
                found |= {p for m in self.rooms.values() for p, ring in m.items() if ring == Ring.OUTER}
            for key, person in self.principals.items():
                names = _names(person.name)
                surname = len(names) > 1 and word == names[-1]
                if surname or _called(word, names[0]) or _label(word) & self.labels[key]:
                    found.add(key)
        return frozenset(found)


def people(episode: Episode) -> People:
    principals = {p.id: p for p in episode.principals}
    labels: dict[str, set[str]] = {p.id: set(_parts(p.role)) for p in episode.principals}
    rooms: dict[str, dict[str, Ring]] = {}
    titles: dict[str, tuple[str, ...]] = {"": ()}
    for relation in episode.relationships:
        who = next((relation[k] for k in ("principal_id",) if relation.get(k) in principals), None)
        if who is None:
            who = next((v for v in relation.values() if v in principals), None)
        if who is None:
            continue
        labels[who] |= set(_parts(relation.get("type", "")))
        role, bond = set(_parts(principals[who].role)), set(_parts(relation.get("type", "")))
        ring = Ring.CORE if role & _INNER else _ring(role | bond)
        for key, value in relation.items():
            # What ends in _id and is no person is a place that people share.
            if key.endswith("_id") and value not in principals:
                rooms.setdefault(value, {})[who] = ring
                titles[value] = tuple(w for w in _name(value) if w not in _name(key))
    if not rooms:
        rooms[""] = {who: _ring(labels[who]) for who in principals}
    return People(principals, rooms, titles, {who: frozenset(found) for who, found in labels.items()})


def _ring(labels: set[str]) -> Ring:
    if labels & _OUTER:
        return Ring.OUTER
    return Ring.MINOR if labels & _MINOR else Ring.CORE


def _parts(text: str) -> list[str]:
    return [part for part in re.split(r"[^\w]|_", fold(text)) if len(part) > 1 and part not in _GENERIC]


def _name(room: str) -> list[str]:
    return [part for part in re.split(r"[^\w]|_", fold(room)) if part and part not in _GENERIC]


@functools.lru_cache(maxsize=4096)
def _names(name: str) -> tuple[str, ...]:
    """Folded words of a name, at least one."""
    return tuple(words(name)) or (fold(name),)


_ENDING = re.compile("(?:[ynsdt]?[aeiu]n?|[dt][ae]n?|l[ae]|[ns]?[iu]n)")


def _called(word: str, name: str) -> bool:
    """ "ayseye" is Ayşe; "annex" is not Ann: an ending is a case of Turkish."""
    if word == name:
        return True
    return len(name) > 2 and word.startswith(name) and bool(_ENDING.fullmatch(word, len(name)))


def _label(word: str) -> frozenset[str]:
    if word in _GENERIC or len(word) < 2:
        return frozenset()
    single = word[:-1] if word.endswith("s") and len(word) > 3 else word
    return frozenset({word, single, _FAMILY.get(word, word), _FAMILY.get(single, single)})
