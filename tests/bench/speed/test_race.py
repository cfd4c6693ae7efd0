"""Contenders take turns and give rows."""

from __future__ import annotations

import pytest

from drawwell.bench.speed.race import Contender, Measured, Unavailable, Where, clocked, percentile, race

WHERE = Where("search", "two words", 7)


def test_contenders_take_turns_and_none_is_always_first() -> None:
    """Each item is done by all before the next one, beginning with another contender each time."""
    done: list[tuple[str, int]] = []

    def contender(name: str) -> Contender[int]:
        def work(item: int) -> Measured:
            done.append((name, item))
            return Measured(float(item))

        return Contender(name, work)

    rows = race(WHERE, [contender("a"), contender("b"), contender("c")], [1, 2, 3, 4])
    assert "".join(name for name, _ in done) == "abcbcacababc"
    assert [item for _, item in done] == [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]
    assert [row.tool for row in rows] == ["a", "b", "c"]


def test_a_row_has_medians_and_the_95th_percentile() -> None:
    """Times and figures are summed up over the runs that count; the warming one does not."""
    given = iter([Measured(999.0)] + [Measured(float(ms), cpu_s=ms / 10, memory_mb=5.0) for ms in range(1, 41)])
    (row,) = race(WHERE, [Contender("a", lambda _: next(given))], range(40), warm=True)
    assert (row.group, row.work, row.sections, row.runs) == ("search", "two words", 7, 40)
    assert (row.p50_ms, row.p95_ms, row.cpu_s, row.memory_mb, row.disk_mb) == (20.5, 38.0, 2.05, 5.0, None)
    assert row.missing == ""


def test_a_contender_that_cannot_is_a_row_that_says_why() -> None:
    """Whoever is missing, gives up midway or has nothing to do has a reason instead of figures; the others go on."""

    def gives_up(item: int) -> Measured:
        if item == 2:
            raise Unavailable("too expensive", "Ask for less")
        return Measured(1.0)

    field = [Contender("here", Measured), Contender("gives up", gives_up), Contender("gone", Measured, "not installed")]
    rows = race(WHERE, field, [1, 2, 3])
    assert [row.missing for row in rows] == ["", "too expensive. Ask for less", "not installed"]
    assert [row.runs for row in rows] == [3, 0, 0]
    assert [row.p50_ms for row in rows] == [2.0, None, None]
    assert "nothing to measure" in race(WHERE, field[:1], [])[0].missing


@pytest.mark.parametrize(("values", "wanted"), [([3.0], 3.0), ([2.0, 1.0], 2.0), (list(range(1, 101)), 95)])
def test_percentile_by_nearest_rank(values: list[float], wanted: float) -> None:
    """The value within which 95 of 100 stay; of few values the largest."""
    assert percentile(values, 95) == wanted


def test_a_call_is_clocked_once() -> None:
    """Measuring a call runs it once."""
    calls: list[int] = []
    assert clocked(lambda: calls.append(1)).ms > 0
    assert calls == [1]
