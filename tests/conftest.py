"""What all tests share: one PostgreSQL for the whole run, in a home of its own."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.memory import server as servers
from lab.memory.migrate import migrate


@pytest.fixture(scope="session")
def server() -> Iterator[servers.Server]:
    """A bundled server with the lab's schema; stopped and removed at the end."""
    home = Path(tempfile.mkdtemp(prefix="lab-tests-"))
    os.chmod(home, 0o711)  # as root the server runs as another account, which must get through
    try:
        ready = servers.up(home)
        migrate(ready)
        yield ready
    finally:
        servers.down(home)
        shutil.rmtree(home, ignore_errors=True)
