"""A question of several parts cut into single ones, by rules, in English and Turkish.

A cut needs a question on either side of it: "between A and B" and "Tuesday and Thursday" stay whole. What
stands before the first question ("My wife gave birth", "Ankara'ya gidiyorum;") goes along with every part."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from lab.rag import scope as scopes
from lab.rag.asking import asks, content, is_announcement, is_chatter, plain

MOST = 4
"""Parts at most; what is more stays in the last one."""
LONGEST = 1200
"""Letters beyond which a text is not taken apart: that is no typed question."""
STEM = 4
"""First letters by which two words are taken for forms of one ("ödeniyor", "ödeniyorsa")."""
_ENDS = re.compile(r"(?<=[?!;])\s+|(?<=[^\W\d_]{2}[.:])\s+(?=\S)|\s+[–—-]+\s+|\n+")
_JOINTS = re.compile(
    r"\s*,?\s+(?:and also|and then|and|also|plus|as well as|ayrica|bir de|hem de|hem|peki ya|peki|ve"
    r"|sonra da)\s+(?:de\s+|da\s+|ayrica\s+|also\s+)?(?=\S)"
    r"|\s*,\s*(?=\S)"
)
_LEADS = re.compile(
    r"^(?:and also|and then|and|also|plus|oh and|finally|lastly|first|second(?:ly)?|third(?:ly)?|next"
    r"|ayrica|bir de|hem de|hem|peki ya|peki|ve|son olarak|once|sonra|bunun yaninda|ustelik)(?:\s*,\s*|\s+)"
)
_NUMBERED = re.compile(r"(?:^|\s)(?:\(?[1-4a-d]\)|[1-4]\.)\s+(?=\S)")
_ABOUT = re.compile(
    r"^(?:(?:and |or )?(?:what|how) about|and (?:for|in|at|on|to)|peki ya|peki|ya)\s+(?P<what>.+)$"
)
_POINTS = re.compile(
    r"\b(?:it|its|they|their|them|that|those|there|the same|o|onu|onun|onlar\w*|bunu|bunun|orada|orasi\w*)\b"
)
_DOES = re.compile(
    r"[^\W\d_]+(?:[iu]r[iu]m|[ae]r[iu]m|mal[iu]y[iu]m|mel[iu]y[iu]m|yor\w*|[ae]ca[kg]\w*|[ae]bil\w+)$"
)
"""A Turkish verb of a person, folded: a part of nothing else says not of what."""
_HEM = re.compile(r"\bhem\s+(?P<a>.+?)\s*,?\s+hem\s+(?:de\s+)?(?P<b>.+)$")
_HOW_MANY = re.compile(r"\bhow many (?P<noun>[^\W\d_]+)")
_MANY_OF_WHAT = re.compile(
    r"^(?P<cue>(?:and )?how many)(?= (?:for|in|at|on|if|when|do|does|can|may|are|would|will)\b|[?.]?$)"
)


@dataclass(frozen=True, slots=True)
class Part:
    """One part: `text` is what is asked, in the question's words; `search` what is searched and read, with
    the preamble and what the part left unsaid."""

    text: str
    search: str


def split(question: str) -> list[Part]:
    """The parts of a question in its order, at most MOST; a question of one part comes back as it is."""
    if len(question) > LONGEST:
        return [Part(question, question)]
    before, clauses = _clauses(question)
    clauses = [spread for clause in clauses for spread in _by_hem(clause)]
    parts = _completed(clauses)
    found = [
        Part(text, _carried(before, whole))
        for clause, (said, whole) in zip(clauses, parts, strict=True)
        for text, whole in _by_scope(said, whole)
    ]
    if len(found) < 2:
        found = [Part(text, text) for text, _ in _by_scope(question, question)]
    if len(found) < 2:
        return [Part(question, question)]
    if len(found) > MOST:
        rest = found[MOST - 1 :]
        found = [*found[: MOST - 1], Part(" ".join(p.text for p in rest), " ".join(p.search for p in rest))]
    return found


def texts(question: str) -> list[str]:
    """What is searched for a question of these parts, each text once, the question itself first."""
    parts = split(question)
    return list(dict.fromkeys([question, *(text for part in parts for text in (part.search, part.text))]))


def _clauses(question: str) -> tuple[str, list[str]]:
    """(what is said before and beside the questions, the questions)."""
    said: list[str] = []
    aside: list[str] = []
    asked: list[str] = []
    listed = len(_NUMBERED.findall(question)) > 1
    for segment in _segments(question):
        if is_announcement(segment):
            listed = True
        elif is_chatter(segment):
            continue
        elif listed and (content(segment) or not asked):
            asked += _listed(segment)
        elif asked and _ABOUT.match(plain(segment)) and not _alternative(segment):
            asked.append(segment.strip())
        else:
            lead, questions = _questions(segment)
            if asked and _alternative(segment):
                asked[-1] += f" {segment}"
                continue
            if lead and not asked:
                said.append(lead)
            elif lead:
                aside.append(lead)
            asked += questions
    return ". ".join(said + aside), _own(asked)


def _own(clauses: list[str]) -> list[str]:
    """A question that only goes on about the one before it ("…, and how high is it?") stays with it."""
    found: list[str] = []
    for clause in clauses:
        if found and _goes_on(clause, found[-1]):
            found[-1] += f", {clause}"
        else:
            found.append(clause)
    return found


def _goes_on(clause: str, before: str) -> bool:
    words, folded = content(clause), plain(clause)
    if _ABOUT.match(folded) or _elsewhere(before, clause):
        return False
    known = {word[:STEM] for word in content(before)}
    return bool(_POINTS.search(folded) and len(words) < 2) or bool(
        words and all(word[:STEM] in known for word in words)
    )


def _segments(question: str) -> Iterator[str]:
    """Sentences, and what a colon, a semicolon or a dash sets off."""
    text = _NUMBERED.sub("\n", question) if len(_NUMBERED.findall(question)) > 1 else question
    for segment in _cut(text, _ENDS):
        yield segment.strip()


def _cut(text: str, pattern: re.Pattern[str]) -> list[str]:
    """`text` cut where `pattern` matches its folded form; empty pieces left out."""
    pieces, start = [], 0
    for match in pattern.finditer(plain(text)):
        pieces.append(text[start : match.start()])
        start = match.end()
    pieces.append(text[start:])
    return [piece for piece in pieces if piece.strip()]


def _questions(segment: str) -> tuple[str, list[str]]:
    """(preamble, questions) of one sentence: joints are cut where both sides ask something."""
    if segment.rstrip().endswith("?") and not asks(segment) and content(segment, units=True):
        return "", [segment]  # "gift limit?"
    pieces = _with_joints(segment)
    groups: list[str] = []
    lead = ""
    for joint, piece in pieces:
        if groups and asks(piece) and asks(groups[-1]) and not _alternative(piece):
            groups.append(piece)
        elif groups:
            groups[-1] += joint + piece
        elif joint or lead:
            if asks(piece):
                groups.append(piece)
            else:
                lead += joint + piece
        elif asks(piece):
            groups.append(piece)
        else:
            lead = piece
    if lead and len(groups) == 1:  # one question: its sentence stays whole
        return "", [segment]
    return lead.strip(" ,;:–-"), [_led(group) for group in groups]


def _with_joints(segment: str) -> list[tuple[str, str]]:
    pieces, start, joint = [], 0, ""
    for match in _JOINTS.finditer(plain(segment)):
        if match.start() == 0:
            continue
        pieces.append((joint, segment[start : match.start()]))
        start, joint = match.end(), segment[match.start() : match.end()]
    pieces.append((joint, segment[start:]))
    return [(joint, piece) for joint, piece in pieces if piece.strip()]


def _alternative(piece: str) -> bool:
    return plain(piece).strip().startswith(("yoksa", "or ", "ya da", "veya"))


def _listed(segment: str) -> list[str]:
    """The items of a list that was announced ("Three things: …"): every comma and "and" cuts."""
    return [_led(piece) for _, piece in _with_joints(segment) if content(piece)]


def _led(text: str) -> str:
    """Without the conjunction it begins with."""
    text = text.strip()
    if match := _LEADS.match(plain(text)):
        text = text[match.end() :]
    return text.strip(" ,;")


def _by_hem(clause: str) -> list[str]:
    """ "hem izin hem avans kaç gün" → "izin kaç gün", "avans kaç gün"; other clauses as they are."""
    match = _HEM.search(plain(clause))
    if not match:
        return [clause]
    first, second = clause[slice(*match.span("a"))], clause[slice(*match.span("b"))]
    before = clause[: match.start()]
    if len(scopes.scope_of(clause).because.split(", ")) > 1:
        return [clause]  # two places: cut by scope
    tail = re.search(r"\b(?:kac\w*|ne\b.*|nasil|nerede\w*|nereye|hangi\w*)", plain(second))
    if not tail or tail.start() == 0:
        return [clause]
    return [f"{before}{first} {second[tail.start() :]}".strip(), f"{before}{second}".strip()]


def _completed(clauses: list[str]) -> list[tuple[str, str]]:
    """(as asked, made whole): a part that leans on an earlier one gets its words."""
    found: list[tuple[str, str]] = []
    noun = ""
    for clause in clauses:
        whole, folded = clause, plain(clause)
        before = found[-1][1] if found else ""
        if noun and (match := _MANY_OF_WHAT.match(folded)):
            whole = f"{clause[: match.end()]} {noun}{clause[match.end() :]}"
        elif before and (match := _ABOUT.match(folded)):
            what = clause[slice(*match.span("what"))].strip(" ?.")
            whole = _elsewhere(before, clause) or f"{before.rstrip(' ?.')}, {what}?"
        elif before and (moved := _elsewhere(before, clause)):
            whole = moved
        elif before and _leans(clause):
            whole = f"{before.rstrip(' ?.')}. {clause}"
        if named := _HOW_MANY.search(folded):
            noun = named["noun"] if content(named["noun"], units=True) else noun
        found.append((clause, whole))
    return found


def _leans(clause: str) -> bool:
    """Whether a question does not say what it is about."""
    words = content(clause)
    return all(_DOES.fullmatch(word) for word in words) or (
        len(words) < 3 and _POINTS.search(plain(clause)) is not None
    )


def _elsewhere(before: str, clause: str) -> str:
    """`before` asked of the place that `clause` names; empty unless each names one, of different scope, and
    the clause asks for nothing more."""
    here, there = scopes.scope_of(before), scopes.scope_of(clause)
    known = {scopes.DOMESTIC, scopes.INTERNATIONAL}
    if {here.scope, there.scope} != known or len(content(clause.replace(there.because, ""))) > 0:
        return ""
    old, new = _place(before, here.because), _place(clause, there.because)
    return before[: old[0]] + clause[slice(*new)] + before[old[1] :] if old and new else ""


def _place(text: str, name: str) -> tuple[int, int] | None:
    """Where a place stands, with its preposition and its Turkish ending."""
    match = re.search(
        rf"(?:\b(?:in|to|at|for|from)\s+)?{re.escape(plain(name))}(?:['’][^\W\d_]+|[^\W\d_]*)", plain(text)
    )
    return match.span() if match else None


def _by_scope(said: str, whole: str) -> list[tuple[str, str]]:
    """Two searches where a part names a place of either scope side by side: "in Ankara and in Frankfurt"."""
    texts = _sides(whole)
    if len(texts) < 2:
        return [(said, whole)]
    asked = _sides(said)
    return list(zip(asked if len(asked) == len(texts) else texts, texts, strict=True))


_BOTH = re.compile(
    r"\b(?P<a>at home) and (?P<b>abroad)\b|\b(?P<c>domestic) and (?P<d>international|foreign)\b"
    r"|\b(?P<e>yurt ?ici\w*) (?:ve|hem(?: de)?) (?P<f>yurt ?disi\w*)"
)
_BESIDE = r"\s*(?:,|/|&|,?\s+(?:and|ve|hem(?:\s+de)?|ile|as well as))\s*"


def _sides(text: str) -> list[str]:
    """One text a place, where two of different scope are joined; else the text alone."""
    found = scopes.scope_of(text)
    if found.scope != scopes.BOTH:
        return [text]
    folded = plain(text)
    if match := _BOTH.search(folded):
        names = [name for name, value in match.groupdict().items() if value]
        return [text[: match.start()] + text[slice(*match.span(n))] + text[match.end() :] for n in names]
    places = found.because.split(", ")
    for one, other in itertools.permutations(places, 2):
        ending = r"(?:['’][^\W\d_]+|[^\W\d_]*)"
        lead = r"(?P<lead>\bboth\s+|\bhem\s+)?"
        first = rf"(?P<a>(?:\b(?:in|to|at|for)\s+)?{re.escape(plain(one))}{ending})"
        second = rf"(?P<b>(?:\b(?:in|to|at|for)\s+)?{re.escape(plain(other))}{ending})"
        match = re.search(lead + first + _BESIDE + second, folded)
        if match and not _between(folded, match):
            a, b = (text[slice(*match.span(name))] for name in "ab")
            if "'" in b.replace("’", "'") and "'" not in a.replace("’", "'"):
                a += "'" + harmonic(b.replace("’", "'").partition("'")[2], a)  # "Ankara ve Frankfurt'ta"
            prep = re.match(r"(?:in|to|at|for)\s+", plain(a))
            if prep and not re.match(r"(?:in|to|at|for)\s+", plain(b)):
                b = a[: prep.end()] + b
            head, tail = text[: match.start()], text[match.end() :]
            return [head + a + tail, head + b + tail]
    return [text]


def harmonic(ending: str, word: str) -> str:
    """The Turkish locative or ablative ending as it is written after `word`: "ta" after "Ankara" → "da"."""
    match = re.fullmatch(r"[dt][ae](n?)", plain(ending))
    vowels = re.findall(r"[aeiouöüı]", word.replace("I", "ı").replace("İ", "i").lower())
    if not match or not vowels:
        return ending
    hard = word[-1].lower() in "fstkçşhp"
    return ("t" if hard else "d") + ("a" if vowels[-1] in "aıou" else "e") + match[1]


def _between(folded: str, match: re.Match[str]) -> bool:
    return bool(
        re.search(r"\b(?:between|from)\s+$", folded[: match.start("a")])
        or re.match(r"(?:between|from)\b", folded[match.start("a") :])
        or re.match(r"\s+aras\w+", folded[match.end() :])
    )


def _carried(before: str, clause: str) -> str:
    if not before:
        return clause
    return f"{before.rstrip('.')}. {clause}" if before[-1:] not in "!?" else f"{before} {clause}"
