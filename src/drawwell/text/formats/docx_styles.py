"""What the styles and the numbering of a Word document say about its paragraphs.

Source: ECMA-376, part 1, 17.7 (styles) and 17.9 (numbering).
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

from drawwell.text.formats.ooxml import Element, is_on

__all__ = ["WORD", "Label", "Numbering", "Styles", "number_of", "toggle"]

WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_VAL = f"{WORD}val"
_BODY_TEXT = 9  # outline level of what is no heading
_MAX_CHAIN = 32  # styles based on styles; loops end here
_LEVELS = 9
# Built-in styles bear English names in the file whatever the language of Word; other programs write their own.
_HEADING_NAME = re.compile(
    r"(?:heading|überschrift|titre|título|titulo|encabezado|titolo|kop|rubrik|overskrift|otsikko|nagłówek|nadpis"
    r"|заголовок|başlık|見出し|标题|標題|제목)\s*([1-9])"
)
_TITLE_NAMES = frozenset({"title", "titel", "titre principal", "titolo", "tytuł", "название", "表題", "제목", "标题"})
_LIST_NAME = re.compile(r"list (?:bullet|number)(?: ([2-5]))?")


@dataclass(frozen=True, slots=True)
class _Style:
    name: str
    based_on: str
    outline: int | None
    number: tuple[str, int] | None  # id of the numbering and level
    vanish: bool | None


class Styles:
    """The paragraph and character styles of a document.

    Args:
        root: root of its styles part; None when it has none.
    """

    def __init__(self, root: Element | None) -> None:
        self._styles: dict[str, _Style] = {}
        self._default = ""
        for style in root.iterfind(f"{WORD}style") if root is not None else ():
            key = style.get(f"{WORD}styleId", "")
            self._styles[key] = _read_style(style)
            if style.get(f"{WORD}type") == "paragraph" and style.get(f"{WORD}default") in ("1", "true"):
                self._default = key
        self._levels: dict[str, int] = {}

    def level(self, key: str) -> int:
        """Heading level of a style, 1 to 9; 0 when it is no heading."""
        if key not in self._levels:
            self._levels[key] = self._find_level(key)
        return self._levels[key]

    def is_title(self, key: str) -> bool:
        """Whether it is the style of the document's title, or based on it."""
        return any(style.name in _TITLE_NAMES for style in self._chain(key))

    def number(self, key: str) -> tuple[str, int] | None:
        """Id of the numbering and level that a style gives its paragraphs."""
        return next((style.number for style in self._chain(key) if style.number), None)

    def list_depth(self, key: str) -> int | None:
        """The depth that the name of one of Word's list styles tells, from 0; None for other styles."""
        names = (_LIST_NAME.fullmatch(style.name) for style in self._chain(key))
        return next((int(found[1] or 1) - 1 for found in names if found), None)

    def vanishes(self, key: str) -> bool:
        """Whether a style hides its text."""
        return next((style.vanish for style in self._chain(key) if style.vanish is not None), False)

    def _find_level(self, key: str) -> int:
        for style in self._chain(key):
            if style.name in _TITLE_NAMES:
                return 1
            if style.name == "subtitle":
                return 2
            if found := _HEADING_NAME.fullmatch(style.name):
                return int(found[1])
            if style.outline is not None:
                return style.outline + 1 if style.outline < _BODY_TEXT else 0
        return 0

    def _chain(self, key: str) -> list[_Style]:
        """A style and those that it is based on."""
        chain: list[_Style] = []
        key = key or self._default
        while len(chain) < _MAX_CHAIN:
            style = self._styles.get(key)
            if style is None:
                if key and not chain:  # not defined: what it is called is all there is
                    chain.append(_Style(re.sub(r"(?<=\D)(?=\d)", " ", key.lower()), "", None, None, None))
                break
            chain.append(style)
            key = style.based_on
        return chain


def _read_style(style: Element) -> _Style:
    name = style.find(f"{WORD}name")
    based_on = style.find(f"{WORD}basedOn")
    properties = style.find(f"{WORD}pPr")
    outline = properties.find(f"{WORD}outlineLvl") if properties is not None else None
    run = style.find(f"{WORD}rPr")
    return _Style(
        name=(name.get(_VAL, "") if name is not None else "").strip().lower(),
        based_on=based_on.get(_VAL, "") if based_on is not None else "",
        outline=_number(outline.get(_VAL), _BODY_TEXT) if outline is not None else None,
        number=number_of(properties),
        vanish=toggle(run, "vanish"),
    )


def toggle(properties: Element | None, name: str) -> bool | None:
    """Whether a property such as ``vanish`` is on; None when nothing is said."""
    found = properties.find(f"{WORD}{name}") if properties is not None else None
    return None if found is None else is_on(found.get(_VAL))


def number_of(properties: Element | None) -> tuple[str, int] | None:
    """Id of the numbering and level in the properties of a paragraph; None when nothing is said."""
    found = properties.find(f"{WORD}numPr") if properties is not None else None
    if found is None:
        return None
    key, level = found.find(f"{WORD}numId"), found.find(f"{WORD}ilvl")
    if key is None:
        return None
    return key.get(_VAL, "0"), min(_number(level.get(_VAL), 0), _LEVELS - 1) if level is not None else 0


def _number(text: str | None, default: int) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 10 else default


@dataclass(frozen=True, slots=True)
class Label:
    """What stands before a numbered paragraph.

    Attributes:
        depth: level of the list, from 0.
        text: the number or letter as Word shows it; empty for a bullet.
    """

    depth: int
    text: str


@dataclass(slots=True)
class _Level:
    form: str = "decimal"
    text: str = ""
    start: int = 1


@dataclass(slots=True)
class _List:
    levels: dict[int, _Level] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)


class Numbering:
    """The lists of a document, counted as its paragraphs pass.

    Args:
        root: root of its numbering part; None when it has none.
    """

    def __init__(self, root: Element | None) -> None:
        self._lists: dict[str, _List] = {}
        self._numbers: dict[str, str] = {}  # id of a numbering -> id of the list that it counts in
        self._starts: dict[str, dict[int, int]] = defaultdict(dict)  # numbering -> level -> where it starts anew
        self._own: dict[str, dict[int, _Level]] = defaultdict(dict)
        if root is not None:
            self._read(root)

    def _read(self, root: Element) -> None:
        links: dict[str, str] = {}
        styled: dict[str, str] = {}
        for one in root.iterfind(f"{WORD}abstractNum"):
            key = one.get(f"{WORD}abstractNumId", "")
            self._lists[key] = _List(dict(_read_level(level) for level in one.iterfind(f"{WORD}lvl")))
            if (link := one.find(f"{WORD}numStyleLink")) is not None:
                links[key] = link.get(_VAL, "")
            if (link := one.find(f"{WORD}styleLink")) is not None:
                styled[link.get(_VAL, "")] = key
        for one in root.iterfind(f"{WORD}num"):
            key = one.get(f"{WORD}numId", "")
            target = one.find(f"{WORD}abstractNumId")
            abstract = target.get(_VAL, "") if target is not None else ""
            self._numbers[key] = styled.get(links.get(abstract, ""), abstract)
            for override in one.iterfind(f"{WORD}lvlOverride"):
                level = _number(override.get(f"{WORD}ilvl"), 0)
                start = override.find(f"{WORD}startOverride")
                if start is not None:
                    self._starts[key][level] = _number(start.get(_VAL), 1)
                for own in override.iterfind(f"{WORD}lvl"):
                    self._own[key].update([_read_level(own)])

    def label(self, number: tuple[str, int]) -> Label | None:
        """Count one paragraph of a numbering; None when its number says that it is in no list."""
        key, level = number
        if key == "0":
            return None
        found = self._lists.get(self._numbers.get(key, ""))
        if found is None:
            return Label(level, "")
        levels = {**found.levels, **self._own.get(key, {})}
        counts = found.counts
        start = self._starts[key].pop(level, None) if key in self._starts else None
        if start is not None:
            counts[level] = start
        elif level in counts:
            counts[level] += 1
        else:
            counts[level] = levels.get(level, _Level()).start
        for deeper in [one for one in counts if one > level]:
            del counts[deeper]
        return Label(level, _label_text(level, levels, counts))


def _read_level(level: Element) -> tuple[int, _Level]:
    values = {
        name: found.get(_VAL, "")
        for name in ("numFmt", "lvlText", "start")
        if (found := level.find(f"{WORD}{name}")) is not None
    }
    made = _Level(values.get("numFmt", "decimal"), values.get("lvlText", ""), _number(values.get("start"), 1))
    return _number(level.get(f"{WORD}ilvl"), 0), made


def _label_text(level: int, levels: dict[int, _Level], counts: dict[int, int]) -> str:
    own = levels.get(level, _Level())
    if own.form in ("bullet", "none"):
        return ""

    def number(match: re.Match[str]) -> str:
        at = int(match[1]) - 1
        one = levels.get(at, _Level())
        return _formatted(counts.get(at, one.start), one.form)

    return re.sub(r"%([1-9])", number, own.text or f"%{level + 1}.").strip()


def _formatted(count: int, form: str) -> str:
    """A count in Word's ``lowerLetter`` and the like; decimal for forms that are not known."""
    if form in ("lowerLetter", "upperLetter") and count > 0:
        letters = chr(ord("a") + (count - 1) % 26) * min((count - 1) // 26 + 1, 20)
        return letters if form == "lowerLetter" else letters.upper()
    if form in ("lowerRoman", "upperRoman") and 0 < count < 4000:
        roman = _roman(count)
        return roman if form == "upperRoman" else roman.lower()
    return f"{count:02}" if form == "decimalZero" else str(count)


def _roman(count: int) -> str:
    signs = ("M", 1000), ("CM", 900), ("D", 500), ("CD", 400), ("C", 100), ("XC", 90), ("L", 50), ("XL", 40), ("X", 10)
    text = ""
    for sign, value in (*signs, ("IX", 9), ("V", 5), ("IV", 4), ("I", 1)):
        text += sign * (count // value)
        count %= value
    return text
