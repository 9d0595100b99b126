"""Short hashes that tell data and parameters from others: they find what was changed, not who would deceive."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

#: entries that are worked on together: they stay in the cache
_BLOCK = 1 << 17
#: vectors are cut into rows of this length
_ROW = 256
#: 2^64 over the golden ratio, an odd number
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Mark:
    """What something is, for people, and the hash that tells it from others."""

    text: str
    digest: str


def mark(thing: Any, text: str | None = None) -> Mark:
    """The mark of an object; without a text it is told by what Python shows of it, shortened."""
    shown = " ".join(repr(thing).split()) if text is None else text
    return Mark(shown if len(shown) <= 80 else f"{shown[:77]}...", of(thing))


def of(thing: Any) -> str:
    """The hash of numbers, strings, arrays, sequences of them, and objects that are made of them.

    Raises
    ------
    TypeError
        For what has no such parts, as a function: two of them cannot be told apart.
    """
    return _digest(_spelled(thing).encode())


def of_array(array: np.ndarray) -> str:
    r"""The hash of shape, dtype and entries, in whatever order they lie in memory; it costs about two passes.

    The bits of the entries, mixed by a bijection m of 64-bit numbers, are summed in each row with random odd
    factors,

    .. math:: r_i = \sum_j k_j\, m(x_{ij}) \mod 2^{64},

    and BLAKE2 makes a hash of these sums.  One entry that changes in a row is always seen.
    """
    told = f"{array.dtype.kind}{array.dtype.itemsize} {array.shape} ".encode()
    words = array.view(f"u{array.dtype.itemsize}")
    if words.ndim > 1:
        return _digest(told + _sums(words.reshape(len(words), math.prod(words.shape[1:]))))
    words = words.reshape(-1)
    whole = words.size - words.size % _ROW
    return _digest(told + _sums(words[:whole].reshape(-1, _ROW)) + _sums(words[None, whole:]))


def _sums(words: np.ndarray) -> bytes:
    """The r of all rows."""
    n, d = words.shape
    if words.size == 0:
        return b""
    factors = np.frombuffer(hashlib.shake_128(b"pdprox").digest(8 * d), "<u8") | np.uint64(1)
    sums = np.empty(n, np.uint64)
    height = max(1, _BLOCK // d)
    mixed = np.empty_like(words[:height], dtype=np.uint64)
    shifted = np.empty_like(mixed)
    for start in range(0, n, height):
        block = words[start : start + height]
        one, other = mixed[: len(block)], shifted[: len(block)]
        np.multiply(block, _MIX, out=one)
        np.right_shift(one, np.uint64(32), out=other)
        np.bitwise_xor(one, other, out=one)
        np.einsum("ij,j->i", one, factors, out=sums[start : start + height])
    return sums.astype("<u8", copy=False).tobytes()


def _digest(text: bytes) -> str:
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def _spelled(thing: Any) -> str:
    if isinstance(thing, (bool, np.bool_)):
        return repr(bool(thing))
    if thing is None or isinstance(thing, str):
        return repr(thing)
    if isinstance(thing, Real):
        return repr(float(thing))
    if isinstance(thing, np.ndarray) and thing.dtype.kind in "biuf":
        return f"array {of_array(thing)}"
    if isinstance(thing, (list, tuple)):
        return f"[{', '.join(_spelled(part) for part in thing)}]"
    parts = ", ".join(f"{name}={_spelled(value)}" for name, value in _parameters(thing).items())
    return f"{type(thing).__qualname__}({parts})"


def _parameters(thing: Any) -> dict[str, Any]:
    """The fields of a dataclass; the attributes of any other object, but for those that it works out itself."""
    if is_dataclass(thing) and not isinstance(thing, type):
        return {field.name: getattr(thing, field.name) for field in fields(thing)}
    if isinstance(thing, (type, np.ndarray)) or callable(thing) or not hasattr(thing, "__dict__"):
        raise TypeError(f"{thing!r} cannot be told from others of its kind")
    own = vars(thing)
    return {
        name: own[name]
        for name in sorted(own)
        if not isinstance(getattr(type(thing), name, None), cached_property)
    }
