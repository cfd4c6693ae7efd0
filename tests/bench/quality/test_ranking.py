"""Rankings measured for several systems, by document and by session, against values worked out by hand."""

from __future__ import annotations

from math import log2
from pathlib import Path

import pytest

from drawwell.bench.collections import Collection, Question, load_collection
from drawwell.bench.quality.ranking import RankedReport, measure_rankings

COLLECTIONS = Path(__file__).parent.parent / "collections"


class Fixed:
    """A system whose answers are given."""

    def __init__(self, name: str, answers: dict[str, list[str]]) -> None:
        self.name = name
        self.answers = answers
        self.calls: list[tuple[str, int]] = []

    def call(self, question: Question, count: int) -> list[str]:
        self.calls.append((question.id, count))
        return self.answers.get(question.id, [])[:count]

    def retrieve(self, question: Question, count: int) -> list[str]:
        return self.answers.get(question.id, [])[:count]


def measured(collection: Collection, *systems: Fixed) -> list[RankedReport]:
    """The reports on a collection; what is said names collection and system."""
    said: list[str] = []
    reports = measure_rankings(collection, systems, said.append)
    assert said == [f"{collection.name}: {system.name}" for system in systems]
    return reports


def test_means_floor_and_kinds() -> None:
    """Questions without an answer are left out and counted; the better FTS5 is the floor; kinds have means too."""
    weak = Fixed("FTS5 a", {})
    floor = Fixed("FTS5 b", {"q1": ["lettuce", "slugs"], "q2": ["roses"]})
    best = Fixed("ours", {"q1": ["slugs", "lettuce"], "q2": ["frost", "roses"], "q4": ["tool"]})
    (report,) = measured(load_collection(COLLECTIONS / "garden"), weak, floor, best)
    assert (report.unit, report.n, report.without_answer, report.unknown, report.floor) == (
        "documents", 3, 1, 1, "FTS5 b",
    )  # fmt: skip
    rows = {row.system: row for row in report.rows}
    swapped = (1 + 3 / log2(3)) / (3 + 1 / log2(3))
    assert rows["FTS5 a"].ndcg10 == 0
    assert rows["FTS5 b"].ndcg10 == pytest.approx((swapped + 1 + 0) / 3)
    assert rows["FTS5 b"].difference is None
    ours = rows["ours"]
    assert ours.ndcg10 == pytest.approx((1 + 1 / log2(3) + 1) / 3)
    assert ours.mrr10 == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert (ours.recall5, ours.recall10, ours.recall20, ours.complete10) == (1, 1, 1, 1)
    assert ours.difference is not None
    assert ours.difference.mean == pytest.approx(ours.ndcg10 - rows["FTS5 b"].ndcg10)
    assert ours.difference.low <= ours.difference.mean <= ours.difference.high
    assert ours.kinds["conceptual"].n == 1
    assert ours.kinds["look-up"].ndcg10 == pytest.approx((1 / log2(3) + 1) / 2)
    assert rows["FTS5 b"].kinds["look-up"].recall5 == 0.5
    assert 0 < ours.p50_ms <= ours.p95_ms


def test_what_is_timed_is_one_call_for_ten() -> None:
    """Each question is timed once with ten results, after one call that opens files."""
    system = Fixed("FTS5", {})
    measured(load_collection(COLLECTIONS / "garden"), system)
    assert system.calls == [("q1", 10), ("q1", 10), ("q2", 10), ("q4", 10)]


def test_the_best_turn_of_a_session_decides() -> None:
    """A session is where its best turn is, also when the turn that answers comes later."""
    collection = load_collection(COLLECTIONS / "talks")
    turns, sessions = measured(collection, Fixed("FTS5", {"t1": ["a2", "a3", "a1"], "t2": ["b1"]}))
    assert (turns.unit, sessions.unit) == ("turns", "sessions")
    assert turns.rows[0].mrr10 == pytest.approx((1 / 3 + 1) / 2)
    assert sessions.rows[0].mrr10 == 1
    (_, sessions) = measured(collection, Fixed("FTS5", {"t1": ["a3", "a2"], "t2": []}))
    assert sessions.rows[0].mrr10 == pytest.approx(1 / 2 / 2)
