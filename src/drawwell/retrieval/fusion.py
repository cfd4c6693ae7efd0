"""Fusion: one order from the scores of two legs, words and vectors.

``convex`` adds normalised scores, each with its weight: words by the query's best hit, cosines as they are (Bruch, Gai
and Ingber, *An Analysis of Fusion Functions for Hybrid Retrieval*, 2022). ``reciprocal`` adds 1 / (60 + rank) (Cormack,
Clarke and Büttcher, 2009). Every candidate is scored by both legs before; where one cannot (a section without a vector
yet), the middle of its other scores stands in, for 0 would be a judgement.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from statistics import median
from typing import TypeVar

__all__ = ["CONVEX", "FUSIONS", "Fusion", "Weights", "fuse"]

FUSIONS = ("convex", "reciprocal")
_RANK_CONSTANT = 60

Item = TypeVar("Item", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Weights:
    """What each leg counts.

    Attributes:
        words: of the score by words, as a share of the query's best.
        dense: of the cosine.
    """

    words: float
    dense: float


@dataclass(frozen=True, slots=True)
class Fusion:
    """How two legs become one order.

    Attributes:
        method: one of ``FUSIONS``.
        weights: of the legs in a convex sum; None for those of the data file.
    """

    method: str = "convex"
    weights: Weights | None = None


CONVEX = Fusion()


def fuse(words: Mapping[Item, float], dense: Mapping[Item, float], fusion: Fusion = CONVEX) -> dict[Item, float]:
    """The fused score of every item that a leg has scored.

    Args:
        words: scores by words, 0 or more; empty when nothing holds any.
        dense: cosines; empty without vectors.
        fusion: how.

    Returns:
        Scores, higher is better; of a convex sum at most 1.
    """
    if fusion.method == "reciprocal":
        return _reciprocal(words, dense)
    weights = fusion.weights or _fitted()
    best = max(words.values(), default=0.0)
    legs = [(weights.words, {item: score / best for item, score in words.items()})] if best > 0.0 else []
    legs += [(weights.dense, dict(dense))] if dense else []
    whole = sum(weight for weight, _ in legs) or 1.0
    fused = dict.fromkeys([*words, *dense], 0.0)
    for weight, scores in legs:
        middle = median(scores.values())
        for item in fused:
            fused[item] += weight / whole * scores.get(item, middle)
    return fused


def _reciprocal(*legs: Mapping[Item, float]) -> dict[Item, float]:
    fused: dict[Item, float] = {}
    for leg in legs:
        for rank, item in enumerate(sorted(leg, key=lambda one: -leg[one]), 1):
            fused[item] = fused.get(item, 0.0) + 1 / (_RANK_CONSTANT + rank)
    return fused


@cache
def _fitted() -> Weights:
    """The weights in force, from the one data file."""
    return Weights(**json.loads(files(__package__).joinpath("weights.json").read_text(encoding="utf-8")))
