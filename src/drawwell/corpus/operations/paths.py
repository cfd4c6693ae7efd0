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
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

from drawwell.corpus.names import FILES_HERE, shown, tidy
from drawwell.errors import ArgumentError

__all__ = ["DocumentTable", "Scope", "entries_of", "nearest", "resolve"]

MAX_ENTRIES = 100
MAX_ENTRY_CHARS = 1000

_TAKES = f"up to {MAX_ENTRIES} paths, folders or globs (*, ?, [a-z]) as the index shows them"
_WILD = re.compile(r"[*?\[]")
_CLASS_CHAR = re.compile(r"[\\\]\[^&~|-]")
_NEAREST_POOL = 2000  # folders, and as many documents, that difflib compares at most
_NEAREST_QUERY = 120
_LEAST_LIKENESS = 0.5
_BRIEF = 100  # characters of a wrong entry that a note repeats
_MOST_ADVICE = 3  # entries for which the nearest names are looked for
_MOST_OPTIONAL = 2  # "**/" that may stand for nothing in one glob; each is a choice to try


class DocumentTable:
    """The documents of one generation of a store, in path order.

    Args:
        rows: ``(path, doc_id)`` pairs, sorted by path.
        aliases: ``(path, path of the document)`` pairs: links, and paths at which a document was before.
        generations: for each row, the number of the commit that wrote the document; empty where it is not known.
    """

    def __init__(
        self,
        rows: Iterable[tuple[str, int]],
        aliases: Iterable[tuple[str, str]] = (),
        generations: Sequence[int] = (),
    ) -> None:
        pairs = list(rows)
        self.paths: list[str] = [path for path, _ in pairs]
        self.doc_ids: list[int] = [doc_id for _, doc_id in pairs]
        self.generations = generations
        self.newest = max(generations, default=0)
        self.by_generation: dict[int, int] = {number: place for place, number in enumerate(generations)}
        self.by_path: dict[str, int] = {path: place for place, path in enumerate(self.paths)}
        self._aliases = {alias: self.by_path[path] for alias, path in aliases if path in self.by_path}

    @classmethod
    def load(cls, connection: sqlite3.Connection, *, own: bool) -> DocumentTable:
        """Read the table from a store; only one of our own knows aliases."""
        if not own:
            return cls(map(tuple, connection.execute("SELECT path, doc_id FROM documents ORDER BY path")))
        sql = "SELECT path, doc_id, generation FROM documents JOIN drawwell_documents USING (doc_id) ORDER BY path"
        rows = connection.execute(sql).fetchall()
        sql = "SELECT a.path, d.path FROM drawwell_aliases a JOIN documents d USING (doc_id)"
        aliases = map(tuple, connection.execute(sql))
        return cls(((row[0], row[1]) for row in rows), aliases, [row[2] for row in rows])

    def place(self, path: str) -> int | None:
        """Position of a document by its path, an alias of it, or the path in another Unicode or escaped form."""
        for known in (self.by_path, self._aliases):
            if path in known:
                return known[path]
        return self._by_variant.get(unicodedata.normalize("NFC", path))

    @cached_property
    def by_doc_id(self) -> dict[int, int]:
        """Position of each document by its number in the store."""
        return {doc_id: place for place, doc_id in enumerate(self.doc_ids)}

    @cached_property
    def _by_variant(self) -> dict[str, int]:
        variants: dict[str, int] = {}
        for place, path in enumerate(self.paths):
            if not path.isascii():
                variants.setdefault(unicodedata.normalize("NFC", path), place)
            if (escaped := shown(path)) != path:
                variants.setdefault(escaped, place)
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
    def by_stem(self) -> dict[str, list[int]]:
        """Places of the documents by file name, without its suffix and without differences of case."""
        stems: dict[str, list[int]] = {}
        for place, path in enumerate(self.folded):
            name = path.rpartition("/")[2]
            stems.setdefault(name[: name.rfind(".")] if "." in name[1:] else name, []).append(place)
        return stems

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


def entries_of(within: object) -> tuple[str, ...]:
    """The entries of a ``within`` argument, checked.

    Args:
        within: what a caller gave: a sequence of strings; one string counts as one entry.

    Raises:
        ArgumentError: it is no such sequence, an entry is empty or too long, or there are too many.
    """
    if isinstance(within, str):
        within = (within,)
    if not isinstance(within, (Sequence, AbstractSet)):
        raise ArgumentError("within", within, _TAKES)
    if len(within) > MAX_ENTRIES:
        raise ArgumentError("within", f"{len(within)} entries", _TAKES, "Name a folder or a glob instead")
    for entry in within:
        if isinstance(entry, str) and len(entry) > MAX_ENTRY_CHARS:
            takes = f"entries of up to {MAX_ENTRY_CHARS} characters"
            raise ArgumentError(
                "within", f"an entry of {len(entry)} characters", takes, "Name a folder or a glob instead"
            )
        if not isinstance(entry, str) or not entry.strip():
            raise ArgumentError("within", entry, _TAKES)
    return tuple(within)


def resolve(entries: Sequence[str], table: DocumentTable) -> Scope:
    """Turn a ``within`` filter into the documents that it selects.

    Each entry is taken as the exact path of a document, else as a folder, else as a glob (``*`` also crosses ``/``,
    ``**/`` may stand for nothing, ``?``, ``[a-z]``, ``[^a-z]``). What matches nothing so is compared again without
    regard to Unicode normalisation and then to case. A folder with ``(files here)`` after it, as an index names the
    files directly in it, selects just those.

    Args:
        entries: from :func:`entries_of`; empty means no filter.
        table: the documents.
    """
    if not entries:
        return Scope()
    chosen: set[int] = set()
    notes: list[str] = []
    for entry in entries:
        places, note = _select(entry, table, advise=len(notes) < _MOST_ADVICE)
        chosen.update(places)
        if note:
            notes.append(note)
    if len(chosen) == len(table.paths) and chosen:
        return Scope(notes=tuple(notes))
    places = tuple(sorted(chosen))
    return Scope(frozenset(table.doc_ids[place] for place in places), places, tuple(notes))


def _select(entry: str, table: DocumentTable, *, advise: bool) -> tuple[Iterable[int], str]:
    exact = table.by_path.get(entry)
    if exact is not None:
        return (exact,), ""
    name = tidy(entry)
    if not name:
        return range(len(table.paths)), ""
    if name.endswith(FILES_HERE):
        folder = name.removesuffix(FILES_HERE).strip()
        places, note = _select(folder, table, advise=advise)
        return [place for place in places if table.paths[place].count("/") == folder.count("/")], note
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
        return found, f"'{_brief(entry)}' matched only without regard to case"
    near = nearest(name, table) if advise else []  # it takes a third of a second among thousands
    advice = f"; nearest: {', '.join(map(shown, near))}" if near else ""
    return (), f"'{_brief(entry)}' matches 0 documents{advice}"


def _brief(entry: str) -> str:
    return shown(entry if len(entry) <= _BRIEF else f"{entry[:_BRIEF]}…")


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
    segments: list[list[str]] = [[""]]  # pieces without stars, of stretches between "**/" that may stand for nothing
    place = 0
    while place < len(pattern):
        stars = len(pattern) - place - len(pattern[place:].lstrip("*"))
        at_folder = place == 0 or pattern[place - 1] == "/"
        place += stars
        if stars > 1 and at_folder and pattern[place : place + 1] == "/" and len(segments) <= _MOST_OPTIONAL:
            segments.append([""])
            place += 1
        elif stars:
            segments[-1].append("")
        else:
            piece, place = _one(pattern, place)
            segments[-1][-1] += piece
    return re.compile("(?s:" + r"(?:|.*/)".join(map(_segment, segments)) + r")\Z")


def _segment(pieces: list[str]) -> str:
    if len(pieces) == 1:
        return pieces[0]
    middle = "".join(f"(?>.*?{piece})" for piece in pieces[1:-1] if piece)
    return f"{pieces[0]}{middle}.*{pieces[-1]}"


def _one(pattern: str, place: int) -> tuple[str, int]:
    """What matches one character of a path, and where the glob goes on."""
    char = pattern[place]
    end = pattern.find("]", place + 2 + (pattern[place + 1 : place + 2] in ("^", "!"))) if char == "[" else -1
    if end != -1:
        return _char_class(pattern[place + 1 : end]), end + 1
    return "." if char == "?" else re.escape(char), place + 1


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
