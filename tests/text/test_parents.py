"""The list items over the start of a section: true lines of the source, whatever the document."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from drawwell.model import Span
from drawwell.text.blocks import Block, Parsed
from drawwell.text.formats.markdown import parse
from drawwell.text.parents import LONGEST_PARENT, MOST_PARENTS, Parents
from drawwell.text.sections import Section, SectionLimits, cut

LIMITS = SectionLimits(max_chars=200, min_chars=20)


def sections_of(source: str, limits: SectionLimits = LIMITS) -> tuple[Section, ...]:
    return cut(parse(source.encode()), "x", limits).sections


def starts_with(source: str, word: str, limits: SectionLimits = LIMITS) -> Section:
    """The section whose text begins with a word, after marks of its line."""
    return next(s for s in sections_of(source, limits) if s.text(source).lstrip(" \t\n>-*1.").startswith(word))


def test_md_36_enclosing_items_are_named_outermost_first() -> None:
    """MD-36: a section that begins deep in a list names the first line of each item around its start."""
    inner = "".join(f"    - inner{n} {'words ' * 20}\n" for n in range(9))
    source = f"# List\n\n- first\n- outer **step**\n  1. middle step\n     more of it\n{inner}- last\n"
    source = source.replace("    - inner", "     - inner")
    parents = {s.text(source).lstrip()[:8]: s.parents for s in sections_of(source)}
    assert parents["- inner5"] == ("- outer **step**", "1. middle step")
    assert parents["# List\n\n"] == ()
    assert sections_of(source)[0].parents == ()


def test_md_36_a_piece_of_an_item_names_the_item() -> None:
    """MD-36: where an item is cut, its own first line stands over the rest, and nothing of it outside of the item."""
    source = "- an item with a rule\n\n  " + "One sentence of it. " * 30 + "\n\nProse after the list, " + "words " * 40
    pieces = [s for s in sections_of(source) if s.text(source).startswith("One sentence")]
    assert len(pieces) > 1
    assert {s.parents for s in pieces[1:]} == {("- an item with a rule",)}
    assert sections_of(source)[-1].parents == ()


def test_md_36_items_between_items_of_a_flat_list_have_no_parents() -> None:
    """MD-36: a list that is not nested is cut between its items, which stand under nothing."""
    assert {s.parents for s in sections_of("".join(f"- item {n} with words\n" for n in range(90)))} == {()}


def test_md_36_an_item_on_its_parents_line_is_named_once() -> None:
    """MD-36: items that begin on one line are one line of context."""
    inner = "".join(f"    - deep{n} {'words ' * 20}\n" for n in range(9))
    assert starts_with(f"- - top of both\n{inner}", "deep5").parents == ("- - top of both",)


def test_md_36_long_lines_are_cut() -> None:
    """MD-36: a parent's line is at most 120 code points, with an ellipsis where it was cut."""
    inner = "".join(f"  - deep{n} {'words ' * 20}\n" for n in range(9))
    (parent,) = starts_with(f"- {'long ' * 60}\n{inner}", "deep5").parents
    assert len(parent) == LONGEST_PARENT
    assert parent.endswith("…")
    assert parent.startswith("- long long")


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(1, 60)), min_size=1, max_size=40), st.integers(60, 300))
def test_md_36_parents_are_lines_before_the_section(items: list[tuple[int, int]], limit: int) -> None:
    """Sections still tile the source; their parents are lines of it before them, each less indented than the next."""
    source = "".join(f"{'  ' * depth}- {number} {'word ' * words}\n" for number, (depth, words) in enumerate(items))
    sections = sections_of(source, SectionLimits(max_chars=limit, min_chars=10))
    assert "".join(source[s.span.start : s.span.end] for s in sections) == source
    for section in sections:
        begun = source[: source.find("\n", max(0, section.span.start - 1))].split("\n")
        known = {line.strip()[: LONGEST_PARENT - 1]: line for line in begun}
        above = [known[parent.removesuffix("…")[: LONGEST_PARENT - 1]] for parent in section.parents]
        indents = [len(line) - len(line.lstrip()) for line in above]
        assert indents == sorted(set(indents))
        assert len(section.parents) <= MOST_PARENTS


def test_md_36_linear_on_deep_and_long_lists() -> None:
    """1,000 levels and 100,000 items take linear time, and no section carries more than 16 parents."""
    source = "".join(f"{' ' * n}- {n}\n" for n in range(1000))
    block: tuple[Block, ...] = ()
    at = len(source)
    starts = []
    for n in reversed(range(1000)):
        at -= len(f"{' ' * n}- {n}\n")
        starts.append(at)
        item = Block("item", Span(at, len(source)), children=block)
        block = (Block("list", Span(at, len(source)), children=(item,)),)
    parents = Parents(source, block)
    found = [parents.over(start, len(source)) for start in reversed(starts)]
    assert found[3] == ("- 0", "- 1", "- 2")
    assert found[-1] == tuple(f"- {n}" for n in range(983, 999))
    source = "- top\n" + "  - an item\n" * 100_000
    items = tuple(Block("item", Span(6 + 12 * n, 18 + 12 * n)) for n in range(100_000))
    top = Block("item", Span(0, len(source)), children=(Block("list", Span(6, len(source)), children=items),))
    parsed = Parsed(source, (Block("list", Span(0, len(source)), children=(top,)),))
    sections = cut(parsed, "x", SectionLimits()).sections
    assert {s.parents for s in sections[1:]} == {("- top",)}
