"""The index side: the tokens of a text as strings, one look-up for each of its chunks.

What a chunk gives depends on nothing else, so each distinct one is analysed once and remembered.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

from drawwell.text.words.characters import comparable, decoded, without_marks
from drawwell.text.words.languages import ENGLISH, FUNCTION_WORDS, language_of_letter
from drawwell.text.words.pieces import Piece, chunks_of, pieces_of
from drawwell.text.words.stems import stem

__all__ = ["chunks_of_text", "exact_text", "identifier_text", "is_function_word", "piece_stems", "stem_text"]

_MOST_KEPT = 100_000  # chunks whose tokens are remembered, for each kind of token
_LONGEST_KEPT = 100
_LONGEST_WIDE_KEPT = 20  # text without blanks hardly ever comes twice


def chunks_of_text(text: str) -> list[str]:
    """The chunks of a document's text; character references of HTML stand for what they name."""
    return chunks_of(comparable(decoded(text)))


def exact_text(chunks: Sequence[str]) -> str:
    """The exact tokens of some chunks, in reading order, joined by blanks."""
    return " ".join(map(_exact().__getitem__, chunks))


def stem_text(chunks: Sequence[str], language: str = ENGLISH) -> str:
    """Stems, identifiers and sub-tokens of some chunks, without function words, joined by blanks.

    Args:
        chunks: of :func:`chunks_of_text`.
        language: that of the document.
    """
    return " ".join(map(_stems(language).__getitem__, chunks))


def identifier_text(chunks: Sequence[str]) -> str:
    """The identifiers among some chunks, in the forms in which each is written as one, joined by blanks."""
    return " ".join(map(_identifiers().__getitem__, chunks))


def is_function_word(word: str, language: str) -> bool:
    """Whether a case-folded word is of a closed class, in a language or in that of its letters."""
    words = FUNCTION_WORDS[language_of_letter(word[0]) or language]
    return word in words or without_marks(word) in words


def piece_stems(piece: Piece, language: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The stems of a piece's wholes, and those of its parts that are not among them."""
    if piece.is_unspaced:  # very many; these scripts have neither stems nor marks that are taken off
        wholes, parts = dict.fromkeys(piece.wholes), dict.fromkeys(piece.parts)
    else:
        wholes = dict.fromkeys(stem(word, language) for word in piece.wholes)
        parts = dict.fromkeys(stem(word, language) for word in piece.parts)
    return tuple(wholes), tuple(part for part in parts if part not in wholes)


@lru_cache(maxsize=4096)
def _pieces(chunk: str) -> tuple[Piece, ...]:
    """The pieces of a chunk, remembered between the exact tokens of a section and its stems."""
    return pieces_of(chunk)


class _Kept(dict[str, str]):
    """Answers by chunk, made on demand, forgotten all at once when they are too many."""

    def __missing__(self, chunk: str) -> str:
        answer = self.made(chunk)
        if len(chunk) <= (_LONGEST_KEPT if chunk.isascii() else _LONGEST_WIDE_KEPT):
            if len(self) >= _MOST_KEPT:
                self.clear()
            self[chunk] = answer
        return answer

    def made(self, chunk: str) -> str:
        raise NotImplementedError


class _Exact(_Kept):
    def made(self, chunk: str) -> str:
        return " ".join([token for piece in _pieces(chunk) for token in piece.exact])


class _Identifiers(_Kept):
    def made(self, chunk: str) -> str:
        pieces = _pieces(chunk)
        if len(pieces) != 1 or not (pieces[0].parts or len(pieces[0].wholes) > 1):
            return ""
        return " ".join(pieces[0].wholes)


class _Stems(_Kept):
    def __init__(self, language: str) -> None:
        super().__init__()
        self.language = language

    def made(self, chunk: str) -> str:
        found: list[str] = []
        for piece in _pieces(chunk):
            if not piece.parts:
                if is_function_word(piece.exact[0], self.language):
                    continue
                if len(piece.wholes) == 1:
                    found.append(stem(piece.wholes[0], self.language))
                    continue
            for forms in piece_stems(piece, self.language):
                found.extend(forms)
        return " ".join(found)


@cache
def _exact() -> _Kept:
    return _Exact()


@cache
def _identifiers() -> _Kept:
    return _Identifiers()


@cache
def _stems(language: str) -> _Kept:
    return _Stems(language)
