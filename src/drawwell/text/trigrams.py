"""Trigrams: which ones a text holds, and which ones a text must hold for a pattern to match in it.

Both sides are folded first, coarser than any way in which :mod:`drawwell.text.grep` disregards case: whatever it finds
equal is equal when folded. Folding works character by character, so what lies in a text lies folded in the folded text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = [
    "PADDING",
    "SIZE",
    "AllOf",
    "AnyOf",
    "Need",
    "any_of",
    "both",
    "fold",
    "fold_char",
    "literal_need",
    "strings_need",
]

SIZE = 3

_DOT_ABOVE = "\u0307"
_ASCII_SPACES = "\t\n\x0b\x0c\r"
_OTHER_SPACES = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_ZEROS = (  # the digit 0 of every script but ASCII's, of Unicode 17, which is newer than Python's own tables
    "0660 06f0 07c0 0966 09e6 0a66 0ae6 0b66 0be6 0c66 0ce6 0d66 0de6 0e50 0ed0 0f20 1040 1090 17e0 1810 1946 19d0 1a80"
    " 1a90 1b50 1bb0 1c40 1c50 a620 a8d0 a900 a9d0 a9f0 aa50 abf0 ff10 104a0 10d30 10d40 11066 110f0 11136 111d0 112f0"
    " 11450 114d0 11650 116c0 116d0 116da 11730 118e0 11950 11bf0 11c50 11d50 11da0 11de0 11f50 16130 16a60 16ac0 16b50"
    " 16d70 1ccf0 1d7ce 1d7d8 1d7e2 1d7ec 1d7f6 1e140 1e2f0 1e4f0 1e5f1 1e950 1fbf0"
)
_COARSER: dict[str, str] = {
    **dict.fromkeys(_ASCII_SPACES + _OTHER_SPACES, " "),
    **{chr(int(zero, 16) + digit): str(digit) for zero in _ZEROS.split() for digit in range(10)},
    _DOT_ABOVE: "",  # what is left of a dotted capital I
    "\u0131": "i",
}
"""Spaces, digits and the Turkish letters i, as one each: what classes of regular expressions do not tell apart."""

_ASCII_TABLE = {ord(char): " " for char in _ASCII_SPACES}
_FAR_TABLE = {ord(char): coarser for char, coarser in _COARSER.items() if char > "\uffff"}
_NEAR = re.compile("[" + "".join(re.escape(char) for char in _COARSER if char <= "\uffff") + "]")
_FAR = re.compile("[\U00010000-\U0010ffff]")  # by themselves, for a class that holds them is forty times slower


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every part is needed."""

    parts: frozenset[Need]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """One of the parts is needed."""

    parts: frozenset[Need]


Need = str | AllOf | AnyOf
"""What a text must hold, folded, to be worth a look: a trigram, or all or any of several needs. What is shorter than a
trigram begins one, as long as the text has blanks behind it (``PADDING``)."""

PADDING = " " * (SIZE - 1)
"""What is put behind a text before its trigrams are taken, so that each of its characters begins one."""


def fold(text: str) -> str:
    """A text as its trigrams are taken from it: without case, with all spaces, line ends and digits as ASCII's."""
    folded = text.casefold()
    if folded.isascii():
        return folded.translate(_ASCII_TABLE)
    folded = _NEAR.sub(lambda found: _COARSER[found[0]], folded)
    return folded.translate(_FAR_TABLE) if _FAR.search(folded) else folded


def fold_char(char: str) -> str:
    """One character, folded: as a part of any text is, so of 0 to 3 characters."""
    folded = char.casefold()
    return "".join(_COARSER.get(one, one) for one in folded)


def literal_need(pattern: str) -> Need | None:
    """What a text must hold to contain a pattern literally, but for case; None when that cannot be told."""
    return strings_need([fold(pattern)], shortest=1)


def strings_need(strings: Iterable[str], *, shortest: int = SIZE) -> Need | None:
    """What a text must hold to contain one of some folded strings.

    Args:
        strings: the strings.
        shortest: the length from which on a string says anything.

    Returns:
        None when one of the strings is shorter, or there are none.
    """
    found = {_grams(string, shortest) for string in strings}
    if frozenset() in found or not found:
        return None
    shared = frozenset.intersection(*found)
    return both(*shared, any_of(both(*(grams - shared)) for grams in found))


def _grams(string: str, shortest: int) -> frozenset[Need]:
    if len(string) < SIZE:
        return frozenset([string] if len(string) >= shortest else [])
    return frozenset(string[at : at + SIZE] for at in range(len(string) - SIZE + 1))


def any_of(needs: Iterable[Need | None]) -> Need | None:
    """One of several needs; None, so nothing, when one of them is None."""
    parts: set[Need] = set()
    for need in needs:
        if need is None:
            return None
        parts |= need.parts if isinstance(need, AnyOf) else {need}
    return next(iter(parts)) if len(parts) == 1 else AnyOf(frozenset(parts))


def both(*needs: Need | None) -> Need | None:
    """All of several needs; those that are None ask for nothing."""
    parts: set[Need] = set()
    for need in needs:
        if need is not None:
            parts |= need.parts if isinstance(need, AllOf) else {need}
    if not parts:
        return None
    return next(iter(parts)) if len(parts) == 1 else AllOf(frozenset(parts))
