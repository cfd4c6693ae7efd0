"""What a Markdown heading says: its text without markup, and the id that it gives itself."""

from __future__ import annotations

import re

__all__ = ["HeadingText"]

# What braces at the end of a heading hold when they are not of its text: "#id .class key=value". "{id}" is text.
_ATTRIBUTE = re.compile(r"[#.][^\s#.{}][^\s#{}]*|[\w:.-]+=\S*")
_HTML_ID = re.compile(r"""<a\s[^>]*?\b(?:id|name)\s*=\s*["']?([^\s"'>]+)""", re.IGNORECASE)


class HeadingText:
    """Plain text of one heading, put together from the parser's events."""

    __slots__ = ("_anchor", "_fixed", "_length", "_parts")

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._fixed = 0  # how much of it is sure to be text, since it ends with a code span
        self._anchor = ""

    def add(self, kind: str, text: str) -> None:
        """Takes the next event: its kind and its text."""
        if kind == "InlineHtml":
            found = _HTML_ID.match(text)
            self._anchor = found[1] if found else self._anchor
        elif kind != "FootnoteReference":
            self._parts.append(text)
            self._length += len(text)
            if kind != "Text":
                self._fixed = self._length

    def close(self) -> tuple[str, str]:
        """The heading's text in one line, and its anchor, empty without one."""
        text = "".join(self._parts).rstrip()
        opening = text.rfind("{") if text.endswith("}") else -1
        if opening >= self._fixed and self._attributes(text[opening + 1 : -1].strip()):
            text = text[:opening]
        return " ".join(text.split()), self._anchor

    def _attributes(self, text: str) -> bool:
        """Whether braces hold attributes, or a comment of MDX; notes the id among them."""
        comment = text.startswith("/*") and text.endswith("*/")
        words = (text[2:-2] if comment else text.removeprefix(":")).split()
        if not comment and not (words and words[0][0] in "#." and all(map(_ATTRIBUTE.fullmatch, words))):
            return False
        self._anchor = next((word[1:] for word in words if word[0] == "#"), self._anchor)
        return True
