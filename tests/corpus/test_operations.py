"""The corpus as a whole: index and listings, status, export, and that nothing reaches the network."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from drawwell.corpus.operations.corpus import Corpus
from drawwell.corpus.store.handle import Store
from drawwell.corpus.store.lock import StoreLock
from drawwell.corpus.store.places import store_path
from drawwell.errors import ArgumentError, NotReady, StoreError
from drawwell.model import to_json
from drawwell.text.budget import estimate_tokens
from tests.corpus.folders import fill, take
from tests.corpus.opened import change_meta, foreign_copy, ids, opened

FILES = {
    "guides/install.md": "# Install\n\nHow to install the program, step by step.\n",
    "guides/use.md": "# Use\n\nHow to use the program every day.\n",
    "notes.txt": "Some plain notes about the program, nothing more.\n",
    "broken.md": b"\x89PNG\r\n\x1a\n\x00\x00\x00\x00" * 40,
    "pages/p-10.md": "# Ten\n\nPage ten of the collection, with some text.\n",
    "pages/p-9.md": "# Nine\n\nPage nine of the collection, with some text.\n",
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    """A small corpus with one file that cannot be taken in."""
    with opened(tmp_path_factory.mktemp("operations") / "docs", FILES) as made:
        yield made


def test_index_is_the_stored_text(corpus: Corpus) -> None:
    """Without a prefix the index is the text that the ingest made, faults included."""
    found = corpus.index()
    assert found.text == corpus.store.meta("index_text")
    assert (found.mode, found.next) == ("flat", None)
    assert "1 file skipped: see status" in found.text
    assert found.tokens == estimate_tokens(found.text)


def test_index_within_a_budget(tmp_path: Path) -> None:
    """An index larger than the budget of the call is made smaller, never cut."""
    files = {f"d{n % 9}/page-{n}.md": f"# Page {n}\n\nText of page number {n}, long enough.\n" for n in range(120)}
    with opened(tmp_path / "docs", files, index_budget_tokens=8000) as corpus:
        assert corpus.index().tokens > 2000
        small = corpus.index(max_tokens=400)
        assert small.tokens <= 400
        assert small.mode == "hierarchical"
        assert "d8/" in small.text
        change_meta(tmp_path / "docs", drawwell_state="building")
        assert corpus.index(max_tokens=400).tokens <= 400


def test_listing(corpus: Corpus) -> None:
    """With a prefix the documents below it are listed, whatever the case of the prefix."""
    for prefix in ("guides/", "GUIDES", "./guides/", "guides/*", "[g]uides/*"):
        found = corpus.index(prefix)
        assert found.mode == "listing"
        assert "guides/install.md" in found.text
        assert "guides/use.md" in found.text
        assert "notes.txt" not in found.text


def test_listing_of_a_misspelt_prefix(corpus: Corpus) -> None:
    """A prefix that nothing begins with is answered with the nearest."""
    found = corpus.index("giudes/")
    assert "0 documents" in found.text
    assert "nearest: guides/" in found.text


def test_tl_08_listing_in_pages(tmp_path: Path) -> None:
    """TL-08: a long listing comes in pages by cursor that together list everything once."""
    files = {f"p/{n:03}.md": f"# Page {n}\n\nText of page number {n}, long enough.\n" for n in range(150)}
    with opened(tmp_path / "docs", files) as corpus:
        seen: list[str] = []
        cursor = None
        while True:
            page = corpus.index("p/", max_tokens=800, cursor=cursor)
            assert page.tokens <= 800
            seen += [line.split(" ")[0] for line in page.text.splitlines() if line.startswith("p/")]
            cursor = page.next
            if cursor is None:
                break
        assert seen == sorted(files)
        with pytest.raises(ArgumentError, match="cursor"):
            corpus.index("p/0", cursor=corpus.index("p/", max_tokens=800).next)


@pytest.mark.parametrize("arguments", [{"prefix": 7}, {"prefix": "x" * 1001}, {"max_tokens": 1}, {"cursor": "x"}])
def test_wrong_arguments_of_index(corpus: Corpus, arguments: dict[str, object]) -> None:
    """A wrong argument is an error that names it."""
    with pytest.raises(ArgumentError, match=next(iter(arguments))):
        corpus.index(**arguments)  # type: ignore[arg-type]


def test_map(corpus: Corpus) -> None:
    """The map fits its characters and shows what there is."""
    made = corpus.map(600)
    assert len(made) <= 600
    assert "guides/install.md: Install" in made
    assert "1 file skipped" in made


def test_status(corpus: Corpus) -> None:
    """Status says what is there, how it was made and what was left out, for people and as JSON."""
    status = corpus.status()
    assert (status.documents, status.sections, status.state) == (5, 5, "complete")
    assert status.kinds == {"markdown": 4, "text": 1}
    assert status.skipped[0][0] == "broken.md"
    assert (status.changed, status.added) == ((), ())
    assert status.settings["section_max_chars"] == 2000
    assert status.source_bytes == sum(len(FILES[path]) for path in FILES if path != "broken.md")
    text = str(status)
    assert "documents    5 (4 markdown, 1 text)" in text
    assert "skipped      broken.md: " in text
    assert json.loads(json.dumps(to_json(status)))["index_mode"] == "flat"


def test_status_says_how_the_indexes_stand(tmp_path: Path) -> None:
    """Up to date, behind, being made or missing, with the size of each; looking changes nothing."""
    root = fill(tmp_path, {"a.md": "# A\n\nalpha text\n"})
    take(root, words=False)
    with Corpus(Store.open(store_path(root)), root) as corpus:
        assert str(corpus.status().words) == "missing"
        take(root)
        found = corpus.status()
        assert (found.words.state, list(found.words.bytes)) == ("up to date", ["terms", "documents", "grams"])
        assert min(found.words.bytes.values()) > 1000
        assert "words        up to date (terms " in str(found)
        assert to_json(found)["words"]["state"] == "up to date"
        fill(root, {"b.md": "# B\n\nbeta text\n"})
        take(root, words=False)
        assert corpus.status().words.state == "behind"
        with StoreLock(store_path(root), 5):
            assert corpus.status().words.state == "being made"
        assert corpus.status().words.state == "behind"


def test_status_of_a_store_of_another_tool(corpus: Corpus, tmp_path: Path) -> None:
    """What such a store does not know is left out."""
    assert corpus.root is not None
    with Corpus(Store.open(foreign_copy(corpus.root, tmp_path / "foreign.sqlite"))) as foreign:
        plain = to_json(foreign.status())
        assert plain["documents"] == 5
        assert "version" not in plain
        assert "changed" not in plain
        assert plain["skipped"] == []
        assert "0 documents" not in foreign.index().text
        assert "guides/install.md" in foreign.map(600)
        assert foreign.read("guides/use.md#0").text == corpus.read("guides/use.md#0").text


def test_export_chunks(corpus: Corpus) -> None:
    """Sections come in the order of path and number, and other calls can be made meanwhile."""
    chunks = []
    for chunk in corpus.export_chunks():
        assert corpus.read(chunk["id"]).text == chunk["text"]
        chunks.append((chunk["id"], chunk["source"]))
    assert chunks == [(f"{path}#0", path) for path in sorted(FILES) if path != "broken.md"]


def test_answers_follow_an_ingest(tmp_path: Path) -> None:
    """An open corpus sees what an ingest in another place committed, also when the file was made anew."""
    root = tmp_path / "docs"
    with opened(root, {"a.md": "# A\n\nThe first text about a turbine.\n"}) as corpus:
        assert ids(corpus.search("turbine")) == ["a.md#0"]
        fill(root, {"b.md": "# B\n\nThe second text about a turbine.\n"})
        take(root, workers=1)
        assert ids(corpus.search("turbine")) == ["a.md#0", "b.md#0"]
        for path in store_path(root).parent.glob("store.sqlite*"):
            path.unlink()
        (root / "a.md").unlink()
        take(root, workers=1)
        assert ids(corpus.search("turbine")) == ["b.md#0"]
        assert ids(corpus.grep("turbine")) == ["b.md#0"]


def test_closed_corpus(tmp_path: Path) -> None:
    """After closing, a call is an error of ours."""
    with opened(tmp_path / "docs", {"a.md": "# A\n\nSome text, long enough.\n"}) as corpus:
        pass
    with pytest.raises(StoreError, match="closed"):
        corpus.search("text")


@pytest.mark.timeout(60)
def test_interrupted_call(tmp_path: Path) -> None:
    """A query that is interrupted, as when a server leaves, ends as an error of ours, and the next call answers."""
    text = "# T\n\n" + "\n\n".join(f"word{n % 7} common text {n} of a long document" for n in range(20_000))
    with opened(tmp_path / "docs", {"a.md": text}) as corpus:
        done = threading.Event()

        def interrupt() -> None:
            while not done.wait(0.001):
                corpus.store.interrupt()

        def search_on() -> None:
            for _ in range(2000):
                corpus.search("word1 word2 word3 common text of a long document", limit=50)

        thread = threading.Thread(target=interrupt)
        thread.start()
        try:
            with pytest.raises(NotReady, match="interrupted"):
                search_on()
        finally:
            done.set()
            thread.join()
        assert corpus.search("word1").hits


def test_sockets_forbidden(tmp_path: Path) -> None:
    """All five operations, status and ingest run in a process that cannot make a socket."""
    root = fill(tmp_path / "docs", FILES)
    script = """
import socket, sys
def forbidden(*args, **kwargs): raise AssertionError("a socket was made")
socket.socket = socket.create_connection = socket.getaddrinfo = forbidden
sys.addaudithook(lambda event, args: forbidden() if event.startswith("socket.") else None)
from pathlib import Path
from drawwell.corpus.ingest.run import ingest
from drawwell.corpus.operations.corpus import Corpus
from drawwell.corpus.options import IngestOptions
from drawwell.corpus.store.places import store_path
from drawwell.corpus.store.handle import Store
root = Path(sys.argv[1])
ingest(root, store_path(root), IngestOptions(workers=1))
with Corpus(Store.open(store_path(root)), root) as corpus:
    hit = corpus.search("install the program", mode="hybrid").hits[0]
    print(hit.id, corpus.read(hit.cite, context=1).id, corpus.neighbours(hit.id).sections[0].id)
    print(len(corpus.grep("program").matches), len(corpus.grep("pro.ram", regex=True).matches))
    print("guides/" in corpus.index().text, "guides/" in corpus.index("gui").text, corpus.status().documents)
"""
    ran = subprocess.run([sys.executable, "-c", script, str(root)], capture_output=True, text=True, timeout=60)
    assert ran.stderr == ""
    assert ran.stdout.split("\n")[0] == " ".join(["guides/install.md#0"] * 3)
    assert ran.stdout.split("\n")[1:3] == ["3 3", "True True 5"]
