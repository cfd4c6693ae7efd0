"""The ranking by vectors: those of a store in memory, followed as they are committed, and one query's look at them."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from drawwell.corpus.operations.hybrid import Place
from drawwell.corpus.operations.paths import Scope
from drawwell.corpus.operations.view import Look
from drawwell.corpus.store.vectors import exact_rows, newest_row, sections_embedded, vector_rows
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
    """The vectors of one model as of one commit, and how they stand to one state of the store.

    Attributes:
        store: when the store was made, which tells one store in the same place from another.
        model_id: the model.
        newest: the last row of ``drawwell_embedded`` that is in it.
        table: the vectors.
        generation: of the store's content, for what follows.
        lacking: sections without a vector.
        dead: vectors of texts that are gone.
    """

    store: str
    model_id: int
    newest: int
    table: VectorTable
    generation: str = ""
    lacking: int = 0
    dead: int = 0


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
        return VectorLeg(look, loaded, vector)

    def _latest(self, look: Look, model_id: int) -> _Loaded:
        """What is loaded and was committed since. It may hold more than the look, which is passed over."""
        from drawwell.retrieval.dense import VectorTable  # numpy, which only this search needs

        store, newest = look.meta("drawwell.created") or "", newest_row(look.connection)
        with self._lock:
            held = self._loaded
            if held is None or (held.store, held.model_id) != (store, model_id):
                held = _Loaded(store, model_id, 0, VectorTable.empty())
            if (held.newest, held.generation) != (newest, look.generation):
                held = _grown(held, look, newest)
                if held.dead > _MOST_DEAD * len(held.table):
                    held = _grown(_Loaded(store, model_id, 0, VectorTable.empty()), look, newest)
            self._loaded = held
            return held


def _grown(held: _Loaded, look: Look, newest: int) -> _Loaded:
    """With what was committed since, and how all of it stands to the store as it is now."""
    table = held.table
    if held.newest < newest:
        rows = vector_rows(look.connection, held.model_id, held.newest)
        added = [(key_of(generation, ordinal), codes) for generation, ordinal, codes in rows]
        if table.holds(
            [key for key, _ in added]
        ):  # the same model made them anew: those that are held are not in force
            return _grown(replace(held, newest=0, table=table.empty()), look, newest)
        table = table.extended(added)
    alive = look.table.by_generation
    dead = sum(count for generation, count in table.generations.items() if generation not in alive)
    lacking = sections_embedded(look.connection, held.model_id)[1]
    return replace(
        held, newest=max(held.newest, newest), table=table, generation=look.generation, lacking=lacking, dead=dead
    )


class VectorLeg:
    """The ranking of a store's sections by their cosine with a query.

    Args:
        look: the store.
        loaded: its vectors.
        vector: the query's.

    Attributes:
        state: changes when the vectors do.
        lacking: sections of the store that have none.
    """

    def __init__(self, look: Look, loaded: _Loaded, vector: Vectors) -> None:
        self._look = look
        self._loaded = loaded
        self._vector = vector
        self.state = f"{loaded.model_id}-{loaded.newest}"
        self.lacking = loaded.lacking

    def top(self, scope: Scope, wanted: int) -> dict[Place, float]:
        """The sections in scope whose cosines are highest, best first."""
        table = self._look.table
        documents: Sequence[int] | None = None
        if scope.places is not None:
            documents = [table.generations[place] for place in scope.places]
        elif self._loaded.dead:
            documents = table.generations
        best = self._loaded.table.top(self._vector, wanted, documents, self._exact)
        return {self._place(key): score for score, key in best}

    def scores(self, places: Collection[Place]) -> dict[Place, float]:
        """The cosines of some sections; without those that have no vector."""
        table = self._look.table
        keys = [key_of(table.generations[table.by_doc_id[doc_id]], ordinal) for doc_id, ordinal in places]
        return {
            self._place(key): score for key, score in self._loaded.table.scores(self._vector, keys, self._exact).items()
        }

    def _place(self, key: int) -> Place:
        generation, ordinal = place_of(key)
        table = self._look.table
        return table.doc_ids[table.by_generation[generation]], ordinal

    def _exact(self, keys: Sequence[int]) -> dict[int, bytes]:
        """The exact copies of the vectors with some keys."""
        places = {self._place(key): key for key in keys}
        rows = exact_rows(self._look.connection, self._loaded.model_id, list(places))
        return {places[doc_id, ordinal]: exact for doc_id, ordinal, exact in rows}
