"""The tools without a server: for programs that talk to a model API themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drawwell.server.toolbox import Answer, no_such_tool, run_tool
from drawwell.server.tools.corpus import CORPUS_TOOLS

__all__ = ["call_tool"]

_TOOLS = {tool.name: tool for tool in CORPUS_TOOLS}


def call_tool(well: Any, name: str, arguments: Mapping[str, Any]) -> Answer:
    """Run a tool of ``TOOLS`` exactly as a server would.

    Args:
        well: what the tool works on: a ``Corpus`` for the corpus tools.
        name: the tool that the model called.
        arguments: as the model gave them; small slips are repaired.

    Returns:
        ``text`` to give back to the model, and ``failed`` when it reports a failure. This never raises.
    """
    tool = _TOOLS.get(name)
    if tool is None:
        return no_such_tool(name, _TOOLS)
    return run_tool(tool, lambda tool, checked: tool.handler(well, checked), arguments)[0]
