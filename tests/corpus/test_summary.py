"""The one line about a document that needs no model."""

from __future__ import annotations

import time

import pytest

from drawwell.corpus.ingest.summary import MAX_SUMMARY, offline_summary
from drawwell.text.formats.markdown import parse

CASES = {
    "the first sentence": ("# T\n\nThis is the first sentence. And a second.\n", "This is the first sentence."),
    "lines are joined": ("# T\n\nA sentence that\ngoes on here. More.\n", "A sentence that goes on here."),
    "too little text": (
        "# T\n\nShort.\n\nThis one is long enough to say something.\n",
        "This one is long enough to say something.",
    ),
    "tables and code are no prose": (
        "# T\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode code code code code\n```\n\nProse that is long enough.\n",
        "Prose that is long enough.",
    ),
    "links, images and marks": (
        "# T\n\n![logo](x.png) The **tool** [draws](http://a.b/c) `text` for _agents_ and snake_case.\n",
        "The tool draws text for _agents_ and snake_case.",
    ),
    "tags": ("# T\n\nSome <b>bold</b> text in a long <br/> sentence.\n", "Some bold text in a long sentence."),
    "a list": (
        "# T\n\n- the first item of a list\n- another\n",
        "the first item of a list",
    ),
    "a quotation": ("# T\n\n> Somebody said this long ago. Yes.\n", "Somebody said this long ago."),
    "abbreviations": (
        "# T\n\nUse it, e.g. for tests, i.e. here. Done.\n",
        "Use it, e.g. for tests, i.e. here.",
    ),
    "versions": (
        "# T\n\nVersion 3.12 of the tool is out now. Yes.\n",
        "Version 3.12 of the tool is out now.",
    ),
    "other scripts": ("# T\n\n環境変数でキャッシュの場所を変える。次の文。\n", "環境変数でキャッシュの場所を変える。"),
    "nothing to say": ("# T\n\nNo.\n", ""),
    "control characters": (
        "# T\n\nA sentence\twith \x07 bells and \u200e marks in it.\n",
        "A sentence with bells and marks in it.",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_first_sentence_that_says_something(case: str) -> None:
    """After the title, on one line, without markup."""
    text, sentence = CASES[case]
    assert offline_summary("Title", parse(text.encode())) == (f"Title · {sentence}" if sentence else "Title")


def test_the_description_helps_out() -> None:
    """A document without running text may describe itself in its front matter."""
    parsed = parse(b"---\ndescription: Where it says what it is.\n---\n\n# T\n")
    assert offline_summary("T", parsed) == "T · Where it says what it is."


@pytest.mark.parametrize("title", ["T", "T" * 300, "a\nb\x00c"])
def test_it_is_one_line_and_bounded(title: str) -> None:
    """Whatever the title and the text."""
    summary = offline_summary(title, parse(b"# T\n\n" + b"word " * 1000))
    assert len(summary) <= MAX_SUMMARY
    assert summary.endswith("…")
    assert summary.isprintable()


@pytest.mark.parametrize("piece", ["![", "[a](", "<a ", "> - ", "*", "a.b", "__"])
def test_hostile_text_takes_no_time(piece: str) -> None:
    """A megabyte of opening brackets is looked at only as far as needed."""
    parsed = parse(b"# T\n\nx" + piece.encode() * 100_000)
    start = time.process_time()
    offline_summary("T", parsed)
    assert time.process_time() - start < 5
