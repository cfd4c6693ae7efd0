"""Contenders take turns at the same work, so that whatever else the machine does meets all of them alike."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from drawwell.errors import DependencyError

__all__ = ["Contender", "Measured", "Row", "Unavailable", "Where", "clocked", "percentile", "race"]

Item = TypeVar("Item")


class Unavailable(DependencyError):
    """A contender cannot do this work here: it is not installed, or it refuses. Its row says why."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One piece of work, measured.

    Attributes:
        ms: wall-clock time in milliseconds.
        cpu_s: processor time of a whole process and its children, in seconds; None when not known.
        memory_mb: memory in units of 10^6 bytes: the peak of the largest process of a whole run, or what an idle server
            holds; None when not known.
        disk_mb: size of what was written, in units of 10^6 bytes; None when nothing was.
        recall: share of the nearest vectors that were found, 0 to 1; None when no vectors were looked for.
    """

    ms: float
    cpu_s: float | None = None
    memory_mb: float | None = None
    disk_mb: float | None = None
    recall: float | None = None


@dataclass(frozen=True, slots=True)
class Contender(Generic[Item]):
    """A tool that can do the work.

    Attributes:
        tool: its name in the report.
        work: does one item of the work and measures it; raises Unavailable.
        missing: why it cannot even begin; empty when it can.
        vector_bytes: memory that it takes for one vector; None when it keeps none, or nobody knows.
    """

    tool: str
    work: Callable[[Item], Measured]
    missing: str = ""
    vector_bytes: float | None = None


@dataclass(frozen=True, slots=True)
class Where:
    """What a race is about.

    Attributes:
        group: kind of work, one of ``GROUPS``.
        work: what is done.
        sections: size of the corpus on which; of vectors their number.
    """

    group: str
    work: str
    sections: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one tool needed for one kind of work. Figures are medians unless they say otherwise; None is not measured.

    Attributes:
        group: kind of work, one of ``GROUPS``.
        work: what was done.
        tool: who did it.
        sections: size of the corpus on which it was done, as drawwell cuts it; of vectors their number.
        runs: how often.
        p50_ms: median time in milliseconds.
        p95_ms: the time that 95 of 100 runs stay within (nearest rank, so the longest of fewer than 20).
        cpu_s: processor time in seconds, of a whole process and its children.
        memory_mb: peak of the largest process, or what an idle server holds; 10^6 bytes.
        disk_mb: size of the store, 10^6 bytes.
        recall: share of the ten nearest vectors that were found, 0 to 1, on average.
        vector_bytes: memory for one vector.
        missing: why there are no figures; empty when there are.
    """

    group: str
    work: str
    tool: str
    sections: int
    runs: int = 0
    p50_ms: float | None = None
    p95_ms: float | None = None
    cpu_s: float | None = None
    memory_mb: float | None = None
    disk_mb: float | None = None
    recall: float | None = None
    vector_bytes: float | None = None
    missing: str = ""


@dataclass(slots=True)
class _Lane(Generic[Item]):
    contender: Contender[Item]
    missing: str
    found: list[Measured] = field(default_factory=list)

    def go(self, item: Item, *, counts: bool) -> None:
        if self.missing:
            return
        try:
            measured = self.contender.work(item)
        except Unavailable as error:
            self.missing = str(error)
            return
        if counts:
            self.found.append(measured)


def race(
    where: Where, contenders: Sequence[Contender[Item]], items: Iterable[Item], *, warm: bool = False
) -> list[Row]:
    """Let every contender do every item, in turns that begin with another contender each time.

    Args:
        where: what it is about.
        contenders: who takes part.
        items: the pieces of work.
        warm: whether each contender does the first item once before anything counts (it opens files).

    Returns:
        One row for each contender, in their order.
    """
    lanes = [_Lane(contender, contender.missing) for contender in contenders]
    for number, item in enumerate(items):
        if warm and number == 0:
            for lane in lanes:
                lane.go(item, counts=False)
        first = number % len(lanes)
        for lane in (*lanes[first:], *lanes[:first]):
            lane.go(item, counts=True)
    return [_row(where, lane) for lane in lanes]


def _row(where: Where, lane: _Lane[Item]) -> Row:
    tool, found = lane.contender.tool, lane.found
    if lane.missing or not found:
        reason = lane.missing or "there was nothing to measure with"
        return Row(group=where.group, work=where.work, tool=tool, sections=where.sections, missing=reason)
    times = [one.ms for one in found]
    return Row(
        group=where.group,
        work=where.work,
        tool=tool,
        sections=where.sections,
        runs=len(found),
        p50_ms=round(statistics.median(times), 4),
        p95_ms=round(percentile(times, 95), 4),
        cpu_s=_middle([one.cpu_s for one in found]),
        memory_mb=_middle([one.memory_mb for one in found]),
        disk_mb=_middle([one.disk_mb for one in found]),
        recall=_average([one.recall for one in found]),
        vector_bytes=lane.contender.vector_bytes,
    )


def _middle(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(statistics.median(known), 3) if known else None


def _average(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(statistics.fmean(known), 4) if known else None


def percentile(values: Sequence[float], share: int) -> float:
    """The value that ``share`` of 100 values stay within, by nearest rank; of at least one value."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share / 100) - 1)]


def clocked(call: Callable[[], object]) -> Measured:
    """A call in this process, measured by the clock."""
    start = time.perf_counter()
    call()
    return Measured((time.perf_counter() - start) * 1000)
