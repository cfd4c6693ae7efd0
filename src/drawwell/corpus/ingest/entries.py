"""What the index for ranking holds of a document, made from its sections as the store keeps them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from drawwell.retrieval.lexical import document_language, fields_of
from drawwell.text.lines import without

__all__ = ["Entries", "StoredSection", "term_entries"]

Entries = Iterator[tuple[int, Mapping[str, str]]]
"""Ordinal and fields of what is indexed of one document."""


class StoredSection(NamedTuple):
    """The columns of a section that decide how it is found; the last four are JSON lists."""

    ordinal: int
    text: str
    headings: str
    covers: str
    parents: str
    hidden: str


def term_entries(sections: Iterable[StoredSection]) -> Entries:
    """What the index for ranking holds of a document.

    Args:
        sections: all of them, in order.
    """
    known = list(sections)
    language = document_language(section.text for section in known)
    for section in known:
        visible = section.text if section.hidden == "[]" else without(section.text, json.loads(section.hidden))
        inside = [*_list(section.covers), *_list(section.parents)]
        yield section.ordinal, fields_of(json.loads(section.headings), inside, visible, language)


def _list(text: str) -> list[str]:
    return [] if text == "[]" else json.loads(text)
