"""Neighbours: who is lifted, and that longer lists only grow at their end."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from drawwell.retrieval.neighbourhood import POOL, lifted
from drawwell.retrieval.words import key_of


def test_neighbours_lift_each_other() -> None:
    """Of two equal hits the one beside another hit comes first; neighbours in another document do not count."""
    hits = [(4.0, key_of(1, 5)), (4.0, key_of(2, 5)), (1.0, key_of(2, 6)), (1.0, key_of(3, 0))]
    ranked = lifted(hits)
    assert [key for _, key in ranked] == [key_of(2, 5), key_of(1, 5), key_of(2, 6), key_of(3, 0)]
    assert {key: score for score, key in ranked}[key_of(1, 5)] == 4.0


def test_farther_neighbours_count_less() -> None:
    """Two sections away counts half of one away, three sections away nothing."""
    alone = {away: dict(map(reversed, lifted([(10.0, 100), (10.0, 100 + away)])))[100] - 10.0 for away in (1, 2, 3)}
    assert alone[1] == 2 * alone[2] > 0 == alone[3]


def test_no_hits() -> None:
    """Nothing stays nothing."""
    assert lifted([]) == []


@given(
    st.lists(st.tuples(st.integers(1, 40), st.integers(0, 400)), max_size=300, unique_by=lambda pair: pair[1]),
    st.integers(POOL, 300),
)
def test_a_longer_list_begins_alike(pairs: list[tuple[int, int]], count: int) -> None:
    """Asking for more hits, ties with the last one included, changes nothing at the beginning; none is lost."""
    hits = sorted(((float(score), key) for score, key in pairs), key=lambda hit: (-hit[0], hit[1]))
    ranked = lifted(hits)
    assert sorted(key for _, key in ranked) == sorted(key for _, key in hits)
    assert [score for score, _ in ranked] == sorted((score for score, _ in ranked), reverse=True)
    if len(hits) > count:
        short = [hit for hit in hits if hit[0] >= hits[count - 1][0]]
        assert ranked[: len(short)] == lifted(short)
