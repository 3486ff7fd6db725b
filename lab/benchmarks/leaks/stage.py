"""The stage: a PostgreSQL of its own in a directory of its own, planted, and gone at the end; and who asks
there."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

from lab.benchmarks.leaks import snapshot
from lab.benchmarks.leaks.hashed import Hashed
from lab.benchmarks.leaks.oracle import World
from lab.benchmarks.leaks.planted import (
    ELSEWHERE,
    HERE,
    ROWS,
    TODAY,
    Company,
    Keys,
    company,
    mind_module,
    plant,
)  # fmt: skip
from lab.benchmarks.leaks.ways import Asker, Place, Target
from lab.kinds import Sight
from lab.ladder import rungs
from lab.memory import credentials, migrate
from lab.memory import server as servers
from lab.memory.connect import reader
from lab.memory.mind import Mind
from lab.memory.server import Server
from lab.models.embedders import blend
from lab.rag.engine import cached, engine

PERSON = "EMP-9999"
"""Somebody with a name who owns nothing."""


@dataclass(frozen=True)
class Stage:
    """A planted database with its askers; `home` is where its server lives."""

    home: Path
    server: Server
    place: Place
    askers: tuple[Asker, ...]


@contextmanager
def built(say: Callable[[str], None] = lambda _: None, rows: int = ROWS) -> Iterator[Stage]:
    """Everything made anew, away from LAB_HOME and LAB_DATABASE_URL; stopped and removed at the end."""
    home = Path(tempfile.mkdtemp(prefix="lab-leaks-"))
    os.chmod(home, 0o711)  # as root the server runs as another account, which must get through
    try:
        server = servers.up(home)
        migrate.migrate(server)
        yield from _staged(home, server, say, rows)
    finally:
        servers.down(home)
        shutil.rmtree(home, ignore_errors=True)


def _staged(home: Path, server: Server, say: Callable[[str], None], rows: int) -> Iterator[Stage]:
    planted, embedder = company(rows=rows), Hashed()
    used = dict.fromkeys(str(rungs.rung(name, rungs.STACK).pipeline.embedders) for name in rungs.NAMES)
    specs = list(dict.fromkeys(spec for blended in used for spec in blended.split("+")))
    of_pages = [part for spec in specs for part in cached(blend(spec), server)]
    with ExitStack() as stack:
        admin = stack.enter_context(snapshot.superuser(server, home))
        say(f"planting {len(planted.secrets)} secrets among {len(planted.first):,} records …")
        keys = plant(server, planted, embedder, of_pages, admin)
        minds = {
            secret: stack.enter_context(Mind.open(server, secret, workspace=HERE, embedder=embedder))
            for secret in (keys.person, keys.agent, keys.revoked, keys.stranger)
        }
        credentials.revoke(server, HERE, "old robot")
        world = snapshot.taken(admin)
        admin.commit()
        running = stack.enter_context(engine(server, HERE))
        read = stack.enter_context(reader(server))
        targets = tuple(_targets(planted, world))
        place = Place(server, read, running, world, HERE, targets, embedder, keys, minds)
        yield Stage(home, server, place, askers(planted, keys, world))


def askers(planted: Company, keys: Keys, world: World) -> tuple[Asker, ...]:
    """Members, callers without a person, callers without rights, other tenants, other times, keys to
    minds."""

    def one(
        name: str,
        *roles: str,
        member: str | None = None,
        workspace: str = HERE,
        day: date = TODAY,
        known: datetime | None = None,
    ) -> Asker:
        return Asker(name, Sight(frozenset(roles), day, member, workspace, known))

    owners = sorted({secret.owner for secret in planted.secrets if secret.owner})
    own, other = mind_module(keys.mind), mind_module(keys.other_mind)
    everybody = ("owner", "sales", "finance", "hr", "visitor")
    keyed: tuple[tuple[str, str, tuple[str, ...], set[str]], ...] = (
        ("ada", keys.person, (own,), {keys.mind}),
        ("ada's robot", keys.agent, (own,), {keys.mind}),
        ("a robot whose key was revoked", keys.revoked, (own,), set()),
        ("eve, who names ada's mind", keys.stranger, (own, other, *everybody), {keys.other_mind}),
        ("eve, with her own mind alone", keys.stranger, (other,), {keys.other_mind}),
        ("a guessed key", "lab_h_" + "x" * 43, (own, *everybody), set()),
        ("no key, but the mind's name", "", (own, *everybody), set()),
    )
    return (
        one("sales, a caller without a person", "sales"),
        one("sales, a member", "sales", member=PERSON),
        one("finance, a caller without a person", "finance"),
        one("finance, a member", "finance", member=PERSON),
        one("hr, a member", "hr", member=PERSON),
        one("visitor", "visitor"),
        one("owner, a caller without a person", "owner"),
        *(one(f"{name}, who keeps notes", "sales", member=name) for name in owners),
        one("nobody"),
        one("an unknown role", "boss", member=PERSON),
        one("a role with a comma", 'visitor","owner'),
        one("the owner of another tenant", "owner", member=PERSON, workspace=ELSEWHERE),
        one("a visitor of another tenant", "visitor", workspace=ELSEWHERE),
        one("owner where there is nothing", "owner", workspace="leaks-nowhere"),
        one("finance, before it was true", "finance", day=date(2024, 5, 5)),
        one("owner, before it was known", "owner", member=PERSON, known=world.now - timedelta(days=365)),
        one("owner, with what is known now", "owner", member=PERSON, known=world.now),
        *(
            Asker(name, Sight(frozenset(roles), TODAY, "ada", HERE), secret, frozenset(opens))
            for name, secret, roles, opens in keyed
        ),
    )


def _targets(planted: Company, world: World) -> Iterator[Target]:
    """Where each secret stands: its record, its pages, its links, its mind."""
    places: dict[str, int] = {}
    of_value: dict[str, list[int]] = {}
    values = {secret.value for secret in planted.secrets}
    about: dict[str, int] = {}
    for serial, memory in world.memories.items():
        if memory.workspace != HERE:
            continue
        if memory.kind == "chunk" or memory.mind:
            for value in values:
                if value in memory.content:
                    of_value.setdefault(value, []).append(serial)
        else:
            about[memory.content] = serial
    content = {f"{record.source}/{record.external_id}": record.content for record in planted.first}
    places = {place: about[text] for place, text in content.items() if text in about}
    subjects = {f"{one.source}/{one.external_id}": one.subject.id for one in planted.first if one.subject}
    entities = {key: serial for serial, (workspace, key) in world.entities.items() if workspace == HERE}
    orders = {edge.source: edge.target for edge in world.edges if edge.relation == "for_order"}
    for secret in planted.secrets:
        if secret.place:
            serial = places[secret.place]
            entity = entities.get(subjects.get(secret.place, ""))
            if entity is None:  # a note describes nothing: what it mentions
                entity = next(e for memory, e in sorted(world.mentions) if memory == serial)
            near = orders.get(entity) if entity else None
            yield Target(secret, "record", (world.memories[serial].id,), (serial,), entity, near)
        if secret.value in of_value:
            serials = tuple(sorted(of_value[secret.value]))
            ids = tuple(world.memories[serial].id for serial in serials)
            yield Target(secret, "mind" if not secret.place else "page", ids, serials)
    said = [link for link in planted.links if link.new]
    for link in said:
        secret = next(secret for secret in planted.secrets if secret.value == link.new)
        yield Target(secret, "link", (link.id,), tuple(of_value[secret.value]))
