"""Titles and summaries made safe to stand in a prompt: one line, no hidden characters, instructions quoted."""

from __future__ import annotations

import re
import unicodedata

from drawwell.text.budget import safe_cut

__all__ = ["is_plain_path", "label", "sounds_like_instruction", "topic"]

_READ_AT_MOST = 400  # code points of a title or summary that are looked at
_INSTRUCTION = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|previous|prior|above|system|rules?|prompts?)\b"
    r"|\b(?:system|developer|assistant|human)\s*(?:prompt|message|:)"
    r"|\byou (?:are now|must|have to)\b|\bdo not (?:tell|inform|mention)\b"
    r"|</?[a-z][^<>]{0,40}>|<\||\|>|\[/?inst\]",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(  # in server instructions, where a false alarm costs only a title
    r"\b(?:please|you)\b"
    r"|\b(?:always|never|now|must|first|important:?) (?:call|use|run|send|answer|reply|say|tell)\b"
    r"|\b(?:send|paste|post|reveal|print|leak|mail|upload|give|forward)\b.{0,40}\b"
    r"(?:keys?|tokens?|secrets?|passwords?|credentials?)\b"
    r"|\b(?:run|execute|call)\b.{0,30}\b(?:commands?|shell|rm|curl|wget|scripts?)\b"
    r"|\b(?:ignor|disregard|vergiss|oubli|olvid|missacht)\w*\b.{0,40}\b(?:instru\w+|istru\w+|anweisung\w*|regeln|r[eè]gles)"
    r"|\bnew (?:rules|instructions)\b|\bprior rules\b|://|\bwww\.|[<>]",
)
_MOST_WORDS = 12  # of a title in server instructions
_MOST_PATH_WORDS = 6  # of each name in a path there
_LOOK_ALIKE = str.maketrans("аеорсухіѕјԁһԛԝкмтνοαιρ", "aeopcyxisjdhqwkmtvoaip")  # Cyrillic and Greek, lower case
_HIDDEN = {"Cc": " ", "Zl": " ", "Zp": " ", "Cf": "", "Cs": "", "Co": "", "Cn": ""}


def _clean(text: str) -> str:
    text = text[:_READ_AT_MOST]
    if not (text.isascii() and text.isprintable()):
        text = "".join(_HIDDEN.get(unicodedata.category(char), char) for char in text)
    return " ".join(text.split())


def sounds_like_instruction(text: str) -> bool:
    """Whether a text reads as if it addressed the model: orders to ignore rules, role names, chat markup."""
    return _INSTRUCTION.search(_compared(text)) is not None


def _compared(text: str) -> str:
    """A text as a reader takes it: without regard to case, width, and letters that look like Latin ones."""
    return unicodedata.normalize("NFKC", text).casefold().translate(_LOOK_ALIKE)


def _is_plain(text: str, most_words: int) -> bool:
    """Whether a text names something; one that addresses a reader, or is a sentence or an address, does not."""
    compared = _compared(text)
    return (
        len(compared.split()) <= most_words
        and _INSTRUCTION.search(compared) is None
        and _ADDRESSED.search(compared) is None
    )


def is_plain_path(path: str) -> bool:
    """Whether a path may stand in server instructions: no prose, no markup, no hidden characters."""
    words = re.sub(r"[_-]", " ", path)
    return path.isprintable() and all(
        len(name.split()) <= _MOST_PATH_WORDS and _is_plain(spaced, len(spaced))
        for name, spaced in zip(path.split("/"), words.split("/"), strict=True)
    )


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
    """Like :func:`label`, for server instructions: what is no plain name of something becomes empty."""
    clean = _clean(text)
    return _shorten(clean, width) if _is_plain(clean, _MOST_WORDS) else ""


def _shorten(text: str, width: int) -> str:
    if len(text) <= width:
        return text
    cut = safe_cut(text, width - 1)
    border = text.rfind(" ", 0, cut + 1)
    # Not in the middle of a word, unless that is as long as what would be left, or is written without spaces.
    return text[: border if 2 * border > cut else cut].rstrip(" ·,;:") + "…"
