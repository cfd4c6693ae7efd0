"""What Markdown documents hold that CommonMark does not know: containers of other dialects, math, MDX.

One pass over the lines, ahead of the Markdown parser. The bodies of containers are shown to the parser dedented,
between marker lines; what carries no structure is hidden from it. All of it takes linear time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from drawwell.text.formats.elements import Element, find_elements
from drawwell.text.formats.hidden import Hidden, HiddenFinder
from drawwell.text.formats.view import Region, View, common_lines

__all__ = ["view_of"]

_MARKER = "<!---->\n"
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_SIGNS = frozenset("`~!?=<${ie-+*0123456789 \t\r\n")  # first characters of lines that need a closer look
_LIST = re.compile(r"(?:[-+*]|\d{1,9}[.)])\s")
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_ADMONITION = re.compile(r"!!! ?[\w-]|\?\?\?\+? ?[\w-]|===[!+]* ?[\"']")
_BODY = re.compile(r"(?:[ \t]*\r?\n)*([ \t]*)[^ \t\r\n]")
_DIALECT = re.compile(
    r"\n[ \t]*(?:!!!|\?\?\?|===[!+]* ?[\"']|\$\$|/{3,}[ \t]*[A-Za-z]|:{3,}[ \t]*\{?[A-Za-z]|</[A-Z]\w*[a-z]"
    r"|<[A-Za-z][^>\n]*\smarkdown|<(?i:table)\b)"
)
_RAW_HTML = re.compile(r"\n[ \t]*<(?:!--|(?i:pre|script|style|textarea)\b)")


def view_of(source: str, start: int = 0, *, mdx: bool = False) -> View:
    """What the Markdown parser is to see of a document.

    Args:
        source: the document.
        start: where its body begins.
        mdx: whether it is MDX: elements of any name hold Markdown, indentation makes no code, and there are
            ``import``, ``export`` and ``{expressions}``.
    """
    text = common_lines(source[start:])
    if not mdx and not _needs_scan(text):
        return View(text, source, start)
    if not text.endswith("\n"):
        text += "\n"
    lines = _Scanner(text, mdx).run()
    origins = [at + start for at in lines.origins] if start else lines.origins
    origins.append(len(source))
    for number in range(len(origins) - 2, -1, -1):  # a line feed that only the text has
        if origins[number] <= len(source):
            break
        origins[number] = len(source)
    return View("".join(lines.text), source, start, origins, lines.opens, lines.closes)


def _needs_scan(text: str) -> bool:
    """Whether a Markdown document may hold any of it."""
    text = "\n" + text
    if _DIALECT.search(text):
        return True
    # Raw HTML follows CommonMark's rules, but for comments and the like that stand inside of other raw HTML.
    for found in _RAW_HTML.finditer(text):
        before = text.rfind("\n", 0, found.start())
        if text[before + 1 : found.start()].strip(" \t\r"):
            return True
    return False


@dataclass(slots=True)
class _Open:
    """A container whose body is being read.

    Attributes:
        floor: column of its opening line in the view; its body is not left of it.
        shift: how far its body is moved to the left.
        needs: column that its body keeps to, and a line left of it ends the container; 0 when a line closes it.
        first: its marker line in the view.
        body: first line of its body in the view.
        in_list: whether what is around it is inside a list.
        element: what closes it.
    """

    floor: int = 0
    shift: int = 0
    needs: int = 0
    first: int = 0
    body: int = 0
    in_list: bool = False
    element: Element | None = None


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

    def end_fence(self, line: str, origin: int) -> None:
        """Writes the line that closes the open fence, ahead of the blank lines before ``origin``."""
        number = len(self.text)
        while self.text[number - 1].isspace():
            number -= 1
        self.text.insert(number, f"{line}\n")
        self.origins.insert(number, self.origins[number] if number < len(self.origins) else origin)

    def mark(self, floor: int, origin: int) -> int:
        """Writes a marker line, which ends whatever paragraph or raw HTML is open; returns its number."""
        if self.text and not self.text[-1].isspace():
            self.put("\n", origin)
        self.put(" " * floor + _MARKER, origin)
        return len(self.text) - 1


class _Scanner:
    """State of the pass over the lines of a document."""

    def __init__(self, text: str, mdx: bool) -> None:
        self._lines: list[str] = _LINE.findall(text)
        self._text = text
        self._mdx = mdx
        self._elements = find_elements(text, every_tag=mdx)
        self._borders = self._elements.opens.keys() | self._elements.closes.keys()
        self._hidden = HiddenFinder(text, mdx=mdx)
        self._out = _Lines()
        self._stack = [_Open()]
        self._live: set[Element | None] = set()  # the elements on the stack
        self._fence = ""  # what opened the fence that is open
        self._fence_at = 0  # its column in the view
        self._in_list = False
        self._number = 0  # of the line that is being read
        self._at = 0  # its offset

    def run(self) -> _Lines:
        """Writes the view."""
        while self._number < len(self._lines):
            if self._plain_lines():
                continue
            line = self._lines[self._number]
            body = line.lstrip(" \t")
            if not body.strip("\r\n"):
                self._put(line)
            else:
                self._line(line, body)
        while len(self._stack) > 1:
            self._close(0)
        return self._out

    def _plain_lines(self) -> bool:
        """Shows lines as long as they neither open nor close anything; whether there were any. Most lines are such."""
        top = self._stack[-1]
        if top.needs or top.shift or top.floor:
            return False
        lines, borders, fence = self._lines, self._borders, self._fence[:1]
        texts, origins = self._out.text, self._out.origins
        first = number = self._number
        at = self._at
        flat = False
        while number < len(lines):
            line = lines[number]
            if line != "\n":
                if at in borders or (fence in line if fence else line[0] in _SIGNS):
                    break
                flat = True
            texts.append(line)
            origins.append(at)
            at += len(line)
            number += 1
        self._in_list = self._in_list and (not flat or bool(fence))
        self._number, self._at = number, at
        return number > first

    def _line(self, line: str, body: str) -> None:
        indent = line[: len(line) - len(body)]
        column = len(indent.expandtabs(4)) if "\t" in indent else len(indent)
        while self._stack[-1].needs > column:
            self._close(0)
        if self._close_elements():
            return
        top = self._stack[-1]
        shown = max(top.floor, column - top.shift)
        if self._opens(shown):
            return
        deep = shown - top.floor >= 4 and not self._in_list
        if self._fence:
            if self._closes_fence(body):
                self._fence = ""
        elif not deep or self._mdx:
            if self._special(shown, column, body):
                return
            if deep:
                shown = top.floor
        self._put(line if shown == column else " " * shown + body)

    def _put(self, line: str) -> None:
        """Shows the current line and goes on to the next."""
        self._out.put(line, self._at)
        self._at += len(self._lines[self._number])
        self._number += 1

    def _blank_until(self, last: int) -> None:
        """Hides the current line, whose marker has been written, and those up to ``last``."""
        self._at += len(self._lines[self._number])
        self._number += 1
        while self._at < last:
            self._put("\n")

    def _closes_fence(self, body: str) -> bool:
        run = len(body) - len(body.lstrip(self._fence[0]))
        return run >= len(self._fence) and not body[run:].strip()

    def _special(self, shown: int, column: int, body: str) -> bool:
        """Whether the line was taken, being the first of something that CommonMark does not know."""
        mark = body[0]
        if mark in "`~":
            found = _FENCE.match(body.rstrip("\r\n"))
            if found:
                self._fence, self._fence_at = found[1] or found[2], shown
        elif mark in "!?=":
            return bool(_ADMONITION.match(body)) and self._open_admonition(shown, column)
        elif mark in "<${ie":
            start = self._at + len(self._lines[self._number]) - len(body)
            before = self._out.text[-1] if self._out.text else "\n"
            top = len(self._stack) == 1 and column == 0 and (before.isspace() or before == _MARKER)
            found_hidden = self._hidden.at(start, top=top)
            if found_hidden:
                self._hide(found_hidden, shown)
                return True
        if mark in "-+*0123456789" and _LIST.match(body):
            self._in_list = True
        elif shown - self._stack[-1].floor < 2:
            self._in_list = False
        return False

    def _hide(self, hidden: Hidden, shown: int) -> None:
        first = self._out.mark(shown, self._at)
        self._blank_until(hidden.last)
        last = len(self._out.text)
        self._out.opens[first] = Region(hidden.kind, first, last, last, last)

    def _open_admonition(self, shown: int, column: int) -> bool:
        content = _BODY.match(self._text, self._at + len(self._lines[self._number]))
        if not content or len(content[1].expandtabs(4)) < column + 4:
            return False
        first = self._out.mark(shown, self._at)
        self._blank_until(self._at)
        self._push(_Open(shown, column + 4 - shown, column + 4, first, len(self._out.text)))
        return True

    def _push(self, entry: _Open) -> None:
        entry.in_list = self._in_list
        self._in_list = False
        self._stack.append(entry)
        self._live.add(entry.element)

    def _opens(self, shown: int) -> bool:
        """Whether elements open at the current line."""
        elements = self._elements.opens.get(self._at)
        if not elements:
            return False
        self._fence = ""
        entries = []
        for element in elements:
            first = self._out.mark(shown, self._at)
            entry = _Open(shown, self._stack[-1].shift, 0, first, first + 1, element=element)
            content = _BODY.match(self._text, element.body)
            if element.dedent and content:
                entry.shift = len(content[1].expandtabs(4)) - shown
            entries.append(entry)
        self._blank_until(elements[0].body)
        entries[-1].body = len(self._out.text)
        for entry in entries:
            self._push(entry)
        return True

    def _close_elements(self) -> bool:
        """Closes the elements that end at the current line; whether that took the line."""
        ending = [e for e in self._elements.closes.get(self._at, ()) if e in self._live]
        for element in ending:
            while self._stack[-1].element is not element:
                self._close(0)
            takes = element is ending[-1] and element.last > element.tail
            self._close(element.last if takes else 0)
        return bool(ending) and ending[-1].last > ending[-1].tail

    def _close(self, last: int) -> None:
        """Closes the innermost container, which takes the lines from the current one up to ``last``."""
        entry = self._stack.pop()
        self._live.discard(entry.element)
        if self._fence:  # it ends with what it is in
            self._out.end_fence(" " * self._fence_at + self._fence, self._at)
            self._fence = ""
        self._in_list = entry.in_list
        tail = after = self._out.mark(entry.floor, self._at)
        if last:
            self._blank_until(last)
            after = len(self._out.text)
        region = Region("element" if entry.element else "container", entry.first, entry.body, tail, after)
        self._out.opens[entry.first] = region
        self._out.closes[tail] = region
