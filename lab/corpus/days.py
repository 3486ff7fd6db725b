"""From which day and until which a sentence says that something holds, in English and Turkish."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date, timedelta

from lab.corpus.amounts import plain

_MONTHS = {
    name: number
    for names in (
        "january february march april may june july august september october november december",
        "ocak subat mart nisan mayis haziran temmuz agustos eylul ekim kasim aralik",
        "jan feb mar apr may jun jul aug sep oct nov dec",
    )
    for number, name in enumerate(names.split(), start=1)
}
_MONTH = "(?:" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + ")"
_YEAR = r"(?:,? (20\d\d))?"
_DAY = (
    rf"(?:(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.)? (?:of )?(?P<m>{_MONTH}){_YEAR.replace('(20', '(?P<y>20')}(?!\w)"
    rf"|(?P<m2>{_MONTH}) (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?!\d){_YEAR.replace('(20', '(?P<y2>20')}"
    r"|(?P<iso>20\d\d-\d\d-\d\d)|(?P<dot>\d{1,2}[./]\d{1,2}[./]20\d\d))"
)
_ONE = re.compile(_DAY)
_SPAN = re.compile(
    rf"(?:between |from |arasi)?(?P<d>\d{{1,2}})(?:\.|st|nd|rd|th)?"
    rf"(?: (?P<m>{_MONTH})(?:'?[a-z]*)?{_YEAR.replace('(20', '(?P<y>20')}(?!\w))?"
    rf" ?(?:–|-|—|and|to|until|ve|ile|ila) ?(?P<e>\d{{1,2}})(?:\.|st|nd|rd|th)? (?P<n>{_MONTH})"
    rf"{_YEAR.replace('(20', '(?P<z>20')}"
)
_WHOLE = re.compile(
    rf"(?:(?:for|in|during|throughout"
    rf"|only in) (?:the (?:whole )?month of )?(?P<m>{_MONTH}) (?P<y>20\d\d)(?: only)?"
    rf"|(?P<m2>{_MONTH}) (?P<y2>20\d\d) (?:boyunca|ayi boyunca|ayinda|icin)"
    rf"|(?P<m3>{_MONTH}) (?P<y3>20\d\d)'?[dt][ae]\b"
    rf"(?! itibaren))"
)
_MONTH_FROM = re.compile(
    rf"(?:(?:from|as of|starting(?: in| from)?|beginning(?: in| of)?|effective"
    rf"|since) (?P<m>{_MONTH}) (?P<y>20\d\d)"
    rf"|(?P<m2>{_MONTH}) (?P<y2>20\d\d)'?(?:[dt][ae]n|dan|den) itibaren)"
)
_FROM_BEFORE = re.compile(
    r"(?:from|as of|as from|as at|starting|starting on|beginning|effective|effective from"
    r"|with effect from|since"
    r"|takes effect on|in force from|in force on|valid from|on and after|applies from|on)[ :]*$"
)
_UNTIL_BEFORE = re.compile(r"(?:until|till|through|up to|ends? (?:by itself )?on|expires? on|to)[ :]*$")
_BEFORE_BEFORE = re.compile(r"(?:before|prior to)[ :]*$")
_FROM_AFTER = re.compile(
    r"^(?:'?[dt][ae]n)? ?(?:tarihinden )?(?:itibaren|itibariyla|itibariyle|baslayarak)"
    r"|^ tarihi?(?:nden itibaren| itibariyla| itibariyle|nde)|^'?[dt][ae](?![a-z])"
)
_UNTIL_AFTER = re.compile(
    r"^'?(?:y?[ae])? ?(?:tarihine )?(?:kadar|dek|degin)|^'?[dt][ae] (?:sona erer|biter|sona eriyor)"
    r"|^ tarihinde (?:sona erer|biter|sona eriyor)"
)


@dataclass(frozen=True, slots=True)
class Period:
    """`start` the first day, `end` the first day after; None where the sentence does not say."""

    start: date | None
    end: date | None


def period(sentence: str, year: int) -> Period:
    """When what the sentence says holds. `year` stands in where a date names none."""
    text = plain(sentence)
    if (span := _SPAN.search(text)) and (found := _span(span, year)):
        return found
    start = end = None
    for match in _ONE.finditer(text):
        day = _day(match, year)
        if day is None:
            continue
        before, after = text[: match.start()], text[match.end() :]
        if _UNTIL_BEFORE.search(before) or _UNTIL_AFTER.match(after):
            end = end or day + timedelta(days=1)
        elif _BEFORE_BEFORE.search(before):
            end = end or day
        elif _FROM_BEFORE.search(before) or _FROM_AFTER.match(after):
            start = start or day
    if start is None and (opening := _MONTH_FROM.search(text)):
        start = date(int(opening["y"] or opening["y2"]), _MONTHS[opening["m"] or opening["m2"]], 1)
    elif start is None and end is None and (whole := _WHOLE.search(text)):
        month = _MONTHS[whole["m"] or whole["m2"] or whole["m3"]]
        own = int(whole["y"] or whole["y2"] or whole["y3"])
        last = calendar.monthrange(own, month)[1]
        return Period(date(own, month, 1), date(own, month, last) + timedelta(days=1))
    return Period(start, end)


def days(text: str, year: int) -> list[date]:
    """Every date the text names with day and month, in order."""
    return [day for match in _ONE.finditer(plain(text)) if (day := _day(match, year))]


def _span(match: re.Match[str], year: int) -> Period | None:
    last = int(match["z"] or match["y"] or year)
    month = _MONTHS[match["n"]]
    try:
        end = date(last, month, int(match["e"])) + timedelta(days=1)
        start = date(int(match["y"] or last), _MONTHS[match["m"]] if match["m"] else month, int(match["d"]))
    except ValueError:
        return None
    return Period(start, end) if start < end else None


def _day(match: re.Match[str], year: int) -> date | None:
    try:
        if match["iso"]:
            return date.fromisoformat(match["iso"])
        if match["dot"]:
            day, month, own = map(int, re.split("[./]", match["dot"]))
            return date(own, month, day)
        month = _MONTHS[match["m"] or match["m2"]]
        return date(int(match["y"] or match["y2"] or year), month, int(match["d"] or match["d2"]))
    except ValueError:
        return None
