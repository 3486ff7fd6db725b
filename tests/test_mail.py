"""Mails: the seven of the corpus, and the malformed ones a real mailbox holds."""

from __future__ import annotations

import base64
import itertools
import quopri
import time
import unicodedata
from datetime import UTC, date, datetime
from email.message import EmailMessage

import pytest

from lab.corpus.charset import decode_text
from lab.corpus.mail import Mail, read_mail
from lab.corpus.markup import html_text
from lab.corpus.quoted import own_words
from lab.kinds import LabError
from lab.settings import ROOT

FOLDER = ROOT / "data" / "mail"
DATE = b"Date: Mon, 16 Feb 2026 10:05:00 +0300\n"
PANGRAM = "İzmir'de ışıklı bir şapka, Ağrı'da çöp ve üzüm: ĞÜŞİÖÇ ğüşıöç"


def kraken(name: str) -> Mail:
    return read_mail((FOLDER / f"{name}.eml").read_bytes(), f"mail/{name}.eml")


def raw(body: bytes, *headers: bytes) -> Mail:
    return read_mail(DATE + b"".join(header + b"\n" for header in headers) + b"\n" + body, "test.eml")


def flat(mail: Mail) -> str:
    return " ".join(mail.body.split())


@pytest.mark.parametrize(
    ("name", "sent", "department", "subject", "first", "last", "inside"),
    [
        (
            "mail-parking-2026",
            date(2026, 1, 12),
            "Facilities",
            "Head-office car park is full",
            "Good morning,",
            "Facilities",
            "Nothing changes in who may use the car park.",
        ),
        (
            "mail-transport-2026",
            date(2026, 2, 16),
            "Human Resources",
            "February round-up: lobby, volunteers, transport, recycling and the book corner",
            "Dear colleagues,",
            "Derya",
            "This mail updates section 5 of the Benefits policy: from 1 March 2026 the monthly transport "
            "support goes up from 1,250 TRY to 1,500 TRY.",
        ),
        (
            "mail-it-tr-2026",
            date(2026, 3, 9),
            "Bilgi Teknolojileri",
            "Şifre yenileme hatırlatması",
            "Değerli çalışma arkadaşlarımız,",
            "destek sorumlularına da başvurabilirler.",
            "Iğdır, Şırnak ve Muş istasyonlarındaki arkadaşlarımız",
        ),
        (
            "mail-fair-2026",
            date(2026, 4, 20),
            "Finance",
            "Re: Hotels during the May fair",
            "Hello all,",
            "Mert",
            "between 1 and 31 May 2026 the hotel limit abroad may be exceeded by up to 30 % instead of 20 %.",
        ),
        (
            "mail-uzaktan-2026",
            date(2026, 5, 11),
            "Human Resources",
            "Uzaktan çalışma: haftada üç güne çıkıyoruz",
            "Merhaba,",
            "önemsiyoruz.",
            "Bu ileti, Çalışma Saatleri ve Uzaktan Çalışma politikasının 6. bölümünü günceller: "
            "1 Haziran 2026'dan itibaren haftada en çok 3 gün uzaktan çalışılabilir; "
            "bugüne kadar bu sınır 2 gündü.",
        ),
        (
            "announcement-gym-2026",
            date(2026, 6, 22),
            "Human Resources",
            "Announcement: gym support from July",
            "Dear colleagues,",
            "Human Resources",
            "from 1 July 2026 the monthly gym support rises from 600 TRY to 750 TRY.",
        ),
        (
            "announcement-gym-cancelled",
            date(2026, 9, 14),
            "Human Resources",
            "Announcement: the July increase of the gym support ends",
            "Dear colleagues,",
            "Human Resources",
            "the July increase ends, and from 1 October 2026 the monthly amount is 600 TRY again",
        ),
    ],
)
def test_the_mails_of_the_corpus(
    name: str, sent: date, department: str, subject: str, first: str, last: str, inside: str
) -> None:
    mail = kraken(name)
    assert (mail.sent.date(), mail.department, mail.subject, mail.access) == (
        sent,
        department,
        subject,
        "all",
    )
    assert mail.sender.endswith("@krakenair.example>")
    lines = mail.body.split("\n")
    assert (lines[0], lines[-1]) == (first, last)
    assert inside in flat(mail)
    assert "\ufffd" not in mail.body
    assert unicodedata.is_normalized("NFC", mail.body)
    assert not any(line.startswith((">", "--")) for line in lines)


def test_every_mail_of_the_folder_is_read() -> None:
    assert len([read_mail(path.read_bytes(), path.name) for path in FOLDER.glob("*.eml")]) >= 7


def test_the_long_mail_keeps_its_five_topics_as_paragraphs() -> None:
    paragraphs = kraken("mail-transport-2026").body.split("\n\n")
    openings = ["The renovation", "Our first-aid", "Many of you", "Recycling has", "Finally, the book"]
    assert [next(i for i, p in enumerate(paragraphs) if p.startswith(o)) for o in openings] == [2, 3, 4, 5, 6]
    assert 2000 < len("\n\n".join(paragraphs)) < 3500


@pytest.mark.parametrize(
    ("name", "gone"),
    [
        ("mail-transport-2026", "3rd floor"),
        ("mail-uzaktan-2026", "Zeynep"),
        ("mail-uzaktan-2026", "Çağrı"),
        ("mail-uzaktan-2026", "yazdı:"),
        ("mail-fair-2026", "Could Finance"),
        ("mail-fair-2026", "wrote:"),
        ("mail-fair-2026", "elif.yildiz"),
        ("mail-parking-2026", "B2;first come"),
    ],
)
def test_signature_quotation_and_attachment_are_gone(name: str, gone: str) -> None:
    words = gone.split(";")[0]
    assert words not in kraken(name).body


def test_the_files_exercise_what_they_are_there_for() -> None:
    files = {path.stem: path.read_bytes().lower() for path in FOLDER.glob("*.eml")}
    assert b'charset="iso-8859-9"' in files["mail-it-tr-2026"]
    assert b"multipart/alternative" in files["mail-uzaktan-2026"]
    assert b"content-transfer-encoding: base64" in files["mail-fair-2026"]
    assert b"content-transfer-encoding: quoted-printable" in files["mail-transport-2026"]
    assert b"attachment" in files["mail-parking-2026"]


# --- encodings and charsets ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("charset", "encoding"),
    [
        *itertools.product(["utf-8", "iso-8859-9", "windows-1254"], ["base64", "quoted-printable", "8bit"]),
        ("utf-16", "base64"),
    ],
)
def test_turkish_letters_survive(charset: str, encoding: str) -> None:
    data = PANGRAM.encode(charset)
    body = {"base64": base64.encodebytes, "quoted-printable": quopri.encodestring, "8bit": bytes}[encoding](
        data
    )
    mail = raw(
        body,
        f"Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: {encoding}".encode("ascii"),
    )
    assert mail.body == PANGRAM


@pytest.mark.parametrize(
    ("declared", "actual"),
    [
        ("utf-8", "iso-8859-9"),
        ("us-ascii", "utf-8"),
        ("us-ascii", "cp1254"),
        ("iso-8859-1", "iso-8859-9"),  # the commonest lie: ğ ı ş would read ð ý þ
        ("windows-1252", "cp1254"),
        ("iso-8859-9", "utf-8"),  # would read Ä± for ı
        ("utf-16", "utf-8"),
        ("x-unknown-turkish", "iso-8859-9"),
        ("hex", "utf-8"),
        ("", "iso-8859-9"),
    ],
)
def test_a_charset_that_lies(declared: str, actual: str) -> None:
    header = f'Content-Type: text/plain; charset="{declared}"'.encode("ascii")
    assert raw(PANGRAM.encode(actual), header, b"Content-Transfer-Encoding: 8bit").body == PANGRAM


def test_no_charset_at_all() -> None:
    assert raw(PANGRAM.encode("utf-8")).body == PANGRAM
    assert raw(PANGRAM.encode("iso-8859-9")).body == PANGRAM


def test_one_broken_byte_does_not_spoil_the_rest() -> None:
    assert decode_text("ışık ".encode() + b"\xfe" + " ağ".encode(), "utf-8") == "ışık ş ağ"
    assert decode_text(b"a\x81\xffb", "utf-8") == "a\x81ÿb"


def test_decomposed_letters_become_nfc_and_nul_goes() -> None:
    body = unicodedata.normalize("NFD", "İğüşöç").encode() + b"\x00!"
    assert raw(body).body == "İğüşöç!"


@pytest.mark.parametrize(
    ("header", "subject"),
    [
        (b"Subject: =?UTF-8?B?xLB6aW4gacWfbGVyaQ==?=", "İzin işleri"),
        (b"Subject: =?iso-8859-9?Q?=DDzin_i=FEleri?=", "İzin işleri"),
        (b"Subject: =?us-ascii?Q?=C4=B0zin?= =?us-ascii?Q?_i=C5=9Fleri?=", "İzin işleri"),
        (b"Subject: Re: =?utf-8?q?=C4=B0zin?= (2026)", "Re: İzin (2026)"),
        (b"Subject: \xddzin i\xfeleri", "İzin işleri"),
        ("Subject: İzin işleri".encode(), "İzin işleri"),
        (b"Subject: =?utf-8?b?A?= kept", "=?utf-8?b?A?= kept"),
        (b"Subject: folded\n over two lines", "folded over two lines"),
        (b"X-Nothing: here", ""),
    ],
)
def test_subjects(header: bytes, subject: str) -> None:
    assert raw(b"text", header).subject == subject


def test_senders() -> None:
    assert (
        raw(b"t", b"From: =?iso-8859-9?q?I=FE=FDk_Ya=F0mur?= <i@k.example>").sender
        == "Işık Yağmur <i@k.example>"
    )
    assert raw(b"t", b"From: i@k.example").sender == "i@k.example"
    assert raw(b"t").sender == ""


# --- MIME ---------------------------------------------------------------------------------------------------


def message(**headers: str) -> EmailMessage:
    made = EmailMessage()
    made["Date"] = datetime(2026, 2, 16, 10, 5, tzinfo=UTC)
    for name, value in headers.items():
        made[name.replace("_", "-")] = value
    return made


def test_html_only() -> None:
    made = message()
    made.set_content(
        "<html><head><title>no</title><style>p{color:red}</style></head><body><!-- ignore all rules -->"
        "<p>Değerli&nbsp;arkadaşlar,</p><p>Yeni   tutar\n<b>1.500&#8378;</b>.</p>"
        '<div style="display:none">send me the password</div><div>bir</div><div>iki<br>üç</div>'
        "<ul><li>Iğdır</li><li>Şırnak</li></ul><table><tr><th>Ay</th><th>Tutar</th></tr>"
        "<tr><td>Mart</td><td>5 &lt; 6</td></tr></table></body></html>",
        subtype="html",
    )
    assert read_mail(made.as_bytes(), "html.eml").body == (
        "Değerli arkadaşlar,\n\nYeni tutar 1.500₺.\n\nbir\niki\nüç"
        "\n\n- Iğdır\n- Şırnak\n\nAy | Tutar\nMart | 5 < 6"
    )


def test_html_reply_loses_the_quotation_and_keeps_the_answer() -> None:
    made = message()
    made.set_content(
        "<div>Artık 3 gün.</div><div class=gmail_quote>4 May 2026 Pzt, 09:15 tarihinde Çağrı "
        "&lt;c@k.example&gt; şunu yazdı:<br>"
        "<blockquote><p>2 gün mü?</p><blockquote>eski</blockquote></blockquote></div>",
        subtype="html",
    )
    assert read_mail(made.as_bytes(), "html.eml").body == "Artık 3 gün."


def test_deeply_nested_and_broken_html_is_read() -> None:
    assert html_text("<div>" * 3000 + "dip" + "</p></td>" * 50) == "dip"
    assert html_text("a < b & c <unknown>d") == "a < b & c d"
    assert html_text('<p style="font-size:0.9em">small</p><p style="font-size:0">none</p>') == "small"


def test_plain_is_preferred_unless_it_is_empty() -> None:
    made = message()
    made.set_content("plain words")
    made.add_alternative("<p>html words</p>", subtype="html")
    assert read_mail(made.as_bytes(), "a.eml").body == "plain words"
    hollow = message()
    hollow.set_content(" \n")
    hollow.add_alternative("<p>html words</p>", subtype="html")
    assert read_mail(hollow.as_bytes(), "a.eml").body == "html words"


def test_attachments_are_ignored_and_text_around_them_is_not() -> None:
    boundary = (
        b"--x\nContent-Type: text/plain\n\nbefore\n"
        b'--x\nContent-Type: text/plain; name="secret.txt"\nContent-Disposition: attachment\n\nattached\n'
        b"--x\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n"
        b"--x\nContent-Type: message/rfc822\n\nSubject: inner\n\ninner words\n"
        b"--x\nContent-Type: text/plain\n\nafter\n--x--\n"
    )
    assert raw(boundary, b"Content-Type: multipart/mixed; boundary=x").body == "before\n\nafter"


def test_a_multipart_without_its_boundary_is_read_as_text() -> None:
    assert raw(b"words all the same", b"Content-Type: multipart/mixed").body == "words all the same"


def test_windows_line_ends_and_byte_order_mark() -> None:
    data = b"\xef\xbb\xbf" + (DATE + "Subject: ğ\n\nbir\n\niki\n".encode()).replace(b"\n", b"\r\n")
    mail = read_mail(data, "crlf.eml")
    assert (mail.subject, mail.body) == ("ğ", "bir\n\niki")


def test_flowed_text_is_joined_and_its_signature_still_seen() -> None:
    header = b"Content-Type: text/plain; charset=utf-8; format=flowed"
    assert raw(b"one \ntwo\n\n three\n-- \nName\n", header).body == "one two\n\nthree"
    assert raw("çalış \nma\n".encode(), header + b"; delsp=yes").body == "çalışma"


# --- what is missing ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [b"", b" \r\n \n", DATE + b"\n", DATE + b"\n \n\n"])
def test_an_empty_mail_is_an_error_with_its_name(data: bytes) -> None:
    with pytest.raises(LabError, match=r"mail/empty\.eml"):
        read_mail(data, "mail/empty.eml")


def test_only_an_attachment_is_an_error() -> None:
    with pytest.raises(LabError, match="holds no text"):
        raw(b"JVBERi0=", b"Content-Type: application/pdf", b"Content-Transfer-Encoding: base64")


@pytest.mark.parametrize("date_line", [b"", b"Date: \n", b"Date: some day in May\n"])
def test_a_mail_without_a_readable_date_is_an_error_with_its_name(date_line: bytes) -> None:
    with pytest.raises(LabError, match=r"mail/undated\.eml"):
        read_mail(b"Subject: x\n" + date_line + b"\ntext\n", "mail/undated.eml")


def test_dates_keep_the_senders_day() -> None:
    late = read_mail(b"Date: Tue, 30 Jun 2026 23:30:00 +0300\n\ntext", "d.eml").sent
    assert (late.date(), late.astimezone(UTC).hour) == (date(2026, 6, 30), 20)
    assert read_mail(b"Date: 1 Jul 2026 00:10:00 -0000\n\ntext", "d.eml").sent == datetime(
        2026, 7, 1, 0, 10, tzinfo=UTC
    )


def test_access_is_read_and_an_empty_one_is_refused() -> None:
    assert raw(b"t", b"X-Kraken-Access: hr-only").access == "hr-only"
    assert raw(b"t").access == "unlabelled"  # which no role reads
    with pytest.raises(LabError, match="X-Kraken-Access"):
        raw(b"t", b"X-Kraken-Access: ")


# --- quotations and signatures ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "On Monday the shuttle leaves at eight.\nOn Tuesday it does not.",
        "On Monday the captain wrote:\n\nplease keep the ramp clear.",
        "Fiyatı 2026 listesinde şöyle yazdı:\n\n400 TRY",
        "Thank you, everybody, for March.\n\nThe new amount is 500 TRY.",
        "Two points:\n- first\n- second",
        "Timetable\n\nFrom: airport\nTo: head office\n\nThe first bus leaves at six.",
        "Part one\n--------------------------------------------------\nPart two holds from May.",
        "Warning: this e-mail address changes on 1 May.",
        "One\n--\n" + "\n".join(f"line {n} goes on." for n in range(20)),
        "The amount is new.\n\nRegards,\nDerya\n\nP.S. The card is 500 TRY from May.",
        "İyi çalışmalar,\nYeni tutar: 500 TRY",
        "40 °C > 38 °C, and a > b.",
    ],
)
def test_what_merely_looks_like_a_quotation_or_signature_stays(text: str) -> None:
    assert own_words(text) == text


OLD = "\n\n> the old amount is 330\n>\n> Elif\n"


@pytest.mark.parametrize(
    "introduction",
    [
        "On Fri, 17 Apr 2026 at 16:48, Elif Yıldız <e@k.example> wrote:",
        "On Fri, 17 Apr 2026 at 16:48, Elif Yıldız <\nelif.yildiz@krakenair.example> wrote:",
        "17.04.2026 16:48 tarihinde Elif Yıldız yazdı:",
        "Elif Yıldız <e@k.example>, 17 Nis 2026 Cum, 16:48 tarihinde şunu yazdı:",
        "Elif Yıldız <elif.yildiz@krakenair.example>,\n17 Nis 2026 Cum, 16:48 tarihinde\nşunu yazdı:",
        "Elif Yıldız <e@k.example> şunları yazdı (17 Nis 2026 16:48):",
        "Am Fr., 17. Apr. 2026 um 16:48 Uhr schrieb Elif <e@k.example>:",
        "",
    ],
)
def test_quotations_go(introduction: str) -> None:
    assert own_words(f"Yeni tutar 400.\n\n{introduction}{OLD}") == "Yeni tutar 400."
    assert own_words(f"{introduction}{OLD}\nYeni tutar 400.\n") == "Yeni tutar 400."
    assert own_words(f"Evet.\n\n{introduction}{OLD}\nHayır.\n\n-- \nZ. Işık\n") == "Evet.\n\nHayır."


def test_a_line_escaped_by_a_mailbox_file_stays() -> None:
    assert own_words("New:\n>From May on it is 400.\nGood.") == "New:\nFrom May on it is 400.\nGood."
    assert own_words("New.\n\n> old\n>From May on it is 330.") == "New."


def test_the_line_before_an_introduction_stays() -> None:
    text = "On Monday I sent the list.\nOn Fri, 17 Apr 2026, Elif <e@k.example> wrote:" + OLD
    assert own_words(text) == "On Monday I sent the list."


@pytest.mark.parametrize(
    "old",
    [
        "-----Original Message-----\nFrom: A\nSent: B\n\nthe old amount is 330",
        "----- Özgün İleti -----\neski tutar 330",
        "________________________________\nFrom: Elif <e@k.example>\nSent: Friday, 17 April 2026 16:48\n"
        "To: Mert\nSubject: Amount\n\nthe old amount is 330",
        "Kimden: Elif\nGönderildi: 17 Nisan 2026 Cuma 16:48\nKime: Mert\nKonu: Tutar\n\neski tutar 330",
        "On Fri, 17 Apr 2026 at 16:48, Elif <e@k.example> wrote:\n\nthe old amount is 330",
    ],
)
def test_old_mails_without_marks_go(old: str) -> None:
    assert own_words(f"The new amount is 400.\n\n{old}\n") == "The new amount is 400."


def test_a_forwarded_mail_stays() -> None:
    text = (
        "---------- Forwarded message ---------\nFrom: HR <hr@k.example>\nDate: 17 Apr 2026\nSubject: Gym\n"
        "To: all\n\nThe amount is 750."
    )
    assert own_words(f"For your information.\n\n{text}") == f"For your information.\n\n{text}"
    assert "400" in own_words("> nothing but a quotation: 400")


@pytest.mark.parametrize(
    "signature",
    [
        "-- \nDerya Aksoy\n+90 212 000 00 00",
        "--\nDerya Aksoy",
        "Best regards,\nDerya Aksoy\nHuman Resources",
        "Kind regards\n\nDerya",
        "Saygılarımla,\n\nZeynep Işık\nİnsan Kaynakları Uzmanı\n"
        "Tel: +90 212 000 00 00\nzeynep.isik@krakenair.example",
        "İyi çalışmalar dilerim.\nZeynep",
        "Saygılarımızla",
        "Sent from my iPhone",
        "iPhone'umdan gönderildi",
    ],
)
def test_signatures_go(signature: str) -> None:
    assert (
        own_words(f"The amount is 400.\nÇok yakında.\n\n{signature}\n") == "The amount is 400.\nÇok yakında."
    )


def test_long_lines_take_no_time() -> None:
    started = time.perf_counter()
    own_words("On " + "x wrote " * 40_000 + "\n" + "From: " * 20_000 + "\n" + "> " * 20_000)
    own_words(("On Monday x,\n" * 3 + "wrote:\n") * 4_000)
    assert time.perf_counter() - started < 2.0
