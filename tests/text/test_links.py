"""Links that are found in a piece of Markdown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawwell.text.links import LONGEST_TEXT, links_in


def found(text: str) -> list[tuple[str, str, str]]:
    return [(link.text, link.target, link.anchor) for link in links_in(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See [[target]].", [("target", "target", "")]),
        ("See [[target|the alias]].", [("the alias", "target", "")]),
        ("| [[target\\|alias]] | x |", [("alias", "target", "")]),
        ("[[a/b c#Some heading]]", [("a/b c#Some heading", "a/b c", "Some heading")]),
        ("[[#Here]] ![[embed.md]]", [("#Here", "", "Here"), ("embed.md", "embed.md", "")]),
        ("[x](../other.md#part)", [("x", "../other.md", "part")]),
        ("[x](<a b.md> 'title') [y](a%20b.md?raw=1)", [("x", "a b.md", ""), ("y", "a b.md", "")]),
        ('[x](a_(b).md "title")', [("x", "a_(b).md", "")]),
        ("[![image](a.png)](b.md)", [("image", "a.png", ""), ("![image](a.png)", "b.md", "")]),
        ("[two\nlines](b.md)", [("two lines", "b.md", "")]),
        ("[web](https://example.org) [mail](mailto:a@b.c) [net](//example.org)", []),
        ("\\[x](y.md) and [x] (y.md) and [x](y z.md) and [] and [[]]", []),
        ("`[x](y.md)` ``[[a]] ` `` [z](w.md)", [("z", "w.md", "")]),
        ("a ` lone tick [z](w.md)\n\nand ` another", [("z", "w.md", "")]),
        ("```\n[x](y.md)\n```\n[z](w.md)", [("z", "w.md", "")]),
        ("~~~~\n[x](y.md)\n~~~\n[[no]]\n~~~~\n[z](w.md)", [("z", "w.md", "")]),
        ("- ```sh\n  [x](y.md)\n  ```\n- [z](w.md)", [("z", "w.md", "")]),
        ("        - deep in a list [z](w.md)", [("z", "w.md", "")]),
        ("```\n[x](y.md)\nnever closed", []),
    ],
)
def test_md_26_links_outside_code(text: str, expected: list[tuple[str, str, str]]) -> None:
    """MD-26: wiki links and ordinary ones with their text, target and anchor; none in code, escapes or to the web."""
    assert found(text) == expected


def test_place_and_length_of_a_link() -> None:
    """A link says where it begins, and its text is cut to 120 code points."""
    (link,) = links_in(f"\n\nxx [{'word ' * 100}](y.md)")
    assert link.at == 5
    assert len(link.text) == LONGEST_TEXT
    assert link.text.endswith("…")


@given(st.text(alphabet="[]()!`~|#\\ \n<>\"'ab/", max_size=200))
def test_any_text(text: str) -> None:
    """Whatever the text, links come in order and from inside of it."""
    places = [link.at for link in links_in(text)]
    assert all(0 <= place < len(text) for place in places)


@pytest.mark.parametrize("piece", ["[", "[[", "[x](", "`", "``` ", "[x](<", "![[a|", '[x](a "', "\n> - ", "]((y)"])
def test_linear_on_hostile_text(piece: str) -> None:
    """A megabyte of what opens something and closes nothing is read to its end."""
    ends = [link.at for link in links_in(piece * (1_000_000 // len(piece)) + "\n\n[x](y.md)")]
    assert len(ends) == (piece != "`")  # which opens a fence
