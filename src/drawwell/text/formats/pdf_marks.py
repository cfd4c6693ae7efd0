"""The marks of list items, as they stand at the start of a line."""

from __future__ import annotations

import re
from typing import NamedTuple

from drawwell.text.formats.pdf_layout import Line

__all__ = ["Mark", "mark_of"]

_BULLET = re.compile(r"([•◦▪▫‣⁃●○■□◆➢➤✓])\s*(?=\S)|([-–—*·])\s+(?=\S)")
_NUMBER = re.compile(r"(\d{1,3})([.)])\s+(?=\S)")
_OTHER = re.compile(r"(?:[A-Za-z]\)|\((?:[A-Za-z]|[ivx]{1,4}|\d{1,3})\)|\[\d{1,3}\])\s+(?=\S)")


class Mark(NamedTuple):
    """A mark: as Markdown has it, the text behind it, and whether it can be nothing but a mark."""

    mark: str
    text: str
    sure: bool


def mark_of(line: Line) -> Mark | None:
    """The mark that a line begins with; None without one."""
    text = line.text
    if found := _BULLET.match(text):
        return Mark("-", text[found.end() :], bool(found[1]))
    if found := _NUMBER.match(text):
        return Mark(found[1] + found[2], text[found.end() :], sure=False)
    if _OTHER.match(text):
        return Mark("-", text, sure=False)
    if len(line.cells) > 1 and line.cells[0].text == "o":  # the hollow bullet of a word processor
        return Mark("-", text[1:].lstrip(), sure=True)
    return None
