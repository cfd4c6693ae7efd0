"""Writing Markdown that is read back as it was meant."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from drawwell.text.formats.rendition import Rendition

TEXT = st.text("#-*+_=`~>|<!?$:/[]().1a \n\r\\'\"&\té", max_size=14)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["heading", "paragraph", "item", "table", "note"]), TEXT), max_size=6))
@example([("paragraph", "a\n=")])
@example([("item", "a"), ("paragraph", "    b")])
@example([("table", "a\\|b"), ("table", "`|")])
@example([("paragraph", "<A>"), ("paragraph", "</A>"), ("paragraph", "text")])
def test_nothing_becomes_what_it_is_not(pieces: list[tuple[str, str]]) -> None:
    """Each piece that holds anything is one block of its kind, in order, whatever is in it."""
    out = Rendition()
    expected: list[str] = []
    for kind, text in pieces:
        if kind == "heading":
            out.heading(2, text)
        elif kind == "paragraph":
            out.paragraph(text)
        elif kind == "note":
            out.note("Notes", text)
        elif kind == "item":
            out.item(0, "-", text)
        else:
            out.table([["head", text], [text, "x"]], 2)
        if kind == "table" or text.strip():
            name = {"item": "list", "note": "container"}.get(kind, kind)
            if not (name == "list" and expected and expected[-1] == "list"):
                expected.append(name)
    parsed = out.parsed({})
    assert [block.kind for block in parsed.blocks] == expected
    wanted = [" ".join(text.split()) for kind, text in pieces if kind == "heading" and text.strip()]
    assert [block.text for block in parsed.blocks if block.kind == "heading"] == wanted


def test_lists_are_nested_and_go_on() -> None:
    """Numbers that do not begin with one, and changes of the kind of list, too."""
    out = Rendition()
    for depth, mark, text in [(0, "3.", "c"), (1, "2)", "b\nmore"), (5, "-", "deep"), (1, "3)", "d"), (0, "4.", "e")]:
        out.item(depth, mark, text)
    parsed = out.parsed({})
    assert parsed.source == "3. c\n\n   2) b\n      more\n      - deep\n   3) d\n4. e\n"
    outer = parsed.blocks[0]
    assert [item.kind for item in outer.children] == ["item", "item"]
    inner = outer.children[0].children[-1]
    assert (inner.kind, len(inner.children)) == ("list", 2)
