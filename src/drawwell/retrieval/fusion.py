"""Fusion: one order from the scores of two legs, words and vectors.

``convex`` adds normalised scores, each with its weight (Bruch, Gai and Ingber, *An Analysis of Fusion Functions for
Hybrid Retrieval*, 2022): how many standard deviations a candidate stands above the mean of all candidates. Where one
leg tells them apart better than the other, it decides more; ``docs/decisions/fusion.md`` has what else was measured.
Every candidate is scored by both legs before; where one cannot (a section without a vector yet), the mean stands in,
for 0 would be a judgement. ``reciprocal`` adds 1 / (60 + rank) (Cormack, Clarke and Büttcher, 2009).
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from statistics import fmean, pstdev
from typing import TypeVar

__all__ = ["CONVEX", "FUSIONS", "Fusion", "Weights", "fuse"]

FUSIONS = ("convex", "reciprocal")
_RANK_CONSTANT = 60

Item = TypeVar("Item", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Weights:
    """What each leg counts.

    Attributes:
        words: of the score by words.
        dense: of the cosine.
        dense_of_code: of the cosine where all candidates are source code, whose words say little of what it is for; in
            between where some are. None for ``dense``.
    """

    words: float
    dense: float
    dense_of_code: float | None = None


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


def fuse(
    words: Mapping[Item, float], dense: Mapping[Item, float], fusion: Fusion = CONVEX, code: float = 0.0
) -> dict[Item, float]:
    """The fused score of every item that a leg has scored.

    Args:
        words: scores by words, 0 or more; empty when nothing holds any.
        dense: cosines; empty without vectors.
        fusion: how.
        code: share of the candidates that are source code.

    Returns:
        Scores, higher is better; of a convex sum on the measure of the words, or of the cosines where there are none.
    """
    if fusion.method == "reciprocal":
        return _reciprocal(words, dense)
    weights = fusion.weights or _fitted()
    meaning = weights.dense
    if weights.dense_of_code is not None:
        meaning += code * (weights.dense_of_code - meaning)
    legs = [(weight, scores) for weight, scores in ((weights.words, words), (meaning, dense)) if scores]
    whole = sum(weight for weight, _ in legs)
    fused = dict.fromkeys([*words, *dense], 0.0)
    for weight, scores in legs:
        middle, spread = fmean(scores.values()), pstdev(scores.values())
        for item, score in scores.items():
            fused[item] += weight / whole * (score - middle) / (spread or 1.0)
    if not legs:
        return fused
    measure = legs[0][1].values()
    middle, spread = fmean(measure), pstdev(measure) or 1.0
    return {item: middle + spread * score for item, score in fused.items()}


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
