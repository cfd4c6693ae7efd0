"""Rankings of a collection's documents, and of their sessions, measured for each system."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from drawwell.bench.collections import Collection, Question
from drawwell.bench.quality.measures import DEPTH, Difference, Scores, paired_difference, percentile, score_rankings
from drawwell.bench.quality.systems import System

__all__ = ["FLOOR", "KindScore", "RankedReport", "RankedRow", "measure_rankings", "timed"]

FLOOR = "FTS5"
"""How the names of the rows begin of which the best is the floor."""
BASE = "drawwell lexical"
MODELLED = ("drawwell hybrid", "drawwell reciprocal", "drawwell vectors")
_SESSION_DEPTH = 200  # turns that are looked at for twenty sessions
_ASKED = 10  # results of the call that is timed


@dataclass(frozen=True, slots=True, kw_only=True)
class KindScore:
    """Means over the questions of one kind."""

    n: int
    ndcg10: float
    recall5: float
    complete10: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedRow:
    """Means of one system over the questions of a collection.

    Attributes:
        complete10: share of questions for which all that is relevant is among the first ten.
        p50_ms: median time of one call for ten results, in milliseconds.
        p95_ms: the time that 95 of 100 calls stay within.
        difference: of nDCG@10 to the floor, question by question; None for the floor itself.
        gain: the same to our ranking by words alone; only for rows with vectors.
        kinds: the same by kind of question, where the collection tells kinds.
    """

    system: str
    ndcg10: float
    mrr10: float
    recall5: float
    recall10: float
    recall20: float
    complete10: float
    p50_ms: float
    p95_ms: float
    difference: Difference | None
    gain: Difference | None
    kinds: dict[str, KindScore]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedReport:
    """A collection measured by one unit.

    Attributes:
        unit: what is found: documents, turns or sessions.
        documents: documents of the collection.
        n: questions that the means are over.
        without_answer: questions left out since nothing is relevant to them.
        unknown: judgements left out since they name no document.
        floor: the system that the others are compared with.
    """

    name: str
    unit: str
    documents: int
    n: int
    without_answer: int
    unknown: int
    floor: str
    rows: tuple[RankedRow, ...]


def measure_rankings(
    collection: Collection, systems: Sequence[System], said: Callable[[str], None]
) -> list[RankedReport]:
    """Ask every question of every system and measure the answers.

    Args:
        collection: with judgements; every question with an answer is asked.
        systems: at least one of them is a plain FTS5.
        said: told which system is asked.

    Returns:
        A report for documents; where these belong to sessions, one for sessions too: the best turn of a session
        decides its place, and the best grade in it is its grade.
    """
    asked = [question for question in collection.questions if question.id in collection.relevant]
    sessions = {one.id: f"{one.conv}/{one.session}" for one in collection.documents if one.session}
    depth = _SESSION_DEPTH if sessions else DEPTH
    found: dict[str, dict[str, list[str]]] = {}
    times: dict[str, list[float]] = {}
    for system in systems:
        said(f"{collection.name}: {system.name}")
        times[system.name] = timed(system.call, asked)
        found[system.name] = {question.id: system.retrieve(question, depth) for question in asked}
    report = _Reporter(collection, asked, times)
    reports = [report("turns" if sessions else "documents", collection.relevant, found)]
    if sessions:
        by_session = {
            system: {one: _grouped(ids, sessions) for one, ids in ranking.items()} for system, ranking in found.items()
        }
        reports.append(report("sessions", _judged(collection.relevant, sessions), by_session))
    return reports


def timed(call: Callable[[Question, int], object], questions: Sequence[Question]) -> list[float]:
    """Milliseconds of one call for ten results with each question; one call before them opens files."""
    if questions:
        call(questions[0], _ASKED)
    times = []
    for question in questions:
        start = time.perf_counter()
        call(question, _ASKED)
        times.append((time.perf_counter() - start) * 1000)
    return times


def _grouped(ids: Sequence[str], sessions: Mapping[str, str]) -> list[str]:
    return list(dict.fromkeys(sessions.get(name, name) for name in ids))


def _judged(relevant: Mapping[str, Mapping[str, int]], sessions: Mapping[str, str]) -> dict[str, dict[str, int]]:
    judged: dict[str, dict[str, int]] = {}
    for question, grades in relevant.items():
        of_sessions = judged.setdefault(question, {})
        for name, grade in grades.items():
            session = sessions.get(name, name)
            of_sessions[session] = max(grade, of_sessions.get(session, 0))
    return judged


@dataclass(frozen=True, slots=True)
class _Reporter:
    """Makes the report of a collection for one unit."""

    collection: Collection
    asked: Sequence[Question]
    times: Mapping[str, Sequence[float]]

    def __call__(
        self, unit: str, relevant: Mapping[str, Mapping[str, int]], found: Mapping[str, Mapping[str, Sequence[str]]]
    ) -> RankedReport:
        order = [question.id for question in self.asked]
        scores = {
            system: score_rankings(relevant, {one: ids[:DEPTH] for one, ids in ranking.items()}, order)
            for system, ranking in found.items()
        }
        floor = max((name for name in scores if name.startswith(FLOOR)), key=lambda name: fmean(scores[name].ndcg))
        return RankedReport(
            name=self.collection.name,
            unit=unit,
            documents=len(self.collection.documents),
            n=len(order),
            without_answer=len(self.collection.questions) - len(order),
            unknown=self.collection.unknown,
            floor=floor,
            rows=tuple(self._row(name, scores, floor) for name in scores),
        )

    def _row(self, name: str, scores: Mapping[str, Scores], floor: str) -> RankedRow:
        own = scores[name]
        return RankedRow(
            system=name,
            ndcg10=fmean(own.ndcg),
            mrr10=fmean(own.reciprocal),
            recall5=fmean(own.recall[5]),
            recall10=fmean(own.recall[10]),
            recall20=fmean(own.recall[20]),
            complete10=fmean(own.complete),
            p50_ms=percentile(self.times[name], 50),
            p95_ms=percentile(self.times[name], 95),
            difference=None if name == floor else paired_difference(own.ndcg, scores[floor].ndcg),
            gain=paired_difference(own.ndcg, scores[BASE].ndcg) if name in MODELLED and BASE in scores else None,
            kinds=self._kinds(own),
        )

    def _kinds(self, scores: Scores) -> dict[str, KindScore]:
        places: dict[str, list[int]] = {}
        for place, question in enumerate(self.asked):
            if question.kind:
                places.setdefault(question.kind, []).append(place)
        return {
            kind: KindScore(
                n=len(chosen),
                ndcg10=fmean(scores.ndcg[place] for place in chosen),
                recall5=fmean(scores.recall[5][place] for place in chosen),
                complete10=fmean(scores.complete[place] for place in chosen),
            )
            for kind, chosen in sorted(places.items())
        }
