"""A mail without what its writer did not write today: quoted replies and signatures, Turkish and English.

In doubt text is kept: a line that only looks like "On Monday … wrote:" stays unless a quotation follows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mailparser_reply.constants import MAIL_LANGUAGES

# The library knows thirteen languages, Turkish is not among them. Its patterns are run on attribution lines
# only: on whole mails they cut at sentences like "Thank you, everybody, …" and grow quadratic on long lines.
_TURKISH_WROTE = r"^(?=.*\d).+\s(?:yazdı|yazmış)(?:\s*\([^()]*\))?\s*:$"
_WROTE = re.compile(
    "|".join(
        f"(?:{pattern})"
        for pattern in (
            *(str(MAIL_LANGUAGES[code]["wrote_header"]) for code in ("en", "de", "fr", "es", "it", "nl")),
            _TURKISH_WROTE,
        )
    )
)
_ATTRIBUTION_LINES, _ATTRIBUTION_LENGTH = 3, 400
_ADDRESS = re.compile(r"[<(\[]?\S+@\S+\.\w+")
_SENTENCE_END = re.compile(r"[.!?…]\s*$")
_ORIGINAL = re.compile(
    r"^\s*-{2,}\s*(?:Original (?:Message|Appointment)|(?:Orijinal|Özgün) (?:[İi]leti|[Mm]esaj))\s*-{2,}\s*$"
)
_FORWARDED = re.compile(
    r"-{2,}.*(?:Forwarded|İletilen|Yönlendirilen|Yönlendirilmiş)|^Begin forwarded message:", re.I
)
_HEADER_LINE = re.compile(
    r"^[*\s]*(?:(?P<who>From|Kimden|Gönderen)|(?P<when>Sent|Date|Gönderildi|Gönderme|Gönderim Tarihi|Tarih)"
    r"|(?P<what>Subject|Konu)|(?:To|Cc|Bcc|Kime|Alıcı|Bilgi|Gizli|Reply-To|Importance|Önem))\s*:[*\s]"
)
_RULE = re.compile(r"^\s*_{5,}\s*$")

_SIGN_OFF = re.compile(
    r"^\s*(?:(?:best|kind|warm|many)\s+(?:regards|wishes|thanks)|regards|sincerely"
    r"|yours(?:\s+(?:sincerely|faithfully|truly))?"
    r"|cheers|saygılar(?:ım(?:la|ızla))?|saygılarımı(?:z[ıi])?\s+sunar[ıi]m|sevgiler(?:imle|imizle)?|selamlar|hürmetler"
    r"|[iİ]yi\s+(?:çalışmalar|günler|haftalar)(?:\s+diler(?:im|iz))?)\s*[,.!]?\s*$",
    re.I,
)
_REACH = re.compile(
    r"@|www\.|https?:|^\W*(?:tel|phone|gsm|mobile|dahili|ext|fax|faks)?[\s.:]*\+?[\d\s().-]{7,}$", re.I
)
_SENT_FROM = re.compile(
    r"^\s*(?:sent from my \w[\w ]*|get outlook for \w+.*|\S+[’'](?:[uı]mdan|[iü]mden) gönderildi)\.?\s*$",
    re.I,
)
_NAME_LINES, _NAME_LENGTH, _BARE_SIGNATURE_LINES = 5, 60, 12


def own_words(text: str) -> str:
    """`text` (`\\n` line ends) without quoted replies and signatures; all of it where nothing would be left.

    New words below or between quotations are kept, and so is a forwarded mail: it is what is being said."""
    parts = [_without_signature(part) for part in _without_quotes(text.split("\n"))]
    kept = "\n\n".join(body for part in parts if (body := "\n".join(part).strip("\n")).strip())
    return re.sub(r"\n{3,}", "\n\n", kept or text.strip("\n"))


def _without_quotes(lines: Sequence[str]) -> list[list[str]]:
    """The unquoted stretches between quotations, in order."""
    parts: list[list[str]] = [[]]
    index = 0
    while index < len(lines):
        if _ORIGINAL.match(lines[index]) or _is_header_block(lines, index):
            if parts[-1] and _RULE.match(parts[-1][-1]):  # Outlook's line above the old mail
                parts[-1].pop()
            break
        if _is_quoted(lines, index):
            if parts[-1]:
                parts.append([])
        else:
            parts[-1].append(lines[index].removeprefix(">"))
            if length := _attribution(lines, index):
                follows = next((line for line in lines[index + 1 :] if line.strip()), "")
                introduction = " ".join(lines[index + 1 - length : index + 1])
                dated_address = bool(_ADDRESS.search(introduction) and re.search(r"\d", introduction))
                if follows.startswith(">") or dated_address:
                    del parts[-1][-length:]
                if dated_address and not any(line.startswith(">") for line in lines[index + 1 :]):
                    break  # an old mail set below without marks, as phones do
        index += 1
    return parts


def _is_quoted(lines: Sequence[str], index: int) -> bool:
    """A line after ">", but not a lone ">From …": so mailboxes kept in one file escape a line of the text."""
    if not lines[index].startswith(">From "):
        return lines[index].startswith(">")
    return any(
        line.startswith(">") for line in (*lines[max(0, index - 1) : index], *lines[index + 1 : index + 2])
    )


def _attribution(lines: Sequence[str], end: int) -> int:
    """How many lines ending at `end` say who wrote what follows; 0 if none do. Clients wrap the sentence."""
    if not lines[end].rstrip().endswith(":"):
        return 0
    found = 0
    for length in range(1, min(_ATTRIBUTION_LINES, end + 1) + 1):
        start = end + 1 - length
        if not lines[start].strip() or lines[start].startswith(">"):
            break
        joined = " ".join(line.strip() for line in lines[start : end + 1])
        if len(joined) > _ATTRIBUTION_LENGTH:
            break
        if _WROTE.match(joined):
            found = found or length
            before = lines[start - 1] if start else ""
            if not before.strip() or _SENTENCE_END.search(before):
                return length
    return found


def _is_header_block(lines: Sequence[str], start: int) -> bool:
    """Three header lines or more, among them a sender and a date or subject, but not of a forwarded mail."""
    seen: set[str | None] = set()
    count = 0
    for line in lines[start : start + 8]:
        if not (match := _HEADER_LINE.match(line + " ")):
            break
        seen.add(match.lastgroup)
        count += 1
    if count < 3 or "who" not in seen or not seen & {"when", "what"}:
        return False
    return not any(_FORWARDED.search(line) for line in lines[max(0, start - 3) : start])


def _without_signature(lines: Sequence[str]) -> list[str]:
    kept = list(lines)
    for index, line in enumerate(kept):
        # RFC 3676, 4.3: "-- " opens the signature. Without its space it is believed only near the end.
        short = len(kept) - index - 1 <= _BARE_SIGNATURE_LINES
        if line == "-- " or (line.rstrip() == "--" and short):
            kept = kept[:index]
            break
    while kept and (not kept[-1].strip() or _SENT_FROM.match(kept[-1])):
        kept.pop()
    for index in range(len(kept) - 1, 0, -1):
        if _SIGN_OFF.match(kept[index]):
            rest = [line.strip() for line in kept[index + 1 :] if line.strip()]
            return kept[:index] if len(rest) <= _NAME_LINES and all(map(_is_name, rest)) else kept
    return kept


def _is_name(line: str) -> bool:
    """A name, a post, a way to reach someone: no figures that may be news, no sentence."""
    if _REACH.search(line):
        return len(line) <= 2 * _NAME_LENGTH
    return len(line) <= _NAME_LENGTH and not re.search(r"\d", line) and not _SENTENCE_END.search(line)
