"""A well without documents, to try a server with."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from drawwell.errors import NotFound, NotReady, Stale
from drawwell.server.tools.spec import Change, Resource, ResourceTemplate, ResourceText, ToolSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Echo:
    """What the echo tool gives back."""

    said: str
    words: tuple[str, ...]


def _schema(**properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": ["text"],
        "additionalProperties": False,
    }


def _sleep(well: FakeWell, arguments: Mapping[str, Any]) -> str:
    deadline = time.monotonic() + arguments["seconds"]
    while time.monotonic() < deadline:  # busy: holds the interpreter as real work does
        sum(range(1000))
    return "slept"


def _fail(well: FakeWell, arguments: Mapping[str, Any]) -> str:
    kind = arguments["text"]
    if kind == "not ready":
        raise NotReady("Indexing 3 of 9 documents", "Try again in a few seconds")
    if kind == "stale":
        raise Stale("The text of 'a#1@000000000000' has changed", "Read a#2", ("a#2",))
    raise ZeroDivisionError("secret internals")


def _print(well: FakeWell, arguments: Mapping[str, Any]) -> str:
    print(arguments["text"])
    sys.stdout.write("and more\n")
    sys.stdout.flush()
    return "printed"


def _change(well: FakeWell, arguments: Mapping[str, Any]) -> str:
    well.version += 1
    well.changed(Change(uris=("fake://index",), prefixes=("fake://item/",)))
    return str(well.version)


TOOLS = (
    ToolSpec(
        name="echo",
        toolset="fake",
        title="Echo",
        description="Use this to hear yourself.",
        input_schema=_schema(
            text={"type": "string"},
            loud={"type": "boolean", "default": False},
            times={"type": "integer", "minimum": 1, "maximum": 3, "default": 1},
        ),
        handler=lambda well, given: Echo(said=given["text"], words=tuple(given["text"].split() * given["times"])),
        aliases={"message": "text"},
        counts="words",
    ),
    ToolSpec(
        name="sleep",
        toolset="fake",
        title="Sleep",
        description="Use this to wait.",
        input_schema={
            "type": "object",
            "properties": {"seconds": {"type": "number", "minimum": 0, "maximum": 60, "default": 30}},
            "additionalProperties": False,
        },
        handler=_sleep,
    ),
    *(
        ToolSpec(
            name=name,
            toolset="fake",
            title=name,
            description=f"Use this to {name}.",
            input_schema=_schema(text={"type": "string"}),
            handler=handler,
        )
        for name, handler in (
            ("fail", _fail),
            ("print", _print),
            ("change", _change),
            ("plain", lambda _w, g: g["text"]),
        )
    ),
)


class FakeWell:
    """The toolset itself."""

    name = "fake"

    def __init__(self) -> None:
        self.version = 0
        self.started = threading.Event()
        self.closed = threading.Event()
        self.changed: Callable[[Change], None] = lambda change: None

    def specs(self) -> Sequence[ToolSpec]:
        return TOOLS

    def call(self, tool: ToolSpec, arguments: Mapping[str, Any]) -> Any:
        return tool.handler(self, arguments)

    def instructions(self, max_chars: int) -> str:
        return f"Version {self.version}. " + "x" * (max_chars * 2)

    def resources(self) -> Sequence[Resource]:
        return (Resource(uri="fake://index", name="index", title="Index", description="All of it."),)

    def templates(self) -> Sequence[ResourceTemplate]:
        return (ResourceTemplate(uri_template="fake://item/{id}", name="item", title="Item", description="One."),)

    def read_resource(self, uri: str) -> ResourceText | None:
        if not uri.startswith("fake://"):
            return None
        if uri == "fake://index":
            return ResourceText(uri=uri, text=f"index {self.version}")
        if uri == "fake://item/bad":
            raise RuntimeError("secret internals")
        if uri == "fake://item/none":
            raise NotFound("No item 'none'", "List them")
        return ResourceText(uri=uri, text="item \ud800")

    def status(self) -> Mapping[str, Any]:
        return {"ready": True, "version": self.version}

    def start(self, changed: Callable[[Change], None]) -> None:
        self.changed = changed
        self.started.set()

    def close(self) -> None:
        self.closed.set()
