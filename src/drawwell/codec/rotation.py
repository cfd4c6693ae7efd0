"""A rotation that makes the coordinates of any vector look alike: signs and Hadamard transforms, in integers and sums.

Its signs and orders come from a hash that is written down here, and its matrix is made by sums in a fixed order, so
that it is the same on every host, which a QR decomposition is not. A dimension that is no power of two is covered by
two overlapping blocks, so that nothing is padded. Source of the idea: Ailon and Chazelle, *The Fast
Johnson-Lindenstrauss Transform*, 2009.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["rotate", "rotate_back"]

_ROUNDS = 5
_LARGEST_MATRIX = 1536  # 9 MB
_FEW = 8
_STRIDE = 64
"""Vectors that are turned at a time, so that they stay in the processor's cache."""
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
    if _by_matrix(vectors):
        return np.asarray(np.einsum("ij,jk->ik", vectors, _matrix(vectors.shape[1], seed)))
    return _transform(vectors, seed)


def rotate_back(vectors: Floats, seed: int) -> Floats:
    """Undo ``rotate``."""
    if _by_matrix(vectors):
        return np.asarray(np.einsum("ij,kj->ik", vectors, _matrix(vectors.shape[1], seed)))
    return _in_strides(vectors, seed, _undo)


def _by_matrix(vectors: Floats) -> bool:
    """Whether these are so few that the steps of the transform take longer than its matrix.

    BLAS takes no part: where other programs keep the cores busy, its threads wait for each other for tens of
    milliseconds each time, and afterwards they go on to wait for more.
    """
    return len(vectors) <= _FEW and vectors.shape[1] <= _LARGEST_MATRIX


@lru_cache(maxsize=4)
def _matrix(dimension: int, seed: int) -> Floats:
    """The rotation as a matrix."""
    matrix = _transform(np.eye(dimension, dtype=np.float32), seed)
    matrix.flags.writeable = False
    return matrix


def _transform(vectors: Floats, seed: int) -> Floats:
    return _in_strides(vectors, seed, _do)


def _in_strides(vectors: Floats, seed: int, turn: Callable[[Floats, int], Floats]) -> Floats:
    """Turn some vectors at a time, which stand in columns: then numpy adds up long runs."""
    turned = np.empty(vectors.shape, np.float32)
    for start in range(0, len(vectors), _STRIDE):
        part = slice(start, start + _STRIDE)
        turned[part] = turn(np.array(vectors[part].T, np.float32, order="C"), seed).T
    return turned


def _do(columns: Floats, seed: int) -> Floats:
    for signs, order in _rounds(len(columns), seed):
        columns = (columns * signs[:, None])[order]
        for block in _blocks(len(columns)):
            _hadamard(columns[block])
    return columns


def _undo(columns: Floats, seed: int) -> Floats:
    for signs, order in reversed(_rounds(len(columns), seed)):
        for block in reversed(_blocks(len(columns))):
            _hadamard(columns[block])
        columns = columns[np.argsort(order)] * signs[:, None]
    return columns


def _blocks(dimension: int) -> list[slice]:
    """The first and the last coordinates, as many as the largest power of two allows; or all, where that is as many."""
    size = 1 << (dimension.bit_length() - 1)
    return [slice(0, size)] if size == dimension else [slice(0, size), slice(dimension - size, dimension)]


def _hadamard(block: Floats) -> None:
    """The orthonormal Hadamard transform of each column, in place. The order of the sums is always the same."""
    size, count = block.shape
    width = 1
    while width < size:
        pairs = block.reshape(size // (2 * width), 2, width, count)
        first, second = pairs[:, 0], pairs[:, 1]
        less = first - second
        first += second
        second[:] = less
        width *= 2
    block *= np.float32(1.0 / np.sqrt(size))


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
