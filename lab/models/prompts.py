"""What a model was trained to read before a question and before a passage, by its name."""

from __future__ import annotations

_PREFIXES: tuple[tuple[str, str, str], ...] = (
    # part of the name, before a question, before a passage; the first that fits counts
    ("e5-mistral", "Instruct: Given a question, retrieve passages that answer it\nQuery: ", ""),
    ("-instruct", "Instruct: Given a question, retrieve passages that answer it\nQuery: ", ""),
    ("qwen3-embedding", "Instruct: Given a question, retrieve passages that answer it\nQuery: ", ""),
    ("e5-", "query: ", "passage: "),
    ("nomic-embed", "search_query: ", "search_document: "),
    ("embeddinggemma", "task: search result | query: ", "title: none | text: "),
    ("mxbai-embed-large", "Represent this sentence for searching relevant passages: ", ""),
    ("snowflake-arctic-embed2", "query: ", ""),
    ("snowflake-arctic-embed", "Represent this sentence for searching relevant passages: ", ""),
)


def prefixes(model: str) -> tuple[str, str]:
    """(before a question, before a passage) as the model card asks; empty where it asks for none."""
    name = model.lower()
    return next(((query, passage) for part, query, passage in _PREFIXES if part in name), ("", ""))
