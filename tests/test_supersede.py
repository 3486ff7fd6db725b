"""What was amended brings what amends it: own documents with chains in two languages, then the gold set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

import pytest
from test_links import CARE, CHAIN, LEAVE, TRIPS, book, mail

from lab.corpus.chunk import chunk_all
from lab.corpus.links import propose
from lab.evaluation.answers import is_marked_earlier, occurs
from lab.evaluation.gold import Question, answer_ok, load_gold
from lab.kinds import Answer, Hit, Mark, Sight
from lab.ladder import rungs
from lab.memory import links as keep
from lab.memory import write
from lab.memory.server import Server
from lab.models.embedders import blend
from lab.rag import engine as engines
from lab.rag import supersede
from lab.rag.ask import ask
from lab.rag.engine import Engine, cached
from lab.rag.pieces import pieces_of
from lab.rag.pipeline import Pipeline
from lab.settings import ROOT

WORKSPACE = "supersede"
ON = Pipeline(chunker="section", index="units", edition=True, hybrid=True, abstains=False, supersedes=True)
OFF = replace(ON, supersedes=False)
TRAINING = book(
    "courses",
    "Eğitim Yönetmeliği",
    "## 1. Kapsam\nTüm çalışanlar.\n\n## 2. Kurs Desteği\nDil kursu için ayda en çok 800 TL ödenir. Kitap "
    "parası ödenmez."
    "\n\n## 3. Kurs Günü\nKurs için haftada 1 gün erken çıkılabilir. Kurs günü perşembedir.",
    "tr",
)
COURSE_UP = mail(
    "kurs-artis",
    "Eğitim Yönetmeliği’nin 2. maddesi değişmiştir: dil kursu desteği 1 Nisan 2026’dan itibaren ayda 800 "
    "TL’den 950 "
    "TL’ye çıkmıştır.",
    "tr",
    date(2026, 3, 2),
)
COURSE_MONTH = mail(
    "kurs-temmuz",
    "Eğitim Yönetmeliği'nin 2. bölümü 1–31 Temmuz 2026 arasında 950 TL yerine 1.200 TL olarak uygulanır.",
    "tr",
    date(2026, 6, 1),
)
COURSE_DAY = mail(
    "kurs-gunu",
    "Bu ileti Eğitim Yönetmeliği'nin 3. bölümünü günceller. Perşembe 1 Mayıs 2026'dan itibaren kurs günü "
    "olmaktan çıkar.",
    "tr",
    date(2026, 4, 6),
)
GLASSES = mail(
    "glasses",
    "This mail updates section 3 of the Care policy: from 1 March 2026 glasses are paid up to 2,100 TRY "
    "instead of "
    "1,800 TRY.",
)
SECRET = replace(
    mail("secret", "This mail updates section 2 of the Care policy: from 1 March 2026 the voucher is 777 "
    "TRY instead of "
         "90 TRY."),
    access="hr-only",
)  # fmt: skip
NOISE = tuple(
    mail(f"noise-{number}", text)
    for number, text in enumerate(
        (
            "The swimming pool of the hotel is closed for repairs, and the towels are new.",
            "Swimming in the sea is free, and the ferry leaves every hour.",
            "The library lends a hundred novels, and nobody pays for being late.",
        )
    )
)
STOCK = (CARE, LEAVE, TRIPS, TRAINING, COURSE_UP, COURSE_MONTH, COURSE_DAY, GLASSES, SECRET, *CHAIN, *NOISE)


@pytest.fixture(scope="module")
def shelf(server: Server) -> Iterator[Engine]:
    write.allow(server, WORKSPACE, "employee", {"all"})
    write.allow(server, WORKSPACE, "hr", {"all", "hr-only"})
    write.ingest(
        server,
        STOCK,
        chunk_all,
        embedders=cached(blend("use"), server),
        workspace=WORKSPACE,
        links=propose(STOCK),
    )
    with engines.engine(server, WORKSPACE) as running:
        yield running


def asked(
    engine: Engine, question: str, day: date | None, role: str = "employee", on: Pipeline = ON
) -> Answer:
    return ask(question, Sight(frozenset({role}), day, workspace=engine.workspace), on, engine)


def says(answer: Answer, value: str, *others: str) -> None:
    """The value is given, and none of the others but where it is called earlier, later or excepted."""
    assert occurs(value, answer.text), answer.text
    for other in others:
        for line in answer.text.split("\n"):
            assert not occurs(other, line) or is_marked_earlier(other, line), line


POOL = "How much is paid for a swimming pool a month?"
HAVUZ = "Yüzme havuzu için ayda kaç lira ödeniyor?"
KURS = "Dil kursu için ayda kaç TL ödeniyor?"
GOZLUK = "Gözlük için en fazla ne kadar ödenir?"


@pytest.mark.parametrize(
    ("question", "day", "value", "others"),
    [
        (POOL, date(2026, 6, 7), "300", ("400",)),  # not announced yet
        (POOL, date(2026, 6, 20), "300", ("400",)),  # announced, not in force
        (POOL, date(2026, 7, 1), "400", ("300",)),
        (POOL, date(2026, 9, 20), "400", ("300",)),  # its end is announced
        (POOL, date(2026, 10, 1), "300", ("400",)),
        (POOL, date(2027, 5, 1), "300", ("400",)),
        (HAVUZ, date(2026, 8, 1), "400", ("300",)),
        (HAVUZ, date(2026, 11, 1), "300", ("400",)),
        (HAVUZ.upper(), date(2026, 8, 1), "400", ("300",)),
        (KURS, date(2026, 2, 1), "800", ("950", "1.200")),
        (KURS, date(2026, 3, 15), "800", ("950", "1.200")),
        (KURS, date(2026, 4, 1), "950", ("800", "1.200")),
        (KURS, date(2026, 6, 30), "950", ("800", "1.200")),
        (KURS, date(2026, 7, 15), "1.200", ("800", "950")),
        (KURS, date(2026, 8, 1), "950", ("800", "1.200")),
        ("How much is paid a month for a language course?", date(2026, 7, 15), "1.200", ("800", "950")),
        ("How much is paid for glasses?", date(2026, 2, 20), "1,800", ("2,100",)),
        ("How much is paid for glasses?", date(2026, 3, 20), "2,100", ("1,800",)),
        (GOZLUK, date(2026, 3, 20), "2,100", ("1,800",)),
        (
            "Up to how much is dental care paid a year?",
            date(2026, 3, 20),
            "4,000",
            ("1,800",),
        ),  # its other value
    ],
)
def test_the_value_of_the_day(
    shelf: Engine, question: str, day: date, value: str, others: tuple[str, ...]
) -> None:
    says(asked(shelf, question, day), value, *others)


def test_without_the_step_both_values_are_given(shelf: Engine) -> None:
    """What the step is for; also that the questions above are not right by themselves."""
    text = asked(shelf, POOL, date(2026, 8, 1), on=OFF).text
    assert occurs("300", text)
    assert "up to 300 TRY a month" in text


def test_an_announcement_below_the_first_three_is_brought(shelf: Engine) -> None:
    day = date(2026, 8, 1)
    without = [hit.ref for hit in asked(shelf, HAVUZ, day, on=replace(OFF, k=1)).hits]
    assert without == ["care@2025#4"]
    answer = asked(shelf, HAVUZ, day, on=replace(ON, k=1))
    assert [hit.ref for hit in answer.hits] == ["pool-up@2026#0", "care@2025#4"]
    says(answer, "400", "300")
    brought, amended = answer.hits
    assert brought.why == ("placed: amends care#4 from 2026-07-01",)
    assert [mark.state for mark in brought.marks] == ["current"]
    assert amended.why[-1] == "earlier: changed by pool-up@2026#0"
    (mark,) = amended.marks
    assert (mark.state, mark.value, mark.by) == ("amended", "400 TRY", "pool-up@2026#0")
    step = next(step for step in answer.trace if step.name == "supersede")
    assert (step.into, step.out, step.detail["brought"]) == (1, 2, ["pool-up@2026#0"])


def test_what_is_asked_for_besides_comes_with_its_dates(shelf: Engine) -> None:
    day = date(2026, 8, 1)
    lines = asked(
        shelf, "How much is paid for a swimming pool a month, and what was it before?", day
    ).text.split("\n")
    assert "400 TRY instead of 300 TRY" in lines[0]
    assert "Earlier, until 30 June 2026: A swimming pool is paid up to 300 TRY a month. [2]" in lines
    lines = asked(shelf, "Yüzme havuzu desteği eskiden kaç liraydı?", day).text.split("\n")
    assert any(line.startswith("Daha önce, 30 Haziran 2026 gününe kadar: A swimming pool") for line in lines)
    lines = asked(
        shelf, "What is paid for a swimming pool and what will it be next?", date(2026, 9, 20)
    ).text.split("\n")
    assert any("Later, from 1 October 2026" in line and "300" in line for line in lines)
    plain = asked(shelf, POOL, day).text
    assert "Earlier" not in plain


def test_part_of_a_sentence_stays_with_its_exception(shelf: Engine) -> None:
    text = asked(shelf, "Kurs günü hangi gündür?", date(2026, 6, 1)).text
    assert "kurs günü olmaktan çıkar" in text
    assert "Kurs günü perşembedir" not in text.replace("Daha önce", "")
    before = asked(shelf, "Kurs günü hangi gündür?", date(2026, 4, 20)).text
    assert "Kurs günü perşembedir" in before
    assert "olmaktan çıkar" not in before


def test_only_who_reads_the_announcement_gets_its_value(shelf: Engine) -> None:
    question, day = "How much is the daily lunch voucher?", date(2026, 5, 1)
    says(asked(shelf, question, day, "hr"), "777", "90")
    answer = asked(shelf, question, day)
    says(answer, "90")
    seen = answer.text + str([(hit.why, hit.marks) for hit in answer.hits]) + str(answer.trace)
    assert "777" not in seen
    assert "secret" not in seen
    assert all(
        not hit.marks for hit in answer.hits if hit.chunk.document == "care" and hit.chunk.section == "2"
    )


def test_an_undone_link_is_not_followed(shelf: Engine) -> None:
    link = next(link for link in propose(STOCK) if link.source_document == "glasses")
    day = date(2026, 3, 20)
    keep.decide(shelf.server, link.id, "undone", "tester", WORKSPACE)
    try:
        answer = asked(shelf, "How much is paid for glasses?", day)
        assert "Glasses are paid up to 1,800 TRY." in answer.text
        assert not any(hit.marks for hit in answer.hits if hit.ref == "care@2025#3")
    finally:
        keep.decide(shelf.server, link.id, "confirmed", "tester", WORKSPACE)
    says(asked(shelf, "How much is paid for glasses?", day), "2,100", "1,800")


def test_without_a_day_it_stands_as_it_was_last_announced(shelf: Engine) -> None:
    for on in (ON, replace(ON, edition=False)):
        says(asked(shelf, POOL, None, on=on), "300", "400")
        says(asked(shelf, KURS, None, on=on), "950", "800", "1.200")


@pytest.mark.parametrize("chunker", ["fixed-300", "section"])
def test_it_follows_whatever_cut_the_chunks(shelf: Engine, chunker: str) -> None:
    on = replace(ON, chunker=chunker, index="chunk")
    says(asked(shelf, POOL, date(2026, 8, 1), on=on), "400", "300")
    says(asked(shelf, POOL, date(2026, 11, 1), on=on), "300", "400")


def test_nothing_is_dropped_and_nothing_stands_twice(shelf: Engine) -> None:
    for question in (POOL, KURS, GOZLUK, "Herkes için kaç gün?"):
        for day in (date(2026, 3, 1), date(2026, 7, 15), date(2026, 12, 1)):
            before = {hit.chunk.id for hit in asked(shelf, question, day, on=OFF).hits}
            after = [hit.chunk.id for hit in asked(shelf, question, day).hits]
            assert before <= set(after)
            assert len(after) == len(set(after))


# Pieces, without a database ---------------------------------------------------------------------------------


def test_pieces_without_marks_stay_as_they_were(shelf: Engine) -> None:
    hits = asked(shelf, "Dental care?", date(2026, 2, 10), on=OFF).hits[:2]
    pieces = [piece for rank, hit in enumerate(hits) for piece in pieces_of(hit, rank)]
    assert supersede.settle("Dental care?", hits, pieces) == pieces


def test_a_row_keeps_its_other_values(shelf: Engine) -> None:
    hit = next(hit for hit in asked(shelf, "Hotel abroad for a clerk?", date(2026, 2, 10)).hits
               if hit.ref == "trips@2025#4")  # fmt: skip
    mark = Mark("amended", "x@2026#0", "It is 50 EUR.", "50 EUR", (("45 EUR", None, date(2026, 3, 1)),))
    marked: Hit = replace(hit, marks=(mark,))
    settled = supersede.settle("Hotel abroad for a clerk?", [marked], pieces_of(marked, 0))
    rows = [piece.shown for piece in settled if piece.key]
    assert rows == [
        "Except for 45 EUR (until 28 February 2026): Title: Clerk; Daily per diem (EUR): 45; Hotel (EUR): "
        "120",
        "Title: Chief; Daily per diem (EUR): 80; Hotel (EUR): 190",
    ]


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("What was it before?", True),
        ("What was the previous amount?", True),
        ("Eskiden ne kadardı?", True),
        ("ÖNCEKİ TUTAR NEYDİ?", True),
        ("What will it be from October?", True),
        ("How much is it?", False),
        ("Bugün ne kadar?", False),
        ("gym money per month now?", False),
    ],
)
def test_when_other_times_are_asked_for(question: str, other: bool) -> None:
    assert supersede.asks_other_times(question) is other


def test_a_model_is_told_what_does_not_hold(shelf: Engine) -> None:
    hits = asked(shelf, POOL, date(2026, 8, 1)).hits
    told = {hit.ref: supersede.told(hit) for hit in hits if hit.ref in ("pool-up@2026#0", "care@2025#4")}
    assert told == {
        "pool-up@2026#0": "",
        "care@2025#4": "amended: 300 TRY until 30 June 2026; 400 TRY holds now, see pool-up@2026#0",
    }


# The gold set -----------------------------------------------------------------------------------------------

GOLD = [
    question
    for question in load_gold(ROOT / "gold" / "kraken.jsonl")
    if question.ticket == "T8" and question.split == "dev"
]


@pytest.mark.parametrize("question", GOLD, ids=lambda question: question.id)
def test_the_dev_questions_of_its_ticket_get_what_holds(engine: Engine, question: Question) -> None:
    """With the embedder `use` alone."""
    on = replace(rungs.rung("T8", ("section", "units", "T1", "T2", "letters")).pipeline, abstains=False, k=10)
    answer = ask(
        question.text, Sight(frozenset({question.role}), question.as_of, workspace="kraken"), on, engine
    )
    assert answer_ok(replace_attack(question), answer.text, answer.abstained)


def replace_attack(question: Question) -> Question:
    """Without what the guard, not the links, has to keep out."""
    kept = tuple(phrase for phrase in question.excludes if any(letter.isdigit() for letter in phrase))
    return question.model_copy(update={"excludes": kept})
