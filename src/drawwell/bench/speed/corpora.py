"""Corpora of a wished size, made from a folder of real documents.

A larger corpus is the folder's documents and copies of them with altered words, a smaller one a part of them. Copies
must not repeat the words of the original, or the vocabulary would stay as it is while the sections grow, and every
posting list would grow alike. So of the words that are not common in the folder, half are replaced in each copy: by
the same word turned around a place within it ("gateway" becomes "waygate"), which keeps its letters, its case, its
script and most of its trigrams natural. Which half, and where it is turned, follows from a hash of the word and the
number of the copy. The same folder gives the same corpora, byte by byte, on every machine.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Document", "Rewriter", "plan_sizes", "select", "write_corpus"]

GROWTH = 3
"""How many times as large each size is as the one before."""
TEXT_SUFFIXES = frozenset([".md", ".markdown", ".mdx", ".txt", ".html", ".htm", ".rst", ".adoc"])

_WORD = re.compile(r"[^\W\d_]{4,}")
_COMMON_SHARE = 50  # a word in more than one of so many documents is common


@dataclass(frozen=True, slots=True)
class Document:
    """A document of the folder.

    Attributes:
        path: relative, with slashes.
        place: the file.
        sections: how many sections it has.
    """

    path: str
    place: Path
    sections: int

    @property
    def is_text(self) -> bool:
        """Whether its words can be altered."""
        return self.place.suffix.lower() in TEXT_SUFFIXES


def plan_sizes(count: int, largest: int) -> list[int]:
    """How many sections each corpus should have, smallest first; each is ``GROWTH`` times the one before."""
    return [max(1, largest // GROWTH**step) for step in reversed(range(count))]


def select(documents: Sequence[Document], sections: int) -> Iterator[tuple[int, Document]]:
    """Documents, each with the number of its copy (0 is the original), until they have so many sections together.

    They come in an order of chance that is always the same, so that a small corpus is a fair sample of a large one.
    """
    mixed = sorted(documents, key=lambda document: hashlib.sha256(document.path.encode(errors="replace")).digest())
    copied = [document for document in mixed if document.is_text and document.sections]
    total = copy = 0
    while True:
        chosen = copied if copy else mixed
        for document in chosen:
            if total >= sections:
                return
            yield copy, document
            total += document.sections
        if not copied:
            return
        copy += 1


def write_corpus(chosen: Iterable[tuple[int, Document]], rewriter: Rewriter, folder: Path) -> int:
    """Write a corpus into a folder, each copy below a folder of its own.

    Returns:
        Its size in bytes.
    """
    size = 0
    for copy, document in chosen:
        data = document.place.read_bytes()
        if copy:
            data = rewriter.rewrite(_decoded(data), copy).encode("utf-8", "surrogateescape")
        target = folder / f"copy-{copy:03}" / document.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        size += len(data)
    return size


class Rewriter:
    """Alters words.

    Args:
        documents: the folder, read once to learn which words are common.
    """

    def __init__(self, documents: Iterable[Document]) -> None:
        seen: Counter[str] = Counter()
        count = 0
        for document in documents:
            if document.is_text:
                seen.update({word.lower() for word in _WORD.findall(_decoded(document.place.read_bytes()))})
                count += 1
        most = max(2, count // _COMMON_SHARE)
        self._common = frozenset(word for word, number in seen.items() if number > most)
        self._copy = 0
        self._known: dict[str, str] = {}

    def rewrite(self, text: str, copy: int) -> str:
        """The text as it stands in a copy: same length and structure, other words."""
        if copy != self._copy:
            self._copy, self._known = copy, {}
        return _WORD.sub(self._altered, text)

    def _altered(self, match: re.Match[str]) -> str:
        word = match[0]
        known = self._known.get(word)
        if known is None:
            known = self._known[word] = self._turned(word)
        return known

    def _turned(self, word: str) -> str:
        lower = word.lower()
        if lower in self._common or len(lower) != len(word):
            return word
        digest = hashlib.blake2b(f"{self._copy} {lower}".encode(), digest_size=8).digest()
        number = int.from_bytes(digest, "big")
        if number & 1:
            return word
        place = 1 + (number >> 1) % (len(lower) - 1)
        turned = lower[place:] + lower[:place]
        return "".join(new.upper() if old.isupper() else new for old, new in zip(word, turned, strict=True))


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
