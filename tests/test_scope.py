"""Scope of questions: words, places in both languages, case endings, and what is no place."""

from __future__ import annotations

import gzip
import unicodedata
from importlib.resources import files

import pytest

from lab.rag.scope import scope_of

DOMESTIC = [
    ("What is the per diem in Ankara?", "Ankara"),
    ("One night in Istanbul as a manager: hotel limit?", "Istanbul"),
    ("İstanbul'da bir gece kalacağım, otel sınırı ne?", "İstanbul"),
    ("istanbula gidiyorum, harcirah ne kadar", "istanbul"),
    ("izmirde toplantı var, günlük harcırah?", "izmir"),
    ("Bursa'ya gidecek uzman ne alır?", "Bursa"),
    ("Antalya'daki fuar için otel", "Antalya"),
    ("Gaziantep'ten dönen direktör", "Gaziantep"),
    ("Şanlıurfa'ya uçak bileti", "Şanlıurfa"),
    ("sanliurfaya giden yonetici", "sanliurfa"),
    ("Van'a gidiyorum, otel kaç lira?", "Van"),
    ("A specialist goes to Van for two days", "Van"),
    ("Iğdır'daki istasyonda kalacak müdür", "Iğdır"),
    ("Kars'a görevlendirildim", "Kars"),
    ("Muş'ta otel sınırı", "Muş"),
    ("Trabzon trip, how much a day?", "Trabzon"),
    ("How much for a hotel in Eskisehir?", "Eskisehir"),
    ("Samsuna gidicem gecelik otel", "Samsun"),
    ("hotel limit for a domestic trip", "domestic"),
    ("Yurt içi seyahatte harcırah", "Yurt içi"),
    ("yurticinde gunluk ne oduyorlar", "yurticinde"),
    ("What do I get when travelling inside Turkey?", "inside Turkey"),
    ("Türkiye'de konaklama sınırı nedir?", "Türkiye"),
    ("per diem for a business trip from Berlin to Ankara", "Ankara"),
]
INTERNATIONAL = [
    ("As a specialist on a trip to Frankfurt, what per diem will I be paid?", "Frankfurt"),
    ("Frankfurt'ta otel kaç euro?", "euro"),
    ("Frankfurt’ta otel sınırı?", "Frankfurt"),
    ("What may a hotel room in London cost?", "London"),
    ("Londra'ya giden direktör", "Londra"),
    ("londraya gidiyorum otel siniri ne", "londra"),
    ("Münih'te üç gün kalacak uzman", "Münih"),
    ("münihe giden uzman", "münih"),
    ("three days in Munich", "Munich"),
    ("Viyana'dan sonra otel masrafı", "Viyana"),
    ("Hotel in Cologne for a manager", "Cologne"),
    ("Köln'e gönderilen yönetici", "Köln"),
    ("Milano'da gecelik sınır", "Milano"),
    ("Roma'ya yollanan uzman", "Roma"),
    ("Prag'daki otelin sınırı", "Prag"),
    ("Cenevre'ye uçuyorum", "Cenevre"),
    ("Zürih'te kalacağım", "Zürih"),
    ("Brüksel'deki toplantı", "Brüksel"),
    ("Atina'ya gidecek müdür", "Atina"),
    ("Selanik'e iş seyahati", "Selanik"),
    ("Tiflis'e gidiyorum", "Tiflis"),
    ("New York'a giden direktör", "New York"),
    ("hotel in Rio de Janeiro", "Rio de Janeiro"),
    ("Our director is off to Japan next month", "Japan"),
    ("Almanya'ya iş seyahati", "Almanya"),
    ("abd'ye giden uzman", "abd"),
    ("We fly to the United States", "United States"),
    ("Bosna Hersek'teki müşteri", "Bosna Hersek"),
    ("per diem in Nice", "Nice"),
    ("Nice'te bir gece", "Nice"),
    ("overseas trip, specialist grade", "overseas"),
    ("what is the per diem abroad", "abroad"),
    ("yurtdisina cikan uzman", "yurtdisina"),
    ("Yurt dışı görevinde otel", "Yurt dışı"),
    ("hotel limit outside Turkey", "outside Turkey"),
    ("Türkiye dışındaki seyahatler", "Türkiye dışındaki"),
    ("What is the per diem for a trip from Istanbul to Berlin?", "Berlin"),
    ("İstanbul'dan Berlin'e gidiyorum", "Berlin"),
    ("Ankara'da çalışıyorum, Paris'e gidiyorum", "Paris"),
    ("HOTEL LIMIT IN LONDON", "LONDON"),
    ("İSTANBUL'DAN PARİS'E GİDİYORUM", "PARİS"),
]
NONE = [
    "How many days of annual leave do I have?",
    "May the manager refuse it?",
    "Who pays when I resign in May?",
    "Mobile phone: who pays the bill?",
    "Is my mobile phone bill paid?",
    "Nice to meet you. What is the gift limit?",
    "Of all the rules, which matters most?",
    "Reading glasses: what is paid?",
    "Can I take a bath in the office?",
    "Van parking in front of the office?",
    "Bana kaç gün izin düşüyor?",
    "Ordu mensubuydum, askerlik sayılır mı?",
    "Yola çıkmadan avans alabilir miyim?",
    "Yol parası ne kadar?",
    "Yemek kartına kaç lira yükleniyor?",
    "Sipariş ne zaman gelir, kabul edilir mi?",
    "Ağrı kesici karşılanıyor mu?",
    "Mayısta izin alabilir miyim, ocakta mı, nisanda mı?",
    "Avrupa yakasındaki servis kaçta kalkıyor?",
    "Who is Selin Çakır?",
    "hotel limit for a specialist please",
    "Buna karşın izin verilir mi?",
    "PLEASE TELL US THE MINIMUM PASSWORD LENGTH",
    "What Is The Minimum Length Of A Password?",
    "Kurban Bayramı'nda kaç gün tatiliz?",
    "",
    "?!",
]
BOTH = [
    "What is my hotel limit in Bursa, and what is it in Brussels?",
    "Yurt içi ve yurt dışı harcırah ne kadar?",
    "per diem at home and abroad",
    "Ankara'da ve Berlin'de otel sınırı",
]


@pytest.mark.parametrize(("question", "because"), DOMESTIC)
def test_domestic(question: str, because: str) -> None:
    assert (scope_of(question).scope, scope_of(question).because) == ("domestic", because)


@pytest.mark.parametrize(("question", "because"), INTERNATIONAL)
def test_international(question: str, because: str) -> None:
    assert (scope_of(question).scope, scope_of(question).because) == ("international", because)


@pytest.mark.parametrize("question", NONE)
def test_tells_neither(question: str) -> None:
    assert (scope_of(question).scope, scope_of(question).because) == ("none", "")


@pytest.mark.parametrize("question", BOTH)
def test_names_both(question: str) -> None:
    assert scope_of(question).scope == "both"


def test_decomposed_letters_are_the_same_letters() -> None:
    question = unicodedata.normalize("NFD", "İzmir'e giden müdür")
    assert scope_of(question).because == "İzmir"


def test_package_data_is_small_and_says_whose_it_is() -> None:
    packed = (files("lab.rag") / "gazetteer.json.gz").read_bytes()
    assert len(packed) < 1_000_000
    assert b"GeoNames (CC BY 4.0)" in gzip.decompress(packed)
    assert "CC BY 4.0" in (files("lab.rag") / "GAZETTEER.md").read_text(encoding="utf-8")
