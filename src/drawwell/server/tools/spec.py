"""What a tool is, as data, and what a well must offer to be served.

One table of ``ToolSpec`` gives the MCP tools, the ``TOOLS`` list for the Anthropic and OpenAI APIs, the help of
the command line and the reference page. Nothing here knows a protocol or a well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from drawwell.errors import Error

__all__ = [
    "MAX_TOKENS",
    "READ_ONLY",
    "BrokenToolset",
    "Change",
    "Resource",
    "ResourceTemplate",
    "ResourceText",
    "ToolSpec",
    "Toolset",
    "api_tools",
]

READ_ONLY: Mapping[str, bool] = {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}
"""Annotations of a tool that only reads what is on this machine."""

MAX_TOKENS: Mapping[str, Any] = {
    "type": "integer",
    "minimum": 200,
    "maximum": 100_000,
    "default": 6000,
    "description": "Budget of the answer in estimated tokens; what is left is got with cursor.",
}
"""Schema of the budget that every reading tool takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """One tool.

    Attributes:
        name: as the model calls it.
        toolset: the well that it belongs to.
        title: for people.
        description: for the model; the first sentence says when to use it.
        input_schema: flat JSON Schema of the arguments: no unions, no null, bounds and defaults given.
        handler: runs the tool: the well's operations and the checked arguments in, a result of ``model``,
            or a string to be sent as it is, out.
        annotations: MCP's hints.
        aliases: other names under which models send an argument; spellings in another case need no entry.
        counts: field of the result whose length is logged; empty for tools that give one thing.
    """

    name: str
    toolset: str
    title: str
    description: str
    input_schema: Mapping[str, Any]
    handler: Callable[[Any, Mapping[str, Any]], Any]
    annotations: Mapping[str, bool] = field(default_factory=lambda: dict(READ_ONLY))
    aliases: Mapping[str, str] = field(default_factory=dict)
    counts: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """A text that a host can attach without a tool call."""

    uri: str
    name: str
    title: str
    description: str
    mime_type: str = "text/plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceTemplate:
    """A family of resources; the variables of its URI are percent-encoded."""

    uri_template: str
    name: str
    title: str
    description: str
    mime_type: str = "text/plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceText:
    """The content of one resource."""

    uri: str
    text: str
    mime_type: str = "text/plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a well tells its server after its content changed.

    Attributes:
        uris: resources that are certain to have changed.
        prefixes: beginnings of URIs under which any resource may have changed.
    """

    uris: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()


class Toolset(Protocol):
    """A well as a server sees it. All methods may be called from several threads at once."""

    @property
    def name(self) -> str:
        """Short name: corpus, library, memory."""
        ...

    def specs(self) -> Sequence[ToolSpec]:
        """Its tools; the list never depends on data."""
        ...

    def call(self, tool: ToolSpec, arguments: Mapping[str, Any]) -> Any:
        """Run a tool of its own.

        Raises:
            Error: what was wrong and what to do.
        """
        ...

    def instructions(self, max_chars: int) -> str:
        """What a model should know before its first call, in at most ``max_chars`` characters."""
        ...

    def resources(self) -> Sequence[Resource]:
        """Resources to list."""
        ...

    def templates(self) -> Sequence[ResourceTemplate]:
        """Families of resources to list."""
        ...

    def read_resource(self, uri: str) -> ResourceText | None:
        """The content of a resource; None when the URI is not of this well.

        Raises:
            Error: it is of this well, and cannot be read.
        """
        ...

    def status(self) -> Mapping[str, Any]:
        """A few plain values for a health check, without secrets."""
        ...

    def start(self, changed: Callable[[Change], None]) -> None:
        """Begin background work, once, after the first message; ``changed`` may be called from any thread."""
        ...

    def close(self) -> None:
        """End background work and let go of files; quick, and safe to call twice."""
        ...


class BrokenToolset:
    """Stands in for a well that could not be set up, so that a server can start and say why.

    Args:
        name: the well's name.
        tools: its tools.
        error: what every call answers.
    """

    def __init__(self, name: str, tools: Sequence[ToolSpec], error: Error) -> None:
        self.name = name
        self._tools = tuple(tools)
        self._error = error

    def specs(self) -> Sequence[ToolSpec]:
        """The tools of the well."""
        return self._tools

    def call(self, tool: ToolSpec, arguments: Mapping[str, Any]) -> Any:  # noqa: ARG002
        """Raise the error."""
        raise self._fresh()

    def instructions(self, max_chars: int) -> str:
        """Say that the tools do not work, and why."""
        return f"The {self.name} tools do not work yet: {self._error}"[:max_chars]

    def resources(self) -> Sequence[Resource]:
        """None."""
        return ()

    def templates(self) -> Sequence[ResourceTemplate]:
        """None."""
        return ()

    def read_resource(self, uri: str) -> ResourceText | None:  # noqa: ARG002
        """None is known."""
        return None

    def status(self) -> Mapping[str, Any]:
        """The error, in words."""
        return {"ready": False, "error": str(self._error)}

    def start(self, changed: Callable[[Change], None]) -> None:
        """There is nothing to start."""

    def close(self) -> None:
        """There is nothing to end."""

    def _fresh(self) -> Error:
        # One exception object raised from many threads would grow its traceback for ever.
        return Error(self._error.message, self._error.suggestion)


def api_tools(tools: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    """Tool definitions as the Anthropic API takes them: name, description and input_schema."""
    return [
        {"name": tool.name, "description": tool.description, "input_schema": dict(tool.input_schema)} for tool in tools
    ]
