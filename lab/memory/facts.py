"""Conversations into facts, by rules and without a language model, in Turkish and English.

A sentence that states an attribute (where to deliver, whom to call …) becomes a fact under a stable name:
subject
and attribute. Said again with another value it is a newer version of the same fact, so the latest value
wins as
with records. What no rule knows is kept as said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from lab.memory.records import Entity, Record
from lab.text import fold


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation; `thread` joins those of one conversation."""

    source: str
    """The application: whatsapp, mail …"""
    external_id: str
    thread: str
    at: datetime
    sender: Entity
    text: str
    language: str
    module: str
    company: Entity | None = None
    owner: str | None = None
    """Whose private conversation it is; None: the workspace's."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """What a sentence may state, and the folded words by which it is known."""

    key: str
    tr: str
    en: str
    pattern: re.Pattern[str]


def _attribute(key: str, tr: str, en: str, pattern: str) -> Attribute:
    return Attribute(key, tr, en, re.compile(pattern))


_DAY = (
    r"(?:pazartesi|sali|carsamba|persembe|cuma|cumartesi|pazar|monday|tuesday|wednesday|thursday|friday|saturday"
    r"|sunday|saat|o'?clock|sabah|ogle|morning|noon|afternoon)"
)
_PLACE = r"(?:kapi|depo|rampa|adres|sube|antrepo|gate|dock|warehouse|branch|address|bay)"
_BRING = r"(?:teslim|getir|birak|indir|gonder|sevk|deliver|drop|unload|send|ship|bring)"
ATTRIBUTES: tuple[Attribute, ...] = (
    _attribute(
        "delivery_place", "teslimat yeri", "delivery place", rf"\b{_BRING}.*{_PLACE}|{_PLACE}.*\b{_BRING}"
    ),
    _attribute(
        "delivery_time", "teslimat zamanı", "delivery time", rf"\b{_BRING}.*{_DAY}|{_DAY}.*\b{_BRING}"
    ),
    _attribute("discount", "indirim", "discount", r"indirim|iskonto|discount|% ?\d+ (?:off|less)"),
    _attribute(
        "payment_day",
        "ödeme sözü",
        "payment promise",
        r"(?:oder|odey|odeme|havale|\bpay\b|payment|transfer).*\d|\d.*(?:oder|odey|odeme|havale|\bpay\b|payment)",
    ),
    _attribute("packaging", "ambalaj", "packaging", r"ambalaj|paketle|sandik|strec|packag|wrap|crate|palet"),
    _attribute(
        "contact",
        "görüşülecek kişi",
        "contact person",
        r"yetkili|muhatap|gorus|ulasin|irtibat|contact|speak to|talk to|reach",
    ),
    _attribute("phone", "telefon", "phone", r"(?:telefon|numara|cep|arayin|phone|mobile|call|number).*\d{3}"),
    _attribute("quantity", "adet", "quantity", r"\d+ ?(?:adet|koli|kutu|pieces|boxes|units|pcs)"),
)
_CORRECTS = re.compile(
    r"duzelt|pardon|yanlis (?:yaz|soyle)|kusura bakma|vazgec|degistirelim|correction|scratch that|i meant|"
    r"my mistake|sorry|change of plan|instead"
)
_SENTENCE = re.compile(r"(?<=[.!?…])\s+(?=\S)|\n+")
CODE = re.compile(r"\b[A-ZÇĞİÖŞÜ]{2,5}(?:-\d+)+\b")
"""A number under which a connected application keeps a record."""


def attribute_of(sentence: str) -> Attribute | None:
    """The first attribute whose words the sentence has."""
    folded = fold(sentence)
    return next((item for item in ATTRIBUTES if item.pattern.search(folded)), None)


def corrects(sentence: str) -> bool:
    """Whether the sentence takes back what was said before."""
    return _CORRECTS.search(fold(sentence)) is not None


def extract(messages: Iterable[Message], products: Sequence[Entity] = ()) -> list[Record]:
    """Facts of conversations, in the order of time. Of each message: one fact an attribute it states, and
    one for
    the rest of its words.

    A fact is about the order its message names, else about the company, else the sender. A correction without
    words of its own for it ("sorry, make that gate 9") is of what the sender stated last in the thread. Facts
    mention sender, company and those of `products` whose names occur; a record's number stays text."""
    found: list[Record] = []
    last: dict[tuple[str, str], tuple[str, Attribute]] = {}
    names = [(fold(product.name), product) for product in products]
    for message in sorted(messages, key=lambda message: (message.at, message.external_id)):
        code = CODE.search(message.text)
        about = code.group() if code else message.company.id if message.company else message.sender.id
        where = message.thread, message.sender.id
        rest: list[str] = []
        for sentence in _SENTENCE.split(message.text.strip()):
            attribute, correcting = attribute_of(sentence), corrects(sentence)
            subject = about
            if correcting and where in last and (attribute is None or code is None):
                before, stated = last[where]
                if attribute is None or attribute.key == stated.key:
                    subject, attribute = before, stated
            if attribute is None:
                rest.append(sentence)
                continue
            last[where] = subject, attribute
            owner = f"@{message.owner}" if message.owner else ""
            found.append(
                _fact(message, f"{subject}#{attribute.key}{owner}", sentence, subject, attribute, names)
            )
        if rest:
            found.append(_fact(message, message.external_id, " ".join(rest), about, None, names))
    return found


def _fact(
    message: Message,
    key: str,
    words: str,
    subject: str,
    attribute: Attribute | None,
    products: Sequence[tuple[str, Entity]],
) -> Record:
    turkish = message.language == "tr"
    head = [message.source.capitalize(), message.at.date().isoformat(), message.sender.name]
    if message.company:
        head[-1] += f" ({message.company.name})"
    if CODE.fullmatch(subject):
        head.append(subject)
    label = f"{attribute.tr if turkish else attribute.en}: " if attribute else ""
    folded = fold(words)
    return Record(
        source=f"facts/{message.source}" if attribute is None else "facts",
        external_id=key,
        version=message.at,
        module=message.module,
        content=f"[{', '.join(head)}] {label}{words}",
        language=message.language,
        mentions=(
            message.sender,
            *([message.company] if message.company else []),
            *(product for name, product in products if name in folded),
        ),
        owner=message.owner,
        kind="fact",
        attribute=attribute.key if attribute else None,
    )
