"""Does a clause ask something? English and Turkish, by words alone, also typed without Turkish letters."""

from __future__ import annotations

import re

from lab.text import STOP_EN, STOP_TR, fold

_AUX = r"(?:is|are|was|were|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|had|am)"
_WHO = r"(?:i|we|you|he|she|it|they|one|there|someone|somebody|anyone|anybody)"
_DET = (
    r"(?:the|a|an|my|our|your|his|her|their|this|that|these|those|any|some|all|both|each|every|staff|people)"
)
_LEAD = r"(?:(?:and|also|or|so|but|then|please|now) )?"
_PREP = r"(?:(?:by|in|for|at|from|to|on|with|after|until|till|up to|within|how) )?"
_EN = (
    # how, what, which, why and whose ask wherever a clause begins with them …
    re.compile(rf"^{_LEAD}{_PREP}(?:how|what(?!ever)|what's|which(?!ever)|why|whose|whom)\b(?! about\b)"),
    # … the others also begin "when I travel" and "who works nights": those need a verb behind them.
    re.compile(rf"^{_LEAD}{_PREP}(?:when|where|who)(?:'s| {_AUX}|'re)\b"),
    re.compile(rf"^{_LEAD}who (?!{_WHO}\b|{_DET}\b)[^\W\d_]+"),
    re.compile(rf"^{_LEAD}by when\b|^{_LEAD}(?:until|till|from|since) when\b"),
    re.compile(rf"^{_LEAD}{_AUX}(?:n't)? (?:{_WHO}|{_DET}|[^\W\d_]+)\b"),
    re.compile(
        r"\b(?:tell me|know|explain|ask|wonder\w*|find out)\b.*"
        r"\b(?:how|what|when|where|who|which|whether|if)\b"
    ),
    re.compile(rf"^{_LEAD}whether\b"),
)
_NOT_ASKED = re.compile(r"^(?:have a|will do|may i ask|can you help|could you help|can i ask)\b")
_PERSON = r"(?:y[iu]m|s[iu]n|y[iu]z|s[iu]n[iu]z|d[iu]r|yd[iu]\w*|ym[iu]s)"
_TR = (
    re.compile(
        r"\b(?:kac|kaci|kacta|kactan|kaca|kacar|kacinci|kacini|kacina|kacinda|kaclik|nasil|nerede|nerde|nereye|nereden"
        r"|nerden|neresi\w*|kim|kime|kimden|kimin|kimler\w*|kimi|hangi|hangisi\w*|neden|niye|nicin|nedir|neler\w*"
        r"|neydi|kimdir|ne)\b(?! (?:olursa|var ki))"
    ),
    re.compile(rf"\b[^\W\d_]+ (?:m[iu]{_PERSON})\b"),
    # "yatar mı", "var mı", "gerekli mi" ask; "izin mi" alone only offers an alternative.
    re.compile(
        r"\b(?:var|yok|lazim|sart|zorunlu\w*|gerekli|mumkun|yasak|serbest|uygun|dogru|olur|olacak|degil"
        r"|[^\W\d_]{2,}(?:[aeiu]r|maz|mez|yor|yorlar|mis|[dt][iu]|[dt][iu]k|acak|ecek|mali|meli|lar|ler))"
        r" m[iu]\b"
    ),
)
_EVERY = re.compile(r"\b(?:her ne kadar|ne kadar \w+sa|ne var ne yok|her ne|ne de olsa|bir kac|kim olursa)\b")
_ONES = r"(?:two|three|four|five|a few|a couple of|several|some|2|3|4|5)"
_SAYILAR = r"(?:iki|uc|dort|bes|birkac|bir kac|2|3|4|5)"
_ANNOUNCED = re.compile(
    rf"^(?:(?:hi|hello|hey|merhaba|selam)(?: there| all)?\W+)?"
    rf"(?:i have |i've got |there are |here are |just )?(?:my )?{_ONES}"
    r" (?:(?:quick|short|small|simple|other) )?(?:ones|things|questions|points|items)[^?]{0,30}$"
    rf"|^(?:(?:merhaba|selam)\W+)?{_SAYILAR} (?:kisa |hizli |ufak |kucuk )?"
    r"(?:soru\w*|sey\w*|konu\w*|madde\w*)[^?]{0,30}$"
)
_CHATTER = re.compile(
    r"^(?:hi|hello|hey|dear|good (?:morning|afternoon|evening)|thanks?|thank you|many thanks|cheers|please"
    r"|merhaba|selam|gunaydin|iyi (?:gunler|calismalar|aksamlar)|kolay gelsin|tesekkur\w*|sag ?ol\w*"
    r"|simdiden)\b[^?]{0,25}$"
)
_APOSTROPHES = str.maketrans("’‘ʼ´`", "'''''")
FEW = 5
"""Words from which a clause says something even in glue alone ("how many days do I get")."""
_WORD = re.compile(r"[^\W_]+")
_GLUE = frozenset(
    "how many much what when where who whom whose which why long often far fast soon early late old"
    " get got take give about also please kac kacta kactan kaca nasil nerede nereye hangi mi mu miyim"
    " muyum ne zaman kadar bir ben bana peki ayrica hem there ediyor eder etti oluyor oldu veriyor"
    " and both".split()
)
_UNITS = frozenset(
    "day days hour hours week weeks month months year years percent euro euros lira try tl gun gunu"
    " saat hafta ay yil yuzde adet tane kez kere defa".split()
)


def plain(text: str) -> str:
    """Folded letter by letter, every apostrophe as "'": positions stay those of `text`."""
    text = text.translate(_APOSTROPHES)
    return "".join(folded if len(folded := fold(letter)) == 1 else letter for letter in text)


def asks(clause: str) -> bool:
    """Whether the clause is a question with something it asks about; a lone "how" or "kaç gün" is none."""
    folded = " ".join(plain(clause).split()).strip(" ,;:–-")
    if _NOT_ASKED.match(folded) or not (content(clause) or len(folded.split()) >= FEW):
        return False
    if any(pattern.search(folded) for pattern in _EN):
        return True
    folded = _EVERY.sub(" ", folded)
    return any(pattern.search(folded) for pattern in _TR)


def content(text: str, units: bool = False) -> list[str]:
    """The folded words that say what a clause is about: no question words, no stop words; units of time and
    money only if `units`."""
    found = []
    for word in _WORD.findall(plain(text)):
        if word in _GLUE or word in STOP_EN or word in STOP_TR or (word in _UNITS and not units):
            continue
        if len(word) > 1 or word.isdigit():
            found.append(word)
    return found


def is_announcement(segment: str) -> bool:
    """ "Four quick ones:", "İki sorum var:": says that a list follows."""
    return bool(_ANNOUNCED.match(plain(segment).strip(" :.,;-–")))


def is_chatter(segment: str) -> bool:
    """A greeting or thanks."""
    return bool(_CHATTER.match(plain(segment).strip(" :.,;!-–")))
