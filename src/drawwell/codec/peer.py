"""Reading the vectors of another program: blobs that begin with ``TQP1``, for taking them over.

Little-endian: magic; u8 variant (0 mse, 1 ip); u8 bits; u16 dimension; u32 rows; u32 seed; for ip u8 bits of the levels
and three bytes. Then blocks, each with its length as u32 in front: for mse norms f32 and packed numbers; for ip norms
f32, norms of the rest f32, packed signs and packed numbers. The rotation is the orthogonal part of a matrix of normal
samples of PCG64(seed), its columns turned so that the diagonal of the other part is positive; the signs are those of
the rest times a matrix of normal samples of PCG64(seed + 1).
"""

from __future__ import annotations

import struct
from functools import lru_cache
from math import pi, sqrt

import numpy as np
from numpy.typing import NDArray

from drawwell.codec.blob import MAX_DIMENSION
from drawwell.codec.levels import levels
from drawwell.codec.packing import row_bytes, unpack
from drawwell.errors import StoreError

__all__ = ["read_peer"]

_HEADER = struct.Struct("<4sBBHII")
_MAGIC = b"TQP1"

Floats = NDArray[np.float32]


def read_peer(blob: bytes) -> Floats:
    """The vectors in a blob, as the program that made it remembers them.

    Args:
        blob: all of it.

    Returns:
        Shape (rows, dimension), float32. The rotation is computed anew, which on another processor may differ in the
        last bits.

    Raises:
        StoreError: it is no such blob, or damaged.
    """
    if len(blob) < _HEADER.size or blob[:4] != _MAGIC:
        raise _damaged("not a blob of TQP1 vectors")
    _, variant, bits, dimension, rows, seed = _HEADER.unpack_from(blob)
    if variant > 1 or bits not in (2, 3, 4) or not 1 <= dimension <= MAX_DIMENSION:
        raise _damaged("the header of a TQP1 blob is damaged")
    at, level_bits = _HEADER.size, bits
    if variant == 1:
        level_bits = blob[at] if at < len(blob) else 0
        at += 4
        if level_bits != bits - 1:
            raise _damaged("the header of a TQP1 blob is damaged")
    widths = [4, row_bytes(dimension, level_bits)] if variant == 0 else [4, 4, row_bytes(dimension, 1), 0]
    widths[-1] = row_bytes(dimension, level_bits)
    blocks = _blocks(blob, at, [width * rows for width in widths])
    norms, numbers = blocks[0].view("<f4"), blocks[-1].reshape(rows, widths[-1])
    rotation = _rotation(dimension, seed)
    values = levels(level_bits) / np.float32(sqrt(dimension))
    vectors = values[unpack(numbers, dimension, level_bits)] @ rotation * norms[:, None]
    if variant == 1:
        signs = unpack(blocks[2].reshape(rows, widths[2]), dimension, 1).astype(np.float32) * 2 - 1
        rest = signs @ _normals(dimension, seed + 1) * np.float32(sqrt(pi / 2) / dimension)
        vectors = vectors + rest * blocks[1].view("<f4")[:, None]
    if not np.isfinite(vectors).all():
        raise _damaged("a TQP1 blob has lengths that are no numbers")
    return np.asarray(vectors, np.float32)


def _damaged(what: str) -> StoreError:
    return StoreError(what, "Leave its vectors out and have them made anew")


def _blocks(blob: bytes, at: int, sizes: list[int]) -> list[NDArray[np.uint8]]:
    """The blocks, each of the size that the header makes it."""
    if len(blob) != at + sum(sizes) + 4 * len(sizes):
        raise _damaged("a TQP1 blob is not as long as its header says")
    found = []
    for size in sizes:
        (told,) = struct.unpack_from("<I", blob, at)
        if told != size:
            raise _damaged("a block of a TQP1 blob is not as long as its header says")
        found.append(np.frombuffer(blob, np.uint8, size, at + 4).copy())
        at += 4 + size
    return found


@lru_cache(maxsize=1)
def _rotation(dimension: int, seed: int) -> Floats:
    orthogonal, triangle = np.linalg.qr(_normals(dimension, seed))
    signs = np.where(np.diag(triangle) < 0, np.float32(-1), np.float32(1))
    return np.asarray(orthogonal * signs, np.float32)


@lru_cache(maxsize=2)
def _normals(dimension: int, seed: int) -> Floats:
    generator = np.random.Generator(np.random.PCG64(seed))
    return np.asarray(generator.standard_normal((dimension, dimension), dtype=np.float32))
