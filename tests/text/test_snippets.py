"""Snippets: what they show, and that they are the author's words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawwell.text.snippets import SNIPPET_CHARS, snippet

FILLER = "Nothing of interest stands here at all, only words that fill the page. "


def test_shows_the_match_between_words() -> None:
    """The piece around the match is shown, cut between words, with an ellipsis at each end that is cut."""
    shown = snippet(FILLER * 10 + "The refund window closes after thirty days. " + FILLER * 10, ["refund", "window"])
    assert "refund window" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert all(word in (FILLER + "The refund window closes after thirty days.").split() for word in shown[1:-1].split())


def test_prefers_telling_words() -> None:
    """A window with the long rare words of a query beats one with its small words."""
    text = "how to do it, and what is to be done. " * 20 + "Configure the authentication proxy. " + FILLER * 5
    assert "authentication" in snippet(text, ["how", "to", "do", "the", "authentication"])


def test_short_text_is_shown_whole() -> None:
    """A text shorter than a snippet has no ellipsis; white space becomes single spaces."""
    assert snippet("One\n\n  two\tthree\r\n", ["two"]) == "One two three"


def test_headings_at_the_start_are_passed_over() -> None:
    """The heading path is shown beside a snippet, so the snippet begins with the text below."""
    assert snippet("# Cache\n\n## Cache directory\n\nWhere files are kept.", ["cache"]) == "Where files are kept."
    assert snippet("# Cache\n\n", ["cache"]) == "# Cache"


def test_shows_words_that_begin_with_a_stem() -> None:
    """A section that was found by a stem is shown at the inflected word; a stem does not stand inside a word."""
    text = FILLER * 8 + "Reinstalled at night. " + FILLER * 8 + "Then installing goes on. " + FILLER * 8
    assert "installing goes" in snippet(text, ["installs", "instal*"])


def test_shows_parts_of_words_when_there_is_nothing_better() -> None:
    """A part of an identifier shows where it stands inside one, unless it stands by itself elsewhere."""
    inside = FILLER * 8 + "Call getUserName for it. " + FILLER * 8
    assert "getUserName" in snippet(inside, ["user", "user*"])
    assert "the user is" in snippet(inside + "Here the user is named. " + FILLER * 8, ["user", "user*"])


def test_matches_without_diacritics_and_case() -> None:
    """What the index finds without diacritics is found in the text too."""
    assert "École" in snippet(FILLER * 8 + "Une École normale. " + FILLER * 8, ["ecole"])


def test_accents_do_not_move_a_snippet() -> None:
    """The same text with accents shows the same words, at the same borders."""
    text = FILLER * 8 + "The refund window closes after thirty days, and then opens again. " + FILLER * 8
    accented = text.replace("e", "é")
    for tokens in (["refund", "thirty"], ["again"], ["absent"], ["nothing"]):
        assert snippet(accented, tokens) == snippet(text, tokens).replace("e", "é")


def test_east_asian_text() -> None:
    """Text without spaces is cut between characters, at half as many of them."""
    text = "これは長い文章です。" * 40 + "設備清单を確認します。" + "これは長い文章です。" * 40
    shown = snippet(text, ["設備清单"])
    assert "設備清单" in shown
    assert len(shown) <= SNIPPET_CHARS // 2 + 3


def test_no_match_shows_the_beginning() -> None:
    """A section found by its heading alone is shown from its beginning."""
    assert snippet(FILLER * 10, ["absent"]).startswith("Nothing of interest")


def test_clusters_stay_whole() -> None:
    """Characters made of several code points are not cut in the middle."""
    text = "👩‍💻" * 200
    shown = snippet(text, ["x"]).rstrip("…")
    assert len(shown) % 3 == 0
    assert shown.replace("👩‍💻", "") == ""


@pytest.mark.timeout(10)
@pytest.mark.parametrize("text", ["a" * 5_000_000, "é " * 2_000_000, "x needle " * 500_000, " " * 5_000_000])
def test_huge_text(text: str) -> None:
    """A text of megabytes gives a snippet at once."""
    assert len(snippet(text, ["needle", "é"])) <= SNIPPET_CHARS + 2


@given(
    st.text(st.sampled_from("ab \n.#é状🙂\u0301\x00\x1b-"), max_size=400), st.lists(st.sampled_from(["a", "ab", "状"]))
)
def test_is_one_line_of_the_text(text: str, tokens: list[str]) -> None:
    """A snippet is one line, no wider than it should be, and made of the text's own characters in their order."""
    shown = snippet(text, tokens)
    assert len(shown) <= SNIPPET_CHARS + 2
    assert shown.isprintable() or "\u0301" in shown
    words = iter("".join(char if ord(char) > 31 else " " for char in text).replace(" ", ""))
    assert all(char in words for char in shown.strip("…").replace(" ", ""))
