"""``drawwell serve`` as a real process over real folders, in both eras and in the hands of hostile clients."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from drawwell.corpus.store.connect import open_for_writing
from drawwell.corpus.store.handle import Store
from drawwell.server.instructions import MAX_CHARS, server_instructions
from drawwell.server.toolbox import Toolbox
from drawwell.server.tools.corpus_toolset import CorpusToolset
from drawwell.server.tools.live_corpus import CorpusSource
from tests.server.corpora import store_of, until, write
from tests.server.raw import ROOT, RawServer, modern

LEAVES_WITHIN = 2.0
QUERIES = [
    "tier1-test", "status: done", "what's up?", "C++", "C#", "ubuntu 20.04", "GB/s", "$prev", "--no-cache",
    '"unbalanced', "retry OR", "AND", "NEAR(", "a AND NOT b", "(paren", "*", "-x", "foo.bar", "a@b.c", "", "   ",
    "nocol:x", "{a b}:c", "path\\to", "%", "a, b", "设备", "\x00", "\ud800", "🙂", "retry " * 1500,
]  # fmt: skip
HOSTILE: list[tuple[str, Any]] = [
    ("search", {}),
    ("search", {"query": 5}),
    ("search", {"query": ["a"]}),
    ("search", {"query": "x", "limit": "abc"}),
    ("search", {"query": "x", "limit": 10**30}),
    ("search", {"query": "x", "mode": "zzz"}),
    ("search", {"query": "x", "bogus": 1}),
    ("search", {"query": "x", "in": {"a": 1}}),
    ("search", {"query": "x", "in": ["../../etc/passwd"]}),
    ("search", {"query": "x", "in": ["[" * 900]}),
    ("search", {"query": "x", "cursor": "zzz"}),
    ("search", {"query": {"a": [[[[[[]]]]]]}}),
    ("read", {}),
    ("read", {"id": ["a"]}),
    ("read", {"id": "../../etc/passwd#0"}),
    ("read", {"id": "#" * 5000}),
    ("read", {"id": "refunds.md#0", "context": -1}),
    ("read", {"id": "refunds.md#99999999999999999999"}),
    ("grep", {"pattern": ""}),
    ("grep", {"pattern": "x" * 201}),
    ("grep", {"pattern": "(", "regex": True}),
    ("grep", {"pattern": "(a+)+$", "regex": "true"}),
    ("grep", {"pattern": "a\nb"}),
    ("neighbours", {"id": "refunds.md#0", "before": 6}),
    ("index", {"prefix": 7}),
    ("index", {"prefix": "x" * 100_000}),
    ("no such tool", {}),
]


def serve(*arguments: str, env: dict[str, str] | None = None) -> RawServer:
    """``drawwell serve`` with arguments."""
    return RawServer(["-m", "drawwell", "serve", *arguments], env)


def processes_about(place: Path) -> list[int]:
    """Processes whose command names a place, and the processes that they started."""
    found: dict[int, int] = {}
    about: set[int] = set()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        found[int(entry.name)] = parent
        if command and os.fsencode(place) in command:
            about.add(int(entry.name))
    while more := {pid for pid, parent in found.items() if parent in about} - about:
        about |= more
    return sorted(about - {os.getpid()})


def slow_folder(root: Path, documents: int = 400) -> Path:
    """A folder whose first ingest takes some seconds."""
    text = "".join(f"## Part {part}\n\n{'Words of a refund and its rules. ' * 20}\n\n" for part in range(40))
    return write(
        root, {f"d{number // 100}/{number:04}.md": f"# Page {number}\n\n{text}" for number in range(documents)}
    )


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawServer]:
    """One server over a small folder, after an old handshake."""
    server = serve(str(write(tmp_path_factory.mktemp("served"))), "--log")
    server.shake_hands()
    until(lambda: not server.call("index")[1])
    yield server
    errors = server.end()
    assert "Traceback" not in errors
    for line in server.lines:
        assert json.loads(line)["jsonrpc"] == "2.0"


def test_sdk_client(tmp_path: Path) -> None:
    """The SDK's client ingests, searches, reads and cites a folder through the real process."""
    root = write(tmp_path / "docs")

    async def main() -> None:
        command = StdioServerParameters(command=sys.executable, args=["-m", "drawwell", "serve", str(root)], cwd=ROOT)
        async with Client(command) as client:
            assert "search(query) for pointers" in client.instructions[:300]
            answer = await client.call_tool("search", {"query": "refund window"})
            hit = json.loads(answer.content[0].text)["hits"][0]
            section = json.loads((await client.call_tool("read", {"id": hit["cite"]})).content[0].text)
            assert "30 days" in section["text"]
            assert (await client.read_resource("drawwell://index")).contents[0].text.startswith("drawwell index")

    asyncio.run(asyncio.wait_for(main(), 30))


def test_every_query_is_answered(server: RawServer) -> None:
    """Every string that breaks others' query syntax gives hits or an empty list, in both kinds of search."""
    for query in QUERIES:
        for mode in ("lexical", "plain"):
            text, failed = server.call("search", query=query, mode=mode)
            assert not failed, (query, text)
            assert isinstance(json.loads(text)["hits"], list)


@pytest.mark.parametrize(("tool", "arguments"), HOSTILE)
def test_hostile_arguments(server: RawServer, tool: str, arguments: Any) -> None:
    """TL-01 to TL-06: whatever is sent gets an answer or an error that names the fault; nothing internal leaks."""
    text, failed = server.call(tool, **arguments)
    if failed:
        told = json.loads(text)
        assert told["error"]
        assert len(text) < 2000
    for leak in ("Traceback", "Error:", "Exception", "sqlite3", str(ROOT)):
        assert leak not in text
    assert server.call("search", query="refund window")[0].startswith('{"hits":[{"id":"refunds.md#0"')


def test_log_has_no_bodies(server: RawServer) -> None:
    """A call is one line on stderr: tool, arguments, results, time; no text that was read."""
    server.call("read", id="refunds.md#0")
    until(lambda: any(line.startswith("read id=refunds.md#0 -> 1 result in ") for line in server.errors))
    assert not any("30 days" in line for line in server.errors)


def test_leaves_during_an_ingest(tmp_path: Path) -> None:
    """39: with an ingest going on, the server leaves within two seconds of the end of stdin, its child with it."""
    root = slow_folder(tmp_path / "slow")
    server = serve(str(root))
    try:
        server.shake_hands()
        server.send("tools/call", {"name": "search", "arguments": {"query": "refund"}})
        until(lambda: len(processes_about(root)) > 1)
        begun = time.monotonic()
        server.close_stdin()
        assert server.process.wait(10) == 0
        assert time.monotonic() - begun < LEAVES_WITHIN
        until(lambda: not processes_about(root))
    finally:
        server.end()


def test_a_killed_server_leaves_no_orphans(tmp_path: Path) -> None:
    """39: a server that is killed without a word leaves no process behind, and its store is whole at the next start."""
    root = slow_folder(tmp_path / "slow")
    server = serve(str(root), "--workers", "2")
    try:
        server.shake_hands()
        until(lambda: store_of(root).exists() and len(processes_about(root)) > 1)
        os.kill(server.process.pid, signal.SIGKILL)
        server.process.wait()
        until(lambda: not processes_about(root), 5)
        with sqlite3.connect(store_of(root)) as connection:
            assert connection.execute("PRAGMA quick_check").fetchone() == ("ok",)
        connection.close()
    finally:
        server.end()


def test_several_servers_on_one_folder(tmp_path: Path) -> None:
    """Several servers start on one folder at once: one ingests, and all give whole answers when it is done."""
    root = slow_folder(tmp_path / "shared", 100)
    servers = [serve(str(root)) for _ in range(3)]
    try:
        for server in servers:
            server.shake_hands()
        answers = []
        for server in servers:
            while True:
                text, failed = server.call("search", query="page 77", limit=50)
                if failed:
                    assert "being indexed for the first time" in text
                elif json.loads(text)["hint"] is None:
                    break
            answers.append(json.loads(text)["hits"])
        assert {len(hits) for hits in answers} == {50}

        def hits(server: RawServer) -> list[object]:
            found: list[object] = json.loads(server.call("search", query="page 77", limit=50)[0])["hits"]
            return found

        until(lambda: hits(servers[0]) == hits(servers[1]) == hits(servers[2]))  # the index may come a moment later
        assert "100 documents" in servers[0].call("index")[0]
        write(root, {"new.md": "# Zebra\n\nStripes are new here.\n"})
        for server in servers:
            until(lambda server=server: '"id":"new.md#0"' in server.call("search", query="stripes zebra")[0])
    finally:
        for server in servers:
            server.close_stdin()
        for server in servers:
            server.process.wait(5)
            server.end()
    assert "Traceback" not in "".join(line for server in servers for line in server.errors)


def test_modern_client_without_handshake(tmp_path: Path) -> None:
    """The first message of a current client may be a tool call: it starts the ingest and is answered from it."""
    server = serve(str(write(tmp_path / "docs")))
    try:
        result = server.request("tools/call", modern(name="search", arguments={"query": "refund window"}))
        assert result["isError"] is False
        assert json.loads(result["content"][0]["text"])["hits"]
        assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "drawwell"
    finally:
        server.end()


def test_over_http(tmp_path: Path) -> None:
    """The same folder over HTTP: both forms of the address, and health with what is served."""
    root = write(tmp_path / "docs")
    server = serve(f"docs={root}", "--transport", "http", "--port", "0")
    try:
        until(lambda: server.errors)
        url = server.errors[0].split()[-1]

        async def main() -> None:
            for address in (url, f"{url}/"):
                async with Client(address) as client:
                    answer = await client.call_tool("search", {"query": "refund window"})
                    assert json.loads(answer.content[0].text)["hits"][0]["id"] == "docs/refunds.md#0"

        asyncio.run(asyncio.wait_for(main(), 20))
        with urllib.request.urlopen(url.replace("/mcp", "/health")) as answer:
            state = json.load(answer)["toolsets"]["corpus"]["docs"]
        assert (state["ready"], state["documents"]) == (True, 3)
    finally:
        server.end()


def test_bad_setting_is_told_by_every_tool(tmp_path: Path) -> None:
    """Decision 17: with a bad setting the handshake completes, and each call names the setting and the cure."""
    server = serve(str(write(tmp_path / "docs")), env={"DRAWWELL_PORT": "many"})
    try:
        assert "DRAWWELL_PORT" in server.shake_hands()["instructions"]
        assert len(server.request("tools/list")["tools"]) == 5
        text, failed = server.call("search", query="x")
        assert failed
        assert "DRAWWELL_PORT" in text
    finally:
        server.end()


def synthetic_store(path: Path, documents: int) -> Path:
    """A store with the rows of so many documents, which is all that a map looks at."""
    connection = open_for_writing(path)
    rows = [
        (f"area{number % 37}/topic{number % 911}/page-{number}.md", f"Page {number} of many", f"{number:064x}")
        for number in range(documents)
    ]
    connection.execute("BEGIN")
    connection.executemany(
        "INSERT INTO documents(path, title, sha256, bytes, kind, n_sections, ingested_at)"
        " VALUES (?, ?, ?, 1, 'markdown', 3, '')",
        rows,
    )
    connection.execute("UPDATE meta SET value = 'complete' WHERE key = 'drawwell.state'")
    connection.execute("COMMIT")
    connection.close()
    Store.open(path).close()
    return path


@pytest.mark.parametrize("documents", [1, 81, 3_000, 100_000])
def test_instructions_fit(tmp_path: Path, documents: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """6.4: whatever the size of a corpus: at most 1,900 characters, the rule of use in the first 300, a map that uses
    the room, and how to get the full list last.
    """
    monkeypatch.setattr("drawwell.server.tools.corpus_toolset._MAP_SECONDS", 30)
    source = CorpusSource(store=synthetic_store(tmp_path / "store.sqlite", documents))
    text = server_instructions(Toolbox([CorpusToolset([source])]), None)
    assert text is not None
    assert len(text) <= MAX_CHARS
    for word in ("search(query)", "read(id)", "grep(pattern)", "cite"):
        assert word in text[:300]
    assert text.splitlines()[-1].casefold() == "call index for the full list."
    assert f"{documents} document" in text
    assert "page-" in text or "area1" in text
    if documents > 81:
        assert len(text) > 0.8 * MAX_CHARS


def test_instructions_do_not_wait_for_a_huge_map(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A map that takes longer than a handshake can wait is left out; the rule and the way to the index stay."""
    monkeypatch.setattr("drawwell.server.tools.corpus_toolset._MAP_SECONDS", 0.0)
    monkeypatch.setattr("drawwell.corpus.operations.corpus.Corpus.map", lambda self, room: time.sleep(0.3))
    source = CorpusSource(store=synthetic_store(tmp_path / "store.sqlite", 1))
    text = CorpusToolset([source]).instructions(MAX_CHARS)
    assert "search(query)" in text
    assert text.endswith("Call index for the list of documents.")
