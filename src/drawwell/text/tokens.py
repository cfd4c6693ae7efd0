"""The tokeniser: what is written into a full-text index and what a query asks of it.

Index side and query side go through the same functions, so that they cannot disagree.

The *plain* tokens here are those of format 1.x stores: SQLite's ``unicode61`` with ``-``, ``_`` and ``.`` as token
characters, after runs of these three were taken off the ends of words.
"""

from __future__ import annotations

import re

__all__ = ["normalise_for_fts", "plain_tokens"]

# A *run* is a longest stretch of "-", "_" and ".". Each pattern begins with the run's first character, which lets the
# engine skip quickly to it, and tells by what stands before it whether it is the first. Possessive: linear time.
_RUN_AT_EDGE = re.compile(
    r"[-_.](?:"
    r"(?<![\w.-][-_.])[-_.]*+(?=[^\W_])"  # before a letter or digit, with none in front
    r"|(?<=[^\W_][-_.])[-_.]*+(?![^\W_])"  # after a letter or digit, with none behind
    r")"
)
_LONE_RUN = re.compile(
    r"(?:[-.](?<![\w.-][-.])[-.]*+_|_(?<![\w.-]_))[-_.]*+(?![^\W_])"
)  # between neither, holding an underscore
_PLAIN_TOKEN = re.compile(r"[^\W_][\w.-]*+")


def normalise_for_fts(text: str) -> str:
    """Prepare a text for ``sections_fts``, as format 1.x asks.

    Args:
        text: a section's text or heading path, any length; time is linear.

    Returns:
        The text with runs of ``-``, ``_`` and ``.`` taken off both ends of words (``--no-cache`` becomes ``no-cache``,
        ``end.`` becomes ``end``); runs inside a word stay. A run that touches no letter or digit is shortened to one
        underscore when it holds one, and stays otherwise.
    """
    stripped = _RUN_AT_EDGE.sub("", text)
    if "_" not in stripped:
        return stripped
    return _LONE_RUN.sub("_", stripped)


def plain_tokens(query: str) -> list[str]:
    """Split a query into the tokens that ``plain`` search asks for, in order, repetitions kept.

    Args:
        query: what a user or a model typed. Nothing in it is syntax.

    Returns:
        Lower-cased tokens: a letter or digit, then letters, digits, ``_``, ``.``, ``-``. Empty when there are none.
    """
    return _PLAIN_TOKEN.findall(normalise_for_fts(query.lower()))
