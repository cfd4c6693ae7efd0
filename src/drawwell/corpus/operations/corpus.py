"""The operations on a corpus: what the library offers and every surface calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from drawwell.corpus.index.render import IndexEntry, IndexHeader, matching, render_index, render_listing, render_map
from drawwell.corpus.index.stored import stored_entries
from drawwell.corpus.names import shown
from drawwell.corpus.operations import grep as grepping
from drawwell.corpus.operations import read as reading
from drawwell.corpus.operations import search as searching
from drawwell.corpus.operations.bounds import check_budget
from drawwell.corpus.operations.fresh import Freshness
from drawwell.corpus.operations.meaning import NO_MODELS, Meaning, SearchModels
from drawwell.corpus.operations.paths import nearest, resolve
from drawwell.corpus.operations.status import CorpusStatus, corpus_status
from drawwell.corpus.operations.view import Look, Views
from drawwell.corpus.options import MAP_CHARS
from drawwell.corpus.store.handle import Store
from drawwell.corpus.store.summaries import OFFLINE
from drawwell.corpus.store.words import DOCUMENTS, GRAMS, TERMS
from drawwell.errors import ArgumentError
from drawwell.model import GrepResult, IndexText, NeighboursResult, SearchResult, SectionText
from drawwell.retrieval.fusion import Fusion
from drawwell.retrieval.paging import Pager
from drawwell.text.budget import estimate_tokens

__all__ = ["Corpus", "CorpusStatus"]

DEFAULT_INDEX_BUDGET = 3000
MAX_PREFIX_CHARS = 1000

Pointer = TypeVar("Pointer")


class Corpus:
    """A corpus to draw from: search for pointers, read exact text, cite ids. For any number of threads.

    Reads one store file and, when the folder is known, looks whether the files behind an answer have changed. Uses no
    network and writes nothing. A context manager that closes the store and the models.

    Args:
        store: an open store, of drawwell or of another tool that writes the same format.
        root: the folder of the documents; None leaves freshness unchecked.
        on_change: told the paths of documents that are found to have changed or gone, once for each answer that rests
            on some, so that someone can read them again.
        grep_seconds: wall-clock time that one grep may take before it gives what it has.
        models: what a search may ask besides the words.
    """

    def __init__(
        self,
        store: Store,
        root: Path | None = None,
        on_change: Callable[[frozenset[str]], None] | None = None,
        grep_seconds: float = grepping.GREP_SECONDS,
        models: SearchModels = NO_MODELS,
    ) -> None:
        self.store = store
        self.root = root
        self._grep_seconds = grep_seconds
        self._views = Views(store)
        self._meaning = Meaning(store, models)
        self._freshness = None if root is None else Freshness(root)
        self._on_change = on_change

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def fused(self, fusion: Fusion) -> Corpus:
        """The same corpus, whose searches make one order of words and vectors in another way. It shares the store."""
        return Corpus(self.store, self.root, models=replace(self._meaning.models, fusion=fusion))

    def close(self) -> None:
        """Close the store, and let go of the models."""
        self.store.close()
        self._meaning.close()

    def search(
        self,
        query: str,
        *,
        within: Sequence[str] = (),
        limit: int = 10,
        mode: str = "auto",
        max_tokens: int | None = None,
        cursor: str | None = None,
    ) -> SearchResult:
        """Find sections by words and identifiers, and by meaning where models are configured.

        Args:
            query: words; nothing in it is syntax.
            within: paths, folders or globs to search in; empty for everywhere.
            limit: most hits, 1 to 50.
            mode: ``lexical`` for words alone, ``hybrid`` for words and vectors, ``auto`` for what is there, or
                ``plain`` for the ranking of format 1.x.
            max_tokens: budget of the answer in estimated tokens, 200 to 100,000; None for none.
            cursor: ``next`` of an earlier answer.

        Returns:
            Pointers, best first; the mode that ran; a hint where something was unusual.

        Raises:
            ArgumentError: an argument is wrong.
        """
        asked = searching.Query(text=query, within=within, limit=limit, mode=mode, max_tokens=max_tokens, cursor=cursor)

        searching.check_query(asked)
        indexes = () if mode == "plain" else (TERMS, DOCUMENTS)
        prepared = self._meaning.prepare(asked, partial(self._views.ask, indexes))

        def answer(look: Look) -> tuple[SearchResult, dict[str, str]]:
            found = searching.search(look, asked, prepared(look))
            return found, self._stale(look, [hit.doc for hit in found.hits])

        found, stale = self._views.ask(indexes, answer)
        return replace(found, hits=_marked(found.hits, stale)) if self._told(stale) else found

    def read(
        self,
        id: str,  # noqa: A002
        *,
        context: int = 0,
        max_tokens: int | None = None,
        cursor: str | None = None,
    ) -> SectionText:
        """Read the exact text of a section, or of a document's front matter (``path#meta``).

        Args:
            id: ``path#number``; with ``@hash``, only if the text is still the one that was cited.
            context: sections to add on each side, 0 to 5.
            max_tokens: budget of the answer in estimated tokens, 200 to 100,000; None for none.
            cursor: ``next`` of an earlier answer.

        Raises:
            ArgumentError: an argument is wrong.
            NotFound: there is no such section; the nearest ids are named.
            Stale: the cited text does not stand there any more; ``moved_to`` says where it does.
        """
        with self._views.look() as look:
            found = reading.read(look, id, context, max_tokens, cursor)
            stale = self._stale(look, [found.doc])
        if not self._told(stale):
            return found
        around = None if found.context is None else _marked(found.context, stale)
        return replace(found, stale=stale[found.doc], context=around)

    def neighbours(
        self,
        id: str,  # noqa: A002
        *,
        before: int = 1,
        after: int = 1,
        max_tokens: int | None = None,
        cursor: str | None = None,
    ) -> NeighboursResult:
        """Read a section with those around it in its document, and the first part of the table that it continues.

        Args:
            id: of the anchor, as for ``read``.
            before: sections before it, 0 to 5.
            after: sections after it, 0 to 5.
            max_tokens: budget of the answer in estimated tokens, 200 to 100,000; None for none.
            cursor: ``next`` of an earlier answer.

        Raises:
            ArgumentError, NotFound, Stale: as ``read``.
        """
        with self._views.look() as look:
            found = reading.neighbours(look, id, (before, after), max_tokens, cursor)
            stale = self._stale(look, [text.doc for text in found.sections])
        if not self._told(stale):
            return found
        header = None if found.header is None else _marked((found.header,), stale)[0]
        return replace(found, sections=_marked(found.sections, stale), header=header)

    def grep(  # noqa: PLR0913 - the tool's arguments
        self,
        pattern: str,
        *,
        within: Sequence[str] = (),
        regex: bool = False,
        limit: int = 20,
        lines: bool = False,
        max_tokens: int | None = None,
        cursor: str | None = None,
    ) -> GrepResult:
        """Find every section with a line that matches, in document order, without regard to case.

        Args:
            pattern: 1 to 200 characters, looked for within single lines; parts of words are found too.
            within: paths, folders or globs to look in; empty for everywhere.
            regex: whether the pattern is a regular expression.
            limit: most sections, 1 to 100.
            lines: give all matching lines of each section, with their numbers in the source.
            max_tokens: budget of the answer in estimated tokens, 200 to 100,000; None for none.
            cursor: ``next`` of an earlier answer.

        Raises:
            ArgumentError: an argument is wrong; a regular expression does not compile.
        """
        asked = grepping.GrepQuery(
            pattern=pattern,
            within=within,
            regex=regex,
            limit=limit,
            lines=lines,
            max_tokens=max_tokens,
            cursor=cursor,
            seconds=self._grep_seconds,
        )

        def answer(look: Look) -> tuple[GrepResult, dict[str, str]]:
            found = grepping.grep(look, asked)
            return found, self._stale(look, [match.doc for match in found.matches])

        found, stale = self._views.ask((GRAMS,), answer)
        return replace(found, matches=_marked(found.matches, stale)) if self._told(stale) else found

    def index(self, prefix: str = "", *, max_tokens: int | None = None, cursor: str | None = None) -> IndexText:
        """The table of contents, or a listing of the documents whose path begins with a prefix.

        Args:
            prefix: beginning of a path, or the name of an index line; empty for the whole.
            max_tokens: budget of the answer in estimated tokens, 200 to 100,000; None for none.
            cursor: ``next`` of an earlier listing.

        Raises:
            ArgumentError: an argument is wrong.
        """
        if not isinstance(prefix, str) or len(prefix) > MAX_PREFIX_CHARS:
            raise ArgumentError("prefix", prefix, f"the beginning of a path, at most {MAX_PREFIX_CHARS} characters")
        check_budget(max_tokens)
        with self._views.look() as look:
            pager = Pager(look.generation, "index", prefix)
            (start,) = pager.positions(cursor)
            if not prefix.strip():
                return _whole_index(look, max_tokens)
            return _listing(look, prefix, max_tokens, pager, start)

    def map(self, max_chars: int) -> str:
        """The best map of the corpus in so many characters, for server instructions; empty when none fits."""
        with self._views.look() as look:
            ready = look.meta("drawwell.map") or ""
            if ready and not look.building and len(ready) <= max_chars <= 2 * MAP_CHARS:
                return ready
            return render_map(stored_entries(look.connection), _header(look), max_chars)

    def outline(self) -> tuple[list[IndexEntry], IndexHeader]:
        """The documents as an index sees them, in path order, and what it says of the corpus as a whole."""
        with self._views.look() as look:
            return stored_entries(look.connection), _header(look)

    def status(self, *, files: bool = True) -> CorpusStatus:
        """What the store holds, how it was made, and what in it is out of date.

        Args:
            files: whether to compare the folder, where it is known, with the store; takes time with its size.
        """
        with self._views.look() as look:
            return corpus_status(look, self.store.path, self.root if files else None)

    def export_chunks(self) -> Iterator[dict[str, str]]:
        """All sections in the order of path and ordinal: id, text, and source, the document's path."""
        rows = self.store.connection().execute(
            "SELECT s.id, s.text, d.path FROM documents d JOIN sections s ON s.doc_id = d.doc_id"
            " ORDER BY d.path, s.ordinal"
        )
        for name, text, path in rows:
            yield {"id": name, "text": text, "source": path}

    def _stale(self, look: Look, paths: Sequence[str]) -> dict[str, str]:
        return {} if self._freshness is None or not paths else self._freshness.check(look, paths)

    def _told(self, stale: dict[str, str]) -> bool:
        """Whether there is something out of date; if so, tells it, outside any look at the store."""
        if stale and self._on_change is not None:
            self._on_change(frozenset(stale))
        return bool(stale)


def _marked(items: Sequence[Pointer], stale: dict[str, str]) -> tuple[Pointer, ...]:
    """The items, with the reason on those whose document is out of date."""
    marked: list[Any] = []
    for item in items:
        reason = stale.get(getattr(item, "doc", ""))
        marked.append(replace(item, stale=reason) if reason else item)  # type: ignore[type-var]
    return tuple(marked)


def _header(look: Look) -> IndexHeader:
    skipped, stale = look.faults()
    return IndexHeader(
        fingerprint=look.meta("corpus_fingerprint") or "",
        summaries=look.meta("summarizer") or OFFLINE,
        skipped=skipped,
        stale=stale,
        building=look.building,
    )


def _whole_index(look: Look, max_tokens: int | None) -> IndexText:
    """The stored index, or one made now where there is none or it is larger than the budget."""
    notes = "" if look.building else "".join(f"\n\n{note}" for note in look.notes())  # its first line says so
    budget = DEFAULT_INDEX_BUDGET if max_tokens is None else max_tokens - estimate_tokens(notes)
    text = look.meta("index_text")
    mode = look.meta("index_mode") or "flat"
    if text is None or look.building or (max_tokens is not None and estimate_tokens(text) > budget):
        made = render_index(stored_entries(look.connection), _header(look), budget)
        text, mode = made.text, made.mode
    text += notes
    return IndexText(text=text, mode=mode, tokens=estimate_tokens(text))


def _listing(look: Look, prefix: str, max_tokens: int | None, pager: Pager, start: int) -> IndexText:
    places: Sequence[int] = matching(look.table.paths, prefix)
    if not places:
        places = resolve([prefix], look.table).places or ()
    entries = stored_entries(look.connection, [look.table.doc_ids[place] for place in places])
    page = render_listing(entries, prefix, max_tokens, start)
    notes = look.notes()
    if not places:
        near = ", ".join(map(shown, nearest(prefix, look.table)))
        notes.insert(0, f"no path begins with it; nearest: {near}" if near else "no path begins with it")
    text = "\n".join([page.text, *notes])
    return IndexText(
        text=text,
        mode="listing",
        tokens=estimate_tokens(text),
        next=None if page.after is None else pager.cursor(page.after),
    )
