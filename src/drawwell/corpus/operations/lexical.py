"""The lexical ranking of a store's sections: by the index beside it, and by the store itself for what is newer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from statistics import fmean
from weakref import WeakKeyDictionary

from tantivy import Query as TantivyQuery

from drawwell.corpus.operations.paths import Scope
from drawwell.corpus.operations.plain import Ranked, best_metadata, best_of_any
from drawwell.corpus.operations.view import Look
from drawwell.corpus.operations.words import Derived
from drawwell.retrieval.documents import DOCUMENT_WEIGHT, WINDOW, compile_document_query
from drawwell.retrieval.keys import place_of
from drawwell.retrieval.lexical import MAX_QUERY_CHARS, MAX_TOKENS, Asked, compile_query, languages_in, parse
from drawwell.retrieval.nearby import compile_fallback, suggest
from drawwell.retrieval.words import WordsReader

__all__ = ["LexicalRanking"]

_MOST_SCORED = 20_000  # sections of the documents in question; those beyond fit worse than all of them
_LANGUAGES: WeakKeyDictionary[WordsReader, tuple[str, ...]] = WeakKeyDictionary()
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
    legs: tuple[str, ...] = ()

    def __init__(self, look: Look, derived: Derived, text: str, tokens: Sequence[str]) -> None:
        self._look = look
        self._derived = derived
        self._tokens = tokens
        reader = derived.reader
        self._asked = parse(text, _languages(reader))
        self.shown = self._asked.shown or tokens
        self.loose = False
        self._notes: list[str] = []
        self._ran: tuple[TantivyQuery, Asked] | None = None  # what gave the hits of the last ``top``

    @property
    def left_out(self) -> list[str]:
        """What to say of a query that is longer than what is looked at."""
        most = f"only the first {MAX_TOKENS} words of its first {MAX_QUERY_CHARS} characters were searched for"
        return [f"the query is long: {most}"] if self._asked.cut else []

    def top(self, scope: Scope, wanted: int) -> list[Ranked]:
        """The best sections, best first, ties in the order of path and ordinal.

        What was quoted is left out when nothing holds it. When nothing holds any of the words, parts of them will do,
        then words like them.
        """
        self.loose, self._notes, self._ran = False, [], None
        ranked = self._as_asked(scope, wanted)
        if len(ranked) < wanted:
            ranked += best_metadata(self._look, self._tokens, scope, wanted - len(ranked))
        if not ranked and self._asked.words:
            ranked = self._like(scope, wanted)
            self.loose = bool(ranked)
        return ranked

    def scores(self, places: Collection[tuple[int, int]]) -> dict[tuple[int, int], float]:
        """What the query, as it gave the last ``top``, says of sections that may not be among them.

        Args:
            places: doc_id and ordinal of each.
        """
        if self._ran is None:
            return {}
        query, asked = self._ran
        table = self._look.table
        at = {(table.by_doc_id[doc_id], ordinal): (doc_id, ordinal) for doc_id, ordinal in places}
        documents = {table.generations[place] for place, _ in at}
        hits = self._derived.reader.top(query, _MOST_SCORED, documents)
        found: list[_Found] = []
        for score, key in hits:
            generation, ordinal = place_of(key)
            place = table.by_generation[generation]
            if (place, ordinal) in at:
                found.append((score, place, ordinal))
        scored = {at[place, ordinal]: score for score, place, ordinal in self._with_documents(asked, found)}
        unindexed = self._derived.unindexed
        return {one: scored.get(one, 0.0) for one in at.values() if one[0] not in unindexed}

    def missed(self) -> list[str]:
        """What stood in for the query, and which words there are that are like its own."""
        return self._notes

    def _as_asked(self, scope: Scope, wanted: int) -> list[Ranked]:
        asked = self._asked
        if _is_name(asked):  # a look-up: what holds the name is the answer
            asked = replace(asked, words=(replace(asked.words[0], parts=()),))
        ranked = self._ranked(asked, scope, wanted)
        if not ranked and asked.phrases:
            ranked = self._ranked(replace(asked, phrases=()), scope, wanted)
            if ranked:
                self._notes.append("no section holds what is quoted: its words were searched for one by one")
        return ranked

    def _like(self, scope: Scope, wanted: int) -> list[Ranked]:
        """Sections that hold parts of the words, or words like them."""
        asked = replace(self._asked, phrases=())
        self._suggest(asked)
        if _is_name(asked):
            ranked = self._ranked(asked, scope, wanted)
            if ranked:
                self._notes.append("no section holds the whole name: these hold parts of it")
                return ranked
        reader = self._derived.reader
        ranked = self._found(compile_fallback(reader.schema, reader.searcher, asked), asked, scope, wanted)
        if ranked:
            self._notes.append("no section holds the words of the query: these hold words like them")
        return ranked

    def _suggest(self, asked: Asked) -> None:
        """Name the words of the corpus that are like those of the query."""
        searcher = self._derived.reader.searcher
        likely = [near for word in asked.words if (near := suggest(searcher, word.exact[-1], 1))]
        if likely:
            self._notes.append(f"did you mean {' '.join(near[0] for near in likely)}?")

    def _with_documents(self, asked: Asked, found: list[_Found]) -> list[_Found]:
        """The sections found with the scores of their documents added, each window of them ordered anew."""
        beside = self._look.beside
        query = None if beside is None else compile_document_query(beside.reader.schema, asked)
        if beside is None or query is None:
            return found
        generations = self._look.table.generations
        ordered: list[_Found] = []
        for start in range(0, len(found), WINDOW):
            window = found[start : start + WINDOW]
            documents = {generations[place] for _, place, _ in window}
            scores = {place_of(key)[0]: score for score, key in beside.reader.top(query, len(documents), documents)}
            both = [
                (score + DOCUMENT_WEIGHT * scores.get(generations[place], 0.0), place, ordinal)
                for score, place, ordinal in window
            ]
            ordered += sorted(both, key=_best_first)
        return ordered

    def _ranked(self, asked: Asked, scope: Scope, wanted: int) -> list[Ranked]:
        return self._found(compile_query(self._derived.reader.schema, asked), asked, scope, wanted)

    def _found(self, query: TantivyQuery | None, asked: Asked, scope: Scope, wanted: int) -> list[Ranked]:
        if query is None:
            return []
        table = self._look.table
        looked_at = -(-wanted // WINDOW) * WINDOW
        found = _indexed(self._look, self._derived, query, scope, looked_at)
        found.sort(key=_best_first)
        found = self._with_documents(asked, found[:looked_at])
        newer = self._derived.unindexed
        if scope.doc_ids is not None:
            newer &= scope.doc_ids
        if newer:
            found += _newer(self._look, found, self._tokens, newer, wanted)
            found.sort(key=_best_first)
        if found:
            self._ran = (query, asked)
        return [Ranked(score, place=(table.doc_ids[place], ordinal)) for score, place, ordinal in found[:wanted]]


def _best_first(one: _Found) -> tuple[float, int, int]:
    return -one[0], one[1], one[2]


def _languages(reader: WordsReader) -> tuple[str, ...]:
    """The languages of an index, which is asked for them once."""
    known = _LANGUAGES.get(reader)
    if known is None:
        known = _LANGUAGES[reader] = languages_in(reader.searcher)
    return known


def _is_name(asked: Asked) -> bool:
    """Whether it is one name that is made of parts."""
    return len(asked.words) == 1 and bool(asked.words[0].parts)


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
