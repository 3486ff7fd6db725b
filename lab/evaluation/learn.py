"""What `lab calibrate` does: the reader's weights and its model of support, fitted on the dev questions.

Figures it reports are cross-validated by question: what is said of a question never saw that question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lab.evaluation.gold import Question, answer_ok
from lab.evaluation.measures import auc
from lab.evaluation.score import meets, squeezed
from lab.kinds import Hit, Sight
from lab.rag import learned as store
from lab.rag import rank, read, support
from lab.rag.ask import ask
from lab.rag.engine import Engine
from lab.rag.learned import Learned
from lab.rag.pieces import Piece
from lab.rag.pipeline import Pipeline

PENALTY = 10.0
"""Of the ranker's weights; between 5 and 20 the cross-validated answers on dev do not differ."""
FOLDS = 6
SEED = 1


@dataclass(frozen=True, slots=True)
class Report:
    """Cross-validated on dev: share of the answerable questions answered rightly when nothing is refused, the
    area under the curve of support, and what the thresholds then do."""

    answers: float
    auc: float
    known_abstained: float
    unknown_answered: float
    questions: int


@dataclass(frozen=True, slots=True)
class _Read:
    """One question with what the reader was handed for it."""

    question: Question
    hits: Sequence[Hit]
    found: read.Ranked


def handed(
    questions: Iterable[Question], pipeline: Pipeline, engine: Engine
) -> list[tuple[Question, list[Hit]]]:
    """Each question with the hits its reader is handed."""
    result = []
    for question in questions:
        sight = Sight(frozenset({question.role}), question.as_of, workspace=engine.workspace)
        answer = ask(question.text, sight, pipeline, engine)
        result.append((question, list(answer.hits[: pipeline.read])))
    return result


def learn(
    questions: Sequence[tuple[Question, Sequence[Hit]]], pipeline: Pipeline, engine: Engine
) -> tuple[Learned, Report]:
    """The entry for this pipeline's reader, and how it does on questions it was not fitted on. LabError when
    the questions can't tell answers from abstentions."""
    own = store.second(pipeline)
    start = Learned({"unit": 1.0}, None, own)
    items = []
    for question, hits in questions:
        if (found := read.ranked(question.text, hits, engine, start)) is not None:
            items.append(_Read(question, hits, found))
    folds = _folds(len(items))
    outcomes: list[tuple[dict[str, float], bool, bool]] = [({}, False, False)] * len(items)
    for fold in range(FOLDS):
        weights = _weights([item for item, at in zip(items, folds, strict=True) if at != fold])
        for number in np.flatnonzero(folds == fold):
            outcomes[number] = _outcome(items[number], weights, engine)
    names = list(outcomes[0][0])
    logits, states = np.zeros(len(items)), np.array([support.REFUSED] * len(items), dtype=object)
    for fold in range(FOLDS):
        model = support.fit([o for o, at in zip(outcomes, folds, strict=True) if at != fold], names)
        for number in np.flatnonzero(folds == fold):
            logits[number] = model.support(outcomes[number][0])
            states[number] = model.state(float(logits[number]))
    known = np.array([has for _, has, _ in outcomes])
    right = np.array([ok for _, _, ok in outcomes])
    answered = states == support.ANSWERED
    report = Report(
        float(right[known].mean()),
        auc(logits[known].tolist(), logits[~known].tolist()) or 0.0,
        float((~answered[known]).mean()),
        float(answered[~known].mean()),
        len(items),
    )
    return Learned(_weights(items), support.fit(outcomes, names), own), report


def answering(question: Question, hits: Sequence[Hit], pieces: Sequence[Piece]) -> np.ndarray:
    """Mask, shape (n,): the pieces that hold the anchor of an evidence of the question."""
    mask = np.zeros(len(pieces), dtype=bool)
    for at, piece in enumerate(pieces):
        hit = hits[piece.hit]
        mask[at] = any(
            meets(evidence, hit) and squeezed(evidence.anchor) in squeezed(piece.quote)
            for evidence in question.evidence
        )
    return mask


def _weights(items: Sequence[_Read]) -> dict[str, float]:
    lists = [
        (item.found.found, answering(item.question, item.hits, item.found.pieces))
        for item in items
        if not item.question.abstain
    ]
    return rank.fit(lists, list(items[0].found.found), PENALTY)


def _outcome(item: _Read, weights: dict[str, float], engine: Engine) -> tuple[dict[str, float], bool, bool]:
    """(features of support, has an answer, these weights answer it rightly)."""
    found = read.Ranked(item.found.pieces, item.found.found, rank.scored(item.found.found, weights))
    text = read.quoted(item.hits, found.chosen(item.question.text, item.hits)).text
    right = not item.question.abstain and answer_ok(item.question, text, abstained=False)
    return found.features(item.question.text, item.hits, engine), not item.question.abstain, right


def _folds(count: int) -> np.ndarray:
    folds = np.empty(count, dtype=int)
    folds[np.random.default_rng(SEED).permutation(count)] = np.arange(count) % FOLDS
    return folds
