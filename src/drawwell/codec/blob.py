"""The form in which codes are kept: a header that says all that is needed to read them, and the codes.

Little-endian: magic ``DWV1``; u8 variant (0 mse, 1 ip); u8 bits; u8 flags (bit 0: renormalised); u8 zero; u16
dimension; u16 zero; u32 rows; u32 seed. Then for all rows one after the other: scales f32; for ip lengths of the rest
f32 and its signs, packed; numbers of the levels, packed.

A blob comes out of a file that may be damaged: nothing is taken from it before its length is what its header says.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from drawwell.codec.packing import row_bytes
from drawwell.errors import StoreError

__all__ = ["HEADER_BYTES", "MAX_DIMENSION", "Blob", "damaged", "pack_blob", "read_blob"]

MAX_DIMENSION = 4096
_HEADER = struct.Struct("<4sBBBBHHII")
HEADER_BYTES = _HEADER.size
_MAGIC = b"DWV1"
_VARIANTS = ("mse", "ip")
_RENORMALISED = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Blob:
    """What a blob says, with the codes as they stand in it."""

    variant: str
    bits: int
    renormalised: bool
    dimension: int
    rows: int
    seed: int
    payload: bytes


def pack_blob(blob: Blob) -> bytes:
    """Header and codes."""
    variant, flags = _VARIANTS.index(blob.variant), _RENORMALISED if blob.renormalised else 0
    header = _HEADER.pack(_MAGIC, variant, blob.bits, flags, 0, blob.dimension, 0, blob.rows, blob.seed)
    return header + blob.payload


def read_blob(data: bytes) -> Blob:
    """What a blob says.

    Raises:
        StoreError: it is not one, of a later version, or damaged.
    """
    if len(data) < _HEADER.size or data[:3] != _MAGIC[:3]:
        raise damaged("not a blob of vectors")
    magic, variant, bits, flags, zero, dimension, zeros, rows, seed = _HEADER.unpack_from(data)
    if magic != _MAGIC:
        raise damaged(f"a blob of vectors of version {magic[3:]!r}, this drawwell reads version {_MAGIC[3:]!r}")
    known = variant < len(_VARIANTS) and bits in (2, 3, 4) and flags <= _RENORMALISED and not (zero or zeros)
    if not known or not 1 <= dimension <= MAX_DIMENSION:
        raise damaged("the header of a blob of vectors is damaged")
    each = (
        4 + row_bytes(dimension, bits) if variant == 0 else 8 + row_bytes(dimension, bits - 1) + row_bytes(dimension, 1)
    )
    if len(data) != _HEADER.size + rows * each:
        raise damaged(f"a blob of {rows} vectors has {_HEADER.size + rows * each} bytes, this one {len(data)}")
    return Blob(
        variant=_VARIANTS[variant],
        bits=bits,
        renormalised=bool(flags & _RENORMALISED),
        dimension=dimension,
        rows=rows,
        seed=seed,
        payload=data[_HEADER.size :],
    )


def damaged(what: str) -> StoreError:
    """The error for codes that cannot be used."""
    return StoreError(what, "Have the vectors made anew: drawwell ingest DIR --embed PROVIDER:MODEL --re-embed")
