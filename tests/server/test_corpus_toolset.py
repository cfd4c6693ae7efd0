"""The corpus as a toolset: real stores, real child processes, real file changes; MCP in memory."""

from __future__ import annotations

import asyncio
import json
import queue
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from mcp import Client, MCPError
from mcp.client.subscriptions import ResourceUpdated

from drawwell.corpus.ingest.run import ingest
from drawwell.corpus.options import IngestOptions
from drawwell.corpus.store.places import cached_store
from drawwell.corpus.watch import WatchOptions
from drawwell.errors import ConfigurationError
from drawwell.server.protocol import McpServer
from drawwell.server.toolbox import Toolbox
from drawwell.server.tools import corpus_toolset, live_corpus
from drawwell.server.tools.corpus_toolset import CorpusToolset
from drawwell.server.tools.live_corpus import CorpusSource
from drawwell.server.tools.spec import Change
from tests.server.corpora import DOCUMENTS, gated_command, ingest_command, store_of, until, write

QUICK = WatchOptions(quiet_seconds=0.05, longest_seconds=0.5, retry_seconds=0.2, poll_seconds=0.1)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder of documents, not ingested."""
    return write(tmp_path / "root")


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of documents with its store; not to be changed."""
    root = write(tmp_path_factory.mktemp("ingested"))
    ingest(root, store_of(root), IngestOptions(workers=1))
    return root


def served(root: Path, **options: Any) -> CorpusSource:
    """A source for a folder."""
    return CorpusSource(store=store_of(root), root=root, **options)


@contextmanager
def boxed(*sources: CorpusSource) -> Iterator[tuple[Toolbox, queue.Queue[Change]]]:
    """A started toolbox over corpora, and the changes that it tells of."""
    box = Toolbox([CorpusToolset(sources)])
    told: queue.Queue[Change] = queue.Queue()
    box.start(told.put)
    try:
        yield box, told
    finally:
        box.close()


def ask(box: Toolbox, tool: str, **arguments: Any) -> Any:
    """Call a tool: its result, decoded."""
    text = box.call(tool, arguments).text
    return text if tool == "index" and not text.startswith("{") else json.loads(text)


def error_of(box: Toolbox, tool: str, **arguments: Any) -> str:
    """Call a tool that fails: the error and what to do."""
    answer = box.call(tool, arguments)
    assert answer.failed, answer.text
    told = json.loads(answer.text)
    return f"{told['error']}. {told['suggestion']}"


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_five_tools_over_mcp(ingested: Path, mode: str) -> None:
    """The five tools answer in the seed's shapes, as text alone, in both eras."""

    async def main() -> None:
        async with Client(McpServer(Toolbox([CorpusToolset([served(ingested)])])), mode=mode) as client:

            async def call(tool: str, **arguments: Any) -> Any:
                answer = await client.call_tool(tool, arguments)
                assert answer.is_error is False, answer.content
                assert answer.structured_content is None
                (block,) = answer.content
                return block.text

            listed = [tool.name for tool in (await client.list_tools()).tools]
            assert listed == ["index", "search", "read", "grep", "neighbours"]
            found = json.loads(await call("search", query="refund window", **{"in": "refunds.md"}))
            assert {"hits", "mode", "hint"} == set(found)
            hit = found["hits"][0]
            assert {"id", "doc", "heading_path", "snippet", "score", "kind", "cite"} == set(hit)
            assert hit["id"] == "refunds.md#0"
            section = json.loads(await call("read", id=hit["cite"], context=1))
            assert section["text"].startswith("# Refunds\n")
            assert [one["id"] for one in section["context"]] == ["refunds.md#1"]
            (match,) = json.loads(await call("grep", pattern="tx-44"))["matches"]
            assert (match["id"], match["line"]) == ("refunds.md#1", "| TX-44 | time is over |")
            around = json.loads(await call("neighbours", id="refunds.md#1"))
            assert [one["id"] for one in around["sections"]] == [f"refunds.md#{number}" for number in range(3)]
            text = await call("index")
            assert text.startswith("drawwell index · 3 documents")
            assert "guides/start here.md" in await call("index", prefix="guides/")

    asyncio.run(asyncio.wait_for(main(), 20))


def test_answers_keep_their_budget(tmp_path: Path) -> None:
    """TL-08, TL-09: without a word about size an answer stays within 6,000 tokens and can be continued."""
    root = write(tmp_path, {"big.md": "# Big\n\n```\n" + "line of code\n" * 20_000 + "```\n"})
    ingest(root, store_of(root), IngestOptions(workers=1))
    box = Toolbox([CorpusToolset([served(root)])])
    answer = box.call("read", {"id": "big.md#1"})
    assert not answer.failed
    assert len(answer.text) < 4 * 6_500
    result = json.loads(answer.text)
    following = ask(box, "read", id="big.md#1", cursor=result["next"]) if "next" in result else None
    listing = box.call("index", {"max_tokens": 200})
    assert len(listing.text) <= 4 * 200
    assert following is None or following["text"]


def test_index_pages(tmp_path: Path) -> None:
    """TL-08: a long listing is paged; the text of a page says how to get the next."""
    root = write(
        tmp_path, {f"pages/{number:03}.md": f"# Page {number}\n\nText of page {number}.\n" for number in range(200)}
    )
    ingest(root, store_of(root), IngestOptions(workers=1))
    box = Toolbox([CorpusToolset([served(root)])])
    pages = [ask(box, "index", prefix="pages/", max_tokens=1000)]
    while "\nnext cursor: " in pages[-1]:
        cursor = pages[-1].rpartition("next cursor: ")[2]
        pages.append(ask(box, "index", prefix="pages/", max_tokens=1000, cursor=cursor))
    assert len(pages) > 2
    assert all(len(page) < 4100 for page in pages)
    assert sum(page.count("\npages/") for page in pages) == 200


def test_filters_are_called_in(ingested: Path) -> None:
    """An error about the filter names it as the tool does."""
    box = Toolbox([CorpusToolset([served(ingested)])])
    assert error_of(box, "search", query="x", **{"in": ["  "]}).startswith("in: got '  '")
    assert "nearest" in ask(box, "grep", pattern="refund", **{"in": "refnds.md"})["hint"]


def test_resources(ingested: Path) -> None:
    """The index, documents and sections are resources; names are percent-encoded; a document is what was written."""
    box = Toolbox([CorpusToolset([served(ingested)])])
    assert [one.uri for one in box.resources()] == ["drawwell://index"]
    assert [one.uri_template for one in box.templates()] == ["drawwell://doc/{path}", "drawwell://section/{id}"]
    assert box.read_resource("drawwell://index").text == box.call("index", {}).text
    for path, text in DOCUMENTS.items():
        for name in (quote(path, safe=""), quote(path)):
            assert box.read_resource(f"drawwell://doc/{name}").text == text
    section = quote("guides/ünï#code.md#0", safe="")
    assert "設定" in box.read_resource(f"drawwell://section/{section}").text
    assert box.read_resource("drawwell://section/refunds.md#1").text.startswith("## Codes")


@pytest.mark.parametrize(
    "uri",
    [
        "drawwell://doc/none.md",
        "drawwell://section/refunds.md%2399",
        "drawwell://section/nonsense",
        "drawwell://doc/",
        "drawwell://doc/..%2F..%2Fetc%2Fpasswd",
        "drawwell://other",
        "file:///etc/passwd",
    ],
)
@pytest.mark.parametrize(("mode", "code"), [("legacy", -32002), ("auto", -32602)])
def test_unknown_resources(ingested: Path, uri: str, mode: str, code: int, caplog: pytest.LogCaptureFixture) -> None:
    """TL-07: what does not exist has the code of its era and no traceback."""

    async def main() -> None:
        async with Client(McpServer(Toolbox([CorpusToolset([served(ingested)])])), mode=mode) as client:
            with pytest.raises(MCPError) as caught:
                await client.read_resource(uri)
            assert caught.value.error.code == code

    asyncio.run(asyncio.wait_for(main(), 20))
    assert "Traceback" not in caplog.text


def test_long_documents_are_cut_with_a_word(ingested: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TL-09: a document too long to attach ends with where to read on."""
    monkeypatch.setattr(corpus_toolset, "_MOST_CHARS", 40)
    text = Toolbox([CorpusToolset([served(ingested)])]).read_resource("drawwell://doc/refunds.md").text
    assert text.startswith("---\nowner: Ann\n---\n# Refunds")
    assert text.endswith("[The rest is left out: it begins at refunds.md#1. Use the tool read.]\n")


def test_first_ingest(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SV-01: until the first store is there, tools and instructions say how far it is; then they answer."""
    monkeypatch.setattr(corpus_toolset, "_PATIENCE", 0.1)
    gate = tmp_path / "gate"
    toolset = CorpusToolset([served(root, ingest=gated_command(root, gate))])
    assert "are being indexed for the first time" in toolset.instructions(1900)
    box = Toolbox([toolset])
    told: queue.Queue[Change] = queue.Queue()
    box.start(told.put)
    try:
        until(lambda: "3 of 9 documents" in error_of(box, "search", query="refund"))
        assert "Try again in a few seconds" in error_of(box, "index")
        assert "3 of 9 documents. Call index for the map" in toolset.instructions(1900)
        assert box.status()["corpus"] == {
            "ready": False,
            "reason": "The documents are being indexed for the first time: 3 of 9 documents",
            "refreshing": "3 of 9 documents",
        }
        gate.touch()
        change = told.get(timeout=20)
        assert change.uris == ("drawwell://index",)
        assert ask(box, "search", query="refund window")["hits"]
        assert "refunds.md: Refunds" in toolset.instructions(1900)
        status = box.status()["corpus"]
        assert (status["ready"], status["documents"]) == (True, 3)
    finally:
        box.close()


def test_small_folders_are_waited_for(root: Path) -> None:
    """A first call that comes right after the handshake of a small folder is answered, not put off."""
    with boxed(served(root, ingest=ingest_command(root))) as (box, _):
        assert ask(box, "search", query="refund window")["hits"]


def test_older_store_answers_while_it_is_refreshed(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An older store answers at once; when the refresh takes long, answers say so."""
    ingest(root, store_of(root), IngestOptions(workers=1))
    write(root, {"new.md": "# New\n\nA refund of a new kind.\n"})
    gate = tmp_path / "gate"
    with boxed(served(root, ingest=gated_command(root, gate))) as (box, told):
        found = ask(box, "search", query="refund window")
        assert found["hits"]
        assert found["hint"] is None
        monkeypatch.setattr(live_corpus, "_WORTH_SAYING", 0.0)
        until(lambda: "3 of 9" in (ask(box, "search", query="refund window")["hint"] or ""))
        assert "recent changes may be missing" in ask(box, "grep", pattern="refund")["hint"]
        gate.touch()
        told.get(timeout=20)
        assert "new.md#0" in [hit["id"] for hit in ask(box, "search", query="refund")["hits"]]
        until(lambda: ask(box, "search", query="refund")["hint"] is None)
        assert told.empty()


def test_unchanged_folders_tell_of_no_change(root: Path) -> None:
    """A refresh that finds nothing new tells nobody."""
    ingest(root, store_of(root), IngestOptions(workers=1))
    with boxed(served(root, ingest=ingest_command(root))) as (box, told):
        ask(box, "index")
        until(lambda: "refreshing" not in box.status()["corpus"])
        with pytest.raises(queue.Empty):
            told.get(timeout=0.2)


@pytest.mark.parametrize("polling", [False, True])
def test_watched_folder(root: Path, polling: bool) -> None:
    """A change of a document in a watched folder is taken in by itself, and told."""
    ingest(root, store_of(root), IngestOptions(workers=1))
    options = WatchOptions(quiet_seconds=0.05, longest_seconds=0.5, poll_seconds=0.1, force_polling=polling)
    with boxed(served(root, ingest=ingest_command(root), watch=options)) as (box, told):
        until(lambda: "refreshing" not in box.status()["corpus"])
        write(root, {"zebra.md": "# Zebra\n\nStripes everywhere.\n"})
        assert told.get(timeout=20).uris == ("drawwell://index",)
        assert [hit["id"] for hit in ask(box, "search", query="stripes")["hits"]] == ["zebra.md#0"]
        (root / "zebra.md").unlink()
        told.get(timeout=20)
        assert ask(box, "search", query="stripes")["hits"] == []


def test_changed_file_behind_a_hit_has_it_read_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a watch, a hit whose file changed is marked, and brings about a refresh."""
    monkeypatch.setattr(live_corpus, "_RETRY_SECONDS", 0.0)
    ingest(root, store_of(root), IngestOptions(workers=1))
    with boxed(served(root, ingest=ingest_command(root))) as (box, told):
        until(lambda: "refreshing" not in box.status()["corpus"])
        write(root, {"refunds.md": "# Refunds\n\nThe refund window is 90 days now.\n"})
        (hit, *_) = ask(box, "search", query="refund window")["hits"]
        assert "changed on disk" in hit["stale"]
        told.get(timeout=20)
        assert "90 days" in ask(box, "read", id="refunds.md#0")["text"]


def test_cause_of_a_failed_ingest_is_told_and_service_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Decision 17: a folder that is not there is named by every tool with what to do; when it comes, tools answer."""
    monkeypatch.setattr(live_corpus, "_RETRY_SECONDS", 0.2)
    monkeypatch.setattr(corpus_toolset, "_PATIENCE", 0.1)
    root = tmp_path / "later"
    with boxed(served(root, ingest=ingest_command(root))) as (box, told):
        until(lambda: "indexed for the first time" not in error_of(box, "search", query="refund"))
        assert "later" in error_of(box, "index")
        assert "They cannot be read now" in box.instructions(1900)
        write(root)
        until(lambda: not box.call("search", {"query": "refund"}).failed)
        assert told.get(timeout=5).uris


def test_known_faults_are_told_before_the_first_run(tmp_path: Path) -> None:
    """What would stop a first ingest at once is told by instructions and tools before it has run, with what to do."""

    def check() -> None:
        raise ConfigurationError("drawwell.toml: colour is not a setting", "Remove it")

    toolset = CorpusToolset([served(tmp_path / "docs", ingest=("none",), check=check)])
    assert "They cannot be read now: drawwell.toml: colour is not a setting. Remove it" in toolset.instructions(1900)
    assert error_of(Toolbox([toolset]), "index") == "drawwell.toml: colour is not a setting. Remove it"


def test_partial_store_is_told_first(root: Path) -> None:
    """A store whose first ingest was killed gives a map that says first that it is not complete."""
    ingest(root, store_of(root), IngestOptions(workers=1))
    with closing(sqlite3.connect(store_of(root))) as connection:
        connection.execute("UPDATE meta SET value = 'building' WHERE key = 'drawwell.state'")
        connection.execute("DELETE FROM meta WHERE key IN ('corpus_fingerprint', 'index_text', 'drawwell.map')")
        connection.commit()
    toolset = CorpusToolset([served(root)])
    first = "incomplete: 3 documents so far, the first ingest has not ended"
    assert toolset.instructions(1900).split("\n\n")[1].startswith(first)
    assert ask(Toolbox([toolset]), "index").startswith(f"drawwell index · {first} · 5 sections · summaries: offline\n")


def test_failed_refresh_is_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When a refresh fails, the older store still answers, and answers say why they may be out of date."""
    ingest(root, store_of(root), IngestOptions(workers=1))
    away = root.with_name("away")
    for path in DOCUMENTS:
        (root / path).unlink()
    with boxed(served(root, ingest=ingest_command(root))) as (box, _):
        until(lambda: "the last refresh failed" in (ask(box, "search", query="refund")["hint"] or ""))
        assert ask(box, "search", query="refund")["hits"]
    assert not away.exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "there is no store"), (b"not a database at all, but long enough" * 10, "is not a store")],
)
def test_store_that_cannot_be_read(tmp_path: Path, content: bytes | None, words: str) -> None:
    """Without an ingest, a missing or foreign file is named by every tool, with what to do."""
    store = tmp_path / "store.sqlite"
    if content is not None:
        store.write_bytes(content)
    box = Toolbox([CorpusToolset([CorpusSource(store=store)])])
    for tool, arguments in (("index", {}), ("search", {"query": "x"}), ("read", {"id": "a#1"})):
        assert words in error_of(box, tool, **arguments)
    assert words in box.instructions(1900)
    assert box.status()["corpus"]["ready"] is False


def test_several_folders(ingested: Path, tmp_path: Path) -> None:
    """Several folders are one: ids and filters begin with a name; one that fails does not stop the others."""
    other = write(tmp_path / "other", {"zebra.md": "# Zebra\n\nA refund for stripes.\n"})
    ingest(other, store_of(other), IngestOptions(workers=1))
    broken = CorpusSource(store=tmp_path / "none.sqlite", name="broken")
    box = Toolbox([CorpusToolset([served(ingested, name="docs"), served(other, name="zoo"), broken])])
    found = ask(box, "search", query="refund")
    assert {hit["id"].partition("/")[0] for hit in found["hits"]} == {"docs", "zoo"}
    assert "broken/ cannot be read now" in found["hint"]
    assert ask(box, "read", id=found["hits"][0]["cite"])["id"] == found["hits"][0]["id"]
    assert [m["id"] for m in ask(box, "grep", pattern="stripes", **{"in": ["zoo"]})["matches"]] == ["zoo/zebra.md#0"]
    assert "zoo/zebra.md" in ask(box, "index")
    assert "zoo/zebra.md" in box.instructions(1900)
    assert box.read_resource("drawwell://doc/docs/guides%2Fstart%20here.md").text == DOCUMENTS["guides/start here.md"]
    assert "there is no store" in error_of(box, "read", id="broken/a.md#0")
    assert set(box.status()["corpus"]) == {"docs", "zoo", "broken"}


@pytest.mark.parametrize("names", [[], ["", ""], ["a", ""], ["a", "a"]])
def test_names_must_be_distinct(tmp_path: Path, names: list[str]) -> None:
    """Several sources without distinct names cannot be served."""
    with pytest.raises(ValueError, match="names of their own"):
        CorpusToolset([CorpusSource(store=tmp_path / "x", name=name) for name in names])


def test_subscribers_hear_of_a_change(root: Path) -> None:
    """SV-06: a client that listens to a document hears when the folder was taken in anew."""
    ingest(root, store_of(root), IngestOptions(workers=1))
    source = served(root, ingest=ingest_command(root), watch=QUICK)
    uri = "drawwell://doc/refunds.md"

    async def main() -> None:
        server = McpServer(Toolbox([CorpusToolset([source])]))
        async with Client(server) as client, client.listen(resource_subscriptions=[uri]) as stream:
            await asyncio.sleep(1.0)
            write(root, {"refunds.md": "# Refunds\n\nNo refunds any more, sorry.\n"})
            assert await anext(aiter(stream)) == ResourceUpdated(uri=uri)
            content = (await client.read_resource(uri)).contents[0]
            assert "sorry" in content.text
        server._toolbox.close()

    asyncio.run(asyncio.wait_for(main(), 30))


def test_no_place_of_this_machine_is_told(tmp_path: Path) -> None:
    """Errors of a store and of an ingest name the store by its place in the corpus, at most."""
    root = write(tmp_path / "root")
    store_of(root).parent.mkdir()
    store_of(root).write_bytes(b"garbage " * 1000)
    with boxed(served(root, ingest=ingest_command(root))) as (box, _):
        until(lambda: "damaged" in error_of(box, "search", query="refund"))
        said = [error_of(box, "index"), box.instructions(1900), json.dumps(box.status())]
    assert all("damaged" in each and str(tmp_path) not in each for each in said)
    assert "Delete it" in said[0]


def test_a_shipped_store_is_served_where_nothing_can_be_written(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read-only folder answers from the store that it came with, and answers say that changes may be missing."""
    ingest(root, store_of(root), IngestOptions(workers=1))
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file" / "cache"))
    store = cached_store(root)
    failing = ("-c", 'print(\'{"error": {"message": "cannot write", "suggestion": ""}}\')')
    for command in ((sys.executable, *failing), ()):
        with boxed(CorpusSource(store=store, root=root, ingest=command)) as (box, _):
            if command:
                until(lambda: "the last refresh failed" in (ask(box, "search", query="refund")["hint"] or ""))
            assert ask(box, "search", query="refund")["hits"]
