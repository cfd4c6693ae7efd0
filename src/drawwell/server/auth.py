"""Who may talk to a server over HTTP: the token, and the checks of Host and Origin.

A web page in the user's browser can reach a server on loopback, by a name that resolves there (DNS rebinding) or
directly; it cannot choose its Host and Origin headers, and it does not know the token.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from drawwell.errors import ConfigurationError

__all__ = ["Gate", "Refusal", "is_loopback", "read_token"]

_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_MIN_TOKEN = 16
_AUTHORITY = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]{2,45})\]|(?P<name>[A-Za-z0-9._-]{1,253}))(?::[0-9]{1,5})?")


def is_loopback(host: str) -> bool:
    """Whether an address to listen on is reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def read_token(path: Path) -> str:
    """Read a bearer token from a file: its only line.

    Raises:
        ConfigurationError: the file cannot be read, or holds no usable token.
    """
    try:
        text = path.read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise ConfigurationError(f"The token file {path} cannot be read: {reason}", "Name a readable file") from None
    return check_token(text, f"The token file {path} holds no usable token")


def check_token(token: str, fault: str) -> str:
    """The token, if it is one.

    Args:
        token: what was given.
        fault: the message when it is none.

    Raises:
        ConfigurationError: it is too short to be a secret, or cannot be sent in a header.
    """
    if len(token) < _MIN_TOKEN or not token.isascii() or any(not "!" <= char <= "~" for char in token):
        raise ConfigurationError(
            fault,
            f"A token is at least {_MIN_TOKEN} printable ASCII characters without spaces; "
            "make one with: python -c 'import secrets; print(secrets.token_urlsafe(32))'",
        )
    return token


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not served."""

    status: int
    message: str


class Gate:
    """Decides about each HTTP request by its headers.

    Args:
        host: address that the server listens on.
        token: bearer token; None for none.
        allowed_hosts: further names under which clients may address the server.
        allowed_origins: further origins of web pages that may call it, as ``https://name:port``.

    Raises:
        ConfigurationError: other machines could reach the server, and there is no token.
    """

    def __init__(
        self,
        host: str,
        token: str | None,
        allowed_hosts: tuple[str, ...] = (),
        allowed_origins: tuple[str, ...] = (),
    ) -> None:
        self._open_host = not is_loopback(host) and not allowed_hosts
        if not is_loopback(host) and token is None:
            raise ConfigurationError(
                f"host: {host} can be reached from other machines, so a bearer token is required",
                "Pass --token-file FILE or set DRAWWELL_TOKEN, or keep to 127.0.0.1",
            )
        self._digest = (
            None if token is None else _digest(check_token(token, "token: what was given is no usable token"))
        )
        own = host if host.startswith("[") or ":" not in host else f"[{host}]"
        self._hosts = (_LOOPBACK_NAMES | {_name(own), *map(_name, allowed_hosts)}) - {""}
        self._origins = frozenset(origin.rstrip("/").casefold() for origin in allowed_origins)

    def check_source(self, headers: Mapping[str, str]) -> Refusal | None:
        """Check Host and Origin.

        Args:
            headers: of the request, names in lower case.
        """
        host = headers.get("host", "")
        if not self._open_host and _name(host) not in self._hosts:
            return Refusal(421, "This server is not addressed by that Host name")
        origin = headers.get("origin")
        if origin is not None and not self._is_known(origin):
            return Refusal(403, "Web pages of that Origin may not call this server")
        return None

    def check_token(self, headers: Mapping[str, str]) -> Refusal | None:
        """Check the bearer token, in constant time.

        Args:
            headers: of the request, names in lower case.
        """
        if self._digest is None:
            return None
        scheme, _, token = headers.get("authorization", "").partition(" ")
        sent = _digest(token.strip() if scheme.casefold() == "bearer" else "")
        return None if hmac.compare_digest(sent, self._digest) else Refusal(401, "A valid bearer token is required")

    def _is_known(self, origin: str) -> bool:
        if origin.casefold() in self._origins:
            return True
        scheme, _, authority = origin.partition("://")
        return scheme.casefold() in ("http", "https") and _name(authority) in _LOOPBACK_NAMES


def _name(authority: str) -> str:
    """The host name in ``name:port``, lower case, without port and brackets; empty for anything else."""
    match = _AUTHORITY.fullmatch(authority)
    return (match["six"] or match["name"]).casefold() if match else ""


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()
