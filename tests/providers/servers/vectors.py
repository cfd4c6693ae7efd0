"""Vectors that need no model: hashed words, so that texts which share words are near."""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Sequence
from typing import Protocol

_WORDS = re.compile(r"\w+|[^\w\s]")


class Model(Protocol):
    """What the servers serve."""

    dimension: int

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """One row for each text."""

    def tokens(self, text: str) -> int:
        """How many tokens a text has."""


class WordHashes:
    """A bag of hashed words. Rows have the length of the number of their words, so clients must normalise.

    Args:
        dimension: numbers in a row.
    """

    def __init__(self, dimension: int = 64) -> None:
        self.dimension = dimension

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """One row for each text; never zero."""
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        row = [0.0] * self.dimension
        row[0] = 0.25
        for word in _WORDS.findall(text.lower()):
            digest = zlib.crc32(word.encode("utf-8", "replace"))
            row[1 + digest % (self.dimension - 1)] += 1.0 if digest & 0x10000 else -1.0
        return row

    def tokens(self, text: str) -> int:
        """One for four letters of a word, and one for every other sign."""
        return sum(math.ceil(len(word) / 4) for word in _WORDS.findall(text))
