"""Search by words and by meaning: what takes part is said, and whatever fails, the others answer."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from drawwell.corpus.ingest.embedding import Embedding, embed_sections
from drawwell.corpus.ingest.report import EmbeddingReport
from drawwell.corpus.operations.corpus import Corpus
from drawwell.corpus.operations.meaning import SearchModels
from drawwell.corpus.store.handle import Store
from drawwell.corpus.store.places import store_path
from drawwell.errors import DependencyError, NotReady, StoreError
from drawwell.retrieval.fusion import Fusion
from tests.corpus.folders import fill, take
from tests.corpus.guests import WordEmbedder

MEANINGS = {"automobile": "car", "vehicle": "car", "purchase": "buy", "acquire": "buy"}
FILES: dict[str, str | bytes] = {
    "garage/a.md": "# Garage\n\nAn automobile is kept here.\n",
    "garage/b.md": "# Bicycles\n\nTwo wheels, no engine.\n",
    "shop/c.md": "# Shop\n\nHow to purchase an automobile from us.\n",
    "shop/d.md": "# Food\n\nBread and cheese, and a purchase of wine.\n",
}


def embedder() -> WordEmbedder:
    return WordEmbedder(meanings=MEANINGS)


@contextmanager
def corpus(root: Path, **models: object) -> Iterator[Corpus]:
    with Corpus(Store.open(store_path(root)), root, models=SearchModels(**models)) as found:  # type: ignore[arg-type]
        yield found


def embed(root: Path, model: WordEmbedder | None = None) -> None:
    model = model or embedder()
    embed_sections(store_path(root), Embedding(model), EmbeddingReport(model=model.name), lambda done, total: None)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    docs = fill(tmp_path / "docs", FILES)
    take(docs)
    embed(docs)
    return docs


def test_meaning_finds_what_no_word_does(root: Path) -> None:
    """No document holds the word; the answer says that vectors took part, and that the words themselves are nowhere."""
    with corpus(root, embedder=embedder()) as docs:
        found = docs.search("vehicle")
        assert (found.mode, found.legs, found.loose) == ("hybrid", ("words", "vectors"), True)
        assert {hit.doc for hit in found.hits[:2]} == {"garage/a.md", "shop/c.md"}
        assert "nearest in meaning" in (found.hint or "")
        alone = docs.search("vehicle", mode="lexical")
        assert alone.mode == "lexical"
        assert "garage/a.md" not in {hit.doc for hit in alone.hits}


def test_words_and_meaning_are_fused(root: Path) -> None:
    """A document that has one word and the meaning of the other goes before those that have one of them."""
    with corpus(root, embedder=embedder()) as docs:
        for fusion in ("convex", "reciprocal"):
            with corpus(root, embedder=embedder(), fusion=Fusion(fusion)) as either:
                found = either.search("acquire automobile shop", mode="hybrid")
                assert found.hits[0].doc == "shop/c.md"
                assert not found.loose
        scores = [hit.score for hit in docs.search("acquire automobile shop").hits]
        assert scores == sorted(scores, reverse=True)


def test_the_filter_comes_before_the_cut(tmp_path: Path) -> None:
    """SR-20 b: with a narrow filter the vectors inside it are ranked, however many better ones there are outside."""
    many: dict[str, str | bytes] = {f"big/{n:03}.md": f"# N{n}\n\nAn automobile, number {n}.\n" for n in range(300)}
    root = take_all(tmp_path, {**many, "small/x.md": "# X\n\nAn automobile among much other text about wheels.\n"})
    with corpus(root, embedder=embedder()) as docs:
        found = docs.search("vehicle", within=["small/"], mode="hybrid")
        assert [hit.doc for hit in found.hits] == ["small/x.md"]
        assert "vectors" in found.legs


def take_all(tmp_path: Path, files: dict[str, str | bytes]) -> Path:
    root = fill(tmp_path / "docs", files)
    take(root)
    embed(root)
    return root


def test_pages_are_one_list(tmp_path: Path) -> None:
    """Pages of four are those of one list, without repeats or gaps, beyond what is fused too."""
    files: dict[str, str | bytes] = {
        f"{n:03}.md": f"# N{n}\n\nAn automobile and {'a purchase' if n % 3 else 'nothing'}, {n}.\n" for n in range(130)
    }
    root = take_all(tmp_path, files)
    with corpus(root, embedder=embedder()) as docs:
        whole = [hit.id for limit in (50,) for hit in all_hits(docs, limit)]
        assert [hit.id for hit in all_hits(docs, 4)] == whole
        assert len(whole) == len(set(whole)) == 130


def all_hits(docs: Corpus, limit: int):  # type: ignore[no-untyped-def]
    found = docs.search("vehicle purchase automobile", limit=limit)
    yield from found.hits
    while found.next:
        found = docs.search("vehicle purchase automobile", limit=limit, cursor=found.next)
        yield from found.hits


@pytest.mark.parametrize("error", [DependencyError("connection refused"), NotReady("the model is still being loaded")])
def test_a_model_that_fails_is_named_and_words_serve(root: Path, error: Exception) -> None:
    """Down, slow or not loaded yet: the hits are those of the words, and the answer says why."""
    model = embedder()

    def fail() -> None:
        raise error

    model.before = fail
    with corpus(root, embedder=model) as docs:
        for mode in ("auto", "hybrid"):
            found = docs.search("automobile", mode=mode)
            assert found.mode == "lexical"
            assert found.hits == docs.search("automobile", mode="lexical").hits
            assert str(error) in (found.hint or "")
            assert "words alone" in (found.hint or "")


def test_damaged_codes_are_named_and_words_serve(root: Path) -> None:
    """A file that was damaged costs the vectors, not the search."""
    with closing(sqlite3.connect(store_path(root))) as connection, connection:
        connection.execute("UPDATE drawwell_vectors SET codes = substr(codes, 1, length(codes) - 1)")
    with corpus(root, embedder=embedder()) as docs:
        found = docs.search("automobile", mode="hybrid")
        assert found.mode == "lexical"
        assert found.hits == docs.search("automobile", mode="lexical").hits
        assert "a blob of" in (found.hint or "")
        assert "words alone" in (found.hint or "")


@pytest.mark.parametrize("exact", [b"", b"\0" * 100, b"\x00\x7e" * 128, "text", 7])
def test_damaged_exact_vectors_are_named_and_words_serve(root: Path, exact: bytes | str | int) -> None:
    """Likewise where only the exact copies are damaged: too short, not finite, no bytes at all."""
    with closing(sqlite3.connect(store_path(root))) as connection:
        connection.execute("UPDATE drawwell_vectors SET exact = ?", (exact,))
        connection.commit()
    with corpus(root, embedder=embedder()) as docs:
        found = docs.search("wheels", mode="hybrid")
        assert (found.mode, found.legs) == ("lexical", ("words",))
        assert [hit.doc for hit in found.hits] == ["garage/b.md"]
        assert "a section's exact vectors" in (found.hint or "")
        assert "words alone were searched" in (found.hint or "")


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE drawwell_embedded SET generation = 'x'",
        "UPDATE drawwell_embedded SET generation = 1 << 60",
        "UPDATE drawwell_embedded SET ordinal = -1",
        "UPDATE drawwell_vectors SET codes = 5",
        "UPDATE sqlite_sequence SET seq = 'x'",
        "UPDATE meta SET value = '²' WHERE key = 'drawwell.embedder'",
        "UPDATE meta SET value = '99999999999999999999' WHERE key = 'drawwell.embedder'",
    ],
)
def test_no_damage_of_the_vectors_stops_the_words(root: Path, damage: str) -> None:
    """Whatever stands where a number or codes should be, the words answer, and the status can be told."""
    with closing(sqlite3.connect(store_path(root))) as connection:
        connection.execute(damage)
        connection.commit()
    with corpus(root, embedder=embedder()) as docs:
        assert [hit.doc for hit in docs.search("wheels", mode="hybrid").hits] == ["garage/b.md"]
        assert docs.status().documents == len(FILES)


def test_a_table_that_is_gone_is_told_as_damage(root: Path) -> None:
    """What cannot be read before the search begins is an error of ours too."""
    with closing(sqlite3.connect(store_path(root))) as connection:
        connection.execute("DROP TABLE drawwell_models")
        connection.commit()
    with corpus(root, embedder=embedder()) as docs, pytest.raises(StoreError, match="damaged"):
        docs.search("wheels")


def test_vectors_that_were_made_anew_replace_those_in_memory(root: Path) -> None:
    """Who has the store open keeps no code of before, though the model is the same one and no document changed."""
    with closing(sqlite3.connect(store_path(root))) as connection:  # each code under a wrong text
        connection.execute("CREATE TEMP TABLE old AS SELECT vector_id, codes FROM drawwell_vectors")
        connection.execute(
            "UPDATE drawwell_vectors SET codes = (SELECT codes FROM old WHERE old.vector_id ="
            " drawwell_vectors.vector_id % (SELECT max(vector_id) FROM old) + 1)"
        )
        connection.commit()
    with corpus(root, embedder=embedder()) as docs:
        docs.search("vehicle")
        model = embedder()
        how = Embedding(model, anew=True)
        embed_sections(store_path(root), how, EmbeddingReport(model=model.name), lambda done, total: None)
        docs.search("vehicle")
        with closing(sqlite3.connect(store_path(root))) as connection:
            (held,) = connection.execute("SELECT count(*) FROM drawwell_embedded").fetchone()
        loaded = docs._meaning._vectors._loaded
        assert loaded is not None
        assert len(loaded.table) == held == len(FILES)


def test_a_client_with_another_model_searches_by_words_and_says_so(root: Path) -> None:
    """A shared store's model is the store's own."""
    with corpus(root, embedder=WordEmbedder("other")) as docs:
        found = docs.search("automobile")
        assert found.mode == "lexical"
        assert "vectors are of test:words, and test:other is configured" in (found.hint or "")
    with corpus(root, embedder=WordEmbedder(revision="9", meanings=MEANINGS)) as docs:
        assert "another state of test:words" in (docs.search("automobile").hint or "")


def test_without_models_auto_is_silent_and_hybrid_says_why(root: Path, tmp_path: Path) -> None:
    """Who asked for vectors, or configured a model, is told that there are none, or that nothing can ask them."""
    with corpus(root) as docs:
        assert docs.search("automobile").hint is None
        assert "no embedding model is configured" in (docs.search("automobile", mode="hybrid").hint or "")
    bare = fill(tmp_path / "bare", FILES)
    take(bare)
    with corpus(bare, embedder=embedder()) as docs:
        for mode in ("auto", "hybrid"):
            assert "no section has a vector yet" in (docs.search("automobile", mode=mode).hint or "")
    with corpus(bare) as docs:
        assert docs.search("automobile").hint is None
        assert "no vectors in this store" in (docs.search("automobile", mode="hybrid").hint or "")


def test_new_vectors_are_seen_by_who_has_the_store_open(root: Path) -> None:
    """A section without a vector is found by its words and counted in the hint, until its vector is committed."""
    with corpus(root, embedder=embedder()) as docs:
        docs.search("vehicle")
        take(fill(root, {"new.md": "# New\n\nEvery automobile of the town.\n"}))
        found = docs.search("automobile")
        assert "new.md" in {hit.doc for hit in found.hits}
        assert "1 section has no vector yet" in (found.hint or "")
        embed(root)
        found = docs.search("vehicle")
        assert "new.md" in {hit.doc for hit in found.hits[:3]}
        assert "no vector yet" not in (found.hint or "")
        (root / "garage" / "a.md").unlink()
        take(root)
        assert "garage/a.md" not in {hit.doc for hit in docs.search("vehicle").hits}


def test_the_words_of_a_query_are_embedded_once(root: Path) -> None:
    """The next page, and the same question again, cost no call."""
    model = embedder()
    with corpus(root, embedder=model) as docs:
        docs.search("vehicle", limit=1)
        docs.search("vehicle", limit=1, cursor=docs.search("vehicle", limit=1).next)
    assert model.queries == ["vehicle"]


class Judge:
    """Likes cheese."""

    name = "test:judge"

    def __init__(self) -> None:
        self.asked = 0
        self.error: Exception | None = None

    def scores(self, query: str, passages: Sequence[str], seconds: float | None = None) -> list[float]:
        self.asked += 1
        if self.error is not None:
            raise self.error
        return [float("cheese" in passage) for passage in passages]

    def close(self) -> None:
        pass


def test_a_reranker_orders_the_best_once_more(root: Path) -> None:
    """What it likes comes first, with vectors or without; it is asked once for all pages; its failure is named."""
    judge = Judge()
    with corpus(root, embedder=embedder(), reranker=judge) as docs:
        found = docs.search("purchase", limit=1)
        assert (found.hits[0].doc, found.legs) == ("shop/d.md", ("words", "vectors", "reranker"))
        second = docs.search("purchase", limit=1, cursor=found.next)
        assert second.hits[0].doc == "shop/c.md"
        assert judge.asked == 1
        assert docs.search("purchase", mode="lexical").legs == ()
    with corpus(root, reranker=judge) as docs:
        assert docs.search("purchase").legs == ("words", "reranker")
        judge.error = DependencyError("too slow")
        found = docs.search("purchase automobile")
        assert found.legs == ()
        assert "the reranker did not take part: too slow" in (found.hint or "")
        assert found.hits
