"""Embeddings of OpenAI, and of every service that speaks its protocol (vLLM, LM Studio, llama.cpp, LiteLLM, ...).

Key: ``OPENAI_API_KEY``. Address: the option, ``OPENAI_BASE_URL`` or ``OPENAI_API_BASE``; OpenAI itself without one.
A service of your own needs a key only if it asks for one.
"""

from __future__ import annotations

from drawwell.protocols import Embedder
from drawwell.providers import openai_api
from drawwell.providers.calls import Calls
from drawwell.providers.connections import origin
from drawwell.providers.failures import Subject
from drawwell.providers.options import ProviderOptions
from drawwell.providers.remote import RemoteEmbedder, Traits

__all__ = ["make"]


def make(model: str, options: ProviderOptions) -> Embedder:
    """An embedder.

    Args:
        model: as the service names it.
        options: base URL, dimension (for models that can give fewer numbers), window.

    Raises:
        ConfigurationError: no key for OpenAI itself, or an address that cannot be used.
    """
    name = f"openai:{model}"
    service = openai_api.find_service(name, options)
    known = openai_api.KNOWN.get(model, Traits())
    limits = openai_api.LIMITS if service.own else openai_api.COMPATIBLE_LIMITS
    endpoint = openai_api.OpenAIEndpoint(
        openai_api.make_client(service, options), model, known, limits, options.dimension
    )
    calls = Calls(Subject(name, origin(service.address), service.key.name), openai_api.ERRORS, options)
    return RemoteEmbedder(name, endpoint, calls, options)
