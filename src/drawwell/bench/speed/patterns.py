"""Patterns to look for, made from a corpus's own text; the same corpus gives the same patterns.

One of each way in which people grep: an identifier, its beginning, a word, a phrase, a heading in capitals, a word's
middle, things that are not there, and regular expressions with and without literal text in them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from drawwell.bench.speed.questions import IDENTIFIER, LONG_WORD, Passage, sample

__all__ = ["GrepPattern", "patterns_of"]

_LOOKED_AT = 400
_PHRASE = re.compile(r"[^\W\d_]{3,}(?: [^\W\d_]{2,}){3}")
_ALWAYS = (
    ("absent word", "qzvxword", False),
    ("absent phrase", "no such words stand anywhere here", False),
    ("absent identifier", "qzv_never_defined_7c1f", False),
    ("expression, dates", r"\b(19|20)\d\d-\d\d-\d\d\b", True),
    ("expression, absent literal", r"qzvx\w+\s+never", True),
)


@dataclass(frozen=True, slots=True)
class GrepPattern:
    """Something to look for.

    Attributes:
        kind: what it is an example of.
        text: the pattern.
        regex: whether it is a regular expression.
    """

    kind: str
    text: str
    regex: bool = False

    def __str__(self) -> str:
        return f"{self.kind}: {f'/{self.text}/' if self.regex else self.text}"


def patterns_of(passages: Iterable[Passage], seed: int = 1) -> list[GrepPattern]:
    """The patterns for a corpus; kinds for which it has no example are left out."""
    chosen = sample(passages, _LOOKED_AT, seed)

    def first(find: Callable[[Passage], str | None]) -> str:
        return next((text for passage in chosen if (text := find(passage))), "")

    identifier = first(lambda passage: _longest(IDENTIFIER, passage.text))
    word = first(lambda passage: _longest(LONG_WORD, passage.text))
    phrase = first(lambda passage: _longest(_PHRASE, passage.text))
    heading = first(lambda passage: passage.heading if " " in passage.heading else None)
    words = phrase.split()
    made = [
        ("identifier", identifier, False),
        ("beginning of an identifier", identifier[:5], False),
        ("word", word.lower(), False),
        ("middle of a word", word[1:-1].lower(), False),
        ("phrase", phrase, False),
        ("heading in capitals", heading[:60].upper(), False),
        ("two letters", word[:2].lower(), False),
        ("expression, identifiers", re.escape(identifier[:4]) + r"\w*[_.-]\w+" if identifier else "", True),
        ("expression, either word", "|".join(sorted({*words[:1], *words[-1:]})), True),
        ("expression, words in order", r"\b.{0,40}\b".join([*words[:1], *words[-1:]]), True),
        *_ALWAYS,
    ]
    return [GrepPattern(kind, text, regex) for kind, text, regex in made if text]


def _longest(expression: re.Pattern[str], text: str) -> str | None:
    found = [match for match in expression.findall(text) if len(match) <= 40]
    return max(found, key=len, default=None)
