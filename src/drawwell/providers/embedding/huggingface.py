"""Embeddings by Hugging Face: its inference service, or a server of your own that speaks its protocol.

Token: ``HF_TOKEN`` or ``HUGGINGFACEHUB_API_TOKEN``. With a base URL (an inference endpoint, text-embeddings-inference)
that address is asked, and a token is needed only if it asks for one.
"""

from __future__ import annotations

import json
from typing import Any

import httpx2
import numpy as np
from huggingface_hub import InferenceClient, get_session
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, InferenceTimeoutError, OfflineModeIsEnabled

from drawwell.errors import ConfigurationError
from drawwell.protocols import Embedder
from drawwell.providers.calls import Calls, limit_request, note_response
from drawwell.providers.connections import Key, check_address, find_key, http_errors, origin, quieten_logs
from drawwell.providers.failures import ErrorTypes, Subject
from drawwell.providers.hub_client import trust
from drawwell.providers.options import ProviderOptions
from drawwell.providers.remote import Limits, Purpose, RemoteEmbedder, Reply, Traits

__all__ = ["make"]

_ERRORS = ErrorTypes(timeout=(InferenceTimeoutError,), root=(HfHubHTTPError, HFValidationError)) | http_errors(httpx2)
_OWN = "https://router.huggingface.co"


def make(model: str, options: ProviderOptions) -> Embedder:
    """An embedder.

    Args:
        model: its name on the hub.
        options: base URL of a server of your own, window, dimension (checked, not asked for).

    Raises:
        ConfigurationError: no token for the service itself, or an address that cannot be used.
    """
    name = f"huggingface:{model}"
    key = find_key(name, options, "HF_TOKEN", "HUGGINGFACEHUB_API_TOKEN", needed=not options.base_url)
    address = check_address(name, options.base_url or _OWN, key)
    quieten_logs()
    if options.ca_file:
        trust(options)
    subject = Subject(name, origin(address), key.name)
    endpoint = _Endpoint(address if options.base_url else model, key, name)
    return RemoteEmbedder(name, endpoint, Calls(subject, _ERRORS, options), options)


def _watch() -> None:
    """Hang our hooks into the SDK's one client, once.

    It may also be used to fetch models, so it goes on following redirects; one of ours is refused by the hook.
    """
    session = get_session()
    hooks: dict[str, list[Any]] = session.event_hooks
    if note_response not in hooks["response"]:
        session.event_hooks = {
            "request": [*hooks["request"], limit_request],
            "response": [*hooks["response"], note_response],
        }


class _Endpoint:
    """Embeddings by the task "feature extraction"."""

    limits = Limits(texts=32, tokens=16_000)

    def __init__(self, model: str, key: Key, name: str) -> None:
        # Without a token of ours, the one that a user has logged in with must not go to just any address.
        headers: Any = None if key.value else {"authorization": None}
        self._client = InferenceClient(model, provider="hf-inference", token=key.value or None, headers=headers)
        self._name = name

    def traits(self) -> Traits:
        """Nobody says."""
        return Traits()

    def embed(self, texts: list[str], _purpose: Purpose, /) -> Reply:
        """The vectors of some texts; a text that is too long is an error of the service, never cut."""
        _watch()
        try:
            rows = self._client.feature_extraction(texts, truncate=False)
        except OfflineModeIsEnabled:
            refusal = ConfigurationError(
                f"{self._name}: HF_HUB_OFFLINE is set, so nothing is sent",
                "Unset it, or use a model on this machine",
            )
        except ValueError as error:
            if isinstance(error, (json.JSONDecodeError, HFValidationError)) or "support" not in str(error):
                raise
            refusal = ConfigurationError(
                f"{self._name}: the service does not offer this model for feature extraction",
                "Choose a sentence-embedding model, or give the base URL of a server of your own",
            )
        else:
            if rows.ndim == 3:
                raise ConfigurationError(
                    f"{self._name}: it gives a vector for each token, not one for each text",
                    "Choose a sentence-embedding model",
                )
            return Reply(np.asarray(rows, dtype=np.float32))
        raise refusal

    def close(self) -> None:
        """The SDK's one client is not ours to close."""
