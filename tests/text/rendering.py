"""Parsed documents as compact text, for readable expectations, and the invariants that every one of them keeps."""

from __future__ import annotations

import json

from drawwell.text.blocks import Block, Parsed
from drawwell.text.lines import LineMap

__all__ = ["assert_sound", "render"]


def render(parsed: Parsed) -> str:
    """One line per block: kind, lines, and what else it says; children indented. Then what the document says."""
    lines = LineMap(parsed.source)
    out: list[str] = []

    def put(block: Block, depth: int) -> None:
        first, last = lines.line(block.span.start), lines.line(block.span.end - 1)
        words = [block.kind, f"{first}-{last}"]
        if block.kind == "heading":
            words.append(f"h{block.level} {json.dumps(block.text, ensure_ascii=False)}")
        if block.anchor:
            words.append(f"#{block.anchor}")
        if block.kind == "table":
            words.append(f"header {first}-{lines.line(block.header_end - 1)}")
        if block.protected:
            texts = [parsed.source[span.start : span.end] for span in block.protected]
            words.append("keeps " + " ".join(json.dumps(text, ensure_ascii=False) for text in texts))
        out.append("  " * depth + " ".join(words))
        for child in block.children:
            put(child, depth + 1)

    if parsed.front_matter:
        out.append(f"front matter 1-{lines.line(parsed.front_matter.end - 1)}")
    for block in parsed.blocks:
        put(block, 0)
    if parsed.title:
        out.append(f"title: {parsed.title}")
    if parsed.metadata:
        out.append(f"metadata: {json.dumps(parsed.metadata, ensure_ascii=False)}")
    if parsed.encoding != "utf-8":
        out.append(f"encoding: {parsed.encoding}")
    out += [f"warning: {warning}" for warning in parsed.warnings]
    return "\n".join(out)


def assert_sound(parsed: Parsed) -> None:
    """Check what the contract of blocks promises for any document."""
    source = parsed.source
    source.encode()  # no lone surrogates
    at = 0
    if parsed.front_matter:
        assert parsed.front_matter.start == 0
        at = parsed.front_matter.end
    for block in parsed.blocks:
        assert at <= block.span.start < block.span.end <= len(source), block
        assert not source[at : block.span.start].strip(), source[at : block.span.start]
        assert block.span.start == 0 or source[block.span.start - 1] in "\r\n", block
        assert block.span.end == len(source) or source[block.span.end - 1] in "\r\n", block
        _assert_inside(block, 0)
        at = block.span.end
    assert not source[at:].strip(), source[at:]
    json.dumps(parsed.metadata)


def _assert_inside(block: Block, depth: int) -> None:
    assert depth < 64
    for inner in (tuple(child.span for child in block.children), block.protected):
        at = block.span.start
        for span in inner:
            assert at <= span.start <= span.end <= block.span.end, (block, span)
            at = span.end
    if block.kind == "table":
        assert block.span.start < block.header_end <= block.span.end, block
    if block.kind == "heading":
        assert 1 <= block.level <= 6
        assert block.text == " ".join(block.text.split())
    for child in block.children:
        _assert_inside(child, depth + 1)
