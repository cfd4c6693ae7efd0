"""A small pool of daemon threads that runs plain functions for an event loop.

Threads are made when they are needed, up to the bound, end when they are not, and never hold up the process. A
caller that is cancelled while its call waits takes it back; one that is cancelled while it runs lets go of the result.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from drawwell.errors import LimitExceeded

__all__ = ["WorkerPool"]

T = TypeVar("T")

_MAX_WAITING = 512
_IDLE_SECONDS = 60.0


@dataclass(slots=True)
class _Job:
    function: Callable[[], Any]
    future: asyncio.Future[Any]
    loop: asyncio.AbstractEventLoop


class WorkerPool:
    """Runs functions in threads.

    Args:
        size: most threads at once.
    """

    def __init__(self, size: int = 8) -> None:
        self._size = size
        self._threads = 0
        self._idle = 0
        self._waiting: deque[_Job] = deque()
        self._changed = threading.Condition()

    async def run(self, function: Callable[[], T]) -> T:
        """Run a function in a thread and wait for what it returns or raises.

        Raises:
            LimitExceeded: too many calls are waiting.
        """
        loop = asyncio.get_running_loop()
        job = _Job(function, loop.create_future(), loop)
        with self._changed:
            if len(self._waiting) >= _MAX_WAITING:
                raise LimitExceeded(f"{_MAX_WAITING} calls are waiting already", "Try again when some are answered")
            self._waiting.append(job)
            if len(self._waiting) > self._idle and self._threads < self._size:
                self._threads += 1
                threading.Thread(target=self._work, name=f"drawwell-{self._threads}", daemon=True).start()
            self._changed.notify()
        result: T = await job.future
        return result

    def _work(self) -> None:
        while (job := self._next()) is not None:
            if not job.future.cancelled():
                _run(job)
            del job

    def _next(self) -> _Job | None:
        """The next call; None when there was none for a while, and the thread may go."""
        with self._changed:
            self._idle += 1
            self._changed.wait_for(lambda: self._waiting, _IDLE_SECONDS)
            self._idle -= 1
            if not self._waiting:
                self._threads -= 1
                return None
            return self._waiting.popleft()


def _run(job: _Job) -> None:
    result, failure = None, None
    try:
        result = job.function()
    except BaseException as error:  # noqa: BLE001 - handed over to the caller whole
        failure = error
    with contextlib.suppress(RuntimeError):  # the loop has ended
        job.loop.call_soon_threadsafe(_settle, job.future, result, failure)


def _settle(future: asyncio.Future[Any], result: Any, failure: BaseException | None) -> None:
    if future.cancelled():
        return
    if failure is None:
        future.set_result(result)
    elif isinstance(failure, Exception) and not isinstance(failure, StopIteration):
        future.set_exception(failure)
    else:
        future.set_exception(RuntimeError(f"a worker was ended by {failure!r}"))
