"""How a corpus is read. Values only; where they come from is ``settings`` and ``compose``'s business."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from dataclasses import dataclass, field

__all__ = ["MAP_CHARS", "IngestOptions", "command_words"]

MAP_CHARS = 1500
"""Room of the map that a store keeps ready, for server instructions that no request may wait for."""

PARSER_VERSION = 3
"""Raised whenever the same bytes may give other sections, so that documents are cut anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestOptions:
    """Everything that decides what an ingest writes.

    Attributes:
        section_max_chars: longest section, in code points; longer blocks are cut as the spec says.
        section_min_chars: shorter fragments are merged.
        section_heading_depth: deeper headings stay inside their parent's section.
        index_budget_tokens: estimated tokens that the index text may take.
        max_file_bytes: larger files are skipped with a reason.
        respect_gitignore: whether ``.gitignore`` files count.
        words: whether to keep the indexes beside the store.
        pdf_password: opens PDF files that are locked with one. It decides no section, and is never shown or stored.
        pdf_ocr: the command that gives PDF files without a text layer one; empty for none.
        workers: parsing processes; 0 for one per core.
        prune: accept that more than half of the documents vanish at once.
        wait_seconds: how long to wait for another ingest of the same store.
    """

    section_max_chars: int = 2000
    section_min_chars: int = 40
    section_heading_depth: int = 4
    index_budget_tokens: int = 3000
    max_file_bytes: int = 100_000_000
    respect_gitignore: bool = True
    words: bool = True
    pdf_password: str = field(default="", repr=False)
    pdf_ocr: str = ""
    workers: int = 0
    prune: bool = False
    wait_seconds: float = 600.0

    def document_key(self, format_name: str) -> str:
        """What besides a file's bytes decides its sections: a short hash of settings and parser version."""
        parts = [
            PARSER_VERSION,
            format_name,
            self.section_max_chars,
            self.section_min_chars,
            self.section_heading_depth,
        ]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

    def scan_key(self, key: str) -> str:
        """The key of a document whose text comes from ``pdf_ocr``, or that was refused for want of text.

        Args:
            key: its key otherwise.
        """
        recognised = hashlib.sha256(self.pdf_ocr.encode()).hexdigest()[:16] if self.pdf_ocr else "scan"
        return f"{key}-{recognised}"

    def is_current(self, before: str, key: str) -> bool:
        """Whether a file that has not changed would be read as it was.

        What a command recognised once stays when no command is given any more, like what a password opened.

        Args:
            before: the key that it has in the store.
            key: ``document_key`` of its format.
        """
        base, _, recognised = before.partition("-")
        return base == key and (not recognised or not self.pdf_ocr or before == self.scan_key(key))


def command_words(command: str) -> list[str]:
    """The program and arguments of a command line; nothing in it is expanded.

    Raises:
        ValueError: a quotation in it does not end.
    """
    if os.name != "nt":
        return shlex.split(command)
    words = shlex.split(command, posix=False)  # backslashes stand in paths there
    return [word[1:-1] if len(word) > 1 and word[0] == word[-1] == '"' else word for word in words]
