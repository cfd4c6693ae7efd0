"""Which trigrams a text must hold for a regular expression to match in it.

After R. Cox, "Regular Expression Matching with a Trigram Index" (2012): of each part of an expression is kept which
strings it can match, as long as they are few, else how its matches begin and end and what they need.

Only syntax is taken into account that means the same to both engines of :mod:`drawwell.text.grep` on every text. For a
pattern with anything else nothing is needed, so that every text is looked at.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

from drawwell.text.trigrams import SIZE, Need, any_of, both, fold_char, literal_need, strings_need

__all__ = ["pattern_need"]

_MOST_STRINGS = 128
_FEW_STRINGS = 4  # so few may be shorter than a trigram, each of which stands for many trigrams
_MOST_REPEATS = 4  # of a part that are written out
_MOST_DEPTH = 40

_GROUP = re.compile(r"\((?:\?(?:P?<[A-Za-z_]\w*>|:|>|[ims]+(?:-[ims]+)?:|-[ims]+:))?(?!\?)")
_FLAGS = re.compile(r"\(\?[ims]+\)")
_AHEAD_OR_BEHIND = re.compile(r"\(\?<?[=!]")
_QUANTIFIER = re.compile(r"[*+?][?+]?|\{([0-9]{1,4})(,?)([0-9]{0,4})\}\??")
_REPEATS = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_ESCAPE = re.compile(r"\\(?:x[0-9A-Fa-f]{2}|[pP](?:\{\^?[A-Za-z_ ]+\}|[A-Z])|[0-9]+|[^\W_]|[!-/:-@\[-`{-~ ])", re.ASCII)
_SET_OPERATIONS = ("--", "&&", "||", "~~")

_CLASSES = {"d": frozenset("0123456789"), "s": frozenset(" ")}
_ANYTHING = frozenset("wDSW")
_CONTROLS = {"t": "\t", "f": "\f", "v": "\v"}
_NO_WIDTH = frozenset("bBAzZ")
_UNSURE = frozenset("\xdf\u1e9e\u019b\u0264\u0277\u027c\ua7d3\ua7d5\uab4b\uab4c")
"""Letters that an engine may hold equal to some of a newer Unicode than Python's own tables know."""


class _Unknown(Exception):
    """A pattern has syntax that is not taken into account."""


@dataclass(frozen=True, slots=True)
class _Part:
    """What is known of the matches of a part of an expression, all folded.

    Attributes:
        exact: all strings that it can match; None when they are not known.
        starts: when ``exact`` is None: every match begins with one of these.
        ends: when ``exact`` is None: every match ends with one of these.
        need: what a text needs besides for it to match.
    """

    exact: frozenset[str] | None
    starts: frozenset[str]
    ends: frozenset[str]
    need: Need | None = None


_NOTHING = frozenset([""])
_GAP = _Part(None, _NOTHING, _NOTHING)
_EMPTY = _Part(_NOTHING, _NOTHING, _NOTHING)


def pattern_need(pattern: str, *, is_regex: bool) -> Need | None:
    """What a text must hold, folded, for a pattern to match in it.

    Args:
        pattern: as :func:`drawwell.text.grep.compile_pattern` takes it.
        is_regex: whether it is a regular expression.

    Returns:
        None when that cannot be told, so that every text has to be looked at.
    """
    if not is_regex:
        return literal_need(pattern)
    try:
        return _settled(_Parser(pattern).whole())
    except _Unknown:
        return None


def _settled(part: _Part) -> Need | None:
    """All that a text needs for a part to match."""
    if part.exact is None:
        return part.need
    shortest = SIZE - 1 if len(part.exact) <= _FEW_STRINGS else SIZE
    return both(part.need, strings_need(part.exact, shortest=shortest))


def _opened(part: _Part) -> _Part:
    """A part with its strings given up, but for how they begin and end."""
    if part.exact is None:
        return part
    starts = _few({string[: SIZE - 1] for string in part.exact}, from_start=True)
    ends = _few({string[1 - SIZE :] for string in part.exact}, from_start=False)
    return _Part(None, starts, ends, _settled(part))


def _few(strings: Iterable[str], *, from_start: bool) -> frozenset[str]:
    """How strings begin, or end, as far as it takes few different strings to say so."""
    kept = frozenset(strings)
    for size in range(SIZE - 2, -1, -1):
        if len(kept) <= _MOST_STRINGS:
            break
        kept = frozenset(string[:size] if from_start else string[len(string) - size :] for string in kept)
    return kept


def _joined(firsts: frozenset[str], seconds: frozenset[str]) -> frozenset[str] | None:
    """Every first string with every second behind it; None when those are too many."""
    if len(firsts) * len(seconds) > _MOST_STRINGS:
        return None
    return frozenset(first + second for first, second in product(firsts, seconds))


def _then(first: _Part, second: _Part) -> _Part:
    """One part right behind another."""
    if first.exact is not None and second.exact is not None:
        exact = _joined(first.exact, second.exact)
        if exact is not None:
            return _Part(exact, _NOTHING, _NOTHING, both(first.need, second.need))
    before, after = _opened(first), _opened(second)
    border = _joined(before.ends, after.starts)
    crossing = strings_need(border) if border is not None else None
    starts, ends = before.starts, after.ends
    if first.exact is not None and (longer := _joined(first.exact, after.starts)) is not None:
        starts = _few({string[: SIZE - 1] for string in longer}, from_start=True)
    if second.exact is not None and (longer := _joined(before.ends, second.exact)) is not None:
        ends = _few({string[1 - SIZE :] for string in longer}, from_start=False)
    return _Part(None, starts, ends, both(before.need, after.need, crossing))


def _either(parts: list[_Part]) -> _Part:
    """One of several parts."""
    if len(parts) == 1:
        return parts[0]
    exact = frozenset(string for part in parts for string in part.exact or ())
    if all(part.exact is not None and part.need is None for part in parts) and len(exact) <= _MOST_STRINGS:
        return _Part(exact, _NOTHING, _NOTHING)
    opened = [_opened(part) for part in parts]
    starts = _few({string for part in opened for string in part.starts}, from_start=True)
    ends = _few({string for part in opened for string in part.ends}, from_start=False)
    return _Part(None, starts, ends, any_of(part.need for part in opened))


def _repeated(part: _Part, least: int, most: int | None) -> _Part:
    """A part several times in a row."""
    if least == 0:
        return _either([_EMPTY, part]) if most == 1 else _GAP
    whole = part
    for _ in range(min(least, _MOST_REPEATS) - 1):
        whole = _then(whole, part)
    if most == least <= _MOST_REPEATS:
        return whole
    return _opened(whole)


def _any_char(chars: Iterable[str]) -> _Part:
    """One of some characters."""
    folded: set[str] = set()
    for char in chars:
        if char in _UNSURE or unicodedata.category(char) == "Cn":
            return _GAP
        folded.add(fold_char(char))
        if len(folded) > _MOST_STRINGS:
            return _GAP
    return _Part(frozenset(folded), _NOTHING, _NOTHING)


class _Parser:
    """Reads a pattern from left to right, once."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._place = 0

    def whole(self) -> _Part:
        """The pattern as one part."""
        part = self._alternatives(0)
        if self._place < len(self._pattern):
            raise _Unknown
        return part

    def _alternatives(self, depth: int) -> _Part:
        if depth > _MOST_DEPTH:
            raise _Unknown
        parts = [self._sequence(depth)]
        while self._pattern.startswith("|", self._place):
            self._place += 1
            parts.append(self._sequence(depth))
        return _either(parts)

    def _sequence(self, depth: int) -> _Part:
        whole = _EMPTY
        while self._place < len(self._pattern) and self._pattern[self._place] not in "|)":
            whole = _then(whole, self._quantified(self._item(depth)))
        return whole

    def _quantified(self, part: _Part) -> _Part:
        found = _QUANTIFIER.match(self._pattern, self._place)
        if not found:
            return part
        self._place = found.end()
        if self._pattern[self._place : self._place + 1] in ("*", "+", "?", "{"):
            raise _Unknown
        if found[1] is None:
            return _repeated(part, *_REPEATS[found[0][0]])
        least = int(found[1])
        most = int(found[3]) if found[3] else None
        return _repeated(part, least, most if found[2] else least)

    def _item(self, depth: int) -> _Part:
        char = self._pattern[self._place]
        if char == "(":
            return self._group(depth)
        if char == "[":
            return self._class()
        if char == "\\":
            return self._escape()
        if char in "*+?{}]":
            raise _Unknown
        self._place += 1
        if char in "^$":
            return _EMPTY
        return _GAP if char == "." else _any_char(char)

    def _group(self, depth: int) -> _Part:
        if flags := _FLAGS.match(self._pattern, self._place):
            self._place = flags.end()
            return _EMPTY
        around = _AHEAD_OR_BEHIND.match(self._pattern, self._place)
        found = around or _GROUP.match(self._pattern, self._place)
        if found is None:
            raise _Unknown
        self._place = found.end()
        inside = self._alternatives(depth + 1)
        if not self._pattern.startswith(")", self._place):
            raise _Unknown
        self._place += 1
        if around is None:
            return inside
        need = _settled(inside) if around[0].endswith("=") else None
        return _Part(_NOTHING, _NOTHING, _NOTHING, need)

    def _escape(self) -> _Part:
        kind = self._take_escape()
        if len(kind) == 1 and kind in _NO_WIDTH:
            return _EMPTY
        chars = self._meaning(kind)
        return _GAP if chars is None else _any_char(chars)

    def _take_escape(self) -> str:
        found = _ESCAPE.match(self._pattern, self._place)
        if found is None:
            raise _Unknown
        self._place = found.end()
        return found[0][1:]

    def _meaning(self, kind: str) -> Iterable[str] | None:
        """The characters for which an escape stands, by what is behind its backslash; None when they are many."""
        if kind in _CLASSES:
            return _CLASSES[kind]
        if kind in _CONTROLS:
            return _CONTROLS[kind]
        if kind in _ANYTHING or kind == "r" or kind[0] in "pP" or kind[0].isdigit():
            return None  # a back-reference takes the digits behind it with it, whatever their number means
        if kind[0] == "x" and len(kind) == SIZE:
            return chr(int(kind[1:], 16))
        if kind.isalnum():
            raise _Unknown
        return kind

    def _class(self) -> _Part:
        pattern = self._pattern
        self._place += 1
        negated = pattern.startswith("^", self._place)
        self._place += negated
        chars: set[str] | None = set()
        first = True
        while first or not pattern.startswith("]", self._place):
            more = self._class_item()
            chars = chars | set(more) if chars is not None and more is not None else None
            first = False
        self._place += 1
        return _GAP if negated or chars is None else _any_char(sorted(chars))

    def _class_item(self) -> Iterable[str] | None:
        """A character, an escape or a range in a class: the characters for which it stands; None for many."""
        if any(self._pattern.startswith(sign, self._place) for sign in _SET_OPERATIONS):
            raise _Unknown
        low = self._class_char()
        if self._pattern.startswith("--", self._place):
            raise _Unknown
        after = self._pattern[self._place + 1 : self._place + 2]
        if self._pattern[self._place : self._place + 1] != "-" or after in ("]", ""):
            return low
        self._place += 1
        high = self._class_char()
        if low is None or high is None or not isinstance(low, str) or not isinstance(high, str):
            raise _Unknown
        if ord(high) - ord(low) > _MOST_STRINGS:
            return None
        return [chr(code) for code in range(ord(low), ord(high) + 1)]

    def _class_char(self) -> Iterable[str] | None:
        char = self._pattern[self._place : self._place + 1]
        if char == "\\":
            kind = self._take_escape()
            if kind[0].isdigit() or kind in _NO_WIDTH:
                raise _Unknown  # numbers of characters, a backspace
            return self._meaning(kind)
        if char in ("", "["):
            raise _Unknown
        self._place += 1
        return char
