"""Vectors of sections: made once for each text, kept at any interruption, changed for another model's all at once."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from drawwell.corpus.ingest.embedding import Embedding, embed_sections
from drawwell.corpus.ingest.report import EmbeddingReport
from drawwell.corpus.store.places import store_path
from drawwell.errors import ConfigurationError, DependencyError, StoreBusy, StoreError
from tests.corpus.folders import fill, rows, take
from tests.corpus.guests import DIMENSION, WordEmbedder

FILES: dict[str, str | bytes] = {
    f"{name}.md": f"# {name.title()}\n\n## Use\n\nWhat {name} is for, said at length.\n\n## Cost\n\nOf {name}: much.\n"
    for name in ("apple", "pear", "plum")
}
SECTIONS = 6


@pytest.fixture
def root(tmp_path: Path) -> Path:
    docs = fill(tmp_path / "docs", FILES)
    take(docs)
    assert rows(docs, "SELECT count(*) FROM sections") == [(SECTIONS,)]
    return docs


def embed(root: Path, model: WordEmbedder, *, anew: bool = False) -> EmbeddingReport:
    report = EmbeddingReport(model=model.name)
    embed_sections(store_path(root), Embedding(model, anew=anew, wait_seconds=5), report, lambda done, total: None)
    return report


def vectors(root: Path) -> dict[str, tuple[str, np.ndarray[tuple[int], np.dtype[np.float32]]]]:
    found = rows(root, "SELECT section_id, model, dim, vec FROM embeddings")
    assert all(len(vec) == 4 * dim for _, _, dim, vec in found)
    return {name: (model, np.frombuffer(vec, "<f4")) for name, model, _, vec in found}


def test_every_section_has_a_vector_where_the_format_says(root: Path) -> None:
    """Headings and text are embedded; the vector is float32, little-endian, of length 1, under the model's name."""
    model = WordEmbedder()
    report = embed(root, model)
    assert (report.embedded, report.cached, report.lacking) == (SECTIONS, 0, 0)
    assert report.tokens > 0
    assert {passage.title for passage in model.passages} >= {"Apple > Use", "Plum > Cost"}
    found = vectors(root)
    assert set(found) == {name for (name,) in rows(root, "SELECT id FROM sections")}
    assert {name for name, _ in found.values()} == {"test:words"}
    for _, vector in found.values():
        assert vector.shape == (DIMENSION,)
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    passage = next(one for one in model.passages if one.title == "Pear > Use")
    made = model.embed_documents([passage]).vectors[0]
    assert found["pear.md#0"][1] @ made == pytest.approx(1, abs=1e-3)
    assert rows(root, "SELECT value FROM meta WHERE key = 'embed_model'") == [("test:words",)]


def test_a_second_run_asks_for_what_is_new_alone(root: Path) -> None:
    """Nothing for an unchanged store; of a changed document, only the sections whose text or headings changed."""
    embed(root, WordEmbedder())
    model = WordEmbedder()
    assert embed(root, model).embedded == 0
    assert model.passages == []
    fill(root, {"plum.md": str(FILES["plum.md"]).replace("much", "little")})
    take(root)
    report = embed(root, model)
    assert (report.embedded, report.cached, report.lacking) == (1, 1, 0)
    assert len(vectors(root)) == SECTIONS


def test_vectors_outlive_their_document_and_follow_a_move(root: Path) -> None:
    """A document that moves keeps its vectors; one that was deleted and comes back has them without the model."""
    embed(root, WordEmbedder())
    (root / "sub").mkdir()
    shutil.move(root / "pear.md", root / "sub" / "pear.md")
    take(root)
    assert "sub/pear.md#0" in vectors(root)
    (root / "sub" / "pear.md").unlink()
    take(root)
    assert len(vectors(root)) == 4
    fill(root, {"pear.md": FILES["pear.md"]})
    take(root)
    model = WordEmbedder()
    report = embed(root, model)
    assert (report.embedded, report.cached, model.passages) == (0, 2, [])
    assert len(vectors(root)) == SECTIONS


def test_a_long_section_has_a_row_for_each_piece(tmp_path: Path) -> None:
    """Nothing of a text that the model cannot take at once is lost."""
    words = " ".join(f"word{number}" for number in range(250))
    root = fill(tmp_path / "docs", {"long.md": f"# Long\n\n{words}\n"})
    take(root, section_max_chars=20_000)
    embed(root, WordEmbedder())
    ((exact,),) = rows(root, "SELECT exact FROM drawwell_vectors")
    assert len(exact) == 3 * DIMENSION * 2
    assert len(vectors(root)) == 1


def test_what_was_embedded_before_a_failure_stays(tmp_path: Path) -> None:
    """The provider goes away in the middle: what it gave is kept, and the next run goes on from there."""
    root = fill(tmp_path / "docs", {f"{number:03}.md": f"# N{number}\n\nText of {number}.\n" for number in range(300)})
    take(root)
    model = WordEmbedder()

    def fail_later() -> None:
        if len(model.passages) >= 200:
            raise DependencyError("the connection was closed")

    model.before = fail_later
    report = EmbeddingReport(model=model.name)
    with pytest.raises(DependencyError):
        embed_sections(store_path(root), Embedding(model), report, lambda done, total: None)
    assert report.embedded >= 128
    assert report.embedded + report.lacking == 300
    assert len(vectors(root)) == report.embedded
    again = WordEmbedder()
    assert embed(root, again).embedded == 300 - report.embedded
    assert len(again.passages) == 300 - report.embedded


def test_another_model_takes_over_all_at_once(root: Path) -> None:
    """Not without being told to; the old vectors answer until the last new one is there, at any interruption."""
    embed(root, WordEmbedder())
    other = WordEmbedder("other")
    with pytest.raises(ConfigurationError, match=r"vectors are of test:words, not of test:other.*--re-embed"):
        embed(root, other)
    calls: list[int] = []

    def look_then_fail() -> None:
        calls.append(len({name for name, _ in vectors(root).values()} & {"test:words"}))
        if len(calls) == 2:
            raise DependencyError("gone")

    other.before = look_then_fail
    with pytest.raises(DependencyError):
        embed(root, other, anew=True)
    assert set(calls) == {1}
    assert {name for name, _ in vectors(root).values()} == {"test:words"}
    other.before = lambda: None
    report = embed(root, other)  # what was begun may be finished without being told again
    assert (report.embedded, report.lacking) == (SECTIONS, 0)
    assert {name for name, _ in vectors(root).values()} == {"test:other"}
    assert rows(root, "SELECT provider, name FROM drawwell_models") == [("test", "other")]
    assert rows(root, "SELECT count(*) FROM drawwell_vectors") == [(SECTIONS,)]


def test_another_state_of_the_same_model_is_another_model(root: Path) -> None:
    """A new revision under the same name gives other vectors."""
    embed(root, WordEmbedder())
    with pytest.raises(ConfigurationError, match="another state of test:words"):
        embed(root, WordEmbedder(revision="2"))


def test_vectors_of_the_same_model_can_be_made_anew(root: Path) -> None:
    """What to do when some are damaged: every text is read again."""
    embed(root, WordEmbedder())
    with closing(sqlite3.connect(store_path(root))) as connection, connection:
        connection.execute("UPDATE drawwell_vectors SET codes = x'00'")
    report = embed(root, WordEmbedder(), anew=True)
    assert (report.embedded, report.lacking) == (SECTIONS, 0)
    assert rows(root, "SELECT count(*) FROM drawwell_vectors WHERE length(codes) < 2") == [(0,)]
    assert len(vectors(root)) == SECTIONS


def test_documents_may_change_while_the_model_works(root: Path) -> None:
    """The store is free meanwhile: an ingest comes in between, and in the end what is there then has vectors."""
    model = WordEmbedder()
    edits = iter([{"pear.md": "# Pear\n\nQuite another text.\n"}, {"new.md": "# New\n\nCame in between.\n"}])

    def edit() -> None:
        for files in edits:
            take(fill(root, files))
            break

    model.before = edit
    report = embed(root, model)
    assert report.lacking == 0
    assert set(vectors(root)) == {name for (name,) in rows(root, "SELECT id FROM sections")}
    generations = rows(
        root, "SELECT e.generation = x.generation FROM drawwell_embedded e JOIN drawwell_documents x USING (doc_id)"
    )
    assert set(generations) == {(1,)}


def test_two_runs_at_a_time_are_one(root: Path) -> None:
    """A second run leaves it to the first, so that no text is paid for twice."""
    model = WordEmbedder()
    refused: list[Exception] = []

    def meanwhile() -> None:
        if model.passages or refused:
            return
        try:
            embed(root, WordEmbedder())
        except StoreBusy as error:
            refused.append(error)

    model.before = lambda: None
    original = model.embed_documents

    def embedding(passages):  # type: ignore[no-untyped-def]
        meanwhile()
        return original(passages)

    model.embed_documents = embedding  # type: ignore[method-assign]
    assert embed(root, model).embedded == SECTIONS
    assert len(refused) == 1


def test_a_store_that_cannot_be_read_is_an_error_of_ours(root: Path) -> None:
    """Also where it is read between two changes; and nothing is asked of the model."""
    with closing(sqlite3.connect(store_path(root))) as connection:
        connection.execute("DROP TABLE drawwell_embedded")
        connection.commit()
    model = WordEmbedder()
    with pytest.raises(StoreError, match="damaged"):
        embed(root, model)
    assert not model.passages


def test_a_number_that_comes_again_brings_no_vectors_of_another_model(root: Path) -> None:
    """When the row of a model was lost, the next model, which gets its number, begins with nothing."""
    embed(root, WordEmbedder("lost"))
    with closing(sqlite3.connect(store_path(root))) as connection:
        connection.execute("DELETE FROM drawwell_models")
        connection.commit()
    report = embed(root, WordEmbedder("next"), anew=True)
    assert (report.embedded, report.cached) == (SECTIONS, 0)
    assert {name for name, _ in vectors(root).values()} == {"test:next"}


def test_the_model_that_answers_made_anew_calls_off_the_coming_one(root: Path) -> None:
    """Who has the vectors of the model made anew that answers does not want the other one any more."""
    embed(root, WordEmbedder())
    other = WordEmbedder("other")

    def fail() -> None:
        if len(other.passages) or rows(root, "SELECT 1 FROM meta WHERE key = 'drawwell.embedder_next'"):
            raise DependencyError("down")

    other.before = fail
    with pytest.raises(DependencyError):
        embed(root, other, anew=True)
    assert rows(root, "SELECT 1 FROM meta WHERE key = 'drawwell.embedder_next'") == [(1,)]
    assert embed(root, WordEmbedder(), anew=True).embedded == SECTIONS
    assert rows(root, "SELECT 1 FROM meta WHERE key = 'drawwell.embedder_next'") == []
    assert rows(root, "SELECT name FROM drawwell_models") == [("words",)]
    with pytest.raises(ConfigurationError, match="--re-embed"):
        embed(root, WordEmbedder("other"))
