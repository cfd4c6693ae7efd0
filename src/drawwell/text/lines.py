"""The offset contract: code points, UTF-8 bytes and lines of one text.

Only ``\\n`` ends a line (``\\r`` before it belongs to the line), whatever other separators Unicode knows,
so that line numbers agree with every editor and with grep.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property

__all__ = ["ByteMap", "LineMap", "without"]

_STRIDE = 512  # code points between two checkpoints: bounds the work of one look-up


class ByteMap:
    """Maps UTF-8 byte offsets of a text to code point offsets.

    Args:
        text: the text, without lone surrogates.
    """

    def __init__(self, text: str) -> None:
        self._ascii = text.isascii()
        self._bytes = b"" if self._ascii else text.encode()
        self._marks: list[int] = []
        if not self._ascii:
            position = 0
            for start in range(0, len(text), _STRIDE):
                self._marks.append(position)
                position += len(text[start : start + _STRIDE].encode())

    def point(self, byte: int) -> int:
        """The code point offset of a byte offset that lies on a character's border."""
        if self._ascii or not self._marks:
            return byte
        mark = bisect_right(self._marks, byte) - 1
        return mark * _STRIDE + len(self._bytes[self._marks[mark] : byte].decode(errors="ignore"))


class LineMap:
    """Maps code point offsets of a text to line numbers and back.

    Args:
        text: the text.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def starts(self) -> list[int]:
        """Offset of the first character of every line; a final ``\\n`` opens no further line."""
        starts = [0]
        find = self._text.find
        at = find("\n")
        while at != -1:
            starts.append(at + 1)
            at = find("\n", at + 1)
        if len(starts) > 1 and starts[-1] == len(self._text):
            starts.pop()
        return starts

    def line(self, offset: int) -> int:
        """Number, from 1, of the line that holds the character at ``offset``."""
        return bisect_right(self.starts, offset)


def without(text: str, ranges: Iterable[tuple[int, int]]) -> str:
    """A text without some ranges of it.

    Args:
        text: the text.
        ranges: half-open, in order, not overlapping.
    """
    pieces = []
    at = 0
    for start, end in ranges:
        pieces.append(text[at:start])
        at = end
    pieces.append(text[at:])
    return "".join(pieces)
