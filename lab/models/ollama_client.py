"""The Ollama client, with its errors said in words a person can act on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lab.kinds import LabError
from lab.settings import settings

if TYPE_CHECKING:
    import ollama

TIMEOUT = 300.0
"""Seconds without a sign of life. Loading 4 billion parameters from a slow disk takes a minute."""


def client(timeout: float = TIMEOUT) -> ollama.Client:
    """A client for LAB_OLLAMA_HOST, else by Ollama's own rule (OLLAMA_HOST, else 127.0.0.1:11434).

    Connects to nothing yet."""
    import ollama

    return ollama.Client(host=settings().ollama_host, timeout=timeout)


def address(of: ollama.Client) -> str:
    return str(of._client.base_url)


@contextmanager
def speaking(to: ollama.Client, model: str) -> Iterator[None]:
    """LabError for what goes wrong inside: no server, no such model, too slow, cut off, another protocol."""
    import httpx
    import ollama

    try:
        yield
    except ollama.ResponseError as error:
        short = (
            str(error.error).strip().splitlines()[0][:200] if str(error.error).strip() else "no reason given"
        )
        if error.status_code == 404 and "model" in short.lower():
            raise LabError(
                f"Ollama at {address(to)} does not have the model {model!r}.", "", f"ollama pull {model}"
            ) from error
        if "context" in short.lower() or "input length" in short.lower():
            raise LabError(
                f"{model} refused a text longer than its window ({short}).",
                "Texts that fit; a text silently cut would give a wrong vector.",
                "Use a model with a larger window, such as ollama:bge-m3.",
            ) from error
        raise LabError(
            f"Ollama at {address(to)} answered {model!r} with an error: {short} ({error.status_code}).",
            "An Ollama server of version 0.5 or newer.",
            f"ollama ps; ollama run {model}",
        ) from error
    except httpx.TimeoutException as error:
        raise LabError(
            f"Ollama at {address(to)} did not answer in time with {model}.",
            "",
            f"Try a smaller model, or load it first: ollama run {model} hello",
        ) from error
    except (ConnectionError, httpx.ConnectError, httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
        raise LabError(
            f"No Ollama server answers at {address(to)}.",
            "LAB_OLLAMA_HOST or OLLAMA_HOST names it.",
            f"ollama serve, then: ollama pull {model}; the defaults need no Ollama",
        ) from error
    except httpx.TransportError as error:
        raise LabError(
            f"Ollama at {address(to)} broke off in the middle of {model}'s reply ({type(error).__name__}).",
            "Often the machine ran out of memory.",
            "See the server's log, then ask again: ollama serve",
        ) from error
    except ValueError as error:
        raise LabError(
            f"What answers at {address(to)} does not speak Ollama's protocol ({type(error).__name__}).",
            "LAB_OLLAMA_HOST or OLLAMA_HOST names an Ollama server.",
            "curl " + address(to).rstrip("/") + "/api/version",
        ) from error
