"""The invariants of sectioning, over random documents, and its rules one by one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawwell.model import Span
from drawwell.text.blocks import Block, Parsed
from drawwell.text.sections import Section, SectionLimits, cut
from drawwell.text.slugs import plain_slug
from tests.text.documents import Builder, code, documents, heading, listing, paragraph, table

_limits = st.builds(
    SectionLimits, max_chars=st.integers(60, 600), min_chars=st.integers(1, 40), heading_depth=st.integers(1, 6)
)


def leaves(block: Block) -> list[Block]:
    return [block] if not block.children or block.kind == "table" else [x for c in block.children for x in leaves(c)]


def all_leaves(parsed: Parsed) -> list[Block]:
    return [leaf for block in parsed.blocks for leaf in leaves(block)]


def body(section: Section, parsed: Parsed) -> Span:
    """A section without the headings at its start."""
    start = section.span.start
    for block in parsed.blocks:
        if block.kind == "heading" and not parsed.source[start : block.span.start].strip():
            start = block.span.end if start <= block.span.start else start
    return Span(min(start, section.span.end), section.span.end)


@settings(max_examples=150, deadline=None)
@given(documents(), _limits)
def test_sections_tile_the_source(parsed: Parsed, limits: SectionLimits) -> None:
    """The slices in order are the source; ordinals and lines follow."""
    sections = cut(parsed, "some-file", limits).sections
    assert "".join(parsed.source[s.span.start : s.span.end] for s in sections) == parsed.source
    assert [s.ordinal for s in sections] == list(range(len(sections)))
    for section in sections:
        assert section.first_line == 1 + parsed.source.count("\n", 0, section.span.start)
        assert section.first_line <= section.last_line <= 1 + parsed.source.count("\n", 0, section.span.end)
        assert section.text(parsed.source) == section.repeated + parsed.source[section.span.start : section.span.end]


@settings(max_examples=150, deadline=None)
@given(documents(), _limits)
def test_code_and_rows_are_never_cut_within_the_hard_limit(parsed: Parsed, limits: SectionLimits) -> None:
    """No border of a section lies inside a code block, row or protected span; numbered pieces excepted."""
    result = cut(parsed, "f", limits)
    borders = [s.span.start for s in result.sections]
    for leaf in all_leaves(parsed):
        whole = list(leaf.children) if leaf.kind == "table" else [leaf]
        for block in whole:
            inside = [b for b in borders if block.span.start < b < block.span.end]
            if block.kind in ("code", "row") and block.span.end - block.span.start + 3 <= limits.hard_max:
                assert not inside
            if block.kind == "paragraph":
                assert not [b for b in inside for span in block.protected if span.start < b < span.end]


@settings(max_examples=150, deadline=None)
@given(documents(), _limits)
def test_sizes(parsed: Parsed, limits: SectionLimits) -> None:
    """A section is within the limit, leading headings aside, unless it is one block or row that may exceed it."""
    result = cut(parsed, "f", limits)
    atoms = [x for leaf in all_leaves(parsed) for x in (leaf.children if leaf.kind == "table" else (leaf,))]
    for section in result.sections:
        start, end = body(section, parsed)
        size = end - start + len(section.repeated)
        if size <= limits.max_chars or not parsed.source[start:end].strip():
            continue
        holds = [a for a in atoms if a.kind != "heading" and a.span.start < end and a.span.end > start]
        assert size <= limits.hard_max + 40
        sizes = sorted(a.span.end - a.span.start for a in holds)
        assert sum(sizes[:-1]) <= limits.min_chars  # a few words may introduce a row that exceeds the limit


@settings(max_examples=150, deadline=None)
@given(documents(), _limits)
def test_every_table_part_begins_with_its_header(parsed: Parsed, limits: SectionLimits) -> None:
    """A section that starts inside a table repeats that table's header, and only then."""
    result = cut(parsed, "f", limits)
    tables = [leaf for leaf in all_leaves(parsed) if leaf.kind == "table"]
    for section in result.sections:
        inside = [t for t in tables if t.header_end <= section.span.start < t.span.end]
        assert section.repeated == (parsed.source[inside[0].span.start : inside[0].header_end] if inside else "")
        if inside:
            assert 2 <= section.part <= section.parts
            first = result.sections[section.ordinal - section.part + 1]
            assert first.part == 1
            assert first.span.start <= inside[0].span.start < first.span.end


@settings(max_examples=150, deadline=None)
@given(documents(), _limits)
def test_every_heading_is_reachable(parsed: Parsed, limits: SectionLimits) -> None:
    """The section that holds a heading names it in its path or in what it covers; paths begin with the title."""
    result = cut(parsed, "f", limits)
    for section in result.sections:
        assert section.headings[0] == result.title
        assert all(section.headings)
    for block in parsed.blocks:
        if block.kind == "heading":
            holder = next(s for s in result.sections if s.span.start <= block.span.start < s.span.end)
            assert block.text in holder.headings or block.text in holder.covers


@settings(max_examples=100, deadline=None)
@given(documents(), _limits)
def test_a_heading_is_never_last_but_at_the_end_of_its_group(parsed: Parsed, limits: SectionLimits) -> None:
    """A section does not end in a heading whose content begins the next one."""
    result = cut(parsed, "f", limits)
    ends = {s.span.end for s in result.sections[:-1]}
    for block, following in zip(parsed.blocks, parsed.blocks[1:], strict=False):
        if block.kind == "heading" and following.kind != "heading":
            assert following.span.start not in ends


@settings(max_examples=50, deadline=None)
@given(documents(), _limits)
def test_anchors_are_unique(parsed: Parsed, limits: SectionLimits) -> None:
    """No two sections of a document share an anchor (MD-27)."""
    anchors = [s.anchor for s in cut(parsed, "f", limits).sections]
    assert len(set(anchors)) == len(anchors)


def faq(*pairs: tuple[str, str], intro: str = "") -> Parsed:
    builder = Builder()
    builder.add(heading(builder, 1, "FAQ"))
    builder.text("\n")
    if intro:
        builder.add(paragraph(builder, [intro]))
        builder.text("\n")
    for question, answer in pairs:
        builder.add(heading(builder, 2, question))
        builder.text("\n")
        builder.add(paragraph(builder, [answer]))
        builder.text("\n")
    return builder.parsed()


def test_md_30_tiny_siblings_share_their_parents_path() -> None:
    """A FAQ of tiny sections is one section under the FAQ's path that covers its questions."""
    result = cut(faq(("Q1", "Yes."), ("Q2", "No."), ("Q3", "Maybe.")), "faq", SectionLimits())
    assert [(s.headings, s.covers) for s in result.sections] == [(("FAQ",), ("Q1", "Q2", "Q3"))]


def test_md_31_own_heading_is_not_absorbed_under_a_siblings_path() -> None:
    """A tiny section after a long one stays under its own path."""
    result = cut(faq(("A", "long " * 30), ("B", "tiny")), "faq", SectionLimits())
    assert [s.headings for s in result.sections] == [("FAQ", "A"), ("FAQ", "B")]


def test_bare_heading_joins_what_it_introduces() -> None:
    """A chapter heading without text travels with its first section, whose path names it."""
    result = cut(faq(("Install", "words " * 20)), "x", SectionLimits())
    assert [s.headings for s in result.sections] == [("FAQ", "Install")]
    assert result.sections[0].span.start == 0


def test_bare_heading_at_the_end_stays() -> None:
    """A heading with nothing after it is a section of its own."""
    builder = Builder()
    builder.add(heading(builder, 1, "T"))
    builder.add(paragraph(builder, ["word"] * 30))
    builder.add(heading(builder, 2, "Empty"))
    assert [s.headings for s in cut(builder.parsed(), "x", SectionLimits()).sections] == [("T",), ("T", "Empty")]


def test_md_33_heading_travels_with_the_first_part_of_its_table() -> None:
    """A long table right after its heading leaves no heading behind."""
    builder = Builder()
    builder.add(heading(builder, 1, "Limits"))
    builder.add(table(builder, [f"row number {n:03}" for n in range(200)]))
    sections = cut(builder.parsed(), "x", SectionLimits()).sections
    assert sections[0].kind == "table"
    assert len(sections) > 2
    assert [(s.part, s.parts) for s in sections] == [(n + 1, len(sections)) for n in range(len(sections))]


def test_md_35_header_is_the_parts_own() -> None:
    """Two long tables under one heading: each part repeats its own table's header."""
    builder = Builder()
    builder.add(heading(builder, 1, "T"))
    first = builder.add(table(builder, ["a" * 40] * 100))
    builder.text("\n")
    second = builder.add(table(builder, ["b" * 40] * 100))
    parsed = builder.parsed()
    parts = [s for s in cut(parsed, "x", SectionLimits()).sections if s.repeated]
    assert {s.span.start < first.span.end for s in parts} == {True, False}
    assert all(s.parts < len(parts) for s in parts)
    assert second.header_end > first.header_end


def test_md_36_lists_are_cut_between_items() -> None:
    """A long list is cut at items only."""
    builder = Builder()
    block = builder.add(listing(builder, [(["item", str(n)], []) for n in range(400)]))
    starts = {child.span.start for child in block.children}
    sections = cut(builder.parsed(), "x", SectionLimits()).sections
    assert len(sections) > 2
    assert {s.span.start for s in sections} <= starts


def test_md_37_sentences_of_scripts_without_spaces() -> None:
    """Japanese running text is cut after its full stop."""
    builder = Builder()
    builder.add(paragraph(builder, ["これは長い文章の一部であり、設定の方法を説明します。" * 300]))
    parsed = builder.parsed()
    sections = cut(parsed, "x", SectionLimits()).sections
    assert len(sections) > 3
    assert all(parsed.source[s.span.end - 1] == "。" for s in sections[:-1])


def test_oversize_code_is_whole_up_to_the_hard_limit_then_numbered_pieces() -> None:
    """Code of up to four limits is one section; beyond, pieces of whole lines marked part of n."""
    builder = Builder()
    builder.add(code(builder, ["line"] * 1500))
    assert len(cut(builder.parsed(), "x", SectionLimits()).sections) == 1
    builder = Builder()
    builder.add(code(builder, ["line"] * 3000))
    parsed = builder.parsed()
    sections = cut(parsed, "x", SectionLimits()).sections
    assert [(s.part, s.parts) for s in sections] == [(n + 1, len(sections)) for n in range(len(sections))]
    assert all(parsed.source[s.span.end - 1] == "\n" for s in sections)
    assert all(s.kind == "code" for s in sections)


def test_md_38_40_linear_on_huge_input() -> None:
    """A 20 MB line and 100,000 tiny headings are cut in seconds, with every path kept."""
    builder = Builder()
    builder.source = "x" * 20_000_000
    builder.add(Block("paragraph", Span(0, 20_000_000)))
    assert len(cut(builder.parsed(), "x", SectionLimits()).sections) == 10_000
    lines = [f"# h{n}\n\nabc\n\n" for n in range(100_000)]
    source = "".join(lines)
    blocks = []
    at = 0
    for n, line in enumerate(lines):
        split = at + line.index("\n") + 1
        blocks.append(Block("heading", Span(at, split), level=1, text=f"h{n}"))
        blocks.append(Block("paragraph", Span(split + 1, at + len(line) - 1)))
        at += len(line)
    sections = cut(Parsed(source, tuple(blocks)), "x", SectionLimits()).sections
    assert [name for s in sections for name in s.covers] == [f"h{n}" for n in range(100_000)]


@pytest.mark.parametrize(
    ("text", "slug"), [("Getting started!", "getting-started"), ("`pip` & co", "pip--co"), ("設定 方法", "設定-方法")]
)
def test_slug(text: str, slug: str) -> None:
    """Anchors are those of common renderers."""
    assert plain_slug(text) == slug


def test_md_44_title_is_the_first_element() -> None:
    """Without a level-1 heading the file's name, made readable, begins every path; several level-1 headings too."""
    builder = Builder()
    builder.add(heading(builder, 2, "Summary"))
    builder.add(paragraph(builder, ["word"] * 30))
    assert cut(builder.parsed(), "0042-node_feature", SectionLimits()).sections[0].headings == (
        "0042 node feature",
        "Summary",
    )


def test_deeper_headings_are_covered_where_they_are_in_force() -> None:
    """A heading below the depth is named by every part under it, and no longer once the next one begins."""
    builder = Builder()
    builder.add(heading(builder, 1, "T"))
    for name in ("one", "two"):
        builder.add(heading(builder, 5, name))
        for _ in range(4):
            builder.add(paragraph(builder, ["word"] * 150))
    sections = cut(builder.parsed(), "x", SectionLimits(max_chars=1000, heading_depth=4)).sections
    assert [s.headings for s in sections] == [("T",)] * len(sections)
    covers = [s.covers for s in sections]
    assert covers == sorted(covers)
    assert set(covers) <= {("one",), ("one", "two"), ("two",)}
    assert covers[-1] == ("two",)
