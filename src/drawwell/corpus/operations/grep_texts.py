"""The texts that a grep looks at, in document order: whole lines, all in scope or only where trigrams say so.

Sections that a cut in the middle of a line parts are looked at together. The trigram index names sections that may
match. To ask it costs more the more it names, so for common trigrams a stretch of texts is read first, which often
fills a page by itself.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import TYPE_CHECKING

from drawwell.corpus.operations.paths import Scope
from drawwell.corpus.operations.view import Look
from drawwell.retrieval.keys import key_of, place_of
from drawwell.text.grep import Matcher
from drawwell.text.trigrams import Need

if TYPE_CHECKING:
    from drawwell.retrieval.words import WordsReader

__all__ = ["ONE_SECTION", "Place", "Search", "Text", "texts_of"]

Place = tuple[int, int]
"""The place of a document in the table, and the ordinal of a section in it (-1 for front matter)."""

Text = tuple[int, int, str, Sequence[int]]
"""Whole lines to scan: document and first section that they stand in, themselves, where in them each section begins.
Without any section, texts up to there were passed over."""

ONE_SECTION = (0,)

_FEW_DOCUMENTS = 200
_FIRST_BLOCK = 16
_BLOCK = 128  # sections looked at together
_BLOCK_CHARS = 200_000
_READ_PER_CANDIDATE = 25  # as many candidates cost as much to get as one section to read
_TOO_FEW_TO_READ = 400  # sections: below, the index is asked at once
_NEAR = 3  # sections between two candidates that are cheaper to read than to step over

_SECTIONS_OF = "SELECT ordinal, {repeated}, text FROM sections s WHERE doc_id = ? AND ordinal >= ? ORDER BY ordinal"
_REPEATED = (  # as fast as without it: few sections hold tables
    "CASE WHEN kind IN ('table', 'mixed') THEN coalesce((SELECT repeated FROM drawwell_sections w"
    " WHERE w.doc_id = s.doc_id AND w.ordinal = s.ordinal), 0) ELSE 0 END"
)
_FRONT_MATTER = "SELECT front_matter FROM drawwell_documents WHERE doc_id = ? AND front_matter != ''"
_WITH_FRONT_MATTER = "SELECT doc_id FROM drawwell_documents WHERE front_matter != ''"
_LINE_BEFORE = (
    "SELECT ordinal FROM sections WHERE doc_id = ? AND ordinal < ? AND substr(text, -1) = char(10)"
    " ORDER BY ordinal DESC LIMIT 1"
)


@dataclass(frozen=True, slots=True)
class Search:
    """What a grep looks for, and where.

    Attributes:
        matcher: the pattern.
        need: what a text has to hold for the pattern to match; None when that cannot be told.
        is_regex: whether it is a regular expression.
        scope: the documents.
    """

    matcher: Matcher
    need: Need | None
    is_regex: bool
    scope: Scope


def texts_of(look: Look, search: Search, begin: Place) -> Iterator[Text]:
    """The texts that may match, in the order of path and ordinal.

    Args:
        look: the store.
        search: what is looked for.
        begin: the texts before the one that holds this place are left out.
    """
    if look.derived is None or search.need is None:
        return _all(look, search, begin)
    return _by_trigrams(look, search, begin, look.derived.reader, search.need)


def _all(look: Look, search: Search, begin: Place) -> Iterator[Text]:
    for block in _blocks(look, search.scope, begin):
        yield from _if_present(block, search.matcher)


def _by_trigrams(look: Look, search: Search, begin: Place, reader: WordsReader, need: Need) -> Iterator[Text]:
    from drawwell.retrieval.grams import candidates_of  # the index is open, so its library is loaded

    candidates = candidates_of(reader, need, is_regex=search.is_regex)
    if candidates is None:
        yield from _all(look, search, begin)
        return
    to_read = candidates.most // _READ_PER_CANDIDATE
    if to_read > _TOO_FEW_TO_READ:
        for block in _blocks(look, search.scope, begin):
            yield from _if_present(block, search.matcher)
            place, ordinal, _, starts = block[-1]
            begin = (place, ordinal + len(starts))
            to_read -= sum(len(text[3]) for text in block)
            if to_read < 0:
                break
        else:
            return
    few = search.scope.places is not None and len(search.scope.places) <= _FEW_DOCUMENTS
    places = search.scope.places if few else None
    wanted = [look.table.generations[place] for place in places] if places is not None else None
    yield from _Candidates(look, search.scope).texts(reader.matching(candidates.query, wanted), begin)


def _if_present(block: Sequence[Text], matcher: Matcher) -> Iterable[Text]:
    """A block of texts; when nothing in it matches, only word that it was passed over."""
    if len(block) > 1 and matcher.absent([text[2] for text in block]):
        return [(*block[-1][:2], "", ())]
    return block


def _blocks(look: Look, scope: Scope, begin: Place) -> Iterator[list[Text]]:
    """All texts in scope, in blocks that grow."""
    block: list[Text] = []
    size = _FIRST_BLOCK
    chars = 0
    for text in chain.from_iterable(_by_document(look, scope, begin)):
        block.append(text)
        chars += len(text[2])
        if len(block) >= size or chars >= _BLOCK_CHARS:
            yield block
            block, chars = [], 0
            size = min(size * 2, _BLOCK)
    if block:
        yield block


def _by_document(look: Look, scope: Scope, begin: Place) -> Iterator[Iterable[Text]]:
    """One small query per document: as fast as a single large one, and nothing out of scope is touched."""
    places: Iterable[int] = range(begin[0], len(look.table.paths)) if scope.places is None else scope.places
    sections = _Sections(look)
    for place in places:
        if place < begin[0]:
            continue
        first = begin[1] if place == begin[0] else -1
        if first < 0:
            yield sections.front_matter(place)
        yield sections.lines_from(place, first)


class _Sections:
    """Reads documents as whole lines."""

    def __init__(self, look: Look) -> None:
        self._doc_ids = look.table.doc_ids
        self._own = look.own
        self._cursor = look.connection.cursor()
        self._cursor.row_factory = None
        self._select = _SECTIONS_OF.format(repeated=_REPEATED if look.own else "0")
        self._asked = 0
        self._noted: frozenset[int] | None = None

    def front_matter(self, place: int) -> Iterable[Text]:
        """The front matter of a document; nothing without any."""
        if not self._own:
            return ()
        self._asked += 1
        if self._asked == _FEW_DOCUMENTS:  # so many are quicker to ask for at once
            self._noted = frozenset(doc_id for (doc_id,) in self._cursor.execute(_WITH_FRONT_MATTER))
        if self._noted is not None and self._doc_ids[place] not in self._noted:
            return ()
        found = self._cursor.execute(_FRONT_MATTER, (self._doc_ids[place],)).fetchone()
        return [(place, -1, found[0], ONE_SECTION)] if found else ()

    def lines_from(self, place: int, ordinal: int) -> Iterator[Text]:
        """The lines of a document from the one in which a section begins."""
        doc_id = self._doc_ids[place]
        if ordinal > 0 and self._own:
            before = self._cursor.execute(_LINE_BEFORE, (doc_id, ordinal)).fetchone()
            ordinal = before[0] + 1 if before else 0
        return _whole_lines(place, self._cursor.execute(self._select, (doc_id, ordinal)), joined=self._own)


def _whole_lines(place: int, sections: Iterable[tuple[int, int, str]], *, joined: bool) -> Iterator[Text]:
    """Texts of whole lines: a section, or a run of sections that are parted in the middle of a line.

    Args:
        place: of the document.
        sections: ordinal, length of the table header repeated in front, and text of each section, in order.
        joined: whether the sections follow each other in the source without a gap.
    """
    run: list[str] = []
    for ordinal, repeated, stored in sections:
        text = stored[repeated:] if repeated else stored
        if not joined or (text[-1:] == "\n" and not run):
            yield place, ordinal, text, ONE_SECTION
            continue
        run.append(text)
        if text[-1:] == "\n":
            yield _run(place, ordinal, run)
            run = []
    if run:
        yield _run(place, ordinal, run)


def _run(place: int, last: int, texts: Sequence[str]) -> Text:
    starts = tuple(accumulate(map(len, texts[:-1]), initial=0))
    return place, last - len(texts) + 1, "".join(texts), starts


def _ordinals(keys: Sequence[int]) -> list[int]:
    return [place_of(key)[1] for key in keys]


class _Candidates:
    """Reads the sections that an index names, and the documents that it does not know."""

    def __init__(self, look: Look, scope: Scope) -> None:
        self._look = look
        self._scope = None if scope.places is None else frozenset(scope.places)
        self._sections = _Sections(look)

    def texts(self, keys: Sequence[int], begin: Place) -> Iterator[Text]:
        """The texts that hold the sections of these keys (ascending), and all of unknown documents, from a place on."""
        named = self._by_place(keys)
        for place in sorted({*named, *self._unknown()}):
            if place < begin[0]:
                continue
            first = begin[1] if place == begin[0] else -1
            if place not in named:
                yield from self._whole(place, first)
            else:
                yield from self._named(place, first, _ordinals(named[place]))

    def _by_place(self, keys: Sequence[int]) -> dict[int, Sequence[int]]:
        named: dict[int, Sequence[int]] = {}
        start = 0
        while start < len(keys):
            generation, _ = place_of(keys[start])
            end = bisect_left(keys, key_of(generation + 1, 0), start)
            place = self._look.table.by_generation.get(generation)
            if place is not None and (self._scope is None or place in self._scope):
                named[place] = keys[start:end]
            start = end
        return named

    def _unknown(self) -> Iterator[int]:
        derived = self._look.derived
        if derived is not None and derived.unindexed:
            for place, doc_id in enumerate(self._look.table.doc_ids):
                if doc_id in derived.unindexed and (self._scope is None or place in self._scope):
                    yield place

    def _whole(self, place: int, first: int) -> Iterator[Text]:
        if first < 0:
            yield from self._sections.front_matter(place)
        yield from self._sections.lines_from(place, first)

    def _named(self, place: int, first: int, ordinals: Sequence[int]) -> Iterator[Text]:
        """The texts that hold some sections of a document; those that are near each other are read in one go."""
        from drawwell.retrieval.grams import FRONT_MATTER

        if ordinals[-1] == FRONT_MATTER:
            if first < 0:
                yield from self._sections.front_matter(place)
            ordinals = ordinals[:-1]
        at = bisect_left(ordinals, first)
        while at < len(ordinals):
            for text in self._sections.lines_from(place, ordinals[at]):
                yield text
                reached = text[1] + len(text[3])
                at = bisect_left(ordinals, reached, at)
                if at == len(ordinals) or ordinals[at] > reached + _NEAR:
                    break
            else:
                return
