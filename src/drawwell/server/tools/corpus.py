"""The five tools over a folder of documents: one table for MCP, the APIs, the command line and the reference.

Light to import: what carries the operations out is handed in. Models say ``in``, which Python reserves; the
operations call it ``within``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from drawwell.errors import ArgumentError
from drawwell.server.tools.spec import MAX_TOKENS, ToolSpec

if TYPE_CHECKING:
    from drawwell.corpus.group import CorpusGroup
    from drawwell.corpus.operations.corpus import Corpus

__all__ = ["CORPUS_TOOLS", "GREP", "INDEX", "NEIGHBOURS", "READ", "SEARCH"]


_CURSOR: Mapping[str, Any] = {
    "type": "string",
    "maxLength": 500,
    "description": "next of the last answer: continue there.",
}
_IN: Mapping[str, Any] = {
    "type": "array",
    "items": {"type": "string", "minLength": 1},
    "maxItems": 100,
    "description": "Only these documents: paths, folders or globs from the index.",
}
_ID: Mapping[str, Any] = {
    "type": "string",
    "description": "path#number or path#number@hash, from a hit, match or citation.",
}
_PAGING: Mapping[str, Any] = {"max_tokens": MAX_TOKENS, "cursor": _CURSOR}
_IN_NAMES = dict.fromkeys(
    (
        "within",
        "paths",
        "path",
        "path_filter",
        "files",
        "file",
        "docs",
        "doc",
        "documents",
        "document",
        "folder",
        "glob",
    ),
    "in",
)
_QUERY_NAMES = dict.fromkeys(("q", "user_query", "search_query", "text", "question", "keywords", "search"), "query")
_LIMIT_NAMES = dict.fromkeys(("max_results", "top_k", "k", "n", "count", "num_results"), "limit")
_ID_NAMES = dict.fromkeys(("section", "section_id", "cite", "citation", "ref", "uri"), "id")


def _whole(low: int, high: int, default: int, description: str) -> dict[str, Any]:
    return {"type": "integer", "minimum": low, "maximum": high, "default": default, "description": description}


def _schema(required: tuple[str, ...], properties: Mapping[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": {**properties, **_PAGING}, "additionalProperties": False}
    if required:
        schema["required"] = list(required)
    return schema


def _filtered(operation: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    """Run an operation that takes a filter, which models call ``in`` and Python calls ``within``."""
    try:
        return operation(**{"within" if name == "in" else name: value for name, value in arguments.items()})
    except ArgumentError as error:
        if error.parameter != "within":
            raise
        raise ArgumentError("in", error.got, error.takes, error.suggestion) from error


def _index_text(corpus: Corpus | CorpusGroup, arguments: Mapping[str, Any]) -> str:
    found = corpus.index(**arguments)
    return f"{found.text}\n\nnext cursor: {found.next}" if found.next else found.text


INDEX = ToolSpec(
    name="index",
    toolset="corpus",
    title="List the documents",
    description=(
        "Use this to see which documents there are, before a search of one part of them or when a search found "
        "nothing: a table of contents with paths, topics and numbers of sections. With prefix, the documents below "
        "that path, with summaries. The paths are what `in` takes in search and grep. Plain text."
    ),
    input_schema=_schema(
        (),
        {"prefix": {"type": "string", "maxLength": 1000, "description": "Beginning of a path, such as guides/."}},
    ),
    handler=_index_text,
    aliases=dict.fromkeys(("path", "folder", "dir", "directory", "in", "within"), "prefix"),
)

SEARCH = ToolSpec(
    name="search",
    toolset="corpus",
    title="Search the documents",
    description=(
        "Use this first for any question that the user's documents may answer; it gives pointers, read gives text, "
        "and answers cite. Finds sections by words and identifiers, best first: id, heading_path, a snippet of a few "
        "words, cite; covers names headings further down in the section, stale says why its text may be out of date. "
        "Snippets are no evidence: read the sections before you answer. Use the words that the text would use. "
        "To compare documents, search each one with `in`. For every place of an exact code use grep."
    ),
    input_schema=_schema(
        ("query",),
        {
            "query": {
                "type": "string",
                "description": 'Words or identifiers, or a question; hits hold what is "quoted", if any do.',
            },
            "in": _IN,
            "limit": _whole(1, 50, 10, "Most hits."),
            "mode": {
                "type": "string",
                "enum": ["auto", "lexical", "hybrid", "plain"],
                "default": "auto",
                "description": "auto: words, and meaning where vectors are there; lexical: words alone.",
            },
        },
    ),
    handler=lambda corpus, arguments: _filtered(corpus.search, arguments),
    aliases=_QUERY_NAMES | _IN_NAMES | _LIMIT_NAMES,
    counts="hits",
)

READ = ToolSpec(
    name="read",
    toolset="corpus",
    title="Read a section",
    description=(
        "Use this to get the exact text of a section that search, grep or a citation points to; search gives "
        "pointers, read gives text, and answers cite. Cite the value of `cite` for each section you use. An id with "
        "@hash is refused when the text has changed since, and the place where it now stands is named."
    ),
    input_schema=_schema(
        ("id",),
        {"id": _ID, "context": _whole(0, 5, 0, "Sections to add on each side.")},
    ),
    handler=lambda corpus, arguments: corpus.read(**arguments),
    aliases=_ID_NAMES,
)

GREP = ToolSpec(
    name="grep",
    toolset="corpus",
    title="Find exact text",
    description=(
        "Use this for exact codes, flags, numbers and names, or when every place counts: finds each section that "
        "holds the text, whatever its case, in document order, with its first matching line and a count. It gives "
        "pointers; read gives the text, and answers cite."
    ),
    input_schema=_schema(
        ("pattern",),
        {
            "pattern": {"type": "string", "minLength": 1, "maxLength": 200, "description": "Part of one line."},
            "in": _IN,
            "regex": {"type": "boolean", "default": False, "description": "Take pattern as a regular expression."},
            "lines": {"type": "boolean", "default": False, "description": "Give all matching lines."},
            "limit": _whole(1, 100, 20, "Most sections."),
        },
    ),
    handler=lambda corpus, arguments: _filtered(corpus.grep, arguments),
    aliases={**dict.fromkeys((*_QUERY_NAMES, "query", "regexp"), "pattern"), **_IN_NAMES, **_LIMIT_NAMES},
    counts="matches",
)

NEIGHBOURS = ToolSpec(
    name="neighbours",
    toolset="corpus",
    title="Read around a section",
    description=(
        "Use this when a section that you read refers to what stands before or after it, or continues a table: gives "
        "the exact text of the sections around it in its document, itself among them, and the table's first part. "
        "Cite the value of `cite` for each one you use."
    ),
    input_schema=_schema(
        ("id",),
        {
            "id": _ID,
            "before": _whole(0, 5, 1, "Sections before it."),
            "after": _whole(0, 5, 1, "Sections after it."),
        },
    ),
    handler=lambda corpus, arguments: corpus.neighbours(**arguments),
    aliases=_ID_NAMES,
    counts="sections",
)

CORPUS_TOOLS: tuple[ToolSpec, ...] = (INDEX, SEARCH, READ, GREP, NEIGHBOURS)
"""In the order in which a model meets them."""
