"""The list items that stand over a place of a document, for a section that begins inside of a list."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from drawwell.text.blocks import Block
from drawwell.text.budget import safe_cut

__all__ = ["LONGEST_PARENT", "MOST_PARENTS", "Parents"]

LONGEST_PARENT = 120
"""Code points of the line that an item is known by."""
MOST_PARENTS = 16
"""Items named over one section, the innermost; Markdown is parsed no deeper."""

_SPACE = re.compile(r"\s*+")
_LINE_END = re.compile(r"[\r\n]")


class _Open(NamedTuple):
    """A block that holds the place looked at; ``line`` is its first line if it is an item, else empty."""

    block: Block
    line: str


class Parents:
    """Follows the items that enclose each of several places, in linear time for all of them together.

    Args:
        source: the document's text.
        blocks: its top-level blocks.
    """

    def __init__(self, source: str, blocks: Sequence[Block]) -> None:
        self._source = source
        self._blocks = blocks
        self._open: list[_Open] = []

    def over(self, start: int, end: int) -> tuple[str, ...]:
        """First lines, with their markers, of the items that are begun before a section and go on in it.

        Args:
            start: where the section begins, not before that of an earlier call.
            end: where it ends.

        Returns:
            Lines of the source, outermost first, without white space at their ends, cut with an ellipsis to 120 code
            points.
        """
        shown = _space(self._source, start, end)
        while self._open and self._open[-1].block.span.end <= shown:
            self._open.pop()
        inner = self._holding(self._open[-1].block.children if self._open else self._blocks, start, shown)
        while inner is not None:
            self._open.append(_Open(inner, self._first_line(inner) if inner.kind == "item" else ""))
            inner = self._holding(inner.children, start, shown)
        return tuple(one.line for one in self._open if one.line)[-MOST_PARENTS:]

    @staticmethod
    def _holding(blocks: Sequence[Block], start: int, shown: int) -> Block | None:
        """The block among these that begins before ``start`` and ends behind ``shown``."""
        number = bisect_left(blocks, start, key=_start) - 1
        return blocks[number] if number >= 0 and blocks[number].span.end > shown else None

    def _first_line(self, item: Block) -> str:
        if any(one.block.kind == "item" and one.block.span.start == item.span.start for one in self._open[-2:]):
            return ""  # it begins on the line of the item around it
        start = _space(self._source, *item.span)
        window = self._source[start : min(start + LONGEST_PARENT + 1, item.span.end)]
        line = _LINE_END.split(window, maxsplit=1)[0].rstrip()
        return line if len(line) <= LONGEST_PARENT else line[: safe_cut(line, LONGEST_PARENT - 1)] + "…"


def _space(source: str, start: int, end: int) -> int:
    """The end of the white space at ``start``."""
    found = _SPACE.match(source, start, end)
    return found.end() if found else start


def _start(block: Block) -> int:
    return block.span.start
