"""What the models on this machine share: vectors of length 1, prompts, and the dimension that is asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from drawwell.errors import ConfigurationError
from drawwell.protocols import Prompts
from drawwell.providers.folders import config_value
from drawwell.providers.options import ProviderOptions
from drawwell.providers.prompts import known_prompts

__all__ = ["check_dimension", "prompts_of", "stated_window", "unit"]

Floats = NDArray[np.float32]


def unit(vectors: NDArray[np.floating]) -> Floats:
    """Vectors in length 1. One of zeros, from a text without a token, becomes the one that is alike in every place."""
    exact = vectors.astype(np.float64)
    lengths = np.linalg.norm(exact, axis=1, keepdims=True)
    alike = np.full(vectors.shape[1], vectors.shape[1] ** -0.5)
    return np.where(lengths > 0, exact / np.where(lengths > 0, lengths, 1), alike).astype(np.float32)


def check_dimension(name: str, dimension: int, asked: int) -> None:
    """Refuse a dimension that a model does not give.

    Args:
        name: provider and model.
        dimension: numbers in its vectors.
        asked: what is configured; 0 for nothing.

    Raises:
        ConfigurationError: they differ.
    """
    if asked and asked != dimension:
        raise ConfigurationError(
            f"{name} gives vectors of {dimension} numbers, and {asked} are asked for",
            "Leave the dimension out, or take another model",
        )


def prompts_of(folder: Path, model: str, options: ProviderOptions) -> Prompts:
    """The form of texts: as configured, as the folder says, or as it is known of a model of that name."""
    if options.prompts:
        return options.prompts
    given = config_value(folder, "config_sentence_transformers.json", "prompts")
    if isinstance(given, dict) and isinstance(query := given.get("query"), str):
        document = given.get("document", given.get("passage"))
        front = document if isinstance(document, str) else ""
        return Prompts(document=f"{front}{{title}}\n{{text}}", query=f"{query}{{text}}")
    return known_prompts(model)


def stated_window(folder: Path) -> int:
    """How many tokens of a text the model reads, as its folder says; 0 where it does not."""
    stated = config_value(folder, "sentence_bert_config.json", "max_seq_length")
    return stated if isinstance(stated, int) and stated > 0 else 0
