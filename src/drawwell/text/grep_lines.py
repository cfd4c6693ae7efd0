"""Lines that match, whatever finds the matches: their numbers, the pieces of a cut text, and what is shown of each."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from drawwell.errors import ArgumentError
from drawwell.text.budget import safe_cut

__all__ = [
    "LINE_CHARS",
    "Found",
    "LineHit",
    "Matcher",
    "Range",
    "by_script",
    "matching_lines",
    "one_for_each",
    "one_line_only",
    "window_around",
]

LINE_CHARS = 300
"""Longer lines are cut to a window of this width around the match."""
_REACH = 1000  # characters on each side of a match that decide how it is shown
Range = tuple[int, int]
"""Start and end of a match in a line."""


@dataclass(frozen=True, slots=True)
class LineHit:
    """A line that matches.

    Attributes:
        index: number of the line in the text, from 0.
        at: offset in the text of the first character of the match.
        text: the line without white space at its ends, cut to a window around the match when it is long.
    """

    index: int
    at: int
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """The matching lines of one text.

    Attributes:
        count: how many lines match.
        lines: the first of them, or all, as asked for; with cuts, a line stands once for each piece in which a
            match begins.
    """

    count: int
    lines: tuple[LineHit, ...]


class Matcher(Protocol):
    """A compiled pattern."""

    def find(self, text: str, deadline: float, *, every: bool = False, cuts: Sequence[int] = ()) -> Found | None:
        """The matching lines of a text; None without any.

        Args:
            text: any text; time is linear in it, except for patterns that need the backtracking engine.
            deadline: when to give up such a pattern, on the clock of ``time.monotonic``.
            every: give every matching line, not just the first.
            cuts: offsets, in order, at which pieces of the text begin besides the first.

        Raises:
            TimeoutError: the deadline has passed.
            ArgumentError: the pattern takes more memory than there is.
        """

    def absent(self, texts: Sequence[str]) -> bool:
        """Whether one quick look tells that no line of any text matches; False where only ``find`` can tell."""


def one_line_only(pattern: str) -> ArgumentError:
    return ArgumentError("pattern", pattern, "a pattern for single lines", "Look for one line of it, then read around")


def one_for_each(begins: Sequence[int], search: Callable[[int], Range | None]) -> Iterator[Range]:
    """The first match that begins in each piece of a line.

    Args:
        begins: where pieces begin in the line besides the first.
        search: gives the first match that begins at an offset or after it.
    """
    last = -1
    for begin in (0, *begins):
        if begin > last:
            span = search(begin)
            if span is None:
                return
            yield span
            last = span[0]


def matching_lines(
    text: str,
    bare: str,
    spans_of: Callable[[str, Sequence[int]], Iterator[Range]],
    cuts: Sequence[int],
    *,
    every: bool,
) -> Found | None:
    """The lines in which something is found.

    Args:
        text: the text.
        bare: it, or the same without the carriage returns of its line ends.
        spans_of: gives where in a line of ``bare`` the first match stands that begins in each of its pieces.
        cuts: as for ``Matcher.find``.
        every: as for ``Matcher.find``.
    """
    hits: list[LineHit] = []
    count = start = 0
    lines = bare.split("\n")
    whole_lines = lines if bare is text else text.split("\n")
    for index, line in enumerate(lines):
        begins = _inside(cuts, start, start + len(line)) if cuts else ()
        for number, span in enumerate(spans_of(line, begins)):
            count += number == 0
            if every or not hits:
                hits.append(LineHit(index, start + span[0], window_around(line, 0, len(line), span)))
        start += len(whole_lines[index]) + 1
    return Found(count, tuple(hits)) if count else None


def _inside(cuts: Sequence[int], start: int, end: int) -> list[int]:
    """The cuts within a line, counted from its start."""
    return [cut - start for cut in cuts[bisect_right(cuts, start) : bisect_left(cuts, end)]]


def window_around(text: str, first: int, last: int, span: Range) -> str:
    """A line (``first`` to ``last`` in a text) without white space at its ends, or what is around a range of it."""
    low, high = max(first, span[0] - _REACH), min(last, span[1] + _REACH)
    line, start, end = text[low:high], span[0] - low, span[1] - low
    stripped = line.strip()
    if len(stripped) <= LINE_CHARS:
        return stripped
    low = max(0, start - max(20, (LINE_CHARS - (end - start)) // 2))
    low = safe_cut(line, min(low, len(line) - LINE_CHARS))
    high = safe_cut(line, min(len(line), low + LINE_CHARS), low)
    shown = line[low:high].strip()
    return f"{'…' if line[:low].strip() else ''}{shown}{'…' if line[high:].strip() else ''}"


def by_script(texts: Sequence[str]) -> Iterator[str]:
    """The texts that are ASCII, joined, then the others, for ASCII is folded and searched several times faster."""
    for is_ascii in (True, False):
        chosen = [text for text in texts if text.isascii() is is_ascii]
        if chosen:
            yield "\n".join(chosen)
