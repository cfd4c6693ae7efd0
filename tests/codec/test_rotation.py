"""The rotation: the same on every host, and as good as one taken at random."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from numpy.typing import NDArray

from drawwell.codec import Codec
from drawwell.codec.levels import levels, nearest
from drawwell.codec.rotation import _hashes, _transform, rotate

Floats = NDArray[np.float32]


def unit(rows: NDArray[np.float64]) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def test_the_hash_is_the_published_one() -> None:
    """The first numbers of SplitMix64 from 0, as its authors give them."""
    assert [hex(number) for number in _hashes(3, 0).tolist()] == [
        "0xe220a8397b1dcdaf",
        "0x6e789e6aa1b965f4",
        "0x6c45d188009454f",
    ]


@pytest.mark.parametrize(
    ("dimension", "golden"),
    [
        (1, "e00e5eb9444182f3"),
        (24, "3a4a1b2514c9ceb5"),
        (384, "cd6615334ea528e7"),
        (1000, "86303b6b121cfa39"),
        (1024, "01f6529887b9eee1"),
    ],
)
def test_the_rotation_is_the_same_to_the_last_bit_on_every_host(dimension: int, golden: str) -> None:
    """Its matrix has the bytes that it had when this was written."""
    matrix = _transform(np.eye(dimension, dtype=np.float32), 5)
    assert hashlib.sha256(matrix.astype("<f4").tobytes()).hexdigest()[:16] == golden


@pytest.mark.parametrize("dimension", [384, 768, 1000, 1536])
def test_each_coordinate_goes_everywhere(dimension: int) -> None:
    """The entries of the matrix are spread as those of a random rotation: as a normal distribution has it.

    Its fourth moment is 3, and the largest of a million entries about 5; a block that is not mixed shows in both.
    """
    entries = rotate(np.eye(dimension, dtype=np.float32), 0).astype(np.float64) * np.sqrt(dimension)
    assert (entries**4).mean() == pytest.approx(3, rel=0.03)
    assert np.abs(entries).max() < 7
    assert (entries**4).mean(axis=1).max() < 6


@pytest.mark.parametrize("bits", [2, 3, 4])
@pytest.mark.parametrize("dimension", [64, 128, 384])
def test_distortion_in_few_dimensions_is_that_of_the_exact_law(dimension: int, bits: int) -> None:
    """A coordinate of a random direction has the density (1 - x^2)^((d - 3) / 2), normal only in the limit."""
    grid = np.linspace(-1, 1, 400_001)
    weight = (1 - grid**2) ** ((dimension - 3) / 2)
    scaled = (grid * np.sqrt(dimension)).astype(np.float32)
    rest = (scaled - levels(bits)[nearest(scaled, bits)]).astype(np.float64)
    theory = (rest**2 * weight).sum() / weight.sum()
    vectors = unit(np.random.default_rng(4).standard_normal((4000, dimension)))
    codec = Codec(dimension=dimension, bits=bits, renormalised=False)
    error = ((codec.decode(codec.encode(vectors)) - vectors) ** 2).sum(axis=1).mean()
    assert error == pytest.approx(theory, rel=0.02)


def test_the_nearest_level_is_taken() -> None:
    """By whichever way it is found."""
    values = np.linspace(-4, 4, 10_001, dtype=np.float32)
    for bits in (1, 2, 3, 4):
        distances = np.abs(values[:, None].astype(np.float64) - levels(bits))
        chosen = distances[np.arange(len(values)), nearest(values, bits)]
        assert chosen == pytest.approx(distances.min(axis=1), abs=1e-6)
