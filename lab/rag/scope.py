"""Is a question about travel inside Turkey or abroad? By words in both languages and by places it names."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from lab.rag.cases import BARE, DESTINATION, LOCATION, ORIGIN, role_of, stems
from lab.rag.gazetteer import (
    ANY_CASE,
    FAMOUS,
    LONGEST,
    NEEDS_CAPITAL,
    NEEDS_CONTEXT,
    NEEDS_INNER_CAPITAL,
    gazetteer,
)
from lab.text import fold

DOMESTIC, INTERNATIONAL, BOTH, NONE = "domestic", "international", "both", "none"


@dataclass(frozen=True, slots=True)
class Scope:
    """`scope`: domestic, international, both (it names both) or none (it tells neither)."""

    scope: str
    because: str
    """The word or place as the question has it; empty for none."""


@dataclass(frozen=True, slots=True)
class _Evidence:
    scope: str
    words: str
    role: str


_WORDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    # On folded text, in this order; what matched is not looked at again ("outside Turkey" is no "Turkey").
    (BOTH, re.compile(r"\bat home and abroad\b|\byurt ?ici (?:ve|veya|ya da) (?:yurt ?)?disi\w*")),
    (
        INTERNATIONAL,
        re.compile(
            r"\babroad\b|\boverseas\b|\binternational(?:ly)?\b"
            r"|\bforeign (?:trip|travel|countr|cit|business|assign|dest)\w*"
            r"|\b(?:out ?side|out) (?:of )?(?:turkiye|turkey)\b|\b(?:leav\w+|out of|outside) the country\b"
            r"|\b(?:another|other) countr\w+|\byurt ?disi\w*|\bulke disi\w*|\bturkiye(?:'?nin)? disi\w*"
            r"|\bulkeler ?arasi\w*|\buluslararasi\w*|\byabanci (?:bir )?ulke\w*|\bbaska (?:bir )?ulke\w*"
            r"|\bdis (?:gorev|seyahat|hat)\w*|\beuros?\b|\beur\b|€|\b(?:euro|avro|eur)(?:'?[a-z]{1,5})?\b"
        ),
    ),
    (
        DOMESTIC,
        re.compile(
            r"\bdomestic(?:ally)?\b|\b(?:with|in)in the country\b|\binside the country\b|\bin[- ]country\b"
            r"|\byurt ?ici\w*|\bulke ici\w*|\bsehir ?ler ?arasi\w*|\bic (?:gorev|seyahat|hat)\w*"
            r"|\b(?:with)?in(?:side)? (?:turkiye|turkey)\b|\bturkiye (?:ici|genel)\w*"
        ),
    ),
)
# Istanbul's two sides are no continents.
_NO_PLACE = re.compile(r"\b(?:avrupa|asya|anadolu) (?:yaka|sigorta)\w*|\banadolu ajans\w*")
_TOKEN = re.compile(r"(?P<word>[^\W\d_]+)(?:['’ʼ`´](?P<ending>[^\W\d_]+))?")
_TO = frozenset(
    ("to", "towards", "toward", "for", "visit", "visiting", "visits", "into", "reach", "reaching", "via")
)
_AT = frozenset(("in", "at", "inside", "near", "around", "within", "across"))
_ARTICLES = frozenset(("the", "our", "a", "an", "my", "your", "their", "downtown", "central"))
_CODES = dict.fromkeys(("UK", "US", "USA", "EU", "ABD", "AB", "BAE", "UAE", "KKTC"), INTERNATIONAL)


def scope_of(question: str) -> Scope:
    """The scope a question speaks of, with the word that says so.

    A destination ("to Berlin", "Berlin'e") and words such as "abroad" outweigh where somebody is; that
    outweighs where somebody comes from. When as strong a sign of each remains: both."""
    question = unicodedata.normalize("NFC", question)
    evidence = [*_by_words(question), *_by_places(question)]
    if not evidence:
        return Scope(NONE, "")
    for roles in ((DESTINATION,), (LOCATION, BARE), (ORIGIN,)):
        strongest = [it for it in evidence if it.role in roles]
        if strongest:
            scopes = {it.scope for it in strongest}
            if len(scopes) == 1:
                return Scope(scopes.pop(), strongest[0].words)
            return Scope(BOTH, ", ".join(dict.fromkeys(it.words for it in strongest)))
    return Scope(NONE, "")


def _plain(text: str) -> str:
    """Folded letter by letter, so that positions stay those of `text`."""
    return "".join(folded if len(folded := fold(letter)) == 1 else letter for letter in text)


def _by_words(question: str) -> Iterator[_Evidence]:
    rest = _plain(question)
    for scope, pattern in _WORDS:
        for match in pattern.finditer(rest):
            yield _Evidence(scope, question[match.start() : match.end()], DESTINATION)
        rest = pattern.sub(lambda match: " " * len(match.group()), rest)


def _by_places(question: str) -> Iterator[_Evidence]:
    plain = _plain(question)
    for _, pattern in (*_WORDS, ("", _NO_PLACE)):
        for match in pattern.finditer(plain):
            blank = "." * (match.end() - match.start())
            question = question[: match.start()] + blank + question[match.end() :]
    tokens = list(_TOKEN.finditer(question))
    cased = _has_case(tokens)
    start = 0
    while start < len(tokens):
        for size in range(min(LONGEST, len(tokens) - start), 0, -1):
            run = tokens[start : start + size]
            if found := _place(question, run, tokens[:start], cased):
                yield found
                start += size
                break
        else:
            start += 1


def _has_case(tokens: list[re.Match[str]]) -> bool:
    """Whether capitals mean anything: not in ALL CAPITALS, nor in A Title Like This."""
    words = [token.group("word") for token in tokens]
    capital = sum(word[0].isupper() for word in words)
    return capital * 2 <= len(words) or len(words) <= 3


def _place(
    question: str, run: list[re.Match[str]], earlier: list[re.Match[str]], cased: bool
) -> _Evidence | None:
    """The place that exactly these tokens name, with its role; None when they name none."""
    if any(question[a.end() : b.start()] not in (" ", "-", "/", ". ") for a, b in itertools.pairwise(run)):
        return None
    if any(token.group("ending") for token in run[:-1]):
        return None
    last, ending = run[-1], run[-1].group("ending")
    written = question[run[0].start() : last.end("word")]
    before = earlier[-1] if earlier else None
    cue = _cue(question[: run[0].start()], earlier)
    if cased and len(run) == 1 and written in _CODES:
        return _Evidence(_CODES[written], written, _role(ending, cue))
    names = gazetteer()
    lead = [fold(token.group("word")) for token in run[:-1]]
    word = fold(last.group("word"))
    initial = before is None or bool(re.search(r"[.!?:\n]", question[before.end() : run[0].start()]))
    capital = cased and all(token.group("word")[0].isupper() for token in run)

    exact = names.places.get(" ".join([*lead, word]))
    if exact and _allowed(exact[1], capital, initial, bool(ending and role_of(fold(ending))), cue):
        return _Evidence(exact[0], written, _role(ending, cue))
    if ending or (not lead and word in names.blocked):
        return None
    for stem, role in stems(word, 4 if not lead else 3):
        known = names.places.get(" ".join([*lead, stem]))
        if known and _allowed_inflected(
            known[1], len(stem) + sum(map(len, lead)), role, capital and not initial
        ):
            cut = len(last.group("word")) - len(stem)
            return _Evidence(known[0], written[: len(written) - cut], role)
    return None


def _allowed(level: int, capital: bool, initial: bool, apostrophe: bool, cue: str) -> bool:
    if level in (ANY_CASE, FAMOUS):
        return True
    if level == NEEDS_CAPITAL:
        return capital or apostrophe
    if level == NEEDS_INNER_CAPITAL:
        return (capital and not initial) or apostrophe
    return capital and (apostrophe or (not initial and (cue in _TO or cue in _AT or cue == "from")))


def _allowed_inflected(level: int, letters: int, role: str, inner_capital: bool) -> bool:
    """Without apostrophe an ending may belong to a word ("parası" is no Paras): a rarer name takes more."""
    if inner_capital:
        return level != NEEDS_CONTEXT and (letters > 4 or level == FAMOUS)
    if level == FAMOUS:
        return letters > 4 or role != BARE
    return level == ANY_CASE and letters > 4 and role != BARE


def _cue(before: str, earlier: list[re.Match[str]]) -> str:
    """The word that leads to a place, past articles: "to the Berlin office" → "to"; empty after a comma."""
    if earlier and before[earlier[-1].end() :] == " ":
        word = fold(earlier[-1].group("word"))
        return _cue(before[: earlier[-1].start()], earlier[:-1]) if word in _ARTICLES else word
    return ""


def _role(ending: str | None, cue: str) -> str:
    if ending and (role := role_of(fold(ending))) and role != BARE:
        return role
    if cue in _TO:
        return DESTINATION
    if cue in _AT:
        return LOCATION
    return ORIGIN if cue == "from" else BARE
