"""The lexical ranking of a store's sections: by the index beside it, and by the store itself for what is newer."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from tantivy import Query as TantivyQuery

from drawwell.corpus.operations.paths import Scope
from drawwell.corpus.operations.plain import Ranked, best_metadata, best_of_any
from drawwell.corpus.operations.view import Look
from drawwell.corpus.operations.words import Derived
from drawwell.retrieval.lexical import MAX_QUERY_CHARS, MAX_TOKENS, compile_query, languages_in, parse
from drawwell.retrieval.words import place_of

__all__ = ["LexicalRanking"]

_GAUGES = 3  # hits scored by both rankings, to bring the scores of one to the measure of the other


class LexicalRanking:
    """drawwell's own ranking.

    Args:
        look: the store.
        derived: the index beside it.
        text: the query.
        tokens: its plain tokens, for what only the store knows: newer documents, and front matter.
    """

    mode = "lexical"

    def __init__(self, look: Look, derived: Derived, text: str, tokens: Sequence[str]) -> None:
        self._look = look
        self._derived = derived
        self._tokens = tokens
        reader = derived.reader
        self._asked = parse(text, languages_in(reader.searcher))
        self.shown = tokens
        self._notes: list[str] = []

    @property
    def left_out(self) -> list[str]:
        """What to say of a query that is longer than what is looked at."""
        most = f"only the first {MAX_TOKENS} words of its first {MAX_QUERY_CHARS} characters were searched for"
        return [f"the query is long: {most}"] if self._asked.cut else []

    def top(self, scope: Scope, wanted: int) -> list[Ranked]:
        """The best sections, best first, ties in the order of path and ordinal.

        What was quoted is left out when nothing holds it; words that nothing holds stand for what is like them.
        """
        self._notes = []
        schema = self._derived.reader.schema
        ranked = self._ranked(compile_query(schema, self._asked), scope, wanted)
        if not ranked and self._asked.phrases:
            ranked = self._ranked(compile_query(schema, self._asked, phrases=False), scope, wanted)
            if ranked:
                self._notes.append("no section holds what is quoted: its words were searched for one by one")
        if len(ranked) < wanted:
            ranked += best_metadata(self._look, self._tokens, scope, wanted - len(ranked))
        return ranked

    def missed(self) -> list[str]:
        """What stood in for the query, and which words there are that are like its own."""
        return self._notes

    def _ranked(self, query: TantivyQuery | None, scope: Scope, wanted: int) -> list[Ranked]:
        if query is None:
            return []
        table = self._look.table
        found = _indexed(self._look, self._derived, query, scope, wanted)
        newer = self._derived.unindexed
        if scope.doc_ids is not None:
            newer &= scope.doc_ids
        if newer:
            found += _newer(self._look, found, self._tokens, newer, wanted)
        found.sort(key=lambda one: (-one[0], one[1:]))
        return [Ranked(score, place=(table.doc_ids[place], ordinal)) for score, place, ordinal in found[:wanted]]


_Found = tuple[float, int, int]
"""Score, place of the document in the table, ordinal."""


def _indexed(look: Look, derived: Derived, query: TantivyQuery, scope: Scope, wanted: int) -> list[_Found]:
    """The best sections by the index. What it still has of older texts is passed over."""
    table = look.table
    within = None if scope.places is None else [table.generations[place] for place in scope.places]
    useless = 0
    while True:
        hits = derived.reader.top(query, wanted, within, useless)
        found = []
        for score, key in hits:
            generation, ordinal = place_of(key)
            place = table.by_generation.get(generation)
            if place is not None:
                found.append((score, place, ordinal))
        if len(found) >= wanted or len(hits) < wanted + useless:
            return found
        useless = 2 * (len(hits) - len(found)) + wanted


def _newer(
    look: Look, found: Sequence[_Found], tokens: Sequence[str], documents: frozenset[int], wanted: int
) -> list[_Found]:
    """The best sections of documents that only the store knows, with scores on the measure of the index."""
    table = look.table
    best = best_of_any(look, tokens, Scope(doc_ids=documents), wanted)
    if not best:
        return []
    gauges = {f"{table.paths[place]}#{ordinal}": score for score, place, ordinal in sorted(found)[-_GAUGES:]}
    known = Scope(doc_ids=frozenset(table.doc_ids[place] for _, place, _ in sorted(found)[-_GAUGES:]))
    scored = dict(best_of_any(look, tokens, known, 4 * _GAUGES)) if gauges else {}
    ratios = [score / scored[name] for name, score in gauges.items() if scored.get(name)]
    measure = fmean(ratios) if ratios else 1.0
    placed = []
    for name, score in best:
        path, _, ordinal = name.rpartition("#")
        placed.append((score * measure, table.by_path[path], int(ordinal)))
    return placed
