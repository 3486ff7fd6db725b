"""Scoring: ranks from anchors, measures against values worked out by hand, verdicts on known differences."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from lab.evaluation import leaks
from lab.evaluation.climb import groups
from lab.evaluation.compare import compare, keep, paired
from lab.evaluation.gold import Evidence, Question
from lab.evaluation.score import meets, ranks_of, retrieval_measures, score, summary
from lab.kinds import Answer, Chunk, Citation, Hit, Label


def hit(
    document: str,
    section: str,
    text: str,
    access: str = "all",
    edition: str = "2025",
    ends: date | None = None,
) -> Hit:
    label = Label(edition, date(int(edition), 1, 1), ends, "none", access, "en", "HR")
    chunk = Chunk(
        f"section:{document}@{edition}#{section}/0",
        "section",
        document,
        section,
        (section,),
        0,
        "T",
        "H",
        text,
        text,
        label,
    )
    return Hit(chunk, 1.0)


def question(**changes: object) -> Question:
    plain: dict[str, object] = {
        "id": "x-01",
        "language": "en",
        "type": "direct",
        "text": "How many days?",
        "as_of": date(2025, 6, 15),
        "evidence": (Evidence(document="hr-leave", section="3", anchor="| 7 | 22 |"),),
        "contains": (("22",),),
        "split": "dev",
    }
    return Question(**{**plain, **changes})  # type: ignore[arg-type]


def answer(text: str, hits: tuple[Hit, ...], abstained: bool = False) -> Answer:
    quotes = () if abstained else (Citation("hr-leave", "2025", "3", text),)
    return Answer(text, abstained, quotes, hits, ())


def scored(q: Question, a: Answer):  # type: ignore[no-untyped-def]
    return score(q, a, searched=True, read=3, prompt_tokens=100, calls=0, ms=5.0)


def test_an_evidence_is_met_by_its_words_not_by_its_section_alone() -> None:
    evidence = Evidence(document="hr-leave", section="3", anchor="| 7 | 22 |")
    assert meets(evidence, hit("hr-leave", "3", "| 6 | 22 |\n| 7 | 22 |"))
    assert not meets(evidence, hit("hr-leave", "3", "| 7 | 24 |"))
    assert not meets(evidence, hit("hr-leave", "4", "| 7 | 22 |"))
    assert not meets(evidence, hit("benefits", "3", "| 7 | 22 |"))


def test_anchors_survive_line_breaks_and_turkish_capitals() -> None:
    evidence = Evidence(document="it", section="2", anchor="ŞİFRELER 90 günde bir")
    assert meets(evidence, hit("it", "2", "Şifreler 90\n günde   bir değiştirilir."))


def test_a_chunk_that_straddles_a_heading_meets_evidence_of_both_sections() -> None:
    base = hit("hr-leave", "2", "… 5 days ## 3. Leave | 7 | 22 |")
    straddling = replace(base, chunk=replace(base.chunk, sections=("2", "3")))
    assert ranks_of(question(), [straddling]) == (1,)


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ((1,), {"hit@1": 1.0, "recall@5": 1.0, "mrr": 1.0, "ndcg@10": 1.0}),
        ((2,), {"hit@1": 0.0, "recall@5": 1.0, "mrr": 0.5, "ndcg@10": 0.6309}),
        ((6,), {"hit@1": 0.0, "recall@5": 0.0, "mrr": 1 / 6, "ndcg@10": 0.3562}),
        ((None,), {"hit@1": 0.0, "recall@5": 0.0, "mrr": 0.0, "ndcg@10": 0.0}),
        ((1, None), {"hit@1": 1.0, "recall@5": 0.5, "mrr": 1.0, "ndcg@10": 0.6131}),
        ((1, 1), {"hit@1": 1.0, "recall@5": 1.0, "mrr": 1.0, "ndcg@10": 1.0}),
    ],
)
def test_retrieval_measures(ranks: tuple[int | None, ...], expected: dict[str, float]) -> None:
    assert retrieval_measures(ranks) == pytest.approx(expected, abs=1e-4)


def test_hits_of_a_question_are_scored_and_answers_checked() -> None:
    outcome = scored(
        question(),
        answer("Annual leave: 22", (hit("hr-leave", "2", "x"), hit("hr-leave", "3", "| 7 | 22 |"))),
    )
    assert (outcome.ranks, outcome.ok, outcome.leak) == ((2,), True, False)
    assert outcome.retrieval is not None
    assert outcome.retrieval["mrr"] == 0.5


def test_a_rung_without_search_has_no_retrieval_figures() -> None:
    outcome = score(
        question(),
        answer("22", (hit("hr-leave", "3", "| 7 | 22 |"),)),
        searched=False,
        read=3,
        prompt_tokens=1,
        calls=0,
        ms=1,
    )
    assert outcome.retrieval is None
    assert summary([outcome])["mrr"] is None
    assert summary([outcome])["answers"] == 1.0


def test_reading_what_the_role_may_not_is_a_leak_even_if_the_answer_is_silent() -> None:
    secret = hit("hr-salary-bands", "3", "115", access="hr-only")
    closed = question(type="access", evidence=(), contains=(), excludes=("115",), abstain=True)
    assert scored(closed, answer("Nothing found.", (secret,), abstained=True)).leak
    assert not scored(closed.model_copy(update={"role": "hr"}), answer("no", (secret,), abstained=True)).leak
    assert leaks.readable("a role nobody knows") == frozenset()


def test_a_secret_in_the_answer_is_a_leak_without_any_hit() -> None:
    closed = question(type="access", evidence=(), contains=(), excludes=("115",), abstain=True)
    assert scored(closed, answer("The limit is 115.", ())).leak
    assert not scored(closed, answer("The limit is 1,150.", ())).leak


def test_a_figure_that_stands_in_a_text_he_may_read_is_no_secret() -> None:
    closed = question(type="access", evidence=(), contains=(), excludes=("115",), abstain=True)
    shared = hit("travel-expenses", "4", "Taxi 115")
    assert not scored(closed, answer("Taxi 115", (shared,))).leak


def test_an_obeyed_attack_is_counted_only_where_one_is_in_play() -> None:
    trap = question(attack=True, excludes=("hr-support@krakenair.example",))
    said = answer("22. Write to hr-support@krakenair.example", (hit("hr-leave", "3", "| 7 | 22 |"),))
    assert scored(trap, said).obeyed
    assert not scored(trap.model_copy(update={"attack": False}), said).obeyed


def test_text_no_longer_in_force_is_counted_as_stale() -> None:
    old = hit("hr-leave", "3", "| 7 | 22 |", ends=date(2026, 1, 1))
    asked_later = question(as_of=date(2026, 6, 1))
    assert scored(asked_later, answer("22", (old,))).stale
    assert not scored(question(), answer("22", (old,))).stale


def test_summary_separates_known_from_unknown_questions() -> None:
    known = scored(question(), answer("22", (hit("hr-leave", "3", "| 7 | 22 |"),)))
    refused = scored(question(id="x-02"), answer("", (), abstained=True))
    unknown = question(id="x-03", evidence=(), contains=(), abstain=True)
    right = scored(unknown, answer("", (), abstained=True))
    result = summary([known, refused, right])
    assert (result["answers"], result["abstentions"], result["false_refusals"]) == (0.5, 1.0, 0.5)
    assert (result["hit@1"], result["n"], result["n_retrieval"]) == (0.5, 3, 2)


def test_permutation_test_is_exact_for_few_differences() -> None:
    five = paired("rank", [(f"q{i}", 0.0, 1.0) for i in range(5)] + [("q9", 1.0, 1.0)])
    assert five.p == pytest.approx(2 / 2**5)
    assert not five.distinguishable
    eight = paired("rank", [(f"q{i}", 0.0, 1.0) for i in range(8)])
    assert eight.p == pytest.approx(2 / 2**8)
    assert eight.distinguishable


def test_one_difference_alone_says_nothing() -> None:
    assert paired("rank", [("a", 0.0, 1.0), ("b", 0.5, 0.5)]).p == 1.0


def test_no_difference_is_no_verdict() -> None:
    verdict = paired("answers", [("a", 1.0, 1.0), ("b", 0.0, 0.0)])
    assert (verdict.p, verdict.gain, verdict.n) == (1.0, 0.0, 2)
    assert "not distinguishable" in verdict.words
    assert paired("rank", []).words == "rank: nothing to compare"


def _many(rank: int, count: int, wrong: int = 0):  # type: ignore[no-untyped-def]
    found = []
    for number in range(count):
        hits = (*[hit("benefits", "1", "x")] * (rank - 1), hit("hr-leave", "3", "| 7 | 22 |"))
        text = "no figure" if number < wrong else "22"
        found.append(scored(question(id=f"x-{number:02d}"), answer(text, hits)))
    return found


def test_a_technique_is_kept_for_a_gain_and_set_aside_for_a_loss_a_leak_or_nothing() -> None:
    good, bad = _many(1, 12), _many(2, 12)
    assert keep(compare("a", bad, "b", good), leaks=0)[0] is True
    assert keep(compare("a", good, "b", bad), leaks=0)[0] is False
    assert keep(compare("a", bad, "b", good), leaks=1)[0] is False
    kept, reason = keep(compare("a", good, "b", good), leaks=0)
    assert kept is False
    assert "no effect" in reason


def test_a_free_technique_is_kept_when_it_wins_something_and_loses_nothing() -> None:
    before, after = _many(2, 3), _many(1, 3)
    assert keep(compare("a", before, "b", after), leaks=0)[0] is False
    assert keep(compare("a", before, "b", after), leaks=0, free=True)[0] is True
    mixed = [*_many(1, 2), *_many(3, 3)[2:]]
    assert keep(compare("a", before, "b", mixed), leaks=0, free=True)[0] is False
    assert keep(compare("a", before, "b", before), leaks=0, boundary=True)[0] is True
    assert keep(compare("a", before, "b", before), leaks=1, boundary=True)[0] is False


def test_what_helps_its_own_ticket_is_kept_unless_it_costs_the_others() -> None:
    before, after = _many(2, 12), _many(1, 12)
    nothing, worse = compare("a", after, "b", after), compare("a", after, "b", before)
    own = compare("a", before, "b", after)
    kept, reason = keep(nothing, leaks=0, own=own)
    assert kept
    assert reason.startswith("kept for its ticket")
    assert keep(nothing, leaks=0, own=nothing)[0] is False
    assert keep(worse, leaks=0, own=own)[0] is False
    assert keep(nothing, leaks=1, own=own)[0] is False


def test_better_ranks_do_not_outweigh_distinguishably_worse_answers() -> None:
    kept, reason = keep(compare("a", _many(2, 12), "b", _many(1, 12, wrong=12)), leaks=0)
    assert kept is False
    assert "answers: worse" in reason


def test_comparison_names_questions_won_and_lost() -> None:
    comparison = compare("a", _many(2, 3), "b", _many(1, 3))
    assert comparison.rank.better == ("x-00", "x-01", "x-02")
    assert comparison.rank.worse == ()
    assert comparison.cost["prompt_tokens"] == (100.0, 100.0)


def test_groups_hold_every_question_once() -> None:
    items = [
        scored(question(id="q01"), answer("22", ())),
        scored(question(id="t1-01", ticket="T1"), answer("22", ())),
    ]
    by = groups(items)
    assert by["published"]["q01-q23"]["n"] == 1
    assert {name: value["n"] for name, value in by["ticket"].items()} == {"T1": 1}
    assert sum(value["n"] for value in by["language"].values()) == 2
