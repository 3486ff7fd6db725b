"""Times in a question: periods ("geçen ay", "in September", "last quarter") and the day asked about ("as
of …").

Relative words are counted from a given day, never from the clock."""

from __future__ import annotations

import calendar
import re
from datetime import date, datetime, timedelta

from lab.text import fold

_TR = "ocak subat mart nisan mayis haziran temmuz agustos eylul ekim kasim aralik".split()
_EN = "january february march april may june july august september october november december".split()
_MONTHS = {name: number for names in (_TR, _EN) for number, name in enumerate(names, 1)} | {
    name[:3]: number for number, name in enumerate(_EN, 1) if name != "may"
}
_NAME = "|".join(sorted((*_TR, *_EN), key=len, reverse=True))
_ENDING = r"(?:'?[a-z]{1,6})?"
_DAYS = (
    (re.compile(r"\b(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})\b"), ()),
    (re.compile(r"\b(?P<d>\d{1,2})[./](?P<m>\d{1,2})[./](?P<y>\d{4})\b"), ()),
    (re.compile(rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<m>{_NAME}),? (?P<y>\d{{4}})\b"), ()),
    (re.compile(rf"\b(?P<m>{_NAME}) (?P<d>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y>\d{{4}})\b"), ()),
)
_MONTH = re.compile(
    rf"\b(?P<m>{_NAME})(?: ay)?{_ENDING}(?: (?P<y>\d{{4}}))?{_ENDING}\b"
    rf"|\b(?P<y2>\d{{4}}) (?:yili )?(?P<m2>{_NAME}){_ENDING}\b"
)
_QUARTER = re.compile(
    r"\b(?P<y>\d{4})?\S* ?(?:yilinin )?(?P<n>ilk|birinci|ikinci|ucuncu|dorduncu|son|1|2|3|4)\.? ceyre|"
    r"\b(?P<e>first|second|third|fourth|q1|q2|q3|q4)(?: quarter)?(?: of)? (?P<y2>\d{4})\b"
)
_ORDER = {"ilk": 1, "birinci": 1, "ikinci": 2, "ucuncu": 3, "dorduncu": 4, "son": 4, "first": 1, "second": 2,
          "third": 3, "fourth": 4}  # fmt: skip
_RELATIVE = re.compile(
    r"\b(?P<w>gecen|gectigimiz|onceki|bu|last|previous|this) "
    r"(?P<u>hafta|ay|ceyre|yil|sene|week|month|quarter|year)"
)
_AGO = re.compile(
    r"\b(?:\d+|bir|iki|uc|one|two|three|a|four|five|six) "
    r"(?:gun|hafta|ay|yil|days?|weeks?|months?|years?) (?:once|ago)\b"
)
_LETTERS = {"bir": "1", "iki": "2", "uc": "3", "gun": "gün", "yil": "yıl", "once": "önce"}
"""As dateparser knows them."""
_STANDING = re.compile(
    r"itibar|\bas of\b|\bas at\b|tarihinde gecerli|\bin force on\b|valid on|o gun|\bback on\b|gunu gecerli"
)


def days(text: str) -> list[date]:
    """The days written out in `text`."""
    folded, found = fold(text), []
    for pattern, _ in _DAYS:
        for match in pattern.finditer(folded):
            month = _MONTHS.get(match["m"]) or int(match["m"])
            try:
                found.append(date(int(match["y"]), month, int(match["d"])))
            except ValueError:
                continue
    return found


def as_of(text: str) -> date | None:
    """The day on which things are asked as they stood ("1 Şubat 2026 itibarıyla", "as of 1 February
    2026")."""
    return next(iter(days(text)), None) if _STANDING.search(fold(text)) else None


def periods(text: str, today: date) -> list[tuple[date, date]]:
    """The periods named in `text` as (first day, day after the last). A month without a year is the last one
    that has begun by `today`."""
    folded = fold(text)
    if standing := days(text):
        return [(when, when + timedelta(days=1)) for when in standing]
    found = [_quarter(match, today) for match in _QUARTER.finditer(folded)]
    if not found:
        found = [_month(match, today) for match in _MONTH.finditer(folded)]
    if found:  # "May this year" is one period
        return found
    found += [
        _relative(match["w"] in ("bu", "this"), match["u"], today) for match in _RELATIVE.finditer(folded)
    ]
    for match in _AGO.finditer(folded):
        if when := _parsed(match.group(), today):
            found.append((when, when + timedelta(days=1)))
    return found


def _month(match: re.Match[str], today: date) -> tuple[date, date]:
    month = _MONTHS[match["m"] or match["m2"]]
    given = match["y"] or match["y2"]
    year = int(given) if given else today.year - (month > today.month)
    return _span(year, month, 1)


def _quarter(match: re.Match[str], today: date) -> tuple[date, date]:
    word = match["n"] or match["e"]
    number = _ORDER.get(word) or int(word[-1])
    given = match["y"] or match["y2"]
    return _span(int(given) if given else today.year, 3 * number - 2, 3)


def _span(year: int, month: int, months: int) -> tuple[date, date]:
    last_year, last_month = year + (month + months - 2) // 12, (month + months - 2) % 12 + 1
    return date(year, month, 1), date(
        last_year, last_month, calendar.monthrange(last_year, last_month)[1]
    ) + timedelta(1)


def _relative(this: bool, unit: str, today: date) -> tuple[date, date]:
    if unit in ("hafta", "week"):
        monday = today - timedelta(days=today.weekday() + (0 if this else 7))
        return monday, monday + timedelta(days=7)
    if unit in ("yil", "sene", "year"):
        return _span(today.year - (not this), 1, 12)
    months = 3 if unit in ("ceyre", "quarter") else 1
    first = (today.month - 1) // months * months + 1
    if this:
        return _span(today.year, first, months)
    before = date(today.year, first, 1) - timedelta(days=1)
    return _span(before.year, before.month - months + 1, months)


def _parsed(text: str, today: date) -> date | None:
    import dateparser  # half a second to load; few questions need it

    text = " ".join(_LETTERS.get(word, word) for word in text.split())
    base = datetime(today.year, today.month, today.day)
    when = dateparser.parse(text, languages=["tr", "en"], settings={"RELATIVE_BASE": base})
    return when.date() if when else None
