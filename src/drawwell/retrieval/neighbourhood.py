"""What stands beside a hit speaks for it: a share of the neighbours' scores is added to its own.

A question's words are often spread over a passage: in a dialogue the answer stands next to the turn that asks, in a
page the section after the one that names the thing.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["POOL", "lifted"]

POOL = 100
"""Best hits whose scores are looked at; all that tie with the last of them are in."""

_SHARES = {1: 0.1, 2: 0.05}
"""Share of a neighbour's score by how many sections away it stands, on both sides."""


def lifted(hits: Sequence[tuple[float, int]]) -> list[tuple[float, int]]:
    """Hits with the support of their neighbours.

    Args:
        hits: score and key (``words.key_of``: sections of one document that follow each other have consecutive keys),
            best first; at least ``POOL`` of them where there are as many.

    Returns:
        The same hits, best first, ties by ascending key. Those beyond the pool keep score and order, so that asking for
        more hits makes the list longer and changes nothing at its beginning.
    """
    least = hits[POOL - 1][0] if len(hits) > POOL else 0.0
    pool = {key: score for score, key in hits if score >= least}
    ranked = [(score + _support(pool, key), key) for key, score in pool.items()]
    ranked.sort(key=lambda hit: (-hit[0], hit[1]))
    return [*ranked, *hits[len(pool) :]]


def _support(pool: dict[int, float], key: int) -> float:
    """What the neighbours in the pool add. Ordinals never reach the ends of their range, so documents do not touch."""
    return sum(share * (pool.get(key - away, 0.0) + pool.get(key + away, 0.0)) for away, share in _SHARES.items())
