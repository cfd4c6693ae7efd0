"""Characters made comparable, the same way for texts and queries.

Compatibility forms are replaced (NFKC), characters that no reader sees are dropped, typographic apostrophes and hyphens
become the typed ones, and groups of three digits are joined. Case is kept: it tells where ``getUserName`` has borders.
"""

from __future__ import annotations

import html
import re
import unicodedata

__all__ = ["casefolded", "comparable", "decoded", "without_marks"]

_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
_FOLDED_SIGNS = re.compile("[\u02bc\u2018\u2019\u201b\u2032\u00b4\u2010\u2011\u2212]")
_SIGNS = {"\u2010": "-", "\u2011": "-", "\u2212": "-"}
_THOUSANDS = re.compile(r",(?<=[0-9],)(?=[0-9]{3}(?![0-9]))")
_LETTERS_WITHOUT_PARTS = str.maketrans(
    {"ı": "i", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ħ": "h", "ŧ": "t"}
)
# Marks that are not letters of their own: those of Latin, Greek and Cyrillic, of Hebrew and of Arabic.
_MARKS = re.compile("[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670]+")
_WITH_MARKS = re.compile("[\u00c0-\u06ff\u1e00-\u1fff]")


def decoded(text: str) -> str:
    """The text with HTML character references replaced by what they stand for."""
    return html.unescape(text) if "&" in text else text


def comparable(text: str) -> str:
    """The text in the characters that tokens are made of, in the case in which it was written.

    Args:
        text: any text; time is linear in it.

    Returns:
        A text of about the same length. Applied twice it changes nothing more.
    """
    if not text.isascii():
        text = _FOLDED_SIGNS.sub(_folded_sign, _IGNORABLE.sub("", text))
        text = _IGNORABLE.sub("", unicodedata.normalize("NFKC", text))
    return _THOUSANDS.sub("", text) if "," in text else text


def _folded_sign(found: re.Match[str]) -> str:
    return _SIGNS.get(found[0], "'")


def casefolded(token: str) -> str:
    """A token without its case; ``comparable`` came before."""
    return token.lower() if token.isascii() else unicodedata.normalize("NFKC", token.casefold())


def without_marks(token: str) -> str:
    """A token without its diacritics, where those are not letters of their own (kana, Indic and Thai signs stay)."""
    if token.isascii() or not _WITH_MARKS.search(token):
        return token
    bare = _MARKS.sub("", unicodedata.normalize("NFD", token)).translate(_LETTERS_WITHOUT_PARTS)
    return unicodedata.normalize("NFC", bare)
