"""Watching a folder: real files, real notices, real polling."""

from __future__ import annotations

import queue
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import watchfiles
from watchfiles import Change

from drawwell.corpus.watch import FolderWatch, WatchOptions, changes, matters

QUICK = {"quiet_seconds": 0.05, "longest_seconds": 0.5, "poll_seconds": 0.1, "retry_seconds": 0.2}

Take = Callable[[], frozenset[str]]


@contextmanager
def watched(root: Path, **options: Any) -> Iterator[Take]:
    """Watch a folder; gives a function that waits for the next change."""
    found: queue.Queue[frozenset[str]] = queue.Queue()
    watch = FolderWatch(root, found.put, WatchOptions(**{**QUICK, **options}))
    watch.start()
    probe = root / "probe.md"  # notices begin some time after the start
    while True:
        probe.write_text("x")
        try:
            found.get(timeout=0.2)
            break
        except queue.Empty:
            continue
    while True:
        try:
            found.get(timeout=0.3)
        except queue.Empty:
            break
    try:
        yield lambda: found.get(timeout=10)
    finally:
        watch.stop()
        watch._thread.join(5)
        assert not watch._thread.is_alive()


@pytest.mark.parametrize("force_polling", [False, True])
def test_changes_are_told(tmp_path: Path, force_polling: bool) -> None:
    """A new, changed, moved and deleted document is told by its path; what is no document is not."""
    (tmp_path / "sub").mkdir()
    (tmp_path / ".drawwell").mkdir()
    with watched(tmp_path, force_polling=force_polling) as take:
        (tmp_path / ".drawwell" / "store.sqlite").write_text("not ours to tell")
        (tmp_path / "picture.png").write_text("no document")
        (tmp_path / "sub" / "Ünïcode.md").write_text("one")
        assert take() == {"sub/Ünïcode.md"}
        (tmp_path / "sub" / "Ünïcode.md").write_text("one two")
        assert take() == {"sub/Ünïcode.md"}
        (tmp_path / "sub" / "Ünïcode.md").unlink()
        assert take() == {"sub/Ünïcode.md"}


def test_a_folder_that_comes_or_goes_is_told(tmp_path: Path) -> None:
    """A folder moved in with its documents, or removed, is a change though no document of it is named."""
    outside = tmp_path / "outside"
    root = tmp_path / "root"
    (outside / "new").mkdir(parents=True)
    (outside / "new" / "a.md").write_text("a")
    root.mkdir()
    with watched(root) as take:
        shutil.move(outside / "new", root / "new")
        assert "new" in take()
        shutil.move(root / "new", outside / "old")
        assert "new" in take()


def test_many_changes_are_told_once(tmp_path: Path) -> None:
    """Changes in quick succession are told together."""
    with watched(tmp_path, quiet_seconds=0.3, longest_seconds=5) as take:
        for number in range(50):
            (tmp_path / f"{number}.md").write_text("x")
        assert take() == {f"{number}.md" for number in range(50)}


def test_polls_when_the_system_has_no_more_notices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """When the system's watches are used up, the folder is polled instead, and the log says so."""

    def exhausted(*paths: Path, **options: Any) -> Any:
        raise RuntimeError("Error creating recommended watcher: Too many open files (os error 24)")

    monkeypatch.setattr(watchfiles, "watch", exhausted)
    with watched(tmp_path) as take:
        (tmp_path / "a.md").write_text("a")
        assert take() == {"a.md"}
    assert "looking at it again and again" in caplog.text


@pytest.mark.parametrize("force_polling", [False, True])
def test_waits_for_a_folder_that_is_gone(tmp_path: Path, force_polling: bool) -> None:
    """A folder that is not there, an unmounted disk say, is waited for, and its coming back is a change."""
    root = tmp_path / "later"
    found: queue.Queue[frozenset[str]] = queue.Queue()
    watch = FolderWatch(root, found.put, WatchOptions(**QUICK, force_polling=force_polling))
    watch.start()
    try:
        with pytest.raises(queue.Empty):
            found.get(timeout=0.5)
        root.mkdir()
        assert found.get(timeout=5) == {""}
        shutil.rmtree(root)
        threading.Event().wait(0.6)
        root.mkdir()
        while found.get(timeout=5) != {""}:
            pass
    finally:
        watch.stop()


def test_stops(tmp_path: Path) -> None:
    """A stop that comes before anything changed ends the waiting."""
    stop = threading.Event()
    stop.set()
    assert list(changes(tmp_path, WatchOptions(**QUICK), stop)) == []


@pytest.mark.parametrize(
    ("path", "change", "is_folder", "answer"),
    [
        ("a.md", Change.modified, False, True),
        ("A.MD", Change.modified, False, True),
        ("a/b/c.txt", Change.added, False, True),
        ("a.png", Change.modified, False, False),
        ("a.md~", Change.modified, False, False),
        (".gitignore", Change.modified, False, True),
        ("sub/.drawwellignore", Change.deleted, False, True),
        ("pyproject.toml", Change.modified, False, True),
        ("sub/pyproject.toml", Change.modified, False, False),
        (".drawwell/a.md", Change.modified, False, False),
        (".git/a.md", Change.modified, False, False),
        (".github/a.md", Change.modified, False, True),
        ("node_modules/x/readme.md", Change.added, False, False),
        ("sub", Change.added, True, True),
        ("sub", Change.modified, True, False),
        (".drawwell", Change.added, True, False),
        ("sub", Change.deleted, False, True),
        ("LICENSE", Change.modified, False, False),
        ("a.png", Change.deleted, False, False),
    ],
)
def test_what_matters(path: str, change: Change, is_folder: bool, answer: bool) -> None:
    """Only what an ingest would look at matters: documents, ignore and settings files, folders that come or go."""
    assert matters(path, change, is_folder=is_folder) is answer


def test_a_folder_that_cannot_be_listed_is_tried_now_and_then(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A disk that fails, or a file in the folder's place, costs no processor time and no flood of messages."""
    root = tmp_path / "file"
    root.write_text("x")
    watch = FolderWatch(root, lambda _paths: None, WatchOptions(**QUICK, force_polling=True))
    watch.start()
    threading.Event().wait(0.5)
    watch.stop()
    assert 1 <= len(caplog.records) <= 5
