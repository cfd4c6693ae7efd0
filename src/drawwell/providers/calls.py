"""Calls to a provider: retries, deadlines and how many at one time, in one place for all of them.

Each request runs in a thread of its own, which is waited for no longer than the request and the whole call may take:
the time limits of HTTP libraries count from one byte to the next, so that a body which trickles would never end. A
request that is given up has its connection cut, which also ends the thread.
"""

from __future__ import annotations

import contextlib
import math
import random
import socket
import threading
import time
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Generic, Protocol, TypeVar
from urllib.parse import urlsplit

from drawwell.errors import DependencyError, Error
from drawwell.providers.failures import ErrorTypes, Failure, Kind, Subject, chain, explain
from drawwell.providers.options import ProviderOptions

__all__ = ["Calls", "Redirected", "limit_request", "note_response", "retry_after"]

T = TypeVar("T")

LONGEST_WAIT = 60.0
"""Seconds between two attempts, when the service does not say."""
_SLICE = 1.0
"""Longest uninterrupted wait, so that Ctrl-C is heard on Windows too."""
_RANDOM = random.SystemRandom()
_CURRENT = threading.local()


class Redirected(Exception):
    """The service sends a request on. It is never followed: key and text would go where nobody meant them to."""


class _Request(Protocol):
    extensions: MutableMapping[str, Any]


class _Response(Protocol):
    status_code: int
    extensions: MutableMapping[str, Any]

    @property
    def headers(self) -> Mapping[str, str]: ...


def limit_request(request: _Request) -> None:
    """Hook of an HTTP client: no step of a request may take longer than the request."""
    attempt = getattr(_CURRENT, "attempt", None)
    if attempt is not None:
        request.extensions["timeout"] = dict.fromkeys(("connect", "read", "write", "pool"), attempt.seconds)


def note_response(response: _Response) -> None:
    """Hook of an HTTP client: remember what an answer says about waiting, and its connection.

    Raises:
        Redirected: the answer sends to another address.
    """
    attempt = getattr(_CURRENT, "attempt", None)
    if attempt is not None:
        attempt.note(response)
        if 300 <= response.status_code < 400 and "location" in response.headers:
            raise Redirected(urlsplit(response.headers["location"]).hostname or "")


class _Attempt(Generic[T]):
    """One request in a thread of its own."""

    def __init__(self, request: Callable[[], T], seconds: float) -> None:
        self.seconds = seconds
        self.headers: Mapping[str, str] = {}
        self._request = request
        self._future: Future[T] = Future()
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._given_up = False

    def start(self, finished: Callable[[], object]) -> None:
        """Send it; ``finished`` is called when the connection is no longer in use."""
        threading.Thread(target=self._run, args=(finished,), name="drawwell-request", daemon=True).start()

    def _run(self, finished: Callable[[], object]) -> None:
        _CURRENT.attempt = self
        try:
            result = self._request()
        except BaseException as error:  # noqa: BLE001 - whoever waits raises it
            finished()
            self._future.set_exception(error)
        else:
            finished()
            self._future.set_result(result)

    def note(self, response: _Response) -> None:
        """Remember the answer's headers and its socket; cut it at once if nobody waits any more."""
        stream = response.extensions.get("network_stream")
        with self._lock:
            self.headers = response.headers
            self._socket = stream.get_extra_info("socket") if stream is not None else None
            given_up = self._given_up
        if given_up:
            self._cut()

    def result(self) -> T:
        """What came of it.

        Raises:
            TimeoutError: nothing within its seconds; its connection is cut.
            Exception: whatever the request raised.
        """
        end = time.monotonic() + self.seconds
        while True:
            left = end - time.monotonic()
            try:
                return self._future.result(max(0.0, min(left, _SLICE)))
            except FutureTimeout:
                if self._future.done():
                    return self._future.result()
                if left <= _SLICE:
                    self.give_up()
                    raise
            except BaseException:
                self.give_up()
                raise

    def give_up(self) -> None:
        """Nobody waits for it any more."""
        with self._lock:
            self._given_up = True
        self._cut()

    def _cut(self) -> None:
        if self._socket is not None and not self._future.done():
            with contextlib.suppress(OSError):  # TLS has a shutdown of its own, not made for two threads
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


@dataclass(frozen=True, slots=True)
class _Deadline:
    """When a whole call has to be over."""

    seconds: float
    end: float

    @classmethod
    def after(cls, seconds: float) -> _Deadline:
        """A deadline so many seconds from now."""
        return cls(seconds, time.monotonic() + seconds)

    @property
    def left(self) -> float:
        """Seconds until then; not below 0."""
        return max(0.0, self.end - time.monotonic())


class Calls:
    """Sends the requests of one provider. Safe to use from several threads.

    Args:
        subject: whom failures are about.
        types: the SDK's exceptions.
        options: timeout, attempts, first wait, and how many requests at one time.
    """

    def __init__(self, subject: Subject, types: ErrorTypes, options: ProviderOptions) -> None:
        self.subject = subject
        self._types = types
        self.timeout = options.timeout_seconds
        self._attempts = max(1, options.attempts)
        self._first_wait = options.retry_seconds
        self._width = max(1, options.max_concurrent)
        self._slots = threading.BoundedSemaphore(self._width)
        self._closed = threading.Event()

    def run(self, request: Callable[[], T], seconds: float | None = None) -> T:
        """The result of a request, sent again while that may help.

        Args:
            request: sends it once, by a client that has the hooks of this module.
            seconds: for everything, attempts and waits; None for ``attempts`` times the timeout of one request.

        Raises:
            ConfigurationError: somebody has to change something; ``TooLong`` when the text is too long.
            DependencyError: it went on failing, or time is up.
        """
        deadline = _Deadline.after(self.timeout * self._attempts if seconds is None else seconds)
        for number in range(1, self._attempts + 1):
            outcome = self._attempt(request, deadline)
            if not isinstance(outcome, _Failed):
                return outcome.value
            failure = outcome.failure
            if failure.kind is not Kind.PASSING:
                raise failure.error(self.subject)
            if number < self._attempts:
                self._wait(failure, outcome.wait, number, deadline)
        raise failure.error(self.subject, f" (tried {_times(self._attempts)})")

    def each(self, jobs: Sequence[Callable[[], T]]) -> list[T]:
        """The results of jobs that call :meth:`run`, as many at one time as may be. The first error ends them all."""
        if len(jobs) < 2 or self._width == 1:
            return [job() for job in jobs]
        return _Crowd(jobs, min(self._width, len(jobs))).results()

    def close(self) -> None:
        """End waits between attempts, now and later."""
        self._closed.set()

    def _attempt(self, request: Callable[[], T], deadline: _Deadline) -> _Done[T] | _Failed:
        """Send a request once, when it may be sent."""
        while not self._slots.acquire(timeout=min(_SLICE, deadline.left)):
            if not deadline.left:
                busy = f"all {self._width} connections were in use for {deadline.seconds:g} s"
                raise DependencyError(f"{self.subject.name}: {busy}", "Try later, or allow more requests at one time")
        if not deadline.left:
            self._slots.release()
            raise self._late(deadline)
        attempt = _Attempt(request, min(self.timeout, deadline.left))
        attempt.start(self._slots.release)
        try:
            return _Done(attempt.result())
        except Exception as error:
            failure = self._explain(error)
            if failure is None:
                raise
            wait = None if failure.kind is not Kind.PASSING else retry_after(attempt.headers)
            if attempt.headers.get("x-should-retry") == "false" and failure.kind is Kind.PASSING:
                failure = Failure(Kind.BROKEN, failure.what, failure.advice, failure.status)
            return _Failed(failure, wait)

    def _explain(self, error: Exception) -> Failure | None:
        if isinstance(error, Error):
            error.__cause__ = error.__context__ = None  # may quote what was sent
            return None
        for cause in chain(error):
            if isinstance(cause, Redirected):
                return Failure(
                    Kind.SETTING,
                    f"{self.subject.address} sends requests on to another address, which is not followed",
                    "Give the address it sends to as base URL, if you trust it",
                )
        return explain(error, self._types, self.subject)

    def _wait(self, failure: Failure, told: float | None, number: int, deadline: _Deadline) -> None:
        """Wait before the next attempt: as told, or at random up to a bound that doubles each time (full jitter)."""
        if told is None:
            seconds = _RANDOM.uniform(0, min(LONGEST_WAIT, self._first_wait * 2 ** (number - 1)))
        else:
            seconds = told + _RANDOM.uniform(0, min(1.0, told / 10))
        if seconds >= deadline.left:
            if told is not None and told >= deadline.left:
                raise failure.error(self.subject, f" (it asks to wait {told:g} s, which is too long)")
            raise failure.error(self.subject, f" (tried {_times(number)} in {deadline.seconds:g} s)")
        if self._closed.wait(seconds):
            raise DependencyError(f"{self.subject.name}: closed while waiting to try again")

    def _late(self, deadline: _Deadline) -> DependencyError:
        what = f"no answer from {self.subject.address} within {deadline.seconds:g} s"
        return DependencyError(f"{self.subject.name}: {what}", "The service may be busy; try later")


@dataclass(frozen=True, slots=True)
class _Done(Generic[T]):
    value: T


@dataclass(frozen=True, slots=True)
class _Failed:
    failure: Failure
    wait: float | None


class _Crowd(Generic[T]):
    """Jobs done by a few daemon threads, results in the order of the jobs."""

    def __init__(self, jobs: Sequence[Callable[[], T]], width: int) -> None:
        self._jobs = jobs
        self._results: dict[int, T] = {}
        self._next = iter(range(len(jobs)))
        self._lock = threading.Lock()
        self._error: BaseException | None = None
        self._threads = [
            threading.Thread(target=self._work, name="drawwell-batches", daemon=True) for _ in range(width)
        ]

    def results(self) -> list[T]:
        """Do them all.

        Raises:
            BaseException: what a job raised; no further job is begun then.
        """
        for thread in self._threads:
            thread.start()
        try:
            for thread in self._threads:
                while thread.is_alive() and self._error is None:
                    thread.join(_SLICE / 20)
        finally:
            self._next = iter(())
        if self._error is not None:
            raise self._error
        return [self._results[number] for number in range(len(self._jobs))]

    def _work(self) -> None:
        while True:
            with self._lock:
                number = next(self._next, None)
            if number is None or self._error is not None:
                return
            try:
                self._results[number] = self._jobs[number]()
            except BaseException as error:  # noqa: BLE001 - whoever waits raises it
                self._error = self._error or error


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that an answer asks to wait: ``retry-after-ms``, or ``Retry-After`` in seconds or as a date.

    Source: RFC 9110, section 10.2.3.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "").strip()
    seconds = _number(value)
    if seconds is not None:
        return seconds
    try:
        then = parsedate_to_datetime(value)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    if then.tzinfo is None:
        then = then.replace(tzinfo=UTC)
    return max(0.0, (then - datetime.now(UTC)).total_seconds())


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
