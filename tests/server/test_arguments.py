"""Repair and check of arguments, by schema alone."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawwell.errors import ArgumentError
from drawwell.server.arguments import check_arguments, takes

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "in": {"type": "array", "items": {"type": "string", "minLength": 1}, "maxItems": 3},
        "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
        "mode": {"type": "string", "enum": ["lexical", "plain"], "default": "lexical"},
        "regex": {"type": "boolean", "default": False},
        "pattern": {"type": "string", "minLength": 1, "maxLength": 20},
        "max_tokens": {"type": "integer", "minimum": 200, "maximum": 9000, "default": 6000},
        "weight": {"type": "number", "minimum": 0, "maximum": 1},
        "numbers": {"type": "array", "items": {"type": "integer"}},
        "extra": {"type": "object"},
    },
    "required": ["query"],
    "additionalProperties": False,
}
DEFAULTS = {"limit": 10, "mode": "lexical", "regex": False, "max_tokens": 6000}
ALIASES = {"paths": "in", "path": "in", "within": "in", "user_query": "query", "q": "query"}


def check(raw: object) -> dict[str, Any]:
    """Check against the schema of this file."""
    return check_arguments("search", SCHEMA, raw, ALIASES)


def refusal(raw: object) -> ArgumentError:
    """The error that the arguments are answered with."""
    with pytest.raises(ArgumentError) as caught:
        check(raw)
    return caught.value


@pytest.mark.parametrize(
    ("sent", "understood"),
    [
        ({}, {}),
        ({"limit": "5"}, {"limit": 5}),
        ({"limit": " +5 "}, {"limit": 5}),
        ({"limit": 5.0}, {"limit": 5}),
        ({"limit": "5.0"}, {"limit": 5}),
        ({"limit": ""}, {}),
        ({"limit": None}, {}),
        ({"mode": "", "in": "", "pattern": "  "}, {}),
        ({"in": []}, {}),
        ({"mode": "Plain "}, {"mode": "plain"}),
        ({"regex": "true"}, {"regex": True}),
        ({"regex": "FALSE"}, {"regex": False}),
        ({"regex": 1}, {"regex": True}),
        ({"in": "concepts"}, {"in": ["concepts"]}),
        ({"in": "a,b"}, {"in": ["a,b"]}),
        ({"in": '["a", "b"]'}, {"in": ["a", "b"]}),
        ({"in": "[ab]*.md"}, {"in": ["[ab]*.md"]}),
        ({"path": "a.md"}, {"in": ["a.md"]}),
        ({"Paths": ["a.md"]}, {"in": ["a.md"]}),
        ({"maxTokens": 300}, {"max_tokens": 300}),
        ({"max-tokens": "300"}, {"max_tokens": 300}),
        ({"weight": "0.5"}, {"weight": 0.5}),
        ({"numbers": "[1, 2]"}, {"numbers": [1, 2]}),
        ({"numbers": ["1", 2]}, {"numbers": [1, 2]}),
        ({"extra": '{"a": 1}'}, {"extra": {"a": 1}}),
        ({"within": None, "in": ["a"]}, {"in": ["a"]}),
        ({"q": "x", "query": "x"}, {}),
    ],
)
def test_repairs_what_was_plainly_meant(sent: dict[str, Any], understood: dict[str, Any]) -> None:
    """TL-02, TL-03c: strings for lists, numbers and booleans; other names; empty for not given."""
    expected = {"query": "x", **DEFAULTS, **understood}
    assert check({"query": "x", **sent}) == expected


def test_whole_object_may_come_as_json() -> None:
    """The arguments themselves may be JSON in a string, and may be left out when none is required."""
    assert check('{"userQuery": "x"}')["query"] == "x"
    assert check_arguments("index", {"type": "object", "properties": {}}, None) == {}
    assert check_arguments("index", {"type": "object", "properties": {}}, "  ") == {}


def test_an_empty_query_is_a_query() -> None:
    """A required string may be empty or blank: every query has an answer, if an empty one."""
    assert check({"query": ""})["query"] == ""
    assert check({"query": "  "})["query"] == "  "


@pytest.mark.parametrize(
    ("sent", "parameter", "parts"),
    [
        ({}, "query", ["got nothing", "a string (required)", "search takes query (required), in, limit"]),
        ({"query": None}, "query", ["got nothing"]),
        ({"query": 5}, "query", ["got 5", "takes a string"]),
        ({"query": ["a"]}, "query", ["got ['a']", "takes a string"]),
        ({"query": "x", "limit": "abc"}, "limit", ["got 'abc'", "an integer from 1 to 50"]),
        ({"query": "x", "limit": 2.5}, "limit", ["got 2.5"]),
        ({"query": "x", "limit": True}, "limit", ["got True"]),
        ({"query": "x", "limit": 999}, "limit", ["got 999", "an integer from 1 to 50"]),
        ({"query": "x", "limit": 0}, "limit", ["got 0"]),
        ({"query": "x", "mode": "zzz"}, "mode", ["got 'zzz'", "one of 'lexical', 'plain'"]),
        ({"query": "x", "regex": "maybe"}, "regex", ["true or false"]),
        ({"query": "x", "regex": 2}, "regex", ["true or false"]),
        ({"query": "x", "in": 7}, "in", ["a list of strings"]),
        ({"query": "x", "in": {"a": 1}}, "in", ["a list of strings"]),
        ({"query": "x", "in": ["a", 7]}, "in[1]", ["got 7", "takes a string"]),
        ({"query": "x", "in": [""]}, "in[0]", ["length of at least 1"]),
        ({"query": "x", "in": ["a"] * 4}, "in", ["length up to 3"]),
        ({"query": "x", "pattern": "p" * 21}, "pattern", ["a string of length from 1 to 20"]),
        ({"query": "x", "extra": "[1]"}, "extra", ["an object"]),
        ({"query": "x", "bogus": 1}, "bogus", ["takes nothing: search has no such argument"]),
        ({"query": "x", "limt": 1}, "limt", ["Did you mean limit?"]),
        ({"query": "x", "maxtoken": 1}, "maxtoken", ["Did you mean max_tokens?"]),
        ({"query": "x", "q": "y"}, "q", ["query was given twice"]),
        ([1], "arguments", ["an object"]),
        ("[1]", "arguments", ["an object"]),
        ("{", "arguments", ["an object"]),
        ("[" * 100_000, "arguments", ["an object"]),
        ({"query": "x", "limit": 10**5000}, "limit", ["a huge int", "an integer from 1 to 50"]),
        ({"query": "x", "limit": "9" * 5000}, "limit", ["an integer from 1 to 50"]),
        ({"query": "x", "b" * 100_000: 1}, "b" * 60, ["no such argument"]),
    ],
)
def test_names_argument_and_what_it_takes(sent: object, parameter: str, parts: list[str]) -> None:
    """TL-01, TL-03a, TL-03b, TL-06: the error names the argument, what it got and what it takes."""
    error = refusal(sent)
    assert error.parameter == parameter
    for part in parts:
        assert part in str(error)
    assert len(str(error)) < 600


def test_deep_nesting_is_an_error_like_any_other() -> None:
    """A value nested beyond what can be shown is refused without a crash."""
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert refusal({"query": "x", "limit": deep}).parameter == "limit"
    while deep:  # taken apart by hand: Python's own way would overflow the stack on some versions
        deep = deep.pop()


def test_lone_surrogates_are_replaced() -> None:
    """Half a surrogate pair, which no encoding holds, does not reach a well."""
    assert check({"query": "a\ud800b"})["query"] == "a?b"


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"type": "integer"}, "an integer"),
        ({"type": "integer", "minimum": 1}, "an integer of at least 1"),
        ({"type": "number", "maximum": 1}, "a number up to 1"),
        ({"type": "string"}, "a string"),
        ({"type": "array", "items": {"type": "string"}}, "a list of strings"),
    ],
)
def test_takes_in_words(spec: dict[str, Any], words: str) -> None:
    """What a schema asks for is said in plain words."""
    assert takes(spec) == words


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from([*SCHEMA["properties"], *ALIASES, "maxTokens", "bogus", ""])


@given(st.dictionaries(NAMES, JSON, max_size=5) | JSON)
def test_anything_is_repaired_or_refused(raw: object) -> None:
    """Whatever is sent, the result fits the schema, or an ArgumentError says why not."""
    with contextlib.suppress(ArgumentError):
        jsonschema.validate(check(raw), SCHEMA)


@given(
    st.fixed_dictionaries(
        {"query": st.text(st.characters(exclude_categories=["Cs"]), min_size=1)},
        optional={
            "in": st.lists(st.text("ab/*", min_size=1, max_size=5), min_size=1, max_size=3),
            "limit": st.integers(1, 50),
            "mode": st.sampled_from(["lexical", "plain"]),
            "regex": st.booleans(),
        },
    )
)
def test_good_arguments_are_not_touched(arguments: dict[str, Any]) -> None:
    """Arguments that fit their schema come through as they are, sent plainly or as JSON."""
    assert check(arguments) == {**DEFAULTS, **arguments}
    assert check(json.dumps(arguments)) == {**DEFAULTS, **arguments}
