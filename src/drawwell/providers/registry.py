"""Providers by name. Each is imported when it is asked for; what it needs beside drawwell is an extra of its own."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from drawwell.errors import ConfigurationError, DependencyError, MissingExtra
from drawwell.protocols import Embedder, Reranker, Summarizer
from drawwell.providers.options import ProviderOptions

__all__ = [
    "EMBEDDERS",
    "RERANKERS",
    "SUMMARIZERS",
    "Provider",
    "embedder",
    "load_provider",
    "provider_of",
    "reranker",
    "summarizer",
]


@dataclass(frozen=True, slots=True)
class Provider:
    """Where a provider is.

    Attributes:
        module: below ``drawwell.providers``; its ``make(model, options)`` gives the provider.
        extra: what ``pip install 'drawwell[...]'`` must bring; empty when nothing is needed.
        local: whether the model runs in this process.
        usual: the model that is meant when none is named; empty where one must be.
    """

    module: str
    extra: str
    local: bool = False
    usual: str = ""


EMBEDDERS: Mapping[str, Provider] = {
    "onnx": Provider("embedding.onnx", "onnx", local=True),
    "static": Provider("embedding.static", "static", local=True),
    "ollama": Provider("embedding.ollama", "ollama"),
    "openai": Provider("embedding.openai", "openai"),
    "azure": Provider("embedding.azure", "openai"),
    "huggingface": Provider("embedding.huggingface", "huggingface"),
    "voyage": Provider("embedding.voyage", "voyage"),
}
SUMMARIZERS: Mapping[str, Provider] = {
    "ollama": Provider("summary.ollama", "ollama"),
    "openai": Provider("summary.openai", "openai"),
    "anthropic": Provider("summary.anthropic", "anthropic"),
}
RERANKERS: Mapping[str, Provider] = {
    "onnx": Provider("reranking.onnx", "onnx", local=True, usual="cross-encoder/ms-marco-MiniLM-L12-v2"),
    "voyage": Provider("reranking.voyage", "voyage"),
}


def embedder(name: str, options: ProviderOptions) -> Embedder:
    """The embedding model of a name such as ``onnx:all-MiniLM-L6-v2``.

    Args:
        name: provider and model, parted by the first colon.
        options: how it is used.

    Raises:
        ConfigurationError: no such provider, or no model is named.
        MissingExtra: its package is not installed.
    """
    made: Embedder = _made(name, EMBEDDERS, "embed", options)
    return made


def summarizer(name: str, options: ProviderOptions) -> Summarizer:
    """The model that writes summaries; arguments and errors as for ``embedder``."""
    made: Summarizer = _made(name, SUMMARIZERS, "summarizer", options)
    return made


def reranker(name: str, options: ProviderOptions) -> Reranker:
    """The model that judges passages; arguments and errors as for ``embedder``."""
    made: Reranker = _made(name, RERANKERS, "rerank", options)
    return made


def provider_of(name: str, known: Mapping[str, Provider], setting: str) -> tuple[Provider, str]:
    """The provider that a name names, and the model: for some providers the usual one where none is named.

    Raises:
        ConfigurationError: no such provider, or no model is named.
    """
    provider, colon, model = name.partition(":")
    if provider not in known:
        near = difflib.get_close_matches(provider, known, n=1)
        advice = f"Did you mean {near[0]}:{model or 'MODEL'}?" if near else f"Providers: {', '.join(known)}"
        raise ConfigurationError(f"{setting}: got {name!r}, takes PROVIDER:MODEL", advice)
    if not colon and known[provider].usual:
        return known[provider], known[provider].usual
    if not colon or not model.strip():
        raise ConfigurationError(f"{setting}: got {name!r}, which names no model", f"Write {provider}:MODEL")
    return known[provider], model.strip()


def load_provider(name: str, provider: Provider) -> ModuleType:
    """The module of a provider, imported.

    Args:
        name: of the provider, for messages.
        provider: where it is.

    Raises:
        MissingExtra: its package is not installed.
        DependencyError: its package is installed and cannot be used.
    """
    try:
        return import_module(f"drawwell.providers.{provider.module}")
    except ImportError as error:
        missing = isinstance(error, ModuleNotFoundError)
        if not provider.extra or (missing and (error.name or "").startswith("drawwell")):
            raise
        if missing:
            raise MissingExtra(f"models of {name}", provider.extra) from error
        raise DependencyError(
            f"models of {name} need a package that cannot be imported: {error}",
            f"Install it again with: pip install --force-reinstall 'drawwell[{provider.extra}]'",
        ) from error


def _made(name: str, known: Mapping[str, Provider], setting: str, options: ProviderOptions) -> Any:
    provider, model = provider_of(name, known, setting)
    return load_provider(name.partition(":")[0], provider).make(model, options)
