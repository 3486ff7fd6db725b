"""Reading with a model on an Ollama server (`ollama:gemma3:4b`). A prompt that would be cut is never sent."""

from __future__ import annotations

import functools
import json
import re
import weakref
from collections.abc import Sequence

from lab.kinds import LabError
from lab.models.ollama_client import address, client, speaking
from lab.models.readers import Reading, Source, build_prompt, cited
from lab.text import count_tokens

WINDOW = 8192
"""Tokens asked for when the spec names no window. Ollama's own default is smaller and cuts without a word."""
ANSWER = 512
"""Tokens kept free for the answer."""
SAFETY = 1.3
"""Other models' tokenizers may make more tokens of a text than the one we count with."""
_CUT = 0.6
"""Below this share of the expected prompt the server must have dropped some of it."""
_THOUGHTS = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)


class OllamaReader:
    """One question is one call, streamed, at temperature 0 and with a fixed seed."""

    def __init__(self, model: str, window: int = WINDOW) -> None:
        self.model = model
        self.window = window
        self.spec = f"ollama:{model}" + (f"@{window}" if window != WINDOW else "")
        self._client = client()
        weakref.finalize(self, self._client.close)

    def read(self, question: str, sources: Sequence[Source]) -> Reading:
        prompt = build_prompt(question, sources)
        expected = count_tokens(prompt)
        window = self._fitting(expected)
        text, evaluated, answered, reason = self._ask(prompt, window)
        granted = self._granted or window
        if granted < _needed(expected) or (evaluated and not _CUT * expected <= evaluated < window):
            raise LabError(
                f"{self.model} read {evaluated} tokens of a prompt of about {expected}: the server cut it.",
                f"A window of {window} was asked for, {granted} granted.",
                "See the server's log for its limit (OLLAMA_CONTEXT_LENGTH), or read fewer sources.",
            )
        text = _THOUGHTS.sub("", text).strip()
        if not text:
            raise LabError(
                f"{self.model} gave an empty answer ({answered} tokens).",
                "A model that follows instructions; one that thinks first may need more room.",
                "ollama pull gemma3:4b, then: LAB_READER=ollama:gemma3:4b",
            )
        return Reading(
            text,
            evaluated or expected,
            answered or count_tokens(text),
            1,
            cited(text, sources),
            reason != "length",
        )

    def _fitting(self, expected: int) -> int:
        """The window to ask for. LabError when the prompt, counted carefully, leaves no room to answer."""
        needed = _needed(expected)
        # What does not fit the window asked for is refused before the server is spoken to at all.
        window = self.window if needed > self.window else min(self.window, self._trained)
        if needed > window:
            larger = 1 << (needed - 1).bit_length()
            wider = (
                f"LAB_READER=ollama:{self.model}@{larger}, if model and memory allow it; or fewer sources."
            )
            raise LabError(
                f"The prompt of about {expected} tokens does not fit the window of {self.spec} ({window}).",
                f"With a margin for its tokenizer and {ANSWER} tokens for the answer it takes {needed}.",
                wider if needed > self.window else "A model trained for a larger window, or fewer sources.",
            )
        return window

    @functools.cached_property
    def _trained(self) -> int:
        """Tokens the model was trained for, as the server says; our own window when it does not say."""
        with speaking(self._client, self.model):
            info = self._client.show(self.model).modelinfo or {}
        sizes = [int(value) for name, value in info.items() if name.endswith(".context_length") and value]
        return min(sizes, default=self.window)

    @property
    def _granted(self) -> int | None:
        """Tokens of the window the server gave the loaded model; None when it does not say."""
        with speaking(self._client, self.model):
            loaded = {entry.model: entry.context_length for entry in self._client.ps().models}
        return loaded.get(self.model) or loaded.get(f"{self.model}:latest")

    def _ask(self, prompt: str, window: int) -> tuple[str, int, int, str]:
        """(text, prompt tokens, answer tokens, why it stopped). LabError when the last part never comes."""
        options = {"num_ctx": window, "num_predict": ANSWER, "temperature": 0, "seed": 7}
        parts: list[str] = []
        with speaking(self._client, self.model):
            try:
                # Streamed, so that the time limit is on each part and not on the whole answer.
                for part in self._client.chat(
                    model=self.model,
                    messages=[{"role": "user", "content": prompt}],
                    stream=True,
                    options=options,
                ):
                    parts.append(part.message.content or "")
                    if part.done:
                        return (
                            "".join(parts),
                            part.prompt_eval_count or 0,
                            part.eval_count or 0,
                            part.done_reason or "",
                        )
            except json.JSONDecodeError:
                if not parts:
                    raise
        raise LabError(
            f"Ollama at {address(self._client)} broke off in the middle of {self.model}'s reply.",
            "Often the machine ran out of memory.",
            "See the server's log, then ask again: ollama serve",
        )


def _needed(expected: int) -> int:
    """Tokens of window that a prompt of so many tokens, by our count, and its answer may take."""
    return int(expected * SAFETY) + ANSWER
