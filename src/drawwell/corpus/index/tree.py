"""The adaptive tree: the most telling lines about many documents that fit a budget.

It begins with the top folders and opens, again and again, the line that hides most documents, as long as the lines
that replace it fit. What is left of the budget goes to more titles per line. Many files in one folder, and many
folders in one, are grouped by the beginnings of their names. Every line is named by something that the ``within``
filter takes: a path, a folder or a glob.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from drawwell.corpus.operations.paths import shown

__all__ = ["FILES_HERE", "Entry", "Node", "Style", "grow"]

FILES_HERE = "(files here)"
"""Ends the name of a line for the files directly in a folder."""

_MANY_FILES = 8  # more files than this, beside folders, stand together in one line
_GROUPS = 12  # folders or files that are not grouped
_COARSER = (12, 6, 3, 2)  # groups, about, that more are brought into: the most that fit
_LABELS_AT_FIRST = 3
_MOST_LABELS = 40


class Entry(Protocol):
    """What the tree needs to know of a document."""

    @property
    def path(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def sections(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Style:
    """How lines look and what they cost.

    Attributes:
        cost: cost of a line with its newline; adds up.
        branch: a line for a folder or group.
        leaf: a line for one document.
        label: a title made ready; empty ones are left out.
    """

    cost: Callable[[str], int]
    branch: Callable[[Node], str]
    leaf: Callable[[Entry], str]
    label: Callable[[str], str]


@dataclass(slots=True, eq=False)
class Node:
    """A line of the tree: one document, or the documents of a folder or group.

    Attributes:
        name: what the line is called.
        base: the beginning that all its documents' paths share and that its name covers.
        entries: its documents, in path order.
        units: the folders or files that it groups; None for a folder, which is opened by the next part of the path.
        labels: titles shown so far.
        sections: of all its documents.
    """

    name: str
    base: str
    entries: Sequence[Entry]
    units: list[Node] | None = None
    labels: list[str] = field(default_factory=list)
    sections: int = field(init=False)
    _titles: Iterator[str] = field(init=False)

    def __post_init__(self) -> None:
        self.sections = sum(entry.sections for entry in self.entries)
        self._titles = (entry.title for entry in self.entries)

    @property
    def is_leaf(self) -> bool:
        return len(self.entries) == 1

    @property
    def unnamed(self) -> int:
        """Documents whose title is not shown."""
        return len(self.entries) - len(self.labels)

    def line(self, style: Style) -> str:
        """The line as it stands."""
        if self.is_leaf:
            return style.leaf(self.entries[0])
        return style.branch(self)

    def add_label(self, style: Style) -> bool:
        """Show one more title; False when there is none that is not shown."""
        for title in self._titles:
            text = style.label(title)
            if text and text not in self.labels:
                self.labels.append(text)
                return True
        return False


def grow(entries: Sequence[Entry], style: Style, budget: int, left_out: Callable[[int, int], str]) -> list[str]:
    """Lines for all documents, within a budget.

    Args:
        entries: the documents in path order, at least one.
        style: how lines look and what they cost.
        budget: most that the lines may cost together.
        left_out: makes the last line when not even the top folders fit, from the numbers of lines and of documents
            that are not shown.

    Returns:
        The lines in path order. Deterministic.
    """
    top = Node("", "", entries)
    nodes = _fitting(_openings(top), style, budget)
    if nodes is None:
        return _cut(min(_openings(top), key=len), style, budget, left_out)
    nodes, left = _open_all(nodes, style, budget)
    _fill(nodes, style, left)
    return [node.line(style) for node in nodes]


def _open_all(nodes: list[Node], style: Style, budget: int) -> tuple[list[Node], int]:
    """Open lines, those that hide most first, while the budget lasts. Returns the lines and what is left."""
    costs = {node: style.cost(node.line(style)) for node in nodes}
    left = budget - sum(costs.values())
    queue = [(-len(node.entries), node.entries[0].path, node) for node in nodes if not node.is_leaf]
    heapq.heapify(queue)
    while queue:
        _, _, node = heapq.heappop(queue)
        opened = _fitting(_openings(node), style, left + costs[node])
        if opened is None:
            continue
        left += costs.pop(node)
        for child in opened:
            costs[child] = style.cost(child.line(style))
            left -= costs[child]
            if not child.is_leaf:
                heapq.heappush(queue, (-len(child.entries), child.entries[0].path, child))
    return sorted(costs, key=lambda node: node.entries[0].path), left


def _fitting(openings: Sequence[list[Node]], style: Style, budget: int) -> list[Node] | None:
    """The first of several ways to open a line that fits, with as many titles as fit; None when none does."""
    for nodes in openings:
        left = budget - sum(style.cost(node.line(style)) for node in nodes)
        if left >= 0:
            _fill(nodes, style, left, _LABELS_AT_FIRST)
            return nodes
    return None


def _fill(nodes: Sequence[Node], style: Style, left: int, most: int = _MOST_LABELS) -> None:
    """Spend what is left on titles, one for each line in turn."""
    growing = [node for node in nodes if not node.is_leaf]
    while growing:
        still = []
        for node in growing:
            before = style.cost(node.line(style))
            if len(node.labels) >= most or not node.add_label(style):
                continue
            grown = style.cost(node.line(style)) - before
            if grown > left:
                node.labels.pop()
                continue
            left -= grown
            still.append(node)
        growing = still


def _cut(nodes: list[Node], style: Style, budget: int, left_out: Callable[[int, int], str]) -> list[str]:
    lines: list[str] = []
    documents = sum(len(node.entries) for node in nodes)
    left = budget - style.cost(left_out(len(nodes), documents))
    for node in nodes:
        line = node.line(style)
        left -= style.cost(line)
        if left < 0:
            break
        lines.append(line)
        documents -= len(node.entries)
    last = left_out(len(nodes) - len(lines), documents)
    return [*lines, last] if style.cost(last) <= budget else []


def _openings(node: Node) -> list[list[Node]]:
    """Ways to open a line, the most detailed first."""
    if node.units is not None:
        return _groupings(node.units)
    folders, files = _inside(node)
    if not folders:
        return _groupings(files)
    ways = [_in_order(folders + files)] if len(files) <= _GROUPS else []
    if len(files) > _MANY_FILES:
        whole = [entry for file in files for entry in file.entries]
        files = [Node(f"{shown(node.base) or './'} {FILES_HERE}", node.base, whole, units=files)]
    ways.append(_in_order(folders + files))
    return ways + [_in_order(groups + files) for groups in _groupings(folders) if groups is not folders]


def _groupings(units: list[Node]) -> list[list[Node]]:
    """Ways to show folders or files: one by one when they are few, else in fewer and fewer groups."""
    if len(units) <= _GROUPS:
        return [units]
    ways = [_grouped(units, count) for count in _COARSER]
    return [
        way for number, way in enumerate(ways) if len(way) > 1 and (number == 0 or len(way) < len(ways[number - 1]))
    ]


def _inside(node: Node) -> tuple[list[Node], list[Node]]:
    """Folders and files directly in a folder; a folder that holds but one folder stands for that."""
    base = len(node.base)
    by_folder: dict[str, list[Entry]] = {}
    files: list[Node] = []
    for entry in node.entries:
        end = entry.path.find("/", base)
        if end == -1:
            files.append(Node(shown(entry.path), entry.path, [entry]))
        else:
            by_folder.setdefault(entry.path[: end + 1], []).append(entry)
    folders = []
    for name, inside in by_folder.items():
        shared = _shared(inside[0].path, inside[-1].path)
        deepest = shared[: shared.rfind("/") + 1] if len(inside) > 1 else name
        folders.append(Node(shown(deepest), deepest, inside))
    return folders, files


def _grouped(units: list[Node], count: int) -> list[Node]:
    """Bring folders or files into about so many groups, by the first character in which their names differ."""
    names = [unit.base for unit in units]
    shared = _shared(min(names), max(names))
    place = len(shared)
    buckets: dict[str, list[Node]] = {}
    for unit in sorted(units, key=lambda unit: unit.base):
        buckets.setdefault(unit.base[place : place + 1], []).append(unit)
    groups: list[Node] = []
    enough = len(units) / count
    run: list[tuple[str, list[Node]]] = []
    for char, bucket in buckets.items():
        if run and not (char.isalnum() and run[0][0].isalnum() and _size(run) + len(bucket) <= enough):
            groups.extend(_group(shared, run))
            run = []
        run.append((char, bucket))
    groups.extend(_group(shared, run))
    return groups


def _shared(first: str, last: str) -> str:
    """What two strings begin with; of sorted ones, the first and last have in common what all have."""
    for place, (left, right) in enumerate(zip(first, last, strict=False)):
        if left != right:
            return first[:place]
    return first if len(first) <= len(last) else last


def _size(run: list[tuple[str, list[Node]]]) -> int:
    return sum(len(bucket) for _, bucket in run)


def _group(shared: str, run: list[tuple[str, list[Node]]]) -> list[Node]:
    units = [unit for _, bucket in run for unit in bucket]
    if len(units) == 1:
        return units
    first, last = run[0][0], run[-1][0]
    written = _literal(first) if first == last else f"[{first}-{last}]"
    entries = [entry for unit in units for entry in unit.entries]
    name = f"{_literal(shared)}{written}*"
    return [Node(shown(name), shared, entries, units=units)]


def _literal(text: str) -> str:
    return "".join(f"[{char}]" if char in "*?[" else char for char in text)


def _in_order(nodes: list[Node]) -> list[Node]:
    return sorted(nodes, key=lambda node: node.entries[0].path)
