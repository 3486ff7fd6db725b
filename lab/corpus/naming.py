"""Which document and section a sentence says it changes."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lab.corpus.amounts import plain
from lab.corpus.changes import is_certain
from lab.corpus.days import days
from lab.corpus.sections import sections
from lab.corpus.terms import shared, topics
from lab.kinds import Document, Section
from lab.text import fold

if TYPE_CHECKING:
    from lab.corpus.links import Link


@dataclass(frozen=True, slots=True)
class Named:
    document: str
    section: str | None
    kind: str
    how: str
    """`named` by its title or id, `translated` (a title in the other language), `topic`."""


_VERBS = (
    ("corrects", r"correct(?:s|ed|ion)?|(?:should|must) (?:correctly )?read|rectif(?:y|ies|ied)|duzelt\w*"),
    ("replaces", r"replac(?:es?|ed|ing)|supersed(?:es?|ed|ing)|yerini al\w*|yerine gec\w*"),
    (
        "repeals",
        r"repeal(?:s|ed)?|cancel(?:s|ed|led)?|revok(?:es?|ed)|withdraw(?:s|n)?|abolish(?:es|ed)?"
        r"|annul(?:s|led)?"
        r"|(?:ends?|ended)(?! in\b)|iptal|yururlukten kal\w*|kaldir\w*|gecersiz\w*|sona er\w*",
    ),
    (
        "amends",
        r"updat(?:es?|ed)|amend(?:s|ed)?|chang(?:es?|ed)|modif(?:y|ies|ied)|revis(?:es?|ed)|adjust(?:s|ed)?"
        r"|guncelle\w*|degis\w*|yerine",
    ),
)
_VERB = re.compile(r"(?<!\w)(?:" + "|".join(f"(?P<{kind}>{words})" for kind, words in _VERBS) + r")(?!\w)")
_NUMBER = r"(\d+(?:\.\d+)*)"
_SECTION_EN = re.compile(rf"(?:\bsections?|\bparagraph|\barticle|\bclause|\bchapter|§) ?{_NUMBER}(?!\w)")
_SECTION_TR = re.compile(
    rf"(?<!\w){_NUMBER}\.? ?(?:bolum|madde|kisim|baslik)\w*|(?:\bmadde|\bbolum|\bkisim"
    rf"|§) ?{_NUMBER}(?!\w)"
)
_DATED = re.compile(
    r"\b(?:announcement|notice|mail|e-?mail|message|letter|memo|circular|duyuru\w*|ileti\w*|e-?posta\w*"
    r"|bildiri\w*|yazi\w*)\b"
)
_FAR = 90
"""Characters between the verb and what it changes."""
_STOPS = re.compile(r"[;:()]|\.\s|, (?!section|paragraph|article|madde|bolum|§|\d)")
_ENDINGS = r"(?:'?(?:n?[iu]n|in|un|y?[iu]|n?[ae]|s[iu]n[iu]n?|lari\w*|leri\w*))?"


def named(
    sentence: str, document: Document, documents: Sequence[Document], known: Sequence[Link]
) -> list[Named]:
    """The documents and sections that are the object of a verb of changing in this sentence; empty when it
    names none, or only proposes, supposes or denies."""
    text = plain(sentence)
    verbs = [verb for verb in _VERB.finditer(text) if is_certain(sentence, verb.start())]
    if not verbs:
        return []
    found: dict[tuple[str, str | None], Named] = {}
    for first, last, target, section, how in _references(sentence, text, document, documents, known):
        verb = next((verb for verb in verbs if _governs(verb, first, last, text, document.language)), None)
        if verb is None:
            continue
        kind = str(verb.lastgroup)
        if section is None and kind == "amends":
            continue  # what of it is not said
        found.setdefault((target, section), Named(target, section, kind, how))
    return list(found.values())


def _governs(verb: re.Match[str], first: int, last: int, text: str, language: str) -> bool:
    """The verb stands before its object ("updates section 2 of …"), or behind it in the passive ("is
    replaced by") and in Turkish ("6. bölümünü günceller"), in one clause."""
    if verb.end() <= first:
        between = text[verb.end() : first]
        return language != "tr" and len(between) <= _FAR and not re.search(r"[;:,]|\.\s|\bas\b", between)
    if verb.start() >= last:
        between = text[last : verb.start()]
        if language == "tr":
            return len(between) <= 2 * _FAR and not re.search(
                r"[;:]|\.\s|\buyarinca|\bgeregi|\bgore\b", between
            )
        if verb["corrects"] and "read" in verb["corrects"] and re.fullmatch(r"(?: \w+){0,2} ?", between):
            return True
        return bool(
            len(between) <= _FAR
            and re.search(r"\b(?:is|are|was|has been|have been|will be)(?: \w+)?(?: hereby)? $", between)
            and not _STOPS.search(re.sub(r"\([^)]*\)", "", between))
        )
    return False


def _references(
    sentence: str, text: str, document: Document, documents: Sequence[Document], known: Sequence[Link]
) -> Iterator[tuple[int, int, str, str | None, str]]:
    """(first, last, document, section, how) of what the sentence refers to in other documents."""
    places = [*_SECTION_EN.finditer(text), *_SECTION_TR.finditer(text)]
    others = {other.id: other for other in documents if other.id != document.id}
    titles = list(_titles(text, others))
    taken: set[int] = set()
    for place in sorted(places, key=lambda match: match.start()):
        number = next(group for group in place.groups() if group)
        near = [
            (first, last, key)
            for first, last, key in titles
            if 0 <= first - place.end() <= 40 or 0 <= place.start() - last <= 40
        ]
        for first, last, key in near:
            taken.add(first)  # also when there is no such section: the document as a whole is not meant
            if section_at(others[key], number) is not None:
                yield min(first, place.start()), max(last, place.end()), key, number, "named"
        if not near and (key := _translated(sentence, place, number, document, others)):
            yield place.start(), place.end(), key, number, "translated"
    for first, last, key in titles:
        if first not in taken:
            yield first, last, key, None, "named"
    yield from _announcements(sentence, text, document, others, known)


def _titles(text: str, others: dict[str, Document]) -> Iterator[tuple[int, int, str]]:
    """Where documents are named by title or id, the longest name of a place only."""
    found: list[tuple[int, int, str]] = []
    for key, other in others.items():
        for name in dict.fromkeys((fold(other.title), _bare_title(other), key)):
            if len(name) < 4 or (name != key and not topics(name, other.language)):
                continue
            for match in re.finditer(rf"(?<![\w-]){re.escape(name)}{_ENDINGS}(?![\w-])", text):
                # A one-word title is an everyday word: it must be called a document.
                if " " not in name and "-" not in name and not _called(text, match):
                    continue
                found.append((match.start(), match.end(), key))
    for first, last, key in found:
        if not any((a < first and last <= b) or (a <= first and last < b) for a, b, _ in found):
            yield first, last, key


def _bare_title(document: Document) -> str:
    """The title without "Announcement:" before it and "Policy" behind it."""
    name = re.sub(r"^(?:announcement|duyuru|re|fwd?):? ", "", fold(document.title))
    return re.sub(r" (?:policy|politikasi|yonetmeligi|yonergesi)$", "", name)


def _called(text: str, match: re.Match[str]) -> bool:
    around = text[max(0, match.start() - 20) : match.start()], text[match.end() : match.end() + 20]
    return bool(
        re.match(
            r"['\"”’)]* ?(?:policy|politika|document|belge|regulation|yonetmeli|handbook|guideline|yonerge)",
            around[1],
        )
        or re.search(r"(?:section \d+ of (?:the )?|policy on |\")$", around[0])
    )


def _translated(
    sentence: str, place: re.Match[str], number: str, document: Document, others: dict[str, Document]
) -> str:
    """The one document whose title says in another language what stands before the section's number; its
    every word must be matched. "" when there is none."""
    before = re.split(r"[,;:(]", sentence[: place.start()])[-1]
    wanted = topics(before, document.language)[-6:]
    scores: dict[str, tuple[int, int]] = {}
    for key, other in others.items():
        title = topics(_bare_title(other), other.language)
        if not title or section_at(other, number) is None:
            continue
        same = shared(title, wanted)
        if same == len(title) and same >= 2:
            scores[key] = (same, shared(wanted, title))
    best = sorted(scores.items(), key=lambda item: item[1], reverse=True)
    return best[0][0] if best and (len(best) == 1 or best[0][1] > best[1][1]) else ""


def _announcements(
    sentence: str, text: str, document: Document, others: dict[str, Document], known: Sequence[Link]
) -> Iterator[tuple[int, int, str, str | None, str]]:
    """An earlier announcement named by its day ("our announcement of 22 June 2026 on gym support")."""
    for match in _DATED.finditer(text):
        around = sentence[max(0, match.start() - 40) : match.end() + 40]
        named_days = set(days(around, document.valid_from.year))
        sent = [
            other
            for other in others.values()
            if other.valid_from in named_days and (other.kind == "mail" or is_announcement(other))
        ]
        if len(sent) > 1:
            wanted = topics(sentence, document.language)
            scores = [shared(wanted, topics(other.title, other.language)) for other in sent]
            sent = [o for o, s in zip(sent, scores, strict=True) if s == max(scores)]
        if len(sent) == 1:
            said = [link.source_section for link in known if link.source_document == sent[0].id]
            section = said[0] if said else sections(sent[0])[0].number
            first, last = match.span()
            yield first, last, sent[0].id, section, "named"


def announced(known: Sequence[Link], name: Named) -> Link | None:
    """The link that the named announcement made; None when it made none, or several."""
    made = [
        link
        for link in known
        if link.source_document == name.document and name.section in (None, link.source_section)
    ]
    return made[0] if len({(link.old, link.new) for link in made}) == 1 else None


def is_announcement(document: Document) -> bool:
    return (
        re.search(r"\b(?:announcement|notice|duyuru\w*|circular|genelge)\b", fold(document.title)) is not None
    )


def section_at(document: Document, number: str) -> Section | None:
    """The document's section of that number, if there is one."""
    return _sections(document).get(number)


@functools.lru_cache(maxsize=512)
def _sections(document: Document) -> dict[str, Section]:
    return {section.number: section for section in sections(document)}
