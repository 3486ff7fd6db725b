"""Turkish letters restored: words, endings, names, and what must be left alone."""

from __future__ import annotations

import re
from datetime import date
from importlib.resources import files

import pytest

from lab.corpus.load import load_folder
from lab.evaluation.gold import load_gold
from lab.kinds import Sight
from lab.rag.ask import ask
from lab.rag.engine import Engine
from lab.rag.letters import bare, restored, spelling, spellings
from lab.rag.pipeline import Pipeline
from lab.rag.retrieve import asked
from lab.settings import ROOT
from lab.text import calm, language_of

DEV = [question for question in load_gold(ROOT / "gold" / "kraken.jsonl") if question.split == "dev"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("sifremi kac gunde bir degistirmeliyim", "şifremi kaç günde bir değiştirmeliyim"),
        ("yillik izin hakkim kac gun?", "yıllık izin hakkım kaç gün?"),
        ("yemek karti calistigim gun de yuklenir mi", "yemek kartı çalıştığım gün de yüklenir mi"),
        ("fazla mesai ucretli mi, odeniyor mu", "fazla mesai ücretli mi, ödeniyor mu"),
        ("kapi kartimi kaybettim, ne yapmaliyim", "kapı kartımı kaybettim, ne yapmalıyım"),
        ("Izmir'e ucakla gidiyorum, bilet kime ait", "İzmir'e uçakla gidiyorum, bilet kime ait"),
        ("Istanbul'daki otelin ust siniri ne", "İstanbul'daki otelin üst sınırı ne"),
        ("SIFREMI KAC GUNDE BIR YENILEMELIYIM", "ŞİFREMİ KAÇ GÜNDE BİR YENİLEMELİYİM"),
    ],
)
def test_letters_come_back(typed: str, meant: str) -> None:
    assert restored(typed) == meant
    assert bare(meant) == typed


@pytest.mark.parametrize(
    "text",
    [
        "How many days of annual leave do I get?",
        "Who signs my travel expenses in Ankara?",
        "Şifremi kac gunde bir degistirmeliyim",  # typed with letters: what has none was meant so
        "400",
        "",
        "?!",
        "\n",
        "日本語",
    ],
)
def test_other_texts_are_left_alone(text: str) -> None:
    assert restored(text) == text


def test_addresses_codes_and_abbreviations_are_left_alone() -> None:
    read = restored(
        "isci.sikayet@krakenair.example adresine mi yazacagim, IK-2025/cs kodu ile mi, yoksa USB mi"
    )
    assert "isci.sikayet@krakenair.example" in read
    assert "IK-2025/cs" in read
    assert "USB" in read
    assert "yazacağım" in read


def test_the_particle_follows_the_word_before_it() -> None:
    """It is one letter's difference, and the commonest word of a question."""
    meant = ["ücretli mi", "zorunlu mu", "sayılır mı", "gün mü"]
    assert [restored(f"bu izin {bare(words)} acaba") for words in meant] == [
        f"bu izin {words} acaba" for words in meant
    ]


def test_words_of_no_list_are_read_by_their_neighbours() -> None:
    for word in ("vardiyalarımızdaki", "döneceğimizi", "güncelleyebilirsiniz", "kıdemlilerinkinden"):
        assert bare(word) not in spellings().known
        assert spelling(bare(word)) == word


def test_the_corpus_is_restored_word_for_word() -> None:
    """989 of 1,000 running words of the Turkish documents, none of which the list was made from."""
    right = total = 0
    for document in load_folder(ROOT / "data"):
        if document.language == "tr":
            for word in re.findall(r"[^\W\d_]+", document.text):
                small = word.replace("İ", "i").replace("I", "ı").lower()
                total += 1
                right += spelling(bare(small)) == small
    assert total > 1500
    assert right / total > 0.985


def test_dev_questions_survive_losing_their_letters() -> None:
    right = total = 0
    for question in DEV:
        if question.language == "tr" and not question.ascii:
            assert language_of(bare(question.text)) == "tr", question.text
            before, after = question.text.split(), restored(bare(question.text)).split()
            assert len(before) == len(after)
            total += len(before)
            right += sum(a == b for a, b in zip(before, after, strict=True))
    assert total > 400
    assert right / total > 0.97


def test_what_is_embedded_is_what_is_read() -> None:
    on, typed = Pipeline(letters=True), "SIFREMI KAC GUNDE BIR YENILEMELIYIM"
    assert asked(typed, on) == ["şifremi kaç günde bir yenilemeliyim"]
    assert asked(typed, Pipeline()) == [calm(typed)]


def test_the_trace_says_what_was_read(engine: Engine) -> None:
    sight = Sight(frozenset({"employee"}), date(2025, 6, 15), workspace=engine.workspace)
    on = Pipeline(chunker="section", index="units", edition=True, letters=True)
    answer = ask("sifremi kac gunde bir degistirmeliyim", sight, on, engine)
    assert answer.trace[0].name == "letters"
    assert answer.trace[0].detail == {"read as": "şifremi kaç günde bir değiştirmeliyim"}
    asked_well = ask("şifremi kaç günde bir değiştirmeliyim", sight, on, engine)
    assert asked_well.trace[0].detail == {}
    assert [hit.chunk.id for hit in answer.hits] == [hit.chunk.id for hit in asked_well.hits]
    assert answer.text == asked_well.text


def test_whose_words_they_are_is_told() -> None:
    packed = (files("lab.rag") / "letters.txt.gz").read_bytes()
    assert 150_000 < len(packed) < 400_000
    assert "CC BY-SA 4.0" in (files("lab.rag") / "LETTERS.md").read_text(encoding="utf-8")
