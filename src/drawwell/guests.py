"""Settings to models: what is configured, ready to be asked. Beside ``compose``, which hands them to the wells."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from drawwell.configuration import Settings
from drawwell.errors import Error
from drawwell.protocols import Prompts, Summarizer
from drawwell.providers import folders, registry
from drawwell.providers.hub import WELL_KNOWN, Getting, copy_model, kind_of, pull_model, try_model
from drawwell.providers.loading import LoadedEmbedder, LoadedReranker
from drawwell.providers.options import ProviderOptions
from drawwell.providers.registry import provider_of

__all__ = [
    "WELL_KNOWN",
    "KeptModel",
    "Wish",
    "embedder",
    "get_model",
    "kept_models",
    "model_faults",
    "models_place",
    "provider_options",
    "reranker",
    "summarizer",
]

_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
_YES = ("1", "ON", "YES", "TRUE")

Model = TypeVar("Model")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a provider that fails is waited for, at most; the settings may say less.

    Attributes:
        attempts: for one request.
        seconds: for one attempt.
    """

    attempts: int
    seconds: float


PATIENT = Patience(1000, 3600.0)
"""As the settings say."""
QUICK = Patience(2, 3600.0)
"""Somebody waits for an answer that words can give, but what is sent may be much."""
SEARCHING = Patience(2, 5.0)
"""Likewise, and what is sent is a query."""


def models_place(settings: Settings) -> Path:
    """The folder in which models are kept."""
    named = settings.text("models")
    return Path(named).expanduser() if named else folders.models_folder({})


def provider_options(settings: Settings, purpose: str = "embed", patience: Patience = PATIENT) -> ProviderOptions:
    """How providers are used.

    Args:
        settings: of the user.
        purpose: ``embed``, ``summarizer`` or ``rerank``, for the settings that are of one purpose.
        patience: how long to wait for it.
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
        timeout_seconds=min(settings.number("model_timeout"), patience.seconds),
        attempts=min(settings.whole("model_attempts"), patience.attempts),
        retry_seconds=settings.number("model_retry"),
        max_concurrent=settings.whole("model_concurrency"),
        threads=settings.whole("model_threads"),
        models=models_place(settings),
        offline=offline,
        ca_file=settings.text("ca_file"),
        environment=os.environ,
    )


def embedder(settings: Settings, patience: Patience = PATIENT, *, background: bool = False) -> LoadedEmbedder | None:
    """The embedding model that is configured, loaded when it is first used; None without one.

    Args:
        settings: of the user.
        patience: how long to wait for a provider that fails.
        background: whether who asks a local model before it is loaded is told so, instead of waiting.

    Raises:
        ConfigurationError: no such provider, or no model is named.
        MissingExtra: its package is not installed, and nobody would wait to be told.
    """
    name = settings.text("embed")
    if not name:
        return None
    provider, _ = provider_of(name, registry.EMBEDDERS, "embed")
    load = partial(registry.embedder, name, provider_options(settings, "embed", patience))
    return LoadedEmbedder(name, load, background=background and provider.local)


def summarizer(settings: Settings, patience: Patience = PATIENT) -> Summarizer | None:
    """The model for summaries that is configured; None without one. Arguments and errors as for ``embedder``."""
    name = settings.text("summarizer")
    return registry.summarizer(name, provider_options(settings, "summarizer", patience)) if name else None


def reranker(settings: Settings, patience: Patience = PATIENT, *, background: bool = False) -> LoadedReranker | None:
    """The reranking model that is configured; None without one. Arguments and errors as for ``embedder``."""
    name = settings.text("rerank")
    if not name:
        return None
    provider, _ = provider_of(name, registry.RERANKERS, "rerank")
    load = partial(registry.reranker, name, provider_options(settings, "rerank", patience))
    return LoadedReranker(name, load, background=background and provider.local)


@dataclass(frozen=True, slots=True)
class Wish:
    """How a model is to be got.

    Attributes:
        origin: a folder to copy it from; None for the hub.
        file: the ONNX file to take; empty for the usual.
        again: whether to get one that is there already.
        say: told what is being done, a line each.
    """

    origin: Path | None = None
    file: str = ""
    again: bool = False
    say: Callable[[str], None] = lambda _line: None


@dataclass(frozen=True, slots=True)
class KeptModel:
    """A model in a folder of this machine.

    Attributes:
        name: as it is configured, without the provider.
        kind: ``onnx`` or ``static`` for embedding, ``rerank``; empty for one that is of no use.
        folder: where it is.
        megabytes: of its files, in millions of bytes.
        source: where it came from.
        sound: whether all its files are there in their right size.
        files: SHA-256 of each, as it was noted when the model was got.
    """

    name: str
    kind: str
    folder: str
    megabytes: float
    source: str
    sound: bool
    files: Mapping[str, str]


def kept_models(settings: Settings) -> list[KeptModel]:
    """The models that are on this machine, by name."""
    return [_kept(name, folder) for name, folder in folders.present(models_place(settings))]


def get_model(settings: Settings, name: str, wish: Wish) -> KeptModel:
    """Get a model and try it. Errors as for :func:`~drawwell.providers.hub.pull_model`.

    Args:
        settings: of the user.
        name: of the model: its folder's, and on the hub.
        wish: how and where from.
    """
    getting = Getting(provider_options(settings), wish.file, wish.again, wish.say)
    folder = pull_model(name, getting) if wish.origin is None else copy_model(name, wish.origin, getting)
    return _kept(name, folder)


def model_faults(settings: Settings, names: Sequence[str] = ()) -> dict[str, list[str]]:
    """What is wrong with models, each read whole and tried; nothing for a sound one.

    Args:
        settings: of the user.
        names: or paths of their folders; none for all that are there.

    Raises:
        ConfigurationError: one is not on this machine.
    """
    place = models_place(settings)
    chosen = [(name, folders.find_folder(name, place)) for name in names] if names else folders.present(place)
    return {name: folders.faults(folder) or _untried(folder, settings) for name, folder in chosen}


def _untried(folder: Path, settings: Settings) -> list[str]:
    try:
        try_model(folder.resolve(), provider_options(settings))
    except Error as error:
        return [str(error)]
    return []


def _kept(name: str, folder: Path) -> KeptModel:
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    hashes = {file: str(about.get("sha256", "")) for file, about in folders.manifest(folder).items()}
    return KeptModel(
        name=name,
        kind=kind_of(folder),
        folder=str(folder),
        megabytes=round(size / 1e6, 1),
        source=folders.source(folder),
        sound=folders.is_sound(folder),
        files=hashes,
    )
