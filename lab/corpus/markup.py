"""HTML made into the text a mail program displays."""

from __future__ import annotations

import re

from bs4 import BeautifulSoup
from bs4.element import NavigableString, Tag

_UNSEEN = ("script", "style", "head", "title", "template", "noscript")
_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|font-size\s*:\s*0(?![.\d]*[1-9])", re.I
)
_LINES = ("div", "tr", "li", "dt", "dd", "address", "center")
_PARAGRAPHS = (
    *("p", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote"),
    *("ul", "ol", "dl", "table", "section", "article", "hr"),
)
_LINE, _PARAGRAPH = "\x1e", "\x1f"


def html_text(html: str) -> str:
    """What `html` displays: paragraphs apart, " | " between cells, quotations marked with ">".

    Comments and elements hidden by `hidden` or an inline style are left out: nobody was shown them."""
    soup = BeautifulSoup(f"<div>{html}</div>", "html.parser")
    without_hidden(soup)
    for string in soup.find_all(string=True):
        if type(string) is NavigableString and not string.find_parent("pre"):
            string.replace_with(re.sub(r"[ \t\r\n\f]+", " ", string))
    for tag in soup.find_all("br"):
        tag.replace_with("\n")
    for tag in soup.find_all(("td", "th")):
        if tag.find_next_sibling(("td", "th")):
            tag.insert_after(" | ")
    for tag in soup.find_all("li"):
        tag.insert(0, "- ")
    for tags, mark in ((_LINES, _LINE), (_PARAGRAPHS, _PARAGRAPH)):
        for tag in soup.find_all(tags):
            tag.insert_before(mark)
            tag.insert_after(mark)
    for tag in reversed(soup.find_all("blockquote")):  # innermost first
        quoted = _settle(tag.get_text())
        tag.replace_with("\n".join(f"> {line}".rstrip() for line in quoted.split("\n")))
    return _settle(soup.get_text())


def without_hidden(soup: BeautifulSoup) -> None:
    """Takes out of `soup` what no reader of the page was shown, comments aside."""
    for tag in soup.find_all(_UNSEEN):
        tag.decompose()
    for tag in soup.find_all(_is_hidden):
        if not tag.decomposed:
            tag.decompose()


def _is_hidden(tag: Tag) -> bool:
    return tag.has_attr("hidden") or bool(_HIDING.search(str(tag.get("style", ""))))


def _settle(text: str) -> str:
    """Marks made into line ends."""
    text = text.replace("\xa0", " ")
    text = re.sub(rf"[ {_LINE}]*{_PARAGRAPH}[ {_LINE}{_PARAGRAPH}]*", "\n\n", text)
    text = re.sub(rf"[ ]*{_LINE}[ {_LINE}]*", "\n", text)
    # "-- " keeps its space: it opens a signature.
    text = re.sub(r"(?<!\n--)(?<!^--)[ ]+\n", "\n", text)
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"\n[ ]+(?=\S)", "\n", text)).strip("\n ")
