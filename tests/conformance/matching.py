"""How an expectation is compared with an answer.

An expectation maps places in the answer to what stands there. A place is a path of keys: ``hits.0.id`` is one value,
``hits.id`` takes ``id`` of every hit, ``length`` counts. What stands there is a plain value, compared for equality, or
an object of tests, each of which must hold::

    {"contains": x}     a text, or a list's texts together, contain x (or each of a list)
    {"lacks": x}        the opposite of contains, for each
    {"starts": x}       a text starts with x; for a list, each of its texts does
    {"ends": x}         likewise
    {"includes": [..]}  a list has these items        {"excludes": [..]}  and none of these
    {"first": x}        a list's first item           {"last": x}
    {"at_least": n}     a number, or a list's or text's length               {"at_most": n}
    {"matches": r}      a regular expression is found in a text
    {"empty": bool}     nothing is there: null, "", [] or absent
    {"unique": true}    a list holds nothing twice
    {"each_at_most": n} every number of a list        {"one_of": [..]}
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

__all__ = ["differences", "place"]


class _Absent:
    def __repr__(self) -> str:
        return "<absent>"

    def __bool__(self) -> bool:
        return False


ABSENT = _Absent()


def place(answer: Any, path: str) -> Any:
    """The value at a place of an answer; for a list in the way, the list of its items' values."""
    value = answer
    keys = path.split(".") if path else []
    for number, key in enumerate(keys):
        if key == "length":
            value = len(value) if isinstance(value, (list, dict, str)) else ABSENT
        elif isinstance(value, list) and key.lstrip("-").isdigit():
            value = value[int(key)] if -len(value) <= int(key) < len(value) else ABSENT
        elif isinstance(value, list):
            return [place(item, ".".join(keys[number:])) for item in value]
        elif isinstance(value, dict):
            value = value.get(key.replace("%2E", "."), ABSENT)
        else:
            return ABSENT
    return value


def differences(answer: Any, expect: dict[str, Any]) -> list[str]:
    """What an answer lacks to be as expected, in words; empty when it is."""
    found: list[str] = []
    for path, wanted in expect.items():
        value = place(answer, path)
        if isinstance(wanted, dict):
            found += [
                f"{path}: {test} {argument!r} does not hold for {_shown(value)}"
                for test, argument in wanted.items()
                if not TESTS[test](value, argument)
            ]
        elif value != wanted:
            found.append(f"{path}: wanted {wanted!r}, got {_shown(value)}")
    return found


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 1500 else f"{text[:1000]} ... {text[-400:]}"


def _texts(value: Any) -> list[str]:
    if isinstance(value, (list, tuple)):
        return [text for item in value for text in _texts(item)]
    return [] if value is None or value is ABSENT else [str(value)]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _contains(value: Any, argument: Any) -> bool:
    whole = "\x00".join(_texts(value))
    return all(item in whole for item in _listed(argument))


def _lacks(value: Any, argument: Any) -> bool:
    whole = "\x00".join(_texts(value))
    return not any(item in whole for item in _listed(argument))


def _size(value: Any) -> float:
    if isinstance(value, (int, float)):
        return value
    return len(value) if value else 0


TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "contains": _contains,
    "lacks": _lacks,
    "starts": lambda value, argument: bool(value) and all(text.startswith(argument) for text in _texts(value)),
    "ends": lambda value, argument: bool(value) and all(text.endswith(argument) for text in _texts(value)),
    "includes": lambda value, argument: bool(value) and all(item in value for item in argument),
    "excludes": lambda value, argument: not any(item in (value or ()) for item in argument),
    "first": lambda value, argument: bool(value) and value[0] == argument,
    "last": lambda value, argument: bool(value) and value[-1] == argument,
    "at_least": lambda value, argument: _size(value) >= argument,
    "at_most": lambda value, argument: value is not ABSENT and _size(value) <= argument,
    "matches": lambda value, argument: any(re.search(argument, text) for text in _texts(value)),
    "empty": lambda value, argument: (value is ABSENT or value in (None, "", [], {}, 0, False)) == argument,
    "unique": lambda value, argument: bool(value) and (len(value) == len({str(item) for item in value})) == argument,
    "each_at_most": lambda value, argument: bool(value) and all(item <= argument for item in value),
    "one_of": lambda value, argument: value in argument,
}
