"""The ranking by vectors: those of a store in memory, followed as they are committed, and one query's look at them."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from drawwell.corpus.operations.hybrid import Place
from drawwell.corpus.operations.paths import Scope
from drawwell.corpus.operations.view import Look
from drawwell.corpus.store.vectors import exact_rows, newest_row, vector_rows
from drawwell.retrieval.keys import key_of, place_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from drawwell.retrieval.dense import VectorTable

    Vectors = NDArray[np.float32]

__all__ = ["StoredVectors", "VectorLeg"]

_MOST_DEAD = 0.25
"""Share of vectors of texts that are gone, beyond which all are read anew."""


@dataclass(frozen=True, slots=True)
class _Loaded:
    """The vectors of one model as of one commit.

    Attributes:
        store: when the store was made, which tells one store in the same place from another.
        model_id: the model.
        newest: the last row of ``drawwell_embedded`` that is in it.
        table: the vectors.
    """

    store: str
    model_id: int
    newest: int
    table: VectorTable


class StoredVectors:
    """The vectors of one store. For any number of threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None

    def leg(self, look: Look, model_id: int, vector: Vectors) -> VectorLeg:
        """The ranking by vectors for one query in one look.

        Args:
            look: the store.
            model_id: the model whose vectors answer.
            vector: the query's.
        """
        loaded = self._latest(look, model_id)
        return VectorLeg(look, loaded.table, vector, model_id, f"{model_id}-{loaded.newest}")

    def _latest(self, look: Look, model_id: int) -> _Loaded:
        """What is loaded and was committed since. It may hold more than the look, which is passed over."""
        from drawwell.retrieval.dense import VectorTable  # numpy, which only this search needs

        store, newest = look.meta("drawwell.created") or "", newest_row(look.connection)
        with self._lock:
            held = self._loaded
            if held is None or (held.store, held.model_id) != (store, model_id) or self._is_worn(held, look):
                held = _Loaded(store, model_id, 0, VectorTable.empty())
            if held.newest < newest:
                rows = vector_rows(look.connection, model_id, held.newest)
                table = held.table.extended((key_of(generation, ordinal), codes) for generation, ordinal, codes in rows)
                held = _Loaded(store, model_id, newest, table)
            self._loaded = held
            return held

    def _is_worn(self, held: _Loaded, look: Look) -> bool:
        """Whether so many of its vectors are of texts that are gone that it is better read anew."""
        alive = look.table.by_generation
        dead = sum(count for generation, count in held.table.generations.items() if generation not in alive)
        return dead > _MOST_DEAD * len(held.table)


class VectorLeg:
    """The ranking of a store's sections by their cosine with a query.

    Args:
        look: the store.
        table: its vectors.
        vector: the query's.
        model_id: the model of both.
        state: changes when the vectors do.
    """

    def __init__(self, look: Look, table: VectorTable, vector: Vectors, model_id: int, state: str) -> None:
        self._look = look
        self._table = table
        self._vector = vector
        self._model_id = model_id
        self.state = state

    def top(self, scope: Scope, wanted: int) -> dict[Place, float]:
        """The sections in scope whose cosines are highest, best first."""
        table = self._look.table
        places = range(len(table.paths)) if scope.places is None else scope.places
        documents = [table.generations[place] for place in places]
        best = self._table.top(self._vector, wanted, documents, self._exact)
        return {self._place(key): score for score, key in best}

    def scores(self, places: Collection[Place]) -> dict[Place, float]:
        """The cosines of some sections; without those that have no vector."""
        table = self._look.table
        keys = [key_of(table.generations[table.by_doc_id[doc_id]], ordinal) for doc_id, ordinal in places]
        return {self._place(key): score for key, score in self._table.scores(self._vector, keys, self._exact).items()}

    def _place(self, key: int) -> Place:
        generation, ordinal = place_of(key)
        table = self._look.table
        return table.doc_ids[table.by_generation[generation]], ordinal

    def _exact(self, keys: Sequence[int]) -> dict[int, bytes]:
        """The exact copies of the vectors with some keys."""
        places = {self._place(key): key for key in keys}
        rows = exact_rows(self._look.connection, self._model_id, list(places))
        return {places[doc_id, ordinal]: exact for doc_id, ordinal, exact in rows}
