"""Both ways with ContextPull 0.2.1: drawwell reads its store as it does, and it reads drawwell's."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from contextpull.ops import Ops, OpsError
from contextpull.store import Store as PeerStore
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from drawwell.corpus.ingest.embedding import Embedding, embed_sections
from drawwell.corpus.ingest.report import EmbeddingReport
from drawwell.corpus.ingest.run import ingest
from drawwell.corpus.operations.corpus import Corpus
from drawwell.corpus.operations.meaning import SearchModels
from drawwell.corpus.options import IngestOptions
from drawwell.corpus.store.handle import Store
from drawwell.errors import NotFound
from tests.compat.queries import GREPS, NEIGHBOURS, READS, SEARCHES
from tests.conformance.builder import build
from tests.corpus.guests import DIMENSION, WordEmbedder

HERE = Path(__file__).parent
PEERS_STORE = HERE / "contextpull-0.2.1.sqlite"
RECORDED = json.loads((HERE / "contextpull-0.2.1.json").read_text(encoding="utf-8"))
QUICK = IngestOptions(workers=1)


def _recorded(operation: str) -> list[Any]:
    return [pytest.param(one["args"], one["answer"], id=_name(one["args"])) for one in RECORDED[operation]]


def _name(args: dict[str, Any]) -> str:
    return " ".join(str(value) for value in args.values()) or "nothing"


def _named(calls: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(args, id=_name(args)) for args in calls]


def _ours(args: dict[str, Any]) -> dict[str, Any]:
    return {"within" if name == "in" else name: value for name, value in args.items()}


def _theirs(args: dict[str, Any]) -> dict[str, Any]:
    return {"in_" if name == "in" else name: value for name, value in args.items()}


@pytest.fixture(scope="module")
def over_peers_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    """drawwell over the store that ContextPull made."""
    copy = shutil.copy(PEERS_STORE, tmp_path_factory.mktemp("peer"))
    with Corpus(Store.open(Path(copy))) as corpus:
        yield corpus


@pytest.fixture(scope="module")
def our_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that drawwell made from the same documents, its own formats among them."""
    place = tmp_path_factory.mktemp("ours")
    corpus = build("sample", place)
    shutil.copytree(build("words", tmp_path_factory.mktemp("words")), corpus, dirs_exist_ok=True)
    store = place / "store.sqlite"
    ingest(corpus, store, QUICK)
    return store


@pytest.fixture(scope="module")
def peer(our_store: Path) -> Iterator[Ops]:
    """ContextPull over the store that drawwell made."""
    with PeerStore.open(our_store) as store:
        yield Ops(store)


@pytest.fixture(scope="module")
def ours(our_store: Path) -> Iterator[Corpus]:
    """drawwell over the store that it made."""
    with Corpus(Store.open(our_store)) as corpus:
        yield corpus


def test_the_recorded_store_is_contextpulls() -> None:
    """What the first half compares with was made by the version named, in a neutral place."""
    with contextlib.closing(sqlite3.connect(f"{PEERS_STORE.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        meta = dict(connection.execute("SELECT key, value FROM meta"))
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master")]
    assert meta["schema_version"] == "1.0"
    assert Path(meta["corpus_root"]).name == "corpus"
    assert not any(table.startswith("drawwell") for table in tables)
    assert PEERS_STORE.stat().st_size < 500_000


def test_a_peers_store_is_known_as_such(over_peers_store: Corpus) -> None:
    """A store of ContextPull opens, and is not taken for our own."""
    assert over_peers_store.status().documents == len(RECORDED["index"][0]["answer"].splitlines()) - 4


@pytest.mark.parametrize(("args", "answer"), _recorded("search"))
def test_search_of_a_peers_store(over_peers_store: Corpus, args: dict[str, Any], answer: dict[str, Any]) -> None:
    """In plain mode, the same ids in the same order with the same scores."""
    found = over_peers_store.search(**_ours(args), mode="plain")
    assert [hit.id for hit in found.hits] == [hit["id"] for hit in answer["hits"]]
    assert [hit.score for hit in found.hits] == pytest.approx([hit["score"] for hit in answer["hits"]], abs=0.006)


@pytest.mark.parametrize(("args", "answer"), _recorded("read"))
def test_read_of_a_peers_store(over_peers_store: Corpus, args: dict[str, Any], answer: dict[str, Any]) -> None:
    """The same text, the same context, the same neighbours."""
    if "error" in answer:
        with pytest.raises(NotFound):
            over_peers_store.read(**args)
        return
    found = over_peers_store.read(**args)
    assert (found.id, found.doc, found.heading_path, found.kind) == (
        answer["id"],
        answer["doc"],
        answer["heading_path"],
        answer["kind"],
    )
    assert (found.text, found.prev_id, found.next_id) == (answer["text"], answer["prev_id"], answer["next_id"])
    assert [one.id for one in found.context or ()] == [one["id"] for one in answer["context"]]


@pytest.mark.parametrize(("args", "answer"), _recorded("grep"))
def test_grep_of_a_peers_store(over_peers_store: Corpus, args: dict[str, Any], answer: dict[str, Any]) -> None:
    """The same sections and lines, though in document order; where a limit cuts, as many and so marked."""
    found = over_peers_store.grep(**_ours(args))
    assert found.truncated == answer["truncated"]
    if answer["truncated"]:
        assert len(found.matches) == len(answer["matches"])
    else:
        assert {(one.id, one.line) for one in found.matches} == {(one["id"], one["line"]) for one in answer["matches"]}
    keys = [(one.doc, int(one.id.rpartition("#")[2])) for one in found.matches]
    assert keys == sorted(keys)


@pytest.mark.parametrize(("args", "answer"), _recorded("neighbours"))
def test_neighbours_of_a_peers_store(over_peers_store: Corpus, args: dict[str, Any], answer: dict[str, Any]) -> None:
    """The same run of sections, and the same first part of a table."""
    if "error" in answer:
        with pytest.raises(NotFound):
            over_peers_store.neighbours(**args)
        return
    found = over_peers_store.neighbours(**args)
    assert [one.id for one in found.sections] == [one["id"] for one in answer["sections"]]
    assert [one.text for one in found.sections] == [one["text"] for one in answer["sections"]]
    assert (found.header and found.header.id) == (answer["header"] and answer["header"]["id"])


@pytest.mark.parametrize(("args", "answer"), _recorded("index"))
def test_index_of_a_peers_store(over_peers_store: Corpus, args: dict[str, Any], answer: str) -> None:
    """The stored index text as it is; a listing names the same documents."""
    found = over_peers_store.index(**args)
    if not args:
        assert found.text == answer
    paths = [line.split("  ")[0].strip() for line in answer.splitlines() if ".md" in line or ".txt" in line]
    assert paths
    assert all(path in found.text for path in paths)


@pytest.mark.parametrize("args", _named(SEARCHES))
def test_contextpull_searches_our_store(peer: Ops, ours: Corpus, args: dict[str, Any]) -> None:
    """ContextPull opens our store and ranks it as our plain mode does."""
    theirs = peer.search(**_theirs(args))
    found = ours.search(**_ours(args), mode="plain")
    assert [hit.id for hit in found.hits] == [hit.id for hit in theirs.hits]


@pytest.mark.parametrize("args", _named([args for args in READS if args["id"] != "nowhere.md#0"]))
def test_contextpull_reads_our_store(peer: Ops, ours: Corpus, args: dict[str, Any]) -> None:
    """ContextPull reads our text."""
    theirs = peer.read(args["id"], args.get("context", 0))
    found = ours.read(**args)
    assert (theirs.section.text, theirs.section.heading_path) == (found.text, found.heading_path)
    assert [one.text for one in theirs.context] == [one.text for one in found.context or ()]


def test_contextpull_reads_every_section(peer: Ops, our_store: Path) -> None:
    """Every section reads as it is stored; only a table part gets header lines, where its own do not come first."""
    with contextlib.closing(sqlite3.connect(our_store)) as connection:
        rows = connection.execute("SELECT id, text, kind FROM sections").fetchall()
    assert len(rows) > 100
    for identifier, text, kind in rows:
        theirs = peer.read(identifier).section.text
        assert theirs == text or (kind == "table" and theirs.endswith(text)), identifier


@pytest.mark.parametrize("args", _named([args for args in NEIGHBOURS if args["id"] != "nowhere.md#0"]))
def test_contextpull_walks_our_store(peer: Ops, ours: Corpus, args: dict[str, Any]) -> None:
    """ContextPull finds the same neighbours and the same head of a table."""
    theirs = peer.neighbours(args["id"], args.get("before", 1), args.get("after", 1))
    found = ours.neighbours(**args)
    assert [one.id for one in theirs.sections] == [one.id for one in found.sections]
    assert (theirs.header and theirs.header.id) == (found.header and found.header.id)


@pytest.mark.parametrize("args", _named([args for args in GREPS if args["pattern"].isascii()]))
def test_contextpull_greps_our_store(peer: Ops, ours: Corpus, args: dict[str, Any]) -> None:
    """ContextPull matches the sections that we match, front matter aside, which it does not know."""
    pattern, within = args["pattern"], args.get("in")
    try:
        theirs = peer.grep(pattern, within, args.get("regex", False), limit=100)
    except OpsError:
        pytest.fail("the corpus is small enough for its budget")
    found = ours.grep(**{**_ours(args), "limit": 100})
    assert {one.id for one in theirs.matches} == {one.id for one in found.matches if not one.id.endswith("#meta")}


def test_contextpull_prints_our_index(peer: Ops, ours: Corpus) -> None:
    """ContextPull gives our index text, as it is stored."""
    assert peer.index() == ours.index().text


def test_contextpull_reads_our_store_with_vectors(our_store: Path, tmp_path: Path) -> None:
    """A store with vectors is as good to ContextPull as one without: the same hits, and vectors where it looks."""
    shutil.copytree(our_store.parent, tmp_path / "store", ignore=shutil.ignore_patterns("*.lock*", "sample", "words"))
    place = tmp_path / "store" / our_store.name
    with PeerStore.open(place) as store:
        before = [hit.id for hit in Ops(store).search("refund").hits]
    model = WordEmbedder()
    embed_sections(place, Embedding(model), EmbeddingReport(model=model.name), lambda done, total: None)
    with PeerStore.open(place) as store:
        assert [hit.id for hit in Ops(store).search("refund").hits] == before
        assert before
    sql = "SELECT model, dim, length(vec) FROM embeddings JOIN sections ON section_id = id"
    with contextlib.closing(sqlite3.connect(place)) as connection:
        assert set(connection.execute(sql)) == {(model.name, DIMENSION, 4 * DIMENSION)}
        assert len(list(connection.execute(sql))) == connection.execute("SELECT count(*) FROM sections").fetchone()[0]


def test_a_peers_store_with_vectors_opens(tmp_path: Path) -> None:
    """Vectors that ContextPull made are not ours to compare with: words answer, and who asked for more is told."""
    place = Path(shutil.copy(PEERS_STORE, tmp_path))
    with contextlib.closing(sqlite3.connect(place)) as connection:
        (name,) = connection.execute("SELECT id FROM sections LIMIT 1").fetchone()
        vector = WordEmbedder().embed_query("refund").astype("<f4").tobytes()
        connection.execute("INSERT INTO embeddings VALUES (?, 'theirs', ?, ?)", (name, DIMENSION, vector))
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('embed_model', 'theirs')")
        connection.commit()
    with Corpus(Store.open(place), models=SearchModels(embedder=WordEmbedder())) as corpus:
        assert corpus.search("refund").hits
        found = corpus.search("refund", mode="hybrid")
        assert (found.mode, corpus.status().vectors) == ("plain", None)
        assert "there are no vectors in this store" in (found.hint or "")


WORDS = (
    "refund",
    "window",
    "tx-4419",
    "no-cache",
    "a.b",
    "UV_CACHE",
    "3.12",
    "école",
    "ß",
    "設定",
    "c++",
    "x",
    "İ",
    "--flag",
)
SENTENCES = st.lists(
    st.sampled_from(WORDS) | st.text("ab-_.é# |*\u0301\u200b", max_size=6), min_size=1, max_size=12
).map(" ".join)
SECTIONS = st.tuples(SENTENCES, SENTENCES, st.integers(1, 3))
DOCUMENTS = st.lists(SECTIONS, min_size=1, max_size=4)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(
    documents=st.lists(DOCUMENTS, min_size=1, max_size=5),
    queries=st.lists(st.tuples(SENTENCES, st.integers(1, 50)), min_size=3, max_size=6),
)
def test_parity_over_random_corpora(
    tmp_path_factory: pytest.TempPathFactory,
    documents: list[list[tuple[str, str, int]]],
    queries: list[tuple[str, int]],
) -> None:
    """Over any corpus and any query, both programs give the same ids in the same order."""
    place = tmp_path_factory.mktemp("random")
    root, path = place / "corpus", place / "store.sqlite"
    root.mkdir()
    for number, sections in enumerate(documents):
        text = "\n\n".join(f"{'#' * level} {heading}\n\n{body} and more" for heading, body, level in sections)
        (root / f"{number}.md").write_text(text, encoding="utf-8")
    ingest(root, path, QUICK)
    with Corpus(Store.open(path)) as corpus, PeerStore.open(path) as store:
        peer = Ops(store)
        for query, limit in queries:
            ours = corpus.search(query, limit=limit, mode="plain")
            assert [hit.id for hit in ours.hits] == [hit.id for hit in peer.search(query, limit=limit).hits], query
