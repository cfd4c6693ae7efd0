"""Blocks of raw HTML inside Markdown: headings, tables, preformatted text, comments and the rest."""

from __future__ import annotations

import re

from drawwell.model import Span
from drawwell.text.blocks import Block

__all__ = ["html_blocks"]

_MARKUP = re.compile(r"<!--.*?(?:-->|\Z)|</?[A-Za-z][^>]*>", re.DOTALL)
_SAYS = re.compile(r"""\b(?:alt|title)\s*=\s*["'][^"']""", re.IGNORECASE)


def html_blocks(source: str, span: Span) -> list[Block]:
    """The blocks of one raw HTML block, which takes whole lines."""
    text = source[span.start : span.end]
    if _SAYS.search(text) or _MARKUP.sub("", text).strip():
        return [Block("paragraph", span)]
    return [Block("opaque", span)]
