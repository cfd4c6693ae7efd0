"""drawwell: draw exactly the text an agent needs, and prove where it came from.

    import drawwell

    with drawwell.open_corpus("docs") as corpus:
        found = corpus.search("refund window", within=["policy-2025.md"])
        print(corpus.read(found.hits[0].id).text)

``TOOLS`` holds the tool definitions for the Anthropic API and ``openai_tools()`` the same for the OpenAI API.
Every error that drawwell raises on purpose is an ``Error``. Names are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from drawwell._version import __version__

if TYPE_CHECKING:
    from drawwell.compose import open_corpus
    from drawwell.corpus.operations.corpus import Corpus
    from drawwell.errors import Error
    from drawwell.model import (
        GrepLine,
        GrepMatch,
        GrepResult,
        Hit,
        IndexText,
        NeighboursResult,
        SearchResult,
        SectionText,
        to_json,
    )
    from drawwell.server.direct import call_tool
    from drawwell.server.tools import TOOLS, openai_tools

__all__ = [
    "TOOLS",
    "Corpus",
    "Error",
    "GrepLine",
    "GrepMatch",
    "GrepResult",
    "Hit",
    "IndexText",
    "NeighboursResult",
    "SearchResult",
    "SectionText",
    "__version__",
    "call_tool",
    "open_corpus",
    "openai_tools",
    "to_json",
]

_MODEL = ("GrepLine", "GrepMatch", "GrepResult", "Hit", "IndexText", "NeighboursResult", "SearchResult", "SectionText")
_HOME = {
    "Corpus": "drawwell.corpus.operations.corpus",
    "Error": "drawwell.errors",
    "TOOLS": "drawwell.server.tools",
    "call_tool": "drawwell.server.direct",
    "open_corpus": "drawwell.compose",
    "openai_tools": "drawwell.server.tools",
    "to_json": "drawwell.model",
    **dict.fromkeys(_MODEL, "drawwell.model"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'drawwell' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
