"""Token budgets: how much a text costs a model, and where to cut one that costs too much.

The estimate is a rule of thumb, not a tokenizer: four characters make a token, but for East Asian characters and
everything beyond the basic plane (emoji among them), which take about one token each. It is linear and fast.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

__all__ = ["CHARS_PER_TOKEN", "estimate_tokens", "fitting", "json_quarters", "quarters", "safe_cut"]

CHARS_PER_TOKEN = 4

# First bytes of the UTF-8 forms of U+3000 to U+DFFF, U+F000 to U+FFFF and U+10000 onwards.
_WIDE = frozenset((*range(0xE3, 0xEE), *range(0xEF, 0xF5)))
_NARROW_BYTES = bytes(byte for byte in range(256) if byte not in _WIDE)
_SHORT_ESCAPES = b'"\\\n\r\t\b\f'
_LONG_ESCAPES = bytes(byte for byte in range(32) if byte not in _SHORT_ESCAPES)
_LONGEST_CLUSTER = 32  # code points looked back over for the start of a user-visible character


def quarters(text: str) -> int:
    """Cost of a text in quarters of a token, which adds up: ``quarters(a + b) == quarters(a) + quarters(b)``."""
    if text.isascii():
        return len(text)
    wide = len(text.encode("utf-8", "surrogatepass").translate(None, _NARROW_BYTES))
    return len(text) + (CHARS_PER_TOKEN - 1) * wide


def json_quarters(text: str) -> int:
    """Like :func:`quarters`, for a text that is sent as a JSON string: its escapes count."""
    data = text.encode("utf-8", "surrogatepass")
    shorter = len(data) - len(data.translate(None, _SHORT_ESCAPES))
    longer = len(data) - len(data.translate(None, _LONG_ESCAPES))
    return quarters(text) + shorter + 5 * longer


def estimate_tokens(text: str) -> int:
    """Estimated tokens of a text, rounded up."""
    return -(-quarters(text) // CHARS_PER_TOKEN)


def safe_cut(text: str, at: int, floor: int = 0) -> int:
    """The nearest offset at or before ``at`` that does not split a character as a reader sees it.

    Combining marks, variation selectors, joined emoji, Hangul syllables and ``\\r\\n`` stay whole.

    Args:
        text: the text.
        at: wished offset, 0 to ``len(text)``.
        floor: the result is above this offset whenever ``at`` is.

    Returns:
        The offset; ``at`` itself when only a cluster of more than 32 code points would have to be split.
    """
    if not 0 < at < len(text):
        return at
    lowest = max(floor, at - _LONGEST_CLUSTER)
    for position in range(at, lowest, -1):
        if not _joined(text[position - 1], text[position]):
            return position
    return at


def _joined(left: str, right: str) -> bool:
    if right.isascii():
        return left == "\r" and right == "\n"
    return (
        left == "\u200d"
        or right == "\u200d"
        or unicodedata.category(right)[0] == "M"
        or "\U0001f3fb" <= right <= "\U0001f3ff"  # skin tones
        or ("\U0001f1e6" <= right <= "\U0001f1ff" and "\U0001f1e6" <= left <= "\U0001f1ff")  # flags
        or ("\u1160" <= right <= "\u11ff" and "\u1100" <= left <= "\u11ff")  # conjoining jamo
    )


def fitting(text: str, start: int, max_tokens: int, measure: Callable[[str], int] = quarters) -> int:
    """Where to cut a text so that a part of it stays within a budget.

    Args:
        text: the text; only the part near ``start`` is looked at.
        start: offset at which the part begins.
        max_tokens: estimated tokens that the part may take, at least 1.
        measure: cost of a text in quarters of a token; adds up.

    Returns:
        The end of the longest part that fits: the end of the text, else the last line border, else (one long line)
        the last border between characters. Always beyond ``start`` unless that is the end.
    """
    reach = min(len(text), start + CHARS_PER_TOKEN * max_tokens)
    limit = CHARS_PER_TOKEN * max_tokens
    low, high = min(start + 1, reach), reach
    while low < high:
        middle = (low + high + 1) // 2
        if measure(text[start:middle]) <= limit:
            low = middle
        else:
            high = middle - 1
    if low == len(text):
        return low
    border = text.rfind("\n", start, low) + 1
    return border if border > start else safe_cut(text, low, start)
