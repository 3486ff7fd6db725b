"""Gemma 3 in numpy: what log-probability it gives to a continuation of a text (Gemma 3 Technical Report,
2025; sizes and constants from the GGUF file).

No GGUF runtime that comes as a wheel returns the log-probabilities of a prompt. What a text leaves in the
layers (its keys and values) is kept, so a passage is read once and each question costs its own tokens.
"""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from lab.models.gemma_tokens import BEGIN, Tokenizer
from lab.models.gemma_weights import Weights, weights

GLOBAL_EVERY = 6
"""Each sixth layer looks at the whole text, the others at the last `sliding_window` tokens."""
LOCAL_BASE = 10_000.0
"""Base of the rotary embedding in the layers with a window; the others' stands in the file."""
KEPT = 16_384
"""Tokens of passages whose keys and values are kept in the process: 300 MB at 16 bits."""
SLICE = 32_768
"""Vocabulary entries computed at a time."""
Past = tuple[np.ndarray, np.ndarray]
"""Keys and values of a text: (layers, tokens, width) float16 each."""


class Gemma:
    """The model. `likelihoods` is all the lab asks of it. Not for several threads at once."""

    def __init__(self, given: Weights) -> None:
        self._w = given.arrays
        self.tokenizer = Tokenizer(given)
        numbers = given.numbers
        self.layers = int(numbers["block_count"])
        self.heads = int(numbers["head_count"])
        self.width = int(numbers["key_length"])
        self._window = int(numbers["sliding_window"])
        self._epsilon = float(numbers["layer_norm_rms_epsilon"])
        self._base = float(numbers["freq_base"])
        self._pasts: OrderedDict[tuple[int, ...], Past] = OrderedDict()

    def likelihoods(
        self, prefixes: Sequence[Sequence[int]], between: Sequence[int], continuation: Sequence[int]
    ) -> np.ndarray:
        """(prefixes, tokens of the continuation) natural logarithms: how likely each token of the
        continuation is after a prefix, what stands between, and the tokens before it.

        `between` holds at least one token; each prefix gets the token that begins a text."""
        pasts = [self._past((BEGIN, *prefix)) for prefix in prefixes]
        rest = [*between, *continuation]
        states = self._run([rest[:-1]] * len(pasts), pasts)[0]
        wanted = states[:, len(between) - 1 :].reshape(-1, states.shape[-1])
        return self._log_probability(wanted, np.tile(np.asarray(continuation), len(pasts))).reshape(
            len(pasts), len(continuation)
        )

    def _past(self, tokens: tuple[int, ...]) -> Past:
        if tokens not in self._pasts:
            _, keys, values = self._run([tokens], [None])
            self._pasts[tokens] = keys[:, 0].astype(np.float16), values[:, 0].astype(np.float16)
            while sum(map(len, self._pasts)) > KEPT and len(self._pasts) > 1:
                self._pasts.popitem(last=False)
        self._pasts.move_to_end(tokens)
        return self._pasts[tokens]

    def _run(
        self, rows: Sequence[Sequence[int]], pasts: Sequence[Past | None]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows of equal length through all layers, each after its own past.

        Returns states (rows, tokens, d) ready for the vocabulary, and keys and values (layers, rows, tokens,
        width)."""
        tokens = np.asarray(rows, dtype=np.int64)
        count, length = tokens.shape
        x = self._w["token_embd.weight"][tokens.ravel()]
        x = x * np.float32(np.sqrt(x.shape[-1]))
        starts = np.array([0 if past is None else past[0].shape[1] for past in pasts])
        positions = starts[:, None] + np.arange(length)[None, :]
        turns = {base: _turn(positions, base, self.width) for base in (self._base, LOCAL_BASE)}
        kept_keys, kept_values = [], []
        for layer in range(self.layers):
            everything = layer % GLOBAL_EVERY == GLOBAL_EVERY - 1
            turn = turns[self._base if everything else LOCAL_BASE]
            h = self._norm(x, f"blk.{layer}.attn_norm")
            queries = self._linear(h, layer, "attn_q").reshape(count, length, self.heads, self.width)
            keys = self._linear(h, layer, "attn_k").reshape(count, length, 1, self.width)
            values = self._linear(h, layer, "attn_v").reshape(count, length, self.width)
            queries = _turned(self._norm(queries, f"blk.{layer}.attn_q_norm"), turn)
            keys = _turned(self._norm(keys, f"blk.{layer}.attn_k_norm"), turn)[:, :, 0]
            kept_keys.append(keys)
            kept_values.append(values)
            seen = np.empty((count, length, self.heads * self.width), dtype=np.float32)
            for row, past in enumerate(pasts):
                old = (past[0][layer], past[1][layer]) if past is not None else (keys[row, :0],) * 2
                k = np.concatenate([old[0].astype(np.float32), keys[row]])
                v = np.concatenate([old[1].astype(np.float32), values[row]])
                window = None if everything else self._window
                seen[row] = _attend(queries[row], k, v, window)
            h = self._linear(seen.reshape(count * length, -1), layer, "attn_output")
            x = x + self._norm(h, f"blk.{layer}.post_attention_norm")
            h = self._norm(x, f"blk.{layer}.ffn_norm")
            h = _gelu(self._linear(h, layer, "ffn_gate")) * self._linear(h, layer, "ffn_up")
            x = x + self._norm(self._linear(h, layer, "ffn_down"), f"blk.{layer}.post_ffw_norm")
        states = self._norm(x, "output_norm").reshape(count, length, -1)
        return states, np.stack(kept_keys), np.stack(kept_values)

    def _linear(self, x: np.ndarray, layer: int, name: str) -> np.ndarray:
        product: np.ndarray = x @ self._w[f"blk.{layer}.{name}.weight"].T
        return product

    def _norm(self, x: np.ndarray, name: str) -> np.ndarray:
        scale = 1.0 / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + np.float32(self._epsilon))
        scaled: np.ndarray = x * scale * self._w[f"{name}.weight"]
        return scaled

    def _log_probability(self, states: np.ndarray, tokens: np.ndarray) -> np.ndarray:
        """(n,) log-probability of each token after the state of its row; the softmax is over all entries."""
        table = self._w["token_embd.weight"]
        peak = np.full(len(states), -np.inf, dtype=np.float32)
        total = np.zeros(len(states), dtype=np.float64)
        for first in range(0, len(table), SLICE):
            logits = states @ table[first : first + SLICE].T
            higher = np.maximum(peak, logits.max(axis=1))
            logits -= higher[:, None]
            np.exp(logits, out=logits)
            total = total * np.exp(peak - higher) + logits.sum(axis=1)
            peak = higher
        own = np.einsum("nd,nd->n", states, table[tokens])
        result: np.ndarray = own - peak - np.log(total)
        return result


def _turn(positions: np.ndarray, base: float, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Cosines and sines of the rotary embedding, (rows, tokens, 1, width / 2)."""
    angles = positions[..., None] * (base ** (-np.arange(0, width, 2) / width))
    return np.cos(angles)[:, :, None].astype(np.float32), np.sin(angles)[:, :, None].astype(np.float32)


def _turned(x: np.ndarray, turn: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    cosine, sine = turn
    half = x.shape[-1] // 2
    first, second = x[..., :half], x[..., half:]
    return np.concatenate([first * cosine - second * sine, second * cosine + first * sine], axis=-1)


def _attend(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, window: int | None) -> np.ndarray:
    """(tokens, heads * width): each token looks at itself and those before it, within the window."""
    length, heads, width = queries.shape
    logits = np.einsum("qhw,kw->hqk", queries, keys, optimize=True) / np.sqrt(np.float32(width))
    own = np.arange(len(keys) - length, len(keys))[:, None]
    other = np.arange(len(keys))[None, :]
    hidden = other > own
    if window is not None:
        hidden |= own - other >= window
    logits = np.where(hidden[None], np.float32(-np.inf), logits)
    logits -= logits.max(axis=-1, keepdims=True)
    share = np.exp(logits)
    share /= share.sum(axis=-1, keepdims=True)
    seen: np.ndarray = np.einsum("hqk,kw->qhw", share, values, optimize=True)
    return seen.reshape(length, heads * width)


def _gelu(x: np.ndarray) -> np.ndarray:
    """The tanh form (Hendrycks and Gimpel, 2016)."""
    bent: np.ndarray = np.tanh(np.float32(0.7978845608) * (x + np.float32(0.044715) * x**3))
    result: np.ndarray = np.float32(0.5) * x * (1 + bent)
    return result


@functools.cache
def gemma() -> Gemma:
    """The model of this process. LabError when its package is not installed."""
    return Gemma(weights())
