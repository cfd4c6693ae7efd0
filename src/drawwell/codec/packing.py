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
    places = np.arange(bits, dtype=np.uint8)
    spread = (numbers[:, :, None] >> places) & np.uint8(1)
    return np.packbits(spread.reshape(len(numbers), numbers.shape[1] * bits), axis=1, bitorder="little")


def unpack(packed: Bytes, count: int, bits: int) -> Bytes:
    """Undo ``pack``: shape (n, count)."""
    spread = np.unpackbits(packed, axis=1, count=count * bits, bitorder="little").reshape(len(packed), count, bits)
    numbers = spread[:, :, 0].copy()
    for place in range(1, bits):
        numbers |= spread[:, :, place] << np.uint8(place)
    return numbers
