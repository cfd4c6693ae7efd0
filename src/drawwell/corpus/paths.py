"""Paths of documents: look-up by name, the ``within`` filter, and the nearest names to a wrong one.

Paths are keys: compared exactly first. Unicode normalisation and case are forgiven only when nothing matches exactly.
"""

from __future__ import annotations

import difflib
import re
import sqlite3
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from drawwell.errors import ArgumentError

__all__ = ["DocumentTable", "Scope", "nearest", "resolve", "shown", "tidy"]

MAX_ENTRIES = 100
MAX_ENTRY_CHARS = 1000

_TAKES = f"up to {MAX_ENTRIES} paths, folders or globs (*, ?, [a-z]) as the index shows them"
_WILD = re.compile(r"[*?\[]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\\]")
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}
_CLASS_CHAR = re.compile(r"[\\\]\[^&~|-]")
_NEAREST_POOL = 2000  # folders, and as many documents, that difflib compares at most
_NEAREST_QUERY = 120
_LEAST_LIKENESS = 0.5
_MOST_OPTIONAL = 2  # "**/" that may stand for nothing in one glob; each is a choice to try


def shown(path: str) -> str:
    """A path on one line: control characters and backslashes are written as escapes, all else as it is."""
    return _CONTROL.sub(_escape, path) if _CONTROL.search(path) else path


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    return _NAMED.get(char) or (f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}")


def tidy(path: str) -> str:
    """Drop what people put in front of a relative path: ``./`` and ``/``, in any number."""
    while path.startswith(("./", "/")):
        path = path[2:] if path.startswith("./") else path[1:]
    return "" if path == "." else path


class DocumentTable:
    """The documents of one generation of a store, in path order.

    Args:
        rows: ``(path, doc_id)`` pairs, sorted by path.
    """

    def __init__(self, rows: Iterable[tuple[str, int]]) -> None:
        pairs = list(rows)
        self.paths: list[str] = [path for path, _ in pairs]
        self.doc_ids: list[int] = [doc_id for _, doc_id in pairs]
        self.by_path: dict[str, int] = {path: place for place, path in enumerate(self.paths)}

    @classmethod
    def load(cls, connection: sqlite3.Connection) -> DocumentTable:
        """Read the table from a store."""
        return cls(connection.execute("SELECT path, doc_id FROM documents ORDER BY path"))

    def place(self, path: str) -> int | None:
        """Position of a document by its path; its Unicode normalisation and escaped form are accepted too."""
        place = self.by_path.get(path)
        if place is None:
            place = self._by_variant.get(unicodedata.normalize("NFC", path))
        return place

    @cached_property
    def _by_variant(self) -> dict[str, int]:
        variants: dict[str, int] = {}
        for place, path in enumerate(self.paths):
            if not path.isascii():
                variants.setdefault(unicodedata.normalize("NFC", path), place)
            if _CONTROL.search(path):
                variants.setdefault(shown(path), place)
        return variants

    @cached_property
    def composed(self) -> list[str]:
        """The paths in Unicode's composed form (NFC), in the same order as ``paths``."""
        return [path if path.isascii() else unicodedata.normalize("NFC", path) for path in self.paths]

    @cached_property
    def folded(self) -> list[str]:
        """The composed paths without differences of case, in the same order as ``paths``."""
        return [path.casefold() for path in self.composed]

    @cached_property
    def folders(self) -> list[str]:
        """Every folder that holds a document, with a final slash, sorted."""
        found: set[str] = set()
        for path in self.paths:
            end = path.rfind("/")
            while end != -1 and path[: end + 1] not in found:
                found.add(path[: end + 1])
                end = path.rfind("/", 0, end)
        return sorted(found)

    def under(self, prefix: str) -> range:
        """Places of the paths that begin with ``prefix``."""
        start = bisect_left(self.paths, prefix)
        end = start
        step = 1
        while end < len(self.paths) and self.paths[end].startswith(prefix):
            if end + step < len(self.paths) and self.paths[end + step].startswith(prefix):
                end, step = end + step, step * 2
            else:
                end, step = end + 1, 1
        return range(start, end)


@dataclass(frozen=True, slots=True)
class Scope:
    """The documents that a call may look at.

    Attributes:
        doc_ids: their ids; None for all.
        places: their positions in the table, ascending; None for all.
        notes: what to tell the caller about the filter: entries that match nothing, or only without regard to case.
    """

    doc_ids: frozenset[int] | None = None
    places: tuple[int, ...] | None = None
    notes: tuple[str, ...] = ()


def resolve(within: Sequence[str] | str, table: DocumentTable) -> Scope:
    """Turn a ``within`` filter into the documents that it selects.

    Each entry is taken as the exact path of a document, else as a folder, else as a glob (``*`` also crosses ``/``,
    ``**/`` may stand for nothing, ``?``, ``[a-z]``, ``[^a-z]``). What matches nothing so is compared again without
    regard to Unicode normalisation and then to case.

    Args:
        within: the entries; one string counts as one entry; empty means no filter.
        table: the documents.

    Raises:
        ArgumentError: an entry is not a string, is empty or is too long, or there are too many.
    """
    entries = [within] if isinstance(within, str) else list(within)
    if not entries:
        return Scope()
    if len(entries) > MAX_ENTRIES:
        raise ArgumentError("within", f"{len(entries)} entries", _TAKES, "Name a folder or a glob instead")
    chosen: set[int] = set()
    notes: list[str] = []
    for entry in entries:
        if not isinstance(entry, str) or not entry.strip() or len(entry) > MAX_ENTRY_CHARS:
            raise ArgumentError("within", entry, _TAKES)
        places, note = _select(entry, table)
        chosen.update(places)
        if note:
            notes.append(note)
    places = tuple(sorted(chosen))
    return Scope(frozenset(table.doc_ids[place] for place in places), places, tuple(notes))


def _select(entry: str, table: DocumentTable) -> tuple[Iterable[int], str]:
    exact = table.by_path.get(entry)
    if exact is not None:
        return (exact,), ""
    name = tidy(entry)
    if not name:
        return range(len(table.paths)), ""
    found = _match(name, table.paths, table.under)
    if found:
        return found, ""
    variant = table.place(name)
    if variant is not None:
        return (variant,), ""
    composed = unicodedata.normalize("NFC", name)
    found = _match(composed, table.composed)
    if found:
        return found, ""
    found = _match(composed.casefold(), table.folded)
    if found:
        return found, f"'{shown(entry)}' matched only without regard to case"
    near = nearest(name, table)
    advice = f"; nearest: {', '.join(map(shown, near))}" if near else ""
    return (), f"'{shown(entry)}' matches 0 documents{advice}"


def _match(name: str, paths: list[str], under: Callable[[str], Sequence[int]] | None = None) -> Sequence[int]:
    """Places of the paths that are ``name``, lie in the folder ``name``, or match it as a glob; the first that does."""
    folder = name.rstrip("/") + "/"
    if under is not None:
        places = under(folder)
    else:
        places = [place for place, path in enumerate(paths) if path == name or path.startswith(folder)]
    if not places and _WILD.search(name):
        matches = _glob(name.rstrip("/") + "/*" if name.endswith("/") else name).match
        places = [place for place, path in enumerate(paths) if matches(path)]
    return places


def _glob(pattern: str) -> re.Pattern[str]:
    """A regular expression for a glob. Each piece between stars is found leftmost and kept, so time is linear."""
    pieces = pattern.split("**/")
    if len(pieces) > _MOST_OPTIONAL + 1:
        pieces = [pattern]
    return re.compile("(?s:" + r"(?:|.*/)".join(map(_translate, pieces)) + r")\Z")


def _translate(pattern: str) -> str:
    pieces = [_fixed(piece) for piece in re.split(r"\*+", pattern)]
    if len(pieces) == 1:
        return pieces[0]
    middle = "".join(f"(?>.*?{piece})" for piece in pieces[1:-1] if piece)
    return f"{pieces[0]}{middle}.*{pieces[-1]}"


def _fixed(piece: str) -> str:
    """A piece without stars: as many characters as it matches."""
    out: list[str] = []
    place = 0
    while place < len(piece):
        char = piece[place]
        end = piece.find("]", place + 2 + (piece[place + 1 : place + 2] in ("^", "!"))) if char == "[" else -1
        if end != -1:
            out.append(_char_class(piece[place + 1 : end]))
            place = end
        else:
            out.append("." if char == "?" else re.escape(char))
        place += 1
    return "".join(out)


def _char_class(body: str) -> str:
    negated = body[0] in "^!"
    body = body[1:] if negated else body
    parts: list[str] = []
    place = 0
    while place < len(body):
        low, high = body[place], body[place]
        if body[place + 1 : place + 2] == "-" and place + 2 < len(body):
            high = body[place + 2]
            place += 2
        if low <= high:
            parts.append(f"{_in_class(low)}-{_in_class(high)}")
        place += 1
    if not parts:
        return "." if negated else r"(?!)"
    return f"[{'^' if negated else ''}{''.join(parts)}]"


def _in_class(char: str) -> str:
    return "\\" + char if _CLASS_CHAR.match(char) else char


def nearest(name: str, table: DocumentTable, count: int = 3) -> list[str]:
    """Documents and folders whose path looks most like a wrong one, best first; bounded work.

    Args:
        name: what was asked for.
        table: the documents.
        count: how many to name at most.
    """
    wanted = name.casefold().strip("/*")[-_NEAREST_QUERY:]
    words = [word for word in re.split(r"[^\w]+", wanted) if len(word) > 2]
    scored = []
    for path in [*_pool(table.folders, words), *_pool(table.paths, words)]:
        matcher = difflib.SequenceMatcher(None, _comparable(path, wanted), wanted, autojunk=False)
        if matcher.real_quick_ratio() > _LEAST_LIKENESS and matcher.quick_ratio() > _LEAST_LIKENESS:
            scored.append((-matcher.ratio(), path))
    return [path for likeness, path in sorted(scored)[:count] if -likeness > _LEAST_LIKENESS]


def _comparable(path: str, wanted: str) -> str:
    """The part of a path to compare: all of it, or its last name when only a name is wanted."""
    folded = path.casefold().rstrip("/")
    return folded[-_NEAREST_QUERY:] if "/" in wanted else folded.rsplit("/", 1)[-1][-_NEAREST_QUERY:]


def _pool(names: list[str], words: list[str]) -> list[str]:
    """The names that hold one of the words, else all; an even sample when they are many."""
    pool = [name for name in names if any(word in name.casefold() for word in words)] or names
    return pool[:: -(-len(pool) // _NEAREST_POOL) or 1]
