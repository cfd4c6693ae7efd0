"""Nearest vectors among many, by codes in memory: filter first, then rank, and score the best once more exactly.

Up to a thousand vectors every code is scored. Beyond, the sign bit of each coordinate alone is looked at first,
against a query rounded to a few bits, by counting bits in common (as in RaBitQ, Gao and Long, arXiv 2405.12497); only
what fits best by that has its whole code scored. The best of those are scored by what ``exact`` gives.

The codes are kept as bit planes: the highest bits of all coordinates, which are the signs, are one array, so that the
first look reads a quarter of the codes of four bits.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from drawwell.codec import Codec
from drawwell.codec.blob import damaged
from drawwell.codec.levels import levels
from drawwell.codec.rotation import rotate
from drawwell.retrieval.keys import KEY_BITS

__all__ = ["Exact", "VectorTable"]

Floats = NDArray[np.float32]
Rows = NDArray[np.intp]
Exact = Callable[[Sequence[int]], Mapping[int, bytes]]
"""Gives by key the exact vectors of a section, float16, little-endian, one row after the other."""

_RESCORED = 64
"""Sections at least that are scored by their exact vectors."""
_FEW = 1024
"""Vectors of which every code is scored."""
_LEAST = 1000
"""Of more than those, how many codes are scored at least."""
_STRIDE = 512
"""Vectors that are unpacked at a time, so that they stay in the processor's cache."""
_SIGN_STRIDE = 32_768
"""Vectors whose signs are looked at at a time, likewise."""
_SHARE = 0.012
"""Of many, the share whose codes are scored."""
_QUERY_PLANES = 2
"""Bits to which a query's coordinates are rounded for the first look."""


@dataclass(frozen=True, slots=True)
class _Block:
    """Some vectors.

    Attributes:
        codec: how they were encoded.
        keys: of each vector, shape (n,), int64.
        scales: shape (n,).
        signs: highest bits, 64 coordinates to a number, shape (words, n).
        rest: the other bits, a plane after the other, shape (planes, n, bytes).
    """

    codec: Codec
    keys: NDArray[np.int64]
    scales: Floats
    signs: NDArray[np.uint64]
    rest: NDArray[np.uint8]


class VectorTable:
    """Vectors by key, of which several may share one: a section's pieces. It never changes: ``extended`` gives another.

    Args:
        block: the vectors; None for none.
    """

    def __init__(self, block: _Block | None = None) -> None:
        self._block = block

    @classmethod
    def empty(cls) -> VectorTable:
        """A table without vectors."""
        return cls()

    def __len__(self) -> int:
        return 0 if self._block is None else len(self._block.keys)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the vectors take."""
        block = self._block
        return 0 if block is None else sum(a.nbytes for a in (block.keys, block.scales, block.signs, block.rest))

    @cached_property
    def generations(self) -> dict[int, int]:
        """How many vectors each document has, by its generation."""
        if self._block is None:
            return {}
        found, counts = np.unique(self._block.keys >> KEY_BITS, return_counts=True)
        return dict(zip(found.tolist(), counts.tolist(), strict=True))

    def holds(self, keys: Collection[int]) -> bool:
        """Whether there is a vector with one of some keys."""
        named = np.fromiter(keys, np.int64, len(keys))
        return self._block is not None and bool(np.isin(named, self._block.keys).any())

    def extended(self, rows: Iterable[tuple[int, bytes]]) -> VectorTable:
        """A table with more vectors.

        Args:
            rows: key and blob of codes, as :class:`~drawwell.codec.Codec` makes them, of each section.

        Raises:
            StoreError: a blob is damaged, was made in another way than the others, or is of the variant ``ip``.
        """
        added = _load(list(rows), None if self._block is None else self._block.codec)
        if added is None or self._block is None:
            return VectorTable(added or self._block)
        old = self._block
        return VectorTable(
            _Block(
                old.codec,
                np.concatenate([old.keys, added.keys]),
                np.concatenate([old.scales, added.scales]),
                np.concatenate([old.signs, added.signs], axis=1),
                np.concatenate([old.rest, added.rest], axis=1),
            )
        )

    def top(
        self, query: Floats, count: int, documents: Collection[int] | None, exact: Exact
    ) -> list[tuple[float, int]]:
        """The sections whose best vector is nearest to a query.

        Args:
            query: shape (dimension,), of length 1.
            count: how many are wanted.
            documents: generations of the documents to look in; None for all.
            exact: gives the exact vectors of the best.

        Returns:
            Cosine and key, best first; equal ones by ascending key.
        """
        block = self._block
        rows = self._allowed(documents)
        if block is None or not len(rows):
            return []
        turned = rotate(query[None, :].astype(np.float32), block.codec.seed)[0]
        found = _exact_scores(query, exact(_candidates(block, rows, turned, max(count, _RESCORED))))
        return sorted(((score, key) for key, score in found.items()), key=lambda one: (-one[0], one[1]))[:count]

    def scores(self, query: Floats, keys: Collection[int], exact: Exact) -> dict[int, float]:
        """The cosines of some sections, by key; without those that have no vector. Arguments as for ``top``."""
        if self._block is None or not keys:
            return {}
        return _exact_scores(query, exact(list(keys)))

    def _allowed(self, documents: Collection[int] | None) -> Rows:
        """The rows that may be looked at."""
        if self._block is None:
            return np.empty(0, np.intp)
        if documents is None:
            return np.arange(len(self._block.keys))
        named = np.fromiter(documents, np.int64, len(documents))
        return np.flatnonzero(np.isin(self._block.keys >> KEY_BITS, named))


def _load(rows: Sequence[tuple[int, bytes]], codec: Codec | None) -> _Block | None:
    if not rows:
        return None
    codec = codec or Codec.made(rows[0][1])
    if codec.variant != "mse":
        raise damaged(f"vectors of the variant {codec.variant!r}, searched are those of 'mse' alone")
    codes = codec.read_all([blob for _, blob in rows])
    keys = np.repeat(np.fromiter((key for key, _ in rows), np.int64, len(rows)), codes.counts)
    words = -(-codec.dimension // 64)
    signs = np.zeros((len(keys), words * 8), np.uint8)
    rest = np.empty((codec.bits - 1, len(keys), -(-codec.dimension // 8)), np.uint8)
    for start in range(0, len(keys), _STRIDE):
        part = slice(start, start + _STRIDE)
        planes = _planes(codec, codes.packed[part])
        signs[part, : rest.shape[2]] = planes[-1]
        rest[:, part] = planes[:-1]
    return _Block(codec, keys, codes.scales, np.ascontiguousarray(signs.view(np.uint64).T), rest)


def _planes(codec: Codec, packed: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The bits of packed numbers, lowest first, each bit of all coordinates together: shape (bits, n, bytes)."""
    shape = (len(packed), codec.dimension, codec.bits)
    spread = np.unpackbits(packed, axis=1, count=shape[1] * shape[2], bitorder="little").reshape(shape)
    return np.packbits(spread.transpose(2, 0, 1), axis=2, bitorder="little")


def _candidates(block: _Block, rows: Rows, turned: Floats, wanted: int) -> list[int]:
    """The keys of so many sections, or of all, that fit best by their codes.

    A long section has many pieces, which may leave no place for others: then more codes are looked at.
    """
    looked = len(rows) if len(rows) <= _FEW else max(_LEAST, int(_SHARE * len(rows)), 8 * wanted)
    while True:
        likely = _likely(block, rows, turned, looked)
        keys = _best_keys(block.keys[likely], _scores(block, likely, turned), wanted)
        if len(keys) == wanted or len(likely) == len(rows):
            return keys
        looked *= 8


def _likely(block: _Block, rows: Rows, turned: Floats, count: int) -> Rows:
    """The rows that fit best by their signs alone."""
    if count >= len(rows):
        return rows
    steps = (1 << _QUERY_PLANES) - 1
    low, high = float(turned.min()), float(turned.max())
    rounded = np.rint((turned - low) / max(high - low, 1e-12) * steps).astype(np.uint8)
    bits = np.zeros((_QUERY_PLANES, len(block.signs) * 8), np.uint8)
    for plane in range(_QUERY_PLANES):
        packed = np.packbits((rounded >> plane) & 1, bitorder="little")
        bits[plane, : len(packed)] = packed
    step = np.float32(max(high - low, 1e-12) / steps)
    fits = np.empty(len(rows), np.float32)
    whole = len(rows) == block.signs.shape[1]
    for start in range(0, len(rows), _SIGN_STRIDE):
        part = slice(start, start + _SIGN_STRIDE)
        signs = block.signs[:, part] if whole else block.signs[:, rows[part]]
        counts = np.zeros((_QUERY_PLANES, signs.shape[1]), np.uint16)
        ones = np.zeros(signs.shape[1], np.uint16)
        for word, masks in zip(signs, bits.view(np.uint64).T, strict=True):
            ones += np.bitwise_count(word)
            for plane, mask in enumerate(masks):
                counts[plane] += np.bitwise_count(word & mask)
        inner = counts[0]
        for plane in range(1, _QUERY_PLANES):
            inner += counts[plane] << np.uint16(plane)
        fits[part] = inner * (2 * step) + ones * np.float32(2 * low)
    fits -= turned.sum()
    fits *= block.scales if len(rows) == len(block.scales) else block.scales[rows]
    edge = np.partition(fits, len(fits) - count)[len(fits) - count]
    above, level = np.flatnonzero(fits > edge), np.flatnonzero(fits == edge)
    first = np.argsort(block.keys[rows[level]], kind="stable")[: count - len(above)]  # in whatever order they came
    return np.asarray(rows[np.sort(np.concatenate([above, level[first]]))])


def _scores(block: _Block, rows: Rows, turned: Floats) -> Floats:
    """Inner products by the whole codes."""
    codec = block.codec
    values = levels(codec.bits) / np.float32(np.sqrt(codec.dimension))
    found = np.empty(len(rows), np.float32)
    for start in range(0, len(rows), _STRIDE):
        part = rows[start : start + _STRIDE]
        signs = np.ascontiguousarray(block.signs[:, part].T).view(np.uint8)[:, : block.rest.shape[2]]
        numbers = np.unpackbits(signs, axis=1, count=codec.dimension, bitorder="little")
        for plane in block.rest[::-1]:
            numbers = (numbers << np.uint8(1)) | np.unpackbits(
                plane[part], axis=1, count=codec.dimension, bitorder="little"
            )
        # einsum adds up every row alike, wherever it stands, so that equal vectors stay equal; BLAS does not
        found[start : start + len(part)] = np.einsum("ij,j->i", values.take(numbers, mode="clip"), turned)
    return found * block.scales[rows]


def _best_keys(keys: NDArray[np.int64], scores: Floats, count: int) -> list[int]:
    """The keys of the best scores, each once; the same for equal scores in whatever order."""
    order = np.lexsort((keys, -scores))
    return list(dict.fromkeys(keys[order].tolist()))[:count]


def _exact_scores(query: Floats, vectors: Mapping[int, bytes]) -> dict[int, float]:
    """The cosine of the best piece of each."""
    if not vectors:
        return {}
    sizes = np.fromiter(map(len, vectors.values()), np.intp, len(vectors))
    if (sizes == 0).any() or (sizes % (2 * len(query))).any():
        raise damaged(f"a section's exact vectors are not of {len(query)} numbers each")
    pieces = sizes // (2 * len(query))
    rows = np.frombuffer(b"".join(vectors.values()), "<f2").reshape(-1, len(query)).astype(np.float32)
    cosines = np.einsum("ij,j->i", rows, query)
    if not np.isfinite(cosines).all():
        raise damaged("a section's exact vectors have numbers that are not finite")
    best = np.maximum.reduceat(cosines, np.cumsum(pieces) - pieces)
    return dict(zip(vectors, best.tolist(), strict=True))
