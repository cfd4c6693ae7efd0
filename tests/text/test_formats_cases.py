"""What each parser makes of the cases in ``cases/``: small documents of the acceptance list, and what is expected.

A case file is a text of cases::

    ==== MD-10 a title
    ----> markdown                      the parser; "escaped" reads backslash escapes, "as NAME" encodes the text
    # C#
    ----> blocks                        kind, lines, and so on: see ``rendering``
    heading 1-1 h1 "C#"

With ``----> source`` between the two, the parsed source is compared, too (a page's Markdown rendition).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from drawwell.errors import UnreadableFile
from drawwell.text.formats import FORMATS, parser_of
from tests.text.rendering import assert_sound, render

CASES = Path(__file__).parent / "cases"
FILES = sorted(path.name for path in CASES.glob("*.txt"))
PARSERS = {entry.name: parser_of(entry) for entry in FORMATS if entry.name in {"markdown", "mdx", "text", "html"}}


@dataclass(frozen=True)
class Case:
    """One case of a file."""

    file: str
    title: str
    parser: str
    data: bytes
    source: str | None
    expected: str


def read_cases(name: str) -> list[Case]:
    """The cases of a file."""
    cases = []
    for text in re.split(r"^==== ", (CASES / name).read_text("utf-8"), flags=re.MULTILINE)[1:]:
        title, _, rest = text.partition("\n")
        parts = re.split(r"^----> (.*)\n", rest, flags=re.MULTILINE)
        sections = dict(zip(parts[1::2], parts[2::2], strict=True))
        head, *others = sections
        words = head.split()
        given = sections[head]
        if "escaped" in words:
            given = re.sub(r"\\(?:x(..)|u(....)|(.))", unescape, given.removesuffix("\n"))
        data = given.encode(words[words.index("as") + 1] if "as" in words else "utf-8")
        assert set(others) <= {"source", "blocks"}
        cases.append(Case(name, title, words[0], data, sections.get("source"), sections["blocks"].strip()))
    return cases


def unescape(found: re.Match[str]) -> str:
    """The character that an escape in a case stands for."""
    if found[3]:
        return {"n": "\n", "r": "\r", "t": "\t", "s": " "}.get(found[3], found[3])
    return chr(int(found[1] or found[2], 16))


@pytest.mark.parametrize("case", [case for name in FILES for case in read_cases(name)], ids=lambda case: case.title)
def test_case(case: Case) -> None:
    """A document of the acceptance list parses into the blocks that are written beside it."""
    if case.expected.startswith("unreadable: "):
        with pytest.raises(UnreadableFile, match=case.expected.removeprefix("unreadable: ")):
            PARSERS[case.parser](case.data)
        return
    parsed = PARSERS[case.parser](case.data)
    assert render(parsed) == case.expected
    if case.source is not None:
        assert parsed.source == case.source
    assert_sound(parsed)
