"""Search: pointers to the sections that answer a query.

``plain`` is the ranking of format 1.x. ``lexical`` ranks by the index beside the store, and by ``plain`` where there is
none; then it looks into the documents' metadata. ``hybrid`` adds vectors and a reranker, and ``auto`` does so where
they are there. The answer says which ranking ran, and which legs it had.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from drawwell.corpus.operations.bounds import check_budget, check_whole
from drawwell.corpus.operations.hybrid import DenseLeg, HybridRanking, Place
from drawwell.corpus.operations.paths import Scope, entries_of, resolve
from drawwell.corpus.operations.plain import PlainRanking, Ranked
from drawwell.corpus.operations.view import Look, SectionRow
from drawwell.errors import ArgumentError
from drawwell.model import Hit, SearchResult
from drawwell.retrieval.fusion import CONVEX, Fusion
from drawwell.retrieval.paging import Pager, item_tokens, json_tokens, take_within
from drawwell.text.snippets import snippet
from drawwell.text.tokens import plain_tokens

if TYPE_CHECKING:
    from drawwell.corpus.operations.lexical import LexicalRanking

__all__ = ["BY_MODELS", "MODES", "Legs", "Query", "candidates", "check_query", "search"]

MODES = ("auto", "lexical", "hybrid", "plain")
BY_MODELS = ("auto", "hybrid")
"""The modes that models take part in."""
MAX_QUERY_CHARS = 2000
MAX_TOKENS = 32
MAX_LIMIT = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """The arguments of a search, as :meth:`Corpus.search` takes them."""

    text: str
    within: Sequence[str] = ()
    limit: int = 10
    mode: str = "auto"
    max_tokens: int | None = None
    cursor: str | None = None


class _Ranking(Protocol):
    """One way to rank the sections for a query."""

    mode: str
    shown: Sequence[str]
    """Words for the snippets to show."""
    loose: bool
    """Whether what was found holds only parts of the words, or words like them."""
    legs: tuple[str, ...]
    """What took part in it, where more than one could."""

    def top(self, scope: Scope, wanted: int) -> list[Ranked]:
        """The best of them in scope, best first."""

    def missed(self) -> list[str]:
        """What to say of a query for which nothing, or nothing that fits well, was found."""


@dataclass(frozen=True, slots=True)
class Legs:
    """What models add to a search.

    Attributes:
        dense: the ranking by vectors; None without.
        judged: what a reranker said, by the generation of the document and the ordinal; None when it was not asked.
        notes: why one of them does not take part.
        fusion: how words and vectors become one order.
    """

    dense: DenseLeg | None = None
    judged: Mapping[Place, float] | None = None
    notes: tuple[str, ...] = ()
    fusion: Fusion = CONVEX


def candidates(look: Look, query: Query, legs: Legs, count: int) -> list[tuple[Place, SectionRow]]:
    """The best sections for a reranker to judge: by generation and ordinal, with what the store has of each.

    Raises:
        ArgumentError: as ``search``.
    """
    check_query(query)
    scope = resolve(entries_of(query.within), look.table)
    if scope.doc_ids is not None and not scope.doc_ids:
        return []
    ranking, _ = _ranking(look, query, legs)
    places = [one.place for one in ranking.top(scope, count) if not one.name and one.place[1] >= 0]
    rows = look.sections_at(places) if places else {}
    table = look.table
    return [((table.generations[table.by_doc_id[place[0]]], place[1]), rows[place]) for place in places]


def search(look: Look, query: Query, legs: Legs) -> SearchResult:
    """Find sections.

    Args:
        look: the store.
        query: what is asked.
        legs: what models add; for the modes that do not want it, nothing.

    Raises:
        ArgumentError: an argument is of the wrong type or out of bounds, or the cursor is of another call.
    """
    check_query(query)
    entries = entries_of(query.within)
    ranking, notes = _ranking(look, query, legs)
    state = f"{look.generation}-{look.derived.reader.generation}" if look.derived else look.generation
    state += f"-{legs.dense.state}" if legs.dense else ""
    pager = Pager(state, "search", query.text, entries, query.mode)
    (start,) = pager.positions(query.cursor)
    scope = resolve(entries, look.table)
    notes += [*legs.notes, *scope.notes, *look.notes()]
    if scope.doc_ids is not None and not scope.doc_ids:
        return SearchResult(hits=(), mode=ranking.mode, legs=ranking.legs, hint=_hint(notes))
    ranked = ranking.top(scope, start + query.limit + 1)
    notes += ranking.missed() if ranked else [*_nothing(look, ranking, scope), *ranking.missed()]
    page = ranked[start : start + query.limit]
    room = query.max_tokens
    if room is not None:
        rest = SearchResult(hits=(), mode=ranking.mode, hint=_hint(notes), next=pager.cursor(len(ranked)))
        room -= json_tokens(rest)
    taken = take_within(_hits(look, page, ranking.shown), lambda pair: item_tokens(pair[1]), room)
    end = start + (taken[-1][0] if taken else len(page))
    return SearchResult(
        hits=tuple(hit for _, hit in taken),
        mode=ranking.mode,
        legs=ranking.legs,
        loose=ranking.loose,
        hint=_hint(notes),
        next=pager.cursor(end) if end < len(ranked) else None,
    )


def _ranking(look: Look, query: Query, legs: Legs) -> tuple[_Ranking, list[str]]:
    """How to rank, and what to say of it."""
    tokens, notes = _tokens(query.text)
    if query.mode == "plain":
        return PlainRanking(look, tokens, metadata=False), notes
    words, notes = _by_words(look, query, tokens, notes)
    if legs.dense is None and legs.judged is None:
        return words, notes
    return HybridRanking(look, words, legs.dense, legs.fusion, legs.judged), notes


def _by_words(
    look: Look, query: Query, tokens: list[str], notes: list[str]
) -> tuple[PlainRanking | LexicalRanking, list[str]]:
    if look.derived is None:
        if look.own and look.table.paths:
            notes.append("the index for ranking is not there yet, so the plain ranking answered")
        return PlainRanking(look, tokens, metadata=True), notes
    from drawwell.corpus.operations.lexical import LexicalRanking  # only here Tantivy is needed

    ranking = LexicalRanking(look, look.derived, query.text, tokens)
    return ranking, ranking.left_out


_NO_WORDS = "there are no searchable words in the query: grep finds any characters"
_TRY = "try others, or grep for a part of a word or a code"


def _nothing(look: Look, ranking: _Ranking, scope: Scope) -> list[str]:
    """What to say when nothing was found: where nothing is, and what may be missing."""
    if not ranking.shown:
        return [_NO_WORDS]
    if scope.doc_ids is None:
        return [f"no section holds any of these words: {_TRY}", *look.excuses()]
    count = len(scope.doc_ids)
    named = "the document" if count == 1 else f"the {count} documents"
    none = f"no section of {named} that `in` names holds any of these words"
    if ranking.top(Scope(), 1):
        return [f"{none}, but other documents do: search without `in`", *look.excuses()]
    return [f"{none}, nor does any other: {_TRY}", *look.excuses()]


def check_query(query: Query) -> None:
    """Refuse arguments of the wrong type or out of bounds.

    Raises:
        ArgumentError: with the value.
    """
    if not isinstance(query.text, str):
        raise ArgumentError("query", query.text, "words to search for")
    check_whole("limit", query.limit, 1, MAX_LIMIT)
    check_budget(query.max_tokens)
    if query.mode not in MODES:
        near = difflib.get_close_matches(query.mode, MODES, n=1) if isinstance(query.mode, str) else []
        advice = f"Did you mean {near[0]}?" if near else f"Leave it out for {MODES[0]}"
        raise ArgumentError("mode", query.mode, f"one of {', '.join(MODES)}", advice)


def _hint(notes: Sequence[str]) -> str | None:
    return "; ".join(notes) or None


def _tokens(text: str) -> tuple[list[str], list[str]]:
    """The tokens to search for, within bounds, and what was left out."""
    notes = []
    if len(text) > MAX_QUERY_CHARS:
        text = text[:MAX_QUERY_CHARS]
        notes.append(f"only the first {MAX_QUERY_CHARS} characters of the query were used")
    tokens = plain_tokens(text)
    if len(tokens) > MAX_TOKENS:
        distinct = list(dict.fromkeys(tokens))
        tokens = distinct[:MAX_TOKENS]
        left = f", and only the first {MAX_TOKENS} of {len(distinct)}" if len(distinct) > MAX_TOKENS else ""
        notes.append(f"the query is long: each word counted once{left}")
    return tokens, notes


def _hits(look: Look, page: Sequence[Ranked], shown: Sequence[str]) -> Iterator[tuple[int, Hit]]:
    """The hits of a page, each with the number of ranked rows up to it: a row without its section gives none."""
    places = [ranked.place for ranked in page if not ranked.name and ranked.place[1] >= 0]
    sections = look.sections_at(places) if places else {}
    for number, ranked in enumerate(page, 1):
        row = sections.get(ranked.place) or ranked.row(look)
        if row is not None:
            hit = Hit(
                id=row.id,
                doc=row.path,
                heading_path=row.heading_path,
                snippet=snippet(row.text, shown),
                score=round(ranked.score, 2),
                kind=row.kind,
                cite=row.cite,
                covers=row.covers,
                parents=row.parents,
                page=row.page,
                stale=row.stale,
            )
            yield number, hit
