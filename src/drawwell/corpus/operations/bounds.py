"""Checks of arguments that several operations share. Out of bounds is an error everywhere, never clamped."""

from __future__ import annotations

from drawwell.errors import ArgumentError

__all__ = ["MAX_BUDGET", "MIN_BUDGET", "check_budget", "check_flag", "check_whole"]

MIN_BUDGET = 200
MAX_BUDGET = 100_000


def check_whole(parameter: str, value: object, low: int, high: int) -> None:
    """Refuse what is not a whole number from ``low`` to ``high``.

    Raises:
        ArgumentError: it is not.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        advice = f"Give a number, such as {max(low, 1)}"
        if isinstance(value, int) and not isinstance(value, bool):
            advice = f"The nearest is {low if value < low else high}"
        raise ArgumentError(parameter, value, f"a whole number from {low} to {high}", advice)


def check_budget(max_tokens: object) -> None:
    """Refuse a token budget out of bounds; None stands for no budget.

    Raises:
        ArgumentError: it is neither None nor a whole number within the bounds.
    """
    if max_tokens is not None:
        check_whole("max_tokens", max_tokens, MIN_BUDGET, MAX_BUDGET)


def check_flag(parameter: str, value: object) -> None:
    """Refuse what is not a boolean.

    Raises:
        ArgumentError: it is not.
    """
    if not isinstance(value, bool):
        raise ArgumentError(parameter, value, "true or false")
