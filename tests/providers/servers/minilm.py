"""Real vectors for the servers: a sentence-embedding model in ONNX, all-MiniLM-L6-v2 for one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer


class MiniLM:
    """A model that the servers can serve.

    Args:
        folder: has ``model.onnx`` and ``tokenizer.json``.
    """

    def __init__(self, folder: str) -> None:
        self._tokenizer = Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            str(Path(folder) / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = {entry.name for entry in self._session.get_inputs()}
        self.dimension = len(self._vector("dimension"))

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """One row for each text."""
        return [self._vector(text) for text in texts]

    def tokens(self, text: str) -> int:
        """How many tokens a text has."""
        return len(self._tokenizer.encode(text).ids)

    def _vector(self, text: str) -> list[float]:
        ids = np.array([self._tokenizer.encode(text).ids[:512]], dtype=np.int64)
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        out = self._session.run(None, {name: value for name, value in given.items() if name in self._inputs})[0]
        row: list[float] = (out[0].mean(axis=0) if out.ndim == 3 else out[0]).astype(float).tolist()
        return row
