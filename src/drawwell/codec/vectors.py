"""TurboQuant: vectors in a few bits a coordinate, scored without being decoded.

A vector is rotated so that its coordinates look like samples of one normal distribution, and each is rounded to the
nearest of 2^bits values (Zandieh et al., *TurboQuant*, arXiv 2504.19874: algorithm 1, ``mse``). With length
renormalisation (as in RaBitQ, Gao and Long, arXiv 2405.12497) the length that is stored makes the inner product with
the vector itself come out right, which rounding alone makes too small. The variant ``ip`` (algorithm 2) spends one bit
on the signs of what rounding left over. Rotations are those of ``rotation``, not Gaussian matrices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, lgamma, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from drawwell.codec.blob import HEADER_BYTES, MAX_DIMENSION, Blob, damaged, pack_blob, read_blob
from drawwell.codec.levels import levels, nearest
from drawwell.codec.packing import pack, row_bytes, unpack
from drawwell.codec.rotation import rotate, rotate_back
from drawwell.errors import ArgumentError

__all__ = ["Codec", "Codes"]

Floats = NDArray[np.float32]
_TINY = np.float32(1e-12)
_LONGEST = 1e38  # a little less than what float32 holds
_STRIDE = 256
"""Vectors that are encoded at a time, so that they stay in the processor's cache and take little memory."""
_LEFT_SEED = 0x5DEECE66  # the rotation of what is left over is another one than that of the vector


@dataclass(frozen=True, slots=True)
class Codes:
    """Encoded vectors.

    Attributes:
        scales: what each row of levels is multiplied by, shape (n,), float32.
        packed: numbers of the levels, shape (n, bytes of a row).
        residuals: lengths of what rounding left over, shape (n,); None but for ``ip``.
        signs: their signs, packed, shape (n, bytes); None but for ``ip``.
        counts: of codes that were read, how many rows each blob has.
    """

    scales: Floats
    packed: NDArray[np.uint8]
    residuals: Floats | None = None
    signs: NDArray[np.uint8] | None = None
    counts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Codec:
    """A way to encode vectors.

    Attributes:
        dimension: numbers in a vector, 1 to 4,096.
        bits: of each coordinate, 2 to 4.
        variant: ``mse`` or ``ip``.
        seed: which rotation.
        renormalised: whether lengths are stored so that inner products are not too small; of ``mse`` alone.

    Raises:
        ArgumentError: one of them is out of bounds.
    """

    dimension: int
    bits: int = 4
    variant: str = "mse"
    seed: int = 0
    renormalised: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.dimension <= MAX_DIMENSION:
            raise ArgumentError("dimension", self.dimension, f"1 to {MAX_DIMENSION}")
        if self.bits not in (2, 3, 4):
            raise ArgumentError("bits", self.bits, "2, 3 or 4")
        if self.variant not in ("mse", "ip"):
            raise ArgumentError("variant", self.variant, "mse or ip")
        if not 0 <= self.seed < 1 << 32:
            raise ArgumentError("seed", self.seed, f"0 to {(1 << 32) - 1}")

    @property
    def level_bits(self) -> int:
        """Bits that number a level: one less than ``bits`` for ``ip``."""
        return self.bits - (self.variant == "ip")

    def encode(self, vectors: Floats) -> bytes:
        """Encode vectors as one blob, which says how it was made.

        Args:
            vectors: shape (n, dimension); finite.

        Raises:
            ArgumentError: another shape, or numbers that are not finite, or a length beyond 1e38.
        """
        codes = self.quantise(vectors)
        blocks = [codes.scales.astype("<f4").tobytes()]
        if codes.residuals is not None and codes.signs is not None:
            blocks += [codes.residuals.astype("<f4").tobytes(), codes.signs.tobytes()]
        return pack_blob(
            Blob(
                variant=self.variant,
                bits=self.bits,
                renormalised=self.renormalised,
                dimension=self.dimension,
                rows=len(codes.scales),
                seed=self.seed,
                payload=b"".join([*blocks, codes.packed.tobytes()]),
            )
        )

    def quantise(self, vectors: Floats) -> Codes:
        """Encode vectors. Arguments and errors as for ``encode``."""
        vectors = np.ascontiguousarray(vectors, np.float32)
        if vectors.ndim != 2 or vectors.shape[1] != self.dimension:
            raise ArgumentError("vectors", vectors.shape, f"shape (n, {self.dimension})")
        parts = [self._quantise(vectors[start : start + _STRIDE]) for start in range(0, len(vectors) or 1, _STRIDE)]
        ip = self.variant == "ip"
        return Codes(
            np.concatenate([part.scales for part in parts]),
            np.concatenate([part.packed for part in parts]),
            np.concatenate([part.residuals for part in parts if part.residuals is not None]) if ip else None,
            np.concatenate([part.signs for part in parts if part.signs is not None]) if ip else None,
        )

    def _quantise(self, vectors: Floats) -> Codes:
        norms = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
        if not (norms < _LONGEST).all():
            longest = float(norms.max())
            raise ArgumentError("vectors", longest, "finite numbers and lengths up to 1e38", "Check the model's output")
        turned = rotate((vectors / np.where(norms > 0, norms, 1)[:, None]).astype(np.float32), self.seed)
        norms = norms.astype(np.float32)
        turned *= np.float32(sqrt(self.dimension))
        numbers = nearest(turned, self.level_bits)
        rounded = levels(self.level_bits).take(numbers)
        packed = pack(numbers, self.level_bits)
        if self.variant == "mse":
            if not self.renormalised:
                return Codes(norms, packed)
            along = np.einsum("ij,ij->i", turned, rounded) / np.float32(self.dimension)
            return Codes(norms / np.maximum(along, _TINY), packed)
        left = rotate((turned - rounded) * (norms / np.float32(sqrt(self.dimension)))[:, None], self.seed ^ _LEFT_SEED)
        lengths = np.sqrt(np.einsum("ij,ij->i", left, left, dtype=np.float64)).astype(np.float32)
        return Codes(norms, packed, lengths, pack((left >= 0).astype(np.uint8), 1))

    def decode(self, blob: bytes) -> Floats:
        """The vectors as they are remembered, shape (n, dimension).

        Raises:
            StoreError: the blob is damaged, or was made in another way.
        """
        return self.restore(self.read(blob))

    def read(self, blob: bytes) -> Codes:
        """The codes in a blob.

        Raises:
            StoreError: the blob is damaged, or was made in another way.
        """
        return self.read_all([blob])

    def read_all(self, blobs: Sequence[bytes]) -> Codes:
        """The codes in several blobs, one after the other, with how many rows each has.

        Raises:
            StoreError: one is damaged, or was made in another way.
        """
        alike: dict[int, list[int]] = {}
        for number, blob in enumerate(blobs):
            alike.setdefault(len(blob), []).append(number)
        counts = np.zeros(len(blobs), np.intp)
        read: list[tuple[NDArray[np.intp], NDArray[np.uint8]]] = []
        for size, numbers in alike.items():  # those of one length at once, for there may be a hundred thousand
            rows, payloads = self._same([blobs[number] for number in numbers], size)
            counts[numbers] = rows
            read.append((np.array(numbers), payloads))
        starts = np.cumsum(counts) - counts
        parts = [np.empty((int(counts.sum()), width), np.uint8) for width in self._sizes]
        for places, payloads in read:
            rows, at = int(counts[places[0]]), 0
            lines = (starts[places][:, None] + np.arange(rows)).ravel()
            for part, width in zip(parts, self._sizes, strict=True):
                part[lines] = payloads[:, at : at + rows * width].reshape(len(lines), width)
                at += rows * width
        scales, residuals = (part.view("<f4").ravel().astype(np.float32) for part in parts[:2])
        if not (np.isfinite(scales).all() and np.isfinite(residuals).all()):
            raise damaged("a blob of vectors has lengths that are no numbers")
        ip = self.variant == "ip"
        return Codes(scales, parts[3], residuals if ip else None, parts[2] if ip else None, tuple(map(int, counts)))

    def _same(self, blobs: Sequence[bytes], size: int) -> tuple[int, NDArray[np.uint8]]:
        """How many rows each of some blobs of one length has, and what follows their headers, a line for each."""
        first = read_blob(blobs[0])
        lines = np.frombuffer(b"".join(blobs), np.uint8).reshape(len(blobs), size)
        odd = np.flatnonzero((lines[:, :HEADER_BYTES] != lines[0, :HEADER_BYTES]).any(axis=1)).tolist()
        for found in (first, *(read_blob(blobs[place]) for place in odd)):
            if Codec.of(found) != self:
                raise damaged(f"a blob of {Codec.of(found)}, not of {self}")
        return first.rows, lines[:, HEADER_BYTES:]

    @property
    def _sizes(self) -> tuple[int, int, int, int]:
        """Bytes of a row in each part of a blob: scale, length and signs of the rest, numbers."""
        rest = (4, row_bytes(self.dimension, 1)) if self.variant == "ip" else (0, 0)
        return 4, *rest, row_bytes(self.dimension, self.level_bits)

    @staticmethod
    def made(blob: bytes) -> Codec:
        """The way in which a blob was made.

        Raises:
            StoreError: it is damaged.
        """
        return Codec.of(read_blob(blob))

    @staticmethod
    def of(blob: Blob) -> Codec:
        """The way in which a blob was made."""
        return Codec(
            dimension=blob.dimension,
            bits=blob.bits,
            variant=blob.variant,
            seed=blob.seed,
            renormalised=blob.renormalised,
        )

    def restore(self, codes: Codes) -> Floats:
        """The vectors as they are remembered, shape (n, dimension)."""
        turned = self._levels(codes) * codes.scales[:, None]
        if codes.signs is not None:
            turned = turned + rotate_back(self._left_over(codes), self.seed ^ _LEFT_SEED)
        return rotate_back(turned, self.seed)

    def scores(self, query: Floats, codes: Codes) -> Floats:
        """Inner products of a query with encoded vectors, without decoding them.

        Args:
            query: shape (dimension,).
            codes: the vectors.

        Returns:
            Shape (n,).
        """
        turned = rotate(query[None, :], self.seed)
        found = (self._levels(codes) @ turned[0]) * codes.scales
        if codes.signs is not None:
            found = found + self._left_over(codes) @ rotate(turned, self.seed ^ _LEFT_SEED)[0]
        return np.asarray(found, np.float32)

    def _levels(self, codes: Codes) -> Floats:
        numbers = unpack(codes.packed, self.dimension, self.level_bits)
        return levels(self.level_bits)[numbers] * np.float32(1 / sqrt(self.dimension))

    def _left_over(self, codes: Codes) -> Floats:
        """What the signs say of the rest, rotated once more; right in the mean for a rotation taken at random."""
        assert codes.signs is not None and codes.residuals is not None  # noqa: S101, PT018 - as the variant has it
        signs = unpack(codes.signs, self.dimension, 1).astype(np.float32) * 2 - 1
        return np.asarray(signs * (codes.residuals / np.float32(self.dimension * _mean_size(self.dimension)))[:, None])


@lru_cache(maxsize=16)
def _mean_size(dimension: int) -> float:
    """The mean size of one coordinate of a vector of length 1, all directions alike."""
    return exp(lgamma(dimension / 2) - lgamma((dimension + 1) / 2)) / sqrt(pi)
