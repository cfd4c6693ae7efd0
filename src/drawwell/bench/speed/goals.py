"""What is aimed at, and how far it is reached: ratios to others in the same run, since times alone say little."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from drawwell.bench.speed.bare import BARE_TOOL
from drawwell.bench.speed.grepping import ALL_PATTERNS, LESS_START
from drawwell.bench.speed.ingesting import DRAWWELL_TOOL, STORE_ONLY_TOOL
from drawwell.bench.speed.questions import KINDS
from drawwell.bench.speed.race import Row
from drawwell.bench.speed.serving import BARE_SERVER_TOOL
from drawwell.bench.speed.vectors import FLOAT_TOOL, NEAREST

__all__ = ["Goal", "judge"]

Found = Iterator[tuple[str, float, bool, float | None]]
"""What is aimed at, its bound, whether that is the least, and what was measured."""


@dataclass(frozen=True, slots=True)
class Goal:
    """Something aimed at.

    Attributes:
        what: in words, with its unit.
        bound: the number that decides.
        at_least: whether the figure should be ``bound`` or more; otherwise ``bound`` or less.
        figure: what was measured, on the largest corpus; None when it was not.
        sections: size of that corpus.
        reached: whether it is; None when it was not measured.
    """

    what: str
    bound: float
    at_least: bool
    figure: float | None
    sections: int
    reached: bool | None


def judge(rows: Sequence[Row]) -> list[Goal]:
    """The goals that these rows are about."""
    checks: dict[str, Callable[[_Table], Found]] = {
        "ingest": _ingest,
        "search": _search,
        "grep": _grep,
        "serve": _serve,
        "vectors": _vectors,
    }
    goals = []
    for group, check in checks.items():
        table = _Table([row for row in rows if row.group == group])
        for what, bound, at_least, figure in check(table) if table.rows else ():
            reached = None if figure is None else (figure >= bound if at_least else figure <= bound)
            goals.append(Goal(what, bound, at_least, _rounded(figure), table.sections, reached))
    return goals


class _Table:
    """The rows of one kind of work, by what they are about."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self.sections = max((row.sections for row in rows), default=0)

    def p50(self, work: str, tool: str) -> float | None:
        """Median of a tool, named by how its name begins, on the largest corpus."""
        return self._one(work, tool, lambda row: row.p50_ms)

    def p95(self, work: str, tool: str) -> float | None:
        return self._one(work, tool, lambda row: row.p95_ms)

    def memory(self, work: str, tool: str) -> float | None:
        return self._one(work, tool, lambda row: row.memory_mb)

    def recall(self, work: str, tool: str) -> float | None:
        return self._one(work, tool, lambda row: row.recall)

    def vector_bytes(self, work: str, tool: str) -> float | None:
        return self._one(work, tool, lambda row: row.vector_bytes)

    def _one(self, work: str, tool: str, value: Callable[[Row], float | None]) -> float | None:
        exact = tool in (DRAWWELL_TOOL, STORE_ONLY_TOOL)
        for row in self.rows:
            named = row.tool == tool if exact else row.tool.startswith(tool)
            if (row.work, row.sections) == (work, self.sections) and named:
                return value(row)
        return None

    def growth(self, work: str) -> float | None:
        """The power of the number of sections with which drawwell's median grows, from smallest to largest corpus."""
        points = sorted(
            (row.sections, row.p50_ms)
            for row in self.rows
            if (row.work, row.tool) == (work, DRAWWELL_TOOL) and row.p50_ms
        )
        if len(points) < 2 or points[0][0] == points[-1][0]:
            return None
        (small, fast), (large, slow) = points[0], points[-1]
        return math.log(slow / fast) / math.log(large / small)

    def pattern_ratios(self, *, less_start: bool) -> list[float]:
        """For each pattern, how many times as long as drawwell ripgrep needs."""
        found = []
        for row in self.rows:
            ripgrep = row.tool.startswith("ripgrep") and row.tool.endswith(LESS_START) == less_start
            if row.work == ALL_PATTERNS or row.sections != self.sections or not ripgrep:
                continue
            ratio = _ratio(row.p50_ms, self.p50(row.work, DRAWWELL_TOOL))
            if ratio is not None:
                found.append(ratio)
        return found


def _ingest(table: _Table) -> Found:
    def faster(work: str, tool: str) -> float | None:
        return _ratio(table.p50(work, "contextpull"), table.p50(work, tool))

    yield "cold ingest, store only: times as fast as contextpull", 1.5, True, faster("cold", STORE_ONLY_TOOL)
    yield "cold ingest, every field: times as fast as contextpull", 1.0, True, faster("cold", DRAWWELL_TOOL)
    yield "unchanged: times as fast as contextpull", 1.0, True, faster("unchanged", DRAWWELL_TOOL)
    yield "cold ingest: power of sections", 1.1, False, table.growth("cold")
    yield "one file changed: power of sections", 0.5, False, table.growth("one file changed")


def _search(table: _Table) -> Found:
    kind = KINDS[0]
    ours = table.p50(kind, DRAWWELL_TOOL), table.p95(kind, DRAWWELL_TOOL)
    theirs = table.p50(kind, "contextpull"), table.p95(kind, "contextpull")
    yield "questions, p50: times as fast as contextpull", 100.0, True, _ratio(theirs[0], ours[0])
    yield "questions, p95: times as fast as contextpull", 100.0, True, _ratio(theirs[1], ours[1])
    yield "questions, p50: times bare Tantivy", 3.0, False, _ratio(ours[0], table.p50(kind, BARE_TOOL))
    yield "questions, p95: times bare Tantivy", 3.0, False, _ratio(ours[1], table.p95(kind, BARE_TOOL))
    yield "questions, p50: power of sections", 0.99, False, table.growth(kind)


def _grep(table: _Table) -> Found:
    whole, net = table.pattern_ratios(less_start=False), table.pattern_ratios(less_start=True)
    yield "patterns, median: times as fast as ripgrep", 5.0, True, statistics.median(whole) if whole else None
    net_median = statistics.median(net) if net else None
    yield "patterns, median: times as fast as ripgrep less its start", 5.0, True, net_median
    yield "slowest pattern: times as fast as ripgrep less its start", 1.0, True, min(net, default=None)
    yield "patterns, median: power of sections", 0.99, False, table.growth(ALL_PATTERNS)


def _serve(table: _Table) -> Found:
    work = table.rows[0].work

    def above(value: Callable[[str, str], float | None]) -> float | None:
        ours, bare = value(work, DRAWWELL_TOOL), value(work, BARE_SERVER_TOOL)
        return None if ours is None or bare is None else ours - bare

    yield "handshake: ms above a bare server", 150.0, False, above(table.p50)
    yield "idle memory: MB above a bare server", 60.0, False, above(table.memory)


def _vectors(table: _Table) -> Found:
    ours, theirs = table.p50(NEAREST, DRAWWELL_TOOL), table.p50(NEAREST, FLOAT_TOOL)
    late = table.p95(NEAREST, DRAWWELL_TOOL), table.p95(NEAREST, FLOAT_TOOL)
    smaller = _ratio(table.vector_bytes(NEAREST, FLOAT_TOOL), table.vector_bytes(NEAREST, DRAWWELL_TOOL))
    yield "vectors: recall of the 10 nearest", 0.98, True, table.recall(NEAREST, DRAWWELL_TOOL)
    yield "vectors, p50: times float32 NumPy", 1.0, False, _ratio(ours, theirs)
    yield "vectors, p95: times float32 NumPy", 1.0, False, _ratio(*late)
    yield "vectors in memory: times smaller than float32", 7.5, True, smaller


def _ratio(value: float | None, base: float | None) -> float | None:
    return value / base if value is not None and base else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")
