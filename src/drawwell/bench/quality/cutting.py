"""How well text is cut: how much of what answers a question is in the pieces found, and how much else.

The measures are those of Smith and Troynikov, Evaluating Chunking Strategies for Retrieval (Chroma, 2024), over
characters. A second recall compares cuts of different sizes at equal length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from drawwell.bench.collections import Collection, Document, Question
from drawwell.bench.quality.measures import Difference, paired_difference, percentile
from drawwell.bench.quality.ranking import timed
from drawwell.model import Span

__all__ = ["FIXED_CHARS", "TOP", "CutReport", "CutRow", "Cutter", "Placed", "fixed_pieces", "measure_cuts"]

Placed = tuple[str, Span]
"""A piece of text: the id of its document and where it stands in it."""

FIXED_CHARS = 1200
"""Length of the pieces that sections are compared with."""
TOP = 5
"""How many pieces are looked at."""
_EQUAL_CHARS = TOP * FIXED_CHARS
_DEPTH = 50


@dataclass(frozen=True, slots=True)
class Cutter:
    """A way to cut, with a ranking of its pieces.

    Attributes:
        name: of the row.
        find: ids of the pieces for a question, best first, at most as many as asked for.
        pieces: where each piece stands; an id that is not in it holds no text of a document.
    """

    name: str
    find: Callable[[Question, int], Sequence[str]]
    pieces: Mapping[str, Placed]


@dataclass(frozen=True, slots=True, kw_only=True)
class CutRow:
    """Means of one way to cut over the questions.

    Attributes:
        recall: share of the answer's characters that is in the first five pieces.
        precision: share of the characters of those pieces that answers.
        iou: characters in both over characters in either.
        recall_equal: share of the answer's characters within the first 6,000 characters found.
        characters: length of the first five pieces together.
        p50_ms: median time of one call for ten results, in milliseconds.
        p95_ms: the time that 95 of 100 calls stay within.
        difference: of ``recall_equal`` to the floor, question by question; None for the floor itself.
    """

    system: str
    recall: float
    precision: float
    iou: float
    recall_equal: float
    characters: float
    p50_ms: float
    p95_ms: float
    difference: Difference | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CutReport:
    """A collection that asks how text is cut.

    Attributes:
        unit: always characters.
        without_answer: questions left out since they have no span.
        floor: the row that the others are compared with.
    """

    name: str
    unit: str
    documents: int
    n: int
    without_answer: int
    floor: str
    rows: tuple[CutRow, ...]


@dataclass(frozen=True, slots=True)
class _Found:
    recall: float
    precision: float
    iou: float
    recall_equal: float
    characters: int


def fixed_pieces(documents: Sequence[Document], size: int = FIXED_CHARS) -> dict[str, Placed]:
    """The documents cut every ``size`` characters."""
    return {
        f"{document.id}:{start}": (document.id, Span(start, min(start + size, len(document.text))))
        for document in documents
        for start in range(0, len(document.text), size)
    }


def measure_cuts(collection: Collection, cutters: Sequence[Cutter], said: Callable[[str], None]) -> CutReport:
    """Ask every question of every way to cut.

    Args:
        collection: with spans.
        cutters: the floor is the best, by recall, of those whose name begins with ``fixed``.
        said: told which is asked.
    """
    asked = [question for question in collection.questions if question.spans]
    found: dict[str, list[_Found]] = {}
    times: dict[str, list[float]] = {}
    for cutter in cutters:
        said(f"{collection.name}: {cutter.name}")
        times[cutter.name] = timed(cutter.find, asked)
        found[cutter.name] = [_score(question, _placed(cutter, question)) for question in asked]
    recalls = {name: fmean(one.recall for one in scores) for name, scores in found.items()}
    floor = max((name for name in recalls if name.startswith("fixed")), key=recalls.__getitem__)
    return CutReport(
        name=collection.name,
        unit="characters",
        documents=len(collection.documents),
        n=len(asked),
        without_answer=len(collection.questions) - len(asked),
        floor=floor,
        rows=tuple(
            _row(name, scores, times[name], None if name == floor else found[floor]) for name, scores in found.items()
        ),
    )


def _row(name: str, scores: Sequence[_Found], times: Sequence[float], floor: Sequence[_Found] | None) -> CutRow:
    equal = [one.recall_equal for one in scores]
    return CutRow(
        system=name,
        recall=fmean(one.recall for one in scores),
        precision=fmean(one.precision for one in scores),
        iou=fmean(one.iou for one in scores),
        recall_equal=fmean(equal),
        characters=fmean(one.characters for one in scores),
        p50_ms=percentile(times, 50),
        p95_ms=percentile(times, 95),
        difference=None if floor is None else paired_difference(equal, [one.recall_equal for one in floor]),
    )


def _placed(cutter: Cutter, question: Question) -> list[Placed]:
    return [cutter.pieces[name] for name in cutter.find(question, _DEPTH) if name in cutter.pieces]


def _score(question: Question, ranked: Sequence[Placed]) -> _Found:
    wanted = _merged(question.spans)
    length = sum(span.end - span.start for span in wanted)
    top = ranked[:TOP]
    got = _overlap(question.corpus, wanted, top)
    characters = sum(span.end - span.start for _, span in top)
    return _Found(
        recall=got / length,
        precision=got / characters if characters else 0.0,
        iou=got / (length + characters - got),
        recall_equal=_overlap(question.corpus, wanted, _first(ranked, _EQUAL_CHARS)) / length,
        characters=characters,
    )


def _first(ranked: Sequence[Placed], room: int) -> list[Placed]:
    """The first pieces that fill a room; the last of them is cut short."""
    taken = []
    for document, span in ranked:
        if room <= 0:
            break
        taken.append((document, Span(span.start, min(span.end, span.start + room))))
        room -= span.end - span.start
    return taken


def _merged(spans: Sequence[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def _overlap(corpus: str, wanted: Sequence[Span], pieces: Sequence[Placed]) -> int:
    """Characters of the wanted spans that stand in the pieces; neither overlap among themselves."""
    return sum(
        max(0, min(span.end, piece.end) - max(span.start, piece.start))
        for document, piece in pieces
        if document == corpus
        for span in wanted
    )
