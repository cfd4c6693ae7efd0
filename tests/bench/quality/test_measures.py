"""Measures against values worked out by hand."""

from __future__ import annotations

from math import log2

import pytest

from drawwell.bench.quality.measures import Difference, paired_difference, percentile, score_rankings


def test_measures_are_those_worked_out_by_hand() -> None:
    """Gains are 2^grade - 1, what was not found counts in the ideal, and a question without an answer found is 0."""
    relevant = {"graded": {"a": 2, "b": 1}, "nothing": {"a": 1}, "late": {"a": 1, "b": 1}}
    rankings = {"graded": ["x", "a", "b"], "nothing": [], "late": [*"klmnopqrst", "a"]}
    scores = score_rankings(relevant, rankings, ["graded", "nothing", "late"])
    ideal = 3 + 1 / log2(3)
    assert scores.ndcg == pytest.approx(((3 / log2(3) + 1 / log2(4)) / ideal, 0, 0))
    assert scores.reciprocal == pytest.approx((1 / 2, 0, 0))
    assert scores.recall[5] == pytest.approx((1, 0, 0))
    assert scores.recall[20] == pytest.approx((1, 0, 1 / 2))
    assert scores.complete == (1, 0, 0)


def test_recall_at_each_cut_and_all_evidence() -> None:
    """With twelve relevant results, five, ten and twelve of them can be there; all are not among the first ten."""
    names = [f"d{number}" for number in range(12)]
    scores = score_rankings({"q": dict.fromkeys(names, 1)}, {"q": names}, ["q"])
    assert [scores.recall[cut][0] for cut in (5, 10, 20)] == pytest.approx([5 / 12, 10 / 12, 1])
    assert scores.complete == (0,)
    assert scores.ndcg == pytest.approx((1,))


def test_order_is_the_order_given() -> None:
    """Values come in the order of the questions, whatever order the judgements have, and ties go by place."""
    relevant = {"b": {"x": 1}, "a": {"x": 1}}
    scores = score_rankings(relevant, {"a": ["z", "y", "x"], "b": ["x", "y", "z"]}, ["a", "b"])
    assert scores.reciprocal == pytest.approx((1 / 3, 1))


def test_paired_difference() -> None:
    """The interval of a constant is that constant; of a half of ones it is the normal one; twice gives the same."""
    assert paired_difference([0.5] * 9, [0.25] * 9) == Difference(mean=0.25, low=0.25, high=0.25)
    found = paired_difference([1, 0] * 50, [0] * 100)
    assert found.mean == 0.5
    assert found.low == pytest.approx(0.5 - 1.96 * 0.05, abs=0.015)
    assert found.high == pytest.approx(0.5 + 1.96 * 0.05, abs=0.015)
    assert found == paired_difference([1, 0] * 50, [0] * 100)
    assert paired_difference([0, 0], [1, 0]).mean == -0.5


def test_percentile() -> None:
    """Between two values it is interpolated; without values it is 0."""
    assert percentile([1.0, 2.0], 50) == 1.5
    assert percentile([], 95) == 0
