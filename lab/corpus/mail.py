"""Mails as they come (.eml) made into text: MIME parts, transfer encodings, headers."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.policy import compat32
from email.utils import parseaddr, parsedate_to_datetime
from typing import cast

from lab.corpus.charset import decode_text, tidy
from lab.corpus.markup import html_text
from lab.corpus.quoted import own_words
from lab.kinds import LabError

DEFAULT_ACCESS = "unlabelled"
"""The module of a mail that does not say who may read it: no role reads it until one is allowed to."""


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail that was read. Strings are NFC."""

    subject: str
    sender: str
    """`Name <address>`, or the address alone; empty when the mail names nobody."""
    sent: datetime
    """With the sender's time zone (UTC when it names none); its date is the day from which the mail holds."""
    department: str
    """`X-Kraken-Department`; empty when absent."""
    access: str
    """`X-Kraken-Access`, else DEFAULT_ACCESS."""
    body: str
    """What the sender wrote, without quotations, signatures and attachments; `\\n` line ends, wraps kept."""


def read_mail(data: bytes, source: str) -> Mail:
    """The mail in `data`, the bytes of an .eml file; `source` names it in errors.

    Raises LabError when there is no text to read or no date to date it by."""
    if not data.strip():
        raise LabError(
            f"{source} is empty.",
            "A mail with headers and a text was expected.",
            "Remove it or export it again.",
        )
    # compat32: the stricter policies raise on some malformed headers, and a mailbox is full of those.
    message = message_from_bytes(data.removeprefix(codecs.BOM_UTF8).lstrip(b"\r\n"), policy=compat32)
    sent = _sent(message, source)
    access = _header(message, "X-Kraken-Access")
    if access is not None and not access:
        raise LabError(
            f"{source} has an empty X-Kraken-Access.",
            "The header names the module a reader must be allowed to see, such as all or hr-only.",
            "Fill the header in or remove it.",
        )
    body = own_words(tidy(_text(message)))
    body = "\n".join(line.rstrip() for line in body.split("\n")).strip()
    if not body:
        raise LabError(
            f"{source} holds no text.",
            "A text/plain or text/html part with words was expected; attachments are not read.",
            "Remove it or export it again.",
        )
    return Mail(
        subject=_header(message, "Subject") or "",
        sender=_sender(message),
        sent=sent,
        department=_header(message, "X-Kraken-Department") or "",
        access=access or DEFAULT_ACCESS,
        body=body,
    )


def _sent(message: Message, source: str) -> datetime:
    value = _header(message, "Date")
    if not value:
        raise LabError(
            f"{source} has no Date header.",
            "The day a mail was sent is the day from which it holds.",
            "Add a line such as “Date: Mon, 16 Feb 2026 10:05:00 +0300” to its head.",
        )
    try:
        sent = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        raise LabError(
            f"{source} has a Date header that can't be read: {value!r}.",
            "A date as in “Mon, 16 Feb 2026 10:05:00 +0300” was expected.",
            "Correct the header.",
        ) from None
    return sent if sent.tzinfo else sent.replace(tzinfo=UTC)


def _sender(message: Message) -> str:
    raw = _raw_header(message, "From") or ""
    name, address = parseaddr(raw)
    if not address:
        return _decode_words(raw)
    name = _decode_words(name)
    return f"{name} <{address}>" if name else address


def _raw_header(message: Message, name: str) -> str | None:
    """The first header of this name, unfolded; bytes outside ASCII, which do not belong there, decoded."""
    for key, value in message.raw_items():
        if key.lower() == name.lower():
            raw = str(value).encode("utf-8", "surrogateescape")
            return " ".join(decode_text(raw, None).split())
    return None


def _header(message: Message, name: str) -> str | None:
    raw = _raw_header(message, name)
    return None if raw is None else _decode_words(raw)


def _decode_words(raw: str) -> str:
    """RFC 2047 words decoded; those that can't be are left as they are."""
    try:
        pieces = decode_header(raw)
    except (HeaderParseError, ValueError):
        return tidy(raw)
    text = ""
    for piece, charset in pieces:
        if isinstance(piece, str):
            text += piece
        elif charset is None:  # what stood between encoded words
            text += piece.decode("raw-unicode-escape")
        else:
            text += decode_text(piece, charset)
    return " ".join(tidy(text).split())


def _text(part: Message) -> str:
    """All text a mail program would show of `part`; of alternatives the plain one."""
    kind = part.get_content_type()
    if part.is_multipart():
        if kind.startswith("message/"):  # a mail attached to the mail
            return ""
        children = cast("list[Message]", part.get_payload())
        texts = [(child.get_content_type(), text) for child in children if (text := _text(child)).strip()]
        if kind == "multipart/alternative":
            plain = [text for child, text in texts if child == "text/plain"]
            return plain[0] if plain else texts[-1][1] if texts else ""
        return "\n\n".join(text.strip("\r\n") for _, text in texts)
    if part.get_content_disposition() == "attachment" or part.get_filename():
        return ""
    # A "multipart" without parts is one whose boundary never came: its text is read as it stands.
    if kind not in _TEXT_KINDS and part.get_content_maintype() != "multipart":
        return ""
    text = decode_text(cast(bytes, part.get_payload(decode=True)), _declared_charset(part))
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if kind == "text/html":
        return html_text(text)
    if str(part.get_param("format", "")).lower() == "flowed":
        return _unflow(text, str(part.get_param("delsp", "")).lower() == "yes")
    return text


_TEXT_KINDS = frozenset({"text/plain", "text/html", "text/markdown", "text/x-markdown"})


def _declared_charset(part: Message) -> str | None:
    try:
        return part.get_content_charset()
    except (UnicodeError, LookupError, ValueError):
        return None


def _unflow(text: str, delete_space: bool) -> str:
    """format=flowed (RFC 3676): a line ending in a space goes on in the next; quotations keep their lines."""
    lines: list[str] = []
    flowing = False
    for line in text.split("\n"):
        quoted = line.startswith(">")
        line = line if quoted else line.removeprefix(" ")
        if flowing and not quoted and line != "-- ":
            lines[-1] = (lines[-1][:-1] if delete_space else lines[-1]) + line
        else:
            lines.append(line)
        flowing = line.endswith(" ") and line != "-- " and not quoted
    return "\n".join(lines)
