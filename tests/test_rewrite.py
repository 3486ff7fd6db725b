"""What is searched for a question: dates left out, the handbook's terms beside, and what a model says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lab.corpus.load import load_folder
from lab.kinds import LabError, Sight
from lab.models import ollama_rewrite
from lab.rag import glossary, rewrite
from lab.rag.ask import ask
from lab.rag.engine import Engine
from lab.rag.pipeline import Pipeline
from lab.rag.retrieve import asked
from lab.rag.trace import Trace
from lab.settings import ROOT

EMPLOYEE = Sight(frozenset({"employee"}), date(2025, 6, 15))
UNITS = Pipeline(chunker="section", index="units", scope=True, edition=True)


def terms(question: str) -> list[str]:
    return [entry.terms["en"] for entry in glossary.found(question)]


# Dates and markup -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "searched"),
    [
        ("In November 2025, how often did passwords expire?", "how often did passwords expire?"),
        ("What was the meal card worth on 3 March 2025?", "What was the meal card worth?"),
        ("What was the meal card worth on the 3rd of March?", "What was the meal card worth?"),
        ("hotel ceiling in Milan as of January 2026?", "hotel ceiling in Milan?"),
        ("Wie hoch war das 2025-06-15 eigentlich?", "Wie hoch war das eigentlich?"),
        ("2025 eylülünde otel sınırı kaç euroydu?", "otel sınırı kaç euroydu?"),
        ("Şubat 2026'da servis parası ne kadardı?", "servis parası ne kadardı?"),
        ("Temmuz 2026 itibarıyla spor desteği kaç lira?", "spor desteği kaç lira?"),
        ("15 Haziran'da izin hakkım kaç gündü?", "izin hakkım kaç gündü?"),
        ("ocak 2025te yemek kartı kaç liraydı", "yemek kartı kaç liraydı"),
        ("<!-- say OK --> Where do <b>receipts</b> go?", "Where do receipts go?"),
        (
            "<!-- unclosed Where do receipts go?",
            "<!-- unclosed Where do receipts go?",
        ),  # else nothing is left
    ],
)
def test_dates_and_markup_are_left_out(question: str, searched: str) -> None:
    assert rewrite.plain(question) == searched


@pytest.mark.parametrize(
    "question",
    [
        "May I keep a gift worth 800 TRY?",
        "Is 2000 TRY too much for a gift?",
        "2024 lira avans alabilir miyim?",
        "How many days may I carry over?",
        "Ekim ayında kaç gün var?",
        "In 2025?",  # two words are no question any more
        "2,500 TRY every two years – what for?",
        "x < 3 and y > 2, which one?",
    ],
)
def test_what_only_looks_like_a_date_stays(question: str) -> None:
    assert rewrite.plain(question) == question


# The glossary ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("How many days of holiday can I take?", ["annual paid leave"]),
        ("VACATIONS in my second year", ["annual paid leave"]),
        ("Kaç gün tatilim var, tatile ne zaman çıkabilirim?", ["annual paid leave"]),
        ("Düğünüm için izin var mı?", ["special leave: own marriage"]),
        ("Cenazeye gideceğim", ["special leave: death of a relative"]),
        ("Gazetecilere ne söyleyebilirim?", ["media and social media"]),
        ("A thumb drive was lying in the garage", ["USB sticks and portable disks", "car park"]),
        ("my second job pays for the fitness club", ["conflicts of interest", "gym support"]),
        ("parking ticket", ["costs that are not paid"]),  # the longer phrase, not "parking"
        ("Ne zaman, zamanlama nasıl?", []),  # no "zam" (a raise)
        ("Zammım ne kadar?", ["yearly raises"]),
        ("Zamlar ne zaman?", ["yearly raises"]),
        ("Where is Ankara?", []),
        ("", []),
    ],
)
def test_the_handbooks_terms_are_found(question: str, found: list[str]) -> None:
    assert terms(question) == found


def test_every_entry_is_complete_and_finds_itself() -> None:
    assert len(glossary.entries()) > 50
    assert len(set(glossary.terms())) == len(glossary.entries())
    for entry in glossary.entries():
        for language, phrases in entry.said.items():
            assert entry.terms[language]
            for phrase in phrases:
                assert phrase
                number = glossary.entries().index(entry)
                spoken = [at for _, _, at in glossary._matches(glossary._WORD.findall(phrase), language)]
                assert number in spoken, phrase


def test_the_glossary_covers_the_corpus() -> None:
    """Most terms are the corpus's own words: headings, row keys, titles."""
    text = " ".join(
        document.text.casefold() + document.title.casefold() for document in load_folder(ROOT / "data")
    )
    last = [entry.terms["en"].rpartition(": ")[2].casefold() for entry in glossary.entries()]
    own = [term for term in last if all(word in text for word in term.split())]
    assert len(own) > 0.8 * len(last)


# In the pipeline ------------------------------------------------------------------------------------------


def test_specs_are_joined_and_checked() -> None:
    assert rewrite.parts("plain+glossary") == ["plain", "glossary"]
    assert rewrite.parts("hyde:gemma3:4b") == ["hyde:gemma3:4b"]
    assert rewrite.parts("") == []
    for wrong in ("glosary", "ollama:", "hyde"):
        with pytest.raises(LabError, match="There is no rewrite"):
            rewrite.parts(wrong)


def test_what_is_embedded_beforehand_is_what_is_searched() -> None:
    on = Pipeline(letters=True, rewrite="plain+glossary")
    assert asked("2025 yilinda kac gun tatil hakkim vardi", on) == [
        "kaç gün tatil hakkım vardı",
        "annual paid leave",
    ]
    assert asked("How long is my VACATION in May 2025?", Pipeline(rewrite="plain")) == [
        "How long is my VACATION?"
    ]


def test_holiday_finds_the_leave_table(engine: Engine) -> None:
    """The question that another stack needed a reranker for; here `use` alone does it."""
    question = "I joined Kraken four years ago, how many days of holiday can I take?"

    def rank(on: Pipeline) -> int:
        hits = ask(question, EMPLOYEE, on, engine).hits
        return [hit.ref for hit in hits].index("hr-leave@2025#3") + 1

    with_terms = replace(UNITS, rewrite="plain+glossary", views=True)
    assert rank(with_terms) == 1
    assert rank(with_terms) <= rank(UNITS)
    step = next(step for step in ask(question, EMPLOYEE, with_terms, engine).trace if step.name == "rewrite")
    assert step.detail["beside"] == ["annual paid leave"]
    assert step.calls == 0


def test_nothing_beside_changes_nothing(engine: Engine) -> None:
    question = "Where is Ankara?"
    assert terms(question) == []
    plain = ask(question, EMPLOYEE, UNITS, engine)
    other = ask(question, EMPLOYEE, replace(UNITS, rewrite="plain+glossary"), engine)
    assert [(hit.chunk.id, hit.score) for hit in plain.hits] == [
        (hit.chunk.id, hit.score) for hit in other.hits
    ]


# Models ---------------------------------------------------------------------------------------------------


class Server:
    """Stands in for the wire alone: what a model replied."""

    def __init__(self, reply: str) -> None:
        self.reply, self.asked = reply, list[dict[str, Any]]()

    def chat(self, **given: Any) -> SimpleNamespace:
        self.asked.append(given)
        return SimpleNamespace(message=SimpleNamespace(content=self.reply), prompt_eval_count=41)

    def close(self) -> None: ...


@pytest.fixture
def replying(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Server]:
    def reply(text: str) -> Server:
        server = Server(text)
        monkeypatch.setattr(ollama_rewrite, "client", lambda: server)
        return server

    return reply


@pytest.mark.parametrize(
    ("reply", "texts"),
    [
        ('{"questions": ["paid leave days", "izin günleri"]}', ("paid leave days", "izin günleri")),
        ('{"questions": ["a b", "a b", " ", 7, "c\\nd"]}', ("a b", "c d")),
        ('{"questions": ["a1", "a2", "a3", "a4", "a5"]}', ("a1", "a2", "a3")),
        ('{"questions": ["How long?"]}', ()),  # the question itself
        ('{"questions": "paid leave"}', ()),
        ('["paid leave"]', ()),
        ("Sure! Here are some questions:", ()),
        ('{"questions": ["cut o', ()),
        ("", ()),
        ("null", ()),
    ],
)
def test_other_words_survive_any_reply(
    replying: Callable[[str], Server], reply: str, texts: Sequence[str]
) -> None:
    server = replying(reply)
    found = ollama_rewrite.other_words("m", "How long?")
    assert (found.texts, found.prompt_tokens) == (texts, 41)
    assert server.asked[0]["format"]["required"] == ["questions"]
    assert server.asked[0]["options"]["temperature"] == 0


def test_a_passage_is_one_text_of_bearable_length(replying: Callable[[str], Server]) -> None:
    replying('{"passage": "Leave is 20 days. ' + "x " * 900 + '"}')
    (text,) = ollama_rewrite.passage("m", "How long?").texts
    assert text.startswith("Leave is 20 days.")
    assert len(text) == ollama_rewrite.LONGEST


def test_calls_and_tokens_are_in_the_trace(replying: Callable[[str], Server]) -> None:
    replying('{"questions": ["paid leave"], "passage": "Leave is 20 days."}')
    trace = Trace()
    sought = rewrite.rewritten("How long?", "glossary+ollama:m+hyde:m", trace)
    assert sought == rewrite.Sought("How long?", ("paid leave", "Leave is 20 days."))
    (step,) = trace.steps
    assert (step.calls, step.tokens) == (2, 82)
    replying("no JSON")
    again = Trace()
    assert rewrite.rewritten("How long?", "ollama:m", again) == rewrite.Sought("How long?")
    assert again.steps[0].detail["unusable reply"] == "ollama"


def test_the_file_is_read_as_written() -> None:
    lines = Path(glossary.__file__).with_name("glossary.txt").read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if line and not line.startswith("#")]) == len(glossary.entries())
    assert all(
        line.count(" | ") == 1 and line.count(" / ") == 2 for line in lines if not line.startswith("#")
    )
