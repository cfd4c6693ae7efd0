"""The table of document formats: which suffix is read by which parser, and what that parser needs."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec

from drawwell.errors import MissingExtra
from drawwell.text.blocks import Parsed

__all__ = ["FORMATS", "Format", "format_of", "parser_of"]

Parser = Callable[..., Parsed]
"""Bytes of one file (and its password, where the format says so) to its blocks. Raises UnreadableFile for what it
cannot take in."""


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of document.

    Attributes:
        name: the kind as stored with a document.
        label: the kind as a user says it, in the plural.
        suffixes: file name endings, lower case, with their dot.
        parser: ``module:function`` of its parser, imported when first used.
        extra: the extra of drawwell that brings what the parser needs; empty when nothing is needed.
        needs: top-level packages of that extra, to see whether it is installed.
        password: whether its files may be locked: the parser takes a password after the bytes.
        isolated: whether its files may take much more time or memory than their size tells, so that they are parsed
            in a process with bounds on both, always.
    """

    name: str
    label: str
    suffixes: tuple[str, ...]
    parser: str
    extra: str = ""
    needs: tuple[str, ...] = ()
    password: bool = False
    isolated: bool = False

    @property
    def available(self) -> bool:
        """Whether everything that the parser needs is installed."""
        return all(_installed(package) for package in self.needs)


FORMATS: tuple[Format, ...] = (
    Format("markdown", "Markdown files", (".md", ".markdown"), "drawwell.text.formats.markdown:parse"),
    Format("mdx", "MDX files", (".mdx",), "drawwell.text.formats.mdx:parse"),
    Format("text", "text files", (".txt",), "drawwell.text.formats.plain:parse"),
    Format("html", "HTML files", (".html", ".htm"), "drawwell.text.formats.html:parse", "html", ("html_to_markdown",)),
    Format("docx", "Word files", (".docx",), "drawwell.text.formats.docx:parse", "office", ("lxml",), isolated=True),
    Format("xlsx", "Excel files", (".xlsx",), "drawwell.text.formats.xlsx:parse", "office", ("lxml",), isolated=True),
    Format(
        "pptx", "PowerPoint files", (".pptx",), "drawwell.text.formats.pptx:parse", "office", ("lxml",), isolated=True
    ),
    Format(
        "pdf",
        "PDF files",
        (".pdf",),
        "drawwell.text.formats.pdf:parse",
        "pdf",
        ("pypdfium2",),
        password=True,
        isolated=True,
    ),
)

_BY_SUFFIX = {suffix: entry for entry in FORMATS for suffix in entry.suffixes}


@cache
def _installed(package: str) -> bool:
    return find_spec(package) is not None


def format_of(name: str) -> Format | None:
    """The format of a file, by its name's ending; None when drawwell does not read such files."""
    dot = name.rfind(".")
    return _BY_SUFFIX.get(name[dot:].lower()) if dot >= 0 else None


@cache
def parser_of(entry: Format) -> Parser:
    """The parser of a format.

    Raises:
        MissingExtra: a package that it needs is not installed.
    """
    if not entry.available:
        raise MissingExtra(entry.label, entry.extra)
    module, _, function = entry.parser.partition(":")
    parser: Parser = getattr(importlib.import_module(module), function)
    return parser
