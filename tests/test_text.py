"""Folding, tokens, lexemes, languages: Turkish as a first language."""

from __future__ import annotations

import pytest

from lab.text import calm, count_tokens, fold, language_of, lexemes, words


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("İADELER", "iadeler"),
        ("ISI", "isi"),
        ("ısı", "isi"),
        ("Işık", "isik"),
        ("IŞIK", "isik"),
        ("i\u0307ADE", "iade"),  # i with a combining dot, as "İ".lower() leaves it
        ("I\u0307ade", "iade"),
        ("ŞÇĞÖÜ şçğöü", "scgou scgou"),
        ("kâğıt, Îran, sükûn", "kagit, iran, sukun"),
        ("Straße", "strasse"),
        ("ﬁnance ＡＢＣ", "finance abc"),  # ligature, full width
        ("soft\u00adhyphen\u200bzero", "softhyphenzero"),
    ],
)
def test_fold(text: str, folded: str) -> None:
    assert fold(text) == folded
    assert fold(folded) == folded


def test_folding_is_the_same_for_every_case() -> None:
    for word in ("İzin", "ısı", "Çalışan", "ĞÜŞİÖÇı", "ılık"):
        upper = word.replace("i", "İ").replace("ı", "I").upper()
        assert fold(word) == fold(upper) == fold(word.lower())


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Acme'nin", ["acme"]),
        ("Acme’nin faturası", ["acme", "faturasi"]),
        ("O'Brien", ["o", "brien"]),
        ("5'i, 90'dan", ["5", "90"]),
        ("employee's don't", ["employee", "don"]),
        ("'quoted' word", ["quoted", "word"]),
        ("INV-00123", ["inv-00123", "inv", "00123"]),
        ("1.250 TL ve 1,250 TRY", ["1250", "tl", "ve", "1250", "try"]),
        ("12.345.678", ["12345678"]),
        ("132,5 is 132.5", ["132.5", "is", "132.5"]),
        ("400TL", ["400tl", "400", "tl"]),
        ("A320", ["a320"]),
        ("hr-only", ["hr", "only"]),
        (
            "security@krakenair.example'a yaz",
            ["security@krakenair.example", "security", "krakenair", "example", "yaz"],
        ),
        ("%150, 150 %", ["150", "150"]),
        ("snake_case | **bold**", ["snake", "case", "bold"]),
        ("", []),
    ],
)
def test_words(text: str, tokens: list[str]) -> None:
    assert words(text) == tokens


FAMILIES = (
    """
izin izinleri; şifre şifrenin; kapı kapısının; çalışan çalışanların; iade İADELER; talep talebindeki;
kitap kitapları; fatura faturalarımız; ödeme ödemesi; müşteri müşterilerin; sipariş siparişini; gün günlerde;
maaş maaşları; otel otelde; yemek yemeği; kart kartına; cihaz cihazımı;
vardiya vardiyası; sağlık sağlığı; ağaç ağacın
""".replace("\n", " ")
    .strip()
    .split("; ")
)


def test_inflected_forms_share_a_lexeme_with_their_base() -> None:
    pairs = [family.split() for family in FAMILIES]
    assert len(pairs) == 20
    apart = [pair for pair in pairs if not set(lexemes(pair[0], "tr")) & set(lexemes(pair[1], "tr"))]
    assert apart == []


def test_turkish_without_turkish_letters_gives_the_same_lexemes() -> None:
    text = "Çalışanların şifrelerini değiştirmesi, ISI ölçümü ve yıllık izinleri"
    plain = text.translate(str.maketrans("ÇçşğıöüIİ", "Ccsgiouii"))
    assert lexemes(text, "tr") == lexemes(plain, "tr")


def test_lexemes_keep_order_and_repetition_and_drop_stop_words() -> None:
    assert lexemes("The leaves and the leave of employees", "en") == ["leav", "leav", "employe"]
    assert lexemes("Şifre ve şifreler için", "tr") == ["sifre", "sifre"]
    assert lexemes("for und with", "de") == ["for", "und", "with"]
    assert lexemes("INV-00123", "tr") == ["inv-00123", "inv", "00123"]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("tr", "sifremi kac gunde bir degistirmeliyim"),
        ("tr", "Şifremi kaç günde bir değiştirmeliyim?"),
        ("tr", "yemek karti limiti"),
        ("tr", "izin"),
        ("tr", "uzaktan calisma"),
        ("tr", "laptopum calindi ne yapmaliyim"),
        ("tr", "gece taksi"),
        ("tr", "dogum gunu izni devreder mi"),
        ("tr", "USB bellek takabilir miyim"),
        ("tr", "IŞIK VE ISI"),
        ("en", "How many days of annual leave do I get?"),
        ("en", "meal card limit"),
        ("en", "Is remote work allowed on Tuesday?"),
        ("en", "gym support"),
        ("en", "password"),
        ("en", "annual leave after 6 years"),
        ("en", "salary band of a senior specialist"),
        ("und", "330"),
        ("und", "INV-00123"),
        ("und", ""),
        ("und", "日本語の質問"),
        ("und", "Wie viele Urlaubstage habe ich?"),
        ("und", "¿Cuántos días de vacaciones tengo?"),
        ("und", "Combien de jours de congé ?"),
    ],
)
def test_language(language: str, text: str) -> None:
    assert language_of(text) == language


def test_tokens_are_those_of_cl100k() -> None:
    assert count_tokens("") == 0
    assert count_tokens("hello world") == 2
    assert count_tokens("tiktoken is great!") == 6
    assert count_tokens("<|endoftext|>") > 1  # text, not a control token


@pytest.mark.parametrize(
    ("loud", "calm_"),
    [
        ("KURUMSAL ŞİFREMİ KAÇ GÜNDE DEĞİŞTİRİRİM?", "kurumsal şifremi kaç günde değiştiririm?"),
        ("YILLIK İZNİM KAÇ GÜN?", "yıllık iznim kaç gün?"),
        ("HOW MANY DAYS OF ANNUAL LEAVE IS IT?", "how many days of annual leave is it?"),
        ("How many days does HR give?", "How many days does HR give?"),
        ("IT?", "IT?"),
    ],
)
def test_shouting_is_calmed(loud: str, calm_: str) -> None:
    assert calm(loud) == calm_
