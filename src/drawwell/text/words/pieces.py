"""What a stretch of characters between blanks consists of: words, identifiers, versions, names with symbols, n-grams.

The forms of a word do not depend on who asks: the index holds them all, a query asks for them with weights.
"""

from __future__ import annotations

import re
from itertools import pairwise
from operator import add
from typing import NamedTuple

import regex

from drawwell.text.words.characters import casefolded

__all__ = ["Piece", "chunks_of", "pieces_of"]

_LONGEST_ANALYSED = 100  # characters of one run of words and connectors that is looked into
_LONGEST_TOKEN = 64
_MOST_PARTS = 12

# All that is not ASCII stays in a chunk but for the punctuation that stands at words most often.
_CHUNK = re.compile(r"[^\s!-\"%&(-*,/:-@\[-^`{-~\u00a0-\u00a9\u00ab-\u00b4\u00b6-\u00bf\u2010-\u205e\u3001-\u3003]+")
_ASCII_BLANKED = bytes(code if _CHUNK.match(chr(code)) else 32 for code in range(128)) + bytes(128)

_EAST_ASIAN = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Bopomofo}\u30fc\uff70"
_UNSPACED = r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_WORD = rf"[\w--[{_EAST_ASIAN}{_UNSPACED}]]"
_RUN = regex.compile(
    rf"(?V1)(?P<cjk>[{_EAST_ASIAN}]++)|(?P<unspaced>[{_UNSPACED}]++)"
    rf"|(?P<sign>\p{{RI}}{{2}}|(?![©®™#*\d])\p{{Extended_Pictographic}})"
    rf"|(?P<words>(?:{_WORD}|[-.'+#$])++)"
)
_OTHER_SCRIPTS = "\u0530"  # letters before it are Latin, Greek and Cyrillic: all of one run
_BASE = regex.compile(r"[\p{L}\p{N}]")
_CLUSTER = regex.compile(r"\X")

_NAMES = (
    r"(?<!\w)\$\w+"  # $HOME
    r"|(?<![\w.])\.(?=[^\W\d])\w+(?:[.\-']\w+)*"  # .NET, .gitignore
    r"|(?<!\w)[^\W\d_]{1,3}(?:\+\+|\#)(?![^\W\d])"  # C++, C#, c++17
    r"|\w+(?:[.\-']\w+)*"
)
_ASCII_NAME = re.compile(_NAMES, re.ASCII)
_NAME = regex.compile(_NAMES)
_VERSION = re.compile(r"[0-9]+(?:\.[0-9]+)+")
_ABBREVIATION = re.compile(r"[^\W\d_](?:\.[^\W\d_]){2,}")
_SUB = r"{upper}+(?!{lower})|{upper}?{lower}+|[0-9]+"
_ASCII_SUB = re.compile(_SUB.format(upper="[A-Z]", lower="[a-z]"))
_ANY_SUB = regex.compile(_SUB.format(upper=r"\p{Lu}", lower=r"[\p{Ll}\p{Lo}\p{Lm}\p{Lt}\p{M}]") + r"|[\p{N}]+")
_PLURAL = re.compile(r"[A-Z]{2,}s")
_CONNECTOR = re.compile(r"[-._']+")


class Piece(NamedTuple):
    """One word of a text, in the forms that it can be asked for.

    Attributes:
        exact: tokens as they are written, without case, in reading order; n-grams where no blanks part words.
        wholes: ways to write the word as one: itself, without connectors, without the symbol in front of it.
        parts: what it is made of: sub-tokens, neighbouring ones joined, versions above it, single characters.
        is_unspaced: whether it is a stretch of text without blanks between words, as pairs of characters.
    """

    exact: tuple[str, ...]
    wholes: tuple[str, ...]
    parts: tuple[str, ...] = ()
    is_unspaced: bool = False


def chunks_of(text: str) -> list[str]:
    """Split a comparable text into stretches without blanks and most punctuation, in order, repetitions kept."""
    if text.isascii():
        return text.encode().translate(_ASCII_BLANKED).decode().split()
    return _CHUNK.findall(text)


def pieces_of(chunk: str) -> tuple[Piece, ...]:
    """The words of one chunk.

    Args:
        chunk: what :func:`chunks_of` gave; time is linear in it.

    Returns:
        Its words in order; none when it consists of punctuation.
    """
    if chunk.isascii() or (chunk.isalpha() and max(chunk) < _OTHER_SCRIPTS):
        return _named(chunk)
    found: list[Piece] = []
    for run in _RUN.finditer(chunk):
        kind, text = run.lastgroup, run[0]
        if kind == "words":
            found.extend(_named(text))
        elif kind == "sign":
            found.append(Piece((text,), (text,)))
        else:
            text = casefolded(text)
            found.append(_ngrams(list(text) if kind == "cjk" else _CLUSTER.findall(text)))
    return tuple(found)


def _ngrams(units: list[str]) -> Piece:
    """Pairs of neighbours in reading order, and each unit by itself for whoever asks for one."""
    if len(units) == 1:
        return Piece((units[0],), (units[0],), (), True)
    pairs = tuple(map(add, units, units[1:]))
    return Piece(pairs, pairs, tuple(dict.fromkeys(units)), True)


def _named(run: str) -> tuple[Piece, ...]:
    low = casefolded(run)
    if run.isalpha() and (run[1:].islower() or run.isupper() or len(run) == 1) and len(run) <= _LONGEST_TOKEN:
        return (Piece((low,), (low,)),)
    if len(run) > _LONGEST_ANALYSED:
        words = regex.findall(r"[^\W_]+", run)
        return tuple(Piece((low,), (low,)) for low in (casefolded(word[:_LONGEST_TOKEN]) for word in words))
    names = (_ASCII_NAME if run.isascii() else _NAME).findall(run)
    return tuple(piece for name in names for piece in _one(name))


def _one(name: str) -> tuple[Piece, ...]:
    bare = name.strip("_.$-'")
    if not bare or not (bare.isascii() or _BASE.search(bare)):
        return ()
    if bare[-1] in "+#":
        low = casefolded(bare)
        return (Piece((low,), (low,), (low.rstrip("+#"),)),)
    if "'" in bare:
        pieces = _apostrophe(bare)
        if pieces:
            return pieces
    if _ABBREVIATION.fullmatch(bare):
        joined = casefolded(bare.replace(".", ""))
        return (Piece((joined,), (joined,)),)
    low = casefolded(bare)
    marked = casefolded(name) if name[0] in "$." or name.startswith("__") else ""
    wholes, parts = _inside(bare, low)
    if marked:
        return (Piece((marked, low), (marked, *wholes), parts),)
    return (Piece((low,), wholes, parts),)


def _apostrophe(bare: str) -> tuple[Piece, ...]:
    """``don't`` is one word, ``uv's`` is ``uv``, ``l'eau`` is two words."""
    before, _, after = bare.rpartition("'")
    if after in ("s", "S"):
        return _one(before)
    if len(after) > 2:
        return (*_one(before), *_one(after))
    return ()


def _inside(bare: str, low: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Wholes and parts of a name."""
    if bare.isdecimal() or (bare.isalpha() and (bare[1:].islower() or bare.isupper() or _PLURAL.fullmatch(bare))):
        return (low,), ()
    numbers = _VERSION.findall(low)
    rest = _VERSION.sub(" ", bare) if numbers else bare
    subs = [casefolded(sub) for sub in (_ASCII_SUB if rest.isascii() else _ANY_SUB).findall(rest)][:_MOST_PARTS]
    wholes = [low]
    parts: list[str] = []
    if numbers:
        if low[0] == "v" and low.startswith(numbers[0], 1):
            wholes.append(low[1:])
        for number in numbers:
            split = number.split(".")
            parts.extend(".".join(split[:count]) for count in range(len(split), 1, -1))
    else:
        if len(subs) > 1:
            wholes.append(_CONNECTOR.sub("", low))
        parts.extend(_CONNECTOR.split(low))
    parts.extend(subs)
    if len(subs) > 2:
        parts.extend(map("".join, pairwise(subs)))
    known = dict.fromkeys(wholes)
    return tuple(known), tuple(part for part in dict.fromkeys(parts) if len(part) > 1 and part not in known)
