"""The sample corpus: the handbook of a company that does not exist, small enough to read in one sitting.

It holds what real folders hold: three years of one policy, error codes, a long table, settings, tiny questions,
pages in Japanese and German, Markdown, MDX, HTML and plain text, a redirect stub and an ignored draft.
"""

from __future__ import annotations

import shutil
from pathlib import Path

__all__ = ["QUESTION", "copy_corpus", "corpus_folder"]

QUESTION = "How long is the refund window for annual plans in 2025?"
"""A question whose answer differs between the three years of the policy."""


def corpus_folder() -> Path:
    """The sample corpus as installed. Treat it as read-only: it may belong to another user."""
    return Path(__file__).parent / "corpus"


def copy_corpus(target: Path) -> Path:
    """Copy the sample corpus to a folder that may be written to.

    Args:
        target: the folder to make; its parents must exist, it must not.

    Returns:
        ``target``.

    Raises:
        FileExistsError: ``target`` exists.
    """
    shutil.copytree(corpus_folder(), target, ignore=shutil.ignore_patterns(".drawwell", "__pycache__"))
    return target
