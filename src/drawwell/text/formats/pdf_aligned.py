"""Tables without ruled lines: rows whose cells stand in the same columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from drawwell.text.formats.pdf_layout import Cell, Line
from drawwell.text.formats.pdf_marks import mark_of
from drawwell.text.formats.pdf_tables import Grid

__all__ = ["with_aligned"]

_FURTHEST = 2.8  # of the font size: rows of one table are no further apart
_SINGLES = 3  # rows of one cell that may follow each other
_MOST_COLUMNS = 40

_Extent = tuple[float, float]


@dataclass(slots=True)
class _Rows:
    """Rows that may be a table, and the columns that they leave free strips between."""

    lines: list[Line] = field(default_factory=list)
    columns: list[_Extent] = field(default_factory=list)
    widest: int = 0  # cells of the row that has most
    singles: int = 0  # rows of one cell at the end

    def take(self, line: Line) -> bool:
        """Add a row, unless it would close the strip between two columns."""
        last = self.lines[-1] if self.lines else None
        if line.mono or (last and (line.column != last.column or line.y - last.y > _FURTHEST * line.size)):
            return False
        if len(line.cells) == 1 and (self.singles >= _SINGLES or not last or _columns_of(line, self.columns) is None):
            return False
        columns = _merged([*self.columns, *((one.x0, one.x1) for one in line.cells)])
        widest = max(self.widest, len(line.cells))
        if not widest <= len(columns) <= _MOST_COLUMNS or len(columns) < len(self.columns):
            return False
        self.lines.append(line)
        self.columns, self.widest = columns, widest
        self.singles = self.singles + 1 if len(line.cells) == 1 else 0
        return True

    def is_table(self) -> bool:
        """Whether enough rows have cells in the same columns."""
        full = sum(len(line.cells) > 1 for line in self.lines)
        return (full > 2 or (full == 2 and self.widest > 2)) and full * 5 >= 3 * len(self.lines)

    def grid(self) -> Grid:
        """The table; a line that only continues the cells of the row above is put into it."""
        gaps = [after.y - line.y for line, after in pairwise(self.lines)]
        usual = median(gaps) if gaps else 0.0
        rows: list[list[str]] = []
        for number, line in enumerate(self.lines):
            row = [""] * len(self.columns)
            for cell in line.cells:
                at = _column(cell, self.columns)
                row[at] = f"{row[at]} {cell.text}" if row[at] else cell.text
            if rows and not row[0] and gaps[number - 1] < 1.05 * usual and _shorter(gaps, number - 1):
                rows[-1] = [" ".join(filter(None, pair)) for pair in zip(rows[-1], row, strict=True)]
            else:
                rows.append(row)
        first = self.lines[0]
        return Grid(first.page, self.columns[0][0], self.columns[-1][1], first.y, tuple(tuple(row) for row in rows))


def with_aligned(items: Sequence[Line | Grid]) -> list[Line | Grid]:
    """The lines and tables of a page, with the tables that their lines make."""
    found: list[Line | Grid] = []
    number = 0
    while number < len(items):
        rows = _Rows()
        for item in items[number:]:
            if isinstance(item, Grid) or mark_of(item) is not None or not rows.take(item):
                break
        while rows.lines and len(rows.lines[-1].cells) == 1 and not _continues(rows.lines):
            rows.lines.pop()
        if rows.is_table():
            found.append(rows.grid())
            number += len(rows.lines)
        else:
            found.append(items[number])
            number += 1
    return found


def _continues(lines: list[Line]) -> bool:
    """Whether the last row is close enough to the one before to belong to its cells."""
    return len(lines) > 1 and lines[-1].y - lines[-2].y < 1.35 * lines[-1].size and lines[-1].x0 > lines[-2].x0 + 1


def _shorter(gaps: list[float], at: int) -> bool:
    """Whether the rows of a table are further apart than two of its lines."""
    return gaps[at] < 0.9 * max(gaps)


def _merged(extents: list[_Extent]) -> list[_Extent]:
    found: list[_Extent] = []
    for low, high in sorted(extents):
        if found and low <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return found


def _column(cell: Cell, columns: list[_Extent]) -> int:
    return next(number for number, (low, high) in enumerate(columns) if low <= cell.x0 <= high)


def _columns_of(line: Line, columns: list[_Extent]) -> int | None:
    """The column that a line of one cell stands in; None when it is in none or in several."""
    touched = [number for number, (low, high) in enumerate(columns) if line.x0 <= high and line.x1 >= low]
    return touched[0] if len(touched) == 1 else None
