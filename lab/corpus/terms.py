"""Office words in Turkish and English: how a Turkish mail names an English policy."""

from __future__ import annotations

import functools
import re

from lab.text import STOP_EN, STOP_TR, lexemes, words

_PAIRS = """
abone subscription | aidat fee due | aile family | akademi academy | akşam evening | amir manager supervisor
anlaşma contract | araba car | araç vehicle car | avans advance | ay month | aylık monthly
bagaj luggage baggage | bakım maintenance care | bant band | bayram holiday | bildirim report notice
bilet ticket | bilgi information data | bilgisayar computer laptop | bölüm section department | bütçe budget
cihaz device | davranış conduct | deneme probation | denetim audit | destek support allowance
devir carry transfer | devret carry | diş dental | doğum birth birthday maternity
duyuru announcement notice | ekip team | emniyet safety | etik ethic conduct | ev home remote
evlilik marriage | eğitim training | fatura invoice | fazla overtime | fuar fair | gece night
genel general | gider expense | giriş entry | görev duty trip | gözlük glass | gün day | günlük daily
güvenlik security safety | hafta week | hak right benefit | hangar hangar | harcama expense | harcırah diem
hastalık sick | hediye gift | ihbar notice report | izin leave | kahvaltı breakfast | kart card
kaza accident | konaklama hotel accommodation lodging | kural rule | kurum company corporate
kıdem seniority service | liste list | maaş salary pay | masraf expense | memur clerk officer
mesai overtime hour | muayene visit | müdür manager director | ofis office | oltalama phishing | oran rate
otel hotel | otopark parking | park parking | parola password | personel staff employee | politika policy
prim bonus | rapor report | resmi public | saat hour | satın purchase | sağlık health | servis shuttle
seyahat travel trip | sigorta insurance | spor gym sport | stajyer intern | süre period term | sınır limit
taksi taxi | tatil holiday | tazminat compensation severance | telefon phone telephone | terfi promotion
toplantı meeting | tutar amount | ulaşım transport commute | uzak remote | uzaktan remote
uzman specialist expert | uçuş flight | vardiya shift | yabancı foreign | yakıt fuel | yan benefit
yazılım software | yemek meal food | yol transport travel | yurtdışı abroad international | yurtiçi domestic
yönerge directive | yönetici manager | yönetmelik regulation | yüzme swimming | yıl year
yıllık annual yearly | zam raise increase | zimmet asset | ziyaretçi visitor | çalışan employee staff
çalışma work | çanta bag | çocuk child | ödeme payment | özel special private | öğle lunch
ücret pay salary fee wage | üyelik membership | şifre password
"""
_APART = re.compile(r"\b([Yy]urt) ([dD]ış|[iİ]ç)")
_COMMON = frozenset(
    "policy politika document belge announcement duyuru mail ileti section bolum madde handbook kitap rule"
    " kural regulation yonetmelik directive yonerge guide kilavuz procedure prosedur kraken air".split()
)
"""Words that name no topic."""


@functools.cache
def _english() -> dict[str, frozenset[str]]:
    """Folded Turkish word → stems of its English counterparts."""
    found: dict[str, frozenset[str]] = {}
    for entry in _PAIRS.replace("\n", " | ").split("|"):
        turkish, *english = entry.split() or [""]
        if english:
            (word,) = words(turkish)
            found[word] = frozenset(stem for one in english for stem in lexemes(one, "en"))
    return found


@functools.lru_cache(maxsize=4096)
def topics(text: str, language: str) -> tuple[frozenset[str], ...]:
    """What each content word of the text may stand for, as stems of both languages; glue and words such as
    "policy" are left out."""
    found = []
    for word in words(_APART.sub(r"\1\2", text)):
        if word in STOP_EN or word in STOP_TR or word in _COMMON or word.isdigit() or len(word) < 3:
            continue
        senses = set(lexemes(word, language)) | {word}
        if language != "en":
            for known, english in _english().items():
                if word.startswith(known) and len(word) - len(known) <= 6:
                    senses |= english
        if not senses & _COMMON and not any(word.startswith(one) for one in _COMMON if len(one) > 4):
            found.append(frozenset(senses))
    return tuple(dict.fromkeys(found))


def shared(wanted: tuple[frozenset[str], ...], held: tuple[frozenset[str], ...]) -> int:
    """How many of the wanted words have a counterpart among the held ones."""
    senses = frozenset(stem for one in held for stem in one)
    return sum(bool(one & senses) for one in wanted)
