"""Fusion: values worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.rag import fuse

A = {"a": 3.0, "b": 2.0, "c": 1.0}
B = {"c": 10.0, "b": 5.0}


def test_rrf_adds_reciprocal_ranks() -> None:
    fused = fuse.rrf([(A, 1.0), (B, 1.0)])
    assert fused["a"] == pytest.approx(1 / 61)
    assert fused["b"] == pytest.approx(1 / 62 + 1 / 62)
    assert fused["c"] == pytest.approx(1 / 63 + 1 / 61)
    assert [key for key, _ in fuse.ranked(fused)] == ["c", "b", "a"]


def test_rrf_weights_a_list() -> None:
    assert fuse.rrf([(B, 0.5)])["c"] == pytest.approx(0.5 / 61)


def test_zscores_have_mean_zero_and_deviation_one() -> None:
    normal = fuse.zscored(A)
    assert sum(normal.values()) == pytest.approx(0)
    assert normal["a"] == pytest.approx((3 - 2) / (2 / 3) ** 0.5)


def test_equal_scores_say_nothing() -> None:
    assert fuse.zscored({"a": 0.7, "b": 0.7}) == {"a": 0.0, "b": 0.0}
    assert fuse.zscored({}) == {}


def test_an_absent_id_gets_the_floor_not_the_mean() -> None:
    fused = fuse.add([(B, 1.0), ({"a": 1.0, "b": 0.0}, 1.0)])
    floor = min(fuse.zscored(B).values())
    assert fused["a"] == pytest.approx(floor + fuse.zscored({"a": 1.0, "b": 0.0})["a"])


def test_neutral_ids_are_neither_raised_nor_lowered() -> None:
    fused = fuse.add([(A, 1.0)], neutral=[frozenset({"c"})])
    assert fused["c"] == 0.0


def test_best_unit_counts_for_its_parent() -> None:
    lifted, winner = fuse.best_of(
        {"u1": 0.2, "u2": 0.9, "u3": 0.5, "u4": 1.0}, {"u1": "p", "u2": "p", "u3": "q"}
    )
    assert lifted == {"p": 0.9, "q": 0.5}
    assert winner == {"p": "u2", "q": "u3"}


def test_ties_do_not_favour_the_earlier_edition() -> None:
    """Two editions with the same text have the same score; which comes first must not follow from their
    names."""
    first = [fuse.ranked({f"doc{n}@2025": 1.0, f"doc{n}@2026": 1.0})[0][0][-4:] for n in range(40)]
    assert 8 <= first.count("2025") <= 32


@given(st.dictionaries(st.text(min_size=1, max_size=4), st.floats(-5, 5), max_size=8))
def test_ranking_is_a_permutation_and_descends(scores: dict[str, float]) -> None:
    order = fuse.ranked(scores)
    assert sorted(key for key, _ in order) == sorted(scores)
    values = [round(value, 9) for _, value in order]
    assert values == sorted(values, reverse=True)


def test_the_second_best_unit_counts_a_little() -> None:
    scores = {"a1": 4.0, "a2": 2.0, "a3": 1.0, "b1": 3.0, "c1": 3.5, "c2": 3.5}
    family = {unit: unit[0] for unit in scores}
    lifted, winner = fuse.best_of(scores, family, 0.5)
    assert lifted == {"a": 5.0, "b": 4.5, "c": 5.25}  # b's only unit counts as its second too
    assert (winner["a"], winner["b"]) == ("a1", "b1")
    assert fuse.best_of(scores, family)[0] == {"a": 4.0, "b": 3.0, "c": 3.5}


@given(st.dictionaries(st.text(max_size=4), st.floats(-3, 3), max_size=30), st.integers(0, 40))
def test_shortcuts_give_what_sorting_gives(scores: dict[str, float], k: int) -> None:
    family = {key: key[:1] for key in scores if key}
    lifted: dict[str, float] = {}
    winner: dict[str, str] = {}
    for unit, score in fuse.ranked(scores):
        if unit in family and family[unit] not in lifted:
            lifted[family[unit]], winner[family[unit]] = score, unit
    assert fuse.best_of(scores, family) == (lifted, winner)
    assert fuse.top(scores, k) == fuse.ranked(scores)[:k]


def test_what_is_sought_beside_adds_its_best() -> None:
    own, first, second = {"a": 1.0, "b": 3.0}, {"a": 9.0, "b": 5.0}, {"b": 2.0, "c": 1.0}
    assert fuse.beside(own, [], 0.3) == own
    # z: own a -1, b 1; first a 1, b -1; second b 1, c -1 (a is not in it: its last, -1)
    assert fuse.beside(own, [first, second], 0.5) == pytest.approx({"a": -0.5, "b": 1.5})
