"""Running headers, footers and page numbers: found by their return, and taken off the pages."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from statistics import median

from drawwell.text.formats.pdf_page import Page, Word
from drawwell.text.formats.pdf_rows import rows_of

__all__ = ["without_furniture"]

_AHEAD = 32  # pages that are looked at before one is given out
_OUTER = 0.14  # of the page's height, at its top and at its bottom
_ROWS = 3  # rows at the top and at the bottom that may be furniture
_TIMES = 3  # pages that show it, at least; two where the document has two
_STEP = 4.0  # points: what is nearer is at the same height
_APART = 1.6  # of the font size
_FEW_LETTERS = 12  # beside a number: "page 3 of 9"
_NUMBER = re.compile(r"\d{1,9}")
_ROMAN = re.compile(r"[ivxlc]{1,8}")


@dataclass(slots=True)
class _Row:
    """A row near the edge of a page.

    Attributes:
        words: what is on it.
        shape: its text with ``#`` for every number.
        step: its height on the page.
        large: whether it is in larger type than the page.
        offsets: its numbers less the page's, when they are most of it.
        close: whether the next row towards the middle of the page is as near as a line of the same text.
        ends: the numbers that it begins and ends with, less the page's.
    """

    words: list[Word]
    shape: str
    step: int
    large: bool
    offsets: tuple[int, ...]
    close: bool
    ends: tuple[int, ...]

    @property
    def near(self) -> range:
        """The heights that count as its own."""
        return range(self.step - 1, self.step + 2)


@dataclass(slots=True)
class _Seen:
    """What the pages so far have shown near their edges."""

    rows: Counter[tuple[str, int]] = field(default_factory=Counter)
    numbers: Counter[tuple[str, int, int]] = field(default_factory=Counter)
    pages: int = 0

    def note(self, rows: list[_Row]) -> None:
        """Take in the rows of one page."""
        self.pages += 1
        self.rows.update({(row.shape, row.step) for row in rows})
        self.numbers.update({(row.shape, row.step, offset) for row in rows for offset in row.offsets})
        self.numbers.update({("", row.step, offset) for row in rows for offset in row.ends})

    def counts(self, row: _Row) -> bool:
        """Whether a number at the row's beginning or end counts with the pages, whatever stands beside it."""
        return not row.large and self._times(row, "", row.ends) >= self._needed

    def returns(self, row: _Row) -> bool:
        """Whether a row comes back at its height; one that is little more than a number, counting with the pages."""
        times = sum(self.rows[row.shape, step] for step in row.near)
        if row.large:  # a heading, unless it is on most of the pages
            return "#" not in row.shape and times >= max(self._needed, self.pages // 2)
        return (self._times(row, row.shape, row.offsets) if row.offsets else times) >= self._needed

    @property
    def _needed(self) -> int:
        return min(_TIMES, max(2, self.pages))

    def _times(self, row: _Row, shape: str, offsets: tuple[int, ...]) -> int:
        """On how many pages a number at the row's height is as far from the page's."""
        return max((sum(self.numbers[shape, step, offset] for step in row.near) for offset in offsets), default=0)


def without_furniture(pages: Iterable[Page]) -> Iterator[Page]:
    """The pages without what comes back on them; some thirty of them are held at a time."""
    seen = _Seen()
    waiting: deque[tuple[Page, list[list[_Row]]]] = deque()
    for page in pages:
        edges = _edges(page)
        seen.note([row for rows in edges for row in rows])
        waiting.append((page, edges))
        if len(waiting) > _AHEAD:
            yield _stripped(*waiting.popleft(), seen)
    while waiting:
        yield _stripped(*waiting.popleft(), seen)


def _stripped(page: Page, edges: list[list[_Row]], seen: _Seen) -> Page:
    gone: set[int] = set()
    for rows in edges:
        held: list[_Row] = []  # furniture, if it turns out to stand off from the text
        for row in rows:
            if seen.counts(row):
                held.append(row)
            elif seen.returns(row):
                held.append(row)
                if row.close:
                    continue
            else:
                break
            gone.update(id(word) for one in held for word in one.words)
            held.clear()
    if gone:
        page.words = [word for word in page.words if id(word) not in gone]
    return page


def _edges(page: Page) -> list[list[_Row]]:
    """The rows that may be furniture, from the outermost: those at the top, those at the bottom."""
    edge = _OUTER * page.height
    usual = median(word.size for word in page.words) if page.words else 0.0
    found = []
    for rows in (
        rows_of(word for word in page.words if word.bottom < 1.5 * edge),
        rows_of(word for word in page.words if word.top > page.height - 1.5 * edge)[::-1],
    ):
        inner = [*rows[1:], None][: len(rows)]
        near = [
            _row(row, page.number, usual, close=after is not None and _is_close(row, after))
            for row, after in zip(rows, inner, strict=True)
            if min(word.bottom for word in row) < edge or max(word.top for word in row) > page.height - edge
        ]
        found.append(near[:_ROWS])
    return found


def _is_close(row: list[Word], other: list[Word]) -> bool:
    """Whether two rows are as near as lines of one text."""
    return abs(row[0].y - other[0].y) < _APART * max(row[0].size, other[0].size)


def _row(words: list[Word], page: int, usual: float, *, close: bool) -> _Row:
    text = " ".join(word.text for word in words).casefold()
    if _ROMAN.fullmatch(text):
        text = "#"
    shape = _NUMBER.sub("#", text)
    numbers = [int(found) for found in _NUMBER.findall(text)[:3]]
    edges = {found for found in (words[0].text, words[-1].text) if _NUMBER.fullmatch(found)}
    few = sum(char.isalpha() for char in shape) < _FEW_LETTERS
    return _Row(
        words=words,
        shape=shape,
        step=round(words[0].y / _STEP),
        large=median(word.size for word in words) > 1.15 * usual,
        offsets=tuple(number - page for number in numbers) if few else (),
        close=close,
        ends=tuple(int(found) - page for found in edges),
    )
