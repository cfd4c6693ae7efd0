"""All the tools and resources of a server, over any set of wells, without any protocol.

A call goes: find the tool, repair and check the arguments, run it, turn the result or the failure into text.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from drawwell.errors import Error, NotFound
from drawwell.model import to_json
from drawwell.server.arguments import check_arguments
from drawwell.server.errors import error_text
from drawwell.server.log import call_line, log_calls
from drawwell.server.tools.spec import Change, Resource, ResourceTemplate, ResourceText, Toolset, ToolSpec

__all__ = ["Answer", "Toolbox", "no_such_tool", "result_text", "run_tool"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call answers: text for the model, and whether it reports a failure."""

    text: str
    failed: bool = False


def result_text(result: Any) -> str:
    """A result as the model gets it: compact JSON, or the text itself if it is one."""
    if isinstance(result, str):
        return result
    return json.dumps(to_json(result), ensure_ascii=False, separators=(",", ":"))


class Toolbox:
    """The tools of several wells under their names.

    Args:
        toolsets: the wells to serve, in the order in which they are listed.

    Raises:
        ValueError: two tools have one name.
    """

    def __init__(self, toolsets: Sequence[Toolset]) -> None:
        self._toolsets = tuple(toolsets)
        self._tools: dict[str, tuple[Toolset, ToolSpec]] = {}
        for toolset in self._toolsets:
            for tool in toolset.specs():
                if tool.name in self._tools:
                    raise ValueError(f"two tools are named {tool.name!r}")
                self._tools[tool.name] = (toolset, tool)

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """Every tool, in the order of the wells."""
        return tuple(tool for _, tool in self._tools.values())

    def call(self, name: str, arguments: object) -> Answer:
        """Run a tool.

        Args:
            name: of the tool.
            arguments: as the client sent them.

        Returns:
            The result, or the failure in words; this never raises.
        """
        begun = time.perf_counter()
        found = self._tools.get(name)
        if found is None:
            answer, outcome = no_such_tool(name, self._tools), "error"
        else:
            answer, outcome = run_tool(found[1], found[0].call, arguments)
        log_calls().info(call_line(name, arguments, outcome, (time.perf_counter() - begun) * 1000))
        return answer

    def instructions(self, max_chars: int) -> str:
        """What a model should know first, the room shared out evenly among the wells."""
        parts: list[str] = []
        left = max_chars
        for number, toolset in enumerate(self._toolsets):
            share = left // (len(self._toolsets) - number)
            part = _writable(toolset.instructions(share).strip())[:share]
            if part:
                parts.append(part)
                left -= len(part) + 2
        return "\n\n".join(parts)[:max_chars]

    def resources(self) -> list[Resource]:
        """The resources of all wells."""
        return [resource for toolset in self._toolsets for resource in toolset.resources()]

    def templates(self) -> list[ResourceTemplate]:
        """The resource templates of all wells."""
        return [template for toolset in self._toolsets for template in toolset.templates()]

    def read_resource(self, uri: str) -> ResourceText:
        """The content of a resource.

        Raises:
            NotFound: no well has it.
            Error: it cannot be read now.
        """
        for toolset in self._toolsets:
            content = toolset.read_resource(uri)
            if content is not None:
                return ResourceText(uri=uri, text=_writable(content.text), mime_type=content.mime_type)
        raise NotFound(f"No resource {uri[:200]!r}", "List the resources and their templates to see which there are")

    def status(self) -> dict[str, Any]:
        """The state of each well, by its name."""
        return {toolset.name: dict(toolset.status()) for toolset in self._toolsets}

    def start(self, changed: Callable[[Change], None]) -> None:
        """Let every well begin its background work."""
        for toolset in self._toolsets:
            toolset.start(changed)

    def close(self) -> None:
        """End all background work."""
        for toolset in self._toolsets:
            toolset.close()


def run_tool(
    tool: ToolSpec, run: Callable[[ToolSpec, Mapping[str, Any]], Any], arguments: object
) -> tuple[Answer, str]:
    """Check the arguments of a call, run it, and put what comes of it into words.

    Returns:
        The answer, and in short what the log says of it.
    """
    try:
        result = run(tool, check_arguments(tool.name, tool.input_schema, arguments, tool.aliases))
        return Answer(_writable(result_text(result))), _count(result, tool.counts)
    except Exception as failure:  # noqa: BLE001 - error_text logs what is not one of ours
        return Answer(_writable(error_text(failure)), failed=True), "error"


def no_such_tool(name: str, known: Iterable[str]) -> Answer:
    """The answer to a call of a tool that does not exist."""
    failure = Error(f"There is no tool {name[:80]!r}", f"The tools are {', '.join(known)}")
    return Answer(_writable(error_text(failure)), failed=True)


def _writable(text: str) -> str:
    """The text without lone surrogates, which JSON cannot carry (names of files may hold them)."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _count(result: Any, field: str) -> str:
    number = len(getattr(result, field)) if field else 1
    return f"{number} result{'' if number == 1 else 's'}"
