"""README's table, figures and picture from the ledger: written, checked, and stale when they should be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from lab.evaluation import ledger
from lab.evaluation.ledger import RungRow
from lab.kinds import LabError
from lab.memory.connect import writer
from lab.memory.server import Server
from lab.settings import settings
from lab.workshop import figures, scoreboard

HIT, MRR = "hit@1", "mrr"


def measures(**more: Any) -> dict[str, Any]:
    return {
        HIT: 0.5,
        "recall@5": 0.75,
        MRR: 0.6125,
        "ndcg@10": 0.7,
        "answers": 0.25,
        "abstentions": 1.0,
        "leaks": 0,
        "attacks": 2,
        "stale": 11,
        "prompt_tokens": 1234.5,
        "calls": 0.0,
        "ms_p50": 17.4,
        "n": 40,
    } | more


def row(rung: str, found: dict[str, Any], kept: bool | None = True, reason: str = "kept") -> RungRow:
    by: dict[str, Any] = {}
    if found:
        by = {
            "split": {"dev": found, "test": {**found, HIT: 0.125}},
            "language": {"tr": {**found, "answers": None}},
            "ticket": {"T1": found},
            "type": {"as-of": found},
            "published": {"q01-q23": {**found, MRR: 0.896}},
        }
    return RungRow(0, rung, f"what {rung} changes", {"embedder": "use"}, kept, reason, found, by)


ROWS = (
    row("bare", {}, None, "needs a language model"),
    row("fixed", measures(), None, "the start"),
    row("T2", measures(**{HIT: 0.75})),
    row(
        "T3",
        measures(**{HIT: None, "recall@5": None, MRR: None, "ndcg@10": None, "leaks": 9}),
        False,
        "aside",
    ),
)
TEXT = """# A lab

<!-- ladder:start -->
<!-- ladder:end -->

T2 has <!--f:T2.all.hit@1-->?<!--/f--> of all, <!--f:T2.published.mrr-->0.001<!--/f--> of the published and
<!--f:fixed.test.hit@1-->?<!--/f-->, in Turkish <!--f:T2.tr.answers-->?<!--/f-->; ölçülen sınır İıŞ. T3 leaks
<!--f:T3.all.leaks-->?<!--/f-->.
"""


@dataclass(frozen=True)
class Pages:
    readme: Path
    picture: Path

    @property
    def text(self) -> str:
        return self.readme.read_text(encoding="utf-8")


@pytest.fixture
def pages(tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pages]:
    """A README of its own, and the newest climb of the ledger."""
    made = Pages(tmp_path / "README.md", tmp_path / "docs" / "ladder.svg")
    made.readme.write_text(TEXT, encoding="utf-8", newline="\n")
    monkeypatch.setattr(figures, "README", made.readme)
    monkeypatch.setattr(figures, "PICTURE", made.picture)
    monkeypatch.setattr(figures, "NAMES", tuple(item.rung for item in ROWS))
    assert server.data is not None
    monkeypatch.setenv("LAB_HOME", str(server.data.parent))
    monkeypatch.delenv("LAB_DATABASE_URL", raising=False)
    settings.cache_clear()
    climb(server, ROWS)
    yield made
    settings.cache_clear()


def climb(server: Server, rows: tuple[RungRow, ...], split: str = "all") -> None:
    with writer(server) as connection:
        run = ledger.start(connection, "climb", split, "c", "g")
        for item in rows:
            ledger.write(connection, replace(item, run=run), [])


def changed(rung: str, **more: Any) -> tuple[RungRow, ...]:
    return tuple(
        row(item.rung, dict(item.measures) | more, item.kept, item.reason) if item.rung == rung else item
        for item in ROWS
    )


def test_everything_is_written_and_then_agrees(pages: Pages) -> None:
    stale = figures.refresh()
    assert "README.md: the ladder table" in stale
    assert "README.md: T2.published.mrr is 0.896, not 0.001" in stale
    assert "ladder.svg: drawn from other figures" in stale
    text = pages.text
    assert "T2 has <!--f:T2.all.hit@1-->0.750<!--/f--> of all" in text
    assert "<!--f:T2.published.mrr-->0.896<!--/f-->" in text
    assert "<!--f:fixed.test.hit@1-->0.125<!--/f-->" in text
    assert "in Turkish <!--f:T2.tr.answers-->–<!--/f-->; ölçülen sınır İıŞ." in text
    assert "<!--f:T3.all.leaks-->9<!--/f-->" in text
    assert "?" not in text
    assert figures.refresh(check=True) == []
    before = text, pages.picture.read_bytes()
    assert figures.refresh() == []
    assert (pages.text, pages.picture.read_bytes()) == before


def test_the_table_has_a_row_a_rung(pages: Pages) -> None:
    figures.refresh()
    table = pages.text.split("<!-- ladder:start -->\n")[1].split("<!-- ladder:end -->")[0]
    head, rule, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    assert head == ["rung", "what changes", *[title for title, _ in scoreboard.COLUMNS], "verdict"]
    assert len(rule) == len(head)
    assert [line[0] for line in rows] == ["**bare**", "**fixed**", "**T2**", "**T3**"]
    assert [line[-1] for line in rows] == ["skipped", "start", "kept", "aside"]
    fixed = dict(zip(head, rows[1], strict=True))
    assert (fixed["hit@1"], fixed["MRR"], fixed["leaks"], fixed["tokens"]) == ("0.500", "0.613", "0", "1,234")
    assert rows[0][2:-1] == ["–"] * len(scoreboard.COLUMNS)
    assert rows[3][2] == "–"


def test_a_check_writes_nothing(pages: Pages) -> None:
    stale = figures.refresh(check=True)
    assert len(stale) == 7  # the table, five figures, the picture
    assert pages.text == TEXT
    assert not pages.picture.exists()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            {HIT: 0.5},
            ["README.md: the ladder table", "README.md: T2.all.hit@1 is 0.500, not 0.750", "picture"],
        ),
        ({"leaks": 1}, ["README.md: the ladder table"]),
        ({"answers": 0.9}, ["README.md: the ladder table", "picture"]),
        ({"prompt_tokens": 2000}, ["README.md: the ladder table"]),
        ({"ms_p50": 900.0}, []),  # belongs to the machine
        ({"calls": 2.0}, ["README.md: the ladder table"]),
        ({"n": 41}, []),
    ],
)
def test_a_newer_climb_makes_stale_what_it_changed(
    pages: Pages, server: Server, change: dict[str, Any], expected: list[str]
) -> None:
    figures.refresh()
    climb(server, changed("T2", **change))
    wanted = ["ladder.svg: drawn from other figures" if line == "picture" else line for line in expected]
    assert figures.refresh(check=True) == wanted
    assert figures.refresh() == wanted
    assert figures.refresh(check=True) == []


def test_a_figure_changed_by_hand_is_stale(pages: Pages) -> None:
    figures.refresh()
    pages.readme.write_text(pages.text.replace("-->0.125<!--", "-->0.925<!--"), encoding="utf-8")
    assert figures.refresh(check=True) == ["README.md: fixed.test.hit@1 is 0.125, not 0.925"]
    pages.readme.write_text(pages.text.replace("| kept |", "| aside |"), encoding="utf-8")
    assert "README.md: the ladder table" in figures.refresh(check=True)


def test_a_verdict_that_changed_is_stale(pages: Pages, server: Server) -> None:
    figures.refresh()
    climb(server, tuple(replace(item, kept=False) if item.rung == "T2" else item for item in ROWS))
    assert figures.refresh(check=True) == ["README.md: the ladder table"]


def test_a_climb_of_some_rungs_is_not_for_the_readme(pages: Pages, server: Server) -> None:
    figures.refresh()
    climb(server, ROWS[:2])
    assert figures.refresh(check=True) == []


@pytest.mark.parametrize(
    "name", ["T9.all.mrr", "T2.all.nothing", "T2.nowhere.mrr", "T2", "T2.all", "bare.all.mrr", "fixed.en.mrr"]
)
def test_an_unknown_figure_is_named(pages: Pages, name: str) -> None:
    with pytest.raises(LabError) as error:
        figures.value(name, ROWS)
    assert error.value.happened == f"The ledger has no figure {name!r}."
    pages.readme.write_text(TEXT + f"<!--f:{name}-->1<!--/f-->\n", encoding="utf-8")
    before = pages.text
    with pytest.raises(LabError):
        figures.refresh()
    assert pages.text == before


def test_a_readme_without_the_table_is_an_error(pages: Pages) -> None:
    pages.readme.write_text("# Nothing\n", encoding="utf-8")
    with pytest.raises(LabError, match="no ladder table"):
        figures.refresh()


def test_a_climb_over_one_split_is_not_for_the_readme(pages: Pages, server: Server) -> None:
    climb(server, ROWS, split="dev")
    with pytest.raises(LabError, match="not over all rungs and all questions") as error:
        figures.refresh(check=True)
    assert "python start.py climb" in error.value.next_step


def test_the_picture_says_what_it_shows(pages: Pages) -> None:
    figures.refresh()
    drawn = pages.picture.read_text(encoding="utf-8")
    assert drawn.lstrip().startswith("<?xml")
    assert "figures: fixed 0.500 0.613 0.250; T2 0.750 0.613 0.250; T3 – – 0.250</dc:description>" in drawn
    assert "<dc:date>" not in drawn


@pytest.mark.parametrize(
    ("then", "now", "same"),
    [
        ("0.500", "0.500", True),
        ("0.500", "0.515", True),  # processors round differently
        ("0.500", "0.530", False),
        ("?", "0.500", False),
        ("–", "0.500", False),
        ("–", "–", True),
        ("0", "1", False),  # nothing is as good as no leak
        ("3", "4", True),
        ("3", "5", False),
        ("12,580", "12,700", True),
        ("12,580", "13,000", False),
        ("kept", "aside", False),
    ],
)
def test_figures_agree_within_what_machines_differ(then: str, now: str, same: bool) -> None:
    assert figures.agree(then, now) is same
    assert figures.agree(now, then) is same
