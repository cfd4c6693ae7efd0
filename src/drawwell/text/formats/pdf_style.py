"""What the type of a document says: its body's size, and which lines are headings of which level.

The rule is the seed's: the size of most characters is the body's; lines at least 1.2 times as large and of at most
120 characters are headings, the largest of level 1. A bookmark makes its line a heading where both agree.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median

from drawwell.text.formats.pdf_layout import Line
from drawwell.text.formats.pdf_page import Bookmark

__all__ = ["LONGEST_HEADING", "Style", "plain"]

LONGEST_HEADING = 120
_LARGER = 1.2
_SAME = 0.96  # sizes nearer than this are one
_LEVELS = 6
_PARTS = re.compile(r"^[\divxlcIVXLC]+(?:\.\d+)*[.):]?\s+")


class Style:
    """The type of a document.

    Args:
        lines: all its lines.
        bookmarks: its outline.

    Attributes:
        body: font size of its running text.
        typed: whether it is written on a typewriter, so to speak: that its letters are equally wide says nothing.
    """

    def __init__(self, lines: Sequence[Line], bookmarks: Iterable[Bookmark]) -> None:
        mono = sum(len(line.text) for line in lines if line.mono)
        self.typed = mono > 0.7 * sum(len(line.text) for line in lines)
        counts: Counter[float] = Counter()
        for line in lines:
            if self.typed or not line.mono:
                counts[line.size] += len(line.text)
        self.body = max(counts, key=lambda size: (counts[size], -size)) if counts else 0.0
        self._levels = self._by_size({line.size for line in lines if self.is_large(line)})
        self._marks = {(one.page, plain(one.title)): one.depth for one in bookmarks if plain(one.title)}
        self._offset = self._depth_offset(lines)
        self._leading = _leadings(lines)

    def is_large(self, line: Line) -> bool:
        """Whether a line is in the type of a heading."""
        large = line.size >= _LARGER * self.body - 0.05
        named = len(line.text) <= LONGEST_HEADING and any(map(str.isalnum, line.text))
        return large and named and not line.leads

    def level(self, line: Line) -> int:
        """The level of the heading that a line is; 0 when it is none."""
        if self.is_large(line):
            return self._levels[line.size]
        if self.is_code(line) or line.leads or len(line.text) > LONGEST_HEADING:
            return 0
        depth = self._depth(line)
        return 0 if depth is None else max(1, min(_LEVELS, depth + self._offset))

    def is_code(self, line: Line) -> bool:
        """Whether a line is set as code."""
        return line.mono and not self.typed

    def leading(self, line: Line) -> float:
        """The usual distance between lines of a line's size in its column."""
        return self._leading.get((line.page, line.column, line.size), 1.25 * line.size)

    def _depth(self, line: Line) -> int | None:
        key = plain(line.text)
        return self._marks.get((line.page, key)) if key else None

    def _depth_offset(self, lines: Sequence[Line]) -> int:
        """Level of the headings of the outline's depth 0."""
        found = [
            self._levels[line.size] - depth
            for line in lines
            if self.is_large(line) and (depth := self._depth(line)) is not None
        ]
        return round(median(found)) if found else 1 + (1 in self._levels.values())

    @staticmethod
    def _by_size(sizes: set[float]) -> dict[float, int]:
        levels: dict[float, int] = {}
        level, before = 0, float("inf")
        for size in sorted(sizes, reverse=True):
            if size < _SAME * before:
                level, before = level + 1, size
            levels[size] = min(level, _LEVELS)
        return levels


def plain(text: str) -> str:
    """A heading's letters and digits, without its number: how a bookmark and a line are compared."""
    return "".join(char for char in _PARTS.sub("", text).casefold() if char.isalnum())


def _leadings(lines: Sequence[Line]) -> dict[tuple[int, int, float], float]:
    gaps: dict[tuple[int, int, float], list[float]] = {}
    for line, after in pairwise(lines):
        place = (line.page, line.column, line.size)
        gap = after.y - line.y
        if place == (after.page, after.column, after.size) and 0.9 * line.size <= gap <= 2.2 * line.size:
            gaps.setdefault(place, []).append(gap)
    return {place: median(found) for place, found in gaps.items()}
