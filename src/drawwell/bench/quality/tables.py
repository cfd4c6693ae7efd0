"""Measurements of quality as a person reads them: a table for each collection, on a terminal or in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from drawwell.bench.quality.cutting import FIXED_CHARS, TOP, CutReport, CutRow
from drawwell.bench.quality.measures import Difference
from drawwell.bench.quality.ranking import RankedReport, RankedRow
from drawwell.bench.quality.run import QualityReport

__all__ = ["as_markdown", "as_text"]

Table = list[list[str]]
_LEAST_OF_A_KIND = 10  # questions in the mean
_LEGEND = (
    "against floor: mean difference, question by question, with its 95 % bootstrap interval; an interval that holds 0"
    " is no difference. all@10: share of questions for which all that is relevant is among the first ten."
    " ms: one call for ten results."
)


def as_text(report: QualityReport) -> str:
    """The tables, aligned with blanks."""
    parts = [_head(report)]
    for one in report.collections:
        parts.append("\n".join([_title(one), *_aligned(_table(one))]))
        kinds = _kinds(one)
        if kinds:
            parts.append("\n".join(_aligned(kinds)))
    return "\n\n".join([*parts, _LEGEND])


def as_markdown(report: QualityReport) -> str:
    """The tables in Markdown."""
    parts = [_head(report)]
    for one in report.collections:
        name, _, rest = _title(one).partition(": ")
        parts.extend([f"### {name}", rest, "\n".join(_piped(_table(one)))])
        kinds = _kinds(one)
        if kinds:
            parts.append("\n".join(_piped(kinds)))
    return "\n\n".join([*parts, _LEGEND])


def _head(report: QualityReport) -> str:
    commit = f" at {report.commit}" if report.commit else ""
    libraries = ", ".join(f"{name} {number}" for name, number in report.libraries.items())
    model = f"vectors by {report.model}; " if report.model else ""
    return (
        f"drawwell {report.version}{commit}, parser {report.parser_version}; {model}{libraries}; {report.machine}."
        f"\n\n    {report.command}"
    )


def _title(report: RankedReport | CutReport) -> str:
    title = (
        f"{report.name}, {report.unit}: {report.n:,} questions, {report.documents:,} documents, floor {report.floor}"
    )
    if report.without_answer:
        title += f"; {report.without_answer:,} questions without an answer left out"
    if isinstance(report, RankedReport) and report.unknown:
        title += f"; {report.unknown:,} judgements of no document left out"
    return title


def _table(report: RankedReport | CutReport) -> Table:
    if isinstance(report, CutReport):
        head = ["system", f"recall@{TOP}", f"precision@{TOP}", f"IoU@{TOP}", f"chars@{TOP}"]
        head += [f"recall in {TOP * FIXED_CHARS:,} chars", "against floor", "p50 ms", "p95 ms"]
        return [head, *(_cut_line(row) for row in report.rows)]
    head = ["system", "nDCG@10", "against floor", "MRR@10", "R@5", "R@10", "R@20", "all@10", "p50 ms", "p95 ms"]
    if not any(row.gain for row in report.rows):
        return [head, *(_ranked_line(row) for row in report.rows)]
    gains = ["" if row.gain is None else _against(row.gain) for row in report.rows]
    lines = [_ranked_line(row) for row in report.rows]
    return [
        [*head[:3], "against words", *head[3:]],
        *([*one[:3], gain, *one[3:]] for one, gain in zip(lines, gains, strict=True)),
    ]


def _cut_line(row: CutRow) -> list[str]:
    return [
        row.system,
        *map(_share, (row.recall, row.precision, row.iou)),
        f"{row.characters:,.0f}",
        _share(row.recall_equal),
        _against(row.difference),
        _time(row.p50_ms),
        _time(row.p95_ms),
    ]


def _ranked_line(row: RankedRow) -> list[str]:
    shares = (row.mrr10, row.recall5, row.recall10, row.recall20, row.complete10)
    return [
        row.system,
        _share(row.ndcg10),
        _against(row.difference),
        *map(_share, shares),
        _time(row.p50_ms),
        _time(row.p95_ms),
    ]


def _kinds(report: RankedReport | CutReport) -> Table:
    """nDCG@10 by kind of question, a column for each system; where there are several, and not of a few questions."""
    if isinstance(report, CutReport) or not 2 <= len(report.rows[0].kinds) <= report.n / _LEAST_OF_A_KIND:
        return []
    lines = [["nDCG@10 by kind", "n", *(row.system for row in report.rows)]]
    for kind, first in report.rows[0].kinds.items():
        lines.append([kind, f"{first.n:,}", *(_share(row.kinds[kind].ndcg10) for row in report.rows)])
    return lines


def _share(value: float) -> str:
    return f"{value:.3f}"


def _time(value: float) -> str:
    return f"{value:,.1f}" if value >= 10 else f"{value:.2f}"


def _against(difference: Difference | None) -> str:
    if difference is None:
        return "floor"
    return f"{difference.mean:+.3f} [{difference.low:+.3f}, {difference.high:+.3f}]"


def _aligned(table: Table) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        cells = [cell.rjust(width) for cell, width in zip(line, widths, strict=True)]
        yield "  ".join([line[0].ljust(widths[0]), *cells[1:]]).rstrip()


def _piped(table: Table) -> Iterator[str]:
    rule = ["---", *["---:"] * (len(table[0]) - 1)]
    for line in (table[0], rule, *table[1:]):
        yield _pipe(line)


def _pipe(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
