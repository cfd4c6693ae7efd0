"""Stems: a word's form without its endings, by Snowball's rules for its language.

A stem of another language than English in Latin letters bears the language's mark, so that texts of one language do
not answer to the stems of another (French *note* is not English *not*).
"""

from __future__ import annotations

from functools import cache, lru_cache

import Stemmer

from drawwell.text.words.characters import without_marks
from drawwell.text.words.irregular import IRREGULAR
from drawwell.text.words.languages import ENGLISH, language_of_letter

__all__ = ["LATIN_LANGUAGES", "mark_of", "stem", "stem_by_script"]

_ALGORITHMS = {
    "en": "english",
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "it": "italian",
    "pt": "portuguese",
    "nl": "dutch",
    "sv": "swedish",
    "da": "danish",
    "no": "norwegian",
    "fi": "finnish",
    "tr": "turkish",
    "ru": "russian",
    "el": "greek",
    "ar": "arabic",
    "hi": "hindi",
}
LATIN_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "fi", "tr")


@cache
def _stemmer(language: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(_ALGORITHMS[language], 0)


def mark_of(language: str) -> str:
    """What stands in front of the stems of a language: nothing for English."""
    return "" if language == ENGLISH else f"{language}:"


def stem(word: str, language: str) -> str:
    """The stem of a word, without diacritics.

    Args:
        word: a case-folded word or part of one.
        language: the language that a word in Latin letters is taken to be in; other scripts have one of their own.

    Returns:
        The stem, behind its language's mark; the word without diacritics when it is not made of letters alone.
    """
    first = word[0]
    if first <= "z" or first < "\u0250" or "\u1e00" <= first < "\u1f00":
        if not word.isalpha():
            return without_marks(word)
        if language == ENGLISH:
            word = IRREGULAR.get(word, word)
        return mark_of(language) + without_marks(_stemmer(language).stemWord(word))
    return stem_by_script(word)


@lru_cache(maxsize=100_000)
def stem_by_script(word: str) -> str:
    """The stem of a word whose letters tell its language: what ``stem`` gives for any that is not in Latin letters."""
    own = language_of_letter(word[0])
    return without_marks(word if own is None else _stemmer(own).stemWord(word))
