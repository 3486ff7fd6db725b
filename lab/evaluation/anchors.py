"""What a draft of an exam stands on: where words stand in the documents, and questions nothing answers."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import date
from itertools import zip_longest
from typing import Literal

from lab.corpus.rules import OWNER
from lab.corpus.sections import sections
from lab.evaluation.gold import Question
from lab.evaluation.score import squeezed
from lab.kinds import Document

_UNKNOWN = {
    "en": (
        ("What is the Wi-Fi password for guests?", "wi-fi password"),
        ("How do I renew my passport?", "passport"),
        ("Which vaccines are needed for a journey to Kenya?", "vaccines kenya"),
        ("How high is Mount Everest?", "everest"),
    ),
    "de": (
        ("Wie lautet das WLAN-Passwort für Gäste?", "wlan passwort"),
        ("Wie verlängere ich meinen Reisepass?", "reisepass"),
        ("Welche Impfungen braucht man für eine Reise nach Kenia?", "impfungen kenia"),
    ),
    "tr": (
        ("Misafirler için kablosuz ağ parolası nedir?", "kablosuz parolasi"),
        ("Pasaportumu nasıl yenilerim?", "pasaportumu pasaport"),
        ("Kenya'ya gitmek için hangi aşılar gerekir?", "kenya asilar"),
    ),
}
"""Questions that hardly any documents answer, each with words none of which they may hold."""


class Anchors:
    """Where words stand in the documents, by section."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._texts = [
            (document, section.number, squeezed(section.text))
            for document in documents
            for section in sections(document)
        ]

    def places(self, anchor: str, day: date) -> list[tuple[str, str]]:
        """(document, section) of each occurrence in what is in force on that day."""
        wanted = squeezed(anchor)
        return [
            (document.id, number)
            for document, number, text in self._texts
            if in_force(document, day) and wanted in text
            for _ in range(text.count(wanted))
        ]

    def holds(self, word: str) -> bool:
        """Whether any of the folded words stands in a document."""
        return any(part in text for part in word.split() for _, _, text in self._texts)


def in_force(document: Document, day: date) -> bool:
    return document.valid_from <= day and (document.valid_to is None or day < document.valid_to)


def unanswered(documents: Sequence[Document], anchors: Anchors, day: date, most: int) -> list[Question]:
    """Questions that the documents do not answer, in the languages they are in."""
    spoken = [language for language in _UNKNOWN if any(d.language == language for d in documents)]
    asked_ = [
        (language, text)
        for row in zip_longest(*(_UNKNOWN[language] for language in spoken))
        for language, pair in zip(spoken, row, strict=True)
        if pair is not None
        for text, key in (pair,)
        if not anchors.holds(key)
    ]
    return [
        Question(
            id=f"unknown-{language}-{at}",
            language=language,
            type="out-of-corpus",
            text=text,
            role=OWNER,
            as_of=day,
            abstain=True,
            split=split_of(f"unknown-{language}-{at}"),
        )
        for at, (language, text) in enumerate(asked_[:most], start=1)
    ]


def split_of(name: str) -> Literal["dev", "test"]:
    """A third is `test`, by the id alone: an edited file keeps its split."""
    return "test" if int(hashlib.sha256(name.encode()).hexdigest(), 16) % 3 == 0 else "dev"
