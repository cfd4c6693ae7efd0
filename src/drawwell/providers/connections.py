"""What every provider over HTTP needs before its first request: address, key, certificates, a watched client."""

from __future__ import annotations

import ipaddress
import logging
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any
from urllib.parse import SplitResult, urlsplit

from drawwell.errors import ConfigurationError
from drawwell.providers.calls import limit_request, note_response
from drawwell.providers.failures import ErrorTypes
from drawwell.providers.options import ProviderOptions

__all__ = [
    "Key",
    "certificates",
    "check_address",
    "client_options",
    "find_key",
    "first",
    "http_errors",
    "origin",
    "quieten_logs",
]

_CHATTY = ("anthropic", "httpcore", "httpcore2", "httpx", "httpx2", "huggingface_hub", "openai")


@dataclass(frozen=True, slots=True)
class Key:
    """A secret and the variable that holds it. It is in no ``repr``.

    Attributes:
        name: of the variable; the first usual one when none is set.
        value: the secret; empty for none.
    """

    name: str
    value: str

    def __repr__(self) -> str:
        return f"Key(name={self.name!r}, value={'***' if self.value else ''!r})"


def first(environment: Mapping[str, str], *names: str) -> str:
    """The first of some variables that is set and not blank; empty for none."""
    return next((value for name in names if (value := environment.get(name, "").strip())), "")


def find_key(who: str, options: ProviderOptions, *names: str, needed: bool = True) -> Key:
    """The key of a provider.

    Args:
        who: provider and model as a user writes them.
        options: has the environment.
        names: the variables that may hold it, the usual one first.
        needed: whether there must be one.

    Raises:
        ConfigurationError: there is none, or it has characters that no key has.
    """
    for name in names:
        value = options.environment.get(name, "").strip()
        if value:
            if not (value.isascii() and value.isprintable()) or " " in value:
                raise ConfigurationError(
                    f"{who}: {name} has blanks or characters that no key has", f"Set {name} to the key alone"
                )
            return Key(name, value)
    if needed:
        raise ConfigurationError(f"{who}: {names[0]} is not set", f"Set {names[0]} to the key of this service")
    return Key(names[0], "")


def check_address(who: str, address: str, key: Key) -> str:
    """An address that may be asked, without a slash at its end.

    Args:
        who: provider and model as a user writes them.
        address: the base URL.
        key: what will be sent there.

    Raises:
        ConfigurationError: it is no HTTP address, has a password in it, or a key would cross a network in the clear.
    """
    try:
        parts = urlsplit(address)
        named = bool(parts.hostname) and parts.port != 0
    except ValueError:
        parts, named = SplitResult("", "", "", "", ""), False
    if parts.scheme not in ("http", "https") or not named:
        shown = f"{parts.scheme}://..." if parts.scheme else "a text without http:// or https://"
        raise ConfigurationError(f"{who}: the base URL is no HTTP address ({shown})", "Give it as https://HOST/PATH")
    if parts.username is not None or parts.password is not None:
        raise ConfigurationError(
            f"{who}: the base URL has a name or password in it", f"Leave it out and set {key.name or 'the key'}"
        )
    if key.value and parts.scheme == "http" and not _is_loopback(parts.hostname or ""):
        raise ConfigurationError(
            f"{who}: {key.name} would be sent to {origin(address)} in the clear",
            f"Use https://, or unset {key.name} if this service needs no key",
        )
    return address.rstrip("/")


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def origin(address: str) -> str:
    """Scheme, host and port of an address: all of it that a message shows."""
    parts = urlsplit(address)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port else "")


@cache
def _usual_certificates(library: ModuleType) -> ssl.SSLContext:
    """The context that a client would make for itself; made once, since it takes 40 ms."""
    context: ssl.SSLContext = library.create_ssl_context()
    return context


def certificates(library: ModuleType, options: ProviderOptions) -> ssl.SSLContext:
    """What decides whether a service is trusted: the usual certificates, and those that the user names.

    Args:
        library: httpx, or another of the same face.
        options: has the file.

    Raises:
        ConfigurationError: the file cannot be read or has no certificate in it.
    """
    if not options.ca_file:
        return _usual_certificates(library)
    context: ssl.SSLContext = library.create_ssl_context()
    try:
        context.load_verify_locations(options.ca_file)
    except (OSError, ssl.SSLError) as error:
        reason = getattr(error, "strerror", None) or "no certificate in it"
        raise ConfigurationError(
            f"ca_file {options.ca_file!r} cannot be read ({reason})", "Name a file of PEM certificates"
        ) from None
    return context


def client_options(library: ModuleType, options: ProviderOptions) -> dict[str, Any]:
    """Keyword arguments for a ``Client`` of httpx, or of a library of the same face.

    Args:
        library: the module.
        options: timeout, certificates, how many requests at one time.
    """
    quieten_logs()
    hooks: dict[str, list[Callable[[Any], None]]] = {"request": [limit_request], "response": [note_response]}
    width = max(1, options.max_concurrent)
    return {
        "verify": certificates(library, options),
        "timeout": options.timeout_seconds,
        "follow_redirects": False,
        "event_hooks": hooks,
        "limits": library.Limits(max_connections=2 * width, max_keepalive_connections=width),
    }


def quieten_logs() -> None:
    """Keep the SDKs' logs at warnings, unless somebody has set their level.

    Below that they write the texts that are sent and the headers that come back, and a line for each request.
    """
    for name in _CHATTY:
        logger = logging.getLogger(name)
        if logger.level == logging.NOTSET:
            logger.setLevel(logging.WARNING)


def http_errors(library: ModuleType) -> ErrorTypes:
    """The exceptions of httpx, or of a library of the same face."""
    return ErrorTypes(
        timeout=(library.TimeoutException,),
        connection=(library.TransportError,),
        address=(library.UnsupportedProtocol, library.InvalidURL, library.LocalProtocolError),
        root=(library.HTTPError,),
    )
