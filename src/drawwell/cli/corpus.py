"""The five operations over a corpus, and the export of its sections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from drawwell.cli.options import setting_options, tool_option
from drawwell.cli.output import note, one_line, print_data, print_exactly, print_json, shown
from drawwell.cli.reading import SEARCH_SETTINGS, Reading, reading
from drawwell.model import GrepResult, IndexText, NeighboursResult, SearchResult, SectionText
from drawwell.server.tools.corpus import GREP, INDEX, NEIGHBOURS, READ, SEARCH

__all__ = ["export_chunks", "grep", "index", "neighbours", "read", "search"]

_WHERE = (
    "DIR is a folder of documents, whose changes are taken in first, or a store file. "
    "Without it, the nearest store from here upwards answers."
)


@click.command(epilog=_WHERE)
@click.argument("query")
@reading
@tool_option(SEARCH, "in", "Only documents with this path or glob; may be repeated.")
@tool_option(SEARCH, "limit")
@tool_option(SEARCH, "mode", "What ranks: auto takes words, and meaning where vectors are there.")
@setting_options(*SEARCH_SETTINGS)
@tool_option(SEARCH, "max_tokens")
@tool_option(SEARCH, "cursor")
def search(where: Reading, query: str, **asked: Any) -> None:
    """Find sections by words or identifiers, and by meaning where a model is configured.

    Gives pointers, best first: an id to read, where it stands, and a few words around the match.

    \b
      drawwell search "refund window" docs
      drawwell search TX-44 docs --in "errors*.md" --limit 3 --json
      drawwell search "money back" docs --embed onnx:all-MiniLM-L6-v2
    """
    with where.open() as corpus:
        where.show(corpus.search(query, **asked), _show_hits)


def _show_hits(found: SearchResult) -> None:
    for hit in found.hits:
        print_data(f"  {one_line(hit.heading_path)}  ({hit.kind}, {hit.score:.3g})", _placed(hit.id, hit.page))
        print_data("    " + " ".join(hit.snippet.split()))
        print_data(f"    cite {shown(hit.cite)}" + (f"  [{hit.stale}]" if hit.stale else ""))


@click.command(epilog=_WHERE)
@click.argument("id")
@reading
@tool_option(READ, "context", "Sections to show before and after.")
@click.option("--raw", is_flag=True, help="Print the section's exact characters and nothing else.")
@tool_option(READ, "max_tokens")
@tool_option(READ, "cursor")
def read(where: Reading, id: str, raw: bool, **asked: Any) -> None:  # noqa: A002 the tool's word
    """Read the exact text of a section.

    ID is an id from search, grep or index. Its citation (the id with @ and a hash) can be read too:
    when the text behind it has changed it is refused, and the place where that text now stands is named.

    \b
      drawwell read "refunds.md#3" docs --context 1
    """
    with where.open() as corpus:
        section = corpus.read(id, **asked)
        if raw:
            print_exactly(section.text)
            return
        where.show(section, _show_section)


def _show_section(section: SectionText) -> None:
    if section.context is None:
        _show_texts([(section, False)])
    else:
        _show_texts([(each, each is section) for each in sorted((section, *section.context), key=_position)])


def _position(section: SectionText) -> int:
    number = section.id.rpartition("#")[2]
    return int(number) if number.isdigit() else -1


def _show_texts(sections: Sequence[tuple[SectionText, bool]]) -> None:
    """Print sections, those marked that were asked for, with a blank line between them."""
    for number, (section, marked) in enumerate(sections):
        lead = f"{'==>' if marked else '---'} {_head(section)}"
        parents = "".join(f"\n    in: {one_line(parent)}" for parent in section.parents)
        print_data(f"{parents}\n" + section.text.rstrip("\n"), lead if number == 0 else f"\n{lead}")


def _placed(name: str, page: str) -> str:
    """An id with the page that it is on, where the document has pages."""
    return f"{shown(name)} p.{page}" if page else shown(name)


def _head(section: SectionText) -> str:
    lines = f" · lines {section.lines[0]}-{section.lines[1]}" if section.lines else ""
    extra = "".join(f" · {text}" for text in (section.part and f"part {section.part}", section.stale) if text)
    return f"{_placed(section.cite, section.page)} · {one_line(section.heading_path)}{lines}{extra}"


@click.command(epilog=_WHERE)
@click.argument("id")
@reading
@tool_option(NEIGHBOURS, "before", "Sections to show before it.")
@tool_option(NEIGHBOURS, "after", "Sections to show after it.")
@tool_option(NEIGHBOURS, "max_tokens")
@tool_option(NEIGHBOURS, "cursor")
def neighbours(where: Reading, id: str, **asked: Any) -> None:  # noqa: A002 the tool's word
    """Read the sections around one, and the head of its table.

    \b
      drawwell neighbours "guide.md#4" docs --before 0 --after 2
    """
    with where.open() as corpus:
        where.show(corpus.neighbours(id, **asked), _show_run)


def _show_run(found: NeighboursResult) -> None:
    header = [(found.header, False)] if found.header is not None else []
    _show_texts([*header, *((section, section.anchor) for section in found.sections)])


@click.command(epilog=_WHERE)
@click.argument("pattern")
@reading
@tool_option(GREP, "in", "Only documents with this path or glob; may be repeated.")
@tool_option(GREP, "regex", "Take PATTERN as a regular expression.")
@tool_option(GREP, "lines", "Show every matching line, not only the first of each section.")
@tool_option(GREP, "limit")
@tool_option(GREP, "max_tokens")
@tool_option(GREP, "cursor")
def grep(where: Reading, pattern: str, **asked: Any) -> None:
    """Find every section that holds a text, in document order.

    Case does not matter. Put -- before a pattern that begins with a dash.

    \b
      drawwell grep TX-44 docs
      drawwell grep --regex "TX-4[0-9]+" docs --lines
      drawwell grep -- --no-cache docs
    """
    with where.open() as corpus:
        where.show(corpus.grep(pattern, **asked), _show_matches)


def _show_matches(found: GrepResult) -> None:
    for match in found.matches:
        lines = [(line.number, line.text) for line in match.lines] or [(match.line_number, match.line)]
        for number, text in lines:
            print_data(f":{'' if number is None else number}: {text}", _placed(match.id, match.page))
    if found.truncated and not found.next:
        note("there may be more matches: the time for one grep was used up")


@click.command(epilog=_WHERE)
@reading
@tool_option(INDEX, "prefix", "Only documents whose path begins so.")
@tool_option(INDEX, "max_tokens")
@tool_option(INDEX, "cursor")
def index(where: Reading, prefix: str | None, **asked: Any) -> None:
    """Show the map of a corpus, or the documents below a path.

    \b
      drawwell index docs
      drawwell index docs --prefix guides/
    """
    with where.open() as corpus:
        where.show(corpus.index(prefix or "", **asked), _show_index)


def _show_index(found: IndexText) -> None:
    print_data(found.text.rstrip("\n"))


@click.command("export-chunks", epilog=_WHERE)
@reading
def export_chunks(where: Reading) -> None:
    """Print every section as one JSON object a line: id, text, source.

    \b
      drawwell export-chunks docs > chunks.jsonl
    """
    with where.open() as corpus:
        for chunk in corpus.export_chunks():
            print_json(chunk, indent=None)
