"""Merged cells of a worksheet: each of their cells says what the one that is kept says, so that every row is whole.

A merged cell that stands alone in its rows, a title say, is left as it is.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["MOST_MERGES", "Merge", "Merges", "column_of", "merge_of"]

MOST_MERGES = 100_000
"""Merged cells of one sheet that are looked at."""
_MOST_OPEN = 200  # that reach into one row
_LONGEST = 200  # code points of a text that is said again
_REFERENCE = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7}):\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")


class Merge(NamedTuple):
    """A merged cell: rows as the sheet numbers them, columns from 0, all included."""

    top: int
    left: int
    bottom: int
    right: int


def merge_of(reference: str) -> Merge | None:
    """The cells of a reference such as ``A1:B3``; None when it is none, or one cell."""
    found = _REFERENCE.fullmatch(reference)
    if not found:
        return None
    merge = Merge(int(found[2]), column_of(found[1]), int(found[4]), column_of(found[3]))
    is_sound = 0 <= merge.left <= merge.right and merge.top <= merge.bottom and merge[:2] != merge[2:]
    return merge if is_sound else None


def column_of(letters: str) -> int:
    """The number, from 0, of a column's letters."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


@dataclass(slots=True)
class _Open:
    """A merged cell that reaches into the row that is looked at, and what it says."""

    merge: Merge
    text: str


class Merges:
    """Fills the rows of a sheet, which have to come from top to bottom.

    Args:
        merges: its merged cells.
        room: code points that may be said again in all.
    """

    def __init__(self, merges: Iterable[Merge], room: int) -> None:
        self._waiting = deque(sorted(merges))
        self._open: list[_Open] = []
        self._room = room

    def fill(self, number: int, columns: Sequence[int], texts: Sequence[str], used: Sequence[int]) -> dict[int, str]:
        """What the merged cells say in those cells of a row that are not kept, by column.

        Args:
            number: of the row.
            columns: of its kept cells, ascending.
            texts: what these say.
            used: the columns of the table, ascending.
        """
        self._advance(number, columns, texts)
        found: dict[int, str] = {}
        for one in self._open:
            left, right = one.merge.left, one.merge.right
            if columns[0] >= left and columns[-1] <= right:
                continue  # it stands alone in this row
            for column in used[bisect_left(used, left) : bisect_right(used, right)]:
                at = bisect_left(columns, column)
                kept = at < len(columns) and columns[at] == column
                if not kept and len(one.text) <= self._room:
                    self._room -= len(one.text)
                    found[column] = one.text
        return found

    def _advance(self, number: int, columns: Sequence[int], texts: Sequence[str]) -> None:
        """Take up the merged cells that begin in a row, and leave those that ended before it."""
        if self._open:
            self._open = [one for one in self._open if one.merge.bottom >= number]
        while self._waiting and self._waiting[0].top <= number:
            merge = self._waiting.popleft()
            at = bisect_left(columns, merge.left)
            is_kept = merge.top == number and at < len(columns) and columns[at] == merge.left
            if is_kept and len(texts[at]) <= _LONGEST and len(self._open) < _MOST_OPEN:
                self._open.append(_Open(merge, texts[at]))
