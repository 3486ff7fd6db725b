"""Which sentences say that a value changes, from what to what, or that something ends (English, Turkish)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lab.corpus.amounts import WORDS, Amount, amounts, bare, plain


@dataclass(frozen=True, slots=True)
class Change:
    """`old` and `new` as the sentence writes them; "" where it does not say."""

    old: str
    new: str
    kind: str
    """`amends` or `repeals`."""


_OLD_BEFORE = re.compile(
    r"(?:\bfrom|\binstead of|\brather than|\bin place of|\b(?:previously|formerly|until now|up to now"
    r"|so far|earlier|before)"
    r"(?:,|:)?(?: it (?:was|is)| the \w+ was)?|\bwas|\bwere|\bold (?:\w+ )?(?:of )?|\bup from|\bdown from"
    r"|\breplac\w+"
    r"|\b(?:eski|onceki|mevcut) (?:\w+ )?(?:olan )?|\bonceden(?: \w+)?|\bdaha once(?: \w+)?"
    r"|\beskiden(?: \w+)?"
    r"|\b(?:bugune|simdiye|su ana|bu zamana) kadar(?: \w+){0,4}|\bhalen(?: \w+)?)"
    r" (?:only |yalnizca |en cok |en fazla |at most |up to |gunluk |aylik |haftada )*$"
)
_OLD_AFTER = re.compile(r"^ ?(?:yerine|iken|olan\b)|^ ?(?:'?[dt][ae]n)(?![a-z])")
_OLD_ENDING = re.compile(r"(?:[dt][ae]n|[dt]i|ydi|ken)$")
_NEW_BEFORE = re.compile(
    r"(?:\bto|\bbecomes?|\bis now|\bare now|\bis raised to|\bwill be|\bby|\bby up to|\bnow|\bread"
    r"|\byeni (?:\w+ )?(?:olan )?|\bartik(?: \w+){0,3})"
    r" (?:only |up to |yalnizca |en cok |en fazla |at most )*$"
)
_NEW_AFTER = re.compile(
    r"^ ?(?:olarak|olmustur|oldu\b|olacak\w*|olur\b|again\b|yine\b|instead of|rather than|in place of"
    r"|(?:per|a|each|an) \w+(?: \w+)? (?:instead of|rather than))"
)
_NEW_ENDING = re.compile(r"(?:'[ny]?[ae]|(?:un|ay|yil|saat|hafta)[ae]|y[ae])$")
_CUE = re.compile(
    r"\b(?:ris(?:e|es|ing|en)|rais\w+|rose|go(?:es)? (?:up|down)|increas\w+|reduc\w+|decreas\w+|lower\w+"
    r"|cut\b|chang\w+"
    r"|amend\w+|updat\w+|replac\w+|instead of|rather than|in place of|becom\w+|from \S+(?: \w+)? to\b"
    r"|again\b|no longer"
    r"|correct\w*|should read|is now|are now"
    r"|yuksel\w+|cik\w+|artir\w+|art(?:iy|ac|ti|ar)\w*|dus(?:ur|er|tu|uyor|ecek)\w*|indir\w+|in(?:er|di"
    r"|iyor|ecek)\b"
    r"|degis\w+|guncelle\w*|yerine|olarak duzelt\w*|duzeltil\w+|olmustur|oldu\b|olacak\w*|bugune kadar|artik"
    r"|onceden|daha once|eskiden)"
)
_ENDS = re.compile(
    r"\b(?:no longer|ends?\b(?! in\b)|ceases?|is (?:abolished|withdrawn|cancelled|canceled|repealed"
    r"|revoked|dropped|lifted)"
    r"|are (?:abolished|withdrawn|cancelled|canceled|repealed|revoked|dropped|lifted)|cancels?|revokes?"
    r"|withdraws?|repeals?"
    r"|(?:olmaktan|yururlukten) (?:cik|kaldir|kalk)\w*|iptal\b|kaldiril\w+|kaldirdik|kalk(?:ar|ti|iyor"
    r"|acak|mistir)\b"
    r"|sona er\w+|gecersiz\w*|son bul\w+)"
)
_HYPOTHETICAL = re.compile(
    r"\b(?:would|might|could|propos\w+|consider\w*|suggest\w*|plan(?:s|ned|ning)? to|draft|whether"
    r"|if (?:the|it|this|we|you)"
    r"|rumou?r\w*|oneri(?!miz)\w*|teklif\w*|dusunul\w+|planlan\w+|taslak|degerlendiril\w+|olursa|eger"
    r"|soylenti\w*)\b"
)
_CLAUSE = re.compile(r"[;:]\s|\.\s|, (?:and|but|while|whereas|ancak|fakat|ama|oysa) ")
_DENIED = re.compile(
    r"\b(?:nothing changes|(?:does|do|did|will|shall|is|are) (?:not|n't) (?:be )?(?:chang|updat|amend"
    r"|replac|supersed|cancel|affect)\w*"
    r"|doesn't (?:chang|updat|amend|replac)\w*|(?:stays?|remains?) (?:as it is|as they are|unchanged"
    r"|the same|at|in force)|unchanged"
    r"|degism(?:ez|iyor|edi|eyecek|emistir)\w*|degistirilm(?:ez|edi|iyor|eyecek)\w*|guncellenm(?:ez|edi"
    r"|iyor|eyecek)\w*"
    r"|aynen (?:gecerli|kal)\w*|iptal edilm(?:ez|edi|iyor|eyecek)\w*)"
)


def is_certain(sentence: str, at: int = 0) -> bool:
    """Whether the clause at this place states something, rather than proposing, supposing or denying it."""
    text = plain(sentence)
    first = max((match.end() for match in _CLAUSE.finditer(text, 0, at + 1) if match.end() <= at), default=0)
    last = next((match.start() for match in _CLAUSE.finditer(text, at)), len(text))
    clause = text[first:last]
    return not _HYPOTHETICAL.search(clause) and not _DENIED.search(clause)


def ends(sentence: str) -> bool:
    """Whether it says that something ends or is cancelled."""
    return _ENDS.search(plain(sentence)) is not None


def changes(sentence: str) -> list[Change]:
    """The changes of values a sentence states for certain, in its order."""
    text = plain(sentence)
    values = [value for value in _with_bare(sentence) if is_certain(sentence, value.first)]
    old = [value for value in values if _is_old(value, text)]
    new = [value for value in values if value not in old]
    found: list[Change] = []
    taken: set[Amount] = set()
    for one in old if _CUE.search(text) else []:
        alike = [v for v in new if v.unit == one.unit and v.number != one.number and v not in taken]
        if one.unit == "weekday" or not alike:
            continue
        said = [v for v in alike if _is_new(v, text)]
        nearest = min(said or alike, key=lambda v: abs(v.first - one.first))
        taken.add(nearest)
        found.append(Change(_written(sentence, one), _written(sentence, nearest), "amends"))
    ending = _ENDS.search(text)
    if (
        not found
        and ending
        and is_certain(sentence, ending.start())
        and (days := [v for v in values if v.unit == "weekday"])
    ):
        found.append(Change(_written(sentence, days[0]), "", "amends"))
    return found


def stated(sentence: str) -> str:
    """The one value that a sentence says holds, such as "600 TRY" in "the amount is 600 TRY again"; "" when
    there is none or more than one."""
    text = plain(sentence)
    values = [value for value in amounts(sentence) if value.unit != "weekday" and not _is_old(value, text)]
    return _written(sentence, values[0]) if len({value.key for value in values}) == 1 else ""


def _with_bare(sentence: str) -> list[Amount]:
    """The values, a number without a unit before one with ("330'dan 400 TL'ye") taking that one's."""
    found = amounts(sentence)
    if not [value for value in found if value.unit != "weekday"]:
        return found
    text = plain(sentence)
    for number in bare(sentence):
        behind = text[number.last :]
        follows = re.match(r"(?:'?[dt][ae]n)? ?(?:to|yerine|,)? ?", behind)
        assert follows is not None
        at = number.last + follows.end()
        unit = next((value.unit for value in found if value.first == at and follows[0].strip()), "")
        if unit and _is_old(number, text):
            found.append(Amount(unit, number.number, number.first, number.last))
    return sorted(found, key=lambda value: value.first)


def _is_old(value: Amount, text: str) -> bool:
    written = text[value.first : value.last]
    after = text[value.last :]
    if _NEW_BEFORE.search(text[: value.first]) and not _OLD_AFTER.match(after):
        return False
    if _OLD_BEFORE.search(text[: value.first]) or _OLD_AFTER.match(after):
        return True
    return value.unit != "weekday" and _OLD_ENDING.search(written) is not None


def _is_new(value: Amount, text: str) -> bool:
    written, after = text[value.first : value.last], text[value.last :]
    return bool(
        _NEW_BEFORE.search(text[: value.first]) or _NEW_AFTER.match(after) or _NEW_ENDING.search(written)
    )


_CASE = re.compile(r"\b(gün|hafta|saat|lira|avro|euro|dolar|karakter|bilet)(?!s\b)\w+$", re.I)


def _written(sentence: str, value: Amount) -> str:
    """The value without its case ending: "2 gündü" → "2 gün"."""
    words = sentence[value.first : value.last].replace("’", "'").split("'")[0]
    if words.isalnum() and value.unit != "weekday" and value.number in (words, WORDS.get(plain(words))):
        return f"{words} {value.unit}"
    words = _CASE.sub(r"\1", words)
    return words.strip()
