"""What was amended brings what amends it: links followed from the hits, and what may be said of each hit.

A hit whose section a link changes on the asked day brings the text that holds, right beside it, also when
the search had not found it. Hits are marked, none is dropped; the reader then gives the value that holds,
and an earlier or later one only where it is asked for, with its dates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from lab.corpus import standing
from lab.corpus.amounts import keys
from lab.corpus.standing import Span, Thread
from lab.kinds import Chunk, Hit, Mark, Sight
from lab.memory import links as memory
from lab.memory import search
from lab.memory.visibility import View, looking
from lab.rag.engine import Engine
from lab.rag.kinds_of_answer import asked, offered
from lab.rag.pieces import Piece
from lab.rag.pipeline import Pipeline
from lab.rag.trace import Trace
from lab.text import fold, language_of

ASKED = 2
"""First hits that tell which change a question is about."""


@dataclass(frozen=True, slots=True)
class _Place:
    """What holds: its chunk, the sentence that says so ("" for a section's own text), and the thread."""

    thread: Thread
    value: str
    chunk: Chunk
    quote: str
    why: str


def follow(hits: Sequence[Hit], sight: Sight, pipeline: Pipeline, engine: Engine, trace: Trace) -> list[Hit]:
    """The hits, marked, with what holds on the asked day placed beside what it changes. Without an asked day:
    as it stands by all that has been announced."""
    day = sight.as_of or standing.END
    with trace.step("supersede", len(hits)) as line:
        found = list(hits)
        if found:
            with looking(engine.read, sight) as view:
                followed = _threads(found, view)
                for thread in followed:
                    found = _applied(thread, found, day, view, pipeline)
            line.detail["links"] = [link.id for thread in followed for link in thread.links]
            line.detail["brought"] = [
                hit.ref for hit in found if hit.chunk.id not in {h.chunk.id for h in hits}
            ]
        line.out = len(found)
    return found


def settle(
    question: str, hits: Sequence[Hit], ranked: Sequence[Piece], among: Sequence[Piece] = ()
) -> list[Piece]:
    """The pieces in the order in which an answer quotes them: where a piece states what does not hold, the
    one that says what holds takes its place, taken from `among` (default: `ranked`). If the question asks for
    earlier (or coming) values, they follow with their dates; else they are left out."""
    if not any(hit.marks for hit in hits):
        return list(ranked)
    among = among or ranked
    other = asks_other_times(question)
    language = "tr" if language_of(question) == "tr" else "en"
    found: dict[tuple[int, str], Piece] = {}

    def labelled(piece: Piece, mark: Mark) -> None:
        if label := _label(mark, piece, language, other):
            found.setdefault((piece.hit, piece.quote), replace(piece, shown=f"{label}: {piece.shown}"))

    for piece in ranked:
        mark = _stale(piece, hits)
        if mark is None:
            found.setdefault((piece.hit, piece.quote), piece)
            for own in hits[piece.hit].marks if other else ():
                if piece in _current(own, hits, [piece]):
                    for beside in among:
                        if (
                            (stale := _stale(beside, hits))
                            and stale.by == own.by
                            and stale.value == own.value
                        ):
                            labelled(beside, stale)
            continue
        for current in _current(mark, hits, among)[:1]:
            found.setdefault((current.hit, current.quote), current)
        labelled(piece, mark)
    return _with_asked(question, hits, list(found.values()), among)


def _with_asked(
    question: str, hits: Sequence[Hit], settled: list[Piece], among: Sequence[Piece]
) -> list[Piece]:
    """Asked for a value of the kind that a link changes in one of the first hits, the sentence that says what
    holds is among the first pieces."""
    kinds = asked(question)
    for hit in hits[:ASKED]:
        for mark in hit.marks:
            if not any(one and two for one, two in zip(kinds, offered(mark.value), strict=True)):
                continue
            for current in _current(mark, hits, among)[:1]:
                if current not in settled[:ASKED]:
                    settled = [piece for piece in settled if piece != current]
                    settled.insert(1, current)
                return settled
    return settled


_OTHER_TIMES = re.compile(
    r"\b(?:earlier|before|previous\w*|former\w*|old|older|used to|originally|until (?:now|when|then)"
    r"|back then|at first|past|history|changed?|next|future|coming|upcoming|will (?:it|the|i|we)|planned"
    r"|eski\w*|once|onceki\w*|onceden|oncesi\w*|gecmis\w*|ilk basta|degis\w*"
    r"|gelecek\w*|ileride|bundan sonra)\b"
)


def asks_other_times(question: str) -> bool:
    """Whether the question asks (also) for what held before or will hold later."""
    return _OTHER_TIMES.search(fold(question)) is not None


def told(hit: Hit) -> str:
    """What a language model is told of a marked hit beside its text; "" for others."""
    notes = []
    for mark in hit.marks:
        if mark.state == "current":
            continue
        values = "; ".join(_span(value, since, until, "en") for value, since, until in mark.stale)
        holds = mark.value or "the text there"
        notes.append(f"{mark.state}: {values or 'not in force'}; {holds} holds now, see {mark.by}")
    return " | ".join(notes)


def _threads(hits: Sequence[Hit], view: View) -> list[Thread]:
    places = {(hit.chunk.document, section) for hit in hits for section in hit.chunk.sections}
    return standing.threads(memory.following(view, places))


def _applied(thread: Thread, hits: list[Hit], day: date, view: View, pipeline: Pipeline) -> list[Hit]:
    """The hits with one thread's marks, and what holds by it placed beside them."""
    if thread.whole(day) or thread.section is None:
        roots = memory.texts(view, "section", {(thread.document, thread.section)})
    else:
        roots = _concerned(thread, view)
    place = _place(thread, day, view, pipeline, roots)
    if place is None:
        return hits
    editions = {chunk.label.edition for chunk in roots}
    marked = [_marked(hit, place, day, editions) for hit in hits]
    touched = [at for at, hit in enumerate(marked) if hit.marks != hits[at].marks]
    anchors = [at for at in touched if marked[at].marks[-1].state != "current"]
    own = next((at for at, hit in enumerate(marked) if hit.chunk.id == place.chunk.id), None)
    if not anchors or (own is not None and own < anchors[0]):
        return marked
    if own is None and anchors[0] >= pipeline.read:
        return marked  # not read, so nothing has to stand beside it
    anchor = marked[anchors[0]]
    if own is not None:
        moved = marked.pop(own)
    else:
        moved = _marked(Hit(place.chunk, anchor.score), place, day, editions)
    # Above what it changes when that was found for the very words that changed, else right below.
    first = anchors[0] + 1 >= pipeline.read or _found_by_stale(anchor, view)
    score = anchor.score if first else min(anchor.score, max(moved.score, anchor.score))
    moved = replace(
        moved, score=score, scores={**moved.scores, "supersedes": score}, why=(*moved.why, place.why)
    )
    marked.insert(anchors[0] + (0 if first else 1), moved)
    return marked


def _concerned(thread: Thread, view: View) -> list[Chunk]:
    """The sections, one for each visible edition, that the thread's first link concerns."""
    sections = memory.texts(view, "section", {(thread.document, thread.section)})
    whole: dict[str, str] = {}
    for chunk in sections:
        whole[chunk.label.edition] = f"{whole.get(chunk.label.edition, '')}\n{chunk.text}"
    return [
        chunk
        for chunk in sections
        if standing.applies(thread.links[0], whole[chunk.label.edition], chunk.label.valid_from)
    ]


def _place(
    thread: Thread, day: date, view: View, pipeline: Pipeline, roots: Sequence[Chunk]
) -> _Place | None:
    """Where it stands what holds; None when that is not to be seen, or no visible edition is concerned."""
    link = thread.standing(day)
    if not roots:
        return None
    if link is None:
        wanted = keys(thread.base)
        newest = max(
            roots, key=lambda chunk: (chunk.label.valid_from, wanted <= keys(chunk.text), -chunk.ordinal)
        )
        own = {(thread.document, number) for number in newest.sections}
        chunks = [
            chunk
            for chunk in memory.texts(view, pipeline.chunker, own)
            if chunk.label.edition == newest.label.edition and wanted <= keys(chunk.text)
        ]
        why = f"placed: {thread.base or 'its text'} holds, the announced change does not"
        return _Place(thread, thread.base, chunks[0], "", why) if chunks else None
    places = {(link.source_document, link.source_section)}
    chunks = [
        c for c in memory.texts(view, pipeline.chunker, places) if c.label.edition == link.source_edition
    ]
    if not chunks:
        return None
    quote = _squeezed(link.evidence)
    chunk = next((c for c in chunks if quote in _squeezed(c.text)), None)
    chunk = chunk or max(chunks, key=lambda c: _overlap(quote, _squeezed(c.text)))
    why = f"placed: {link.kind} {link.target} from {link.valid_from.isoformat()}"
    return _Place(thread, thread.value(day), chunk, link.evidence, why)


def _marked(hit: Hit, place: _Place, day: date, editions: set[str]) -> Hit:
    """The hit with this thread's mark if it belongs to it."""
    thread, chunk = place.thread, hit.chunk
    link = thread.standing(day)
    is_root = (
        chunk.document == thread.document
        and (thread.section is None or thread.section in chunk.sections)
        and chunk.label.edition in editions
    )
    made = [
        one
        for one in thread.links
        if one.source_document == chunk.document
        and one.source_section in chunk.sections
        and one.source_edition == chunk.label.edition
        and _overlaps(one.evidence, chunk.text)
    ]
    if not made and not is_root:
        return hit
    spans = thread.spans()
    stale = tuple(
        (span.value, span.since, span.until)
        for span in spans
        if span.value and keys(span.value) != keys(place.value)
    )
    whole = False
    if made:
        if link in made:
            state = "current"
        else:
            state = "later" if all(day < one.valid_from for one in made) else "ended"
    else:
        state = "current" if link is None else "amended"
        whole = thread.whole(day)
    why = {"amended": f"earlier: changed by {place.chunk.ref}", "ended": "earlier: no longer holds"}
    why |= {"later": "does not hold yet"}
    note = (why[state],) if state in why else ()
    said = tuple(one.evidence for one in made if one is not link and one.evidence != place.quote)
    mark = Mark(state, place.chunk.ref, place.quote, place.value, stale, said, whole)
    return replace(hit, marks=(*hit.marks, mark), why=(*hit.why, *note))


def _found_by_stale(hit: Hit, view: View) -> bool:
    """Whether the unit that the hit was found by states what does not hold, or stands beside an announcement
    that does not hold; True when no unit is known."""
    names = [why.removeprefix("found by ") for why in hit.why if why.startswith("found by ")]
    found = search.fetch(view, names)
    mark = hit.marks[-1]
    near = [p for p in re.split(r"\n\s*\n", hit.chunk.text) if any(_same(p, one) for one in mark.said)]
    return not found or any(
        _states(Piece(0, chunk.text, chunk.text), mark) or any(_same(p, chunk.text) for p in near)
        for chunk in found.values()
    )


def _stale(piece: Piece, hits: Sequence[Hit]) -> Mark | None:
    """The mark by which a piece must not be given as what holds; None when it may."""
    for mark in hits[piece.hit].marks:
        if mark.whole and mark.state != "current":
            return mark
        if not _states(piece, mark):
            continue
        says_so = mark.state == "current" and (
            not mark.value or keys(mark.value) <= _keys(piece) or _same(piece.quote, mark.quote)
        )
        if not says_so:
            return mark
    return None


def _states(piece: Piece, mark: Mark) -> bool:
    if mark.whole or any(_same(piece.quote, sentence) for sentence in mark.said):
        return True
    present = _keys(piece)
    return any(keys(value) <= present for value, _, _ in mark.stale)


def _keys(piece: Piece) -> frozenset[tuple[str, str]]:
    """The values of a piece; a row's with the units of its columns."""
    if not piece.columns:
        return keys(piece.quote)
    names, values = zip(*piece.columns, strict=True)
    header, rule = " | ".join(names), " | ".join("---" for _ in names)
    return keys(f"| {header} |\n| {rule} |\n| {' | '.join(values)} |")


def _current(mark: Mark, hits: Sequence[Hit], pieces: Iterable[Piece]) -> list[Piece]:
    """The pieces that say what holds by this mark, the sentence itself first."""
    own = [
        piece
        for piece in pieces
        if hits[piece.hit].ref == mark.by and any(one.by == mark.by for one in hits[piece.hit].marks)
    ]
    exact = [piece for piece in own if mark.quote and _same(piece.quote, mark.quote)]
    wanted = keys(mark.value)
    return exact or [piece for piece in own if wanted and wanted <= _keys(piece)]


def _label(mark: Mark, piece: Piece, language: str, other: bool) -> str:
    """What stands before a stale piece: when it held or will, if other times are asked for; what of it does
    not hold, if it states more than that. "" when it is to be left out."""
    present = _keys(piece)
    spans = [Span(*one) for one in mark.stale if keys(one[0]) <= present]
    if not spans:
        return ""
    # A value that came back matches twice: an announcement of what is to come means its later time.
    span = spans[-1] if mark.state == "later" else spans[0]
    dates = _dates(span.since, span.until, language)
    rest = present - keys(mark.value) - {key for one in spans for key in keys(one.value)}
    if rest and mark.state == "amended":
        return f"Except for {span.value} ({dates})" if language == "en" else f"{span.value} dışında ({dates})"
    if not other:
        return ""
    if span.since is not None and (mark.state == "later" or span.until is None):
        return f"Later, {dates}" if language == "en" else f"Sonra, {dates}"
    return f"Earlier, {dates}" if language == "en" else f"Daha önce, {dates}"


def _span(value: str, since: date | None, until: date | None, language: str) -> str:
    return f"{value} {_dates(since, until, language)}"


def _dates(since: date | None, until: date | None, language: str) -> str:
    """ "until 31 March 2025", "1 Temmuz 2026 – 30 Eylül 2026"; days are inclusive."""
    last = until - timedelta(days=1) if until else None
    if language == "tr":
        if since and last:
            return f"{_day(since, 'tr')} – {_day(last, 'tr')} arasında"
        return (
            f"{_day(since, 'tr')} gününden sonra"
            if since
            else f"{_day(last, 'tr')} gününe kadar"
            if last
            else ""
        )
    if since and last:
        return f"from {_day(since, 'en')} until {_day(last, 'en')}"
    return f"from {_day(since, 'en')}" if since else f"until {_day(last, 'en')}" if last else ""


_MONTHS = {
    "en": "January February March April May June July August September October November December".split(),
    "tr": "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık".split(),
}


def _day(day: date | None, language: str) -> str:
    return f"{day.day} {_MONTHS[language][day.month - 1]} {day.year}" if day else ""


def _same(piece: str, quote: str) -> bool:
    """Whether the piece is the sentence, or one holds the other."""
    a, b = _squeezed(piece), _squeezed(quote)
    return bool(a and b) and (a in b or b in a)


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _overlaps(sentence: str, text: str) -> bool:
    """Whether a chunk holds the sentence, or some of it where it was cut."""
    words = [word for word in sentence.split() if len(word) > 3]
    held = set(text.split())
    return _squeezed(sentence) in _squeezed(text) or 2 * sum(word in held for word in words) > len(words)


def _overlap(quote: str, text: str) -> int:
    words = set(text.split())
    return sum(word in words for word in quote.split())
