"""The table of corpus tools: what models and programs are given."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import jsonschema
import pytest

import drawwell
from drawwell.model import SectionText, to_json
from drawwell.server.arguments import check_arguments
from drawwell.server.tools import TOOLS, openai_tools
from drawwell.server.tools.corpus import CORPUS_TOOLS, GREP, INDEX, NEIGHBOURS, READ, SEARCH
from drawwell.text.budget import estimate_tokens

NAMES = ["index", "search", "read", "grep", "neighbours"]
BY_NAME = {tool.name: tool for tool in CORPUS_TOOLS}


def every_schema(schema: Any) -> list[dict[str, Any]]:
    """A schema and all those in it."""
    found = [schema]
    for inner in schema.get("properties", {}).values():
        found.extend(every_schema(inner))
    if "items" in schema:
        found.extend(every_schema(schema["items"]))
    return found


def test_the_five() -> None:
    """The tools have the seed's names, in every form in which they are given out."""
    assert [tool.name for tool in CORPUS_TOOLS] == NAMES
    assert [tool["name"] for tool in drawwell.TOOLS] == NAMES
    assert [set(tool) for tool in TOOLS] == [{"name", "description", "input_schema"}] * 5
    functions = [tool["function"] for tool in openai_tools()]
    assert [tool["type"] for tool in openai_tools()] == ["function"] * 5
    assert [one["parameters"] for one in functions] == [tool["input_schema"] for tool in TOOLS]
    assert drawwell.openai_tools(TOOLS[1:2])[0]["function"]["name"] == "search"


def test_definitions_are_small() -> None:
    """43: a description is below 1,000 characters and all definitions are below 1,500 tokens."""
    for tool in CORPUS_TOOLS:
        assert len(tool.description) < 1000
    assert estimate_tokens(json.dumps(TOOLS)) < 1500
    assert estimate_tokens(json.dumps(openai_tools())) < 1600


@pytest.mark.parametrize("tool", CORPUS_TOOLS, ids=NAMES)
def test_descriptions_begin_with_when(tool: Any) -> None:
    """The first sentence says when to use the tool; pointers, text and citations are told apart."""
    first = tool.description.split(". ")[0]
    assert first.startswith("Use this ")
    if tool in (SEARCH, READ, GREP):
        for words in ("pointers", "read", "cite"):
            assert words in tool.description
    assert "cite" in tool.description.casefold() or tool is INDEX


def test_search_explains_its_rarer_fields() -> None:
    """The description of search says what the fields mean that only some hits have."""
    assert "covers names headings" in SEARCH.description
    assert "stale says why" in SEARCH.description


def test_text_comes_after_what_qualifies_it() -> None:
    """In a section as JSON, what a reader should know of a text stands before the text, which may be long."""
    section = SectionText(
        id="a#0",
        doc="a",
        heading_path="A",
        kind="prose",
        text="long",
        cite="a#0@1",
        stale="old",
        part="1 of 2",
        lines=(1, 2),
    )
    names = list(to_json(section))
    assert {"stale", "part", "lines"} <= set(names[: names.index("text")])


@pytest.mark.parametrize("tool", CORPUS_TOOLS, ids=NAMES)
def test_schemas_are_flat(tool: Any) -> None:
    """43: no unions, no null, one type each; bounds, defaults and descriptions are given; nothing else is taken."""
    jsonschema.Draft202012Validator.check_schema(tool.input_schema)
    assert tool.input_schema["additionalProperties"] is False
    for schema in every_schema(tool.input_schema):
        assert isinstance(schema["type"], str)
        assert schema["type"] != "null"
        assert not {"anyOf", "oneOf", "allOf", "$ref", "$defs"} & set(schema)
        if schema["type"] == "integer":
            assert {"minimum", "maximum", "default"} <= set(schema)
    for name, schema in tool.input_schema["properties"].items():
        assert schema["description"], name
        assert ("default" in schema) is False or name not in tool.input_schema.get("required", [])


@pytest.mark.parametrize("tool", CORPUS_TOOLS, ids=NAMES)
def test_hints(tool: Any) -> None:
    """Every tool has a title and says that it only reads, may be repeated, and stays on this machine."""
    assert tool.title
    assert tool.annotations == {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}


@pytest.mark.parametrize(
    ("tool", "sent", "understood"),
    [
        (INDEX, {}, {"max_tokens": 6000}),
        (INDEX, {"path": "guides/"}, {"prefix": "guides/", "max_tokens": 6000}),
        (SEARCH, {"userQuery": "x", "paths": "a.md"}, {"query": "x", "in": ["a.md"], "limit": 10, "mode": "auto"}),
        (SEARCH, {"q": "", "within": '["a", "b"]', "top_k": "3"}, {"query": "", "in": ["a", "b"], "limit": 3}),
        (SEARCH, {"query": "x", "maxTokens": "500", "mode": ""}, {"max_tokens": 500, "mode": "auto"}),
        (READ, {"section_id": "a#1"}, {"id": "a#1", "context": 0, "max_tokens": 6000}),
        (READ, {"cite": "a#1@123456789abc", "context": "2"}, {"id": "a#1@123456789abc", "context": 2}),
        (GREP, {"query": "TX", "regex": "false"}, {"pattern": "TX", "regex": False, "lines": False, "limit": 20}),
        (NEIGHBOURS, {"id": "a#1"}, {"before": 1, "after": 1}),
    ],
)
def test_what_models_send(tool: Any, sent: dict[str, Any], understood: dict[str, Any]) -> None:
    """TL-02, TL-03: what models send instead of the names and types of the schema is understood."""
    checked = check_arguments(tool.name, tool.input_schema, sent, tool.aliases)
    assert understood.items() <= checked.items()


@pytest.mark.parametrize("tool", CORPUS_TOOLS, ids=NAMES)
def test_aliases_lead_to_arguments(tool: Any) -> None:
    """Another name never hides an argument of the tool itself, and leads to one that exists."""
    properties = tool.input_schema["properties"]
    for alias, name in tool.aliases.items():
        assert name in properties
        assert alias not in properties


def test_tools_need_no_protocol() -> None:
    """The lists can be had without loading the SDK, a store or a parser."""
    code = "import sys, drawwell; drawwell.TOOLS; drawwell.openai_tools(); print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"mcp", "mcp_types", "pydantic", "sqlite3", "uvicorn", "pyromark", "watchfiles", "anyio", "asyncio"}
    assert not heavy & set(loaded)
    assert not [name for name in loaded if name.startswith(("drawwell.corpus", "drawwell.text"))]
