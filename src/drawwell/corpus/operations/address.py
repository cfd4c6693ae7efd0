"""Ids: what they look like, the section each stands for, and where a text has gone that no longer stands there."""

from __future__ import annotations

import re
from dataclasses import dataclass

from drawwell.corpus.names import shown, tidy
from drawwell.corpus.operations.paths import nearest
from drawwell.corpus.operations.view import CITE_DIGITS, META, Look, SectionRow
from drawwell.errors import ArgumentError, NotFound, Stale

__all__ = ["Address", "find", "parse_id"]

_TAIL = re.compile(rf"({META}|[0-9]{{1,9}})(?:@([0-9a-fA-F]{{{CITE_DIGITS}}}))?")
_TAKES = "an id as search and grep give it: path#number, or path#number@hash"
_MOST_PLACES = 5  # places named at which a text now stands


@dataclass(frozen=True, slots=True)
class Address:
    """An id taken apart.

    Attributes:
        path: of the document.
        ordinal: of the section; -1 for the front matter.
        hash: first hex digits of the text's hash, lower case; empty when the id does not say.
    """

    path: str
    ordinal: int
    hash: str

    def __str__(self) -> str:
        return f"{shown(self.path)}#{META if self.ordinal < 0 else self.ordinal}"


def parse_id(text: str) -> Address:
    """Take an id apart, at its last ``#``: a path may hold others.

    Raises:
        ArgumentError: it does not look like an id.
    """
    path, sharp, tail = text.rpartition("#") if isinstance(text, str) else ("", "", "")
    match = _TAIL.fullmatch(tail)
    if not path or not sharp or match is None or not _is_text(path):
        raise ArgumentError("id", text, _TAKES, "Search first, and give an id of a hit")
    return Address(path, -1 if match[1] == META else int(match[1]), (match[2] or "").lower())


def _is_text(path: str) -> bool:
    """Whether it holds no lone surrogates, which no stored path does."""
    return not any("\ud800" <= char <= "\udfff" for char in path)


def find(look: Look, text: str) -> SectionRow:
    """The section, or front matter, that an id stands for.

    Args:
        look: the store.
        text: an id; with a hash, the text must still be the one that was cited.

    Raises:
        ArgumentError: it does not look like an id.
        NotFound: there is no such document or section; the nearest are named.
        Stale: the cited text does not stand there any more; ``moved_to`` says where it does.
    """
    if isinstance(text, str) and "#" not in text and _is_text(text):
        _refuse_document(look, text)
    address = parse_id(text)
    doc_id = _document(look, address.path)
    row = None
    if doc_id is not None:
        row = look.front_matter(doc_id) if address.ordinal < 0 else look.section(doc_id, address.ordinal)
    if address.hash and (row is None or row.hash[:CITE_DIGITS] != address.hash):
        moved_to = _places_of(look, address.hash, doc_id)
        if row is not None or moved_to:
            raise _stale(address, moved_to)
    if row is None:
        raise _not_found(look, address, doc_id)
    return row


def _document(look: Look, path: str) -> int | None:
    for name in dict.fromkeys((path, tidy(path))):
        place = look.table.place(name)
        if place is not None:
            return look.table.doc_ids[place]
    return None


def _places_of(look: Look, digits: str, doc_id: int | None) -> tuple[str, ...]:
    """Ids at which a text with this hash stands, those in the same document first."""
    if look.own:
        sql = (
            "SELECT s.id FROM drawwell_sections w JOIN sections s ON s.doc_id = w.doc_id AND s.ordinal = w.ordinal"
            " WHERE w.cite = ? ORDER BY w.doc_id != ?, w.doc_id, w.ordinal LIMIT ?"
        )
        wanted: object = int(digits, 16)
    else:
        sql = "SELECT id FROM sections WHERE substr(hash, 1, 12) = ? ORDER BY doc_id != ?, doc_id, ordinal LIMIT ?"
        wanted = digits
    rows = look.connection.execute(sql, (wanted, -1 if doc_id is None else doc_id, _MOST_PLACES))
    return tuple(row[0] for row in rows)


def _stale(address: Address, moved_to: tuple[str, ...]) -> Stale:
    if not moved_to:
        advice = f"It stands nowhere else: read {address} for what stands there now, or search again"
    else:
        also = f" (and at {', '.join(map(shown, moved_to[1:]))})" if moved_to[1:] else ""
        advice = f"It now stands at {shown(moved_to[0])}{also}: read that"
    return Stale(f"the text cited as {address}@{address.hash} does not stand there any more", advice, moved_to)


def _not_found(look: Look, address: Address, doc_id: int | None) -> NotFound:
    if doc_id is None:
        near = [path for path in nearest(address.path, look.table) if not path.endswith("/")]
        advice = f"Nearest documents: {', '.join(map(shown, near))}" if near else "Search first, or see the index"
        return NotFound(f"there is no document '{shown(address.path)}'", "; ".join([advice, *look.notes()]))
    path = shown(address.path)
    if address.ordinal < 0:
        return NotFound(f"{path} has no front matter", f"Its sections begin at {path}#0")
    last = _last_section(look, doc_id)
    if last is None:
        advice = f"It has no sections; its front matter is {path}#{META}"
    else:
        advice = f"Its sections are {path}#0 to {path}#{last}" if last else f"Its only section is {path}#0"
    return NotFound(f"there is no section {address}", advice)


def _last_section(look: Look, doc_id: int) -> int | None:
    """The ordinal of a document's last section; None when it has none."""
    last: int | None = look.connection.execute(
        "SELECT max(ordinal) FROM sections WHERE doc_id = ?", (doc_id,)
    ).fetchone()[0]
    return last


def _refuse_document(look: Look, path: str) -> None:
    """Say what to add to the path of a document that was given in place of an id."""
    doc_id = _document(look, path)
    if doc_id is not None:
        last = _last_section(look, doc_id)
        numbers = f"one of #0 to #{last}" if last else f"#{META if last is None else 0}"
        raise ArgumentError("id", path, _TAKES, f"That is a document: add {numbers} to name a section of it")
