"""The tokenizer of a model on this machine."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Tokenizer

from drawwell.errors import ConfigurationError

__all__ = ["ADVICE", "first_line", "load_tokenizer"]

ADVICE = "Look at it with: drawwell models verify"


def load_tokenizer(folder: Path) -> Tokenizer:
    """The tokenizer of a folder.

    Args:
        folder: with ``tokenizer.json``.

    Raises:
        ConfigurationError: there is none, or it is damaged.
    """
    place = folder / "tokenizer.json"
    try:
        return Tokenizer.from_file(str(place))
    except Exception as error:
        fault = f"cannot be read: {first_line(error)}" if place.is_file() else "is missing"
        raise ConfigurationError(f"{place} {fault}", ADVICE) from error


def first_line(error: Exception) -> str:
    """What a library says of a failure, as far as it fits a message."""
    return str(error).partition("\n")[0][:200]
