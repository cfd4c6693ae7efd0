"""Embeddings of a model that Ollama serves.

Address: the option or ``OLLAMA_HOST``, else this machine. A model that is not there is not fetched: the error says how.
"""

from __future__ import annotations

import ollama

from drawwell.errors import ConfigurationError
from drawwell.protocols import Embedder
from drawwell.providers import ollama_api
from drawwell.providers.options import ProviderOptions
from drawwell.providers.remote import Limits, Purpose, RemoteEmbedder, Reply, Traits

__all__ = ["make"]

WINDOW = 4096
"""Tokens of one text at most, unless told: what a model reads more than this costs memory that passages do not need."""


def make(model: str, options: ProviderOptions) -> Embedder:
    """An embedder.

    Args:
        model: its name, with a tag or without.
        options: base URL, dimension (for models that can give fewer numbers), window (``num_ctx``).

    Raises:
        ConfigurationError: the address cannot be used.
    """
    client, calls = ollama_api.connect(model, options)
    return RemoteEmbedder(f"ollama:{model}", _Endpoint(client, model, options), calls, options)


class _Endpoint:
    """Embeddings by ``/api/embed``."""

    limits = Limits(texts=32, tokens=32_000)

    def __init__(self, client: ollama.Client, model: str, options: ProviderOptions) -> None:
        self._client = client
        self._model = model
        self._window = options.window_tokens or WINDOW
        self._told = bool(options.window_tokens)
        self._dimension = options.dimension
        self._fewer = 0

    def traits(self) -> Traits:
        """Context, width and digest, as ``/api/show`` and ``/api/tags`` say."""
        about = ollama_api.facts(self._client, self._model)
        if about.context and self._window > about.context:
            if self._told:
                raise ConfigurationError(
                    f"ollama:{self._model}: window_tokens is {self._window}, the model reads {about.context}",
                    f"Give {about.context} or less",
                )
            self._window = about.context
        if about.width and self._dimension > about.width:
            raise ConfigurationError(
                f"ollama:{self._model}: dimension is {self._dimension}, the model gives {about.width}",
                f"Give {about.width} or less",
            )
        self._fewer = self._dimension if self._dimension != about.width else 0
        return Traits(self._window, about.width, self._digest())

    def _digest(self) -> str:
        """What tells one state of the model from another."""
        wanted = {self._model, f"{self._model}:latest"}
        found = (entry for entry in self._client.list().models if entry.model in wanted)
        return next((entry.digest or "" for entry in found), "")

    def embed(self, texts: list[str], _purpose: Purpose, /) -> Reply:
        """The vectors of some texts; a text that is too long is an error of the service, never cut."""
        reply = self._client.embed(
            self._model,
            texts,
            truncate=False,
            options={"num_ctx": self._window},
            keep_alive=ollama_api.KEEP_ALIVE,
            dimensions=self._fewer or None,
        )
        return Reply(reply.embeddings, reply.prompt_eval_count)

    def close(self) -> None:
        """Let go of the connections."""
        ollama_api.close(self._client)
