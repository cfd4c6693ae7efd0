"""The lexical ranking over a real index: what is found, what comes first, and what no query can break."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tantivy import Document, Index, Query, SchemaBuilder, Searcher

from drawwell.retrieval.lexical import (
    FIELDS,
    MAX_TOKENS,
    compile_query,
    document_language,
    fields_of,
    languages_in,
    parse,
)
from drawwell.retrieval.nearby import compile_fallback, suggest

CASE_FILE = json.loads((Path(__file__).parent / "cases" / "lexical.json").read_text(encoding="utf-8"))
SECTIONS: Mapping[str, Any] = CASE_FILE["sections"]
NAMES = list(SECTIONS)
# What users typed and other tools choked on, and worse.
RAW = [
    *(Path(__file__).parent / "cases" / "raw_queries.txt").read_text(encoding="utf-8").splitlines(),
    *("", "   ", "\x00", "\ud800", "a" * 5000, "🎉" * 100, "状" * 3000, "é" * 2500, "a.b.c.d.e.f." * 200),
]


def built(sections: Mapping[str, Any]) -> Index:
    builder = SchemaBuilder()
    builder.add_unsigned_field("key", fast=True)
    for field in FIELDS:
        builder.add_text_field(field.name, tokenizer_name=field.tokenizer, index_option=field.indexed)
    schema = builder.build()
    index = Index(schema)
    writer = index.writer(15_000_000, 1)
    for number, section in enumerate(sections.values()):
        fields = fields_of(section["headings"], (), section["text"], section.get("language", "en"))
        writer.add_document(Document.from_dict({**fields, "key": number}, schema))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index


INDEX = built(SECTIONS)
SEARCHER: Searcher = INDEX.searcher()


def names(query: Query | None) -> list[str]:
    """Sections that a query finds, best first."""
    if query is None:
        return []
    hits = SEARCHER.search(query, len(NAMES), count=False).hits
    keys = SEARCHER.fast_field_values("key", [address for _, address in hits])
    return [NAMES[int(key)] for key in keys if key is not None]


def asked(text: str) -> list[str]:
    """What a search finds: with what is quoted first, without it when nothing holds it."""
    question = parse(text, languages_in(SEARCHER))
    found = names(compile_query(INDEX.schema, question))
    return found or names(compile_query(INDEX.schema, question, phrases=False))


@pytest.mark.parametrize("case", CASE_FILE["cases"], ids=lambda case: case["id"])
def test_case_file(case: Mapping[str, Any]) -> None:
    """SR-01 to SR-16 and SR-18: the cases of cases/lexical.json."""
    found = asked(case["query"])
    if "hits" in case:
        assert sorted(found) == sorted(case["hits"])
    if "first" in case:
        assert found[:1] == [case["first"]]
    assert set(case.get("includes", ())) <= set(found)
    assert not set(case.get("excludes", ())) & set(found)
    if "near" in case:
        assert not found
        near = names(compile_fallback(INDEX.schema, SEARCHER, parse(case["query"])))
        assert near[:1] == ([case["near"]] if case["near"] else [])
    if "suggests" in case:
        assert case["suggests"] in suggest(SEARCHER, case["query"])


@pytest.mark.parametrize("query", RAW, ids=[str(number) for number in range(len(RAW))])
def test_raw_queries_never_fail(query: str) -> None:
    """SR-20: every string that broke another tool gives hits or none."""
    question = parse(query)
    assert set(asked(query)) <= set(NAMES)
    assert set(names(compile_fallback(INDEX.schema, SEARCHER, question))) <= set(NAMES)
    for word in question.words:
        assert len(suggest(SEARCHER, word.exact[0])) <= 3


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_and_any_query(text: str, query: str) -> None:
    """No text and no query is refused, and tokens of a field hold no blanks."""
    fields = fields_of([text], [text], text)
    assert list(fields) == [field.name for field in FIELDS]
    for tokens in fields.values():
        tokens.encode()
    asked(query)


def test_sr_17_a_long_query_is_bounded() -> None:
    """SR-17: a query of one word nine thousand times is one word; one of many is cut, and says so."""
    assert len(parse("cache " * 1500).words) == 1
    many = parse(" ".join(f"word{number}x" for number in range(100)))
    assert len(many.words) == MAX_TOKENS
    assert many.cut
    assert not parse("a few words").cut


def test_a_language_is_told_and_asked_for() -> None:
    """A document's language is told by its function words; an index knows which ones it holds; code is English."""
    german = ["Die Kündigungsfristen der Verträge stehen im Anhang", "und sind nicht für alle gleich."]
    assert document_language(german) == "de"
    assert (
        document_language(["Les réglages de la page sont dans le menu, avec ceux qui ne sont pas pour vous."]) == "fr"
    )
    assert document_language(["def de(la, le, les):\n    return de(la) or le(les)\n" * 10]) == "en"
    assert document_language(["The settings of the page are in the menu, with those that are not for you."]) == "en"
    assert set(languages_in(SEARCHER)) == {"en", "de", "fr", "tr"}


def test_stems_of_another_language_do_not_answer() -> None:
    """The French word note is not found by the stem of an English word that is written like its stem."""
    assert "fr" not in asked("notable noting")


def test_what_a_snippet_shows() -> None:
    """Names as they are, words by the beginning that their stem is, parts of names; no marks of languages."""
    shown = parse("installing policies UV_CACHE_DIR", ("en", "de")).shown
    assert {"instal*", "polic*", "uv_cache_dir", "cach*"} <= set(shown)
    assert not any(":" in one for one in shown)


def test_a_heading_s_words_count_once_at_its_full_length() -> None:
    """A word that a heading path repeats counts once, and the path keeps its length."""
    tokens = fields_of(["Cache", "Cache settings"], ["The cache"], "")["heading"].split()
    assert tokens.count("cach") == 1
    assert len(tokens) == len(fields_of(["Cache", "Other settings"], ["The memory"], "")["heading"].split())
    assert all(field.frequencies for field in FIELDS)  # without, Tantivy scores every section that holds a word


def test_suggestions_are_ordered_and_bounded() -> None:
    """Nearer words first, then frequent ones; short words and words of the index itself suggest no nonsense."""
    assert suggest(SEARCHER, "refundd", 1) == ("refund",)
    assert suggest(SEARCHER, "ab") == ()
    assert "refund" not in suggest(SEARCHER, "refund")
    assert suggest(SEARCHER, "bindow", 1) == ("window",)
