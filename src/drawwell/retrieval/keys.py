"""The key of a section in every index: one number of its document's generation and its ordinal."""

from __future__ import annotations

__all__ = ["KEY_BITS", "LAST_GENERATION", "LAST_ORDINAL", "key_of", "place_of"]

KEY_BITS = 24
"""Of a key, that number a section within its document; the rest is the document's generation."""
LAST_ORDINAL = (1 << KEY_BITS) - 1
LAST_GENERATION = (1 << 63 - KEY_BITS) - 1
"""Beyond it a key is no int64."""


def key_of(generation: int, ordinal: int) -> int:
    """The key of a section: its document's generation and its ordinal."""
    return generation << KEY_BITS | ordinal


def place_of(key: int) -> tuple[int, int]:
    """Generation and ordinal of a key."""
    return key >> KEY_BITS, key & LAST_ORDINAL
