"""Between steps 3 and 4: the memories that describe the nodes reached, and what people said of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from pgvector import HalfVector

from lab.memory.paths import Path
from lab.memory.visibility import View
from lab.text import fold

TALKERS = ("customer", "person", "supplier", "employee")
"""Types of nodes whose conversations are read, near the anchors."""


@dataclass(frozen=True, slots=True)
class Found:
    """A visible memory. `node`: the entity through which it was found (None: by search), `subject`:
    whether it
    describes that entity; `cosine` to the question."""

    id: str
    place: str
    kind: str
    content: str
    start: date
    end: date | None
    attribute: str | None
    cosine: float
    node: int | None
    subject: bool
    ended: bool = False
    """Whether a later version has taken its place; only where every day is looked at (`Sight.as_of` None)."""

    def names(self, spelled: Sequence[str]) -> bool:
        """Whether one of these folded names stands in its words."""
        folded = fold(self.content)
        return any(name in folded for name in spelled)

    @property
    def line(self) -> str:
        """How it stands in a recall: what has ended says so."""
        return f"- {self.content}" + (f" (earlier, until {self.end})" if self.ended else "")


_COLUMNS = (
    "m.serial, m.id, m.document, m.kind, m.content, m.valid_from, m.valid_to, "
    "m.labels->>'attribute' as attribute"
)
_OUT = "p.id, p.document, p.kind, p.content, p.valid_from, p.valid_to, p.attribute"


def gather(view: View, walked: Sequence[Path], space: str, vector: np.ndarray) -> list[Found]:
    """The memories that describe the ends of `walked`; for companies and people within two hops also the
    newest
    forty facts and notes that mention them."""
    if not walked:
        return []
    rows = view.connection.execute(
        f"""with node as materialized (select * from unnest(%(nodes)s::bigint[], %(told)s::boolean[]) as n
        (id, told)),
            p as materialized (
                select n.id as node, true as subject, {_COLUMNS}
                from node n join mention s on s.entity = n.id and s.subject join memory m on m.serial =
                s.memory
                union all
                select n.id, false, t.* from node n cross join lateral (
                    select {_COLUMNS} from mention s join memory m on m.serial = s.memory
                    where s.entity = n.id and not s.subject and m.kind <> 'record'
                    order by m.valid_from desc, m.serial limit 40) t
                where n.told)
            select {_OUT}, coalesce(1 - (v.vector <=> %(vector)s::halfvec), 0), p.node, p.subject,
                   (select seen_every_edition()) and p.valid_to is not null
            from p left join memory_vector v on v.memory = p.serial
                 and v.space = (select id from embedding_space where name = %(space)s)
            order by p.serial, p.node""",
        {
            "nodes": [path.nodes[-1] for path in walked],
            "told": [path.types[-1] in TALKERS and len(path.hops) <= 2 for path in walked],
            "space": space,
            "vector": HalfVector(vector),
        },
    )
    return [Found(*row) for row in rows]


def fetch_found(
    view: View, ids: Mapping[str, float], known: Collection[str], space: str, vector: np.ndarray
) -> list[Found]:
    """The visible ones of `ids` that are not `known`."""
    rows = view.connection.execute(
        f"""with p as materialized (
                select {_COLUMNS} from memory m where m.workspace = %(workspace)s and m.id = any(%(ids)s))
            select {_OUT}, coalesce(1 - (v.vector <=> %(vector)s::halfvec), 0), null, false,
                   (select seen_every_edition()) and p.valid_to is not null
            from p left join memory_vector v on v.memory = p.serial
                 and v.space = (select id from embedding_space where name = %(space)s)
            order by p.serial""",
        {
            "workspace": view.sight.workspace,
            "ids": [key for key in ids if key not in known],
            "space": space,
            "vector": HalfVector(vector),
        },
    )
    return [Found(*row) for row in rows]
