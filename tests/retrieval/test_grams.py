"""What the trigram index holds of a document."""

from __future__ import annotations

from drawwell.retrieval.grams import FRONT_MATTER, grams_of


def test_gr_08_whole_lines_and_front_matter() -> None:
    """GR-08: a section is indexed folded, with blanks behind it; front matter is an entry of its own."""
    entries = dict(grams_of("---\nA: 1\n---\n", [(0, "# Été\n"), (1, "ﬁn\n")]))
    assert entries == {
        FRONT_MATTER: {"grams": "--- a: 1 ---   "},
        0: {"grams": "# été   "},
        1: {"grams": "fin   "},
    }


def test_gr_08_cut_lines() -> None:
    """GR-08: a section that ends within a line holds what follows of the line, and all that share it are marked."""
    far = "x" * 700
    sections = [(0, "whole\n"), (1, "one "), (2, "two "), (3, f"three\n{far}\n"), (4, "end "), (5, far), (6, "last")]
    entries = dict(grams_of("", sections))
    assert entries[1] == {"grams": "one two three   ", "cut": "1"}
    assert entries[2] == {"grams": "two three   ", "cut": "1"}
    assert entries[3]["cut"] == "1"
    assert entries[4] == {"grams": f"end {far[:600]}  ", "cut": "1"}
    assert entries[5] == {"grams": f"{far}last  ", "cut": "1"}
    assert entries[6] == {"grams": "last  ", "cut": "1"}
    assert "cut" not in entries[0]
    assert dict(grams_of("", [(0, "no line end")])) == {0: {"grams": "no line end  "}}
