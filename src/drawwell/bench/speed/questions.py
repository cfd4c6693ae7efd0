"""Questions to a corpus, made from its own text; the same corpus gives the same questions."""

from __future__ import annotations

import hashlib
import heapq
import random
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

__all__ = ["IDENTIFIER", "KINDS", "LONG_WORD", "Passage", "ask_all", "sample"]

KINDS = ("question, 5-10 words", "two words", "identifier", "heading phrase")
"""The kinds of questions, the one that counts first."""

_OPENERS = ("how do I", "what is", "why does", "where can I find", "when should I use", "is it possible to")
_WORD = re.compile(r"[^\W\d_]+")
LONG_WORD = re.compile(r"[^\W\d_]{4,}")
IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_.-][A-Za-z0-9]+)+|[a-z]+[0-9]*[A-Z][A-Za-z0-9]+")
_WINDOW = 24  # words of running text from which a question takes its own
_SAMPLED = 8  # passages looked at for each question


@dataclass(frozen=True, slots=True)
class Passage:
    """A section to make questions from.

    Attributes:
        id: of the section.
        heading: the last heading above it; may be empty.
        text: its text.
    """

    id: str
    heading: str
    text: str


def ask_all(passages: Iterable[Passage], count: int, seed: int = 1) -> dict[str, list[str]]:
    """Questions of every kind.

    Args:
        passages: all sections of a corpus.
        count: how many of each kind; fewer come where the corpus does not give them.
        seed: another one gives other questions.

    Returns:
        Kind to questions. A question is an opening ("how do I") and words of one section in their order, with gaps, so
        that function words stand in it as they do in language and the whole is no phrase of the text: 5 to 10 words.
    """
    chosen = sample(passages, count * _SAMPLED, seed)
    chance = random.Random(seed)  # noqa: S311 - not for secrets
    makers: tuple[Callable[[Passage, random.Random], str], ...] = (_question, _two_words, _identifier, _heading)
    made = {}
    for kind, maker in zip(KINDS, makers, strict=True):
        found = dict.fromkeys(text for passage in chosen if (text := maker(passage, chance)))
        made[kind] = list(found)[:count]
    return made


def sample(passages: Iterable[Passage], count: int, seed: int) -> list[Passage]:
    """So many passages, by chance, in an order of chance; the same for the same seed."""

    def place(passage: Passage) -> bytes:
        return hashlib.blake2b(f"{seed} {passage.id}".encode(errors="replace"), digest_size=8).digest()

    return heapq.nsmallest(count, passages, key=place)


def _question(passage: Passage, chance: random.Random) -> str:
    words = _WORD.findall(passage.text)
    if len(words) < _WINDOW:
        return ""
    start = chance.randrange(len(words) - _WINDOW + 1)
    window = words[start : start + _WINDOW]
    opener = chance.choice(_OPENERS)
    own = chance.randint(5, 10) - len(opener.split())
    places = sorted(chance.sample(range(0, _WINDOW, 2), own))  # every second word at most: no phrase of the text
    return " ".join([opener, *(window[place] for place in places)])


def _two_words(passage: Passage, chance: random.Random) -> str:
    words = sorted({word.lower() for word in LONG_WORD.findall(passage.text)})
    return " ".join(chance.sample(words, 2)) if len(words) >= 2 else ""


def _identifier(passage: Passage, chance: random.Random) -> str:
    found = sorted({name for name in IDENTIFIER.findall(passage.text) if len(name) <= 60})
    return chance.choice(found) if found else ""


def _heading(passage: Passage, chance: random.Random) -> str:  # noqa: ARG001 - one shape for all makers
    words = _WORD.findall(passage.heading)
    return " ".join(words) if 2 <= len(words) <= 10 else ""
