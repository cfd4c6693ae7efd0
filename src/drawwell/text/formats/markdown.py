"""Markdown documents: CommonMark and GitHub's tables and footnotes, MkDocs and JSX containers, math, front matter."""

from __future__ import annotations

from drawwell.text.blocks import Block, Parsed
from drawwell.text.formats.tree import build
from drawwell.text.formats.view import plain_view

__all__ = ["markdown_blocks", "parse"]


def markdown_blocks(source: str) -> tuple[Block, ...]:
    """The blocks of a Markdown text."""
    return build(plain_view(source))


def parse(data: bytes) -> Parsed:
    """Parses one Markdown file."""
    source = data.decode("utf-8-sig", "replace")
    return Parsed(source, markdown_blocks(source))
