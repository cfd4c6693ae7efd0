"""The ruled lines that are drawn on a page of a PDF, as PDFium has it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import pypdfium2.raw as pdfium

from drawwell.text.formats.pdf_page import Rule

__all__ = ["rules_of", "turned"]

_PAGE_PATHS = 10_000  # drawn paths of one page that are looked at
_PATH_POINTS = 400  # of one path: a curve or a map has more, a grid of a table has not
_THIN = 2.5  # points: a filled box no thicker is a line


def turned(box: Any, turn: int) -> tuple[float, float, float, float]:
    """Left, right, top and bottom of a box when its text stands upright, y downwards."""
    if turn == 1:
        return box.bottom, box.top, box.left, box.right
    if turn == 2:
        return -box.right, -box.left, box.bottom, box.top
    if turn == 3:
        return -box.top, -box.bottom, -box.right, -box.left
    return box.left, box.right, -box.top, -box.bottom


def rules_of(page: Any, box: Any, turn: int) -> list[Rule]:
    """The ruled lines of a page, in its upright system."""
    left, _, top, _ = turned(box, turn)
    corner = pdfium.FS_RECTF()
    found = []
    for x0, y0, x1, y1 in _strokes(page):
        corner.left, corner.right, corner.bottom, corner.top = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
        low, high, above, below = turned(corner, turn)
        if high - low <= _THIN < below - above:
            found.append(Rule(True, (low + high) / 2 - left, above - top, below - top))
        elif below - above <= _THIN < high - low:
            found.append(Rule(False, (above + below) / 2 - top, low - left, high - left))
    return found


def _strokes(page: Any) -> Iterator[tuple[float, float, float, float]]:
    """Straight lines that are drawn on a page, thin filled boxes among them: x and y of their ends."""
    bounds = [ctypes.c_float() for _ in range(4)]
    for index in range(min(pdfium.FPDFPage_CountObjects(page), _PAGE_PATHS)):
        thing = pdfium.FPDFPage_GetObject(page, index)
        if pdfium.FPDFPageObj_GetType(thing) != pdfium.FPDF_PAGEOBJ_PATH:
            continue
        if pdfium.FPDFPageObj_GetBounds(thing, *bounds):
            x0, y0, x1, y1 = (bound.value for bound in bounds)
            if min(x1 - x0, y1 - y0) <= _THIN:
                yield x0, y0, x1, y1
                continue
        points = pdfium.FPDFPath_CountSegments(thing)
        if 1 < points <= _PATH_POINTS:
            yield from _lines_of(thing, points)


def _lines_of(path: Any, count: int) -> Iterator[tuple[float, float, float, float]]:
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(path, matrix)
    x, y = ctypes.c_float(), ctypes.c_float()
    start = here = (0.0, 0.0)
    for index in range(count):
        segment = pdfium.FPDFPath_GetPathSegment(path, index)
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        point = (
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            start = point
        elif kind == pdfium.FPDF_SEGMENT_LINETO:
            yield (*here, *point)
        here = point
        if pdfium.FPDFPathSegment_GetClose(segment):
            yield (*here, *start)
            here = start
