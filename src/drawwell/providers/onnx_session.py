"""Opening and running a transformer that ONNX Runtime reads, whatever it is for."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from drawwell.errors import ConfigurationError

__all__ = ["config_value", "load_tokenizer", "open_session", "run"]

_PLACES = (
    "model.onnx",
    "onnx/model_qint8_avx512_vnni.onnx",
    "onnx/model_quantized.onnx",
    "onnx/model_int8.onnx",
    "onnx/model.onnx",
)
_ADVICE = "Look at it with: drawwell models verify"
_ERRORS_ONLY = 3


def open_session(folder: Path, threads: int) -> onnxruntime.InferenceSession:
    """The model of a folder, ready to run.

    Args:
        folder: with the model in one of the usual places.
        threads: that one run may use; 0 for one per core.

    Raises:
        ConfigurationError: there is none, or it is damaged.
    """
    place = next((folder / name for name in _PLACES if (folder / name).is_file()), None)
    place = place or next(iter(sorted(folder.glob("*.onnx"))), None)
    if place is None:
        raise ConfigurationError(f"{folder} holds no model.onnx", _ADVICE)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or os.cpu_count() or 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # it would keep what the longest texts needed for good
    options.log_severity_level = _ERRORS_ONLY
    try:
        return onnxruntime.InferenceSession(str(place), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise ConfigurationError(f"{place} cannot be read as a model: {_first_line(error)}", _ADVICE) from error


def load_tokenizer(folder: Path) -> Tokenizer:
    """The tokenizer of a folder.

    Raises:
        ConfigurationError: there is none, or it is damaged.
    """
    place = folder / "tokenizer.json"
    try:
        return Tokenizer.from_file(str(place))
    except Exception as error:
        fault = f"cannot be read: {_first_line(error)}" if place.is_file() else "is missing"
        raise ConfigurationError(f"{place} {fault}", _ADVICE) from error


def config_value(folder: Path, name: str, key: str) -> Any:
    """A value of one of a model's JSON files; None where there is none."""
    try:
        found = json.loads((folder / name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found.get(key) if isinstance(found, dict) else None


def run(
    session: onnxruntime.InferenceSession, tokens: NDArray[np.int64], mask: NDArray[np.int64]
) -> NDArray[np.float32]:
    """The first output for some tokens. What else the model asks for, such as token types, is given as 0.

    Args:
        session: the model.
        tokens: numbers of tokens, shape (texts, longest).
        mask: 1 where there is one, 0 for padding.

    Raises:
        ConfigurationError: the model does not take such input.
    """
    known = {"input_ids": tokens, "attention_mask": mask}
    inputs = {one.name: known.get(one.name, np.zeros_like(tokens)) for one in session.get_inputs()}
    try:
        return np.asarray(session.run(None, inputs)[0], np.float32)
    except Exception as error:
        raise ConfigurationError(f"the model does not take text: {_first_line(error)}", _ADVICE) from error


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:200]
