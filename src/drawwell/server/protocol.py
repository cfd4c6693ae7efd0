"""Tools and resources over MCP, in the old protocol revisions and the current one, from one server object."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.runner import serve_dual_era_loop
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from drawwell._version import __version__
from drawwell.server.errors import resource_error_code, tool_error
from drawwell.server.instructions import server_instructions
from drawwell.server.notices import Notices
from drawwell.server.toolbox import Toolbox
from drawwell.server.tools.spec import Change, ToolSpec
from drawwell.server.workers import WorkerPool

__all__ = ["McpServer"]

_log = logging.getLogger("drawwell.server")

Context = ServerRequestContext[Any, Any]
Page = types.PaginatedRequestParams | None

_HANDSHAKES = ("initialize", "server/discover")
_HANDSHAKE_SECONDS = 2.0

_instructions: ContextVar[str | None] = ContextVar("instructions", default=None)


class McpServer(Server[dict[str, Any]]):
    """An MCP server over a toolbox.

    Args:
        toolbox: what to serve.
        instructions: the operator's own instructions; empty for none, None for the wells'.
        workers: tool calls that run at once.
        standing: whether a connection lasts from handshake to end and can carry notices.
    """

    def __init__(
        self, toolbox: Toolbox, *, instructions: str | None = None, workers: int = 8, standing: bool = True
    ) -> None:
        self._toolbox = toolbox
        self._override = instructions
        self._standing = standing
        self._started = False
        self._calls = 0
        self.pool = WorkerPool(workers)
        self.notices = Notices()
        super().__init__(
            "drawwell",
            version=__version__,
            title="drawwell",
            on_list_tools=self._on_list_tools,
            on_call_tool=self._on_call_tool,
            on_list_resources=self._on_list_resources,
            on_list_resource_templates=self._on_list_templates,
            on_read_resource=self._on_read_resource,
            on_subscribe_resource=self.notices.on_subscribe if standing else None,
            on_unsubscribe_resource=self.notices.on_unsubscribe if standing else None,
            on_subscriptions_listen=self.notices.on_listen,
            on_list_prompts=self._on_list_prompts,
        )
        if standing:
            self.add_notification_handler(
                "notifications/initialized", types.NotificationParams, self.notices.on_initialized
            )
        self.middleware.append(self._around)

    @property
    def instructions(self) -> str | None:
        """As they were when the handshake now being answered came in."""
        return _instructions.get()

    @instructions.setter
    def instructions(self, value: str | None) -> None:
        # The base class sets it once; ours are made anew for each handshake.
        pass

    @property
    def busy(self) -> bool:
        """Whether a tool call is being answered."""
        return self._calls > 0

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """What a handshake answers, with the notices that this connection can carry."""
        notices = notification_options or NotificationOptions(
            resources_changed=self._standing, tools_changed=self._standing
        )
        return super().create_initialization_options(notices, experimental_capabilities, extensions)

    async def run(
        self,
        read_stream: Any,
        write_stream: Any,
        initialization_options: InitializationOptions | None = None,  # noqa: ARG002 - they would be older than the handshake
        raise_exceptions: bool = False,
    ) -> None:
        """Serve one connection until its read side closes, in the era that the client's first message opens."""
        async with self.lifespan(self) as state:
            await serve_dual_era_loop(
                self, read_stream, write_stream, lifespan_state=state, raise_exceptions=raise_exceptions
            )

    def start(self) -> None:
        """Let the wells begin their background work; later calls do nothing. To be called on the event loop."""
        if self._started:
            return
        self._started = True
        loop = asyncio.get_running_loop()

        def changed(change: Change) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(lambda: loop.create_task(self.notices.publish(change)))

        self._toolbox.start(changed)

    async def _around(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Around every message: fresh instructions for a handshake, arguments sent as a string, the start of work."""
        if ctx.method in _HANDSHAKES:
            _instructions.set(await self._fresh_instructions())
            try:
                return await call_next(ctx)
            finally:
                # Only now, so that a child process does not compete with the handshake.
                self.start()
        self.start()
        if ctx.method == "tools/call":
            ctx = replace(ctx, params=_with_object(ctx.params))
        return await call_next(ctx)

    async def _fresh_instructions(self) -> str | None:
        try:
            async with asyncio.timeout(_HANDSHAKE_SECONDS):
                return await self.pool.run(lambda: server_instructions(self._toolbox, self._override))
        except Exception as failure:  # noqa: BLE001 - a handshake always completes
            _log.warning("the instructions could not be made", exc_info=failure)
        return None

    async def _on_list_tools(self, _ctx: Context, _params: Page) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(tool) for tool in self._toolbox.tools])

    async def _on_call_tool(self, _ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        self._calls += 1
        try:
            answer = await self.pool.run(lambda: self._toolbox.call(params.name, params.arguments))
        finally:
            self._calls -= 1
        content = types.TextContent(type="text", text=answer.text)
        return types.CallToolResult(content=[content], is_error=answer.failed)

    async def _on_list_resources(self, _ctx: Context, _params: Page) -> types.ListResourcesResult:
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    uri=one.uri,
                    name=one.name,
                    title=one.title,
                    description=one.description,
                    mime_type=one.mime_type,
                )
                for one in self._toolbox.resources()
            ]
        )

    async def _on_list_templates(self, _ctx: Context, _params: Page) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(
                    uri_template=one.uri_template,
                    name=one.name,
                    title=one.title,
                    description=one.description,
                    mime_type=one.mime_type,
                )
                for one in self._toolbox.templates()
            ]
        )

    async def _on_read_resource(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        try:
            content = await self.pool.run(lambda: self._toolbox.read_resource(uri))
        except Exception as failure:  # noqa: BLE001 - tool_error logs what is not one of ours
            told = tool_error(failure)
            code = resource_error_code(failure, modern=ctx.protocol_version in MODERN_PROTOCOL_VERSIONS)
            data = {"uri": uri, "suggestion": told["suggestion"]}
            raise MCPError(code=code, message=told["error"], data=data) from None
        text = types.TextResourceContents(uri=uri, mime_type=content.mime_type, text=content.text)
        return types.ReadResourceResult(contents=[text])

    async def _on_list_prompts(self, _ctx: Context, _params: Page) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[])


def _tool(tool: ToolSpec) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=dict(tool.input_schema),
        annotations=types.ToolAnnotations.model_validate({"title": tool.title, **tool.annotations}),
    )


def _with_object(params: Any) -> Any:
    """The parameters of a tool call, with arguments that came as JSON in a string turned into an object."""
    if not isinstance(params, dict) or not isinstance(params.get("arguments"), str):
        return params
    try:
        arguments = json.loads(params["arguments"] or "{}")
    except (ValueError, RecursionError):
        return params
    return {**params, "arguments": arguments} if isinstance(arguments, dict) else params
