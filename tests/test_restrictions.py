"""What statements restrict and deletions remove, on wordings of everyday life in both languages."""

from __future__ import annotations

import pytest

from lab.corpus.restrictions import Scope, cue, deletion, lost, restriction, stands
from lab.corpus.values import values


@pytest.mark.parametrize(
    ("sentence", "scope", "who"),
    [
        ("The safe is behind the mirror, but only Nadia and I may know that.", Scope.ONLY, "nadia and i"),
        ("This is for Leyla and Tom only.", Scope.ONLY, "leyla and tom"),
        ("The offer stays inside the procurement team.", Scope.ONLY, "the procurement team"),
        ("Nobody except Deniz should open it.", Scope.ONLY, "deniz should open it"),
        ("Please don't tell Grandpa about the party.", Scope.NOT, "grandpa"),
        ("Keep the results from the kids.", Scope.NOT, "the kids"),
        ("Do not share the rent with the neighbours.", Scope.NOT, "the neighbours"),
        ("Please don't tell anyone.", Scope.SELF, ""),
        ("Keep this to yourself.", Scope.SELF, ""),
        ("The merger is confidential.", Scope.CORE, ""),
        ("Outside we may say 'the northern client'.", Scope.OPEN, ""),
        ("Kasanın yerini sadece Ayşe ve ben bilelim.", Scope.ONLY, "ayse ve ben"),
        ("Bu fiyat aramızda kalsın.", Scope.ONLY, "aramizda"),
        ("Lütfen İrem'e söyleme.", Scope.NOT, "irem'e"),
        ("Maaşımı kimseye söyleme.", Scope.SELF, ""),
        ("Sözleşme taslağı hassas, dikkatli olalım.", Scope.CORE, ""),
        ("IŞIK HANIM'A SÖYLEME.", Scope.NOT, "isik hanim'a"),
    ],
)
def test_a_restriction_is_read(sentence: str, scope: Scope, who: str) -> None:
    found = restriction(sentence)
    assert found is not None
    assert found.scope == scope
    if scope in (Scope.ONLY, Scope.NOT):
        assert found.who.startswith(who)


@pytest.mark.parametrize(
    "sentence",
    [
        "The meeting moved to Thursday at ten.",
        "Nadia bought three lamps for the hall.",
        "Toplantı perşembe günü saat onda.",
        "Kapının rengi maviye döndü.",
    ],
)
def test_what_restricts_nothing_is_left_alone(sentence: str) -> None:
    assert restriction(sentence) is None
    assert deletion(sentence, "en") is None


@pytest.mark.parametrize(
    ("sentence", "language", "word", "earlier"),
    [
        ("Please delete the old door code.", "en", "door", True),
        ("Forget the address I gave you.", "en", "address", False),
        ("Do not keep the account number in your notes.", "en", "account", False),
        ("The former supplier should not be brought up or restated.", "en", "supplier", True),
        ("Eski kapı kodunu hafızandan sil.", "tr", "kapi", True),
        ("Lütfen hesap numarasını unut.", "tr", "hesap", False),
    ],
)
def test_a_deletion_is_read(sentence: str, language: str, word: str, earlier: bool) -> None:
    found = deletion(sentence, language)
    assert found is not None
    assert word in found.about
    assert found.earlier is earlier


def test_values_by_their_shape() -> None:
    said = "For Boreas the new door code is 4417-K, the fee 1.250 TL, and the buyer Deniz Tekstil."
    found = [(v.text, v.kind) for v in values(said, "en", frozenset({"boreas"}))]
    assert found == [("4417-K", "code"), ("1.250 TL", "amount"), ("Deniz Tekstil", "name")]
    assert values("On July 10, 2026 the PIN changes.", "en") == []


def test_what_a_deletion_says_is_current_stands() -> None:
    said = "Delete the old code K-11, the current code K-12 stays."
    assert not stands(said, said.index("K-11"))
    assert stands(said, said.index("K-12"))


def test_access_that_ended() -> None:
    assert lost("Omar's access was revoked on Friday.")
    assert lost("Selin'in yetkisi iptal edildi.")
    assert not lost("Omar got access on Friday.")


def test_phrases_and_times_are_values() -> None:
    said = "The password is grey heron from 7:20 PM, parola mavi martı."
    found = [(v.text, v.kind) for v in values(said, "en")]
    assert found == [("grey heron", "phrase"), ("7:20 PM", "time"), ("mavi martı", "phrase")]


def test_a_list_of_who_is_kept_out_is_read_whole() -> None:
    found = restriction("Never mention the bonus to Oskar, the interns, or our auditors.")
    assert found is not None
    assert found.scope == Scope.NOT
    assert found.who == "oskar, the interns, or our auditors"


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("Kayıtları silelim mi?", "silelim"),
        ("SİL GİTSİN", "sil"),
        ("Eski numara silinmiş.", "silinmis"),
        ("The silver key hangs by the door.", ""),
        ("A silent alarm, silicon sheets and silk.", ""),
    ],
)
def test_what_is_turkish_for_delete_and_what_only_begins_so(sentence: str, found: str) -> None:
    assert cue(sentence) == found
