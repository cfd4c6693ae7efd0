"""The pool of daemon threads."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from drawwell.errors import LimitExceeded
from drawwell.server import workers
from drawwell.server.workers import WorkerPool


def test_results_and_failures_come_back() -> None:
    """What a function returns or raises reaches the caller; even the end of a thread does."""

    async def main() -> None:
        pool = WorkerPool(2)
        assert await pool.run(lambda: 5) == 5
        with pytest.raises(KeyError):
            await pool.run(lambda: {}["x"])
        with pytest.raises(RuntimeError, match="SystemExit"):
            await pool.run(lambda: exit(3))
        assert await pool.run(lambda: 6) == 6

    asyncio.run(main())


def test_threads_are_bounded_reused_and_daemons() -> None:
    """A pool makes no more threads than its size, uses one where one is enough, and none holds up the process."""

    async def main() -> tuple[set[str], set[str]]:
        pool = WorkerPool(3)
        one = set()
        for _ in range(5):
            one.add(await pool.run(lambda: threading.current_thread().name))
            await asyncio.sleep(0.01)  # let the thread go back to waiting

        def name() -> str:
            time.sleep(0.02)
            assert threading.current_thread().daemon
            return threading.current_thread().name

        many = set(await asyncio.gather(*(pool.run(name) for _ in range(12))))
        return one, many

    one, many = asyncio.run(main())
    assert len(one) == 1
    assert len(many) == 3


def test_cancelled_calls_are_dropped() -> None:
    """A call that is cancelled before its turn is never run; one that is running is let go of."""
    ran: list[str] = []
    hold = threading.Event()

    async def main() -> None:
        pool = WorkerPool(1)
        first = asyncio.create_task(pool.run(lambda: (ran.append("first"), hold.wait(5))))
        await asyncio.sleep(0.05)
        second = asyncio.create_task(pool.run(lambda: ran.append("second")))
        await asyncio.sleep(0.05)
        first.cancel()
        second.cancel()
        for task in (first, second):
            with pytest.raises(asyncio.CancelledError):
                await task
        hold.set()
        await pool.run(lambda: ran.append("third"))

    asyncio.run(main())
    assert ran == ["first", "third"]


def test_idle_threads_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that has had nothing to do for a while ends, and is made again when there is work."""
    monkeypatch.setattr(workers, "_IDLE_SECONDS", 0.05)

    async def main() -> None:
        pool = WorkerPool(1)
        thread = await pool.run(threading.current_thread)
        await asyncio.sleep(0.3)
        assert not thread.is_alive()
        assert await pool.run(lambda: 1) == 1

    asyncio.run(main())


def test_too_many_waiting_calls_are_refused() -> None:
    """The queue is bounded: beyond it a call is refused at once."""
    hold = threading.Event()

    async def main() -> None:
        pool = WorkerPool(1)
        tasks = [asyncio.create_task(pool.run(lambda: hold.wait(5)))]
        await asyncio.sleep(0.1)
        tasks += [asyncio.create_task(pool.run(lambda: hold.wait(5))) for _ in range(512)]
        await asyncio.sleep(0.05)
        with pytest.raises(LimitExceeded, match="512 calls are waiting"):
            await pool.run(lambda: None)
        hold.set()
        await asyncio.gather(*tasks)

    asyncio.run(main())
