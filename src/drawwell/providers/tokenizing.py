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
    if not place.is_file():
        raise ConfigurationError(f"{place} is missing", ADVICE)
    try:
        tokenizer = Tokenizer.from_file(str(place))
        tokenizer.encode("a \u6f22 \U0001f600")  # some faults show only in use
        tokenizer.encode("a", "b")
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # noqa: BLE001 - a panic of the library is no Exception
        raise ConfigurationError(f"{place} cannot be read: {first_line(error)}", ADVICE) from None
    return tokenizer


def first_line(error: BaseException) -> str:
    """What a library says of a failure, as far as it fits a message."""
    return str(error).partition("\n")[0][:200]
