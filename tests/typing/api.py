"""What users write, for the type checker (`make check`): every public name with the types that it promises."""

from __future__ import annotations

from typing import Any, assert_type

import drawwell


def draw(corpus: drawwell.Corpus) -> None:
    """The five operations and their results."""
    found = corpus.search("words", within=["a.md"], limit=5, mode="lexical", max_tokens=500)
    assert_type(found, drawwell.SearchResult)
    assert_type(found.hits, tuple[drawwell.Hit, ...])
    assert_type(found.hits[0].cite, str)
    section = corpus.read(found.hits[0].id, context=1)
    assert_type(section, drawwell.SectionText)
    assert_type(section.text, str)
    assert_type(corpus.grep("TX-44", regex=False).matches, tuple[drawwell.GrepMatch, ...])
    assert_type(corpus.neighbours("a.md#3", before=0).sections, tuple[drawwell.SectionText, ...])
    assert_type(corpus.index("guides/"), drawwell.IndexText)


def open_and_use() -> None:
    """Opening, settings as keywords, errors."""
    try:
        with drawwell.open_corpus("docs", ingest=False, store="s.sqlite", section_max_chars=500) as corpus:
            assert_type(corpus, drawwell.Corpus)
            draw(corpus)
    except drawwell.Error as error:
        assert_type(error.message, str)
        assert_type(error.suggestion, str)


def tools() -> None:
    """The tools as data."""
    assert_type(drawwell.TOOLS, list[dict[str, Any]])
    assert_type(drawwell.openai_tools(), list[dict[str, Any]])
    assert_type(drawwell.__version__, str)
