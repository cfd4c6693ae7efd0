"""Passages cut to what a model reads at once: nothing is lost, and the title stands in front of every piece."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from drawwell.protocols import Passage

__all__ = ["fill", "halves", "pieces", "sendable"]

_PLACES = re.compile(r"\{(title|text)\}")
_BOUNDARIES = ("\n\n", "\n", ". ", " ")
_CHARS = 4
"""Characters that are tried for one token, before they are counted."""


def fill(form: str, title: str, text: str) -> str:
    """A prompt with a title and a text in it, without blanks around it. What they contain is never a place itself."""
    values = {"title": title, "text": text}
    return _PLACES.sub(lambda place: values[place[1]], form).strip()


def sendable(text: str) -> str:
    """A text as it can be sent: half a surrogate pair has no UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def pieces(passage: Passage, window: int, count: Callable[[str], int]) -> Iterator[Passage]:
    """A passage in pieces that fit a window. Their texts, joined, are its text, but for pieces of blanks only.

    Args:
        passage: a title of more than half the window is taken into the text.
        window: tokens of title and text together, at least 4.
        count: how many tokens a text has.
    """
    title, text = passage.title, passage.text
    taken = count(title) if title else 0
    if taken > window // 2:
        title, text, taken = "", f"{title}\n{text}", 0
    room = window - taken
    start = 0
    given = False
    while start < len(text):
        end = start + _fitting(text, start, room, count)
        piece = text[start:end]
        if not piece.isspace():
            yield Passage(title, piece)
            given = True
        start = end
    if not given:
        yield Passage(title, text[:1])


def _fitting(text: str, start: int, room: int, count: Callable[[str], int]) -> int:
    """How many characters make the next piece: as many as fit, back to the last good place in their last half."""
    piece = text[start : start + room * _CHARS]
    tokens = count(piece)
    while tokens > room and len(piece) > 1:
        piece = piece[: max(1, min(len(piece) - 1, len(piece) * room // tokens))]
        tokens = count(piece)
    if start + len(piece) == len(text):
        return len(piece)
    return _good_place(piece, len(piece) // 2) or len(piece)


def _good_place(piece: str, least: int) -> int:
    """Where a text is best cut, not before ``least``; 0 for nowhere."""
    for mark in _BOUNDARIES:
        found = piece.rfind(mark, least)
        if found >= 0:
            return found + len(mark)
    return 0


def halves(passage: Passage) -> tuple[Passage, Passage] | None:
    """A passage in two, for a model that finds it too long after all; None when it cannot be cut.

    A title as long as the text is cut with it; a shorter one stands in front of both.
    """
    title, text = passage.title, passage.text
    if title and len(title) >= len(text):
        title, text = "", f"{title}\n{text}"
    if len(text) < 2:
        return None
    middle = len(text) // 2
    place = _good_place(text[: middle + middle // 2], middle) or middle
    return Passage(title, text[:place]), Passage(title, text[place:])
