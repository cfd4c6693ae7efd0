"""Checks the invariants of an ingest over a folder of real documents.

By hand: ``python -m tests.acceptance_corpora FOLDER...``. Each folder is ingested into a temporary store; every
document is then read back and compared with its file. Prints what does not hold, and how much time and memory it took.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from drawwell.corpus.ingest.run import ingest
from drawwell.corpus.options import IngestOptions
from drawwell.text.formats import format_of, parser_of
from drawwell.text.packing import HARD_FACTOR

SHOWN = 20
ORDINARY = ("markdown", "mdx", "text")
"""Formats whose source is the file itself."""


def check_folder(root: Path) -> int:
    """Ingest a folder and check it.

    Returns:
        How many things do not hold.
    """
    options = IngestOptions()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store.sqlite"
        begun = time.perf_counter()
        report = ingest(root, store, options)
        seconds = time.perf_counter() - begun
        begun = time.perf_counter()
        again = ingest(root, store, options)
        repeat = time.perf_counter() - begun
        print(
            f"{root}: {report.documents} documents, {report.sections} sections, {seconds:.1f} s, again {repeat:.1f} s"
        )
        size = store.stat().st_size / 1e6
        print(f"  store {size:.1f} MB; index {report.index_mode}, {report.index_tokens} tokens; {_memory()}")
        reasons = Counter(reason for _, reason in report.skipped)
        warnings = Counter(text[:60] for _, text in report.warnings)
        print(f"  skipped: {dict(reasons.most_common(9))}; warnings: {dict(warnings.most_common(9))}")
        with contextlib.closing(sqlite3.connect(store)) as connection:
            connection.row_factory = sqlite3.Row
            problems = list(_problems(root, connection, options))
        if again.sections_written or again.changed or again.added:
            problems.append(f"the second run wrote {again.sections_written} sections")
        failed = [f"{path}: {reason}" for path, reason in report.skipped if "fail" in reason.lower()]
        problems += failed
    for problem in problems[:SHOWN]:
        print(f"  ! {problem}")
    print(f"  {len(problems)} problems")
    return len(problems)


def _problems(root: Path, connection: sqlite3.Connection, options: IngestOptions) -> Iterator[str]:
    documents = connection.execute("SELECT * FROM documents JOIN drawwell_documents USING (doc_id) ORDER BY path")
    for document in documents:
        sections = connection.execute(
            "SELECT * FROM sections JOIN drawwell_sections USING (doc_id, ordinal) WHERE doc_id = ? ORDER BY ordinal",
            (document["doc_id"],),
        ).fetchall()
        yield from _whole(root, document, sections)
        for number, section in enumerate(sections):
            for problem in _section(document, section, number, options):
                yield f"{section['id']}: {problem}"


def _whole(root: Path, document: sqlite3.Row, sections: list[sqlite3.Row]) -> Iterator[str]:
    """Front matter and slices, joined, are the source; spans tile it."""
    path = root / document["path"]
    entry = format_of(path.name)
    assert entry is not None
    source = parser_of(entry)(path.read_bytes()).source
    joined = document["front_matter"] + "".join(section["text"][section["repeated"] :] for section in sections)
    if joined != source and (sections or source.removeprefix(document["front_matter"]).strip()):
        yield f"{document['path']}: the slices are not the source"
    if entry.name in ORDINARY and document["encoding"] == "utf-8":
        decoded = path.read_bytes().decode("utf-8").removeprefix("\ufeff")
        if source != decoded.replace("\0", "\ufffd"):
            yield f"{document['path']}: the source is not the decoded file"
    position = len(document["front_matter"])
    for section in sections:
        if (
            section["start"] != position
            or source[section["start"] : section["end"]] != section["text"][section["repeated"] :]
        ):
            yield f"{section['id']}: its span is not its text"
        position = section["end"]


def _section(document: sqlite3.Row, section: sqlite3.Row, number: int, options: IngestOptions) -> Iterator[str]:
    text, longest = section["text"], options.section_max_chars
    if section["ordinal"] != number or section["id"] != f"{document['path']}#{number}":
        yield "wrong number"
    if not text.strip(" \t\r\n"):
        yield "blank"
    if section["char_len"] != len(text) or len(text) > HARD_FACTOR * longest + longest:
        yield f"{len(text)} characters"
    if len(text) > longest and section["kind"] == "prose":
        yield f"prose of {len(text)} characters"
    headings = json.loads(section["headings"])
    if not headings or headings[0] != document["title"] or " > ".join(headings) != section["heading_path"]:
        yield f"heading path {section['heading_path']!r}"
    if any(not heading.strip() or "\n" in heading for heading in headings):
        yield f"headings {headings!r}"
    if (
        section["next_id"]
        and section["kind"] == "prose"
        and text.startswith("#")
        and len(text.strip().split("\n")) == 1
    ):
        yield "a heading alone"
    if section["repeated"] and "|" not in text[: section["repeated"]] and "<t" not in text[: section["repeated"]]:
        yield "a repeated header that is none"
    if section["part"] > section["parts"]:
        yield f"part {section['part']} of {section['parts']}"


def _memory() -> str:
    try:
        import resource
    except ImportError:  # a system without it
        return "memory not known"
    own, children = (
        resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return f"peak {own:.0f} MB, largest child {children:.0f} MB"


if __name__ == "__main__":
    sys.exit(min(1, sum(check_folder(Path(folder)) for folder in sys.argv[1:])))
