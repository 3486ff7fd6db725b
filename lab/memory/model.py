"""A memory as people and agents keep it: its fields, what each may hold, and how a few are written (`7d`)."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from lab.kinds import LabError
from lab.text import fold

CATEGORIES = ("identity", "preference", "fact", "project", "skill", "mistake", "context", "note")
PRIORITIES = ("critical", "high", "normal", "low")
"""In the order of recall."""
PERSONS, AGENTS, AGENTS_MOST = 1.0, 0.7, 0.99
"""Confidence of what a person stores, of what an agent stores, and the most an agent may claim."""
LONGEST = 2_000_000
"""Characters of a memory."""
MOST_TAGS = 64
"""Two to five are advised."""
_KEY = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_SPAN = re.compile(r"(\d{1,6})\s*(m|h|d|w)")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory of a mind, as it was stored."""

    id: str
    """`mem_…`"""
    mind_id: str
    category: str
    key: str
    """Stable and unique in (mind, category): storing under it again updates."""
    content: str
    tags: tuple[str, ...]
    priority: str
    source: str
    """`user` or `agent`: who stored it."""
    verified: bool
    """Whether a person stands by it."""
    confidence: float
    expires_at: datetime | None
    created_at: datetime
    updated_at: datetime


def category(value: str) -> str:
    if value not in CATEGORIES:
        raise LabError(f"There is no category {value!r}.", f"One of {', '.join(CATEGORIES)}.")
    return value


def priority(value: str) -> str:
    if value not in PRIORITIES:
        raise LabError(f"There is no priority {value!r}.", f"One of {', '.join(PRIORITIES)}.")
    return value


def key(value: str) -> str:
    """`value` if it is snake_case; else LabError with the nearest key that is."""
    if len(value) > 100 or not _KEY.fullmatch(value):
        near = "_".join(re.findall("[a-z0-9]+", fold(value))).lstrip("0123456789_")[:100].rstrip("_")
        raise LabError(
            f"{value[:100]!r} is no key.",
            "Keys are snake_case: small letters a–z, digits and single underscores, at most 100.",
            f"For instance: {near}" if near else "",
        )
    return value


def content(value: str) -> str:
    """`value` if it can be stored: some text, no NUL, no half of a surrogate pair, not over LONGEST."""
    if not value.strip():
        raise LabError("The memory has no content.", "Some text.")
    if len(value) > LONGEST:
        raise LabError(
            f"The memory has {len(value):,} characters.",
            f"At most {LONGEST:,}.",
            "Store a document with `lab ingest`, or the memory in parts.",
        )
    return words(value, "The content")


def words(value: str, what: str) -> str:
    """`value` if PostgreSQL keeps it: neither NUL nor half of a surrogate pair."""
    for at, letter in enumerate(value):
        if letter == "\0" or "\ud800" <= letter <= "\udfff":
            name = "a NUL byte" if letter == "\0" else f"half a character (U+{ord(letter):04X})"
            raise LabError(f"{what} contains {name} after {value[max(0, at - 40) : at]!r}.", "Text in UTF-8.")
    return value


def tag_key(tag: str) -> str:
    """What two tags have in common when they differ in case alone. İ, I, ı and i are one letter: which of
    them a capital stands for depends on the language, and tags have none."""
    text = unicodedata.normalize("NFKC", tag).translate(str.maketrans("İIı", "iii")).casefold()
    return " ".join(text.replace("\u0307", "").split())


def tags(values: Iterable[str]) -> tuple[str, ...]:
    """The tags without spaces around them, each once, as first written."""
    if isinstance(values, str):
        raise LabError(
            f"Tags are a list, not the text {values[:60]!r}.", 'For instance ["docker", "deployment"].'
        )
    found: dict[str, str] = {}
    for tag in values:
        name = " ".join(unicodedata.normalize("NFC", tag).split())
        if not name or len(name) > 100 or not name.isprintable() or "," in name:
            raise LabError(f"{tag[:100]!r} is no tag.", "1 to 100 printable characters without a comma.")
        found.setdefault(tag_key(name), name)
    if len(found) > MOST_TAGS:
        raise LabError(f"{len(found):,} tags are too many.", f"At most {MOST_TAGS}; 2 to 5 find best.")
    return tuple(found.values())


def confidence(value: float, *, agent: bool) -> float:
    """Between 0 and 1; an agent's at most AGENTS_MOST."""
    if not (isinstance(value, (int, float)) and math.isfinite(value) and 0 <= value <= 1):
        raise LabError(f"The confidence is {value!r}.", "A number from 0 to 1.")
    if agent and value > AGENTS_MOST:
        raise LabError(
            f"An agent's confidence can't be {value}.", f"At most {AGENTS_MOST}: 1 is what a person said."
        )
    return float(value)


def span(value: str | timedelta) -> timedelta:
    """`30m`, `12h`, `7d`, `2w`."""
    if isinstance(value, timedelta):
        return value
    match = _SPAN.fullmatch(value.strip().lower())
    if match is None:
        raise LabError(f"{value!r} is no span of time.", "A number with m, h, d or w: 30m, 12h, 7d, 2w.")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def moment(value: str | datetime | timedelta, now: datetime | None = None) -> datetime:
    """When something expires: a span from now on, or a moment (ISO 8601; UTC where it names no zone).

    LabError when that is past: such a memory would never be recalled."""
    present = now or datetime.now(UTC)
    try:
        if isinstance(value, timedelta) or (
            isinstance(value, str) and _SPAN.fullmatch(value.strip().lower())
        ):
            at = present + span(value)
        else:
            at = value if isinstance(value, datetime) else datetime.fromisoformat(value.strip())
            at = (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise LabError(
            f"{value!r} is no moment.", "A span (30m, 12h, 7d, 2w) or ISO 8601 (2027-06-28T00:00:00Z)."
        ) from error
    if at <= present:
        raise LabError(
            f"{value} is past.", "An expired memory is never recalled.", "Delete the memory instead."
        )
    return at
