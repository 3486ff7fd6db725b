"""BM25 in plain tables: postings and counts kept by the writer, scores computed in one statement.

score = Σ weight · idf · tf·(k1+1) / (tf + k1·(1 − b + b·length/mean length)),
idf = ln(1 + (N − df + ½) / (df + ½)): Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009),
with Lucene's idf, which is never negative."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

from lab.text import lexemes

K1, B = 0.9, 0.4
LONGEST = 64
"""Letters of a lexeme that count; a page of base64 is one "word", and an index row has a limit."""
BUDGET = 30_000
"""Postings opened for candidates in a large collection, rarest lexemes first."""
CANDIDATES = 400

Connection = psycopg.Connection[Any]


@dataclass(frozen=True, slots=True)
class Posted:
    """A memory about to be indexed."""

    serial: int
    terms: Mapping[str, int]


def terms(text: str, language: str) -> Counter[str]:
    """Lexeme → how often it occurs."""
    return Counter(lexeme[:LONGEST] for lexeme in lexemes(text, language))


def asked(question: str, language: str) -> Counter[str]:
    """The question's lexemes; where its language is not known ("und"), the English and the Turkish ones."""
    if language in ("en", "tr"):
        return terms(question, language)
    return terms(question, "en") | terms(question, "tr")


_COUNTS = """
    with gone as (
        select p.lexeme, p.collection, p.module, count(*)::int as n from posting p
        where p.memory = any(%(serials)s) and p.owner is null group by 1, 2, 3),
    size as (
        select collection, module, count(*)::int as n, sum(length)::bigint as length from memory
        where serial = any(%(serials)s) and visibility = 'workspace' group by 1, 2),
    sized as (
        insert into module_size as s (workspace, collection, module, n, length)
        select %(workspace)s, collection, module, %(sign)s * n, %(sign)s * length from size
        on conflict (workspace, collection, module)
        do update set n = s.n + excluded.n, length = s.length + excluded.length)
    insert into lexeme_df as d (workspace, lexeme, collection, module, df)
    select %(workspace)s, lexeme, collection, module, %(sign)s * n from gone
    on conflict (workspace, lexeme, collection, module) do update set df = d.df + excluded.df"""


def add(connection: Connection, workspace: str, rows: Iterable[Posted]) -> None:
    """Postings of new memories (stored already: whose they are is read from them), and the counts they
    change."""
    rows = list(rows)
    flat = [(lexeme, row.serial, tf) for row in rows for lexeme, tf in row.terms.items()]
    for start in range(0, len(flat), 20_000):
        lexemes_, serials, counts = zip(*flat[start : start + 20_000], strict=True)
        connection.execute(
            """insert into posting (workspace, lexeme, module, collection, memory, owner, tf, length)
               select m.workspace, new.lexeme, m.module, m.collection, m.serial,
                      case m.visibility when 'private' then m.owner end, new.tf, m.length
               from unnest(%s::text[], %s::bigint[], %s::smallint[]) as new (lexeme, serial, tf)
               join memory m on m.serial = new.serial where m.workspace = %s""",
            [list(lexemes_), list(serials), [min(tf, 32_767) for tf in counts], workspace],
        )
    _count(connection, workspace, [row.serial for row in rows], 1)


def remove(connection: Connection, workspace: str, serials: Sequence[int]) -> None:
    """Takes memories out of the index. Before they are deleted: the counts are read from them."""
    _count(connection, workspace, serials, -1)
    connection.execute("delete from posting where memory = any(%s)", [list(serials)])
    connection.execute("delete from lexeme_df where workspace = %s and df <= 0", [workspace])
    connection.execute("delete from module_size where workspace = %s and n <= 0", [workspace])


def _count(connection: Connection, workspace: str, serials: Sequence[int], sign: int) -> None:
    connection.execute(_COUNTS, {"serials": list(serials), "workspace": workspace, "sign": sign})


# Sums are taken in one order: floating point would otherwise break ties at random.
#
# Up to a few thousand memories: all computed on what the asker sees, frequencies and mean length included.
EXACT = """
    with seen as materialized (
        select m.serial, m.id, m.length from memory m
        where m.workspace = %(workspace)s and m.collection = %(collection)s
              and m.module = any(%(modules)s) {where}),
    size as materialized (select count(*)::float8 as n, greatest(avg(length), 1)::float8 as mean from seen),
    hit as materialized (
        select q.lexeme, q.weight, p.tf::float8 as tf, seen.id, seen.length
        from unnest(%(lexemes)s::text[], %(weights)s::float8[]) as q (lexeme, weight)
        join posting p on p.workspace = %(workspace)s and p.lexeme = q.lexeme
                      and p.collection = %(collection)s and p.module = any(%(modules)s)
        join seen on seen.serial = p.memory),
    idf as materialized (
        select lexeme, ln(1 + (size.n - count(*) + 0.5) / (count(*) + 0.5)) as idf
        from hit, size group by lexeme, size.n)
    select id, sum(weight * idf * tf * (%(k1)s + 1)
                   / (tf + %(k1)s * (1 - %(b)s + %(b)s * length / size.mean)) order by lexeme) as score
    from hit join idf using (lexeme), size
    group by id order by score desc, id limit %(k)s"""

# Large collections: candidates from the rarest lexemes within a budget of postings, the best of them checked
# against the rule (by joining memory) and scored anew over all lexemes. Frequencies: of the readable modules.
# `ceiling`: no memory left out can score more.
BUDGETED = """
    with size as materialized (
        select greatest(sum(n), 1)::float8 as n, greatest(sum(length)::float8 / nullif(sum(n), 0), 1) as mean
        from module_size
        where workspace = %(workspace)s and collection = %(collection)s and module = any(%(modules)s)),
    asked as materialized (
        select q.lexeme, q.weight, coalesce(sum(d.df), 0)::float8 as df
        from unnest(%(lexemes)s::text[], %(weights)s::float8[]) as q (lexeme, weight)
        left join lexeme_df d on d.workspace = %(workspace)s and d.lexeme = q.lexeme
             and d.collection = %(collection)s and d.module = any(%(modules)s)
        group by q.lexeme, q.weight),
    weighted as materialized (
        select lexeme, weight * ln(1 + greatest(size.n - df + 0.5, 0.5) / (df + 0.5)) as idf,
               sum(df) over (order by df, lexeme) <= %(budget)s
               or row_number() over (order by df, lexeme) = 1 as opened
        from asked, size),
    candidate as materialized (
        select p.memory,
               sum(w.idf * p.tf * (%(k1)s + 1)
                   / (p.tf + %(k1)s * (1 - %(b)s + %(b)s * p.length / size.mean))) as part
        from weighted w
        join posting p on p.workspace = %(workspace)s and p.lexeme = w.lexeme
                      and p.collection = %(collection)s and p.module = any(%(modules)s), size
        where w.opened group by p.memory order by part desc limit %(candidates)s),
    bound as materialized (
        select (select coalesce(sum(idf), 0) * (%(k1)s + 1) from weighted where not opened)
               + case when count(*) >= %(candidates)s then min(part) else 0 end as ceiling from candidate),
    scored as (
        select m.id, sum(w.idf * p.tf * (%(k1)s + 1)
                         / (p.tf + %(k1)s * (1 - %(b)s + %(b)s * p.length / size.mean))
                   order by w.lexeme) as score
        from candidate c join memory m on m.serial = c.memory, weighted w, posting p, size
        where p.workspace = %(workspace)s and p.lexeme = w.lexeme and p.collection = %(collection)s
              and p.module = m.module and p.memory = m.serial {where}
        group by m.id order by score desc, m.id limit %(k)s)
    select id, score, ceiling from scored, bound order by score desc, id"""
