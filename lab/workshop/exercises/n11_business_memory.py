"""Exercises of 11_business_memory."""

from __future__ import annotations

from datetime import date
from functools import lru_cache

from lab.kinds import LabError
from lab.ladder.tickets import Words
from lab.workshop.exercises import Exercise
from lab.workshop.lesson import Lesson
from lab.workshop.trade import Trade

THEN = "2026-02-17"


@lru_cache(4)
def of_four(lesson: Lesson) -> int:
    """How many of the records that the chain's answer rests on are among the ten nearest."""
    with Trade(lesson) as trade:
        asked = trade.run(trade.question("chain"))
        return sum(item.place in asked.evidence for item in trade.nearest(asked.question))


@lru_cache(4)
def lucky(lesson: Lesson) -> str:
    """The role that has the chain's answer before its eyes, but no way from the complaint to the payment."""
    with Trade(lesson) as trade:
        found = trade.rights(trade.question("chain")).value
    roles = [
        role
        for role, asked in found.items()
        if asked.told and not any({"ticket", "payment"} <= set(path.types) for path in asked.found.paths)
    ]
    if len(roles) != 1:
        raise LabError("There is no such role in this world.")
    return str(roles[0])


@lru_cache(4)
def since(lesson: Lesson) -> date:
    """First day of the newest version of the record that `moved` asks about."""
    with Trade(lesson) as trade:
        versions = trade.times(trade.moved(), THEN).value
    if len(versions) < 2:
        raise LabError("The record has no earlier version.")
    day: date = versions[0].start
    return day


EXERCISES = (
    Exercise(
        "11_business_memory/1",
        Words(
            "Before you run it: the answer rests on four records: complaint, order, invoice, payment. "
            "How many of "
            "them are among the ten nearest by vector?",
            "Çalıştırmadan önce: yanıt dört kayda dayanıyor: şikâyet, sipariş, fatura, ödeme. Vektörle "
            "en yakın on anı "
            "arasında bunlardan kaçı var?",
        ),
        Words("trade.vectors(asked) marks them with ✓.", "trade.vectors(asked) bunları ✓ ile işaretler."),
        Words(
            "The question speaks of a complaint and a customer; the payment's record names neither.",
            "Soru bir şikâyetten ve bir müşteriden söz ediyor; ödeme kaydında ikisinin de adı geçmiyor.",
        ),
        "from lab.workshop.exercises.n11_business_memory import of_four\nof_four(lesson)",
        of_four,
        lambda value, right: int(value) == right,
        4,
    ),
    Exercise(
        "11_business_memory/2",
        Words(
            "One role has the receipt number in its text and still can't tell which payment the "
            "complaint leads to. "
            "Which role?",
            "Dekont numarası bir rolün metninde geçiyor, ama o rol şikâyetin hangi ödemeye çıktığını "
            "bilemiyor. "
            "Hangi rol?",
        ),
        Words(
            "It may read payments, but not what stands at the beginning of the way.",
            "Ödemeleri okuyabiliyor, ama yolun başındakini okuyamıyor.",
        ),
        Words(
            "The walk does not go through what the asker may not see. Where there are many payments of "
            "one customer, "
            "the right one may still stand among them.",
            "Yürüyüş, soranın göremediği yerden geçmez. Aynı müşterinin birçok ödemesi varsa doğru "
            "olanı yine de "
            "aralarında bulunabilir.",
        ),
        "from lab.workshop.exercises.n11_business_memory import lucky\nlucky(lesson)",
        lucky,
        lambda value, right: str(value).strip().casefold() == right,
        "sales",
    ),
    Exercise(
        "11_business_memory/3",
        Words(
            "From which day on does the newer version of this record hold? Give a date.",
            "Bu kaydın yeni sürümü hangi günden itibaren geçerli? Tarih verin.",
        ),
        Words(
            "The earlier one says until when it held.",
            "Önceki sürüm ne zamana kadar geçerli olduğunu söylüyor.",
        ),
        Words(
            "A version is dated by the record itself, and closes the one before.",
            "Sürümün tarihi kaydın kendisinden gelir; kendinden öncekini kapatır.",
        ),
        "from lab.workshop.exercises.n11_business_memory import since\nsince(lesson)",
        since,
        lambda value, right: value == right or str(value) == right.isoformat(),
        date(2025, 9, 1),
    ),
)
