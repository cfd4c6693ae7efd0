"""From words on a page to lines in reading order.

Words that share a baseline make a row; wide gaps cut a row into chunks; an empty strip with running text on both
sides makes two columns, each read to its end before the next. What crosses the strip (a title, a table, a figure's
caption) ends the columns above it and begins new ones below.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from drawwell.text.formats.pdf_page import Page, Word
from drawwell.text.formats.pdf_rows import row_text, rows_of
from drawwell.text.formats.pdf_tables import Grid, ruled_grids

__all__ = ["Cell", "Line", "lay_out"]

_CHUNK_GAP = 0.9  # of the font size: a wider gap may be the strip between two columns
_CELL_GAP = 1.2  # a wider gap is no blank between two words
_DEEPEST = 4  # columns within columns
_CANDIDATES = 6  # edges that are tried for a column
_SIDE_LINES = 4  # lines that a column has at least, on either side
_LEADERS = re.compile(r" ?(?:\. ?){4,}")
_NEAR = 3.0  # points


@dataclass(frozen=True, slots=True)
class Cell:
    """A stretch of a line between wide gaps."""

    x0: float
    x1: float
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text.

    Attributes:
        page: its page.
        text: its words, joined by one blank each.
        cells: the same, cut at wide gaps.
        x0: its left edge.
        x1: its right edge.
        y: its baseline.
        size: the font size of most of its letters.
        leads: whether it is an entry of a table of contents: dots lead to a number.
        mono: whether all of it is in a font whose letters are equally wide.
        first: width of its first word.
        inner: where its second word begins; its left edge when it has one only.
        right: right edge of its column.
        column: number of its column on the page, in reading order.
    """

    page: int
    text: str
    cells: tuple[Cell, ...]
    x0: float
    x1: float
    y: float
    size: float
    leads: bool
    mono: bool
    first: float
    inner: float
    right: float
    column: int


@dataclass(slots=True)
class _Chunk:
    """Words of one row without a wide gap among them; or the place of a table."""

    words: list[Word]
    x0: float
    x1: float
    y: float
    size: float
    grid: Grid | None = None

    @property
    def weight(self) -> float:
        """Number of its words; two characters count as one where there are no blanks."""
        letters = sum(len(word.text) for word in self.words)
        wide = sum(word.text[0] > "\u2e80" for word in self.words)
        return letters / 2 if wide * 2 > len(self.words) else len(self.words)


def lay_out(page: Page) -> list[Line | Grid]:
    """The lines and ruled tables of a page in reading order."""
    grids, words = ruled_grids(page)
    chunks = [chunk for row in rows_of(words) for chunk in _chunks(row)]
    chunks.extend(_Chunk([], grid.x0, grid.x1, grid.y, 0.0, grid) for grid in grids)
    found: list[Line | Grid] = []
    for column, region in enumerate(_ordered(chunks, 0)):
        found.extend(_lines(page.number, column, region))
    if page.aside:
        found.extend(_aside(page, column=len(chunks)))
    return found


def _chunks(row: list[Word], widest: float = _CHUNK_GAP) -> list[_Chunk]:
    """A row cut at gaps wider than ``widest`` times the font size."""
    found = []
    first = 0
    end = row[0].x1
    for number, word in enumerate([*row[1:], None], 1):
        if word is None or word.x0 - end > widest * max(word.size, row[number - 1].size):
            words = row[first:number]
            found.append(_Chunk(words, words[0].x0, end, median(one.y for one in words), _size(words)))
            first = number
        if word is not None:
            end = word.x1 if first == number else max(end, word.x1)
    return found


def _size(words: Sequence[Word]) -> float:
    """The font size of most letters, to a tenth of a point."""
    first = words[0].size if words else 0.0
    if all(word.size == first for word in words):
        return round(first, 1)
    counts: Counter[float] = Counter()
    for word in words:
        counts[round(word.size, 1)] += len(word.text)
    return counts.most_common(1)[0][0]


def _ordered(chunks: list[_Chunk], depth: int) -> list[list[_Chunk]]:
    """Chunks by column, in reading order."""
    edge = _column_edge(chunks) if depth < _DEEPEST and len(chunks) >= 2 * _SIDE_LINES else None
    if edge is None:
        return [chunks] if chunks else []
    found: list[list[_Chunk]] = []
    left: list[_Chunk] = []
    right: list[_Chunk] = []
    across: list[_Chunk] = []

    def close() -> None:
        found.extend([*_ordered(list(left), depth + 1), *_ordered(list(right), depth + 1)])
        left.clear()
        right.clear()

    for chunk in sorted(chunks, key=lambda one: (one.y, one.x0)):
        side = right if chunk.x0 >= edge - _NEAR else left if chunk.x1 <= edge else None
        if side is None:
            if left or right:
                close()
            across.append(chunk)
            continue
        if across:
            found.append(list(across))
            across.clear()
        side.append(chunk)
    close()
    return [*found, across] if across else found


def _column_edge(chunks: list[_Chunk]) -> float | None:
    """Where the right one of two columns begins; None when the text has one column."""
    starts = Counter(round(chunk.x0 / _NEAR) for chunk in chunks)
    first, last = min(chunk.x0 for chunk in chunks), max(chunk.x1 for chunk in chunks)
    near = {at: sum(starts[at + step] for step in (-1, 0, 1)) for at in starts}
    tried = sorted((at for at in near if near[at] >= _SIDE_LINES), key=lambda at: (-near[at], at))
    for at in tried[: _CANDIDATES * 3]:
        edge = at * _NEAR
        if not first + 0.15 * (last - first) < edge < last - 0.1 * (last - first):
            continue
        exact = [chunk.x0 for chunk in chunks if abs(chunk.x0 - edge) <= 1.5 * _NEAR]
        edge = min(exact)
        left = [chunk for chunk in chunks if chunk.x1 <= edge]
        right = [chunk for chunk in chunks if chunk.x0 >= edge - _NEAR]
        if _reads(left) and _reads(right) and _beside(left, right):
            return edge
    return None


def _reads(side: list[_Chunk]) -> bool:
    """Whether one side of a strip is running text, not the cells of a table."""
    lines = [chunk for chunk in side if chunk.words]
    if len(lines) < _SIDE_LINES:
        return False
    width = max(chunk.x1 for chunk in lines) - min(chunk.x0 for chunk in lines)
    full = median(chunk.x1 - chunk.x0 for chunk in lines)
    return full >= 0.5 * width and full >= 8 * median(chunk.size for chunk in lines) and _words_per_line(lines) >= 4


def _words_per_line(lines: list[_Chunk]) -> float:
    return median(chunk.weight for chunk in lines)


def _beside(left: list[_Chunk], right: list[_Chunk]) -> bool:
    """Whether two sides stand next to each other, not one below the other."""
    top = max(min(chunk.y for chunk in left), min(chunk.y for chunk in right)) - 1
    bottom = min(max(chunk.y for chunk in left), max(chunk.y for chunk in right)) + 1
    return all(sum(top <= chunk.y <= bottom for chunk in side) >= _SIDE_LINES - 1 for side in (left, right))


def _lines(page: int, column: int, region: list[_Chunk]) -> list[Line | Grid]:
    """The lines of one column from top to bottom, and the tables among them."""
    rows = rows_of(word for chunk in region for word in chunk.words)
    right = _right_edge(rows)
    found: list[Line | Grid] = [_line(row, page, column, right) for row in rows]
    found.extend(chunk.grid for chunk in region if chunk.grid is not None)
    return sorted(found, key=lambda one: one.y)


def _right_edge(rows: list[list[Word]]) -> float:
    """Where the lines of a column end; a few that stick out do not count."""
    ends = sorted(max(word.x1 for word in row) for row in rows)
    return ends[int(len(ends) * 0.9)] if len(ends) > 5 else ends[-1] if ends else 0.0


def _line(row: list[Word], page: int, column: int, right: float) -> Line:
    size = _size(row)
    cells = tuple(Cell(chunk.x0, chunk.x1, row_text(chunk.words)) for chunk in _chunks(row, _CELL_GAP))
    text = " ".join(cell.text for cell in cells)
    leads = "...." in text.replace(" ", "") and text[-1].isalnum()
    if leads:
        text = _LEADERS.sub(" … ", text)
        cells = (Cell(cells[0].x0, cells[-1].x1, text),)
    return Line(
        page=page,
        text=text,
        cells=cells,
        x0=row[0].x0,
        x1=cells[-1].x1,
        y=median([word.y for word in row if abs(word.size - size) < 0.1] or [word.y for word in row]),
        size=size,
        leads=leads,
        mono=all(word.mono for word in row),
        first=row[0].x1 - row[0].x0,
        inner=row[1].x0 if len(row) > 1 else row[0].x0,
        right=right,
        column=column,
    )


def _aside(page: Page, column: int) -> list[Line]:
    """Turned text, after all else: one line for each run of it in the file's order."""
    found = []
    run: list[Word] = []
    for word in [*page.aside, None]:
        if run and (word is None or abs(word.y - run[-1].y) > 0.5 * word.size or word.x0 < run[-1].x0):
            found.append(_line(run, page.number, column, run[-1].x1))
            run = []
        if word is not None:
            run.append(word)
    return found
