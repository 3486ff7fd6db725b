"""LongMemEval-S in its published form, on a small file of our own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lab.benchmarks.longmemeval import dataset, exam
from lab.evaluation import ledger
from lab.kinds import LabError
from lab.memory.connect import writer
from lab.memory.server import Server
from lab.models.embedders import blend
from lab.rag.engine import cached


def said(*texts: str, answers: tuple[int, ...] = ()) -> list[dict[str, Any]]:
    """User and assistant in turn; `answers`: positions of the turns that answer."""
    return [
        {"role": "user" if at % 2 == 0 else "assistant", "content": text}
        | ({"has_answer": at in answers} if answers else {})
        for at, text in enumerate(texts)
    ]


def asked(key: str, question: str, answering: list[str], sittings: dict[str, Any]) -> dict[str, Any]:
    return {
        "question_id": key,
        "question_type": "single-session-user",
        "question": question,
        "answer": "…",
        "question_date": "2025/03/30 (Sun) 23:40",
        "haystack_session_ids": list(sittings),
        "haystack_dates": [f"2025/03/{at + 1:02} (Sat) 02:21" for at in range(len(sittings))],
        "haystack_sessions": list(sittings.values()),
        "answer_session_ids": answering,
    }


BREAD = said("Which flour suits sourdough bread?", "Strong white.", "Thanks, I bake on Sundays.", "Nice.")
BIKE = said(
    "My bicycle has a flat tyre.", "Patch it.", "I bought the bicycle in Eskişehir for 900 lira.", "Good.",
    answers=(2,),
)  # fmt: skip
KEDİ = said("Kedimin adı Pamuk, dün aşısı yapıldı.", "Geçmiş olsun.", answers=(0,))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("longmemeval") / "s.json"
    hay = {"hay_1": BREAD, "answer_a": BIKE, "answer_b": KEDİ}
    heard = said("Tell me a name.", "Your boat is called Martı.", answers=(1,))
    given = [
        asked("q1", "Where did I buy the bicycle?", ["answer_a"], hay),
        asked("q2", "Kedime ne zaman aşı yapıldı?", ["answer_b"], hay),
        asked("q3_abs", "What is my parrot called?", ["answer_a"], hay),
        asked("q4", "What is my boat called?", ["answer_c"], hay | {"answer_c": heard}),  # assistant's word
    ]
    file.write_text(json.dumps(given, ensure_ascii=False), encoding="utf-8")
    return file


def test_what_the_user_said_is_read_with_its_targets(path: Path) -> None:
    given = dataset.load(path)
    assert [question.id for question in given.counted] == ["q1", "q2"]
    first = given.questions[0]
    assert [turn.place for turn in first.sittings[1].turns] == ["answer_a_1", "answer_a_3"]
    assert first.targets == {"answer_a_3"}
    assert first.target_sittings == {"answer_a"}
    # Answering another question is answering nothing here.
    assert given.questions[1].targets == {"answer_b_1"}


def test_another_file_says_what_was_expected(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"question_id": "x"}]', encoding="utf-8")
    for name in ("a.json", "none.json"):
        with pytest.raises(LabError, match=r"longmemeval_s\.json"):
            dataset.load(tmp_path / name)


def test_ndcg_is_the_benchmarks() -> None:
    targets = frozenset({"a", "b"})
    assert exam.ndcg(["a", "b", "x"], targets, 10) == 1.0
    assert exam.ndcg(["x", "a", "b"], targets, 10) == pytest.approx((1 + 1 / 1.5849625) / 2)
    assert exam.ndcg(["x", "y", "z", "a"], targets, 3) == 0.0
    assert exam.ndcg(["x", "y", "z", "a"], targets, 4) == pytest.approx(0.25)
    # The ideal of the first place alone holds one target.
    assert exam.ndcg(["a"], targets, 1) == 1.0


def test_both_levels_are_measured() -> None:
    turn = dataset.Turn("s_1", "?", True), dataset.Turn("s_3", "?", True)
    when = dataset.datetime(2025, 1, 1)
    question = dataset.Question("q", "t", "?", when, (dataset.Sitting("s", when, True, turn),))
    outcome = exam.Outcome(question, ("x_1", "x_3", "y_1", "s_3", "z_1", "s_1"), 1.0)
    assert outcome.sittings == ("x", "y", "s", "z")
    found = exam.measure([outcome])
    assert (found.any["turn@5"], found.all["turn@5"], found.all["turn@10"]) == (1.0, 0.0, 1.0)
    assert (found.any["session@5"], found.all["session@5"]) == (1.0, 1.0)
    assert found.ndcg["session@5"] == pytest.approx(1 / 1.5849625)


def test_the_bench_asks_and_keeps(server: Server, path: Path) -> None:
    report = exam.bench(server, path, cached(blend("use"), server))
    assert (report.questions, report.left_out) == (4, 2)
    assert set(report.measures["lab"]) == {"all", "single-session-user"}
    # Five turns in three sittings: all are among the first five, and the right ones first.
    assert report.measures["lab"]["all"].all["turn@5"] == 1.0
    assert report.measures["lab"]["all"].ndcg["session@5"] == 1.0
    with writer(server) as connection:
        rows = ledger.rungs(connection, report.run)
    assert [row.rung for row in rows] == ["vector", "lab"]
    assert len(exam.tables(report)) == 2
