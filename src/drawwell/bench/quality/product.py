"""drawwell as a system under test: real files, a real ingest, real searches.

The documents of a collection become files as an export of them would look: one Markdown file for each, in a folder for
each conversation. A title is a heading, unless the text begins with it. A date stands in brackets in front of the
text, as in the export of a chat. Source code is fenced. Names are numbers in the order of the collection, so that
they help nobody to find anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from drawwell.bench.collections import Collection, Document, Question
from drawwell.compose import CorpusPlace, open_place, refresh
from drawwell.configuration import Settings
from drawwell.corpus.operations.corpus import Corpus
from drawwell.errors import DependencyError, SourceError
from drawwell.model import Hit, Span
from drawwell.retrieval.fusion import CONVEX, Fusion, Weights

__all__ = ["BY_MODELS", "BY_WORDS", "WAYS", "Drawwell", "as_markdown", "export", "section_spans", "take_in"]


@dataclass(frozen=True, slots=True)
class Way:
    """A way of search that is measured.

    Attributes:
        mode: of the search.
        fusion: of words and vectors.
    """

    mode: str
    fusion: Fusion = CONVEX


WAYS = {
    "lexical": Way("lexical"),
    "plain": Way("plain"),
    "hybrid": Way("hybrid"),
    "reciprocal": Way("hybrid", Fusion("reciprocal")),
    "vectors": Way("hybrid", Fusion(weights=Weights(words=0.0, dense=1.0))),
}
"""By name: what a user can ask for, and vectors alone, which show what that leg is worth."""
BY_WORDS = ("lexical", "plain")
BY_MODELS = ("hybrid", "reciprocal", "vectors")

_LONGEST_PAGE = 50
_CODE = re.compile(r"\s*(?:@\w|(?:async\s+)?def\s+\w+\s*\(|class\s+\w+\s*[:(])")
_FENCE = re.compile(r"`{3,}")


def as_markdown(document: Document) -> str:
    """A document as a Markdown file."""
    text = document.text
    if _CODE.match(text):
        fence = "`" * max([3, *(len(run) + 1 for run in _FENCE.findall(text))])
        text = f"{fence}python\n{text}\n{fence}\n"
    if document.date:
        text = f"[{document.date}] {text}"
    title = " ".join(document.title.split())
    first, _, rest = text.partition("\n")
    if not title or (first.startswith("#") and first.lstrip("#").strip() == title):
        return text
    return f"# {title}\n\n{rest.lstrip() if first.strip() == title else text}"


def export(collection: Collection, folder: Path, *, verbatim: bool = False) -> dict[str, Document]:
    """Write a collection's documents as files.

    Args:
        collection: the collection.
        folder: where to; exists.
        verbatim: write each text as it is, so that positions in it are positions in the file.

    Returns:
        The documents by the path of their file below ``folder``.
    """
    convs = {conv: f"c{place:05}" for place, conv in enumerate(_convs(collection))}
    for name in convs.values():
        (folder / name).mkdir()
    written = {}
    for place, document in enumerate(collection.documents):
        name = f"d{place:07}.md"
        path = f"{convs[document.conv]}/{name}" if document.conv else name
        text = document.text if verbatim else as_markdown(document)
        (folder / path).write_bytes(text.encode("utf-8", "replace"))
        written[path] = document
    return written


def _convs(collection: Collection) -> list[str]:
    return list(dict.fromkeys(document.conv for document in collection.documents if document.conv))


def take_in(folder: Path, store: Path, settings: Settings) -> Corpus:
    """Ingest a folder of exported documents and open it.

    Raises:
        DependencyError: a model that is configured did not do its part.
    """
    place = CorpusPlace(folder, store)
    report = refresh(place, settings)
    if report.models is not None and report.models.fault:
        raise DependencyError(report.models.stopped, "Without vectors there is nothing to compare")
    return open_place(place, settings)


class Drawwell:
    """drawwell's search in one mode.

    Args:
        corpus: an ingested export.
        documents: what :func:`export` gave.
        way: one of ``WAYS``.
    """

    def __init__(self, corpus: Corpus, documents: dict[str, Document], way: str) -> None:
        self.name = f"drawwell {way}"
        self._corpus = corpus.fused(WAYS[way].fusion)
        self._mode = WAYS[way].mode
        self._documents = {path: document.id for path, document in documents.items()}
        self._folders = {one.conv: path.partition("/")[0] + "/" for path, one in documents.items() if one.conv}

    def call(self, question: Question, count: int) -> list[str]:
        """See :class:`~drawwell.bench.quality.systems.System`: one search, its hits' documents."""
        return [self._documents[hit.doc] for hit in self._search(question, count, None)[0]]

    def section_ids(self, question: Question, count: int) -> list[str]:
        """The ids of the sections that one search finds, at most 50."""
        return [hit.id for hit in self._search(question, count, None)[0]]

    def retrieve(self, question: Question, count: int) -> list[str]:
        """See :class:`~drawwell.bench.quality.systems.System`: a document is where its best section is."""
        found: dict[str, None] = {}
        cursor: str | None = None
        while len(found) < count:
            hits, cursor = self._search(question, min(_LONGEST_PAGE, count), cursor)
            found.update(dict.fromkeys(self._documents[hit.doc] for hit in hits))
            if cursor is None:
                break
        return list(found)[:count]

    def _search(self, question: Question, limit: int, cursor: str | None) -> tuple[tuple[Hit, ...], str | None]:
        if question.conv and question.conv not in self._folders:
            return (), None
        within = [self._folders[question.conv]] if question.conv else []
        found = self._corpus.search(
            question.text, within=within, limit=min(limit, _LONGEST_PAGE), mode=self._mode, cursor=cursor
        )
        return found.hits, found.next


def section_spans(corpus: Corpus, documents: dict[str, Document]) -> dict[str, tuple[str, Span]]:
    """Where each section stands in the text of its document.

    Args:
        corpus: an ingested export that was written verbatim.
        documents: what :func:`export` gave.

    Returns:
        By the section's id the document's id and the span. Sections tile their document, so lengths tell; the header
        that a later part of a table repeats does not count.

    Raises:
        SourceError: a document has a section that does not stand in it.
    """
    lengths: dict[str, list[tuple[str, int, str]]] = {}
    for chunk in corpus.export_chunks():
        text = chunk["text"][corpus.read(chunk["id"]).repeated :]
        lengths.setdefault(chunk["source"], []).append((chunk["id"], len(text), text))
    spans = {}
    for path, sections in lengths.items():
        document = documents[path]
        ends = _ends(len(document.text), [length for _, length, _ in sections])
        for (name, _, text), (start, end) in zip(sections, pairwise(ends), strict=True):
            if document.text[start:end] != text:
                raise SourceError(
                    f"the section {name} of document {document.id!r} is not in it", "Give the document as plain text"
                )
            spans[name] = (document.id, Span(start, end))
    return spans


def _ends(length: int, lengths: Sequence[int]) -> list[int]:
    """Borders of sections that end where the document ends; front matter may stand before them."""
    ends = [length - sum(lengths)]
    for one in lengths:
        ends.append(ends[-1] + one)
    return ends
