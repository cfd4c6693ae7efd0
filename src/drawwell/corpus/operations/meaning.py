"""What models add to the searches of one store: the vector of a query, the vectors of its sections, a second judgement.

No model is asked while the store is looked at: a slow one must not hold a transaction. Whatever a model fails in is
said in the answer, and words alone serve.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from drawwell.corpus.operations.dense import StoredVectors
from drawwell.corpus.operations.hybrid import Place
from drawwell.corpus.operations.search import BY_MODELS, Legs, Query, candidates
from drawwell.corpus.operations.view import Look, SectionRow
from drawwell.corpus.store.handle import Store
from drawwell.corpus.store.schema import translated
from drawwell.corpus.store.vectors import answering_model, model_with_id
from drawwell.errors import Error, StoreError
from drawwell.protocols import Embedder, ModelIdentity, Reranker
from drawwell.retrieval.fusion import CONVEX, Fusion

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

__all__ = ["NO_MODELS", "Meaning", "SearchModels"]

_JUDGED = 30
"""The best hits that a reranker is shown."""
_REMEMBERED = 64
"""Queries whose vectors and judgements are kept, so that the next page of an answer costs no model."""
_WORDS_ALONE = "words alone were searched"
_NO_VECTORS = "there are no vectors in this store"

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchModels:
    """The models that a search may ask.

    Attributes:
        embedder: gives queries their vector; None for none.
        reranker: judges the best hits once more; None for none.
        fusion: how words and vectors become one order.
        query_seconds: how long a search waits for the vector of its query.
        rerank_seconds: how long it waits for the reranker.
        begin: has the models that run here loaded, without waiting for them.
    """

    embedder: Embedder | None = None
    reranker: Reranker | None = None
    fusion: Fusion = CONVEX
    query_seconds: float = 5.0
    rerank_seconds: float = 10.0
    begin: Callable[[], None] = field(default=lambda: None, compare=False)


NO_MODELS = SearchModels()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A query as a model sees it.

    Attributes:
        vector: its vector; None when there is none.
        identity: of the model that made it.
        trouble: why there is none though there should be.
        absent: why there can be none.
    """

    vector: Vector | None = None
    identity: ModelIdentity | None = None
    trouble: str = ""
    absent: str = ""


class Meaning:
    """For any number of threads.

    Args:
        store: the store.
        models: what may be asked.
    """

    def __init__(self, store: Store, models: SearchModels) -> None:
        self._store = store
        self.models = models
        self._vectors = StoredVectors()
        self._queries: _Recent[Vector] = _Recent()
        self._judgements: _Recent[list[float]] = _Recent()

    def prepare(self, query: Query, ask: Callable[[Callable[[Look], Any]], Any]) -> Callable[[Look], Legs]:
        """Ask the models about a query.

        Args:
            query: what is asked.
            ask: gives the answer to a question from one look at the store.

        Returns:
            What a look at the store gets from it.
        """
        models = self.models
        if query.mode not in BY_MODELS or (query.mode == "auto" and not (models.embedder or models.reranker)):
            return lambda _look: Legs()
        asked = self._asked(query.text)
        judged: Mapping[Place, float] | None = None
        trouble = ""
        if models.reranker is not None:
            best = ask(lambda look: candidates(look, query, self._legs(look, query, asked), _JUDGED))
            if best:
                judged, trouble = self._judge(query.text, {key: _passage(row) for key, row in best})
        return lambda look: self._legs(look, query, asked, judged, trouble)

    def close(self) -> None:
        """Let go of the models."""
        for model in (self.models.embedder, self.models.reranker):
            if model is not None:
                model.close()

    def _asked(self, text: str) -> _Asked:
        """The query's vector, where the store has vectors of the model that is configured."""
        held, embedder = self._held(), self.models.embedder
        if held is None:
            coming = self._store.own and embedder is not None
            return _Asked(trouble="no section has a vector yet") if coming else _Asked(absent=_NO_VECTORS)
        if embedder is None:
            return _Asked(absent=f"the store's vectors are of {held.name}, and no embedding model is configured here")
        if not text.strip():
            return _Asked()
        try:
            identity = embedder.identity()
            if identity != held:
                return _Asked(trouble=_mismatch(held, identity))
            seconds = self.models.query_seconds
            vector = self._queries.get((identity, text), lambda: embedder.embed_query(text, seconds))
        except Error as error:
            return _Asked(trouble=error.message)
        return _Asked(vector=vector, identity=identity)

    def _legs(
        self,
        look: Look,
        query: Query,
        asked: _Asked,
        judged: Mapping[Place, float] | None = None,
        trouble: str = "",
    ) -> Legs:
        notes = [trouble] if trouble else []
        why_not = asked.trouble or (asked.absent if query.mode == "hybrid" else "")
        model_id = answering_model(look.connection) if look.own else None
        if asked.vector is not None and (
            model_id is None or model_with_id(look.connection, model_id) != asked.identity
        ):
            why_not, model_id = "the store's vectors have just been changed for those of another model", None
        if asked.vector is None or model_id is None:
            notes += [f"{why_not}: {_WORDS_ALONE}"] if why_not else []
            return Legs(judged=judged, notes=tuple(notes))
        try:
            leg = self._vectors.leg(look, model_id, asked.vector)
        except StoreError as error:
            return Legs(judged=judged, notes=(*notes, f"{error.message}: {_WORDS_ALONE}"))
        lacking = leg.lacking
        notes += [f"{lacking} section{'s have' if lacking > 1 else ' has'} no vector yet"] if lacking else []
        return Legs(leg, judged, tuple(notes), self.models.fusion)

    def _judge(self, query: str, texts: Mapping[Place, str]) -> tuple[dict[Place, float] | None, str]:
        """What the reranker says of each candidate; or nothing, and why."""
        reranker = self.models.reranker
        if reranker is None:
            return None, ""
        passages = list(texts.values())
        try:
            seconds = self.models.rerank_seconds
            scores = self._judgements.get((query, *passages), lambda: reranker.scores(query, passages, seconds))
        except Error as error:
            return None, f"the reranker did not take part: {error.message}"
        return dict(zip(texts, scores, strict=True)), ""

    def _held(self) -> ModelIdentity | None:
        """The model whose vectors the store has."""
        try:
            connection = self._store.connection()
            model_id = answering_model(connection) if self._store.own else None
            return None if model_id is None else model_with_id(connection, model_id)
        except sqlite3.DatabaseError as error:
            raise translated(self._store.path, error) from error


class _Recent(Generic[Value]):
    """The answers to the latest questions."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: OrderedDict[Hashable, Value] = OrderedDict()

    def get(self, question: Hashable, answer: Callable[[], Value]) -> Value:
        """The answer, which is looked for only when it is not held."""
        with self._lock:
            if question in self._held:
                self._held.move_to_end(question)
                return self._held[question]
        found = answer()
        with self._lock:
            self._held[question] = found
            while len(self._held) > _REMEMBERED:
                self._held.popitem(last=False)
        return found


def _passage(row: SectionRow) -> str:
    return f"{row.heading_path}\n{row.text}"


def _mismatch(held: ModelIdentity, wanted: ModelIdentity) -> str:
    if held.name != wanted.name:
        return f"the store's vectors are of {held.name}, and {wanted.name} is configured here"
    return f"the store's vectors are of another state of {held.name} than the one that is configured here"
