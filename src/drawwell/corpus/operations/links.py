"""Links of a section that lead to other documents of the corpus, found and resolved when it is read.

Nothing of it is stored: a document that comes or goes changes what the links of others lead to.
"""

from __future__ import annotations

import json
import posixpath
import unicodedata
from typing import NamedTuple

from drawwell.corpus.operations.view import Look, SectionRow
from drawwell.model import Link
from drawwell.retrieval.paging import item_tokens
from drawwell.text.formats import FORMATS, format_of
from drawwell.text.links import FoundLink, links_in
from drawwell.text.slugs import plain_slug

__all__ = ["MOST_LINKS", "Linker", "PlacedLink"]

MOST_LINKS = 50
"""Links given in one answer."""

_SUFFIXES = ("", *(suffix for entry in FORMATS for suffix in entry.suffixes))
_FOLDER_PAGES = ("index", "README")
_MOST_TRIED = 400  # links of one section that are looked up
_MOST_NAMESAKES = 1000  # documents of one name that a wiki link is compared with


class PlacedLink(NamedTuple):
    """A link and where it begins in its section's text."""

    at: int
    link: Link


class Linker:
    """Resolves the links of the sections of one answer.

    A path is looked for from the document's folder, then from the root, as it is and with the suffixes of documents; a
    folder stands for its ``index`` or ``README``. The name in a wiki link is then looked for among all documents,
    whatever its case; if several have it, the link leads nowhere, for to guess would be worse.

    Args:
        look: the store.
    """

    def __init__(self, look: Look) -> None:
        self._look = look
        self._left = MOST_LINKS
        self._covered: dict[int, dict[str, int]] = {}

    def links(self, row: SectionRow, start: int, max_tokens: int | None) -> list[PlacedLink]:
        """The links of a section from ``start`` on that lead to a document, each target once.

        Args:
            row: the section.
            start: offset in its text.
            max_tokens: what they may take of an answer, in estimated tokens; None for no bound.
        """
        continues_code = row.kind == "code" and row.part > 1
        if row.ordinal < 0 or continues_code or ("](" not in row.text and "[[" not in row.text):
            return []
        known = {row.id, row.path}
        placed: list[PlacedLink] = []
        for number, found in enumerate(links_in(row.text)):
            if number >= _MOST_TRIED or not self._left:
                break
            if found.at < start:
                continue
            target = self._resolve(row.path, found)
            if target is None or target in known:
                continue
            known.add(target)
            link = Link(text=found.text, target=target)
            if max_tokens is not None:
                max_tokens -= item_tokens(link)
                if max_tokens < 0:
                    break
            placed.append(PlacedLink(found.at, link))
            self._left -= 1
        return placed

    def _resolve(self, path: str, found: FoundLink) -> str | None:
        """Path of the document that a link leads to, or id of its section; None when it leads to neither."""
        table = self._look.table
        place = table.by_path.get(path) if not found.target else self._document(path, found)
        if place is None:
            return None
        ordinal = self._section(table.doc_ids[place], found.anchor) if found.anchor else None
        return table.paths[place] if ordinal is None else f"{table.paths[place]}#{ordinal}"

    def _document(self, path: str, found: FoundLink) -> int | None:
        for folder in dict.fromkeys((posixpath.dirname(path), "")):
            wanted = posixpath.normpath(posixpath.join("/", folder, found.target)).lstrip("/")
            climbs = posixpath.normpath(posixpath.join(folder, found.target)).startswith("..")
            place = None if climbs else self._at_path(wanted, folders=not found.wiki)
            if place is not None:
                return place
        return self._by_name(found.target) if found.wiki else None

    def _at_path(self, wanted: str, *, folders: bool) -> int | None:
        table = self._look.table
        place = table.place(wanted)
        names = [wanted, *(posixpath.join(wanted, page) for page in _FOLDER_PAGES)] if folders else [wanted]
        for name in names:
            for suffix in _SUFFIXES:
                place = table.by_path.get(name + suffix) if place is None else place
        return place

    def _by_name(self, target: str) -> int | None:
        """The only document whose path ends with the name, its suffix left out or not."""
        table = self._look.table
        wanted = "/" + unicodedata.normalize("NFC", target).casefold().strip("/")
        stem = wanted.rpartition("/")[2]
        if format_of(stem):
            stem = posixpath.splitext(stem)[0]
        namesakes = table.by_stem.get(stem, ())
        if not 0 < len(namesakes) <= _MOST_NAMESAKES:
            return None
        paths = [(place, "/" + table.folded[place]) for place in namesakes]
        ending = [
            place for place, path in paths if path.endswith(wanted) or posixpath.splitext(path)[0].endswith(wanted)
        ]
        return ending[0] if len(ending) == 1 else None

    def _section(self, doc_id: int, anchor: str) -> int | None:
        """The section of a document that an anchor or the text of a heading names."""
        if not self._look.own:
            return None
        slug = plain_slug(anchor)
        sql = (
            "SELECT ordinal FROM drawwell_sections WHERE doc_id = ? AND anchor IN (?, ?, ?)"
            " ORDER BY anchor != ?, ordinal LIMIT 1"
        )
        row = self._look.connection.execute(sql, (doc_id, anchor, anchor.lower(), slug, anchor)).fetchone()
        if row is not None:
            return int(row[0])
        if doc_id not in self._covered:
            covered = self._covered[doc_id] = {}
            sql = "SELECT ordinal, covers FROM drawwell_sections WHERE doc_id = ? AND covers != '[]' ORDER BY ordinal"
            for ordinal, covers in self._look.connection.execute(sql, (doc_id,)):
                for heading in json.loads(covers):
                    covered.setdefault(plain_slug(heading), ordinal)
        return self._covered[doc_id].get(slug)
