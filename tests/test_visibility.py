"""The rule of who sees what, as the database applies it, against the same rule in plain Python."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import psycopg
import pytest
from stock import seen_by

from lab.kinds import LabError, Sight
from lab.memory import search, write
from lab.memory.connect import owner, reader, writer
from lab.memory.server import Server
from lab.memory.visibility import looking, writing

ONE, TWO = "rule-one", "rule-two"
RIGHTS = {
    ONE: {"employee": {"all"}, "hr": {"all", "hr-only"}},
    # The same role name means something else to another tenant.
    TWO: {"employee": {"hr-only"}, "auditor": {"all", "secret"}},
}
NOW = datetime.now(UTC)


@dataclass(frozen=True)
class Memory:
    workspace: str
    module: str
    window: tuple[date, date | None]
    expires: datetime | None
    private_to: str | None
    superseded: bool

    @property
    def id(self) -> str:
        start, end = self.window
        expiry = "never" if self.expires is None else "past" if self.expires < NOW else "later"
        return f"{self.module} {start}..{end} {expiry} {self.private_to} {self.superseded}"

    def seen(self, sight: Sight) -> bool:
        """The oracle."""
        readable = set().union(*(RIGHTS.get(sight.workspace, {}).get(role, set()) for role in sight.roles))
        start, end = self.window
        valid = sight.as_of is None or (start <= sight.as_of and (end is None or sight.as_of < end))
        return (
            self.workspace == sight.workspace
            and self.module in readable
            and (self.private_to is None or self.private_to == sight.member)
            and valid
            and not self.superseded
            and (self.expires is None or self.expires > datetime.now(UTC))
        )


MEMORIES = [
    Memory(*cell)
    for cell in itertools.product(
        (ONE, TWO),
        ("all", "hr-only", "secret"),
        ((date(2025, 1, 1), date(2026, 1, 1)), (date(2026, 1, 1), None)),
        (None, NOW - timedelta(days=1), NOW + timedelta(days=1)),
        (None, "ada", "can"),
        (False, True),
    )
]


@pytest.fixture(scope="module")
def filled(server: Server) -> Server:
    for workspace, rights in RIGHTS.items():
        for role, modules in rights.items():
            write.allow(server, workspace, role, modules)
        with writer(server) as connection, writing(connection, workspace):
            for memory in MEMORIES:
                if memory.workspace == workspace:
                    connection.execute(
                        """insert into memory (workspace, id, kind, content, search_text, content_hash,
                               module, visibility, owner,
                               valid_from, valid_to, superseded_at, expires_at, collection)
                           values (%s, %s, 'fact', %s, '', '', %s, %s, %s, %s, %s, %s, %s, 'fact')""",
                        [
                            workspace,
                            memory.id,
                            memory.id,
                            memory.module,
                            "private" if memory.private_to else "workspace",
                            memory.private_to or "writer",
                            *memory.window,
                            NOW if memory.superseded else None,
                            memory.expires,
                        ],
                    )
    return server


def ids(connection: psycopg.Connection) -> set[str]:
    return {key for (key,) in connection.execute("select id from memory")}


def test_truth_table(filled: Server) -> None:
    days = (
        None,
        date(2024, 12, 31),
        date(2025, 1, 1),
        date(2025, 12, 31),
        date(2026, 1, 1),
        date(2030, 5, 5),
    )
    roles = (set(), {"employee"}, {"hr"}, {"employee", "hr"}, {"auditor"}, {"nobody"}, {"nobody", "employee"})
    seen_sizes = set()
    with reader(filled) as connection:
        for day, who, member, workspace in itertools.product(
            days, roles, (None, "ada", "can"), (ONE, TWO, "none")
        ):
            sight = Sight(frozenset(who), day, member, workspace)
            expected = {memory.id for memory in MEMORIES if memory.seen(sight)}
            with looking(connection, sight):
                assert ids(connection) == expected, sight
            seen_sizes.add(len(expected))
    assert seen_sizes == {0, 2, 4, 8, 16}  # the table is neither empty nor trivial


def test_nothing_is_seen_without_a_sight(filled: Server) -> None:
    with reader(filled) as connection:
        assert ids(connection) == set()
        for table in ("role_module", "document", "memory_vector", "posting", "lexeme_df", "module_size"):
            assert connection.execute(f"select count(*) from {table}").fetchone() == (0,)


@pytest.mark.parametrize("missing", ["lab.workspace", "lab.roles", "lab.as_of"])
def test_each_missing_setting_closes(filled: Server, missing: str) -> None:
    with reader(filled) as connection, looking(connection, Sight(frozenset({"hr"}), None, None, ONE)):
        assert ids(connection)
        connection.execute("select set_config(%s, '', true)", [missing])
        assert ids(connection) == set()


def test_a_day_that_is_none_fails_instead_of_showing_all(filled: Server) -> None:
    with reader(filled) as connection:
        with pytest.raises(psycopg.errors.InvalidDatetimeFormat):
            with looking(connection, Sight(frozenset({"hr"}), None, None, ONE)):
                connection.execute("select set_config('lab.as_of', 'everything', true)")
                ids(connection)


def test_settings_end_with_the_block(filled: Server) -> None:
    sight = Sight(frozenset({"hr"}), None, "ada", ONE)
    with reader(filled) as connection:
        with looking(connection, sight) as view:
            assert search.count(view, "fact") > 0
        assert search.count(view, "fact") == 0  # a view kept too long
        connection.rollback()
        # Within somebody's own transaction the settings would live on.
        with connection.transaction():
            with looking(connection, sight):
                assert ids(connection)
            assert ids(connection) == set()
            with pytest.raises(RuntimeError, match="on purpose"), looking(connection, sight):
                raise RuntimeError("on purpose")
            assert ids(connection) == set()


def test_looking_within_looking_gives_the_eyes_back(filled: Server) -> None:
    hr = Sight(frozenset({"hr"}), None, None, ONE)
    with reader(filled) as connection, looking(connection, hr):
        before = ids(connection)
        with looking(connection, Sight(frozenset({"employee"}), None, None, ONE)):
            assert ids(connection) < before
        assert ids(connection) == before


def test_one_block_sees_one_state(filled: Server) -> None:
    with seen_by(filled, "hr", workspace=ONE) as view:
        before = ids(view.connection)
        with writer(filled) as other, writing(other, ONE):
            other.execute(
                "insert into memory "
                "(workspace, id, kind, content, search_text, content_hash, module, collection) "
                "values (%s, 'late', 'fact', '', '', '', 'all', 'fact')",
                [ONE],
            )
        assert ids(view.connection) == before
    with seen_by(filled, "hr", workspace=ONE) as view:
        assert ids(view.connection) == before | {"late"}
    with writer(filled) as other, writing(other, ONE):
        other.execute("delete from memory where id = 'late'")


def test_role_names_cannot_be_crafted(filled: Server) -> None:
    for name in ('x","hr', "hr}", "{hr}", "hr\\", "h'r", 'a" , "hr'):
        with seen_by(filled, name, workspace=ONE) as view:
            assert ids(view.connection) == set(), name
    write.allow(filled, "rule-odd", 'a,"b\\{}', {"all"})
    with seen_by(filled, 'a,"b\\{}', workspace="rule-odd") as view:
        assert view.modules == ("all",)
    with pytest.raises(LabError, match="is no name"), seen_by(filled, "h\0r", workspace=ONE):
        pass


def test_rights_taken_away_hold_from_the_next_question(filled: Server) -> None:
    write.allow(filled, ONE, "temp", {"all", "hr-only"})
    with seen_by(filled, "temp", workspace=ONE) as view:
        with_hr = ids(view.connection)
    write.allow(filled, ONE, "temp", {"all"})
    with seen_by(filled, "temp", workspace=ONE) as view:
        assert ids(view.connection) == {key for key in with_hr if key.startswith("all")} != with_hr
    write.allow(filled, ONE, "temp", set())
    with seen_by(filled, "temp", workspace=ONE) as view:
        assert ids(view.connection) == set()
    assert "temp" not in write.roles(filled, ONE)


def test_only_the_reader_may_look(filled: Server) -> None:
    for role in (owner, writer):
        with role(filled) as connection:
            with (
                pytest.raises(LabError, match="not bound"),
                looking(connection, Sight(frozenset({"hr"}), None)),
            ):
                pass


def test_the_writer_has_one_workspace_at_a_time(filled: Server) -> None:
    with writer(filled) as connection:
        assert ids(connection) == set()
        with writing(connection, TWO):
            rows = connection.execute("select distinct workspace from memory").fetchall()
            assert rows == [(TWO,)]
            with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
                connection.execute("insert into role_module values (%s, 'employee', 'hr-only')", [ONE])


def test_every_tenant_table_is_bound_even_for_its_owner(filled: Server) -> None:
    with owner(filled) as connection:
        rows = connection.execute(
            """select c.relname, c.relrowsecurity and c.relforcerowsecurity,
                      exists (select from pg_policy p where p.polrelid = c.oid)
               from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace'
               where c.relnamespace = 'lab'::regnamespace and c.relkind in ('r', 'p')"""
        ).fetchall()
        assert ids(connection) == set()
        grants = connection.execute(
            """select table_name, privilege_type from information_schema.role_table_grants
               where grantee = 'lab_reader' and table_schema = 'lab' and privilege_type <> 'SELECT'"""
        ).fetchall()
        (served,) = connection.execute(
            "select has_table_privilege('lab_reader', 'run', 'select')"
        ).fetchone() or (1,)
        readable_unbound = connection.execute(
            """select c.relname from pg_class c where c.relnamespace = 'lab'::regnamespace
               and c.relkind in ('r', 'p', 'v', 'm') and has_table_privilege('lab_reader', c.oid, 'select')
               and not (c.relrowsecurity and c.relforcerowsecurity)"""
        ).fetchall()
    tables = {name for name, _, _ in rows}
    assert tables >= {
        "memory",
        "document",
        "role_module",
        "memory_vector",
        "posting",
        "lexeme_df",
        "module_size",
    }
    # The ledger's runs name their workspace, but the role that serves questions can't read them.
    assert [name for name, forced, policy in rows if not (forced and policy)] == ["run"]
    assert not served
    assert grants == []
    # What the reader reads without a policy names no tenant's data.
    assert {name for (name,) in readable_unbound} <= {"embedding_space", "schema_migration"}
