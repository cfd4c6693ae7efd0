"""The adaptive tree: the most telling lines about many documents that fit a budget.

It begins with the top folders and opens, again and again, the line that hides most documents (a group counts less than
a folder), as long as the lines that replace it fit, each with a title. What is left of the budget goes to more titles
per line: of each folder in it in turn, the page that stands for a folder first. Very many files in one folder, or
folders in one, are grouped by the beginnings of their names. Every line is named by something that the ``within``
filter takes: a path, a folder, a glob, or the files directly in a folder.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from drawwell.corpus.names import FILES_HERE, shown

__all__ = ["Entry", "Node", "Style", "grow"]

_FEW = 12  # files beside folders, and folders or files in one folder, that are never grouped
_MANY = 50  # of those, so many that they are grouped by their names even where there are titles to show instead
_COARSER = (12, 6, 3, 2)  # groups, about, that they are brought into: the most that fit
_ASIDE = 3  # documents beside a folder with ten times as many that do not keep it from being seen through
_LABELS_AT_FIRST = 3
_MOST_LABELS = 40
_FRONT_PAGES = ("index", "_index", "readme", "overview")


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
        files: most files of one folder that are lines of their own; more stay in one line with their titles.
    """

    cost: Callable[[str], int]
    branch: Callable[[Node], str]
    leaf: Callable[[Entry], str]
    label: Callable[[str], str]
    files: int


@dataclass(slots=True, eq=False)
class Node:
    """A line of the tree: one document, or the documents of a folder or group.

    Attributes:
        name: what the line is called.
        base: the beginning that all its documents' paths share and that its name covers.
        entries: its documents, in path order.
        units: the folders or files that it groups; None for a folder, which is opened by the next part of the path.
        sections: of all its documents.
    """

    name: str
    base: str
    entries: Sequence[Entry]
    units: list[Node] | None = None
    sections: int = field(init=False)
    _labels: list[str] = field(default_factory=list, init=False)
    _shown: int = field(default=0, init=False)
    _titles: Iterator[str] = field(init=False)

    def __post_init__(self) -> None:
        self.sections = sum(entry.sections for entry in self.entries)
        self._titles = _titles(self.entries, len(self.base))

    @property
    def is_leaf(self) -> bool:
        return len(self.entries) == 1

    @property
    def weight(self) -> int:
        """How much there is to gain by opening it: the parts of a group tell less than folders."""
        return len(self.entries) if self.units is None else len(self.entries) // 4

    @property
    def labels(self) -> list[str]:
        """Titles shown."""
        return self._labels[: self._shown]

    @property
    def unnamed(self) -> int:
        """Documents whose title is not shown."""
        return len(self.entries) - self._shown

    def line(self, style: Style) -> str:
        """The line as it stands."""
        if self.is_leaf:
            return style.leaf(self.entries[0])
        return style.branch(self)

    def add_label(self, style: Style) -> bool:
        """Show one more title; False when there is none that is not shown."""
        while self._shown == len(self._labels):
            title = next(self._titles, None)
            if title is None:
                return False
            text = style.label(title)
            if text and text not in self._labels:
                self._labels.append(text)
        self._shown += 1
        return True

    def drop_label(self) -> None:
        """Show one title less."""
        self._shown -= 1


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
    ways = _openings(Node("", "", entries), style, _FEW, top=True)
    nodes = _fitting(ways, style, budget, 0)
    if nodes is None:
        return _cut(min(ways, key=len), style, budget, left_out)
    for least in (_MANY, _FEW):
        nodes, left = _open_all(nodes, style, budget, least)
        if 5 * _fill(nodes, style, left) < budget:
            break
    return [node.line(style) for node in nodes]


def _open_all(nodes: list[Node], style: Style, budget: int, least: int) -> tuple[list[Node], int]:
    """Open lines, those that hide most first, while the budget lasts. Returns the lines and what is left."""
    costs = {node: style.cost(node.line(style)) for node in nodes}
    left = budget - sum(costs.values())
    queue = [(-node.weight, node.entries[0].path, node) for node in nodes if not node.is_leaf]
    heapq.heapify(queue)
    while queue:
        _, _, node = heapq.heappop(queue)
        opened = _fitting(_openings(node, style, least), style, left + costs[node], 1)
        if opened is None:
            continue
        left += costs.pop(node)
        for child in opened:
            costs[child] = style.cost(child.line(style))
            left -= costs[child]
            if not child.is_leaf:
                heapq.heappush(queue, (-child.weight, child.entries[0].path, child))
    return sorted(costs, key=lambda node: node.entries[0].path), left


def _fitting(ways: Sequence[list[Node]], style: Style, budget: int, least: int) -> list[Node] | None:
    """The first of several ways to open a line that fits with so many titles a line; None when none does."""
    for nodes in ways:
        for node in nodes:
            while not node.is_leaf and len(node.labels) < least and node.add_label(style):
                pass
        left = budget - sum(style.cost(node.line(style)) for node in nodes)
        if left >= 0:
            _fill(nodes, style, left, _LABELS_AT_FIRST)
            return nodes
    return None


def _fill(nodes: Sequence[Node], style: Style, left: int, most: int = _MOST_LABELS) -> int:
    """Spend what is left on titles, one for each line in turn. Returns what then is left."""
    growing = [node for node in nodes if not node.is_leaf]
    while growing:
        still = []
        for node in growing:
            before = style.cost(node.line(style))
            if len(node.labels) >= most or not node.add_label(style):
                continue
            grown = style.cost(node.line(style)) - before
            if grown > left:
                node.drop_label()
                continue
            left -= grown
            still.append(node)
        growing = still
    return left


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


def _openings(node: Node, style: Style, least: int, *, top: bool = False) -> list[list[Node]]:
    """Ways to open a line, the most detailed first; none for one that says most as it is.

    More folders or files in one folder than ``least`` may be grouped.
    """
    if node.units is not None:
        return _groupings(node.units, style, least)
    folders, files, base = _inside(node, top=top)
    gathered = [Node(f"{shown(base) or './'} {FILES_HERE}", base, _documents(files), units=files)] if files else []
    if not folders:
        return _groupings(files, style, least) + ([gathered] if top else [])
    ways = [_in_order(folders + files)] if len(files) <= min(style.files, _FEW) else []
    if len(files) > 1 or not ways:
        ways.append(_in_order(folders + gathered))
    groupings = (groups for groups in _groupings(folders, style, least) if groups is not folders)
    return ways + [_in_order(groups + gathered) for groups in groupings]


def _groupings(units: list[Node], style: Style, least: int) -> list[list[Node]]:
    """Ways to show folders or files: one by one, else, when they are many, in fewer and fewer groups."""
    files = sum(unit.is_leaf and unit.base == unit.entries[0].path for unit in units)
    ways = [units] if len(units) <= _MANY and files <= style.files else []
    if len(units) > least and sum(len(unit.entries) for unit in units) > _MANY:
        ways.extend(_grouped(units, count) for count in _COARSER)
    return [way for place, way in enumerate(ways) if len(way) > 1 and (not place or len(way) < len(ways[place - 1]))]


def _inside(node: Node, *, top: bool) -> tuple[list[Node], list[Node], str]:
    """Folders and files in a folder, and its path; one that holds but one folder stands for that.

    A folder that holds nearly all documents is seen through: what is in it comes, and the few others count as folders.
    """
    entries, base, aside = (node.entries, len(node.base), []) if top else _main_folder(node.entries, len(node.base))
    by_folder: dict[str, list[Entry]] = {}
    files: list[Node] = []
    for entry in entries:
        end = entry.path.find("/", base)
        if end == -1:
            files.append(_file(entry))
        else:
            by_folder.setdefault(entry.path[: end + 1], []).append(entry)
    folders = [_file(entry) for entry in aside]
    for name, inside in by_folder.items():
        deepest = _shared_folder(inside) if len(inside) > 1 else name
        folders.append(Node(shown(deepest), deepest, inside))
    return folders, files, entries[0].path[:base]


def _main_folder(entries: Sequence[Entry], base: int) -> tuple[Sequence[Entry], int, list[Entry]]:
    """The documents of the folder inside a folder that holds nearly all of it, the length of its path, and the rest."""
    aside: list[Entry] = []
    while True:
        middle = entries[len(entries) // 2].path  # in path order, so that it is in any folder with most of them
        end = middle.find("/", base) + 1
        inside = [entry for entry in entries if end and entry.path.startswith(middle[:end])]
        outside = len(entries) - len(inside)
        if len(inside) < 2 or outside + len(aside) > _ASIDE or 10 * outside > len(inside):
            return entries, base, aside
        aside += [entry for entry in entries if not entry.path.startswith(middle[:end])]
        entries, base = inside, len(_shared_folder(inside))


def _titles(entries: Sequence[Entry], base: int) -> Iterator[str]:
    """Titles of the documents below a folder: of each folder in it in turn, first of a page that stands for it."""
    entries, base, aside = _main_folder(entries, base)
    parts: dict[str, list[Entry]] = {}
    for entry in entries:
        parts.setdefault(entry.path[base : entry.path.find("/", base) + 1], []).append(entry)
    turns = deque(iter(sorted(part, key=_after_front_page)) for part in parts.values())
    while turns:
        part = turns.popleft()
        for entry in part:
            yield entry.title
            turns.append(part)
            break
    yield from (entry.title for entry in aside)


def _after_front_page(entry: Entry) -> float:
    """Sorts the pages that stand for a folder first, those of outer folders before those of inner ones."""
    *folders, name = entry.path.casefold().split("/")
    stem = name.rpartition(".")[0] or name
    return len(folders) if stem in _FRONT_PAGES or stem in folders[-1:] else math.inf


def _file(entry: Entry) -> Node:
    return Node(shown(entry.path), entry.path, [entry])


def _documents(nodes: Sequence[Node]) -> list[Entry]:
    return [entry for node in nodes for entry in node.entries]


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


def _shared_folder(entries: Sequence[Entry]) -> str:
    """The deepest folder that holds all of some documents in path order."""
    shared = _shared(entries[0].path, entries[-1].path)
    return shared[: shared.rfind("/") + 1]


def _size(run: list[tuple[str, list[Node]]]) -> int:
    return sum(len(bucket) for _, bucket in run)


def _group(shared: str, run: list[tuple[str, list[Node]]]) -> list[Node]:
    units = [unit for _, bucket in run for unit in bucket]
    if len(units) == 1:
        return units
    first, last = run[0][0], run[-1][0]
    written = _literal(first) if first == last else f"[{first}-{last}]"
    name = f"{_literal(shared)}{written}*"
    return [Node(shown(name), shared, _documents(units), units=units)]


def _literal(text: str) -> str:
    return "".join(f"[{char}]" if char in "*?[" else char for char in text)


def _in_order(nodes: list[Node]) -> list[Node]:
    return sorted(nodes, key=lambda node: node.entries[0].path)
