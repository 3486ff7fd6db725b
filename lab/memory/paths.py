"""Step 3 of the read path: walking typed relations from the anchors, in one call to the database.

The function `walk` (migration 0006) runs with the asker's eyes: an edge he may not follow is not there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from lab.memory.anchors import Anchor
from lab.memory.visibility import View
from lab.memory.vocabulary import OPENS

HOPS, WIDTH, TOTAL, FAN = 3, 48, 600, 50
"""At most so many hops, nodes a level, nodes in all; a relation that opens to more than FAN edges is followed
only if the question names it."""


@dataclass(frozen=True, slots=True)
class Hop:
    """A step of a path: over `relation` (against its direction where not `outward`) to `node`."""

    relation: str
    outward: bool
    node: int
    type: str
    name: str
    since: date
    """The edge's first day: the date of the record it comes from."""


@dataclass(frozen=True, slots=True)
class Path:
    """A way from an anchor; without hops the anchor itself."""

    start: Anchor
    hops: tuple[Hop, ...] = ()

    @property
    def nodes(self) -> tuple[int, ...]:
        return (self.start.entity, *(hop.node for hop in self.hops))

    @property
    def types(self) -> tuple[str, ...]:
        return (self.start.type, *(hop.type for hop in self.hops))

    @property
    def text(self) -> str:
        """ "TCK-00012 →about→ ORD-2026-00017 ←for_order← INV-2026-00003"."""
        parts = [self.start.name]
        for hop in self.hops:
            parts.append(f"→{hop.relation}→ {hop.name}" if hop.outward else f"←{hop.relation}← {hop.name}")
        return " ".join(parts)


def paths(
    view: View,
    starts: Sequence[Anchor],
    types: Sequence[str],
    relations: Sequence[Sequence[str]],
    *,
    hops: int = HOPS,
    width: int = WIDTH,
    total: int = TOTAL,
    fan: int = FAN,
) -> list[Path]:
    """The shortest path to each visible node within reach, nearest level first; beginning with the anchors
    themselves. Levels end once all `types` and one of each of `relations` were met."""
    found = {anchor.entity: Path(anchor) for anchor in starts}
    if not starts or hops == 0:
        return list(found.values())
    # A type that an anchor has is met: its siblings are not what the question looks for.
    wanted = [kind for kind in types if kind not in {anchor.type for anchor in starts}]
    rows = view.connection.execute(
        """select w.parent, w.relation, w.outward, w.node, w.node_type, e.name, w.since
           from walk(%s, %s, %s, %s, %s, %s, %s, %s) with ordinality
                as w (hop, parent, relation, outward, node, node_type, evidence, since, at)
           join entity e on e.serial = w.node order by w.at""",
        [
            list(found),
            wanted,
            ["|".join(group) for group in relations],
            sorted({name for kind in wanted for name in OPENS.get(kind, ())}),
            hops,
            width,
            total,
            fan,
        ],
    )
    for parent, relation, outward, node, kind, name, since in rows:
        if parent in found:
            before = found[parent]
            found[node] = Path(before.start, (*before.hops, Hop(relation, outward, node, kind, name, since)))
    return list(found.values())
