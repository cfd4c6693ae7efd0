"""Two legs, one order: what both like comes first, whatever measure each has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawwell.retrieval.fusion import CONVEX, Fusion, Weights, fuse

SCORES = st.dictionaries(st.integers(0, 30), st.floats(0, 50).map(lambda score: round(score, 3)), max_size=20)


def order(fused: dict[str, float]) -> list[str]:
    return sorted(fused, key=lambda item: (-fused[item], item))


def test_a_leg_that_tells_candidates_apart_decides() -> None:
    """Words that fit all alike leave it to the vectors, and the other way round."""
    flat = {"a": 10.0, "b": 10.0, "c": 10.0}
    assert order(fuse(flat, {"a": 0.1, "b": 0.7, "c": 0.3})) == ["b", "c", "a"]
    assert order(fuse({"a": 3.0, "b": 1.0, "c": 9.0}, dict.fromkeys("abc", 0.4))) == ["c", "a", "b"]


def test_one_leg_alone_keeps_its_scores() -> None:
    """Without vectors, or without words, the scores are those of the other."""
    for legs in (({"a": 3.0, "b": 1.0}, {}), ({}, {"a": 3.0, "b": 1.0})):
        assert fuse(*legs) == pytest.approx({"a": 3.0, "b": 1.0})
    assert fuse({}, {}) == {}


def test_what_a_leg_cannot_score_is_no_zero() -> None:
    """A section without a vector stands where the middle of the others is."""
    dense = {"low": 0.1, "high": 0.9}
    fused = fuse({"low": 5.0, "high": 5.0, "new": 5.0}, dense)
    assert order(fused) == ["high", "new", "low"]


def test_weights_shift_the_order() -> None:
    """All for words, all for vectors; the data file's weights are in force otherwise."""
    words, dense = {"a": 9.0, "b": 1.0}, {"a": 0.1, "b": 0.9}
    assert order(fuse(words, dense, Fusion(weights=Weights(words=1.0, dense=0.0)))) == ["a", "b"]
    assert order(fuse(words, dense, Fusion(weights=Weights(words=0.0, dense=1.0)))) == ["b", "a"]
    assert set(fuse(words, dense)) == {"a", "b"}


def test_among_code_meaning_counts_more() -> None:
    """With its own weight where all candidates are code, and with one in between where some are."""
    words, dense = {"a": 9.0, "b": 1.0, "c": 4.0}, {"a": 0.1, "b": 0.9, "c": 0.4}
    weights = Fusion(weights=Weights(words=2.0, dense=1.0, dense_of_code=4.0))
    assert order(fuse(words, dense, weights))[0] == "a"
    assert order(fuse(words, dense, weights, code=1.0))[0] == "b"
    half = Fusion(weights=Weights(words=2.0, dense=2.5))
    assert fuse(words, dense, weights, code=0.5) == pytest.approx(fuse(words, dense, half))


def test_reciprocal_ranks_add_up() -> None:
    """1 / (60 + rank) of each leg."""
    fused = fuse({"a": 9.0, "b": 1.0}, {"b": 0.9, "c": 0.2}, Fusion("reciprocal"))
    assert fused == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 62})


@given(SCORES, SCORES, st.floats(0.01, 1000), st.floats(-5, 5))
def test_the_measure_of_a_leg_does_not_matter(
    words: dict[int, float], dense: dict[int, float], factor: float, shift: float
) -> None:
    """Scores of one leg times a number, or with one added, give the same order; all items are there."""
    other = {item: score * factor + shift for item, score in dense.items()}
    before, after = fuse(words, dense, CONVEX), fuse(words, other, CONVEX)
    assert set(before) == set(after) == set(words) | set(dense)
    if words:
        assert after == pytest.approx(before, abs=1e-3)
