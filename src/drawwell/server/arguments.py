"""Checking what a model sends, and repairing what it plainly meant.

Driven by a tool's schema alone. Repaired: the whole object or a list sent as JSON in a string, other names of an
argument, one string where a list is taken, numbers and booleans sent as strings, an empty string for "not given".
Everything else is an error that names the argument, what it got and what it takes; nothing is clamped or dropped.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from drawwell.errors import ArgumentError

__all__ = ["Arguments", "check_arguments", "takes"]

Arguments = dict[str, Any]
"""Arguments by the names of the schema: checked, with defaults filled in."""

_INTEGER = re.compile(r"[+-]?[0-9]{1,15}(?:\.0{1,15})?")
_NUMBER = re.compile(r"[+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?")
_BOOLEANS = {"true": True, "false": False, "1": True, "0": False}
_SHOWN_NAME = 60


class _Nothing:
    """Shown in messages where no value was sent."""

    def __repr__(self) -> str:
        return "nothing"


class _WrongTypeError(Exception):
    """The value cannot be what its schema asks for."""


def check_arguments(
    tool: str, schema: Mapping[str, Any], raw: object, aliases: Mapping[str, str] | None = None
) -> Arguments:
    """Repair and check the arguments of a call.

    Args:
        tool: name of the tool, for messages.
        schema: its flat JSON Schema, of type object.
        raw: what was sent: an object, JSON of one, or None.
        aliases: other names of arguments; spellings that differ in case or in ``_`` and ``-`` are known anyway.

    Returns:
        Arguments that fit the schema; those not sent have their defaults, or are absent.

    Raises:
        ArgumentError: names the argument, what it got and what it takes.
    """
    properties: Mapping[str, Any] = schema.get("properties", {})
    required = frozenset(schema.get("required", ()))
    usage = _usage(tool, properties, required)
    given = _by_name(_as_object(raw, usage), properties, aliases or {}, usage, tool)
    checked: Arguments = {}
    for name, spec in properties.items():
        value = given.get(name)
        if _is_unset(value, spec, name in required):
            if name in required:
                raise ArgumentError(name, _Nothing(), f"{takes(spec)} (required)", usage)
            if "default" in spec:
                checked[name] = spec["default"]
            continue
        checked[name] = _check(name, value, spec, usage)
    return checked


def takes(spec: Mapping[str, Any]) -> str:
    """What a schema asks for, in words: ``an integer from 1 to 50``."""
    if "enum" in spec:
        return "one of " + ", ".join(repr(choice) for choice in spec["enum"])
    kind = spec["type"]
    if kind in ("integer", "number"):
        return f"{'an' if kind == 'integer' else 'a'} {kind}{_range(spec.get('minimum'), spec.get('maximum'))}"
    if kind == "string":
        bounds = _range(spec.get("minLength"), spec.get("maxLength"))
        return f"a string{' of length' + bounds if bounds else ''}"
    if kind == "array":
        bounds = _range(spec.get("minItems"), spec.get("maxItems"))
        return f"a list of {spec['items']['type']}s{', length' + bounds if bounds else ''}"
    return {"boolean": "true or false", "object": "an object"}[kind]


def _range(low: float | None, high: float | None) -> str:
    if low is None:
        return "" if high is None else f" up to {high}"
    return f" of at least {low}" if high is None else f" from {low} to {high}"


def _usage(tool: str, properties: Mapping[str, Any], required: frozenset[str]) -> str:
    names = [f"{name} (required)" if name in required else name for name in properties]
    return f"{tool} takes {', '.join(names)}" if names else f"{tool} takes no arguments"


def _as_object(raw: object, usage: str) -> Mapping[str, Any]:
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        return {}
    value = _parse_json(raw) if isinstance(raw, str) else raw
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise ArgumentError("arguments", raw, "an object", usage)
    return value


def _parse_json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _squeezed(name: str) -> str:
    return name.replace("_", "").replace("-", "").replace(" ", "").casefold()


def _by_name(
    sent: Mapping[str, Any], properties: Mapping[str, Any], aliases: Mapping[str, str], usage: str, tool: str
) -> dict[str, Any]:
    """The values sent, under the names of the schema."""
    known = {_squeezed(alias): name for alias, name in aliases.items()}
    known.update({_squeezed(name): name for name in properties})
    given: dict[str, Any] = {}
    for label, value in sent.items():
        name = label if label in properties else known.get(_squeezed(label[:_SHOWN_NAME]))
        if name is None:
            raise ArgumentError(
                label[:_SHOWN_NAME], value, f"nothing: {tool} has no such argument", _nearest(label, known, usage)
            )
        before = given.get(name)
        if before in (None, "", []) or before == value:
            given[name] = value
        elif value not in (None, "", []):
            raise ArgumentError(label, value, f"one value, but {name} was given twice", usage)
    return given


def _nearest(label: str, known: Mapping[str, str], usage: str) -> str:
    close = difflib.get_close_matches(_squeezed(label[:_SHOWN_NAME]), known, n=1, cutoff=0.6)
    return f"Did you mean {known[close[0]]}? {usage}" if close else usage


def _is_unset(value: object, spec: Mapping[str, Any], required: bool) -> bool:
    if value is None or value == []:
        return True
    if not isinstance(value, str) or value.strip():
        return False
    # A required string may be meant to be empty: an empty query has an answer, if an empty one.
    return not (required and spec["type"] == "string")


def _check(name: str, value: object, spec: Mapping[str, Any], usage: str) -> Any:
    try:
        repaired = _COERCE[spec["type"]](value, spec)
    except _WrongTypeError:
        raise ArgumentError(name, value, takes(spec), usage) from None
    if "enum" in spec:
        return _choose(name, value, repaired, spec)
    if spec["type"] == "array":
        repaired = [_check(f"{name}[{number}]", item, spec["items"], usage) for number, item in enumerate(repaired)]
    if not _within_bounds(repaired, spec):
        raise ArgumentError(name, value, takes(spec), usage)
    return repaired


def _within_bounds(value: Any, spec: Mapping[str, Any]) -> bool:
    if spec["type"] in ("integer", "number"):
        size, low, high = value, spec.get("minimum"), spec.get("maximum")
    elif spec["type"] == "string":
        size, low, high = len(value), spec.get("minLength"), spec.get("maxLength")
    elif spec["type"] == "array":
        size, low, high = len(value), spec.get("minItems"), spec.get("maxItems")
    else:
        return True
    return (low is None or low <= size) and (high is None or size <= high)


def _choose(name: str, value: object, repaired: Any, spec: Mapping[str, Any]) -> Any:
    folded = {str(choice).casefold(): choice for choice in spec["enum"]}
    try:
        return folded[str(repaired).strip().casefold()]
    except KeyError:
        raise ArgumentError(name, value, takes(spec)) from None


def _string(value: object, _spec: Mapping[str, Any]) -> str:
    if not isinstance(value, str):
        raise _WrongTypeError
    # Half of a surrogate pair can be written in JSON and in no encoding.
    return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")


def _integer(value: object, _spec: Mapping[str, Any]) -> int:
    if isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
        return int(value.strip().partition(".")[0])
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise _WrongTypeError


def _number(value: object, _spec: Mapping[str, Any]) -> float:
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return float(value.strip())
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300:
        return value
    raise _WrongTypeError


def _boolean(value: object, _spec: Mapping[str, Any]) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, str)) and (flag := _BOOLEANS.get(str(value).strip().casefold())) is not None:
        return flag
    raise _WrongTypeError


def _array(value: object, spec: Mapping[str, Any]) -> list[Any]:
    if isinstance(value, str) and value.lstrip().startswith("["):
        parsed = _parse_json(value)
        if isinstance(parsed, list):
            return parsed
    if isinstance(value, str) and spec["items"]["type"] == "string":
        return [value]
    if isinstance(value, (list, tuple)):
        return list(value)
    raise _WrongTypeError


def _object(value: object, _spec: Mapping[str, Any]) -> dict[str, Any]:
    parsed = _parse_json(value) if isinstance(value, str) else value
    if not isinstance(parsed, dict):
        raise _WrongTypeError
    return parsed


_COERCE: Mapping[str, Callable[[Any, Mapping[str, Any]], Any]] = {
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "array": _array,
    "object": _object,
}
