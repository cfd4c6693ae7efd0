"""From the events of the Markdown parser to blocks. One pass, a stack, no recursion."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pyromark import Options, events_with_range

from drawwell.model import Span
from drawwell.text.blocks import Block, BlockKind
from drawwell.text.formats import raw_html
from drawwell.text.formats.view import Region, View

__all__ = ["build"]

_OPTIONS = (
    Options.ENABLE_TABLES
    | Options.ENABLE_FOOTNOTES
    | Options.ENABLE_TASKLISTS
    | Options.ENABLE_STRIKETHROUGH
    | Options.ENABLE_MATH
    | Options.ENABLE_WIKILINKS
)
_MAX_DEPTH = 32  # blocks within blocks; what is deeper stays inside its ancestor
# The id or classes at the end of a heading: {#id}, {.class}, {: #id }, {/* #id */}. "{name}" alone is text.
_ATTRIBUTES = re.compile(r"\s*\{(?::\s*|/\*\s*|(?=[#.]))(?:#([^\s{}]+))?[^{}]*\}\s*$")
_HTML_ID = re.compile(r"""<a\s[^>]*?\b(?:id|name)\s*=\s*["']?([^\s"'>]+)""", re.IGNORECASE)
_INLINE_TAGS = frozenset(
    {"Emphasis", "Strong", "Strikethrough", "TableHead", "TableCell", "Superscript", "Subscript", "Link", "Image"}
)


class _Frame:
    """A block that is still open."""

    __slots__ = ("children", "first", "header_end", "inline", "kind", "protected", "region")

    def __init__(self, kind: BlockKind, first: int, region: Region | None = None) -> None:
        self.kind = kind
        self.first = first
        self.region = region
        self.children: list[tuple[int, int, Block]] = []
        self.inline = False  # text directly inside: an item of a tight list
        self.protected: list[Span] = []
        self.header_end = -1


def build(view: View) -> tuple[Block, ...]:
    """The top-level blocks of a text. Everything in it that is not white space is in one of them."""
    builder = _Builder(view)
    start, end = builder.start, builder.end
    for event, at in events_with_range(view.text, options=_OPTIONS):
        if "Text" in event:
            if builder.wants_text:
                builder.inline(event["Text"], at, "Text")
        elif isinstance(event, str):
            builder.mark(event, at)
        elif "Start" in event:
            start(event["Start"], at)
        elif "End" in event:
            end(event["End"], at)
        else:
            ((kind, text),) = event.items()
            builder.inline(text, at, kind)
    return builder.finish()
