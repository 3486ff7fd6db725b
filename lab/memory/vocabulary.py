"""What business questions ask for, in Turkish and English: types of things, relations, attributes.

Words are folded and without endings; a question's word counts when it, or what `names.bases` makes of it,
is one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from lab.memory.names import bases, tokens
from lab.text import STOP_EN, STOP_TR, fold

TYPES: Mapping[str, str] = {
    "customer": "musteri firma sirket isveren customer client company buyer employer",
    "person": "kisi yetkili contact person",
    "employee": "calisan personel temsilci yonetici mudur amir gorevli employee staff representative "
    "manager boss supervisor agent superior",
    "supplier": "tedarikci supplier vendor",
    "product": "urun product",
    "order": "siparis order purchase ordered purchased bought",
    "invoice": "fatura invoice bill invoiced billed",
    "payment": "odeme tahsilat havale payment transfer",
    "ticket": "talep sikayet ticket complaint case complain complained complains",
}
# Words that tell apart relations between the same types; a type's own name asks for the type alone.
RELATIONS: Mapping[str, str] = {
    "account_manager": "temsilci manager representative",
    "reports_to": "yonetici amir mudur boss supervisor manager superior",
    "supplied_by": "tedarikci tedarik supplier vendor",
    "works_at": "calis calistigi isveren works working employer employs employing",
    "assigned_to": "atanan atandi ilgilenen bakan assigned handles handling handled",
}
OPENS: Mapping[str, tuple[str, ...]] = {
    "order": ("placed_by", "contains", "for_order", "about"),
    "invoice": ("billed_to", "for_order"),
    "payment": ("pays",),
    "ticket": ("opened_by", "about", "assigned_to"),
    "customer": ("account_manager",),
    "person": ("works_at",),
    "product": ("supplied_by", "contains"),
    "employee": ("reports_to", "assigned_to", "account_manager"),
}
"""Relations to each type that are followed however wide they open, if the type is asked for."""
# One attribute a line: how either language writes it. Matched as a beginning of words in the folded text.
_ATTRIBUTES = """
vergi numarasi|vergi no|tax number|tax id|taxpayer
iban|hesap numarasi|account number
web sitesi|web adresi|internet sitesi|internet adresi|website|web site|web address|homepage
telefon|cep numarasi|phone|telephone|call
e-posta|eposta|mail adresi|email|e-mail
fiyat|kac para|ne kadara sat|price|cost
stok|depoda kac|stock|in store
garanti|warranty|guarantee
toplam|total|altogether
teslim tarihi|teslim edilecek|teslim gunu|delivery date|delivered on|be delivered
durum|hangi asamada|status|stage
kargo takip|takip no|takip numarasi|tracking
tutar|amount|how much
vade|son odeme|due
banka|bank
dekont|receipt
bolum|birim|departman|department|unit
unvan|gorevi|title|position
masa|desk
termin|tedarik suresi|lead time
kredi limiti|credit limit
maas|ucret|salary|wage
sehir|nerede|city|town
oncelik|aciliyet|priority|urgency
ambalaj|paketle|paketlen|sarilsin|packag|wrap
indirim|iskonto|discount|rebate
teslimat yeri|kapi|rampa|nereye|indiril|birakil|delivery place|dock|gate|where|unload|drop
odeme sozu|odeyecek|odemeyi|ne zaman ode|payment promise|promise to pay|will pay|make the payment
gorusulecek|yetkili|kiminle|muhatap|contact person|whom|who should|speak to
kalem|lines
"""
ATTRIBUTES: tuple[re.Pattern[str], ...] = tuple(
    re.compile(rf"(?<![^\W_])(?:{line})") for line in _ATTRIBUTES.strip().split("\n")
)
# An attribute that only one type has asks for the type.
_IMPLIES = (
    ("dekont|receipt", "payment"),
    ("kargo takip|takip no|takip numarasi|tracking|teslim tarihi|delivery date", "order"),
    ("vade|due", "invoice"), ("banka|bank", "payment"), ("termin|lead time", "supplier"),
)  # fmt: skip
IMPLIES = tuple((re.compile(rf"(?<![^\W_])(?:{words})"), kind) for words, kind in _IMPLIES)
# The same matter in both languages; matched by the first letters of words.
_GLOSSARY = """
hasar damag|kirik broken|bozuk broken defect|eksik missing incompl|yanlis wrong incorr
gec gecik late delay|koli parcel box
teslim deliver|renk renge colou color|ekran screen displ|motor engine|calism dead|urun item produ
kalite quali|iade retur
degis exchan swap|ariza fault malfu|kayip lost|leke stain|ambal packa|fatura invoi bill
fazla extra exces|kablo cable
pil batar batte|ses noise sound|koku smell|sizdir leak|paslan rust|cizik scrat
toplan meeti|katalo catal|sozles contr
"""
GLOSSARY: Mapping[str, tuple[str, ...]] = {
    stem: tuple(stems)
    for line in _GLOSSARY.split("\n")
    for stems in map(str.split, line.split("|"))
    for stem in stems
}
_NEWEST = re.compile(
    r"\b(?:son|sonuncu|en son|en yeni|en guncel|last|latest|newest|most recent)\b(?! (?:odeme|hafta|ay|yil))"
)


def _index(table: Mapping[str, str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for key, listed in table.items():
        for word in listed.split():
            found.setdefault(word, set()).add(key)
    return found


_TYPE_OF, _RELATION_OF = _index(TYPES), _index(RELATIONS)
WORDS = frozenset(_TYPE_OF) | frozenset(_RELATION_OF)
STOP = STOP_EN | STOP_TR


def alike(word: str) -> tuple[str, ...]:
    """Beginnings of words that say the same as a folded word in either language, its own first."""
    others = (stem for key, stems in GLOSSARY.items() if word.startswith(key) for stem in stems)
    return tuple(dict.fromkeys((word[:5], *others)))


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for."""

    types: tuple[str, ...]
    """In the order in which they are named, the implied ones last."""
    relations: tuple[tuple[str, ...], ...]
    """What each word that names a relation may mean."""
    attributes: tuple[int, ...]
    """Numbers in ATTRIBUTES."""
    words: tuple[str, ...]
    """Folded content words besides stop words, in order."""
    newest: bool
    """Whether the newest one is meant ("son siparişi", "latest order")."""


def readings(word: str) -> tuple[str, ...]:
    """A folded word and what it may be without ending or English plural."""
    plural = (word[:-1],) if word.endswith("s") else ()
    return word, *plural, *bases(word, 4)


def asked(question: str) -> Asked:
    """Types, relations and attributes a question names, in either language."""
    folded = fold(question)
    types: dict[str, None] = {}
    relations: dict[tuple[str, ...], None] = {}
    words = [fold(token) for token in tokens(question)]
    for word in words:
        for reading in readings(word):
            if reading in _TYPE_OF or reading in _RELATION_OF:
                types |= dict.fromkeys(sorted(_TYPE_OF.get(reading, ())))
                if reading in _RELATION_OF:
                    relations[tuple(sorted(_RELATION_OF[reading]))] = None
                break
    for pattern, kind in IMPLIES:
        if pattern.search(folded):
            types.setdefault(kind)
    return Asked(
        tuple(types),
        tuple(relations),
        tuple(number for number, pattern in enumerate(ATTRIBUTES) if pattern.search(folded)),
        tuple(word for word in words if word not in STOP),
        _NEWEST.search(folded) is not None,
    )
