"""HTML documents, by way of Markdown: the source of a parsed page is its Markdown rendition."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from html_to_markdown import ConversionOptions, PreprocessingOptions, convert, exceptions

from drawwell.errors import UnreadableFile
from drawwell.text.blocks import Block, Parsed
from drawwell.text.formats.decode import decode
from drawwell.text.formats.markdown import markdown_blocks

__all__ = ["parse"]

_HEAD = 65_536  # how far what a page says about itself is looked for
_CHARSET = re.compile(
    rb"""<(?:meta\b[^<>]*?\bcharset|\?xml\b[^<>]*?\bencoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE
)
_HEAD_END = re.compile(r"<body[\s>]", re.IGNORECASE)
_TITLE = re.compile(r"<title\b[^<>]*>([^<]*)", re.IGNORECASE)
_META = re.compile(r"<meta\s([^<>]*)", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))""")
_META_NAMES = frozenset({"author", "date", "description", "keywords", "og:title", "og:description", "subject"})
_HEADING = re.compile(r"<h([1-6])\b([^<>]*)>", re.IGNORECASE)
_WRAPPER = re.compile(r"</?(?:div|span|font|center|section)\b[^<>]*>", re.IGNORECASE)
_FAILURES = tuple(getattr(exceptions, name) for name in exceptions.__all__)
# Navigation and the marks that documentation tools put beside headings are no part of the text. Forms are kept:
# some servers wrap the whole page in one.
_OPTIONS = ConversionOptions(
    autolinks=False,
    compact_tables=True,
    exclude_selectors=["nav", "a.headerlink", "a.hash-link", "a.anchor-link"],
    expand_abbreviations=False,
    extract_metadata=False,
    hidden_content="reachable",  # inactive tabs and closed details are text, too
    inline_data_media="alt_text_only",
    newline_style="backslash",
    preprocessing=PreprocessingOptions(enabled=False),
)


def parse(data: bytes) -> Parsed:
    """Parses one HTML file. Scripts, styles, comments and navigation are dropped.

    Raises:
        UnreadableFile: the bytes are no text, or the page cannot be converted.
    """
    charset = _CHARSET.search(data, 0, 4096)
    decoded = decode(data, charset[1].decode("ascii", "ignore") if charset else "")
    page = decoded.text
    source, lost = _rendition(page)
    blocks, _ = markdown_blocks(source)
    metadata = _metadata(page)
    tops = [block for block in blocks if block.kind == "heading" and block.level == 1]
    return Parsed(
        source=source,
        blocks=_anchored(blocks, page),
        metadata=metadata,
        title="" if len(tops) == 1 and tops[0].text else str(metadata.get("title", "")),
        encoding=decoded.encoding,
        warnings=(*decoded.warnings, *lost),
    )


def _rendition(page: str) -> tuple[str, tuple[str, ...]]:
    """The page in Markdown, and what it lost."""
    try:
        result = convert(page, _OPTIONS)
        if result.warnings and _too_deep(result):
            result = convert(_WRAPPER.sub(" ", page), _OPTIONS)
    except _FAILURES as error:
        raise UnreadableFile(f"HTML that cannot be converted: {error}") from error
    lost = ("elements nested too deep were dropped",) if _too_deep(result) else ()
    return result.content or "", lost


def _too_deep(result: Any) -> bool:
    return any("depth" in str(warning.kind) for warning in result.warnings)


def _metadata(page: str) -> dict[str, Any]:
    """What the head of a page says."""
    body = _HEAD_END.search(page, 0, _HEAD)
    head = page[: body.start() if body else _HEAD]
    found: dict[str, Any] = {}
    title = _TITLE.search(head)
    if title and title[1].strip():
        found["title"] = _line(title[1])
    for meta in _META.finditer(head):
        values = {item[1].lower(): item[2] or item[3] or item[4] or "" for item in _ATTRIBUTE.finditer(meta[1])}
        name = (values.get("name") or values.get("property") or "").lower()
        content = _line(values.get("content", ""))
        if name in _META_NAMES and content:
            found[name] = [word.strip() for word in content.split(",")] if name == "keywords" else content
    return found


def _line(text: str) -> str:
    return " ".join(unescape(text).split())


def _anchored(blocks: tuple[Block, ...], page: str) -> tuple[Block, ...]:
    """Gives the headings the ids that they have in the page, if the same headings are found in it."""
    tags = [(int(tag[1]), tag[2]) for tag in _HEADING.finditer(page)]
    if [level for level, _ in tags] != [block.level for block in blocks if block.kind == "heading"]:
        return blocks
    ids = iter([_id(attributes) for _, attributes in tags])
    return tuple(block._replace(anchor=next(ids)) if block.kind == "heading" else block for block in blocks)


def _id(attributes: str) -> str:
    return next(
        (item[2] or item[3] or item[4] for item in _ATTRIBUTE.finditer(attributes) if item[1].lower() == "id"), ""
    )
