"""The tools, by well, and the lists of them that the model APIs take. Imports no protocol and no well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from drawwell.server.tools.corpus import CORPUS_TOOLS
from drawwell.server.tools.spec import api_tools

__all__ = ["TOOLS", "openai_tools"]

TOOLS: list[dict[str, Any]] = api_tools(CORPUS_TOOLS)
"""The corpus tools as the Anthropic API takes them: name, description, input_schema."""


def openai_tools(tools: Sequence[Mapping[str, Any]] | None = None) -> list[dict[str, Any]]:
    """Tool definitions as the OpenAI chat API takes them.

    Args:
        tools: definitions in the form of ``TOOLS``; None for all of those.
    """
    return [
        {
            "type": "function",
            "function": {
                "name": tool["name"],
                "description": tool["description"],
                "parameters": tool["input_schema"],
            },
        }
        for tool in (TOOLS if tools is None else tools)
    ]
