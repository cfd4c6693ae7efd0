"""Token estimates and cuts."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawwell.text.budget import estimate_tokens, fitting, json_quarters, quarters, safe_cut

MIXED = st.text(st.sampled_from("ab \n\r\té状態語\u0301🙂\u200d한글।ก"), max_size=120)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("été 12", 2),
        ("状態", 2),
        ("한국어", 3),
        ("カタカナ ab", 5),
        ("🙂", 1),
        ("“quoted” — text", 4),
        ("𠀀", 1),
    ],
)
def test_estimate(text: str, tokens: int) -> None:
    """East Asian characters and emoji take about a token each, four of all others make one."""
    assert estimate_tokens(text) == tokens


@given(MIXED, MIXED)
def test_costs_add_up(left: str, right: str) -> None:
    """The cost of a text is the sum of the costs of its parts, so budgets can be kept line by line."""
    assert quarters(left + right) == quarters(left) + quarters(right)


@pytest.mark.parametrize(
    ("text", "at", "expected"),
    [
        ("abc", 2, 2),
        ("ae\u0301x", 2, 1),
        ("a👩\u200d💻b", 3, 1),
        ("a\r\nb", 2, 1),
        ("a🇫🇷b", 2, 1),
        ("a👍🏽b", 2, 1),
        ("각\u1100\u1161\u11a8b", 3, 1),
        ("abc", 0, 0),
        ("abc", 3, 3),
    ],
)
def test_cut_keeps_characters_whole(text: str, at: int, expected: int) -> None:
    """A cut moves back to the border of what a reader sees as one character."""
    assert safe_cut(text, at) == expected


def test_cut_gives_up_on_endless_clusters() -> None:
    """A cluster longer than any real one is cut where asked, so that a cut always makes progress."""
    text = "a" + "\u0301" * 1000
    assert safe_cut(text, 500) == 500
    assert safe_cut("e\u0301x", 1) == 1


@given(MIXED, st.integers(1, 20))
def test_pieces_make_the_whole(text: str, budget: int) -> None:
    """Cut piece by piece nothing is lost, every piece moves on, and each is within the budget if a character is."""
    start = 0
    pieces = []
    while start < len(text):
        end = fitting(text, start, budget)
        assert end > start
        pieces.append(text[start:end])
        start = end
    assert "".join(pieces) == text
    for piece in pieces:
        assert estimate_tokens(piece) <= budget or len(piece) == 1


@given(st.text(max_size=60))
def test_cost_as_json(text: str) -> None:
    """The cost of a text in JSON is that of the JSON string, but for its quotation marks."""
    assert json_quarters(text) == quarters(json.dumps(text, ensure_ascii=False)) - 2


def test_pieces_end_at_lines() -> None:
    """A piece ends at a line border where there is one in it."""
    assert fitting("one\ntwo\nthree\n", 0, 2) == 8
    assert fitting("onetwothree", 0, 2) == 8


@pytest.mark.timeout(10)
def test_long_text_is_cut_in_linear_time() -> None:
    """Cutting looks only at what a piece can hold, however long the text is."""
    text = "状" * 2_000_000
    start = pieces = 0
    while start < len(text):
        start = fitting(text, start, 6000)
        pieces += 1
    assert pieces == 334
