"""The tokeniser of format 1.x: agreement with the peer's stores, and linear time."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawwell.text.tokens import normalise_for_fts, plain_tokens

RECORDED = json.loads((Path(__file__).parent / "cases" / "normalise.json").read_text(encoding="utf-8"))["cases"]
TRICKY = st.text(st.sampled_from("ab1é状½-_. -_.\u0301\u200d/@🙂\t"), max_size=40)


def by_runs(text: str) -> str:
    """The rule as it is written down: look at each run and at what stands on its sides."""

    def replace(match: re.Match[str]) -> str:
        left = text[match.start() - 1 : match.start()].isalnum() if match.start() else False
        right = text[match.end() : match.end() + 1].isalnum()
        if left and right:
            return match[0]
        if left or right:
            return ""
        return "_" if "_" in match[0] else match[0]

    return re.sub(r"[-_.]+", replace, text)


@pytest.mark.parametrize(("text", "expected"), RECORDED)
def test_recorded_texts(text: str, expected: str) -> None:
    """What goes into the index is what ContextPull puts there."""
    assert normalise_for_fts(text) == expected


@given(TRICKY)
def test_rule_of_runs(text: str) -> None:
    """Every run is kept inside a word, dropped at its edge, and shortened where it touches no word."""
    assert normalise_for_fts(text) == by_runs(text)


@given(TRICKY)
def test_twice_is_once(text: str) -> None:
    """Normalising a normalised text changes nothing."""
    once = normalise_for_fts(text)
    assert normalise_for_fts(once) == once


@pytest.mark.timeout(10)
@pytest.mark.parametrize("text", ["a" + "_" * 2_000_000 + "b", "-" * 2_000_000, "a_" * 1_000_000, ". " * 1_000_000])
def test_md_39_linear_time(text: str) -> None:
    """MD-39: long runs of token characters cost time in proportion to their length, at ingest and in a query."""
    assert len(normalise_for_fts(text)) <= len(text)
    assert len(plain_tokens(text)) <= len(text)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", []),
        ("   ", []),
        ("-- _ . *", []),
        ("--no-cache", ["no-cache"]),
        ("UV_CACHE_DIR uv uv", ["uv_cache_dir", "uv", "uv"]),
        ("ubuntu 20.04, GB/s", ["ubuntu", "20.04", "gb", "s"]),
        ('"unbalanced NEAR( a AND NOT b', ["unbalanced", "near", "a", "and", "not", "b"]),
        ("C++ C# .NET $HOME __init__", ["c", "c", "net", "home", "init"]),
        ("what's {a b}:c a@b.c", ["what", "s", "a", "b", "c", "a", "b.c"]),
        ("İstanbul 設備清单 ½", ["i", "stanbul", "設備清单", "½"]),
        ("a\x00b \ud800c", ["a", "b", "c"]),
    ],
)
def test_query_tokens(query: str, expected: list[str]) -> None:
    """Tokens are lower-cased words with inner -, _ and .; nothing else of a query is left, repetitions are."""
    assert plain_tokens(query) == expected


@given(st.text(max_size=60))
def test_tokens_hold_no_syntax(query: str) -> None:
    """No token can end a quoted string of FTS5, so nothing that a user types is query syntax."""
    for token in plain_tokens(query):
        assert re.fullmatch(r"[^\W_][\w.-]*", token)
