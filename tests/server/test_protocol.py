"""MCP in memory: the old handshake and the current revision, from one server object."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, MCPError
from mcp.client.subscriptions import ResourcesListChanged, ResourceUpdated

from drawwell import __version__
from drawwell.server.instructions import MAX_CHARS
from drawwell.server.protocol import McpServer
from drawwell.server.toolbox import Toolbox
from tests.server.fakes import FakeWell

ERAS = pytest.mark.parametrize("mode", ["legacy", "auto"])


@asynccontextmanager
async def connected(mode: str, well: FakeWell | None = None, **options: Any) -> AsyncIterator[Client]:
    """A client of a server over the fake well."""
    server = McpServer(Toolbox([well or FakeWell()]), **options)
    heard: list[Any] = []

    async def hear(message: Any) -> None:
        heard.append(message)

    async with Client(server, mode=mode, message_handler=hear) as client:
        client.heard = heard  # type: ignore[attr-defined]
        yield client


def run(main: Callable[[], Awaitable[None]]) -> None:
    """Run a coroutine function to its end, within ten seconds."""

    async def bounded() -> None:
        await asyncio.wait_for(main(), 10)

    asyncio.run(bounded())


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something to become true."""
    while not condition():
        await asyncio.sleep(0.01)


@ERAS
def test_handshake(mode: str) -> None:
    """Both eras learn name, version, capabilities and instructions within their limit."""

    async def main() -> None:
        async with connected(mode) as client:
            assert client.protocol_version == ("2026-07-28" if mode == "auto" else "2025-11-25")
            assert client.server_info.name == "drawwell"
            assert client.server_info.version == __version__
            assert client.server_capabilities.tools.list_changed is True
            assert client.server_capabilities.resources.list_changed is True
            assert client.server_capabilities.resources.subscribe is True
            assert client.server_capabilities.prompts is not None
            assert client.instructions.startswith("Version 0.")
            assert len(client.instructions) <= MAX_CHARS

    run(main)


@ERAS
def test_instructions_are_fresh(mode: str) -> None:
    """SV-06: each handshake gets the instructions of its moment; the operator's own replace them; empty means none."""

    async def main() -> None:
        well = FakeWell()
        server = McpServer(Toolbox([well]))
        for version in (0, 7):
            well.version = version
            async with Client(server, mode=mode) as client:
                assert client.instructions.startswith(f"Version {version}.")
        async with connected(mode, instructions="Mine.") as client:
            assert client.instructions == "Mine."
        async with connected(mode, instructions="") as client:
            assert client.instructions is None

    run(main)


@ERAS
def test_a_well_that_cannot_tell_does_not_stop_a_handshake(mode: str, caplog: pytest.LogCaptureFixture) -> None:
    """When instructions cannot be made, the handshake completes without them and the log says why."""

    class Mute(FakeWell):
        def instructions(self, max_chars: int) -> str:
            raise RuntimeError("no words")

    async def main() -> None:
        async with connected(mode, Mute()) as client:
            assert client.instructions is None
            assert (await client.call_tool("echo", {"text": "x"})).is_error is False

    run(main)
    assert "no words" in caplog.text


@ERAS
def test_tools(mode: str) -> None:
    """Tools are listed with title, schema and hints; an answer is one block of text and nothing structured."""

    async def main() -> None:
        async with connected(mode) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            echo = tools["echo"]
            assert echo.title == "Echo"
            assert echo.output_schema is None
            assert echo.annotations.read_only_hint is True
            assert echo.annotations.idempotent_hint is True
            assert echo.annotations.open_world_hint is False
            assert echo.annotations.title == "Echo"
            assert echo.input_schema["additionalProperties"] is False
            answer = await client.call_tool("echo", {"text": "a b", "times": "2"})
            assert answer.is_error is False
            assert answer.structured_content is None
            assert [block.text for block in answer.content] == ['{"said":"a b","words":["a","b","a","b"]}']

    run(main)


@ERAS
@pytest.mark.parametrize(
    ("name", "arguments", "part"),
    [
        ("echo", {}, "text: got nothing"),
        ("echo", {"text": 5}, "text: got 5, takes a string"),
        ("echo", {"text": "x", "bogus": 1}, "no such argument"),
        ("echo", {"text": "x", "times": 9}, "an integer from 1 to 3"),
        ("nope", {}, "There is no tool 'nope'"),
        ("fail", {"text": "boom"}, "did not foresee"),
    ],
)
def test_errors_are_answers(mode: str, name: str, arguments: dict[str, Any], part: str) -> None:
    """TL-01, TL-03: a failed call is an answer with isError, error and suggestion, not a protocol error."""

    async def main() -> None:
        async with connected(mode) as client:
            answer = await client.call_tool(name, arguments)
            assert answer.is_error is True
            told = json.loads(answer.content[0].text)
            assert set(told) == {"error", "suggestion"}
            assert part in told["error"]

    run(main)


def test_arguments_may_be_json_in_a_string() -> None:
    """A host that sends the arguments as a string of JSON is understood."""

    async def main() -> None:
        async with connected("legacy") as client:
            params = {"name": "echo", "arguments": '{"text": "hi"}'}
            result = await client.session.send_request(
                types.Request[dict[str, Any], str](method="tools/call", params=params), types.CallToolResult
            )
            assert json.loads(result.content[0].text)["said"] == "hi"

    run(main)


@ERAS
def test_resources(mode: str) -> None:
    """Resources and templates are listed and read; prompts are answered with an empty list."""

    async def main() -> None:
        async with connected(mode) as client:
            assert [one.uri for one in (await client.list_resources()).resources] == ["fake://index"]
            templates = (await client.list_resource_templates()).resource_templates
            assert [one.uri_template for one in templates] == ["fake://item/{id}"]
            content = (await client.read_resource("fake://index")).contents[0]
            assert (content.text, content.mime_type, content.uri) == ("index 0", "text/plain", "fake://index")
            assert (await client.list_prompts()).prompts == []

    run(main)


@pytest.mark.parametrize(("mode", "missing"), [("legacy", -32002), ("auto", -32602)])
def test_resources_that_cannot_be_read(mode: str, missing: int, caplog: pytest.LogCaptureFixture) -> None:
    """TL-07: an unknown resource has the code of its era, without a traceback; a failure inside stays inside."""

    async def main() -> None:
        async with connected(mode) as client:
            for uri in ("other://x", "fake://item/none"):
                with pytest.raises(MCPError) as caught:
                    await client.read_resource(uri)
                assert caught.value.error.code == missing
                assert caught.value.error.data["uri"] == uri
            assert "Traceback" not in caplog.text
            with pytest.raises(MCPError) as caught:
                await client.read_resource("fake://item/bad")
            assert caught.value.error.code == -32603
            assert "secret" not in str(caught.value.error)

    run(main)
    assert "secret internals" in caplog.text


@pytest.mark.filterwarnings("ignore:resources/.*subscribe is removed:mcp.MCPDeprecationWarning")
def test_old_clients_hear_of_changes() -> None:
    """SV-06: handshake-era clients hear that the list changed, and of the resources that they subscribed to."""

    async def main() -> None:
        async with connected("legacy") as client:
            await client.session.subscribe_resource("fake://index")
            await client.session.subscribe_resource("fake://item/1")
            await client.session.subscribe_resource("fake://other")
            await client.session.subscribe_resource("fake://item/2")
            await client.session.unsubscribe_resource("fake://item/2")
            await client.call_tool("change", {"text": "x"})
            await until(lambda: len(client.heard) >= 3)
            assert isinstance(client.heard[0], types.ResourceListChangedNotification)
            assert [one.params.uri for one in client.heard[1:]] == ["fake://index", "fake://item/1"]

    run(main)


def test_current_clients_hear_of_changes() -> None:
    """SV-06: clients of the current revision hear the same on the streams that they listen to."""

    async def main() -> None:
        async with (
            connected("auto") as client,
            client.listen(resources_list_changed=True, resource_subscriptions=["fake://item/1"]) as stream,
        ):
            await client.call_tool("change", {"text": "x"})
            events = [await anext(aiter(stream)) for _ in range(2)]
            assert events == [ResourcesListChanged(), ResourceUpdated(uri="fake://item/1")]

    run(main)


def test_without_standing_connections_no_notices_are_promised() -> None:
    """A server without lasting connections does not claim that it can send notices to handshake-era clients."""

    async def main() -> None:
        async with connected("legacy", standing=False) as client:
            assert client.server_capabilities.resources.subscribe is False
            assert client.server_capabilities.resources.list_changed is False

    run(main)


@ERAS
def test_slow_calls_do_not_delay_others(mode: str) -> None:
    """TL-11b: while slow calls run, quick ones are answered; a cancelled one is dropped."""

    async def main() -> None:
        async with connected(mode) as client:
            slow = [asyncio.create_task(client.call_tool("sleep", {"seconds": 1.5})) for _ in range(2)]
            await asyncio.sleep(0.1)
            for number in range(5):
                answer = await client.call_tool("plain", {"text": str(number)})
                assert answer.content[0].text == str(number)
            assert not any(task.done() for task in slow)
            for task in slow:
                task.cancel()

    run(main)


@ERAS
def test_background_work_starts_with_the_first_message(mode: str) -> None:
    """Wells begin their background work once the handshake is answered, so that it costs the handshake nothing."""

    async def main() -> None:
        well = FakeWell()
        server = McpServer(Toolbox([well]))
        assert not well.started.is_set()
        async with Client(server, mode=mode):
            assert well.started.is_set()

    run(main)
