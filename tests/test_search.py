"""BM25 against rank-bm25, vectors against numpy, the index against the exact scan, Turkish words."""

from __future__ import annotations

import math
import random
from datetime import date

import numpy as np
import pytest
from rank_bm25 import BM25Okapi
from stock import Noise, document, lines, seen_by

from lab.kinds import Chunk, Document, LabError
from lab.memory import bm25, hnsw, search, write
from lab.memory.connect import writer
from lab.memory.search import Filter
from lab.memory.server import Server
from lab.memory.visibility import writing
from lab.text import lexemes

SMALL, LARGE = "search-small", "search-large"
TEXTS = {
    "leave": "Annual leave is 22 days\nLeave is carried over until 31 March\nUnpaid leave needs an approval\n"
    "leave leave leave",
    "meal": "The meal card has 400 TRY a day\nThe card is not loaded on leave days\nNo cash for meals",
    "travel": "domestic per diem 750 TRY\ninternational per diem 60 EUR\nReceipts within 15 days",
}
SECRET = "Salary bands of managers\nManager upper limit 160 leave"
TURKISH = (
    "Şifreler 90 günde bir değiştirilir\nISI ölçümü İADELER içindir\nAcme'nin INV-00123 faturası 1.250 TL\n"
    "Yıllık izinler mart sonuna kadar kullanılır\nKayıp cihaz 24 saatte bildirilir"
)


class Lucene(BM25Okapi):
    """rank-bm25's Okapi with the idf that is never negative."""

    def _calc_idf(self, nd: dict[str, int]) -> None:
        for word, df in nd.items():
            self.idf[word] = math.log(1 + (self.corpus_size - df + 0.5) / (df + 0.5))


def reference(chunks: list[Chunk], question: str, language: str) -> dict[str, float]:
    index = Lucene([lexemes(c.search_text, c.label.language) for c in chunks], k1=bm25.K1, b=bm25.B)
    scores = index.get_scores(lexemes(question, language))
    return {chunk.id: score for chunk, score in zip(chunks, scores, strict=True) if score > 0}


def cut(of: Document) -> list[Chunk]:
    return lines(of, {"domestic": "domestic", "international": "international"})


@pytest.fixture(scope="module")
def small(server: Server) -> Server:
    write.allow(server, SMALL, "employee", {"all"})
    write.allow(server, SMALL, "hr", {"all", "hr-only"})
    documents = [document(key, text) for key, text in TEXTS.items()]
    documents.append(
        document("leave", "Annual leave is 24 days", edition="2026", valid_from=date(2026, 1, 1))
    )
    documents.append(document("bands", SECRET, access="hr-only"))
    documents.append(document("guvenlik", TURKISH, language="tr"))
    write.ingest(server, documents, cut, embedders=[Noise()], workspace=SMALL)
    return server


@pytest.mark.parametrize("k", [1, 3, 2000])
@pytest.mark.parametrize("role", ["employee", "hr"])
def test_several_queries_at_once_are_each_query_alone(small: Server, role: str, k: int) -> None:
    """Whether all that is visible fits into `k` or not; and each memory comes with its parent."""
    queries = [Noise().queries([text])[0] for text in ("annual leave", "meal card", "şifre")]
    with seen_by(small, role, workspace=SMALL) as view:
        near = search.by_vectors(view, Noise().space, queries, k, "unit")
        for query, scores in zip(queries, near.scores, strict=True):
            alone = dict(search.by_vector(view, Noise().space, query, k, "unit"))
            assert scores == pytest.approx(alone)
        every = {key for scores in near.scores for key in scores}
        assert near.parents == search.parents(view, sorted(every))
        with pytest.raises(LabError, match="dimensions"):
            search.by_vectors(view, Noise().space, [queries[0], queries[1][:3]], k, "unit")


@pytest.mark.parametrize("role", ["employee", "hr"])
@pytest.mark.parametrize("as_of", [None, date(2025, 6, 1)])
@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("How many days of annual leave?", "en"),
        ("leave leave card", "en"),
        ("Şifremi kaç günde değiştirmeliyim", "tr"),
    ],
)
def test_bm25_equals_rank_bm25_over_what_is_seen(
    small: Server, role: str, as_of: date | None, question: str, language: str
) -> None:
    with seen_by(small, role, workspace=SMALL, as_of=as_of) as view:
        found = search.by_words(view, question, language, None, "unit")
        expected = reference(search.all_chunks(view, "unit"), question, language)
    assert dict(found) == pytest.approx(expected, rel=1e-9)
    assert expected
    assert [score for _, score in found] == pytest.approx(sorted(expected.values(), reverse=True))


def test_hidden_text_does_not_move_a_visible_score(small: Server) -> None:
    with seen_by(small, "employee", workspace=SMALL) as view:
        before = search.by_words(view, "leave of managers", "en", None, "unit")
    shown = [document(key, text) for key, text in TEXTS.items()]
    shown.append(document("leave", "Annual leave is 24 days", edition="2026", valid_from=date(2026, 1, 1)))
    shown.append(document("guvenlik", TURKISH, language="tr"))
    other = "search-without-hidden"
    write.allow(small, other, "employee", {"all"})
    write.ingest(small, shown, cut, workspace=other)
    with seen_by(small, "employee", workspace=other) as view:
        without = search.by_words(view, "leave of managers", "en", None, "unit")
    assert before
    assert dict(before) == pytest.approx(dict(without), rel=1e-12)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("şifre", 0),
        ("şifrenin", 0),
        ("SİFREMİ", 0),
        ("sifre", 0),
        ("ısı", 1),
        ("ISI", 1),
        ("isinin", 1),
        ("iade", 1),
        ("İadelerin", 1),
        ("Acme", 2),
        ("acme’den", 2),
        ("inv-00123", 2),
        ("INV-00123'ü", 2),
        ("1250", 2),
        ("1,250", 2),
        ("yıllık izin", 3),
        ("iznim", 3),
        ("cihazımı", 4),
    ],
)
@pytest.mark.parametrize("language", ["tr", "und"])
def test_turkish_is_found_by_any_form(small: Server, question: str, line: int, language: str) -> None:
    with seen_by(small, "employee", workspace=SMALL) as view:
        found = search.by_words(view, question, language, 3, "unit")
    assert found[:1]
    assert found[0][0] == f"unit:guvenlik@2025#{line + 1}/{line}"


def test_words_without_a_match_find_nothing(small: Server) -> None:
    with seen_by(small, "employee", workspace=SMALL) as view:
        for question in ("", "???", "the of and", "zeppelin", "x" * 100_000):
            assert search.by_words(view, question, "en", 10, "unit") == []
        assert (
            search.by_words(view, "leave", "en", 2, "unit")
            == search.by_words(view, "leave", "en", 9, "unit")[:2]
        )


def test_vectors_equal_numpy(small: Server) -> None:
    noise = Noise()
    query = noise.queries(["a question"])[0]
    with seen_by(small, "hr", workspace=SMALL) as view:
        chunks = search.all_chunks(view, "section")
        found = search.by_vector(view, noise.space, query, None, "section")
        stored = search.vectors(view, noise.space, [chunk.id for chunk in chunks])
    passages = noise.passages([chunk.search_text for chunk in chunks])
    expected = {chunk.id: float(score) for chunk, score in zip(chunks, passages @ query, strict=True)}
    assert dict(found) == pytest.approx(expected, abs=2e-3)  # half precision
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    for chunk, row in zip(chunks, passages, strict=True):
        assert stored[chunk.id].dtype == np.float32
        assert float(stored[chunk.id] @ row) == pytest.approx(1, abs=1e-4)
        assert np.linalg.norm(stored[chunk.id]) == pytest.approx(1, abs=1e-6)


def test_filters(small: Server) -> None:
    noise = Noise()
    query = noise.queries(["per diem"])[0]
    with seen_by(small, "hr", workspace=SMALL) as view:

        def documents(where: Filter) -> list[set[str]]:
            by_vector = search.by_vector(view, noise.space, query, None, "unit", where)
            by_words = search.by_words(view, "per diem leave", "en", None, "unit", where)
            return [{key for key, _ in found} for found in (by_vector, by_words)]

        domestic, international = "unit:travel@2025#1/0", "unit:travel@2025#2/1"
        for found in documents(Filter(exclude_scope="international")):
            assert domestic in found
            assert international not in found
        for found in documents(Filter(editions=frozenset({"2026"}))):
            assert found == {"unit:leave@2026#1/0"}
        for found in documents(Filter(documents=frozenset({"travel", "bands"}))):
            assert {key.split(":")[1].split("@")[0] for key in found} == {"travel", "bands"}
        for found in documents(Filter(documents=frozenset())):
            assert found == set()


def test_chunks_come_back_as_they_were_given(small: Server) -> None:
    given = {c.id: c for key, text in TEXTS.items() for c in cut(document(key, text))}
    with seen_by(small, "employee", workspace=SMALL, as_of=date(2025, 6, 1)) as view:
        wanted = [*reversed(given), "unit:nowhere@2025#1/0"]
        found = search.fetch(view, wanted)
        parents = search.children(view, [key for key in given if key.startswith("section:leave")])
        upwards = search.parents(view, [key for key in given if key.startswith("unit:leave")])
        order = [chunk.id for chunk in search.all_chunks(view, "unit") if chunk.document in TEXTS]
        assert search.count(view, "unit") == len(search.all_chunks(view, "unit"))
    assert found == given
    assert list(found) == wanted[:-1]
    assert {parent: [c.id for c in chunks] for parent, chunks in parents.items()} == {
        f"section:leave@2025#{n + 1}/{n}": [f"unit:leave@2025#{n + 1}/{n}"] for n in range(4)
    }
    assert upwards == {f"unit:leave@2025#{n + 1}/{n}": f"section:leave@2025#{n + 1}/{n}" for n in range(4)}
    assert order == [key for key in given if key.startswith("unit")]


def test_an_unknown_space_or_another_length_is_said(small: Server) -> None:
    with seen_by(small, "hr", workspace=SMALL) as view:
        with pytest.raises(LabError, match="Nothing is stored in the vector space nowhere"):
            search.by_vector(view, "nowhere", np.ones(32, np.float32), 3, "unit")
        with pytest.raises(LabError, match="32 dimensions"):
            search.by_vector(view, Noise().space, np.ones(31, np.float32), 3, "unit")


# A large collection: three editions of one document each with thousands of lines, one of them hr-only.
LINES = 6_500
RARE = 40


@pytest.fixture(scope="module")
def large(server: Server) -> Server:
    draw = random.Random(7)
    vocabulary = [f"w{n}" for n in range(3_000)]
    weights = [1 / (n + 1) for n in range(3_000)]
    texts = [f"line {n} " + " ".join(draw.choices(vocabulary, weights, k=12)) for n in range(LINES)]
    write.allow(server, LARGE, "employee", {"all"})
    write.allow(server, LARGE, "hr", {"all", "hr-only"})
    documents = [
        document("big", "\n".join(texts), valid_to=date(2026, 1, 1)),
        document(
            "few",
            "\n".join(f"few {text}" for text in texts[:RARE]),
            edition="2026",
            valid_from=date(2026, 1, 1),
        ),
        document("bands", "\n".join(f"secret {text}" for text in texts[:RARE]), access="hr-only"),
    ]
    write.ingest(
        server,
        documents,
        lambda of: [c for c in lines(of) if c.chunker == "unit"],
        embedders=[Noise()],
        workspace=LARGE,
    )
    return server


def index_scans(view: search.View) -> int:
    row = view.connection.execute(
        "select coalesce(sum(pg_stat_get_xact_numscans(oid)), 0) from pg_class "
        "where relname like 'memory_vector_hnsw_%'"
    ).fetchone()
    assert row is not None
    return int(row[0])


def test_the_index_is_used_and_finds_what_exact_finds(large: Server) -> None:
    noise = Noise()
    recalls = []
    with seen_by(large, "hr", workspace=LARGE) as view:
        for number in range(20):
            query = noise.queries([f"question {number}"])[0]
            before = index_scans(view)
            approximate = search.by_vector(view, noise.space, query, 10, "unit")
            assert index_scans(view) > before
            exact = search.by_vector(view, noise.space, query, None, "unit")
            assert index_scans(view) == before + 1
            assert len(exact) == LINES + 2 * RARE
            recalls.append(len({key for key, _ in approximate} & {key for key, _ in exact[:10]}) / 10)
            assert dict(approximate) == pytest.approx(
                {k: s for k, s in exact if k in dict(approximate)}, abs=1e-5
            )
            # The small module beside the large one is searched exactly: none of its rows is missed.
            secret = [key for key, _ in exact[:10] if "bands" in key]
            assert [key for key, _ in approximate if "bands" in key] == secret
    assert sum(recalls) / len(recalls) >= 0.95


def test_never_fewer_rows_than_exist(large: Server) -> None:
    noise = Noise()
    query = noise.queries(["anything"])[0]
    for k in (10, RARE, 200, 500, 800):
        with seen_by(large, "employee", workspace=LARGE, as_of=date(2026, 5, 5)) as view:
            # The index holds 6,540 rows of the module; 40 are valid on that day.
            view.connection.execute("select set_config('hnsw.max_scan_tuples', '100', true)")
            assert len(search.by_vector(view, noise.space, query, k, "unit")) == min(k, RARE)
        with seen_by(large, "employee", workspace=LARGE) as view:
            few = search.by_vector(view, noise.space, query, k, "unit", Filter(documents=frozenset({"few"})))
            assert len(few) == min(k, RARE)
            assert len(search.by_vector(view, noise.space, query, k, "unit")) == k


def test_a_large_collection_is_scored_like_rank_bm25(large: Server) -> None:
    with seen_by(large, "employee", workspace=LARGE) as view:
        chunks = search.all_chunks(view, "unit")
        assert len(chunks) > hnsw.FROM
        for question in ("w2999 w2500 w3", "w0 w1 w2", "line 17 w40", "few w5", "w0", "secret"):
            expected = reference(chunks, question, "en")
            found = search.by_words(view, question, "en", 10, "unit")
            best = sorted(expected.values(), reverse=True)[:10]
            assert [score for _, score in found] == pytest.approx(best, rel=1e-6), question
            assert all(score == pytest.approx(expected[key], rel=1e-6) for key, score in found)
            everything = search.by_words(view, question, "en", len(chunks), "unit")
            assert dict(everything) == pytest.approx(expected, rel=1e-6)


def test_a_tight_budget_does_not_change_the_first_ten(large: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    questions = ("w2999 w0 w1", "w0 w1 w2 w3", "w700 w800 w0")
    with seen_by(large, "hr", workspace=LARGE) as view:
        roomy = [search.by_words(view, question, "en", 10, "unit") for question in questions]
        monkeypatch.setattr(bm25, "BUDGET", 50)
        monkeypatch.setattr(bm25, "CANDIDATES", 20)
        assert [search.by_words(view, question, "en", 10, "unit") for question in questions] == roomy


def test_an_unproven_search_opens_no_more_than_its_budget(
    large: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bm25, "BUDGET", 50)
    with seen_by(large, "employee", workspace=LARGE) as view:
        rare = {key for key, _ in search.by_words(view, "w2999", "en", 30, "unit")}
        whole = search.by_words(view, "w2999 w0", "en", 30, "unit")
        quick = search.by_words(view, "w2999 w0", "en", 30, "unit", proven=False)
    assert 0 < len(rare) < 30 == len(whole)
    assert {key for key, _ in quick} == rare  # what has "w0" alone is left out
    assert quick == [item for item in whole if item[0] in rare]


def test_the_counts_are_those_of_the_postings(large: Server, small: Server) -> None:
    for workspace in (SMALL, LARGE):
        with writer(large) as connection, writing(connection, workspace):
            kept = connection.execute(
                "select lexeme, collection, module, df from lexeme_df order by 1, 2, 3"
            ).fetchall()
            counted = connection.execute(
                "select lexeme, collection, module, count(*) from posting group by 1, 2, 3 order by 1, 2, 3"
            ).fetchall()
            sizes = connection.execute(
                "select collection, module, n, length from module_size order by 1, 2"
            ).fetchall()
            summed = connection.execute(
                "select collection, module, count(*), sum(length) from memory group by 1, 2 order by 1, 2"
            ).fetchall()
        assert kept == counted != []
        assert sizes == summed
