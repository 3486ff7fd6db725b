"""Drafted questions in words, by rules: English, German, Turkish; other languages name what is asked for."""

from __future__ import annotations

import re

from lab.evaluation.facts import Fact
from lab.text import STOP_EN, STOP_TR, fold, words

RUN = 4
"""So many words in a row of the sentence make a question a copy of it."""
SHARE = 0.75
"""Nor may it have more than this share of the sentence's content words."""
_KEYS = 4
_STOP_DE = frozenset(
    """ab aber alle als am an auch auf aus bei beim bis dann das dass dem den der des die dies diese dieser du
    durch ein eine einem einen einer eines er es fur hat haben ihr im in ist ja jede jedem jeden jeder jedes
    kann kein keine mehr mit muss mussen nach nicht noch nur oder ohne sein sich sie sind so uber um und uns
    unter vom von vor wenn wer werden wie wird wir zu zum zur""".split()
)
_STOP = {"en": STOP_EN, "tr": STOP_TR, "de": _STOP_DE}
_ASKED = {
    "en": {
        "table": "What is the {column} for {subject}?",
        "money": "How much money is it: {keys}?",
        "span": "How long: {keys}?",
        "count": "How many: {keys}?",
        "share": "What percentage: {keys}?",
        "day": "On which day: {keys}?",
        "time": "At what time: {keys}?",
        "term": "What is meant by “{subject}”?",
    },
    "de": {
        "table": "Wie lautet die Angabe „{column}“ für {subject}?",
        "money": "Um wie viel Geld geht es: {keys}?",
        "span": "Wie lange dauert es: {keys}?",
        "count": "Wie viel: {keys}?",
        "share": "Wie viel Prozent: {keys}?",
        "day": "An welchem Tag: {keys}?",
        "time": "Um wie viel Uhr: {keys}?",
        "term": "Was ist mit „{subject}“ gemeint?",
    },
    "tr": {
        "table": "{subject} için {column} nedir?",
        "money": "Ne kadar para söz konusu: {keys}?",
        "span": "Ne kadar sürer: {keys}?",
        "count": "Kaç: {keys}?",
        "share": "Yüzde kaç: {keys}?",
        "day": "Hangi gün: {keys}?",
        "time": "Saat kaçta: {keys}?",
        "term": "“{subject}” ne demektir?",
    },
    "": {"table": "{subject}: {column}?", "term": "{subject}?"},
}
# A short statement "X is 40 EUR" is asked in the words of people: what stands before the verb and the value.
_PLAIN = {
    "en": re.compile(
        r"(?P<what>(?:The |An? )?[^,;:]{4,60}?) (?P<verb>is|are|costs?|takes|lasts)(?: at most)?$"
    ),
    "de": re.compile(r"(?P<what>(?:Der |Die |Das )?[^,;:]{4,60}?) (?P<verb>beträgt|kostet|dauert|ist)$"),
    "tr": re.compile(r"(?P<what>[^,;:]{4,60}?)(?P<verb>)$"),
}
_PLAINLY = {
    ("en", "money"): "How much do you pay for {what}?",
    ("en", "span"): "How long is it for {what}?",
    ("de", "money"): "Wie viel Geld wird fällig für: {what}?",
    ("de", "span"): "Welche Dauer gilt für: {what}?",
    ("tr", "money"): "{what} ne kadar?",
}


def asked(fact: Fact, of: str = "") -> str | None:
    """A question for the fact, or None where nothing but a copy of its sentence could be made. `of`: title of
    the document, where its heading alone would not tell which is meant."""
    language = fact.document.language if fact.document.language in _ASKED else ""
    if fact.kind in ("table", "term"):
        form = _ASKED[language][fact.kind]
        text = form.format(column=_bare(fact.column), subject=_bare(fact.subject))
        return _tidy(_of(text, of)) if fact.kind == "table" or not copies(text, fact.source) else None
    for made in (_plain(fact, language), _by_keys(fact, language)):
        if made and not copies(made, fact.source):
            return _tidy(_of(made, of))
    return None


def _of(text: str, title: str) -> str:
    known = set(words(text))
    return f"{text.removesuffix('?')} ({_bare(title)})?" if set(words(title)) - known else text


def copies(question: str, source: str) -> bool:
    """Whether the question repeats the sentence: RUN of its words in a row, or too many of its words."""
    mine, theirs = words(question), words(source)
    runs = {tuple(theirs[at : at + RUN]) for at in range(len(theirs) - RUN + 1)}
    if any(tuple(mine[at : at + RUN]) in runs for at in range(len(mine) - RUN + 1)):
        return True
    stop = STOP_EN | STOP_TR | _STOP_DE
    content = {word for word in theirs if word not in stop and not word.isdigit()}
    return len(content) > 2 and len(content & set(mine)) > SHARE * len(content)


def _plain(fact: Fact, language: str) -> str | None:
    form = _PLAINLY.get((language, fact.kind))
    before = fact.source[: fact.source.find(fact.value)].strip()
    match = _PLAIN[language].match(before) if form and language in _PLAIN else None
    if form is None or match is None or len(match["what"].split()) > RUN:
        return None
    what = match["what"].strip()
    first = what.split()[0]
    if first in ("The", "A", "An", "Der", "Die", "Das"):
        what = what[0].lower() + what[1:]
    return form.format(what=what)


def _by_keys(fact: Fact, language: str) -> str | None:
    """Content words of sentence and heading, the heading's first, without the value."""
    form = _ASKED[language].get(fact.kind, "{keys}?")
    stop = _STOP.get(language, frozenset()) | set(words(form))
    value = set(words(fact.value))
    found: dict[str, str] = {}
    for text, most in ((fact.subject, 2), (fact.source.replace(fact.value, " "), 10)):
        for word in re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", text)[:40]:
            plain = fold(word)
            if len(found) < _KEYS and most and len(word) > 2 and plain not in stop | value:
                most -= plain not in found
                found.setdefault(plain, word)
    if len(found) < 2:
        return None
    # Not joined by commas: several things would be asked for then, and be taken apart.
    return form.format(keys=" ".join(found.values()))


def _bare(text: str) -> str:
    return " ".join(text.replace("|", " ").strip(" .:;").split())


def _tidy(text: str) -> str:
    text = " ".join(text.split())
    return text[0].upper() + text[1:] if text[:1] not in "iıİI" else text
