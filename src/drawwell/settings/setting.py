"""What a setting is: its type, default, bounds, help and names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Scalar", "Setting"]

Scalar = bool | int | float | str
"""What a setting can hold."""
_TRUE = frozenset(("1", "true", "yes", "on"))
_FALSE = frozenset(("0", "false", "no", "off"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting.

    Attributes:
        name: its name in files and keywords; upper-cased after ``DRAWWELL_`` its environment variable.
        group: what it is about: ``corpus``, ``models``, ``server`` or ``command line``.
        default: its value when nobody sets it. Its type is the setting's type.
        help: one sentence, for ``--help`` and the reference.
        flag: its command-line option; empty when it has none.
        low: smallest number, included.
        high: largest number, included.
        choices: the texts that it takes; empty for any.
        aliases: other environment variables that set it.
        project: whether a project's file may set it. What reaches out of the project may not be set there,
            since a cloned project is not trusted.
        secret: never shown.
        blank: whether an empty environment variable is a value; otherwise it counts as not set.
    """

    name: str
    group: str
    default: Scalar
    help: str
    flag: str = ""
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    project: bool = False
    secret: bool = False
    blank: bool = False

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that set it, strongest first."""
        return (f"DRAWWELL_{self.name.upper()}", *self.aliases)

    @property
    def takes(self) -> str:
        """What it takes, in words."""
        if self.choices:
            return " or ".join(self.choices)
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, str):
            return "text"
        number = "a whole number" if isinstance(self.default, int) else "a number"
        if self.low is not None and self.high is not None:
            return f"{number} from {self.low:,} to {self.high:,}"
        return number

    def check(self, value: Any) -> Scalar:
        """A value of the setting's own type, from a text of the environment or a value of a file or keyword.

        Raises:
            ValueError: it is not one that the setting takes.
        """
        checked: Scalar
        if isinstance(self.default, bool):
            checked = _boolean(value)
        elif isinstance(self.default, str):
            checked = _text(value)
        elif isinstance(self.default, int):
            checked = _whole(value)
        else:
            checked = _number(value)
        if self.choices and checked not in self.choices:
            raise ValueError(value)
        if self.low is not None and self.high is not None and not self.low <= float(checked) <= self.high:
            raise ValueError(value)
        return checked


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = _text(value).strip().lower()
    if word in _TRUE | _FALSE:
        return word in _TRUE
    raise ValueError(value)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise ValueError(value)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError(value)
    return int(value)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(value)
    return float(value)
