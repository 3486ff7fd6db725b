"""What an instruction to an assistant looks like, in English and Turkish, as patterns over folded text.

A phrase list catches half of what people think of. So single phrases accuse nobody: only together do they
make a finding (`accused`), and what is concealed needs less.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_AI = (
    r"(?:a\.?i\.?(?!')|artificial intelligence|llms?|language models?|chat ?(?:bots?|gpt)|bots?|gpts?"
    r"|claude|gemini"
    r"|copilot|(?:ai|virtual|digital) (?:agents?|helpers?)|assistants?"
    r"|yapay zeka\w*|dil model\w*|(?:sohbet|yazisma) (?:bot|robot|program)\w*|bot(?:lar\w*|un|a|u|tan)?"
    r"|asistan\w*"
    r"|sanal (?:yardimci|temsilci)\w*)"
)
AI = re.compile(rf"\b{_AI}\b")
_HUMAN = re.compile(
    r"\b(?:executive|administrative|personal|office|sales|teaching|legal|flight|cabin|shop|store"
    r"|medical|care|research"
    r"|management|project|yonetici|idari|ozel|ofis|satis|kabin|ucus|saglik|hukuk|ogretim|arastirma"
    r"|magaza|proje)"
    r" (?:assistants?|asistan\w*)"
)
"""An assistant that is a person, by the word before."""

_SPOKEN_TO = re.compile(
    rf"^\W*(?:(?:dear|hey|hello|hi|attention|to (?:the|any|all|every)|sayin|sevgili|dikkat"
    rf"|merhaba)\s+)?{_AI}"
    rf"(?:\s+(?:systems?|assistants?|models?|reader|asistan\w*|sistem\w*))?\s*[:,!]"
    rf"|^\W*(?:model|system|sistem)\s*:"
    rf"|\b(?:notes?|messages?|hints?|requests?|instructions?|favou?rs?|reminders?) (?:to|for"
    rf"|of) (?:\w+ ){{0,3}}?{_AI}\b"
    rf"|\b{_AI} (?:systems? )?(?:\w+ )?(?:reading|(?:that|who|which) (?:read|quote|process|summari[sz]e"
    rf"|index|parse)s?"
    rf"|processing|summari[sz]ing|quoting) th"
    rf"|\bshould (?:an? |any )?{_AI} (?:be )?(?:read|summari|process|quot)"
    rf"|\b(?:if|in case) you(?: are|'re) (?:an? |the )?{_AI}\b"
    rf"|\b(?:oku|isle|ozetle|alintila|kullan|yanitla)y?an (?:\w+ ){{0,4}}?{_AI}\b"
    rf"|\b{_AI} (?:sistemlerine )?(?:de |da |icin )?(?:\w+ ){{0,3}}?(?:not|rica\w*|ozel|istirham\w*"
    rf"|mesaj\w*|uyari\w*)\b"
    rf"|\b{_AI} varsa\b"
)
"""An assistant is spoken to, not merely spoken of."""

_STARTS = (
    r"(?:^\W*|[:;,|>(\"“-]\s*|\b(?:and|then|please|kindly|must|should|shall|always|also|now|only|just"
    r"|it to)\s+)"
)
_OUTPUT = r"(?:answers?|repl(?:y|ies)|responses?|outputs?|summar(?:y|ies)|completions?)"
_BASE = (
    r"(?:end|finish|close|conclude|begin|start|open|append|add|attach|include|insert|put|place|write"
    r"|say|state|mention"
    r"|recommend|praise|advertise|promote|claim|pretend|repeat|print|use|suggest)"
)
_STEM = (
    r"(?:ekle|iste|sor|yaz|soyle|bitir|basla|koy|oner|belirt|ver|bildir|goster|ilet|yonlendir|tamamla"
    r"|kapat|anlat|kullan"
    r"|talep et|tavsiye et|rica et|tavsiye ed|talep ed|ov)"
)
_DIRECTIVE = (
    rf"\b{_STEM}(?:y?[iu]n(?:[iu]z)?|s[iu]n(?:l[ae]r)?|m[ea]l[iu](?:d[iu]r|l[ae]r|s[iu]n(?:[iu]z)?)?"
    rf"|m[ea]s[iu](?:n[iu]|d[iu]r)?"
    rf"|m[ea]n(?:[iu]z)?[iu]?|m[ea]l[ae]r[iu](?:n[iu])?|m[ea]k zorunda\w*|[iy]?ec[ea]k(?:t[iu]r"
    rf"|l[ae]r\w*)?|[iy]?acak(?:t[iu]r|lar\w*)?"
    rf"|(?:er|ar|yer|yar)?[ae]k bitir\w*)?(?=[\s.,;:!?'\")|]|$)"
)
_OUT = re.compile(
    rf"{_STARTS}{_BASE}\b[^|]{{0,80}}?\b(?:every|each|all|any|your|its)\s+(?:\w+\s+){{0,2}}?{_OUTPUT}\b"
    rf"|{_STARTS}(?:answer|respond|reply)\b (?:to )?(?:every|each|all|any|only|solely|just) "
    rf"|\byour {_OUTPUT} (?:must|should|shall|ha(?:s|ve) to|needs? to|begins?|ends?|starts?)\b"
    rf"|\b(?:her|butun|tum) (?:soru\w* )?(?:yanit|cevap|cevab)\w*[^|]{{0,90}}?{_DIRECTIVE}"
    rf"|\b(?:yanit|cevap|cevab|cikti)(?:l[ae]r)?(?:[iu]n)?(?:[iu]z)?[iu]?n?[iu]?n? (?:her birin\w*"
    rf"|son\w+|bas\w+|alt\w+|icin\w+|bitir\w+)"
    rf"[^|]{{0,90}}?{_DIRECTIVE}"
    rf"|\b(?:yanit|cevap|cikti)lar(?:[iu]n)?(?:[iu]z)?(?:d[ae]|[iu]nd[ae]|[iu]n[ae]|[iu]za|[ae]"
    rf"|[iu])?\b[^|]{{0,70}}?{_DIRECTIVE}"
    rf"|\bher soru\w*[^|]{{0,90}}?(?:{_DIRECTIVE}|\bde(?:yin|mel\w*|sin)?\s*(?=[.,;!\"']|$))"
)
"""What is to be done to answers, as an order."""
_SAY = re.compile(
    rf"\b(?:must|should|shall|always|has to|have to) (?!not\b)(?:\w+ ){{0,2}}?(?:answer|respond|reply"
    rf"|say|state|recommend|claim|list)\b"
    rf"|\bsorul?du[gk]u?n?d?a?\b[^|]{{0,90}}?{_DIRECTIVE}|\bsoran(?:lara|a|olursa| olursa)\b[^"
    rf"|]{{0,90}}?{_DIRECTIVE}"
)
"""An assistant is told what to say. Policies do that too, so it needs a second sign."""
_WHO = (
    r"(?:users?|employees?|readers?|askers?|colleagues?|persons?|people|staff(?: members?)?|customers?"
    r"|everybody|everyone|them"
    r"|who(?:m|ever)\w*)"
)
_WHO_TR = r"(?:kullanici|calisan|soran|okuyan|okur|kisi|meslektas|personel|musteri|herkes|karsindaki)"
_USER = re.compile(
    rf"\b(?:ask|tell|request|get|urge|instruct|advise|invite|prompt|remind|convince|persuade"
    rf"|demand)(?:ing)? (?:the |any |every |from |of )"
    rf"{{0,2}}{_WHO}\b"
    rf"|\b{_WHO_TR}\w*[^|]{{0,70}}?{_DIRECTIVE}"
)
"""What is to be said to, or asked of, whoever put the question."""
_QUIET = re.compile(
    r"\b(?:do not|don't|never|must not|should not|without)\s+(?:mention|tell|reveal|disclos|admit|say"
    r"|show)\w*"
    r"|\bhide (?:that|the fact|this)|\bkeep this (?:\w+ )?(?:secret|hidden|to your)"
    r"|\b(?:soz etme|bahsetme|belli etme|aciga vurma|gizle|gizli tut|sakla)\w*"
    rf"|\b(?:{_WHO_TR}|kimse)\w* (?:\w+ ){{0,3}}?(?:soyleme|bildirme|gosterme|acma)(?:yin|sin|me|den)?\w*"
)
_RULES = (
    r"(?:instructions?|rules?|guidelines?|guidance|prompts?|directions?|directives?|commands?|orders"
    r"|guardrails?|restrictions?)"
)
_RULES_TR = r"(?:talimat|kural|yonerge|komut|istem|yonlendirme|kisitlama|sinirlama)"
_OVER = re.compile(
    rf"\b(?:ignore|disregard|forget|override|bypass|discard|drop|stop following|do not follow"
    rf"|don't follow|no longer follow)"
    rf" (?:\w+ ){{0,4}}?(?:previous|prior|above|earlier|preceding|all|any|your|the|system|every"
    rf"|existing|other|whatever|these|those)"
    rf" (?:\w+ ){{0,3}}?(?:{_RULES}|handbook)\b"
    rf"|\bforget (?:everything|all|whatever|anything)\b(?! about)"
    rf"|\b(?:your|a) new (?:task|role|instruction|goal|mission|job)s? (?:is|are|:)"
    rf"|\bfrom (?:now|here) on,? (?:you|answer|reply|respond|your)\b"
    rf"|\b(?:onceki|yukarida\w*|eski|sistem|verilen|mevcut|butun|tum|kendi"
    rf"|su ana kadar\w*)\s(?:\w+ ){{0,3}}?{_RULES_TR}\w*,? (?:\w+ ){{0,2}}?"
    rf"(?:yok say|unut|gormezden gel|goz ardi et|dikkate alma|gecersiz|birak|bosver|bos ver|uyma|es gec"
    rf"|devre disi)\w*"
    rf"|\b{_RULES_TR}(?:lar|ler)in[ai] (?:uymayi birak|uyma)\w*"
    rf"|\byeni gorev(?:in|iniz)\b|\bbundan (?:sonra|boyle)\b[^|]{{0,60}}(?:yanit|cevap|cevab)\w*"
)
_TOLD = re.compile(
    r"\byou (?:were|are|have been) (?:told|given|instructed|trained)\b|\b(?:sana"
    r"|size) (?:\w+ )?(?:verilen|soylenen)"
)
_ALARM = re.compile(
    r"\b(?:in an? emergency|in case of|alarm|fire|captain|evacuat\w*|acil|yangin|kaptan\w*|tahliye\w*)\b"
)
_ROLE = re.compile(
    rf"\byou are (?:now|henceforth) (?:an? |the |in )?[^|]{{0,60}}?(?:{_AI}|\bdan\b|unrestricted"
    rf"|developer mode|jailbr\w*"
    rf"|without (?:any )?(?:rules|restrictions|limits)|no (?:rules|restrictions|limits))"
    rf"|\b(?:act as|pretend (?:to be|that you)|imagine (?:that )?you|play the role)[^"
    rf"|]{{0,80}}?(?:unrestricted|developer mode|jailbr\w*|\bdan\b"
    rf"|(?:without|no|free of) (?:any )?(?:rules|restrictions|limits|filters))"
    rf"|\b(?:kisitlama|sinirlama|sinir|kural)\w*\s+(?:olmayan|tanimayan|bulunmayan)[^"
    rf"|]{{0,50}}?(?:{_AI}|gibi davran|rolu)"
    rf"|\bartik\b[^|]{{0,60}}?(?:asistan|model|yapay zeka|bot)\w*s[iu]n(?:[iu]z)?\b"
)
_PROMPT = re.compile(
    r"\b(?:reveal|print|show|repeat|output|display|leak|write|tell|give)\b[^|]{0,40}\b(?:system|initial"
    r"|hidden|original) (?:prompt|instruction|message)"
    r"|\bsistem (?:istem|talimat|komut|prompt|mesaj)\w*[^|]{0,40}\b(?:yaz|goster|acikla|paylas|tekrarla"
    r"|soyle|dok)\w*"
    r"|\bsystem (?:override|prompt\s*:)|\bsistem (?:gecersiz kilma)"
)
TEMPLATE = re.compile(
    r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id"
    r"|begin_of_text)\|>"
    r"|\[/?inst\]|<</?sys>>|</?(?:start|end)_of_turn>"
)
"""Marks by which a model tells who speaks; documents have no use for them."""
SECRET = (
    r"(?:passwords?|passphrases?|passcodes?|pass codes?|pins?\b|pin codes?|one-time codes?|otps?"
    r"|verification codes?|security codes?"
    r"|mfa codes?|logins?\b|log-in details|credentials?|card numbers?|cvv"
    r"|sifre\w*|parola\w*|pin kod\w*|dogrulama kod\w*|tek kullanimlik (?:kod|sifre|parola)\w*"
    r"|giris bilgi\w*|kimlik bilgi\w*|kart numara\w*"
    r"|hesap bilgi\w*)"
)
IDENTITY = (
    r"(?:employee (?:number|id)s?|staff (?:number|id)s?|user ?names?|ibans?|date of birth|sicil (?:no"
    r"|numara)\w*|kullanici ad\w*|dogum tarih\w*)"
)
CREDENTIAL = re.compile(rf"\b(?:{SECRET}|{IDENTITY})")
_SECRET = re.compile(rf"\b{SECRET}")
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|https?://[^\s)>\"'\]|]+|\bwww\.[^\s)>\"'\]|]+")
_CARRIES = re.compile(r"!\[[^\]\n]{0,80}\]\(\s*https?://[^)\s]{0,200}(?:\{|%7b)")
_YOURS = re.compile(
    rf"\byour (?:\w+ ){{0,2}}?{SECRET}|\b(?:sifre|parola|pin kod|dogrulama kod|giris bilgi|kimlik bilgi"
    rf"|kart numara|hesap bilgi)\w*?"
    rf"(?:[iu]?n[iu]z)(?:[iu]|\b)|\btelefonunuza gelen\b"
)
_SEND = re.compile(
    r"\b(?:send|mail|e-mail|email|forward|reply|text|submit|confirm|provide|give|share|post|mailing"
    r"|sending|emailing|replying|providing)\b"
    r"|\b(?:gonder|ilet|paylas|bildir|yanitla|yaz|dogrula)(?:y?[iu]n(?:[iu]z)?|m[ae]n[iu]z"
    r"|m[ae]l[iu]s[iu]n[iu]z|m[ae]n[iu]z[iu]?)\b"
)
_WHERE = re.compile(
    rf"{ADDRESS.pattern}|\breply(?:ing)? to this\b|\bto this (?:address|number|page|link|mail)\b"
    rf"|\bby return\b"
    r"|\bbu (?:ileti|mesaj|e-?posta)\w*[^|]{0,90}yanitla|\badresine\b|\bbu (?:numara|baglanti|sayfa)\w*"
)
NEGATED = re.compile(
    r"\b(?:never|not|nobody|no one|none|cannot|can't|don't|doesn't|won't|without|anyone who|whoever"
    r"|report\w*|phishing|suspicious)\b"
    r"|\b(?:if|when) (?:some|any)\w* \w*\s?(?:asks?|requests?|wants?)|\b(?:that|which|who|often) (?:ask"
    r"|request|want)s?\b|\basks? you\b"
    r"|\b(?:hicbir|asla|kimse\w*|oltalama\w*|supheli|isteyen|isterse\w*|sorarsa\w*|istemez|istenmez"
    r"|isteyemez|soramaz|sorulmaz)\b"
    r"|\b\w+(?:m[ae]yin(?:[iu]z)?|m[ae]z|m[ae]malidir|m[ae]m[ae]lidir|[iu]lm[ae]z|[ae]ni)\b"
)
_ASKS_SECRET = re.compile(
    rf"\b(?:ask|asking|request|requesting|demand|demanding|collect|obtain|get|require|require)\b[^"
    rf"|]{{0,70}}?\b(?:{SECRET}|{IDENTITY})"
    rf"|\b(?:{SECRET}|{IDENTITY})[^|]{{0,60}}?\b(?:iste|sor|talep e[td]|al)(?:y?[iu]n(?:[iu]z)?"
    rf"|s[iu]n(?:l[ae]r)?|m[ea]l[iu]\w*|m[ea]s[iu]\w*"
    rf"|m[ea]l[ae]r[iu]\w*|[iy]?ecek\w*)?(?=[\s.,;:!?'\")|]|$)"
)


@dataclass(frozen=True, slots=True)
class Signs:
    """What one sentence shows."""

    ai: bool
    spoken_to: bool
    orders: bool
    """Something is to be done to answers, said to the asker, or kept from him."""
    output: bool
    user: bool
    say: bool
    quiet: bool
    override: bool
    asks_secret: bool
    address: bool
    negated: bool


def signs(sentence: str) -> Signs:
    """What a folded sentence with single spaces shows."""
    ai = bool(AI.search(_HUMAN.sub(" ", sentence)))
    output, user, quiet = (bool(p.search(sentence)) for p in (_OUT, _USER, _QUIET))
    return Signs(
        ai=ai,
        spoken_to=(ai and bool(_SPOKEN_TO.search(sentence))) or sentence.lstrip(" <!-").startswith(_COLONS),
        orders=output or user or quiet,
        output=output,
        user=user,
        say=bool(_SAY.search(sentence)),
        quiet=quiet,
        override=bool(_OVER.search(sentence)),
        asks_secret=bool(_ASKS_SECRET.search(sentence)),
        address=bool(ADDRESS.search(sentence)),
        negated=bool(NEGATED.search(sentence)),
    )


_COLONS = ("model:", "system:", "sistem:")


def accused(sentence: str, hidden: bool, spoken_to: bool) -> tuple[str, str] | None:
    """(kind, reason) if the sentence gives orders to an assistant or asks for credentials; else None.

    `hidden`: nobody is shown it like this; `spoken_to`: a sentence shortly before speaks to an assistant."""
    if TEMPLATE.search(sentence):
        return "template", "holds a mark of a chat template"
    found = signs(sentence)
    if _ROLE.search(sentence):
        return "role", "gives an assistant another role"
    if _PROMPT.search(sentence):
        return "role", "asks for the system prompt"
    if _CARRIES.search(sentence) and (found.ai or hidden):
        return "assistant", "has an assistant put a link that carries data away"
    if found.override and not _ALARM.search(sentence):
        told = found.ai or spoken_to or found.orders or bool(_TOLD.search(sentence))
        if told or hidden or len(sentence.split()) <= 6:
            return "override", "tells an assistant to drop its instructions"
    if _phishing(sentence):
        return "credentials", "asks the reader to send credentials somewhere"
    addressed = found.spoken_to or spoken_to
    asks = found.asks_secret and not found.negated
    if found.ai or addressed:
        if asks and found.output:
            return "assistant", "has an assistant ask for credentials"
        if found.output or (found.quiet and (addressed or (found.ai and found.orders))):
            return "assistant", "tells an assistant what to do with its answers"
        if asks and (found.user or found.say or addressed or hidden):
            return "assistant", "has an assistant ask for credentials"
        if found.user and not found.negated and (addressed or found.say or asks or found.address):
            return "assistant", "has an assistant say or ask something"
        if found.say and (found.address or asks or found.user or addressed):
            return "assistant", "tells an assistant what to say"
    if hidden and (found.orders or asks or found.spoken_to or (found.ai and found.say)):
        return "hidden", "hides an instruction"
    return None


def _phishing(sentence: str) -> bool:
    return bool(
        _SECRET.search(sentence)
        and _SEND.search(sentence)
        and _WHERE.search(sentence)
        and _YOURS.search(sentence)
        and not NEGATED.search(sentence)
    )


_GIVE = re.compile(
    r"\b(?:send|forward|reply|submit|confirm|provide|give|share|tell|reveal)\b"
    r"|\b(?:mail|e-?mail|text|post|message) (?:it|them|me|us|your|his|her|their|to)\b"
    r"|\b(?:gonder|ilet|paylas|bildir|soyle|yolla|dogrula|ver|belirt)(?:y?[iu]n(?:[iu]z)?"
    r"|m[ae]n[iu]z\w*|m[ae]l[iu]s[iu]n\w*"
    r"|[iu]r mis[iu]n\w*|m[ae]s[iu]\w*)?(?=[\s.,;:!?'\")|]|$)"
)
_ENTER = re.compile(
    r"\b(?:enter|type|write|fill in|put in)\b|\b(?:gir|yaz|doldur)(?:y?[iu]n(?:[iu]z)?|m[ae]n[iu]z\w*"
    r"|m[ae]l[iu]\w*)?\b"
)


def demands_secret(sentence: str) -> bool:
    """Whether a folded sentence wants a password or the like told, sent, or asked for. Enough to strike it
    from an answer, whoever wrote it: no handbook needs it said."""
    if NEGATED.search(sentence):
        return False
    wanted = _GIVE.search(sentence) or _ASKS_SECRET.search(sentence)
    if _SECRET.search(sentence) and wanted:
        return True
    return bool(CREDENTIAL.search(sentence) and ("?" in sentence or (wanted and _SECRET.search(sentence))))


def mentions_secret(sentence: str) -> bool:
    """Whether a folded sentence has credentials given or typed in; harmless where a source says so."""
    given = _GIVE.search(sentence) or _ENTER.search(sentence) or _ASKS_SECRET.search(sentence)
    return bool(CREDENTIAL.search(sentence) and given and not NEGATED.search(sentence))


def addresses(text: str) -> list[str]:
    """Mail addresses and links in a folded text, without the full stop that ends their sentence."""
    return [found.rstrip(".,;:!?") for found in ADDRESS.findall(text)]
