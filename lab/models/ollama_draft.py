"""A question for a passage, with the words that answer it, by a model on an Ollama server."""

from __future__ import annotations

import contextlib
import json

from lab.kinds import LabError
from lab.models.ollama_client import client, speaking

_ASK = (
    "Below is a passage of an organisation's documents. Write one question that a person who has not read it "
    "would ask in everyday words and that the passage answers; do not borrow its sentence. Quote the one "
    "sentence or table row that answers it, word for word, and give the answer in a few words of that "
    "quotation. Write the question in the language with the code {language!r}. Reply as JSON: "
    '{{"question": "…", "quote": "…", "answer": "…"}}\n\nPassage:\n{passage}'
)
_SCHEMA = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("question", "quote", "answer")},
    "required": ["question", "quote", "answer"],
}


def named(spec: str) -> str:
    """The model of a spec such as `ollama:gemma3:4b`; LabError for another kind."""
    kind, _, model = spec.partition(":")
    if kind != "ollama" or not model:
        raise LabError(
            f"{spec!r} names no model that drafts questions.", "ollama:<model>; left out, rules draft.", ""
        )
    return model


def suggest(model: str, passage: str, language: str) -> tuple[str, str, str] | None:
    """(question, quotation, answer), None when the reply is of no use. LabError when the server or the model
    is not to be had."""
    with contextlib.closing(client()) as server, speaking(server, model):
        reply = server.chat(
            model=model,
            messages=[{"role": "user", "content": _ASK.format(language=language, passage=passage)}],
            format=_SCHEMA,
            options={"temperature": 0, "seed": 7, "num_predict": 400},
        )
    try:
        value = json.loads(reply.message.content or "")
        found = tuple(" ".join(str(value[name]).split()) for name in ("question", "quote", "answer"))
    except (json.JSONDecodeError, KeyError, TypeError):
        return None
    return (found[0], found[1], found[2]) if all(found) else None
