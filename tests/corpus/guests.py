"""Models of the tests: what a provider would answer, computed from the text itself."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable, Sequence

import numpy as np

from drawwell.protocols import Embedded, ModelIdentity, Passage, Summary

DIMENSION = 128


class WordEmbedder:
    """A vector that says which of a few meanings a text has: words of one meaning count for each other."""

    def __init__(self, model: str = "words", *, revision: str = "1", meanings: dict[str, str] | None = None) -> None:
        self.name = f"test:{model}"
        self._identity = ModelIdentity("test", model, revision, DIMENSION, "plain")
        self._meanings = meanings or {}
        self.passages: list[Passage] = []
        self.queries: list[str] = []
        self.before: Callable[[], None] = lambda: None

    def identity(self) -> ModelIdentity:
        self.before()
        return self._identity

    def embed_documents(self, passages: Sequence[Passage]) -> Embedded:
        self.before()
        self.passages.extend(passages)
        pieces = [(number, piece) for number, one in enumerate(passages) for piece in _pieces(one)]
        vectors = np.stack([self._vector(piece) for _, piece in pieces])
        tokens = sum(len(piece.split()) for _, piece in pieces)
        return Embedded(vectors, tuple(number for number, _ in pieces), tokens)

    def embed_query(self, text: str, seconds: float | None = None) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        self.before()
        self.queries.append(text)
        return self._vector(text)

    def close(self) -> None:
        pass

    def _vector(self, text: str) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        vector = np.full(DIMENSION, 1e-3, np.float32)
        for word in text.lower().split():
            word = word.strip(".,:?#`*")
            meaning = self._meanings.get(word, word)
            vector[zlib.crc32(meaning.encode()) % DIMENSION] += 1.0
        return vector / np.linalg.norm(vector)


def _pieces(passage: Passage) -> list[str]:
    """Pieces of at most a hundred words."""
    words = passage.text.split() or [""]
    return [f"{passage.title} {' '.join(words[at : at + 100])}" for at in range(0, len(words), 100)]


class LineSummarizer:
    """Says how many words it was shown."""

    def __init__(self, model: str = "counter") -> None:
        self.name = f"test:{model}"
        self.shown: list[str] = []
        self.before: Callable[[str], None] = lambda text: None
        self._lock = threading.Lock()

    def summarize(self, instructions: str, text: str) -> Summary:
        self.before(text)
        with self._lock:
            self.shown.append(text)
        title = text.partition("\n")[0].removeprefix("Title: ")
        return Summary(f"All about {title}", len(text.split()))

    def close(self) -> None:
        pass
