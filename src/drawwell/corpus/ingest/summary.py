"""One line about a document, made without a model: its title and the first sentence that says something."""

from __future__ import annotations

import re
from collections.abc import Iterator

from drawwell.text.blocks import Block, Parsed

__all__ = ["MAX_SUMMARY", "offline_summary", "summary_line"]

MAX_SUMMARY = 160
"""Longest summary, in code points."""

_LEAST_PROSE = 20  # columns: a CJK character counts for two
_DEEPEST = 6
_LOOKED_AT = 1200  # code points of a block, so that the patterns below work on bounded text
_MARKUP = (
    (re.compile(r"!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])"), ""),  # images
    (re.compile(r"\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])"), r"\1"),  # links
    (re.compile(r"</?[A-Za-z][^>]*>"), ""),
    (re.compile(r"^[ \t]*(?:>[ \t]*|[-*+][ \t]+|\d{1,9}[.)][ \t]+)+", re.MULTILINE), ""),
    (re.compile(r"[*`]+|__"), ""),
)
_SENTENCE = re.compile(r"(?<![ .][A-Za-z])[.!?](?=\s)|[。！？]")


def offline_summary(title: str, parsed: Parsed) -> str:
    """Summarise a document.

    Args:
        title: the document's title.
        parsed: the document.

    Returns:
        ``title · first sentence`` on one line, at most ``MAX_SUMMARY`` code points; the title alone when no running
        text is long enough to say something.
    """
    running = (one for block in parsed.blocks for one in _running_text(block))
    text = next((text for one in running if (text := _prose(one, parsed.source))), "")
    if not text:
        text = _one_line(str(parsed.metadata.get("description") or ""))
    end = _SENTENCE.search(text)
    sentence = text[: end.end()] if end else text
    return summary_line(f"{_one_line(title)} · {sentence}" if sentence else title)


def summary_line(text: str) -> str:
    """A text as a summary: on one line, without hidden characters, at most ``MAX_SUMMARY`` code points."""
    line = _one_line(text)
    return line if len(line) <= MAX_SUMMARY else line[: MAX_SUMMARY - 1].rstrip() + "…"


def _running_text(block: Block, depth: int = _DEEPEST) -> Iterator[Block]:
    """The blocks of running text in a block, in order: itself, or those in its items and containers."""
    if block.kind == "paragraph":
        yield block
    elif block.kind in ("list", "item", "container") and depth:
        for child in block.children:
            yield from _running_text(child, depth - 1)
        if not block.children:
            yield block


def _prose(block: Block, source: str) -> str:
    """The text of a block on one line, without markup; empty when it is too little."""
    text = source[block.span.start : min(block.span.end, block.span.start + _LOOKED_AT)]
    for pattern, instead in _MARKUP:
        text = pattern.sub(instead, text)
    line = _one_line(text)
    columns = sum(1 + (char >= "\u2e80") for char in line[:_LEAST_PROSE])
    return line if columns >= _LEAST_PROSE else ""


def _one_line(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text[:_LOOKED_AT]).split())
