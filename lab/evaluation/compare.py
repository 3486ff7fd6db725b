"""Two rungs on the same questions: who won what, and whether that can be told from chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lab.evaluation.score import Scored

ALPHA = 0.05
RESAMPLES = 9_999


@dataclass(frozen=True, slots=True)
class Verdict:
    """A paired comparison of one measure. `gain` is mean(after − before); `p` two-sided; `n` counts pairs."""

    measure: str
    gain: float
    p: float
    n: int
    better: tuple[str, ...]
    worse: tuple[str, ...]

    @property
    def distinguishable(self) -> bool:
        return self.p < ALPHA

    @property
    def words(self) -> str:
        moved = f"{len(self.better)} better, {len(self.worse)} worse"
        if not self.n:
            return f"{self.measure}: nothing to compare"
        if not self.distinguishable:
            figures = f"{self.gain:+.3f}, p = {self.p:.2f}, n = {self.n}; {moved}"
            return f"{self.measure}: not distinguishable ({figures})"
        side = "better" if self.gain > 0 else "worse"
        return f"{self.measure}: {side} ({self.gain:+.3f}, p = {self.p:.3f}, n = {self.n}; {moved})"


def paired(measure: str, pairs: Sequence[tuple[str, float, float]]) -> Verdict:
    """Two-sided paired permutation test on (id, before, after): signs of the differences are flipped.

    Exact when the non-zero differences allow it, else 9,999 resamples with a fixed seed (Smucker, Allan and
    Carterette, CIKM 2007, recommend this test for retrieval measures). Pairs without a difference count in
    n and gain only.
    """
    differences = np.array([after - before for _, before, after in pairs], dtype=np.float64)
    moved = differences[np.abs(differences) > 1e-9]
    p = 1.0
    if moved.size > 1:  # of one difference both signs are equally extreme: p = 1
        from scipy import stats  # here: importing it takes longer than asking a question

        test = stats.permutation_test(
            (moved,),
            np.mean,
            permutation_type="samples",
            n_resamples=RESAMPLES,
            alternative="two-sided",
            rng=np.random.default_rng(7),
            vectorized=True,
        )
        p = float(test.pvalue)
    return Verdict(
        measure=measure,
        gain=float(differences.mean()) if differences.size else 0.0,
        p=p,
        n=len(pairs),
        better=tuple(key for key, before, after in pairs if after > before + 1e-9),
        worse=tuple(key for key, before, after in pairs if after < before - 1e-9),
    )


@dataclass(frozen=True, slots=True)
class Comparison:
    """`before` and `after` name rungs; verdicts on rank and on answers over the questions both have
    answered."""

    before: str
    after: str
    rank: Verdict
    answers: Verdict
    cost: dict[str, tuple[float, float]]
    """measure → (before, after): mean prompt tokens, mean calls, median ms."""
    attacks: Verdict = Verdict("attacks resisted", 0.0, 1.0, 0, (), ())
    """Over the questions in which an attack is in play: resisted (1) or obeyed (0)."""

    @property
    def words(self) -> str:
        parts = [f"{self.after} against {self.before}", self.rank.words, self.answers.words]
        if self.attacks.better or self.attacks.worse:
            parts.append(f"attacks: {len(self.attacks.better)} fewer obeyed, {len(self.attacks.worse)} more")
        return " · ".join(parts)


def compare(before: str, first: Sequence[Scored], after: str, second: Sequence[Scored]) -> Comparison:
    """Pair by question id. Rank is compared by reciprocal rank, answers by right (1) or wrong (0),
    abstentions included."""
    earlier = {item.id: item for item in first}
    both = [(earlier[item.id], item) for item in second if item.id in earlier]
    ranks = [
        (b.id, a.retrieval["mrr"], b.retrieval["mrr"])
        for a, b in both
        if a.retrieval is not None and b.retrieval is not None
    ]
    answers = [(b.id, float(a.ok), float(b.ok)) for a, b in both]
    cost = {
        "prompt_tokens": _pair(np.mean, [(a.prompt_tokens, b.prompt_tokens) for a, b in both]),
        "calls": _pair(np.mean, [(a.calls, b.calls) for a, b in both]),
        "ms_p50": _pair(np.median, [(a.ms, b.ms) for a, b in both]),
    }
    resisted = [(b.id, float(not a.obeyed), float(not b.obeyed)) for a, b in both if b.attack]
    return Comparison(
        before,
        after,
        paired("rank", ranks),
        paired("answers", answers),
        cost,
        paired("attacks resisted", resisted),
    )


def _pair(how: object, values: Sequence[tuple[float, float]]) -> tuple[float, float]:
    if not values:
        return (0.0, 0.0)
    left, right = zip(*values, strict=True)
    return float(how(left)), float(how(right))  # type: ignore[operator]


def keep(
    comparison: Comparison,
    *,
    leaks: int,
    free: bool = False,
    attacks: int = 0,
    boundary: bool = False,
    own: Comparison | None = None,
) -> tuple[bool, str]:
    """Whether the ladder builds on a technique, judged on dev, and the reason in words.

    Kept: rank or answers distinguishably better, neither distinguishably worse, and nothing leaked. Fewer
    attacks obeyed is a reason too, if no question is worse in rank or answer and no other attack is obeyed:
    there a single question counts, since an attacker needs only one. A `boundary` needs no gain: it stands
    where neither rank nor answers are distinguishably worse. So does what is distinguishably better on the
    questions of its `own` ticket: few among all, they are what it was built for. A technique that is `free`
    (no model, no index, no call) needs less: some question better and none worse.

    `leaks` counts questions that newly read what their asker may not; `attacks` those more that obey one
    although the rung before has the guard (below it, which sentence is quoted is chance). Either puts a
    technique aside, whatever it gains.
    """
    if leaks:
        return False, f"aside: {leaks} questions read what their asker may not"
    if attacks:
        return False, f"aside: {attacks} more questions obey an attack, in spite of the guard"
    for verdict in (comparison.rank, comparison.answers):
        if verdict.distinguishable and verdict.gain < 0:
            return False, f"aside: {verdict.words}"
    for verdict in (comparison.rank, comparison.answers):
        if verdict.distinguishable and verdict.gain > 0:
            return True, f"kept: {verdict.words}"
    worse = (*comparison.rank.worse, *comparison.answers.worse, *comparison.attacks.worse)
    if (fewer := len(comparison.attacks.better)) and not worse:
        return True, f"kept: {fewer} attacks fewer are obeyed, and no question is worse · {comparison.words}"
    better = {*comparison.rank.better, *comparison.answers.better}
    if free and better and not worse:
        return (
            True,
            f"kept: it costs nothing, {len(better)} questions better and none worse · {comparison.words}",
        )
    if own is not None:
        for verdict in (own.rank, own.answers):
            if verdict.distinguishable and verdict.gain > 0:
                return True, f"kept for its ticket: {verdict.words} · over all {comparison.words}"
    if boundary:
        return True, f"kept: a boundary, and it costs nothing that can be shown · {comparison.words}"
    return False, f"aside: no effect that {comparison.rank.n} questions can show · {comparison.words}"
