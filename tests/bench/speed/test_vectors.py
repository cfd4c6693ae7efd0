"""Nearest vectors, measured: few of them, and what is told of each contender."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from drawwell.bench.speed.goals import judge
from drawwell.bench.speed.race import Row
from drawwell.bench.speed.vectors import FLOAT_TOOL, NEAREST, NEAREST_OF_SOME, vector_rows


def by_tool(rows: list[Row], work: str) -> dict[str, Row]:
    return {row.tool: row for row in rows if row.work == work}


def test_ours_beside_all_vectors_at_full_length(tmp_path: Path) -> None:
    """Among all, and among some documents: both find the nearest, and ours takes less memory for a vector."""
    rows = vector_rows(tmp_path, 2000, 5, peers=False)
    for work in (NEAREST, NEAREST_OF_SOME):
        tools = by_tool(rows, work)
        assert set(tools) == {"drawwell", FLOAT_TOOL}
        ours, floats = tools["drawwell"], tools[FLOAT_TOOL]
        assert floats.recall == 1
        assert ours.recall is not None
        assert ours.recall >= 0.98
        assert (ours.runs, ours.sections, floats.vector_bytes) == (5, 2000, 4 * 384)
        assert ours.vector_bytes is not None
        assert 4 * 384 / 8 < ours.vector_bytes < 4 * 384 / 7.5


def test_peers_that_are_not_installed_are_rows_that_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what to install."""
    monkeypatch.setattr("drawwell.bench.speed.vectors.find_spec", lambda name: None)
    tools = by_tool(vector_rows(tmp_path, 200, 1, peers=True), NEAREST)
    missing = {tool: row.missing for tool, row in tools.items() if row.missing}
    assert {text.split(": ")[1] for text in missing.values()} == {"pip install faiss-cpu", "pip install usearch"}
    assert len(missing) == 3


class StandIn:
    """What FAISS and usearch are asked, by all vectors."""

    def __init__(self, **told: Any) -> None:
        self.told = told
        self.memory_usage = 0
        self.k_factor = 1.0

    def train(self, vectors: Any) -> None:
        self.trained = len(vectors)

    def add(self, *given: Any) -> None:
        self.vectors = given[-1]
        self.memory_usage = self.vectors.nbytes

    def sa_code_size(self) -> int:
        return 7

    def search(self, queries: Any, count: int) -> Any:
        rows = np.argsort(-(np.atleast_2d(queries) @ self.vectors.T), axis=1)[:, :count]
        return SimpleNamespace(keys=rows[0]) if queries.ndim == 1 else (None, rows)


def test_peers_that_are_installed_take_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are asked for the same neighbours."""
    faiss, usearch = ModuleType("faiss"), ModuleType("usearch.index")
    faiss.index_factory = lambda size, form, metric: StandIn(form=form)  # type: ignore[attr-defined]
    faiss.METRIC_INNER_PRODUCT = 0  # type: ignore[attr-defined]
    usearch.Index = StandIn  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "faiss", faiss)
    monkeypatch.setitem(sys.modules, "usearch.index", usearch)
    monkeypatch.setattr("drawwell.bench.speed.vectors.find_spec", lambda name: True)
    tools = by_tool(vector_rows(tmp_path, 200, 2, peers=True), NEAREST)
    assert [row.recall for row in tools.values()] == [1.0] * 5
    assert [row.missing for row in tools.values()] == [""] * 5
    assert tools["FAISS, float32"].vector_bytes == 7
    assert tools["usearch, graph of float16"].vector_bytes == 4 * 384


def test_goals_are_judged_by_the_rows_among_all() -> None:
    """Recall, both times against full vectors, and memory."""
    shape = {"group": "vectors", "sections": 100, "runs": 9}
    rows = [
        Row(**shape, work=NEAREST, tool="drawwell", p50_ms=5.0, p95_ms=9.0, recall=0.99, vector_bytes=200.0),  # type: ignore[arg-type]
        Row(**shape, work=NEAREST, tool=FLOAT_TOOL, p50_ms=10.0, p95_ms=8.0, recall=1.0, vector_bytes=1536.0),  # type: ignore[arg-type]
        Row(**shape, work=NEAREST_OF_SOME, tool="drawwell", p50_ms=99.0, p95_ms=99.0, recall=0.1, vector_bytes=9.0),  # type: ignore[arg-type]
    ]
    assert [(goal.figure, goal.reached) for goal in judge(rows)] == [
        (0.99, True),
        (0.5, True),
        (1.125, False),
        (7.68, True),
    ]
