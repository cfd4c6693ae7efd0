"""An embedder over HTTP: batches, texts longer than the window, the check of every vector.

A vendor's file gives an :class:`Endpoint`, which sends one request. Everything else is the same for all and is here.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from drawwell.errors import ConfigurationError, DependencyError
from drawwell.protocols import Embedded, ModelIdentity, Passage
from drawwell.providers.calls import Calls
from drawwell.providers.failures import TooLong
from drawwell.providers.options import ProviderOptions
from drawwell.providers.prompts import known_prompts
from drawwell.providers.windows import fill, halves, pieces, sendable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

__all__ = ["Endpoint", "Limits", "Purpose", "RemoteEmbedder", "Reply", "Traits", "estimate_tokens"]

Purpose = Literal["document", "query"]

UNKNOWN_WINDOW = 512
"""Tokens that a model is taken to read when nobody says: nearly all read as much, and some services cut silently."""
_SPECIAL = 8
_PROBE = "dimension"
_NOTHING = "-"
"""Sent for a text without a visible character, which most services refuse."""


@dataclass(frozen=True, slots=True)
class Traits:
    """What is known of a model.

    Attributes:
        window: the most tokens that it reads of one text; 0 for unknown.
        dimension: numbers in a vector; 0 for unknown.
        revision: what tells its states apart; empty where nobody says.
    """

    window: int = 0
    dimension: int = 0
    revision: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a service answered to one request.

    Attributes:
        rows: the vectors, as it sent them, in the order of the texts.
        tokens: what it counted; None when it does not say.
    """

    rows: Sequence[Sequence[float]] | NDArray[np.float32]
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """What a service takes in one request.

    Attributes:
        texts: how many.
        tokens: how many in all.
    """

    texts: int
    tokens: int


class Endpoint(Protocol):
    """One vendor's way of embedding. Its methods send one request each and raise what the SDK raises."""

    @property
    def limits(self) -> Limits:
        """What one request may hold."""

    def traits(self) -> Traits:
        """What is known of the model; may ask the service."""

    def embed(self, texts: list[str], purpose: Purpose, /) -> Reply:
        """The vectors of some texts, none of them blank."""

    def close(self) -> None:
        """Let go of the connections."""


def estimate_tokens(text: str) -> int:
    """How many tokens a text has at most, nearly: one for three ASCII characters, three for two others."""
    ascii_chars = len(text.encode("ascii", "ignore"))
    return ascii_chars // 3 + (len(text) - ascii_chars) * 3 // 2 + 1


@dataclass(frozen=True, slots=True)
class _Piece:
    """Part of a passage that is embedded on its own."""

    owner: int
    passage: Passage


@dataclass(frozen=True, slots=True)
class _Part:
    """Vectors of some pieces."""

    rows: Vectors
    owners: tuple[int, ...]
    tokens: int


class RemoteEmbedder:
    """An :class:`~drawwell.protocols.Embedder` over an endpoint.

    Args:
        name: provider and model as a user writes them.
        endpoint: the vendor's part.
        calls: sends its requests.
        options: prompts, dimension and window, where the user gives them.
    """

    def __init__(self, name: str, endpoint: Endpoint, calls: Calls, options: ProviderOptions) -> None:
        self._name = name
        self._endpoint = endpoint
        self._calls = calls
        self._prompts = options.prompts or known_prompts(name.partition(":")[2])
        self._dimension = options.dimension
        self._window = options.window_tokens
        self._known: Traits | None = None
        self._asking = threading.Lock()

    @property
    def name(self) -> str:
        """Provider and model as a user writes them."""
        return self._name

    def identity(self) -> ModelIdentity:
        """What decides its vectors; asks the service once."""
        provider, _, model = self._name.partition(":")
        traits = self._traits()
        return ModelIdentity(provider, model, traits.revision, traits.dimension, self._prompts.key)

    def embed_documents(self, passages: Sequence[Passage]) -> Embedded:
        """Vectors of passages, all of each text."""
        traits = self._traits()
        if not passages:
            return Embedded(np.zeros((0, traits.dimension), np.float32), (), 0)
        window = self._text_window(traits, self._prompts.document)
        found = (
            _Piece(owner, piece)
            for owner, passage in enumerate(passages)
            for piece in pieces(Passage(sendable(passage.title), sendable(passage.text)), window, estimate_tokens)
        )
        jobs = [partial(self._documents, batch, traits.dimension) for batch in self._batches(found)]
        parts = self._calls.each(jobs)
        return Embedded(
            np.concatenate([part.rows for part in parts]),
            tuple(owner for part in parts for owner in part.owners),
            sum(part.tokens for part in parts),
        )

    def embed_query(self, text: str, seconds: float | None = None) -> Vectors:
        """The vector of a query, shape (dimension,)."""
        end = None if seconds is None else time.monotonic() + seconds
        traits = self._traits(end)
        window = self._text_window(traits, self._prompts.query)
        begin = next(iter(pieces(Passage("", sendable(text)), window, estimate_tokens))).text
        while True:
            left = _left(end)
            try:
                reply = self._send(
                    [fill(self._prompts.query, "", begin)], "query", self._calls.timeout if left is None else left
                )
            except TooLong:
                if len(begin) < 2:
                    raise
                begin = begin[: len(begin) // 2]
            else:
                row: Vectors = self._checked(reply, 1, traits.dimension)[0]
                return row

    def close(self) -> None:
        """Let go of the connections."""
        self._calls.close()
        self._endpoint.close()

    def _traits(self, end: float | None = None) -> Traits:
        """What is known of the model, asked once; whoever else wants it meanwhile waits, at most until ``end``."""
        if self._known is not None:
            return self._known
        left = _left(end)
        if not self._asking.acquire(timeout=-1 if left is None else left):
            raise DependencyError(f"{self._name}: the service has not yet said what the model is", "Try later")
        try:
            if self._known is None:
                self._known = self._ask(end)
            return self._known
        finally:
            self._asking.release()

    def _ask(self, end: float | None) -> Traits:
        traits = self._calls.run(self._endpoint.traits, _left(end))
        dimension = self._dimension or traits.dimension
        if not dimension:
            dimension = self._checked(self._send([_PROBE], "document", _left(end)), 1, 0).shape[1]
        return Traits(self._window or traits.window or UNKNOWN_WINDOW, dimension, traits.revision)

    def _text_window(self, traits: Traits, form: str) -> int:
        return max(16, traits.window - estimate_tokens(fill(form, "", "")) - _SPECIAL)

    def _batches(self, found: Iterable[_Piece]) -> Iterator[list[_Piece]]:
        """Pieces in groups that one request may hold, in order."""
        limits = self._endpoint.limits
        batch: list[_Piece] = []
        tokens = 0
        for piece in found:
            size = estimate_tokens(self._form(piece.passage))
            if batch and (len(batch) == limits.texts or tokens + size > limits.tokens):
                yield batch
                batch, tokens = [], 0
            batch.append(piece)
            tokens += size
        yield batch

    def _documents(self, batch: list[_Piece], dimension: int) -> _Part:
        """Vectors of one batch. What the service finds too long is halved, the batch first, then the text."""
        try:
            reply = self._send([self._form(piece.passage) for piece in batch], "document", None)
        except TooLong:
            if len(batch) > 1:
                middle = len(batch) // 2
                split = [batch[:middle], batch[middle:]]
            else:
                smaller = halves(batch[0].passage)
                if not smaller:
                    raise
                split = [[_Piece(batch[0].owner, passage)] for passage in smaller]
        else:
            rows = self._checked(reply, len(batch), dimension)
            tokens = reply.tokens
            if tokens is None:
                tokens = sum(estimate_tokens(self._form(piece.passage)) for piece in batch)
            return _Part(rows, tuple(piece.owner for piece in batch), tokens)
        first, second = (self._documents(half, dimension) for half in split)
        return _Part(
            np.concatenate([first.rows, second.rows]), first.owners + second.owners, first.tokens + second.tokens
        )

    def _form(self, passage: Passage) -> str:
        return fill(self._prompts.document, passage.title, passage.text)

    def _send(self, texts: list[str], purpose: Purpose, seconds: float | None) -> Reply:
        visible = [text if text.strip() else _NOTHING for text in texts]
        return self._calls.run(partial(self._endpoint.embed, visible, purpose), seconds)

    def _checked(self, reply: Reply, count: int, dimension: int) -> Vectors:
        """A reply's vectors, of length 1.

        Raises:
            ConfigurationError: they have another dimension than they should.
            DependencyError: there are too many or few of them, or one is no direction.
        """
        advice = "The service does not do what it should; look at its log, or choose another model"
        try:
            rows = np.asarray(reply.rows, dtype=np.float64)
        except (TypeError, ValueError):
            rows = np.zeros(0)
        if rows.ndim != 2 or not rows.shape[1]:
            raise DependencyError(f"{self._name}: what came is not one vector of numbers for each text", advice)
        if len(rows) != count:
            raise DependencyError(f"{self._name}: {len(rows)} vectors came for {count} texts", advice)
        if dimension and rows.shape[1] != dimension:
            raise ConfigurationError(
                f"{self._name}: its vectors have {rows.shape[1]} numbers, not {dimension}",
                "Set the dimension to what the model gives; if the model has changed, embed again",
            )
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(lengths).all():
            raise DependencyError(f"{self._name}: a vector has a number that is not finite", advice)
        if not lengths.all():
            raise DependencyError(f"{self._name}: a vector is all zeros", advice)
        unit: Vectors = (rows / lengths).astype(np.float32)
        return unit


def _left(end: float | None) -> float | None:
    """Seconds until a point of the monotonic clock; None for no end."""
    return None if end is None else max(0.0, end - time.monotonic())
