"""Opening and running a transformer that ONNX Runtime reads, whatever it is for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Encoding

from drawwell.errors import ConfigurationError
from drawwell.providers.folders import onnx_file
from drawwell.providers.tokenizing import ADVICE, first_line

__all__ = ["CHARS", "Row", "open_session", "run"]

CHARS = 40
"""Characters for each token of the window, beyond which a text that is cut anyway is not even looked at."""
_OTHER = "Take an encoder for sentence embeddings or a cross-encoder"
_NOTHING = 4  # what fails is raised, and told once
_NUMBERS = {"tensor(int32)": np.int32}


def open_session(folder: Path, threads: int) -> onnxruntime.InferenceSession:
    """The model of a folder, ready to run.

    Args:
        folder: with the model in one of the usual places.
        threads: that one run may use; 0 for one per core.

    Raises:
        ConfigurationError: there is none, or it is damaged.
    """
    place = onnx_file(folder)
    if place is None:
        raise ConfigurationError(f"{folder} holds no model.onnx", ADVICE)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or os.cpu_count() or 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # it would keep what the longest texts needed for good
    options.log_severity_level = _NOTHING
    try:
        return onnxruntime.InferenceSession(str(place), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise ConfigurationError(f"{place} cannot be read as a model: {first_line(error)}", ADVICE) from error


@dataclass(frozen=True, slots=True)
class Row:
    """One text as a model reads it.

    Attributes:
        tokens: their numbers.
        types: for each the number of the text that it belongs to.
        whole: how many tokens there were before the text was cut; 0 for a text without any, which is read as padding.
    """

    tokens: Sequence[int]
    types: Sequence[int]
    whole: int

    @classmethod
    def of(cls, encoding: Encoding, window: int) -> Row:
        """A text, or a pair, cut to a window before the special tokens at its end."""
        tokens, types, special = encoding.ids, encoding.type_ids, encoding.special_tokens_mask
        count = len(tokens)
        if not count:  # a tokenizer without special tokens, and a text without any
            return cls((0,), (0,), 0)
        if count <= window:
            return cls(tokens, types, count)
        tail = next((number for number, mark in enumerate(reversed(special)) if not mark), count)
        keep, end = max(0, window - tail), count - tail
        return cls(tokens[:keep] + tokens[end:], types[:keep] + types[end:], count)


def run(session: onnxruntime.InferenceSession, row: Row) -> NDArray[np.float32]:
    """The first output for one text.

    One at a time: weights of eight bits are multiplied in a scale that all texts of a batch share, so that a text's
    vector would depend on its neighbours (cosine 0.984 to itself was seen). It costs a third more for texts of ten
    words, a tenth for forty, nothing for a hundred and fifty.

    Args:
        session: the model.
        row: the text, or the pair.

    Returns:
        The output as the model gives it, but for the first axis, which counts texts.

    Raises:
        ConfigurationError: the model does not take such input, or gives numbers that are not finite, or not one row.
    """
    tokens = np.array([row.tokens], np.int64)
    known = {
        "input_ids": tokens,
        "attention_mask": np.ones_like(tokens),
        "token_type_ids": np.array([row.types], np.int64),
        "position_ids": np.arange(tokens.shape[1])[None],
    }
    wanted = session.get_inputs()
    strange = [one.name for one in wanted if one.name not in known]
    if strange:
        raise ConfigurationError(f"the model asks for {strange[0]!r}, which is no text", _OTHER)
    inputs = {one.name: known[one.name].astype(_NUMBERS.get(one.type, np.int64)) for one in wanted}
    try:
        output = np.asarray(session.run(None, inputs)[0], np.float32)
    except Exception as error:
        raise ConfigurationError(f"the model does not take text: {first_line(error)}", ADVICE) from error
    if not np.isfinite(output).all():
        raise ConfigurationError("the model gives numbers that are not finite", ADVICE)
    if not output.ndim or len(output) != 1:
        raise ConfigurationError(f"the model gives numbers of shape {output.shape} for one text", _OTHER)
    found: NDArray[np.float32] = output[0]
    return found
