"""Retries, deadlines and caps, without any vendor."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawwell.errors import ConfigurationError, DependencyError
from drawwell.providers import calls as calls_module
from drawwell.providers.calls import Calls, retry_after
from drawwell.providers.connections import client_options, http_errors
from drawwell.providers.failures import Kind, Subject, TooLong, explain, of_status
from drawwell.providers.options import ProviderOptions
from tests.providers.servers.base import Fault, running
from tests.providers.servers.ollama import Ollama

SUBJECT = Subject("some:model", "http://127.0.0.1:1", "SOME_KEY")
ERRORS = http_errors(httpx2)


def make_calls(**given: object) -> Calls:
    """Calls with short waits."""
    quick = {"retry_seconds": 0.001, "timeout_seconds": 5.0, **given}
    return Calls(SUBJECT, ERRORS, ProviderOptions(**quick))  # type: ignore[arg-type]


def failing(*errors: Exception) -> Callable[[], int]:
    """A request that fails so and so, and then answers how often it was sent."""
    left = list(errors)

    def request() -> int:
        if left:
            raise left.pop(0)
        return len(errors) + 1

    return request


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "7", "retry-after-ms": "1500"}, 1.5),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 -0000"}, 0),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after-ms": "x", "retry-after": "2"}, 2),
    ],
)
def test_retry_after_is_read(headers: dict[str, str], seconds: float | None) -> None:
    """Seconds, milliseconds and dates; what is none of them is as if it were not there."""
    assert retry_after(headers) == seconds


def test_retry_after_as_a_date_to_come() -> None:
    """A date is turned into the seconds until then."""
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    told = retry_after({"retry-after": then})
    assert told is not None
    assert 90 < told <= 100


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_header_is_read_without_a_fault(seconds: str, milliseconds: str) -> None:
    """Whatever a service sends, waiting is for no negative and no infinite time."""
    told = retry_after({"retry-after": seconds, "retry-after-ms": milliseconds})
    assert told is None or 0 <= told < float("inf")


def test_waits_double_and_are_random(monkeypatch: pytest.MonkeyPatch) -> None:
    """Full jitter: each wait is drawn between nothing and a bound that doubles, up to a minute."""
    bounds: list[tuple[float, float]] = []

    class Recorder:
        def uniform(self, low: float, high: float) -> float:
            bounds.append((low, high))
            return 0.0

    monkeypatch.setattr(calls_module, "_RANDOM", Recorder())
    calls = make_calls(attempts=9, retry_seconds=1.0)
    assert calls.run(failing(*[httpx2.ReadTimeout("x")] * 8)) == 9
    assert bounds == [(0, high) for high in (1, 2, 4, 8, 16, 32, 60, 60)]


@pytest.mark.parametrize(
    ("error", "raised", "words"),
    [
        (httpx2.ConnectTimeout("x"), DependencyError, "no answer from http://127.0.0.1:1 in time"),
        (httpx2.RemoteProtocolError("x"), DependencyError, "connection to http://127.0.0.1:1 failed"),
        (httpx2.UnsupportedProtocol("x"), ConfigurationError, "no address that can be asked"),
        (httpx2.LocalProtocolError("Illegal header value b'Bearer secret'"), ConfigurationError, "no address"),
        (ConnectionRefusedError(), DependencyError, "nothing answers"),
        (KeyError("data"), DependencyError, "not understood"),
        (ConfigurationError("ours"), ConfigurationError, "^ours$"),
    ],
)
def test_exceptions_are_told_apart(error: Exception, raised: type[Exception], words: str) -> None:
    """By type: what may pass, what is down, what is set wrongly. An error of ours stays as it is."""
    with pytest.raises(raised, match=words):
        make_calls(attempts=1).run(failing(error))


def test_a_fault_of_the_program_is_not_hidden() -> None:
    """An exception that no SDK raises for a failure goes up as it is, and is not tried again."""
    with pytest.raises(ZeroDivisionError):
        make_calls().run(failing(ZeroDivisionError()))


def test_an_error_has_no_history() -> None:
    """The SDK's exception, which may quote the key or the text, is not shown under ours."""
    with pytest.raises(DependencyError) as caught:
        make_calls(attempts=1).run(failing(ValueError("Bearer secret")))
    assert caught.value.__cause__ is caught.value.__context__ is None

    def request() -> int:
        try:
            return int("Bearer secret")
        except ValueError:
            raise DependencyError("ours") from None

    with pytest.raises(DependencyError) as caught:
        make_calls().run(request)
    assert caught.value.__cause__ is caught.value.__context__ is None


@pytest.mark.parametrize(
    ("status", "said", "kind"),
    [
        (408, "", Kind.PASSING),
        (409, "", Kind.PASSING),
        (425, "", Kind.PASSING),
        (429, "", Kind.PASSING),
        (500, "", Kind.PASSING),
        (507, "", Kind.PASSING),
        (529, "", Kind.PASSING),
        (501, "", Kind.BROKEN),
        (505, "", Kind.BROKEN),
        (400, "", Kind.SETTING),
        (402, "", Kind.SETTING),
        (405, "", Kind.SETTING),
        (307, "", Kind.SETTING),
        (413, "", Kind.TOO_LONG),
        (400, "the input length exceeds the context length", Kind.TOO_LONG),
        (500, "input is too large to process. increase the physical batch size", Kind.TOO_LONG),
        (400, "Your credit balance is too low to access the API", Kind.SETTING),
        (429, "code insufficient_quota", Kind.SETTING),
        (500, "model requires more system memory (8 GiB) than is available", Kind.SETTING),
        (501, "this model does not support embeddings", Kind.SETTING),
    ],
)
def test_statuses_are_told_apart(status: int, said: str, kind: Kind) -> None:
    """By status, and where vendors share one by what they say; each failure says what to do next."""
    failure = of_status(status, said, SUBJECT)
    assert failure.kind is kind
    assert failure.advice
    assert isinstance(failure.error(SUBJECT), ConfigurationError) == (kind in (Kind.SETTING, Kind.TOO_LONG))
    assert isinstance(failure.error(SUBJECT), TooLong) == (kind is Kind.TOO_LONG)


def test_every_exception_of_the_http_libraries_is_mapped() -> None:
    """No exception that httpx or httpx2 can raise goes unexplained."""
    import httpx

    for library in (httpx, httpx2):
        for name in dir(library):
            found = getattr(library, name)
            if isinstance(found, type) and issubclass(found, library.HTTPError):
                error = found.__new__(found)
                assert explain(error, http_errors(library), SUBJECT) is not None, name


def test_no_more_at_one_time_than_allowed() -> None:
    """The cap counts requests of all threads, and all jobs are done in order."""
    service = Ollama()
    with running(service) as url:
        options = ProviderOptions(max_concurrent=3, timeout_seconds=20)
        client = httpx2.Client(base_url=url, **client_options(httpx2, options))
        calls = Calls(SUBJECT, ERRORS, options)
        service.faults.extend([Fault(seconds=0.05, status=404)] * 12)

        def job(number: int) -> int:
            return calls.run(lambda: (client.post("/api/embed", json={}).status_code, number)[1])

        assert calls.each([lambda number=number: job(number) for number in range(12)]) == list(range(12))
        assert service.most_at_once == 3
        client.close()


def test_the_first_failure_ends_a_crowd() -> None:
    """No further job is begun once one has failed, and its error is the one that is raised."""
    begun: list[int] = []

    def job(number: int) -> int:
        begun.append(number)
        if number == 1:
            raise DependencyError("the second")
        return number

    with pytest.raises(DependencyError, match="the second"):
        make_calls(max_concurrent=2).each([lambda number=number: job(number) for number in range(1000)])
    assert len(begun) < 1000


def test_closing_ends_a_wait() -> None:
    """A call that waits before its next attempt ends when the provider is closed."""
    calls = make_calls(retry_seconds=60.0, timeout_seconds=600.0)
    waiting = threading.Event()

    def request() -> int:
        waiting.set()
        raise httpx2.ReadTimeout("x")

    closer = threading.Thread(target=lambda: (waiting.wait(), calls.close()))
    closer.start()
    with pytest.raises(DependencyError, match=r"closed|tried"):
        calls.run(request)
    closer.join()


def test_a_busy_provider_is_not_waited_for_beyond_the_deadline() -> None:
    """When all connections are in use, a call with a deadline says so."""
    calls = make_calls(max_concurrent=1, timeout_seconds=60.0)
    release = threading.Event()
    begun = threading.Event()

    def hold() -> bool:
        begun.set()
        return release.wait()

    holder = threading.Thread(target=lambda: calls.run(hold))
    holder.start()
    begun.wait()
    with pytest.raises(DependencyError, match="all 1 connections were in use"):
        calls.run(lambda: 1, 0.05)
    release.set()
    holder.join()


def test_no_time_left_sends_nothing() -> None:
    """A deadline that has passed fails before anything is sent."""
    sent: list[int] = []
    with pytest.raises(DependencyError, match="within 0 s"):
        make_calls().run(lambda: sent.append(1), 0)
    assert sent == []
