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
_LONGEST_WEIGHED = 12  # characters of a token beyond which more do not count
_BEGINS = "*"
_SLACK = 20  # characters given up at an end to cut between words
_HEADINGS = re.compile(r"(?:[ ]{0,3}#{1,6}[ \t][^\n]*\n+)+")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b\u2028\u2029\ufeff]+")


class _Wanted(NamedTuple):
    """A token to look for.

    Attributes:
        word: how it stands in a folded text.
        begins: whether it may begin a longer word.
        wide: whether it may stand inside one, since its script has no blanks.
        weight: how much it counts in a window.
    """

    word: str
    begins: bool
    wide: bool
    weight: int


_Place = tuple[int, int, int]
"""Start, end, and the number of the token there."""


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
    wanted = _wanted(tuple(tokens))
    if len(text) - start > _SCANNED:
        first = min((at for at in (folded.find(one.word, start) for one in wanted) if at != -1), default=start)
        start = max(start, first - _SCANNED // 4)
    places = _places(folded, wanted, start, start + _SCANNED) or _places(folded, wanted, start, start + _SCANNED, True)
    low, high = _best_window(places, wanted, width) if places else (start, start)
    return _shown(text, *_widen(text, start, low, high, width))


@lru_cache(maxsize=64)
def _wanted(tokens: tuple[str, ...]) -> tuple[_Wanted, ...]:
    """What to look for in every text of one answer."""
    found = []
    for token in dict.fromkeys(map(_fold, tokens)):
        word = token.rstrip(_BEGINS)
        if word:
            weight = min(len(token), _LONGEST_WEIGHED) * (1 if token.isascii() else 2)
            found.append(_Wanted(word, word != token, _width(word) > len(word), weight))
    return tuple(found)


@lru_cache(maxsize=4096)
def _fold_char(char: str) -> str:
    """A character's base letter in lower case, when that is one character; else itself."""
    base = unicodedata.normalize("NFD", char.lower())[:1]
    return base if len(base) == 1 else char


def _fold(text: str) -> str:
    """Lower case without diacritics, every character in its place."""
    if text.isascii():
        return text.lower()
    lowered = text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")  # of bytes, ASCII alone
    return _NOT_ASCII.sub(_fold_run, lowered)


def _fold_run(run: re.Match[str]) -> str:
    return "".join(map(_fold_char, run[0]))


def _places(folded: str, wanted: Sequence[_Wanted], start: int, end: int, inside: bool = False) -> list[_Place]:
    """Where the tokens stand, in order: as words of their own, or anywhere if so asked and for East Asian ones."""
    found: list[_Place] = []
    find = folded.find
    for number, (word, begins, wide, _) in enumerate(wanted):
        anywhere = inside or wide
        at = find(word, start, end)
        seen = 0
        while at != -1 and seen < _MOST_PLACES:
            after = at + len(word)
            if anywhere or not (folded[at - 1 : at].isalnum() or (not begins and folded[after : after + 1].isalnum())):
                found.append((at, after, number))
            seen += 1
            at = find(word, after, end)
    found.sort()
    return found


def _best_window(places: Sequence[_Place], wanted: Sequence[_Wanted], width: int) -> tuple[int, int]:
    counts = [0] * len(wanted)
    best, best_weight, weight, first = places[0][:2], -1, 0, 0
    for last, (_, end, number) in enumerate(places):
        counts[number] += 1
        if counts[number] == 1:
            weight += wanted[number].weight
        while first < last and end - places[first][0] > width:
            left = places[first][2]
            counts[left] -= 1
            if counts[left] == 0:
                weight -= wanted[left].weight
            first += 1
        if weight > best_weight:
            best, best_weight = (places[first][0], end), weight
    return best


def _widen(text: str, floor: int, low: int, high: int, width: int) -> tuple[int, int]:
    """Let a window grow to its width on both sides, a little more behind, and end between words."""
    if text[max(floor, low - width) : low + width].isascii():
        start = max(floor, low - max(0, width - (high - low)) // 3)
        end = min(len(text), start + width)
        return _word_start(text, floor, start, low), _word_end(text, min(high, end), end)
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
