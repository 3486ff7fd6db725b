"""The pipeline as a value: its fields are the toggles of the ladder and of the notebooks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A rung is the previous one with one of these fields replaced."""

    documents: bool = True
    """False: the reader gets the question alone."""
    full_context: bool = False
    """True: no search; every section goes into one prompt, read with the service's rights."""
    chunker: str = "fixed-300"
    """`fixed-300` or `section`."""
    index: str = "chunk"
    """What is compared with the question: `chunk`, the whole text, or `units`, each chunk's sentences and
    rows, of which the best counts."""
    scope: bool = False
    """Read domestic or international from the question and demote chunks labelled with the other."""
    edition: bool = False
    """See only what is valid on the asked date; otherwise every edition."""
    hybrid: bool = False
    """BM25 beside the vectors."""
    fusion: str = "z"
    """`z` (z-scores added, language-aware weight for BM25) or `rrf`."""
    embedder: str = "use"
    second: str = ""
    """Another embedder whose scores are added, each in its own standard deviations."""
    reader: str = "extractive"
    abstains: bool = True
    """Whether the extractive reader refuses when the hits lie too far from the question."""
    views: bool = False
    """Sections are found by their two best units and by their whole text too, not by one unit alone."""
    letters: bool = False
    """Restore the Turkish letters of a question typed without them ("sifremi" → "şifremi")."""
    rewrite: str = ""
    """What is searched for and beside the question: `plain`, `glossary`, `ollama:<model>` (other words),
    `hyde:<model>`, joined by `+` (see `lab.rag.rewrite`)."""
    rerank: str = ""
    """Spec of a reranker for the first hits: `units`, `gemma-likelihood`, `ollama:…`, `cross-encoder:…`."""
    widen: str = ""
    """What is read for a hit: itself, or `unit`, `neighbours`, `paragraph`, `parent`, each also with `+line`
    (see `lab.rag.widen`)."""
    decompose: str = ""
    """Who splits a question into parts that are searched each: `rules` or `ollama:<model>`."""
    supersedes: bool = False
    """Follow the links between documents: what was amended brings what amends it."""
    guard: bool = False
    """Keep text that addresses an assistant out of prompts, and check every sentence of the answer."""
    k: int = 10
    """Hits kept after fusion."""
    read: int = 5
    """Hits handed to the reader."""

    @property
    def embedders(self) -> str:
        """The spec of all embedders in use, as `lab.models.embedders.blend` reads it."""
        return f"{self.embedder}+{self.second}" if self.second else self.embedder

    @property
    def searches(self) -> bool:
        return self.documents and not self.full_context
