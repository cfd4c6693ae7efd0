"""Numbers of a few bits in bytes: within a row one after the other, each from its lowest bit on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["pack", "row_bytes", "unpack"]

Bytes = NDArray[np.uint8]


def row_bytes(count: int, bits: int) -> int:
    """Bytes that a row of so many numbers takes."""
    return (count * bits + 7) // 8


def pack(numbers: Bytes, bits: int) -> Bytes:
    """Pack rows of numbers.

    Args:
        numbers: shape (n, count), each below 2^bits.
        bits: of each number, 1 to 8.

    Returns:
        Shape (n, row_bytes(count, bits)).
    """
    if 8 % bits:
        spread = (numbers[:, :, None] >> np.arange(bits, dtype=np.uint8)) & np.uint8(1)
        return np.packbits(spread.reshape(len(numbers), numbers.shape[1] * bits), axis=1, bitorder="little")
    share = 8 // bits
    packed = np.zeros((len(numbers), row_bytes(numbers.shape[1], bits)), np.uint8)
    for place in range(share):  # the numbers at the same place in their bytes, all at once
        some = numbers[:, place::share]
        packed[:, : some.shape[1]] |= some << np.uint8(place * bits)
    return packed


def unpack(packed: Bytes, count: int, bits: int) -> Bytes:
    """Undo ``pack``: shape (n, count)."""
    if 8 % bits:
        spread = np.unpackbits(packed, axis=1, count=count * bits, bitorder="little").reshape(len(packed), count, bits)
        numbers = spread[:, :, 0].copy()
        for place in range(1, bits):
            numbers |= spread[:, :, place] << np.uint8(place)
        return numbers
    share = 8 // bits
    numbers = np.empty((len(packed), count), np.uint8)
    for place in range(share):
        some = numbers[:, place::share]
        some[:] = (packed[:, : some.shape[1]] >> np.uint8(place * bits)) & np.uint8((1 << bits) - 1)
    return numbers
