"""Ways in which others leaked, each with who may have it beside who may not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime

import numpy as np
import pytest
from stock import Noise, document, lines, seen_by

from lab.kinds import Sight
from lab.memory import anchors, gather, mind_reads, paths, recall, records, search, write
from lab.memory.anchors import Anchor
from lab.memory.connect import reader, writer
from lab.memory.records import COLLECTION, Entity, Link, Record
from lab.memory.server import Server
from lab.memory.visibility import View, writing

PLACE, OTHER = "ways", "ways-other"
NOISE = Noise(16, "ways")
DAY = date(2026, 6, 1)
HIDDEN = Entity("matter:zirkon", "matter", "Zirkonyum Anlaşması")
ACME, BETA = Entity("customer:1", "customer", "Acme"), Entity("customer:2", "customer", "Betatek")
SECRET = "Zirkonyum Anlaşması: 900.000 TL"


def record(key: str, text: str, module: str, subject: Entity, *links: Link) -> Record:
    at = datetime(2026, 1, 5, 9, tzinfo=UTC)
    return Record("way", key, at, module, text, "tr", subject, links)


def thing(kind: str, number: int) -> Entity:
    return Entity(f"{kind}:{number}", kind, f"{kind[0].upper()}{number}")


@pytest.fixture(scope="module")
def filled(server: Server) -> Server:
    for place in (PLACE, OTHER):
        write.allow(server, place, "clerk", {"all"})
        # The same name, with less to read at the other tenant's.
        write.allow(server, place, "boss", {"all", "board"} if place == PLACE else {"all"})
    write.allow(server, PLACE, "few", {"rare"})
    first = [
        record("secret", SECRET, "board", HIDDEN, Link("with", ACME), Link("with", BETA)),
        record("acme", "Acme: müşteri", "all", ACME),
        record("beta", "Betatek: müşteri", "all", BETA),
        *(record(f"n{n}", f"Sipariş {n}: olağan", "all", thing("order", n)) for n in range(98)),
        *(record(f"r{n}", f"Nadir {n}: olağan", "rare", thing("rare", n)) for n in range(2)),
    ]  # fmt: skip
    records.sync(server, first, workspace=PLACE, embedders=[NOISE])
    records.sync(server, first[1:], workspace=OTHER, embedders=[NOISE])
    return server


def query(text: str = SECRET) -> np.ndarray:
    vector: np.ndarray = NOISE.queries([text])[0]
    return vector


@pytest.fixture
def boss(filled: Server) -> Iterator[View]:
    with seen_by(filled, "boss", workspace=PLACE, as_of=DAY) as view:
        yield view


@pytest.fixture
def clerk(filled: Server) -> Iterator[View]:
    with seen_by(filled, "clerk", workspace=PLACE, as_of=DAY) as view:
        yield view


def secret_id(server: Server) -> str:
    with seen_by(server, "boss", workspace=PLACE, as_of=DAY) as view:
        return search.by_vector(view, NOISE.space, query(), 1, COLLECTION)[0][0]


# Direct reads that recall is made of ----------------------------------------------------------------------


def test_gather(filled: Server, boss: View, clerk: View) -> None:
    (hidden,) = anchors.anchors(boss, "Zirkonyum Anlaşması")
    way = [paths.Path(hidden)]
    assert [one.content for one in gather.gather(boss, way, NOISE.space, query())] == [SECRET]
    assert gather.gather(clerk, way, NOISE.space, query()) == []


def test_fetch_found(filled: Server, boss: View, clerk: View) -> None:
    near = {secret_id(filled): 1.0}
    assert [one.content for one in gather.fetch_found(boss, near, (), NOISE.space, query())] == [SECRET]
    assert gather.fetch_found(clerk, near, (), NOISE.space, query()) == []


def test_hybrid(filled: Server, boss: View, clerk: View) -> None:
    hidden = secret_id(filled)
    assert next(iter(recall.hybrid(boss, SECRET, NOISE.space, query()))) == hidden
    assert hidden not in recall.hybrid(clerk, SECRET, NOISE.space, query())


# The ten ways ---------------------------------------------------------------------------------------------


def test_1_an_asker_who_reads_two_rows_in_a_hundred_gets_both_and_no_other(filled: Server) -> None:
    with seen_by(filled, "few", workspace=PLACE, as_of=DAY) as view:
        for text in ("Nadir 0: olağan", SECRET, "Sipariş 5: olağan"):
            found = search.by_vector(view, NOISE.space, query(text), 10, COLLECTION)
            contents = gather.fetch_found(view, dict(found), (), NOISE.space, query())
            assert {one.content for one in contents} == {"Nadir 0: olağan", "Nadir 1: olağan"}


def test_2_rights_taken_away_hold_for_texts_titles_and_trees(server: Server) -> None:
    place = "ways-revoked"
    write.allow(server, place, "clerk", {"all", "board"})
    own = document("merger", "Zirkonyum devri\nİkinci satır", access="board")
    write.ingest(server, [own], lines, embedders=[NOISE], workspace=place)
    units = [chunk.id for chunk in lines(own) if chunk.chunker == "unit"]

    def told() -> tuple[object, ...]:
        with seen_by(server, "clerk", workspace=place) as view:
            return (
                [(chunk.text, chunk.title) for chunk in search.all_chunks(view, "section")],
                search.parents(view, units),
                search.children(view, [chunk.id for chunk in lines(own)]),
                search.count(view, "unit"),
            )

    assert all(told())
    write.allow(server, place, "clerk", {"all"})
    assert not any(told())


def test_3_a_document_replaced_or_deleted_is_gone_with_its_words_and_vectors(server: Server) -> None:
    place = "ways-replaced"
    write.allow(server, place, "clerk", {"all"})

    def told(text: str) -> tuple[bool, bool]:
        with seen_by(server, "clerk", workspace=place) as view:
            by_words = search.by_words(view, text, "en", 9, "unit")
            texts = [chunk.text for chunk in search.all_chunks(view, "unit")]
        return bool(by_words), text in texts

    for text, others in (("zirkonyum", ()), ("kalsedon", ("zirkonyum",)), (None, ("zirkonyum", "kalsedon"))):
        listed = [document("one", text)] if text else []
        write.ingest(server, listed, lines, embedders=[NOISE], workspace=place)
        if text:
            assert told(text) == (True, True)
        for other in others:
            assert told(other) == (False, False)


def test_4_what_one_was_answered_is_not_anothers(filled: Server) -> None:
    """One connection, one question, one after the other: nothing of the first answer is left."""
    with reader(filled) as connection:

        def ask(role: str) -> str:
            sight = Sight(frozenset({role}), DAY, workspace=PLACE)
            question = "Zirkonyum Anlaşması ne kadar?"
            return recall.recall(connection, sight, question, NOISE.space, query(), today=DAY).text

        assert SECRET in ask("boss")
        assert "Zirkonyum" not in ask("clerk")
        assert SECRET in ask("boss")


def test_5_equal_roles_and_ids_of_two_tenants_have_their_own_rights(filled: Server) -> None:
    hidden = secret_id(filled)
    with reader(filled) as connection:
        sight = Sight(frozenset({"boss"}), DAY, workspace=PLACE)
        for place, seen in ((PLACE, True), (OTHER, False), (PLACE, True)):
            found = recall.recall(
                connection, replace(sight, workspace=place), SECRET, NOISE.space, query(), today=DAY
            )
            assert (hidden in found.near) is seen


@pytest.mark.parametrize("typed", ["Zirkonyum Anlaşması", "Zirkonyum Anlasmasi", "Zirkonyom Anlaşması"])
def test_6_a_misspelt_secret_is_not_completed(boss: View, clerk: View, typed: str) -> None:
    assert [one.name for one in anchors.anchors(boss, typed)] == ["Zirkonyum Anlaşması"]
    assert anchors.anchors(clerk, typed) == []


def test_7_counts_and_no_such_are_the_same_as_not_allowed(filled: Server, boss: View, clerk: View) -> None:
    assert search.count(boss, COLLECTION) == search.count(clerk, COLLECTION) + 1
    assert search.fetch(clerk, [secret_id(filled)]) == search.fetch(clerk, ["mem_00000000000000000000"]) == {}
    assert mind_reads.name_of(clerk, "m_000000000000") is None


def test_8_no_path_through_a_hidden_node_and_no_edge_with_a_hidden_end(boss: View, clerk: View) -> None:
    def reached(view: View, name: str) -> set[str]:
        starts = anchors.anchors(view, name)
        return {hop.name for path in paths.paths(view, starts, (), ()) for hop in path.hops}

    assert {"Zirkonyum Anlaşması", "Betatek"} <= reached(boss, "Acme")
    assert reached(clerk, "Acme") == set()
    (hidden,) = anchors.anchors(boss, "Zirkonyum Anlaşması")
    guessed = Anchor(hidden.entity, "", "matter", "", "exact", 1.0)
    assert paths.paths(boss, [guessed], (), ())
    assert not [path for path in paths.paths(clerk, [guessed], (), ()) if path.hops]


def test_9_what_was_cut_never_shows_what_the_rule_cut(filled: Server) -> None:
    """All the steps that a trace is made of, not only what is left of them at the end."""
    with reader(filled) as connection:
        for role, seen in (("boss", True), ("clerk", False)):
            sight = Sight(frozenset({role}), DAY, workspace=PLACE)
            found = recall.recall(connection, sight, "Acme anlaşması", NOISE.space, query(), today=DAY)
            steps = repr((found.near, found.anchors, found.walked, found.ranked, found.memories, found.text))
            assert (SECRET in steps) is seen
            assert (secret_id(filled) in steps) is seen


def test_10_what_is_hidden_moves_no_score(server: Server) -> None:
    """BM25 weighs a word by how rare it is: counted over what the asker reads."""
    place = "ways-scores"
    write.allow(server, place, "clerk", {"all"})
    write.allow(server, place, "boss", {"all", "board"})
    seen = [document(f"open{n}", f"kuvars {n}\nbaşka söz") for n in range(3)]
    hidden = [document(f"shut{n}", "kuvars kuvars", access="board") for n in range(9)]

    def scores(role: str) -> list[float]:
        with seen_by(server, role, workspace=place) as view:
            found = search.by_words(view, "kuvars", "tr", 50, "unit")
            return [round(score, 9) for key, score in found if "open" in key]

    before = {}
    for listed in (seen, [*seen, *hidden]):
        write.ingest(server, listed, lines, embedders=[NOISE], workspace=place)
        now = {role: scores(role) for role in ("clerk", "boss")}
        assert all(len(one) == 3 for one in now.values())
        if before:
            assert now["clerk"] == before["clerk"]
            assert now["boss"] != before["boss"]
        before = now
    with writer(server) as connection, writing(connection, place):
        assert connection.execute("select count(*) from memory where module = 'board'").fetchone() != (0,)
