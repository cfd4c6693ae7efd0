"""Embeddings of a deployment in Azure OpenAI.

Key: ``AZURE_OPENAI_API_KEY``. Address: the option or ``AZURE_OPENAI_ENDPOINT``. Version of the interface:
``AZURE_OPENAI_API_VERSION`` or ``OPENAI_API_VERSION``. The name of the model is that of the deployment, unless
``AZURE_OPENAI_EMBEDDING_DEPLOYMENT_NAME`` gives another.
"""

from __future__ import annotations

import openai

from drawwell.errors import ConfigurationError
from drawwell.protocols import Embedder
from drawwell.providers import openai_api
from drawwell.providers.calls import Calls
from drawwell.providers.connections import check_address, find_key, first, origin
from drawwell.providers.failures import Subject
from drawwell.providers.options import ProviderOptions
from drawwell.providers.remote import RemoteEmbedder, Traits

__all__ = ["make"]

VERSION = "2024-02-01"


def make(model: str, options: ProviderOptions) -> Embedder:
    """An embedder.

    Args:
        model: name of the model or of its deployment.
        options: base URL of the resource, dimension, window.

    Raises:
        ConfigurationError: no key, no address, or one that cannot be used.
    """
    name = f"azure:{model}"
    environment = options.environment
    key = find_key(name, options, "AZURE_OPENAI_API_KEY")
    address = options.base_url or first(environment, "AZURE_OPENAI_ENDPOINT")
    if not address:
        raise ConfigurationError(
            f"{name}: AZURE_OPENAI_ENDPOINT is not set", "Set it to the address of your Azure OpenAI resource"
        )
    address = check_address(name, address, key)
    deployment = first(environment, "AZURE_OPENAI_EMBEDDING_DEPLOYMENT_NAME") or model
    client = openai.AzureOpenAI(
        azure_endpoint=address,
        azure_deployment=deployment,
        api_version=first(environment, "AZURE_OPENAI_API_VERSION", "OPENAI_API_VERSION") or VERSION,
        api_key=key.value,
        max_retries=0,
        timeout=options.timeout_seconds,
        http_client=openai_api.http_client(options),
    )
    known = openai_api.KNOWN.get(model, Traits())
    endpoint = openai_api.OpenAIEndpoint(client, deployment, known, openai_api.LIMITS, options.dimension)
    missing = f"Check that the resource has a deployment named {deployment}"
    calls = Calls(Subject(name, origin(address), key.name, missing), openai_api.ERRORS, options)
    return RemoteEmbedder(name, endpoint, calls, options)
