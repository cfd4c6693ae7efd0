"""What the wells ask of a model: the protocols behind which every provider stands.

This module is a leaf: it imports nothing of ours, so that wells, ``compose`` and providers can all know it. Vectors are
numpy arrays, float32, one row each, of length 1; numpy itself is imported only by who computes.

Errors of every method: :class:`~drawwell.errors.ConfigurationError` when trying again cannot help until somebody
changes something (no key, no such model, a wrong dimension), :class:`~drawwell.errors.DependencyError` when it may help
(the service is down, slow or asks to wait), :class:`~drawwell.errors.NotReady` while a model is still being loaded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

__all__ = [
    "Embedded",
    "Embedder",
    "ModelIdentity",
    "Passage",
    "Prompts",
    "Reranker",
    "Summarizer",
    "Summary",
]


@dataclass(frozen=True, slots=True)
class Prompts:
    """What a model wants around a text. ``{title}`` and ``{text}`` are replaced.

    Attributes:
        document: the form of a passage that is searched for.
        query: the form of a query.
    """

    document: str = "{title}\n{text}"
    query: str = "{text}"

    @property
    def key(self) -> str:
        """Twelve hex digits that tell one form from another."""
        return hashlib.sha256(f"{self.document}\0{self.query}".encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """What decides a vector. Vectors of different identities are never compared.

    Attributes:
        provider: name of the provider, as in the registry.
        model: its name there.
        revision: what tells one state of the model from another (a hash of its files, the digest that a server
            gives); empty where nobody says.
        dimension: numbers in a vector.
        prompts: key of the prompt form.
    """

    provider: str
    model: str
    revision: str
    dimension: int
    prompts: str

    @property
    def name(self) -> str:
        """Provider and model as a user writes them."""
        return f"{self.provider}:{self.model}"


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to be found.

    Attributes:
        title: where it stands, such as its headings; goes in front of every piece of it. May be empty.
        text: the text, of any length.
    """

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Embedded:
    """The vectors of some passages. A passage longer than the model's window has several.

    Attributes:
        vectors: one row for each piece, shape (pieces, dimension), float32, each of length 1.
        owners: for each row the number of its passage, ascending; every passage has at least one.
        tokens: how many tokens the model read, as the provider counts them.
    """

    vectors: Vectors
    owners: tuple[int, ...]
    tokens: int


class Embedder(Protocol):
    """Turns texts into vectors. Safe to use from several threads."""

    @property
    def name(self) -> str:
        """Provider and model as a user writes them; known without loading anything."""

    def identity(self) -> ModelIdentity:
        """What decides its vectors. May load the model or ask the provider; raises as the module says."""

    def embed_documents(self, passages: Sequence[Passage]) -> Embedded:
        """Vectors of passages, all of each text, cut to the model's window where it is longer."""

    def embed_query(self, text: str, seconds: float | None = None) -> Vectors:
        """The vector of a query, shape (dimension,).

        Args:
            text: the query; what is beyond the model's window is left out.
            seconds: give up after these; None for the provider's own deadline.
        """

    def close(self) -> None:
        """Let go of the model or the connections."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a model wrote.

    Attributes:
        text: it, without blanks around it and without what a model thought aloud.
        tokens: how many tokens were read and written, as the provider counts them.
    """

    text: str
    tokens: int


class Summarizer(Protocol):
    """Writes a short text about a longer one. Safe to use from several threads."""

    @property
    def name(self) -> str:
        """Provider and model as a user writes them."""

    def summarize(self, instructions: str, text: str) -> Summary:
        """What the model makes of a text.

        Args:
            instructions: what to write, in our words.
            text: what to write about; untrusted, so it is sent apart from the instructions.
        """

    def close(self) -> None:
        """Let go of the connections."""


class Reranker(Protocol):
    """Judges how well passages answer a query. Safe to use from several threads."""

    @property
    def name(self) -> str:
        """Provider and model as a user writes them."""

    def scores(self, query: str, passages: Sequence[str], seconds: float | None = None) -> list[float]:
        """One number for each passage, higher for a better answer.

        Args:
            query: what is asked.
            passages: what may answer it; each is cut to the model's window.
            seconds: give up after these; None for the provider's own deadline.
        """

    def close(self) -> None:
        """Let go of the model or the connections."""
