"""Settings from the environment (`LAB_…`) and `.env`; everything has an offline default."""

from __future__ import annotations

import functools
from pathlib import Path

from pydantic_settings import BaseSettings, SettingsConfigDict

ROOT = Path(__file__).resolve().parent.parent


class Settings(BaseSettings):
    """Read once a process through `settings()`."""

    model_config = SettingsConfigDict(env_prefix="LAB_", env_file=ROOT / ".env", extra="ignore")

    database_url: str | None = None
    """A server of one's own: a role that may create roles and, once, the extension `vector`. None: the
    bundled server."""
    home: Path | None = None
    """Where the bundled server keeps its data; None: see `lab.memory.server.home()`."""
    corpus: Path = ROOT / "data"
    gold: Path = ROOT / "gold" / "kraken.jsonl"
    embedder: str = "use"
    reader: str = "extractive"
    ollama_host: str | None = None
    """None: the Ollama client's own rule (`OLLAMA_HOST`, else 127.0.0.1:11434)."""
    workspace: str = "kraken"
    own_mb: int = 20
    """Megabytes of text that a workspace of own documents may have."""


@functools.cache
def settings() -> Settings:
    return Settings()
