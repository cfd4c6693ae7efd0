"""Measurements as a person reads them: a table for each kind of work, on a terminal or in Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from drawwell.bench.speed.goals import Goal
from drawwell.bench.speed.grepping import ALL_PATTERNS
from drawwell.bench.speed.ingesting import DRAWWELL_TOOL
from drawwell.bench.speed.measure import SpeedReport
from drawwell.bench.speed.race import Row

__all__ = ["as_markdown", "as_text"]

_TITLES = {
    "ingest": "Ingest, whole processes",
    "search": "Search, 10 hits with snippets",
    "grep": "Grep, first page",
    "read": "Read",
    "serve": "Server over stdio",
    "vectors": "Vectors, the 10 nearest of so many",
}
_HEAD = (
    "sections",
    "work",
    "tool",
    "runs",
    "p50 ms",
    "p95 ms",
    "x p50",
    "x p95",
    "CPU s",
    "MB",
    "disk MB",
    "recall",
    "bytes each",
    "note",
)
_WORDS = frozenset(["work", "tool", "note", "goal", "wanted", "verdict"])
_LEGEND = (
    "x: how many times as long as drawwell. CPU: with child processes. MB: peak of the largest process, or what an idle"
    " server holds. p95 by nearest rank: of fewer than 20 runs it is the longest."
)


def as_text(report: SpeedReport) -> str:
    """The tables, aligned with blanks."""
    parts = [_head(report)]
    for title, table in _tables(report):
        widths = [max(len(line[place]) for line in table) for place in range(len(table[0]))]
        lines = [title]
        for line in table:
            cells = [
                cell.ljust(width) if name in _WORDS else cell.rjust(width)
                for cell, width, name in zip(line, widths, table[0], strict=True)
            ]
            lines.append("  ".join(cells).rstrip())
        parts.append("\n".join(lines))
    return "\n\n".join([*parts, _LEGEND])


def as_markdown(report: SpeedReport) -> str:
    """The tables in Markdown."""
    parts = [_head(report)]
    for title, table in _tables(report):
        rule = ["---" if name in _WORDS else "---:" for name in table[0]]
        rows = [
            "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in (table[0], rule, *table[1:])
        ]
        parts.append(f"### {title}\n\n" + "\n".join(rows))
    return "\n\n".join([*parts, _LEGEND])


def _head(report: SpeedReport) -> str:
    sizes = ", ".join(
        f"{size.sections:,} ({size.documents:,} files, {_number(size.bytes / 1e6)} MB)" for size in report.sizes
    )
    versions = ", ".join(f"{name} {text}" for name, text in report.versions.items())
    command = f"{report.command}\n\n" if report.command else ""
    return (
        f"{command}{report.documents:,} documents, {report.sections:,} sections, {_number(report.bytes / 1e6)} MB."
        f" Measured with sections: {sizes}.\n\n{report.machine}; {versions}."
    )


def _tables(report: SpeedReport) -> Iterator[tuple[str, list[list[str]]]]:
    """Title and lines of each table, that of the goals first; a table's first line names its columns.

    Columns without a value are left out. Of the patterns of grep each is shown for the largest corpus only.
    """
    if report.goals:
        yield "Goals", [["goal", "wanted", "figure", "verdict"], *(_goal(goal) for goal in report.goals)]
    ours = {(row.group, row.work, row.sections): row for row in report.rows if row.tool == DRAWWELL_TOOL}
    largest = max(size.sections for size in report.sizes)
    shown = [row for row in report.rows if row.group != "grep" or row.work == ALL_PATTERNS or row.sections == largest]
    for group in dict.fromkeys(row.group for row in shown):
        lines = [_line(row, ours.get((row.group, row.work, row.sections))) for row in shown if row.group == group]
        kept = [place for place in range(len(_HEAD)) if any(line[place] for line in lines)]
        head = ["vectors" if group == "vectors" and name == "sections" else name for name in _HEAD]
        yield _TITLES[group], [[line[place] for place in kept] for line in (head, *lines)]


def _goal(goal: Goal) -> list[str]:
    verdict = {True: "reached", False: "not reached", None: "not measured"}[goal.reached]
    wanted = f"{'at least' if goal.at_least else 'at most'} {goal.bound:g}"
    return [goal.what, wanted, "" if goal.figure is None else f"{goal.figure:,.4g}", verdict]


def _line(row: Row, ours: Row | None) -> list[str]:
    base = None if ours is None or ours is row else ours
    return [
        f"{row.sections:,}",
        row.work,
        row.tool,
        str(row.runs) if row.runs else "",
        _number(row.p50_ms),
        _number(row.p95_ms),
        _times(row.p50_ms, base.p50_ms if base else None),
        _times(row.p95_ms, base.p95_ms if base else None),
        _number(row.cpu_s),
        _number(row.memory_mb),
        _number(row.disk_mb),
        "" if row.recall is None else f"{row.recall:.4f}",
        _number(row.vector_bytes),
        f"not measured: {row.missing}" if row.missing else "",
    ]


def _times(value: float | None, base: float | None) -> str:
    return f"{value / base:,.2f}" if value is not None and base else ""


def _number(value: float | None) -> str:
    """Three figures that count."""
    if value is None:
        return ""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"
