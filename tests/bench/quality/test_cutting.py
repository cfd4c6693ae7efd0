"""Measures of a cut against values worked out by hand."""

from __future__ import annotations

import pytest

from drawwell.bench.collections import Collection, Document, Question
from drawwell.bench.quality.cutting import CutRow, Cutter, Placed, fixed_pieces, measure_cuts
from drawwell.model import Span


def cut(spans: list[Span], *pieces: Placed, length: int = 100) -> CutRow:
    """The row of a cut whose pieces are found in the order given."""
    question = Question(id="q", text="?", corpus="d", spans=tuple(spans))
    collection = Collection(
        name="c", documents=(Document(id="d", text="x" * length),), questions=(question, Question(id="r", text="?"))
    )
    named = {str(place): piece for place, piece in enumerate(pieces)}
    cutter = Cutter("fixed", lambda _, count: [*list(named)[:count], "of-no-document"], named)
    report = measure_cuts(collection, [cutter], lambda _: None)
    assert (report.n, report.without_answer, report.floor, report.unit) == (1, 1, "fixed", "characters")
    return report.rows[0]


def test_overlap_in_characters() -> None:
    """Spans that overlap count once; a piece of another document only costs precision."""
    row = cut([Span(12, 20), Span(5, 15)], ("d", Span(0, 10)))
    assert (row.recall, row.precision, row.iou) == pytest.approx((5 / 15, 5 / 10, 5 / 20))
    assert row.difference is None
    row = cut([Span(5, 20)], ("d", Span(0, 10)), ("d", Span(10, 40)), ("other", Span(0, 10)))
    assert (row.recall, row.precision, row.iou) == pytest.approx((1, 15 / 50, 15 / 50))
    assert row.characters == 50


def test_nothing_found() -> None:
    """Without a piece everything is 0."""
    row = cut([Span(5, 20)])
    assert (row.recall, row.precision, row.iou, row.recall_equal, row.characters) == (0, 0, 0, 0, 0)


def test_five_pieces_and_equal_length() -> None:
    """Five pieces are looked at; at equal length as many as fill 6,000 characters, the last cut short."""
    short = [("d", Span(start, start + 10)) for start in range(0, 60, 10)]
    row = cut([Span(45, 55)], *short)
    assert (row.recall, row.recall_equal) == (0.5, 1)
    row = cut([Span(5500, 6500)], ("d", Span(0, 5000)), ("d", Span(5000, 10_000)), length=10_000)
    assert (row.recall, row.recall_equal) == (1, 0.5)


def test_fixed_pieces_tile_a_document() -> None:
    """Pieces of equal length, the last one shorter; none of an empty text."""
    pieces = fixed_pieces([Document(id="d", text="x" * 25), Document(id="e", text="")], 10)
    assert list(pieces.values()) == [("d", Span(0, 10)), ("d", Span(10, 20)), ("d", Span(20, 25))]
