"""``drawwell serve``: what is served under which name, the ingest's command, and a handshake whatever is wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from drawwell.cli.serve import ingest_command, split_names
from drawwell.compose import CorpusPlace
from drawwell.errors import ArgumentError
from tests.cli.helpers import drawwell

HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "0"},
}


def talk(
    arguments: list[str | Path], calls: list[tuple[str, dict[str, Any]]], cwd: Path, **environment: str
) -> list[Any]:
    """Start a server on stdio, shake hands, make calls one after the other, and give their results."""
    messages: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]
    messages += [
        {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        for number, (method, params) in enumerate(calls, 1)
    ]
    command = [sys.executable, "-m", "drawwell", "serve", *map(str, arguments)]
    env = {**os.environ, **environment}
    results = []
    with subprocess.Popen(
        command, cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for message in messages:
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            while "id" in message:
                answer = json.loads(process.stdout.readline())
                if answer.get("id") == message["id"]:
                    results.append(answer["result"])
                    break
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait(10) == 0
    return results


def search(query: str) -> tuple[str, dict[str, Any]]:
    """A call of the search tool."""
    return ("tools/call", {"name": "search", "arguments": {"query": query}})


def test_a_store_is_served(docs: Path, tmp_path: Path) -> None:
    """A store file, and the nearest store where nothing is named, answer at once with the five tools."""
    drawwell("ingest", docs)
    store = docs / ".drawwell" / "store.sqlite"
    for arguments, cwd in (([store], tmp_path), (["--no-ingest"], docs), ([docs, "--no-ingest"], tmp_path)):
        hello, tools, found = talk(arguments, [("tools/list", {}), search("gateways")], cwd)
        assert hello["serverInfo"]["name"] == "drawwell"
        assert [tool["name"] for tool in tools["tools"]] == ["index", "search", "read", "grep", "neighbours"]
        assert json.loads(found["content"][0]["text"])["hits"][0]["id"] == "b.txt#0"


def test_what_stops_an_ingest_is_said_in_the_handshake(docs: Path, tmp_path: Path) -> None:
    """A folder that is not there, and a wrong key in its settings, are in the instructions and in every answer."""
    (docs / "drawwell.toml").write_text("colour = 'blue'\n", encoding="utf-8")
    for folder, words in ((tmp_path / "nowhere", "nowhere does not exist"), (docs, "colour is not a setting")):
        hello, found = talk([folder], [search("gateways")], tmp_path)
        assert words in hello["instructions"]
        assert "indexed for the first time" not in hello["instructions"]
        told = json.loads(found["content"][0]["text"])
        assert found["isError"] is True
        assert words in told["error"]
        assert told["suggestion"]


def test_named_folders(docs: Path, tmp_path: Path) -> None:
    """Ids of several folders begin with their names."""
    drawwell("ingest", docs)
    _, found = talk([f"one={docs}", f"two={docs}", "--no-ingest"], [search("gateways")], tmp_path)
    assert {hit["id"] for hit in json.loads(found["content"][0]["text"])["hits"]} == {"one/b.txt#0", "two/b.txt#0"}


@pytest.mark.parametrize(
    ("arguments", "environment", "said"),
    [
        (["docs"], {"DRAWWELL_LOG_LEVEL": "loud"}, "DRAWWELL_LOG_LEVEL"),
        (["docs"], {"DRAWWELL_WATCH": "perhaps"}, "DRAWWELL_WATCH"),
        (["none.sqlite"], {}, "none.sqlite"),
        ([], {}, "no corpus in"),
    ],
)
def test_the_handshake_always_completes(
    arguments: list[str], environment: dict[str, str], said: str, docs: Path, tmp_path: Path
) -> None:
    """On stdio a bad setting or a missing corpus is an answer of the tools, which name cause and fix."""
    hello, tools, found = talk(arguments, [("tools/list", {}), search("x")], tmp_path, **environment)
    assert hello["serverInfo"]["name"] == "drawwell"
    assert len(tools["tools"]) == 5
    assert found["isError"]
    assert said in found["content"][0]["text"]


def test_over_http_it_is_an_exit_code(docs: Path) -> None:
    """Over HTTP a bad setting ends the start with 78, as does an open address without a token."""
    for arguments, environment, said in (
        (["--transport", "http"], {"DRAWWELL_PORT": "many"}, "DRAWWELL_PORT"),
        (["--transport", "http", "--host", "0.0.0.0"], {}, "token"),
        ([], {"DRAWWELL_TRANSPORT": "http", "DRAWWELL_WATCH": "perhaps"}, "DRAWWELL_WATCH"),
        (["--transport", "http", "--token-file", "none"], {}, "none"),
    ):
        ran = drawwell("serve", docs, *arguments, **environment)
        assert ran.code == 78
        assert said in ran.err


def test_split_names(tmp_path: Path) -> None:
    """NAME=DIR names a source; of several, one without takes its folder's name; a path that exists is a path."""
    (tmp_path / "a=b").mkdir()
    assert split_names(["docs"]) == [("", Path("docs"))]
    assert split_names(["x=docs"]) == [("x", Path("docs"))]
    assert split_names(["x=a", "y=b=c"]) == [("x", Path("a")), ("y", Path("b=c"))]
    assert split_names(["one/docs", "two/my hand book"]) == [
        ("docs", Path("one/docs")),
        ("my-hand-book", Path("two/my hand book")),
    ]
    assert split_names([str(tmp_path / "a=b")]) == [("", tmp_path / "a=b")]
    with pytest.raises(ArgumentError, match="'docs' is taken"):
        split_names(["one/docs", "two/docs"])


def test_one_store_for_several_folders_is_refused(docs: Path) -> None:
    """``--store`` goes with one folder."""
    ran = drawwell("serve", f"a={docs}", f"b={docs}", "--store", "x.sqlite")
    assert ran.code == 2
    assert "--store" in ran.err


def test_ingest_command(tmp_path: Path) -> None:
    """The child gets the flags that were given but for secrets, the store in full, and no module from the current
    folder."""
    place = CorpusPlace(tmp_path, tmp_path / "s.sqlite")
    flags = {
        "section_max_chars": 500,
        "respect_gitignore": False,
        "workers": None,
        "wait_seconds": 2.5,
        "pdf_password": "sesame",
    }
    command = ingest_command(place, flags, tmp_path / "x.env")
    assert command[:4] == (sys.executable, "-P", "-m", "drawwell")
    assert command[4:6] == ("--env-file", str(tmp_path / "x.env"))
    assert command[6:11] == ("ingest", str(tmp_path), "--events", "--store", str(tmp_path / "s.sqlite"))
    assert command[11:] == ("--max-chars", "500", "--no-gitignore", "--wait", "2.5")


def test_the_child_takes_no_module_from_the_current_folder(docs: Path, tmp_path: Path) -> None:
    """A folder that holds a module named as one of the library's cannot run code in the server's child."""
    trap = tmp_path / "project"
    trap.mkdir()
    (trap / "json.py").write_text("open('trapped', 'w').close()\n")
    command = ingest_command(CorpusPlace(docs, docs / ".drawwell" / "store.sqlite"), {})
    with subprocess.Popen(command, cwd=trap, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert b'"report"' in process.stdout.read()
    assert not (trap / "trapped").exists()
