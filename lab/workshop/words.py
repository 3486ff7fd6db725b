"""What the notebooks and the board say, in English and Turkish. Answers and documents keep their language."""

from __future__ import annotations

LANGUAGES = ("en", "tr")

_WORDS: dict[str, tuple[str, str]] = {
    "after": ("after", "sonra"),
    "answer": ("Answer", "Yanıt"),
    "answers": ("answers", "yanıtlar"),
    "as_of": ("Day", "Gün"),
    "ask": ("Ask", "Sor"),
    "attempted": (
        "Not attempted yet: replace the … with your answer.",
        "Henüz denenmedi: … yerine yanıtınızı yazın.",
    ),
    "aside": ("set aside", "kenara ayrıldı"),
    "base": ("before", "önce"),
    "better": ("won", "kazanılan"),
    "calls": ("calls", "çağrı"),
    "cause": ("What is behind it?", "Bunun arkasında ne var?"),
    "change": ("what changes", "ne değişiyor"),
    "checkable": ("This can't be checked here", "Bu burada denetlenemiyor"),
    "citations": ("Sources", "Kaynaklar"),
    "cost": ("cost", "bedel"),
    "cut": ("cut off by the limit of {k}", "{k} sınırına takıldı"),
    "diagnosed": ("diagnosed", "teşhis edildi"),
    "evidence": ("Where does the answer stand?", "Yanıt nerede yazıyor?"),
    "expected": ("What should it have said?", "Ne demeliydi?"),
    "file": ("File a ticket", "Bilet aç"),
    "filed": (
        "Filed as {id} in {file}; to score it: python start.py measure --gold {file}",
        "{id} adıyla {file} dosyasına yazıldı; puanlamak için: python start.py measure --gold {file}",
    ),
    "first": ("First run the question.", "Önce soruyu çalıştırın."),
    "fixed": ("fixed", "çözüldü"),
    "found": ("the right passage is hit number {rank}", "doğru bölüm {rank}. sırada"),
    "guess": (
        "Guess first: at which place does the right passage stand?",
        "Önce tahmin edin: doğru bölüm kaçıncı sırada?",
    ),
    "guessed": ("You guessed {guess}; {truth}.", "Tahmininiz: {guess}; gerçekte {truth}."),
    "hint": ("Hint", "İpucu"),
    "hits": ("Hits", "Bulunanlar"),
    "kept": ("kept", "tutuldu"),
    "leaks": ("leaks", "sızıntı"),
    "lesson": ("What stays", "Akılda kalan"),
    "lost": ("the right passage is not among the first {k}", "doğru bölüm ilk {k} arasında yok"),
    "measure": ("measure", "ölçü"),
    "measured": ("measured over {n} questions, run {run}", "{n} soru üzerinde ölçüldü, koşu {run}"),
    "ms": ("ms", "ms"),
    "none": ("Nothing in the documents you may read.", "Okuyabildiğiniz belgelerde bir şey yok."),
    "open": ("open", "açık"),
    "question": ("Question", "Soru"),
    "refused": ("refused", "yanıt yok"),
    "reproduced": ("reproduced", "yinelendi"),
    "retry": ("Not yet.", "Henüz değil."),
    "right": ("Right.", "Doğru."),
    "role": ("Asked as", "Soran"),
    "rung": ("Rung", "Basamak"),
    "run": ("Run", "Çalıştır"),
    "section": ("section", "bölüm"),
    "solution": ("Solution", "Çözüm"),
    "start": ("start", "başlangıç"),
    "status": ("Status", "Durum"),
    "ticket": ("Ticket", "Bilet"),
    "toggles": ("What the pipeline does", "Hat ne yapıyor"),
    "tokens": ("prompt tokens", "istem birimi"),
    "trace": ("Trace", "İz"),
    "unsure": ("not sure", "emin değil"),
    "verdict": ("verdict", "karar"),
    "week": ("Week {week}", "{week}. hafta"),
    "worse": ("lost", "kaybedilen"),
    "wrong": ("That is not it.", "Bu değil."),
}


def word(name: str, language: str, **values: object) -> str:
    """The text of that name, in Turkish for `tr`, else in English, with its blanks filled in. KeyError for a
    name that there is none of."""
    english, turkish = _WORDS[name]
    return (turkish if language == "tr" else english).format(**values)
