"""Bytes made into text although the charset they claim is missing, unknown or wrong."""

from __future__ import annotations

import codecs
import unicodedata

# Turkish mail declared as Latin-1 is common, Icelandic is not; six letters differ (ğ ı ş for ð ý þ).
_LATIN = frozenset({"iso8859-1", "iso8859-9", "cp1252", "cp1254"})


def decode_text(raw: bytes, declared: str | None) -> str:
    """`raw` as text; no charset, wrong or unknown, makes it fail, and no byte is dropped.

    Valid UTF-8 is read as UTF-8 whatever was declared (text in another 8-bit charset practically never is
    valid); else the declared charset holds; else UTF-8 whose broken bytes are read one by one as cp1254, the
    superset of ISO-8859-9."""
    # Bytes of UTF-16 and ISO-2022 are often valid UTF-8 too, and mean something else.
    if not any(byte in raw for byte in b"\x00\x1b"):
        try:
            return raw.decode("utf-8-sig")
        except UnicodeDecodeError:
            pass
    try:
        name = codecs.lookup((declared or "utf-8").strip("'\" ")).name
        return raw.decode("cp1254" if name in _LATIN else name).removeprefix("\ufeff")
    except (LookupError, UnicodeError, ValueError):
        return raw.decode("utf-8", "lab-turkish").removeprefix("\ufeff")


def _turkish_bytes(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    broken = error.object[error.start : error.end]
    try:
        return broken.decode("cp1254"), error.end
    except UnicodeDecodeError:  # seven positions of cp1254 are empty, none of ISO-8859-9 is
        return broken.decode("iso8859-9"), error.end


codecs.register_error("lab-turkish", _turkish_bytes)


def tidy(text: str) -> str:
    """NFC, without NUL and lone surrogates, which no database takes."""
    text = text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")
    return unicodedata.normalize("NFC", text)
