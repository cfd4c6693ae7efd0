"""Random documents for property tests: a source built together with the blocks that a parser would see."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import strategies as st

from drawwell.model import Span
from drawwell.text.blocks import Block, Parsed

WORDS = ["alpha", "beta", "refund", "TX-44", "`a b`", "naïve", "設定。", "end.", "What?", "x" * 30]
BLANKS = ["\n", "\n\n", "\n\n\n"]


@dataclass
class Builder:
    """Appends blocks to a source and remembers where they stand."""

    source: str = ""
    blocks: list[Block] = field(default_factory=list)

    def text(self, text: str) -> Span:
        start = len(self.source)
        self.source += text
        return Span(start, len(self.source))

    def add(self, block: Block) -> Block:
        self.blocks.append(block)
        return block

    def parsed(self) -> Parsed:
        return Parsed(self.source, tuple(self.blocks))


def paragraph(builder: Builder, words: list[str]) -> Block:
    start = len(builder.source)
    protected = []
    for word in words:
        span = builder.text(word)
        if word.startswith("`"):
            protected.append(span)
        builder.text(" ")
    builder.text("\n")
    return Block("paragraph", Span(start, len(builder.source)), protected=tuple(protected))


def code(builder: Builder, lines: list[str]) -> Block:
    return Block("code", builder.text("```\n" + "".join(line + "\n" for line in lines) + "```\n"))


def table(builder: Builder, rows: list[str]) -> Block:
    start = len(builder.source)
    header = builder.text("| key | value |\n|---|---|\n")
    children = tuple(Block("row", builder.text(f"| {row} | {len(row)} |\n")) for row in rows)
    return Block("table", Span(start, len(builder.source)), children=children, header_end=header.end)


def listing(builder: Builder, items: list[tuple[list[str], list[str]]]) -> Block:
    start = len(builder.source)
    children = []
    for words, lines in items:
        begin = len(builder.source)
        builder.text("- ")
        inner = [paragraph(builder, words)]
        if lines:
            inner.append(code(builder, lines))
        children.append(Block("item", Span(begin, len(builder.source)), children=tuple(inner)))
    return Block("list", Span(start, len(builder.source)), children=tuple(children))


def heading(builder: Builder, level: int, text: str) -> Block:
    return Block("heading", builder.text("#" * level + f" {text}\n"), level=level, text=text)


def _pick(values: list[str], count: int, seed: int) -> list[str]:
    """``count`` values in an order that the seed decides: far cheaper for hypothesis than drawing each."""
    return [values[(seed + number * (1 + seed % 5)) % len(values)] for number in range(count)]


_seeds = st.integers(0, 40)
_words = st.builds(lambda count, seed: _pick(WORDS, count, seed), st.integers(1, 80), _seeds)
_lines = st.builds(
    lambda count, seed: _pick(["x = 1", "", "# no heading", "y" * 50], count, seed), st.integers(0, 40), _seeds
)
_rows = st.builds(lambda count, seed: _pick(["a", "b b", "c" * 60], count, seed), st.integers(1, 60), _seeds)
_spec = st.one_of(
    st.tuples(st.just("heading"), st.integers(1, 6), st.integers(0, 30)),
    st.tuples(st.just("paragraph"), _words, st.none()),
    st.tuples(st.just("code"), _lines, st.none()),
    st.tuples(st.just("table"), _rows, st.none()),
    st.tuples(
        st.just("list"), st.lists(st.tuples(_words, st.one_of(st.just([]), _lines)), min_size=1, max_size=6), st.none()
    ),
)


@st.composite
def documents(draw: st.DrawFn) -> Parsed:
    """A document of random blocks with random blank lines between them."""
    builder = Builder()
    builder.text(draw(st.sampled_from(["", "\n", "\n\n"])))
    for number, (kind, first, second) in enumerate(draw(st.lists(_spec, min_size=1, max_size=14))):
        if kind == "heading":
            builder.add(heading(builder, first, f"H{number}" + "h" * second))
        else:
            make = {"paragraph": paragraph, "code": code, "table": table, "list": listing}[kind]
            builder.add(make(builder, first))
        builder.text(draw(st.sampled_from(BLANKS)))
    return builder.parsed()
