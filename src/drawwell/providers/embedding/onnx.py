"""Sentence embeddings by ONNX Runtime on this machine: a folder with a model and its tokenizer, no torch.

Read as sentence-transformers lays such folders out: ``model.onnx`` (or one of a few usual places), ``tokenizer.json``,
the window in ``sentence_bert_config.json``, the pooling in ``1_Pooling/config.json`` and prompts in
``config_sentence_transformers.json``. What is not said is taken as usual: mean of the tokens, vectors of length 1.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from drawwell.errors import ConfigurationError
from drawwell.protocols import Embedded, Embedder, ModelIdentity, Passage, Prompts
from drawwell.providers.folders import find_folder, revision
from drawwell.providers.onnx_session import config_value, load_tokenizer, open_session, run
from drawwell.providers.options import ProviderOptions
from drawwell.providers.prompts import known_prompts
from drawwell.providers.windows import fill, pieces

__all__ = ["OnnxEmbedder", "make"]

_BATCH = 8
_BATCH_TOKENS = 512
"""Texts, and tokens with their padding, at a time: as fast as more, in a fraction of the memory."""
_USUAL_WINDOW = 512
_POOLINGS = ("cls_token", "mean_tokens", "max_tokens")

Floats = NDArray[np.float32]


def make(model: str, options: ProviderOptions) -> Embedder:
    """The model in a folder of that name or path.

    Raises:
        ConfigurationError: there is none, or it cannot be read.
    """
    return OnnxEmbedder(model, find_folder(model, options.models), options)


@dataclass(frozen=True, slots=True)
class _Layout:
    """What a folder says about its model."""

    window: int
    pooling: str
    prompts: Prompts

    @classmethod
    def of(cls, folder: Path, model: str, options: ProviderOptions, tokenizer: Tokenizer) -> _Layout:
        window = options.window_tokens or int(config_value(folder, "sentence_bert_config.json", "max_seq_length") or 0)
        if not window:
            window = int((tokenizer.truncation or {}).get("max_length") or _USUAL_WINDOW)
        pooling = next(
            (one for one in _POOLINGS if config_value(folder, "1_Pooling/config.json", f"pooling_mode_{one}")),
            "mean_tokens",
        )
        return cls(window, pooling, options.prompts or _prompts(folder, model))


def _prompts(folder: Path, model: str) -> Prompts:
    """The form that the folder gives, or that is known of the model."""
    given = config_value(folder, "config_sentence_transformers.json", "prompts")
    if isinstance(given, dict) and isinstance(query := given.get("query"), str):
        document = given.get("document", given.get("passage", ""))
        return Prompts(document=f"{document or ''}{{title}}\n{{text}}", query=f"{query}{{text}}")
    return known_prompts(model)


class OnnxEmbedder:
    """A sentence-embedding model.

    Args:
        model: its name, as the user gave it.
        folder: where it is.
        options: threads, prompts and window, where they are to be others than the model's own.

    Raises:
        ConfigurationError: the folder has no model that can be used.
    """

    def __init__(self, model: str, folder: Path, options: ProviderOptions) -> None:
        self.name = f"onnx:{model}"
        self._session = open_session(folder, options.threads)
        self._tokenizer = load_tokenizer(folder)
        self._layout = _Layout.of(folder, model, options, self._tokenizer)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._special = len(self._tokenizer.encode("").ids)
        self._lock = threading.Lock()
        dimension = self._vectors(["."]).shape[1]
        if options.dimension and options.dimension != dimension:
            raise ConfigurationError(
                f"{self.name} gives vectors of {dimension} numbers, and {options.dimension} are asked for",
                "Leave the dimension out, or take another model",
            )
        self._identity = ModelIdentity("onnx", model, revision(folder), dimension, self._layout.prompts.key)

    def identity(self) -> ModelIdentity:
        """See :class:`~drawwell.protocols.Embedder`."""
        return self._identity

    def embed_documents(self, passages: Sequence[Passage]) -> Embedded:
        """See :class:`~drawwell.protocols.Embedder`."""
        form = self._layout.prompts.document
        room = max(8, self._layout.window - self._special - self._count(fill(form, "", "")))
        cut = [(owner, piece) for owner, one in enumerate(passages) for piece in pieces(one, room, self._count)]
        texts = [fill(form, piece.title, piece.text) for _, piece in cut]
        vectors = self._vectors(texts) if texts else np.empty((0, self._identity.dimension), np.float32)
        tokens = sum(len(encoding.ids) for encoding in self._tokenizer.encode_batch(texts))
        return Embedded(vectors, tuple(owner for owner, _ in cut), tokens)

    def embed_query(self, text: str, seconds: float | None = None) -> Floats:  # noqa: ARG002 - it takes a millisecond
        """See :class:`~drawwell.protocols.Embedder`."""
        return np.asarray(self._vectors([fill(self._layout.prompts.query, "", text)])[0])

    def close(self) -> None:
        """See :class:`~drawwell.protocols.Embedder`: nothing is open."""

    def _count(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def _vectors(self, texts: Sequence[str]) -> Floats:
        """One vector for each text, in order. Texts of like length are read together."""
        encodings = self._tokenizer.encode_batch(list(texts))
        ids = [encoding.ids[: self._layout.window] for encoding in encodings]
        order = sorted(range(len(ids)), key=lambda place: -len(ids[place]))
        found: list[Floats | None] = [None] * len(ids)
        for batch in _batches(order, [len(row) for row in ids]):
            for place, vector in zip(batch, self._read([ids[place] for place in batch]), strict=True):
                found[place] = vector
        return np.stack([vector for vector in found if vector is not None])

    def _read(self, rows: Sequence[Sequence[int]]) -> Floats:
        longest = max(map(len, rows))
        tokens = np.zeros((len(rows), longest), np.int64)
        mask = np.zeros((len(rows), longest), np.int64)
        for place, row in enumerate(rows):
            tokens[place, : len(row)] = row
            mask[place, : len(row)] = 1
        output = run(self._session, tokens, mask)
        vectors = output if output.ndim == 2 else _pooled(output, mask, self._layout.pooling)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.maximum(lengths, 1e-12), np.float32)


def _pooled(output: Any, mask: NDArray[np.int64], pooling: str) -> Floats:
    """One vector for each text, from those of its tokens."""
    if pooling == "cls_token":
        return np.asarray(output[:, 0], np.float32)
    kept = mask[:, :, None].astype(np.float32)
    if pooling == "max_tokens":
        return np.asarray(np.where(kept > 0, output, -np.inf).max(axis=1), np.float32)
    return np.asarray((output * kept).sum(axis=1) / np.maximum(kept.sum(axis=1), 1e-9), np.float32)


def _batches(order: Sequence[int], lengths: Sequence[int]) -> Iterator[Sequence[int]]:
    """Places of texts to read together, longest first."""
    start = 0
    while start < len(order):
        count = max(1, min(_BATCH, _BATCH_TOKENS // max(1, lengths[order[start]])))
        yield order[start : start + count]
        start += count
