"""Links: what the rules find and what they leave alone, what stands on a day, what is kept and decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

import pytest
from stock import document

from lab.corpus import standing
from lab.corpus.amounts import amounts, keys
from lab.corpus.changes import changes
from lab.corpus.consolidated import consolidate
from lab.corpus.days import Period, period
from lab.corpus.links import Link, propose
from lab.corpus.load import load_folder
from lab.corpus.sections import sections
from lab.kinds import Document
from lab.settings import ROOT

SENT = date(2026, 2, 2)


def mail(key: str, text: str, language: str = "en", sent: date = SENT, title: str = "Mail") -> Document:
    plain = document(key, text, language=language, valid_from=sent, edition=str(sent.year))
    return replace(plain, kind="mail", title=title)


def book(key: str, title: str, text: str, language: str = "en", **more: str) -> Document:
    return replace(document(key, text, language=language, **more), title=title)  # type: ignore[arg-type]


CARE = book(
    "care",
    "Care",
    "## 1. Scope\nEverybody, whatever section says.\n\n## 2. Lunch Voucher\nThe daily voucher is 90 TRY. "
    "No cash."
    "\n\n## 3. Health\nDental care is paid up to 4,000 TRY a year. Glasses are paid up to 1,800 TRY."
    "\n\n## 4. Swimming\nA swimming pool is paid up to 300 TRY a month.",
)
LEAVE = book(
    "izin",
    "Yıllık İzin Yönetmeliği",
    "## 1. Kapsam\nHerkes.\n\n## 2. İzin Süresi\nYıllık izin 14 gündür.\n\n## 3. Devir\nEn çok 5 gün "
    "devredilir.",
    "tr",
)
TRIPS = book(
    "trips",
    "Trips and Lodging Policy",
    "## 1. Scope\nAll.\n\n## 4. Abroad\n| Title | Daily per diem (EUR) | Hotel (EUR) |\n|---|---|---|\n"
    "| Clerk | 45 | 120 |\n| Chief | 80 | 190 |",
)
SHELF = (CARE, LEAVE, TRIPS)


def told(*documents: Document) -> list[tuple[str, str, str, date, date | None, str, str]]:
    return [
        (link.source, link.kind, link.target, link.valid_from, link.valid_to, link.old, link.new)
        for link in propose([*SHELF, *documents])
    ]


# Values, days, changes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("1,250 TRY", ("TRY", "1250")),
        ("1.250 TL'den", ("TRY", "1250")),
        ("1.250,50 lira", ("TRY", "1250.5")),
        ("₺400", ("TRY", "400")),
        ("€ 30", ("EUR", "30")),
        ("yüzde 30'a", ("%", "30")),
        ("%30", ("%", "30")),
        ("30 per cent", ("%", "30")),
        ("two days", ("day", "2")),
        ("İKİ GÜN", ("day", "2")),
        ("2 gündü", ("day", "2")),
        ("10 iş günü", ("working day", "10")),
        ("16 karaktere", ("character", "16")),
        ("PERŞEMBE’YE", ("weekday", "4")),
        ("Thursdays", ("weekday", "4")),
        ("perşembedir", ("weekday", "4")),
        ("Pazarlama pazartesinin işidir", ("weekday", "1")),
    ],
)
def test_values_are_one_however_they_are_written(text: str, key: tuple[str, str]) -> None:
    assert [amount.key for amount in amounts(text)] == [key]


def test_what_is_no_value() -> None:
    assert keys("2 ayakkabı, 3 güney yolu, 12 Haziran 2026, section 4, 10:30, Cumartesi günü değil") == {
        ("weekday", "6")
    }
    assert keys("| A | Hotel (EUR) |\n|---|---|\n| Clerk | 1.200 |") == {("EUR", "1200")}


@pytest.mark.parametrize(
    ("sentence", "start", "end"),
    [
        ("From 1 July 2026 it rises.", date(2026, 7, 1), None),
        ("As of April 1, 2025 it rises.", date(2025, 4, 1), None),
        ("From March 2026 on it rises.", date(2026, 3, 1), None),
        ("1 Haziran 2026'dan itibaren", date(2026, 6, 1), None),
        ("1 HAZİRAN 2026’DAN İTİBAREN", date(2026, 6, 1), None),
        ("1 Ocak 2027 tarihinden itibaren", date(2027, 1, 1), None),
        ("01.07.2026 itibarıyla", date(2026, 7, 1), None),
        ("1 Temmuz'dan itibaren", date(2026, 7, 1), None),
        ("between 1 and 31 May 2026", date(2026, 5, 1), date(2026, 6, 1)),
        ("1–31 Mayıs 2026 arasında", date(2026, 5, 1), date(2026, 6, 1)),
        ("1 Mayıs ile 15 Haziran 2026 arasında", date(2026, 5, 1), date(2026, 6, 16)),
        ("Mayıs 2026 boyunca", date(2026, 5, 1), date(2026, 6, 1)),
        ("until 31 December 2026", None, date(2027, 1, 1)),
        ("31 Aralık 2026'ya kadar", None, date(2027, 1, 1)),
        ("our announcement of 22 June 2026", None, None),
        ("30 and 31 February 2026", None, None),
    ],
)
def test_days(sentence: str, start: date | None, end: date | None) -> None:
    assert period(sentence, 2026) == Period(start, end)


@pytest.mark.parametrize(
    ("sentence", "old", "new"),
    [
        ("The voucher rises from 90 TRY to 110 TRY.", "90 TRY", "110 TRY"),
        ("The voucher goes from 90 to 110 TRY.", "90 TRY", "110 TRY"),
        ("The number rises from two to three days a week.", "two day", "three days"),
        ("The limit becomes 900 TRY; previously it was 800 TRY.", "800 TRY", "900 TRY"),
        ("It is raised to 6,000 TRY from 5,000 TRY; the rest stays unchanged.", "5,000 TRY", "6,000 TRY"),
        ("Sınır 90'dan 110 TL'ye yükselir.", "90 TRY", "110 TL"),
        ("Şifre 60 gün yerine 120 günde bir değiştirilir.", "60 gün", "120 gün"),
        ("İzin 22 günden 24 güne çıkarıldı; diğer kurallar aynen geçerlidir.", "22 gün", "24 gün"),
        ("Artık haftada 3 gün gelinir; bugüne kadar bu 2 gündü.", "2 gün", "3 gün"),
        ("Perşembe ofis günü olmaktan çıkar.", "Perşembe", ""),
        ("Thursday is no longer an office day.", "Thursday", ""),
    ],
)
def test_a_change_is_read(sentence: str, old: str, new: str) -> None:
    assert [(change.old, change.new) for change in changes(sentence)] == [(old, new)]


@pytest.mark.parametrize(
    "sentence",
    [
        "The voucher is 90 TRY and the pool 300 TRY.",
        "We are considering to raise it from 90 TRY to 110 TRY.",
        "The voucher would rise from 90 TRY to 110 TRY.",
        "Kartın 90 TL'den 110 TL'ye çıkarılması öneriliyor.",
        "The amount does not change from 90 TRY to 110 TRY.",
        "Salı günü ofis günü olmayı sürdürür.",
        "Between 90 TRY and 110 TRY is paid.",
    ],
)
def test_no_change_is_read_where_none_is_stated(sentence: str) -> None:
    assert changes(sentence) == []


# Proposals ------------------------------------------------------------------------------------------------

MARCH = date(2026, 3, 1)


@pytest.mark.parametrize(
    ("text", "language", "kind", "target", "since", "until", "old", "new"),
    [
        (
            "Section 3 of the Care policy is amended from 1 March 2026: dental care rises from 4,000 TRY "
            "to 5,000 TRY.",
            "en", "amends", "care#3", MARCH, None, "4,000 TRY", "5,000 TRY",
        ),
        (
            "Yıllık İzin Yönetmeliği'nin 2. maddesi 1 Mart 2026 tarihinden itibaren şöyle değişmiştir: "
            "izin 14 gün "
            "yerine 16 gündür.",
            "tr", "amends", "izin#2", MARCH, None, "14 gün", "16 gün",
        ),
        (
            "YILLIK İZİN YÖNETMELİĞİ’NİN 3. MADDESİ 1 MART 2026 İTİBARIYLA YÜRÜRLÜKTEN KALDIRILMIŞTIR.",
            "tr", "repeals", "izin#3", MARCH, None, "", "",
        ),
        (
            "Yıllık İzin Yönetmeliği’nin 3. bölümü 1 Mart 2026'dan itibaren iptal edilmiştir.",
            "tr", "repeals", "izin#3", MARCH, None, "", "",
        ),
        (
            "1–31 Mart 2026 arasında, Yıllık İzin Yönetmeliği'nin 3. bölümü 5 gün yerine 10 gün olarak "
            "uygulanır.",
            "tr", "amends", "izin#3", MARCH, date(2026, 4, 1), "5 gün", "10 gün",
        ),
        (
            "Section 2 of the Care policy is cancelled from 1 March 2026.",
            "en", "repeals", "care#2", MARCH, None, "", "",
        ),
        (
            "The new handbook replaces the Trips and Lodging Policy from 1 March 2026.",
            "en", "replaces", "trips", MARCH, None, "", "",
        ),
        (
            "Correction: section 2 of the Care policy should read 95 TRY instead of 90 TRY.",
            "en", "corrects", "care#2", SENT, None, "90 TRY", "95 TRY",
        ),
        (
            "This mail updates section 4 of the Trips and Lodging Policy: from 1 March 2026 a clerk's per "
            "diem is "
            "50 EUR instead of 45 EUR.",
            "en", "amends", "trips#4", MARCH, None, "45 EUR", "50 EUR",
        ),
        (  # A section whose policy a Turkish mail names in Turkish.
            "Bu ileti, Seyahat ve Konaklama politikasının 4. bölümünü günceller: 1 Mart 2026'dan itibaren "
            "otel "
            "sınırı 120 avrodan 130 avroya çıkar.",
            "tr", "amends", "trips#4", MARCH, None, "120 avro", "130 avro",
        ),
    ],
)  # fmt: skip
def test_a_named_section_is_linked(
    text: str,
    language: str,
    kind: str,
    target: str,
    since: date,
    until: date | None,
    old: str,
    new: str,
) -> None:
    source = mail("note", text, language)
    assert told(source) == [("note@2026#0", kind, target, since, until, old, new)]
    (link,) = propose([*SHELF, source])
    assert link.evidence in text
    assert link.named_by in text
    assert link.confidence >= 0.85


@pytest.mark.parametrize(
    ("text", "language", "target", "old", "new"),
    [
        ("From 1 March 2026 dental care is paid up to 5,000 TRY instead of 4,000 TRY.", "en", "care#3",
         "4,000 TRY", "5,000 TRY"),
        ("The daily voucher for lunch rises from 90 TRY to 110 TRY on 1 March 2026.", "en", "care#2",
         "90 TRY", "110 TRY"),
        ("Yıllık izin süresi 1 Mart 2026'dan itibaren 14 günden 20 güne çıkarılmıştır.", "tr", "izin#2",
         "14 gün", "20 gün"),
        ("Yurt dışı harcırahı, memurlar için günlük 45 avrodan 50 avroya 1 Mart 2026'dan itibaren "
        "çıkar.", "tr",
         "trips#4", "45 avro", "50 avro"),
    ],
)  # fmt: skip
def test_a_mail_that_names_no_section_is_resolved_by_value_and_topic(
    text: str, language: str, target: str, old: str, new: str
) -> None:
    assert told(mail("note", text, language)) == [("note@2026#0", "amends", target, MARCH, None, old, new)]
    (link,) = propose([*SHELF, mail("note", text, language)])
    assert (link.confidence, link.named_by) == (0.7, "")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("This mail does not change section 2 of the Care policy.", "en"),
        ("We are considering whether to update section 2 of the Care policy from 90 TRY to 110 TRY.", "en"),
        ("As section 2 of the Care policy says, the voucher is 90 TRY. An announcement replaces it.", "en"),
        ("The parking fee rises from 90 TRY to 110 TRY on 1 March 2026.", "en"),  # another 90 TRY
        ("Swimming costs a lot. A swimming pool may cost 300 TRY a month or 400 TRY.", "en"),
        ("Section 17 of the Care policy is cancelled from 1 March 2026.", "en"),  # there is no such section
        ("Please take care: section 2 of the road is replaced.", "en"),  # a word, not the document
        ("Yıllık İzin Yönetmeliği'nin 2. bölümü uyarınca izin planlanır. Ekranların yeri değişti.", "tr"),
        ("Yıllık İzin Yönetmeliği'nin 2. bölümü değişmedi.", "tr"),
        ("Yıllık İzin Yönetmeliği'nin 2. bölümünün değişmesi öneriliyor.", "tr"),
        ("Lunch Voucher, health, dental care, glasses, swimming pool: our benefits at a glance.", "en"),
    ],
)  # fmt: skip
def test_nothing_is_linked_where_no_change_is_stated(text: str, language: str) -> None:
    assert told(mail("note", text, language)) == []


def test_a_document_links_from_the_section_that_states_the_value() -> None:
    notice = book(
        "notice",
        "Announcement: Vouchers",
        "## 1. What Changes\nIt updates the amount given in section 2 (Lunch Voucher) of the Care policy. "
        "As section 1 of "
        "the Care policy says, an announcement replaces an amount.\n\n## 2. Amount\nFrom 1 March 2026 the "
        "voucher "
        "rises from 90 TRY to 110 TRY.",
    )
    (link,) = propose([*SHELF, notice])
    assert (link.source, link.target, link.old, link.new) == ("notice@2025#2", "care#2", "90 TRY", "110 TRY")
    assert link.named_by.startswith("It updates the amount")


def test_two_values_of_one_section_are_two_links() -> None:
    text = (
        "This mail updates section 3 of the Care policy from 1 March 2026; glasses are paid up to 2,000 "
        "TRY instead "
        "of 1,800 TRY, and dental care up to 5,000 TRY instead of 4,000 TRY. All other rules stay unchanged."
    )
    assert [row[5:] for row in told(mail("note", text))] == [
        ("1,800 TRY", "2,000 TRY"),
        ("4,000 TRY", "5,000 TRY"),
    ]


CHAIN = (
    mail("pool-up", "This mail updates section 4 of the Care policy: from 1 July 2026 the swimming pool "
    "is paid with "
         "400 TRY instead of 300 TRY.", sent=date(2026, 6, 8), title="Swimming from July"),
    mail("pool-down", "8 Haziran 2026 tarihli duyurumuzu iptal ediyoruz: temmuzdaki artış sona erer, 1 "
    "Ekim 2026'dan "
         "itibaren tutar yine 300 TL'dir.", "tr", date(2026, 9, 7), "Yüzme desteği"),
)  # fmt: skip


def test_a_cancellation_links_to_the_announcement_it_names_by_its_day() -> None:
    assert told(*CHAIN) == [
        ("pool-up@2026#0", "amends", "care#4", date(2026, 7, 1), None, "300 TRY", "400 TRY"),
        ("pool-down@2026#0", "repeals", "pool-up#0", date(2026, 10, 1), None, "400 TRY", "300 TL"),
    ]


def test_the_corpus_has_its_eight_links_and_none_from_the_distractor() -> None:
    found = propose(load_folder(ROOT / "data"))
    assert {(link.source, link.kind, link.target, link.old, link.new) for link in found} == {
        ("announcement-meal-card@2025#2", "amends", "benefits#2", "330 TRY", "400 TRY"),
        ("announcement-meal-card@2026#2", "amends", "benefits#2", "330 TRY", "400 TRY"),
        ("mail-transport-2026@2026#0", "amends", "benefits#5", "1,250 TRY", "1,500 TRY"),
        ("mail-fair-2026@2026#0", "amends", "travel-expenses#4", "20 %", "30 %"),
        ("mail-uzaktan-2026@2026#0", "amends", "hr-working-hours#6", "2 gün", "3 gün"),
        ("mail-uzaktan-2026@2026#0", "amends", "hr-working-hours#6", "Perşembe", ""),
        ("announcement-gym-2026@2026#0", "amends", "benefits#4", "600 TRY", "750 TRY"),
        ("announcement-gym-cancelled@2026#0", "repeals", "announcement-gym-2026#0", "750 TRY", "600 TRY"),
    }


def test_every_evidence_stands_in_its_section() -> None:
    documents = load_folder(ROOT / "data")
    texts = {
        f"{one.id}@{one.edition}#{section.number}": section.text
        for one in documents
        for section in sections(one)
    }
    for link in propose(documents):
        assert link.evidence in texts[link.source]


def test_an_id_outlives_another_wording_but_not_another_value() -> None:
    text = "This mail updates section 2 of the Care policy: from 1 March 2026 the voucher is 110 TRY "
    "instead of 90 TRY."
    said = [
        propose([*SHELF, mail("note", wording)])[0].id
        for wording in (
            text,
            text.replace("This mail updates", "With this mail HR updates"),
            text.replace("110 TRY", "110 TL"),
            text.replace("110", "120"),
        )
    ]
    assert said[0] == said[1] == said[2] != said[3]


# What stands on a day ---------------------------------------------------------------------------------------


def values(links: Sequence[Link], days: Sequence[date]) -> list[str]:
    (thread,) = standing.threads(links)
    return [thread.value(day) for day in days]


def test_a_chain_gives_the_first_value_back() -> None:
    links = propose([*SHELF, *CHAIN])
    days = [date(2026, 6, 30), date(2026, 7, 1), date(2026, 9, 30), date(2026, 10, 1), date(2027, 5, 1)]
    assert values(links, days) == ["300 TRY", "400 TRY", "400 TRY", "300 TL", "300 TL"]
    assert values(links[:1], days)[-1] == "400 TRY"  # the cancellation undone
    (thread,) = standing.threads(links)
    assert [(span.value, span.until) for span in thread.spans()] == [
        ("300 TRY", date(2026, 7, 1)),
        ("400 TRY", date(2026, 10, 1)),
        ("300 TL", None),
    ]


def test_a_cancellation_without_an_amount_gives_the_first_value_back() -> None:
    bare = mail(
        "pool-off", "From 1 October 2026 we cancel our announcement of 8 June 2026.", sent=date(2026, 9, 7)
    )
    links = propose([*SHELF, CHAIN[0], bare])
    assert [link.new for link in links] == ["400 TRY", ""]
    assert values(links, [date(2026, 9, 30), date(2026, 10, 1)]) == ["400 TRY", "300 TRY"]


def test_a_change_for_a_month_suspends_and_returns() -> None:
    month = mail("m", "Between 1 and 31 May 2026 this mail changes section 4 of the Care policy: the "
    "swimming pool is "
                 "paid with 500 TRY instead of 300 TRY.")  # fmt: skip
    days = [date(2026, 4, 30), date(2026, 5, 1), date(2026, 5, 31), date(2026, 6, 1)]
    assert values(propose([*SHELF, month]), days) == ["300 TRY", "500 TRY", "500 TRY", "300 TRY"]
    lasting = mail("l", "This mail updates section 4 of the Care policy: from 1 April 2026 the pool is "
    "paid with 350 TRY "
                   "instead of 300 TRY.")  # fmt: skip
    both = propose([*SHELF, month, lasting])
    assert values(both, days) == ["350 TRY", "500 TRY", "500 TRY", "350 TRY"]


def test_a_second_change_of_the_same_value_takes_the_place_of_the_first() -> None:
    second = mail("s", "This mail updates section 4 of the Care policy: from 1 September 2026 the "
    "swimming pool is paid "
                  "with 450 TRY instead of 400 TRY.", sent=date(2026, 8, 3))  # fmt: skip
    assert values(propose([*SHELF, CHAIN[0], second]), [date(2026, 8, 31), date(2026, 9, 1)]) == [
        "400 TRY",
        "450 TRY",
    ]


def test_changes_of_two_values_do_not_touch_each_other() -> None:
    one = mail("a", "This mail updates section 3 of the Care policy: from 1 March 2026 glasses are paid "
    "up to 2,000 TRY "
               "instead of 1,800 TRY.")  # fmt: skip
    two = mail("b", "This mail updates section 3 of the Care policy: from 1 May 2026 dental care is paid "
    "up to 5,000 TRY "
               "instead of 4,000 TRY.")  # fmt: skip
    found = standing.threads(propose([*SHELF, one, two]))
    assert [thread.value(date(2026, 6, 1)) for thread in found] == ["2,000 TRY", "5,000 TRY"]


def test_a_newer_edition_that_took_the_change_in_is_not_amended() -> None:
    (link,) = propose([*SHELF, CHAIN[0]])
    since = date(2027, 1, 1)
    assert standing.applies(
        link, "The pool is paid up to 300 TRY.", since
    )  # as printed before: still amended
    assert not standing.applies(link, "The pool is paid up to 400 TRY.", since)
    assert not standing.applies(link, "The pool is paid up to 420 TRY.", since)
    assert standing.applies(link, "The pool is paid up to 280 TRY.", date(2026, 1, 1))


# The consolidated text --------------------------------------------------------------------------------------


def test_the_text_in_force_has_the_new_value_and_its_source() -> None:
    links = propose([*SHELF, *CHAIN])
    day = date(2026, 8, 1)
    part = consolidate("care", sections(CARE), CARE.valid_from, links, day)[3]
    assert part.text == "A swimming pool is paid up to 400 TRY a month."
    assert part.printed == "A swimming pool is paid up to 300 TRY a month."
    assert (part.state, [note.source for note in part.notes]) == ("amended", ["pool-up@2026#0"])
    before = consolidate("care", sections(CARE), CARE.valid_from, links, day - timedelta(days=40))[3]
    assert (before.text, before.state, before.notes) == (part.printed, "in force", ())
    after = consolidate("care", sections(CARE), CARE.valid_from, links, date(2026, 12, 1))[3]
    assert (after.text, after.state) == (part.printed, "in force")
    assert [note.source for note in after.notes] == ["pool-down@2026#0"]


def test_a_cancelled_section_is_not_in_force() -> None:
    off = mail("off", "Section 2 of the Care policy is cancelled from 1 May 2026.")
    links = propose([*SHELF, off])
    states = [
        [part.state for part in consolidate("care", sections(CARE), CARE.valid_from, links, day)]
        for day in (date(2026, 4, 30), date(2026, 5, 1))
    ]
    assert states == [["in force"] * 4, ["in force", "not in force", "in force", "in force"]]
