"""The hybrid ranking: by words and by meaning, every candidate judged by both, and once more by a reranker."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from drawwell.corpus.operations.paths import Scope
from drawwell.corpus.operations.plain import Ranked
from drawwell.corpus.operations.view import Look
from drawwell.errors import StoreError
from drawwell.retrieval.fusion import CONVEX, Fusion, fuse

__all__ = ["POOL", "HybridRanking", "Leg", "Place"]

Place = tuple[int, int]
"""doc_id and ordinal of a section."""
POOL = 100
"""Candidates of each leg that are fused. What words find beyond them follows in its own order."""


class Leg(Protocol):
    """The ranking by words."""

    shown: Sequence[str]
    loose: bool

    def top(self, scope: Scope, wanted: int) -> list[Ranked]:
        """The best sections."""

    def scores(self, places: Collection[Place], /) -> dict[Place, float]:
        """What it says of others."""

    def missed(self) -> list[str]:
        """What to say of them."""


class DenseLeg(Protocol):
    """The ranking by vectors."""

    state: str
    """Changes when the vectors do."""

    def top(self, scope: Scope, wanted: int) -> dict[Place, float]:
        """The sections in scope whose cosines are highest."""

    def scores(self, places: Collection[Place], /) -> dict[Place, float]:
        """The cosines of others; without those that have no vector."""


class HybridRanking:
    """Words and vectors.

    Args:
        look: the store.
        words: the ranking by words.
        dense: that by vectors; None without.
        fusion: how their scores become one.
        judged: what a reranker said of the best ones, by the generation of the document and the ordinal: these come
            first; None when it was not asked.
    """

    def __init__(
        self,
        look: Look,
        words: Leg,
        dense: DenseLeg | None,
        fusion: Fusion = CONVEX,
        judged: Mapping[Place, float] | None = None,
    ) -> None:
        self._look = look
        self._words = words
        self._dense = dense
        self._fusion = fusion
        self._judged = _known(look, judged or {})
        self.mode = "lexical" if dense is None else "hybrid"
        self.legs: tuple[str, ...] = (
            "words",
            *(["vectors"] if dense is not None else []),
            *(["reranker"] if judged else []),
        )
        self.shown = words.shown
        self.loose = False
        self._alike = False
        self._fault = ""

    def top(self, scope: Scope, wanted: int) -> list[Ranked]:
        """The best sections, best first, ties in the order of path and ordinal. Without vectors that are damaged."""
        try:
            return self._top(scope, wanted)
        except StoreError as error:
            if self._dense is None:
                raise
            self._dense, self._fault = None, f"{error.message}: words alone were searched"
            self.mode, self.legs = "lexical", tuple(leg for leg in self.legs if leg != "vectors")
            return self._top(scope, wanted)

    def _top(self, scope: Scope, wanted: int) -> list[Ranked]:
        ranked = [(self._place(one), one) for one in self._words.top(scope, max(wanted, POOL))]
        words = {place: one.score for place, one in ranked if place[1] >= 0}
        near = {} if self._dense is None else self._dense.top(scope, POOL)
        likely = {} if self._words.loose and near else dict(list(words.items())[:POOL])
        self.loose = self._words.loose or not words
        self._alike = self.loose and bool(near)
        fused = self._fused(likely, near)
        at = self._look.table.by_doc_id
        order = sorted(fused, key=lambda place: (-fused[place], at[place[0]], place[1]))
        first = sorted((place for place in order if place in self._judged), key=lambda place: -self._judged[place])
        hits = [Ranked(self._judged[place], place=place) for place in first]
        hits += [Ranked(fused[place], place=place) for place in order if place not in self._judged]
        hits += [one for place, one in ranked if place not in fused]
        return hits[:wanted]

    def missed(self) -> list[str]:
        """What is wrong with the vectors; what the words' ranking says, or that the hits are alike in meaning only."""
        faults = [self._fault] if self._fault else []
        if self._alike:
            return [*faults, "no section holds the words of the query: these are the nearest in meaning"]
        return [*faults, *self._words.missed()]

    def _fused(self, words: Mapping[Place, float], near: Mapping[Place, float]) -> dict[Place, float]:
        """All candidates, each scored by both legs."""
        lexical, cosines = dict(words), dict(near)
        if words:
            lexical.update(self._words.scores([place for place in near if place not in words]))
        if self._dense is not None:
            cosines.update(self._dense.scores([place for place in words if place not in near]))
        return fuse(lexical, cosines, self._fusion, self._share_of_code(list(cosines)) if cosines else 0.0)

    def _share_of_code(self, places: Sequence[Place]) -> float:
        """How many of some sections are source code and nothing else."""
        wanted = ", ".join(["(?, ?)"] * len(places))
        sql = (
            f"WITH wanted (doc_id, ordinal) AS (VALUES {wanted}) SELECT count(*) FROM wanted"
            " CROSS JOIN sections s ON s.doc_id = wanted.doc_id AND s.ordinal = wanted.ordinal WHERE s.kind = 'code'"
        )
        values = [number for place in places for number in place]
        return float(self._look.connection.execute(sql, values).fetchone()[0]) / len(places)

    def _place(self, one: Ranked) -> Place:
        if not one.name:
            return one.place
        path, _, ordinal = one.name.rpartition("#")
        table = self._look.table
        return table.doc_ids[table.by_path[path]], int(ordinal)


def _known(look: Look, judged: Mapping[Place, float]) -> dict[Place, float]:
    """What was judged, by doc_id and ordinal; without what is no longer there."""
    table = look.table
    at = table.by_generation
    return {
        (table.doc_ids[at[generation]], ordinal): score
        for (generation, ordinal), score in judged.items()
        if generation in at
    }
