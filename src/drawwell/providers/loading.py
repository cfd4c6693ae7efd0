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


class _Attempt(Generic[Model]):
    """One attempt to load, and what came of it once ``done`` is set."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.model: Model | None = None
        self.error: Error | None = None
        self.ended = 0.0

    def run(self, name: str, load: Callable[[], Model]) -> None:
        """Load, and keep the model or why there is none."""
        try:
            self.model = load()
        except Error as error:
            self.error = error
        except Exception as error:  # noqa: BLE001 - a thread's error would be nobody's
            self.error = DependencyError(f"the model {name} could not be loaded: {type(error).__name__}: {error}")
        finally:
            self.ended = time.monotonic()
            self.done.set()


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
        self._attempt: _Attempt[Model] | None = None

    def get(self, seconds: float | None = None) -> Model:
        """The model.

        Args:
            seconds: the most to wait for it; None for as long as it takes.

        Raises:
            NotReady: it is being loaded, and nobody is to wait for it, or so long.
            Error: why it could not be loaded.
        """
        attempt = self._begun()
        if not attempt.done.is_set():
            if self._background:
                raise NotReady(f"the model {self._name} is still being loaded")
            if not attempt.done.wait(seconds):
                raise NotReady(f"the model {self._name} is still being loaded")
        if attempt.model is None:
            error = attempt.error or DependencyError(f"the model {self._name} could not be loaded")
            raise error.with_traceback(None)  # raised once more for each who asks: without this it would grow
        return attempt.model

    def begin(self) -> None:
        """Have it loaded, without waiting."""
        self._begun()

    def loaded(self) -> Model | None:
        """The model, if it is there; nothing is begun."""
        attempt = self._attempt
        return attempt.model if attempt is not None else None

    def _begun(self) -> _Attempt[Model]:
        """The attempt that counts: the one there is, unless it failed some time ago."""
        with self._lock:
            attempt = self._attempt
            failed = attempt is not None and attempt.done.is_set() and attempt.model is None
            if attempt is None or (failed and time.monotonic() - attempt.ended > RETRY_SECONDS):
                attempt = self._attempt = _Attempt()
                arguments = (self._name, self._load)
                threading.Thread(target=attempt.run, args=arguments, name="drawwell-load", daemon=True).start()
            return attempt


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
        return self._loading.get(seconds).embed_query(text, seconds)

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
        return self._loading.get(seconds).scores(query, passages, seconds)

    def close(self) -> None:
        """See :class:`~drawwell.protocols.Reranker`."""
        model = self._loading.loaded()
        if model is not None:
            model.close()
