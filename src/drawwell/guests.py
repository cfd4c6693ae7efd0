"""Settings to models: what is configured, ready to be asked. Beside ``compose``, which hands them to the wells."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TypeVar

from drawwell.configuration import Settings
from drawwell.protocols import Embedder, Prompts, Reranker, Summarizer
from drawwell.providers import registry
from drawwell.providers.folders import models_folder
from drawwell.providers.loading import LoadedEmbedder, LoadedReranker
from drawwell.providers.options import ProviderOptions
from drawwell.providers.registry import provider_of

__all__ = ["embedder", "models_place", "provider_options", "reranker", "summarizer"]

_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
_YES = ("1", "ON", "YES", "TRUE")

Model = TypeVar("Model")


def models_place(settings: Settings) -> Path:
    """The folder in which models are kept."""
    named = settings.text("models")
    return Path(named).expanduser() if named else models_folder({})


def provider_options(settings: Settings, purpose: str = "embed") -> ProviderOptions:
    """How providers are used.

    Args:
        settings: of the user.
        purpose: ``embed``, ``summarizer`` or ``rerank``, for the settings that are of one purpose.
    """
    query, document = settings.text("embed_query_prompt"), settings.text("embed_document_prompt")
    usual = Prompts()
    prompts = Prompts(document or usual.document, query or usual.query) if query or document else None
    embedding = purpose == "embed"
    offline = settings.enabled("offline") or any(os.environ.get(name, "").upper() in _YES for name in _OFFLINE)
    return ProviderOptions(
        base_url=settings.text(f"{purpose}_url"),
        dimension=settings.whole("embed_dimension") if embedding else 0,
        prompts=prompts if embedding else None,
        window_tokens=settings.whole("embed_window") if embedding else 0,
        timeout_seconds=settings.number("model_timeout"),
        attempts=settings.whole("model_attempts"),
        retry_seconds=settings.number("model_retry"),
        max_concurrent=settings.whole("model_concurrency"),
        threads=settings.whole("model_threads"),
        models=models_place(settings),
        offline=offline,
        ca_file=settings.text("ca_file"),
        environment=os.environ,
    )


def embedder(settings: Settings, *, background: bool = False) -> Embedder | None:
    """The embedding model that is configured, loaded when it is first used; None without one.

    Args:
        settings: of the user.
        background: whether a local model is loaded behind the first searches, which are told so, not before them.

    Raises:
        ConfigurationError: no such provider, or no model is named.
        MissingExtra: its package is not installed, and nobody would wait to be told.
    """
    name = settings.text("embed")
    if not name:
        return None
    provider, _ = provider_of(name, registry.EMBEDDERS, "embed")
    load = partial(registry.embedder, name, provider_options(settings))
    model = LoadedEmbedder(name, load, background=background and provider.local)
    if background:
        model.begin()
    return model


def summarizer(settings: Settings) -> Summarizer | None:
    """The model for summaries that is configured; None without one. Errors as for ``embedder``."""
    name = settings.text("summarizer")
    return registry.summarizer(name, provider_options(settings, "summarizer")) if name else None


def reranker(settings: Settings, *, background: bool = False) -> Reranker | None:
    """The reranking model that is configured; None without one. Arguments and errors as for ``embedder``."""
    name = settings.text("rerank")
    if not name:
        return None
    provider, _ = provider_of(name, registry.RERANKERS, "rerank")
    load = partial(registry.reranker, name, provider_options(settings, "rerank"))
    model = LoadedReranker(name, load, background=background and provider.local)
    if background:
        model.begin()
    return model
