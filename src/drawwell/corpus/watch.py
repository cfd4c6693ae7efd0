"""Noticing that documents of a folder changed, by the system's notices or, where there are none, by looking again."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath

import watchfiles

from drawwell.corpus.ingest.ignore import ALWAYS_LEFT_OUT, IGNORE_FILES, default_rule
from drawwell.text.formats import format_of

__all__ = ["FolderWatch", "WatchOptions", "changes", "matters"]

_log = logging.getLogger("drawwell.corpus")

_SETTINGS_FILES = ("pyproject.toml", "drawwell.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchOptions:
    """How a folder is watched.

    Attributes:
        force_polling: look again and again instead of asking the system; for folders on a network, say.
        poll_seconds: time between two looks.
        quiet_seconds: a change is told when nothing has changed for so long.
        longest_seconds: it is told after so long at the latest.
        retry_seconds: time after which a folder that cannot be watched, or has gone, is tried again.
    """

    force_polling: bool = False
    poll_seconds: float = 2.0
    quiet_seconds: float = 0.2
    longest_seconds: float = 2.0
    retry_seconds: float = 5.0


def matters(path: str, change: watchfiles.Change = watchfiles.Change.modified, *, is_folder: bool = False) -> bool:
    """Whether a change may change what an ingest would take in.

    Args:
        path: relative to the root, with forward slashes.
        change: what happened.
        is_folder: whether a folder is there now.
    """
    *folders, name = path.split("/")
    if any(_is_left_out(folder) for folder in folders) or _is_left_out(name):
        return False
    if is_folder:
        return change is not watchfiles.Change.modified
    if format_of(name) is not None or name in IGNORE_FILES or (not folders and name in _SETTINGS_FILES):
        return True
    # What is gone and has no suffix may have been a folder.
    return change is watchfiles.Change.deleted and not PurePath(name).suffix


def _is_left_out(folder: str) -> bool:
    return folder in ALWAYS_LEFT_OUT or default_rule(folder, (), folder=True) not in ("", "hidden")


def changes(
    root: Path, options: WatchOptions | None = None, stop: threading.Event | None = None
) -> Iterator[frozenset[str]]:
    """Wait for changes of documents, for ever.

    Where the system has no more notices to give, the folder is looked at again and again; where the folder itself
    is gone, this waits for it to come back.

    Args:
        root: the folder.
        options: how to watch it.
        stop: ends the waiting when it is set.

    Yields:
        Paths that changed, relative to the root, with forward slashes; ``{""}`` when the folder came back.
    """
    options = options or WatchOptions()
    stop = stop or threading.Event()
    look = _poll if options.force_polling else _listen
    root = root.resolve()
    while not stop.is_set():
        try:
            yield from filter(None, look(root, options, stop))
        except FileNotFoundError:
            _log.warning("the folder %s is not there; waiting for it", root)
            while not stop.wait(options.retry_seconds):
                if root.is_dir():
                    yield frozenset({""})
                    break
        except (OSError, RuntimeError) as failure:  # the limit of watches is told as one or the other
            if look is _poll:
                _log.warning("the folder %s cannot be looked at now: %s", root, failure)
                stop.wait(options.retry_seconds)
            else:
                _log.warning("no notices from the system for %s (%s); looking at it again and again", root, failure)
                look = _poll


def _listen(root: Path, options: WatchOptions, stop: threading.Event) -> Iterator[frozenset[str]]:
    batches = watchfiles.watch(
        root,
        watch_filter=None,
        step=int(options.quiet_seconds * 1000),
        debounce=int(options.longest_seconds * 1000),
        force_polling=False,
        stop_event=stop,
        rust_timeout=int(options.retry_seconds * 1000),
        yield_on_timeout=True,
        raise_interrupt=False,
        ignore_permission_denied=True,
    )
    for batch in batches:
        if not batch and not root.is_dir():
            raise FileNotFoundError(root)
        yield frozenset(path for change, full in batch if (path := _relevant(root, change, full)) is not None)


def _poll(root: Path, options: WatchOptions, stop: threading.Event) -> Iterator[frozenset[str]]:
    """Compare sizes and times again and again; a large folder less often, so that it takes a tenth of a core at most.

    The library's own polling sees whole seconds only, and so misses a file that is written twice in one.
    """
    known = dict(_files(root))
    pause = options.poll_seconds
    while not stop.wait(pause):
        begun = time.monotonic()
        now = dict(_files(root))
        pause = max(options.poll_seconds, 9 * (time.monotonic() - begun))
        yield frozenset(path for path, _ in known.items() ^ now.items())
        known = now


def _files(root: Path) -> Iterator[tuple[str, tuple[int, int]]]:
    """The files that matter: path relative to the root, then time and size."""
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        try:
            entries = list(os.scandir(root / folder))
        except OSError:
            if not folder:
                raise
            continue  # it has gone, or may not be read: there is nothing to compare
        for entry in entries:
            path = f"{folder}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                if not _is_left_out(entry.name):
                    waiting.append(f"{path}/")
            elif matters(path):
                with contextlib.suppress(OSError):
                    found = entry.stat()
                    yield path, (found.st_mtime_ns, found.st_size)


def _relevant(root: Path, change: watchfiles.Change, full: str) -> str | None:
    try:
        path = Path(full).relative_to(root).as_posix()
    except ValueError:
        return None
    is_folder = change is not watchfiles.Change.deleted and Path(full).is_dir()
    return path if matters(path, change, is_folder=is_folder) else None


class FolderWatch:
    """Watches a folder from a thread.

    Args:
        root: the folder.
        changed: called from that thread, with the paths that changed.
        options: how to watch it.
    """

    def __init__(
        self, root: Path, changed: Callable[[frozenset[str]], None], options: WatchOptions | None = None
    ) -> None:
        self._root = root
        self._changed = changed
        self._options = options
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="drawwell-watch", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """Watch no more; does not wait."""
        self._stop.set()

    def _run(self) -> None:
        for paths in changes(self._root, self._options, self._stop):
            self._changed(paths)
