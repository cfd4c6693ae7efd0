"""The lexical ranking: what is indexed of a section, and how a question is asked of the index.

A section is indexed three times: its exact tokens with their places, its stems and sub-tokens, and the stems of its
headings and of what it defines. A question's score is the sum of BM25 over the forms of its words in these fields, with
four fixed weights (``docs/decisions/ranking.md`` says how they were found).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice

from tantivy import Occur, Query, Schema, Searcher

from drawwell.retrieval.words import TextField
from drawwell.text.words.characters import comparable
from drawwell.text.words.definitions import defined_in
from drawwell.text.words.forms import (
    chunks_of_text,
    exact_text,
    identifier_text,
    is_function_word,
    piece_stems,
    stem_text,
)
from drawwell.text.words.languages import ENGLISH, guess_language
from drawwell.text.words.pieces import Piece, chunks_of, pieces_of
from drawwell.text.words.stems import LATIN_LANGUAGES, mark_of
from drawwell.text.words.unspaced import says_nothing, telling_pairs

__all__ = [
    "EXACT",
    "FIELDS",
    "MAX_QUERY_CHARS",
    "MAX_TOKENS",
    "STEMS",
    "Asked",
    "AskedWord",
    "compile_query",
    "document_language",
    "fields_of",
    "languages_in",
    "parse",
]

MAX_QUERY_CHARS = 2000
MAX_TOKENS = 32

EXACT, STEMS, _HEADING = "exact", "stems", "heading"
FIELDS = (TextField(EXACT), TextField(STEMS, positions=False), TextField(_HEADING, positions=False))
"""All count how often a term occurs: only then Tantivy passes over blocks of sections that cannot be among the best."""


_EXACT_WEIGHT = 0.5
_STEM_WEIGHT = 1.0
_PART_WEIGHT = 0.4
_HEADING_WEIGHT = 0.5
_DEFINED_WEIGHT = 2.0
_LOOKED_UP_WEIGHT = 6.0  # the same, when the name is all that is asked for
_WHOLE_WEIGHT = 2.0
_DEFINED = "="
"""Stands before an identifier that a section defines, in its heading field; no token holds it."""
_REPEATED = _DEFINED
"""Stands for a token that came before; nothing asks for it."""

_QUOTED = re.compile(r'"([^"\n]*+)"|“([^”\n]*+)”|„([^“”\n]*+)[“”]|«([^»\n]*+)»|「([^」\n]*+)」|『([^』\n]*+)』')
_HEADINGS_KEPT = 10_000
_SHORTEST_BEGINNING = 3
_FEWEST_IN_QUERY, _FEWEST_IN_TEXT = 2, 5
_TELLING_SECTIONS, _LANGUAGE_SAMPLE = 10, 8000  # by so much of its beginning a document's language is told
_HEADING_MARKUP = 16  # characters that may stand in front of a heading in its section


@dataclass(frozen=True, slots=True)
class AskedWord:
    """A word of a question, in all its forms.

    Attributes:
        exact: as it is written, case-folded; several tokens for text without blanks or a name with a symbol.
        stems: its stems, in every language of the index.
        parts: sub-tokens, as stems.
        weight: how much it counts.
        is_name: whether it is made of parts or bears a symbol, so that a section may define it.
    """

    exact: tuple[str, ...]
    stems: tuple[str, ...]
    parts: tuple[str, ...]
    weight: float = 1.0
    is_name: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """A question taken apart.

    Attributes:
        words: what is searched for; function words only when it has no others.
        phrases: exact tokens that were quoted, in order.
        cut: whether the question was longer than what is looked at.
        whole: exact tokens of a question that is one word without blanks: texts that hold it whole come first.
    """

    words: tuple[AskedWord, ...]
    phrases: tuple[tuple[str, ...], ...] = ()
    cut: bool = False
    whole: tuple[str, ...] = ()

    @property
    def shown(self) -> tuple[str, ...]:
        """What a snippet should show: names and parts as they are, stems as beginnings of words, marked with ``*``."""
        exact = [token for word in self.words for token in word.exact]
        stems = [stem.rpartition(":")[2] for word in self.words for stem in (*word.stems, *word.parts)]
        begins = [
            f"{stem.rstrip('i')}*" if stem.isalpha() and len(stem) >= _SHORTEST_BEGINNING else stem for stem in stems
        ]
        covered = tuple(begin[:-1] for begin in begins if begin.endswith("*"))
        rest = (token for token in exact if not (token.isalpha() and token.startswith(covered)))
        return tuple(dict.fromkeys((*rest, *begins)))


def fields_of(headings: Sequence[str], covers: Sequence[str], text: str, language: str = ENGLISH) -> dict[str, str]:
    """What is indexed of a section, by field: tokens joined by blanks.

    Args:
        headings: heading path, outermost first.
        covers: other headings in it, and what it stands under.
        text: the section's text, any length; time is linear.
        language: of its document, as ``document_language`` has it.
    """
    chunks = _chunks(text)
    declared, listed = defined_in(text)
    said = [_heading_stems(heading, language) for heading in (*headings, *covers)]
    if declared:
        said.append(stem_text(chunks_of_text(declared), language))
    if listed:
        said.append(_definitions(identifier_text(chunks_of_text(listed))))
    if headings:
        said.append(_title(headings[-1]))
        if headings[-1] not in text[: len(headings[-1]) + _HEADING_MARKUP]:
            chunks = [*chunks_of_text(headings[-1]), *chunks]
    stems = stem_text(chunks, language)
    return {
        EXACT: _written(exact_text(chunks)),
        STEMS: _written(stems if language == ENGLISH else f"{mark_of(language)} {stems}"),
        _HEADING: _written(_once(" ".join(said).split())),
    }


def _once(tokens: Iterable[str]) -> str:
    """Tokens of which each counts once, however often it comes; the length stays."""
    seen: set[str] = set()
    kept = []
    for token in tokens:
        kept.append(_REPEATED if token in seen else token)
        seen.add(token)
    return " ".join(kept)


@lru_cache(maxsize=_HEADINGS_KEPT)
def _heading_stems(heading: str, language: str) -> str:
    return stem_text(chunks_of_text(heading), language)


@lru_cache(maxsize=_HEADINGS_KEPT)
def _title(heading: str) -> str:
    """The identifier that a heading consists of, as one that is defined below it."""
    chunks = chunks_of_text(heading)
    return _definitions(identifier_text(chunks)) if len(chunks) == 1 else ""


def _definitions(identifiers: str) -> str:
    return " ".join([_DEFINED + identifier for identifier in identifiers.split()])


def _written(tokens: str) -> str:
    """Lone surrogates cannot be indexed."""
    return tokens if tokens.isascii() else tokens.encode("utf-8", "replace").decode()


_chunks = lru_cache(maxsize=_TELLING_SECTIONS)(chunks_of_text)
"""What tells a document's language is indexed next."""


def document_language(sections: Iterable[str]) -> str:
    """The language in which a document's words are stemmed; its beginning tells.

    Args:
        sections: the texts of its sections, of which the first few are looked at.
    """
    return guess_language(chain.from_iterable(map(_chunks, _beginning(sections))), _FEWEST_IN_TEXT)


def _beginning(sections: Iterable[str]) -> Iterator[str]:
    room = _LANGUAGE_SAMPLE
    for text in islice(sections, _TELLING_SECTIONS):
        yield text[:room]
        room -= len(text) + 1
        if room <= 0:
            break


def languages_in(searcher: Searcher) -> tuple[str, ...]:
    """The languages in Latin letters that an index has documents in; English always is."""
    others = [one for one in LATIN_LANGUAGES if one != ENGLISH and searcher.doc_freq(STEMS, mark_of(one))]
    return (ENGLISH, *others)


def parse(query: str, languages: Collection[str] = (ENGLISH,)) -> Asked:
    """Take a question apart. Nothing in it is syntax but quotation marks.

    Args:
        query: what a user or a model typed.
        languages: those of the index, as ``languages_in`` has them.

    Returns:
        At most 32 distinct words, of the first 2,000 characters.
    """
    text = comparable(_bounded(query))
    pieces = _pieces(text)
    guessed = guess_language((piece.exact[0] for piece in pieces), _FEWEST_IN_QUERY)
    language = guessed if guessed in languages else ENGLISH
    telling = [piece for piece in pieces if not _says_nothing(piece, language)]
    asked = telling or pieces
    distinct = _parted(asked)
    words = tuple(_word(piece, weight, languages) for piece, weight in list(distinct.items())[:MAX_TOKENS])
    cut = len(query) > MAX_QUERY_CHARS or len(distinct) > MAX_TOKENS
    return Asked(words, _phrases(text), cut, _whole(asked))


def _bounded(query: str) -> str:
    """The beginning of a query, up to the end of a word."""
    if len(query) <= MAX_QUERY_CHARS:
        return query
    head, blank, _ = query[:MAX_QUERY_CHARS].rpartition(" ")
    return head if blank else query[:MAX_QUERY_CHARS]


def _pieces(text: str) -> list[Piece]:
    return [piece for chunk in chunks_of(text) for piece in pieces_of(chunk)]


def _says_nothing(piece: Piece, language: str) -> bool:
    if piece.is_unspaced:
        return says_nothing(_stretch(piece))
    return not piece.parts and is_function_word(piece.exact[0], language)


def _stretch(piece: Piece) -> str:
    return piece.exact[0] + "".join(pair[1:] for pair in piece.exact[1:])


def _parted(pieces: Iterable[Piece]) -> dict[Piece, float]:
    """Distinct pieces in their order with their weights, where no blanks part words a pair of characters for each."""
    weights: dict[Piece, float] = {}
    for piece in pieces:
        if not piece.is_unspaced:
            weights[piece] = 1.0
            continue
        pairs, weight = telling_pairs(_stretch(piece), piece.exact)
        for pair in pairs:
            word = Piece((pair,), (pair,))
            weights[word] = max(weight, weights.get(word, 0.0))
    return weights


def _whole(pieces: Sequence[Piece]) -> tuple[str, ...]:
    """The pairs of a question that is one word of several, when all between the first and the last are asked for."""
    if len(pieces) != 1 or not pieces[0].is_unspaced:
        return ()
    exact = pieces[0].exact
    pairs, _ = telling_pairs(_stretch(pieces[0]), exact)
    return tuple(pairs) if 1 < len(pairs) <= MAX_TOKENS and tuple(pairs) == exact[: len(pairs)] else ()


def _word(piece: Piece, weight: float, languages: Collection[str]) -> AskedWord:
    stems: dict[str, None] = {}
    parts: dict[str, None] = {}
    for language in languages:
        whole, part = piece_stems(piece, language)
        stems.update(dict.fromkeys(whole))
        parts.update(dict.fromkeys(part))
    is_name = bool(piece.parts) or len(piece.exact) > 1
    return AskedWord(piece.exact, tuple(stems), tuple(part for part in parts if part not in stems), weight, is_name)


def _phrases(text: str) -> tuple[tuple[str, ...], ...]:
    found = []
    for match in _QUOTED.finditer(text):
        tokens = tuple(token for piece in _pieces(match[match.lastindex or 0]) for token in piece.exact)
        if tokens:
            found.append(tokens)
    return tuple(found)


def compile_query(schema: Schema, asked: Asked, *, phrases: bool = True) -> Query | None:
    """The question as a query of the index.

    Args:
        schema: of the index, with ``FIELDS``.
        asked: the question.
        phrases: whether hits must hold what was quoted; ask again without when nothing does.

    Returns:
        None when there is nothing to search for.
    """
    defined = _DEFINED_WEIGHT if len(asked.words) > 1 else _LOOKED_UP_WEIGHT
    clauses = [(Occur.Should, clause) for word in asked.words for clause in _clauses(schema, word, defined)]
    if not clauses:
        return None
    if asked.whole:
        clauses.append((Occur.Should, Query.boost_query(_phrase(schema, asked.whole), _WHOLE_WEIGHT)))
    if phrases:
        clauses.extend((Occur.Must, _phrase(schema, tokens)) for tokens in asked.phrases)
    return Query.boolean_query(clauses)


def _clauses(schema: Schema, word: AskedWord, defined: float) -> list[Query]:
    clauses = [_term(schema, EXACT, token, _EXACT_WEIGHT) for token in word.exact]
    for token in word.stems:
        clauses.append(_term(schema, STEMS, token, _STEM_WEIGHT))
        clauses.append(_term(schema, _HEADING, token, _HEADING_WEIGHT))
    if word.is_name:
        clauses.extend(_term(schema, _HEADING, _DEFINED + token, defined) for token in word.stems[:1])
    for token in word.parts:
        clauses.append(_term(schema, STEMS, token, _PART_WEIGHT))
        clauses.append(_term(schema, _HEADING, token, _PART_WEIGHT * _HEADING_WEIGHT))
    if word.weight == 1.0:
        return clauses
    return [Query.boost_query(clause, word.weight) for clause in clauses]


def _term(schema: Schema, field: str, token: str, weight: float) -> Query:
    return Query.boost_query(Query.term_query(schema, field, token, "freq"), weight)


def _phrase(schema: Schema, tokens: tuple[str, ...]) -> Query:
    if len(tokens) == 1:
        return Query.term_query(schema, EXACT, tokens[0], "freq")
    return Query.phrase_query(schema, EXACT, list(tokens))
