"""Embeddings of Voyage AI. Key: ``VOYAGE_API_KEY``."""

from __future__ import annotations

from typing import Any

from drawwell.protocols import Embedder
from drawwell.providers import voyage_api
from drawwell.providers.options import ProviderOptions
from drawwell.providers.remote import Limits, Purpose, RemoteEmbedder, Reply, Traits

__all__ = ["make"]

_WINDOWS = {"voyage-2": 4000, "voyage-large-2": 16000, "voyage-code-2": 16000, "voyage-law-2": 16000}
_WINDOW = 32000


def make(model: str, options: ProviderOptions) -> Embedder:
    """An embedder.

    Args:
        model: as Voyage names it.
        options: base URL, dimension (for models that can give fewer numbers), window.

    Raises:
        ConfigurationError: no key, or an address that cannot be used.
    """
    client, calls = voyage_api.connect(model, options)
    return RemoteEmbedder(f"voyage:{model}", _Endpoint(client, model, options.dimension), calls, options)


class _Endpoint:
    """Embeddings by ``/embeddings``."""

    limits = Limits(texts=128, tokens=100_000)

    def __init__(self, client: voyage_api.VoyageClient, model: str, dimension: int) -> None:
        self._client = client
        self._model = model
        self._dimension = dimension

    def traits(self) -> Traits:
        """What Voyage's documentation says; nothing is asked."""
        return Traits(_WINDOWS.get(self._model, _WINDOW))

    def embed(self, texts: list[str], purpose: Purpose, /) -> Reply:
        """The vectors of some texts; the service adds its own prompt for the purpose, and cuts nothing."""
        body: dict[str, Any] = {
            "input": texts,
            "model": self._model,
            "input_type": purpose,
            "truncation": False,
        }
        if self._dimension:
            body["output_dimension"] = self._dimension
        answer = self._client.post("/embeddings", body)
        data = sorted(answer["data"], key=lambda item: int(item["index"]))
        return Reply([item["embedding"] for item in data], int(answer["usage"]["total_tokens"]))

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()
