"""What is measured and what was aimed at: the verdict is computed from the two."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Line:
    """One measured figure beside its target. `most`: the target is an upper limit, else a lower one; without
    a target the figure is only told."""

    what: str
    measured: float
    unit: str = ""
    target: float | None = None
    most: bool = True

    @property
    def reached(self) -> bool | None:
        if self.target is None:
            return None
        return self.measured <= self.target if self.most else self.measured >= self.target

    @property
    def aim(self) -> str:
        """ "≤ 25 ms" """
        if self.target is None:
            return ""
        return f"{'≤' if self.most else '≥'} {self.target:,g} {self.unit}".strip()

    @property
    def figure(self) -> str:
        """As it is printed: three digits, whole numbers from 100 on."""
        number = f"{self.measured:,.0f}" if abs(self.measured) >= 100 else f"{self.measured:,.3g}"
        return f"{number} {self.unit}".strip()

    @property
    def verdict(self) -> str:
        return {None: "", True: "reached", False: "missed"}[self.reached]

    def to_json(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "measured": self.measured,
            "unit": self.unit,
            "target": self.target,
            "at_most": None if self.target is None else self.most,
            "reached": self.reached,
        }


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def p95(values: Sequence[float]) -> float:
    """The value that 95 % do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
