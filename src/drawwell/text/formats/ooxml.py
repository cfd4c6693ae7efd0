"""Office Open XML packages: parts, relationships and properties, for Word, Excel and PowerPoint alike.

Sources: ECMA-376, part 2 (Open Packaging Conventions) and part 1 for the strict namespaces, which are read as the
transitional ones.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import Any

from lxml import etree

from drawwell.errors import UnreadableFile
from drawwell.text.formats.zip_guard import Archive, EntryStream

__all__ = ["CHART", "DIAGRAM", "DRAWING", "MC", "RELATION", "Element", "Kind", "Package", "alternative", "is_on"]

Element = etree._Element  # noqa: SLF001 - the class has no other name

_OFFICE = "http://schemas.openxmlformats.org"
RELATION = f"{{{_OFFICE}/officeDocument/2006/relationships}}"
DRAWING = f"{{{_OFFICE}/drawingml/2006/main}}"
CHART = f"{{{_OFFICE}/drawingml/2006/chart}}"
DIAGRAM = f"{{{_OFFICE}/drawingml/2006/diagram}}"
MC = f"{{{_OFFICE}/markup-compatibility/2006}}"
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")
_TRANSITIONAL = _OFFICE.encode() + rb"/\1/2006/\2"
_MAX_TREE = 64_000_000  # bytes of XML in one part that is held as a tree, which takes six times as much memory
_ROOTS = {
    "document": ("a Word document", ".docx"),
    "workbook": ("an Excel workbook", ".xlsx"),
    "presentation": ("a PowerPoint presentation", ".pptx"),
}
_PROPERTIES = {
    "title": "title",
    "creator": "author",
    "subject": "subject",
    "description": "description",
    "keywords": "keywords",
    "category": "category",
}
_NO_TITLE = re.compile(
    r"(?i)(?:word document|powerpoint presentation|excel workbook|document|presentation|book|slide|untitled)? ?\d{0,3}"
    r"|microsoft \w+ - .*|.*\.(?:docx?|xlsx?|pptx?|dotx?|rtf)"
)


@dataclass(frozen=True, slots=True)
class Kind:
    """What a package should hold.

    Attributes:
        root: local name of the root element of its main part.
        main: where its main part is when no relationship says so.
    """

    root: str
    main: str

    @property
    def what(self) -> str:
        """What it is, with its article."""
        return _ROOTS[self.root][0]


@dataclass(frozen=True, slots=True)
class _Relation:
    kind: str  # last word of its type
    target: str  # name of a part; empty when it leads out of the package


class Package:
    """An Office Open XML file.

    Args:
        data: the file.
        kind: what it should be.

    Attributes:
        main: name of the main part.
        root: root element of the main part.

    Raises:
        UnreadableFile: it is something else, damaged, protected or beyond a bound.
    """

    def __init__(self, data: bytes, kind: Kind) -> None:
        self._archive = Archive(data, kind.what)
        self._relations: dict[str, dict[str, _Relation]] = {}
        self.main = next(iter(self.related("", "officeDocument")), kind.main)
        if self.main not in self._archive:
            raise UnreadableFile(f"is not {kind.what}: a ZIP archive without the part {kind.main}")
        self.root = self.tree(self.main)
        name = etree.QName(self.root).localname
        if name != kind.root:
            other, suffix = _ROOTS.get(name, (f"one of {name!r}", ""))
            advice = f". Rename it to {suffix}" if suffix else ""
            raise UnreadableFile(f"is not {kind.what} but {other}{advice}")

    def tree(self, name: str) -> Element:
        """The root element of a part, its names those of the transitional form.

        Raises:
            UnreadableFile: the part is missing, damaged, too large, or declares entities.
        """
        size = self._archive.size(name)
        if size > _MAX_TREE:
            raise UnreadableFile(f"its part {name} has {size:,} bytes when inflated, more than {_MAX_TREE:,}")
        data = self._archive.read(name)
        if b"<!DOCTYPE" in data:
            raise UnreadableFile(f"its part {name} declares a document type, which Office files never do")
        if b"purl.oclc.org/ooxml/" in data:
            data = _STRICT.sub(_TRANSITIONAL, data)
        # Attributes of the parser: nothing is expanded, nothing fetched, and depth and text are bounded.
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True,
            remove_pis=True,
        )  # fmt: skip
        try:
            root = etree.fromstring(data, parser)
        except etree.XMLSyntaxError as error:
            raise UnreadableFile(f"is damaged: its part {name} is not well-formed XML ({error})") from error
        if root.getroottree().docinfo.internalDTD is not None:  # in an encoding that hid it above
            raise UnreadableFile(f"its part {name} declares a document type, which Office files never do")
        return root

    def stream(self, name: str) -> EntryStream:
        """A part's inflated bytes."""
        return self._archive.open(name)

    def optional(self, kind: str) -> Element | None:
        """The root of the part that the main part names as its ``styles``, say; None when there is none."""
        return next((self.tree(name) for name in self.related(self.main, kind)), None)

    def related(self, name: str, kind: str) -> list[str]:
        """Names of the parts that a part has of one kind and that are there, in order."""
        relations = self._of(name).values()
        return [one.target for one in relations if one.kind == kind and one.target in self._archive]

    def target(self, name: str, relation: str | None) -> str:
        """Name of the part that a relationship of a part leads to; empty when there is none."""
        found = self._of(name).get(relation or "")
        return found.target if found and found.target in self._archive else ""

    def properties(self) -> dict[str, Any]:
        """Title, author, subject, description, keywords and category, as far as they are set."""
        found: dict[str, Any] = {}
        for name in self.related("", "core-properties")[:1]:
            for child in self.tree(name):
                key = _PROPERTIES.get(etree.QName(child).localname)
                text = " ".join((child.text or "").split())
                if key and text and not (key == "title" and _NO_TITLE.fullmatch(text)):
                    found[key] = text
        return found

    def _of(self, name: str) -> dict[str, _Relation]:
        if name in self._relations:
            return self._relations[name]
        folder, base = posixpath.split(name)
        place = posixpath.join(folder, "_rels", f"{base}.rels")
        found = {}
        for child in self.tree(place) if place in self._archive else ():
            target = child.get("Target", "").replace("\\", "/")
            if child.get("TargetMode") == "External":
                target = ""
            elif target:
                target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
            found[child.get("Id", "")] = _Relation(child.get("Type", "").rpartition("/")[2], target)
        self._relations[name] = found
        return found


def alternative(element: Element) -> Element | None:
    """What counts of an ``AlternateContent``: the first choice, else the fallback. Never both."""
    choice = element.find(f"{MC}Choice")
    return choice if choice is not None else element.find(f"{MC}Fallback")


def is_on(value: str | None) -> bool:
    """Whether an on/off attribute that may be left out says on."""
    return value not in ("0", "false", "off")
