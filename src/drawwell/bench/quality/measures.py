"""Measures of a ranking, and how sure a difference is.

The measures are those of trec_eval, through ir_measures. The gain of a document in nDCG is ``2^grade - 1`` (Burges et
al., Learning to Rank using Gradient Descent, 2005). Intervals are percentile bootstraps over the questions (Efron and
Tibshirani, An Introduction to the Bootstrap, 1993), paired: both systems answer the same resampled questions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import ir_measures
import numpy as np
from ir_measures import RR, R, nDCG

__all__ = ["DEPTH", "Difference", "Scores", "paired_difference", "percentile", "score_rankings"]

DEPTH = 20
"""How many results are looked at."""
_CUTS = (5, 10, 20)
_RESAMPLES = 2000
_SEED = 20260914
_LARGEST_GRADE = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Measures of each question, in the order of the questions; all between 0 and 1.

    Attributes:
        ndcg: nDCG@10.
        reciprocal: reciprocal rank of the first relevant result among ten.
        recall: recall@5, @10 and @20.
        complete: whether all that is relevant is among the first ten: 1 or 0.
    """

    ndcg: tuple[float, ...]
    reciprocal: tuple[float, ...]
    recall: dict[int, tuple[float, ...]]
    complete: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A mean difference with its 95 % interval."""

    mean: float
    low: float
    high: float


def score_rankings(
    relevant: Mapping[str, Mapping[str, int]], rankings: Mapping[str, Sequence[str]], order: Sequence[str]
) -> Scores:
    """Measure rankings against judgements.

    Args:
        relevant: for each question the grades, above 0, of what is relevant.
        rankings: for each question the ids found, best first, each once.
        order: the questions, each of them in ``relevant``.
    """
    judged = {
        one: {name: 2 ** min(grade, _LARGEST_GRADE) - 1 for name, grade in relevant[one].items()} for one in order
    }
    run = {one: {name: float(-place) for place, name in enumerate(rankings[one])} for one in order}
    wanted = [nDCG @ 10, RR @ 10, *(R @ cut for cut in _CUTS)]
    values: dict[tuple[str, str], float] = {}
    for found in ir_measures.iter_calc(wanted, judged, run):
        values[str(found.measure), found.query_id] = float(found.value)
    by_name = {str(one): tuple(values.get((str(one), name), 0.0) for name in order) for one in wanted}
    recall = {cut: by_name[f"R@{cut}"] for cut in _CUTS}
    return Scores(
        ndcg=by_name["nDCG@10"],
        reciprocal=by_name["RR@10"],
        recall=recall,
        complete=tuple(float(value > 1 - 1e-9) for value in recall[10]),
    )


def paired_difference(ours: Sequence[float], theirs: Sequence[float]) -> Difference:
    """How much better ``ours`` is in the mean, with a bootstrap interval of 2,000 resamples; the seed is fixed.

    Args:
        ours: one value for each question; at least one.
        theirs: the same questions in the same order.
    """
    differences = np.asarray(ours, dtype=np.float64) - np.asarray(theirs, dtype=np.float64)
    random = np.random.default_rng(_SEED)
    count = len(differences)
    means = [differences[random.integers(0, count, count)].mean() for _ in range(_RESAMPLES)]
    low, high = np.percentile(means, (2.5, 97.5))
    return Difference(mean=float(differences.mean()), low=float(low), high=float(high))


def percentile(values: Sequence[float], share: int) -> float:
    """A percentile, by linear interpolation; 0 without values."""
    return float(np.percentile(values, share)) if values else 0.0
