"""Wiring: settings to options, names to places, and ``open_corpus``."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from drawwell.compose import CorpusPlace, corpus_place, ingest_options, nearest_corpus, open_corpus, refresh
from drawwell.configuration import load_settings
from drawwell.corpus.index.render import IndexEntry, IndexHeader, render_index
from drawwell.corpus.ingest import run
from drawwell.corpus.options import IngestOptions
from drawwell.corpus.store import places
from drawwell.errors import ArgumentError, ConfigurationError, NotFound, SourceError, StoreUnwritable
from drawwell.settings import SETTINGS


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder with one document."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# Alpha\n\nWords about gateways.\n")
    return folder


def test_options_are_the_settings(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every setting of the corpus group that is an option arrives in it; none set gives the defaults."""
    assert ingest_options(load_settings(docs)) == IngestOptions()
    values = {"section_max_chars": 500, "section_min_chars": 7, "section_heading_depth": 2, "index_budget_tokens": 900}
    values |= {"max_file_bytes": 5000, "respect_gitignore": False, "workers": 1, "wait_seconds": 1.5}
    values |= {"words": False, "pdf_password": "sesame", "pdf_ocr": "ocrmypdf - -"}
    options = ingest_options(load_settings(docs, values), prune=True)
    assert options == IngestOptions(**values, prune=True)  # type: ignore[arg-type]
    assert set(values) | {"store"} == {entry.name for entry in SETTINGS if entry.group == "corpus"}


def test_sizes_must_fit_each_other(docs: Path) -> None:
    """The smallest section cannot be as long as the longest; both settings are named with their places."""
    (docs / "drawwell.toml").write_text("section_min_chars = 500")
    with pytest.raises(ConfigurationError, match=r"section_min_chars: got 500 \(drawwell.toml\).*300 \(--max-chars\)"):
        ingest_options(load_settings(docs, {"section_max_chars": 300}))


def test_cl_04_the_smallest_budget_holds_any_header() -> None:
    """CL-04: an index budget that is accepted holds the header and a last line, whatever the corpus."""
    low = next(entry.low for entry in SETTINGS if entry.name == "index_budget_tokens")
    assert low is not None
    entries = [IndexEntry(f"{'d' * 60}{n}/{'p' * 200}.md", "T" * 200, "S" * 160, 10**6) for n in range(2000)]
    header = IndexHeader(fingerprint="f" * 16, summaries="offline", skipped=10**7, stale=10**7)
    made = render_index(entries, header, int(low))
    assert 0 < made.tokens <= low


def test_places(docs: Path, tmp_path: Path) -> None:
    """A folder, its store, and the nearest store from below lead to the same place."""
    settings = load_settings()
    place = corpus_place(docs)
    assert place == CorpusPlace(docs, docs / ".drawwell" / "store.sqlite")
    with pytest.raises(NotFound, match="no corpus in"):
        nearest_corpus(docs, settings)
    refresh(place, settings)
    deep = docs / "x"
    deep.mkdir()
    for found in (corpus_place(place.store), corpus_place(docs / ".drawwell"), nearest_corpus(deep, settings)):
        assert found.store == place.store
        assert found.root == docs
    loose = tmp_path / "copy.sqlite"
    loose.write_bytes(place.store.read_bytes())
    assert corpus_place(loose) == CorpusPlace(None, loose)
    named = load_settings(given={"store": str(loose)})
    assert corpus_place(docs, named) == CorpusPlace(docs, loose)
    assert nearest_corpus(tmp_path, named) == CorpusPlace(None, loose)
    with pytest.raises(SourceError, match="none does not exist"):
        corpus_place(tmp_path / "none")
    with pytest.raises(SourceError, match="without its folder"):
        refresh(CorpusPlace(None, loose), settings)


def test_open_corpus_takes_in_what_changed(docs: Path) -> None:
    """A folder is brought up to date before it is read, unless that is declined; progress is told."""
    stages: set[str] = set()
    with open_corpus(docs, progress=lambda stage, done, total, path: stages.add(stage)) as corpus:
        assert [hit.id for hit in corpus.search("gateways").hits] == ["a.md#0"]
    assert "reading" in stages
    (docs / "b.md").write_text("# Beta\n\nWords about penguins.\n")
    with open_corpus(docs, ingest=False) as corpus:
        assert corpus.search("penguins").hits == ()
    with open_corpus(str(docs)) as corpus:
        assert [hit.id for hit in corpus.search("penguins").hits] == ["b.md#0"]
    with open_corpus(docs / ".drawwell" / "store.sqlite") as corpus:
        assert [hit.id for hit in corpus.search("penguins").hits] == ["b.md#0"]


def test_open_corpus_takes_settings(docs: Path, tmp_path: Path) -> None:
    """Settings are keywords, checked as such; ``store`` chooses the file."""
    (docs / "long.md").write_text("# Long\n\n" + "A sentence of words. " * 60)
    with open_corpus(docs, store=tmp_path / "s.sqlite", section_max_chars=200) as corpus:
        assert corpus.status().sections > 5
    assert not (docs / ".drawwell").exists()
    with pytest.raises(ArgumentError, match="section_max_chars: got 0"):
        open_corpus(docs, section_max_chars=0)
    with pytest.raises(ArgumentError, match="Did you mean"):
        open_corpus(docs, section_max_char=300)


def test_projects_settings_count_for_the_library(docs: Path) -> None:
    """The library and the command line cut alike, since both read the project's file."""
    (docs / "drawwell.toml").write_text("section_max_chars = 200")
    (docs / "long.md").write_text("# Long\n\n" + "A sentence of words. " * 60)
    with open_corpus(docs) as corpus:
        assert corpus.status().settings["section_max_chars"] == 200


def test_a_broken_project_file_stops_only_what_takes_in(docs: Path) -> None:
    """Reading the store as it is needs none of a project's settings."""
    open_corpus(docs).close()
    (docs / "pyproject.toml").write_text("[tool.drawwell", encoding="utf-8")
    with pytest.raises(ConfigurationError):
        open_corpus(docs)
    with open_corpus(docs, ingest=False) as corpus:
        assert corpus.status().documents


@pytest.fixture
def unwritable(docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with its store, on what can only be read, for a user whose cache cannot be written either."""
    open_corpus(docs).close()
    (docs / "b.md").write_text("# Beta\n\nWords about ledgers.\n")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(places, "writable", lambda folder: False)
    return docs


def test_a_shipped_store_answers_where_nothing_can_be_written(unwritable: Path) -> None:
    """With a warning that changes are not taken in; without an ingest there is nothing to warn of."""
    with (
        pytest.warns(UserWarning, match="changes could not be taken in"),
        open_corpus(unwritable) as corpus,
    ):
        assert corpus.search("gateways").hits
    with open_corpus(unwritable, ingest=False) as corpus:
        assert corpus.status().documents == 1


def test_without_any_store_a_place_that_cannot_be_written_is_an_error(unwritable: Path) -> None:
    """There is nothing to answer from."""
    shutil.rmtree(unwritable / ".drawwell")
    with pytest.raises(StoreUnwritable, match="cannot write"):
        open_corpus(unwritable)


def test_a_store_answers_when_the_disk_is_full(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it was before, with a warning."""
    open_corpus(docs).close()

    def small(path: Path) -> sqlite3.Connection:
        connection = opened(path)
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 1}")
        return connection

    opened = run.open_for_writing
    monkeypatch.setattr(run, "open_for_writing", small)
    (docs / "b.md").write_text("# Beta\n\n" + "Words about ledgers. " * 10_000)
    with pytest.warns(UserWarning, match="full"), open_corpus(docs) as corpus:
        assert corpus.search("gateways").hits


def test_a_corpus_opens_with_a_model(docs: Path, minilm: Path) -> None:
    """The folder gets its vectors when it is opened, and searches find by meaning; closing lets go of the model."""
    (docs / "b.md").write_text("# Pets\n\nA kitten sleeps on the sofa.\n")
    with open_corpus(docs, embed="onnx:all-MiniLM-L6-v2", models=str(minilm.parent)) as corpus:
        found = corpus.search("feline napping")
        assert (found.hits[0].doc, found.mode) == ("b.md", "hybrid")
        vectors = corpus.status().vectors
        assert vectors is not None
        assert (vectors.model, vectors.sections, vectors.lacking) == ("onnx:all-MiniLM-L6-v2", 2, 0)


@pytest.mark.parametrize(
    ("settings", "cause"),
    [
        ({"embed": "onnx:nosuch"}, "there is no model nosuch on this machine"),
        ({"embed": "ollama:x", "embed_url": "http://127.0.0.1:9", "model_retry": 0.01}, "nothing answers at"),
        ({"summarizer": "openai:x"}, "OPENAI_API_KEY is not set"),
    ],
)
def test_a_model_that_fails_is_warned_of(
    docs: Path, settings: dict[str, str], cause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The corpus opens and words answer; the warning says why a model did not do its part."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with (
        pytest.warns(UserWarning, match=f"summaries or vectors are not complete: .*{cause}"),
        open_corpus(docs, **settings) as corpus,
    ):
        assert corpus.search("gateways").hits[0].doc == "a.md"


def test_a_provider_that_nobody_knows_is_refused(docs: Path) -> None:
    """What is misspelt in a call is an error there, like every other wrong setting, before anything is taken in."""
    with pytest.raises(ConfigurationError, match="embed: got 'nosuch:x'"):
        open_corpus(docs, embed="nosuch:x")
    assert not (docs / ".drawwell").exists()
