"""What every command of `lab` says with: tables and lines, errors, and one JSON object."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer
from rich.console import Console

out = Console(width=None if sys.stdout.isatty() else 110)
err = Console(stderr=True)

Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout, nothing else there.")]


def emit(value: Any) -> None:
    """Writes the value to stdout as one line of JSON."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, default=str) + "\n")
