"""Makes lab/rag/letters.txt.gz, the Turkish words by which letters are restored, from wordfreq.

python start.py install --extra build
python tools/make_letters.py"""

from __future__ import annotations

import gzip
import re
from importlib.metadata import version
from pathlib import Path

from wordfreq import get_frequency_dict

from lab.rag.letters import bare

OUT = Path(__file__).resolve().parent.parent / "lab" / "rag" / "letters.txt.gz"
_WORD = re.compile("[a-zçğıöşü]+")
_CIRCUMFLEX = str.maketrans("âîû", "aiu")


def forms() -> list[str]:
    """The words, most frequent first, one for each way of typing them without Turkish letters."""
    found: dict[str, float] = {}
    for word, frequency in get_frequency_dict("tr").items():
        plain = word.translate(_CIRCUMFLEX)
        if _WORD.fullmatch(plain):
            found[plain] = found.get(plain, 0.0) + frequency
    best: dict[str, str] = {}
    for word in sorted(found, key=lambda word: (-found[word], word)):
        best.setdefault(bare(word), word)
    return list(best.values())


def main() -> None:
    words = forms()
    text = "\n".join(words) + "\n"
    OUT.write_bytes(gzip.compress(text.encode("utf-8"), mtime=0))
    print(
        f"{len(words):,} words of wordfreq {version('wordfreq')} in {OUT.name}: {OUT.stat().st_size:,} bytes"
    )


if __name__ == "__main__":
    main()
