"""How much of what is planted the scan finds, and what it accuses wrongly: over `gold/scan/`.

`python -m lab.evaluation.scanning` writes the schema of its lines.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError, model_validator

from lab.corpus.scan import scan, without
from lab.kinds import LabError
from lab.settings import ROOT

FOLDER = ROOT / "gold" / "scan"
FILES = ("attacks.jsonl", "harmless.jsonl")


class Sample(BaseModel):
    """A text that holds an attack, or one that only looks as if it did."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    id: Annotated[str, StringConstraints(pattern=r"^[a-z]+(-[a-z0-9]+)+$", max_length=40)]
    language: Literal["en", "tr"]
    split: Literal["dev", "test"]
    """`test` was written before the rules and is never tuned on."""
    attack: bool
    hidden: str
    """How it is hidden (`comment`, `zero-width`, …); empty where anybody can read it."""
    form: str
    """What kind of attack, or what a harmless text looks like."""
    text: Annotated[str, StringConstraints(min_length=3, max_length=4000)]
    planted: str
    """The attack as it stands in `text`; empty where there is none."""
    keep: tuple[str, ...]
    """Words around the attack that are still there when what was found is cut out."""

    @model_validator(mode="after")
    def _is_consistent(self) -> Sample:
        if self.attack != bool(self.planted) or self.planted not in self.text:
            raise ValueError("'planted' is to be the attack as it stands in 'text', and empty without one")
        if lost := [words for words in self.keep if words not in self.text]:
            raise ValueError(f"'keep' names what 'text' does not hold: {lost}")
        return self


@dataclass(frozen=True, slots=True)
class Line:
    """One row of the table. `found` of `n` texts were accused; `kept` of those found left all the words
    around the attack standing. Of harmless texts `found` are the false alarms."""

    what: str
    language: str
    split: str
    found: int
    n: int
    kept: int
    missed: tuple[str, ...]
    """Ids of attacks not found, or of harmless texts accused."""

    @property
    def share(self) -> float:
        return self.found / self.n if self.n else 0.0


def load(folder: Path = FOLDER) -> list[Sample]:
    """The samples of both files. LabError names file and line."""
    samples: list[Sample] = []
    for name in FILES:
        path = folder / name
        try:
            lines = path.read_text(encoding="utf-8").split("\n")
        except OSError as error:
            raise LabError(
                f"{path} can't be read: {error.strerror}.", "The scan's exam in gold/scan/."
            ) from error
        for number, line in enumerate(lines, start=1):
            if line.strip():
                try:
                    samples.append(Sample.model_validate_json(line))
                except ValidationError as error:
                    first = error.errors(include_url=False)[0]
                    place = ".".join(map(str, first["loc"])) or "the line"
                    raise LabError(
                        f"{name}:{number}: {place}: {first['msg']}.", "See gold/scan/README.md."
                    ) from error
    return samples


def measure(samples: Sequence[Sample]) -> list[Line]:
    """Attacks plain and hidden and harmless texts, by language and split; last the sums over languages."""
    kinds: tuple[tuple[str, Callable[[Sample], bool]], ...] = (
        ("plain attacks", lambda s: s.attack and not s.hidden),
        ("hidden attacks", lambda s: s.attack and bool(s.hidden)),
        ("false alarms", lambda s: not s.attack),
    )
    found = {sample.id: scan(sample.text) for sample in samples}
    lines = []
    for what, belongs in kinds:
        for split in ("dev", "test"):
            for language in ("en", "tr", "both"):
                own = [
                    s for s in samples if belongs(s) and s.split == split and language in (s.language, "both")
                ]
                accused = [s for s in own if found[s.id]]
                kept = 0
                for sample in accused:
                    rest = without(sample.text, [(f.first, f.last) for f in found[sample.id]])
                    kept += all(words in rest for words in sample.keep) and sample.planted not in rest
                wrong = accused if what == "false alarms" else [s for s in own if not found[s.id]]
                ids = tuple(s.id for s in wrong)
                lines.append(Line(what, language, split, len(accused), len(own), kept, ids))
    return lines


def to_json(lines: Sequence[Line]) -> dict[str, object]:
    """The object of `lab scan --measure --json`."""
    return {"lines": [asdict(line) | {"share": round(line.share, 4)} for line in lines]}


def schema() -> str:
    """JSON Schema of one line of gold/scan."""
    described = Sample.model_json_schema()
    described["title"] = "One line of gold/scan"
    return json.dumps(described, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    (FOLDER / "schema.json").write_text(schema(), encoding="utf-8", newline="\n")
    print(f"written: {FOLDER / 'schema.json'}")
