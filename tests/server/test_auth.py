"""Who may talk to a server over HTTP."""

from __future__ import annotations

from pathlib import Path

import pytest

from drawwell.errors import ConfigurationError
from drawwell.server.auth import Gate, is_loopback, read_token

TOKEN = "correct-horse-battery"


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.5", False),
        ("example.org", False),
        ("", False),
    ],
)
def test_loopback(host: str, local: bool) -> None:
    """Only addresses that other machines cannot reach count as loopback."""
    assert is_loopback(host) is local


def test_off_loopback_needs_a_token() -> None:
    """SV-04: an address that others can reach is refused without a token, naming what to do."""
    with pytest.raises(ConfigurationError, match=r"0\.0\.0\.0 can be reached .* --token-file"):
        Gate("0.0.0.0", None)
    refusal = Gate("0.0.0.0", TOKEN).check_token({})
    assert refusal is not None
    assert refusal.status == 401


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8765", None),
        ("localhost", None),
        ("LOCALHOST:1", None),
        ("[::1]:8765", None),
        ("evil.example", 421),
        ("evil.example:8765", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost:8765@evil.example", 421),
        ("evil@localhost", 421),
        ("", 421),
        ("[::1", 421),
        ("localhost:x", 421),
    ],
)
def test_host_names(host: str, status: int | None) -> None:
    """SV-04: on loopback only loopback names are served, so that no name an attacker owns resolves to us."""
    refusal = Gate("127.0.0.1", None).check_source({"host": host})
    assert (refusal.status if refusal else None) == status


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:6274", None),
        ("http://127.0.0.1", None),
        ("https://[::1]:1", None),
        ("https://app.example", None),
        ("https://APP.example", None),
        ("https://evil.example", 403),
        ("http://localhost.evil.example", 403),
        ("http://localhost:1/path", 403),
        ("null", 403),
        ("", 403),
        ("file://localhost", 403),
    ],
)
def test_origins(origin: str, status: int | None) -> None:
    """SV-04: web pages of this machine and of listed origins may call, others may not."""
    gate = Gate("127.0.0.1", None, allowed_origins=("https://app.example/",))
    refusal = gate.check_source({"host": "localhost", "origin": origin})
    assert (refusal.status if refusal else None) == status


def test_further_host_names_can_be_allowed() -> None:
    """Off loopback any name is served, unless names are listed."""
    assert Gate("0.0.0.0", TOKEN).check_source({"host": "docs.example"}) is None
    listed = Gate("0.0.0.0", TOKEN, allowed_hosts=("docs.example",))
    assert listed.check_source({"host": "docs.example:443"}) is None
    assert listed.check_source({"host": "other.example"}) is not None


@pytest.mark.parametrize(
    ("header", "let_in"),
    [
        (f"Bearer {TOKEN}", True),
        (f"bearer  {TOKEN} ", True),
        (f"Bearer {TOKEN}x", False),
        (f"Bearer {TOKEN[:-1]}", False),
        (TOKEN, False),
        (f"Basic {TOKEN}", False),
        ("Bearer é\ud800", False),
        ("Bearer", False),
        (None, False),
    ],
)
def test_tokens(header: str | None, let_in: bool) -> None:
    """SV-04: only the right bearer token lets a request in."""
    headers = {} if header is None else {"authorization": header}
    refusal = Gate("127.0.0.1", TOKEN).check_token(headers)
    assert (refusal is None) is let_in
    assert refusal is None or refusal.status == 401
    assert Gate("127.0.0.1", None).check_token(headers) is None


def test_token_file(tmp_path: Path) -> None:
    """A token file holds one usable token; anything else says why not, without showing it."""
    good = tmp_path / "token"
    good.write_text(f"{TOKEN}\n")
    assert read_token(good) == TOKEN
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_token(tmp_path / "missing")
    for text in ("", "short", "two words which are long", "ümlaut-ümlaut-ümlaut"):
        good.write_text(text, encoding="utf-8")
        with pytest.raises(ConfigurationError, match="usable token") as caught:
            read_token(good)
        assert not text or text not in str(caught.value)
    good.write_bytes(b"\xff\xfe\xff")
    with pytest.raises(ConfigurationError, match="it is not text"):
        read_token(good)
