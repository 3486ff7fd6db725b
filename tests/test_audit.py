"""The log: a chain that holds under concurrent writers, and whose every break is found."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
from stock import Noise, document, lines

from lab.kinds import LabError, Sight
from lab.memory import audit, audit_ends, credentials, write
from lab.memory.audit import End, Entry
from lab.memory.connect import owner, reader, writer
from lab.memory.mind import Mind
from lab.memory.server import Server
from lab.memory.visibility import writing


@pytest.fixture
def workspace(server: Server, request: pytest.FixtureRequest) -> str:
    """A workspace with a log of five rows."""
    name = str(request.node.name)
    for number in range(1, 6):
        audit.record(
            server,
            name,
            Entry("ada", "human", "search", f"soru {number}", [f"mem_{number}", "mem_0"], mind="m_1"),
        )
    return name


def tampered(server: Server, workspace: str, statement: str, values: Any = ()) -> int:
    """What somebody does who owns the database: no policy and no trigger holds him."""
    with owner(server) as connection:
        connection.execute(
            "alter table audit disable trigger all; alter table audit no force row level security"
        )
        connection.execute("alter table audit_head no force row level security")
        try:
            touched = connection.execute(statement, {"workspace": workspace} | dict(values)).rowcount
        finally:
            connection.execute(
                "alter table audit enable trigger all; alter table audit force row level security"
            )
            connection.execute("alter table audit_head force row level security")
    return touched


def problems(server: Server, workspace: str, *known: End) -> tuple[str, ...]:
    return audit.verify(server, workspace, known).problems


# What is written -------------------------------------------------------------------------------------------


def test_rows_are_numbered_and_chained(server: Server, workspace: str) -> None:
    rows = audit.read(server, workspace)
    assert [line.number for line in rows] == [1, 2, 3, 4, 5]
    assert [line.previous for line in rows] == [b"", *(line.hash for line in rows[:4])]
    assert [line.asked for line in rows] == [f"soru {number}" for number in range(1, 6)]
    assert rows[2].memories == ("mem_3", "mem_0")
    assert sorted(line.at for line in rows) == [line.at for line in rows]
    assert [line.number for line in audit.read(server, workspace, last=2)] == [4, 5]
    report = audit.verify(server, workspace)
    assert report == audit.Report(5, End(5, rows[4].hash.hex()), ())
    assert audit.parse_end(str(report.head)) == report.head


def test_the_hash_is_what_the_docstring_says() -> None:
    """One row by hand, so that database, verifier and description can't drift together."""
    import hashlib

    line = audit.Line(
        "ev", 7, datetime(2027, 1, 2, 3, 4, 5, 60_000, tzinfo=UTC), "ada", "human", "ask", None, "İzin?",
        ("a", "bc"), date(2025, 6, 1), "T1", "{}", b"\x01", b"",
    )  # fmt: skip
    text = "2:ev1:727:2027-01-02T03:04:05.060000Z3:ada5:human3:ask-6:İzin?7:1:a2:bc10:2025-06-012:T12:{}"
    assert audit.digest(line) == hashlib.sha256(b"\x01" + text.encode()).digest()


def test_odd_texts_are_logged_and_verified(server: Server, workspace: str) -> None:
    odd = ["", "İIıi 🦑", "a\0b", "half \ud83d", "x" * 5_000, "'; drop table audit; --", "5:soru-", "\n\r\t"]
    for text in odd:
        entry = Entry("who", "role", "ask", text, [f"mem {number}" for number in range(3)], rung=text)
        audit.record(server, workspace, replace(entry, as_of=date(1, 1, 1), detail={"t": text[:5]}))
    rows = audit.read(server, workspace, last=len(odd))
    assert [line.asked for line in rows[:5]] == ["", "İIıi 🦑", "a\ufffdb", "half ?", "x" * 1_999 + "…"]
    assert json.loads(rows[1].detail) == {"t": "İIıi "}
    assert problems(server, workspace) == ()


def test_two_workspaces_have_two_chains(server: Server, workspace: str) -> None:
    audit.record(server, workspace + "-other", Entry("can", "human", "recall"))
    assert [line.number for line in audit.read(server, workspace + "-other")] == [1]
    assert [line.actor for line in audit.read(server, workspace)] == ["ada"] * 5
    assert audit.verify(server, "empty") == audit.Report(0, None, ())


def test_a_row_is_part_of_its_transaction(server: Server, workspace: str) -> None:
    with pytest.raises(RuntimeError, match="on purpose"):
        with writer(server) as connection, writing(connection, workspace):
            audit.append(connection, workspace, Entry("ada", "human", "store"))
            raise RuntimeError("on purpose")
    audit.record(server, workspace, Entry("ada", "human", "recall"))
    assert [(line.number, line.action) for line in audit.read(server, workspace, 2)] == [
        (5, "search"), (6, "recall"),
    ]  # fmt: skip
    assert problems(server, workspace) == ()


def test_concurrent_writers_make_one_chain(server: Server, workspace: str) -> None:
    errors: list[BaseException] = []
    seen: list[audit.Report] = []
    barrier = threading.Barrier(13)
    done = threading.Event()

    def append(name: int) -> None:
        try:
            with writer(server, vector=False) as connection:
                barrier.wait()
                for number in range(25):
                    try:
                        with writing(connection, workspace):
                            audit.append(connection, workspace, Entry(f"w{name}", "agent", f"a{number}"))
                            if number % 5 == 0:
                                raise RuntimeError
                    except RuntimeError:
                        pass  # undone: must leave no gap
        except BaseException as error:
            errors.append(error)

    def watch() -> None:
        barrier.wait()
        while not done.is_set():
            seen.append(audit.verify(server, workspace))

    threads = [threading.Thread(target=append, args=(name,)) for name in range(12)]
    watcher = threading.Thread(target=watch)
    for thread in [*threads, watcher]:
        thread.start()
    for thread in threads:
        thread.join()
    done.set()
    watcher.join()
    assert errors == []
    report = audit.verify(server, workspace)
    assert (report.rows, report.problems) == (5 + 12 * 20, ())
    assert all(each.problems == () for each in seen)  # also while it grows
    rows = audit.read(server, workspace, 1_000)
    for name in range(12):
        own = [int(line.action[1:]) for line in rows if line.actor == f"w{name}"]
        assert own == [number for number in range(25) if number % 5]


# Who may do what to it -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "update audit set actor = 'eve'",
        "delete from audit",
        "truncate audit",
        "update audit_head set number = 3",
        "delete from audit_head",
        "insert into audit_head values (%(workspace)s, 1, '')",
        "insert into audit (workspace, number, at, actor, kind, action, previous, hash) "
        "values (%(workspace)s, 99, now(), 'eve', 'human', 'ask', '', '')",
        "insert into audit (workspace, actor, kind, action) values ('another', 'eve', 'human', 'ask')",
        "alter table audit disable trigger all",
        "drop table audit",
    ],
)
def test_the_writing_role_can_only_append(server: Server, workspace: str, statement: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        with writer(server) as connection:
            with connection.transaction():
                connection.execute("select set_config('lab.workspace', %s, true)", [workspace])
                connection.execute(statement, {"workspace": workspace} if "%" in statement else None)
    assert audit.verify(server, workspace).rows == 5
    assert problems(server, workspace) == ()


@pytest.mark.parametrize("table", ["audit", "audit_head", "credential"])
def test_the_reading_role_sees_none_of_it(server: Server, workspace: str, table: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        with reader(server) as connection:
            connection.execute(f"select * from {table}")
    with writer(server) as connection:
        assert connection.execute("select from audit").rowcount == 0  # of no workspace


# What is found ---------------------------------------------------------------------------------------------

COLUMNS = {
    "at": "at + interval '1 microsecond'",
    "actor": "'eve'",
    "kind": "'agent'",
    "action": "'get'",
    "mind": "null",
    "asked": "'another question'",
    "memories": "memories[1:1]",
    "as_of": "'2025-01-01'",
    "rung": "'T1'",
    "detail": "'{ }'",
    "previous": "'\\x00'",
    "hash": "sha256('')",
}


def test_every_column_is_listed(server: Server) -> None:
    with writer(server) as connection:
        rows = connection.execute(
            "select attname from pg_attribute where attrelid = 'audit'::regclass and attnum > 0"
        ).fetchall()
    assert {name for (name,) in rows} == COLUMNS.keys() | {"workspace", "number"}


@pytest.mark.parametrize("column", sorted(COLUMNS))
@pytest.mark.parametrize("number", [1, 3, 5])
def test_a_changed_row_is_found(server: Server, workspace: str, column: str, number: int) -> None:
    statement = (
        f"update audit set {column} = {COLUMNS[column]} where workspace = %(workspace)s and number = %(n)s"
    )
    assert tampered(server, workspace, statement, {"n": number}) == 1
    assert f"row {number} was changed" in problems(server, workspace)


def test_words_moved_from_one_column_to_the_next_are_found(server: Server, workspace: str) -> None:
    tampered(
        server,
        workspace,
        "update audit set asked = mind || asked, mind = '' where workspace = %(workspace)s and number = 2",
    )
    assert problems(server, workspace) == ("row 2 was changed",)
    tampered(
        server,
        workspace,
        "update audit set memories = '{mem_4mem_0}' where workspace = %(workspace)s and number = 4",
    )
    assert problems(server, workspace) == ("row 2 was changed", "row 4 was changed")


@pytest.mark.parametrize(
    ("numbers", "found"),
    [
        ([1], "row 1 is missing"),
        ([3], "row 3 is missing"),
        ([1, 2], "rows 1 to 2 are missing"),
        ([2, 3, 4], "rows 2 to 4 are missing"),
        ([5], "the log ends at row 4 but was at row 5: its end was cut off"),
        ([4, 5], "the log ends at row 3 but was at row 5: its end was cut off"),
        ([1, 2, 3, 4, 5], "the log ends at row 0 but was at row 5: its end was cut off"),
    ],
)
def test_a_removed_row_is_found(server: Server, workspace: str, numbers: list[int], found: str) -> None:
    tampered(
        server,
        workspace,
        "delete from audit where workspace = %(workspace)s and number = any(%(n)s)",
        {"n": numbers},
    )
    assert found in problems(server, workspace)


def test_reordered_rows_are_found(server: Server, workspace: str) -> None:
    for old, new in ((2, 99), (3, 2), (99, 3)):
        tampered(
            server,
            workspace,
            "update audit set number = %(new)s where workspace = %(workspace)s and number = %(old)s",
            {"old": old, "new": new},
        )
    assert [line.asked for line in audit.read(server, workspace)][1:3] == ["soru 3", "soru 2"]
    assert {"row 2 was changed", "row 3 was changed"} <= set(problems(server, workspace))


def test_a_row_slipped_in_is_found(server: Server, workspace: str) -> None:
    tampered(
        server,
        workspace,
        """insert into audit (workspace, number, at, actor, kind, action, memories, detail, previous, hash)
           select workspace, 6, at, 'eve', kind, action, memories, detail, hash, sha256(hash) from audit
           where workspace = %(workspace)s and number = 5""",
    )
    assert problems(server, workspace) == (
        "row 6 was changed",
        "the log's end, row 6, is not the one that was appended last",
    )


def rewrite(server: Server, workspace: str, upto: int) -> None:
    """A whole new chain whose hashes are right, and its end as if nothing had happened."""
    before, rows = b"", []
    for line in audit.read(server, workspace)[:upto]:
        made = replace(line, actor="eve", previous=before)
        rows.append(replace(made, hash=audit.digest(made)))
        before = rows[-1].hash
    for line in rows:
        tampered(
            server,
            workspace,
            "update audit set actor = 'eve', previous = %(previous)s, hash = %(hash)s "
            "where workspace = %(workspace)s and number = %(n)s",
            {"previous": line.previous, "hash": line.hash, "n": line.number},
        )
    tampered(
        server, workspace, "delete from audit where workspace = %(workspace)s and number > %(n)s", {"n": upto}
    )
    tampered(
        server,
        workspace,
        "update audit_head set number = %(n)s, hash = %(hash)s where workspace = %(workspace)s",
        {"n": upto, "hash": before},
    )


@pytest.mark.parametrize(
    ("upto", "found"),
    [
        (3, "row 5 was noted earlier and is missing: the log's end was cut off"),
        (5, "row 5 is not the one noted earlier"),
    ],
)
def test_a_log_written_anew_is_found_by_an_end_kept_elsewhere(
    server: Server, workspace: str, upto: int, found: str, tmp_path: Path
) -> None:
    head = audit.verify(server, workspace).head
    assert head is not None
    audit_ends.note(tmp_path, server, workspace, head)
    audit_ends.note(tmp_path, server, workspace + "-other", End(1, "0" * 64))
    rewrite(server, workspace, upto)
    assert problems(server, workspace) == ()  # nothing within the database says so
    assert problems(server, workspace, *audit_ends.noted(tmp_path, server, workspace)) == (found,)
    # Rows appended since do not help it.
    audit.record(server, workspace, Entry("eve", "human", "recall"))
    audit.record(server, workspace, Entry("eve", "human", "recall"))
    assert problems(server, workspace, *audit_ends.noted(tmp_path, server, workspace)) == (
        "row 5 is not the one noted earlier",
    )


def test_the_noted_end(server: Server, tmp_path: Path) -> None:
    assert audit_ends.noted(tmp_path, server, "x") == ()
    for number in (1, 2):
        audit_ends.note(tmp_path, server, "x", End(number, "a" * 64))
    assert audit_ends.noted(tmp_path, server, "x") == (End(2, "a" * 64),)
    assert os.listdir(tmp_path) == [audit_ends.FILE]
    (tmp_path / audit_ends.FILE).write_text("{", encoding="utf-8")
    with pytest.raises(LabError, match="can't be read"):
        audit_ends.noted(tmp_path, server, "x")
    for text in ("", "5", "5:abc", "x:" + "a" * 64, "5:" + "A" * 64, "-1:" + "a" * 64):
        with pytest.raises(LabError, match="is no end of a log"):
            audit.parse_end(text)


# What the lab logs -----------------------------------------------------------------------------------------


def test_a_question_is_logged_with_what_its_asker_may_see(server: Server, workspace: str) -> None:
    """A rung may read with rights of its own; the log must not tell what it met there."""
    write.allow(server, workspace, "employee", {"all"})
    write.allow(server, workspace, "hr", {"all", "hr-only"})
    bands = document("bands", "160 at most", access="hr-only")
    opened = document("leave", "22 days", valid_from=date(2026, 1, 1))  # given by a rung below the editions
    write.ingest(server, [opened, bands], lines, embedders=[Noise()], workspace=workspace)
    ids = ["section:bands@2025#1/0", "section:leave@2025#1/0", "section:none@2025#1/0"]
    for role in ("employee", "hr"):
        with reader(server) as connection:
            audit.answered(
                server,
                connection,
                Sight(frozenset({role}), date(2025, 6, 1), workspace=workspace),
                role=role,
                question="Kaç gün izin?",
                memories=ids,
                rung="bare",
                detail={"abstained": False},
            )
    rows = audit.read(server, workspace, 2)
    assert [line.memories for line in rows] == [(ids[1],), (ids[0], ids[1])]
    assert "bands" not in str(rows[0])
    assert [
        (line.actor, line.kind, line.action, line.asked, line.as_of, line.rung, line.detail) for line in rows
    ] == [
        (role, "role", "ask", "Kaç gün izin?", date(2025, 6, 1), "bare", '{"abstained": false}')
        for role in ("employee", "hr")
    ]
    assert problems(server, workspace) == ()


@pytest.fixture
def minds(server: Server, request: pytest.FixtureRequest) -> Iterator[tuple[Mind, Mind]]:
    """A person's way into a mind, and an agent's."""
    own = str(request.node.name)
    mind = credentials.create_mind(server, own, "Ada's", ("ada",))
    secrets = (
        credentials.issue_human(server, own, "ada", "ada"),
        credentials.issue_agent(server, own, "bot", mind),
    )
    with (
        Mind.open(server, secrets[0], workspace=own, embedder=Noise()) as ada,
        Mind.open(server, secrets[1], workspace=own, embedder=Noise()) as bot,
    ):
        yield ada, bot


def test_every_operation_of_a_mind_is_logged(server: Server, minds: tuple[Mind, Mind]) -> None:
    ada, bot = minds
    stored = bot.store("note", "one", "a very secret word", tags=["x"], expires="3d")
    bot.store("note", "one", "a very secret word", tags=["x"], expires=stored.expires_at)
    for refused in (
        lambda: bot.verify(stored.id), lambda: bot.delete("mem_none"), lambda: bot.get("note/two"),
    ):  # fmt: skip
        with pytest.raises(LabError):
            refused()
    ada.verify("note/one")
    bot.update(stored.id, priority="low")
    bot.get(stored.id)
    bot.recall()
    bot.memories()
    bot.search("secret?", tag="X")
    bot.by_tag("X")
    bot.expiring("1w")
    ada.delete(stored.id)
    rows = audit.read(server, ada.workspace)
    one = (stored.id,)
    assert [
        (line.actor, line.action, line.asked, line.memories, json.loads(line.detail)) for line in rows
    ] == [
        ("bot", "store", None, one, {"outcome": "added"}),
        ("bot", "store", None, one, {"outcome": "unchanged"}),
        ("bot", "verify", stored.id, (), {"outcome": "refused"}),
        ("bot", "delete", "mem_none", (), {"outcome": "refused"}),
        ("bot", "get", "note/two", (), {}),
        ("ada", "verify", None, one, {"outcome": "updated"}),
        ("bot", "update", None, one, {"outcome": "updated"}),
        ("bot", "get", stored.id, one, {}),
        ("bot", "recall", None, one, {}),
        ("bot", "memories", None, one, {}),
        ("bot", "search", "secret?", one, {"tag": "X"}),
        ("bot", "by_tag", "X", one, {}),
        ("bot", "expiring", "1w", one, {}),
        ("ada", "delete", None, one, {}),
    ]
    assert {line.mind for line in rows} == {ada.id}
    assert [line.kind for line in rows if line.actor == "ada"] == ["human"] * 2
    assert {line.as_of for line in rows if line.action in ("get", "recall", "search")} == {date.today()}
    assert "a very secret word" not in str(rows)
    assert problems(server, ada.workspace) == ()


def test_an_answer_that_cannot_be_logged_is_not_given(server: Server, minds: tuple[Mind, Mind]) -> None:
    ada, _ = minds
    stored = ada.store("note", "one", "words")
    with owner(server) as connection:
        connection.execute("revoke insert on audit from lab_writer")
        connection.execute(
            "revoke insert (workspace, actor, kind, action, mind, asked, memories, as_of, rung, detail) "
            "on audit from lab_writer"
        )
    try:
        for attempt in (
            ada.recall,
            lambda: ada.search("words"),
            lambda: ada.get(stored.id),
            lambda: ada.store("note", "two", "more"),
            lambda: ada.delete(stored.id),
        ):
            with pytest.raises((LabError, psycopg.errors.InsufficientPrivilege)):
                attempt()
    finally:
        with owner(server) as connection:
            connection.execute(
                "grant insert (workspace, actor, kind, action, mind, asked, memories, as_of, rung, detail) "
                "on audit to lab_writer"
            )
    assert ada.memories() == [stored]  # neither the second stored nor the first deleted
