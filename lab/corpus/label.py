"""Labels: what is known of a section besides its words."""

from __future__ import annotations

import functools
import re

from lab.corpus.blocks import blocks
from lab.corpus.tables import header_rows
from lab.kinds import Document, Label
from lab.text import fold

_DOMESTIC = re.compile(
    r"\b(?:domestic(?:ally)?|(?:within|inside) (?:turkey|turkiye|the country)|inland"
    r"|(?:yurt|ulke) ?ici\w*|ic hat\w*)\b"
)
_INTERNATIONAL = re.compile(
    r"\b(?:international(?:ly)?|abroad|overseas|ausland|auslands\w*"
    r"|(?:yurt|ulke) ?disi\w*|uluslararasi|dis hat\w*)\b"
)
_HOME = re.compile(r"\b(?:try|tl|turkish lira|turk lirasi|lira)\b|₺")
_FOREIGN = re.compile(r"\b(?:eur|euros?|avro|usd|us dollars?|dolar|dollars?|gbp)\b|[€$£]")
_AND = re.compile(r"\s(?:and|ve|ile|und|or|veya)\s|[&/,]")


def label(document: Document, section_text: str, heading: str) -> Label:
    """The label of a section: the document's own facts, and the scope of `scope`."""
    return Label(
        edition=document.edition,
        valid_from=document.valid_from,
        valid_to=document.valid_to,
        scope=document.scope or scope(document, section_text, heading),
        access=document.access,
        language=document.language,
        department=document.department,
    )


def scope(document: Document, section_text: str, heading: str) -> str:
    """`domestic`, `international`, or `none` where the section is not about exactly one of them.

    The heading decides if it names one scope (never words of the body, which mention "abroad" in passing).
    A heading that joins two subjects ("Remote access and travel abroad") decides only if the currency in
    the section's table header agrees. Under a heading that names none, the currency decides (lira:
    domestic) if the document has tables in home *and* in foreign money: there the currency tells twins
    apart; a lone lira table is just an amount.
    """
    words = fold(heading)
    home, foreign = bool(_DOMESTIC.search(words)), bool(_INTERNATIONAL.search(words))
    if home and foreign:
        return "none"
    money = _currency(section_text)
    if home or foreign:
        named = "domestic" if home else "international"
        return named if not _AND.search(words) or money == named else "none"
    return money if money != "none" and _both(document.text) else "none"


def _currency(text: str) -> str:
    """`domestic` if the table headers of `text` name lira only, `international` if foreign money only, else
    `none`."""
    home, foreign = _moneys(text)
    return "none" if home == foreign else "domestic" if home else "international"


@functools.lru_cache(maxsize=256)
def _both(text: str) -> bool:
    home, foreign = _moneys(text)
    return home and foreign


@functools.lru_cache(maxsize=1024)
def _moneys(text: str) -> tuple[bool, bool]:
    if "|" not in text:
        return False, False
    lines = text.split("\n")
    headers = []
    for block in blocks(lines):
        if block.kind == "table":
            rows = [line.strip() for line in lines[block.first : block.last]]
            headers.append(fold(" ".join(rows[: header_rows(rows)])))
    words = " ".join(headers)
    return bool(_HOME.search(words)), bool(_FOREIGN.search(words))
