"""What went wrong at a provider, told apart by type and status, and said in our own words.

Nothing that a service sent is ever quoted: its answer may repeat the key or the text that was sent. What it said is
only looked at, to tell one cause from another.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from drawwell.errors import ConfigurationError, DependencyError, Error

__all__ = ["ErrorTypes", "Failure", "Kind", "Subject", "TooLong", "chain", "explain", "of_status"]

_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
_NO_MONEY = ("insufficient_quota", "billing_hard_limit", "credit balance")
_LENGTH = (
    "context length",
    "context_length",
    "context size",
    "context_size",
    "context window",
    "maximum input length",
    "max_tokens_per_request",
    "maximum allowed batch size",
    "too many inputs",
    "max allowed tokens",
    "tokens per request",
    "too many tokens",
    "too large to process",
    "input is too long",
    "inputs must have less than",
    "string_above_max_length",
)
_READ_CHARS = 4000


class Kind(Enum):
    """What a failure means for who asked."""

    PASSING = "trying again may help"
    BROKEN = "trying again at once does not help, later it may"
    SETTING = "somebody has to change something"
    TOO_LONG = "the text is longer than the model reads"


class TooLong(ConfigurationError):
    """What was sent is longer than the model's window, or more than the service takes at once."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom a failure is about.

    Attributes:
        name: provider and model as a user writes them.
        address: scheme, host and port that was asked.
        key_name: the variable that holds the key; empty for none.
        missing: what to do when the service does not know the model.
    """

    name: str
    address: str
    key_name: str = ""
    missing: str = "Check the model's name, and that this account may use it"


@dataclass(frozen=True, slots=True)
class ErrorTypes:
    """The exceptions of one SDK.

    Attributes:
        timeout: nothing came in time.
        connection: no connection, or one that broke.
        address: an address that cannot be asked.
        root: everything else that the SDK raises on purpose.
    """

    timeout: tuple[type[Exception], ...] = ()
    connection: tuple[type[Exception], ...] = ()
    address: tuple[type[Exception], ...] = ()
    root: tuple[type[Exception], ...] = ()

    def __or__(self, other: ErrorTypes) -> ErrorTypes:
        """The exceptions of two libraries, of which one stands on the other."""
        return ErrorTypes(
            self.timeout + other.timeout,
            self.connection + other.connection,
            self.address + other.address,
            self.root + other.root,
        )


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed request.

    Attributes:
        kind: what it means.
        what: what happened, without a name in front.
        advice: what to do next.
        status: of HTTP; 0 for none.
    """

    kind: Kind
    what: str
    advice: str = ""
    status: int = 0

    def error(self, subject: Subject, after: str = "") -> Error:
        """It as an error to raise.

        Args:
            subject: whom it is about.
            after: what was tried, for a failure that went on.
        """
        message = f"{subject.name}: {self.what}{after}"
        if self.kind is Kind.TOO_LONG:
            return TooLong(message, self.advice)
        if self.kind is Kind.SETTING:
            return ConfigurationError(message, self.advice)
        return DependencyError(message, self.advice)


def explain(error: BaseException, types: ErrorTypes, subject: Subject) -> Failure | None:
    """What an exception of an SDK means; None for one that is no failure of a provider.

    Args:
        error: as it was raised.
        types: the SDK's exceptions.
        subject: whom it was raised about.
    """
    status = _status(error)
    if status:
        return of_status(status, _said(error), subject)
    if isinstance(error, (*types.timeout, TimeoutError)):
        return Failure(Kind.PASSING, f"no answer from {subject.address} in time", "The service may be busy; try later")
    if any(isinstance(cause, types.address) for cause in chain(error)):
        return Failure(Kind.SETTING, f"{subject.address} is no address that can be asked", "Check the base URL")
    if isinstance(error, (*types.connection, OSError)):
        return _unconnected(error, subject)
    if isinstance(error, (*types.root, ValueError, TypeError, KeyError, AttributeError, LookupError)):
        return Failure(
            Kind.BROKEN,
            f"the answer of {subject.address} is not understood ({type(error).__name__})",
            "Check that the address is that of this provider's service",
        )
    return None


def of_status(status: int, said: str, subject: Subject) -> Failure:
    """What an HTTP status means.

    Args:
        status: 300 or more.
        said: what the service wrote about it; looked at, never shown.
        subject: whom it is about.
    """
    said = said.lower()
    http = f"HTTP {status}"
    if any(phrase in said for phrase in _NO_MONEY) and status in (400, 402, 403, 429):
        advice = "Look at the account's plan and billing; waiting does not help"
        return Failure(Kind.SETTING, f"the account has no credit left ({http})", advice, status)
    if status == 413 or (400 <= status <= 500 and any(phrase in said for phrase in _LENGTH)):
        advice = "Give a smaller window_tokens"
        return Failure(Kind.TOO_LONG, f"the text is longer than the model reads ({http})", advice, status)
    if "does not support embeddings" in said or "not an embedding model" in said:
        return Failure(Kind.SETTING, f"this model gives no embeddings ({http})", "Choose an embedding model", status)
    if "system memory" in said and status == 500:
        advice = "Choose a smaller model or a machine with more memory"
        return Failure(Kind.SETTING, f"the service has too little memory for the model ({http})", advice, status)
    if status in _PASSING or (status >= 500 and status not in (501, 505)):
        return Failure(Kind.PASSING, _PASSING_WORDS.get(status, f"the service failed ({http})"), _LATER, status)
    if status >= 500:
        return Failure(Kind.BROKEN, f"the service failed ({http})", _LATER, status)
    what, advice = _refusal(status, subject)
    return Failure(Kind.SETTING, f"{what} ({http})", advice, status)


_LATER = "The service may be busy or down; try later"
_PASSING_WORDS = {
    429: "the service asks for fewer requests (HTTP 429)",
    503: "the service is not available (HTTP 503)",
    529: "the service is overloaded (HTTP 529)",
}


def _refusal(status: int, subject: Subject) -> tuple[str, str]:
    """What happened and what to do about a request that will not be served, however often it is sent."""
    key = subject.key_name or "the key"
    if status < 400:
        return f"{subject.address} sends requests on to another address", "Give the address it sends to as base URL"
    if status == 401:
        return "the key was not accepted" if subject.key_name else "a key is asked for", f"Check {key}"
    if status == 402:
        return "the service asks to be paid", "Look at the account's plan and billing"
    if status == 403:
        return "this key may not use the model", f"Check the rights of {key}"
    if status == 404:
        return "no such model, or no such service at this address", subject.missing
    return "the request was refused", "Check the model's name, its dimension and the base URL"


def _status(error: BaseException) -> int:
    """The HTTP status that an SDK's exception carries; 0 for none."""
    for holder in (error, getattr(error, "response", None)):
        status = getattr(holder, "status_code", None)
        if isinstance(status, int) and status >= 300:
            return status
    return 0


def _said(error: BaseException) -> str:
    """What the service wrote, wherever this SDK keeps it."""
    parts = [str(getattr(error, name, "") or "")[:_READ_CHARS] for name in ("code", "type", "body")]
    parts.append(str(error)[:_READ_CHARS])
    with contextlib.suppress(Exception):  # a body that was never read
        parts.append(str(getattr(error, "response", None) and error.response.text)[:_READ_CHARS])  # type: ignore[attr-defined]
    return " ".join(parts)


def chain(error: BaseException) -> Iterator[BaseException]:
    """An exception and what it came from, outermost first."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def _unconnected(error: BaseException, subject: Subject) -> Failure:
    """What kept a connection from being made, or broke it."""
    where = subject.address
    for cause in chain(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            advice = "If it is signed by an authority of your own, name its certificates as ca_file"
            return Failure(Kind.SETTING, f"the certificate of {where} is not trusted", advice)
        if isinstance(cause, socket.gaierror):
            return Failure(Kind.PASSING, f"the name of {where} is not found", "Check the address and the network")
        if isinstance(cause, ConnectionRefusedError):
            return Failure(Kind.PASSING, f"nothing answers at {where}", "Start the service, or check its address")
    return Failure(Kind.PASSING, f"the connection to {where} failed ({type(error).__name__})", _LATER)
