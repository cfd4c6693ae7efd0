"""What a format parser returns: the source and the blocks that it is made of.

The contract between ``formats/`` and ``sections.py``:

* ``source`` is the decoded text after its BOM, newlines as they are; or, for a format that is converted
  (HTML, Office, PDF), the Markdown rendition.
* Top-level blocks are in order and do not overlap. What lies between two of them is white space and belongs to
  the block before it. A block starts at the start of its first line (its indentation or marker included).
* ``children`` are the inner blocks in order, inside the parent's span: items of a list, rows of a table,
  blocks of an item, quote or container. A parser may stop descending at a depth of its choice.
* Only top-level headings open sections.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from drawwell.model import Span

__all__ = ["Block", "BlockKind", "Parsed"]

BlockKind = Literal[
    "heading",
    "paragraph",  # also html, math and anything else that reads as running text
    "list",
    "item",
    "table",
    "row",
    "code",
    "container",  # block quote, admonition, tab, JSX element, footnote: its children are blocks
    "opaque",  # comments, thematic breaks, link definitions: kept, but carry no structure or prose
    "hidden",  # like opaque, and left out of the search index (import and export lines of MDX)
]


class Block(NamedTuple):
    """One block of a document. There are so many that what it costs to make one is felt.

    Attributes:
        kind: what it is.
        span: its range in the source, whole lines.
        level: 1 to 6 for a heading, else 0.
        text: plain text of a heading, markup removed; empty otherwise.
        anchor: explicit id of a heading (``{#id}`` or an HTML id); empty otherwise.
        children: inner blocks.
        header_end: for a table, the offset at which its header and separator lines end and its rows begin.
        protected: for running text, ranges that must not be cut (code spans, links, images, inline math), in order,
            the outermost only.
    """

    kind: BlockKind
    span: Span
    level: int = 0
    text: str = ""
    anchor: str = ""
    children: tuple[Block, ...] = ()
    header_end: int = 0
    protected: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Parsed:
    """A document as its format's parser sees it.

    Attributes:
        source: see the module's contract.
        blocks: the top-level blocks.
        front_matter: its range, starting at 0 and ending where the body begins; None without one.
        metadata: keys and values of the front matter (and of HTML ``<meta>``, document properties and so on).
        title: title that the document itself declares there; empty when it does not.
        encoding: the encoding the bytes were read with.
        warnings: what was lost or doubtful, in words for the report.
        pages: offset in the source at which each page begins; empty for a document without pages.
    """

    source: str
    blocks: tuple[Block, ...]
    front_matter: Span | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""
    encoding: str = "utf-8"
    warnings: tuple[str, ...] = ()
    pages: tuple[int, ...] = ()
