# ruff: noqa: E501
"""How the world is written down: records with Turkish or English labels, and lines of conversations."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lab.memory.records import Link, Record

if TYPE_CHECKING:
    from lab.benchmarks.business.world import Thing

_MODULE = {
    "customer": "sales", "person": "sales", "product": "all", "order": "sales", "invoice": "finance",
    "payment": "finance", "ticket": "support", "employee": "all", "supplier": "purchasing",
}  # fmt: skip
_APPLICATION = {"invoice": "ledger", "payment": "ledger", "ticket": "desk", "employee": "people"}
_TEXT = {
    ("customer", "tr"): "Müşteri {code}: {full} ({city}). Vergi numarası: {tax}. IBAN: {iban}. Web sitesi: {web}. "
    "Telefon: {phone}. Müşteri temsilcisi: {manager}.",
    ("customer", "en"): "Customer {code}: {full} ({city}). Tax number: {tax}. IBAN: {iban}. Website: {web}. "
    "Phone: {phone}. Account manager: {manager}.",
    ("person", "tr"): "İlgili kişi {name}: {customer} şirketinde {title}. Telefon: {phone}. E-posta: {mail}.",
    ("person", "en"): "Contact {name}: {title} at {customer}. Phone: {phone}. Email: {mail}.",
    ("product", "tr"): "Ürün {code}: {name}. Liste fiyatı: {price} TL. Stok: {stock} adet. Garanti: {warranty} ay. "
    "Tedarikçi: {supplier}.",
    ("product", "en"): "Product {code}: {name}. List price: {price} TL. Stock: {stock} pieces. Warranty: {warranty} months. "
    "Supplier: {supplier}.",
    ("order", "tr"): "Sipariş {code}, müşteri {customer}, {day}. Kalemler: {lines}. Toplam: {total} TL. "
    "Teslim tarihi: {delivery}. Durum: {status}. Kargo takip no: {carrier}.",
    ("order", "en"): "Order {code}, customer {customer}, {day}. Lines: {lines}. Total: {total} TL. "
    "Delivery date: {delivery}. Status: {status}. Tracking number: {carrier}.",
    ("invoice", "tr"): "Fatura {code}, müşteri {customer}, sipariş {order}, {day}. Tutar: {amount} TL. Vade: {due}.",
    ("invoice", "en"): "Invoice {code}, customer {customer}, order {order}, {day}. Amount: {amount} TL. Due date: {due}.",
    ("payment", "tr"): "Ödeme {code}, fatura {invoice}, {day}. Tutar: {amount} TL. Banka: {bank}. Dekont no: {receipt}.",
    ("payment", "en"): "Payment {code}, invoice {invoice}, {day}. Amount: {amount} TL. Bank: {bank}. Receipt number: {receipt}.",
    ("ticket", "tr"): "Destek talebi {code}, {customer}, sipariş {order}, {day}. Şikâyet: {subject}. Öncelik: {priority}. "
    "Atanan: {employee}.",
    ("ticket", "en"): "Support ticket {code}, {customer}, order {order}, {day}. Complaint: {subject}. Priority: {priority}. "
    "Assigned to: {employee}.",
    ("employee", "tr"): "Çalışan {code}: {name}. Bölüm: {department}. Unvan: {title}. Telefon: {phone}. E-posta: {mail}. "
    "Masa: {desk}.{boss}",
    ("employee", "en"): "Employee {code}: {name}. Department: {department}. Title: {title}. Phone: {phone}. Email: {mail}. "
    "Desk: {desk}.{boss}",
    ("supplier", "tr"): "Tedarikçi {code}: {name} ({city}). Telefon: {phone}. IBAN: {iban}. Termin: {lead} gün.",
    ("supplier", "en"): "Supplier {code}: {name} ({city}). Phone: {phone}. IBAN: {iban}. Lead time: {lead} days.",
}  # fmt: skip
_RELATION = {
    ("customer", "manager"): "account_manager", ("person", "customer"): "works_at",
    ("product", "supplier"): "supplied_by", ("order", "customer"): "placed_by",
    ("order", "product0"): "contains", ("order", "product1"): "contains", ("invoice", "order"): "for_order",
    ("invoice", "customer"): "billed_to", ("payment", "invoice"): "pays", ("ticket", "order"): "about",
    ("ticket", "customer"): "opened_by", ("ticket", "employee"): "assigned_to", ("employee", "manager"): "reports_to",
}  # fmt: skip


def record(kind: str, thing: Thing) -> Record:
    """A thing's own record, in its language."""
    from lab.benchmarks.business.world import at, day

    links = tuple(
        Link(_RELATION[kind, role], other.entity)
        for role, other in thing.refs.items()
        if (kind, role) in _RELATION
    )
    boss = ""
    if kind == "employee" and "manager" in thing.refs:
        boss = {"tr": " Yöneticisi: {}.", "en": " Reports to: {}."}[thing.language].format(
            thing.refs["manager"].name
        )
    words = {role: other.name for role, other in thing.refs.items()}
    content = _TEXT[kind, thing.language].format(
        **({"name": thing.name, "day": day(thing.at), "boss": boss} | words | thing.data)
    )
    return Record(
        _APPLICATION.get(kind, "shop"), thing.entity.id, at(thing.at), _MODULE[kind], content, thing.language,
        thing.entity, links,
    )  # fmt: skip


def limit(customer: Thing) -> Record:
    from lab.benchmarks.business.world import at

    text = {"tr": "{} kredi limiti: {} TL.", "en": "Credit limit of {}: {} TL."}[customer.language]
    return Record("ledger", f"limit/{customer.entity.id}", at(customer.at), "finance",
                  text.format(customer.name, customer.data["limit"]), customer.language, customer.entity)  # fmt: skip


def salary(employee: Thing, amount: str) -> Record:
    from lab.benchmarks.business.world import at

    text = {"tr": "{} aylık brüt maaş: {} TL.", "en": "Monthly gross salary of {}: {} TL."}[employee.language]
    return Record("payroll", f"salary/{employee.entity.id}", at(employee.at), "hr",
                  text.format(employee.name, amount), employee.language, employee.entity)  # fmt: skip


def note(number: int, customer: Thing, keeper: Thing, word: str) -> Record:
    from lab.benchmarks.business.world import at

    text = {
        "tr": "Özel not: {} görüşmesinden sonra {} teklifini geri çekmeyi düşünüyorum.",
        "en": "Private note: after the meeting with {} I am thinking of withdrawing the offer {}.",
    }[customer.language]
    return Record("notes", f"note/{number}", at(customer.at), "sales", text.format(customer.name, word),
                  customer.language, mentions=(customer.entity, keeper.entity), owner=keeper.data["code"], kind="note")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Topic:
    """What customers write about; `lines` and `values` in (Turkish, English)."""

    attribute: str
    lines: tuple[tuple[str, str], ...]
    value: str


TOPICS = (
    Topic("delivery_place", (("Malı {v} numaralı rampaya indirin.", "Please unload the goods at dock {v}."),
                             ("Kolileri {v} kapısına bırakın lütfen.", "Drop the boxes at gate {v} please.")), "place"),
    Topic("payment_day", (("Ödemeyi {v} tarihinde yapacağız.", "We will make the payment on {v}."),
                          ("Havaleyi {v} günü göndereceğiz.", "The transfer will go out on {v}.")), "date"),
    Topic("discount", (("Konuştuğumuz indirim oranı {v} olsun.", "Let us settle on a discount of {v}."),
                       ("İskontoyu {v} olarak uygulayın.", "Apply the discount of {v} we agreed.")), "percent"),
    Topic("packaging", (("Ambalaj {v} olsun.", "For the packaging use {v}."),
                        ("Ürünleri {v} ile paketleyin.", "Wrap the items with {v}.")), "wrap"),
    Topic("contact", (("Artık yetkilimiz {v}.", "Our contact person is {v} now."),
                      ("Bu iş için {v} ile görüşün.", "Please speak to {v} about this.")), "name"),
)  # fmt: skip
OPENERS = (("Merhaba.", "Hello."), ("İyi günler.", "Good morning."), ("Selam.", "Hi there."))
FILLERS = (
    ("Bu arada geçen haftaki toplantı verimliydi.", "By the way, last week was useful."),
    ("Kolay gelsin, iyi çalışmalar.", "Have a good week."),
    ("Hava burada çok soğudu.", "It has become cold over here."),
    ("Katalog elimize ulaştı, teşekkürler.", "The catalogue arrived, thank you."),
)
CORRECTIONS = (
    ("Pardon, doğrusu {v} olacak.", "Sorry, make that {v}."),
    ("Düzeltiyorum: {v}.", "Correction: {v}."),
    ("Önceki mesajda yanlış yazmışım, {v} olmalı.", "I meant {v}, my mistake."),
)


def value(topic: Topic, draw: random.Random) -> str:
    match topic.value:
        case "place":
            return f"{draw.choice('ABCDEFGHKLM')}{draw.randint(10, 999)}"
        case "date":
            return f"{draw.randint(1, 28):02}.{draw.randint(1, 12):02}.2026"
        case "percent":
            return f"%{draw.randint(2, 29)},{draw.randint(1, 9)}"
        case "wrap":
            return f"K{draw.randint(100, 999)}-{draw.choice('PQRS')}"
        case _:
            from lab.benchmarks.business import lexicon as lex

            return f"{draw.choice(lex.TR_FIRST)} {draw.choice(lex.EN_LAST)}{draw.choice(['son', 'oğlu', 'er', 'gil'])}"
