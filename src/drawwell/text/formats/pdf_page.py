"""What is known of a page of a PDF: words and ruled lines with their places.

Places are in points, with x to the right and y downwards from the page's corner, after the page has been turned so
that its text stands upright.
"""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Bookmark", "Page", "Rule", "Word"]


@dataclass(slots=True)
class Word:
    """Characters of one font that follow each other without a blank.

    Attributes:
        text: the characters.
        x0: its left edge.
        x1: its right edge.
        y: its baseline.
        top: upper edge of its font's box.
        bottom: lower edge of it.
        size: font size in effect, with all scaling.
        mono: whether all letters of its font are equally wide.
        blank: whether a blank is in front of it.
    """

    text: str
    x0: float
    x1: float
    y: float
    top: float
    bottom: float
    size: float
    mono: bool
    blank: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """A ruled line: upright at x ``at`` or lying at y ``at``, from ``low`` to ``high``."""

    upright: bool
    at: float
    low: float
    high: float


@dataclass(slots=True)
class Page:
    """One page.

    Attributes:
        number: from 1.
        width: in points, upright.
        height: in points, upright.
        words: in the order of the file.
        rules: the ruled lines.
        aside: words that are turned against the others, as they would stand upright.
        unknown: characters that the file does not say the meaning of.
        chars: characters in all, blanks left out.
        cut: whether more is on it than is looked at.
    """

    number: int
    width: float = 0.0
    height: float = 0.0
    words: list[Word] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    aside: list[Word] = field(default_factory=list)
    unknown: int = 0
    chars: int = 0
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the outline: its text, its depth from 0, and its page from 1 (0 when it names none)."""

    title: str
    depth: int
    page: int
