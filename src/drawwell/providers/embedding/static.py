"""Embeddings from a table of tokens on this machine: a text's vector is the mean of its tokens' vectors.

Read as model2vec lays such folders out: ``tokenizer.json`` and ``model.safetensors`` with ``embeddings``, where wanted
also ``weights`` (of each token) and ``mapping`` (from tokens to rows of the table). Tokens that the table does not know
are left out. A thousand times faster than a transformer, and less exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open

from drawwell.errors import ConfigurationError
from drawwell.protocols import Embedded, Embedder, ModelIdentity, Passage
from drawwell.providers.embedding.unit import check_dimension, prompts_of, stated_window, unit
from drawwell.providers.folders import config_value, find_folder, revision
from drawwell.providers.options import ProviderOptions
from drawwell.providers.tokenizing import ADVICE, first_line, load_tokenizer
from drawwell.providers.windows import fill, pieces, sendable

__all__ = ["StaticEmbedder", "make"]

_TABLES = ("embeddings", "embedding.weight")

Floats = NDArray[np.float32]


def make(model: str, options: ProviderOptions) -> Embedder:
    """The model in a folder of that name or path.

    Raises:
        ConfigurationError: there is none, or it cannot be read.
    """
    return StaticEmbedder(model, find_folder(model, options.models), options)


class StaticEmbedder:
    """A table of tokens.

    Args:
        model: its name, as the user gave it.
        folder: where it is.
        options: prompts and window, where they are to be others than the model's own.

    Raises:
        ConfigurationError: the folder has no model that can be used.
    """

    def __init__(self, model: str, folder: Path, options: ProviderOptions) -> None:
        self.name = f"static:{model}"
        self._tokenizer = load_tokenizer(folder)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._table = _Table(folder)
        self._prompts = prompts_of(folder, model, options)
        self._window = options.window_tokens or stated_window(folder)
        check_dimension(self.name, self._table.dimension, options.dimension)
        self._identity = ModelIdentity("static", model, revision(folder), self._table.dimension, self._prompts.key)

    def identity(self) -> ModelIdentity:
        """See :class:`~drawwell.protocols.Embedder`."""
        return self._identity

    def embed_documents(self, passages: Sequence[Passage]) -> Embedded:
        """See :class:`~drawwell.protocols.Embedder`. One vector for each passage unless a window is configured."""
        form = self._prompts.document
        room = max(8, self._window - self._count(fill(form, "", "")))
        cut = [
            (owner, piece)
            for owner, passage in enumerate(passages)
            for piece in (pieces(passage, room, self._count) if self._window else (passage,))
        ]
        vectors, tokens = self._vectors([fill(form, piece.title, piece.text) for _, piece in cut])
        return Embedded(vectors, tuple(owner for owner, _ in cut), tokens)

    def embed_query(self, text: str, seconds: float | None = None) -> Floats:  # noqa: ARG002 - it takes no time
        """See :class:`~drawwell.protocols.Embedder`."""
        vectors, _ = self._vectors([fill(self._prompts.query, "", text)])
        return np.asarray(vectors[0])

    def close(self) -> None:
        """See :class:`~drawwell.protocols.Embedder`: nothing is open."""

    def _count(self, text: str) -> int:
        return len(self._tokenizer.encode(sendable(text), add_special_tokens=False).ids)

    def _vectors(self, texts: Sequence[str]) -> tuple[Floats, int]:
        """One vector for each text, in order, and how many tokens were read."""
        means = np.zeros((len(texts), self._table.dimension))
        tokens = 0
        for place, text in enumerate(texts):
            ids = self._tokenizer.encode(sendable(text), add_special_tokens=False).ids
            means[place] = self._table.mean(ids)
            tokens += len(ids)
        return unit(means), tokens


class _Table:
    """The vectors of the tokens, as they are in the file: half as long numbers stay so."""

    def __init__(self, folder: Path) -> None:
        place = folder / "model.safetensors"
        try:
            with safe_open(str(place), framework="numpy") as tensors:
                named = {name: tensors.get_tensor(name) for name in tensors.keys()}  # noqa: SIM118 - it is no mapping
        except Exception as error:
            fault = f"cannot be read: {first_line(error)}" if place.is_file() else "is missing"
            raise ConfigurationError(f"{place} {fault}", ADVICE) from error
        rows = next((named[name] for name in _TABLES if name in named), None)
        if rows is None or rows.ndim != 2 or not all(rows.shape):
            raise ConfigurationError(f"{place} has no table of token vectors", "Take a model2vec model")
        self._rows = rows
        self._mapping = _flat(named.get("mapping"))
        self._weights = _flat(named.get("weights"))
        limits = [len(found) for found in (self._mapping, self._weights) if found is not None]
        self._known = min(limits) if self._mapping is not None else min([*limits, len(rows)])
        self._unknown = _unknown_token(folder)
        self.dimension = int(rows.shape[1])

    def mean(self, tokens: Sequence[int]) -> NDArray[np.float64]:
        """The mean vector of some tokens; zeros where none is known."""
        ids = np.array(tokens, np.int64)
        ids = ids[(ids < self._known) & (ids != self._unknown)]
        places = ids if self._mapping is None else self._mapping[ids].astype(np.int64)
        kept = (places >= 0) & (places < len(self._rows))
        ids, places = ids[kept], places[kept]
        if not len(ids):
            return np.zeros(self.dimension)
        numbers, counts = np.unique(places, return_counts=True)
        shares: NDArray[Any] = counts.astype(np.float64)
        if self._weights is not None:
            shares = np.bincount(np.searchsorted(numbers, places), self._weights[ids].astype(np.float64))
        found: NDArray[np.float64] = shares @ self._rows[numbers].astype(np.float64)
        return found / len(ids)


def _flat(found: NDArray[Any] | None) -> NDArray[Any] | None:
    return None if found is None else found.reshape(-1)


def _unknown_token(folder: Path) -> int:
    """The number that a tokenizer gives what it does not know; -1 where it has none."""
    model = config_value(folder, "tokenizer.json", "model")
    if not isinstance(model, dict):
        return -1
    vocabulary, name = model.get("vocab"), model.get("unk_token")
    number = vocabulary.get(name) if isinstance(vocabulary, dict) and isinstance(name, str) else model.get("unk_id")
    return number if isinstance(number, int) else -1
