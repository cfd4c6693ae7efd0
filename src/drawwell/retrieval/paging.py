"""Paging: short opaque cursors, and packing items into a token budget. Knows nothing of what is paged."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from drawwell.errors import ArgumentError
from drawwell.model import to_json
from drawwell.text.budget import estimate_tokens

__all__ = ["Pager", "item_tokens", "json_tokens", "take_within"]

_SHAPE = re.compile(r"([0-9]{1,12}(?:-[0-9]{1,12}){0,3})\.([0-9a-f]{8})\.([0-9a-f]{8})")

Item = TypeVar("Item")


class Pager:
    """Makes and reads the cursors of one call.

    A cursor holds positions, and digests of the call and of the generation of the data, so that one that belongs to
    another call or to data that has changed since is refused instead of giving a wrong page.

    Args:
        generation: changes whenever positions may mean something else.
        call: the operation and all arguments that decide what its pages hold (not their size).
    """

    def __init__(self, generation: str, *call: object) -> None:
        self._generation = _digest(generation)
        self._call = _digest(repr(call))

    def cursor(self, *positions: int) -> str:
        """A cursor for up to four positions, each 0 or more."""
        return f"{'-'.join(map(str, positions))}.{self._call}.{self._generation}"

    def positions(self, cursor: str | None, count: int = 1) -> tuple[int, ...]:
        """The positions in a cursor of this call; all 0 without a cursor.

        Args:
            cursor: what an earlier answer gave as ``next``; None or empty to begin.
            count: how many positions such a cursor holds.

        Raises:
            ArgumentError: it is no cursor, belongs to another call, or the data has changed since.
        """
        if not cursor:
            return (0,) * count
        match = _SHAPE.fullmatch(cursor) if isinstance(cursor, str) else None
        takes = "the next of an earlier answer to the same call"
        if match is None:
            raise ArgumentError("cursor", cursor, takes, "Leave it out to begin")
        positions = tuple(map(int, match[1].split("-")))
        if match[2] != self._call or len(positions) != count:
            raise ArgumentError("cursor", cursor, takes, "Repeat the other arguments, or leave it out to begin")
        if match[3] != self._generation:
            raise ArgumentError("cursor", cursor, takes, "The content has changed since: start again without a cursor")
        return positions


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def json_tokens(result: Any) -> int:
    """Estimated tokens of a result of ``model`` in its JSON form."""
    return estimate_tokens(json.dumps(to_json(result), ensure_ascii=False))


def item_tokens(item: Any) -> int:
    """Estimated tokens of a result of ``model`` in its JSON form as an item of a list, with the comma after it."""
    return estimate_tokens(json.dumps(to_json(item), ensure_ascii=False) + ", ")


def take_within(items: Iterable[Item], cost: Callable[[Item], int], max_tokens: int | None) -> list[Item]:
    """The longest run of first items that fits a budget, but at least one item.

    Args:
        items: in order; read only as far as needed.
        cost: estimated tokens of one item.
        max_tokens: the budget; None for no bound.
    """
    taken: list[Item] = []
    left = max_tokens
    for item in items:
        if left is not None:
            left -= cost(item)
            if taken and left < 0:
                break
        taken.append(item)
    return taken
