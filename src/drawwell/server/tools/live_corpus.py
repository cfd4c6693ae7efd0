"""One corpus while it is served: opened when it can be, brought up to date in a child process, watched for changes."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from drawwell.corpus.operations.corpus import Corpus
from drawwell.corpus.operations.meaning import NO_MODELS, SearchModels
from drawwell.corpus.store.handle import Store
from drawwell.corpus.store.places import readable_store
from drawwell.corpus.watch import FolderWatch, WatchOptions
from drawwell.errors import Error, NotReady, StoreError, StoreTooNew
from drawwell.server.child import ChildJob, JobState

__all__ = ["CorpusSource", "LiveCorpus"]

_log = logging.getLogger("drawwell.server")

_WORTH_SAYING = 3.0
"""A refresh that takes longer than this is told of in answers."""
_MODELS_RETRY_SECONDS = 60.0
"""So long after models failed, a call has them tried again."""
_RETRY_SECONDS = 5.0
"""So long after a run that failed, or left a file out of date, a call has it tried again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusSource:
    """A corpus to serve.

    Attributes:
        store: its store file, whether or not it exists yet.
        root: the folder of its documents; None when only the store is known.
        name: first element of its ids when several are served; empty for one alone.
        ingest: command that brings the store up to date and tells of it as ``server.child`` says; empty for none.
        models: command that has models add to the store, likewise, run after the other; empty for none.
        search: the models that a search may ask.
        check: raises, without delay, what that command would fail with at once.
        watch: how the folder is watched; None for not at all.
    """

    store: Path
    root: Path | None = None
    name: str = ""
    ingest: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    search: SearchModels = NO_MODELS
    check: Callable[[], None] = field(default=lambda: None, compare=False)
    watch: WatchOptions | None = None


class LiveCorpus:
    """A source and how it stands.

    Args:
        source: the corpus.
    """

    def __init__(self, source: CorpusSource) -> None:
        self.source = source
        self._lock = threading.Lock()
        self._corpus: Corpus | None = None
        self._generation: str | None = None
        self._changed: Callable[[], None] = lambda: None
        self._ran = threading.Event()
        self._started = False
        self._closed = False
        self._watch: FolderWatch | None = None
        self._job: ChildJob | None = None
        self._models: ChildJob | None = None
        name = source.name or source.root
        if source.models:
            self._models = ChildJob(f"summaries and vectors of {name}", source.models, lambda _state: self._compare())
        if source.ingest:
            self._job = ChildJob(f"ingest of {name}", source.ingest, self._ended)
        if source.watch is not None and source.root is not None and source.ingest:
            self._watch = FolderWatch(source.root, lambda _paths: self._request(), source.watch)

    def start(self, changed: Callable[[], None]) -> None:
        """Bring the store up to date, and go on doing so.

        Args:
            changed: called, from any thread, when the content is another than before.
        """
        self._changed = changed
        self._started = True
        # In a thread: an older store is migrated when it is opened, and that may have to wait for another process.
        threading.Thread(target=self._begin, name="drawwell-begin", daemon=True).start()

    def _begin(self) -> None:
        self.source.search.begin()
        self._generation = self._now()
        self._request()
        if self._watch is not None:
            self._watch.start()

    def close(self) -> None:
        """End the child process and the watch, and close the store."""
        if self._watch is not None:
            self._watch.stop()
        for job in (self._job, self._models):
            if job is not None:
                job.close()
        with self._lock:
            self._closed = True
            if self._corpus is not None:
                self._corpus.store.interrupt()  # closing waits for what still runs
                self._corpus.close()
                self._corpus = None

    def corpus(self) -> Corpus:
        """The corpus, as its store has it now.

        Raises:
            NotReady: its first ingest is not complete.
            Error: it cannot be read, or could not be ingested; the cause and what to do.
        """
        try:
            with self._lock:
                return self._held()
        except Error as error:
            self.hide_places(error)
            raise

    def hide_places(self, error: Error) -> None:
        """Take the places of this machine out of what an error says: its words go to a client and its model."""
        store, root = self.source.store, self.source.root
        known = [(str(store), store.name), (str(store.parent), store.parent.name)]
        if root is not None:
            within = store.relative_to(root).as_posix() if store.is_relative_to(root) else store.name
            known = [(str(store), within), *known[1:], (str(root), root.name)]
        for place, shown in [*known, (os.path.expanduser("~"), "~")]:  # noqa: PTH111 - never fails
            if len(place) > 1 and os.path.isabs(place):  # noqa: PTH117 - as above
                error.message = error.message.replace(place, shown)
                error.suggestion = error.suggestion.replace(place, shown)
        error.args = (error.message,)

    def wait(self, seconds: float) -> None:
        """Give a first ingest a moment to be done: a small folder is ready before a model could ask again."""
        if self._job is not None and self._started:
            self._ran.wait(seconds)

    def note(self) -> str:
        """What an answer should say about its age; empty for nothing."""
        if self._job is None:
            return ""
        state = self._job.state
        name = f"{self.source.name}: " if self.source.name else ""
        if state.running and time.monotonic() - state.since > _WORTH_SAYING:
            return f"{name}a refresh is running ({_progress(state)}), so recent changes may be missing"
        if state.error is not None:
            self._retry(state)
            self.hide_places(state.error)
            return f"{name}the last refresh failed, so recent changes may be missing: {state.error.message}"
        return self._models_note(name)

    def _models_note(self, name: str) -> str:
        """That a model which is configured does not do its part; it is asked again some time later."""
        state = JobState() if self._models is None else self._models.state
        if self._models is None or state.error is None or state.running:
            return ""
        if time.monotonic() - state.since > _MODELS_RETRY_SECONDS:
            self._models.request()
        self.hide_places(state.error)
        return f"{name}summaries or vectors are not complete: {state.error.message}"

    def status(self) -> Mapping[str, Any]:
        """A few plain values for a health check."""
        found: dict[str, Any] = {}
        try:
            status = self.corpus().status(files=False)
            found = {"ready": True, "documents": status.documents, "sections": status.sections}
        except Error as error:
            found = {"ready": False, "reason": error.message}
        if self._job is not None and self._job.state.running:
            found["refreshing"] = _progress(self._job.state)
        if self._models is not None and self._models.state.running:
            state = self._models.state
            found["models"] = f"{state.stage or 'starting'}: {state.done} of {state.total}"
        return found

    def _held(self) -> Corpus:
        """The corpus; the caller holds the lock."""
        if self._closed:
            raise Error("The server is ending")
        if self._corpus is not None and self._corpus.store.path != self._readable():
            self._corpus = None  # the store of its own is there now; a call may still use the other
        if self._corpus is None:
            self._corpus = self._open()
        return self._corpus

    def _readable(self) -> Path:
        return readable_store(self.source.store, self.source.root)

    def _open(self) -> Corpus:
        state = self._job.state if self._job is not None else JobState()
        try:
            store = Store.open(self._readable())
        except StoreTooNew:
            raise
        except (StoreError, NotReady) as error:
            raise self._not_there(state, error) from None
        if state.running and store.meta("drawwell.state") == "building":
            store.close()
            raise _indexing(state)
        return Corpus(store, self.source.root, self._outdated, models=self.source.search)

    def _not_there(self, state: JobState, error: Error) -> Error:
        """Why there is no store to answer from."""
        if self._job is None:
            return error
        if state.error is not None and not state.running:
            self._retry(state)
            return Error(state.error.message, state.error.suggestion)
        if not state.total:
            try:
                self.source.check()
            except Error as known:
                return known
        return _indexing(state)

    def _outdated(self, _paths: frozenset[str]) -> None:
        """Files behind an answer were found to have changed."""
        if self._job is not None:
            self._retry(self._job.state)

    def _retry(self, state: JobState) -> None:
        if not state.running and time.monotonic() - state.since > _RETRY_SECONDS:
            self._request()

    def _request(self) -> None:
        if self._job is not None:
            self._job.request()

    def _ended(self, state: JobState) -> None:
        """After an ingest: the models go on from there."""
        self._ran.set()
        self._compare()
        if self._models is not None and state.error is None:
            self._models.request()

    def _compare(self) -> None:
        """Tell if the content is another than it was."""
        generation = self._now()
        if generation not in (None, self._generation):
            self._generation = generation
            self._changed()

    def _now(self) -> str | None:
        """The generation of the content; None while there is none to answer from."""
        with self._lock:  # so that nothing is closed meanwhile
            try:
                return self._held().store.generation()
            except Error as error:
                _log.debug("%s", error)
                return None


def _indexing(state: JobState) -> NotReady:
    return NotReady(
        f"The documents are being indexed for the first time: {_progress(state)}", "Try again in a few seconds"
    )


def _progress(state: JobState) -> str:
    if state.stage == "waiting":
        return "another process is at it"
    if state.total:
        return f"{state.done} of {state.total} documents"
    return f"{state.done} files found" if state.done else "just begun"
