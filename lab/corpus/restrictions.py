"""What a statement restricts and what a deletion removes, by rules in English and Turkish (RESTRICTIONS.md).

Only words are read here: who "the parents" or "the core room" are is for whoever knows the people."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from enum import StrEnum

from lab.text import STOP_EN, STOP_TR, fold, lexemes


class Scope(StrEnum):
    """For whom a restricted statement remains."""

    ONLY = "only"
    """Those named, and who said it."""
    NOT = "not"
    """All who could read it but those named."""
    CORE = "core"
    """The inner circle of the room."""
    SELF = "self"
    """Who said it."""
    OPEN = "open"
    """Everybody: wording that is said to be safe."""


@dataclass(frozen=True, slots=True)
class Restriction:
    """`who` as written, folded ("my sister and me"); `back`: it speaks of what was said just before."""

    scope: Scope
    who: str
    back: bool
    rule: str


@dataclass(frozen=True, slots=True)
class Deletion:
    """`about`: lexemes of what is to go; `earlier`: all but the newest value; `whole`: whole statements where
    no value is found."""

    about: frozenset[str]
    earlier: bool
    whole: bool
    rule: str


_WHO = r"(?P<who>[^.;:!?()]{2,70}?)"
_END = (
    r"(?=\s*(?:$|[.;:!?,()]|\bbut\b|\bso\b|\bbecause\b|\buntil\b|\bunless\b|\bwhen\b|\bfor now\b|\bplease\b))"
)
_LIST = _END.replace(",", "")
"""Who is kept out may be a list with commas."""
_NO = (
    r"(?:do not|don'?t|never|must not|mustn'?t|should not|shouldn'?t|cannot|can'?t|not to be|may not|won'?t|"
    r"stop|avoid|without)"
)
_GIVE = (
    r"(?:tell(?:ing)?|show(?:ing)?|shar(?:e|ed|ing)|mention(?:ed|ing)?|giv(?:e|en|ing)|reveal(?:ed|ing)?|"
    r"disclos(?:e|ed|ing)|send(?:ing)?|sent|pass(?:ed|ing)?(?: on)?|expos(?:e|ed|ing)|forward(?:ed|ing)?|"
    r"repeat(?:ed|ing)?|(?:re)?circulat(?:e|ed|ing)|quot(?:e|ed|ing)|post(?:ed|ing)?|discuss(?:ed|ing)?|"
    r"bring(?:ing)? up|surfac(?:e|ed|ing)|copy|copied|leak(?:ed|ing)?|read out|let slip)"
)
_SEE = r"(?:see|know|read|access|have|get|hear|receive|use|view|find out|learn|be told|be shown|be given)"
_RULES: tuple[tuple[str, Scope, str], ...] = (
    # What is safe to say comes first: it is no restriction, whatever else it names.
    ("safe wording", Scope.OPEN,
     r"\b(?:may|can|should|could)(?: still| only| simply)? (?:say|use|call it)\b"
     r"|\b(?:safe|acceptable|public|broad)\b[^.]{0,40}\b(?:wording|description|phrase|line)\b"
     r"|\b(?:herkese|disariya) (?:soylenebilir|denebilir)"),
    # English: named people.
    ("only for", Scope.ONLY,
     rf"\b(?:only|just|solely|exclusively|strictly)\s(?:for|with|to|by|between|among|inside|within)"
     rf"\s{_WHO}{_END}"),
    ("for … only", Scope.ONLY, rf"\b(?:for|with|to|between|inside|within|in)\s{_WHO}[\s-](?:only|alone)\b"),
    ("only … may see", Scope.ONLY,
     rf"\b(?:only|just)\s(?P<who>(?!i\b)[^.;:!?()]{{2,60}}?)\s(?:may|can|should|needs? to|need"
     rf"|are allowed to|"
     rf"is allowed to|gets? to|has to|have to)\s(?:be able to )?{_SEE}\b"),
    ("nobody but", Scope.ONLY, rf"\b(?:no ?(?:one|body)|not anyone|anyone|anybody)\s(?:else )?"
     rf"(?:but|except(?: for)?|other than|besides)\s{_WHO}{_END}"),
    ("stays with", Scope.ONLY,
     rf"\b(?:keep|keeps|kept|stay|stays|remain|remains|leave|left|hold|held|belongs?)\b[^.;:!?]{{0,40}}?\s"
     rf"(?:inside|within|between|among|with)\s{_WHO}{_END}"),
    ("…-only", Scope.ONLY, r"(?:^|\s|\()(?P<who>(?:resident|family|parent|adult|owner|"
     r"staff|team|member|partner|manager|"
     r"board|crew|admin|household)s?)-only\b"),
    ("between", Scope.ONLY, rf"\b(?:this is|just|strictly|it'?s)\s(?:just |strictly )?between\s{_WHO}{_END}"),
    ("not outside", Scope.ONLY,
     rf"\b(?:{_NO}|not|nothing|no)\b[^.;:!?]{{0,80}}?\s(?:outside(?: of)?|beyond)\s{_WHO}{_END}"),
    ("secret", Scope.SELF,
     r"\bto (?:yourself|myself)\b|\bbetween (?:you and me|us)\b|\bmy (?:private|personal) (?:note|notes"
     r"|memory)\b"
     r"|\bfor my eyes\b|\bonly (?:for )?(?:me|i|myself)\b|\bjust for me\b"
     rf"|\b{_NO}\b[^.;:!?]{{0,20}}?\b{_GIVE}\b[^.;:!?]{{0,40}}?\b(?:anyone|anybody|any ?one else|others"
     rf"|nobody)\b"
     r"|\b(?:bende|sende) kals\w+|\bkimseye (?:soyleme|anlatma|gosterme|verme|iletme)\w*"
     r"|\bkimseyle paylasma\w*"
     r"|\bkimse (?:bilmesin|gormesin|duymasin|ogrenmesin)|\bbana ozel\b|\bsadece ben\b"),
    ("do not tell", Scope.NOT, rf"\b{_NO}\s(?:tell|show|inform|remind|warn|ask|let)\s{_WHO}"
     rf"(?=\s*(?:$|[.;:!?,()]|\babout\b|\bwhat\b|\bwhere\b|\bknow\b|\bsee\b|\bhear\b|\bthat\b|\bwhy\b"
     rf"|\bhow\b|"
     rf"\bthe\b|\bthis\b|\byet\b|\buntil\b))"),
    ("not with", Scope.NOT,
     rf"\b{_NO}\b[^.;:!?]{{0,20}}?\b{_GIVE}\b[^.;:!?]{{0,50}}?\s(?:to|with|in front of|near|around)"
     rf"\s{_WHO}{_LIST}"),
    ("keep from", Scope.NOT, rf"\b(?:keep|hide|conceal|withhold|stay hidden|secret)\b[^.;:!?]{{0,40}}?"
     rf"\sfrom\s{_WHO}{_LIST}"),
    ("… must not see", Scope.NOT,
     rf"(?:^|[,;:]\s|\band\s|\bbut\s|\bthat\s|\bso\s)(?P<who>(?!i\b|it\b|that\b|this\b|they\b|which\b)"
     rf"[^.;:!?,()]{{2,50}}?)\s"
     rf"(?:must not|should not|shouldn'?t|mustn'?t|cannot|can'?t|may not|does(?: not|n'?t) need to|"
     rf"do(?: not|n'?t) need to|is not to|are not to|is not allowed to|are not allowed to)\s{_SEE}\b"),
    ("not for", Scope.NOT, rf"\b(?:is|are|it'?s|that'?s|this is)\snot (?:something )?for\s{_WHO}{_LIST}"),
    # Turkish: named people.
    ("sadece … icin", Scope.ONLY,
     r"\b(?:sadece|yalniz|yalnizca|bir tek)\s(?P<who>[^.;:!?()]{2,60}?)\s(?:icin|gor\w*|bil\w*|oku\w*"
     r"|ile|arasinda|"
     r"erisebil\w*|paylas\w*)\b"),
    ("… disinda kimse", Scope.ONLY,
     r"\b(?P<who>[^.;:!?()]{2,50}?)\s(?:disinda|haric|disindaki|baska)\s(?:hic ?kimse\w*|kimse\w*"
     r"|baskasi\w*|herkes\w*)"),
    ("aramizda", Scope.ONLY, r"(?P<who>aramizda|ikimizin arasinda|bizde)\s(?:kal\w*)"),
    ("… icinde kalsin", Scope.ONLY, r"\b(?P<who>[^.;:!?(),]{2,50}?)\s(?:icinde|arasinda|disina cik\w*)"
     r"\s?(?:kal\w*|tut\w*)?(?=\W*$|\W)"),
    ("…ye soyleme", Scope.NOT,
     r"(?:^|[,;:]\s|\b(?:bunu|bu bilgiyi|bunlari|ama)\s)(?:(?:sakin|lutfen|bunu|ama)\s)*(?P<who>"
     r"[^.;:!?(),]{2,50}?)\s"
     r"(?:soyleme\w*|gosterme\w*|anlatma\w*|verme\w*|paylasma\w*|bahsetme\w*|iletme\w*|belli etme\w*)\b"),
    ("… bilmesin", Scope.NOT,
     r"(?:^|[,;:]\s|\b(?:bunu|ama)\s)(?:(?:sakin|lutfen|bunu|ama)\s)*(?P<who>[^.;:!?(),]{2,50}?)"
     r"\s(?:bilme(?:sin|meli|yecek)\w*|gorme(?:sin|meli|yecek)\w*|"
     r"duyma(?:sin|mali|yacak)\w*|ogrenme(?:sin|meli|yecek)\w*)"),
    ("…den sakla", Scope.NOT, r"(?:^|[,;:]\s|\bbunu\s)(?P<who>[^.;:!?(),]{2,50}?(?:dan|den|tan|ten))"
     r"\s(?:sakla|gizle|gizli)\w*"),
    # Without names.
    ("private", Scope.SELF,
     r"\b(?:this|that|it|is|are|keep|stays?|treat|remains?|kept)\b[^.;:!?]{0,30}\b(?:private|personal"
     r"|secret|a surprise|off the record)\b"
     r"|\bprivately\b|\bin private\b|\b(?:gizli|ozel|surpriz|sir)\s(?:kals\w*|tut\w*|bir bilgi|bilgi)"
     r"|\bsirrim\w*"),
    ("sensitive", Scope.CORE,
     r"\b(?:sensitive|confidential|restricted|classified|need[- ]to[- ]know|internal[- ]only"
     r"|not (?:for )?public|"
     r"privileged information)\b|\b(?:hassas|mahrem|gizlidir|kurum ici|hizmete ozel|gizli bilgi\w*)\b"),
    ("do not share", Scope.CORE,
     rf"\b(?:{_NO})\s(?:be )?(?:share|shared|disclose|disclosed|reveal|revealed|circulate|circulated"
     rf"|recirculate|forward|"
     rf"post|repeat|repeated|expose|exposed|publish|pass on|copy|be copied|leak)\b"
     rf"|\bnot (?:something )?for (?:broad|general|wider)\b"
     r"|\b(?:paylasma(?:yin|yiniz|yalim)?|yayma(?:yin|yiniz)?|disari cik(?:masin|arma)\w*"
     r"|dagitma(?:yin)?)\b"),
)  # fmt: skip
_COMPILED = tuple((name, scope, re.compile(pattern)) for name, scope, pattern in _RULES)
_BACK = re.compile(
    r"^(?:and |but |so |please |also |ama |ve |lutfen )*(?:treat|keep|it|this|that|these|those|they"
    r"|do not|don'?t|never|only|just|"
    r"nobody|no one|bunu|bu|bunlar|bunlari|sakin|kimse\w*|sadece|yalniz\w*|aramizda)\b"
)
_SIL = r"sil(?!ver|enc|ent|ic|ly|k|u)\w*"
"""Forms of "silmek" (to delete), and not silver, silence, silent, silicon, silly, silk."""
_CUES = re.compile(
    r"\b(?:share\w*|tell\w*|private\w*|secret\w*|confidential\w*|sensitive|disclos\w*|reveal\w*|keep"
    r"|only|restrict\w*|"
    r"outside|access|permission\w*|allowed|delet\w*|remov\w*|eras\w*|forget|retain|retire\w*|purge\w*|"
    rf"gizli\w*|paylas\w*|soyleme\w*|sadece|yalniz\w*|ozel|{_SIL}|unut\w*|yetki\w*|izin\w*)\b"
)
_VERB = r"(?:delete|remove|erase|forget|purge|scrub|wipe|expunge|discard|retire|clear|take)"
_DELETE: tuple[tuple[str, str], ...] = (
    ("delete", rf"(?:^|[,;:]\s*|\b(?:please|should|must|to|you|also|now|and|action|then|just|can|we"
     rf"|let'?s)\s){_VERB}\s"
     r"(?P<what>(?:from (?:\w+ )?memory|[^.;!?]*\bfrom (?:\w+ ){0,2}memory"
     r"|the|that|this|these|those|my|our|his|her|their|its|your|any|all|every|what"
     r"|everything|earlier|old|previous|it\b|"
     r"['\"])[^.;!?]*)"),
    ("do not retain", r"\b(?:do not|don'?t|no longer|never|stop|not)\s(?:retain|keep|store|remember"
     r"|remembering|keeping|"
     r"storing|preserve|hold on to|save)\s(?P<what>(?!the current)[^.;!?]*)"),
    ("deleted", r"\b(?:deleted|silinen|silinmis)\s(?P<what>(?!values?\b|items?\b)[^.;!?]*)"),
    ("treated as deleted", r"(?P<what>[^.;!?]*?)\b(?:is|are|was|were|be|been|as|stays?|remains?|now)"
     r"\s(?:treated as |now |also |considered |historical and |retired and |gone and )*"
     r"(?:deleted|erased|removed from memory|forgotten|purged|retired|withdrawn|unavailable)\b"),
    ("not to be restated", r"(?P<what>[^.;!?]*?)\b(?:should|must|do|may|can)\s?not\b"
     r"[^.;!?]{0,20}\b(?:be )?(?:restate|restated|"
     r"revive|revived|recovered|recover|reintroduced?|resurface|brought back|bring back"
     r"|repeated)\b(?P<more>[^.;!?]*)"),
    ("sil", r"(?P<what>[^.;!?]*?)\b(?:sil|silin|siliniz|silelim|silinsin|silinmeli|unut|unutun|unutalim"
     r"|kaldir|kaldirin|kaldiralim|"
     r"temizle|hafizandan cikar\w*|bellekten cikar\w*|kayitlardan cikar\w*)(?=\W|$)"),
    ("saklama", r"(?P<what>[^.;!?]*?)\b(?:saklama|saklamayin|hatirlama|hatirlamayin|hafizanda tutma"
     r"|aklinda tutma|"
     r"silinmis (?:say|kabul)\w*|silindi|gecersiz say\w*)(?=\W|$)"),
)  # fmt: skip
_DELETE_COMPILED = tuple((name, re.compile(pattern)) for name, pattern in _DELETE)
_MEMORY = re.compile(
    r"\b(?:from (?:\w+ )?(?:memory|records?|notes?|history|log)|memory|forget|remember|what i (?:said|told)|"
    r"hafiza\w*|bellek\w*|bellekten|kayit\w*|unut\w*|hatirla\w*)\b"
)
_EARLIER = re.compile(
    r"\b(?:earlier|old|older|previous|prior|former|retired|superseded|stale|outdated|eski|onceki|evvelki)\b"
)
_CURRENT = re.compile(
    r"\b(?:current|currently|new|newer|active|live|now|latest|keep|keeps|still|may|instead|replace\w*|"
    r"yeni|guncel|simdiki|gecerli|artik|kalsin)\b"
)
_DULL = frozenset(
    lexeme
    for language in ("en", "tr")
    for lexeme in lexemes(
        """exact exactly value values memory record note notes please also well direct explicit
        historical deleted earlier old older previous prior former retired treated unavailable going
        forward future later
        answers answer mention stated said told keep retain anything everything information detail
        details thing things hafiza bellek kayit bilgi eski onceki lutfen tam deger project proje after this
        remain remains reminder only fact again longer active use""",
        language,
    )
)


@functools.lru_cache(maxsize=8192)
def restriction(sentence: str) -> Restriction | None:
    """The first rule that `sentence` meets; None when it restricts nothing that is understood."""
    text = _plain(sentence)
    for name, scope, pattern in _COMPILED:
        if match := pattern.search(text):
            who = (match.groupdict().get("who") or "").strip()
            return Restriction(scope, who, bool(_BACK.match(text)), name)
    return None


@functools.lru_cache(maxsize=8192)
def deletion(sentence: str, language: str) -> Deletion | None:
    """What `sentence` asks to forget; None when nothing."""
    text = _plain(sentence)
    for name, pattern in _DELETE_COMPILED:
        if match := pattern.search(text):
            # "Only the current one is in use" beside "delete the old one": what follows a keep is not meant.
            what = re.split(
                r"\b(?:keep|but|and use|instead|kalsin|ama|; )\b",
                " ".join(part for part in (match["what"], match.groupdict().get("more")) if part),
            )[0]
            about = frozenset(lexemes(what, language)) - _DULL - STOP_EN - STOP_TR
            return Deletion(about, bool(_EARLIER.search(text)), bool(_MEMORY.search(text)), name)
    return None


_LOST = re.compile(
    r"\b(?:access|scope|permission|visibility|role|window|yetki\w*|erisim\w*|izin|izni)\b[^.!?]{0,60}?"
    r"\b(?:revoked|expired|withdrawn|ended|closed|no longer active|removed|iptal|kaldirildi|sona erdi"
    r"|bitti|geri alindi)\b"
    r"|\b(?:revok\w+|withdraw\w*)\b[^.!?]{0,60}\b(?:access|permission)\b"
)


@functools.lru_cache(maxsize=8192)
def lost(sentence: str) -> bool:
    """Whether `sentence` tells that somebody's access ended."""
    return bool(_LOST.search(_plain(sentence)))


def stands(sentence: str, start: int) -> bool:
    """Whether what is written at `start` of a deletion is said to stay ("the current label bridge-2")."""
    before = re.split(r"[,;:.]", _plain(sentence[:start]))[-1]
    return bool(_CURRENT.search(" ".join(before.split()[-6:]))) and not re.search(
        rf"\b(?:delete\w*|remove\w*|retain|forget|retire\w*|earlier|old|{_SIL}|eski)\b", before
    )


def stands_open(sentence: str, start: int) -> bool:
    """Whether what is written at `start` is given as the safe wording beside the restriction."""
    before = re.split(r"[,;:.]", _plain(sentence[:start]))[-1]
    return bool(
        re.search(r"\b(?:say|says|call\w*|use|phrase|wording|description|denebilir|soylenebilir)\b", before)
    )


def self_meant(who: str) -> bool:
    """Whether the words of a restriction name the speaker."""
    return bool(re.search(r"\b(?:me|i|myself|us|we|you|ben|bana|biz\w*|aramizda|ikimizin)\b", who))


def is_place(who: str) -> bool:
    """Whether the words of a restriction name a circle rather than people."""
    return bool(
        re.search(
            r"\b(?:room|team|group|circle|house|household|family|house|home|chat|thread|channel|"
            r"department|office|company|oda\w*|ekip\w*|takim\w*|aile\w*|ev\w*|grup\w*)\b",
            who,
        )
    )


@functools.lru_cache(maxsize=8192)
def cue(sentence: str) -> str:
    """The word for which `sentence` might be about rights or forgetting; "" when there is none."""
    match = _CUES.search(_plain(sentence))
    return match[0] if match else ""


def _plain(text: str) -> str:
    return fold(text).replace("’", "'").replace("‘", "'")
