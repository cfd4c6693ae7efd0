"""Numbers of a spreadsheet as their number formats show them; dates as ISO 8601 has them.

Source: ECMA-376, part 1, 18.8.30 and 18.8.31 (``numFmt``).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial

__all__ = ["BUILT_IN", "Formatter", "date_text", "formatter", "general"]

Formatter = Callable[[float], str]
"""A number to its text."""

BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: '"$"#,##0;-"$"#,##0', 6: '"$"#,##0;-"$"#,##0',
    7: '"$"#,##0.00;-"$"#,##0.00', 8: '"$"#,##0.00;-"$"#,##0.00', 9: "0%", 10: "0.00%", 11: "0.00E+00",
    14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm", 19: "h:mm:ss", 20: "h:mm", 21: "h:mm:ss",
    22: "yyyy-mm-dd h:mm", **dict.fromkeys(range(27, 32), "yyyy-mm-dd"), 32: "h:mm", 33: "h:mm:ss",
    **dict.fromkeys((34, 35), "h:mm"), 36: "yyyy-mm-dd", 37: "#,##0;-#,##0", 38: "#,##0;-#,##0",
    39: "#,##0.00;-#,##0.00", 40: "#,##0.00;-#,##0.00", 41: "#,##0;-#,##0", 42: '"$"#,##0;-"$"#,##0',
    43: "#,##0.00;-#,##0.00", 44: '"$"#,##0.00;-"$"#,##0.00', 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0",
    48: "##0.0E+0", **dict.fromkeys(range(50, 59), "yyyy-mm-dd"),
}  # fmt: skip
"""Formats that files name by number only. Number 12 and 13, fractions, are shown as decimals."""

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|[_*].|\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[(?P<elapsed>h+|m+|s+)\]|\[[^\]]*\]'
    r"|(?P<exponent>E[+-])|(?P<noon>AM/PM|A/P)|(?P<general>General)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_PLACES = "0#?"
_LIMIT = 1e15  # beyond it a float holds no more digits, and Excel shows none
_EPOCH_1900 = datetime(1899, 12, 30)  # noqa: DTZ001 - sheets know no time zones
_EPOCH_1904 = datetime(1904, 1, 1)  # noqa: DTZ001
_ORDINAL = _EPOCH_1900.toordinal()
_LAST_DAY = date.max.toordinal() - _ORDINAL
_LEAP_BUG = 60  # Excel believes in 29 February 1900; days before it count from one day later


@dataclass(frozen=True, slots=True)
class _Section:
    """One part of a format code: for positive, negative, or no amount.

    Attributes:
        tokens: pairs of ``place``, ``literal`` and so on with their text.
        percent: how often the value is multiplied by 100.
        thousands: whether digits are grouped.
        scale: how often it is divided by 1000.
        least: decimals that are always shown.
        most: decimals that are shown at most.
        exponent: whether it is in scientific notation.
        before: what stands before the number.
        after: what stands after it.
        plain: how Python writes the number, when that is all there is to it; else empty.
    """

    tokens: tuple[tuple[str, str], ...]
    percent: int = 0
    thousands: bool = False
    scale: int = 0
    least: int = 0
    most: int = 0
    exponent: bool = False
    before: str = ""
    after: str = ""
    plain: str = ""


def formatter(code: str, *, date1904: bool = False) -> Formatter:
    """What shows numbers in a format.

    Args:
        code: the format's code, such as ``#,##0.00``.
        date1904: whether the workbook counts days from 1904.
    """
    sections = [_tokens(part) for part in _split(code)]
    first = sections[0]
    letters = {text.lower() for kind, text in first if kind == "date"}
    if letters:
        timed = bool(letters & {"h", "s", "noon", "elapsed"})
        dated = bool(letters & {"y", "d"}) or ("m" in letters and not timed)
        if dated and not timed and not date1904:
            return _day
        return partial(date_text, dated=dated, timed=timed, elapsed="elapsed" in letters, date1904=date1904)
    if not any(kind == "place" for kind, _ in first) or any(kind in ("general", "slash") for kind, _ in first):
        return general
    return partial(_amount, [_section(tokens) for tokens in sections])


def general(value: float) -> str:
    """A number without a format: up to 15 digits."""
    if value == int(value) and abs(value) < _LIMIT:
        return str(int(value))
    return format(value, ".15g")


def date_text(
    value: float, *, dated: bool = True, timed: bool = False, elapsed: bool = False, date1904: bool = False
) -> str:
    """A day's number as a date, a time or both; the number itself where it is no day of this calendar."""
    if elapsed:
        seconds = round(abs(value) * 86_400)
        sign = "-" if value < 0 else ""
        return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if dated and not date1904 and int(value) == _LEAP_BUG:
        return "1900-02-29"
    if not date1904 and 0 < value < _LEAP_BUG:
        value += dated and value >= 1
    try:
        days = int(value)
        moment = (_EPOCH_1904 if date1904 else _EPOCH_1900) + timedelta(days, round((value - days) * 86_400))
    except (OverflowError, ValueError):
        return general(value)
    if value < 0:
        return general(value)
    clock = moment.strftime("%H:%M:%S") if moment.second else moment.strftime("%H:%M")
    if not dated or (timed and value < 1):
        return clock
    return f"{moment.date().isoformat()} {clock}" if timed else moment.date().isoformat()


def _day(value: float) -> str:
    """A date without a time, the common case."""
    days = int(value)
    if _LEAP_BUG < days < _LAST_DAY:
        return date.fromordinal(days + _ORDINAL).isoformat()
    return date_text(value)


def _split(code: str) -> list[str]:
    """The sections of a code, which semicolons outside of quotes divide."""
    parts = [""]
    for match in _TOKEN.finditer(code):
        if match[0] == ";":
            parts.append("")
        else:
            parts[-1] += match[0]
    return parts[:4]


def _tokens(part: str) -> list[tuple[str, str]]:
    found = []
    for match in _TOKEN.finditer(part):
        kind = match.lastgroup
        text = match[kind] if kind else ""
        if kind in ("quoted", "escaped", "currency"):
            found.append(("literal", text))
        elif kind in ("elapsed", "noon"):
            found.append(("date", kind))
        elif kind in ("exponent", "general"):
            found.append((kind, text))
        elif kind == "other":
            found.append((_kind(text), text))
        elif match[0].startswith("_"):
            found.append(("literal", " "))
    return found


def _kind(char: str) -> str:
    if char in _PLACES:
        return "place"
    if char.lower() in "ymdhs":
        return "date"
    return {"%": "percent", ",": "comma", ".": "point", "/": "slash"}.get(char, "literal")


def _section(tokens: list[tuple[str, str]]) -> _Section:
    kinds = [kind for kind, _ in tokens]
    places = [at for at, kind in enumerate(kinds) if kind == "place"]
    exponent = "exponent" in kinds
    end = kinds.index("exponent") if exponent else len(kinds)
    point = kinds.index("point", 0, end) if "point" in kinds[:end] else end
    decimals = [tokens[at][1] for at in places if point < at < end]
    last_whole = max((at for at in places if at < point), default=-1)
    commas = [at for at in range(len(kinds)) if kinds[at] == "comma"]
    last = places[-1] if places else -1
    thousands = any(places and places[0] < at < last_whole for at in commas)
    scale = sum(at > last or last_whole < at < point < end for at in commas) if places else 0
    wholes = sum(tokens[at][1] == "0" for at in places if at < point)
    inner = kinds[places[0] : last] if places else []
    simple = wholes <= 1 and not (exponent or scale or "literal" in inner or decimals.count("0") != len(decimals))
    return _Section(
        tokens=tuple(tokens),
        percent=kinds.count("percent"),
        thousands=thousands,
        scale=scale,
        least=decimals.count("0"),
        most=len(decimals),
        exponent=exponent,
        before=_literals(tokens[: places[0]]) if places else _literals(tokens),
        after=_literals(tokens[last + 1 :]) if places else "",
        plain=f"{',' * thousands}.{len(decimals)}f" if simple and places else "",
    )


def _amount(sections: list[_Section], value: float) -> str:
    section = sections[0]
    if value < 0 and len(sections) > 1:
        section = sections[1]
    elif value == 0 and len(sections) > 2:
        section = sections[2]
        if not any(text == "0" for kind, text in section.tokens if kind == "place"):
            return " ".join((section.before + section.after).split())  # a dash, as a rule
    text = _shown(section, abs(value))
    if value < 0 and any(char in "123456789" for char in text):
        signed = section is not sections[0] and any(sign in section.before + section.after for sign in "-(−")
        return text if signed else f"-{text}"
    return text


def _shown(section: _Section, value: float) -> str:
    """A value that is not negative, with the literals of its section around it."""
    places = [at for at, (kind, _) in enumerate(section.tokens) if kind == "place"] if not section.plain else []
    number = _digits(section, value)
    if places:
        inner = section.tokens[places[0] : places[-1] + 1]
        if any(kind == "literal" for kind, _ in inner) and number.isdecimal() and not section.exponent:
            number = _patterned(inner, number)
    elif not section.plain:
        number = ""
    text = section.before + number + section.after
    return " ".join(text.split()) if " " in text else text


def _digits(section: _Section, value: float) -> str:
    scaled = value * 100 ** min(section.percent, 100) / 1000 ** min(section.scale, 100)
    if math.isinf(scaled):
        return general(value)
    if section.exponent:
        mantissa, _, power = f"{scaled:.{section.most}E}".partition("E")
        return f"{mantissa}E{power}"
    if scaled >= _LIMIT:
        return general(scaled)
    # Excel rounds the decimal number that is shown, not the binary one behind it: 1.005 is 1.01.
    rounded = float(f"{scaled:.15g}") + 10.0 ** -(section.most + 9)
    if section.plain:
        return format(rounded, section.plain)
    shown = f"{rounded:.{section.most}f}"
    whole, _, decimals = shown.partition(".")
    while len(decimals) > section.least and decimals.endswith("0"):
        decimals = decimals[:-1]
    point = _point(section)
    zeros = sum(text == "0" for kind, text in section.tokens[:point] if kind == "place")
    whole = whole.zfill(zeros)
    if section.thousands:
        whole = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", ",", whole)
    return f"{whole}.{decimals}" if decimals else whole


def _point(section: _Section) -> int:
    kinds = [kind for kind, _ in section.tokens]
    return kinds.index("point") if "point" in kinds else len(kinds)


def _patterned(tokens: Sequence[tuple[str, str]], digits: str) -> str:
    """Digits put into a pattern such as ``000-0000`` from the right."""
    left = list(digits)
    shown: list[str] = []
    for kind, text in reversed(tokens):
        if kind != "place":
            shown.append(text)
        elif left:
            shown.append(left.pop())
    return "".join(left) + "".join(reversed(shown))


def _literals(tokens: Sequence[tuple[str, str]]) -> str:
    return "".join(text for kind, text in tokens if kind in ("literal", "percent", "point"))
