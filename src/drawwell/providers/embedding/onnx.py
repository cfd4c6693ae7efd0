"""Sentence embeddings by ONNX Runtime on this machine: a folder with a model and its tokenizer, no torch.

Read as sentence-transformers lays such folders out: ``model.onnx`` (or one of a few usual places), ``tokenizer.json``,
the window in ``sentence_bert_config.json``, the pooling in ``1_Pooling/config.json`` and prompts in
``config_sentence_transformers.json``. What is not said is taken as usual: mean of the tokens, vectors of length 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from drawwell.errors import ConfigurationError
from drawwell.protocols import Embedded, Embedder, ModelIdentity, Passage, Prompts
from drawwell.providers.embedding.unit import check_dimension, prompts_of, stated_window, unit
from drawwell.providers.folders import config_value, find_folder, revision
from drawwell.providers.onnx_session import CHARS, Row, open_session, run
from drawwell.providers.options import ProviderOptions
from drawwell.providers.tokenizing import load_tokenizer
from drawwell.providers.windows import fill, halves, pieces, sendable

__all__ = ["OnnxEmbedder", "make"]

_USUAL_WINDOW = 512
_LARGEST_WINDOW = 2048
"""Unless another is asked for: what attention takes grows with the square, and a longer text has several vectors."""
_POOLINGS = ("cls_token", "mean_tokens", "max_tokens")
_OTHER_POOLINGS = ("mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken")
_BY_FIRST = ("bge-", "arctic-embed", "mxbai-embed")
"""Parts of the names of models that are pooled by the first token, for folders that do not say it."""
_NO_POOLING = "Take a model that is pooled by the first token, the mean or the maximum"

Floats = NDArray[np.float32]


def make(model: str, options: ProviderOptions) -> Embedder:
    """The model in a folder of that name or path.

    Raises:
        ConfigurationError: there is none, or it cannot be read.
    """
    return OnnxEmbedder(model, find_folder(model, options.models), options)


@dataclass(frozen=True, slots=True)
class _Layout:
    """What a folder says about its model.

    Attributes:
        window: tokens of one text that are read, as configured or stated.
        stated: the most that the folder says the model reads.
        pooling: how the tokens' vectors become one.
        prompts: the form of texts.
    """

    window: int
    stated: int
    pooling: str
    prompts: Prompts

    @classmethod
    def of(cls, folder: Path, model: str, options: ProviderOptions, tokenizer: Tokenizer) -> _Layout:
        stated = stated_window(folder) or int((tokenizer.truncation or {}).get("max_length", _USUAL_WINDOW))
        window = options.window_tokens or min(stated, _LARGEST_WINDOW)
        return cls(window, stated, _pooling(folder, model), prompts_of(folder, model, options))


def _pooling(folder: Path, model: str) -> str:
    """How the tokens' vectors become one, as the folder says or as it is known of a model of that name.

    Raises:
        ConfigurationError: in a way, or in several, that are not known here.
    """
    config = "1_Pooling/config.json"
    modes = (*_POOLINGS, *_OTHER_POOLINGS)
    chosen = [mode for mode in modes if config_value(folder, config, f"pooling_mode_{mode}") is True]
    if not chosen:
        return "cls_token" if any(name in model.lower() for name in _BY_FIRST) else "mean_tokens"
    if len(chosen) > 1 or chosen[0] not in _POOLINGS:
        raise ConfigurationError(f"{folder}: its pooling is {' and '.join(chosen)}", _NO_POOLING)
    return chosen[0]


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
        vectors, _ = self._vectors(["."])
        self._try_window()
        dimension = vectors.shape[1]
        check_dimension(self.name, dimension, options.dimension)
        self._identity = ModelIdentity("onnx", model, revision(folder), dimension, self._layout.prompts.key)

    def identity(self) -> ModelIdentity:
        """See :class:`~drawwell.protocols.Embedder`."""
        return self._identity

    def embed_documents(self, passages: Sequence[Passage]) -> Embedded:
        """See :class:`~drawwell.protocols.Embedder`."""
        form = self._layout.prompts.document
        room = max(8, self._layout.window - self._special - self._count(fill(form, "", "")))
        cut = [
            (owner, whole)
            for owner, one in enumerate(passages)
            for piece in pieces(one, room, self._count)
            for whole in self._fitting(piece)
        ]
        vectors, tokens = self._vectors([fill(form, piece.title, piece.text) for _, piece in cut])
        return Embedded(vectors, tuple(owner for owner, _ in cut), tokens)

    def embed_query(self, text: str, seconds: float | None = None) -> Floats:  # noqa: ARG002 - it takes milliseconds
        """See :class:`~drawwell.protocols.Embedder`."""
        asked = text[: self._layout.window * CHARS]
        vectors, _ = self._vectors([fill(self._layout.prompts.query, "", asked)])
        return np.asarray(vectors[0])

    def close(self) -> None:
        """See :class:`~drawwell.protocols.Embedder`: nothing is open."""

    def _try_window(self) -> None:
        """Read a text as long as the window, where more is configured than the folder says.

        Raises:
            ConfigurationError: the model cannot.
        """
        length = min(self._layout.window, max(_LARGEST_WINDOW, self._layout.stated))
        if length <= self._layout.stated:
            return
        try:
            self._read(Row((0,) * length, (0,) * length, length))
        except ConfigurationError:
            raise ConfigurationError(
                f"embed_window: {self.name} does not read {length:,} tokens at once",
                f"Lower it, or leave it out: without it {min(self._layout.stated, _LARGEST_WINDOW):,} are read",
            ) from None

    def _fitting(self, piece: Passage) -> Iterator[Passage]:
        """A piece, or the halves of one whose title and text have more tokens together than each alone."""
        tokens = self._count(fill(self._layout.prompts.document, piece.title, piece.text)) + self._special
        parts = halves(piece) if tokens > self._layout.window else None
        if parts is None:
            yield piece
            return
        for part in parts:
            yield from self._fitting(part)

    def _count(self, text: str) -> int:
        return len(self._tokenizer.encode(sendable(text), add_special_tokens=False).ids)

    def _vectors(self, texts: Sequence[str]) -> tuple[Floats, int]:
        """One vector for each text, in order, and how many tokens were read."""
        encodings = self._tokenizer.encode_batch([sendable(text) for text in texts])
        rows = [Row.of(encoding, self._layout.window) for encoding in encodings]
        if not rows:
            return np.empty((0, self._identity.dimension), np.float32), 0
        return unit(np.stack([self._read(row) for row in rows])), sum(len(row.tokens) for row in rows)

    def _read(self, row: Row) -> Floats:
        output = run(self._session, row)
        if output.ndim not in (1, 2) or not output.size:
            raise ConfigurationError(
                f"{self.name} gives numbers of shape {output.shape} for a text", "Take a model for sentence embeddings"
            )
        return output if output.ndim == 1 else _pooled(output, self._layout.pooling)


def _pooled(tokens: Floats, pooling: str) -> Floats:
    """One vector from those of the tokens, shape (tokens, dimension)."""
    if pooling == "cls_token":
        return np.asarray(tokens[0])
    return np.asarray(tokens.max(axis=0) if pooling == "max_tokens" else tokens.mean(axis=0))
