"""What the services that speak OpenAI's protocol have in common: clients, embeddings, exceptions."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass

import httpx2
import numpy as np
import openai

from drawwell.providers.connections import Key, check_address, client_options, find_key, first, http_errors
from drawwell.providers.failures import ErrorTypes
from drawwell.providers.options import ProviderOptions
from drawwell.providers.remote import Limits, Purpose, Reply, Traits

__all__ = ["ERRORS", "NO_KEY", "OpenAIEndpoint", "Service", "find_service", "http_client", "make_client"]

ERRORS = ErrorTypes(
    timeout=(openai.APITimeoutError,),
    connection=(openai.APIConnectionError,),
    root=(openai.OpenAIError,),
) | http_errors(httpx2)
NO_KEY = "none"
"""Sent as key to a service that asks for none: the SDK insists on one."""
OWN_ADDRESS = "https://api.openai.com/v1"
KNOWN = {
    "text-embedding-3-small": Traits(8191, 1536),
    "text-embedding-3-large": Traits(8191, 3072),
    "text-embedding-ada-002": Traits(8191, 1536),
}
LIMITS = Limits(texts=512, tokens=200_000)
"""Of the service itself: 2,048 texts and 300,000 tokens; ours are estimated."""
COMPATIBLE_LIMITS = Limits(texts=32, tokens=16_000)


@dataclass(frozen=True, slots=True)
class Service:
    """Where OpenAI's protocol is spoken.

    Attributes:
        address: the base URL.
        key: what is sent as key; its value is empty for a service that asks for none.
        own: whether it is OpenAI itself, of which more is known than of others.
    """

    address: str
    key: Key
    own: bool


def find_service(who: str, options: ProviderOptions) -> Service:
    """The service that options and environment name.

    Args:
        who: provider and model as a user writes them.
        options: base URL and environment (``OPENAI_API_KEY``, ``OPENAI_BASE_URL`` or ``OPENAI_API_BASE``).

    Raises:
        ConfigurationError: OpenAI itself is asked without a key, or the address cannot be used.
    """
    named = options.base_url or first(options.environment, "OPENAI_BASE_URL", "OPENAI_API_BASE")
    own = not named or named.rstrip("/") == OWN_ADDRESS
    key = find_key(who, options, "OPENAI_API_KEY", needed=own)
    return Service(check_address(who, named or OWN_ADDRESS, key), key, own)


def http_client(options: ProviderOptions) -> httpx2.Client:
    """A watched client that follows no redirects."""
    return httpx2.Client(**client_options(httpx2, options))


def make_client(service: Service, options: ProviderOptions) -> openai.OpenAI:
    """The SDK's client, with its own retries off."""
    return openai.OpenAI(
        api_key=service.key.value or NO_KEY,
        base_url=service.address,
        organization=first(options.environment, "OPENAI_ORG_ID", "OPENAI_ORGANIZATION") or None,
        max_retries=0,
        timeout=options.timeout_seconds,
        http_client=http_client(options),
    )


class OpenAIEndpoint:
    """Embeddings by OpenAI's protocol.

    Args:
        client: the SDK's client, of OpenAI or Azure.
        model: name of the model or deployment.
        known: what is known of it.
        limits: of one request.
        dimension: numbers in a vector to ask for; 0 for the model's own.
    """

    def __init__(self, client: openai.OpenAI, model: str, known: Traits, limits: Limits, dimension: int) -> None:
        self._client = client
        self._model = model
        self._known = known
        self.limits = limits
        self._dimension = dimension if dimension != known.dimension else 0
        self._base64 = True

    def traits(self) -> Traits:
        """What is known of the model; nothing is asked."""
        return self._known

    def embed(self, texts: list[str], _purpose: Purpose, /) -> Reply:
        """The vectors of some texts, sent as base64 where the service can."""
        if not self._base64:
            return self._embed(texts)
        try:
            return self._embed(texts)
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            if error.param != "encoding_format" and "encoding_format" not in str(error):
                raise
        self._base64 = False
        return self._embed(texts)

    def _embed(self, texts: list[str]) -> Reply:
        reply = self._client.embeddings.create(
            model=self._model,
            input=texts,
            encoding_format="base64" if self._base64 else "float",
            dimensions=self._dimension or openai.omit,
        )
        data = sorted(reply.data, key=lambda item: item.index)
        if [item.index for item in data] != list(range(len(data))):
            data = reply.data  # not numbered as the protocol says: as they came
        tokens = reply.usage.total_tokens if getattr(reply, "usage", None) is not None else None
        return Reply([_row(item.embedding) for item in data], tokens)

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()


def _row(sent: Sequence[float] | str) -> Sequence[float]:
    """One vector, whichever way it was encoded; nothing for what is no base64 of little-endian float32."""
    if not isinstance(sent, str):
        return sent
    try:
        raw = base64.b64decode(sent, validate=True)
        row: list[float] = np.frombuffer(raw, dtype="<f4").tolist()
    except (binascii.Error, ValueError):
        return []
    return row
