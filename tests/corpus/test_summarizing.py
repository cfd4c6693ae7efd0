"""Lines about documents by a model: kept by the bytes, tried again after failures, named in the index."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from drawwell.corpus.ingest.report import SummaryReport
from drawwell.corpus.ingest.summarizing import summarize_documents
from drawwell.corpus.operations.corpus import Corpus
from drawwell.corpus.store.handle import Store
from drawwell.corpus.store.places import store_path
from drawwell.errors import ConfigurationError, DependencyError, StoreBusy
from tests.corpus.folders import fill, rows, take
from tests.corpus.guests import LineSummarizer

FILES: dict[str, str | bytes] = {
    f"{name}.md": f"# {name.title()}\n\nWhat {name} is about, said at length.\n" for name in ("apple", "pear", "plum")
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    docs = fill(tmp_path / "docs", FILES)
    take(docs)
    return docs


def summarize(root: Path, model: LineSummarizer, wait_seconds: float = 5.0) -> SummaryReport:
    report = SummaryReport(model=model.name)
    summarize_documents(store_path(root), model, wait_seconds, report, lambda done, total: None)
    return report


def lines(root: Path) -> dict[str, tuple[str, str]]:
    return {
        path: (line, source) for path, line, source in rows(root, "SELECT path, summary, summary_src FROM documents")
    }


def test_each_document_gets_a_line_and_the_index_says_whose(root: Path) -> None:
    """The model is shown title, headings and beginning; its line stands in the table and in the index."""
    model = LineSummarizer()
    report = summarize(root, model)
    assert (report.generated, report.cached, report.failed, report.lacking) == (3, 0, 0, 0)
    assert report.tokens > 0
    assert lines(root)["pear.md"] == ("All about Pear", "test:counter")
    assert any("What plum is about" in text and "- Plum" in text for text in model.shown)
    with Corpus(Store.open(store_path(root))) as corpus:
        index = corpus.index().text
    assert "All about Plum" in index
    assert "summaries: test:counter" in index
    assert rows(root, "SELECT value FROM meta WHERE key = 'summarizer'") == [("test:counter",)]


def test_only_what_changed_is_asked_about_again(root: Path) -> None:
    """An ingest keeps the lines of the others; a changed document has a line of ours until the model wrote one."""
    summarize(root, LineSummarizer())
    fill(root, {"plum.md": "# Plum jam\n\nHow to cook it, in some detail.\n"})
    take(root)
    assert lines(root)["plum.md"][1] == "offline"
    assert rows(root, "SELECT value FROM meta WHERE key = 'summarizer'") == [("2 test:counter, 1 offline",)]
    model = LineSummarizer()
    report = summarize(root, model)
    assert (report.generated, len(model.shown)) == (1, 1)
    assert lines(root)["plum.md"] == ("All about Plum jam", "test:counter")


def test_a_line_outlives_its_document(root: Path) -> None:
    """A document that comes back has its line at once, without the model."""
    summarize(root, LineSummarizer())
    (root / "pear.md").unlink()
    take(root)
    fill(root, {"other/pear.md": FILES["pear.md"]})
    take(root)
    assert lines(root)["other/pear.md"] == ("All about Pear", "test:counter")


def test_another_model_writes_anew(root: Path) -> None:
    """Lines of one model are not taken for another's; back again, those that were replaced are written again."""
    summarize(root, LineSummarizer())
    report = summarize(root, LineSummarizer("other"))
    assert (report.generated, report.cached) == (3, 0)
    assert {source for _, source in lines(root).values()} == {"test:other"}


def test_a_failure_is_counted_and_tried_again(root: Path) -> None:
    """The others go on; the line made without a model stands meanwhile."""
    model = LineSummarizer()

    def fail(text: str) -> None:
        if "Pear" in text:
            raise DependencyError("too slow")

    model.before = fail
    report = summarize(root, model)
    assert (report.generated, report.failed, report.lacking) == (2, 1, 1)
    assert [tuple(one) for one in report.failures] == [("pear.md", "too slow")]
    assert lines(root)["pear.md"][1] == "offline"
    again = summarize(root, LineSummarizer())
    assert (again.generated, again.lacking) == (1, 0)


def test_a_provider_that_is_down_is_not_asked_about_every_document(tmp_path: Path) -> None:
    """After a few failures in a row the rest waits for the next run, which an error says."""
    root = fill(tmp_path / "docs", {f"{number}.md": f"# Number {number}\n\nSome text of it.\n" for number in range(40)})
    take(root)
    model = LineSummarizer()
    asked: list[str] = []

    def fail(text: str) -> None:
        asked.append(text)
        raise DependencyError("connection refused")

    model.before = fail
    with pytest.raises(DependencyError, match="connection refused"):
        summarize(root, model)
    assert len(asked) < 15
    assert {source for _, source in lines(root).values()} == {"offline"}


def test_a_wrong_configuration_stops_at_once(root: Path) -> None:
    """Nothing is tried that cannot help."""
    model = LineSummarizer()

    def fail(text: str) -> None:
        raise ConfigurationError("no key")

    model.before = fail
    with pytest.raises(ConfigurationError):
        summarize(root, model)


def test_a_line_is_one_line_of_bounded_length(root: Path) -> None:
    """Whatever a model writes: line breaks, control characters, pages of text."""
    model = LineSummarizer()
    original = model.summarize

    def verbose(instructions: str, text: str):  # type: ignore[no-untyped-def]
        return type(original(instructions, text))("First\n\n\x1b[31mred\u202e line " + "and more " * 100, 3)

    model.summarize = verbose  # type: ignore[method-assign]
    summarize(root, model)
    for line, _ in lines(root).values():
        assert len(line) <= 160
        assert line.startswith("First")
        assert line.isprintable()


def test_two_runs_at_a_time_are_one(root: Path) -> None:
    """A second run leaves it to the first, so that nothing is paid for twice; the store stays free for others."""
    model = LineSummarizer()
    second: list[Exception | int] = []

    def meanwhile(text: str) -> None:
        if not second:
            second.append(0)
            try:
                summarize(root, LineSummarizer("second"), 0.1)
            except StoreBusy as error:
                second[0] = error
            second.append(take(root).documents)

    model.before = meanwhile
    summarize(root, model)
    assert isinstance(second[0], StoreBusy)
    assert second[1] == 3


def test_a_run_that_ends_does_not_wait_for_a_service_that_hangs(root: Path) -> None:
    """An error of one request ends the run, and no thread holds up the process, while another request has no answer."""
    answered, hanging = threading.Event(), threading.Event()
    model = LineSummarizer()

    def ask(text: str) -> None:
        if "plum" in text:
            hanging.wait(10)
            raise ConfigurationError("no key")
        hanging.set()
        answered.wait()

    model.before = ask
    try:
        with pytest.raises(ConfigurationError):
            summarize(root, model)
        waiting = [one for one in threading.enumerate() if one.name == "drawwell-summarize"]
        assert waiting
        assert all(one.daemon for one in waiting)
    finally:
        answered.set()


def test_a_budget_that_is_no_number_stops_no_summary(root: Path) -> None:
    """The index is written all the same."""
    with closing(sqlite3.connect(store_path(root))) as connection:
        connection.execute("UPDATE meta SET value = 'x' WHERE key = 'index_budget_tokens'")
        connection.commit()
    assert summarize(root, LineSummarizer()).generated == len(FILES)
    assert rows(root, "SELECT value FROM meta WHERE key = 'summarizer'") == [("test:counter",)]
