"""Text in drawings of Office files: the figures of charts and the words of diagrams (SmartArt).

Source: ECMA-376, part 1, 21.2 (charts) and 21.4 (diagrams).
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from drawwell.text.formats.ooxml import CHART, DIAGRAM, DRAWING, RELATION, Element, Package
from drawwell.text.formats.rendition import Rendition

__all__ = ["write_graphics"]

_MAX_POINTS = 10_000  # of one series; Excel draws no more than 32,000
_CATEGORIES = ("cat", "xVal")
_VALUES = ("val", "yVal")


def write_graphics(out: Rendition, package: Package, part: str, element: Element) -> None:
    """Write the charts as tables and the diagrams as lists.

    Args:
        out: where to.
        package: the file.
        part: the part that the element is in.
        element: what may hold charts and diagrams.
    """
    for found in element.iter(f"{CHART}chart", f"{DIAGRAM}relIds"):
        diagram = etree.QName(found).localname == "relIds"
        name = package.target(part, found.get(f"{RELATION}dm" if diagram else f"{RELATION}id"))
        if not name:
            continue
        root = package.tree(name)
        if diagram:
            for depth, text in _diagram(root):
                out.item(depth, "-", text)
        else:
            _write_chart(out, root)


def _write_chart(out: Rendition, root: Element) -> None:
    title = root.find(f"{CHART}chart/{CHART}title")
    words = _text(title) if title is not None else ""
    rows = _chart_rows(root)
    if rows or words:
        out.paragraph(f"Chart: {words}" if words else "Chart")
    if rows:
        out.table(rows, max(map(len, rows)))


def _chart_rows(root: Element) -> list[list[str]]:
    """A header of the series' names, then a row for each category."""
    names = []
    columns: list[dict[int, str]] = []
    categories: dict[int, str] = {}
    for series in root.iter(f"{CHART}ser"):
        name = series.find(f"{CHART}tx")
        names.append(" ".join(_values(name).values()) if name is not None else "")
        for tag in _CATEGORIES:
            if (found := series.find(f"{CHART}{tag}")) is not None:
                categories = {**_values(found), **categories}
        columns.append({})
        for tag in _VALUES:
            if (found := series.find(f"{CHART}{tag}")) is not None:
                columns[-1].update(_values(found))
    points = sorted({*categories, *(index for column in columns for index in column)})
    if not points:
        return []
    header = ["", *(name or f"Series {number}" for number, name in enumerate(names, 1))]
    body = ([categories.get(at, ""), *(column.get(at, "") for column in columns)] for at in points)
    return [header, *body]


def _values(element: Element) -> dict[int, str]:
    """Cached values by their index; those of several levels are joined."""
    found: dict[int, str] = {}
    for point in element.iter(f"{CHART}pt"):
        value, index = point.find(f"{CHART}v"), point.get("idx", "")
        if value is None or not index.isdecimal() or len(found) >= _MAX_POINTS:
            continue
        text = value.text or ""
        at = int(index[:9])
        found[at] = f"{text} {found[at]}" if at in found else text
    if not found and (value := element.find(f"{CHART}v")) is not None:
        found[0] = value.text or ""
    return found


def _diagram(root: Element) -> Iterator[tuple[int, str]]:
    """Depth and text of the points of a diagram, from the outermost."""
    texts: dict[str, str] = {}
    tops: list[str] = []
    for point in root.iter(f"{DIAGRAM}pt"):
        key = point.get("modelId", "")
        if point.get("type", "node") == "doc":
            tops.append(key)
        elif point.get("type", "node") in ("node", "asst"):
            texts[key] = "\n".join(filter(None, map(_text, point.iter(f"{DRAWING}p"))))
    below: dict[str, list[tuple[int, str]]] = {}
    for link in root.iter(f"{DIAGRAM}cxn"):
        if link.get("type", "parOf") == "parOf":
            order = link.get("srcOrd", "0")
            below.setdefault(link.get("srcId", ""), []).append(
                (int(order) if order.isdecimal() and len(order) < 10 else 0, link.get("destId", ""))
            )
    waiting = [(-1, key) for key in reversed(tops)]
    while waiting or texts:
        depth, key = waiting.pop() if waiting else (0, next(iter(texts)))
        text = texts.pop(key, None)
        if text is None and depth >= 0:
            continue  # no point, or one that has been written
        if text:
            yield max(depth, 0), text
        waiting.extend((depth + 1, child) for _, child in sorted(below.pop(key, []), reverse=True))


def _text(element: Element) -> str:
    return "".join(one.text or "" for one in element.iter(f"{DRAWING}t"))
