"""Random worlds, seen by the database and by a second statement of the rule in plain Python."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lab.benchmarks.leaks import snapshot, worlds
from lab.benchmarks.leaks.worlds import DAYS, FATES, MEMBERS, MODULES, ROLES, THINGS, Fact, Look, Plan
from lab.memory.connect import owner, reader
from lab.memory.server import Server
from lab.memory.visibility import Connection

WORLDS = int(os.environ.get("LAB_LEAK_WORLDS", "100"))
"""How many; the variable is for the long run."""
NUMBERS = itertools.count()


def maybe(size: int) -> st.SearchStrategy[int | None]:
    return st.none() | st.integers(0, size - 1)


FACTS = st.builds(
    Fact, about=st.integers(0, THINGS - 1), module=st.integers(0, len(MODULES) - 1),
    owner=maybe(len(MEMBERS)), start=st.integers(0, 1), end=maybe(len(DAYS)), other=maybe(THINGS),
    edge_module=maybe(len(MODULES)), edge_private=st.booleans(), fate=st.sampled_from(sorted(FATES)),
)  # fmt: skip
PLANS = st.builds(
    Plan, rights=st.tuples(*[st.frozensets(st.integers(0, len(MODULES) - 1))] * len(ROLES)),
    facts=st.lists(FACTS, min_size=1, max_size=7).map(tuple),
)  # fmt: skip
LOOKS = st.builds(
    Look, roles=st.frozensets(st.integers(0, len(ROLES) - 1)), member=maybe(len(MEMBERS)),
    day=maybe(len(DAYS)), known=st.sampled_from([None, 1, 7, 15, 25]),
    elsewhere=st.integers(0, 9).map(lambda number: number == 0),
)  # fmt: skip


@pytest.fixture(scope="module")
def hands(server: Server) -> Iterator[tuple[Server, Connection, Connection]]:
    assert server.data is not None
    with snapshot.superuser(server, server.data.parent) as admin, reader(server) as read:
        yield server, admin, read


@pytest.mark.slow
def test_the_database_and_the_oracle_agree(hands: tuple[Server, Connection, Connection]) -> None:
    compared = 0

    @settings(
        max_examples=WORLDS, deadline=None, database=None, derandomize=WORLDS <= 1_000,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(plan=PLANS, looks=st.lists(LOOKS, min_size=2, max_size=4).map(tuple))
    def agree(plan: Plan, looks: tuple[Look, ...]) -> None:
        nonlocal compared
        assert worlds.differences(*hands, f"world-{next(NUMBERS)}", plan, looks) == []
        compared += 1

    agree()
    assert compared >= 0.9 * WORLDS


EVERYTHING = frozenset(range(len(MODULES)))
ALL = Look(frozenset({0}), 0, 2, None)


@pytest.mark.parametrize(
    ("table", "without", "fact"),
    [
        ("memory", "visibility = 'workspace' or", Fact(0, 0, owner=1)),
        ("memory", "expires_at is null or", Fact(0, 0, fate="expired")),
        ("edge", "visibility = 'workspace' or", Fact(0, 0, other=1, fate="edge own")),
    ],
)
def test_a_condition_that_is_gone_is_seen(
    hands: tuple[Server, Connection, Connection], table: str, without: str, fact: Fact
) -> None:
    """The positive control: a hole in a policy makes the two differ."""
    plan, looks = (
        Plan((EVERYTHING, EVERYTHING), (fact, Fact(1, 0))),
        (Look(frozenset({0}), 1 - (fact.owner or 0), 2, None),),
    )
    assert worlds.differences(*hands, f"world-{next(NUMBERS)}", plan, looks) == []
    with owner(hands[0]) as connection:
        connection.execute(f"create policy hole on {table} for select to lab_reader using (true)")
    try:
        assert worlds.differences(*hands, f"world-{next(NUMBERS)}", plan, looks) != []
    finally:
        with owner(hands[0]) as connection:
            connection.execute(f"drop policy hole on {table}")
