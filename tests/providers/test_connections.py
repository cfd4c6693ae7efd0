"""Addresses, keys and certificates."""

from __future__ import annotations

import ssl
from pathlib import Path

import httpx2
import pytest

from drawwell.errors import ConfigurationError
from drawwell.providers.connections import Key, certificates, check_address, find_key, origin
from drawwell.providers.embedding import ollama
from drawwell.providers.options import ProviderOptions
from tests.providers.servers.base import running
from tests.providers.vendors import KEY, Vendor


@pytest.mark.parametrize(
    "address",
    [
        "https://api.example.org/v1",
        "http://127.0.0.1:8080",
        "http://127.8.9.10",
        "http://localhost:1/x",
        "http://[::1]:11434",
        "http://models.localhost",
    ],
)
def test_a_key_goes_by_tls_or_stays_on_this_machine(address: str) -> None:
    """Addresses to which a key may be sent, with and without a slash at the end."""
    assert check_address("a:b", address + "/", Key("K", "secret")) == address


@pytest.mark.parametrize("address", ["http://api.example.org", "http://10.0.0.7", "http://localhost.example.org"])
def test_a_key_is_not_sent_in_the_clear(address: str) -> None:
    """Plain HTTP to anything but this machine takes no key, and is fine without one."""
    with pytest.raises(ConfigurationError, match="in the clear"):
        check_address("a:b", address, Key("K", "secret"))
    assert check_address("a:b", address, Key("K", "")) == address


@pytest.mark.parametrize("value", ["sk abc", "sk-é", "sk-\x07", "sk-\nabc"])
def test_what_no_key_has_is_refused_without_showing_it(value: str) -> None:
    """A key with blanks, accents or control characters would break a header; the error shows none of it."""
    with pytest.raises(ConfigurationError, match="OTHER_KEY has blanks") as caught:
        find_key("a:b", ProviderOptions(environment={"OTHER_KEY": value}), "SOME_KEY", "OTHER_KEY")
    assert value not in str(caught.value)


def test_the_first_key_that_is_set_counts() -> None:
    """Blanks around a key are no part of it, and a blank variable is none."""
    options = ProviderOptions(environment={"A": "  ", "B": " secret\n", "C": "other"})
    assert find_key("a:b", options, "A", "B", "C") == Key("B", "secret")
    assert "secret" not in repr(Key("B", "secret")) + repr(options)


def test_an_origin_is_all_of_an_address_that_is_shown() -> None:
    """Path, query and password are left out."""
    assert origin("https://user:word@example.org:8/v1?key=1") == "https://example.org:8"
    assert origin("http://[::1]:11434/x") == "http://[::1]:11434"


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_certificates_that_cannot_be_read_are_a_setting(tmp_path: Path, content: str | None) -> None:
    """A file that is missing, or has no certificate in it, is named."""
    path = tmp_path / "authority.pem"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ConfigurationError, match=r"ca_file .*authority\.pem"):
        certificates(httpx2, ProviderOptions(ca_file=str(path)))


def test_an_authority_of_ones_own_is_trusted_when_named(vendor: Vendor, authority: Path) -> None:
    """A service with a certificate that nobody knows is refused with advice, and served once ``ca_file`` names it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority / "authority.pem", authority / "key.pem")
    service = vendor.service(key=KEY)
    service.models |= {vendor.model}
    with running(service, context) as url:
        stranger = vendor.make(vendor.model, vendor.options(url))
        with pytest.raises(ConfigurationError, match=r"certificate of .* not trusted.*ca_file"):
            stranger.identity()
        stranger.close()
        assert not service.requests
        known = vendor.make(vendor.model, vendor.options(url, ca_file=str(authority / "authority.pem")))
        assert known.embed_query("hello").shape == (64,)
        known.close()


@pytest.mark.parametrize(
    ("host", "asked"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:9", "http://127.0.0.1:9"),
        (":9", "http://127.0.0.1:9"),
        ("box", "http://box:11434"),
        ("http://box:9", "http://box:9"),
        ("https://box", "https://box"),
        ("[::1]:9", "http://[::1]:9"),
    ],
)
def test_ollama_host_in_all_its_forms(host: str, asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """``OLLAMA_HOST`` may be an address, a host, a port or where a server listens."""
    made = ollama.make("m", ProviderOptions(environment={"OLLAMA_HOST": host}))
    assert made._calls.subject.address == asked  # type: ignore[attr-defined]
    made.close()
