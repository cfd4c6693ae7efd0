"""A rotation that makes the coordinates of any vector look alike: signs and Hadamard transforms, in integers and sums.

Its signs and orders come from a hash that is written down here, and it is made by additions in a fixed order, so that
it is the same on every host, which a QR decomposition is not. A dimension that is no power of two is covered by two
overlapping blocks, so that nothing is padded. Source of the idea: Ailon and Chazelle, *The Fast Johnson-Lindenstrauss
Transform*, 2009.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["rotate", "rotate_back"]

_ROUNDS = 5
_LARGEST_MATRIX = 1536  # 9 MB
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)

Floats = NDArray[np.float32]


def rotate(vectors: Floats, seed: int) -> Floats:
    """Rotate vectors.

    Args:
        vectors: shape (n, dimension), float32.
        seed: which rotation, 0 to 2^32 - 1.

    Returns:
        The same shape; lengths and inner products stay.
    """
    if vectors.shape[1] <= _LARGEST_MATRIX:
        return vectors @ _matrix(vectors.shape[1], seed)
    return _transform(vectors, seed)


def rotate_back(vectors: Floats, seed: int) -> Floats:
    """Undo ``rotate``."""
    if vectors.shape[1] <= _LARGEST_MATRIX:
        return vectors @ _matrix(vectors.shape[1], seed).T
    turned = np.array(vectors, np.float32)
    for signs, order in reversed(_rounds(turned.shape[1], seed)):
        for block in reversed(_blocks(turned.shape[1])):
            _hadamard(turned[:, block])
        turned = turned[:, np.argsort(order)] * signs
    return turned


@lru_cache(maxsize=4)
def _matrix(dimension: int, seed: int) -> Floats:
    """The rotation as a matrix, by which a processor multiplies faster than numpy adds."""
    matrix = _transform(np.eye(dimension, dtype=np.float32), seed)
    matrix.flags.writeable = False
    return matrix


def _transform(vectors: Floats, seed: int) -> Floats:
    turned = np.array(vectors, np.float32)
    for signs, order in _rounds(turned.shape[1], seed):
        turned = (turned * signs)[:, order]
        for block in _blocks(turned.shape[1]):
            _hadamard(turned[:, block])
    return turned


def _blocks(dimension: int) -> list[slice]:
    """The first and the last columns, each as many as the largest power of two allows; one block where that is all."""
    size = 1 << (dimension.bit_length() - 1)
    return [slice(0, size)] if size == dimension else [slice(0, size), slice(dimension - size, dimension)]


def _hadamard(block: Floats) -> None:
    """The orthonormal Hadamard transform of each row, in place."""
    rows, size = block.shape
    mixed = np.ascontiguousarray(block)
    width = 1
    while width < size:
        pairs = mixed.reshape(rows, size // (2 * width), 2, width)
        first, second = pairs[:, :, 0, :], pairs[:, :, 1, :]
        mixed = np.stack([first + second, first - second], axis=2).reshape(rows, size)
        width *= 2
    block[:] = mixed * np.float32(1.0 / np.sqrt(size))


@lru_cache(maxsize=16)
def _rounds(dimension: int, seed: int) -> tuple[tuple[Floats, NDArray[np.intp]], ...]:
    """For each round a sign for each coordinate, and an order of them that spreads what a block has mixed."""
    rounds = []
    for number in range(_ROUNDS):
        hashes = _hashes(dimension, seed * _ROUNDS + number)
        signs = np.where(hashes >> np.uint64(63), np.float32(-1), np.float32(1)).astype(np.float32)
        rounds.append((signs, np.argsort(hashes << np.uint64(1), kind="stable")))
    return tuple(rounds)


def _hashes(count: int, stream: int) -> NDArray[np.uint64]:
    """The first numbers of a stream of SplitMix64 (Steele, Lea and Flood, 2014)."""
    with np.errstate(over="ignore"):
        state = (np.uint64(stream << 16) + np.arange(1, count + 1, dtype=np.uint64)) * _GOLDEN
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return state ^ (state >> np.uint64(31))
