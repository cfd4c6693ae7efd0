"""The trigram index that tells grep which sections to read: what it holds of a section, and how it is asked."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tantivy import Occur, Query

from drawwell.retrieval.keys import LAST_ORDINAL
from drawwell.retrieval.words import TRIGRAMS, TextField, WordsReader
from drawwell.text.trigrams import PADDING, SIZE, AllOf, AnyOf, Need, fold

__all__ = ["FRONT_MATTER", "GRAMS_FIELDS", "Candidates", "candidates_of", "grams_of"]

FRONT_MATTER = LAST_ORDINAL
"""What stands for the ordinal of a document's front matter."""

_GRAMS = "grams"
_CUT = "cut"
_YES = "1"

GRAMS_FIELDS = (
    TextField(_GRAMS, positions=False, frequencies=False, tokenizer=TRIGRAMS),
    TextField(_CUT, positions=False, frequencies=False),
)
"""The trigrams of a section, and whether it shares a line with another section."""

_LOOKAHEAD = 600
"""Characters behind a section that belong to it too where it ends within a line: the longest literal, folded."""

_MOST_BEGINNINGS = 256  # trigrams that something shorter may begin
_MOST_GRAMS = 32  # of those that are all needed: the rarest; more hardly exclude anything
_TERM_COST = 2.0  # microseconds to look a trigram up
_POSTING_COST = 0.02  # to go through one section that holds it
_READING_COST = 5.0  # to read a section and look at it


def grams_of(front_matter: str, sections: Iterable[tuple[int, str]]) -> Iterator[tuple[int, dict[str, str]]]:
    """What the index holds of a document.

    Args:
        front_matter: its front matter; empty without any.
        sections: ordinal and text of its sections, in order, the texts without table headers repeated in front.

    Returns:
        Ordinal and fields of each entry.
    """
    if front_matter:
        yield FRONT_MATTER, _fields(front_matter, cut=False)
    waiting: deque[_Waiting] = deque()
    in_line = False
    for ordinal, text in sections:
        line_end = text.find("\n") + 1
        for one in waiting:
            one.follow(text[: line_end or _LOOKAHEAD], ends=line_end > 0)
        while waiting and waiting[0].complete:
            yield waiting.popleft().entry()
        if text.endswith("\n"):
            yield ordinal, _fields(text, cut=in_line)
            in_line = False
        else:
            waiting.append(_Waiting(ordinal, text, cut=in_line))
            in_line = True
    for one in waiting:
        yield one.entry()


@dataclass(slots=True)
class _Waiting:
    """A section that ends within a line, until enough of what follows is known."""

    ordinal: int
    text: str
    cut: bool
    lookahead: str = ""
    complete: bool = False

    def follow(self, text: str, *, ends: bool) -> None:
        self.cut = True
        if not self.complete:
            self.lookahead += text
            self.complete = ends or len(self.lookahead) >= _LOOKAHEAD

    def entry(self) -> tuple[int, dict[str, str]]:
        return self.ordinal, _fields(self.text + self.lookahead[:_LOOKAHEAD], cut=self.cut)


def _fields(text: str, *, cut: bool) -> dict[str, str]:
    fields = {_GRAMS: fold(text) + PADDING}
    return {**fields, _CUT: _YES} if cut else fields


@dataclass(frozen=True, slots=True)
class Candidates:
    """Which sections may match a pattern.

    Attributes:
        query: finds them.
        most: there are no more than this.
    """

    query: Query
    most: int


def candidates_of(reader: WordsReader, need: Need, *, is_regex: bool) -> Candidates | None:
    """The sections that may match a pattern.

    Args:
        reader: the index.
        need: what the pattern needs.
        is_regex: whether the pattern is a regular expression: its match may be longer than what is indexed of a section
            that is cut within a line, so all such sections may match.

    Returns:
        None when what it needs is too short to be asked for.
    """
    asked = _Asked(reader)
    found = asked.of(need)
    if found is None or not is_regex:
        return found
    cut = asked.term(_CUT, _YES)
    return _any([found, cut]) if cut.most else found


class _Asked:
    """Makes queries from needs, leaving out what costs more to ask than it spares to read."""

    def __init__(self, reader: WordsReader) -> None:
        self._schema = reader.schema
        self._searcher = reader.searcher
        self._known: dict[str, Candidates | None] = {}

    def term(self, field: str, value: str) -> Candidates:
        """The sections with a term in a field."""
        query = Query.const_score_query(Query.term_query(self._schema, field, value, "basic"), 0.0)
        return Candidates(query, self._searcher.doc_freq(field, value))

    def of(self, need: Need) -> Candidates | None:
        """The sections with all that is needed; None when that cannot be asked for."""
        if isinstance(need, AllOf):
            return self._all_of(need)
        if isinstance(need, AnyOf):
            found = [self.of(part) for part in need.parts]
            known = [one for one in found if one is not None]
            return _any(known) if len(known) == len(found) else None
        if need not in self._known:
            self._known[need] = self.term(_GRAMS, need) if len(need) == SIZE else self._beginning(need)
        return self._known[need]

    def _beginning(self, short: str) -> Candidates | None:
        found = self._searcher.terms_with_prefix(_GRAMS, short, limit=_MOST_BEGINNINGS + 1)
        return None if len(found) > _MOST_BEGINNINGS else _any([self.term(_GRAMS, gram) for gram, _ in found])

    def _all_of(self, need: AllOf) -> Candidates | None:
        parts = [(part, found) for part in need.parts if (found := self.of(part)) is not None]
        if not parts:
            return None
        least = min(found.most for _, found in parts)
        if not least:
            return _NONE
        grams = sorted((found for part, found in parts if isinstance(part, str)), key=lambda found: found.most)
        choices = [found for part, found in parts if not isinstance(part, str) and _pays(part, found, least)]
        chosen = [found.query for found in (*grams[:_MOST_GRAMS], *choices)]
        query = chosen[0] if len(chosen) == 1 else Query.boolean_query([(Occur.Must, one) for one in chosen])
        return Candidates(query, least)


def _any(found: list[Candidates]) -> Candidates:
    """The sections that one of several names."""
    some = [one for one in found if one.most]
    if not some:
        return _NONE
    query = some[0].query if len(some) == 1 else Query.boolean_query([(Occur.Should, one.query) for one in some])
    return Candidates(query, sum(one.most for one in some))


def _pays(part: Need, found: Candidates, least: int) -> bool:
    """Whether a choice is worth asking for beside something that leaves ``least`` sections."""
    return found.most <= least or _terms(part) * _TERM_COST + found.most * _POSTING_COST < least * _READING_COST


def _terms(need: Need) -> int:
    return 1 if isinstance(need, str) else sum(map(_terms, need.parts))


_NONE = Candidates(Query.empty_query(), 0)
