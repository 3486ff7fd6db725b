"""Exercises of 12_your_corpus."""

from __future__ import annotations

from lab.ladder.tickets import Words
from lab.workshop.exercises import Exercise
from lab.workshop.gardening import Garden
from lab.workshop.lesson import Lesson


def closed(lesson: Lesson) -> str:
    """Id of the document that the owner reads and a member does not."""
    found = Garden(lesson).readers().value
    (name,) = {place.partition("@")[0] for place in set(found["owner"]) - set(found["member"])}
    return str(name)


def refused(lesson: Lesson) -> tuple[str, ...]:
    """Ids of the drafted questions whose asker may not read the answer."""
    return tuple(key for key, one in Garden(lesson).exam.items() if one.type == "access")


def in_force(lesson: Lesson) -> str:
    """The first rung that hands its reader no text that is not in force on the asked day."""
    rows = [row for row in Garden(lesson).rows() if row.measures]
    return next(row.rung for row in rows if not row.measures["stale"])


EXERCISES = (
    Exercise(
        "12_your_corpus/1",
        Words(
            "One document is read by the owner and the board, and not by a member. What is its id?",
            "Bir belgeyi sahibi ve yönetim kurulu okuyor, üye okumuyor. O belgenin kimliği (id) ne?",
        ),
        Words(
            "lab.yaml gives one folder an access of its own. An id is made from the path.",
            "lab.yaml bir klasöre ayrı bir erişim tanıyor. Kimlik, dosyanın yolundan oluşur.",
        ),
        Words(
            "Compare what garden.readers() shows for owner and for member.",
            "garden.readers() tablosunda owner ile member satırlarını karşılaştırın.",
        ),
        "from lab.workshop.exercises.n12_your_corpus import closed\nclosed(lesson)",
        closed,
        lambda value, right: str(value).strip() == right,
        "statute",
    ),
    Exercise(
        "12_your_corpus/2",
        Words(
            "Not every drafted question has an answer. Give the id of one whose asker may not read the "
            "passage that answers it.",
            "Taslaktaki her sorunun yanıtı yok. Yanıtın bulunduğu yeri okumaya yetkisi olmayan birinin "
            "sorduğu bir sorunun kimliğini yazın.",
        ),
        Words(
            "The same question stands in the exam twice, with two askers. The type is part of the id.",
            "Aynı soru sınavda iki kez geçiyor, soranları farklı. Sorunun türü kimliğinde yazar.",
        ),
        Words(
            "Those are the questions of the type access; their right answer is a refusal.",
            "Bunlar access türündeki sorular; doğru yanıt, yanıt vermemektir.",
        ),
        "from lab.workshop.exercises.n12_your_corpus import refused\nmin(refused(lesson))",
        refused,
        lambda value, right: str(value).strip() in right,
        "unknown-en-1",
    ),
    Exercise(
        "12_your_corpus/3",
        Words(
            "Both price lists are stored. Which is the first rung whose reader is never handed the one that "
            "is not in force?",
            "İki fiyat listesi de kayıtlı. Okuyucusuna yürürlükte olmayan listeyi hiç vermeyen ilk basamak "
            "hangisi?",
        ),
        Words("One column of the scoreboard counts them.", "Puan tablosunun bir sütunu bunları sayıyor."),
        Words(
            "Go down the column “stale” to the first 0.",
            "“stale” sütununda yukarıdan aşağıya ilk 0'ı bulun.",
        ),
        "from lab.workshop.exercises.n12_your_corpus import in_force\nin_force(lesson)",
        in_force,
        lambda value, right: str(value).strip().casefold() == right.casefold(),
        "units",
    ),
)
