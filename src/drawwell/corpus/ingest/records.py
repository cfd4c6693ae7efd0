"""What travels between the parts of an ingest, and between its processes."""

from __future__ import annotations

import pickle
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from drawwell.corpus.options import IngestOptions

__all__ = ["NO_CONTENT", "Document", "ParseTask", "Rejected", "SectionRow", "Spooled", "in_batches"]

NO_CONTENT = "no content"
"""Why a file without any text is not taken."""


@dataclass(frozen=True, slots=True)
class ParseTask:
    """A file to parse.

    Attributes:
        path: its name in the corpus.
        place: the file to open, relative to the root.
        size: bytes that it had when it was found.
        key: ``IngestOptions.document_key`` for it.
        options: how to read and cut it.
        terms: whether to prepare what the index for ranking holds of it.
        recognised: a file with the text of its pages, to be read in its place; empty for none.
    """

    path: str
    place: str
    size: int
    key: str
    options: IngestOptions
    terms: bool = False
    recognised: str = ""


class SectionRow(NamedTuple):
    """A section as the store keeps it: the columns that are not ids, table by table."""

    heading_path: str
    level: int
    kind: str
    text: str
    char_len: int
    hash: str
    fts_heading_path: str
    fts_text: str
    start: int
    end: int
    first_line: int
    last_line: int
    repeated: int
    headings: str
    covers: str
    anchor: str
    part: int
    parts: int
    cite: int
    first_page: int
    last_page: int
    parents: str
    hidden: str

    @property
    def for_sections(self) -> tuple[object, ...]:
        """``heading_path`` to ``hash`` of ``sections``."""
        return self[:6]

    @property
    def for_words(self) -> tuple[object, ...]:
        """``heading_path`` and ``text`` of ``sections_fts``."""
        return self[6:8]

    @property
    def for_own(self) -> tuple[object, ...]:
        """``start`` to ``hidden`` of ``drawwell_sections``."""
        return self[8:]


@dataclass(frozen=True, slots=True)
class Spooled(Collection[SectionRow]):
    """The sections of a very large document, in a file on their way from one process to another.

    Attributes:
        place: the file; whoever made its folder removes it.
        count: how many there are.
    """

    place: Path
    count: int

    @staticmethod
    def write(rows: Iterable[SectionRow], place: Path) -> Spooled:
        """Write sections to a new file.

        Raises:
            OSError: there is no room for them.
        """
        count = 0
        with place.open("xb") as file:
            for batch in in_batches(rows):
                count += len(batch)
                pickle.dump([tuple(one) for one in batch], file, pickle.HIGHEST_PROTOCOL)
        return Spooled(place, count)

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[SectionRow]:
        with self.place.open("rb") as file:
            left = self.count
            while left:
                batch = pickle.load(file)  # noqa: S301 - from our own process
                left -= len(batch)
                yield from map(SectionRow._make, batch)

    def __contains__(self, row: object) -> bool:
        return any(one == row for one in self)


def in_batches(rows: Iterable[SectionRow], size: int = 500) -> Iterator[list[SectionRow]]:
    """Sections in lists of at most ``size``."""
    rest = iter(rows)
    while batch := list(islice(rest, size)):
        yield batch


@dataclass(frozen=True, slots=True)
class Document:
    """A document as the store keeps it.

    Attributes:
        path: its name in the corpus.
        kind: name of its format.
        key: what besides its bytes decided its sections.
        title: its title.
        summary: one line about it.
        sha256: of the file's bytes, in hex.
        size: of the file in bytes.
        mtime_ns: when the file was last changed.
        encoding: of the file.
        chars: code points of its source or rendition.
        front_matter: verbatim; empty without one.
        fts_front_matter: what the index holds of it.
        metadata: JSON object.
        warnings: what was lost or doubtful.
        sections: in order; empty when there is only front matter.
        terms: what the index for ranking holds of each, when that was asked for.
    """

    path: str
    kind: str
    key: str
    title: str
    summary: str
    sha256: str
    size: int
    mtime_ns: int
    encoding: str
    chars: int
    front_matter: str
    fts_front_matter: str
    metadata: str
    warnings: tuple[str, ...]
    sections: tuple[SectionRow, ...] | Spooled
    terms: tuple[tuple[int, Mapping[str, str]], ...] = ()


@dataclass(frozen=True, slots=True)
class Rejected:
    """A file that cannot be taken in.

    Attributes:
        path: its name in the corpus.
        reason: why, for the report.
        sha256: of its bytes when they are the reason, so that the same bytes need no second look; else empty.
        key: as for ``Document``, when ``sha256`` is given; else empty.
        scan: whether it is pages without a text layer.
    """

    path: str
    reason: str
    sha256: str = ""
    key: str = ""
    scan: bool = False

    @property
    def lasting(self) -> bool:
        """Whether its bytes are at fault. Otherwise it may be well tomorrow, and what the store has of it is kept."""
        return bool(self.sha256)
