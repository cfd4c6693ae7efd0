"""What embeddings and summaries by Ollama have in common: its address, its client, what it says of a model."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx
import ollama

from drawwell.providers.calls import Calls
from drawwell.providers.connections import check_address, client_options, find_key, first, http_errors, origin
from drawwell.providers.failures import ErrorTypes, Subject
from drawwell.providers.options import ProviderOptions

__all__ = ["KEEP_ALIVE", "ModelFacts", "close", "connect", "facts"]

KEEP_ALIVE = "15m"
"""How long Ollama keeps the model in memory after a request."""
_PORT = 11434
_ERRORS = ErrorTypes(connection=(ConnectionError,), root=(ollama.ResponseError,)) | http_errors(httpx)


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What Ollama says of a model.

    Attributes:
        context: the most tokens that the model was made for; 0 when it does not say.
        width: numbers in a vector; 0 when it does not say.
        thinks: whether it can think aloud before it answers.
    """

    context: int
    width: int
    thinks: bool


def connect(model: str, options: ProviderOptions) -> tuple[ollama.Client, Calls]:
    """The SDK's client and what sends its requests.

    Args:
        model: its name, with a tag or without.
        options: base URL and environment (``OLLAMA_HOST``; ``OLLAMA_API_KEY`` for the hosted service).

    Raises:
        ConfigurationError: the address cannot be used.
    """
    name = f"ollama:{model}"
    key = find_key(name, options, "OLLAMA_API_KEY", needed=False)
    address = check_address(name, _address(options.base_url or first(options.environment, "OLLAMA_HOST")), key)
    arguments = client_options(httpx, options)
    if key.value:
        arguments["headers"] = {"authorization": f"Bearer {key.value}"}
    else:
        arguments["event_hooks"]["request"].append(_drop_key)
    subject = Subject(name, origin(address), key.name if key.value else "", f"Pull it: ollama pull {model}")
    return ollama.Client(address, **arguments), Calls(subject, _ERRORS, options)


def _drop_key(request: httpx.Request) -> None:
    """The SDK takes a key from the process's environment on its own; only ours is meant."""
    request.headers.pop("authorization", None)


def _address(host: str) -> str:
    """The base URL for what ``OLLAMA_HOST`` may hold: an address, a host, a port, or where a server listens."""
    if "://" not in host:
        host = f"http://{host}" if host and not host.startswith(":") else f"http://127.0.0.1{host}"
    parts = urlsplit(host)
    try:
        port, name = parts.port, parts.hostname
    except ValueError:
        return host
    if name == "0.0.0.0":  # noqa: S104 - where the server listens; it is reached by loopback
        parts = parts._replace(netloc=parts.netloc.replace("0.0.0.0", "127.0.0.1", 1))  # noqa: S104
    if port is None and parts.scheme == "http":
        parts = parts._replace(netloc=f"{parts.netloc}:{_PORT}")
    return parts.geturl()


def facts(client: ollama.Client, model: str) -> ModelFacts:
    """What ``/api/show`` says. Sends one request; raises what the SDK raises."""
    shown = client.show(model)
    about = shown.modelinfo or {}
    family = str(about.get("general.architecture", ""))

    def number(name: str) -> int:
        value = about.get(f"{family}.{name}")
        return value if isinstance(value, int) and value > 0 else 0

    thinks = "thinking" in (shown.capabilities or ())
    return ModelFacts(number("context_length"), number("embedding_length"), thinks)


def close(client: ollama.Client) -> None:
    """Let go of its connections."""
    client.close()  # type: ignore[no-untyped-call]
