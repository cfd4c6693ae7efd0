"""Office files with wrong values, lost parts and elements in wrong places: read or refused, never an accident."""

from __future__ import annotations

import io
import re
import tomllib
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawwell.errors import UnreadableFile
from drawwell.text.formats import docx, pptx, xlsx
from drawwell.text.sections import SectionLimits, cut
from tests.conformance.builder import CORPORA, content
from tests.office import package

PARSERS = {"docx": docx.parse, "xlsx": xlsx.parse, "pptx": pptx.parse}
VALUES = ["-1", "9" * 30, "", "x", "0", "²", "NaN", "1e999", "true"]
ELEMENT = re.compile(r"<[\w:]+/>|<[\w:]+[^<>]*>[^<]*</[\w:]+>")
VALUE = re.compile(r'(?<==")[^"]*(?=")|(?<=>)[^<>]+(?=<)')


def _files() -> list[tuple[str, dict[str, str]]]:
    entries = tomllib.loads((CORPORA / "office.toml").read_text(encoding="utf-8"))["file"]
    found = []
    for entry in entries:
        suffix = entry["path"].rpartition(".")[2]
        if suffix in PARSERS and {"word", "workbook", "deck"} & entry.keys() and "bomb" not in entry["path"]:
            with zipfile.ZipFile(io.BytesIO(content(entry))) as archive:
                found.append((suffix, {name: archive.read(name).decode() for name in archive.namelist()}))
    return found


FILES = _files()


@settings(max_examples=250, deadline=None)
@given(st.data())
def test_a_changed_file_is_read_or_refused(data: st.DataObject) -> None:
    """Whatever value or element is changed, lost or doubled; what is read is cut into all of its text."""
    suffix, parts = data.draw(st.sampled_from(FILES))
    parts = dict(parts)
    name = data.draw(st.sampled_from(sorted(parts)))
    if data.draw(st.integers(0, 9)) == 0:
        del parts[name]
    elif places := list((VALUE if data.draw(st.booleans()) else ELEMENT).finditer(parts[name])):
        place = data.draw(st.sampled_from(places))
        new = data.draw(st.sampled_from([*VALUES, place[0] * 2, data.draw(st.sampled_from(places))[0]]))
        parts[name] = parts[name][: place.start()] + new + parts[name][place.end() :]
    try:
        parsed = PARSERS[suffix](package(parts))
    except UnreadableFile:
        return
    sections = cut(parsed, "file", SectionLimits(2000, 40, 4)).sections
    assert "".join(parsed.source[one.span.start : one.span.end] for one in sections) == parsed.source


@pytest.mark.parametrize("depth", [60, 200])
def test_deep_nesting_is_read_or_refused(depth: int) -> None:
    """No stack overflows."""
    rows = "<w:tbl><w:tr><w:tc>" * depth + "<w:p><w:r><w:t>deep</w:t></w:r></w:p>" + "</w:tc></w:tr></w:tbl>" * depth
    body = f'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{rows}'
    made = package({"word/document.xml": f"{body}</w:body></w:document>"})
    if depth < 100:
        assert "deep" in docx.parse(made).source
    else:
        with pytest.raises(UnreadableFile, match="depth"):
            docx.parse(made)
