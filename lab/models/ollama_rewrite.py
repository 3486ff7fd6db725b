"""A question in other words, and a passage that might answer it, by a model on an Ollama server.

Replies are asked for as JSON of a given schema; one that is malformed, empty or prose gives no texts, and the
search goes on without it."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from typing import Any

from lab.models.ollama_client import client, speaking

WORDINGS = 3
"""So many other wordings are asked for and taken."""
LONGEST = 600
"""Letters of a wording or passage that are taken."""
_ANSWER = 256

_OTHER_WORDS = (
    "You help to search an airline's staff handbook. Say the question below in {n} other ways, in the words "
    "a handbook would use; one of them in {language}. Do not answer it. Reply as JSON: "
    '{{"questions": ["…"]}}\n\nQuestion: {question}'
)
_PASSAGE = (
    "Write the two or three sentences of an airline's staff handbook that would answer the question below. "
    'Figures may be invented. Reply as JSON: {{"passage": "…"}}\n\nQuestion: {question}'
)


@dataclass(frozen=True, slots=True)
class Reply:
    """`texts` is empty when the model said nothing of use."""

    texts: tuple[str, ...]
    prompt_tokens: int


def other_words(model: str, question: str) -> Reply:
    """Up to WORDINGS other wordings. LabError when the server or the model is not to be had."""
    schema = {
        "type": "object",
        "properties": {"questions": {"type": "array", "items": {"type": "string"}, "maxItems": WORDINGS}},
        "required": ["questions"],
    }
    prompt = _OTHER_WORDS.format(n=WORDINGS, language="English or Turkish", question=question)
    value, tokens = _ask(model, prompt, schema)
    given = value.get("questions")
    return Reply(_texts(given if isinstance(given, list) else [], question)[:WORDINGS], tokens)


def passage(model: str, question: str) -> Reply:
    """One passage that might answer the question. LabError when the server or the model is not to be had."""
    schema = {
        "type": "object",
        "properties": {"passage": {"type": "string"}},
        "required": ["passage"],
    }
    value, tokens = _ask(model, _PASSAGE.format(question=question), schema)
    return Reply(_texts([value.get("passage")], question), tokens)


def _ask(model: str, prompt: str, schema: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """(the JSON object of the reply, {} if it is none; prompt tokens)."""
    with contextlib.closing(client()) as server, speaking(server, model):
        reply = server.chat(
            model=model,
            messages=[{"role": "user", "content": prompt}],
            format=schema,
            options={"temperature": 0, "seed": 7, "num_predict": _ANSWER},
        )
    try:
        value = json.loads(reply.message.content or "")
    except json.JSONDecodeError:
        value = None
    return (value if isinstance(value, dict) else {}), reply.prompt_eval_count or 0


def _texts(given: list[Any], question: str) -> tuple[str, ...]:
    """Usable ones: words, not the question itself, of bearable length, each once."""
    kept = [" ".join(text.split())[:LONGEST] for text in given if isinstance(text, str)]
    own = question.casefold().strip()
    return tuple(
        dict.fromkeys(text for text in kept if any(map(str.isalpha, text)) and text.casefold() != own)
    )
