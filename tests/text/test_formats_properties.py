"""What holds for every document: the contract of blocks, agreement with CommonMark, and independence of newlines."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from drawwell.errors import UnreadableFile
from drawwell.text.blocks import Block, Parsed
from drawwell.text.formats import html, markdown, mdx, plain
from tests.text.rendering import assert_sound, render

PARSERS = [markdown.parse, mdx.parse, plain.parse, html.parse]
NAMES = ["markdown", "mdx", "text", "html"]

COMMON = [
    "# h\n",
    "## h *e* `c`\n",
    "text\n",
    "more text\n",
    "- a\n",
    "  - b\n",
    "* x\n",
    "1. n\n",
    "\n",
    "\n\n",
    "> q\n",
    "> - z\n",
]
COMMON += [
    ">\n",
    "```\n",
    "```py\n",
    "~~~\n",
    "    code\n",
    "\tx\n",
    "---\n",
    "===\n",
    "***\n",
    "      y\n",
    "- \n",
    "\\\n",
    "`c` [l](u)\n",
]
LINES = [
    "word\n",
    "ü € 漢字 `ü`\n",
    "# x\n",
    "Title\n",
    "=====\n",
    "\n",
    "\n\n",
    "  indented\n",
    "\ttab\n",
    "a  b\n",
    "1. x\n",
]
DIALECTS = [
    "| a | b |\n",
    "|---|---|\n",
    "| 1 | 2 |\n",
    "!!! note\n",
    "    !!! tip\n",
    "??? x\n",
    '=== "A"\n',
    "/// tip\n",
    "///\n",
]
DIALECTS += [
    ":::note\n",
    ":::\n",
    "<Tab>\n",
    "</Tab>\n",
    "<Tabs><Tab a='x'>\n",
    "</Tab></Tabs>\n",
    "  <Step>\n",
    "  </Step>\n",
]
DIALECTS += [
    "<div markdown>\n",
    "<div>\n",
    "</div>\n",
    "<table>\n",
    "<tr><td>\n",
    "</td></tr>\n",
    "</table>\n",
    "<pre>\n",
    "</pre>\n",
]
DIALECTS += [
    "<!-- c\n",
    "-->\n",
    "<!-- x -->\n",
    "$$\n",
    "$$ x\n",
    "$$ a $$\n",
    "{/* c */}\n",
    "{foo\n",
    "}\n",
    "import x from 'y'\n",
]
DIALECTS += [
    "export const a = {\n",
    "};\n",
    "[a]: http://x\n",
    "[^1]: f\n",
    "<h2>x\n",
    "</h2>\n",
    "<h1>T</h1>\n",
    "[[w|b]]\n",
    "<!---->\n",
]
DIALECTS += ["+++\n", "a: b\n", "title: x\n", "...\n", "        deep\n", "<Foo\n  a={1}\n>\n", "</Foo>\n"]
ODD = ["\r", "\r\n", "   ", "*", "_", "|", "<", "`", "\u2028", "\x0c\n", "\xa0\n", "\x85", "<a\n", "\0", "\x1b"]


def soups(*fragments: str, most: int = 30) -> st.SearchStrategy[str]:
    """Texts put together from fragments."""
    return st.lists(st.sampled_from(fragments), max_size=most).map("".join)


@pytest.mark.parametrize("parse", PARSERS, ids=NAMES)
def test_any_text_keeps_the_contract(parse: Callable[[bytes], Parsed]) -> None:
    """Blocks are in order, whole lines, inside one another, and only white space lies between them."""

    @settings(max_examples=200, deadline=None)
    @given(soups(*COMMON, *LINES, *DIALECTS, *ODD), st.booleans())
    def check(text: str, open_end: bool) -> None:
        text = text.rstrip("\n") if open_end else text
        with suppress(UnreadableFile):
            parsed = parse(text.encode())
            assert_sound(parsed)
            if parse is not html.parse and parsed.encoding == "utf-8":
                assert parsed.source == text.replace("\0", "\ufffd")

    check()


@pytest.mark.parametrize("parse", PARSERS, ids=NAMES)
def test_any_bytes_are_read_or_refused(parse: Callable[[bytes], Parsed]) -> None:
    """No bytes make a parser fail in another way than by UnreadableFile."""

    @settings(max_examples=100, deadline=None)
    @given(st.binary(max_size=60) | st.text().map(lambda text: text.encode("utf-16")) | st.text().map(str.encode))
    def check(data: bytes) -> None:
        with suppress(UnreadableFile):
            assert_sound(parse(data))

    check()


@settings(max_examples=200, deadline=None)
@given(soups(*COMMON, *DIALECTS))
def test_newlines_make_no_difference(text: str) -> None:
    """A document with Windows newlines has the blocks of the same document with Unix newlines."""
    unix, windows = markdown.parse(text.encode()), markdown.parse(text.replace("\n", "\r\n").encode())
    assert render(windows).replace("\\r\\n", "\\n") == render(unix)


@pytest.mark.parametrize(
    ("opening", "indent", "closing"),
    [("!!! note", "    ", ""), ('=== "Tab"', "\t", ""), ("<Note>", "  ", "</Note>"), ("/// tip", "", "///")],
    ids=["admonition", "tab", "element", "slashes"],
)
def test_the_body_of_a_container_is_a_document(opening: str, indent: str, closing: str) -> None:
    """What a container holds is parsed as if it stood by itself, however it is indented."""
    body = [line for line in COMMON if line[0] not in "> \t"] + ["| a | b |\n", "|---|---|\n", "<!-- # x -->\n"]

    @settings(max_examples=100, deadline=None)
    @given(soups(*body))
    def check(text: str) -> None:
        text = text.strip("\n")
        alone = markdown.parse(f"\n{text}\n".encode())
        headings = any(block.kind == "heading" for block in alone.blocks)
        open_fence = closing and text.count("```") + text.count("~~~") > 0
        if not text or text[0].isspace() or open_fence or (headings and closing):
            return
        inside = markdown.parse(f"{opening}\n{textwrap.indent(text, indent)}\n{closing}\n".encode())
        (container,) = inside.blocks
        assert container.kind == "container"
        assert [shape(block, inside.source) for block in container.children] == [
            shape(block, alone.source) for block in alone.blocks
        ]

    check()


def shape(block: Block, source: str) -> tuple[object, ...]:
    """What a block is, apart from where it stands and how it is indented."""
    lines = [line.strip() for line in source[block.span.start : block.span.end].splitlines()]
    inner = tuple(shape(child, source) for child in block.children)
    return (block.kind, block.level, block.text, tuple(lines), len(block.protected), inner)


KINDS = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "blockquote_open": "container",
    "fence": "code",
    "code_block": "code",
    "hr": "opaque",
}


EMPTY_ITEM = re.compile(r"(?m)^[ >]*(?:[-+*]|\d+[.)])[ \t]*\n(?:[ >\t]*\n){2}")


@settings(max_examples=400, deadline=None)
@given(
    soups(
        *COMMON,
        "Setext\n",
        "=\n",
        "  # in\n",
        "10) ten\n",
        "    - deep\n",
        "   ```\n",
        "# a #\n",
        "#b\n",
        "####### c\n",
    )
)
def test_structure_agrees_with_another_commonmark_parser(text: str) -> None:
    """Top-level blocks, where they begin, and the text of headings are those that markdown-it-py finds."""
    # An empty item and two blank lines end a list there, though blank lines between items are free in CommonMark.
    assume(not EMPTY_ITEM.search(text))
    text = "\n" + text  # no front matter
    tokens = MarkdownIt("commonmark").parse(text)
    expected = [
        (KINDS[token.type], token.map[0], heading_text(tokens[number + 1]) if token.type == "heading_open" else "")
        for number, token in enumerate(tokens)
        if token.level == 0 and token.type in KINDS and token.map
    ]
    parsed = markdown.parse(text.encode())
    found = [(block.kind, parsed.source.count("\n", 0, block.span.start), block.text) for block in parsed.blocks]
    assert found == expected


def heading_text(inline: Token) -> str:
    """Text of a heading's tokens, markup removed."""
    parts = [" " if child.type in {"softbreak", "hardbreak"} else child.content for child in inline.children or []]
    return " ".join("".join(parts).split())
