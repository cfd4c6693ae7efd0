"""Links to other documents in a piece of Markdown: ``[text](path#anchor)``, ``[[name#heading|text]]``, ``![[name]]``.

A piece may begin anywhere, inside a nested list say, where a Markdown parser would take its indentation for code. So
this looks only for what cannot be missed: fences, code spans, escapes, brackets. Time is linear.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from drawwell.text.budget import safe_cut

__all__ = ["LONGEST_TEXT", "FoundLink", "links_in"]

LONGEST_TEXT = 120
"""Code points of a link's text that are given."""

_BORDER = re.compile(  # a line that is blank, or opens or closes a fence, in a quote or an item too
    r"^(?:[ \t\r>]|[-*+][ \t]|\d{1,9}[.)][ \t])*+(?:(`{3,}+)([^`\n]*+)$|(~{3,}+)([^\n]*+)$|$)", re.MULTILINE
)
_MARK = re.compile(r"\\.|`++|!?\[\[|\[|\]\(?", re.DOTALL)
_TICKS = re.compile(r"`++")
_WIKI = re.compile(r"\[\[([^\[\]\n]{1,500}+)\]\]")
_BLANK = r"[ \t\r\n]"
_DESTINATION = re.compile(
    rf"\({_BLANK}*+(?:<([^<>\n]{{0,500}}+)>|((?:[^\s()<]|\([^\s()]{{0,100}}+\)){{0,500}}+))"
    rf"(?:{_BLANK}++(?:\"[^\"]{{0,500}}+\"|'[^']{{0,500}}+'|\([^()]{{0,500}}+\)))?+{_BLANK}*+\)"
)
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*+:|//")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


@dataclass(frozen=True, slots=True)
class FoundLink:
    """A link as it is written.

    Attributes:
        at: where it begins.
        text: what a reader sees of it, on one line, at most 120 code points.
        target: path or name that it leads to; empty for the document that it stands in.
        anchor: what follows the ``#``; empty without one.
        wiki: whether it is of the wiki kind, whose target is a name rather than a path.
    """

    at: int
    text: str
    target: str
    anchor: str
    wiki: bool


def links_in(text: str) -> Iterator[FoundLink]:
    """The links of a piece of Markdown outside of code, in order; those to the web are left out."""
    for start, end in _paragraphs(text):
        if text.find("[", start, end) != -1:
            yield from _Paragraph(text, start, end).links()


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Ranges between blank lines and outside of fences: no code span reaches out of one."""
    start = 0
    fence = ""
    for border in _BORDER.finditer(text):
        mark, rest = border[1] or border[3] or "", border[2] or border[4] or ""
        if not fence:
            yield start, border.start()
            fence = mark
        elif mark.startswith(fence) and not rest.strip():
            fence = ""
        start = border.end()
    if not fence:
        yield start, len(text)


class _Paragraph:
    """A range of a text that is read from mark to mark."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text = text
        self._start = start
        self._end = end
        self._ticks: dict[int, list[int]] | None = None  # where the runs of backticks begin, by length

    def links(self) -> Iterator[FoundLink]:
        text, at, end = self._text, self._start, self._end
        open_brackets: list[int] = []
        while (mark := _MARK.search(text, at, end)) is not None:
            at = mark.end()
            sign = mark[0].lstrip("!")
            if sign[0] == "`":
                at = self._code_end(len(sign), at)
            elif sign == "[[" and (wiki := _WIKI.match(text, at - 2, end)) is not None:
                at = wiki.end()
                yield _wiki(wiki[1], mark.start())
            elif sign[0] == "[":
                at = mark.end() - len(sign) + 1
                open_brackets.append(at)
            elif sign[0] == "]" and open_brackets:
                label = open_brackets.pop()
                destination = _DESTINATION.match(text, mark.end() - 1, end) if sign == "](" else None
                if destination is not None:
                    at = destination.end()
                    found = _ordinary(text[label : mark.start()], destination[1] or destination[2] or "", label - 1)
                    if found is not None:
                        yield found

    def _code_end(self, length: int, at: int) -> int:
        """The end of the code span whose opening run ends at ``at``; ``at`` when nothing closes it."""
        if self._ticks is None:
            self._ticks = defaultdict(list)
            for run in _TICKS.finditer(self._text, self._start, self._end):
                self._ticks[len(run[0])].append(run.start())
        closing = self._ticks.get(length, [])
        number = bisect_left(closing, at)
        return closing[number] + length if number < len(closing) else at


def _wiki(inner: str, at: int) -> FoundLink:
    name, bar, alias = inner.partition("|")
    name = name.removesuffix("\\").strip()  # in a table the bar is escaped
    target, _, heading = name.partition("#")
    shown = alias if bar and alias.strip() else name
    return FoundLink(at, _brief(shown), target.strip(), heading.rpartition("#")[2].strip(), True)


def _ordinary(label: str, destination: str, at: int) -> FoundLink | None:
    if not destination or _ELSEWHERE.match(destination):
        return None
    path, _, anchor = _ESCAPED.sub(r"\1", destination).partition("#")
    target = unquote(path.partition("?")[0])
    return FoundLink(at, _brief(label) or _brief(destination), target, unquote(anchor), False)


def _brief(text: str) -> str:
    line = " ".join(text[: 4 * LONGEST_TEXT].split())
    return line if len(line) <= LONGEST_TEXT else line[: safe_cut(line, LONGEST_TEXT - 1)] + "…"
