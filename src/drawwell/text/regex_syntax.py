"""What has to be known of a user's regular expression before it is given to an engine."""

from __future__ import annotations

import re

__all__ = ["RegexSyntax", "calls_itself"]

_FLAGS = re.compile(r"\(\?([a-zA-Z-]+)[:)]")
_ESCAPE = re.compile(r"\\.")
_RECURSION = re.compile(r"\(\?(?:R\)|[+-]?[0-9]|P?[&>])(?<!\(\?>)")
"""A call of the pattern by itself or of one of its groups, which the ``regex`` module follows until memory ends."""

_CLASSES = {
    "w": r"\p{L}\p{M}\p{N}\p{Pc}",
    "d": r"\p{Nd}",
    "s": r"\s\x0b\x{85}\p{Z}",
}

_LOOKS_AWAY = re.compile(r"\(\?<?!|\(\?>|[*+?}]\+")


def calls_itself(pattern: str) -> bool:
    """Whether a pattern calls itself or one of its groups."""
    return _RECURSION.search(_ESCAPE.sub("", pattern)) is not None


class RegexSyntax:
    """What has to be known of a regular expression before it runs, from one pass over its characters.

    Attributes:
        written_out: with Unicode's letters, digits and spaces in place of RE2's, which are ASCII's.
        needs_borders: it asks for what cannot be written out so: word borders, negated classes inside a class.
        crosses_lines: it names a line break outside a class, so it can match in no single line.
        whole_first: where it matches a line, it matches the whole text too, so that may be asked first.
        looks_away: it has a negative look-around, an atomic group or a possessive repetition, which may match in a
            line and not in the text around it.
    """

    def __init__(self, pattern: str) -> None:
        self.needs_borders = False
        self.crosses_lines = False
        self.whole_first = True
        self.looks_away = _LOOKS_AWAY.search(pattern) is not None
        self._pattern = pattern
        self._place = 0
        self._in_class = False
        pieces = []
        while self._place < len(pattern):
            pieces.append(self._next())
        self.written_out = "".join(pieces)

    def _next(self) -> str:
        pattern, start = self._pattern, self._place
        char = pattern[start]
        self._place += 1
        if char == "\\" and start + 1 < len(pattern):
            self._place += 1
            return self._escape(pattern[start + 1])
        if self._in_class:
            if char == "]":
                self._in_class = False
            elif char == "[" and pattern[start + 1 : start + 2] == ":":
                return self._take_to(":]", start)
        elif char == "[":
            self._in_class = True
            self._place += pattern[start + 1 : start + 2] == "^"
            self._place += pattern[self._place : self._place + 1] == "]"
        elif char == "(" and pattern[start + 1 : start + 2] == "?":
            flags = _FLAGS.match(pattern, start)
            if flags and not set("-s").isdisjoint(flags[1]):
                self.whole_first = False
        return pattern[start : self._place]

    def _escape(self, char: str) -> str:
        if char == "Q" and not self._in_class:
            return self._take_to("\\E", self._place - 2)
        if char in "AzZ":
            self.whole_first = False
        elif char in "bB" and not self._in_class:
            self.needs_borders = True
        elif char == "n" and not self._in_class:
            self.crosses_lines = True
        inside = _CLASSES.get(char.lower())
        if inside is None:
            return "\\" + char
        if self._in_class:
            self.needs_borders = self.needs_borders or char.isupper()
            return "\\" + char if char.isupper() else inside
        return f"[^{inside}]" if char.isupper() else f"[{inside}]"

    def _take_to(self, end: str, start: int) -> str:
        found = self._pattern.find(end, start)
        self._place = len(self._pattern) if found == -1 else found + len(end)
        return self._pattern[start : self._place]
