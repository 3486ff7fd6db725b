"""Exercises of 10_memory. Each is answered in a mind made for it and removed again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from lab.benchmarks.mind import exam
from lab.evaluation import ledger as book
from lab.ladder.tickets import Words
from lab.memory import server
from lab.memory.connect import writer
from lab.workshop.exercises import Exercise
from lab.workshop.lesson import Lesson
from lab.workshop.practice import Practice, changed


@lru_cache(4)
def fields_changed(lesson: Lesson) -> frozenset[str]:
    """Which fields move when an agent gives new words to what a person stands by, besides the words."""
    with Practice(lesson) as practice:
        person, agent = practice.person.mind, practice.agent.mind
        agent.store("fact", "first_day", "The first day is 2 March.", tags=["start"], priority="high")
        person.verify("fact/first_day")
        before = person.update("fact/first_day", confidence=1.0)
        after = agent.update("fact/first_day", content="The first day is 9 March.")
    return frozenset(changed(before, after)) - {"content"}


def same_fields(value: object, right: frozenset[str]) -> bool:
    """Whether these names, a list or a text with commas, are the right ones. TypeError for other things."""
    if isinstance(value, str):
        value = value.replace(",", " ").split()
    if not isinstance(value, Iterable):
        raise TypeError("names of fields, e.g. ['tags', 'priority']")
    return {str(name).strip() for name in value} - {"content", "updated_at"} == right


@lru_cache(4)
def never_an_agents(lesson: Lesson) -> str:
    """Of store, update, delete and verify the one that an agent may do to no memory."""
    with Practice(lesson) as practice:
        may = practice.rights().value
    tried = {
        name: any(kinds["agent"] for title, kinds in may.items() if title.split()[0] == name)
        for name in ("store", "update", "delete", "verify")
    }
    return next(name for name, allowed in tried.items() if not allowed)


def missed(lesson: Lesson) -> int:
    """Questions of the exam whose memory a search for five does not bring, by the newest run in the ledger;
    runs it where there is none."""
    with writer(server.up()) as conn:
        run = book.latest(conn, "mind")
        rows = book.rungs(conn, run.id) if run else []
    row = next((row for row in rows if row.rung == exam.WAYS[2]), None)
    if row is None:
        with Practice(lesson) as practice:
            practice.effect()
        return missed(lesson)
    figures: Mapping[str, float] = row.measures
    return round(figures["n"] * (1 - figures["in context"]))


EXERCISES = (
    Exercise(
        "10_memory/1",
        Words(
            "Before you run it: a person has verified an agent's note and set its confidence to 1. Now "
            "the agent "
            "gives it new words. Which fields change besides content? Give a list of names.",
            "Çalıştırmadan önce: kişi, ajanın notunu doğruladı ve güvenini 1 yaptı. Şimdi ajan nota "
            "yeni bir metin "
            "yazıyor. content dışında hangi alanlar değişir? Adlarını liste olarak verin.",
        ),
        Words(
            "A person stood by the old words, not by the new ones.",
            "Kişi eski metnin arkasındaydı, yenisinin değil.",
        ),
        Words(
            "Tags, priority and expiry stay: an update touches what is given. But new words of an agent are "
            "unverified, and no surer than an agent may be.",
            "Etiketler, öncelik ve son kullanma tarihi kalır: güncelleme yalnızca verileni değiştirir. "
            "Ama ajanın "
            "yeni metni doğrulanmamıştır ve bir ajanın olabileceğinden daha emin olamaz.",
        ),
        "from lab.workshop.exercises.n10_memory import fields_changed\nfields_changed(lesson)",
        fields_changed,
        same_fields,
        ["tags", "priority"],
    ),
    Exercise(
        "10_memory/2",
        Words(
            "store, update, delete, verify: which of them may an agent do to no memory at all?",
            "store, update, delete, verify: ajan bunlardan hangisini hiçbir anıda yapamaz?",
        ),
        Words(
            "mind.rights() tries them all; three depend on who stored the memory.",
            "mind.rights() hepsini dener; üçü, anıyı kimin sakladığına bağlı.",
        ),
        Words(
            "An agent may change and delete what agents stored. To stand by a memory is a person's.",
            "Ajan, ajanların sakladığını değiştirebilir, silebilir. Bir anının arkasında durmak ise "
            "insanın işi.",
        ),
        "from lab.workshop.exercises.n10_memory import never_an_agents\nnever_an_agents(lesson)",
        never_an_agents,
        lambda value, right: str(value).strip().casefold() == right,
        "delete",
    ),
    Exercise(
        "10_memory/3",
        Words(
            f"{2 * len(exam.notes())} questions were asked. For how many was the memory not among the "
            "five that "
            "search brought?",
            f"{2 * len(exam.notes())} soru soruldu. Kaçında aranan anı, search'ün getirdiği beş anı "
            "arasında yoktu?",
        ),
        Words(
            "The share in the prompt and the number of questions are in the table of the effect.",
            "İsteme girenlerin oranı ve soru sayısı, etki tablosunda yazıyor.",
        ),
        Words("One minus the share, times the questions.", "Bir eksi oran, çarpı soru sayısı."),
        "from lab.workshop.exercises.n10_memory import missed\nmissed(lesson)",
        missed,
        lambda value, right: int(value) == right,
        0,
    ),
)
