"""Voyage AI's interface over HTTP, as its documentation has it. Why not its SDK: docs/decisions/providers.md."""

from __future__ import annotations

from typing import Any

import httpx2

from drawwell.providers.calls import Calls
from drawwell.providers.connections import check_address, client_options, find_key, first, http_errors, origin
from drawwell.providers.failures import Subject
from drawwell.providers.options import ProviderOptions

__all__ = ["VoyageClient", "connect"]

_ADDRESS = "https://api.voyageai.com/v1"
_ATLAS_ADDRESS = "https://ai.mongodb.com/v1"
_ATLAS_KEY = "al-"


class VoyageClient:
    """Sends one request at a time.

    Args:
        client: a watched HTTP client with address and key.
    """

    def __init__(self, client: httpx2.Client) -> None:
        self._client = client

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request.

        Raises:
            httpx2.HTTPError: no answer, or one that says no.
            ValueError: an answer that is no JSON object.
        """
        response = self._client.post(path, json=body)
        response.raise_for_status()
        answer = response.json()
        if not isinstance(answer, dict):
            raise TypeError("no object")
        return answer

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()


def connect(model: str, options: ProviderOptions) -> tuple[VoyageClient, Calls]:
    """A client and what sends its requests.

    Args:
        model: its name.
        options: base URL and environment (``VOYAGE_API_KEY``; ``VOYAGE_BASE_URL``).

    Raises:
        ConfigurationError: no key, or an address that cannot be used.
    """
    name = f"voyage:{model}"
    key = find_key(name, options, "VOYAGE_API_KEY")
    usual = _ATLAS_ADDRESS if key.value.startswith(_ATLAS_KEY) else _ADDRESS
    address = check_address(name, options.base_url or first(options.environment, "VOYAGE_BASE_URL") or usual, key)
    client = httpx2.Client(
        base_url=address, headers={"authorization": f"Bearer {key.value}"}, **client_options(httpx2, options)
    )
    return VoyageClient(client), Calls(Subject(name, origin(address), key.name), http_errors(httpx2), options)
