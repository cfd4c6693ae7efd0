"""Passages cut to a window."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from drawwell.protocols import Passage
from drawwell.providers.remote import estimate_tokens
from drawwell.providers.windows import fill, halves, pieces

TEXTS = st.text(st.sampled_from("ab \n.é漢\U0001f600"), max_size=400)


@given(TEXTS, TEXTS, st.integers(8, 60))
def test_pieces_fit_and_lose_nothing(title: str, text: str, window: int) -> None:
    """Every piece fits the window with its title; all texts, joined, are the text, but for pieces of blanks."""
    found = list(pieces(Passage(title, text), window, estimate_tokens))
    assert found
    assert len({piece.title for piece in found}) == 1
    for piece in found:
        assert estimate_tokens(piece.title) + estimate_tokens(piece.text) <= window + 2
    kept = "".join("".join(piece.text.split()) for piece in found)
    whole = text if found[0].title == title else title + text
    assert kept == "".join(whole.split())


@given(TEXTS, TEXTS)
def test_halves_lose_nothing_and_are_smaller(title: str, text: str) -> None:
    """Halving goes on to the end: each half is smaller, and together they are all of it."""
    found = halves(Passage(title, text))
    if found is None:
        assert len(text) < 2
        return
    first, second = found
    assert first.text + second.text in (text, f"{title}\n{text}")
    for half in found:
        assert len(half.text) > 0
        assert len(half.title) + len(half.text) < max(3, len(title) + len(text) + 1)


def test_cuts_are_at_good_places() -> None:
    """A blank line is a better place than a sentence, a sentence than a word."""
    text = "One two three. Four five.\n\nSix seven eight. Nine ten eleven twelve."
    first = next(iter(pieces(Passage("", text), 14, estimate_tokens)))
    assert first.text == "One two three. Four five.\n\n"


def test_a_megabyte_is_cut_whole() -> None:
    """A long text without a single good place is cut all the same, and all of it comes."""
    text = "x" * 1_000_000
    assert "".join(piece.text for piece in pieces(Passage("t", text), 512, estimate_tokens)) == text


def test_a_text_that_looks_like_a_place_is_none() -> None:
    """Places of the form are filled once; what a title or a text contains is left as it is."""
    assert fill("{title}: {text}", "{text}", "{title}") == "{text}: {title}"
    assert fill("{title}\n{text}", "", "x") == "x"
    assert fill("no place", "a", "b") == "no place"
