"""Markdown documents: CommonMark and GitHub's tables and footnotes, MkDocs and JSX containers, math, front matter.

Sources: CommonMark 0.31.2, GitHub Flavored Markdown 0.29, both as pulldown-cmark has them.
"""

from __future__ import annotations

import re

from drawwell.model import Span
from drawwell.text.blocks import Block, Parsed
from drawwell.text.formats.containers import view_of
from drawwell.text.formats.decode import Decoded, decode
from drawwell.text.formats.front_matter import read_front_matter
from drawwell.text.formats.tree import build

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")

__all__ = ["document", "markdown_blocks", "parse"]


def parse(data: bytes) -> Parsed:
    """Parses one Markdown file.

    Raises:
        UnreadableFile: the bytes are no text.
    """
    return document(decode(data))


def document(decoded: Decoded, *, mdx: bool = False) -> Parsed:
    """The document that a Markdown or MDX text is."""
    front = read_front_matter(decoded.text)
    blocks, warnings = markdown_blocks(decoded.text, front.end, mdx=mdx)
    return Parsed(
        source=decoded.text,
        blocks=blocks,
        front_matter=Span(0, front.end) if front.end else None,
        metadata=front.metadata,
        title=front.title,
        encoding=decoded.encoding,
        warnings=(*decoded.warnings, *front.warnings, *warnings),
    )


def markdown_blocks(source: str, start: int = 0, *, mdx: bool = False) -> tuple[tuple[Block, ...], tuple[str, ...]]:
    """The blocks of a Markdown text from ``start`` on, and what is doubtful about them."""
    blocks = build(view_of(source, start, mdx=mdx))
    return blocks, _unclosed_fence(source, blocks)


def _unclosed_fence(source: str, blocks: tuple[Block, ...]) -> tuple[str, ...]:
    """A warning when the last block is a code fence that swallowed the rest of the document."""
    if not blocks or blocks[-1].kind != "code":
        return ()
    span = blocks[-1].span
    lines = source[span.start : span.end].rstrip().split("\n")
    found = _FENCE.match(lines[0])
    last = lines[-1].strip()
    if not found or (len(lines) > 1 and last.startswith(found[1]) and not last.strip(found[1][0])):
        return ()
    line = source.count("\n", 0, span.start) + 1
    return (f"the code fence on line {line} is not closed: all that follows is code",)
