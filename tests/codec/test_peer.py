"""Vectors of another program: what it remembers is what is read, by an encoder written from its description alone."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from numpy.typing import NDArray

from drawwell.codec import read_peer
from drawwell.errors import StoreError

Floats = NDArray[np.float32]
LEVELS = {
    1: [0.79788],
    2: [0.45278, 1.51042],
    3: [0.24512, 0.75601, 1.34391, 2.15197],
    4: [0.12840, 0.38802, 0.65676, 0.94234, 1.25618, 1.61804, 2.06906, 2.73264],
}


def levels(bits: int, dimension: int) -> NDArray[np.float64]:
    return np.array([-one for one in reversed(LEVELS[bits])] + LEVELS[bits]) / np.sqrt(dimension)


def samples(dimension: int, seed: int) -> Floats:
    return np.random.Generator(np.random.PCG64(seed)).standard_normal((dimension, dimension), dtype=np.float32)


def packed(rows: NDArray[np.int64], bits: int) -> bytes:
    """Lowest bit first, one number after the other, row by row."""
    found = b""
    for row in rows:
        whole = sum(int(number) << (bits * place) for place, number in enumerate(row))
        found += whole.to_bytes((len(row) * bits + 7) // 8, "little")
    return found


def encoded(vectors: Floats, bits: int, variant: str, seed: int) -> tuple[bytes, Floats]:
    """A blob as the other program makes it, and what it stands for."""
    count, dimension = vectors.shape
    matrix, upper = np.linalg.qr(samples(dimension, seed))
    matrix = matrix * np.where(np.diag(upper) < 0, -1, 1)
    level_bits = bits - (variant == "ip")
    table = levels(level_bits, dimension)
    norms = np.linalg.norm(vectors, axis=1).astype("<f4")
    turned = (vectors / np.maximum(norms, 1e-12)[:, None]) @ matrix.T
    numbers = np.abs(turned[:, :, None] - table).argmin(axis=2)
    remembered = norms[:, None] * (table[numbers] @ matrix)
    head = struct.pack("<4sBBHII", b"TQP1", int(variant == "ip"), bits, dimension, count, seed)
    blocks = [norms.tobytes(), packed(numbers, level_bits)]
    if variant == "ip":
        rest = vectors - remembered
        lengths = np.linalg.norm(rest, axis=1).astype("<f4")
        gauss = samples(dimension, seed + 1)
        positive = (rest / np.maximum(lengths, 1e-12)[:, None]) @ gauss.T >= 0
        signs = np.where(positive, 1.0, -1.0)
        remembered = remembered + np.sqrt(np.pi / 2) / dimension * lengths[:, None] * (signs @ gauss)
        head += bytes([level_bits, 0, 0, 0])
        blocks = [norms.tobytes(), lengths.tobytes(), packed(positive.astype(np.int64), 1), blocks[1]]
    return head + b"".join(struct.pack("<I", len(block)) + block for block in blocks), remembered.astype(np.float32)


@pytest.mark.parametrize("variant", ["mse", "ip"])
@pytest.mark.parametrize("bits", [2, 3, 4])
def test_its_vectors_are_read_as_it_remembers_them(bits: int, variant: str) -> None:
    """Both variants, all numbers of bits."""
    vectors = np.random.default_rng(bits).standard_normal((5, 64)).astype(np.float32) * 3
    blob, remembered = encoded(vectors, bits, variant, 11)
    assert read_peer(blob) == pytest.approx(remembered, abs=2e-3)
    cosines = (read_peer(blob) * vectors).sum(axis=1) / np.linalg.norm(vectors, axis=1)
    assert (cosines > 0).all()


def test_a_damaged_blob_is_refused() -> None:
    """Cut, longer, with a wrong header or wrong lengths of blocks: an error, and no memory taken for what it claims."""
    blob, _ = encoded(np.ones((2, 16), np.float32), 4, "ip", 0)
    wrong = [
        b"",
        blob[:4],
        blob[:-1],
        blob + b"\0",
        b"TQP9" + blob[4:],
        blob[:8] + struct.pack("<I", 2**32 - 1) + blob[12:],
    ]
    wrong += [blob[:4] + b"\7" + blob[5:], blob[:5] + b"\x09" + blob[6:], blob[:16] + b"\x04" + blob[17:]]
    wrong.append(blob[:20] + struct.pack("<I", 7) + blob[24:])
    wrong.append(blob[:24] + struct.pack("<f", np.inf) + blob[28:])
    for data in wrong:
        with pytest.raises(StoreError, match="TQP1"):
            read_peer(data)
