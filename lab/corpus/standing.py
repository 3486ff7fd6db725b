"""Which links hold on a day, and what they leave in force: chains, parts, changes for a month."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from lab.corpus.amounts import keys
from lab.corpus.links import Link

END = date.max
"""The day on which everything that has been announced without an end holds."""


@dataclass(frozen=True, slots=True)
class Span:
    """A value as written and when it held: from `since` (None: from the beginning) until `until` (exclusive;
    None: without an end)."""

    value: str
    since: date | None
    until: date | None


@dataclass(frozen=True, slots=True)
class Thread:
    """Links that hang together, oldest first: they change one value of one section, or all of it."""

    links: tuple[Link, ...]

    @property
    def document(self) -> str:
        return self.links[0].target_document

    @property
    def section(self) -> str | None:
        return self.links[0].target_section

    @property
    def base(self) -> str:
        """The value that the section itself states; "" when no link says."""
        return self.links[0].old

    def standing(self, day: date) -> Link | None:
        """The link by which things stand on that day; None: the section's own text holds."""
        holding = [link for link in self.links if _holds(link, day, self.links)]
        return holding[-1] if holding else None

    def value(self, day: date) -> str:
        """What holds on that day, as written: a cancelled increase without a new amount gives the first one
        back. "" when something ended, or no value was ever stated."""
        link = self.standing(day)
        if link is None:
            return self.base
        if link.new or not _cancels(link, self.links):
            return link.new
        return self.base

    def spans(self) -> list[Span]:
        """The values in the order of their time, without gaps."""
        marks = {link.valid_from for link in self.links} | {
            link.valid_to for link in self.links if link.valid_to
        }
        days = sorted(marks)
        found = [Span(self.base, None, days[0])]
        for start, stop in zip(days, [*days[1:], None], strict=True):
            value = self.value(start)
            if keys(value) == keys(found[-1].value) and value:
                found[-1] = Span(found[-1].value, found[-1].since, stop)
            else:
                found.append(Span(value, start, stop))
        return found

    def whole(self, day: date) -> bool:
        """Whether nothing of the section's (or document's) own text holds on that day."""
        link = self.standing(day)
        return (
            link is not None
            and link.kind in ("replaces", "repeals")
            and not link.old
            and (link.target_document, link.target_section) == (self.document, self.section)
        )


def threads(links: Sequence[Link]) -> list[Thread]:
    """The links by what they hang together with."""
    ordered = sorted(links, key=_order)
    group = list(range(len(ordered)))
    for i, earlier in enumerate(ordered):
        for j in range(i + 1, len(ordered)):
            if _touches(ordered[j], earlier) and group[i] != group[j]:
                group = [group[i] if number == group[j] else number for number in group]
    found: dict[int, list[Link]] = {}
    for number, link in zip(group, ordered, strict=True):
        found.setdefault(number, []).append(link)
    result = []
    for members in found.values():
        sources = {(link.source_document, link.source_section) for link in members}
        # The root first: what it changes is not itself an announcement of the thread.
        members.sort(key=lambda link: ((link.target_document, link.target_section) in sources, *_order(link)))
        result.append(Thread(tuple(members)))
    return result


def applies(link: Link, text: str, since: date) -> bool:
    """Whether a link concerns an edition of its target that says `text` and is valid from `since`: a newer
    edition that no longer states the old value has taken the change in, or overtaken it."""
    if link.old:
        return keys(link.old) <= keys(text) or (since <= link.valid_from and not keys(link.new) & keys(text))
    return since <= max(link.valid_from, link.said_on)


def _order(link: Link) -> tuple[date, date, str, str, str]:
    return link.valid_from, link.said_on, link.source_document, link.source_edition, link.id


def _touches(later: Link, earlier: Link) -> bool:
    return (
        _on_announcement(later, earlier) or _on_same_value(later, earlier) or _on_announcement(earlier, later)
    )


def _on_announcement(later: Link, earlier: Link) -> bool:
    """`later` changes what the document of `earlier` had announced."""
    return (
        later.target_document == earlier.source_document
        and later.target_section in (None, earlier.source_section)
        and (not later.old or not earlier.new or keys(later.old) == keys(earlier.new))
    )


def _on_same_value(later: Link, earlier: Link) -> bool:
    """Both change one section: the same value of it, or `later` all of it."""
    if (later.target_document, later.target_section) != (earlier.target_document, earlier.target_section):
        return later.target_document == earlier.target_document and later.target_section is None
    if not later.old:
        return later.kind in ("replaces", "repeals") or not earlier.old
    return keys(later.old) in (keys(earlier.new), keys(earlier.old))


def _holds(link: Link, day: date, links: Sequence[Link]) -> bool:
    """Within its dates, and nothing later that holds takes its place."""
    if not (link.valid_from <= day and (link.valid_to is None or day < link.valid_to)):
        return False
    return not any(
        _order(later) > _order(link)
        and (_on_announcement(later, link) or _on_same_value(later, link))
        and _holds(later, day, links)
        for later in links
    )


def _cancels(link: Link, links: Sequence[Link]) -> bool:
    return any(_on_announcement(link, other) for other in links if other is not link)
