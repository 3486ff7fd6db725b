"""Turkish typed without its letters gets them back: "sifremi kac gunde bir" → "şifremi kaç günde bir".

A known word takes its most frequent spelling. In any other word each doubtful letter is read as in the known
words that share the longest run of letters around it (decision by longest context, after Yarowsky, "Decision
lists for lexical ambiguity resolution", ACL 1994): endings make more Turkish words than any list holds."""

from __future__ import annotations

import functools
import gzip
import re
from dataclasses import dataclass
from importlib import resources

from lab.rag.trace import Trace
from lab.text import language_of

FILE = "letters.txt.gz"
TURKISH = "çğıöşüÇĞİÖŞÜ"
_BARE = str.maketrans("çğıöşüÇĞİÖŞÜ", "cgiosuCGIOSU")
_DOUBTFUL = {"c": "ç", "g": "ğ", "i": "ı", "o": "ö", "s": "ş", "u": "ü"}
_VOWELS = "aeıioöuü"
_HARMONY = {"a": "ı", "ı": "ı", "e": "i", "i": "i", "o": "u", "u": "u", "ö": "ü", "ü": "ü"}
_PARTICLE = re.compile("m[iu](?:y[iu]z|y[iu]m|s[iu]n|s[iu]n[iu]z|d[iu]r)?$")
WIDEST, NARROWEST = 9, 2
"""Letters beside the doubtful one that are looked at, at most and at least."""
# A word with what an apostrophe sets off; addresses, codes and numbers are left alone.
_WORD = re.compile(r"(?<![\w@.'’/-])[A-Za-z]+(?:['’][A-Za-z]+)?(?![\w@/-]|\.\w)")


def bare(text: str) -> str:
    """`text` as it is typed on a keyboard without Turkish letters; same length."""
    return text.translate(_BARE)


@dataclass(frozen=True, slots=True)
class Spellings:
    """`known`: bare word → its most frequent spelling. `plain` and `spelled` are all words on end, between
    line ends, bare and spelled: the same place in both is the same letter."""

    known: dict[str, str]
    plain: str
    spelled: str


@functools.cache
def spellings() -> Spellings:
    """The words that came with the package, most frequent first."""
    words = gzip.decompress(resources.files("lab.rag").joinpath(FILE).read_bytes()).decode("utf-8").split()
    spelled = "\n" + "\n".join(words) + "\n"
    return Spellings({bare(word): word for word in words}, bare(spelled), spelled)


def restored(question: str) -> str:
    """`question` with its Turkish letters, if it is Turkish and was typed without any; else unchanged."""
    if any(letter in TURKISH for letter in question) or language_of(question) != "tr":
        return question
    shouted = question.isupper()
    done: list[str] = []
    before, end = "", 0
    for match in _WORD.finditer(question):
        between = question[end : match.start()]
        word = _respelled(match.group(), before if between == " " else "", shouted)
        done += [between, word]
        before, end = word, match.end()
    return "".join([*done, question[end:]])


def with_letters(question: str, trace: Trace) -> str:
    """`restored`, as a step of a question: the trace says what was read."""
    with trace.step("letters", 0) as line:
        read = restored(question)
        if read != question:
            line.detail["read as"] = read
    return read


def _respelled(written: str, before: str, shouted: bool) -> str:
    """A written word with its letters. Of a name with an ending only the name is looked up; short words in
    capitals are abbreviations."""
    if written.isupper() and len(written) > 1 and not shouted:
        return written
    stem, mark, ending = written.partition("'" if "'" in written else "’")
    if mark:
        return _cased(stem, spellings().known.get(stem.lower(), stem.lower())) + mark + ending
    if _PARTICLE.match(written.lower()) and (vowel := _last_vowel(_small(before))):
        return _cased(written, _harmonised(written.lower(), vowel))
    return _cased(written, spelling(written.lower()))


def _small(word: str) -> str:
    return word.replace("İ", "i").replace("I", "ı").lower()


def _cased(written: str, word: str) -> str:
    """`word` in the case in which it was `written`, by Turkish rules (i → İ, ı → I)."""
    return "".join(
        letter.replace("i", "İ").replace("ı", "I").upper() if old.isupper() else letter
        for old, letter in zip(written, word, strict=True)
    )


def _last_vowel(word: str) -> str:
    return next((letter for letter in reversed(word) if letter in _VOWELS), "")


def _harmonised(ending: str, vowel: str) -> str:
    """An ending's i and u as they follow this vowel: "mi" after "sayılıyor" is "mu", after "aldı" "mı"."""
    letters = []
    for letter in ending:
        if letter in "iu":
            letter = _HARMONY[vowel]
        if letter in _VOWELS:
            vowel = letter
        letters.append(letter)
    return "".join(letters)


@functools.lru_cache(maxsize=4096)
def spelling(word: str) -> str:
    """The most probable spelling of a bare word in small letters; of the same length."""
    words = spellings()
    if found := words.known.get(word):
        return found
    framed = f"\n{word}\n"
    return "".join(
        _read(framed, at, words) if letter in _DOUBTFUL else letter
        for at, letter in enumerate(framed)
        if letter != "\n"
    )


def _read(framed: str, at: int, words: Spellings) -> str:
    """The doubtful letter at this place, as most words have it that share the longest context."""
    letter = framed[at]
    for width in range(min(WIDEST, len(framed) - 1), NARROWEST - 1, -1):
        votes = 0
        for before in range(max(0, width - (len(framed) - 1 - at)), min(at, width) + 1):
            context = framed[at - before : at - before + width + 1]
            votes += _votes(context, before, letter, words)
        if votes:
            return _DOUBTFUL[letter] if votes > 0 else letter
    return letter


def _votes(context: str, offset: int, letter: str, words: Spellings) -> int:
    """Words with this context that have the Turkish letter there, minus those that don't."""
    votes, start = 0, words.plain.find(context)
    while start >= 0:
        votes += -1 if words.spelled[start + offset] == letter else 1
        start = words.plain.find(context, start + 1)
    return votes


__all__ = ["bare", "restored", "spelling", "spellings", "with_letters"]
