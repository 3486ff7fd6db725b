"""Somebody's own folder of documents, of any of the formats that are read, with labels by its rules.

One file that can't be read is passed over and named; what concerns everybody's rights is an error."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from lab.corpus import formats
from lab.corpus.clean import clean
from lab.corpus.formats import Read, Unreadable
from lab.corpus.load import with_ends
from lab.corpus.rules import NAMES, UNLABELLED, Rules, name_of, read_rules
from lab.kinds import Document, LabError
from lab.text import STOP_EN, STOP_TR, fold, language_of

MB = 2**20
LARGEST = 20
"""Megabytes of text that are taken together, unless told otherwise."""
ALWAYS = date(1, 1, 1)
"""`valid_from` of a document of which no date is known: it holds on any day asked about."""
UNDATED = "undated"
Walk = Callable[[list[tuple[Path, str]]], Iterable[tuple[Path, str]]]
"""Wraps the list of (file, source) that is read: a progress bar."""


@dataclass(frozen=True, slots=True)
class Passed:
    """A file that is not among the documents. `why` ends the sentence "it …"."""

    source: str
    why: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """The documents of a folder by (id, edition), what was passed over, and the rules that were applied."""

    documents: tuple[Document, ...]
    passed: tuple[Passed, ...]
    rules: Rules

    @property
    def modules(self) -> frozenset[str]:
        return frozenset(document.access for document in self.documents)

    @property
    def roles(self) -> dict[str, frozenset[str]]:
        """Role → modules as the rules say, without the owner's."""
        return dict(self.rules.roles)


def load_own(folder: Path, largest: int = LARGEST, walk: Walk = lambda files: files) -> Loaded:
    """The documents under `folder`. `largest`: megabytes of text that are taken together.

    Left out: hidden files and folders, the rules' file, what its `ignore` names; links that lead out of the
    folder are named and not followed. Of files with the same bytes and the same labels one is kept. LabError
    for a folder without documents, too much text, rules that can't be understood, a rule of access that no
    file matches, and a format whose package is missing."""
    if not folder.is_dir():
        raise LabError(
            f"{folder} is not a folder.",
            "A folder with documents.",
            "Name another: python start.py new NAME DIR",
        )
    rules = read_rules(folder)
    passed: list[Passed] = []
    files = [(path, source) for path, source in _files(folder, passed) if not rules.ignores(source)]
    _no_right_is_lost(rules, [source for _, source in files])
    _fits(files, largest)
    if lacking := [source for _, source in files if formats.needs(source)]:
        raise formats.missing(lacking)
    left = largest * MB
    documents: list[Document] = []
    same: dict[tuple[object, ...], str] = {}
    ids = _Ids({}, set())
    for path, source in walk(files):
        try:
            data = path.read_bytes()
            document = _document(formats.read(data, source, largest * MB), data, source, rules, ids)
        except Unreadable as error:
            passed.append(Passed(source, str(error)))
            continue
        except OSError as error:
            passed.append(Passed(source, f"can't be read ({error.strerror})"))
            continue
        key = (
            document.fingerprint,
            document.access,
            document.edition,
            document.valid_from,
            document.valid_to,
        )
        if key in same:
            passed.append(Passed(source, f"is the same file as {same[key]}"))
            continue
        same[key] = source
        ids.taken.setdefault(document.id, set()).add(document.edition)
        left -= len(document.text.encode())
        if left < 0:
            raise _too_much(f"The texts in {folder} are more than that, unpacked", largest, [source])
        documents.append(document)
    if not documents:
        said = "; ".join(f"{item.source} {item.why}" for item in passed[:3])
        raise LabError(
            f"No documents in {folder}." + (f" ({said})" if said else ""),
            f"Files that end in {', '.join(formats.KNOWN)}.",
            "Name another: python start.py new NAME DIR",
        )
    ended = sorted(with_ends(documents), key=lambda document: (document.id, document.edition))
    return Loaded(tuple(ended), tuple(passed), rules)


def _files(folder: Path, passed: list[Passed]) -> Iterator[tuple[Path, str]]:
    home = folder.resolve()
    for root, folders, names in os.walk(folder):
        for name in sorted(folders):
            if Path(root, name).is_symlink() and not name.startswith("."):
                passed.append(
                    Passed(_source(Path(root, name), folder), "is a link to a folder, which is not followed")
                )
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and not Path(root, name).is_symlink()
        )
        for name in sorted(names):
            path = Path(root, name)
            source = _source(path, folder)
            if name.startswith(".") or (source in NAMES and path.is_file()):
                continue
            if path.is_symlink() and not path.resolve().is_relative_to(home):
                passed.append(Passed(source, "is a link out of the folder, which is not followed"))
            elif not path.is_file():
                passed.append(Passed(source, "is no file"))
            elif path.suffix.lower() not in formats.KNOWN:
                passed.append(Passed(source, f"is of a kind that is not read ({path.suffix or 'no ending'})"))
            else:
                yield path, source


def _source(path: Path, folder: Path) -> str:
    """Names of files come as any bytes; half of a character is written as a question mark."""
    name = path.relative_to(folder).as_posix().encode("utf-8", "replace").decode("utf-8")
    return unicodedata.normalize("NFC", name)


def _no_right_is_lost(rules: Rules, sources: list[str]) -> None:
    for rule in rules.rules:
        if "access" in rule.labels and not any(map(rule.matches, sources)):
            raise LabError(
                f"{rules.source}:{rule.line}: no file matches {', '.join(rule.globs)}, so nothing is "
                f"{rule.labels['access']}.",
                "A rule of access names at least one file: a slip in it would leave a document open.",
                "Correct or remove the rule.",
            )


def _fits(files: list[tuple[Path, str]], largest: int) -> None:
    """Before anything is read: 200 MB must not be held in memory to be refused."""
    sizes = {source: path.stat().st_size for path, source in files}
    plain = {source: size for source, size in sizes.items() if not source.lower().endswith(formats.PACKED)}
    if sum(plain.values()) > largest * MB:
        raise _too_much(f"The texts come to {sum(plain.values()) / MB:,.0f} MB", largest, _biggest(plain))
    for source, size in sizes.items():
        if source not in plain and size > 5 * largest * MB:
            raise _too_much(f"{source} has {size / MB:,.0f} MB", 5 * largest, [source])


def _biggest(sizes: dict[str, int]) -> list[str]:
    return sorted(sizes, key=lambda source: -sizes[source])[:3]


def _too_much(what: str, largest: int, biggest: list[str]) -> LabError:
    return LabError(
        f"{what}.",
        f"At most {largest} MB; the largest: {', '.join(biggest)}.",
        "Leave files out (ignore: [...] in lab.yaml), or set LAB_OWN_MB.",
    )


def _document(read: Read, data: bytes, source: str, rules: Rules, ids: _Ids) -> Document:
    text = clean(read.text)
    if not any(map(str.isalnum, text)):
        raise Unreadable("holds no text")
    labels, front = rules.labels(source), read.fields
    given = {"language": front.get("lang", ""), **{key: front.get(key, "") for key in formats.FRONT}}
    said = {key: value for key, value in given.items() if value}
    # What the document says of itself stands above defaults, below rules: nothing makes itself readable.
    for key in ("edition", "valid_from", "language", "department", "access", "id"):
        if key in said and not rules.decides(source, key):
            labels[key] = said[key]
    valid_from = _day(labels.get("valid_from")) or read.day
    ends = _day(labels.get("valid_to"))
    if ends and ends <= (valid_from or ALWAYS):
        raise LabError(
            f"{rules.source}: {source} ends on {ends}, before it begins.",
            "A later valid_to.",
            "Correct the rule.",
        )
    edition = name_of(labels.get("edition") or (f"{valid_from.year:04d}" if valid_from else UNDATED))
    return Document(
        id=ids.said(labels["id"]) if labels.get("id") else ids.fresh(source, edition),
        title=" ".join(unicodedata.normalize("NFC", read.title).split())[:200],
        edition=edition,
        department=labels.get("department", ""),
        access=name_of(labels.get("access", UNLABELLED)),
        language=re.split("[-_]", labels.get("language", "").lower())[0] or spoken(text[:20_000]),
        valid_from=valid_from or ALWAYS,
        valid_to=ends,
        kind=read.kind,
        source=source,
        text=text,
        fingerprint=hashlib.sha256(data).hexdigest(),
        scope=labels.get("scope", ""),
    )


def _day(text: str | None) -> date | None:
    """A date of the front matter that is none is passed over: such a document is undated, not lost."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None


def slug(text: str) -> str:
    """Lower-case ASCII with single hyphens, beginning with a letter, at most 60: how gold files name
    documents. Empty for a text without Latin letters or digits."""
    plain = re.sub(r"[^a-z0-9]+", "-", fold(text)).strip("-")
    plain = f"d-{plain}" if plain[:1].isdigit() else plain
    return plain[:60].strip("-")


@dataclass(frozen=True, slots=True)
class _Ids:
    """Ids in use, with their editions; `named`: those that a rule or a document states, which other files may
    share as editions of it."""

    taken: dict[str, set[str]]
    named: set[str]

    def said(self, text: str) -> str:
        own = slug(text) or f"doc-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
        self.named.add(own)
        return own

    def fresh(self, source: str, edition: str) -> str:
        """An id from the file's path; where another file has it, with the ending, then with a digest."""
        path = Path(source)
        own = slug(path.with_suffix("").as_posix())
        if own in self.named and edition not in self.taken.get(own, ()):
            return own
        digest = hashlib.sha256(source.encode()).hexdigest()
        choices = [own, f"{own}-{slug(path.suffix)}"] if own else [f"doc-{digest[:8]}"]
        choices += [f"{(own or 'doc')[:50]}-{digest[at : at + 6]}" for at in range(59)]
        return next(choice for choice in choices if choice not in self.taken)


_GERMAN = frozenset(
    """aber als am an auch auf aus bei beim bis das dem den der des die durch ein eine einem einen einer er es
    für haben hat im in ist jede jeder kein keine mit müssen nach nicht noch nur oder sich sie sind so über um
    und uns unter vom von vor wenn werden wer wie wird wir zu zum zur""".split()
)


def spoken(text: str) -> str:
    """`de` and `ko` where the text is German or Korean, else as `language_of` says: `en`, `tr` or `und`."""
    letters = [letter for letter in text if letter.isalpha()]
    if 2 * sum("\uac00" <= letter <= "\ud7a3" for letter in letters) > len(letters):
        return "ko"
    tokens = re.findall(r"[^\W\d_]+", text.lower())
    german = sum(token in _GERMAN for token in tokens)
    others = sum(token in STOP_EN or fold(token) in STOP_TR for token in tokens if token not in _GERMAN)
    return "de" if german > max(2 * others, 0.08 * len(tokens)) else language_of(text)


def kinds(documents: Iterable[Document]) -> Counter[str]:
    """Ending → how many documents."""
    return Counter(Path(document.source).suffix.lower().lstrip(".") for document in documents)
