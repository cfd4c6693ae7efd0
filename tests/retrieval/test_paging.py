"""Cursors: they lead on, and are refused when they would lead astray."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawwell.errors import ArgumentError
from drawwell.retrieval.paging import Pager, take_within


@given(st.lists(st.integers(0, 10**12 - 1), min_size=1, max_size=4))
def test_cursor_gives_back_its_positions(positions: list[int]) -> None:
    """A cursor is short, and gives the same call its positions again."""
    cursor = Pager("generation", "search", "words").cursor(*positions)
    assert len(cursor) < 80
    assert Pager("generation", "search", "words").positions(cursor, len(positions)) == tuple(positions)


@pytest.mark.parametrize("empty", [None, ""])
def test_without_cursor_from_the_start(empty: str | None) -> None:
    """No cursor, or an empty one, means the beginning."""
    assert Pager("g", "read").positions(empty, 3) == (0, 0, 0)


def test_cursor_of_an_older_generation() -> None:
    """A cursor from before a change is refused, saying to start again."""
    cursor = Pager("old", "search", "words").cursor(10)
    with pytest.raises(ArgumentError, match="start again"):
        Pager("new", "search", "words").positions(cursor)


def test_cursor_of_another_call() -> None:
    """A cursor of a call with other arguments is refused, saying to repeat them."""
    cursor = Pager("g", "search", "words").cursor(10)
    with pytest.raises(ArgumentError, match="Repeat the other arguments"):
        Pager("g", "search", "other words").positions(cursor)
    with pytest.raises(ArgumentError, match="cursor"):
        Pager("g", "search", "words").positions(cursor, 2)


@pytest.mark.parametrize("cursor", ["x", "1.2.3", "-1.00000000.00000000", "9" * 40, 7, "1.00000000.0000000g"])
def test_not_a_cursor(cursor: object) -> None:
    """Anything else is an error that names the parameter."""
    with pytest.raises(ArgumentError, match="cursor"):
        Pager("g", "search").positions(cursor)  # type: ignore[arg-type]


def test_take_within() -> None:
    """Items are taken while they fit, the first in any case, and no more are made than needed."""
    made = []

    def items() -> object:
        for size in (5, 4, 9, 1):
            made.append(size)
            yield size

    assert take_within(items(), lambda size: size, 10) == [5, 4]  # type: ignore[arg-type]
    assert made == [5, 4, 9]
    assert take_within([50, 1], lambda size: size, 10) == [50]
    assert take_within([5, 4, 9, 1], lambda size: size, None) == [5, 4, 9, 1]
