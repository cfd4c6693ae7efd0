"""Makes Office files of hand-written XML, for what the libraries that write them cannot."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence

__all__ = ["deck", "package", "strict", "word", "workbook"]

_OFFICE = "http://schemas.openxmlformats.org"
_RELATION = f"{_OFFICE}/officeDocument/2006/relationships"
_WORD = f"{_OFFICE}/wordprocessingml/2006/main"
_SHEET = f"{_OFFICE}/spreadsheetml/2006/main"
_SLIDE = f"{_OFFICE}/presentationml/2006/main"
_NAMES = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        "w": _WORD,
        "p": _SLIDE,
        "r": _RELATION,
        "a": f"{_OFFICE}/drawingml/2006/main",
        "c": f"{_OFFICE}/drawingml/2006/chart",
        "dgm": f"{_OFFICE}/drawingml/2006/diagram",
        "m": f"{_OFFICE}/officeDocument/2006/math",
        "mc": f"{_OFFICE}/markup-compatibility/2006",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
        "v": "urn:schemas-microsoft-com:vml",
    }.items()
)


def package(parts: Mapping[str, str | bytes | Iterable[bytes]]) -> bytes:
    """A ZIP archive of parts; a part may be given piece by piece."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            if isinstance(content, (str, bytes)):
                archive.writestr(name, content)
                continue
            with archive.open(name, "w", force_zip64=True) as part:
                for piece in content:
                    part.write(piece)
    return made.getvalue()


def strict(data: bytes) -> bytes:
    """The same file in the strict form of the standard."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return package(
            {
                name: re.sub(
                    rb"http://schemas\.openxmlformats\.org/(officeDocument|\w+ml)/2006/(\w+)",
                    rb"http://purl.oclc.org/ooxml/\1/\2",
                    archive.read(name),
                )
                for name in archive.namelist()
            }
        )


def _relations(targets: Sequence[tuple[str, str]]) -> str:
    lines = "".join(
        f'<Relationship Id="rId{number}" Type="{_RELATION}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{_OFFICE}/package/2006/relationships">{lines}</Relationships>'


def _core(title: str) -> str:
    return (
        f'<cp:coreProperties xmlns:cp="{_OFFICE}/package/2006/metadata/core-properties" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title></cp:coreProperties>'
    )


def word(body: str, *, title: str = "", repeat: int = 1, **parts: str) -> bytes:
    """A Word document.

    Args:
        body: XML of its paragraphs and tables, with the prefixes of the module.
        title: the title of its core properties.
        repeat: how often the body is written.
        parts: content of its parts ``styles``, ``numbering``, ``footnotes``, ``endnotes``, ``comments``.
    """
    targets = [(name, f"{name}.xml") for name in parts]
    opening, closing = f"<w:document {_NAMES}><w:body>", "</w:body></w:document>"
    made: dict[str, str | bytes | Iterable[bytes]] = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": _relations([("officeDocument", "word/document.xml"), ("core-properties", "docProps/core.xml")]),
        "word/_rels/document.xml.rels": _relations(targets),
        "word/document.xml": _pieces(opening, body, repeat, closing),
        "docProps/core.xml": _core(title),
    }
    for name, content in parts.items():
        made[f"word/{name}.xml"] = f"<w:{name} {_NAMES}>{content}</w:{name}>"
    return package(made)


def _pieces(opening: str, body: str, repeat: int, closing: str) -> Iterable[bytes]:
    at_once = max(1, 1_000_000 // len(body.encode())) if body else 1
    yield opening.encode()
    for _ in range(repeat // at_once):
        yield (body * at_once).encode()
    yield (body * (repeat % at_once) + closing).encode()


def workbook(
    sheets: Mapping[str, str],
    *,
    strings: Sequence[str] = (),
    formats: Sequence[str] = (),
    hidden: Sequence[str] = (),
    date1904: bool = False,
    repeat: tuple[str, int] = ("", 0),
) -> bytes:
    """An Excel workbook.

    Args:
        sheets: XML of the rows of each sheet, by its name.
        strings: XML of the shared strings.
        formats: codes of the number formats that cell styles 1, 2, ... have; style 0 is general.
        hidden: names of the sheets that are hidden.
        date1904: whether days count from 1904.
        repeat: XML of a row that is added to every sheet, and how often; ``{n}`` in it counts from 0.
    """
    names = list(sheets)
    states = {name: ' state="hidden"' if name in hidden else "" for name in names}
    listed = "".join(
        f'<sheet name="{name}" sheetId="{number}"{states[name]} r:id="rId{number}"/>'
        for number, name in enumerate(names, 1)
    )
    targets = [("worksheet", f"worksheets/sheet{number}.xml") for number in range(1, len(names) + 1)]
    codes = "".join(f'<numFmt numFmtId="{164 + at}" formatCode="{code}"/>' for at, code in enumerate(formats))
    styles = '<xf numFmtId="0"/>' + "".join(f'<xf numFmtId="{164 + at}"/>' for at in range(len(formats)))
    made: dict[str, str | bytes | Iterable[bytes]] = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": _relations([("officeDocument", "xl/workbook.xml")]),
        "xl/workbook.xml": f'<workbook xmlns="{_SHEET}" xmlns:r="{_RELATION}"><workbookPr date1904="{int(date1904)}"/>'
        f"<sheets>{listed}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": _relations(
            [*targets, ("styles", "styles.xml"), ("sharedStrings", "sharedStrings.xml")]
        ),
        "xl/styles.xml": f'<styleSheet xmlns="{_SHEET}"><numFmts>{codes}</numFmts><cellXfs>{styles}</cellXfs>'
        "</styleSheet>",
        "xl/sharedStrings.xml": f'<sst xmlns="{_SHEET}">{"".join(f"<si>{one}</si>" for one in strings)}</sst>',
    }
    more = "".join(repeat[0].replace("{n}", str(n)) for n in range(repeat[1]))
    for number, rows in enumerate(sheets.values(), 1):
        made[f"xl/worksheets/sheet{number}.xml"] = (
            f'<worksheet xmlns="{_SHEET}"><sheetData>{rows}{more}</sheetData></worksheet>'
        )
    return package(made)


def deck(
    slides: Sequence[str],
    *,
    order: Sequence[int] = (),
    hidden: Sequence[int] = (),
    related: Mapping[str, Sequence[tuple[str, str]]] | None = None,
    parts: Mapping[str, str] | None = None,
) -> bytes:
    """A PowerPoint presentation.

    Args:
        slides: XML of the shapes of each slide, in the order of their part names.
        order: numbers of the slides in the order of the show; as they come by default.
        hidden: numbers of the slides that are hidden.
        related: for a slide's number, the kinds and targets of what it refers to as ``rId1``, ``rId2``, ...
        parts: other parts by their names; ``{names}`` in them stands for the declarations of the prefixes.
    """
    numbers = range(1, len(slides) + 1)
    shown = "".join(f'<p:sldId id="{255 + one}" r:id="rId{one}"/>' for one in order or numbers)
    made: dict[str, str | bytes | Iterable[bytes]] = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": _relations([("officeDocument", "ppt/presentation.xml")]),
        "ppt/presentation.xml": f"<p:presentation {_NAMES}><p:sldIdLst>{shown}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": _relations([("slide", f"slides/slide{one}.xml") for one in numbers]),
    }
    for number, shapes in zip(numbers, slides, strict=True):
        shown = ' show="0"' if number in hidden else ""
        made[f"ppt/slides/slide{number}.xml"] = (
            f"<p:sld {_NAMES}{shown}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
        )
        made[f"ppt/slides/_rels/slide{number}.xml.rels"] = _relations((related or {}).get(str(number), ()))
    for name, content in (parts or {}).items():
        made[name] = content.replace("{names}", _NAMES)
    return package(made)
