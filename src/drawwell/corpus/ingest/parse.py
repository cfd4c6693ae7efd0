"""One file's bytes to everything that the store keeps of it. Pure: it runs in other processes."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from drawwell.corpus.ingest.files import Contents
from drawwell.corpus.ingest.records import NO_CONTENT, Document, ParseTask, Rejected, SectionRow, Spooled
from drawwell.corpus.ingest.summary import offline_summary
from drawwell.corpus.options import IngestOptions
from drawwell.errors import MissingExtra, NoTextLayer, PasswordNeeded, UnreadableFile
from drawwell.text.blocks import Parsed
from drawwell.text.formats import Format, format_of, parser_of
from drawwell.text.formats.recognised import parse as parse_recognised
from drawwell.text.lines import without
from drawwell.text.sections import Section, Sectioned, SectionLimits, cut
from drawwell.text.tokens import normalise_for_fts

__all__ = ["parse_document"]

PATH_JOINER = " > "
_MOST_PREPARED = 2_000_000
"""Code points up to which a document is prepared for the index here; a larger one comes from the store, bit by bit."""
_to_json = json.JSONEncoder(ensure_ascii=False).encode


def parse_document(
    contents: Contents, task: ParseTask, recognised: bytes = b"", spool: Path | None = None
) -> Document | Rejected:
    """Parse a file, cut it into sections and prepare its rows. Whatever is in it, this returns.

    Args:
        contents: the file.
        task: what is known about it.
        recognised: its pages with their text, to be parsed in its place.
        spool: a folder to put the sections of a very large document into.
    """
    sha256 = hashlib.sha256(contents.data).hexdigest()
    entry = format_of(task.path)
    if entry is None:
        return Rejected(task.path, "is of no known format")
    try:
        parser = parser_of(entry)
    except (MissingExtra, ImportError) as error:
        return Rejected(task.path, str(error))
    try:
        if recognised:
            parsed = parse_recognised(recognised)
        else:
            parsed = parser(contents.data, *((task.options.pdf_password,) if entry.password else ()))
        sectioned = cut(parsed, PurePosixPath(task.path).stem, _limits(task.options))
    except PasswordNeeded as error:
        return Rejected(task.path, str(error))  # the same bytes may be readable tomorrow, with a password
    except NoTextLayer as error:
        return Rejected(task.path, str(error), sha256, task.options.scan_key(task.key), scan=True)
    except UnreadableFile as error:
        return Rejected(task.path, str(error), sha256, task.key)
    except MemoryError:
        return Rejected(task.path, "takes more memory than there is")
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - a parser may raise anything, even what is not an Exception
        return Rejected(task.path, f"its parser failed: {_brief(error)}", sha256, task.key)
    if not sectioned.sections and not parsed.metadata:
        return Rejected(task.path, NO_CONTENT, sha256, task.key)
    return _document(parsed, sectioned, _File(contents, task, entry, sha256), spool)


def _limits(options: IngestOptions) -> SectionLimits:
    return SectionLimits(options.section_max_chars, options.section_min_chars, options.section_heading_depth)


class _File(NamedTuple):
    contents: Contents
    task: ParseTask
    format: Format
    sha256: str


def _document(parsed: Parsed, sectioned: Sectioned, file: _File, spool: Path | None) -> Document:
    front_matter = parsed.source[: parsed.front_matter.end] if parsed.front_matter else ""
    large = len(parsed.source) > _MOST_PREPARED
    rows = _spooled(sectioned, parsed.source, spool) if large and spool else tuple(_rows(sectioned, parsed.source))
    return Document(
        path=file.task.path,
        kind=file.format.name,
        key=file.task.key,
        title=sectioned.title,
        summary=offline_summary(sectioned.title, parsed),
        sha256=file.sha256,
        size=len(file.contents.data),
        mtime_ns=file.contents.mtime_ns,
        encoding=parsed.encoding,
        chars=len(parsed.source),
        front_matter=front_matter,
        fts_front_matter=normalise_for_fts(front_matter),
        metadata=json.dumps(dict(parsed.metadata), default=str),
        warnings=parsed.warnings,
        sections=rows,
        terms=_terms(rows) if file.task.terms and not large else (),
    )


def _rows(sectioned: Sectioned, source: str) -> Iterator[SectionRow]:
    return (_row(section, source) for section in sectioned.sections)


def _spooled(sectioned: Sectioned, source: str, spool: Path) -> tuple[SectionRow, ...] | Spooled:
    """The rows in a file, so that no process ever holds all of them; without room for it, in memory after all."""
    place = spool / f"{os.getpid()}-{time.monotonic_ns()}"
    try:
        spool.mkdir(mode=0o700, exist_ok=True)
        return Spooled.write(_rows(sectioned, source), place)
    except OSError:
        place.unlink(missing_ok=True)
        return tuple(_rows(sectioned, source))


def _terms(rows: Iterable[SectionRow]) -> tuple[tuple[int, Mapping[str, str]], ...]:
    from drawwell.corpus.ingest.entries import StoredSection, term_entries  # only a large run has this done here

    numbered = enumerate(rows)
    return tuple(
        term_entries(
            StoredSection(at, row.text, row.headings, row.covers, row.parents, row.hidden) for at, row in numbered
        )
    )


def _row(section: Section, source: str) -> SectionRow:
    text = section.text(source)
    heading_path = PATH_JOINER.join(section.headings)
    around = (*section.covers, *section.parents)
    fts_heading = PATH_JOINER.join((heading_path, *around)) if around else heading_path
    digest = hashlib.sha256(text.encode()).hexdigest()
    span = section.span
    return SectionRow(  # in the order of its fields: there are very many of these
        heading_path,
        section.level,
        section.kind,
        text,
        len(text),
        digest,
        normalise_for_fts(fts_heading),
        normalise_for_fts(without(text, _hidden(section)) if section.hidden else text),
        span.start,
        span.end,
        section.first_line,
        section.last_line,
        len(section.repeated),
        _to_json(section.headings),
        _to_json(section.covers) if section.covers else "[]",
        section.anchor,
        section.part,
        section.parts,
        int(digest[:12], 16),
        section.first_page,
        section.last_page,
        _to_json(section.parents) if section.parents else "[]",
        _to_json(_hidden(section)) if section.hidden else "[]",
    )


def _hidden(section: Section) -> list[tuple[int, int]]:
    """The ranges of the section's text that are kept out of the search index."""
    offset = len(section.repeated) - section.span.start
    return [(span.start + offset, span.end + offset) for span in section.hidden]


def _brief(error: BaseException) -> str:
    words = " ".join(str(error).split())
    return f"{type(error).__name__}: {words[:200]}" if words else type(error).__name__
