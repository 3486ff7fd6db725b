"""Loading: a folder of Markdown with front matter and mail (.eml) into documents."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import yaml

from lab.corpus.clean import clean
from lab.corpus.mail import read_mail
from lab.kinds import Document, LabError
from lab.text import language_of

LARGEST = 20 * 1024 * 1024
KEYS = ("id", "title", "edition", "department", "access", "lang", "valid_from")
IGNORED_FOLDERS = frozenset({"facts"})
_FENCE = re.compile(r"---[ \t]*$")
_RESERVED = re.compile(r"[\s@#/:]+")
_EXAMPLE = (
    "For example: --- / id: hr-leave / title: Annual Leave Policy / edition: 2025 / "
    "department: Human Resources / access: all / lang: en / valid_from: 2025-01-01 / ---"
)


def load_folder(folder: Path) -> list[Document]:
    """The documents under `folder` (`*.md`, `*.eml`), sorted by (id, edition), with `valid_to` derived.

    Left out: README files, hidden files and folders, folders named `facts`. Of the editions of one handbook
    id each ends (exclusive) on the day the next begins. Raises LabError with file and line for anything a
    person must mend.
    """
    if not folder.is_dir():
        raise LabError(
            f"{folder} is not a folder.",
            "A folder with .md and .eml files.",
            "Name another: python start.py ingest DIR",
        )
    documents = [load_file(path, path.relative_to(folder).as_posix()) for path in _files(folder)]
    if not documents:
        raise LabError(
            f"No documents in {folder}.",
            "Markdown files (.md) with front matter, or mail (.eml).",
            "Name another: python start.py ingest DIR",
        )
    return sorted(with_ends(documents), key=lambda document: (document.id, document.edition))


def load_file(path: Path, source: str) -> Document:
    """One document; `source` is the path that errors and `Document.source` name. `valid_to` is None."""
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise LabError(
                f"{source} has {size / 2**20:.1f} MB.",
                "At most 20 MB a document.",
                "Split the file or remove it.",
            )
        data = path.read_bytes()
    except OSError as error:
        raise LabError(
            f"{source} can't be read: {error.strerror}.", "A readable file.", f"Check: ls -l '{path}'"
        ) from error
    if not data.strip():
        raise LabError(
            f"{source} is empty.", "A document with text.", "Write the document or remove the file."
        )
    return _mail(data, source) if path.suffix.lower() == ".eml" else _handbook(data, source)


def _files(folder: Path) -> Iterator[Path]:
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if name not in IGNORED_FOLDERS and not name.startswith(".")
        )
        for name in sorted(names):
            path = Path(root, name)
            if name.startswith(".") or path.suffix.lower() not in (".md", ".eml") or not path.is_file():
                continue
            readme = path.suffix.lower() == ".md" and path.stem.lower().split(".")[0] == "readme"
            if not readme or (path.stem.lower() != "readme" and _has_front_matter(path)):
                yield path


def _has_front_matter(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(8).removeprefix(b"\xef\xbb\xbf").startswith(b"---")


def _mail(data: bytes, source: str) -> Document:
    mail = read_mail(data, source)
    text = clean(mail.body)
    if not text:
        raise LabError(
            f"{source} has no text.",
            "A mail with a text of its own.",
            "Remove the file, or save the mail with its text.",
        )
    stem = Path(source).stem
    identifier = _RESERVED.sub("-", unicodedata.normalize("NFC", stem)).strip("-")
    return Document(
        id=identifier,
        title=" ".join(unicodedata.normalize("NFC", mail.subject).split()) or stem,
        edition=f"{mail.sent.year:04d}",
        department=mail.department,
        access=mail.access,
        language=language_of(text),
        valid_from=mail.sent.date(),
        valid_to=None,
        kind="mail",
        source=source,
        text=text,
        fingerprint=hashlib.sha256(data).hexdigest(),
    )


def _handbook(data: bytes, source: str) -> Document:
    front, first, body = _split(_decoded(data, source), source)
    fields = _fields(front, first, source)
    text = clean(body)
    if not text:
        raise LabError(
            f"{source} has no text under its front matter.",
            "A document with text.",
            "Write it or remove the file.",
        )
    return Document(
        id=fields["id"],
        title=fields["title"],
        edition=fields["edition"],
        department=fields["department"],
        access=fields["access"],
        language=re.split("[-_]", fields["lang"].lower())[0],
        valid_from=_date(fields["valid_from"], f"{source}:{_line(front, 'valid_from', first)}"),
        valid_to=None,
        kind="handbook",
        source=source,
        text=text,
        fingerprint=hashlib.sha256(data).hexdigest(),
    )


def _decoded(data: bytes, source: str) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise LabError(
            f"{source} is UTF-16, not UTF-8 (byte 0).", "Text in UTF-8.", "Save the file as UTF-8."
        )
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise LabError(
            f"{source}:{line} is not UTF-8: byte 0x{data[error.start]:02x} at byte offset {error.start}.",
            "Text in UTF-8.",
            "Save the file as UTF-8 (Turkish Windows editors often write Windows-1254).",
        ) from error


def _split(text: str, source: str) -> tuple[list[str], int, str]:
    """(lines of the front matter, number of its first line, body)."""
    lines = re.split("\r\n|\r|\n", text)
    start = next((i for i, line in enumerate(lines) if line.strip()), 0)
    if not _FENCE.match(lines[start]):
        raise LabError(
            f"{source}:{start + 1} does not begin with front matter.",
            f"A block between two lines ---. {_EXAMPLE}",
        )
    for end in range(start + 1, len(lines)):
        if _FENCE.match(lines[end]):
            return lines[start + 1 : end], start + 2, "\n".join(lines[end + 1 :])
    raise LabError(f"{source}:{start + 1} opens front matter that never ends.", "A second line --- after it.")


def _fields(front: list[str], first: int, source: str) -> dict[str, str]:
    try:
        # Plain strings only: a loader with types reads `lang: no` as False and `edition: 2025` as a number.
        loaded = yaml.load("\n".join(front), Loader=yaml.BaseLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "it can't be read"
        line = first + (mark.line if mark else 0)
        raise LabError(
            f"{source}:{line} is not YAML: {problem}.", "Lines `key: value`; quote a value that has a colon."
        ) from error
    if not isinstance(loaded, dict):
        raise LabError(
            f"{source}:{first} has no keys in its front matter.", f"Lines `key: value`. {_EXAMPLE}"
        )
    missing = [key for key in KEYS if not str(loaded.get(key) or "").strip()]
    if missing:
        raise LabError(
            f"{source}:{first} lacks {', '.join(missing)} in its front matter.",
            f"The keys {', '.join(KEYS)}.",
            "Add the missing keys.",
        )
    fields = {}
    for key in KEYS:
        where = f"{source}:{_line(front, key, first)}"
        if not isinstance(loaded[key], str):
            raise LabError(f"{where}: {key} is a list or a map.", "One value.")
        fields[key] = " ".join(unicodedata.normalize("NFC", loaded[key]).split())
        if key in ("id", "edition") and _RESERVED.search(fields[key]):
            raise LabError(
                f"{where}: {key} {fields[key]!r} has a space or one of @ # / :",
                "Letters, digits, - _ and .",
                "Rename it.",
            )
    return fields


def _line(front: list[str], key: str, first: int) -> int:
    return first + next((i for i, line in enumerate(front) if re.match(rf"['\"]?{key}['\"]?\s*:", line)), 0)


def _date(value: str, where: str) -> date:
    try:
        return datetime.fromisoformat(value).date()
    except ValueError as error:
        raise LabError(
            f"{where}: valid_from {value!r} is no date.",
            "A date as YYYY-MM-DD, like 2025-01-01.",
            "Correct it.",
        ) from error


def with_ends(documents: list[Document]) -> list[Document]:
    """Each handbook edition with the day on which the next begins as its end. LabError for two of the same id
    and edition, and for two that begin on one day."""
    editions: dict[str, list[Document]] = defaultdict(list)
    seen: dict[tuple[str, str], Document] = {}
    for document in documents:
        key = (document.id, document.edition)
        if key in seen:
            raise LabError(
                f"{seen[key].source} and {document.source} are both {document.id}@{document.edition}.",
                "One file for each id and edition.",
                "Change the id or the edition of one, or remove it.",
            )
        seen[key] = document
        editions[document.id].append(document)
    ended = []
    for same in editions.values():
        same.sort(key=lambda document: document.valid_from)
        for document, following in zip(same, [*same[1:], None], strict=True):
            if following and following.kind == document.kind == "handbook":
                if following.valid_from == document.valid_from:
                    raise LabError(
                        f"{document.source} and {following.source} are two editions of {document.id}, "
                        f"and both begin on {document.valid_from}.",
                        "Each edition with a valid_from of its own.",
                        "Correct the valid_from of one.",
                    )
                ends = [day for day in (document.valid_to, following.valid_from) if day]
                document = replace(document, valid_to=min(ends))
            ended.append(document)
    return ended
