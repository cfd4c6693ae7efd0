"""What the sample corpus gives, in files that a reviewer can read; see ``test_golden.py``."""

from __future__ import annotations

import contextlib
import difflib
import sqlite3
import sys
import tempfile
from pathlib import Path

from drawwell.corpus.ingest.run import ingest
from drawwell.corpus.options import IngestOptions
from tests.conformance.builder import build

__all__ = ["FOLDER", "render"]

FOLDER = Path(__file__).parent / "golden"


def render(place: Path) -> dict[str, str]:
    """The golden files as they are now.

    Args:
        place: an empty folder to work in.
    """
    store = place / "store.sqlite"
    ingest(build("sample", place), store, IngestOptions(workers=1))
    with contextlib.closing(sqlite3.connect(store)) as connection:
        index_text = connection.execute("SELECT value FROM meta WHERE key = 'index_text'").fetchone()[0]
        rows = connection.execute(
            "SELECT s.id, s.kind, s.heading_path, covers, char_len FROM sections s JOIN documents USING (doc_id)"
            " JOIN drawwell_sections USING (doc_id, ordinal) ORDER BY path, ordinal"
        )
        ids = "".join(
            f"{identifier}  {kind}, {length}  {path}{'' if covers == '[]' else f'  {covers}'}\n"
            for identifier, kind, path, covers, length in rows
        )
    return {"index.txt": f"{index_text}\n", "ids.txt": ids}


def main(write: bool) -> int:
    """Show how the golden files differ from what is now; write them if asked.

    Returns:
        1 if they differ and were not written.
    """
    differ = False
    with tempfile.TemporaryDirectory() as place:
        for name, text in render(Path(place)).items():
            path = FOLDER / name
            before = path.read_text(encoding="utf-8") if path.exists() else ""
            differ |= before != text
            sys.stdout.writelines(
                difflib.unified_diff(before.splitlines(True), text.splitlines(True), f"golden/{name}", "now")
            )
            if write:
                path.write_text(text, encoding="utf-8", newline="\n")
    return int(differ and not write)


if __name__ == "__main__":
    sys.exit(main("--write" in sys.argv[1:]))
