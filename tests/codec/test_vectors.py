"""Vectors in a few bits: as near as theory says, right in the mean, the same on every host, safe to read."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from drawwell.codec import Codec
from drawwell.codec.blob import MAX_DIMENSION
from drawwell.codec.levels import boundaries, levels
from drawwell.codec.packing import pack, row_bytes, unpack
from drawwell.codec.rotation import _transform, rotate, rotate_back
from drawwell.errors import ArgumentError, StoreError

Floats = NDArray[np.float32]
THEORY = {1: 0.3634, 2: 0.1175, 3: 0.03454, 4: 0.009497}
"""Mean squared error of a unit vector's coordinates rounded to 2^bits levels, of the paper's section 3.1."""


def unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def random_vectors(count: int, dimension: int, seed: int = 7) -> Floats:
    return unit(np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32))


@pytest.mark.parametrize("bits", [2, 3, 4])
@pytest.mark.parametrize("dimension", [384, 768, 1000, 1024])
def test_distortion_is_that_of_the_theory(dimension: int, bits: int) -> None:
    """Within 2 % for vectors of any kind: dense ones, and those of a single coordinate, which the rotation spreads."""
    codec = Codec(dimension=dimension, bits=bits, renormalised=False)
    for vectors in (random_vectors(3000, dimension), np.eye(dimension, dtype=np.float32)):
        error = ((codec.decode(codec.encode(vectors)) - vectors) ** 2).sum(axis=1).mean()
        assert error == pytest.approx(THEORY[bits], rel=0.02)


def test_distortion_of_one_bit_is_that_of_the_theory() -> None:
    """What the variant for inner products rounds with at two bits."""
    samples = np.random.default_rng(3).standard_normal(400_000).astype(np.float32)
    rounded = levels(1)[np.searchsorted(boundaries(1), samples)]
    assert ((samples - rounded) ** 2).mean() == pytest.approx(THEORY[1], rel=0.02)


@pytest.mark.parametrize("bits", [1, 2, 3, 4])
def test_levels_are_the_best_for_a_normal(bits: int) -> None:
    """Each level is the mean of what is rounded to it, which makes the table the optimum of Lloyd and Max."""
    grid = np.linspace(-9, 9, 2_000_001)
    weight = np.exp(-(grid**2) / 2)
    number = np.searchsorted(boundaries(bits), grid)
    sums = np.bincount(number, weight * grid) / np.bincount(number, weight)
    assert levels(bits) == pytest.approx(sums, abs=2e-4)


@pytest.mark.parametrize(("variant", "bits"), [("mse", 2), ("mse", 3), ("mse", 4), ("ip", 2), ("ip", 3), ("ip", 4)])
def test_inner_products_are_right_in_the_mean(variant: str, bits: int) -> None:
    """Over many rotations and pairs the error of the estimate is 0, within four standard errors."""
    vectors = random_vectors(200, 128)
    queries = unit(vectors * 0.7 + 0.7 * random_vectors(200, 128, 8))
    true = (vectors * queries).sum(axis=1)
    errors = []
    for seed in range(60):
        codec = Codec(dimension=128, bits=bits, variant=variant, seed=seed)
        errors.append((codec.decode(codec.encode(vectors)) * queries).sum(axis=1) - true)
    means = np.array(errors).mean(axis=1)  # one for each rotation, so that they are independent
    assert abs(means.mean()) < 4 * means.std(ddof=1) / np.sqrt(len(means)) + 1e-5
    assert np.abs(errors).mean() < {2: 0.06, 3: 0.035, 4: 0.02}[bits]


def test_without_renormalisation_inner_products_are_too_small() -> None:
    """What the renormalised form mends: rounding shortens a vector along itself by the distortion."""
    vectors = random_vectors(500, 384)
    for bits, theory in ((2, 0.1175), (4, 0.009497)):
        plain = Codec(dimension=384, bits=bits, renormalised=False)
        mended = Codec(dimension=384, bits=bits)
        assert ((plain.decode(plain.encode(vectors)) * vectors).sum(axis=1) - 1).mean() == pytest.approx(
            -theory, rel=0.05
        )
        assert (mended.decode(mended.encode(vectors)) * vectors).sum(axis=1) == pytest.approx(np.ones(500), abs=1e-5)


@pytest.mark.parametrize("variant", ["mse", "ip"])
@given(
    dimension=st.integers(1, 200),
    bits=st.integers(2, 4),
    rows=st.integers(0, 5),
    scale=st.sampled_from([1e-20, 1.0, 1e15]),
)
@settings(max_examples=60, deadline=None)
def test_any_vectors_go_through(variant: str, dimension: int, bits: int, rows: int, scale: float) -> None:
    """Any dimension, number and length: shapes stay, scores are those of the decoded vectors, zero stays zero."""
    vectors = (np.random.default_rng(dimension).standard_normal((rows, dimension)) * scale).astype(np.float32)
    codec = Codec(dimension=dimension, bits=bits, variant=variant)
    blob = codec.encode(vectors)
    decoded = codec.decode(blob)
    assert decoded.shape == vectors.shape
    assert np.isfinite(decoded).all()
    assert Codec.made(blob) == codec
    query = np.random.default_rng(1).standard_normal(dimension).astype(np.float32)
    assert codec.scores(query, codec.read(blob)) == pytest.approx(
        decoded @ query, rel=1e-3, abs=1e-3 * scale * dimension
    )
    assert not codec.decode(codec.encode(np.zeros((1, dimension), np.float32))).any()


def test_blobs_are_read_together_as_one_by_one() -> None:
    """Codes of several blobs, one after the other, with how many rows each has."""
    codec = Codec(dimension=40, bits=3, variant="ip")
    parts = [random_vectors(count, 40, count) for count in (1, 3, 2, 1, 3)]
    codes = codec.read_all([codec.encode(part) for part in parts])
    assert codes.counts == (1, 3, 2, 1, 3)
    whole = np.concatenate([codec.decode(codec.encode(part)) for part in parts])
    assert codec.restore(codes) == pytest.approx(whole, abs=1e-5)


@given(count=st.integers(1, 70), bits=st.integers(1, 8), data=st.data())
@settings(max_examples=80, deadline=None)
def test_numbers_are_packed_from_the_lowest_bit(count: int, bits: int, data: st.DataObject) -> None:
    """Packing is undone by unpacking, takes no more bytes than bits ask for, and begins with the low bits."""
    numbers = np.array([data.draw(st.lists(st.integers(0, 2**bits - 1), min_size=count, max_size=count))], np.uint8)
    packed = pack(numbers, bits)
    assert packed.shape == (1, row_bytes(count, bits))
    assert (unpack(packed, count, bits) == numbers).all()
    whole = int.from_bytes(packed[0].tobytes(), "little")
    assert [whole >> (bits * place) & (2**bits - 1) for place in range(count)] == numbers[0].tolist()


@pytest.mark.parametrize("dimension", [1, 2, 3, 100, 384, 1000, 1537])
def test_a_rotation_keeps_lengths_and_can_be_undone(dimension: int) -> None:
    """By whichever way it is computed."""
    vectors = random_vectors(20, dimension) * 3
    turned = rotate(vectors, 5)
    assert np.linalg.norm(turned, axis=1) == pytest.approx(np.linalg.norm(vectors, axis=1), rel=1e-4)
    assert rotate_back(turned, 5) == pytest.approx(vectors, abs=1e-4)
    assert turned == pytest.approx(_transform(vectors, 5), abs=1e-4)
    if dimension > 2:
        assert np.abs(rotate(vectors, 6) - turned).max() > 0.1


def test_codes_are_the_same_on_every_host() -> None:
    """The bytes of a blob, as they were when this was written: made on one machine, a store is read on another.

    Lengths alone may differ in their last bits, for processors add in different orders.
    """
    vectors = np.array([[(7 * row + 3 * column) % 11 - 5 for column in range(24)] for row in range(2)], np.float32)
    for codec, golden in GOLDEN:
        blob, known = codec.encode(vectors), bytes.fromhex(golden)
        lengths = slice(20, 28 if codec.variant == "mse" else 36)
        assert np.frombuffer(blob[lengths], "<f4") == pytest.approx(np.frombuffer(known[lengths], "<f4"), rel=1e-5)
        assert blob[: lengths.start] + blob[lengths.stop :] == known[: lengths.start] + known[lengths.stop :]


GOLDEN = (
    (
        Codec(dimension=24),
        "4457563100040100180000000200000000000000e45f86416bd68041b1ab4895b71739598b97256c4e6867b3b4bba3821938a865",
    ),
    (
        Codec(dimension=24, bits=3, variant="ip", seed=9),
        "4457563101030100180000000200000009000000ca797c41ca797c41b5ccb040de7e8d40bfbda44ff2ce5572f995969ca7a50291754b",
    ),
)


def test_what_is_no_blob_is_refused() -> None:
    """Cut, longer, of another version or with a damaged header: an error, before anything is taken from it."""
    codec = Codec(dimension=32)
    blob = codec.encode(random_vectors(3, 32))
    wrong = [b"", blob[:10], blob[:-1], blob + b"\0", b"XYZ1" + blob[4:]]
    wrong += [blob[:place] + bytes([blob[place] ^ 0xFF]) + blob[place + 1 :] for place in range(4, 20) if place < 16]
    wrong.append(blob[:12] + struct.pack("<I", 2**32 - 1) + blob[16:])
    for data in wrong:
        with pytest.raises(StoreError):
            codec.decode(data)
    with pytest.raises(StoreError, match="no numbers"):
        codec.decode(blob[:20] + struct.pack("<f", np.nan) + blob[24:])
    with pytest.raises(StoreError):
        codec.read_all([blob, blob[:12] + struct.pack("<I", 2) + blob[16:]])
    with pytest.raises(StoreError, match="not of"):
        codec.read_all([blob, Codec(dimension=32, seed=1).encode(random_vectors(3, 32))])
    with pytest.raises(StoreError, match="version"):
        codec.decode(b"DWV2" + blob[4:])
    with pytest.raises(StoreError, match="not of"):
        Codec(dimension=32, bits=3).decode(blob)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dimension": 0}, "dimension"),
        ({"dimension": MAX_DIMENSION + 1}, "dimension"),
        ({"dimension": 8, "bits": 5}, "bits"),
        ({"dimension": 8, "variant": "pq"}, "variant"),
        ({"dimension": 8, "seed": -1}, "seed"),
    ],
)
def test_wrong_settings_are_refused(arguments: dict[str, object], message: str) -> None:
    """With the name and the value."""
    with pytest.raises(ArgumentError, match=f"^{message}: got"):
        Codec(**arguments)  # type: ignore[arg-type]


def test_wrong_vectors_are_refused() -> None:
    """Another dimension, or numbers that are none."""
    codec = Codec(dimension=8)
    with pytest.raises(ArgumentError, match="shape"):
        codec.encode(np.zeros((1, 9), np.float32))
    with pytest.raises(ArgumentError, match="finite"):
        codec.encode(np.full((1, 8), np.nan, np.float32))
    with pytest.raises(ArgumentError, match="lengths up to"):
        codec.encode(np.full((1, 8), 1e38, np.float32))
