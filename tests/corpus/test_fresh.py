"""Whether answers say that the files behind them have changed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from drawwell.corpus.operations import fresh
from drawwell.corpus.operations.corpus import Corpus
from drawwell.corpus.operations.fresh import CHANGED, DELETED
from drawwell.corpus.store.handle import Store
from drawwell.corpus.store.places import store_path
from tests.corpus.folders import fill, take
from tests.corpus.opened import foreign_copy

TEXT = "# Turbine\n\nThe turbine runs at full speed all day.\n\n## Care\n\nOil the turbine once a week, carefully.\n"
FILES = {"a.md": TEXT, "b.md": TEXT.replace("Turbine", "Second")}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder that was ingested."""
    fill(tmp_path / "docs", FILES)
    take(tmp_path / "docs", workers=1)
    return tmp_path / "docs"


def stale_of(corpus: Corpus) -> dict[str, set[str]]:
    """The reasons that each operation gives, by document."""
    reasons: dict[str, set[str]] = {}
    answers = (*corpus.search("turbine").hits, *corpus.grep("turbine").matches)
    around = (*corpus.neighbours("a.md#0").sections, corpus.read("a.md#0"), corpus.read("b.md#0"))
    for item in (*answers, *around, *(corpus.read("a.md#0", context=1).context or ())):
        reasons.setdefault(item.doc, set()).add(item.stale)
    return reasons


def test_unchanged_files_are_not_marked(root: Path) -> None:
    """Nothing is said of files that are as they were read."""
    with Corpus(Store.open(store_path(root)), root) as corpus:
        assert stale_of(corpus) == {"a.md": {""}, "b.md": {""}}


def test_many_documents_are_asked_for_in_parts(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many documents an answer has, each is looked at."""
    monkeypatch.setattr(fresh, "_MOST_AT_ONCE", 1)
    for name in FILES:
        (root / name).write_text("other", encoding="utf-8")
    with Corpus(Store.open(store_path(root)), root) as corpus:
        assert stale_of(corpus) == {"a.md": {CHANGED}, "b.md": {CHANGED}}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda path: path.write_text("other", encoding="utf-8"), CHANGED),
        (lambda path: path.write_text(TEXT.replace("day", "dog"), encoding="utf-8"), CHANGED),
        (lambda path: path.unlink(), DELETED),
        (lambda path: (path.unlink(), path.mkdir()), CHANGED),
        (lambda path: os.utime(path, ns=(1, 1)), ""),
        (lambda path: path.write_text(TEXT, encoding="utf-8"), ""),
    ],
    ids=["size", "content", "deleted", "folder", "touched", "rewritten"],
)
def test_changed_files_are_marked(root: Path, change: Callable[[Path], object], reason: str) -> None:
    """Every operation marks what rests on a changed file, and nothing else; a new time alone is no change."""
    with Corpus(Store.open(store_path(root)), root) as corpus:
        change(root / "a.md")
        assert stale_of(corpus) == {"a.md": {reason}, "b.md": {""}}


def test_content_is_compared_when_time_and_size_agree_only_by_size(root: Path) -> None:
    """A file that was written anew with the same size is found out by its content."""
    with Corpus(Store.open(store_path(root)), root) as corpus:
        (root / "a.md").write_text(TEXT.replace("week", "year"), encoding="utf-8")
        assert corpus.read("a.md#0").stale == CHANGED
        (root / "a.md").write_text(TEXT, encoding="utf-8")
        assert corpus.read("a.md#0").stale == ""


def test_whoever_reads_again_is_told(root: Path) -> None:
    """The paths that were found changed are told, once for each answer, and only if there are any."""
    told: list[frozenset[str]] = []

    def tell(paths: frozenset[str]) -> None:
        told.append(paths)
        assert corpus.read("b.md#0").text  # the store can be read meanwhile

    with Corpus(Store.open(store_path(root)), root, on_change=tell) as corpus:
        corpus.search("turbine")
        assert told == []
        (root / "a.md").write_text("# New\n", encoding="utf-8")
        corpus.search("turbine")
        assert told == [frozenset({"a.md"})]
        take(root, workers=1)
        corpus.search("second")
        assert len(told) == 1


def test_unknown_root_is_not_checked(root: Path) -> None:
    """Without a root no file is looked at."""
    with Corpus(Store.open(store_path(root))) as corpus:
        (root / "a.md").unlink()
        assert stale_of(corpus) == {"a.md": {""}, "b.md": {""}}


def test_store_of_another_tool(root: Path, tmp_path: Path) -> None:
    """Files behind a store without our tables are compared by size and content."""
    with Corpus(Store.open(foreign_copy(root, tmp_path / "foreign.sqlite")), root) as corpus:
        assert stale_of(corpus) == {"a.md": {""}, "b.md": {""}}
        (root / "a.md").write_text(TEXT.replace("day", "dog"), encoding="utf-8")
        assert stale_of(corpus) == {"a.md": {CHANGED}, "b.md": {""}}


def test_never_leaves_the_root(root: Path, tmp_path: Path) -> None:
    """A link that has taken a document's place and leads out is a change; the file that it leads to is not opened."""
    outside = tmp_path / "outside.md"
    outside.write_text(TEXT, encoding="utf-8")
    (root / "a.md").unlink()
    (root / "a.md").symlink_to(outside)
    opened: list[str] = []
    watching = [True]  # a hook stays for good

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if watching and event == "open":
            opened.append(str(arguments[0]))

    sys.addaudithook(watch)
    with Corpus(Store.open(store_path(root)), root) as corpus:
        assert corpus.read("a.md#0").stale == CHANGED
    (root / "b.md").read_bytes()  # the hook works
    watching.clear()
    assert opened
    assert not [path for path in opened if "outside" in path]


def test_status_lists_what_changed(root: Path) -> None:
    """Status names changed, deleted and new files, in its text too; without a root it says nothing of files."""
    (root / "a.md").write_text("# Changed\n\nother text\n", encoding="utf-8")
    (root / "b.md").unlink()
    fill(root, {"new.md": "# New\n\nSome text that was not taken in yet.\n"})
    with Corpus(Store.open(store_path(root)), root) as corpus:
        status = corpus.status()
        assert status.changed == (("a.md", CHANGED), ("b.md", DELETED))
        assert status.added == ("new.md",)
        assert f"a.md: {CHANGED}" in str(status)
        assert corpus.status(files=False).changed is None
    with Corpus(Store.open(store_path(root))) as corpus:
        assert corpus.status().changed is None
