"""Clients of other projects see the five tools over stdio and HTTP. Installed by ``tools/system_deps.sh``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from drawwell.demo import copy_corpus

pytestmark = [pytest.mark.system, pytest.mark.timeout(180)]

BIN = Path(__file__).parent / "node_modules" / ".bin"
CLAUDE = BIN.parent / "@anthropic-ai" / "claude-code" / "cli-wrapper.cjs"
TOOLS = {"index", "search", "read", "grep", "neighbours"}
SERVE = [sys.executable, "-m", "drawwell", "serve"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The sample corpus in a folder of its own."""
    return copy_corpus(tmp_path / "handbook")


@pytest.fixture
def environment() -> dict[str, str]:
    """The environment of this test with the clients' own Node first."""
    return {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}


@pytest.fixture
def address(folder: Path) -> Iterator[str]:
    """A running HTTP server's address."""
    command = [*SERVE, str(folder), "--transport", "http", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = next(line for line in process.stderr if "serves MCP at" in line)
        yield line.split()[-1]
        process.terminate()


def run(environment: dict[str, str], *command: str | Path) -> str:
    """A client's output; a client that fails fails the test with what it said."""
    done = subprocess.run(
        [str(part) for part in command], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_inspector_lists_the_tools(folder: Path, environment: dict[str, str]) -> None:
    """The MCP Inspector lists exactly the five tools over stdio."""
    out = run(environment, BIN / "mcp-inspector", "--cli", *SERVE, folder, "--method", "tools/list")
    assert {tool["name"] for tool in json.loads(out)["tools"]} == TOOLS


def test_inspector_calls_over_http(address: str, environment: dict[str, str]) -> None:
    """The MCP Inspector searches over HTTP and gets a hit with a citation."""
    call = ["--method", "tools/call", "--tool-name", "search", "--tool-arg", "query=refund window"]
    out = run(environment, BIN / "mcp-inspector", "--cli", address, "--transport", "http", *call)
    found = json.loads(json.loads(out)["content"][0]["text"])
    assert found["hits"]
    assert all("@" in hit["cite"] for hit in found["hits"])


def test_mcporter_lists_and_calls(folder: Path, environment: dict[str, str]) -> None:
    """mcporter lists the five tools over stdio, and its schemas name the required arguments."""
    server = " ".join([*SERVE, str(folder)])
    out = run(environment, BIN / "mcporter", "list", "--stdio", server, "--json")
    listed = json.loads(out)
    assert listed["status"] == "ok"
    tools = {tool["name"]: tool for tool in listed["tools"]}
    assert set(tools) == TOOLS
    assert tools["search"]["inputSchema"]["required"] == ["query"]


def test_claude_code_connects(folder: Path, environment: dict[str, str], home: Path, tmp_path: Path) -> None:
    """``claude mcp add`` with an empty home, then ``claude mcp list`` is green at the first launch."""
    project = tmp_path / "project"
    project.mkdir()

    def claude(*arguments: str | Path) -> str:
        done = subprocess.run(
            [str(BIN / "node"), str(CLAUDE), "mcp", *map(str, arguments)],
            cwd=project,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    claude("add", "drawwell", "--", *SERVE, folder)
    assert "drawwell" in claude("list")
    assert "Connected" in claude("list")
