"""Models that are loaded behind what needs them: once, in a thread of their own, and tried again after a failure."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from drawwell.errors import DependencyError, Error, NotReady
from drawwell.protocols import Embedded, Embedder, ModelIdentity, Passage, Reranker

if TYPE_CHECKING:
    from drawwell.protocols import Vectors

__all__ = ["LoadedEmbedder", "LoadedReranker", "Loading"]

RETRY_SECONDS = 30.0
"""So long a failure to load is told without another attempt."""

Model = TypeVar("Model")


class Loading(Generic[Model]):
    """A model that is loaded when first asked for.

    Args:
        name: of the model, for messages.
        load: makes it; takes its time.
        background: whether who asks before it is loaded is told so, instead of waiting.
    """

    def __init__(self, name: str, load: Callable[[], Model], *, background: bool) -> None:
        self._name = name
        self._load = load
        self._background = background
        self._lock = threading.Lock()
        self._done: threading.Event | None = None
        self._model: Model | None = None
        self._error: Error | None = None
        self._failed_at = 0.0

    def get(self) -> Model:
        """The model.

        Raises:
            NotReady: it is being loaded, and nobody is to wait for it.
            Error: why it could not be loaded.
        """
        done = self._begin()
        if not done.is_set():
            if self._background:
                raise NotReady(f"the model {self._name} is still being loaded")
            done.wait()
        if self._model is None:
            raise self._error or DependencyError(f"the model {self._name} could not be loaded")
        return self._model

    def begin(self) -> None:
        """Have it loaded, without waiting."""
        self._begin()

    def loaded(self) -> Model | None:
        """The model, if it is there; nothing is begun."""
        return self._model

    def _begin(self) -> threading.Event:
        with self._lock:
            stale = self._error is not None and time.monotonic() - self._failed_at > RETRY_SECONDS
            if self._done is None or (self._done.is_set() and stale):
                self._error = None
                self._done = threading.Event()
                threading.Thread(target=self._run, args=(self._done,), name="drawwell-load", daemon=True).start()
            return self._done

    def _run(self, done: threading.Event) -> None:
        try:
            self._model = self._load()
        except Error as error:
            self._error, self._failed_at = error, time.monotonic()
        except Exception as error:  # noqa: BLE001 - a thread's error would be nobody's
            self._error = DependencyError(
                f"the model {self._name} could not be loaded: {type(error).__name__}: {error}"
            )
            self._failed_at = time.monotonic()
        finally:
            done.set()


class LoadedEmbedder:
    """An embedder that is loaded when it is first used.

    Args:
        name: provider and model.
        load: makes it.
        background: as for :class:`Loading`.
    """

    def __init__(self, name: str, load: Callable[[], Embedder], *, background: bool) -> None:
        self.name = name
        self._loading = Loading(name, load, background=background)

    def begin(self) -> None:
        """Have it loaded, without waiting."""
        self._loading.begin()

    def identity(self) -> ModelIdentity:
        """See :class:`~drawwell.protocols.Embedder`."""
        return self._loading.get().identity()

    def embed_documents(self, passages: Sequence[Passage]) -> Embedded:
        """See :class:`~drawwell.protocols.Embedder`."""
        return self._loading.get().embed_documents(passages)

    def embed_query(self, text: str, seconds: float | None = None) -> Vectors:
        """See :class:`~drawwell.protocols.Embedder`."""
        return self._loading.get().embed_query(text, seconds)

    def close(self) -> None:
        """See :class:`~drawwell.protocols.Embedder`."""
        model = self._loading.loaded()
        if model is not None:
            model.close()


class LoadedReranker:
    """A reranker that is loaded when it is first used. Arguments as for :class:`LoadedEmbedder`."""

    def __init__(self, name: str, load: Callable[[], Reranker], *, background: bool) -> None:
        self.name = name
        self._loading = Loading(name, load, background=background)

    def begin(self) -> None:
        """Have it loaded, without waiting."""
        self._loading.begin()

    def scores(self, query: str, passages: Sequence[str], seconds: float | None = None) -> list[float]:
        """See :class:`~drawwell.protocols.Reranker`."""
        return self._loading.get().scores(query, passages, seconds)

    def close(self) -> None:
        """See :class:`~drawwell.protocols.Reranker`."""
        model = self._loading.loaded()
        if model is not None:
            model.close()
