"""LoCoMo in its published form, on a small file of our own; and the search in conversations behind it."""

from __future__ import annotations

import json
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stock import seen_by

from lab.benchmarks.locomo import dataset, exam, report
from lab.benchmarks.locomo.dataset import Conversation, Session, Turn
from lab.evaluation import ledger
from lab.kinds import LabError
from lab.memory import hnsw, talk, write
from lab.memory.connect import writer
from lab.memory.server import Server
from lab.memory.talk import Turns, Weights
from lab.models.embedders import blend
from lab.rag.engine import cached

EN = [
    [
        ("Ruth", "Hello Ömer, how was the week?"),
        ("Ömer", "Long. I have begun to build a kite."),
        ("Ruth", "What colour will the kite have?"),
        ("Ömer", "Orange, with a long tail."),
        ("Ruth", "Lovely, I am baking bread."),
    ],
    [
        ("Ömer", "The rain has not stopped since Monday."),
        ("Ruth", "Our cellar is wet, we moved the boxes."),
        ("Ömer", "Look at this!", "a photo of a rowing boat on a lake"),
    ],
]
TR = [
    [
        ("Işıl", "Merhaba Barış, İzmir’deki sergiyi gezdin mi?"),
        ("Barış", "Evet, dün gezdim; en çok çini tabakları beğendim."),
        ("Işıl", "Ben de yarın kızımla gideceğim."),
    ]
]


def published(key: str, sittings: list[list[tuple[str, ...]]], qa: list[dict[str, Any]]) -> dict[str, Any]:
    talk: dict[str, Any] = {"speaker_a": sittings[0][0][0], "speaker_b": sittings[0][1][0]}
    for number, turns in enumerate(sittings, 1):
        talk[f"session_{number}_date_time"] = f"{number}:05 pm on {number} March, 2025"
        talk[f"session_{number}"] = [
            {"speaker": turn[0], "dia_id": f"D{number}:{at}", "text": turn[1]}
            | ({"blip_caption": turn[2], "img_url": ["x"], "query": "boat"} if len(turn) > 2 else {})
            for at, turn in enumerate(turns, 1)
        ]
    return {"sample_id": key, "conversation": talk, "qa": qa, "observation": {}, "event_summary": {}}


QA = [
    {"question": "What colour is Ömer's kite?", "answer": "orange", "evidence": ["D1:4"], "category": 4},
    {"question": "What is on the picture?", "answer": "a boat", "evidence": ["D2:03"], "category": 4},
    {"question": "What got wet?", "answer": 2, "evidence": ["D2:1; D2:2", "D"], "category": 1},
    {"question": "Who sings?", "adversarial_answer": "Ruth", "evidence": [], "category": 5},
    {"question": "When was the flood?", "answer": "never", "evidence": ["D:9:1"], "category": 2},
]
QA_TR = [
    {"question": "Barış sergide neyi beğendi?", "answer": "çini", "evidence": ["D1:2"], "category": 4},
]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("locomo") / "locomo.json"
    given = [published("talk-1", EN, QA), published("talk-2", TR, QA_TR)]
    file.write_text(json.dumps(given, ensure_ascii=False), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def loaded(server: Server, path: Path) -> exam.Loaded:
    return exam.load(server, dataset.load(path), cached(blend("use"), server))


def test_the_published_form_is_read(path: Path) -> None:
    given = dataset.load(path)
    first, second = given.conversations
    assert [len(session.turns) for session in first.sessions] == [5, 3]
    assert first.sessions[1].when == datetime(2025, 3, 2, 14, 5)
    assert first.sessions[1].turns[2].caption == "a photo of a rowing boat on a lake"
    assert second.speakers == ("Işıl", "Barış")
    assert [question.evidence for question in first.questions] == [
        ("D1:4",), ("D2:3",), ("D2:1", "D2:2"), (), ("D9:1",),
    ]  # fmt: skip
    assert [question.category for question in first.questions][2:] == ["multi-hop", "adversarial", "temporal"]
    assert given.oddities == dataset.Oddities(6, without_evidence=1, rewritten=3, unreadable=1, unknown=1)


def test_another_file_says_what_was_expected(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"sample_id": "x"}]', encoding="utf-8")
    (tmp_path / "b.json").write_text("no JSON", encoding="utf-8")
    for name in ("a.json", "b.json", "none.json"):
        with pytest.raises(LabError, match=r"locomo10\.json"):
            dataset.load(tmp_path / name)


def test_outcomes_count_evidence() -> None:
    asked = dataset.Question("t/1", "?", "", "multi-hop", ("D1:1", "D1:2"))
    some = exam.Outcome(asked, 6, ("D1:2", "D3:1"), 10, 4.0)
    every = exam.Outcome(asked, 1, ("D1:2", "D1:1"), 30, 2.0)
    none = exam.Outcome(dataset.Question("t/2", "?", "", "temporal", ()), 6, ("D1:1",), 20, 3.0)
    assert [(item.any, item.all) for item in (some, every, none)] == [
        (True, False), (True, True), (False, False),
    ]  # fmt: skip
    groups = exam.by_group([some, every, none])
    assert list(groups) == ["all", "1-5", "6-", "multi-hop", "temporal", "6-, multi-hop", "6-, temporal"]
    found = exam.measure(groups["all"])
    assert (found.any, found.all, found.tokens, found.median_ms) == (2 / 3, 1 / 3, 20, 3.0)
    assert exam.measure(groups["6-"]).any == 0.5


def test_the_bench_measures_both_and_writes_the_ledger(server: Server, path: Path) -> None:
    said: list[str] = []
    found = report.bench(server, path, cached(blend("use"), server), ablate=True, say=said.append)
    assert (found.turns, found.measures["lab"]["all"].n) == (11, 6)
    assert {"vector", "lab", "words", "without neighbours"} < set(found.measures)
    assert "without the second embedder" not in found.measures
    # No conversation has more than ten turns: whatever has evidence is found.
    assert found.measures["lab"]["all"].any == 4 / 6
    with writer(server) as connection:
        run = ledger.latest(connection, "bench locomo")
        rows = ledger.rungs(connection, found.run)
    assert run is not None
    assert run.id == found.run
    assert {row.rung for row in rows} == set(found.measures)
    assert next(row for row in rows if row.rung == "lab").measures["any"] == 4 / 6
    assert len(report.tables(found)) == 2
    # A second run finds the turns stored.
    said.clear()
    exam.load(server, dataset.load(path), cached(blend("use"), server), said.append)
    assert said == []


def by_talk(server: Server, loaded: exam.Loaded, role: str, question: str, **weights: Any) -> list[str]:
    (embedder,) = loaded.embedders
    near = [(embedder.space, embedder.queries([question])[0])]
    with seen_by(server, *([role] if role else []), workspace=loaded.workspace) as view:
        found = talk.by_talk(view, question, near, "en", 10, exam.COLLECTION, Weights(**weights))
    return [key.partition("/")[2] for key, _ in found]


def test_talk_is_searched_by_who_took_part_and_by_nobody_else(server: Server, loaded: exam.Loaded) -> None:
    """Also where there are too many turns to look at all of them."""
    question = "What colour is Ömer's kite?"
    everything = {f"D1:{at}" for at in range(1, 6)} | {f"D2:{at}" for at in range(1, 4)}
    for few in (hnsw.FROM, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(hnsw, "FROM", few)
            assert set(by_talk(server, loaded, "talk-1", question)) == everything
            assert set(by_talk(server, loaded, "talk-2", question)) == {"D1:1", "D1:2", "D1:3"}
            assert by_talk(server, loaded, "", question) == []
            assert by_talk(server, loaded, "somebody", question) == []
    # With both conversations each turn stands beside those of its own sitting.
    near = [(loaded.embedders[0].space, loaded.embedders[0].queries([question])[0])]
    with seen_by(server, "talk-1", "talk-2", workspace=loaded.workspace) as view:
        found = talk.by_talk(view, question, near, "en", 20, exam.COLLECTION)
    assert len(found) == len(set(found)) == 11
    assert found[0][0].startswith("turn:talk-1/")


def test_the_answer_follows_the_turn_that_asks(server: Server, loaded: exam.Loaded) -> None:
    """The answering turn has no word of the question in it."""
    alone = by_talk(server, loaded, "talk-1", "kite colour", vectors=(0.0,), before=(), after=(), speaker=0.0)
    beside = by_talk(server, loaded, "talk-1", "kite colour", vectors=(0.0,), after=(), speaker=0.0)
    assert alone[0] == "D1:3"
    assert "D1:4" not in alone[:2]
    assert beside[:2] == ["D1:3", "D1:4"]


def test_a_turkish_talk_is_searched_with_its_endings(server: Server, loaded: exam.Loaded) -> None:
    conversation = loaded.dataset.conversations[1]
    assert loaded.languages == {"talk-1": "en", "talk-2": "tr"}
    vectors = [loaded.embedders[0].queries(["BARIŞ’IN beğendikleri"])[0]]
    with seen_by(server, "talk-2", workspace=loaded.workspace) as view:
        near = [(loaded.embedders[0].space, vectors[0])]
        found = talk.by_talk(view, "BARIŞ’IN beğendikleri", near, "tr", 1, exam.COLLECTION)
    assert found[0][0] == exam.key_of(conversation, "D1:2")


def turns(speakers: list[str], sittings: list[str], ordinals: list[int]) -> Turns:
    n = len(speakers)
    return Turns(
        tuple(f"t{at}" for at in range(n)), tuple(sittings), np.array(ordinals), tuple(speakers),
        tuple(date(2025, 3, 1 + at) for at in range(n)), np.zeros((1, n)),
    )  # fmt: skip


def test_neighbours_are_of_one_sitting_and_truly_beside() -> None:
    given = turns(["A"] * 5, ["x", "x", "x", "y", "y"], [0, 1, 3, 4, 5])
    scores = np.array([1.0, 0.0, 0.0, 0.0, 10.0])
    # Turn 2 stands two places after turn 1 (the one between is hidden) and three after turn 0.
    assert talk.smoothed(scores, given, (0.5, 0.25, 0.125), ()).tolist() == [1.0, 0.5, 0.125, 0.0, 10.0]
    assert talk.smoothed(scores, given, (), (0.5,)).tolist() == [1.0, 0.0, 0.0, 5.0, 10.0]


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What did Mel cook?", {"Melanie"}),
        ("Melanie's plans", {"Melanie"}),
        ("IŞIL’IN kızı nereye gidecek?", {"Işıl"}),
        ("Işılın kızı", {"Işıl"}),
        ("What did Melanie tell Işıl and The Rower?", set()),  # all of them: tells nothing
        ("the weather", set()),
    ],
)
def test_who_is_named(question: str, named: set[str]) -> None:
    assert talk._named(question, ["Melanie", "Işıl", "Theo Rower", "Melanie"]) == named


def test_the_period_asked_about_counts() -> None:
    given = turns(["A", "A", "A"], ["x", "y", "z"], [0, 0, 0])
    scored = talk._scored(given, "What happened on 2 March 2025?", {}, Weights(), date(2025, 3, 3))
    assert scored.tolist() == [0.0, Weights().period, 0.0]


def test_context_is_told_in_the_order_of_saying() -> None:
    said = (Turn("D1:1", "A", "one", ""), Turn("D1:2", "B", "two", "a cat"))
    session = Session(1, datetime(2025, 3, 1, 10, 0), said)
    conversation = Conversation("c", 1, ("A", "B"), (session,), ())
    chunks = exam.turns(conversation, session, "en")
    days = {chunk.id: date(2025, 3, 1) for chunk in chunks}
    assert exam.context(chunks[::-1], days) == "1 March 2025:\n- A: one\n- B: two [a cat]"


def test_holds_knows_a_stored_file(server: Server, loaded: exam.Loaded) -> None:
    assert write.holds(server, loaded.workspace, {loaded.embedders[0].space})
