"""Titles and summaries made safe to stand in a prompt: one line, no hidden characters, instructions quoted."""

from __future__ import annotations

import re
import unicodedata

from drawwell.text.budget import safe_cut

__all__ = ["label", "sounds_like_instruction", "topic"]

_READ_AT_MOST = 400  # code points of a title or summary that are looked at
_INSTRUCTION = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|previous|prior|above|system|rules?|prompts?)\b"
    r"|\b(?:system|developer|assistant|human)\s*(?:prompt|message|:)"
    r"|\byou (?:are now|must|have to)\b|\bdo not (?:tell|inform|mention)\b"
    r"|</?[a-z][^<>]{0,40}>|<\||\|>|\[/?inst\]",
    re.IGNORECASE,
)
_HIDDEN = {"Cc": " ", "Zl": " ", "Zp": " ", "Cf": "", "Cs": "", "Co": "", "Cn": ""}


def _clean(text: str) -> str:
    text = text[:_READ_AT_MOST]
    if not (text.isascii() and text.isprintable()):
        text = "".join(_HIDDEN.get(unicodedata.category(char), char) for char in text)
    return " ".join(text.split())


def sounds_like_instruction(text: str) -> bool:
    """Whether a text reads as if it addressed the model: orders to ignore rules, role names, chat markup."""
    return _INSTRUCTION.search(text) is not None


def label(text: str, width: int) -> str:
    """A title or summary for an index line.

    Args:
        text: as written in the document.
        width: most code points of the result.

    Returns:
        One line without control and invisible characters, cut between words with an ellipsis; in quotation marks when
        it sounds like an instruction, so that a model reads it as a name.
    """
    clean = _clean(text)
    if not sounds_like_instruction(clean):
        return _shorten(clean, width)
    return f"“{_shorten(clean.replace('“', '').replace('”', ''), width - 2)}”"


def topic(text: str, width: int) -> str:
    """Like :func:`label`, for server instructions: what sounds like an instruction becomes empty."""
    clean = _clean(text)
    return "" if sounds_like_instruction(clean) else _shorten(clean, width)


def _shorten(text: str, width: int) -> str:
    if len(text) <= width:
        return text
    cut = safe_cut(text, width - 1)
    border = text.rfind(" ", 0, cut + 1)
    # Not in the middle of a word, unless that is as long as what would be left, or is written without spaces.
    return text[: border if 2 * border > cut else cut].rstrip(" ·,;:") + "…"
