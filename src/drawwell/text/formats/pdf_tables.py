"""Tables on a page: those that are ruled, found by their lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from drawwell.text.formats.pdf_page import Page, Rule, Word
from drawwell.text.formats.pdf_rows import row_text, rows_of

__all__ = ["Grid", "ruled_grids"]

_NEAR = 3.0  # points: lines no further apart meet, or are one
_MOST_RULES = 4_000
_SMALLEST = 6.0  # points: a narrower cell holds no text


@dataclass(frozen=True, slots=True)
class Grid:
    """A table.

    Attributes:
        page: its page.
        x0: its left edge.
        x1: its right edge.
        y: its upper edge.
        rows: the texts of its cells; all rows have the same number of them.
    """

    page: int
    x0: float
    x1: float
    y: float
    rows: tuple[tuple[str, ...], ...]


@dataclass(slots=True)
class _Frame:
    """Ruled lines that touch each other."""

    upright: list[Rule]
    lying: list[Rule]


def ruled_grids(page: Page) -> tuple[list[Grid], list[Word]]:
    """The ruled tables of a page, and the words that are in none of them.

    A table has at least two columns and two rows, and text in at least half of its cells.
    """
    if not 4 <= len(page.rules) <= _MOST_RULES:
        return [], page.words
    words = page.words
    grids = []
    for frame in _frames(page.rules):
        found = _grid(page.number, frame, words)
        if found is not None:
            grid, inside = found
            grids.append(grid)
            words = [word for word in words if id(word) not in inside]
    return grids, words


def _frames(rules: Iterable[Rule]) -> list[_Frame]:
    """Lines by what they touch, largest groups of lying lines first joined from top to bottom."""
    joined = _joined(rules)
    upright = sorted((rule for rule in joined if rule.upright), key=lambda rule: rule.at)
    lying = [rule for rule in joined if not rule.upright]
    places = [rule.at for rule in upright]
    parent = list(range(len(lying) + len(upright)))

    def root(one: int) -> int:
        while parent[one] != one:
            parent[one] = parent[parent[one]]
            one = parent[one]
        return one

    for number, rule in enumerate(lying):
        first = bisect_right(places, rule.low - _NEAR)
        last = bisect_right(places, rule.high + _NEAR)
        for other in range(first, last):
            if upright[other].low - _NEAR <= rule.at <= upright[other].high + _NEAR:
                parent[root(len(lying) + other)] = root(number)
    groups: dict[int, _Frame] = {}
    for number, rule in enumerate([*lying, *upright]):
        frame = groups.setdefault(root(number), _Frame([], []))
        (frame.upright if rule.upright else frame.lying).append(rule)
    return [frame for frame in groups.values() if len(frame.upright) > 1 and len(frame.lying) > 1]


def _joined(rules: Iterable[Rule]) -> list[Rule]:
    """Lines with the pieces of one line put together."""
    found: list[Rule] = []
    for rule in sorted(rules, key=lambda one: (one.upright, round(one.at / _NEAR), one.low)):
        last = found[-1] if found else None
        if last and last.upright == rule.upright and abs(last.at - rule.at) <= _NEAR and rule.low <= last.high + _NEAR:
            found[-1] = Rule(last.upright, last.at, last.low, max(last.high, rule.high))
        else:
            found.append(rule)
    return found


def _grid(page: int, frame: _Frame, words: list[Word]) -> tuple[Grid, set[int]] | None:
    columns, rows = _edges(frame.upright), _edges(frame.lying)
    if len(columns) < 3 or len(rows) < 3:
        return None
    texts: list[list[list[Word]]] = [[[] for _ in columns[1:]] for _ in rows[1:]]
    walls = [_walls(frame.upright, columns, (above + below) / 2) for above, below in pairwise(rows)]
    inside = set()
    for word in words:
        x, y = (word.x0 + word.x1) / 2, (word.top + word.bottom) / 2
        if columns[0] < x < columns[-1] and rows[0] < y < rows[-1]:
            row = bisect_right(rows, y) - 1
            texts[row][walls[row][bisect_right(columns, x) - 1]].append(word)
            inside.add(id(word))
    cells = [tuple(" ".join(map(row_text, rows_of(cell))) for cell in row) for row in texts]
    cells = [row for row in cells if any(row)]
    kept = [number for number in range(len(columns) - 1) if any(row[number] for row in cells)]
    filled = sum(bool(cell) for row in cells for cell in row)
    if len(cells) < 2 or len(kept) < 2 or 2 * filled < len(cells) * len(kept):
        return None
    table = tuple(tuple(row[number] for number in kept) for row in cells)
    return Grid(page, columns[0], columns[-1], rows[0], table), inside


def _edges(rules: list[Rule]) -> list[float]:
    """Where lines stand, without those that are hardly apart."""
    edges: list[float] = []
    for at in sorted(rule.at for rule in rules):
        if not edges or at - edges[-1] >= _SMALLEST:
            edges.append(at)
    return edges


def _walls(upright: list[Rule], columns: list[float], y: float) -> list[int]:
    """For every column, the one at whose left the next wall stands at height ``y``: cells may span columns."""
    standing = [rule.at for rule in upright if rule.low - _NEAR <= y <= rule.high + _NEAR]
    found, owner = [], 0
    for number, edge in enumerate(columns[:-1]):
        if any(abs(at - edge) < _SMALLEST for at in standing):
            owner = number
        found.append(owner)
    return found
