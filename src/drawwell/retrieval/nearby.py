"""When nothing fits: words of the index that are near to what was asked, and a query for them."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

from tantivy import Occur, Query, Schema, Searcher

from drawwell.retrieval.lexical import EXACT, Asked, AskedWord

__all__ = ["compile_fallback", "suggest"]

_SHORTEST = 3  # characters of a word that anything can be called near to
_ONE_SLIP = 5  # characters up to which one slip is all that is forgiven; two beyond
_MOST_TERMS = 20_000  # terms looked at that begin alike, the most frequent ones first
_MOST_COMPLETED = 20
_MOST_SLIPS = 5
_FIRST_LETTERS = string.ascii_lowercase + string.digits
_CLASSES = {"completed": 1.0, "misspelt": 0.7, "inside": 0.3}
"""Weights of terms that go on where the word ends, that differ by slips, and that hold it somewhere."""


def suggest(searcher: Searcher, word: str, count: int = 3) -> tuple[str, ...]:
    """Words of the index that differ from a word by a slip or two of the pen.

    The distance is that of optimal string alignment: letters left out, put in, changed, or two of them swapped.

    Args:
        searcher: of the terms index.
        word: a case-folded word.
        count: how many are wanted at most.

    Returns:
        The nearest ones, the more frequent first, then in the order of the alphabet. Empty for words of less than
        three characters.
    """
    if len(word) < _SHORTEST:
        return ()
    most = 1 if len(word) <= _ONE_SLIP else 2
    letters = set(word)
    found: dict[str, tuple[int, int]] = {}
    for term, frequency in _terms_like(searcher, word):
        if term in found or abs(len(term) - len(word)) > most or len(letters.symmetric_difference(term)) > 2 * most:
            continue
        distance = _distance(word, term, most)
        if 0 < distance <= most:
            found[term] = (distance, -frequency)
    return tuple(sorted(found, key=lambda term: (*found[term], term))[:count])


def _terms_like(searcher: Searcher, word: str) -> Iterator[tuple[str, int]]:
    """Terms that begin as the word does, but for a slip at its beginning."""
    prefixes = {word[0], word[1] + word[0], word[1:3], *(first + word[1:3] for first in _FIRST_LETTERS)}
    for prefix in sorted(prefix for prefix in prefixes if prefix == word[0] or prefix[0] != word[0]):
        yield from searcher.terms_with_prefix(EXACT, prefix, limit=_MOST_TERMS)


def _distance(left: str, right: str, most: int) -> int:
    """Optimal string alignment distance; anything above ``most`` once it is known to be more."""
    before: list[int] = []
    above = list(range(len(right) + 1))
    for row, char in enumerate(left, 1):
        here = [row]
        for column, other in enumerate(right, 1):
            cost = min(above[column] + 1, here[column - 1] + 1, above[column - 1] + (char != other))
            if before and column > 1 and char == right[column - 2] and left[row - 2] == other:
                cost = min(cost, before[column - 2] + 1)
            here.append(cost)
        if min(here) > most and min(above) > most:
            return most + 1
        before, above = above, here
    return above[-1]


def compile_fallback(schema: Schema, searcher: Searcher, asked: Asked) -> Query | None:
    """A query for words that go on where those asked for end, that differ by a slip, or that hold them.

    Args:
        schema: of the terms index.
        searcher: of the same.
        asked: a question that nothing fits.

    Returns:
        None when no word of the index is near.
    """
    clauses = [(Occur.Should, clause) for word in asked.words for clause in _near(schema, searcher, word)]
    return Query.boolean_query(clauses) if clauses else None


def _near(schema: Schema, searcher: Searcher, word: AskedWord) -> Iterator[Query]:
    token = word.exact[-1]
    if len(token) < _SHORTEST:
        return
    completed = [term for term, _ in searcher.terms_with_prefix(EXACT, token, limit=_MOST_COMPLETED)]
    yield from (_boosted(schema, term, "completed") for term in completed)
    yield from (_boosted(schema, term, "misspelt") for term in suggest(searcher, token, _MOST_SLIPS))
    inside = Query.regex_query(schema, EXACT, f".*{re.escape(token)}.*")
    yield Query.const_score_query(inside, _CLASSES["inside"])


def _boosted(schema: Schema, term: str, kind: str) -> Query:
    return Query.boost_query(Query.term_query(schema, EXACT, term, "freq"), _CLASSES[kind])
