"""Snippets: the few words of a text that best show why it matched."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from drawwell.text.budget import quarters, safe_cut

__all__ = ["SNIPPET_CHARS", "snippet"]

SNIPPET_CHARS = 150
"""Width of a snippet: about 20 words, or half as many East Asian characters."""

_SCANNED = 50_000  # code points looked at, around the first match in a longer text
_FOLDED = 500_000  # code points of a text that is not ASCII in which the first match is looked for
_MOST_PLACES = 12  # occurrences of one token looked at
_BEGINS = "*"
_SLACK = 20  # characters given up at an end to cut between words
_HEADINGS = re.compile(r"(?:[ ]{0,3}#{1,6}[ \t][^\n]*\n+)+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b\u2028\u2029\ufeff]+")


class _Place(NamedTuple):
    start: int
    end: int
    token: int


def snippet(text: str, tokens: Sequence[str], width: int = SNIPPET_CHARS) -> str:
    """The best short piece of a text for a query.

    The window with the heaviest distinct tokens wins; long tokens weigh more, for they tell more. Headings at the
    text's start are passed over, since they are shown elsewhere, unless nothing else is there.

    Args:
        text: the section's exact text.
        tokens: lower-cased tokens of the query, which are words of their own in the text; one that ends in ``*`` begins
            a word. Where none is found so, the tokens are looked for inside words.
        width: most characters, East Asian ones counted twice.

    Returns:
        The author's words on one line, white space collapsed, with an ellipsis at an end that is cut.
    """
    body = _HEADINGS.match(text)
    start = body.end() if body and not text[body.end() :].isspace() and body.end() < len(text) else 0
    folded = _fold(text if text.isascii() else text[:_FOLDED])
    wanted = [token for token in dict.fromkeys(map(_fold, tokens)) if token.rstrip(_BEGINS)]
    if len(text) - start > _SCANNED:
        bare = [token.rstrip(_BEGINS) for token in wanted]
        first = min((at for at in (folded.find(token, start) for token in bare) if at != -1), default=start)
        start = max(start, first - _SCANNED // 4)
    places = _places(folded, wanted, start, start + _SCANNED) or _places(folded, wanted, start, start + _SCANNED, True)
    low, high = _best_window(places, wanted, width) if places else (start, start)
    return _shown(text, *_widen(text, start, low, high, width))


@lru_cache(maxsize=4096)
def _fold_char(char: str) -> str:
    """A character's base letter in lower case, when that is one character; else itself."""
    base = unicodedata.normalize("NFD", char.lower())[:1]
    return base if len(base) == 1 else char


def _fold(text: str) -> str:
    """Lower case without diacritics, every character in its place."""
    if text.isascii():
        return text.lower()
    return "".join([char.lower() if char.isascii() else _fold_char(char) for char in text])


def _places(folded: str, tokens: Sequence[str], start: int, end: int, inside: bool = False) -> list[_Place]:
    """Where the tokens stand, in order: as words of their own, or anywhere if so asked and for East Asian ones."""
    found: list[_Place] = []
    for number, token in enumerate(tokens):
        word = token.rstrip(_BEGINS)
        begins = token.endswith(_BEGINS)
        anywhere = inside or _width(word) > len(word)
        at = folded.find(word, start, end)
        seen = 0
        while at != -1 and seen < _MOST_PLACES:
            after = at + len(word)
            if anywhere or not (folded[at - 1 : at].isalnum() or (not begins and folded[after : after + 1].isalnum())):
                found.append(_Place(at, after, number))
            seen += 1
            at = folded.find(word, after, end)
    found.sort()
    return found


def _best_window(places: Sequence[_Place], tokens: Sequence[str], width: int) -> tuple[int, int]:
    weights = [min(len(token), 12) * (2 if not token.isascii() else 1) for token in tokens]
    counts = [0] * len(tokens)
    best, best_weight, weight, first = (places[0].start, places[0].end), -1, 0, 0
    for last, place in enumerate(places):
        counts[place.token] += 1
        if counts[place.token] == 1:
            weight += weights[place.token]
        while first < last and place.end - places[first].start > width:
            counts[places[first].token] -= 1
            if counts[places[first].token] == 0:
                weight -= weights[places[first].token]
            first += 1
        if weight > best_weight:
            best, best_weight = (places[first].start, place.end), weight
    return best


def _widen(text: str, floor: int, low: int, high: int, width: int) -> tuple[int, int]:
    """Let a window grow to its width on both sides, a little more behind, and end between words."""
    spare = max(0, width - _width(text[low : min(high, low + width)]))
    before = text[max(floor, low - spare // 3) : low]
    while before and _width(before) > spare // 3:
        before = before[max(1, len(before) // 8) :]
    room = width - _width(before)
    after = text[low : low + room]
    while _width(after) > room and len(after) > 1:
        after = after[: -max(1, len(after) // 16)]
    start, end = low - len(before), low + len(after)
    return _word_start(text, floor, start, low), _word_end(text, min(high, end), end)


def _width(text: str) -> int:
    wide = (quarters(text) - len(text)) // 3
    return len(text) + wide


def _word_start(text: str, floor: int, start: int, low: int) -> int:
    if start <= floor:
        return floor
    if text[start - 1].isspace():
        return start
    for place in range(start, min(low, start + _SLACK)):
        if text[place].isspace():
            return place + 1
    return safe_cut(text, start, floor)


def _word_end(text: str, high: int, end: int) -> int:
    if end >= len(text) or text[end].isspace():
        return end
    for place in range(end - 1, max(high, end - _SLACK) - 1, -1):
        if text[place].isspace():
            return place
    return safe_cut(text, end, high)


def _shown(text: str, start: int, end: int) -> str:
    words = " ".join(_CONTROL.sub(" ", text[start:end]).split())
    before = "…" if text[:start].strip() and not _HEADINGS.fullmatch(text, 0, start) else ""
    after = "…" if text[end:].strip() else ""
    return f"{before}{words}{after}"
