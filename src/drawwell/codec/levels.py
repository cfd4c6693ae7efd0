"""The values to which a coordinate of a rotated vector is rounded, best for a normal one (Lloyd 1982, Max 1960)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["BITS", "boundaries", "levels", "nearest"]

BITS = (1, 2, 3, 4)

_POSITIVE = {
    1: (0.7978846,),
    2: (0.4527800, 1.5104176),
    3: (0.2450942, 0.7560053, 1.3439092, 2.1519457),
    4: (0.1283950, 0.3880483, 0.6567591, 0.9423405, 1.2562312, 1.6180464, 2.0690173, 2.7325896),
}


def levels(bits: int) -> NDArray[np.float32]:
    """The 2^bits values, ascending, for coordinates of variance 1."""
    positive = np.array(_POSITIVE[bits], np.float32)
    return np.concatenate([-positive[::-1], positive])


def boundaries(bits: int) -> NDArray[np.float32]:
    """The borders between their ranges: the values midway."""
    values = levels(bits)
    return (values[1:] + values[:-1]) / np.float32(2)


def nearest(values: NDArray[np.float32], bits: int) -> NDArray[np.uint8]:
    """The number of the nearest level of each value, of variance 1. Shape as given.

    A comparison with each border is several times as fast as looking for the place among them.
    """
    numbers = np.zeros(values.shape, np.uint8)
    for border in boundaries(bits):
        numbers += values > border
    return numbers
