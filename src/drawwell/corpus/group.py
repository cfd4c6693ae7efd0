"""Several corpora as one: each under its name, which is the first element of its paths and ids."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from heapq import merge
from types import TracebackType
from typing import Any, Self, TypeVar

from drawwell.corpus.index.render import IndexEntry, IndexHeader, matching, render_index, render_listing, render_map
from drawwell.corpus.names import shown, tidy
from drawwell.corpus.operations.bounds import MIN_BUDGET, check_budget, check_whole
from drawwell.corpus.operations.corpus import DEFAULT_INDEX_BUDGET, Corpus, CorpusStatus
from drawwell.corpus.operations.grep import GREP_SECONDS
from drawwell.corpus.operations.grep import MAX_LIMIT as MAX_MATCHES
from drawwell.corpus.operations.search import MAX_LIMIT
from drawwell.errors import ArgumentError, Error, NotFound, Stale
from drawwell.model import GrepMatch, GrepResult, Hit, IndexText, NeighboursResult, SearchResult, SectionText
from drawwell.retrieval.paging import Pager, item_tokens, json_tokens, take_within
from drawwell.text.budget import estimate_tokens

__all__ = ["CorpusGroup", "check_name"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_WILD = re.compile(r"[*?\[]")

Item = TypeVar("Item")


def check_name(name: str) -> str:
    """The name of a corpus, if it is one.

    Raises:
        ArgumentError: it could not be told from the rest of a path.
    """
    if not _NAME.fullmatch(name):
        raise ArgumentError("name", name, "up to 64 letters, digits, '.', '_' and '-', a letter or digit first")
    return name


@dataclass(frozen=True, slots=True)
class _Scopes:
    """What a filter means for each corpus that it selects: its own filter, empty for everything."""

    filters: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...]


class CorpusGroup:
    """The five operations over several corpora. For any number of threads. A context manager that closes them.

    Args:
        members: the corpora by name.
        missing: corpora that cannot be read now, with the reason; what only they could answer is refused with it.

    Raises:
        ArgumentError: a name cannot be used.
    """

    def __init__(self, members: Mapping[str, Corpus], missing: Mapping[str, Error] | None = None) -> None:
        self._members = {check_name(name): members[name] for name in sorted(members)}
        self._missing = dict(missing or {})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all of them."""
        for corpus in self._members.values():
            corpus.close()

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
        """Find sections: always the corpus whose next hit has the highest score, ties by name.

        Each corpus's own order is kept. Scores of two corpora are only roughly comparable, since the weight of a
        word follows from how rare it is in each; but the best of each in turn would put the weak hits of a small
        corpus above good ones. Arguments and errors as for one corpus; entries of ``within`` begin with the name of a
        corpus. Where vectors take part in the answer of one corpus and not in that of another, the words alone decide.
        """
        check_whole("limit", limit, 1, MAX_LIMIT)
        check_budget(max_tokens)
        pager = Pager(self._generation(), "search", query, tuple(within), mode)
        (start,) = pager.positions(cursor)
        scopes = self._scopes(within)
        lists, answers = self._asked(scopes, query, mode, start + limit + 1)
        if len({answer.legs for answer in answers.values()}) > 1:  # their scores have nothing in common
            scopes = replace(scopes, notes=(*scopes.notes, _words_alone(answers)))
            lists, answers = self._asked(scopes, query, "lexical", start + limit + 1)
        loose = all(answers[name].loose for name, hits in lists.items() if hits)
        kept = {name for name, one in answers.items() if loose or not one.loose or "vectors" in one.legs}
        told = [hits for name, hits in lists.items() if name in kept]
        merged = list(merge(*told, key=lambda hit: -hit.score))
        hints = {
            name: answer.hint
            for name, answer in answers.items()
            if within or not merged or (answer.hits and name in kept)
        }
        ran = next((answer.mode for answer in answers.values()), mode)
        hint = self._hint(scopes, hints)
        next_ = pager.cursor(len(merged))
        legs = next((answer.legs for answer in answers.values()), ())
        empty = SearchResult(hits=(), mode=ran, legs=legs, loose=loose and bool(merged), hint=hint, next=next_)
        room = None if max_tokens is None else max_tokens - json_tokens(empty)
        page = take_within(merged[start : start + limit], item_tokens, room)
        end = start + len(page)
        return replace(empty, hits=tuple(page), next=pager.cursor(end) if end < len(merged) else None)

    def _asked(
        self, scopes: _Scopes, query: str, mode: str, wanted: int
    ) -> tuple[dict[str, list[Hit]], dict[str, SearchResult]]:
        """The first hits of each corpus, and its first answer."""
        lists: dict[str, list[Hit]] = {}
        answers: dict[str, SearchResult] = {}
        for name, own in scopes.filters.items():
            ask = partial(self._members[name].search, query, within=own, mode=mode)
            hits, answers[name] = _first_hits(ask, wanted)
            lists[name] = [_named(name, hit) for hit in hits]
        return lists, answers

    def read(
        self,
        id: str,  # noqa: A002
        *,
        context: int = 0,
        max_tokens: int | None = None,
        cursor: str | None = None,
    ) -> SectionText:
        """Read the exact text of a section; arguments and errors as for one corpus."""
        name, corpus, rest = self._route(id)
        with _renamed(name):
            return _named(name, corpus.read(rest, context=context, max_tokens=max_tokens, cursor=cursor))

    def neighbours(
        self,
        id: str,  # noqa: A002
        *,
        before: int = 1,
        after: int = 1,
        max_tokens: int | None = None,
        cursor: str | None = None,
    ) -> NeighboursResult:
        """Read a section with those around it; arguments and errors as for one corpus."""
        name, corpus, rest = self._route(id)
        with _renamed(name):
            found = corpus.neighbours(rest, before=before, after=after, max_tokens=max_tokens, cursor=cursor)
        sections = tuple(_named(name, section) for section in found.sections)
        return replace(found, sections=sections, header=found.header and _named(name, found.header))

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
        """Find every section with a line that matches: corpus by corpus, each in document order.

        Arguments and errors as for one corpus; entries of ``within`` begin with the name of a corpus.
        """
        check_whole("limit", limit, 1, MAX_MATCHES)
        check_budget(max_tokens)
        pager = Pager(self._generation(), "grep", pattern, tuple(within), regex, lines)
        own, _, after = (cursor or "").partition("/")
        (place,) = pager.positions(own or cursor)
        scopes = self._scopes(within)
        deadline = time.monotonic() + GREP_SECONDS
        matches: list[GrepMatch] = []
        hints: dict[str, str | None] = {}
        answered: set[str] = set()
        names = list(scopes.filters)
        while place < len(names) and _has_room(limit - len(matches), max_tokens, deadline):
            name = names[place]
            found = self._members[name].grep(
                pattern,
                within=scopes.filters[name],
                regex=regex,
                limit=limit - len(matches),
                lines=lines,
                max_tokens=max_tokens,
                cursor=after,
            )
            named = [_named(name, match) for match in found.matches]
            matches.extend(named)
            hints[name] = found.hint
            if found.matches or found.truncated:
                answered.add(name)
            if max_tokens is not None:
                max_tokens -= sum(map(item_tokens, named))
            after = found.next or ""
            if found.truncated:
                break
            place += 1
        if answered and not within:
            hints = {name: hint for name, hint in hints.items() if name in answered}
        following = f"{pager.cursor(place)}/{after}" if place < len(names) else None
        return GrepResult(
            matches=tuple(matches), truncated=following is not None, hint=self._hint(scopes, hints), next=following
        )

    def index(self, prefix: str = "", *, max_tokens: int | None = None, cursor: str | None = None) -> IndexText:
        """One table of contents of all of them, or a listing; arguments and errors as for one corpus."""
        check_budget(max_tokens)
        pager = Pager(self._generation(), "index", prefix)
        (start,) = pager.positions(cursor)
        entries, header = self._outline()
        notes = self._missing_notes()
        if not prefix.strip():
            budget = DEFAULT_INDEX_BUDGET if max_tokens is None else max_tokens
            made = render_index(entries, header, max(1, budget - estimate_tokens("".join(notes))))
            text = "\n".join([made.text, *notes])
            return IndexText(text=text, mode=made.mode, tokens=estimate_tokens(text))
        places = matching([entry.path for entry in entries], prefix)
        if not places:
            notes = [f"no path begins with it; paths begin with {self._names()}", *notes]
        page = render_listing([entries[place] for place in places], prefix, max_tokens, start)
        text = "\n".join([page.text, *notes])
        following = None if page.after is None else pager.cursor(page.after)
        return IndexText(text=text, mode="listing", tokens=estimate_tokens(text), next=following)

    def map(self, max_chars: int) -> str:
        """The best map of all of them in so many characters; empty when none fits."""
        notes = "\n".join(self._missing_notes())
        entries, header = self._outline()
        made = render_map(entries, header, max_chars - len(notes) - 1)
        return f"{notes}\n{made}" if notes else made

    def status(self, *, files: bool = True) -> dict[str, CorpusStatus]:
        """What each store holds, by name; as for one corpus."""
        return {name: corpus.status(files=files) for name, corpus in self._members.items()}

    def _outline(self) -> tuple[list[IndexEntry], IndexHeader]:
        entries: list[IndexEntry] = []
        headers: list[IndexHeader] = []
        for name, corpus in self._members.items():
            own, header = corpus.outline()
            entries.extend(replace(entry, path=f"{name}/{entry.path}") for entry in own)
            headers.append(header)
        prints = " ".join(f"{name}={one.fingerprint}" for name, one in zip(self._members, headers, strict=True))
        known = all(one.fingerprint for one in headers)
        return entries, IndexHeader(
            fingerprint=hashlib.sha256(prints.encode()).hexdigest()[:16] if known else "",
            summaries=", ".join(dict.fromkeys(one.summaries for one in headers)),
            skipped=sum(one.skipped for one in headers),
            stale=sum(one.stale for one in headers),
            building=any(one.building for one in headers),
        )

    def _generation(self) -> str:
        return " ".join(f"{name}={corpus.store.generation()}" for name, corpus in self._members.items())

    def _names(self) -> str:
        return ", ".join(f"{name}/" for name in self._members)

    def _missing_notes(self) -> list[str]:
        return [f"{name}/ cannot be read now: {error.message}" for name, error in self._missing.items()]

    def _route(self, text: str) -> tuple[str, Corpus, str]:
        """The corpus that an id is of, and the id there."""
        name, slash, rest = tidy(text).partition("/") if isinstance(text, str) else ("", "", "")
        if slash and name in self._missing:
            raise self._missing[name]
        if not slash or name not in self._members:
            raise NotFound(
                f"'{shown(str(text)[:200])}' is of no corpus that is served here",
                f"Ids begin with one of {self._names()}",
            )
        return name, self._members[name], rest

    def _scopes(self, within: Sequence[str]) -> _Scopes:
        """Share a filter out among the corpora."""
        if not within:
            return _Scopes(dict.fromkeys(self._members, ()), ())
        filters: dict[str, list[str]] = {}
        notes: list[str] = []
        for entry in [within] if isinstance(within, str) else within:
            if not isinstance(entry, str) or not entry.strip():
                raise ArgumentError("within", entry, "paths, folders or globs as the index shows them")
            chosen = self._chosen(tidy(entry))
            if not chosen:
                notes.append(f"'{shown(entry)}' is in no corpus: paths begin with {self._names()}")
            for name, own in chosen.items():
                filters.setdefault(name, []).append(own)
        whole = {name: () if "" in own else tuple(own) for name, own in sorted(filters.items())}
        return _Scopes(whole, tuple(notes))

    def _chosen(self, entry: str) -> dict[str, str]:
        """The corpora that one entry of a filter selects, and what it means there; '' for all of it."""
        head, _, rest = entry.partition("/")
        if head in self._missing:
            raise self._missing[head]
        own = "" if rest in ("", "*", "**") else rest
        if head in self._members:
            return {head: own}
        if not _WILD.search(head):
            return {name: own for name in self._members if name.casefold() == head.casefold()}
        if entry in ("*", "**", "**/*", "*/*"):
            return dict.fromkeys(self._members, "")
        if head.startswith("**") or "/" not in entry:
            return dict.fromkeys(self._members, entry)  # a star also crosses the border after a name
        return {name: own for name in self._members if fnmatchcase(name, head)}

    def _hint(self, scopes: _Scopes, hints: Mapping[str, str | None]) -> str | None:
        """One hint of many: what several corpora say alike is said once, without names if that is all there are."""
        whole = len(scopes.filters) == len(self._members)
        said: dict[str, list[str]] = {}
        for name, hint in hints.items():
            if hint:
                said.setdefault(hint, []).append(name)
        own = [
            hint if whole and len(names) == len(hints) else f"{', '.join(names)}: {hint}"
            for hint, names in said.items()
        ]
        return "; ".join([*scopes.notes, *own, *self._missing_notes()]) or None


def _words_alone(answers: Mapping[str, SearchResult]) -> str:
    """Which corpora keep models from taking part in the answer of all."""
    fewest = min(len(answer.legs) for answer in answers.values())
    names = [f"{name}/" for name, answer in answers.items() if len(answer.legs) == fewest]
    return f"words alone were searched, since models could not take part in {', '.join(names)}"


@contextmanager
def _renamed(name: str) -> Iterator[None]:
    """Turns what a corpus says of its own ids into what they are called in the group."""
    try:
        yield
    except Stale as error:
        places = "|".join(re.escape(shown(place)) for place in sorted(error.moved_to, key=len, reverse=True))
        advice = (
            re.sub(places, lambda place: f"{name}/{place[0]}", error.suggestion)
            if places
            else (f"{error.suggestion}; put {name}/ in front of these")
        )
        moved_to = tuple(f"{name}/{place}" for place in error.moved_to)
        raise Stale(f"in {name}/: {error.message}", advice, moved_to) from None
    except NotFound as error:
        advice = f"{error.suggestion}; put {name}/ in front of these"
        raise NotFound(f"in {name}/: {error.message}", advice) from None


def _first_hits(ask: Callable[..., SearchResult], wanted: int) -> tuple[list[Hit], SearchResult]:
    """The first hits of one corpus, as many as wanted, and its first answer."""
    first = found = ask(limit=min(MAX_LIMIT, wanted))
    hits = list(found.hits)
    while found.next is not None and len(hits) < wanted:
        found = ask(limit=min(MAX_LIMIT, wanted - len(hits)), cursor=found.next)
        hits.extend(found.hits)
    return hits, first


def _named(name: str, item: Item) -> Item:
    """A result of one corpus, its ids and paths as they are in the group."""
    changed: dict[str, Any] = {
        field: f"{name}/{value}"
        for field in ("id", "doc", "cite", "prev_id", "next_id")
        if (value := getattr(item, field, None)) is not None
    }
    context = getattr(item, "context", None)
    if context is not None:
        changed["context"] = tuple(_named(name, one) for one in context)
    links = getattr(item, "links", ())
    if links:
        changed["links"] = tuple(replace(link, target=f"{name}/{link.target}") for link in links)
    return replace(item, **changed)  # type: ignore[type-var]


def _has_room(limit: int, max_tokens: int | None, deadline: float) -> bool:
    return limit > 0 and (max_tokens is None or max_tokens >= MIN_BUDGET) and time.monotonic() < deadline
