"""What Markdown documents hold that CommonMark does not know: containers of other dialects, math, MDX.

One pass over the lines, ahead of the Markdown parser. The bodies of containers are shown to the parser dedented,
between marker lines; what carries no structure is hidden from it. All of it is linear.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from drawwell.text.formats.elements import Element, Elements, find_elements
from drawwell.text.formats.hidden import Hidden, find_hidden
from drawwell.text.formats.view import Region, View, common_lines, plain_view

__all__ = ["view_of"]

_MARKER = "<!---->\n"
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_LIST = re.compile(r"(?:[-+*]|\d{1,9}[.)])(?:\s|$)")
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_ADMONITION = re.compile(r"(?:!!! ?[\w-]|\?\?\?\+? ?[\w-]|===[!+]* ?[\"'])")
_CANDIDATE = re.compile(
    r"\n[ \t]*(?:!!!|\?\?\?|===[!+]* ?[\"']|\$\$|/{3,}[ \t]*[A-Za-z]|:{3,}[ \t]*\{?[A-Za-z]|</[A-Z][^>\n]*[a-z]"
    r"|<[A-Za-z][^>\n]*\smarkdown|<(?i:table|!--|pre|script|style|textarea))"
)


@dataclass(slots=True)
class _Open:
    """A container whose body is being read. Columns count from 0, tabs stop every four."""

    floor: int  # column of its opening line in the view
    shift: int  # how far its body is moved to the left
    needs: int = 0  # column that its body keeps to; a line before it ends the container. 0: it has a closing line
    element: Element | None = None
    first: int = 0
    body: int = 0
    in_list: bool = False  # of what is around it


@dataclass(slots=True)
class _Lines:
    """The view being written."""

    text: list[str] = field(default_factory=list)
    origins: list[int] = field(default_factory=list)
    opens: dict[int, Region] = field(default_factory=dict)
    closes: dict[int, Region] = field(default_factory=dict)

    def put(self, line: str, origin: int) -> None:
        self.text.append(line)
        self.origins.append(origin)

    def mark(self, floor: int, origin: int) -> int:
        """Writes a marker line, which ends whatever paragraph or raw HTML is open; returns its number."""
        if self.text and not self.text[-1].isspace():
            self.put("\n", origin)
        self.put(" " * floor + _MARKER, origin)
        return len(self.text) - 1
