"""Reranking by ONNX Runtime on this machine: a cross-encoder's folder, with ``model.onnx`` and ``tokenizer.json``.

A query and a passage are read together, put between the special tokens by the tokenizer's own template. The last number
that comes out counts: the only one of a model with one label, that of "relevant" of a model with two.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer

from drawwell.errors import ConfigurationError, DependencyError
from drawwell.protocols import Reranker
from drawwell.providers.folders import find_folder
from drawwell.providers.onnx_session import CHARS, Row, open_session, run
from drawwell.providers.options import ProviderOptions
from drawwell.providers.tokenizing import load_tokenizer
from drawwell.providers.windows import sendable

__all__ = ["OnnxReranker", "make"]

_WINDOW = 512


def make(model: str, options: ProviderOptions) -> Reranker:
    """The model in a folder of that name or path.

    Raises:
        ConfigurationError: there is none, it cannot be read, or it is no cross-encoder.
    """
    return OnnxReranker(model, find_folder(model, options.models), options)


class OnnxReranker:
    """A cross-encoder.

    Args:
        model: its name, as the user gave it.
        folder: where it is.
        options: threads.

    Raises:
        ConfigurationError: the folder has no model that can be used.
    """

    def __init__(self, model: str, folder: Path, options: ProviderOptions) -> None:
        self.name = f"onnx:{model}"
        self._session = open_session(folder, options.threads)
        self._tokenizer = load_tokenizer(folder)
        stated = (self._tokenizer.truncation or {}).get("max_length", _WINDOW)
        self._window = min(int(stated), _WINDOW)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self.scores("query", ["passage"])

    def scores(self, query: str, passages: Sequence[str], seconds: float | None = None) -> list[float]:
        """See :class:`~drawwell.protocols.Reranker`. The time is looked at before each passage."""
        end = None if seconds is None else time.monotonic() + seconds
        asked = _beginning(query, self._window // 2, self._tokenizer)
        found = []
        for passage in passages:
            if end is not None and time.monotonic() >= end:
                raise DependencyError(
                    f"{self.name}: no answer within {seconds:g} seconds", "Rerank fewer hits, or take a smaller model"
                )
            pair = self._tokenizer.encode(asked, sendable(passage[: self._window * CHARS]))
            found.append(self._score(Row.of(pair, self._window)))
        return found

    def close(self) -> None:
        """See :class:`~drawwell.protocols.Reranker`: nothing is open."""

    def _score(self, row: Row) -> float:
        output = run(self._session, row).reshape(-1)
        if not 1 <= len(output) <= 2:
            raise ConfigurationError(
                f"{self.name} is no cross-encoder: it gives {len(output):,} numbers for a pair of texts",
                "Take a model for reranking, such as cross-encoder/ms-marco-MiniLM-L12-v2",
            )
        return float(output[-1])


def _beginning(text: str, tokens: int, tokenizer: Tokenizer) -> str:
    """As much of a text as some tokens hold."""
    text = sendable(text[: tokens * CHARS])
    offsets = tokenizer.encode(text, add_special_tokens=False).offsets
    return text if len(offsets) <= tokens else text[: offsets[tokens - 1][1]]
