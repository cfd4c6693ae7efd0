"""What a text defines: the names that an item, a row, a paragraph or a line of code introduces at its beginning."""

from __future__ import annotations

import re

__all__ = ["defined_in"]

_LINE_START = re.compile(
    r"\n[ \t>]*+(?:"  # - `NAME`: what it is; **name** - what it is; | `name` | what it is |
    r"(?:[-*+|:]|[0-9]{1,3}[.)])?[ \t]*+(?:\*\*`?|__`?|`)(?P<name>[^\s`*|/]{1,80}[^\s`*|/:])"
    r"(?::[`*_]++|[`*_]++:?\**+[ \t]*+(?=[:|(\n\u2013\u2014-]))"
    r"|(?:(?:async|export|public|private|static|default|pub)[ \t]++)*+"
    r"(?:def|class|function|fn|func|interface|struct|enum|trait|type)[ \t]++(?P<code>\w++)"
    r")"
)


def defined_in(text: str) -> tuple[str, str]:
    """The names that a text defines.

    Args:
        text: a section; time is linear in it.

    Returns:
        The names that code declares, and the words that begin an item, a row or a paragraph set as code or in bold.
        Each joined by blanks, as they are written.
    """
    declared: list[str] = []
    listed: list[str] = []
    for found in _LINE_START.finditer(f"\n{text}\n"):
        if found["code"]:
            declared.append(found["code"])
        else:
            listed.append(found["name"])
    return " ".join(declared), " ".join(listed)
