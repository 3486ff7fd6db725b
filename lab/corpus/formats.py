"""Files of several formats as Markdown with a title: what somebody's own documents come in."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import logging
import re
import unicodedata
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import yaml
from bs4 import BeautifulSoup
from bs4.dammit import EncodingDetector

from lab.corpus.charset import decode_text, tidy
from lab.corpus.mail import read_mail
from lab.corpus.markup import without_hidden
from lab.kinds import LabError

TEXT = (".md", ".markdown", ".txt", ".text")
WEB = (".html", ".htm", ".xhtml")
MAIL = (".eml",)
PACKED = (".pdf", ".docx")
"""Formats that need the extra `ingest`."""
KNOWN = (*TEXT, *WEB, *MAIL, *PACKED)
FRONT = ("id", "title", "edition", "department", "access", "lang", "valid_from")
_FENCE = re.compile(r"---[ \t]*$")
_ALONE = re.compile(r"(?:\d{1,2}(?:\.\d{1,2}){0,2}[.)]?|§ ?\d{1,3}\.?|[IVX]{1,5}\.)\s+[^\W\d_].*$")
_ENDS = re.compile(r"[.!?:;,…]$")


@dataclass(frozen=True, slots=True)
class Read:
    """What a file holds. `text` is Markdown that is still to be cleaned; `fields` its front matter."""

    title: str
    text: str
    kind: str = "handbook"
    day: date | None = None
    """The day a mail was sent."""
    fields: dict[str, str] = field(default_factory=dict)


class Unreadable(Exception):
    """A file that holds nothing to read; the message says why, as the end of "it …"."""


def read(data: bytes, source: str, largest: int) -> Read:
    """The document in the bytes of a file whose name ends as `source`. `largest`: bytes that a packed format
    may unpack to. Unreadable where there are no words; LabError where a format's package is missing."""
    suffix = Path(source).suffix.lower()
    if not data.strip():
        raise Unreadable("is empty")
    if suffix in MAIL:
        return _mail(data, source)
    if suffix in PACKED:
        return _packed(data, source, suffix, largest)
    text = tidy(_decoded(data, suffix in WEB))
    if _is_junk(text):
        raise Unreadable("is no text, whatever its name says")
    return _web(text, source) if suffix in WEB else _text(text, source, suffix)


def needs(source: str) -> str | None:
    """The package that this file needs and that is not installed, or None."""
    packed = Path(source).suffix.lower() in PACKED
    return "markitdown" if packed and importlib.util.find_spec("markitdown") is None else None


def missing(sources: list[str]) -> LabError:
    """What to say where these files can't be read for want of a package."""
    shown = ", ".join(sources[:3]) + (f" and {len(sources) - 3} more" if len(sources) > 3 else "")
    return LabError(
        f"PDF and DOCX need markitdown, which is not installed: {shown}.",
        "The extra `ingest`; or leave such files out: ignore: ['*.pdf', '*.docx'] in lab.yaml.",
        "python start.py install --extra ingest",
    )


def named(source: str) -> str:
    """A title made from a file's name: "minutes_2024-05.pdf" → "minutes 2024-05"."""
    return " ".join(unicodedata.normalize("NFC", Path(source).stem).replace("_", " ").split()) or source


def _decoded(data: bytes, web: bool) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    declared = EncodingDetector.find_declared_encoding(data, is_html=True) if web else None
    return decode_text(data, declared or _korean(data))


def _korean(data: bytes) -> str | None:
    """`cp949` where the bytes are no UTF-8 and read as Korean; text of one-byte charsets does not."""
    with contextlib.suppress(UnicodeDecodeError):
        data.decode("utf-8")
        return None
    try:
        text = data.decode("cp949")
    except UnicodeDecodeError:
        return None
    high = [letter for letter in text if ord(letter) > 127]
    hangul = sum("\uac00" <= letter <= "\ud7a3" for letter in high)
    # Two accented letters in a row also make a syllable; whole words of them are not met in Latin script.
    return "cp949" if hangul > 0.8 * len(high) and re.search("[\uac00-\ud7a3]{2}", text) else None


def _is_junk(text: str) -> bool:
    sample = text[:20_000]
    odd = sum(
        unicodedata.category(letter) in ("Cc", "Cn", "Co", "Cs")
        for letter in sample
        if letter not in "\n\r\t\f"
    )
    odd += sample.count("\ufffd")
    return not any(map(str.isalnum, sample)) or odd > 0.02 * len(sample)


def _text(text: str, source: str, suffix: str) -> Read:
    fields, body = _front(text, source)
    if suffix not in (".md", ".markdown"):
        body = with_headings(body)
    return Read(fields.get("title") or _title(body, source), body, fields=fields)


def _front(text: str, source: str) -> tuple[dict[str, str], str]:
    """(front matter, body); text that merely begins with a drawn line has none."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not _FENCE.match(lines[0]):
        return {}, "\n".join(lines)
    end = next((at for at, line in enumerate(lines[1:], start=1) if _FENCE.match(line)), None)
    if end is None:
        return {}, "\n".join(lines)
    try:
        loaded = yaml.load("\n".join(lines[1:end]), Loader=yaml.BaseLoader)
    except yaml.YAMLError as error:
        problem = getattr(error, "problem", None) or error
        raise Unreadable(f"has front matter that is no YAML ({problem})") from None
    if not isinstance(loaded, dict):
        return {}, "\n".join(lines)
    found = {
        key: " ".join(value.split())
        for key in FRONT
        if isinstance(value := loaded.get(key), str) and value.strip()
    }
    return found, "\n".join(lines[end + 1 :])


def _title(text: str, source: str) -> str:
    """The first line if it is a heading or stands alone like one, else the file's name."""
    lines = [line.strip() for line in text.split("\n")]
    at = next((i for i, line in enumerate(lines) if line), None)
    if at is None:
        return named(source)
    first, following = lines[at], lines[at + 1] if at + 1 < len(lines) else ""
    if match := re.match(r"#{1,2}\s+(.+?)\s*#*$", first):
        return match[1]
    alone = not following or set(following) <= {"=", "-"}
    looks = 3 <= len(first) <= 80 and first[0].isalnum() and not _ENDS.search(first) and "|" not in first
    return first if alone and looks else named(source)


def with_headings(text: str) -> str:
    """Plain text with Markdown headings where it has some: a numbered line that stands alone, short and
    without a full stop ("3. Fees", "§ 4 Members"). One in capitals too, unless it comes back elsewhere."""
    lines = text.split("\n")
    times = Counter(line.strip() for line in lines)
    counted = _counted(lines)
    found = []
    for at, line in enumerate(lines):
        bare = line.strip("\f").strip()
        above = at == 0 or not lines[at - 1].strip() or line.startswith("\f")
        below = at + 1 < len(lines) and not lines[at + 1].strip()
        short = 3 <= len(bare) <= 70 and not _ENDS.search(bare) and times[line.strip()] == 1
        loud = bare.isupper() and sum(map(str.isalpha, bare)) >= 4
        if (above and below and short and (loud or _ALONE.match(bare))) or at in counted:
            line = ("\f" if line.startswith("\f") else "") + f"## {bare}"
        found.append(line)
    return "\n".join(found)


def _counted(lines: list[str]) -> frozenset[int]:
    """Lines of a page whose blank lines were lost that number its parts from 1 on, with text between them:
    the items of a list stand next to each other."""
    found: list[int] = []
    for at, line in enumerate(lines):
        match = re.match(r"(\d{1,2})\.\s+[^\W\d_]", line)
        if match and int(match[1]) == len(found) + 1 and len(line) <= 70 and not _ENDS.search(line.rstrip()):
            if found and at - found[-1] < 2:
                return frozenset()
            found.append(at)
    follows = bool(found) and found[-1] + 1 < len(lines) and bool(lines[found[-1] + 1].strip())
    return frozenset(found) if len(found) > 1 and follows else frozenset()


def _web(text: str, source: str) -> Read:
    from markdownify import ATX, markdownify

    soup = BeautifulSoup(text, "html.parser")
    title = " ".join(soup.title.get_text().split()) if soup.title else ""
    without_hidden(soup)
    for tag in soup.find_all(["nav", "form", "iframe", "svg", "button"]):
        tag.decompose()
    heading = soup.find("h1")
    title = title or (" ".join(heading.get_text().split()) if heading else "")
    body = soup.find("main") or soup.body or soup
    made = markdownify(
        str(body),
        heading_style=ATX,
        bullets="-",
        strip=["a", "img", "b", "strong", "i", "em"],
        escape_asterisks=False,
        escape_underscores=False,
        escape_misc=False,
    )
    return Read(title or named(source), made)


def _mail(data: bytes, source: str) -> Read:
    """Who may read a mail is for the rules to say: its headers are the sender's."""
    try:
        mail = read_mail(data, source)
    except LabError as error:
        raise Unreadable(error.happened.removeprefix(f"{source} ").rstrip(".")) from None
    return Read(mail.subject or named(source), mail.body, "mail", mail.sent.date())


def _packed(data: bytes, source: str, suffix: str, largest: int) -> Read:
    if needs(source):
        raise missing([source])
    from markitdown import StreamInfo
    from markitdown.converters import DocxConverter, PdfConverter

    if suffix == ".docx":
        _unpacks(data, largest)
    logging.getLogger("pdfminer").setLevel(logging.ERROR)
    try:
        # Not through its front door: that would read a broken PDF as plain text.
        converter = PdfConverter() if suffix == ".pdf" else DocxConverter()  # type: ignore[no-untyped-call]
        made = converter.convert(io.BytesIO(data), StreamInfo(extension=suffix))
    except Exception as error:  # its parsers raise whatever a broken file makes them raise
        raise Unreadable(f"is no {suffix[1:].upper()} that can be read ({type(error).__name__})") from None
    text = tidy(made.markdown or "")
    if not any(map(str.isalnum, text)):
        scanned = " (pictures of pages?)" if suffix == ".pdf" else ""
        raise Unreadable(f"holds no text{scanned}")
    text = with_headings(text) if suffix == ".pdf" else text
    return Read(_title(text, source), text)


def _unpacks(data: bytes, largest: int) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(item.file_size for item in archive.infolist() if item.filename.endswith(".xml"))
    except zipfile.BadZipFile:
        raise Unreadable("is no DOCX that can be read (no archive)") from None
    if size > 20 * largest:
        raise Unreadable(f"unpacks to {size / 2**20:,.0f} MB of text")
