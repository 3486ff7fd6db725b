"""Loading: what becomes a document, and errors that say file, line and what to do."""

from __future__ import annotations

import hashlib
import unicodedata
from datetime import date
from pathlib import Path

import pytest

from lab.corpus.load import LARGEST, load_folder
from lab.kinds import LabError

DATA = Path(__file__).resolve().parent.parent / "data"
FRONT = {
    "id": "hr-leave",
    "title": "Annual Leave",
    "edition": "2025",
    "department": "Human Resources",
    "access": "all",
    "lang": "en",
    "valid_from": "2025-01-01",
}
MAIL = (
    "From: Elif Ağaoğlu <elif@krakenair.example>\r\nTo: all@krakenair.example\r\n"
    "Subject: =?utf-8?q?=C5=9Eifre_de=C4=9Fi=C5=9Fikli=C4=9Fi?=\r\n"
    "Date: Mon, 09 Mar 2026 23:30:00 +0300\r\nMIME-Version: 1.0\r\n"
    'Content-Type: text/plain; charset="utf-8"\r\nContent-Transfer-Encoding: 8bit\r\n\r\n'
    "Merhaba,\r\n\r\nŞifrenizi bu hafta\r\ndeğiştirmeyi unutmayın.\r\n"
)


def markdown(body: str = "## 1. Scope\n\nAll staff.\n", **changes: str | None) -> str:
    fields = {**FRONT, **changes}
    front = "\n".join(f"{key}: {value}" for key, value in fields.items() if value is not None)
    return f"---\n{front}\n---\n\n{body}"


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def error(folder: Path) -> str:
    with pytest.raises(LabError) as caught:
        load_folder(folder)
    assert caught.value.expected
    return str(caught.value)


def test_a_handbook_document(tmp_path: Path) -> None:
    text = markdown("Kraken Air | Annual Leave | Edition 2025\n\n## 1. Scope\n\nAll\nstaff.\n", lang="EN-gb")
    put(tmp_path, "handbook/2025/leave.md", text)
    (found,) = load_folder(tmp_path)
    assert (found.id, found.title, found.edition, found.department) == (
        "hr-leave",
        "Annual Leave",
        "2025",
        "Human Resources",
    )
    assert (found.access, found.language, found.kind) == ("all", "en", "handbook")
    assert (found.valid_from, found.valid_to) == (date(2025, 1, 1), None)
    assert found.source == "handbook/2025/leave.md"
    assert found.text == "## 1. Scope\n\nAll staff."
    assert found.fingerprint == hashlib.sha256(text.encode()).hexdigest()


def test_a_mail(tmp_path: Path) -> None:
    put(tmp_path, "mail/mail it-2026.eml", MAIL)
    (found,) = load_folder(tmp_path)
    assert (found.id, found.title, found.edition) == ("mail-it-2026", "Şifre değişikliği", "2026")
    assert (found.kind, found.language, found.valid_from) == ("mail", "tr", date(2026, 3, 9))
    assert found.text == "Merhaba,\n\nŞifrenizi bu hafta değiştirmeyi unutmayın."


def test_an_edition_ends_where_the_next_begins(tmp_path: Path) -> None:
    put(tmp_path, "c.md", markdown(edition="2027", valid_from="2027-06-01"))
    put(tmp_path, "a.md", markdown())
    put(tmp_path, "b.md", markdown(edition="2026", valid_from="2026-01-01"))
    put(tmp_path, "z.md", markdown(id="benefits", valid_from='"2025-03-17"'))
    found = [(one.id, one.edition, one.valid_from, one.valid_to) for one in load_folder(tmp_path)]
    assert found == [
        ("benefits", "2025", date(2025, 3, 17), None),
        ("hr-leave", "2025", date(2025, 1, 1), date(2026, 1, 1)),
        ("hr-leave", "2026", date(2026, 1, 1), date(2027, 6, 1)),
        ("hr-leave", "2027", date(2027, 6, 1), None),
    ]


def test_what_is_left_out(tmp_path: Path) -> None:
    put(tmp_path, "a.MD", markdown())
    for name in (
        "README.md",
        "sub/readme.md",
        "README.tr.md",
        "facts/x.md",
        "facts/x.eml",
        ".git/x.md",
        "n.txt",
        ".x.md",
    ):
        put(tmp_path, name, "No front matter.")
    assert [one.source for one in load_folder(tmp_path)] == ["a.MD"]
    put(tmp_path, "readme.guide.md", markdown(id="guide"))
    assert [one.id for one in load_folder(tmp_path)] == ["guide", "hr-leave"]


def test_bom_crlf_and_nfd_give_the_same_document(tmp_path: Path) -> None:
    text = markdown("## 1. Şifre\n\nHer gün\ndeğişir.\n", title="Şifre Ölçüsü")
    variants = [text, "\ufeff" + text.replace("\n", "\r\n"), unicodedata.normalize("NFD", text)]
    found = []
    for i, variant in enumerate(variants):
        put(tmp_path, f"{i}/x.md", variant)
        (one,) = load_folder(tmp_path / str(i))
        found.append((one.title, one.text))
    assert found == [("Şifre Ölçüsü", "## 1. Şifre\n\nHer gün değişir.")] * 3


def test_yaml_types_do_not_creep_in(tmp_path: Path) -> None:
    put(tmp_path, "x.md", markdown(lang="no", edition="2025.10", department="'Legal & Compliance'"))
    (found,) = load_folder(tmp_path)
    assert (found.language, found.edition, found.department) == ("no", "2025.10", "Legal & Compliance")


@pytest.mark.parametrize("key", sorted(FRONT))
def test_a_missing_key_is_named(tmp_path: Path, key: str) -> None:
    put(tmp_path, "x.md", markdown(**{key: None}))
    assert error(tmp_path).startswith(f"x.md:2 lacks {key} in its front matter.")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (markdown(valid_from="1st of May"), "x.md:8: valid_from '1st of May' is no date."),
        (markdown(valid_from="2025-02-30"), "x.md:8: valid_from '2025-02-30' is no date."),
        (markdown(id="a/b"), "x.md:2: id 'a/b' has a space or one of @ # / :"),
        (markdown(edition="[2025, 2026]"), "x.md:4: edition is a list or a map."),
        (markdown(title="A: b: c"), "x.md:3 is not YAML"),
        (markdown(body="\n \n"), "x.md has no text under its front matter."),
        ("Just text.", "x.md:1 does not begin with front matter."),
        ("---\nid: x\n", "x.md:1 opens front matter that never ends."),
        ("---\n- x\n---\ntext", "x.md:2 has no keys"),
        ("", "x.md is empty."),
        (" \r\n", "x.md is empty."),
        (markdown("Text.\n\nŞifre").encode("cp1254"), "x.md:13 is not UTF-8: byte 0xde at byte offset "),
        (markdown().encode("utf-16"), "x.md is UTF-16, not UTF-8"),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, content: str | bytes, expected: str) -> None:
    put(tmp_path, "x.md", content)
    assert error(tmp_path).startswith(expected)


def test_the_byte_offset_is_exact(tmp_path: Path) -> None:
    content = b"\xef\xbb\xbf" + markdown("Şu \x00").encode().replace(b"\x00", b"\xff")
    put(tmp_path, "x.md", content)
    message = error(tmp_path)
    assert f"byte offset {content.index(bytes([0xFF]))}." in message
    assert "Save the file as UTF-8" in message


def test_duplicates_and_editions_of_one_day(tmp_path: Path) -> None:
    put(tmp_path, "a.md", markdown())
    put(tmp_path, "b.md", markdown(title="Other"))
    assert error(tmp_path).startswith("a.md and b.md are both hr-leave@2025.")
    put(tmp_path, "b.md", markdown(edition="2026"))
    assert "both begin on 2025-01-01" in error(tmp_path)


def test_folders(tmp_path: Path) -> None:
    assert error(tmp_path).startswith(f"No documents in {tmp_path}.")
    assert error(tmp_path / "none").startswith(f"{tmp_path / 'none'} is not a folder.")


def test_a_file_over_20_mb(tmp_path: Path) -> None:
    with put(tmp_path, "big.md", markdown()).open("r+b") as file:
        file.truncate(LARGEST + 1)
    assert error(tmp_path).startswith("big.md has 20.0 MB.")


@pytest.mark.skipif(not DATA.exists(), reason="the corpus is not there")
def test_the_corpus() -> None:
    found = load_folder(DATA)
    assert [(one.id, one.edition) for one in found] == sorted((one.id, one.edition) for one in found)
    handbook = {one.id for one in found if one.kind == "handbook"}
    assert len(handbook) == 8
    for one in found:
        if one.kind == "handbook":
            assert one.valid_to == (date(2026, 1, 1) if one.edition == "2025" else None), one.id
    mails = {one.id: one for one in found if one.kind == "mail"}
    assert mails["mail-uzaktan-2026"].language == "tr"
    assert mails["mail-uzaktan-2026"].valid_from == date(2026, 5, 11)
    assert mails["mail-transport-2026"].language == "en"
    (bands,) = (one for one in found if one.id == "hr-salary-bands" and one.edition == "2025")
    assert bands.access == "hr-only"
