"""Latency against the size of the corpus, as a picture."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from drawwell.bench.speed.grepping import ALL_PATTERNS, LESS_START
from drawwell.bench.speed.measure import SpeedReport
from drawwell.bench.speed.questions import KINDS
from drawwell.errors import ArgumentError, MissingExtra, SourceError

__all__ = ["check_plot", "plot_speed"]

_COLOURS = {
    "drawwell": "#0b6e99",
    "contextpull": "#d1495b",
    "SQLite": "#66a182",
    "Tantivy,": "#edae49",
    "ripgrep": "#6a4c93",
}
"""By the first word of a tool's name, so that a tool looks alike in every panel."""
_OTHER_COLOUR = "#777777"


@dataclass(frozen=True, slots=True)
class _Line:
    label: str
    sections: list[int]
    ms: list[float]
    late: bool


def check_plot(path: Path) -> None:
    """See to it that a plot can be made, before anything is measured for it.

    Raises:
        ArgumentError: the name does not end in .svg.
        SourceError: its folder is not there.
        MissingExtra: matplotlib is not installed.
    """
    if path.suffix.lower() != ".svg":
        raise ArgumentError("--plot", str(path), "a file name that ends in .svg")
    if not path.absolute().parent.is_dir():
        raise SourceError(f"{path.parent} is no folder", "Make it first, or name another place for the plot")
    if find_spec("matplotlib") is None:
        raise MissingExtra("plots", "bench")


def plot_speed(report: SpeedReport, path: Path) -> None:
    """Draw search and grep, drawwell's and the others', against the number of sections; both axes logarithmic.

    Args:
        report: with one size or more.
        path: an SVG file to write.

    Raises:
        ArgumentError, SourceError, MissingExtra: as ``check_plot``.
        SourceError: neither search nor grep was measured, or the file cannot be written.
    """
    check_plot(path)
    from matplotlib import rc_context  # an extra, and slow to load
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    panels = [("search", KINDS[0]), ("grep", ALL_PATTERNS)]
    drawn = [(group, work, lines) for group, work in panels if (lines := _lines(report, group, work))]
    if not drawn:
        raise SourceError("there is nothing to draw: neither search nor grep was measured", "Leave out --only")
    with rc_context({"svg.hashsalt": "drawwell", "svg.fonttype": "none"}):
        figure = Figure(figsize=(5.6 * len(drawn), 5.2), layout="constrained")
        FigureCanvasSVG(figure)
        for number, (group, work, lines) in enumerate(drawn):
            axes = figure.add_subplot(1, len(drawn), number + 1)
            for line in lines:
                axes.plot(
                    line.sections,
                    line.ms,
                    label=f"{line.label}, {'p95' if line.late else 'p50'}",
                    color=_COLOURS.get(line.label.split()[0], _OTHER_COLOUR),
                    linestyle="--" if line.late else "-",
                    alpha=0.5 if line.label.endswith(LESS_START) else 1.0,
                    marker="o",
                    markersize=4,
                )
            axes.set(xscale="log", yscale="log", xlabel="sections", ylabel="milliseconds", title=f"{group}: {work}")
            axes.grid(visible=True, which="both", alpha=0.25)
            axes.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2, frameon=False)
        try:
            figure.savefig(path, format="svg", metadata={"Date": None})
        except OSError as error:
            raise SourceError(f"{path} cannot be written: {error.strerror or error}", "Name another place") from error


def _lines(report: SpeedReport, group: str, work: str) -> list[_Line]:
    rows = [row for row in report.rows if (row.group, row.work) == (group, work)]
    found = []
    for tool in dict.fromkeys(row.tool for row in rows):
        for late in (False, True):
            points = [
                (row.sections, ms)
                for row in rows
                if row.tool == tool and (ms := row.p95_ms if late else row.p50_ms) is not None and ms > 0
            ]
            if points:
                found.append(_Line(tool, [one[0] for one in points], [one[1] for one in points], late))
    return found
