"""What a question asks for and what a piece of text offers: durations, money, shares, days, times, people."""

from __future__ import annotations

import functools
import re

from lab.text import fold

KINDS = ("duration", "money", "share", "day", "clock", "contact", "person", "whether")
"""The kinds, in the order of the vectors below."""

_ASKED = tuple(
    re.compile(rf"(?:{pattern})")
    for pattern in (
        r"\bhow (?:long|soon|fast|quickly|often|early|late|much (?:time|notice|leave))\b"
        r"|\b(?:many|more|maximum|minimum) (?:\w+ ){0,2}(?:day|week|month|hour|minute|year)s?\b"
        r"|\b(?:days|time) off\b|\bleave\b.*\?|\bby when\b|\bhow old\b|\bdeadline\b"
        r"|\bkac (?:is )?(?:gun|hafta|ay|saat|dakika|yil|yas)|\bne kadar (?:sure|zaman|erken|gec|once)"
        r"|\bkac \w+ once|\bizin hakki|\bizni?m? (?:ne|kac)|\bsuresi",
        r"\bhow much\b|\bamount\b|\bmoney\b|\bpay\w*|\bpaid\b|\bper diem\b|\ballowance\b|\blimit\b"
        r"|\bceiling\b|\bcap\b|\bcost|\bprice|\bvalue\b|\bsum\b|\bsalary\b|\bbonus\b|\bspend\b|\bupper\b|\bband\b"
        r"|\bkac (?:bin )?(?:lira|tl\b|tly|euro|avro|para)|\bne kadar\b|\bpara\b|\bparasi|\btutar|\bharcirah"
        r"|\blimit|\bsinir|\bucret|\bmaas|\bdeste[gk]|\bkac tl",
        r"\bper ?cent|\bpercentage|\brate\b|\bshare\b|\bproportion|%|\byuzde|\boran|\bkac kat",
        r"\bwhen\b|\buntil\b|\bwhich (?:day|date|month)|\bwhat (?:day|date|month)|\bdeadline\b|\bby which\b"
        r"|\bbegin\b|\bne zaman|\bhangi (?:gun|tarih|ay)|\bkacinda\b|\btarih|\bson gun",
        r"\bwhat time\b|\bwhat hour|\bo'?clock|\bsaat kac|\bkac(?:ta|a)\b|\bhangi saat",
        r"\be-?mail|\bmail\b|\baddress|\bwhere (?:do|can|should|to|is|must)|\bcontact\b|\breport\b|\bphone\b"
        r"|\be-?posta|\badres|\bnereye|\btelefon",
        r"\bwho\b|\bwhom\b|\bwhose\b|\bkim\b|\bkime\b|\bkimin\b|\bkimden\b|\bkimler|\bnereye|\bhangi ekip",
        r"^(?:\W*)(?:is|are|am|do|does|did|can|could|may|must|should|will|would|has|have)\b"
        r"|[.,;–-] (?:is|are|am|do|does|can|could|may|must|should|will|would)\b"
        r"|\bm[iu](?:yim|yiz|sin|dir)?\b",
    )
)
_NUMBER_WORD = (
    r"(?:\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|bir|iki|uc|dort|bes|alti|yedi|sekiz)"
)
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|ocak|subat|mart|nisan|mayis|haziran|temmuz|agustos|eylul|ekim|kasim|aralik)"
)
_OFFERED = tuple(
    re.compile(rf"(?:{pattern})")
    for pattern in (
        rf"\b{_NUMBER_WORD}(?: (?:full|working|calendar|unused|business|is|takvim|more|paid|extra))*"
        r" ?(?:day|week|month|hour|minute|year|gun|hafta|ay\b|saat|dakika|yil)"
        r"|\((?:working |calendar )?days\)|\bday\w*\b[^;]*: \d|\bunder \d+|\bhalf a day",
        r"\d ?(?:try|tl|eur|usd|lira|euro|avro|€|₺)|\((?:try|eur|tl|usd|thousand|000)|\bgross salar",
        r"\d[\d.,]* ?(?:%|per ?cent)|[%] ?\d|\byuzde \d",
        rf"\b\d{{1,2}}\.? {_MONTH}|\b{_MONTH} \d|\b{_MONTH}\b|\b\d{{4}}-\d\d-\d\d"
        r"|\bmonday|\bfriday|\bmonthly",
        r"\b\d{1,2}[:.]\d\d\b",
        r"@|\b\d{3,4} \d{3} \d\d|\bportal\b|\bintranet|\bform\b|\bdesk\b|\bmasasi|\bbox\b|\bkutu",
        r"\bmanager|\bdirector|\bteam\b|\bpartner|\bdesk\b|\bdepartment|\bcommittee|\bcommunications|\bdoctor"
        r"|\bsupervisor|\byonetici|\bekib|\bmudur|\bmasasi|\bsorumlu|\bvisitors|\bonly\b",
        r"\bnot\b|\bno\b|\bnever|\bneither|\bnobody|\bmay\b|\bcan\b|\bmust\b|\ballowed|\bforbidden|\bneeds\b"
        r"|\bonly\b|m[ae]z\b|m[ae]z(?:lar|ler)\b|\byasak|\bizin veril|\bgerek|\bzorunlu|ebilir|abilir",
    )
)


def asked(question: str) -> tuple[bool, ...]:
    """For each of KINDS whether the question asks for it; none, one or several may be true."""
    folded = fold(question)
    return tuple(pattern.search(folded) is not None for pattern in _ASKED)


@functools.lru_cache(maxsize=8192)
def offered(text: str) -> tuple[bool, ...]:
    """For each of KINDS whether the text holds something of it."""
    folded = fold(text)
    return tuple(pattern.search(folded) is not None for pattern in _OFFERED)
