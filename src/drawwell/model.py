"""Value types that cross the borders between layers. Nothing here does any work.

Offsets are Unicode code points, ranges are half-open, line numbers start at 1.
This module is a leaf: it imports nothing of ours.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, NamedTuple

__all__ = [
    "OPTIONAL",
    "GrepLine",
    "GrepMatch",
    "GrepResult",
    "Hit",
    "IndexText",
    "Link",
    "NeighboursResult",
    "Noted",
    "SearchResult",
    "SectionText",
    "Span",
    "to_json",
]

OPTIONAL: dict[str, Any] = {"optional": True}
"""Metadata of a field that is left out of the JSON form when it holds nothing."""


class Span(NamedTuple):
    """A half-open range of code points, ``text[start:end]``."""

    start: int
    end: int


class Noted(NamedTuple):
    """What is to be said of one file or folder: an object in JSON, a pair elsewhere."""

    path: str
    """Relative to the root, with forward slashes; a folder ends in one."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A pointer to a section that answers a search; never its text."""

    id: str
    """Readable id, ``path#ordinal`` for a corpus."""
    doc: str
    """Path of the document, relative to its root, with forward slashes."""
    heading_path: str
    """Headings in force, outermost first, joined with ``" > "``; starts with the document's title."""
    snippet: str
    """A few words of the section around the match, verbatim."""
    score: float
    """Higher is better; comparable within one answer only."""
    kind: str
    """prose, table, code, mixed, or metadata for a document's front matter."""
    cite: str
    """``id@hash``: what to cite. Reading by it refuses a text that has changed."""
    covers: tuple[str, ...] = field(default=(), metadata=OPTIONAL)
    """Headings of small sections that this one holds beside those in ``heading_path``."""
    parents: tuple[str, ...] = field(default=(), metadata=OPTIONAL)
    """Where the section begins inside of a list: first lines of the items around its start, outermost first."""
    page: str = field(default="", metadata=OPTIONAL)
    """Page of the document, ``"12"`` or ``"12-13"``; empty for one without pages."""
    stale: str = field(default="", metadata=OPTIONAL)
    """Why the text may be out of date; empty when it is current."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """Answer of a search."""

    hits: tuple[Hit, ...]
    mode: str
    """The ranking that ran."""
    legs: tuple[str, ...] = field(default=(), metadata=OPTIONAL)
    """What took part in it, of ``words``, ``vectors`` and ``reranker``; empty for words alone."""
    loose: bool = field(default=False, metadata=OPTIONAL)
    """Nothing holds the words that were asked for: the hits hold parts of them, or words like them."""
    hint: str | None = None
    """What to try next, or what was unusual about this answer."""
    next: str | None = field(default=None, metadata=OPTIONAL)
    """Cursor for the rest; None when this is all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link to another document of the same source."""

    text: str
    """What it says, on one line."""
    target: str
    """Where it leads: the path of a document, or the id of a section of one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionText:
    """One section with its exact text."""

    id: str
    doc: str
    heading_path: str
    kind: str
    stale: str = field(default="", metadata=OPTIONAL)
    """Why the text may be out of date; before the text, so that it is seen."""
    part: str = field(default="", metadata=OPTIONAL)
    """``"2 of 5"`` when a block longer than any section was cut, and for the parts of a long table."""
    lines: tuple[int, int] | None = field(default=None, metadata=OPTIONAL)
    """First and last line of the source (of its Markdown rendition for formats that are converted)."""
    page: str = field(default="", metadata=OPTIONAL)
    """Page of the document, ``"12"`` or ``"12-13"``; empty for one without pages."""
    parents: tuple[str, ...] = field(default=(), metadata=OPTIONAL)
    """First lines of the list items around the section's start, outermost first: context, not part of its text."""
    text: str
    """The author's characters; for a later part of a table, its header rows are repeated in front."""
    cite: str
    prev_id: str | None = None
    next_id: str | None = None
    covers: tuple[str, ...] = field(default=(), metadata=OPTIONAL)
    repeated: int = field(default=0, metadata=OPTIONAL)
    """Characters at the start of ``text`` that repeat the table's header and do not stand there in the source."""
    links: tuple[Link, ...] = field(default=(), metadata=OPTIONAL)
    """Links in ``text`` to documents of the same source, each target once; at most 50 in one answer, and no more than
    fit a quarter of its budget."""
    anchor: bool = field(default=False, metadata=OPTIONAL)
    """Among neighbours: the section that was asked for."""
    context: tuple[SectionText, ...] | None = field(default=None, metadata=OPTIONAL)
    """Sections around it in document order, when asked for."""
    next: str | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighboursResult:
    """A run of sections around an anchor, the anchor among them, in document order."""

    sections: tuple[SectionText, ...]
    header: SectionText | None = None
    """First part of the table that the anchor continues."""
    more_before: bool = False
    more_after: bool = False
    next: str | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class GrepLine:
    """One matching line."""

    number: int | None
    """Line of the source; None where the store does not know it."""
    text: str
    """The line, cut to a window around the match when it is very long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrepMatch:
    """A section with at least one matching line."""

    id: str
    doc: str
    heading_path: str
    line: str
    """First matching line, stripped, cut to a window around the match when it is very long."""
    line_number: int | None
    count: int
    """Matching lines in this section."""
    cite: str
    lines: tuple[GrepLine, ...] = field(default=(), metadata=OPTIONAL)
    """All matching lines, when asked for."""
    page: str = field(default="", metadata=OPTIONAL)
    """Page of the document, ``"12"`` or ``"12-13"``; empty for one without pages."""
    stale: str = field(default="", metadata=OPTIONAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class GrepResult:
    """Sections that match a pattern, in document order."""

    matches: tuple[GrepMatch, ...]
    truncated: bool
    """True when more matches exist, or may exist because the time budget ran out."""
    hint: str | None = None
    next: str | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexText:
    """The map of a source, or a listing of one part of it."""

    text: str
    mode: str
    """flat, compact, hierarchical, or listing for a prefix."""
    tokens: int
    """Estimated tokens of ``text``."""
    next: str | None = field(default=None, metadata=OPTIONAL)


def to_json(value: Any) -> Any:
    """Turn a result into plain JSON values: dicts, lists, strings, numbers, booleans, None.

    Args:
        value: a result of this module, or any nesting of them in lists, tuples and dicts.

    Returns:
        The same data for ``json.dumps``; optional fields that hold nothing are left out.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        plain = {}
        for spec in dataclasses.fields(value):
            item = getattr(value, spec.name)
            if spec.metadata.get("optional") and item in (None, "", (), 0, False):
                continue
            plain[spec.name] = to_json(item)
        return plain
    if isinstance(value, Noted):
        return value._asdict()
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    if isinstance(value, dict):
        return {key: to_json(item) for key, item in value.items()}
    return value
