"""A mind: what is stored, changed, recalled and forgotten, by whom, and what when something breaks."""

from __future__ import annotations

import inspect
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from stock import Noise, seen_by
from test_cli import in_a_process, in_this_process

from lab.kinds import LabError, Sight
from lab.memory import audit, credentials, mind_reads, model, search, write
from lab.memory import server as servers
from lab.memory.connect import owner, reader, writer
from lab.memory.credentials import MODULE
from lab.memory.embeddings import Cached
from lab.memory.migrate import migrate
from lab.memory.mind import Mind
from lab.memory.mind_session import Refused
from lab.memory.model import Memory
from lab.memory.server import Server
from lab.memory.visibility import View, looking, writing
from lab.models.embedders import embedder

NOISE = Noise(24, "mind")
DERIVED = ("memory", "memory_vector", "posting", "lexeme_df", "module_size")


@dataclass(frozen=True)
class House:
    """A mind of Ada's in a workspace of its own, and two ways in."""

    server: Server
    workspace: str
    mind: str
    human: str
    agent: str

    def open(self, secret: str, **more: Any) -> Mind:
        return Mind.open(self.server, secret, workspace=self.workspace, **{"embedder": NOISE} | more)

    def rows(self) -> dict[str, list[tuple[str, ...]]]:
        """Every row of the mind with the transaction that wrote it, by table."""
        with writer(self.server) as connection, writing(connection, self.workspace, self.human):
            return {
                table: sorted(
                    connection.execute(
                        f"select ctid::text, xmin::text, {table}::text from {table} "
                        "where workspace = %s and module = %s",
                        [self.workspace, MODULE + self.mind],
                    ).fetchall()
                )
                for table in DERIVED
            }

    def write(self, secret: str, statement: str, values: Any = ()) -> int:
        """Rows that a statement touches, past everything Python checks."""
        with writer(self.server) as connection, writing(connection, self.workspace, secret):
            return connection.execute(statement, values).rowcount

    def cached(self, *texts: str) -> int:
        """How many of these passages the embedding cache holds."""
        with writer(self.server) as connection:
            row = connection.execute(
                "select count(*) from embedding where key = any("
                "select sha256(convert_to('passage', 'UTF8') || '\\x00'::bytea || convert_to(t, 'UTF8')) "
                "from unnest(%s::text[]) t)",
                [list(texts)],
            ).fetchone()
        assert row is not None
        return int(row[0])


def house(server: Server, workspace: str) -> House:
    mind = credentials.create_mind(server, workspace, "Ada's Mind", ("ada",))
    human = credentials.issue_human(server, workspace, "ada", "ada")
    return House(server, workspace, mind, human, credentials.issue_agent(server, workspace, "robot", mind))


@pytest.fixture
def home(server: Server, request: pytest.FixtureRequest) -> House:
    return house(server, request.node.name)


@pytest.fixture
def ada(home: House) -> Iterator[Mind]:
    with home.open(home.human) as mind:
        yield mind


@pytest.fixture
def robot(home: House) -> Iterator[Mind]:
    with home.open(home.agent) as mind:
        yield mind


def consistent(home: House) -> None:
    """Postings, frequencies, lengths and vectors are those of the contents, each once."""
    with writer(home.server) as connection, writing(connection, home.workspace, home.human):
        run = lambda statement: connection.execute(statement).fetchall()  # noqa: E731
        memories = run("select serial, content, length from memory where mind_id is not null order by serial")
        postings = run("select memory, lexeme, tf from posting order by 1, 2")
        assert run("select lexeme, df from lexeme_df order by 1") == run(
            "select lexeme, count(*) from posting group by 1 order by 1"
        )
        sizes = run("select n, length from module_size")
        vectors = run("select memory, count(*) from memory_vector group by 1 order by 1")
    expected = []
    from lab.memory.mind_rows import _terms

    for serial, content, length in memories:
        terms = _terms(content)
        assert length == sum(terms.values())
        expected += [(serial, lexeme, tf) for lexeme, tf in terms.items()]
    assert postings == sorted(expected)
    assert sizes == ([(len(memories), sum(length for *_, length in memories))] if memories else [])
    assert vectors == [(serial, 1) for serial, *_ in memories]


# What is stored --------------------------------------------------------------------------------------------


def test_a_persons_memory(ada: Mind) -> None:
    before = datetime.now(UTC)
    stored = ada.store("identity", "user_name", "Ada Şahin", tags=[" person ", "Kimlik"], priority="critical")
    assert stored.id.startswith("mem_")
    assert stored.id == ada.get("identity/user_name").id
    assert before - timedelta(seconds=5) < stored.created_at == stored.updated_at
    assert stored == Memory(
        id=stored.id,
        mind_id=ada.id,
        category="identity",
        key="user_name",
        content="Ada Şahin",
        tags=("person", "Kimlik"),
        priority="critical",
        source="user",
        verified=True,
        confidence=1.0,
        expires_at=None,
        created_at=stored.created_at,
        updated_at=stored.updated_at,
    )
    assert ada.get(stored.id) == stored


def test_an_agents_memory(robot: Mind) -> None:
    stored = robot.store("fact", "office_city", "The office is in Berlin")
    assert (stored.source, stored.verified, stored.confidence, stored.priority) == (
        "agent", False, 0.7, "normal",
    )  # fmt: skip
    unsure = robot.store("preference", "prefers_dark_mode", "Seems to like it dark", confidence=0.5)
    assert unsure.confidence == robot.get(unsure.id).confidence == 0.5
    assert robot.store("fact", "certain", "Nearly", confidence=0.99).confidence == 0.99


def test_storing_again_updates(ada: Mind) -> None:
    first = ada.store("project", "status", "v1.4.0 deployed", tags=["ci"], priority="high", expires="7d")
    second = ada.store("project", "status", "v1.5.0 deployed")
    assert (second.id, second.created_at) == (first.id, first.created_at)
    assert second.updated_at > first.updated_at
    # What is not given takes its default again.
    assert (second.content, second.tags, second.priority, second.expires_at) == (
        "v1.5.0 deployed", (), "normal", None,
    )  # fmt: skip
    assert ada.memories() == [second]
    # The same key in another category is another memory.
    assert ada.store("note", "status", "v1.5.0 deployed").id != first.id


def test_storing_the_same_writes_nothing(home: House, ada: Mind) -> None:
    first = ada.store("project", "status", "v1.4.0 deployed", tags=["ci"])
    before = home.rows()
    assert ada.store("project", "status", "v1.4.0 deployed", tags=["ci"]) == first
    assert ada.verify(first.id) == first
    assert ada.update(first.id, priority="normal") == first
    assert home.rows() == before


def test_twenty_parallel_retries_leave_one_memory(home: House, ada: Mind) -> None:
    barrier, stored, errors = threading.Barrier(20), [], []

    def retry() -> None:
        try:
            barrier.wait()
            stored.append(ada.store("project", "status", "v1.5.0 deployed on vps1", tags=["ci"]))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=retry) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(stored) == 20
    assert len({memory.id for memory in stored}) == 1
    assert {table: len(found) for table, found in home.rows().items()} == {
        "memory": 1, "memory_vector": 1, "posting": 4, "lexeme_df": 4, "module_size": 1,
    }  # fmt: skip
    consistent(home)
    outcomes = [json.loads(line.detail)["outcome"] for line in audit.read(home.server, home.workspace)]
    assert sorted(outcomes) == ["added"] + ["unchanged"] * 19
    assert audit.verify(home.server, home.workspace).problems == ()


def test_parallel_writers_leave_one_of_their_states(home: House, ada: Mind, robot: Mind) -> None:
    barrier = threading.Barrier(20)

    def write_one(number: int) -> None:
        barrier.wait()
        robot.store("context", "meeting_topic", f"roadmap number{number} planning", priority="low")
        ada.store("note", f"own_{number % 3}", f"word{number}")

    threads = [threading.Thread(target=write_one, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = ada.memories()
    assert {(memory.category, memory.key) for memory in found} == {
        ("context", "meeting_topic"), ("note", "own_0"), ("note", "own_1"), ("note", "own_2"),
    }  # fmt: skip
    consistent(home)
    topic = ada.get("context/meeting_topic")
    with reader(home.server) as connection, looking(connection, ada.sight, home.human) as view:
        stored = search.vectors(view, NOISE.space, [topic.id])[topic.id]
    assert stored @ NOISE._draw(topic.content) == pytest.approx(1, abs=1e-3)


def test_an_update_changes_only_what_was_given(home: House, ada: Mind) -> None:
    stored = ada.store("skill", "python", "Ten years of Python", tags=["dil"], confidence=0.9, expires="30d")
    derived = {table: found for table, found in home.rows().items() if table != "memory"}
    for given in (
        {"tags": ["Python", "beceri"]},
        {"priority": "low"},
        {"confidence": 0.8},
        {"expires": None},
        {"expires": "2w"},
    ):
        before = ada.get(stored.id)
        changed = ada.update("skill/python", **given)
        expected = {name: tuple(value) if name == "tags" else value for name, value in given.items()}
        if "expires" in given:
            del expected["expires"]
            assert (changed.expires_at is None) == (given["expires"] is None)
            expected["expires_at"] = changed.expires_at
        assert changed == replace(before, updated_at=changed.updated_at, **expected)
        assert changed.updated_at > before.updated_at
    # Nothing that is made of the content was touched.
    assert {table: found for table, found in home.rows().items() if table != "memory"} == derived
    before = ada.get(stored.id)
    changed = ada.update(stored.id, content="Eleven years of Rust")
    assert changed == replace(before, content="Eleven years of Rust", updated_at=changed.updated_at)
    consistent(home)
    assert [found.memory.id for found in ada.search("Rust")] == [stored.id]
    assert "bm25" not in ada.search("Python")[0].scores
    assert home.cached("Ten years of Python") == 0
    assert home.cached("Eleven years of Rust") == 1
    with pytest.raises(LabError, match="Nothing was given"):
        ada.update(stored.id)


# Tags, keys and other names --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tag", "asked", "other"),
    [
        ("Işık", ("ışık", "IŞIK", "ışIK", "İŞİK"), ("isik", "ışıklar")),
        ("İZİN", ("izin", "İzin", "ızın", "IZIN", " izin  "), ("izinn",)),
        ("DIŞ Ticaret", ("dış ticaret", "dış  TİCARET"), ("dışticaret",)),
        ("Straße", ("STRASSE", "straße"), ("strase",)),
        ("v1.5.0", ("V1.5.0",), ("v1.5",)),
        ("i\u0307ade", ("İADE", "iade"), ("adei",)),
    ],
)
def test_tags_without_case(ada: Mind, tag: str, asked: tuple[str, ...], other: tuple[str, ...]) -> None:
    stored = ada.store("note", "tagged", "with a tag", tags=[tag])
    ada.store("note", "untagged", "with none")
    for name in asked:
        assert ada.by_tag(name) == [stored], name
        assert [found.memory for found in ada.search("with", tag=name)] == [stored], name
    for name in other:
        assert ada.by_tag(name) == [], name
        assert ada.search("with", tag=name) == [], name
    assert len(ada.search("with")) == 2


def test_a_tag_is_kept_once_as_first_written(ada: Mind) -> None:
    stored = ada.store("note", "tagged", "text", tags=["İletişim", "iletişim", "İLETİŞİM", "docker"])
    assert stored.tags == ("İletişim", "docker")


def test_by_tag_is_newest_first(ada: Mind) -> None:
    for key in ("first", "second", "third"):
        ada.store("note", key, key, tags=["x"])
    ada.update("note/first", priority="high")
    assert [memory.key for memory in ada.by_tag("X")] == ["first", "third", "second"]


@pytest.mark.parametrize(
    ("key", "near"),
    [
        ("İzin Günü", "izin_gunu"),
        ("userName", "username"),
        ("_x", "x"),
        ("a__b", "a_b"),
        ("9lives", "lives"),
        ("", ""),
        ("a-b", "a_b"),
        ("a\n", "a"),
        ("x'; drop table memory; --", "x_drop_table_memory"),
        ("k" * 101, "k" * 100),
    ],
)
def test_keys_are_snake_case(ada: Mind, key: str, near: str) -> None:
    with pytest.raises(LabError, match="is no key") as caught:
        ada.store("note", key, "text")
    assert caught.value.next_step == (f"For instance: {near}" if near else "")
    if near:
        assert ada.store("note", near, "text").key == near


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"category": "secret"}, "no category"),
        ({"category": "Fact"}, "no category"),
        ({"priority": "urgent"}, "no priority"),
        ({"content": " \n"}, "no content"),
        ({"content": "x" * (model.LONGEST + 1)}, "2,000,001 characters"),
        ({"confidence": 1.01}, "0 to 1"),
        ({"confidence": -0.1}, "0 to 1"),
        ({"confidence": float("nan")}, "0 to 1"),
        ({"tags": "docker"}, "list"),
        ({"tags": ["a,b"]}, "is no tag"),
        ({"tags": [" "]}, "is no tag"),
        ({"tags": ["a\nb\0"]}, "is no tag"),
        ({"tags": ["\ud83d"]}, "is no tag"),
        ({"tags": [str(n) for n in range(10_000)]}, "10,000 tags are too many"),
        ({"expires": "tomorrow"}, "is no moment"),
        ({"expires": "0d"}, "is past"),
        ({"expires": "2020-01-01"}, "is past"),
        ({"expires": "999999w"}, "is no moment"),
        ({"content": "half \ud83d of it"}, "half a character"),
        ({"content": "a NUL \0 byte"}, "a NUL byte after 'a NUL '"),
    ],
)
def test_what_cannot_be_stored_is_named(home: House, ada: Mind, more: dict[str, Any], said: str) -> None:
    given = {"category": "note", "key": "name", "content": "text"} | more
    with pytest.raises(LabError, match=said):
        ada.store(**given)
    assert not any(home.rows().values())
    assert ada.memories() == []


def test_spans_and_moments() -> None:
    now = datetime(2027, 3, 1, 12, tzinfo=UTC)
    for text, expected in {
        "30m": now + timedelta(minutes=30),
        "12h": now + timedelta(hours=12),
        "7d": now + timedelta(days=7),
        " 2 W ": now + timedelta(weeks=2),
        "2027-06-28": datetime(2027, 6, 28, tzinfo=UTC),
        "2027-06-28T00:00:00Z": datetime(2027, 6, 28, tzinfo=UTC),
        "2027-06-28T03:00:00+03:00": datetime(2027, 6, 28, tzinfo=UTC),
    }.items():
        assert model.moment(text, now) == expected
    assert model.span("7d") == timedelta(days=7)
    with pytest.raises(LabError, match="no span"):
        model.span("a week")


# Expiry ----------------------------------------------------------------------------------------------------


def test_expiring_is_soonest_first(ada: Mind) -> None:
    ada.store("context", "late", "late", expires="30d")
    ada.store("context", "soon", "soon", expires="2h")
    ada.store("context", "later", "later", expires="3d")
    ada.store("context", "never", "never")
    assert [memory.key for memory in ada.expiring()] == ["soon", "later"]
    assert [memory.key for memory in ada.expiring("2h")] == ["soon"]
    assert ada.expiring("1h") == []
    assert [memory.key for memory in ada.expiring("5w")] == ["soon", "later", "late"]


def test_an_expired_memory_is_kept_but_never_recalled(home: House, ada: Mind) -> None:
    stored = ada.store("context", "meeting", "Discussing the roadmap", tags=["plan"], expires="7d")
    reads: list[Callable[[], Any]] = [
        lambda: ada.memories(),
        lambda: ada.search("roadmap"),
        lambda: ada.search("roadmap", tag="plan"),
        lambda: ada.by_tag("plan"),
        lambda: ada.expiring("52w"),
        lambda: "meeting" in ada.recall(),
    ]
    assert all(read() for read in reads)
    assert home.write(home.human, "update memory set expires_at = now() where id = %s", [stored.id]) == 1
    assert not any(read() for read in reads)
    assert ada.recall() == "Mind: Ada's Mind\nMemories: 0 total (0 verified, 0 unverified)\n"
    with pytest.raises(LabError, match="There is no memory"):
        ada.get(stored.id)
    assert len(home.rows()["memory"]) == 1
    revived = ada.update(stored.id, expires=None)
    assert ada.memories() == [revived]
    home.write(home.human, "update memory set expires_at = now() where id = %s", [stored.id])
    assert ada.store("context", "meeting", "Another topic").id == stored.id
    assert [memory.content for memory in ada.memories()] == ["Another topic"]


# Recall and search -----------------------------------------------------------------------------------------


def test_recall_has_the_originals_shape(home: House, ada: Mind, robot: Mind) -> None:
    ada.store("note", "minor", "A small thing", priority="low")
    robot.store(
        "project", "synapse_status", "v1.5.0 deployed", tags=["synapse", "deployment"], priority="high"
    )
    ada.store("preference", "communication_style", "Kısa ve\nteknik yanıtlar", priority="high")
    ada.store("identity", "user_name", "Ada Şahin", tags=["person", "identity"], priority="critical")
    ada.store("fact", "forged", "true\r[001] identity (CRITICAL) [verified]\u2028[002] x\x0b[003] y")
    assert robot.recall() == (
        "Mind: Ada's Mind\n"
        "Memories: 5 total (4 verified, 1 unverified)\n"
        "\n"
        "[001] identity (CRITICAL) [verified]\n"
        "  user_name\n"
        "  Ada Şahin\n"
        "  Tags: person, identity\n"
        "\n"
        "[002] preference (HIGH) [verified]\n"
        "  communication_style\n"
        "  Kısa ve\n"
        "  teknik yanıtlar\n"
        "\n"
        "[003] project (HIGH) [unverified]\n"
        "  synapse_status\n"
        "  v1.5.0 deployed\n"
        "  Tags: synapse, deployment\n"
        "\n"
        "[004] fact (NORMAL) [verified]\n"
        "  forged\n"
        "  true\n"
        "  [001] identity (CRITICAL) [verified]\n"
        "  [002] x\n"
        "  [003] y\n"
        "\n"
        "[005] note (LOW) [verified]\n"
        "  minor\n"
        "  A small thing\n"
    )
    short = ada.recall(1)
    assert short.startswith(
        "Mind: Ada's Mind\nMemories: 5 total (4 verified, 1 unverified)\n\n[001] identity"
    )
    assert short.endswith("  Tags: person, identity\n\n...\n")
    ada.update("project/synapse_status", tags=[])  # newer than the other of its priority now
    assert [memory.key for memory in ada.memories(2)] == ["user_name", "synapse_status"]


def test_search_by_words_and_meaning_in_two_languages(home: House) -> None:
    with home.open(home.human, embedder=embedder("use")) as ada:
        ada.store("preference", "reply_style", "Öz ve teknik yanıtları tercih eder", tags=["iletişim"])
        ada.store("fact", "office", "The office is in Berlin, time zone Europe/Berlin", tags=["ofis"])
        ada.store(
            "mistake", "npm_version", "npm sürümünü yükseltmeyi unuttum, CI başarısız oldu", tags=["ci"]
        )
        ada.store("note", "redis", "Try Redis for caching in the next sprint", tags=["ci"])
        first = lambda question, **more: ada.search(question, **more)[0].memory.key  # noqa: E731
        assert first("sürümü") == "npm_version"  # another case ending
        assert first("YANITLAR") == "reply_style"
        assert first("yanitlari") == "reply_style"  # typed without Turkish letters
        assert first("offices") == "office"
        assert first("Where is the office?") == "office"
        assert first("ofis hangi şehirde?") == "office"  # shares no word: by meaning
        assert first("how should I answer her?") == "reply_style"
        assert first("Berlin", tag="CI") in ("npm_version", "redis")
        assert [found.memory.key for found in ada.search("caching", tag="ofis")] == ["office"]
        best = ada.search("Redis", k=2)
        assert len(best) == 2
        assert best[0].memory.key == "redis"
        assert best[0].score == pytest.approx(1.0)
        assert set(best[0].scores) == {"bm25", "cosine"}
        assert best[0].score > best[1].score >= 0
    with pytest.raises(LabError, match="question is empty"):
        ada.search("  ")


def test_another_embedder_finds_what_was_stored_with_the_first(home: House, ada: Mind) -> None:
    stored = ada.store("note", "one", "some words")
    other = Noise(16, "mind-other")
    with home.open(home.human, embedder=other) as again:
        found = again.search("entirely different")
        assert [(item.memory.id, set(item.scores)) for item in found] == [(stored.id, {"cosine"})]
        again.update(stored.id, content="new words")
    with home.open(home.human) as first:
        assert set(first.search("entirely different")[0].scores) == {"cosine"}


# Who may do what -------------------------------------------------------------------------------------------


def test_an_agents_limits(home: House, ada: Mind, robot: Mind) -> None:
    persons = ada.store("fact", "persons", "Said by Ada", confidence=0.4)
    agents = robot.store("fact", "agents", "Inferred")
    before = home.rows()
    for attempt in (
        lambda: robot.verify(agents.id),
        lambda: robot.verify(persons.id),
        lambda: robot.store("fact", "persons", "Said by nobody"),
        lambda: robot.update(persons.id, content="Said by nobody"),
        lambda: robot.update(persons.id, expires="1m"),
        lambda: robot.delete(persons.id),
        lambda: robot.update(agents.id, confidence=1.0),
        lambda: robot.update(agents.id, confidence=0.995),
        lambda: robot.store("fact", "agents", "Inferred", confidence=1),
    ):
        with pytest.raises(LabError, match=r"agent"):
            attempt()
    assert home.rows() == before
    # The person may do all of it.
    assert ada.verify(agents.id).verified
    assert ada.update(agents.id, confidence=1.0).confidence == 1.0
    # An agent's tags leave a person's word alone, its content does not.
    tagged = robot.update(agents.id, tags=["x"])
    assert (tagged.verified, tagged.confidence) == (True, 1.0)
    said = robot.update(agents.id, content="Inferred anew")
    assert (said.verified, said.confidence, said.source) == (False, 0.7, "agent")
    ada.verify(agents.id)
    assert not robot.store("fact", "agents", "And anew").verified
    robot.delete(agents.id)
    assert [memory.id for memory in robot.memories()] == [persons.id]
    # What a person stores over an agent's memory is the person's.
    robot.store("fact", "shared", "maybe")
    assert ada.store("fact", "shared", "surely").source == "user"
    with pytest.raises(Refused):
        robot.store("fact", "shared", "maybe")


INSERT = """insert into memory (workspace, id, kind, mind_id, category, key, content, search_text,
                content_hash, module, collection, source, verified, confidence)
            values (%(workspace)s, 'mem_x', 'note', %(mind)s, 'note', 'x', 'x', 'x',
                '', 'mind:' || %(mind)s, 'mind', %(source)s, %(verified)s, %(confidence)s)"""
FORBIDDEN = {
    "verifies": ("update memory set verified = true where key = 'agents'", {}),
    "becomes sure": ("update memory set confidence = 1 where key = 'agents'", {}),
    "rounds up": ("update memory set confidence = 0.99999999 where key = 'agents'", {}),
    "becomes a person": ("update memory set source = 'user' where key = 'agents'", {}),
    "changes a person's": ("update memory set content = 'no' where key = 'persons'", {}),
    "ends a person's": ("update memory set expires_at = now() where key = 'persons'", {}),
    "deletes a person's": ("delete from memory where key = 'persons'", {}),
    "stores as a person": (INSERT, {"source": "user", "verified": False, "confidence": 0.5}),
    "stores verified": (INSERT, {"source": "agent", "verified": True, "confidence": 0.5}),
    "stores sure": (INSERT, {"source": "agent", "verified": False, "confidence": 1}),
}


@pytest.mark.parametrize("name", sorted(FORBIDDEN))
def test_the_database_holds_an_agent_to_them(home: House, ada: Mind, robot: Mind, name: str) -> None:
    """Past everything that Python checks. The person's same statement is the positive control."""
    ada.store("fact", "persons", "Said by Ada")
    robot.store("fact", "agents", "Inferred")
    statement, more = FORBIDDEN[name]
    values = more and more | {"workspace": home.workspace, "mind": home.mind}
    before = home.rows()
    try:
        touched = home.write(home.agent, statement, values)
    except psycopg.errors.InsufficientPrivilege:
        touched = 0
    assert touched == 0
    assert home.rows() == before
    assert home.write(home.human, statement, values) == 1


OUTSIDE = (
    "insert into role_module values (%(workspace)s, 'x', 'all')",
    "insert into mind (workspace, id, name) values (%(workspace)s, 'm_y', 'y')",
    "insert into credential (workspace, name, kind, member, secret_hash) "
    "values (%(workspace)s, 'y', 'human', 'y', 'y')",
    "update credential set revoked_at = now() where name = 'ada'",
    "update mind set members = '{eve}' where id = %(mind)s",
    "delete from memory where key is null",
    "delete from memory where mind_id = 'm_other'",
    "update memory set mind_id = null, module = 'all', key = null where key = 'agents'",
)


@pytest.mark.parametrize("statement", OUTSIDE)
def test_a_credential_writes_in_its_minds_only(home: House, robot: Mind, statement: str) -> None:
    robot.store("fact", "agents", "Inferred")
    write.ingest(home.server, *one_document(), embedders=[NOISE], workspace=home.workspace)
    for secret in (home.agent, home.human, "lab_h_" + "x" * 43):
        try:
            touched = home.write(secret, statement, {"workspace": home.workspace, "mind": home.mind})
        except psycopg.errors.InsufficientPrivilege:
            touched = 0
        assert touched == 0, secret
    # And without one nothing of a mind is there to be written.
    assert home.write("", "update memory set content = 'no' where key = 'agents'") == 0
    assert home.write("", "delete from memory where mind_id is not null") == 0
    assert home.write("", "update memory set updated_at = now() where mind_id is null") > 0


def one_document() -> tuple[Any, Any]:
    from stock import document, lines

    return [document("open", "Annual leave is 22 days")], lines


def test_a_secret_is_stored_nowhere(home: House) -> None:
    with owner(home.server) as connection:
        connection.execute("select set_config('lab.workspace', %s, true)", [home.workspace])
        rows = connection.execute("select credential::text from credential").fetchall()
    assert len(rows) == 2
    assert not any(secret in row for (row,) in rows for secret in (home.human, home.agent))
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        home.write("", "select secret_hash from credential")
    assert "lab_" not in repr(credentials.Credential("ada", "human", "ada", home.human))


@pytest.mark.parametrize(
    "secret", ["", "ada", "lab_h_" + "A" * 43, "' or true --", "lab_h_\0", "lab_a_" + "ş" * 43]
)
def test_an_unknown_secret_opens_nothing(home: House, secret: str) -> None:
    with pytest.raises(LabError, match="opens nothing here"):
        home.open(secret)


def test_a_credential_of_another_workspace_opens_nothing(home: House) -> None:
    with pytest.raises(LabError, match="opens nothing here"):
        Mind.open(home.server, home.human, home.mind, workspace="elsewhere", embedder=NOISE)


def test_revoked_holds_at_once_also_where_it_is_open(home: House, ada: Mind, robot: Mind) -> None:
    stored = robot.store("note", "one", "words")
    credentials.revoke(home.server, home.workspace, "robot")
    attempts: list[Callable[[], Any]] = [
        robot.recall, robot.memories, lambda: robot.get(stored.id), lambda: robot.search("words"),
        lambda: robot.by_tag("x"), robot.expiring, lambda: robot.store("note", "two", "x"),
        lambda: robot.update(stored.id, tags=["x"]), lambda: robot.delete(stored.id),
    ]  # fmt: skip
    for attempt in attempts:
        with pytest.raises(LabError, match="opens the mind no more"):
            attempt()
    with pytest.raises(LabError, match="opens nothing here"):
        home.open(home.agent)
    assert ada.memories() == [stored]
    with pytest.raises(LabError, match="There is no credential"):
        credentials.revoke(home.server, home.workspace, "nobody")


def test_names_are_given_once(home: House) -> None:
    with pytest.raises(LabError, match="already"):
        credentials.issue_human(home.server, home.workspace, "ada", "eve")
    with pytest.raises(LabError, match="There is no mind"):
        credentials.issue_agent(home.server, home.workspace, "other", "m_none")
    with pytest.raises(LabError, match="is no name"):
        credentials.issue_human(home.server, home.workspace, "a\0b", "eve")


def test_a_person_with_two_minds_says_which(home: House) -> None:
    second = credentials.create_mind(home.server, home.workspace, "İş", ("can", "ada"))
    with pytest.raises(LabError, match="several minds"):
        home.open(home.human)
    with home.open(home.human, mind=second) as work, home.open(home.human, mind=home.mind) as own:
        work.store("note", "one", "at work")
        assert own.memories() == []
        assert work.recall().startswith("Mind: İş\nMemories: 1 total")
    can = credentials.issue_human(home.server, home.workspace, "can", "can")
    with home.open(can) as mind:
        assert (mind.id, len(mind.memories())) == (second, 1)
    with pytest.raises(LabError, match="does not open that mind"):
        home.open(can, mind=home.mind)
    with pytest.raises(LabError, match="does not open that mind"):
        home.open(home.agent, mind=second)


# Other minds and other readers -----------------------------------------------------------------------------

WORD = "zirkonyum"
HERE, THERE = "mind-leaks-here", "mind-leaks-there"


@pytest.fixture(scope="module")
def two(server: Server) -> tuple[House, House, Memory]:
    """Ada's mind with one memory, and Eve's in the same workspace, whose ids and keys she may well guess."""
    own = house(server, HERE)
    eves = credentials.create_mind(server, HERE, "Eve's", ("eve",))
    eve = House(
        server,
        HERE,
        eves,
        credentials.issue_human(server, HERE, "eve", "eve"),
        credentials.issue_agent(server, HERE, "eves robot", eves),
    )
    with own.open(own.human) as ada:
        stored = ada.store("note", "secret", f"The alloy is {WORD}", tags=["alloy"], expires="7d")
    with eve.open(eve.human) as other:
        other.store("note", "open", "Nothing in here", tags=["none"])
    return own, eve, stored


# Each returns what it was given of Ada's mind.
READS: dict[str, Callable[[View, str, str], Any]] = {
    "name_of": lambda view, mind, key: mind_reads.name_of(view, mind),
    "counts": lambda view, mind, key: any(mind_reads.counts(view, mind)),
    "get": lambda view, mind, key: (
        mind_reads.get(view, mind, key) or mind_reads.get(view, mind, "note/secret")
    ),
    "by_importance": lambda view, mind, key: mind_reads.by_importance(view, mind),
    "by_tag": lambda view, mind, key: mind_reads.by_tag(view, mind, "ALLOY"),
    "expiring": lambda view, mind, key: mind_reads.expiring(view, mind, timedelta(weeks=9)),
    "search": lambda view, mind, key: [
        found
        for tag in (None, "alloy")
        for question in (WORD, "alloy")
        for found in mind_reads.search(
            view, mind, question, 5, tag, (NOISE.space, NOISE._draw(f"The alloy is {WORD}"))
        )
    ],
    # The general reads, over the mind's collection.
    "by_words": lambda view, mind, key: [
        found for found in search.by_words(view, WORD, "und", 5, "mind") if found[0] == key
    ],
    "by_vector": lambda view, mind, key: [
        found
        for found in search.by_vector(view, NOISE.space, NOISE._draw("x"), None, "mind")
        if found[0] == key
    ],
    "vectors": lambda view, mind, key: search.vectors(view, NOISE.space, [key]),
    "tables": lambda view, mind, key: [
        table
        for table in DERIVED
        if view.connection.execute(f"select from {table} where module = %s", [MODULE + mind]).rowcount
    ],
}


def test_every_read_of_a_mind_is_covered_and_takes_a_view() -> None:
    functions = {
        name: item
        for name, item in vars(mind_reads).items()
        if inspect.isfunction(item) and item.__module__ == mind_reads.__name__ and not name.startswith("_")
    }
    del functions["memory_of"]  # of a row in hand
    assert functions.keys() <= READS.keys()
    for function in functions.values():
        assert next(iter(inspect.signature(function).parameters.values())).annotation == "View"


def looked(own: House, name: str, key: str, roles: set[str], secret: str, workspace: str = HERE) -> Any:
    sight = Sight(frozenset(roles), None, "ada", workspace)
    with reader(own.server) as connection, looking(connection, sight, secret) as view:
        return READS[name](view, own.mind, key)


@pytest.mark.parametrize("name", sorted(READS))
def test_a_mind_is_read_with_its_credential_only(two: tuple[House, House, Memory], name: str) -> None:
    own, eve, stored = two
    mine = {MODULE + own.mind}
    for secret in (own.human, own.agent):  # the positive control
        assert looked(own, name, stored.id, mine, secret)
    every = mine | {MODULE + eve.mind, "employee", "hr"}
    for secret in ("", eve.human, eve.agent, "lab_h_" + "x" * 43):
        for roles in (mine, every):
            assert not looked(own, name, stored.id, roles, secret), (roles, secret)
    assert not looked(own, name, stored.id, every, own.human, THERE)
    if name != "name_of":  # a credential alone is no role
        assert not looked(own, name, stored.id, set(), own.human)
        assert not looked(own, name, stored.id, {MODULE + eve.mind}, own.human)


def test_other_minds_do_not_move_a_score(two: tuple[House, House, Memory]) -> None:
    own, eve, _ = two
    with eve.open(eve.human) as other:
        before = other.search(f"nothing {WORD}")
        with own.open(own.human) as ada:
            extra = [ada.store("note", f"n{number}", f"nothing {WORD} here") for number in range(5)]
        assert other.search(f"nothing {WORD}") == before != []
        with own.open(own.human) as ada:
            for memory in extra:
                ada.delete(memory.id)


@pytest.mark.parametrize("who", ["human", "agent"])
def test_another_mind_is_neither_read_nor_written(two: tuple[House, House, Memory], who: str) -> None:
    own, eve, stored = two
    before = own.rows()
    with eve.open(getattr(eve, who)) as other:
        for reference in (stored.id, "note/secret", f"' or mind_id = '{own.mind}"):
            for attempt in (other.get, other.delete, lambda key: other.update(key, content="mine now")):
                with pytest.raises(LabError) as caught:
                    attempt(reference)
                assert (
                    caught.value.happened == f"There is no memory {reference!r} here."
                )  # as if there were none
        assert WORD not in other.recall()
        assert all(found.memory.mind_id == eve.mind for found in other.search(WORD))
        assert other.by_tag("alloy") == []
        assert [memory.mind_id for memory in other.expiring("52w")] == []
    for secret in (eve.human, eve.agent):
        assert own.write(secret, "update memory set content = 'mine' where mind_id = %s", [own.mind]) == 0
        assert own.write(secret, "delete from memory where id = %s", [stored.id]) == 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            own.write(
                secret,
                INSERT,
                {"workspace": HERE, "mind": own.mind, "source": "agent", "verified": False, "confidence": 0},
            )
    assert own.rows() == before


def test_roles_of_minds_are_not_offered(two: tuple[House, House, Memory]) -> None:
    write.allow(two[0].server, HERE, "employee", {"all"})
    assert write.roles(two[0].server, HERE) == {"employee": frozenset({"all"})}
    with seen_by(two[0].server, MODULE + two[0].mind, workspace=HERE) as view:
        assert view.modules == ()


def test_removing_the_rule_of_minds_is_noticed(two: tuple[House, House, Memory]) -> None:
    """The mutation: without it whoever names the role reads the mind, and the tests above would see it."""
    own, _, stored = two
    mine = {MODULE + own.mind}
    with owner(own.server) as connection:
        definition = connection.execute(
            "select pg_get_expr(polqual, polrelid) from pg_policy "
            "where polname = 'minds' and polrelid = 'role_module'::regclass"
        ).fetchone()
        assert definition is not None
        connection.execute("drop policy minds on role_module")
    try:
        leaking = {name for name in READS if looked(own, name, stored.id, mine, "")}
    finally:
        with owner(own.server) as connection:
            connection.execute(
                "create policy minds on role_module as restrictive for select to lab_reader "
                f"using ({definition[0]})"
            )
    assert leaking == READS.keys() - {"name_of"}  # which asks for the credential itself
    assert not looked(own, "get", stored.id, mine, "")


# Gone ------------------------------------------------------------------------------------------------------


def test_a_deleted_memory_is_gone_everywhere(home: House, ada: Mind, robot: Mind) -> None:
    kept = ada.store("note", "kept", "stays here", tags=["x"])
    before = home.rows()
    gone = robot.store("note", "gone", f"the {WORD} leaves", tags=["x", "y"], expires="7d")
    twin = ada.store("fact", "twin", "the same words twice")
    same = ada.store("fact", "same", "the same words twice")
    assert home.cached(f"the {WORD} leaves", "the same words twice") == 2
    for memory in (gone, twin):
        ada.delete(memory.id)
        with pytest.raises(LabError, match="There is no memory"):
            ada.get(memory.id)
        with pytest.raises(LabError, match="There is no memory"):
            ada.delete(memory.id)
        assert memory.id not in {found.memory.id for found in ada.search(memory.content)}
    assert home.cached(f"the {WORD} leaves") == 0
    assert home.cached("the same words twice") == 1  # its twin still has it
    ada.delete(same.id)
    assert home.cached("the same words twice") == 0
    assert ada.by_tag("y") == ada.expiring("52w") == []
    assert [memory.id for memory in ada.by_tag("x")] == [kept.id]
    assert WORD not in ada.recall()
    after = home.rows()
    for table in ("memory", "memory_vector", "posting", "lexeme_df"):
        assert after[table] == before[table], table
    with owner(home.server) as connection:  # nor any other table: past the policies, by the table's own text
        connection.execute("select set_config('lab.workspace', %s, true)", [home.workspace])
        assert WORD not in str(connection.execute("select audit_head::text from audit_head").fetchall())
    with writer(home.server) as connection, writing(connection, home.workspace, home.human):
        for table in (*DERIVED, "document", "audit"):
            rows = connection.execute(f"select {table}::text from {table}").fetchall()
            logged = [row for (row,) in rows if WORD in row]
            assert table == "audit" or logged == [], table
            # The log has what was asked, not what was stored.
            assert all(",search," in row for row in logged)
    consistent(home)


def test_the_process_forgets_too(home: House) -> None:
    noise = Noise(24, "mind-forget")
    cached = Cached(noise, home.server)
    with home.open(home.human, embedder=cached) as ada:
        stored = ada.store("note", "one", "first words")
        elsewhere = Cached(noise, home.server)
        elsewhere.passages(["first words"])
        ada.update(stored.id, content="second words")
        elsewhere.passages(["second words"])
        ada.delete(stored.id)
        assert noise.computed == ["first words", "second words"]
        elsewhere.passages(["first words", "second words"])
        assert noise.computed == ["first words", "second words"] * 2  # computed anew: nothing was left


# Faults ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "odd",
    ["'; drop table memory; --", "%s %(x)s {}", "$1", "\\", 'a" or "a"="a', "note/' or true --", "%", "_"],
)
def test_sql_in_names_and_filters_is_text(home: House, ada: Mind, odd: str) -> None:
    stored = ada.store("note", "plain", odd, tags=[odd])
    ada.store("note", "other", "something else")
    assert ada.by_tag(odd) == [stored]
    assert [found.memory for found in ada.search(odd, tag=odd)] == [stored]
    with pytest.raises(LabError, match="There is no memory"):
        ada.get(odd)
    mind = credentials.create_mind(home.server, home.workspace, odd, (odd,))
    secret = credentials.issue_human(home.server, home.workspace, odd, odd)
    with home.open(secret) as mine:
        assert mine.id == mind
        assert mine.recall().startswith(f"Mind: {odd}\n")
    with pytest.raises(LabError, match="does not open"):
        home.open(secret, mind=odd)


@pytest.mark.parametrize("bad", ["a \0 b", "a \ud83d b"])
def test_bad_text_in_questions_is_named(home: House, ada: Mind, bad: str) -> None:
    for attempt in (ada.search, ada.get, ada.delete, ada.by_tag, lambda text: ada.update(text, tags=[])):
        with pytest.raises(LabError, match=r"a NUL byte|half a character|is no tag"):
            attempt(bad)
    with pytest.raises(LabError):
        ada.search("x", tag=bad)
    assert audit.verify(home.server, home.workspace).problems == ()


@pytest.mark.slow
def test_a_memory_of_a_megabyte(home: House, ada: Mind) -> None:
    words = " ".join(f"kelime{number} ışıklı" for number in range(55_000))
    assert 900_000 < len(words) < 1_200_000
    stored = ada.store("note", "large", f"{words} {WORD}")
    assert ada.get("note/large").content == f"{words} {WORD}"
    found = ada.search(WORD)
    assert found[0].memory.id == stored.id
    assert "bm25" in found[0].scores  # a word at its very end
    ada.store("note", "large", "small again")
    assert len(home.rows()["posting"]) == 1  # "again" is a stop word
    consistent(home)
    one_word = ada.store("note", "long_word", "x" * 1_000_000)
    ada.delete(one_word.id)
    consistent(home)


def test_a_wrong_dimension_writes_nothing(home: House, ada: Mind) -> None:
    stored = ada.store("note", "one", "first")
    before = home.rows()
    wrong = Noise(16, "wrong")
    wrong.space = NOISE.space
    with pytest.raises(LabError, match="has 24 dimensions, not 16"):
        with home.open(home.human, embedder=wrong) as other:
            other.store("note", "two", "second")
    short = Noise(24, "mind-short")
    short._draw = lambda text: np.ones(20, np.float32)  # type: ignore[method-assign]
    with pytest.raises(LabError, match="has 24 dimensions"):
        home.open(home.human, embedder=short)  # gives the first memory its vector
    broken = Noise(24, "mind-broken", broken=float("nan"))
    with pytest.raises(LabError, match="no usable vector"):
        home.open(home.human, embedder=broken)
    assert home.rows() == before
    assert ada.memories() == [stored]


def test_a_pool_that_is_all_in_use_says_so(home: House) -> None:
    with home.open(home.human, connections=1) as ada:
        stored = ada.store("note", "one", "first")
        before = home.rows()
        ada._readers.timeout = ada._writers.timeout = 0.3
        with ada._writers.connection():
            with pytest.raises(LabError, match="All 1 connections are in use"):
                ada.store("note", "two", "second")
            with pytest.raises(LabError, match="All 1 connections are in use"):
                ada.recall()  # read, but not logged: not handed out
        with ada._readers.connection():
            with pytest.raises(LabError, match="All 1 connections are in use"):
                ada.memories()
        assert home.rows() == before
        assert ada.memories() == [stored]


def test_a_server_without_a_free_connection_says_so(home: House, ada: Mind) -> None:
    stored = ada.store("note", "one", "first")
    with ExitStack() as stack:
        with pytest.raises(psycopg.OperationalError):
            for _ in range(200):
                stack.enter_context(psycopg.connect(**home.server.reader))
        with pytest.raises(LabError, match="takes no more connections"):
            home.open(home.human)
        assert ada.memories() == [stored]  # who has connections goes on
        ada.update(stored.id, tags=["x"])
    assert audit.verify(home.server, home.workspace).problems == ()
    with home.open(home.human) as again:
        assert len(again.memories()) == 1


@pytest.mark.skipif(os.name == "nt", reason="kill -9")
def test_a_server_killed_within_a_write_has_written_nothing() -> None:
    where = Path(tempfile.mkdtemp(prefix="lab-mind-"))
    os.chmod(where, 0o711)
    try:
        server = servers.up(where)
        migrate(server)
        home = house(server, "killed")
        with home.open(home.human) as ada:
            first = ada.store("note", "one", "first words")
            log = audit.verify(server, "killed")
            before = {table: [row[2] for row in found] for table, found in home.rows().items()}
            errors: list[BaseException] = []

            def attempt(write_one: Callable[[], Any]) -> None:
                try:
                    write_one()
                except BaseException as error:
                    errors.append(error)

            with ExitStack() as stack:
                blocker = psycopg.connect(**server.owner)
                # Vectors are placed last before the log: all else is written, and waits.
                blocker.execute("lock table memory_vector in share mode")
                watcher = psycopg.connect(**server.owner, autocommit=True)
                stack.callback(watcher.close)
                stack.callback(blocker.close)
                threads = [
                    threading.Thread(target=attempt, args=(write_one,))
                    for write_one in (
                        lambda: ada.store("note", "two", "second words"),
                        lambda: ada.update(first.id, content="changed words"),
                    )
                ]
                for thread in threads:
                    thread.start()
                for _ in range(300):
                    waiting = watcher.execute(
                        "select count(*) from pg_locks "
                        "where relation = 'memory_vector'::regclass and not granted"
                    ).fetchone()
                    if waiting == (1,):
                        break
                    time.sleep(0.05)
                assert waiting == (1,)
                pid = servers.status(where).pid
                assert pid is not None
                os.kill(pid, signal.SIGKILL)
                for thread in threads:
                    thread.join(60)
            assert len(errors) == 2
            assert all(isinstance(error, LabError) for error in errors), errors
            again = replace(home, server=servers.up(where))
            assert {table: [row[2] for row in found] for table, found in again.rows().items()} == before
            assert audit.verify(again.server, "killed", [log.head] if log.head else []).problems == ()
            with again.open(home.human) as ada_again:
                assert [memory.content for memory in ada_again.memories()] == ["first words"]
                ada_again.store("note", "two", "second words")
                consistent(again)
    finally:
        servers.down(where)
        shutil.rmtree(where, ignore_errors=True)


_CLIENT = """
import pathlib, sys
sys.path[:0] = {path!r}
from stock import Noise
from lab.memory import server
from lab.memory.mind import Mind
ready = server.up(pathlib.Path({home!r}))
own = Mind.open(ready, {secret!r}, workspace={workspace!r}, embedder=Noise(24, "mind"))
own.store("note", "two", "second words")
"""


@pytest.mark.skipif(os.name == "nt", reason="kill -9")
def test_a_client_killed_within_a_write_has_written_nothing(home: House, ada: Mind) -> None:
    ada.store("note", "one", "first words")
    before = home.rows()
    here = Path(__file__).resolve().parent
    assert home.server.data is not None
    script = _CLIENT.format(
        path=[str(here), str(here.parent)],
        home=str(home.server.data.parent),
        secret=home.human,
        workspace=home.workspace,
    )
    with owner(home.server) as blocker:
        blocker.execute("lock table memory_vector in share mode")
        with owner(home.server) as watcher, subprocess.Popen([sys.executable, "-c", script]) as client:
            watcher.autocommit = True
            for _ in range(600):
                waiting = watcher.execute(
                    "select count(*) from pg_locks where relation = 'memory_vector'::regclass and not granted"
                ).fetchone()
                if waiting == (1,):
                    break
                time.sleep(0.1)
            assert waiting == (1,)
            client.send_signal(signal.SIGKILL)
            assert client.wait(10) == -signal.SIGKILL
        blocker.rollback()
    ada.store("note", "three", "third words")  # waits until the dead one's lock is gone
    assert [memory.key for memory in ada.memories()] == ["three", "one"]
    ada.delete("note/three")
    after = home.rows()
    assert after["memory"] == before["memory"]
    consistent(home)


# The command line ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_command_line(server: Server) -> None:
    assert server.data is not None
    environment = {
        "LAB_HOME": str(server.data.parent),
        "LAB_WORKSPACE": "mind-cli",
        "LAB_EMBEDDER": "use",
        "LAB_CREDENTIAL": "",
    }
    inside = in_this_process(environment)

    def lab(*arguments: str, code: int = 0, secret: str = "", given: bytes = b"") -> Any:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), "utf-8"))
            ran = inside(*arguments, LAB_CREDENTIAL=secret)
        assert ran.code == code, ran.err
        return ran.object if "--json" in arguments else (ran.out, ran.err)

    made = lab("mind", "new", "Ada'nın Zihni", "--member", "ada", "--json")
    own = made["secret"]
    robot = lab("mind", "key", "robot", "--mind", made["mind"], "--json")["secret"]
    assert (own[:6], robot[:6]) == ("lab_h_", "lab_a_")
    stored = lab(
        "mind", "store", "preference", "reply_style", "-", "--tag", "İletişim", "--expires", "7d", "--json",
        secret=robot, given="Kısa yanıt".encode(),
    )  # fmt: skip
    assert (stored["content"], stored["source"], stored["verified"], stored["tags"]) == (
        "Kısa yanıt", "agent", False, ["İletişim"],
    )  # fmt: skip
    _, said = lab("mind", "verify", stored["id"], code=2, secret=robot)
    assert "verifies nothing" in said
    assert lab("mind", "verify", stored["id"], "--as", own, "--json")["verified"]
    changed = lab(
        "mind", "update", "preference/reply_style", "--priority", "high", "--expires", "never", "--json",
        secret=own,
    )  # fmt: skip
    assert (changed["priority"], changed["expires_at"]) == ("high", None)
    assert lab("mind", "recall", secret=robot)[0] == (
        "Mind: Ada'nın Zihni\nMemories: 1 total (1 verified, 0 unverified)\n\n"
        "[001] preference (HIGH) [verified]\n  reply_style\n  Kısa yanıt\n  Tags: İletişim\n"
    )
    for command in (["tag", "iletişim"], ["search", "yanıtlar", "--tag", "İLETİŞİM", "-k", "1"]):
        assert [m["id"] for m in lab("mind", *command, "--json", secret=own)["memories"]] == [stored["id"]]
    assert lab("mind", "expiring", "--json", secret=own) == {"memories": []}
    others = {name: value for name, value in os.environ.items() if not name.startswith("LAB_")}
    half = in_a_process(others | environment)(
        "mind", "store", "note", "bad", b"half \xff", LAB_CREDENTIAL=own
    )
    assert (half.code, half.out) == (2, "")
    assert "half a character (U+DCFF) after 'half '" in half.err
    _, said = lab("mind", "store", "note", "bad", "-", code=2, secret=own, given=b"\xff\xfe")
    assert "not UTF-8" in said
    _, said = lab("mind", "recall", code=2)
    assert "No credential was shown" in said
    assert lab("mind", "delete", stored["id"], "--json", secret=robot) == {"deleted": stored["id"]}
    rows = lab("audit", "--json")["rows"]
    assert [row["action"] for row in rows] == [
        "store", "verify", "verify", "update", "recall", "by_tag", "search", "expiring", "delete",
    ]  # fmt: skip
    assert [row["actor"] for row in rows[:3]] == ["robot", "robot", "ada"]
    checked = lab("audit", "verify", "--json")
    assert (checked["rows"], checked["problems"]) == (9, [])
    assert checked["head"] == f"9:{rows[-1]['hash']}"
    assert lab("mind", "list", "--json")["credentials"] == [
        {"name": "ada", "kind": "human", "of": "ada", "valid": True},
        {"name": "robot", "kind": "agent", "of": made["mind"], "valid": True},
    ]
    lab("mind", "revoke", "robot")
    _, said = lab("mind", "recall", code=2, secret=robot)
    assert "opens nothing here" in said
