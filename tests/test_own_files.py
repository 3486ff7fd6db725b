"""Somebody's own folder: formats, odd files, labels and rights by its rules. No database."""

from __future__ import annotations

import unicodedata
from datetime import date
from pathlib import Path

import pytest
from own_files import docx, pdf

from lab.corpus import formats, own
from lab.corpus.chunk import by_section, chunk_all, units
from lab.corpus.own import ALWAYS, Loaded, load_own, slug
from lab.corpus.rules import Rules, matches, parse, read_rules
from lab.corpus.sections import sections
from lab.kinds import Document, LabError

MAIL = (
    b"From: Ay\xfee <ayse@bahce.example>\r\nSubject: Sulama\r\nDate: Mon, 2 Jun 2025 09:00:00 +0300\r\n"
    b'Content-Type: text/plain; charset="x-no-such-charset"\r\nX-Kraken-Access: all\r\n\r\n'
    b"Sular \xe7ar\xfeamba g\xfcn\xfc 6 saat kesilecek. \xddlgin i\xe7in te\xfeekk\xfcrler.\r\n"
)


def put(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def only(loaded: Loaded) -> Document:
    (document,) = loaded.documents
    return document


def why(loaded: Loaded) -> dict[str, str]:
    return {item.source: item.why for item in loaded.passed}


class TestFormats:
    def test_markdown_without_front_matter_takes_title_and_language_from_its_words(
        self, tmp_path: Path
    ) -> None:
        put(
            tmp_path,
            {"Üyelik Kuralları.md": "# Üyelik\n\n## Aidat\n\nYıllık aidat 1.200 TL'dir ve mayısta ödenir.\n"},
        )
        found = only(load_own(tmp_path))
        assert (found.id, found.title, found.language) == ("uyelik-kurallari", "Üyelik", "tr")
        assert (found.edition, found.valid_from, found.access) == ("undated", ALWAYS, "unlabelled")
        assert [section.title for section in sections(found)] == ["Aidat"]

    def test_front_matter_counts_and_a_bad_date_in_it_does_not_lose_the_document(
        self, tmp_path: Path
    ) -> None:
        head = "---\ntitle: Fees\nvalid_from: {}\nlang: en\naccess: board\n---\nThe fee is 40 EUR.\n"
        put(tmp_path, {"a.md": head.format("2025-02-01"), "b.md": head.format("soon")})
        first, second = load_own(tmp_path).documents
        assert (first.title, first.edition, first.valid_from, first.access) == (
            "Fees",
            "2025",
            date(2025, 2, 1),
            "board",
        )
        assert second.valid_from == ALWAYS

    def test_a_web_page_gives_headings_and_tables_and_not_what_it_hides(self, tmp_path: Path) -> None:
        page = (
            "<html><head><title>Hens</title><script>x()</script></head><body><nav>Home</nav><h2>Feed</h2>"
            "<p>Six hens <b>at most</b>.</p><p style='display:none'>secret</p>"
            "<table><tr><th>item</th><th>price</th></tr><tr><td>pellets</td><td>14 EUR</td></tr></table>"
        )
        found = only(load_own(put(tmp_path, {"hens.html": page})))
        assert found.title == "Hens"
        assert "Six hens at most." in found.text
        assert [(s.number, s.title) for s in sections(found)] == [("1", "Feed")]
        assert [unit.search_text for unit in units(found)][-1] == "[Hens › Feed] item: pellets; price: 14 EUR"
        assert not any(word in found.text for word in ("secret", "Home", "x()"))

    def test_plain_text_in_a_charset_of_windows_with_numbered_parts(self, tmp_path: Path) -> None:
        text = "Gärung\n\n1. Anstellen\n\nDie Würze wird bei 9 °C angestellt.\n\n2. Lagerung\n\nBei 1 °C.\n"
        found = only(load_own(put(tmp_path, {"gaerung.txt": text.encode("cp1252")})))
        assert (found.title, found.language) == ("Gärung", "de")
        assert [section.title for section in sections(found)] == ["", "Anstellen", "Lagerung"]
        assert "Die Würze wird bei 9 °C" in found.text

    def test_a_numbered_list_is_no_row_of_headings(self) -> None:
        shopping = "Bring:\n1. Milk\n2. Bread\n3. Salt\nThank you"
        assert formats.with_headings(shopping) == shopping
        page = "Tools\n1. Hours\nThe shed is open.\n2. Loans\nSeven days."
        assert (
            formats.with_headings(page) == "Tools\n## 1. Hours\nThe shed is open.\n## 2. Loans\nSeven days."
        )

    def test_korean_text_in_utf8_and_in_its_old_charset(self, tmp_path: Path) -> None:
        text = "# 안내\n\n배추는 8월 20일에 심고 60일 뒤에 거둔다.\n"
        put(tmp_path, {"배추.md": text, "old.txt": text.encode("cp949")})
        loaded = load_own(tmp_path)
        assert [document.language for document in loaded.documents] == ["ko", "ko"]
        assert all("배추는 8월 20일에" in document.text for document in loaded.documents)
        assert {document.id[:4] for document in loaded.documents} == {"doc-", "old"}

    def test_a_mail_with_a_charset_that_is_none_keeps_its_letters_and_opens_nothing(
        self, tmp_path: Path
    ) -> None:
        found = only(load_own(put(tmp_path, {"su.eml": MAIL})))
        assert "Sular çarşamba günü 6 saat kesilecek. İlgin için teşekkürler." in found.text
        assert (found.kind, found.valid_from, found.edition) == ("mail", date(2025, 6, 2), "2025")
        assert found.access == "unlabelled"  # its header is the sender's

    def test_pdf_and_docx(self, tmp_path: Path) -> None:
        put(
            tmp_path,
            {
                "shed.pdf": pdf(["Tool hire", "The shed is open from 10 to 12.", "A day costs 6 GBP."]),
                "leave.docx": docx([("Heading1", "Urlaub"), ("", "Jeder hat 28 Tage Urlaub im Jahr.")]),
            },
        )
        leave, shed = load_own(tmp_path).documents
        assert "The shed is open from 10 to 12." in shed.text
        assert "Jeder hat 28 Tage Urlaub im Jahr." in leave.text
        assert leave.title == "Urlaub"

    def test_a_missing_package_is_named_with_the_command_before_anything_is_read(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(tmp_path, {"a.md": "Words.\n", "b.pdf": pdf(["Words"])})
        monkeypatch.setattr(formats.importlib.util, "find_spec", lambda name: None)
        with pytest.raises(LabError, match=r"b\.pdf") as raised:
            load_own(tmp_path)
        assert raised.value.next_step == "python start.py install --extra ingest"
        put(tmp_path, {"lab.yaml": "ignore: ['*.pdf']\n"})
        assert only(load_own(tmp_path)).id == "a"


class TestOddFiles:
    def test_files_that_hold_nothing_are_passed_over_and_named(self, tmp_path: Path) -> None:
        put(
            tmp_path,
            {
                "good.md": "Words.\n",
                "empty.md": "",
                "blank.txt": " \n\n",
                "junk.md": bytes(range(256)) * 40,
                "empty.pdf": pdf([]),
                "broken.pdf": b"%PDF-1.4 nothing",
                "broken.docx": b"PK no archive",
                "undated.eml": b"Subject: x\r\n\r\nwords\r\n",
                "sheet.xlsx": b"PK",
                ".hidden/secret.md": "hidden\n",
            },
        )
        loaded = load_own(tmp_path)
        assert only(loaded).id == "good"
        reasons = why(loaded)
        assert reasons["empty.md"] == reasons["blank.txt"] == "is empty"
        assert "no text" in reasons["junk.md"]
        assert "holds no text" in reasons["empty.pdf"]
        assert "no PDF that can be read" in reasons["broken.pdf"]
        assert "no DOCX" in reasons["broken.docx"]
        assert "Date header" in reasons["undated.eml"]
        assert "not read (.xlsx)" in reasons["sheet.xlsx"]
        assert len(reasons) == 8

    def test_links_out_of_the_folder_are_not_followed(self, tmp_path: Path) -> None:
        put(tmp_path, {"mine/a.md": "Words.\n", "else/secret.md": "Secret.\n"})
        (tmp_path / "mine" / "link.md").symlink_to(tmp_path / "else" / "secret.md")
        (tmp_path / "mine" / "folder").symlink_to(tmp_path / "else")
        loaded = load_own(tmp_path / "mine")
        assert only(loaded).text == "Words."
        assert set(why(loaded)) == {"link.md", "folder"}

    def test_of_two_files_of_equal_content_one_is_kept_unless_their_rights_differ(
        self, tmp_path: Path
    ) -> None:
        put(tmp_path, {"a.md": "The fee is 4 EUR.\n", "copy.md": "The fee is 4 EUR.\n"})
        loaded = load_own(tmp_path)
        assert only(loaded).id == "a"
        assert why(loaded) == {"copy.md": "is the same file as a.md"}
        put(tmp_path, {"lab.yaml": "access: all\nrules: [{files: copy.md, access: board}]\n"})
        assert [document.access for document in load_own(tmp_path).documents] == ["all", "board"]

    def test_names_in_nfc_and_nfd_are_one_name_for_the_rules_and_two_documents(self, tmp_path: Path) -> None:
        composed, apart = (unicodedata.normalize(form, "Gebühr.md") for form in ("NFC", "NFD"))
        put(
            tmp_path,
            {
                composed: "Five.\n",
                apart: "Six.\n",
                "lab.yaml": "rules: [{files: gebühr.md, access: board}]\n",
            },
        )
        first, second = load_own(tmp_path).documents
        assert first.id == "gebuhr"
        assert second.id.startswith("gebuhr-")
        assert {first.access, second.access} == {"board"}

    def test_number_signs_in_fences_are_no_headings(self, tmp_path: Path) -> None:
        put(tmp_path, {"a.md": "# Guide\n\n## Install\n\n```\n# not a heading\nmake\n```\n\nDone.\n"})
        assert [section.title for section in sections(only(load_own(tmp_path)))] == ["Install"]

    def test_two_header_rows_and_3500_rows(self, tmp_path: Path) -> None:
        rows = "".join(f"| part-{number} | {number} | {number * 2} |\n" for number in range(1, 3501))
        table = f"| part | price | |\n|---|---|---|\n| | net EUR | gross EUR |\n{rows}"
        found = only(load_own(put(tmp_path, {"parts.md": f"# Parts\n\n## List\n\n{table}"})))
        made = chunk_all(found)
        last = [chunk for chunk in made if chunk.chunker == "unit"][-1]
        assert last.search_text.endswith("part: part-3500; price net EUR: 3500; price gross EUR: 7000")
        assert sum(chunk.chunker == "unit" for chunk in made) == 3500
        assert all(len(chunk.text) <= 1500 for chunk in by_section(found))
        assert all(chunk.text.startswith("| part | price |") for chunk in by_section(found))

    def test_too_much_text_is_refused_before_it_is_read(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(tmp_path, {"big.txt": "words " * 400_000, "small.md": "Words.\n"})
        opened: list[str] = []
        monkeypatch.setattr(Path, "read_bytes", lambda self: opened.append(self.name) or b"")
        with pytest.raises(LabError, match="come to 2 MB") as raised:
            load_own(tmp_path, largest=1)
        assert "big.txt" in raised.value.expected
        assert "LAB_OWN_MB" in raised.value.next_step
        assert opened == []

    def test_a_docx_that_unpacks_to_much_more_is_passed_over(self, tmp_path: Path) -> None:
        put(tmp_path, {"a.md": "Words.\n", "bomb.docx": docx([("", "a" * 22_000_000)])})
        loaded = load_own(tmp_path, largest=1)
        assert only(loaded).id == "a"
        assert "unpacks to" in why(loaded)["bomb.docx"]

    def test_a_folder_without_documents_says_so_and_why(self, tmp_path: Path) -> None:
        with pytest.raises(LabError, match="No documents"):
            load_own(tmp_path)
        with pytest.raises(LabError, match=r"e\.md is empty"):
            load_own(put(tmp_path, {"e.md": ""}))
        with pytest.raises(LabError, match="not a folder"):
            load_own(tmp_path / "nowhere")

    def test_ids_are_those_a_gold_file_can_name(self) -> None:
        assert slug("İş Güvenliği/2024 Çizelge") == "is-guvenligi-2024-cizelge"
        assert slug("2024 Straße") == "d-2024-strasse"
        assert slug("정원") == ""

    def test_the_same_name_with_two_endings_makes_two_documents(self, tmp_path: Path) -> None:
        put(tmp_path, {"fees.md": "Four.\n", "fees.txt": "Five.\n"})
        assert [document.id for document in load_own(tmp_path).documents] == ["fees", "fees-txt"]


class TestRules:
    def test_globs_label_and_the_later_rule_holds(self, tmp_path: Path) -> None:
        put(
            tmp_path,
            {
                "lab.yaml": "access: all\nlanguage: de\nroles: {member: [all], board: [all, board]}\nrules:\n"
                "  - {files: 'board/**', access: board, department: Vorstand}\n"
                "  - {files: ['*2024*'], edition: '2024', valid_from: 2024-01-01, valid_to: 2025-01-01}\n"
                "  - {files: board/open.md, access: all, scope: international}\n",
                "board/a.md": "Eins.\n",
                "board/open.md": "Zwei.\n",
                "fees-2024.md": "Drei.\n",
            },
        )
        loaded = load_own(tmp_path)
        board, opened, fees = loaded.documents
        assert (board.access, board.department, board.language) == ("board", "Vorstand", "de")
        assert (opened.access, opened.scope) == ("all", "international")
        assert chunk_all(opened)[-1].label.scope == "international"
        assert (fees.edition, fees.valid_from, fees.valid_to) == ("2024", date(2024, 1, 1), date(2025, 1, 1))
        assert loaded.roles == {"member": frozenset({"all"}), "board": frozenset({"all", "board"})}

    def test_a_document_cannot_open_itself_where_a_rule_closes_it(self, tmp_path: Path) -> None:
        put(
            tmp_path,
            {
                "lab.yaml": "rules: [{files: 'board/', access: board}]\n",
                "board/a.md": "---\naccess: all\n---\nThe salary is 9 EUR.\n",
            },
        )
        assert only(load_own(tmp_path)).access == "board"

    def test_by_folder(self, tmp_path: Path) -> None:
        put(
            tmp_path,
            {"lab.yaml": "folders: access\naccess: all\n", "board room/a.md": "One.\n", "b.md": "Two.\n"},
        )
        by_id = {document.id: document.access for document in load_own(tmp_path).documents}
        assert by_id == {"board-room-a": "board-room", "b": "all"}
        put(tmp_path, {"lab.yaml": ""})
        assert {d.department: d.access for d in load_own(tmp_path).documents} == {
            "board room": "unlabelled",
            "": "unlabelled",
        }

    def test_two_files_are_editions_of_one_document_where_a_rule_says_so(self, tmp_path: Path) -> None:
        rules = (
            "rules:\n  - {files: old.md, id: fees, edition: '2024', valid_from: 2024-01-01}\n"
            "  - {files: new.md, id: fees, edition: '2025', valid_from: 2025-01-01}\n"
        )
        old, new = load_own(
            put(tmp_path, {"lab.yaml": rules, "old.md": "Four.\n", "new.md": "Five.\n"})
        ).documents
        assert (old.id, old.valid_to, new.valid_to) == ("fees", date(2025, 1, 1), None)

    def test_a_rule_of_access_that_no_file_matches_is_an_error(self, tmp_path: Path) -> None:
        put(
            tmp_path,
            {
                "lab.yaml": "access: all\nrules:\n  - {files: 'bord/**', access: board}\n",
                "board/a.md": "One.\n",
            },
        )
        with pytest.raises(LabError, match=r"lab\.yaml:3: no file matches bord"):
            load_own(tmp_path)

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("acess: all\n", r"lab.yaml:1 has an unknown key 'acess'"),
            ("rules:\n - {files: '*', acces: x}\n", r"lab.yaml:2 has an unknown key 'acces'"),
            ("rules:\n - {files: '*'}\n", r"lab.yaml:2: this rule lacks a label"),
            ("rules:\n - {access: x}\n", r"lab.yaml:2: this rule lacks files"),
            ("rules: {files: x}\n", r"lab.yaml:1: rules is no list"),
            ("roles: {owner: [all]}\n", r"'owner' can't be a role"),
            ("roles:\n  a: [x]\n  a: [y]\n", r"lab.yaml:3: 'a' stands twice"),
            ("valid_from: 2025-02-30\n", r"'2025-02-30' is no date"),
            ("folders: rights\n", r"folders 'rights' is not known"),
            ("access: [a, b]\n", r"access needs one value"),
            ("access: 'a b'\n", r"'a b' is no name"),
            ("a: [\n", r"lab.yaml:2 is not YAML"),
            ("- a\n", r"a map was expected"),
        ],
    )
    def test_what_is_not_understood_is_named_with_its_line(self, text: str, said: str) -> None:
        with pytest.raises(LabError, match=said):
            parse(text, "lab.yaml")

    def test_two_files_of_rules_are_refused_and_none_labels_nothing(self, tmp_path: Path) -> None:
        assert read_rules(tmp_path) == Rules()
        with pytest.raises(LabError, match=r"lab\.yaml and kraken\.yaml"):
            read_rules(put(tmp_path, {"lab.yaml": "access: all\n", "kraken.yaml": "access: all\n"}))

    @pytest.mark.parametrize(
        ("glob", "path", "hit"),
        [
            ("board/**", "board/a/b.md", True),
            ("board/**", "boards/a.md", False),
            ("board/", "Board/a.md", True),
            ("*.pdf", "deep/in/a.PDF", True),
            ("a/*.md", "a/b/c.md", False),
            ("**/secret/*.md", "secret/a.md", True),
            ("a+b?.md", "a+b1.md", True),
            ("a+b?.md", "aab1.md", False),
        ],
    )
    def test_globs(self, glob: str, path: str, hit: bool) -> None:
        assert matches(glob, path) is hit


def test_a_document_that_ends_before_it_begins_is_an_error(tmp_path: Path) -> None:
    put(tmp_path, {"lab.yaml": "valid_from: 2025-01-01\nvalid_to: 2024-01-01\n", "a.md": "One.\n"})
    with pytest.raises(LabError, match="before it begins"):
        load_own(tmp_path)


def test_german_with_loan_words_is_german_and_turkish_is_not() -> None:
    assert (
        own.spoken(
            "Ab 100 Litern wird im Umkreis von 25 km frei geliefert. Der Verleih kostet 35 EUR am Tag."
        )
        == "de"
    )
    assert own.spoken("Hasat şenliği 14 Eylül'de saat 16:00'da başlıyor.") == "tr"
    assert own.spoken("The hens are kept in the run and fed at six.") == "en"
