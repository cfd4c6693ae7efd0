"""Front matter: the YAML (``---``) or TOML (``+++``) block with which a document may begin.

Only a mapping counts; anything else between two ``---`` lines is a rule, a paragraph and a rule. A block that is
not valid, or never closed, is still taken when all its lines read as keys and values, and a warning says so.
"""

from __future__ import annotations

import datetime as dt
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

__all__ = ["FrontMatter", "read_front_matter"]

_MAX_CHARS = 1_000_000
"""How far its end is looked for."""
_MAX_PARSED = 65_536
_MAX_VALUES = 5_000  # scalars and collections, aliases followed: bounds what a small text can blow up to
_MAX_DEPTH = 20
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_OPENING = re.compile(r"(---|\+\+\+)[ \t]*\r?\n")
_CLOSING = {
    "---": re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE),
    "+++": re.compile(r"^\+\+\+[ \t]*\r?$", re.MULTILINE),
}
_ENTRY = {
    "---": re.compile(r"([A-Za-z_][\w.-]*(?: [\w.-]+){0,3}):(?:[ \t]+(.*))?"),
    "+++": re.compile(r"([A-Za-z_][\w.-]*)[ \t]*=[ \t]*(.+)"),
}
_HEADING = re.compile(r"#{1,6}\s")
_CONTINUED = re.compile(r"[ \t]+\S|-[ \t]|-$|#[^#]|\[")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(r"-?(?:0|[1-9][0-9]{0,17})\.[0-9]+")
# fmt: off
_USUAL = frozenset({
    "aliases", "author", "authors", "categories", "category", "date", "description", "draft", "id", "keywords", "lang",
    "layout", "name", "order", "permalink", "position", "redirect_from", "sidebar_label", "sidebar_position", "slug",
    "summary", "tags", "template", "title", "type", "url", "version", "weight",
})
# fmt: on


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a document says about itself before it begins.

    Attributes:
        end: the offset at which the body begins; 0 without front matter.
        metadata: its keys and values, all of them JSON's types.
        warnings: what was doubtful.
    """

    end: int = 0
    metadata: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The title that it declares, in one line; empty without one."""
        for key, value in self.metadata.items():
            if key.lower() == "title" and isinstance(value, (str, int, float)) and not isinstance(value, bool):
                return " ".join(str(value).split())
        return ""


_TOO_LONG = (
    f"front matter is longer than {_MAX_PARSED:,} characters: only its first keys, title and description are used"
)


class _NotAMapping(Exception):
    """The block is no mapping of names to values."""


_SYNTAX_ERRORS = (yaml.YAMLError, tomllib.TOMLDecodeError, RecursionError)


def read_front_matter(text: str) -> FrontMatter:
    """Reads the front matter at the start of a text that has no byte order mark."""
    opening = _OPENING.match(text)
    if not opening:
        return FrontMatter()
    mark = opening[1]
    start = opening.end()
    closing = _CLOSING[mark].search(text, start, start + _MAX_CHARS)
    if closing and closing.end() == start + _MAX_CHARS < len(text):
        closing = None  # the search stopped inside of a line
    block = text[start : closing.start()] if closing else ""
    if closing and not _ends_in_body(block):
        end = closing.end() + text.startswith("\n", closing.end())
        try:
            if len(block) <= _MAX_PARSED:
                return FrontMatter(end, _READERS[mark](block))
            if found := _read_beginning(block, mark):
                return FrontMatter(end, found, (_TOO_LONG,))
        except _NotAMapping:
            return FrontMatter()
        except _SYNTAX_ERRORS:
            lenient = _read_lines(block, mark)
            if lenient:
                return FrontMatter(end, lenient, ("front matter is not valid, it was read line by line",))
    return _unclosed(text, start, mark)


def _read_beginning(block: str, mark: str) -> dict[str, Any]:
    """The first keys of a long block, and its title and description wherever they stand as one line; else empty.

    Raises:
        _NotAMapping: it begins with anything else.
    """
    cut = block.rfind("\n", 0, _MAX_PARSED) + 1
    entry = cut
    while entry and not _ENTRY[mark].match(block, entry):
        entry = block.rfind("\n", 0, entry - 1) + 1
    found: dict[str, Any] = {}
    heads = [block[:cut]] if cut else []
    if _read_lines(block[entry:cut], mark):
        heads.append(block[:entry])  # the cut may be inside of a value that cannot be cut
    for head in filter(None, heads):
        try:
            found = _READERS[mark](head)
            break
        except _SYNTAX_ERRORS:
            found = _read_lines(head, mark)
    if not found:
        found = _read_lines(block[:_MAX_PARSED], mark)
    for line in block[cut:].split("\n") if found else ():
        simple = _ENTRY[mark].fullmatch(line.rstrip()) if line.startswith(("title", "description")) else None
        if simple and simple[1] in ("title", "description") and simple[2] and simple[2][0] not in "|>[{&*!":
            found.setdefault(simple[1], simple[2].strip().strip("\"'"))
    return found


def _ends_in_body(block: str) -> bool:
    """Whether a heading follows the last keys after a blank line: then it is a rule of the body that closes them."""
    after = ""
    for line in reversed(block.split("\n")):
        if not line.strip():
            if _HEADING.match(after):
                return True
        elif not line.startswith("#"):
            return False
        after = line
    return False


def _unclosed(text: str, start: int, mark: str) -> FrontMatter:
    """Keys and values up to the first blank line or heading, if there is nothing else before it."""
    end = start
    lines: list[str] = []
    while end < min(len(text), start + _MAX_PARSED):
        stop = text.find("\n", end) + 1 or len(text)
        line = text[end:stop]
        if not line.strip() or line.startswith("#") or len(line) > _MAX_PARSED:
            break
        lines.append(line)
        end = stop
    block = "".join(lines)
    found = _read_lines(block, mark)
    if not found or not (len(found) > 1 or _USUAL & {key.lower() for key in found}):
        return FrontMatter()
    try:
        found = _READERS[mark](block)
    except (_NotAMapping, *_SYNTAX_ERRORS):
        pass  # what the lines say will do
    where = "" if len(text) <= start + _MAX_CHARS else f" in the first {_MAX_CHARS:,} characters"
    warning = f"front matter is not closed{where}, it was read up to the first blank line or heading"
    return FrontMatter(end, found, (warning,))


def _read_lines(block: str, mark: str) -> dict[str, Any]:
    """Keys and values, one a line, further lines of a value indented; empty if any line is anything else."""
    found: dict[str, Any] = {}
    key = ""
    for line in block.split("\n"):
        if not line.strip():
            continue
        entry = _ENTRY[mark].fullmatch(line.rstrip())
        if entry:
            key = entry[1]
            found[key] = (entry[2] or "").strip().strip("\"'")
        elif key and _CONTINUED.match(line):
            found[key] = f"{found[key]}\n{line.strip()}".strip()
        elif not line.startswith("#"):
            return {}
    return found


def _read_toml(block: str) -> dict[str, Any]:
    found = tomllib.loads(block.replace("\r\n", "\n"))
    if not found:
        raise _NotAMapping
    return {key: _plain(value, 0) for key, value in found.items()}


def _plain(value: Any, depth: int) -> Any:
    """A TOML value in JSON's types."""
    if depth > _MAX_DEPTH:
        return ""
    if isinstance(value, dict):
        return {key: _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, depth + 1) for item in value]
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, float) and not _FLOAT.fullmatch(repr(value)):
        return repr(value)
    return value


def _read_yaml(block: str) -> dict[str, Any]:
    node = yaml.compose(block, Loader=_LOADER)
    if not isinstance(node, yaml.MappingNode):
        raise _NotAMapping
    found = _Values().of(node, 0)
    if not isinstance(found, dict) or not all(_ENTRY["---"].fullmatch(f"{key}:") for key in found):
        raise _NotAMapping
    if not _USUAL & {key.lower() for key in found}:
        # What looks like a key may be the beginning of a sentence between two rules.
        value = next(iter(found.values()), None)
        sentence = len(found) == 1 and isinstance(value, str) and len(value.split()) > 3
        if sentence or not block.partition("\n")[0].strip():
            raise _NotAMapping
    return found


class _Values:
    """YAML nodes to JSON's types. Scalars stay as they are written unless they say the same as a number."""

    def __init__(self) -> None:
        self._left = _MAX_VALUES

    def of(self, node: Any, depth: int) -> Any:
        self._left -= 1
        if self._left < 0 or depth > _MAX_DEPTH:
            return ""
        if isinstance(node, yaml.MappingNode):
            found = {}
            for key, value in node.value:
                if self._left < 0:
                    break
                name = key.value if isinstance(key, yaml.ScalarNode) else "?"
                found[str(name)] = self.of(value, depth + 1)
            return found
        if isinstance(node, yaml.SequenceNode):
            items = []
            for item in node.value:
                if self._left < 0:
                    break
                items.append(self.of(item, depth + 1))
            return items
        return node.value if node.style else _scalar(node.value)  # a style is a quote or a block


def _scalar(text: str) -> Any:
    if text.lower() in {"", "~", "null"}:
        return None
    if text.lower() in {"true", "false"}:
        return text.lower() == "true"
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text) and repr(float(text)) == text:
        return float(text)
    return text


_READERS: dict[str, Callable[[str], dict[str, Any]]] = {"---": _read_yaml, "+++": _read_toml}
